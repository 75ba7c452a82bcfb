#include "engine/plan_solution.h"

#include <string.h>

/* A predicate on one path that bounds can be built from. */
struct predicate {
	const struct match *node;
	const struct match *part;       /* the part of the filter's conjunction that it is or lies in */
	const struct match *elements;   /* the innermost $elemMatch around it; null: none */
	size_t element_components;      /* path components up to that $elemMatch's array, it included */
	const char *path;
	bool used;
};

struct predicates {
	struct predicate *items;
	size_t count, capacity;
	struct arena *arena;
};

enum { CANDIDATES_A_INDEX = 8 };

static const char *join(struct arena *a, const char *prefix, const char *path)
{
	size_t prefix_size = strlen(prefix), size = strlen(path);
	char *text;

	if (!prefix_size)
		return path;
	text = arena_allocate(a, prefix_size + size + 2);
	memcpy(text, prefix, prefix_size);
	text[prefix_size] = '.';
	memcpy(text + prefix_size + 1, path, size + 1);
	return text;
}

static size_t component_count(const char *path)
{
	size_t count = 1;

	for (; *path; path++)
		count += *path == '.';
	return count;
}

static void add_predicate(struct predicates *list, struct predicate p)
{
	if (list->count == list->capacity) {
		struct predicate *old = list->items;

		list->capacity = list->capacity ? 2 * list->capacity : 8;
		list->items = arena_allocate(list->arena, list->capacity * sizeof *list->items);
		if (list->count)
			memcpy(list->items, old, list->count * sizeof *old);
	}
	list->items[list->count++] = p;
}

/* Finds the predicates of a conjunction, those inside of $elemMatch with their full paths. */
static void collect(struct predicates *list, const struct match *m, const struct match *part, const char *prefix,
                    const struct match *elements, int depth)
{
	const struct match *leaf = m->kind == MATCH_NOT ? m->children[0] : m;
	size_t element_components = *prefix ? component_count(prefix) : 0;

	if (depth > VALUE_DEPTH_LIMIT)
		return;
	if (m->kind == MATCH_AND) {
		for (size_t i = 0; i < m->child_count; i++)
			collect(list, m->children[i], part ? part : m->children[i], prefix, elements, depth + 1);
	} else if (m->kind == MATCH_ELEM_MATCH_OBJECT) {
		for (size_t i = 0; i < m->child_count; i++)
			collect(list, m->children[i], part ? part : m, join(list->arena, prefix, m->path.text), m,
			        depth + 1);
	} else if (leaf->path.count) {
		add_predicate(list, (struct predicate){ m, part ? part : m, elements, element_components,
		                                        join(list->arena, prefix, leaf->path.text), false });
	}
}

static struct bounds_field field_of(const struct index *i, size_t f)
{
	return (struct bounds_field){ i->fields[f].array_components != 0, i->sparse, i->field_count == 1 };
}

/* A component that may be an array position means two things at once: such a field is not used for bounds. */
static bool has_position(const struct path *p)
{
	uint32_t index;

	for (size_t i = 0; i < p->count; i++)
		if (path_key_is_index(p->keys[i], &index))
			return true;
	return false;
}

static bool usable(const struct predicate *p, const struct index *i, size_t f)
{
	return !p->used && !strcmp(p->path, i->fields[f].path.text) && !has_position(&i->fields[f].path) &&
	       bounds_can_use(p->node, field_of(i, f));
}

static uint32_t first_bits(size_t count)
{
	return count < 32 ? (UINT32_C(1) << count) - 1 : UINT32_MAX;
}

/* The components that two paths begin with in common, as bits. */
static uint32_t shared_components(const struct path *a, const struct path *b)
{
	size_t n = 0;

	while (n < a->count && n < b->count && key_equal(a->keys[n], b->keys[n]))
		n++;
	return first_bits(n);
}

bool path_shares_array(const struct path *a, const struct path *b, uint32_t arrays)
{
	return (shared_components(a, b) & arrays) != 0;
}

/*
 * Whether two predicates may bound the same entries. On paths that go through one array an entry stands for one
 * element, and two predicates may be met by two: unless one $elemMatch around both says that it is the same.
 */
static bool agree(const struct predicate *p, size_t p_field, const struct predicate *q, size_t q_field,
                  const struct index *i)
{
	const struct index_field *a = &i->fields[p_field], *b = &i->fields[q_field];
	uint32_t arrays = (a->array_components | b->array_components) & shared_components(&a->path, &b->path);

	if (!arrays)
		return true;
	return p->elements && p->elements == q->elements && !(arrays & ~first_bits(p->element_components));
}

/* The predicates that one solution takes for its index, with their fields. */
struct assignment {
	struct predicate **predicates;
	size_t *fields;
	size_t count;
};

static bool agrees_with_all(const struct assignment *taken, const struct predicate *p, size_t f, const struct index *i)
{
	for (size_t t = 0; t < taken->count; t++)
		if (!agree(taken->predicates[t], taken->fields[t], p, f, i))
			return false;
	return true;
}

static void take(struct assignment *a, struct predicate *p, size_t f)
{
	a->predicates[a->count] = p;
	a->fields[a->count++] = f;
	p->used = true;
}

/* The conjunction of the parts of the filter that are wanted; null when none is. */
static const struct match *conjunction(const struct match *filter, const bool *wanted, struct arena *a)
{
	size_t count = 0, parts = filter->kind == MATCH_AND ? filter->child_count : 1;
	struct match *and;

	for (size_t i = 0; i < parts; i++)
		count += wanted[i];
	if (!count)
		return NULL;
	if (count == parts)
		return filter;
	and = arena_allocate(a, sizeof *and);
	*and = (struct match){ .kind = MATCH_AND };
	and->children = arena_allocate(a, count * sizeof *and->children);
	for (size_t i = 0; i < parts; i++)
		if (wanted[i])
			and->children[and->child_count++] = filter->children[i];
	return count == 1 ? and->children[0] : and;
}

/* What the index has answered is left out of the filters; what its keys can answer goes before the fetch. */
static void build_solution(struct solutions *list, struct index *i, const struct match *filter,
                           const struct assignment *taken, struct arena *a)
{
	size_t parts = filter->kind == MATCH_AND ? filter->child_count : 1;
	struct solution *s = solutions_add(list, a, ACCESS_INDEX);
	bool *keys = arena_allocate(a, parts + 1), *fetch = arena_allocate(a, parts + 1);

	memset(keys, false, parts + 1);
	memset(fetch, true, parts + 1);
	s->index = i;
	s->bounds.field_count = i->field_count;
	s->bounds.fields = arena_allocate(a, i->field_count * sizeof *s->bounds.fields);
	memset(s->bounds.fields, 0, i->field_count * sizeof *s->bounds.fields);
	for (size_t f = 0; f < i->field_count; f++)
		intervals_add_all(&s->bounds.fields[f], a);
	for (size_t t = 0; t < taken->count; t++) {
		const struct predicate *p = taken->predicates[t];
		struct bounds_field field = field_of(i, taken->fields[t]);
		struct intervals *intervals = &s->bounds.fields[taken->fields[t]], own = { NULL, 0, 0 };
		enum tightness tightness = bounds_build(p->node, field, &own, a);

		*intervals = intervals_intersect(intervals, &own, a);
		for (size_t n = 0; n < parts; n++) {
			const struct match *part = filter->kind == MATCH_AND ? filter->children[n] : filter;

			if (part != p->part || p->elements)
				continue;
			keys[n] = tightness == BOUNDS_INEXACT_COVERED && !field.multikey;
			fetch[n] = tightness != BOUNDS_EXACT && !keys[n];
		}
	}
	s->key_filter = conjunction(filter, keys, a);
	s->fetch_filter = conjunction(filter, fetch, a);
}

/* All predicates on the index that agree with the first one, on the fields from the first on. */
static void solve_from(struct solutions *list, struct index *i, const struct match *filter,
                       struct predicates *predicates, struct predicate *first)
{
	struct assignment taken = {
		.predicates = arena_allocate(predicates->arena, (predicates->count + 1) * sizeof *taken.predicates),
		.fields = arena_allocate(predicates->arena, (predicates->count + 1) * sizeof *taken.fields),
	};

	for (size_t p = 0; p < predicates->count; p++)
		predicates->items[p].used = false;
	take(&taken, first, 0);
	for (size_t f = 0; f < i->field_count; f++)
		for (size_t p = 0; p < predicates->count; p++)
			if (usable(&predicates->items[p], i, f) && agrees_with_all(&taken, &predicates->items[p], f, i))
				take(&taken, &predicates->items[p], f);
	build_solution(list, i, filter, &taken, predicates->arena);
}

bool index_serves(const struct index *i, const struct match *filter)
{
	return !i->filter || (filter && match_implies(filter, i->filter));
}

void solutions_from_filter(struct solutions *list, struct index *i, const struct match *filter, const struct match *whole,
                           struct arena *a)
{
	struct predicates predicates = { NULL, 0, 0, a };
	bool *tried;
	int solved = 0;

	if (i->hidden || (!index_serves(i, filter) && !index_serves(i, whole)))
		return;
	collect(&predicates, filter, NULL, "", NULL, 0);
	tried = arena_allocate(a, predicates.count + 1);
	memset(tried, false, predicates.count + 1);
	for (size_t p = 0; p < predicates.count && solved < CANDIDATES_A_INDEX; p++) {
		predicates.items[p].used = false;
		if (tried[p] || !usable(&predicates.items[p], i, 0))
			continue;
		solve_from(list, i, filter, &predicates, &predicates.items[p]);
		solved++;
		for (size_t q = 0; q < predicates.count; q++)
			tried[q] |= predicates.items[q].used;
	}
}

struct solution *solutions_add(struct solutions *list, struct arena *a, enum access access)
{
	if (list->count == list->capacity) {
		struct solution *old = list->items;

		list->capacity = list->capacity ? 2 * list->capacity : 4;
		list->items = arena_allocate(a, list->capacity * sizeof *list->items);
		if (list->count)
			memcpy(list->items, old, list->count * sizeof *old);
	}
	list->items[list->count] = (struct solution){ .access = access };
	return &list->items[list->count++];
}

void solutions_add_whole(struct solutions *list, struct index *i, const struct match *filter, struct arena *a)
{
	struct assignment none = { NULL, NULL, 0 };
	struct match everything = { .kind = MATCH_AND };

	build_solution(list, i, filter ? filter : &everything, &none, a);
	list->items[list->count - 1].fetch_filter = filter;
}
