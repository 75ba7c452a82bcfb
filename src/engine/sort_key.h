/* Sorting by a pattern: the key of a document is the least (ascending) or greatest value its path reaches, arrays included. */
#ifndef BSONSCOPE_ENGINE_SORT_KEY_H
#define BSONSCOPE_ENGINE_SORT_KEY_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"

struct sort_pattern;

/* {a: 1, "b.c": -1}; others are refused in MongoDB's words (15975 …). */
struct sort_pattern *sort_pattern_compile(struct value specification, bson_error_t *error);
void sort_pattern_destroy(struct sort_pattern *p);

/* Appends a key that memcmp orders. */
void sort_pattern_key(const struct sort_pattern *p, struct value document, struct bytes *key);

#endif
