/* Two trees become one; so do two of its nodes, where keys are folded. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/path_tree_private.h"

static void merge_types(struct path_node *n, const struct path_node *from)
{
	for (uint32_t i = 0; i < from->type_count; i++) {
		struct path_type *t = path_type_of(n, from->types[i].type);

		t->count += from->types[i].count;
		path_mark_merge(&t->first, &from->types[i].first);
	}
}

static void merge_figures(struct path_node *n, const struct path_node *from)
{
	n->count += from->count;
	n->documents += from->documents;
	field_parts_add(&n->parts, &from->parts);
	path_mark_merge(&n->largest, &from->largest);
	n->largest_bytes = n->largest.value;
	merge_types(n, from);
	if (from->lengths)
		path_lengths_merge(path_lengths_of(n), from->lengths);
	n->watched = n->watched || from->watched;
	if (from->values) {
		if (!n->values)
			n->values = memory_allocate_zeroed(1, sizeof *n->values);
		path_values_merge(n->values, from->values);
	}
	distinct_merge(&n->keys, &from->keys);
}

/* Where a child of another tree is counted here. */
static struct path_node *counterpart(struct path_tree *t, struct path_node *n, const struct path_node *child, int depth)
{
	struct key key = path_node_key(child);
	struct path_node *here;
	uint64_t hash;

	if (child->kind == PATH_ELEMENTS)
		return path_elements(t, n);
	if (child->kind == PATH_FOLDED) {
		here = path_star(t, n);
		key = (struct key){ (const char *)child->example.data, (uint32_t)child->example.size };
		if (child->example.data)
			path_fold_key(here, key, hash_bytes(key.bytes, key.size_bytes));
		return here;
	}
	hash = hash_bytes(key.bytes, key.size_bytes);
	here = path_child(t, n, key, hash, depth);
	if (here->kind == PATH_FOLDED)
		path_fold_key(here, key, hash);
	return here;
}

void path_node_merge(struct path_tree *t, struct path_node *n, const struct path_node *from, int depth)
{
	merge_figures(n, from);
	path_fold_as(t, n, from->folded, depth);
	for (uint32_t i = 0; i < from->child_count; i++)
		path_node_merge(t, counterpart(t, n, from->children[i], depth), from->children[i], depth + 1);
}

void path_tree_merge(struct path_tree *t, const struct path_tree *more)
{
	assert(!t->finished && !more->finished);
	t->broken += more->broken;
	path_mark_merge(&t->deepest, &more->deepest);
	distinct_merge(&t->paths, &more->paths);
	path_tree_bound(t); /* first: what would be folded is not made */
	path_node_merge(t, t->root, more->root, 0);
}
