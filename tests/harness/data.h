/* What the tests of samples and shapes ask of an engine. */
#ifndef BSONSCOPE_TESTS_DATA_H
#define BSONSCOPE_TESTS_DATA_H

#include "harness/harness.h"
#include "model/sizes.h"
#include "source.h"

/*
 * The reply of a command given as JSON with single quotes; prints and aborts when it fails. Kept until the program
 * ends.
 */
struct value data_ask(struct source *s, const char *db, const char *command);

/*
 * The number at field `n` of the only document that a pipeline (JSON) on a collection returns; -1 when there is none.
 */
int64_t data_number(struct source *s, const char *db, const char *collection, const char *pipeline);

/* All documents of a collection in a sort order (JSON), one after the other; the caller's. */
struct bytes data_all(struct source *s, const char *db, const char *collection, const char *sort);

/* Exact figures of a collection that are the same on both sides, down to the keys of the largest. */
void data_same_sizes(const struct sizes *a, const struct sizes *b);

/* How many documents that is. */
size_t data_count(const struct bytes *documents);

#endif
