#include "engine/index_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* At the least fan-out (7 long keys a page) 24 levels hold more entries than memory does. */
enum { MAX_HEIGHT = 24, BUILD_FILL_BYTES = PAGE_BODY_BYTES * 15 / 16 };

/* The way from the root to a leaf: pages[i + 1] is the child at slots[i] of pages[i]. */
struct descent {
	int depth; /* of the leaf */
	struct page *pages[MAX_HEIGHT];
	unsigned slots[MAX_HEIGHT];
};

struct index_tree *index_tree_new(void)
{
	struct index_tree *t = memory_allocate_zeroed(1, sizeof *t);

	t->root = page_new(true);
	return t;
}

static void free_pages(struct page *p)
{
	if (!p->is_leaf)
		for (unsigned i = 0; i < p->count; i++)
			free_pages(page_child(p, i));
	page_free(p);
}

void index_tree_destroy(struct index_tree *t)
{
	if (!t)
		return;
	free_pages(t->root);
	free(t);
}

/*
 * The child that holds `k`: the last whose separator is at or below it. The first child's separator counts as below
 * all and is never looked at: once an earlier child is gone, it may be above entries that came later.
 */
static unsigned child_slot(const struct page *p, const struct tree_key *k)
{
	unsigned slot = page_lower_bound(p, k, 1);
	struct tree_key found;

	if (slot < p->count) {
		found = page_key(p, slot);
		if (!tree_key_compare(&found, k))
			return slot;
	}
	return slot - 1;
}

static void descend(const struct index_tree *t, const struct tree_key *k, struct descent *d)
{
	struct page *p = t->root;

	for (d->depth = 0; !p->is_leaf; d->depth++) {
		assert(d->depth + 1 < MAX_HEIGHT);
		d->pages[d->depth] = p;
		d->slots[d->depth] = child_slot(p, k);
		p = page_child(p, d->slots[d->depth]);
	}
	d->pages[d->depth] = p;
	d->slots[d->depth] = page_lower_bound(p, k, 0);
}

static void link_after(struct page *left, struct page *right)
{
	if (!left->is_leaf)
		return;
	right->next = left->next;
	right->previous = left;
	if (right->next)
		right->next->previous = right;
	left->next = right;
}

/* The slot that leaves about half of the bytes on each side. */
static unsigned middle_slot(const struct page *p)
{
	size_t bytes = 0, half = page_used_bytes(p) / 2;
	unsigned slot = 0;

	while (slot + 1u < p->count && bytes < half) {
		bytes += page_entry_bytes(p->is_leaf, page_key(p, slot).size);
		slot++;
	}
	return slot ? slot : 1;
}

static void insert_at(struct index_tree *t, struct descent *d, int level, unsigned slot, const struct tree_key *k,
                      struct page *child);

static void add_to_parent(struct index_tree *t, struct descent *d, int level, struct page *left, struct page *right)
{
	struct tree_key separator = page_key(right, 0);

	if (level == 0) {
		struct tree_key first = { NULL, 0, INT64_MIN };

		t->root = page_new(false);
		page_insert(t->root, 0, &first, left);
		page_insert(t->root, 1, &separator, right);
		return;
	}
	insert_at(t, d, level - 1, d->slots[level - 1] + 1, &separator, right);
}

static void insert_at(struct index_tree *t, struct descent *d, int level, unsigned slot, const struct tree_key *k,
                      struct page *child)
{
	struct page *p = d->pages[level], *right;
	unsigned middle;

	if (page_has_room(p, k->size)) {
		page_insert(p, slot, k, child);
		return;
	}
	right = page_new(p->is_leaf);
	link_after(p, right);
	/* ascending keys fill pages to the end: only the new one goes right */
	middle = p->is_leaf && !right->next && slot == p->count ? p->count : middle_slot(p);
	page_move(p, middle, right);
	if (slot < middle || (slot == middle && right->count))
		page_insert(p, slot, k, child);
	else
		page_insert(right, slot - middle, k, child);
	add_to_parent(t, d, level, p, right);
}

bool index_tree_insert(struct index_tree *t, const struct tree_key *k)
{
	struct descent d;
	struct page *leaf;

	descend(t, k, &d);
	leaf = d.pages[d.depth];
	if (d.slots[d.depth] < leaf->count) {
		struct tree_key found = page_key(leaf, d.slots[d.depth]);

		if (!tree_key_compare(&found, k))
			return false;
	}
	insert_at(t, &d, d.depth, d.slots[d.depth], k, NULL);
	t->changes++;
	return true;
}

static void unlink_leaf(struct page *p)
{
	if (p->previous)
		p->previous->next = p->next;
	if (p->next)
		p->next->previous = p->previous;
}

static void shrink_root(struct index_tree *t)
{
	while (!t->root->is_leaf && t->root->count == 1) {
		struct page *child = page_child(t->root, 0);

		page_free(t->root);
		t->root = child;
	}
}

static void rebalance(struct index_tree *t, struct descent *d, int level);

/* Drops a page whose entries are gone or moved. */
static void drop_page(struct index_tree *t, struct descent *d, int level, struct page *p, unsigned slot_in_parent)
{
	unlink_leaf(p);
	page_free(p);
	page_remove(d->pages[level - 1], slot_in_parent);
	rebalance(t, d, level - 1);
}

/* Takes over the entries of the right neighbour when both fit well into one page. */
static bool merge(struct index_tree *t, struct descent *d, int level, unsigned left_slot)
{
	struct page *parent = d->pages[level - 1];
	struct page *left = page_child(parent, left_slot), *right = page_child(parent, left_slot + 1);
	struct tree_key separator = page_key(parent, left_slot + 1);
	size_t separator_bytes = left->is_leaf ? 0 : page_entry_bytes(false, separator.size);

	if (page_used_bytes(left) + page_used_bytes(right) + separator_bytes > PAGE_BODY_BYTES * 3 / 4)
		return false;
	if (!left->is_leaf && right->count) {
		/* the right page's first separator counted as below all; between two pages' children it must be true */
		page_insert(left, left->count, &separator, page_child(right, 0));
		page_remove(right, 0);
	}
	page_move(right, 0, left);
	drop_page(t, d, level, right, left_slot + 1);
	return true;
}

static void rebalance(struct index_tree *t, struct descent *d, int level)
{
	struct page *p = d->pages[level];
	unsigned slot;

	if (level == 0) {
		if (!p->is_leaf && !p->count) {
			page_free(p);
			t->root = page_new(true);
		}
		shrink_root(t);
		return;
	}
	slot = d->slots[level - 1];
	if (!p->count)
		drop_page(t, d, level, p, slot);
	else if (page_used_bytes(p) < PAGE_BODY_BYTES / 4 &&
	         !(slot + 1 < d->pages[level - 1]->count && merge(t, d, level, slot)) && slot > 0)
		merge(t, d, level, slot - 1);
}

bool index_tree_remove(struct index_tree *t, const struct tree_key *k)
{
	struct descent d;
	struct page *leaf;
	struct tree_key found;

	descend(t, k, &d);
	leaf = d.pages[d.depth];
	if (d.slots[d.depth] == leaf->count)
		return false;
	found = page_key(leaf, d.slots[d.depth]);
	if (tree_key_compare(&found, k))
		return false;
	page_remove(leaf, d.slots[d.depth]);
	rebalance(t, &d, d.depth);
	t->changes++;
	return true;
}

/* The rightmost page of each level while a tree is built. */
struct builder {
	struct page *last[MAX_HEIGHT];
	int height;
};

static void builder_append(struct builder *b, int level, const struct tree_key *k, struct page *child)
{
	struct page *p;

	if (level == b->height) {
		assert(level < MAX_HEIGHT);
		b->last[b->height++] = page_new(level == 0);
		if (level > 0) {
			struct tree_key first = { NULL, 0, INT64_MIN };

			page_insert(b->last[level], 0, &first, b->last[level - 1]);
		}
	}
	p = b->last[level];
	if (p->count && page_used_bytes(p) + page_entry_bytes(p->is_leaf, k->size) > BUILD_FILL_BYTES) {
		struct page *full = p;

		p = page_new(level == 0);
		link_after(full, p);
		page_insert(p, 0, k, child);
		/* the level above is made while its only child is still the full page */
		builder_append(b, level + 1, k, p);
		b->last[level] = p;
	} else {
		page_insert(p, p->count, k, child);
	}
}

void index_tree_build(struct index_tree *t, const struct tree_key *(*next)(void *context), void *context)
{
	struct builder b = { { NULL }, 0 };
	const struct tree_key *k;

	free_pages(t->root);
	while ((k = next(context)))
		builder_append(&b, 0, k, NULL);
	t->root = b.height ? b.last[b.height - 1] : page_new(true);
	t->changes++;
}

static struct tree_position nowhere(void)
{
	return (struct tree_position){ NULL, 0 };
}

static struct tree_position first_of(const struct page *leaf)
{
	return leaf ? (struct tree_position){ leaf, 0 } : nowhere();
}

static struct tree_position last_of(const struct page *leaf)
{
	return leaf ? (struct tree_position){ leaf, leaf->count - 1u } : nowhere();
}

static struct tree_position lower_bound(const struct index_tree *t, const struct tree_key *k)
{
	const struct page *p = t->root;

	while (!p->is_leaf)
		p = page_child(p, child_slot(p, k));
	return (struct tree_position){ p, page_lower_bound(p, k, 0) };
}

struct tree_position index_tree_seek(const struct index_tree *t, const struct tree_key *k)
{
	struct tree_position p = lower_bound(t, k);

	return p.slot < p.page->count ? p : first_of(p.page->next);
}

struct tree_position index_tree_seek_below(const struct index_tree *t, const struct tree_key *k)
{
	return index_tree_previous(lower_bound(t, k));
}

struct tree_position index_tree_next(struct tree_position p)
{
	if (p.slot + 1 < p.page->count)
		return (struct tree_position){ p.page, p.slot + 1 };
	return first_of(p.page->next);
}

struct tree_position index_tree_previous(struct tree_position p)
{
	if (p.slot > 0)
		return (struct tree_position){ p.page, p.slot - 1 };
	return last_of(p.page->previous);
}

static int64_t pages_bytes(const struct page *p)
{
	int64_t bytes = PAGE_BYTES + (int64_t)p->overflow_bytes;

	if (!p->is_leaf)
		for (unsigned i = 0; i < p->count; i++)
			bytes += pages_bytes(page_child(p, i));
	return bytes;
}

int64_t index_tree_memory_bytes(const struct index_tree *t)
{
	return (int64_t)sizeof *t + pages_bytes(t->root);
}
