#include "plan/log_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SLOTS_AT_FIRST = 1024 };

struct log_shape_entry {
	uint64_t hash;
	struct bytes key; /* operation, namespace and shape as in the log */
	struct log_tally tally;
};

void log_shapes_clear(struct log_shapes *s)
{
	for (size_t i = 0; i < s->count; i++) {
		bytes_clear(&s->entries[i]->key);
		log_tally_clear(&s->entries[i]->tally);
		free(s->entries[i]);
	}
	free(s->entries);
	free(s->slots);
	bytes_clear(&s->key);
	*s = (struct log_shapes){ .key = BYTES_INIT };
}

static uint64_t hash_of(struct bytes key)
{
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < key.size; i++)
		h = (h ^ key.data[i]) * 1099511628211u;
	return h;
}

static void place(struct log_shapes *s, size_t index)
{
	size_t slot = s->entries[index]->hash & (s->slot_count - 1);

	while (s->slots[slot])
		slot = (slot + 1) & (s->slot_count - 1);
	s->slots[slot] = (uint32_t)index + 1;
}

static void widen(struct log_shapes *s)
{
	free(s->slots);
	s->slot_count = s->slot_count ? 2 * s->slot_count : SLOTS_AT_FIRST;
	s->slots = memory_allocate_zeroed(s->slot_count, sizeof *s->slots);
	for (size_t i = 0; i < s->count; i++)
		place(s, i);
}

static struct log_shape_entry *lookup(struct log_shapes *s, uint64_t hash)
{
	if (!s->slot_count)
		return NULL;
	for (size_t slot = hash & (s->slot_count - 1); s->slots[slot]; slot = (slot + 1) & (s->slot_count - 1)) {
		struct log_shape_entry *e = s->entries[s->slots[slot] - 1];

		if (e->hash == hash && e->key.size == s->key.size && !memcmp(e->key.data, s->key.data, s->key.size))
			return e;
	}
	return NULL;
}

static void append_part(struct bytes *key, struct span part)
{
	if (part.text)
		bytes_append(key, part.text, part.size_bytes);
	bytes_append_byte(key, 0);
}

static struct log_shape_entry *new_entry(struct log_shapes *s, uint64_t hash)
{
	struct log_shape_entry *e = memory_allocate_zeroed(1, sizeof *e);

	e->hash = hash;
	bytes_append(&e->key, s->key.data, s->key.size);
	s->shape_bytes += e->key.size;
	if (2 * (s->count + 1) > s->slot_count)
		widen(s);
	s->entries = memory_grow(s->entries, &s->capacity, s->count + 1, sizeof *s->entries);
	s->entries[s->count++] = e;
	place(s, s->count - 1);
	return e;
}

struct log_tally *log_shapes_tally(struct log_shapes *s, struct span operation, struct span namespace_text, struct span shape)
{
	static const struct span others = { "(other shapes)", 14 }, none = { NULL, 0 };
	struct log_shape_entry *e;
	uint64_t hash;

	bytes_reset(&s->key);
	append_part(&s->key, operation);
	append_part(&s->key, namespace_text);
	bytes_append(&s->key, shape.text, shape.size_bytes);
	hash = hash_of(s->key);
	e = lookup(s, hash);
	if (e)
		return &e->tally;
	if (s->count >= LOG_SHAPE_LIMIT || s->shape_bytes > LOG_SHAPE_LIMIT_BYTES) {
		bytes_reset(&s->key);
		append_part(&s->key, others);
		hash = hash_of(s->key);
		e = lookup(s, hash);
		if (e)
			return &e->tally;
		operation = others;
		namespace_text = shape = none;
	}
	e = new_entry(s, hash);
	log_tally_init(&e->tally, operation, namespace_text, shape);
	return &e->tally;
}

struct log_tally *log_shapes_at(const struct log_shapes *s, size_t index)
{
	return &s->entries[index]->tally;
}
