/*
 * serve_sample SAMPLE COMMAND [ARGUMENT…]: runs the command while a server on loopback answers with the sample's data;
 * MONGODB_URI names it. Exits as the command does. Scripts see a server with it without knowing its port.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/served.h"
#include "harness/wire.h"
#include "samples/samples.h"

static int run(char **command, const char *uri)
{
	pid_t child;
	int status;

	setenv("MONGODB_URI", uri, 1);
	child = fork();
	if (child == 0) {
		execvp(command[0], command);
		fprintf(stderr, "serve_sample: \"%s\": %s\n", command[0], strerror(errno));
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	struct model *model;
	struct source *sample;
	struct wire *w;
	bson_error_t error;
	int status;

	if (argc < 3) {
		fprintf(stderr, "serve_sample: SAMPLE COMMAND [ARGUMENT...]\n");
		return 2;
	}
	sample = sample_open(argv[1], &model, &error);
	if (!sample) {
		fprintf(stderr, "serve_sample: %s\n", error.message);
		return 2;
	}
	w = wire_start(served_answer, source_engine(sample), &(struct wire_options){ .sessions = true });
	status = run(argv + 2, wire_uri(w));
	wire_stop(w);
	source_destroy(sample);
	model_destroy(model);
	return status;
}
