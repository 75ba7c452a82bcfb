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
bool reader_escape(struct reader *r, struct bytes *out, bson_error_t *error); /* after the backslash */
bool reader_number(struct reader *r, struct writer *w, struct key key, bson_error_t *error);
bool reader_word(struct reader *r, struct writer *w, struct key key, bson_error_t *error); /* true, false, null */
void reader_count_line(struct reader *r); /* the line ends at r->at */
void reader_go_back(struct reader *r, const char *at); /* to where it has been, and to that line */

/* Int32 when it fits, else int64. */
void reader_write_integer(struct writer *w, struct key key, int64_t n);
void reader_write_double(struct writer *w, struct key key, double n);

/* False when one of them holds a zero byte; `r` may be null. */
bool reader_write_regex(struct reader *r, struct writer *w, struct key key, const struct bytes *pattern,
                        const struct bytes *options, bson_error_t *error);

/* Values of types that the wrappers and the shells' constructors share. */
void writer_text_bytes(struct writer *w, struct key key, uint8_t type, const struct bytes *text);
void writer_binary(struct writer *w, struct key key, uint8_t subtype, const struct bytes *data);
void writer_date(struct writer *w, struct key key, int64_t millis);
bool read_parse_hex(const char *text, uint8_t *out, size_t size_bytes); /* just 2 digits a byte */
bool read_parse_base64(const struct bytes *text, struct bytes *out);
bool read_parse_uuid(const char *text, uint8_t id[16]);

/* 2026-06-30T08:12:00[.123](Z|+02:00|+0200). */
bool read_parse_date(const char *text, int64_t *millis);

#endif
