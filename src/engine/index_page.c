#include "engine/index_page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert(sizeof(struct page) <= PAGE_BYTES, "a page does not fit its block");

/* An entry: id (8), size of the key (2), child (8, inner pages only), key; a long key is a pointer to a long_key. */
enum { ID_BYTES = 8, SIZE_BYTES = 2, CHILD_BYTES = 8, SLOT_BYTES = 2, LONG_KEY = 0xffff };

struct long_key {
	size_t size;
	uint8_t bytes[];
};

int tree_key_compare(const struct tree_key *a, const struct tree_key *b)
{
	size_t common = a->size < b->size ? a->size : b->size;
	int difference = common ? memcmp(a->bytes, b->bytes, common) : 0;

	if (difference)
		return difference;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

struct page *page_new(bool is_leaf)
{
	struct page *p = memory_allocate(sizeof *p);

	memset(p, 0, PAGE_HEADER_BYTES);
	p->is_leaf = is_leaf;
	p->low = PAGE_BODY_BYTES;
	return p;
}

static uint8_t *entry_at(const struct page *p, unsigned slot)
{
	return (uint8_t *)(uintptr_t)p->slots + p->slots[slot];
}

static size_t key_offset(const struct page *p)
{
	return ID_BYTES + SIZE_BYTES + (p->is_leaf ? 0 : CHILD_BYTES);
}

static uint16_t stated_size(const uint8_t *entry)
{
	uint16_t size;

	memcpy(&size, entry + ID_BYTES, sizeof size);
	return size;
}

static struct long_key *long_key_of(const struct page *p, const uint8_t *entry)
{
	struct long_key *key;

	memcpy(&key, entry + key_offset(p), sizeof key);
	return key;
}

static size_t entry_bytes(const struct page *p, const uint8_t *entry)
{
	uint16_t size = stated_size(entry);

	return key_offset(p) + (size == LONG_KEY ? sizeof(struct long_key *) : size);
}

struct tree_key page_key(const struct page *p, unsigned slot)
{
	const uint8_t *entry = entry_at(p, slot);
	struct tree_key k = { entry + key_offset(p), stated_size(entry), 0 };

	memcpy(&k.id, entry, ID_BYTES);
	if (k.size == LONG_KEY) {
		const struct long_key *key = long_key_of(p, entry);

		k.bytes = key->bytes;
		k.size = key->size;
	}
	return k;
}

struct page *page_child(const struct page *p, unsigned slot)
{
	struct page *child;

	memcpy(&child, entry_at(p, slot) + ID_BYTES + SIZE_BYTES, sizeof child);
	return child;
}

unsigned page_lower_bound(const struct page *p, const struct tree_key *k, unsigned first)
{
	unsigned low = first, high = p->count;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		struct tree_key found = page_key(p, middle);

		if (tree_key_compare(&found, k) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t page_used_bytes(const struct page *p)
{
	return (size_t)p->count * SLOT_BYTES + PAGE_BODY_BYTES - p->low - p->garbage;
}

size_t page_entry_bytes(bool is_leaf, size_t key_size)
{
	return SLOT_BYTES + ID_BYTES + SIZE_BYTES + (is_leaf ? 0 : CHILD_BYTES) +
	       (key_size > PAGE_INLINE_KEY_BYTES ? sizeof(struct long_key *) : key_size);
}

bool page_has_room(const struct page *p, size_t key_size)
{
	return page_used_bytes(p) + page_entry_bytes(p->is_leaf, key_size) <= PAGE_BODY_BYTES;
}

static void compact(struct page *p)
{
	uint8_t body[PAGE_BODY_BYTES];
	uint16_t low = PAGE_BODY_BYTES;

	for (unsigned i = 0; i < p->count; i++) {
		const uint8_t *entry = entry_at(p, i);
		size_t size = entry_bytes(p, entry);

		low = (uint16_t)(low - size);
		memcpy(body + low, entry, size);
		p->slots[i] = low;
	}
	memcpy((uint8_t *)p->slots + low, body + low, PAGE_BODY_BYTES - (size_t)low);
	p->low = low;
	p->garbage = 0;
}

/* Makes room for an entry's bytes and puts them into the directory at `slot`. */
static uint8_t *place(struct page *p, unsigned slot, size_t size)
{
	if ((size_t)(p->count + 1) * SLOT_BYTES + size > p->low)
		compact(p);
	assert((size_t)(p->count + 1) * SLOT_BYTES + size <= p->low);
	memmove(p->slots + slot + 1, p->slots + slot, (size_t)(p->count - slot) * SLOT_BYTES);
	p->low = (uint16_t)(p->low - size);
	p->slots[slot] = p->low;
	p->count++;
	return entry_at(p, slot);
}

void page_insert(struct page *p, unsigned slot, const struct tree_key *k, struct page *child)
{
	bool is_long = k->size > PAGE_INLINE_KEY_BYTES;
	uint16_t size = is_long ? LONG_KEY : (uint16_t)k->size;
	uint8_t *entry = place(p, slot, page_entry_bytes(p->is_leaf, k->size) - SLOT_BYTES);

	memcpy(entry, &k->id, ID_BYTES);
	memcpy(entry + ID_BYTES, &size, SIZE_BYTES);
	if (!p->is_leaf)
		memcpy(entry + ID_BYTES + SIZE_BYTES, &child, CHILD_BYTES);
	if (is_long) {
		struct long_key *key = memory_allocate(sizeof *key + k->size);

		key->size = k->size;
		memcpy(key->bytes, k->bytes, k->size);
		memcpy(entry + key_offset(p), &key, sizeof key);
		p->overflow_bytes += (uint32_t)(sizeof *key + k->size);
	} else if (k->size) {
		memcpy(entry + key_offset(p), k->bytes, k->size);
	}
}

/* Takes an entry out of the directory; its long key, if any, is not freed. */
static void forget(struct page *p, unsigned slot, size_t size)
{
	p->garbage = (uint16_t)(p->garbage + size);
	p->count--;
	memmove(p->slots + slot, p->slots + slot + 1, (size_t)(p->count - slot) * SLOT_BYTES);
}

void page_remove(struct page *p, unsigned slot)
{
	uint8_t *entry = entry_at(p, slot);
	size_t size = entry_bytes(p, entry);

	if (stated_size(entry) == LONG_KEY) {
		struct long_key *key = long_key_of(p, entry);

		p->overflow_bytes -= (uint32_t)(sizeof *key + key->size);
		free(key);
	}
	forget(p, slot, size);
}

void page_move(struct page *from, unsigned first, struct page *to)
{
	for (unsigned i = first; i < from->count; i++) {
		const uint8_t *entry = entry_at(from, i);
		size_t size = entry_bytes(from, entry);

		memcpy(place(to, to->count, size), entry, size);
		if (stated_size(entry) == LONG_KEY) {
			uint32_t held = (uint32_t)(sizeof(struct long_key) + long_key_of(from, entry)->size);

			from->overflow_bytes -= held;
			to->overflow_bytes += held;
		}
	}
	while (from->count > first)
		forget(from, from->count - 1u, entry_bytes(from, entry_at(from, from->count - 1u)));
}

void page_free(struct page *p)
{
	while (p->count)
		page_remove(p, p->count - 1u);
	free(p);
}
