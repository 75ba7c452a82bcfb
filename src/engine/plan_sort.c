/* Which order an index scan gives. */
#include <string.h>

#include "engine/plan_solution.h"

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

void solution_finish(struct solution *s, struct value sort, struct arena *a)
{
	bool backward = false;

	s->provides_sort = value_is_missing(sort) || s->access == ACCESS_ID;
	if (s->access != ACCESS_INDEX)
		return;
	if (!value_is_missing(sort) && gives_sort(s, sort, &backward)) {
		s->provides_sort = true;
		s->backward = backward;
	}
	bounds_align(&s->bounds, s->index, s->backward, a);
}

bool index_begins_with_sort(const struct index *i, struct value sort)
{
	bool decided = false, backward = false;
	size_t f = 0;
	struct walk w;
	struct field part;

	walk_begin(&w, sort);
	while (walk_next(&w, &part)) {
		bool against;

		if (f == i->field_count || !key_is(part.key, i->fields[f].path.text))
			return false;
		against = is_descending(part.value) != i->fields[f].descending;
		if (decided && against != backward)
			return false;
		backward = against;
		decided = true;
		f++;
	}
	return f > 0;
}
