/*
 * JSON text looked at where it lies: a field after the other, values as pieces of the text. For logs, of which most
 * is skipped; what is needed of a line is then read properly. Nothing here is checked beyond brackets and quotes.
 */
#ifndef BSONSCOPE_BSON_SKIM_H
#define BSONSCOPE_BSON_SKIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const char *text; /* null: there is none */
	size_t size_bytes;
};

struct skim {
	const char *at, *end;
	bool array;
};

struct skim_field {
	struct span name; /* without its quotes, escapes as they are; empty in an array */
	struct span value; /* with its quotes or brackets */
};

/* Goes into the document or array at the beginning of the piece. False: it is none. */
bool skim_enter(struct skim *s, struct span value);

/* The next field; false at the end, or where the text is broken or cut off. */
bool skim_next(struct skim *s, struct skim_field *f);

/* The value of a field of a document; a null text when there is none. */
struct span skim_get(struct span document, const char *name);

bool span_equals(struct span s, const char *text); /* of one that is there */

/* Most differ in their first byte: that is seen without a call. */
static inline bool span_is(struct span s, const char *text)
{
	return s.text && (!s.size_bytes || *s.text == *text) && span_equals(s, text);
}

/* A string's bytes between its quotes, with escapes as they are; a null text when it is no string. */
struct span skim_string(struct span value);

/* A whole number, also as {"$numberLong": "…"}; a double without a fraction is one. */
bool skim_integer(struct span value, int64_t *n);

#endif
