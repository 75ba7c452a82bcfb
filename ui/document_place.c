#include "ui/document_place.h"

static size_t largest_child(const struct document_tree *t, size_t node)
{
	size_t largest = 0;

	for (size_t i = node + 1; i < t->nodes[node].end; i = t->nodes[i].end)
		if (!largest || document_tree_bytes(t, i) > document_tree_bytes(t, largest))
			largest = i;
	return largest;
}

size_t document_place_fattest(const struct document_tree *t)
{
	size_t node = 0, next;

	while ((next = largest_child(t, node)) && 2 * document_tree_bytes(t, next) >= document_tree_bytes(t, node))
		node = next;
	return node;
}

static bool is_of(const struct document_tree *t, size_t node, const struct path_node *n)
{
	struct key key = { document_tree_key(t, node), t->nodes[node].key_size };

	if (n->kind == PATH_FIELD)
		return key_equal(key, path_node_key(n));
	return n->kind == PATH_ELEMENTS || !path_node_child(n->parent, PATH_FIELD, key);
}

enum { MOST_STEPS = VALUE_DEPTH_LIMIT + 8 };

struct search {
	const struct document_tree *tree;
	const struct path_node *steps[MOST_STEPS]; /* from the document down */
	int count;
	size_t found;
};

static void look(struct search *s, size_t node, int step)
{
	const struct document_tree *t = s->tree;
	const struct path_node *n;

	if (step == s->count) {
		if (!s->found || document_tree_bytes(t, node) > document_tree_bytes(t, s->found))
			s->found = node;
		return;
	}
	n = s->steps[step];
	if (t->nodes[node].type != (n->kind == PATH_ELEMENTS ? BSON_TYPE_ARRAY : BSON_TYPE_DOCUMENT))
		return;
	for (size_t i = node + 1; i < t->nodes[node].end; i = t->nodes[i].end)
		if (is_of(t, i, n))
			look(s, i, step + 1);
}

size_t document_place_of(const struct document_tree *t, const struct path_node *n)
{
	struct search s = { .tree = t };

	for (const struct path_node *up = n; up->parent; up = up->parent)
		s.count++;
	if (s.count > MOST_STEPS)
		return 0;
	for (int i = s.count; i > 0; n = n->parent)
		s.steps[--i] = n;
	look(&s, 0, 0);
	return s.found;
}
