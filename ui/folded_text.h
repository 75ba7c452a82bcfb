/*
 * A document as mongosh shows it, laid out once: a line a field, and one that closes a document or array. What a line
 * opens can be hidden; what is hidden is remembered by who looks at it (struct folds).
 */
#ifndef BSONSCOPE_UI_FOLDED_TEXT_H
#define BSONSCOPE_UI_FOLDED_TEXT_H

#include "ui/document_tree.h"
#include "ui/rows.h"

enum { FOLDED_TEXT_LIMIT_BYTES = 64 << 20 };

struct folded_line {
	uint32_t start, size; /* of its text, without what indents it */
	uint32_t end;         /* the line after what it opens; the next one when it opens nothing */
	uint32_t node;        /* of the document's tree; of a closing line that which it closes */
	uint8_t depth;
};

/* Immutable once made. */
struct folded_text {
	struct document_tree *tree;
	char *text;
	struct folded_line *lines;
	size_t count, capacity;
};

/* Takes a copy of the document. Text beyond the limit is left out, with "…" at its end. */
void folded_text_make(struct folded_text *t, const struct bytes *document);
void folded_text_clear(struct folded_text *t);

bool folded_text_opens(const struct folded_text *t, size_t line);

/* The text of a line without what indents it; appended. When it is folded, the beginning of what it hides is there too. */
void folded_text_line(const struct folded_text *t, size_t line, bool folded, struct bytes *out);

/* The line on which the value begins that lies `offset` bytes into the document. */
size_t folded_text_line_at(const struct folded_text *t, size_t offset);

/* What the line holds: a text as it is, everything else as mongosh writes it. Appended. */
void folded_text_value(const struct folded_text *t, size_t line, struct bytes *out);

/* Which lines are open. */
struct folds {
	const struct folded_text *text; /* borrowed; null: none is looked at */
	uint8_t *open;
};

void folds_clear(struct folds *f);

/* Begins to look at a text: the document is open, and what it holds when that is short. Nothing changes when it is
 * looked at already. */
void folds_look_at(struct folds *f, const struct folded_text *t);

/* Adds the lines that are to be seen. */
void folds_list(const struct folds *f, struct rows *l);

/* All lines; when all are open already they are closed, but for the document itself. */
void folds_open_all(struct folds *f);

/* Whatever hides the line is opened. */
void folds_reveal(struct folds *f, size_t line);

/* The line that opens what holds this one; 0 for the document's own. */
size_t folds_parent(const struct folds *f, size_t line);

/* The next line after `from` that contains the list's filter, or before it, round the end; -1: none does. */
int64_t folds_find(const struct folds *f, const struct rows *l, size_t from, bool backwards);

/* Opens whatever hides a line that contains the list's filter. How many such lines there are, and which of them `line`
 * is, from 1. */
size_t folds_open_hits(struct folds *f, const struct rows *l, size_t line, size_t *number);

#endif
