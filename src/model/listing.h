/*
 * What a server lists, also where it refuses arguments (free tiers: code 8000), or to tell more than the names of what a
 * user may read: it is asked again with what it may allow.
 */
#ifndef BSONSCOPE_MODEL_LISTING_H
#define BSONSCOPE_MODEL_LISTING_H

#include "model/cursor.h"

/* Each database: {name}. The error is of the first refusal. */
bool listing_databases(struct source *s, cursor_each each, void *context, const struct interrupt *interrupt,
                       bson_error_t *error);

/* Each collection: {name, type}, that of `name` also with its options where the user may know them; null: all. */
bool listing_collections(struct source *s, const char *db, const char *name, cursor_each each, void *context,
                         const struct interrupt *interrupt, bson_error_t *error);

/* "collection", "capped", "view", "timeseries", "buckets", "system": free(). Null when there is no such collection. */
bool listing_kind(struct source *s, const char *db, const char *name, char **kind, const struct interrupt *interrupt,
                  bson_error_t *error);

#endif
