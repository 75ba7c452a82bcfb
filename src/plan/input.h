/* What somebody kept in a file or sends to standard input. Private to the readers of explains and logs. */
#ifndef BSONSCOPE_PLAN_INPUT_H
#define BSONSCOPE_PLAN_INPUT_H

#include <stddef.h>

#include "base/error.h"

/* A descriptor of the file, of standard input for "-"; -1 with one line. input_close takes it back. */
int input_open(const char *path, bson_error_t *error);
void input_close(int descriptor);

/* Whether the bytes begin a gzip file. */
bool input_is_gzip(const void *bytes, size_t size_bytes);

/* "PATH: WHY", the path made safe to print. Always false. */
bool input_fail(const char *path, const char *why, bson_error_t *error);

#endif
