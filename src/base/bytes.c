#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FEWEST_BYTES = 64 };

void bytes_init(struct bytes *b)
{
	*b = (struct bytes)BYTES_INIT;
}

void bytes_clear(struct bytes *b)
{
	free(b->data);
	bytes_init(b);
}

void bytes_reset(struct bytes *b)
{
	b->size = 0;
}

void bytes_reserve(struct bytes *b, size_t more)
{
	size_t needed = b->size + more;

	if (needed > b->capacity)
		b->data = memory_grow(b->data, &b->capacity, needed < FEWEST_BYTES ? FEWEST_BYTES : needed, 1);
}

void bytes_append(struct bytes *b, const void *source, size_t size)
{
	if (!size)
		return;
	bytes_reserve(b, size);
	memcpy(b->data + b->size, source, size);
	b->size += size;
}

void bytes_append_byte(struct bytes *b, uint8_t byte)
{
	if (b->size == b->capacity)
		bytes_reserve(b, 1);
	b->data[b->size++] = byte;
}

void bytes_append_text(struct bytes *b, const char *text)
{
	bytes_append(b, text, strlen(text));
}

void bytes_format_v(struct bytes *b, const char *format, va_list arguments)
{
	va_list again;
	size_t spare;
	int length;

	bytes_reserve(b, FEWEST_BYTES);
	spare = b->capacity - b->size;
	va_copy(again, arguments);
	length = vsnprintf((char *)b->data + b->size, spare, format, arguments);
	if (length > 0 && (size_t)length >= spare) {
		bytes_reserve(b, (size_t)length + 1);
		vsnprintf((char *)b->data + b->size, (size_t)length + 1, format, again);
	}
	if (length > 0)
		b->size += (size_t)length;
	va_end(again);
}

void bytes_format(struct bytes *b, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	bytes_format_v(b, format, arguments);
	va_end(arguments);
}

const char *bytes_text(struct bytes *b)
{
	bytes_reserve(b, 1);
	b->data[b->size] = 0;
	return (const char *)b->data;
}

char *bytes_take_text(struct bytes *b)
{
	char *text = (char *)(uintptr_t)bytes_text(b);

	bytes_init(b);
	return text;
}
