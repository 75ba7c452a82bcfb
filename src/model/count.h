/* How many documents a collection has, as whoever answers commands keeps count: no document is read. */
#ifndef BSONSCOPE_MODEL_COUNT_H
#define BSONSCOPE_MODEL_COUNT_H

#include "source.h"

/* Asked of the statistics where the count itself is refused. */
bool count_documents(struct source *s, const char *db, const char *collection, int64_t *count,
                     const struct interrupt *interrupt, bson_error_t *error);

/*
 * The same where it matters: *of gets the count when the collection is so large that it is sampled instead of read
 * (the source's exact_documents), else 0. An engine's never is, and is not asked.
 */
bool count_to_sample(struct source *s, const char *db, const char *collection, int64_t *of,
                     const struct interrupt *interrupt, bson_error_t *error);

/* Orphaned documents on a sharded collection's shards, as their statistics tell (from 6.0 on). False: not known. */
bool count_orphans(struct source *s, const char *db, const char *collection, int64_t *orphans,
                   const struct interrupt *interrupt);

#endif
