#include "bson/compare.h"

#include <math.h>
#include <string.h>

#include "bson/decimal.h"

int value_canonical_type(uint8_t type)
{
	switch (type) {
	case BSON_TYPE_MINKEY: return 0;
	case VALUE_MISSING: case BSON_TYPE_UNDEFINED: return 1;
	case BSON_TYPE_NULL: return 5;
	case BSON_TYPE_DOUBLE: case BSON_TYPE_INT32: case BSON_TYPE_INT64: case BSON_TYPE_DECIMAL128: return 10;
	case BSON_TYPE_UTF8: case BSON_TYPE_SYMBOL: return 15;
	case BSON_TYPE_DOCUMENT: return 20;
	case BSON_TYPE_ARRAY: return 25;
	case BSON_TYPE_BINARY: return 30;
	case BSON_TYPE_OID: return 35;
	case BSON_TYPE_BOOL: return 40;
	case BSON_TYPE_DATE_TIME: return 45;
	case BSON_TYPE_TIMESTAMP: return 47;
	case BSON_TYPE_REGEX: return 50;
	case BSON_TYPE_DBPOINTER: return 55;
	case BSON_TYPE_CODE: return 60;
	case BSON_TYPE_CODEWSCOPE: return 65;
	default: return 127;
	}
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

/* Exact: an int64 beyond 2^53 is never rounded to meet a double. */
static int compare_int64_double(int64_t a, double b)
{
	double whole;

	if (isnan(b))
		return 1;
	if (b >= 9223372036854775808.0)
		return -1;
	if (b < -9223372036854775808.0)
		return 1;
	whole = floor(b);
	if (a != (int64_t)whole)
		return order(a, (int64_t)whole);
	return whole < b ? -1 : 0;
}

/* The doubles at or below and at or above the decimal bracket it: comparing with them is exact. */
static int compare_double_decimal(double a, bson_decimal128_t b)
{
	bool exact;
	double below;

	if (isnan(a) || decimal_is_nan(b))
		return decimal_is_nan(b) - !!isnan(a);
	below = decimal_to_double_rounded(b, DECIMAL_DOWN, &exact);
	if (a != below)
		return compare_doubles(a, below);
	return exact ? 0 : -1;
}

int value_compare_numbers(struct value a, struct value b)
{
	if (a.type == BSON_TYPE_DECIMAL128 || b.type == BSON_TYPE_DECIMAL128) {
		if (a.type == BSON_TYPE_DOUBLE)
			return compare_double_decimal(value_double(a), value_decimal(b));
		if (b.type == BSON_TYPE_DOUBLE)
			return -compare_double_decimal(value_double(b), value_decimal(a));
		return decimal_compare(
			a.type == BSON_TYPE_DECIMAL128 ? value_decimal(a)
			: decimal_from_int64(a.type == BSON_TYPE_INT32 ? value_int32(a) : value_int64(a)),
			b.type == BSON_TYPE_DECIMAL128 ? value_decimal(b)
			: decimal_from_int64(b.type == BSON_TYPE_INT32 ? value_int32(b) : value_int64(b)));
	}
	if (a.type == BSON_TYPE_DOUBLE && b.type == BSON_TYPE_DOUBLE)
		return compare_doubles(value_double(a), value_double(b));
	if (a.type == BSON_TYPE_DOUBLE)
		return -compare_int64_double(b.type == BSON_TYPE_INT32 ? value_int32(b) : value_int64(b), value_double(a));
	if (b.type == BSON_TYPE_DOUBLE)
		return compare_int64_double(a.type == BSON_TYPE_INT32 ? value_int32(a) : value_int64(a), value_double(b));
	return order(a.type == BSON_TYPE_INT32 ? value_int32(a) : value_int64(a),
	             b.type == BSON_TYPE_INT32 ? value_int32(b) : value_int64(b));
}

static int compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
	size_t common = a_size < b_size ? a_size : b_size;
	int difference = common ? memcmp(a, b, common) : 0;

	return difference ? difference : order((int64_t)a_size, (int64_t)b_size);
}

static int compare_keys(struct key a, struct key b)
{
	return compare_bytes(a.bytes, a.size_bytes, b.bytes, b.size_bytes);
}

static int compare_levels(struct value a, struct value b, int depth);

/* Field by field: type, then name (not for arrays, whose names are positions), then value; the shorter is less. */
static int compare_documents(struct value a, struct value b, bool names, int depth)
{
	struct walk walk_a, walk_b;
	struct field field_a, field_b;

	walk_begin(&walk_a, a);
	walk_begin(&walk_b, b);
	for (;;) {
		bool more_a = walk_next(&walk_a, &field_a), more_b = walk_next(&walk_b, &field_b);
		int difference;

		if (!more_a || !more_b)
			return more_a - more_b;
		difference = order(value_canonical_type(field_a.value.type), value_canonical_type(field_b.value.type));
		if (!difference && names)
			difference = compare_keys(field_a.key, field_b.key);
		if (!difference)
			difference = compare_levels(field_a.value, field_b.value, depth + 1);
		if (difference)
			return difference;
	}
}

static int compare_binary(struct value a, struct value b)
{
	uint8_t subtype_a, subtype_b;
	uint32_t size_a, size_b;
	const uint8_t *bytes_a = value_binary(a, &subtype_a, &size_a), *bytes_b = value_binary(b, &subtype_b, &size_b);

	if (size_a != size_b)
		return order(size_a, size_b);
	if (subtype_a != subtype_b)
		return order(subtype_a, subtype_b);
	return size_a ? memcmp(bytes_a, bytes_b, size_a) : 0;
}

static int compare_regexes(struct value a, struct value b)
{
	struct key pattern_a, options_a, pattern_b, options_b;
	int difference;

	value_regex(a, &pattern_a, &options_a);
	value_regex(b, &pattern_b, &options_b);
	difference = compare_keys(pattern_a, pattern_b);
	return difference ? difference : compare_keys(options_a, options_b);
}

/* Code with scope: total length, code length, code, NUL, scope. */
static int compare_scoped_code(struct value a, struct value b, int depth)
{
	struct value code_a = { a.bytes + 4, 0, BSON_TYPE_CODE }, code_b = { b.bytes + 4, 0, BSON_TYPE_CODE };
	struct value scope_a, scope_b;
	uint32_t size_a, size_b;
	int difference;

	memcpy(&size_a, a.bytes + 4, 4);
	memcpy(&size_b, b.bytes + 4, 4);
	code_a.size_bytes = BSON_UINT32_FROM_LE(size_a) + 4;
	code_b.size_bytes = BSON_UINT32_FROM_LE(size_b) + 4;
	if (code_a.size_bytes < 5 || code_b.size_bytes < 5 || code_a.size_bytes + 4 > a.size_bytes ||
	    code_b.size_bytes + 4 > b.size_bytes ||
	    !value_document(&scope_a, code_a.bytes + code_a.size_bytes, a.size_bytes - 4 - code_a.size_bytes) ||
	    !value_document(&scope_b, code_b.bytes + code_b.size_bytes, b.size_bytes - 4 - code_b.size_bytes))
		return compare_bytes(a.bytes, a.size_bytes, b.bytes, b.size_bytes);
	difference = compare_keys(value_text(code_a), value_text(code_b));
	return difference ? difference : compare_documents(scope_a, scope_b, true, depth);
}

static int compare_timestamps(struct value a, struct value b)
{
	uint64_t x = (uint64_t)value_int64(a), y = (uint64_t)value_int64(b);

	return (x > y) - (x < y);
}

static int compare_levels(struct value a, struct value b, int depth)
{
	int rank = value_canonical_type(a.type), difference = order(rank, value_canonical_type(b.type));

	if (difference)
		return difference;
	if (depth > VALUE_DEPTH_LIMIT + 1)
		return compare_bytes(a.bytes, a.size_bytes, b.bytes, b.size_bytes);
	switch (a.type) {
	case BSON_TYPE_DOUBLE: case BSON_TYPE_INT32: case BSON_TYPE_INT64: case BSON_TYPE_DECIMAL128:
		return value_compare_numbers(a, b);
	case BSON_TYPE_UTF8: case BSON_TYPE_SYMBOL: case BSON_TYPE_CODE:
		return compare_keys(value_text(a), value_text(b));
	case BSON_TYPE_DOCUMENT: return compare_documents(a, b, true, depth);
	case BSON_TYPE_ARRAY: return compare_documents(a, b, false, depth);
	case BSON_TYPE_BINARY: return compare_binary(a, b);
	case BSON_TYPE_OID: return memcmp(a.bytes, b.bytes, 12);
	case BSON_TYPE_BOOL: return value_bool(a) - value_bool(b);
	case BSON_TYPE_DATE_TIME: return order(value_int64(a), value_int64(b));
	case BSON_TYPE_TIMESTAMP: return compare_timestamps(a, b);
	case BSON_TYPE_REGEX: return compare_regexes(a, b);
	case BSON_TYPE_DBPOINTER: return compare_bytes(a.bytes, a.size_bytes, b.bytes, b.size_bytes);
	case BSON_TYPE_CODEWSCOPE: return compare_scoped_code(a, b, depth);
	default: return 0; /* null, MinKey, MaxKey, missing and undefined have no value */
	}
}

int value_compare(struct value a, struct value b)
{
	return compare_levels(a, b, 0);
}

bool value_equal(struct value a, struct value b)
{
	/* the same bytes are the same value: no need to look inside */
	if (a.type == b.type && a.size_bytes == b.size_bytes && (!a.size_bytes || !memcmp(a.bytes, b.bytes, a.size_bytes)))
		return true;
	return value_compare(a, b) == 0;
}

/* Eight bytes at a time; the end of value_hash lets low bits depend on all. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t word;

	for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	for (; size; size--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_number(uint64_t hash, struct value v)
{
	/* equal numbers have the same double below them, whatever their type */
	bool exact = true;
	double n;
	int64_t whole;

	if (v.type == BSON_TYPE_DECIMAL128)
		n = decimal_to_double_rounded(value_decimal(v), DECIMAL_DOWN, &exact);
	else if (v.type == BSON_TYPE_DOUBLE)
		n = value_double(v);
	else {
		whole = v.type == BSON_TYPE_INT32 ? value_int32(v) : value_int64(v);
		n = (double)whole;
		if (compare_int64_double(whole, n) < 0)
			n = nextafter(n, -INFINITY);
	}
	if (n == 0)
		n = 0; /* -0 equals 0 */
	if (isnan(n))
		n = NAN;
	return hash_bytes(hash, &n, sizeof n);
}

static uint64_t hash_level(uint64_t hash, struct value v, int depth)
{
	uint8_t rank = (uint8_t)value_canonical_type(v.type);
	struct walk w;
	struct field f;

	hash = hash_bytes(hash, &rank, 1);
	if (value_is_number(v))
		return hash_number(hash, v);
	if ((v.type != BSON_TYPE_DOCUMENT && v.type != BSON_TYPE_ARRAY) || depth > VALUE_DEPTH_LIMIT)
		return v.type == BSON_TYPE_CODEWSCOPE ? hash : hash_bytes(hash, v.bytes, v.size_bytes);
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		if (v.type == BSON_TYPE_DOCUMENT)
			hash = hash_bytes(hash, f.key.bytes, f.key.size_bytes + 1);
		hash = hash_level(hash, f.value, depth + 1);
	}
	return hash_bytes(hash, "", 1);
}

uint64_t value_hash(struct value v)
{
	uint64_t hash = hash_level(UINT64_C(0xcbf29ce484222325), v, 0);

	hash = (hash ^ hash >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 29) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 32;
}
