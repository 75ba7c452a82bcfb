#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/index_inside.h"

/* A key in the pool. `prefix` are eight of its bytes, those behind what all keys have in common. */
struct item {
	uint64_t prefix;
	union {
		size_t offset;      /* while the pool grows */
		const uint8_t *key; /* afterwards */
	} at;
	uint32_t size;
	record_id id;
};

struct index_builder {
	struct index *index;
	struct key_paths paths;
	uint32_t array_components[INDEX_FIELD_LIMIT];
	struct bytes pool;
	struct item *items;
	size_t count, capacity;
	size_t common; /* bytes that all keys begin with */
	record_id id;  /* of the document that is being walked */
};

static void add_item(void *context, const struct value *values)
{
	struct index_builder *b = context;
	const uint8_t *first, *key;
	struct item *item;

	b->items = memory_grow(b->items, &b->capacity, b->count + 1, sizeof *b->items);
	item = &b->items[b->count++];
	item->at.offset = b->pool.size;
	item->id = b->id;
	index_encode(b->index, values, &b->pool);
	item->size = (uint32_t)(b->pool.size - item->at.offset);
	if (b->count == 1 || item->size < b->common)
		b->common = item->size;
	first = b->pool.data + b->items[0].at.offset;
	key = b->pool.data + item->at.offset;
	if (memcmp(first, key, b->common))
		for (b->common = 0; first[b->common] == key[b->common];)
			b->common++;
}

struct index_builder *index_builder_new(struct index *i)
{
	struct index_builder *b = memory_allocate_zeroed(1, sizeof *b);

	b->index = i;
	index_key_paths(i, &b->paths);
	b->paths.array_components = b->array_components;
	b->paths.emit = add_item;
	b->paths.context = b;
	return b;
}

bool index_builder_add(struct index_builder *b, struct value document, record_id id, bson_error_t *error)
{
	b->id = id;
	return !index_holds(b->index, document) || key_paths_walk(&b->paths, document, error);
}

/* The pool stands still now: items can point into it. */
static void fix_keys(struct index_builder *b)
{
	for (size_t i = 0; i < b->count; i++) {
		struct item *item = &b->items[i];
		const uint8_t *key = b->pool.data + item->at.offset + b->common;
		size_t left = item->size - b->common;

		item->at.key = b->pool.data + item->at.offset;
		item->prefix = 0;
		for (size_t n = 0; n < 8; n++)
			item->prefix = item->prefix << 8 | (n < left ? key[n] : 0);
	}
}

/* Whole keys, then ids. No key is the beginning of another, so the common length decides. */
static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int difference;

	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	difference = memcmp(x->at.key, y->at.key, x->size < y->size ? x->size : y->size);
	return difference ? difference : (x->id > y->id) - (x->id < y->id);
}

static bool is_sorted(const struct item *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_items(&items[i - 1], &items[i]) > 0)
			return false;
	return true;
}

/* One stable pass over one byte of the prefix; false when all items agree in it and nothing had to move. */
static bool radix_pass(const struct item *from, struct item *to, size_t count, int shift)
{
	size_t starts[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		starts[from[i].prefix >> shift & 255]++;
	if (starts[from[0].prefix >> shift & 255] == count)
		return false;
	for (size_t byte = 0; byte < 256; byte++) {
		size_t here = starts[byte];

		starts[byte] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[from[i].prefix >> shift & 255]++] = from[i];
	return true;
}

static void sort_by_prefix(struct index_builder *b)
{
	struct item *other = memory_allocate(b->count * sizeof *other);

	for (int shift = 0; shift < 64; shift += 8) {
		if (radix_pass(b->items, other, b->count, shift)) {
			struct item *swap = b->items;

			b->items = other;
			other = swap;
		}
	}
	b->capacity = b->count;
	free(other);
}

static void sort_items(struct index_builder *b)
{
	if (b->count < 2 || is_sorted(b->items, b->count))
		return;
	sort_by_prefix(b);
	for (size_t from = 0, to; from < b->count; from = to) {
		for (to = from + 1; to < b->count && b->items[to].prefix == b->items[from].prefix;)
			to++;
		if (!is_sorted(b->items + from, to - from))
			qsort(b->items + from, to - from, sizeof *b->items, compare_items);
	}
}

struct feed {
	const struct index_builder *builder;
	size_t at;
	struct tree_key key;
	int64_t given;
};

static const struct tree_key *next_key(void *context)
{
	struct feed *feed = context;
	const struct index_builder *b = feed->builder;
	const struct item *item;

	/* two elements of one document may be equal: that is one entry */
	while (feed->at > 0 && feed->at < b->count && !compare_items(&b->items[feed->at - 1], &b->items[feed->at]))
		feed->at++;
	if (feed->at == b->count)
		return NULL;
	item = &b->items[feed->at++];
	feed->key = (struct tree_key){ item->at.key, item->size, item->id };
	feed->given++;
	return &feed->key;
}

void index_builder_finish(struct index_builder *b)
{
	struct feed feed = { b, 0, { NULL, 0, 0 }, 0 };

	fix_keys(b);
	sort_items(b);
	index_tree_build(b->index->tree, next_key, &feed);
	b->index->entry_count = feed.given;
	index_note_components(b->index, b->array_components);
	index_builder_destroy(b);
}

void index_builder_destroy(struct index_builder *b)
{
	bytes_clear(&b->pool);
	free(b->items);
	free(b);
}
