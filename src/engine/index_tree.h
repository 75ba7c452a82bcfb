/*
 * The B+-tree of an index: pairs of encoded key and record id, each once, in the order of key, then id. Leaves are
 * linked both ways. The tree owns its pages and copies the keys.
 */
#ifndef BSONSCOPE_ENGINE_INDEX_TREE_H
#define BSONSCOPE_ENGINE_INDEX_TREE_H

#include "engine/index_page.h"

struct index_tree {
	struct page *root;
	uint64_t changes; /* one more with every change: positions are good while it stands still */
};

struct tree_position {
	const struct page *page; /* null: before the first or after the last entry */
	unsigned slot;
};

struct index_tree *index_tree_new(void);
void index_tree_destroy(struct index_tree *t);

/* False when the pair is there already. */
bool index_tree_insert(struct index_tree *t, const struct tree_key *k);

/* False when it is not there. */
bool index_tree_remove(struct index_tree *t, const struct tree_key *k);

/* Replaces what the tree holds: `next` gives the pairs in ascending order, each good until the next call; null ends. */
void index_tree_build(struct index_tree *t, const struct tree_key *(*next)(void *context), void *context);

/* The first entry at or above `k`; the last one below `k`. */
struct tree_position index_tree_seek(const struct index_tree *t, const struct tree_key *k);
struct tree_position index_tree_seek_below(const struct index_tree *t, const struct tree_key *k);
struct tree_position index_tree_next(struct tree_position p);
struct tree_position index_tree_previous(struct tree_position p);

int64_t index_tree_memory_bytes(const struct index_tree *t);

#endif
