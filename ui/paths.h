/* File names as they are typed after a command: words, with quotes or \ where a space belongs to a name, "~" for home. */
#ifndef BSONSCOPE_UI_PATHS_H
#define BSONSCOPE_UI_PATHS_H

#include <stddef.h>

enum { PATHS_MOST = 8 };

struct paths {
	char *names[PATHS_MOST];
	size_t count; /* of all that were typed; names beyond PATHS_MOST are left out */
};

void paths_split(const char *line, struct paths *p);
void paths_clear(struct paths *p);

/* Where the last word begins: the one that is being typed. */
const char *paths_last_word(const char *line);

/* Calls `each` with every name that the word may become, as one would type it; folders end in "/". */
void paths_complete(const char *word, void (*each)(void *context, const char *candidate), void *context);

#endif
