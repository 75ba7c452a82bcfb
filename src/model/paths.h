/*
 * The tree of paths of a collection: where its bytes are. An engine's documents are all looked at where they lie, on
 * all processors; a server's come through a cursor, all or a sample that says so.
 */
#ifndef BSONSCOPE_MODEL_PATHS_H
#define BSONSCOPE_MODEL_PATHS_H

#include "base/error.h"
#include "base/figure.h"
#include "model/path_tree.h"
#include "model/sampling.h"
#include "source.h"

struct paths_progress {
	int64_t documents, bytes;         /* looked at */
	int64_t of_documents, of_bytes;   /* 0: not known */
	int64_t elapsed_us;
};

struct paths {
	char *db, *collection;
	struct figure documents, bytes; /* those that were looked at; "at least" while there are more */
	struct path_tree tree;          /* finished */
	struct paths_progress progress;
	bool whole;                     /* false: so far */
	enum sampling method;           /* which documents of a server's; an engine's are all */
	char *remark;                   /* why there are no more of them, in one line; null: nothing */
};

/* Called after 30 ms and then about ten times a second with what is known so far; takes it. */
typedef void (*paths_report)(void *context, struct paths *so_far);

struct paths_wish {
	const char *db, *collection;
	const char *key;     /* the field that names documents; null: _id */
	int64_t sample;      /* documents looked at at most where they come over a wire; 0: as the source says */
	int64_t first;       /* of an engine: only so many from the start, "at least"; 0: all */
	int threads;         /* 0: as many as there are processors */
	paths_report report; /* null: none */
	void *context;
};

/* Null on failure. */
struct paths *paths_measure(struct source *s, const struct paths_wish *wish, const struct interrupt *interrupt, bson_error_t *error);

/* The same of one document, taken as it lies. */
struct paths *paths_of_document(const struct paths_wish *wish, struct value document);
void paths_destroy(struct paths *p); /* null is allowed */

/*
 * Bytes or occurrences of a node, over all documents: exact, or estimated from a random sample; the first documents say
 * nothing of the others, and what is in them is the least that there is. Of the largest: as seen.
 */
struct figure paths_figure(const struct paths *p, int64_t seen);
struct figure paths_largest(const struct paths *p, int64_t seen);

/* Appended: how the documents were chosen, and why; nothing when it is all of them. */
void paths_method_text(const struct paths *p, struct bytes *out);

/* Microseconds until it is whole, at the rate so far; -1: not known. */
int64_t paths_left_us(const struct paths_progress *p);

#endif
