/*
 * What is worth a remark in a tree of paths: where documents can grow without an end, and what their names cost. That a
 * path can grow is no alarm by itself: how much of the limit it has used, and how much more fits, is said beside it.
 */
#ifndef BSONSCOPE_MODEL_PATH_REMARKS_H
#define BSONSCOPE_MODEL_PATH_REMARKS_H

#include "model/paths.h"

/* An array of so many elements, a document of so many keys that are data, a text or binary of so many bytes. */
enum { GROWING_ELEMENTS = 100, GROWING_KEYS = 100, GROWING_BYTES = 300000 };

enum path_growth { GROWS_BY_ELEMENTS, GROWS_BY_KEYS, GROWS_BY_BYTES };

struct path_growing {
	const struct path_node *node;  /* the array, the document with the keys, the field */
	enum path_growth by;
	struct figure most;            /* elements or keys of one document; bytes */
	const struct path_mark *where; /* the document that has the most */
	int64_t bytes;                 /* of the largest occurrence, with type byte and name */
	struct figure more_fit;        /* elements or keys of the usual size until the limit, where that document is the largest */
};

enum { PATH_GROWING_MOST = 8 };

struct path_remarks {
	struct path_growing growing[PATH_GROWING_MOST]; /* the largest first */
	size_t growing_count, growing_left_out;
	struct figure names;       /* bytes of names, terminators included; keys that are data are none */
	struct figure names_saved; /* if each name but _id had one letter */
};

/* `p` is finished and outlives the remarks. */
void path_remarks_make(const struct paths *p, int64_t limit_bytes, struct path_remarks *r);

/* "array", "keys", "value". */
const char *path_growth_name(enum path_growth by);

#endif
