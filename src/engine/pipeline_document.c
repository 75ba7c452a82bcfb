#include "engine/pipeline_document.h"

#include <string.h>

#include "bson/print.h"

static void append_element(struct bytes *out, struct key key, struct value v)
{
	bytes_append_byte(out, v.type);
	bytes_append(out, key.bytes, key.size_bytes);
	bytes_append_byte(out, 0);
	bytes_append(out, v.bytes, v.size_bytes);
}

static void set_level(struct bytes *out, struct value document, const struct path *path, size_t level, struct value v);

static void set_here(struct bytes *out, struct value old, const struct path *path, size_t level, struct value v)
{
	static const uint8_t nothing[5] = { 5, 0, 0, 0, 0 };
	struct key key = path->keys[level];

	if (level + 1 == path->count) {
		if (!value_is_missing(v))
			append_element(out, key, v);
		return;
	}
	if (!value_is_document(old))
		old = (struct value){ nothing, sizeof nothing, BSON_TYPE_DOCUMENT };
	bytes_append_byte(out, BSON_TYPE_DOCUMENT);
	bytes_append(out, key.bytes, key.size_bytes);
	bytes_append_byte(out, 0);
	set_level(out, old, path, level + 1, v);
}

static void set_level(struct bytes *out, struct value document, const struct path *path, size_t level, struct value v)
{
	static const uint8_t room[4] = { 0 };
	size_t start = out->size;
	const uint8_t *from = document.bytes + 4, *end = document.bytes + document.size_bytes - 1;
	struct walk w;
	struct field f;
	bool found = false;
	uint32_t size;

	bytes_append(out, room, sizeof room);
	walk_begin(&w, document);
	for (const uint8_t *element = w.at; walk_next(&w, &f); element = w.at) {
		if (!key_equal(f.key, path->keys[level]))
			continue;
		bytes_append(out, from, (size_t)(element - from));
		set_here(out, f.value, path, level, v);
		from = w.at;
		found = true;
		break;
	}
	bytes_append(out, from, (size_t)(end - from));
	if (!found)
		set_here(out, value_missing(), path, level, v);
	bytes_append_byte(out, 0);
	size = BSON_UINT32_TO_LE((uint32_t)(out->size - start));
	memcpy(out->data + start, &size, sizeof size);
}

struct value document_set(struct bytes *out, struct value document, const struct path *path, struct value v)
{
	size_t start = out->size;

	set_level(out, document, path, 0, v);
	return (struct value){ out->data + start, (uint32_t)(out->size - start), BSON_TYPE_DOCUMENT };
}

enum { QUOTED_BYTES = 400 };

/* Documents and arrays without the spaces that BSON is printed with. */
static void append_text(struct bytes *text, struct value v, int depth)
{
	struct walk w;
	struct field f;
	bool array = value_is_array(v), first = true;

	if (depth > VALUE_DEPTH_LIMIT || !(array || value_is_document(v))) {
		print_line(text, v, PRINT_SERVER);
		return;
	}
	bytes_append_byte(text, array ? '[' : '{');
	for (walk_begin(&w, v); text->size < QUOTED_BYTES && walk_next(&w, &f); first = false) {
		if (!first)
			bytes_append_text(text, ", ");
		if (!array) {
			print_text(text, f.key.bytes, f.key.size_bytes);
			bytes_append_text(text, ": ");
		}
		append_text(text, f.value, depth + 1);
	}
	bytes_append_byte(text, array ? ']' : '}');
}

char *value_text_of(struct value v)
{
	struct bytes text = BYTES_INIT;

	if (value_is_missing(v))
		bytes_append_text(&text, "MISSING");
	else
		append_text(&text, v, 0);
	return bytes_take_text(&text);
}

char *element_text(const char *name, struct value v)
{
	struct bytes text = BYTES_INIT;

	bytes_append_text(&text, name);
	bytes_append_text(&text, ": ");
	print_value(&text, v, &(struct print_options){ .form = PRINT_SERVER, .limit_bytes = QUOTED_BYTES });
	return bytes_take_text(&text);
}
