/* Which order index scans give, and how a scan of several points is taken apart into scans that give one. */
#include <string.h>

#include "engine/plan_solution.h"

/* More scans than this are not merged: internalQueryMaxScansToExplode of MongoDB. */
enum { SCANS_LIMIT = 200 };

static bool is_descending(struct value direction)
{
	return value_as_double(direction) < 0;
}

static bool is_point(const struct solution *s, size_t f)
{
	const struct intervals *list = &s->bounds.fields[f];

	return list->count == 1 && interval_is_point(&list->items[0]) && !s->index->fields[f].array_components;
}

/* A field that has one value only has every order. */
static bool is_constant(const struct solution *s, struct key name)
{
	for (size_t f = 0; f < s->bounds.field_count; f++)
		if (is_point(s, f) && key_is(name, s->index->fields[f].path.text))
			return true;
	return false;
}

/*
 * The least entry of a document with arrays comes first, as its sort key demands, only when the scan leaves none of
 * them out: the bounds of this field, and of every field that goes through the same arrays, must hold everything.
 */
static bool arrays_allow(const struct solution *s, size_t f)
{
	const struct index_field *field = &s->index->fields[f];

	if (!field->array_components)
		return true;
	for (size_t n = 0; n < s->bounds.field_count; n++) {
		const struct index_field *other = &s->index->fields[n];

		if (!intervals_are_all(&s->bounds.fields[n]) &&
		    (n == f || path_shares_array(&field->path, &other->path, field->array_components)))
			return false;
	}
	return true;
}

/* Matches the sort with the index's fields, in one direction or the other. */
static bool gives_sort(const struct solution *s, struct value sort, bool *backward)
{
	const struct index *i = s->index;
	bool decided = false;
	size_t f = 0;
	struct walk w;
	struct field part;

	*backward = false;
	walk_begin(&w, sort);
	while (walk_next(&w, &part)) {
		bool against;

		if (is_constant(s, part.key))
			continue;
		while (f < i->field_count && is_point(s, f))
			f++;
		if (f == i->field_count || !key_is(part.key, i->fields[f].path.text) || !arrays_allow(s, f))
			return false;
		against = is_descending(part.value) != i->fields[f].descending;
		if (decided && against != *backward)
			return false;
		*backward = against;
		decided = true;
		f++;
	}
	return true;
}

/* The index's fields from `first` on begin with the sort, or with its reverse (*backward). */
static bool index_continues_with_sort(const struct index *i, size_t first, struct value sort, bool *backward)
{
	bool decided = false;
	size_t f = first;
	struct walk w;
	struct field part;

	*backward = false;
	walk_begin(&w, sort);
	while (walk_next(&w, &part)) {
		bool against;

		if (f == i->field_count || !key_is(part.key, i->fields[f].path.text))
			return false;
		against = is_descending(part.value) != i->fields[f].descending;
		if (decided && against != *backward)
			return false;
		*backward = against;
		decided = true;
		f++;
	}
	return f > first;
}

bool index_begins_with_sort(const struct index *i, struct value sort)
{
	bool backward;

	return index_continues_with_sort(i, 0, sort, &backward);
}

/* Fields at the beginning whose bounds are points, several perhaps. */
static size_t count_point_fields(const struct solution *s)
{
	size_t f = 0;

	while (f < s->bounds.field_count && intervals_are_points(&s->bounds.fields[f]))
		f++;
	return f;
}

/* The index's fields from the first on are the sort, or its reverse, and none of them ever held an array. */
static bool rest_gives_sort(const struct index *i, size_t first, struct value sort, bool *backward)
{
	for (size_t f = first; f < i->field_count; f++)
		if (i->fields[f].array_components)
			return false;
	return first < i->field_count && index_continues_with_sort(i, first, sort, backward);
}

static size_t count_scans(const struct solution *s, size_t fields)
{
	size_t count = 1;

	for (size_t f = 0; f < fields && count <= SCANS_LIMIT; f++)
		count *= s->bounds.fields[f].count;
	return count;
}

/* How many scans of one point each the solution can be taken apart into, each in the order of the sort; 0: it cannot. */
static size_t scans_in_order(const struct solution *s, struct value sort)
{
	size_t fields = count_point_fields(s);
	bool backward;

	if (s->access != ACCESS_INDEX || !fields || !rest_gives_sort(s->index, fields, sort, &backward))
		return 0;
	return count_scans(s, fields);
}

/* Number `n` of those scans: the last field's points turn fastest. */
static struct solution nth_scan(const struct solution *s, size_t n, struct value sort, struct arena *a)
{
	struct solution scan = *s;
	size_t fields = count_point_fields(s);

	scan.bounds.fields = arena_duplicate(a, s->bounds.fields, s->bounds.field_count * sizeof *s->bounds.fields);
	for (size_t f = 0; f < s->bounds.field_count; f++) {
		struct intervals *list = &scan.bounds.fields[f];

		list->items = arena_duplicate(a, list->items, list->count * sizeof *list->items);
		list->capacity = list->count;
	}
	for (size_t f = fields; f-- > 0;) {
		struct intervals *list = &scan.bounds.fields[f];

		list->items[0] = list->items[n % list->count];
		n /= list->count;
		list->count = 1;
	}
	rest_gives_sort(s->index, fields, sort, &scan.backward);
	bounds_align(&scan.bounds, scan.index, scan.backward, a);
	return scan;
}

/*
 * Takes the scans of `from` apart, each with the filters of the one that it came from; `s`, which may be `from`'s owner,
 * merges them.
 */
static void merge_parts(struct solution *s, const struct solution *from, size_t count, size_t total, struct value sort,
                        struct arena *a)
{
	struct solution *parts = arena_allocate(a, total * sizeof *parts);
	size_t made = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t n = 0, scans = scans_in_order(&from[i], sort); n < scans; n++)
			parts[made++] = nth_scan(&from[i], n, sort, a);
	s->access = ACCESS_UNION;
	s->branches = parts;
	s->branch_count = made;
	s->merges = s->provides_sort = true;
}

/* One scan of several points: the filter that its documents must pass stands over the merge. */
static bool explode_scan(struct solution *s, struct value sort, struct arena *a)
{
	struct solution scan = *s;
	size_t total = scans_in_order(s, sort);

	s->too_many_scans = total > SCANS_LIMIT;
	if (!total || s->too_many_scans)
		return false;
	scan.fetch_filter = NULL;
	merge_parts(s, &scan, 1, total, sort, a);
	return true;
}

static bool explode_union(struct solution *s, struct value sort, struct arena *a)
{
	size_t total = 0;

	if (s->fetch_filter) /* MongoDB takes apart what stands at the root only */
		return false;
	for (size_t i = 0; i < s->branch_count; i++) {
		size_t scans = scans_in_order(&s->branches[i], sort);

		if (!scans)
			return false;
		total += scans;
	}
	s->too_many_scans = total > SCANS_LIMIT;
	if (s->too_many_scans)
		return false;
	merge_parts(s, s->branches, s->branch_count, total, sort, a);
	return true;
}

/* Every branch has the order by itself, forward. */
static bool all_give_sort(const struct solution *s, struct value sort)
{
	bool backward;

	for (size_t i = 0; i < s->branch_count; i++)
		if (s->branches[i].access != ACCESS_INDEX || !gives_sort(&s->branches[i], sort, &backward) || backward)
			return false;
	return true;
}

static void finish_union(struct solution *s, struct value sort, struct arena *a)
{
	if (!value_is_missing(sort) && all_give_sort(s, sort))
		s->merges = s->provides_sort = true;
	else if (!value_is_missing(sort) && explode_union(s, sort, a))
		return;
	for (size_t i = 0; i < s->branch_count; i++)
		solution_finish(&s->branches[i], value_missing(), a);
}

void solution_finish(struct solution *s, struct value sort, struct arena *a)
{
	bool backward = false;

	s->provides_sort = value_is_missing(sort) || s->access == ACCESS_ID;
	if (s->access == ACCESS_UNION) {
		finish_union(s, sort, a);
		return;
	}
	if (s->access != ACCESS_INDEX)
		return;
	if (!value_is_missing(sort) && gives_sort(s, sort, &backward)) {
		s->provides_sort = true;
		s->backward = backward;
	} else if (!value_is_missing(sort) && explode_scan(s, sort, a)) {
		return;
	}
	bounds_align(&s->bounds, s->index, s->backward, a);
}
