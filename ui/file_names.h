/* File names as they are typed after a command: words, with quotes or \ where a space belongs to a name, "~" for home. */
#ifndef BSONSCOPE_UI_FILE_NAMES_H
#define BSONSCOPE_UI_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { FILE_NAMES_MOST = 8 };

struct file_names {
	char *names[FILE_NAMES_MOST];
	size_t count; /* of all that were typed; names beyond FILE_NAMES_MOST are left out */
};

void file_names_split(const char *line, struct file_names *p);
void file_names_clear(struct file_names *p);

/*
 * False with one line: one of them is a pipe, a device or a folder. What is not there, or is not to be read, is told by who
 * reads it.
 */
bool file_names_can_be_read(const struct file_names *p, bson_error_t *error);

/* Where the last word begins: the one that is being typed. */
const char *file_names_last_word(const char *line);

/* Calls `each` with every name that the word may become, as one would type it; folders end in "/". */
void file_names_complete(const char *word, void (*each)(void *context, const char *candidate), void *context);

#endif
