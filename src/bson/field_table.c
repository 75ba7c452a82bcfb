#include "bson/field_table.h"

#include <string.h>

/* Names of one document differ in their length or in one of these bytes, most of them. */
static size_t slot_of(struct key name)
{
	const uint8_t *bytes = (const uint8_t *)name.bytes;
	uint32_t size = name.size_bytes;

	return size ? (size * 31 + bytes[0] * 7 + bytes[size / 2] * 5 + bytes[size - 1]) % FIELD_TABLE_SLOTS : 0;
}

void field_table_init(struct field_table *t, struct value document)
{
	struct walk w;

	t->document = document;
	t->count = 0;
	t->whole = true;
	memset(t->slots, 0, sizeof t->slots);
	if (!value_is_document(document) && !value_is_array(document))
		return;
	for (walk_begin(&w, document); t->count < FIELD_TABLE_LIMIT && walk_next(&w, &t->fields[t->count]);) {
		size_t slot = slot_of(t->fields[t->count].key);

		while (t->slots[slot])
			slot = (slot + 1) % FIELD_TABLE_SLOTS;
		t->slots[slot] = (uint8_t)++t->count;
	}
	t->whole = t->count < FIELD_TABLE_LIMIT;
}

struct value field_table_get(const struct field_table *t, const char *name)
{
	struct key key = key_of(name);

	if (!t->whole)
		return value_get_key(t->document, key);
	for (size_t slot = slot_of(key); t->slots[slot]; slot = (slot + 1) % FIELD_TABLE_SLOTS) {
		const struct field *f = &t->fields[t->slots[slot] - 1];

		if (key_equal(f->key, key))
			return f->value;
	}
	return value_missing();
}
