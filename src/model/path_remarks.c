#include "model/path_remarks.h"

#include <string.h>

#include "model/growth.h"

struct remarking {
	const struct paths *paths;
	int64_t limit_bytes;
	struct path_remarks *remarks;
	int64_t names, saved;
};

static struct figure estimated(int64_t value)
{
	return figure_of(value, PROVENANCE_ESTIMATED);
}

/* The largest occurrences stay. */
static void add(struct path_remarks *r, struct path_growing g)
{
	size_t i;

	if (r->growing_count == PATH_GROWING_MOST) {
		r->growing_left_out++;
		if (g.bytes <= r->growing[PATH_GROWING_MOST - 1].bytes)
			return;
		r->growing_count--;
	}
	for (i = r->growing_count++; i > 0 && r->growing[i - 1].bytes < g.bytes; i--)
		r->growing[i] = r->growing[i - 1];
	r->growing[i] = g;
}

/* Bytes that `count` elements have in digits of their indexes. */
static int64_t digits(int64_t count)
{
	return growth_bytes(0, GROWTH_ELEMENT_OVERHEAD, count) - count * (GROWTH_ELEMENT_OVERHEAD - 1);
}

/* How many more of the usual element fit into the largest document, were the longest array in it. */
static struct figure more_elements(const struct remarking *m, const struct path_node *array, int64_t longest)
{
	const struct path_node *elements = array->elements;
	const struct path_lengths *l = array->lengths;
	int64_t indexes = l->arrays * digits(l->elements / l->arrays), element, base;

	if (!elements || !elements->count || elements->bytes <= indexes)
		return figure_unknown();
	element = 1 + (elements->bytes - indexes + elements->count / 2) / elements->count; /* 1: the index 0 */
	base = m->paths->tree.root->largest_bytes - growth_bytes(0, element, longest);
	return estimated(growth_fits(base > 5 ? base : 5, element, m->limit_bytes) - longest);
}

static void look_at_array(struct remarking *m, const struct path_node *n)
{
	const struct path_mark *longest = &n->lengths->longest[0];

	if (longest->value < GROWING_ELEMENTS)
		return;
	add(m->remarks, (struct path_growing){ .node = n, .by = GROWS_BY_ELEMENTS, .most = paths_largest(m->paths, longest->value),
	                                       .where = longest, .bytes = n->largest_bytes,
	                                       .more_fit = more_elements(m, n, longest->value) });
}

/* Keys are not counted document by document: those of the largest one are as many as its bytes have room for. */
static void look_at_keys(struct remarking *m, const struct path_node *n)
{
	const struct path_node *star = n->star;
	int64_t left = m->limit_bytes - m->paths->tree.root->largest_bytes, key;
	struct figure most;

	if (!star->count)
		return;
	key = star->bytes / star->count;
	most = n->count == 1 ? paths_largest(m->paths, star->count) : estimated(key ? n->largest_bytes / key : 0);
	if (!key || most.value < GROWING_KEYS)
		return;
	add(m->remarks, (struct path_growing){ .node = n, .by = GROWS_BY_KEYS, .most = most, .where = &n->largest,
	                                       .bytes = n->largest_bytes, .more_fit = estimated(left > 0 ? left / key : 0) });
}

static void look_at(struct remarking *m, const struct path_node *n, const char *id_key)
{
	if (n->kind == PATH_FIELD && n->parent && strcmp(n->key, "_id") != 0 && strcmp(n->key, id_key) != 0 && n->key_size > 1)
		m->saved += n->count * (n->key_size - 1);
	if (n->kind == PATH_FIELD)
		m->names += n->count * (n->key_size + 1);
	if (n->lengths)
		look_at_array(m, n);
	if (n->star)
		look_at_keys(m, n);
	if (!n->child_count && n->largest_bytes >= GROWING_BYTES)
		add(m->remarks, (struct path_growing){ .node = n, .by = GROWS_BY_BYTES, .most = paths_largest(m->paths, n->largest_bytes),
		                                       .where = &n->largest, .bytes = n->largest_bytes,
		                                       .more_fit = figure_unknown() });
	for (uint32_t i = 0; i < n->child_count; i++)
		look_at(m, n->children[i], id_key);
}

void path_remarks_make(const struct paths *p, int64_t limit_bytes, struct path_remarks *r)
{
	struct remarking m = { .paths = p, .limit_bytes = limit_bytes, .remarks = r };

	*r = (struct path_remarks){ 0 };
	look_at(&m, p->tree.root, p->tree.id_key);
	r->names = paths_figure(p, m.names);
	r->names_saved = paths_figure(p, m.saved);
}

const char *path_growth_name(enum path_growth by)
{
	static const char *const names[] = { "array", "keys", "value" };

	return names[by];
}
