/*
 * Sorting by a pattern: the key of a document is the least (ascending) or greatest value its path reaches, arrays
 * included.
 */
#ifndef BSONSCOPE_ENGINE_SORT_KEY_H
#define BSONSCOPE_ENGINE_SORT_KEY_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"

struct sort_pattern;

/*
 * {a: 1, "b.c": -1}; others are refused in MongoDB's words (15974, 15975 …), {} with 15976: a find without a sort
 * compiles none.
 */
struct sort_pattern *sort_pattern_compile(struct value specification, bson_error_t *error);
void sort_pattern_destroy(struct sort_pattern *p);

/*
 * Appends a key that memcmp orders. Fails for arrays on two independent paths (BadValue, "cannot sort with keys that
 * are parallel arrays"); `key` is then as before.
 */
bool sort_pattern_key(const struct sort_pattern *p, struct value document, struct bytes *key, bson_error_t *error);

#endif
