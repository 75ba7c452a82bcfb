#include "bson/writer.h"

#include <assert.h>
#include <string.h>

static void push(struct writer *w, bool array)
{
	static const uint8_t room[4] = { 0 };

	assert(w->depth < WRITER_DEPTH);
	w->frames[w->depth++] = (struct writer_frame){ w->out->size, array, 0 };
	bytes_append(w->out, room, 4);
}

static void append_number(struct bytes *out, uint32_t n)
{
	char digits[10];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	bytes_append(out, digits + at, sizeof digits - at);
}

static void key_and_type(struct writer *w, struct key key, uint8_t type)
{
	struct writer_frame *frame = &w->frames[w->depth - 1];

	bytes_append_byte(w->out, type);
	if (frame->array) {
		append_number(w->out, frame->next_index++);
	} else {
		bytes_append(w->out, key.bytes, key.size_bytes);
	}
	bytes_append_byte(w->out, 0);
}

void writer_begin(struct writer *w, struct bytes *out)
{
	w->out = out;
	w->depth = 0;
	push(w, false);
}

void writer_end(struct writer *w)
{
	uint32_t size;

	assert(w->depth > 0);
	bytes_append_byte(w->out, 0);
	w->depth--;
	size = BSON_UINT32_TO_LE((uint32_t)(w->out->size - w->frames[w->depth].start));
	memcpy(w->out->data + w->frames[w->depth].start, &size, 4);
}

struct value writer_finish(struct writer *w)
{
	size_t start = w->frames[0].start;

	assert(w->depth == 1);
	writer_end(w);
	return (struct value){ w->out->data + start, (uint32_t)(w->out->size - start), BSON_TYPE_DOCUMENT };
}

void writer_raw(struct writer *w, struct key key, uint8_t type, const void *payload, size_t size_bytes)
{
	key_and_type(w, key, type);
	bytes_append(w->out, payload, size_bytes);
}

void writer_value(struct writer *w, struct key key, struct value v)
{
	if (v.type != VALUE_MISSING)
		writer_raw(w, key, v.type, v.bytes, v.size_bytes);
}

void writer_begin_document(struct writer *w, struct key key)
{
	key_and_type(w, key, BSON_TYPE_DOCUMENT);
	push(w, false);
}

void writer_begin_array(struct writer *w, struct key key)
{
	key_and_type(w, key, BSON_TYPE_ARRAY);
	push(w, true);
}

void writer_text(struct writer *w, const char *name, const char *text)
{
	uint32_t size = BSON_UINT32_TO_LE((uint32_t)strlen(text) + 1);

	writer_raw(w, key_of(name), BSON_TYPE_UTF8, &size, 4);
	bytes_append(w->out, text, strlen(text) + 1);
}

void writer_int32(struct writer *w, const char *name, int32_t n)
{
	uint32_t little = BSON_UINT32_TO_LE((uint32_t)n);

	writer_raw(w, key_of(name), BSON_TYPE_INT32, &little, 4);
}

void writer_int64(struct writer *w, const char *name, int64_t n)
{
	uint64_t little = BSON_UINT64_TO_LE((uint64_t)n);

	writer_raw(w, key_of(name), BSON_TYPE_INT64, &little, 8);
}

void writer_number(struct writer *w, const char *name, int64_t n)
{
	if (n >= INT32_MIN && n <= INT32_MAX)
		writer_int32(w, name, (int32_t)n);
	else
		writer_int64(w, name, n);
}

void writer_double(struct writer *w, const char *name, double n)
{
	uint64_t bits;

	memcpy(&bits, &n, sizeof bits);
	bits = BSON_UINT64_TO_LE(bits);
	writer_raw(w, key_of(name), BSON_TYPE_DOUBLE, &bits, 8);
}

void writer_bool(struct writer *w, const char *name, bool b)
{
	uint8_t byte = b;

	writer_raw(w, key_of(name), BSON_TYPE_BOOL, &byte, 1);
}

void writer_null(struct writer *w, const char *name)
{
	writer_raw(w, key_of(name), BSON_TYPE_NULL, NULL, 0);
}

void writer_put(struct writer *w, const char *name, struct value v)
{
	writer_value(w, key_of(name), v);
}

void writer_fields(struct writer *w, struct value document)
{
	struct walk walk;
	struct field f;

	walk_begin(&walk, document);
	while (walk_next(&walk, &f))
		writer_value(w, f.key, f.value);
}

void writer_key_text(struct writer *w, const char *name, struct key text)
{
	uint32_t size = BSON_UINT32_TO_LE(text.size_bytes + 1);

	writer_raw(w, key_of(name), BSON_TYPE_UTF8, &size, 4);
	bytes_append(w->out, text.bytes, text.size_bytes);
	bytes_append_byte(w->out, 0);
}

void writer_documents(struct writer *w, const char *name, const struct bytes *documents)
{
	struct value v;

	writer_begin_array(w, key_of(name));
	for (size_t at = 0; value_document(&v, documents->data + at, documents->size - at); at += v.size_bytes)
		writer_value(w, key_of(""), v);
	writer_end(w);
}
