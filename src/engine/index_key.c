#include "engine/index_key.h"

#include <math.h>
#include <string.h>

#include "bson/compare.h"
#include "bson/decimal.h"

/*
 * An encoding is a type byte and a payload, and no encoding is the beginning of another: so keys of several fields are
 * concatenated, and inverting every byte gives the descending order. Type bytes are even; odd ones are bounds of types.
 */
enum {
	END = 0,               /* of a text, of a document; below every type byte and every escaped byte */
	ESCAPE = 1,            /* before the bytes 0 and 1 of a text, which follow as 1 and 2 */
	NUMBER_IS_DOUBLE = 0,  /* after the double: the number is it */
	NUMBER_IS_ABOVE = 1,   /* the number lies between it and the next double; its digits follow */
	MAX_DIGITS = 40
};

static uint8_t type_byte(int rank)
{
	int byte = 2 * rank + 2;

	return (uint8_t)(byte > 250 ? 250 : byte);
}

static void invert_from(struct bytes *key, size_t start)
{
	for (size_t i = start; i < key->size; i++)
		key->data[i] = (uint8_t)~key->data[i];
}

static void append_big_endian(struct bytes *key, uint64_t n, int size_bytes)
{
	bytes_reserve(key, (size_t)size_bytes);
	for (int shift = 8 * (size_bytes - 1); shift >= 0; shift -= 8)
		key->data[key->size++] = (uint8_t)(n >> shift);
}

static void append_escaped(struct bytes *key, const uint8_t *text, size_t size)
{
	uint8_t *at;

	bytes_reserve(key, 2 * size + 1);
	at = key->data + key->size;
	for (size_t i = 0; i < size; i++) {
		if (text[i] <= ESCAPE) {
			*at++ = ESCAPE;
			*at++ = (uint8_t)(text[i] + 1);
		} else {
			*at++ = text[i];
		}
	}
	*at++ = END;
	key->size = (size_t)(at - key->data);
}

static void append_text(struct bytes *key, struct key text)
{
	append_escaped(key, (const uint8_t *)text.bytes, text.size_bytes);
}

/* A double's bits so that unsigned order is numeric order; NaN below -Infinity, -0 as 0. */
static uint64_t ordered_bits(double n)
{
	uint64_t bits;

	if (isnan(n))
		return 0;
	if (n == 0)
		n = 0;
	memcpy(&bits, &n, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/*
 * The size of a number without its sign: the place of its first digit, then its digits in pairs (each 1 to 100) without
 * trailing zeros, then END.
 */
static void append_magnitude(struct bytes *key, const uint8_t *digits, int count, int exponent)
{
	enum { EXPONENT_BIAS = 8192 };
	int first = 0;

	while (first < count && !digits[first])
		first++;
	append_big_endian(key, (uint64_t)(exponent + count - first + EXPONENT_BIAS), 2);
	while (count > first && !digits[count - 1])
		count--;
	for (int i = first; i < count; i += 2)
		bytes_append_byte(key, (uint8_t)(digits[i] * 10 + (i + 1 < count ? digits[i + 1] : 0) + 1));
	bytes_append_byte(key, END);
}

/* The decimal digits of an integer, most significant first, zero-padded. */
static void split_digits(unsigned __int128 n, uint8_t digits[MAX_DIGITS])
{
	for (int i = MAX_DIGITS - 1; i >= 0; i--) {
		digits[i] = (uint8_t)(n % 10);
		n /= 10;
	}
}

static void append_double(struct bytes *key, double below, bool exact)
{
	uint64_t bits = BSON_UINT64_TO_BE(ordered_bits(below));

	bytes_reserve(key, 9);
	memcpy(key->data + key->size, &bits, 8);
	key->data[key->size + 8] = exact ? NUMBER_IS_DOUBLE : NUMBER_IS_ABOVE;
	key->size += 9;
}

static void append_between_doubles(struct bytes *key, double below, unsigned __int128 magnitude, int exponent)
{
	uint8_t digits[MAX_DIGITS];
	size_t start;

	append_double(key, below, false);
	start = key->size;
	split_digits(magnitude, digits);
	append_magnitude(key, digits, MAX_DIGITS, exponent);
	if (below < 0)
		invert_from(key, start);
}

static void append_int64(struct bytes *key, int64_t n)
{
	double near = (double)n;

	/* a double at 2^63 is above every int64, and cannot be converted back */
	if (near < 9223372036854775808.0 && (int64_t)near == n) {
		append_double(key, near, true);
		return;
	}
	if (near >= 9223372036854775808.0 || (int64_t)near > n)
		near = nextafter(near, -INFINITY);
	append_between_doubles(key, near, n < 0 ? -(unsigned __int128)n : (unsigned __int128)n, 0);
}

static void append_decimal(struct bytes *key, bson_decimal128_t n)
{
	enum { EXPONENT_SHIFT = 49, EXPONENT_MASK = 0x3fff, EXPONENT_ZERO = 6176 };
	bool exact;
	double below;

	if (decimal_is_nan(n)) {
		append_double(key, NAN, true);
		return;
	}
	below = decimal_to_double_rounded(n, DECIMAL_DOWN, &exact);
	if (exact)
		append_double(key, below, true);
	else /* finite and not zero: the coefficient is in its plain form */
		append_between_doubles(key, below,
		                       (unsigned __int128)(n.high & ((UINT64_C(1) << EXPONENT_SHIFT) - 1)) << 64 | n.low,
		                       (int)(n.high >> EXPONENT_SHIFT & EXPONENT_MASK) - EXPONENT_ZERO);
}

static void append_payload(struct bytes *key, struct value v, int depth);

/* Field by field as values are compared: type, then name (arrays have none), then value. */
static void append_fields(struct bytes *key, struct value document, bool names, int depth)
{
	struct walk w;
	struct field f;

	walk_begin(&w, document);
	while (walk_next(&w, &f)) {
		bytes_append_byte(key, type_byte(value_canonical_type(f.value.type)));
		if (names)
			append_text(key, f.key);
		append_payload(key, f.value, depth + 1);
	}
	bytes_append_byte(key, END);
}

static void append_binary(struct bytes *key, struct value v)
{
	uint8_t subtype;
	uint32_t size;
	const uint8_t *data = value_binary(v, &subtype, &size);

	append_big_endian(key, size, 4);
	bytes_append_byte(key, subtype);
	bytes_append(key, data, size);
}

static void append_regex(struct bytes *key, struct value v)
{
	struct key pattern, options;

	value_regex(v, &pattern, &options);
	append_text(key, pattern);
	append_text(key, options);
}

/* Code with scope: total length, code length, code, NUL, scope. */
static void append_scoped_code(struct bytes *key, struct value v, int depth)
{
	struct value code = { v.bytes + 4, 0, BSON_TYPE_CODE }, scope;
	uint32_t size;

	memcpy(&size, v.bytes + 4, sizeof size);
	code.size_bytes = BSON_UINT32_FROM_LE(size) + 4;
	if (code.size_bytes < 5 || code.size_bytes + 4 > v.size_bytes ||
	    !value_document(&scope, code.bytes + code.size_bytes, v.size_bytes - 4 - code.size_bytes)) {
		append_escaped(key, v.bytes, v.size_bytes);
		return;
	}
	append_text(key, value_text(code));
	append_fields(key, scope, true, depth);
}

static void append_payload(struct bytes *key, struct value v, int depth)
{
	if (depth > VALUE_DEPTH_LIMIT + 1) { /* as value_compare does it */
		append_escaped(key, v.bytes, v.size_bytes);
		return;
	}
	switch (v.type) {
	case BSON_TYPE_INT32: append_double(key, value_int32(v), true); break;
	case BSON_TYPE_INT64: append_int64(key, value_int64(v)); break;
	case BSON_TYPE_DOUBLE: append_double(key, value_double(v), true); break;
	case BSON_TYPE_DECIMAL128: append_decimal(key, value_decimal(v)); break;
	case BSON_TYPE_UTF8: case BSON_TYPE_SYMBOL: case BSON_TYPE_CODE: append_text(key, value_text(v)); break;
	case BSON_TYPE_DOCUMENT: append_fields(key, v, true, depth); break;
	case BSON_TYPE_ARRAY: append_fields(key, v, false, depth); break;
	case BSON_TYPE_BINARY: append_binary(key, v); break;
	case BSON_TYPE_OID: bytes_append(key, v.bytes, 12); break;
	case BSON_TYPE_BOOL: bytes_append_byte(key, value_bool(v)); break;
	case BSON_TYPE_DATE_TIME: append_big_endian(key, (uint64_t)value_int64(v) ^ UINT64_C(1) << 63, 8); break;
	case BSON_TYPE_TIMESTAMP: append_big_endian(key, (uint64_t)value_int64(v), 8); break;
	case BSON_TYPE_REGEX: append_regex(key, v); break;
	case BSON_TYPE_DBPOINTER: append_escaped(key, v.bytes, v.size_bytes); break;
	case BSON_TYPE_CODEWSCOPE: append_scoped_code(key, v, depth); break;
	default: break; /* null, undefined, MinKey and MaxKey have no value */
	}
}

void index_key_append(struct bytes *key, struct value v, bool descending)
{
	size_t start = key->size;

	if (value_is_missing(v))
		v = value_null();
	bytes_append_byte(key, type_byte(value_canonical_type(v.type)));
	append_payload(key, v, 0);
	if (descending)
		invert_from(key, start);
}

static void append_bound(struct bytes *key, int byte, bool descending)
{
	bytes_append_byte(key, (uint8_t)(descending ? ~byte : byte));
}

void index_key_append_type_low(struct bytes *key, int rank, bool descending)
{
	append_bound(key, type_byte(rank) - 1, descending);
}

void index_key_append_type_high(struct bytes *key, int rank, bool descending)
{
	append_bound(key, type_byte(rank) + 1, descending);
}
