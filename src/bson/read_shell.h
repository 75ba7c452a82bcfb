/*
 * Private to the reader: what the shells' notation has beyond Extended JSON. Comments, single quotes and back quotes,
 * strings joined by +, names without quotes, trailing commas, hexadecimal numbers, Infinity, NaN, undefined, /regular
 * expressions/, and constructors: ObjectId NumberLong NumberInt NumberDecimal Long Int32 Double Decimal128 ISODate Date
 * Timestamp UUID BinData HexData MD5 Binary Buffer.from MinKey MaxKey RegExp DBRef Code Symbol, with or without `new`.
 */
#ifndef BSONSCOPE_BSON_READ_SHELL_H
#define BSONSCOPE_BSON_READ_SHELL_H

#include "bson/read_wrapper.h"

/* Takes a comment, or in a paste the dots that stand for what was left out. False: there is none. */
bool reader_skip_shell_space(struct reader *r);

/* A string in any quotes, or several joined by +. The white space before it is gone. */
bool reader_shell_string(struct reader *r, struct bytes *out, bson_error_t *error);

/* A field's name: a word, a number or a string. */
bool reader_shell_name(struct reader *r, struct bytes *out, bson_error_t *error);

/* A value that Extended JSON does not know: a word, a constructor, a number in another form, a regular expression. */
bool reader_shell_value(struct reader *r, struct writer *w, struct key key, bson_error_t *error);

/* In a paste, after '[': what consoles print for a value that they leave out, as "Object]". */
bool reader_skip_left_out(struct reader *r);

#endif
