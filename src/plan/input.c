#include "plan/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bson/print.h"

int input_open(const char *path, bson_error_t *error)
{
	int descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	if (descriptor < 0)
		input_fail(path, strerror(errno), error);
	return descriptor;
}

void input_close(int descriptor)
{
	if (descriptor != STDIN_FILENO)
		close(descriptor);
}

bool input_is_gzip(const void *bytes, size_t size)
{
	return size > 1 && !memcmp(bytes, "\x1f\x8b", 2);
}

bool input_fail(const char *path, const char *why, bson_error_t *error)
{
	struct bytes name = BYTES_INIT;

	print_text(&name, path, strlen(path));
	error_set(error, ERROR_INPUT, 0, "%s: %s", bytes_text(&name), why);
	bytes_clear(&name);
	return false;
}
