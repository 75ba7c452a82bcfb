/*
 * The documents in a text that somebody pasted: between a shell's banner and its prompts, in a chat's quotation, after
 * "result =", in lines with a container's name before them, in a log line that was wrapped. Notation as READER_PASTE.
 */
#ifndef BSONSCOPE_BSON_PASTE_H
#define BSONSCOPE_BSON_PASTE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

struct paste {
	const char *name; /* for errors; borrowed */
	struct bytes text;
	size_t at, line_start;
	unsigned line; /* of `at`, from 1 */
	const char *failed; /* the first brace since the last document that none begins with; null: none */
	size_t failed_bytes; /* read in vain so far: bounded */
	struct bytes error;  /* that of the attempt that came farthest; empty: none failed */
	size_t error_reach;
};

struct paste_document {
	struct bytes bson; /* the document; {label: document} where a name and a colon stood before it */
	unsigned line;     /* where it begins, from 1 */
	bool incomplete;   /* some of it was left out or cut off */
};

/* Takes a copy of the text. */
void paste_init(struct paste *p, const char *name, const char *text, size_t size_bytes);
void paste_clear(struct paste *p);

/* The next document, or false: there is no more. The caller clears d->bson. */
bool paste_next(struct paste *p, struct paste_document *d);

/* Why there was none: the error that was met farthest in the text, with its line shown. Always false. */
bool paste_fail(const struct paste *p, bson_error_t *error);

#endif
