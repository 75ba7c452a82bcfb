/*
 * How a document's tree is looked at: what is open, what a search has found, and how long texts are broken into lines.
 * Rows of a list are lines: a field has one, an opened text as many as it takes.
 */
#ifndef BSONSCOPE_UI_DOCUMENT_VIEW_H
#define BSONSCOPE_UI_DOCUMENT_VIEW_H

#include "ui/canvas.h"
#include "ui/document_tree.h"
#include "ui/rows.h"

struct document_view {
	const struct document_tree *tree; /* borrowed */
	uint8_t *open, *found;            /* a flag a node; `found` only while something is searched for */
	uint32_t *lines;                  /* that a text takes at this width; 0: not known yet */
	char *searched;                   /* what `found` was made for; null: nothing */
	struct canvas canvas;             /* only its width and alphabet matter */
	struct wrapped_text *wrapped;     /* long texts that are open, broken into lines */
	size_t wrapped_count;
};

/* Where a field's parts stand on its row. */
struct document_columns {
	int mark, name, name_width, value, value_width, type, end;
};

/* The document itself is open, and texts that are not long. */
struct document_view *document_view_new(const struct document_tree *t);
void document_view_destroy(struct document_view *v); /* null is allowed */

/* Adds the rows that are to be seen in a window of that size; with the list's filter only what contains it, and what
 * holds that. */
void document_view_list(struct document_view *v, struct rows *l, const struct canvas *window);

/* The node and the line of it that a row stands for. */
size_t document_view_node(int64_t row);
int document_view_line(int64_t row);
int64_t document_view_row(size_t node);

/* A field's name as it is shown: an empty one as "". */
const char *document_view_name(const struct document_view *v, size_t node);

struct document_columns document_view_columns(const struct document_view *v, size_t node);

/* The text of one line of a node's value; free(). */
char *document_view_text(const struct document_view *v, size_t node, int line);

/* Whether it can be opened: a document, an array, a text of several lines. */
bool document_view_opens(struct document_view *v, size_t node);
void document_view_set_open(struct document_view *v, size_t node, bool open);

/* Opens what holds the node. */
void document_view_reveal(struct document_view *v, size_t node);

/* All documents and arrays; when all are open already they are closed, but for the document itself. */
void document_view_open_all(struct document_view *v);

#endif
