/*
 * A borrowed view of one BSON value: its type and its payload exactly as it lies in a document. Nothing is decoded or
 * copied to look at it, so deprecated types, duplicate keys and invalid UTF-8 pass through unharmed. Values that are
 * computed are written as BSON payloads into an arena and are the same kind of view.
 *
 * Ownership: a value never owns; it is good as long as the bytes it points at.
 */
#ifndef BSONSCOPE_BSON_VALUE_H
#define BSONSCOPE_BSON_VALUE_H

#include <bson/bson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* MongoDB's "missing" (EOO): no value at all, which is not null. The types are libbson's bson_type_t. */
#define VALUE_MISSING BSON_TYPE_EOD

/* MongoDB stores at most this many levels; reading, printing and walking stop here. */
enum { VALUE_DEPTH_LIMIT = 250 };
#define VALUE_TOO_DEEP "nested deeper than 250 levels"

struct value {
	const uint8_t *bytes; /* the payload; unaligned */
	uint32_t size_bytes;  /* of the payload */
	uint8_t type;
};

struct key {
	const char *bytes; /* not necessarily UTF-8, not necessarily terminated */
	uint32_t size_bytes;
};

struct field {
	struct key key;
	struct value value;
};

/* A walk over the fields of a document or array, checked against its bounds. */
struct walk {
	const uint8_t *start, *at, *end;
	const char *broken; /* why the walk stopped early; null when the document was whole */
};

/* `document` must be a document or array value. */
void walk_begin(struct walk *w, struct value document);
bool walk_next(struct walk *w, struct field *field);

struct key key_of(const char *text);
bool key_equal(struct key a, struct key b);
bool key_is(struct key k, const char *text);

/*
 * Views. value_document takes the bytes of a whole document and returns false when the length does not fit `available`
 * or the terminator is missing; its inside is checked by the walk. value_from_bson borrows a bson_t.
 */
bool value_document(struct value *out, const uint8_t *bytes, size_t available);
struct value value_from_bson(const bson_t *document);

/* A static bson_t over a document value: borrowed, not to be changed. */
bool value_to_bson(bson_t *out, struct value document);
struct value value_missing(void);
struct value value_empty_document(void); /* {} */
struct value value_null(void);

/* First field of that name; missing when there is none. One level: dots are part of the name. */
struct value value_get(struct value document, const char *name);
struct value value_get_key(struct value document, struct key key);

/* Number of fields of a document, of elements of an array. */
uint32_t value_count(struct value document);

/* Every level, every length and terminator; false with the reason (VALUE_TOO_DEEP is one) and the offset from the document's start. */
bool value_check(struct value document, const char **reason, size_t *offset_bytes);

/* Reading. The caller has looked at the type. */
int32_t value_int32(struct value v);
int64_t value_int64(struct value v);  /* INT64, DATE_TIME, TIMESTAMP */
double value_double(struct value v);
bool value_bool(struct value v);
bson_decimal128_t value_decimal(struct value v);
struct key value_text(struct value v); /* UTF8, CODE, SYMBOL: without length and terminator */
const uint8_t *value_binary(struct value v, uint8_t *subtype, uint32_t *size_bytes);
void value_regex(struct value v, struct key *pattern, struct key *options);

bool value_is_number(struct value v);
bool value_is_document(struct value v); /* an embedded document, not an array */
bool value_is_array(struct value v);
bool value_is_missing(struct value v);
bool value_is_nullish(struct value v); /* null, undefined or missing */

/* As MongoDB coerces to a boolean in expressions: false, 0, null, undefined and missing are false. */
bool value_is_true(struct value v);

/* A number as int64 when it is whole and fits (of any numeric type); false otherwise. */
bool value_as_int64(struct value v, int64_t *out);

/* A number of any type as double; nearest. The value is 0 for what is not a number. */
double value_as_double(struct value v);

/* "int", "objectId", …: the alias that $type returns; "missing" for missing. */
const char *value_type_name(uint8_t type);

/* Making: the payload is written into the arena. Texts are copied. */
struct value value_make_int32(struct arena *a, int32_t n);
struct value value_make_int64(struct arena *a, int64_t n);
struct value value_make_double(struct arena *a, double n);
struct value value_make_decimal(struct arena *a, bson_decimal128_t n);
struct value value_make_bool(bool b);
struct value value_make_date(struct arena *a, int64_t millis);
struct value value_make_text(struct arena *a, const char *text, size_t size_bytes);
struct value value_make_copy(struct arena *a, struct value v);

#endif
