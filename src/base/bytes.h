/* A growing run of bytes; also the text builder. The struct owns `data`; what it held is freed by bytes_clear. */
#ifndef BSONSCOPE_BASE_BYTES_H
#define BSONSCOPE_BASE_BYTES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *data;
	size_t size;
	size_t capacity;
};

#define BYTES_INIT { NULL, 0, 0 }

void bytes_init(struct bytes *b);
void bytes_clear(struct bytes *b);

/* Forgets the contents and keeps the memory. */
void bytes_reset(struct bytes *b);
void bytes_reserve(struct bytes *b, size_t more);
void bytes_append(struct bytes *b, const void *source, size_t size);
void bytes_append_byte(struct bytes *b, uint8_t byte);
void bytes_append_text(struct bytes *b, const char *text);
void bytes_format(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bytes_format_v(struct bytes *b, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* The contents as a C string: valid until the next change. Never null. */
const char *bytes_text(struct bytes *b);

/* Gives the contents, NUL-terminated, to the caller (free()) and leaves `b` empty. */
char *bytes_take_text(struct bytes *b);

#endif
