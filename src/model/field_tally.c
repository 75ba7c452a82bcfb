#include "model/field_tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SLOTS = 4096, ENVELOPE_BYTES = 5 }; /* a document's length and terminator */

int64_t field_parts_sum(const struct field_parts *p)
{
	int64_t sum = 0;

#define X(part) sum += p->part;
	FIELD_PARTS(X)
#undef X
	return sum;
}

static void add_parts(struct field_parts *sum, const struct field_parts *more)
{
#define X(part) sum->part += more->part;
	FIELD_PARTS(X)
#undef X
}

void field_bytes_add(struct field_bytes *sum, const struct field_bytes *more)
{
	sum->count += more->count;
	sum->bytes += more->bytes;
	if (more->largest_bytes > sum->largest_bytes)
		sum->largest_bytes = more->largest_bytes;
	add_parts(&sum->parts, &more->parts);
	for (size_t i = 0; i < FIELD_TYPES; i++)
		sum->types[i] += more->types[i];
}

/* The codes up to 0x13, then those of the greatest and the least key. */
size_t field_type_slot(uint8_t type)
{
	enum { REGULAR = 0x13, MAX_KEY_SLOT, MIN_KEY_SLOT, NO_TYPE };

	if (type && type <= REGULAR)
		return type;
	return type == BSON_TYPE_MAXKEY ? MAX_KEY_SLOT : type == BSON_TYPE_MINKEY ? MIN_KEY_SLOT : NO_TYPE;
}

uint8_t field_type_at(size_t slot)
{
	return slot == 0x14 ? BSON_TYPE_MAXKEY : slot == 0x15 ? BSON_TYPE_MINKEY : slot < 0x14 ? (uint8_t)slot : 0;
}

/* Counting one value */

struct counting {
	struct field_parts parts;
	int depth, deepest;
	bool broken;
};

static void count_value(struct counting *c, struct value v)
{
	bool array = v.type == BSON_TYPE_ARRAY;
	int64_t before = field_parts_sum(&c->parts), *frames = array ? &c->parts.arrays : &c->parts.frames;
	int64_t *names = array ? &c->parts.arrays : &c->parts.names;
	struct walk w;
	struct field f;

	if ((v.type != BSON_TYPE_DOCUMENT && !array) || c->depth == VALUE_DEPTH_LIMIT || v.size_bytes < ENVELOPE_BYTES) {
		c->parts.values += v.size_bytes;
		return;
	}
	if (++c->depth > c->deepest)
		c->deepest = c->depth;
	*frames += ENVELOPE_BYTES;
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		*frames += 1;
		*names += f.key.size_bytes + 1;
		count_value(c, f.value);
	}
	c->depth--;
	if (w.broken) {
		c->broken = true;
		c->parts.values += v.size_bytes - (field_parts_sum(&c->parts) - before);
	}
}

/* The list of names */

static uint32_t hash(struct key key)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (uint32_t i = 0; i < key.size_bytes; i++)
		h = (h ^ (uint8_t)key.bytes[i]) * 16777619u;
	return h;
}

static bool has_name(const struct field_bytes *f, struct key name)
{
	return key_is(name, f->name);
}

/* `guess`: most documents have their fields in the order of the first. */
static struct field_bytes *find(struct field_tally *t, struct key name, size_t guess)
{
	uint32_t slot;
	struct field_bytes *f;

	if (guess < t->count && has_name(&t->list[guess], name))
		return &t->list[guess];
	for (slot = hash(name) % SLOTS; t->slots[slot]; slot = (slot + 1) % SLOTS)
		if (has_name(&t->list[t->slots[slot] - 1], name))
			return &t->list[t->slots[slot] - 1];
	if (t->count == FIELD_TALLY_NAMES)
		return &t->rest;
	t->list = memory_grow(t->list, &t->capacity, t->count + 1, sizeof *t->list);
	t->slots[slot] = (uint32_t)++t->count;
	f = &t->list[t->count - 1];
	*f = (struct field_bytes){ .name = memory_allocate(name.size_bytes + 1) };
	memcpy(f->name, name.bytes, name.size_bytes);
	f->name[name.size_bytes] = 0;
	return f;
}

void field_tally_init(struct field_tally *t)
{
	*t = (struct field_tally){ .slots = memory_allocate_zeroed(SLOTS, sizeof *t->slots) };
}

void field_tally_clear(struct field_tally *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->list[i].name);
	free(t->list);
	free(t->slots);
}

static void add_field(struct field_tally *t, const struct field *f, size_t position, struct counting *c)
{
	struct field_bytes *into = find(t, f->key, position);
	int64_t bytes;

	c->parts = (struct field_parts){ .names = f->key.size_bytes + 1, .frames = 1 };
	count_value(c, f->value);
	bytes = field_parts_sum(&c->parts);
	into->count++;
	into->bytes += bytes;
	if (bytes > into->largest_bytes)
		into->largest_bytes = bytes;
	into->types[field_type_slot(f->value.type)]++;
	add_parts(&into->parts, &c->parts);
	add_parts(&t->parts, &c->parts);
}

void field_tally_add(struct field_tally *t, struct value document)
{
	int64_t before = field_parts_sum(&t->parts);
	struct counting c = { .depth = 1, .deepest = 1 };
	size_t position = 0;
	struct walk w;
	struct field f;

	t->documents++;
	t->bytes += document.size_bytes;
	t->parts.frames += ENVELOPE_BYTES;
	walk_begin(&w, document);
	while (walk_next(&w, &f))
		add_field(t, &f, position++, &c);
	if (w.broken) {
		c.broken = true;
		t->parts.values += document.size_bytes - (field_parts_sum(&t->parts) - before);
	}
	t->broken += c.broken;
	if (c.deepest > t->depth)
		t->depth = c.deepest;
}
