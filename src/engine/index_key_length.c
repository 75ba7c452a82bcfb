/* Walks over one encoded value: the mirror image of index_key.c, which says how values are encoded. */
#include <string.h>

#include "bson/compare.h"
#include "engine/index_key.h"

/* A position in an encoding. `mask` undoes the inversion of descending fields; past the end it reads the END byte. */
struct cursor {
	const uint8_t *at, *end;
	uint8_t mask;
};

static uint8_t next_byte(struct cursor *c)
{
	return c->at < c->end ? *c->at++ ^ c->mask : 0;
}

static void skip(struct cursor *c, size_t size)
{
	c->at += size < (size_t)(c->end - c->at) ? size : (size_t)(c->end - c->at);
}

static bool is_type(uint8_t byte, uint8_t type)
{
	int encoded = 2 * value_canonical_type(type) + 2;

	return byte == (encoded > 250 ? 250 : encoded);
}

static void skip_text(struct cursor *c)
{
	while (next_byte(c))
		;
}

/*
 * The double, then a flag; a number between two doubles goes on with two bytes and a text, inverted once more below
 * zero.
 */
static void skip_number(struct cursor *c)
{
	bool negative = !((c->at < c->end ? *c->at ^ c->mask : 0) & 0x80);

	skip(c, 8);
	if (!next_byte(c))
		return;
	skip(c, 2);
	c->mask ^= negative ? 0xff : 0;
	skip_text(c);
	c->mask ^= negative ? 0xff : 0;
}

static void skip_binary(struct cursor *c)
{
	size_t size = 0;

	for (int i = 0; i < 4; i++)
		size = size << 8 | next_byte(c);
	skip(c, 1);
	skip(c, size);
}

static void skip_payload(struct cursor *c, uint8_t type, int depth);

static void skip_fields(struct cursor *c, bool names, int depth)
{
	uint8_t type;

	while ((type = next_byte(c))) {
		if (names)
			skip_text(c);
		skip_payload(c, type, depth + 1);
	}
}

static void skip_payload(struct cursor *c, uint8_t type, int depth)
{
	if (depth > VALUE_DEPTH_LIMIT + 1) {
		skip_text(c);
	} else if (is_type(type, BSON_TYPE_INT32)) {
		skip_number(c);
	} else if (is_type(type, BSON_TYPE_UTF8) || is_type(type, BSON_TYPE_CODE) ||
	           is_type(type, BSON_TYPE_DBPOINTER)) {
		skip_text(c);
	} else if (is_type(type, BSON_TYPE_DOCUMENT)) {
		skip_fields(c, true, depth);
	} else if (is_type(type, BSON_TYPE_ARRAY)) {
		skip_fields(c, false, depth);
	} else if (is_type(type, BSON_TYPE_BINARY)) {
		skip_binary(c);
	} else if (is_type(type, BSON_TYPE_OID)) {
		skip(c, 12);
	} else if (is_type(type, BSON_TYPE_BOOL)) {
		skip(c, 1);
	} else if (is_type(type, BSON_TYPE_DATE_TIME) || is_type(type, BSON_TYPE_TIMESTAMP)) {
		skip(c, 8);
	} else if (is_type(type, BSON_TYPE_REGEX)) {
		skip_text(c);
		skip_text(c);
	} else if (is_type(type, BSON_TYPE_CODEWSCOPE)) {
		skip_text(c);
		skip_fields(c, true, depth);
	}
}

size_t index_key_length(const uint8_t *key, size_t size, bool descending)
{
	struct cursor c = { key, key + size, descending ? 0xff : 0 };
	uint8_t type = next_byte(&c);

	skip_payload(&c, type, 0);
	return (size_t)(c.at - key);
}
