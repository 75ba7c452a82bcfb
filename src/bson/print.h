/*
 * BSON to text. Ours, because libbson stops at 250 levels by cutting and returns nothing on invalid UTF-8. Text made
 * here is safe for a terminal: control bytes are escaped (\u001b), invalid UTF-8 is marked as \xNN (in double quotes
 * as \\xNN, so that JSON stays JSON).
 */
#ifndef BSONSCOPE_BSON_PRINT_H
#define BSONSCOPE_BSON_PRINT_H

#include "base/bytes.h"
#include "bson/value.h"

enum print_form {
	PRINT_RELAXED,   /* Extended JSON v2, relaxed */
	PRINT_CANONICAL, /* Extended JSON v2, canonical */
	PRINT_SHELL,     /* as mongosh: { _id: ObjectId('…'), price: Decimal128('9.50') } */
	PRINT_SERVER     /* as the server's own messages and index bounds: { _id: "K-1", at: new Date(0), n: inf.0 } */
};

struct print_options {
	enum print_form form;
	int indent;            /* spaces a level; 0: one line */
	size_t limit_bytes;    /* stop with "…" after about this much; 0: no limit */
};

/* Appends to `out`. Levels beyond 250, and 6 of a reply around them, are printed as "…" ({"$deeper": "…"} in JSON forms). */
void print_value(struct bytes *out, struct value v, const struct print_options *options);

/* One line in that form. */
void print_line(struct bytes *out, struct value v, enum print_form form);

/* Any bytes as printable text: what data may put on a screen or into an error. */
void print_text(struct bytes *out, const char *text, size_t size_bytes);

#endif
