/*
 * Plans of a distinct command that look at one entry of an index for each value. Source:
 * https://github.com/mongodb/mongo, src/mongo/db/query/get_executor.cpp.
 */
#include <string.h>

#include "engine/plan_private.h"

/* A component that may be an array position leaves the index by another way than the command looks for values. */
static bool has_position(const char *field)
{
	struct path path;
	uint32_t position;
	bool has = false;

	path_parse(&path, key_of(field));
	for (size_t i = 0; i < path.count && !has; i++)
		has = path_key_is_index(path.keys[i], &position);
	path_clear(&path);
	return has;
}

/* Of several indexes that begin with the field the one with the fewest fields. */
static struct index *shortest_index(const struct collection *c, const char *field, const struct index *only)
{
	struct index *best = NULL;

	for (size_t i = 0; i < c->index_count; i++) {
		struct index *index = c->indexes[i];

		if ((!only || only == index) && !index->hidden && !index->filter && !strcmp(index->fields[0].path.text, field) &&
		    index_paths_are_apart(index) && (!best || index->field_count < best->field_count))
			best = index;
	}
	return best;
}

static bool has_field(const struct index *i, const char *field, size_t *position)
{
	for (*position = 0; *position < i->field_count; ++*position)
		if (!strcmp(i->fields[*position].path.text, field))
			return true;
	return false;
}

/* Nothing has to be tested on an entry: any of a value's will do. An array's entries are not the document's only value. */
static bool is_suitable(const struct solution *s, const char *field, size_t *position)
{
	return index_paths_are_apart(s->index) && !s->key_filter && !s->fetch_filter && has_field(s->index, field, position) &&
	       !s->index->fields[*position].array_components;
}

static bool add_filtered(struct solutions *list, const struct plan_request *r, const struct index *only, struct arena *a)
{
	struct solutions found = { NULL, 0, 0 };
	size_t position;

	for (size_t i = 0; i < r->collection->index_count; i++)
		if ((!only || only == r->collection->indexes[i]) && has_field(r->collection->indexes[i], r->distinct, &position))
			solutions_from_filter(&found, r->collection->indexes[i], r->filter, r->filter, a);
	for (size_t i = 0; i < found.count; i++) {
		struct solution *s = &found.items[i];

		if (!is_suitable(s, r->distinct, &position))
			continue;
		solution_finish(s, value_missing(), a);
		s->access = ACCESS_DISTINCT;
		s->distinct = position + 1;
		*solutions_add(list, a, ACCESS_DISTINCT) = *s;
		return true;
	}
	return false;
}

bool plan_add_distinct(struct solutions *list, const struct plan_request *r, const struct index *only, struct arena *a)
{
	struct index *index;

	if (has_position(r->distinct))
		return false;
	if (r->filter)
		return add_filtered(list, r, only, a);
	index = shortest_index(r->collection, r->distinct, only);
	if (!index)
		return false;
	solutions_add_whole(list, index, NULL, a);
	solution_finish(&list->items[0], value_missing(), a);
	list->items[0].access = ACCESS_DISTINCT;
	list->items[0].distinct = 1;
	return true;
}
