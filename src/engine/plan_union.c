/* $or by indexes: each branch by one of its own, the union of what they find. */
#include <string.h>

#include "engine/plan_solution.h"

/* As many combinations of the branches' indexes as MongoDB considers for a $or. */
enum { UNIONS_LIMIT = 10 };

void solutions_add_union(struct solutions *list, struct arena *a, const struct solution *branches, size_t count,
                         const struct match *filter)
{
	struct solution *s = solutions_add(list, a, ACCESS_UNION);

	s->fetch_filter = filter;
	s->branches = arena_allocate(a, count * sizeof *s->branches);
	memcpy(s->branches, branches, count * sizeof *s->branches);
	s->branch_count = count;
}

/* The bounds are ordered and aligned in place, once: each solution has its own. */
static struct solution copy_of(const struct solution *s, struct arena *a)
{
	struct solution copy = *s;

	if (s->access == ACCESS_UNION) {
		copy.branches = arena_allocate(a, s->branch_count * sizeof *copy.branches);
		for (size_t i = 0; i < s->branch_count; i++)
			copy.branches[i] = copy_of(&s->branches[i], a);
		return copy;
	}
	copy.bounds.fields = arena_allocate(a, s->bounds.field_count * sizeof *copy.bounds.fields);
	for (size_t f = 0; f < s->bounds.field_count; f++) {
		const struct intervals *list = &s->bounds.fields[f];

		copy.bounds.fields[f] = (struct intervals){ NULL, list->count, list->count };
		if (list->count)
			copy.bounds.fields[f].items = arena_duplicate(a, list->items, list->count * sizeof *list->items);
	}
	return copy;
}

/* The next combination, the first branch turning fastest; false after the last. */
static bool turn(size_t *chosen, const struct solutions *branches, size_t count)
{
	for (size_t b = 0; b < count; b++) {
		if (++chosen[b] < branches[b].count)
			return true;
		chosen[b] = 0;
	}
	return false;
}

/* The other parts of a conjunction; null when the filter is the $or itself. */
static const struct match *without(const struct match *filter, const struct match *or, struct arena *a)
{
	struct match *rest;

	if (filter == or)
		return NULL;
	rest = arena_allocate(a, sizeof *rest);
	*rest = (struct match){ .kind = MATCH_AND };
	rest->children = arena_allocate(a, filter->child_count * sizeof *rest->children);
	for (size_t i = 0; i < filter->child_count; i++)
		if (filter->children[i] != or)
			rest->children[rest->child_count++] = filter->children[i];
	return rest->child_count == 1 ? rest->children[0] : rest;
}

static void add_unions(struct solutions *list, const struct collection *c, const struct match *filter,
                       const struct match *or, const struct match *whole, struct index *only, struct arena *a)
{
	struct solutions *branches = arena_allocate(a, or->child_count * sizeof *branches);
	size_t *chosen = arena_allocate(a, or->child_count * sizeof *chosen);
	struct solution *parts = arena_allocate(a, or->child_count * sizeof *parts);
	const struct match *rest = without(filter, or, a);
	int made = 0;

	memset(branches, 0, or->child_count * sizeof *branches);
	memset(chosen, 0, or->child_count * sizeof *chosen);
	for (size_t b = 0; b < or->child_count; b++) {
		solutions_from_indexes(&branches[b], c, or->children[b], whole, only, a);
		if (!branches[b].count)
			return;
	}
	do {
		for (size_t b = 0; b < or->child_count; b++)
			parts[b] = copy_of(&branches[b].items[chosen[b]], a);
		solutions_add_union(list, a, parts, or->child_count, rest);
	} while (++made < UNIONS_LIMIT && turn(chosen, branches, or->child_count));
}

void solutions_from_or(struct solutions *list, const struct collection *c, const struct match *filter,
                       const struct match *whole, struct index *only, struct arena *a)
{
	if (filter->kind == MATCH_OR)
		add_unions(list, c, filter, filter, whole, only, a);
	for (size_t i = 0; filter->kind == MATCH_AND && i < filter->child_count; i++)
		if (filter->children[i]->kind == MATCH_OR)
			add_unions(list, c, filter, filter->children[i], whole, only, a);
}

void solutions_from_indexes(struct solutions *list, const struct collection *c, const struct match *filter,
                            const struct match *whole, struct index *only, struct arena *a)
{
	for (size_t i = 0; i < c->index_count; i++)
		if (!only || only == c->indexes[i])
			solutions_from_filter(list, c->indexes[i], filter, whole, a);
	solutions_from_or(list, c, filter, whole, only, a);
}
