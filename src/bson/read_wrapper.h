/* Private to the reader: its lexer, and the type wrappers of Extended JSON ({"$oid": …}) as a table. */
#ifndef BSONSCOPE_BSON_READ_WRAPPER_H
#define BSONSCOPE_BSON_READ_WRAPPER_H

#include "bson/read.h"
#include "bson/writer.h"

struct read_wrapper {
	const char *name;

	/* From after the ':' to before the closing '}'; writes one value under `key`. */
	bool (*read)(struct reader *r, struct writer *w, struct key key, bson_error_t *error);
};

/* Null: an ordinary field name. */
const struct read_wrapper *read_wrapper_find(const char *name);

/* The lexer. Each skips white space first; false with the error set. */
bool reader_take(struct reader *r, char c, bson_error_t *error);
bool reader_next_is(struct reader *r, char c); /* takes it when it is there */
bool reader_string(struct reader *r, struct bytes *out, bson_error_t *error);
bool reader_name(struct reader *r, struct bytes *out, bson_error_t *error);
bool reader_value(struct reader *r, struct writer *w, struct key key, bson_error_t *error);
bool reader_expected(struct reader *r, const char *what, bson_error_t *error);
bool reader_fail_at(struct reader *r, const char *at, const char *what, bson_error_t *error);

/* Length, bytes, NUL: the payload of a text type. */
void writer_text_bytes(struct writer *w, struct key key, uint8_t type, const struct bytes *text);

#endif
