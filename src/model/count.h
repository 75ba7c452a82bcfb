/* How many documents a collection has, as whoever answers commands keeps count: no document is read. */
#ifndef BSONSCOPE_MODEL_COUNT_H
#define BSONSCOPE_MODEL_COUNT_H

#include "source.h"

bool count_documents(struct source *s, const char *db, const char *collection, int64_t *count,
                     const struct interrupt *interrupt, bson_error_t *error);

/*
 * The same where it matters: *of gets the count when the collection is so large that it is sampled instead of read
 * (the source's exact_documents), else 0. An engine's never is, and is not asked.
 */
bool count_to_sample(struct source *s, const char *db, const char *collection, int64_t *of,
                     const struct interrupt *interrupt, bson_error_t *error);

#endif
