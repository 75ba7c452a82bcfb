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

char *value_text_of(struct value v)
{
	struct bytes text = BYTES_INIT;

	if (value_is_missing(v))
		bytes_append_text(&text, "MISSING");
	else
		print_value(&text, v, &(struct print_options){ .form = PRINT_SERVER, .limit_bytes = 400 });
	return bytes_take_text(&text);
}

char *element_text(const char *name, struct value v)
{
	struct bytes text = BYTES_INIT;

	bytes_append_text(&text, name);
	bytes_append_text(&text, ": ");
	print_value(&text, v, &(struct print_options){ .form = PRINT_SERVER, .limit_bytes = 400 });
	return bytes_take_text(&text);
}
