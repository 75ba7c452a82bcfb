/*
 * Nodes of the path tree, and which keys are counted together.
 *
 * FOLDING. A key that is data by its looks goes to its parent's star at once. Other keys are of two classes, words and
 * the rest (names with digits and the like), and each class goes there as a whole once a parent has more of it than
 * the limit: that is a fact about the set of documents, and not about their order. The field that names documents
 * never does. The limit is the same everywhere until there are very many different paths, as estimated from all of
 * them, folded or not; then it becomes smaller, the deeper the more, so that what is kept is bounded.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/path_key.h"
#include "model/path_tree_private.h"

enum { CLASSES = 2, LEVELS = 4, FEW_CHILDREN = 8 };

static const struct {
	int64_t most_paths;
	uint32_t children[LEVELS]; /* most of one class, at depth 0, 1, 2, and deeper */
} strictness[] = {
	{ 1000000, { 1000, 1000, 1000, 1000 } },
	{ 16000000, { 1000, 100, 10, 1 } },
	{ INT64_MAX, { 100, 10, 1, 1 } },
};

static uint32_t limit(const struct path_tree *t, int depth)
{
	return strictness[t->strictness].children[depth < LEVELS ? depth : LEVELS - 1];
}

/* -1: is never folded. */
static int class_of(const struct path_tree *t, struct key key)
{
	return key_is(key, t->id_key) || key_is(key, "_id") ? -1 : path_key_is_word(key) ? 0 : 1;
}

/* Nodes */

static struct path_node *new_node(struct path_tree *t, struct path_node *parent, enum path_kind kind, struct key key, uint64_t hash)
{
	struct path_node *n = memory_allocate_zeroed(1, sizeof *n);
	uint8_t word[8] = { 0 };

	n->kind = kind;
	n->key = memory_allocate(key.size_bytes + 1);
	memcpy(n->key, key.bytes, key.size_bytes);
	n->key[key.size_bytes] = 0;
	n->key_size = key.size_bytes;
	memcpy(word, n->key, key.size_bytes < 8 ? key.size_bytes : 8);
	for (int i = 0; i < 8; i++) {
		n->word |= (uint64_t)word[i] << (8 * i);
		n->mask |= (uint32_t)i <= key.size_bytes ? UINT64_C(0xff) << (8 * i) : 0;
	}
	n->hash = hash;
	n->parent = parent;
	n->largest.position = -1;
	t->node_count++;
	return n;
}

void path_free_node(struct path_tree *t, struct path_node *n)
{
	for (uint32_t i = 0; i < n->child_count; i++)
		path_free_node(t, n->children[i]);
	for (uint32_t i = 0; i < n->type_count; i++)
		bytes_clear(&n->types[i].first.id);
	bytes_clear(&n->largest.id);
	bytes_clear(&n->example);
	distinct_clear(&n->keys);
	path_lengths_free(n->lengths);
	path_values_free(n->values);
	free(n->types);
	free(n->children);
	free(n->slots);
	free(n->key);
	free(n);
	t->node_count--;
}

static bool has_key(const struct path_node *n, struct key key)
{
	return n->kind == PATH_FIELD && n->key_size == key.size_bytes && !memcmp(n->key, key.bytes, key.size_bytes);
}

static uint32_t slot_of(const struct path_node *n, struct key key, uint64_t key_hash)
{
	uint32_t i = (uint32_t)key_hash & (n->slot_count - 1);

	while (n->slots[i] && !has_key(n->children[n->slots[i] - 1], key))
		i = (i + 1) & (n->slot_count - 1);
	return i;
}

struct key path_node_key(const struct path_node *n)
{
	return (struct key){ n->key, n->key_size };
}

static void rebuild_slots(struct path_node *n)
{
	free(n->slots);
	n->slots = NULL;
	n->slot_count = 0;
	if (n->child_count <= FEW_CHILDREN)
		return;
	for (n->slot_count = 32; n->slot_count < 4 * n->child_count; n->slot_count *= 2)
		;
	n->slots = memory_allocate_zeroed(n->slot_count, sizeof *n->slots);
	for (uint32_t i = 0; i < n->child_count; i++) {
		struct key key = path_node_key(n->children[i]);

		if (n->children[i]->kind == PATH_FIELD)
			n->slots[slot_of(n, key, hash_bytes(key.bytes, key.size_bytes))] = i + 1;
	}
}

static struct path_node *find(const struct path_node *n, struct key key, uint64_t key_hash)
{
	uint32_t slot;

	if (n->slots) {
		slot = n->slots[slot_of(n, key, key_hash)];
		return slot ? n->children[slot - 1] : NULL;
	}
	for (uint32_t i = 0; i < n->child_count; i++)
		if (has_key(n->children[i], key))
			return n->children[i];
	return NULL;
}

static void adopt(struct path_node *n, struct path_node *child)
{
	size_t capacity = n->child_capacity;

	n->children = memory_grow(n->children, &capacity, n->child_count + 1, sizeof *n->children);
	n->child_capacity = (uint32_t)capacity;
	n->children[n->child_count++] = child;
	if (2 * n->child_count > n->slot_count)
		rebuild_slots(n);
	else if (child->kind == PATH_FIELD)
		n->slots[slot_of(n, path_node_key(child), hash_bytes(child->key, child->key_size))] = n->child_count;
}

struct path_node *path_elements(struct path_tree *t, struct path_node *n)
{
	if (!n->elements) {
		n->elements = new_node(t, n, PATH_ELEMENTS, key_of("[]"), path_hash_elements(n->hash));
		adopt(n, n->elements);
	}
	return n->elements;
}

struct path_node *path_star(struct path_tree *t, struct path_node *n)
{
	if (!n->star) {
		n->star = new_node(t, n, PATH_FOLDED, key_of("*"), path_hash_star(n->hash));
		adopt(n, n->star);
	}
	return n->star;
}

void path_fold_key(struct path_node *star, struct key key, uint64_t key_hash)
{
	size_t least = key.size_bytes < star->example.size ? key.size_bytes : star->example.size;
	int order = star->example.data ? memcmp(key.bytes, star->example.data, least) : -1;

	distinct_add(&star->keys, key_hash);
	if (order < 0 || (!order && key.size_bytes < star->example.size)) {
		bytes_reset(&star->example);
		bytes_append(&star->example, key.bytes, key.size_bytes);
		bytes_text(&star->example); /* its terminator: an empty key is there, too */
	}
}

/* Keys of one class become one. */
static void fold(struct path_tree *t, struct path_node *n, int class, int depth)
{
	struct path_node *star = path_star(t, n);
	uint32_t kept = 0, count = n->child_count;

	n->folded |= (uint8_t)(1 << class);
	n->distinct[class] = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct path_node *child = n->children[i];
		struct key key = path_node_key(child);

		child->follower = NULL;
		if (child->kind != PATH_FIELD || class_of(t, key) != class) {
			n->children[kept++] = child;
			continue;
		}
		path_fold_key(star, key, hash_bytes(key.bytes, key.size_bytes));
		path_node_merge(t, star, child, depth + 1);
		path_free_node(t, child);
	}
	n->child_count = kept;
	n->first = NULL;
	rebuild_slots(n);
}

void path_fold_as(struct path_tree *t, struct path_node *n, uint8_t folded, int depth)
{
	for (int class = 0; class < CLASSES; class++)
		if (folded & ~n->folded & 1 << class)
			fold(t, n, class, depth);
}

struct path_node *path_child(struct path_tree *t, struct path_node *n, struct key key, uint64_t key_hash, int depth)
{
	struct path_node *child = find(n, key, key_hash);
	int class;

	if (child)
		return child;
	class = class_of(t, key);
	if (class >= 0 && (path_key_is_data(key) || n->folded & 1 << class))
		return path_star(t, n);
	child = new_node(t, n, PATH_FIELD, key, hash_join(n->hash, key_hash));
	child->watched = !depth && (key_is(key, "schemaVersion") || key_is(key, "schema_version"));
	adopt(n, child);
	if (class < 0 || ++n->distinct[class] <= limit(t, depth))
		return child;
	fold(t, n, class, depth);
	return n->star;
}

struct path_type *path_type_of(struct path_node *n, uint8_t type)
{
	for (uint32_t i = 0; i < n->type_count; i++)
		if (n->types[i].type == type)
			return &n->types[i];
	n->types = memory_resize(n->types, n->type_count + 1, sizeof *n->types);
	n->types[n->type_count] = (struct path_type){ .type = type, .first = { .position = -1 } };
	return &n->types[n->type_count++];
}

struct path_lengths *path_lengths_of(struct path_node *n)
{
	if (!n->lengths)
		n->lengths = memory_allocate_zeroed(1, sizeof *n->lengths);
	return n->lengths;
}

/* Stricter folding */

static void fold_again(struct path_tree *t, struct path_node *n, int depth)
{
	for (int class = 0; class < CLASSES; class++)
		if (n->distinct[class] > limit(t, depth))
			fold(t, n, class, depth);
	for (uint32_t i = 0; i < n->child_count; i++)
		fold_again(t, n->children[i], depth + 1);
}

void path_tree_bound(struct path_tree *t)
{
	int64_t paths = distinct_figure(&t->paths).value;
	int before = t->strictness;

	while (paths > strictness[t->strictness].most_paths)
		t->strictness++;
	if (t->strictness > before)
		fold_again(t, t->root, 0);
}

/* The whole */

void path_tree_init(struct path_tree *t, const char *id_key)
{
	*t = (struct path_tree){ .id_key = memory_duplicate_text(id_key ? id_key : "_id"), .deepest = { .position = -1 } };
	t->root = new_node(t, NULL, PATH_DOCUMENTS, key_of(""), 0);
}

void path_tree_clear(struct path_tree *t)
{
	if (t->root)
		path_free_node(t, t->root);
	bytes_clear(&t->deepest.id);
	distinct_clear(&t->paths);
	free(t->id_key);
	*t = (struct path_tree){ 0 };
}

static int most_bytes_first(const void *a, const void *b)
{
	const struct path_node *x = *(struct path_node *const *)a, *y = *(struct path_node *const *)b;
	int order;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	order = memcmp(x->key, y->key, (x->key_size < y->key_size ? x->key_size : y->key_size) + 1);
	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static int most_frequent_first(const void *a, const void *b)
{
	const struct path_type *x = a, *y = b;

	return x->count != y->count ? (x->count > y->count ? -1 : 1) : x->type - y->type;
}

/* One key that looks like data and has no others beside it is a field like any. */
static void unfold(struct path_node *n)
{
	if (n->keys.registers || n->keys.count != 1)
		return;
	n->kind = PATH_FIELD;
	n->parent->star = NULL;
	free(n->key);
	n->key_size = (uint32_t)n->example.size;
	n->key = bytes_take_text(&n->example);
	distinct_clear(&n->keys);
}

/* `merged`: what was counted before keys were folded cannot tell in how many documents they are together. */
static void finish(struct path_node *n, bool merged)
{
	if (n->kind == PATH_FOLDED) {
		merged = merged || n->parent->folded;
		unfold(n);
	}
	if (merged)
		n->documents = -1;
	for (uint32_t i = 0; i < n->child_count; i++) {
		finish(n->children[i], merged);
		field_parts_add(&n->parts, &n->children[i]->parts);
	}
	n->bytes = field_parts_sum(&n->parts);
	n->largest.value = n->largest_bytes;
	if (n->child_count)
		qsort(n->children, n->child_count, sizeof *n->children, most_bytes_first);
	if (n->type_count)
		qsort(n->types, n->type_count, sizeof *n->types, most_frequent_first);
	free(n->slots); /* the order is another */
	n->slots = NULL;
	n->slot_count = 0;
}

void path_tree_finish(struct path_tree *t)
{
	assert(!t->finished);
	path_tree_bound(t);
	finish(t->root, false);
	t->finished = true;
}

const struct path_node *path_node_child(const struct path_node *n, enum path_kind kind, struct key key)
{
	for (uint32_t i = 0; i < n->child_count; i++)
		if (n->children[i]->kind == kind && (kind != PATH_FIELD || has_key(n->children[i], key)))
			return n->children[i];
	return NULL;
}
