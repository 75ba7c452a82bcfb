/*
 * What a terminal sends between the marks of a bracketed paste: text, never keys. The bytes are read past curses, which
 * would take them one by one and see keys in them.
 */
#ifndef BSONSCOPE_UI_PASTING_H
#define BSONSCOPE_UI_PASTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct pasting {
	bool under_way;
	struct bytes text; /* so far */
};

/* After the mark that begins one. */
void pasting_begin(struct pasting *p);

/*
 * The next bytes. True when the mark that ends it is among them: `text` is whole then, with "\n" at the ends of lines,
 * and *rest is how many of the bytes follow the mark. What is beyond 64 MiB is dropped.
 */
bool pasting_add(struct pasting *p, const char *bytes, size_t size, size_t *rest);

/* Ends it though the mark did not come. */
void pasting_end(struct pasting *p);
void pasting_clear(struct pasting *p);

#endif
