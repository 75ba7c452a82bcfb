/*
 * Stepping over the fields of raw BSON, inline: what value.c and the predicates go through for every field of every
 * document. Bounds are checked here; `end` is where a document's terminator lies, behind its last value.
 */
#ifndef BSONSCOPE_BSON_SCAN_H
#define BSONSCOPE_BSON_SCAN_H

#include <string.h>

#include "bson/value.h"

/* Payload sizes: fixed, or how the leading length counts. */
enum { TEXT = -1, BY_LENGTH = -2, BINARY = -3, POINTER = -4, SCOPED_CODE = -5, TWO_TEXTS = -6, UNKNOWN = -7 };

/* Types 0 … 19; MinKey and MaxKey have no payload. */
static const int8_t scan_sizes[20] = {
	[0] = UNKNOWN,
	[BSON_TYPE_DOUBLE] = 8,
	[BSON_TYPE_UTF8] = TEXT,
	[BSON_TYPE_DOCUMENT] = BY_LENGTH,
	[BSON_TYPE_ARRAY] = BY_LENGTH,
	[BSON_TYPE_BINARY] = BINARY,
	[BSON_TYPE_UNDEFINED] = 0,
	[BSON_TYPE_OID] = 12,
	[BSON_TYPE_BOOL] = 1,
	[BSON_TYPE_DATE_TIME] = 8,
	[BSON_TYPE_NULL] = 0,
	[BSON_TYPE_REGEX] = TWO_TEXTS,
	[BSON_TYPE_DBPOINTER] = POINTER,
	[BSON_TYPE_CODE] = TEXT,
	[BSON_TYPE_SYMBOL] = TEXT,
	[BSON_TYPE_CODEWSCOPE] = SCOPED_CODE,
	[BSON_TYPE_INT32] = 4,
	[BSON_TYPE_TIMESTAMP] = 8,
	[BSON_TYPE_INT64] = 8,
	[BSON_TYPE_DECIMAL128] = 16,
};

static inline bool scan_type_is_known(uint8_t type)
{
	return type < sizeof scan_sizes ? scan_sizes[type] != UNKNOWN : type == BSON_TYPE_MINKEY || type == BSON_TYPE_MAXKEY;
}

static inline bool scan_size_is_fixed(uint8_t type)
{
	return type >= sizeof scan_sizes || scan_sizes[type] >= 0;
}

/* The lowest set bit is the high bit of the first byte that is zero; 0: none is. */
static inline uint64_t scan_zeros(uint64_t word)
{
	return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

static inline uint64_t scan_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof word);
	return BSON_UINT64_FROM_LE(word);
}

/* Past the NUL that ends the name at `at`; null when there is none before `end`. Eight bytes at a time. */
static inline const uint8_t *scan_name(const uint8_t *at, const uint8_t *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t zeros = scan_zeros(scan_word(at));

		if (zeros)
			return at + (__builtin_ctzll(zeros) >> 3) + 1;
	}
	for (; at < end; at++)
		if (!*at)
			return at + 1;
	return NULL;
}

/* Of the types that scan_payload leaves to it. */
int64_t scan_rare_payload(uint8_t type, const uint8_t *at, const uint8_t *end);

/* Payload size at `at`; -1 when it does not fit before `end`, or lies about itself. */
static inline int64_t scan_payload(uint8_t type, const uint8_t *at, const uint8_t *end)
{
	int64_t available = end - at, size = type < sizeof scan_sizes ? scan_sizes[type] : UNKNOWN;
	uint32_t stated;

	if (size >= 0)
		return size <= available ? size : -1;
	if (size < BY_LENGTH || available < 5)
		return scan_rare_payload(type, at, end);
	memcpy(&stated, at, sizeof stated);
	stated = BSON_UINT32_FROM_LE(stated);
	if (size == TEXT)
		size = stated >= 1 ? (int64_t)stated + 4 : INT64_MAX;
	else
		size = stated >= 5 ? (int64_t)stated : INT64_MAX;
	return size <= available && !at[size - 1] ? size : -1;
}

#endif
