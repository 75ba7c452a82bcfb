/* All that is known of one path, as lines. */
#ifndef BSONSCOPE_UI_PATH_DETAILS_H
#define BSONSCOPE_UI_PATH_DETAILS_H

#include "model/paths.h"

struct path_detail {
	char *label, *text;           /* safe to show; a label "" goes on with the one above */
	int64_t bar;                  /* length of its bar, of `most_bar`; -1: none */
	const struct path_mark *mark; /* the document that the line is about; null: none. The node's */
};

struct path_details {
	struct path_detail *list;
	size_t count;
	int64_t most_bar;
};

/* Of a node of these paths; `key` is the field that names documents. */
struct path_details *path_details_new(const struct paths *p, const struct path_node *n, const char *key, bool ascii);
void path_details_destroy(struct path_details *d);

/* "12 %" of a whole: "<1 %" and ">99 %" where a whole number would say none or all. */
const char *path_share(int64_t part, int64_t whole, char *buffer, size_t size);

/* "_k 'B0000080'"; by its place where the document has no such field. Appends. */
void path_mark_text(const struct path_mark *m, const char *key, struct bytes *out);

#endif
