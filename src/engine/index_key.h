/*
 * Index keys: a value encoded so that memcmp gives MongoDB's order (the idea of MongoDB's KeyString). Numbers that
 * are equal encode alike whatever their type, Decimal128 included, and order exactly: the double at or below the
 * number, then whether the number is that double, then its decimal digits.
 */
#ifndef BSONSCOPE_ENGINE_INDEX_KEY_H
#define BSONSCOPE_ENGINE_INDEX_KEY_H

#include "base/bytes.h"
#include "bson/path.h"
#include "bson/value.h"

/* Appends the encoding of one value; missing encodes as null. A descending field is encoded inverted. */
void index_key_append(struct bytes *key, struct value v, bool descending);

/* A key below/above every encoding of a value of canonical type `rank` (value_canonical_type), for range bounds. */
void index_key_append_type_low(struct bytes *key, int rank, bool descending);
void index_key_append_type_high(struct bytes *key, int rank, bool descending);

/* Size of the first of the values encoded at `key`; `size` at most. */
size_t index_key_length(const uint8_t *key, size_t size, bool descending);

#endif
