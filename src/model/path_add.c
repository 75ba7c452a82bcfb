/*
 * A document is counted: every field of it, each in its node. This is the loop that all bytes go through. A field is
 * first expected to be the one that followed last time: then its name is compared once and not measured, and nothing
 * is looked up or allocated.
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "bson/scan.h"
#include "model/path_key.h"
#include "model/path_tree_private.h"

enum { ENVELOPE_BYTES = 5, CHECKED_LOOKUPS = 65536 }; /* a document's length and terminator */

struct counting {
	struct path_tree *tree;
	struct value document;
	int64_t position;
	uint64_t serial;
	uint64_t lookups; /* that changed the set of paths, maybe */
	int deepest;
	bool broken;
};

/* Where a field is counted, and the path as it would be without folding where that makes a difference (`merged`). */
struct place {
	struct path_node *node;
	uint64_t path;
	bool merged;
};

static struct value id_of(const struct counting *c)
{
	return value_get(c->document, c->tree->id_key);
}

static __attribute__((noinline)) void set_largest(struct counting *c, struct path_node *n, int64_t bytes)
{
	n->largest_bytes = bytes;
	path_mark_set(&n->largest, bytes, c->position, id_of(c));
}

static __attribute__((noinline)) struct path_type *other_type(struct counting *c, struct path_node *n, uint8_t type)
{
	struct path_type *t = path_type_of(n, type);

	if (!t->count && path_mark_is_beaten(&t->first, 0, c->position))
		path_mark_set(&t->first, 0, c->position, id_of(c));
	return t;
}

static __attribute__((noinline)) void keep_value(struct path_node *n, struct value v)
{
	if (!n->values)
		n->values = memory_allocate_zeroed(1, sizeof *n->values);
	path_values_add(n->values, v, 1);
}

static void count_container(struct counting *c, struct place at, struct value v, int depth);

/* `bytes`: with type byte and name. */
static inline void count_value(struct counting *c, struct place at, struct value v, int64_t bytes, int depth)
{
	struct path_node *n = at.node;
	struct path_type *t = n->types;

	n->count++;
	if (n->seen_in != c->serial) {
		n->seen_in = c->serial;
		n->documents++;
	}
	if (bytes > n->largest_bytes)
		set_largest(c, n, bytes);
	if (!n->type_count || t->type != v.type)
		t = other_type(c, n, v.type);
	t->count++;
	if (n->watched)
		keep_value(n, v);
	if ((v.type == BSON_TYPE_DOCUMENT || v.type == BSON_TYPE_ARRAY) && depth < VALUE_DEPTH_LIMIT)
		count_container(c, at, v, depth + 1);
	else
		n->parts.values += v.size_bytes;
}

static inline bool is_named(const struct path_node *n, const uint8_t *name, const uint8_t *end)
{
	if (end - name >= 8) {
		if ((scan_word(name) ^ n->word) & n->mask)
			return false;
		if (n->key_size < 8)
			return true;
	}
	return end - name > (int64_t)n->key_size && !memcmp(name, n->key, n->key_size + 1);
}

/* The field that followed last time, or the one behind it: one that not all documents have may be left out. */
static inline struct path_node *expected(struct path_node *guess, const uint8_t *name, const uint8_t *end)
{
	if (!guess || is_named(guess, name, end))
		return guess;
	guess = guess->follower;
	return guess && is_named(guess, name, end) ? guess : NULL;
}

static __attribute__((noinline)) struct place look_up(struct counting *c, struct place above, struct key key, int depth)
{
	struct path_node *n = above.node;
	uint64_t hash = hash_bytes(key.bytes, key.size_bytes), path = above.merged ? above.path : n->hash;
	struct path_node *child = path_child(c->tree, n, key, hash, depth - 1);
	bool folded = child->kind == PATH_FOLDED;

	if (folded)
		path_fold_key(child, key, hash);
	path = folded && path_key_is_data(key) ? path_hash_star(path) : hash_join(path, hash);
	distinct_add(&c->tree->paths, path);
	c->lookups++;
	return (struct place){ child, path, above.merged || (folded && n->folded) };
}

static void remain(struct counting *c, struct path_node *n, int64_t bytes)
{
	c->broken = true;
	n->parts.values += bytes;
}

static void count_fields(struct counting *c, struct place above, struct value v, int depth)
{
	const uint8_t *at = v.bytes + 4, *end = v.bytes + v.size_bytes, *terminator = end - 1;
	struct path_node *n = above.node, *previous = NULL;

	while (at < terminator && *at) {
		uint8_t type = *at;
		const uint8_t *name = at + 1, *payload;
		struct path_node *child = above.merged ? NULL : expected(previous ? previous->follower : n->first, name, end);
		struct place place = { child, 0, false };
		int64_t size;

		payload = child ? name + child->key_size + 1 : scan_name(name, end);
		size = payload ? scan_payload(type, payload, terminator) : -1;
		if (size < 0)
			break;
		if (!child) {
			place = look_up(c, above, (struct key){ (const char *)name, (uint32_t)(payload - 1 - name) }, depth);
			child = place.node;
			/* without a first one folding may have taken the previous */
			if (child->kind == PATH_FIELD)
				*(previous && n->first ? &previous->follower : &n->first) = child;
		}
		child->parts.names += payload - name;
		child->parts.frames++;
		count_value(c, place, (struct value){ payload, (uint32_t)size, type }, payload + size - at, depth);
		previous = child;
		at = payload + size;
	}
	if (at != terminator)
		remain(c, n, end - at - 1);
}

static void count_elements(struct counting *c, struct place above, struct value v, int depth)
{
	const uint8_t *at = v.bytes + 4, *end = v.bytes + v.size_bytes, *terminator = end - 1;
	struct path_node *n = above.node;
	struct place place = { NULL, 0, above.merged };
	struct path_mark *longest;
	int64_t length = 0;

	while (at < terminator && *at) {
		uint8_t type = *at;
		const uint8_t *payload = scan_name(at + 1, end);
		int64_t size = payload ? scan_payload(type, payload, terminator) : -1;

		if (size < 0)
			break;
		if (!place.node) {
			place.node = path_elements(c->tree, n);
			place.path = path_hash_elements(above.merged ? above.path : n->hash);
			if (!n->elements->count || above.merged)
				distinct_add(&c->tree->paths, place.path);
		}
		place.node->parts.arrays += payload - at;
		count_value(c, place, (struct value){ payload, (uint32_t)size, type }, payload + size - at, depth);
		at = payload + size;
		length++;
	}
	if (at != terminator)
		remain(c, n, end - at - 1);
	longest = path_lengths_add(path_lengths_of(n), length, c->position);
	if (longest)
		path_mark_set(longest, length, c->position, id_of(c));
}

static void count_container(struct counting *c, struct place at, struct value v, int depth)
{
	if (depth > c->deepest)
		c->deepest = depth;
	if (v.type == BSON_TYPE_ARRAY) {
		at.node->parts.arrays += ENVELOPE_BYTES;
		count_elements(c, at, v, depth);
	} else {
		at.node->parts.frames += ENVELOPE_BYTES;
		count_fields(c, at, v, depth);
	}
}

void path_tree_add(struct path_tree *t, struct value document, int64_t position)
{
	struct counting c = { .tree = t, .document = document, .position = position, .serial = ++t->serial };

	assert(!t->finished);
	count_value(&c, (struct place){ t->root, t->root->hash, false }, document, document.size_bytes, 0);
	t->broken += c.broken;
	if (c.deepest > t->deepest.value)
		path_mark_set(&t->deepest, c.deepest, position, id_of(&c));
	t->lookups += c.lookups;
	if (t->lookups > CHECKED_LOOKUPS) {
		t->lookups = 0;
		path_tree_bound(t);
	}
}
