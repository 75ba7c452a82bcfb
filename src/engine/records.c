#include "engine/records.h"

#include <stdlib.h>

#include "base/memory.h"

enum { BLOCK = 32 };

static const uint32_t OWNED = UINT32_C(1) << 31; /* no document is that large: its length is signed */

/* Documents of a block lie one behind the other from `start` on, or each elsewhere: then none is deleted or owned. */
struct record_block {
	const uint8_t *start;
	const uint8_t **each; /* null: they do */
};

static size_t blocks_of(size_t records)
{
	return (records + BLOCK - 1) / BLOCK;
}

static uint32_t size_of(const struct records *r, size_t id)
{
	return r->sizes[id] & ~OWNED;
}

static const uint8_t *locate(const struct records *r, size_t id)
{
	const struct record_block *b = &r->blocks[id / BLOCK];
	const uint8_t *at = b->start;

	if (b->each)
		return b->each[id % BLOCK];
	for (size_t i = id - id % BLOCK; i < id; i++)
		at += r->sizes[i];
	return at;
}

static void free_document(struct records *r, size_t id)
{
	if (r->sizes[id] & OWNED)
		free((void *)(uintptr_t)locate(r, id));
}

void records_clear(struct records *r)
{
	for (size_t i = 0; i < r->count; i++)
		free_document(r, i);
	for (size_t i = 0; i < blocks_of(r->count); i++)
		free(r->blocks[i].each);
	free(r->blocks);
	free(r->sizes);
	size_tally_clear(&r->tally);
	*r = (struct records){ 0 };
}

bool records_document(const struct records *r, size_t id, struct value *document)
{
	if (id >= r->count || !r->sizes[id])
		return false;
	*document = (struct value){ locate(r, id), size_of(r, id), BSON_TYPE_DOCUMENT };
	return true;
}

bool records_owns(const struct records *r, size_t id)
{
	return id < r->count && r->sizes[id] & OWNED;
}

bool records_next(const struct records *r, size_t from, size_t *id)
{
	enum { AHEAD = 8 };

	/* scans are bound by memory: ask for the documents to come while this one is looked at */
	if (from + AHEAD < r->count && r->sizes[from + AHEAD])
		__builtin_prefetch(locate(r, from + AHEAD));
	for (*id = from; *id < r->count; ++*id)
		if (r->sizes[*id])
			return true;
	return false;
}

void records_sizes(const struct records *r, size_t from, size_t to, uint32_t *sizes_bytes)
{
	for (size_t i = from; i < to; i++)
		sizes_bytes[i - from] = size_of(r, i);
}

static void resize(struct records *r, size_t capacity)
{
	r->sizes = memory_resize(r->sizes, capacity, sizeof *r->sizes);
	r->blocks = memory_resize(r->blocks, blocks_of(capacity), sizeof *r->blocks);
	r->capacity = capacity;
}

/* Doubles, as a large table may have to move with all its pages; those that are not used yet cost nothing. */
static void reserve(struct records *r, size_t more)
{
	size_t needed = r->count + more, doubled = 2 * r->capacity;

	if (needed > r->capacity)
		resize(r, needed < doubled ? doubled : needed < 64 ? 64 : needed);
}

/* Before a document of the block is moved, deleted or owned: each gets its own place. */
static const uint8_t **scatter(struct records *r, size_t block)
{
	struct record_block *b = &r->blocks[block];
	const uint8_t **each, *at = b->start;

	if (b->each)
		return b->each;
	each = memory_allocate_zeroed(BLOCK, sizeof *each);
	for (size_t i = 0, id = block * BLOCK; i < BLOCK && id + i < r->count; at += r->sizes[id + i++])
		each[i] = at;
	return b->each = each;
}

static void append(struct records *r, const uint8_t *bytes, uint32_t size_bytes, bool owned)
{
	size_t id = r->count, block = id / BLOCK;

	if (id % BLOCK == 0)
		r->blocks[block] = (struct record_block){ bytes, NULL };
	if (owned || r->blocks[block].each || (id % BLOCK && bytes != r->end))
		scatter(r, block)[id % BLOCK] = bytes;
	r->sizes[id] = size_bytes | (owned ? OWNED : 0);
	r->end = bytes + size_bytes;
	r->count++;
	size_tally_add(&r->tally, size_bytes, 1);
}

void records_append(struct records *r, const uint8_t *bytes, uint32_t size_bytes, bool owned)
{
	reserve(r, 1);
	append(r, bytes, size_bytes, owned);
}

void records_borrow_all(struct records *r, const struct value *documents, size_t count)
{
	reserve(r, count);
	for (size_t i = 0; i < count; i++)
		append(r, documents[i].bytes, documents[i].size_bytes, false);
}

void records_remove(struct records *r, size_t id)
{
	const uint8_t **each = scatter(r, id / BLOCK);

	free_document(r, id);
	size_tally_remove(&r->tally, size_of(r, id));
	each[id % BLOCK] = NULL;
	r->sizes[id] = 0;
}

void records_replace(struct records *r, size_t id, const uint8_t *bytes, uint32_t size_bytes)
{
	records_remove(r, id);
	r->blocks[id / BLOCK].each[id % BLOCK] = bytes;
	r->sizes[id] = size_bytes | OWNED;
	size_tally_add(&r->tally, size_bytes, 1);
}

void records_trim(struct records *r)
{
	if (r->capacity > r->count && r->count)
		resize(r, r->count);
}

int64_t records_memory_bytes(const struct records *r)
{
	enum { ALLOCATION_BYTES = 16 }; /* what malloc adds to a document */
	size_t bytes = r->capacity * sizeof *r->sizes + blocks_of(r->capacity) * sizeof *r->blocks;

	for (size_t b = 0; b < blocks_of(r->count); b++) {
		if (!r->blocks[b].each)
			continue;
		bytes += BLOCK * sizeof *r->blocks[b].each;
		for (size_t id = b * BLOCK; id < (b + 1) * BLOCK && id < r->count; id++)
			bytes += r->sizes[id] & OWNED ? size_of(r, id) + ALLOCATION_BYTES : 0;
	}
	return (int64_t)bytes + size_tally_memory_bytes(&r->tally);
}
