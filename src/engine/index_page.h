/*
 * A page of an index tree: entries of (encoded key, record id[, child page]) in order, in one block of memory. A
 * directory of offsets grows from the front, the entries from the back; long keys lie outside. Used by index_tree
 * only.
 */
#ifndef BSONSCOPE_ENGINE_INDEX_PAGE_H
#define BSONSCOPE_ENGINE_INDEX_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_key {
	const uint8_t *bytes; /* borrowed */
	size_t size;
	int64_t id;
};

/* memcmp order of the bytes, the shorter first, then the id. */
int tree_key_compare(const struct tree_key *a, const struct tree_key *b);

enum {
	PAGE_BYTES = 4080, /* with malloc's header just below 4 KB */
	PAGE_HEADER_BYTES = 32,
	PAGE_BODY_BYTES = PAGE_BYTES - PAGE_HEADER_BYTES,
	PAGE_INLINE_KEY_BYTES = 512
};

struct page {
	struct page *previous, *next; /* neighbours of a leaf */
	uint32_t overflow_bytes;      /* held outside the page for long keys */
	uint16_t count;
	uint16_t low;                 /* offset of the lowest entry in the body */
	uint16_t garbage;             /* bytes of removed entries above `low` */
	bool is_leaf;
	uint16_t slots[PAGE_BODY_BYTES / 2]; /* the body: offsets from its start, and the entries */
};

struct page *page_new(bool is_leaf);

/* Frees the page and its long keys, not its children. */
void page_free(struct page *p);

/* The key is good until the page changes. */
struct tree_key page_key(const struct page *p, unsigned slot);
struct page *page_child(const struct page *p, unsigned slot);

/* First slot from `first` on with an entry at or above `k`; the count when there is none. */
unsigned page_lower_bound(const struct page *p, const struct tree_key *k, unsigned first);

/* Bytes of entries and directory, without garbage; and what one more would take. */
size_t page_used_bytes(const struct page *p);
size_t page_entry_bytes(bool is_leaf, size_t key_size);
bool page_has_room(const struct page *p, size_t key_size);

/* There is room. The key is copied; `child` is for inner pages. */
void page_insert(struct page *p, unsigned slot, const struct tree_key *k, struct page *child);
void page_remove(struct page *p, unsigned slot);

/* Moves the entries from `first` on to the end of `to`, which has room. */
void page_move(struct page *from, unsigned first, struct page *to);

#endif
