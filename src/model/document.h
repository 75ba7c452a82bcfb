/* One document of a collection, as it lies there. */
#ifndef BSONSCOPE_MODEL_DOCUMENT_H
#define BSONSCOPE_MODEL_DOCUMENT_H

#include "base/bytes.h"
#include "bson/value.h"
#include "model/sizes.h"
#include "source.h"

/*
 * By the field that names documents. `id` missing: one without that field, found by its size, as the one after
 * `skipped` others of that size in the order of a scan; of a negative size as the one after `skipped` others at all.
 */
struct document_wish {
	const char *db, *collection;
	const char *key; /* null: _id */
	struct value id;
	int64_t size_bytes, skipped;
};

/* Appends it to `out`, which stays as it is when there is none. */
bool document_read(struct source *s, const struct document_wish *wish, struct bytes *out, const struct interrupt *interrupt,
                   bson_error_t *error);

/* What to wish for to get one of the largest; borrows from `sizes`. */
struct document_wish document_of_largest(const struct sizes *sizes, size_t which, const char *key);

#endif
