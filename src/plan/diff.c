#include "plan/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Beyond so many stages a side they are paired in their order: the table of all pairs would be too large. */
enum { ALIGNED_LIMIT = 1500 };

struct listed {
	const struct plan_node *node;
	const char *role;
	int depth;
};

struct list {
	struct listed *items;
	size_t count, capacity;
};

/* Stages that do the same in different ways. */
static const struct {
	const char *stage, *role;
} roles[] = {
	{ "COLLSCAN", "access" },        { "IXSCAN", "access" },        { "IDHACK", "access" },
	{ "EXPRESS_IXSCAN", "access" },  { "EXPRESS_CLUSTERED_IXSCAN", "access" },
	{ "CLUSTERED_IXSCAN", "access" }, { "COUNT_SCAN", "access" },   { "DISTINCT_SCAN", "access" },
	{ "BasicCursor", "access" },     { "BtreeCursor", "access" },   { "SORT", "sort" },
	{ "$sort", "sort" },             { "GROUP", "group" },          { "$group", "group" },
	{ "EQ_LOOKUP", "$lookup" },      { "EQ_LOOKUP_UNWIND", "$lookup" },
};

static const char *role_of(const char *stage)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (!strcmp(stage, roles[i].stage))
			return roles[i].role;
	return !strncmp(stage, "PROJECTION", 10) ? "projection" : stage;
}

static void add_listed(void *context, const struct plan_node *n, int depth)
{
	struct list *l = context;

	l->items = memory_grow(l->items, &l->capacity, l->count + 1, sizeof *l->items);
	l->items[l->count++] = (struct listed){ n, role_of(n->stage), depth };
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_figure(struct figure a, struct figure b)
{
	return figure_known(a) == figure_known(b) && (!figure_known(a) || a.value == b.value);
}

static bool differs(const struct plan_node *a, const struct plan_node *b)
{
	return !a || !b || strcmp(a->stage, b->stage) || !same_text(a->index, b->index) || !same_text(a->bounds, b->bounds) ||
	       !same_text(a->filter, b->filter) || !same_text(a->detail, b->detail) || !same_figure(a->docs, b->docs) ||
	       !same_figure(a->keys, b->keys) || !same_figure(a->returned, b->returned) ||
	       !same_figure(a->collection_scans, b->collection_scans);
}

static void add_pair(struct plan_diff *d, const struct listed *a, const struct listed *b)
{
	d->pairs = memory_room(d->pairs, d->count, sizeof *d->pairs);
	d->pairs[d->count++] = (struct plan_pair){ a ? a->node : NULL, b ? b->node : NULL, a ? a->depth : 0, b ? b->depth : 0,
		                                   differs(a ? a->node : NULL, b ? b->node : NULL) };
}

/* Longest common subsequence of the roles. */
static void align(struct plan_diff *d, const struct list *a, const struct list *b)
{
	size_t width = b->count + 1, i = 0, j = 0;
	uint16_t *length = memory_allocate_zeroed((a->count + 1) * width, sizeof *length);

	for (size_t x = a->count; x-- > 0;)
		for (size_t y = b->count; y-- > 0;) {
			uint16_t down = length[(x + 1) * width + y], right = length[x * width + y + 1];

			length[x * width + y] = !strcmp(a->items[x].role, b->items[y].role)
				? (uint16_t)(length[(x + 1) * width + y + 1] + 1)
				: down >= right ? down : right;
		}
	while (i < a->count || j < b->count) {
		bool both = i < a->count && j < b->count;

		if (both && !strcmp(a->items[i].role, b->items[j].role))
			add_pair(d, &a->items[i++], &b->items[j++]);
		else if (i < a->count && (!both || length[(i + 1) * width + j] >= length[i * width + j + 1]))
			add_pair(d, &a->items[i++], NULL);
		else
			add_pair(d, NULL, &b->items[j++]);
	}
	free(length);
}

void plan_diff_make(const struct plan_tree *a, const struct plan_tree *b, struct plan_diff *d)
{
	struct list first = { NULL, 0, 0 }, second = { NULL, 0, 0 };

	*d = (struct plan_diff){ NULL, 0 };
	plan_tree_walk(a, add_listed, &first);
	plan_tree_walk(b, add_listed, &second);
	if (first.count <= ALIGNED_LIMIT && second.count <= ALIGNED_LIMIT)
		align(d, &first, &second);
	else
		for (size_t i = 0; i < first.count || i < second.count; i++)
			add_pair(d, i < first.count ? &first.items[i] : NULL, i < second.count ? &second.items[i] : NULL);
	free(first.items);
	free(second.items);
}

void plan_diff_clear(struct plan_diff *d)
{
	free(d->pairs);
	*d = (struct plan_diff){ NULL, 0 };
}

static const char *text_of(struct figure f, char buffer[48])
{
	return figure_format(f, true, buffer, 48);
}

static void compare(struct bytes *out, const char *what, struct figure a, struct figure b)
{
	char first[48], second[48];

	if (!figure_known(a) && !figure_known(b))
		return;
	if (out->size)
		bytes_append_text(out, "; ");
	if (!figure_known(a) || !figure_known(b))
		bytes_format(out, "%s %s and %s: one is not known", what, text_of(a, first), text_of(b, second));
	else if (a.value == b.value && !a.at_least && !b.at_least)
		bytes_format(out, "%s %s in both", what, text_of(a, first));
	else
		bytes_format(out, "%s %s -> %s", what, text_of(a, first), text_of(b, second));
}

void plan_diff_verdict(const struct plan_tree *a, const struct plan_tree *b, bool same_data, struct bytes *out)
{
	struct bytes text = BYTES_INIT;

	compare(&text, "docs examined", a->total.docs, b->total.docs);
	compare(&text, "keys examined", a->total.keys, b->total.keys);
	compare(&text, "returned", a->returned, b->returned);
	if (!text.size)
		bytes_append_text(&text, "nothing was counted in either plan");
	else if (same_data && figure_known(a->returned) && figure_known(b->returned) && a->returned.value != b->returned.value)
		bytes_append_text(&text, ": they do not answer the same question, or not on the same data");
	bytes_append(out, text.data, text.size);
	bytes_clear(&text);
}
