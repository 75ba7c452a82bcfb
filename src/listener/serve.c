#include "listener/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "dump/save.h"

static void complain(void *context, const char *line)
{
	(void)context;
	fprintf(stderr, "bsonscope: %s\n", line);
}

/* What the server would log, in its layout. */
static void warn(void *context, struct value line)
{
	struct bytes text = BYTES_INIT;

	(void)context;
	print_line(&text, line, PRINT_RELAXED);
	fprintf(stderr, "%s\n", bytes_text(&text));
	bytes_clear(&text);
}

static bool greet(const struct serve_options *o, const struct listener *l)
{
	printf("serving %s in memory only: ", o->name);
	if (o->save)
		printf("what clients write is saved to \"%s\" at the end (Ctrl-C)\n", o->save);
	else
		printf("what clients write is gone at the end (Ctrl-C); --save DIR keeps it\n");
	printf("%s\n", listener_uri(l));
	return fflush(stdout) == 0;
}

bool serve(struct engine *e, const struct serve_options *o, bson_error_t *error)
{
	const struct listener_options options = { .address = o->address, .log = complain };
	struct listener *l;
	sigset_t ends;
	int number;
	bool good;

	if (o->save && !save_check(o->save, SAVE_REPLACE, error))
		return false;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	l = listener_new(e, &options, error);
	if (!l)
		return false;
	engine_set_log(e, warn, NULL);
	good = greet(o, l) || error_set(error, ERROR_SYSTEM, 0, "cannot write to standard output: %s", strerror(errno));
	if (good)
		sigwait(&ends, &number);
	listener_destroy(l);
	pthread_sigmask(SIG_UNBLOCK, &ends, NULL); /* a second one ends the saving, which leaves the folder as it was */
	return good && (!o->save || save_engine(e, o->save, SAVE_REPLACE, error));
}
