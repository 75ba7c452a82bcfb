/*
 * A part of a relationship's data from an origin that is not in this process, pulled into an engine so that shapes can
 * be built from it: all of it when it is small, else parents drawn at random, each with all its children. Private to
 * the lab.
 */
#ifndef BSONSCOPE_MODEL_ORIGIN_PULL_H
#define BSONSCOPE_MODEL_ORIGIN_PULL_H

#include "model/mentions.h"
#include "source.h"

/*
 * Of more than PULL_DOCUMENTS in a collection (or the source's exact_documents), or bytes, a sample of parents is
 * pulled.
 */
enum { PULL_DOCUMENTS = 100000, PULL_PARENTS = 1000, PULL_BYTES = 64 * 1024 * 1024 };

struct pulled {
	int64_t parents, children; /* documents that were pulled; no children of an embedded relationship */
	int64_t all_parents;       /* that the origin has */
	bool whole;                /* the relationship's collections are complete */
};

/*
 * The relationship's collections and, as far as the bounds go, what else the model speaks of, with the indexes that the
 * engine knows, into `db` of an engine, which is replaced. At most `most` documents of a collection.
 */
bool origin_pull(struct source *origin, const struct model *model, const struct relationship *r,
                 const struct mentions *mentions, int64_t most, struct source *to, const char *db,
                 struct pulled *pulled, const struct interrupt *interrupt, bson_error_t *error);

/* Which and how many, in one line. */
void pulled_text(const struct pulled *p, const struct relationship *r, struct bytes *out);

#endif
