#include "engine/key_paths.h"

#include <string.h>

enum { CODE_AmbiguousPosition = 16746 };

/* How far one path has been followed. */
struct track {
	uint32_t at;         /* components followed; the path's count: done, `value` is final */
	bool through_array;  /* ended at the array that is being expanded */
	bool positional;     /* the next component is a position in that array: `selected` is what it leads to */
	bool nested;         /* … and the element at that position is an array itself */
	uint32_t selected_at;
	struct value value, selected;
};

/* Follows embedded documents until the path ends or meets an array. */
static struct value descend(struct value from, const struct path *path, uint32_t *at)
{
	struct value v = from;

	do {
		v = value_get_key(v, path->keys[(*at)++]);
	} while (*at < path->count && value_is_document(v));
	return *at == path->count || value_is_array(v) ? v : value_missing();
}

static struct value array_field(struct value array, struct key position)
{
	uint32_t index;

	return path_key_is_index(position, &index) ? value_get_key(array, position) : value_missing();
}

/* The next array or final value of a path below `from`: an element of the array expanded last, or the document. */
static bool follow(const struct key_paths *k, size_t i, struct track *t, struct value from, struct value *found,
                   bson_error_t *error)
{
	struct key next = k->paths[i]->keys[t->at];

	if (!t->positional) {
		*found = descend(from, k->paths[i], &t->at);
		return true;
	}
	if (!value_is_missing(value_get_key(from, next)))
		return error_set(error, ERROR_SERVER, CODE_AmbiguousPosition,
		                 "Ambiguous field name found in array (do not use numeric field names in embedded "
		                 "elements in an array), field: '%.*s'", (int)next.size_bytes, next.bytes);
	*found = t->selected;
	t->at = t->selected_at;
	return true;
}

static void note_array(const struct key_paths *k, size_t i, uint32_t component)
{
	if (k->array_components)
		k->array_components[i] |= UINT32_C(1) << (component < 31 ? component : 31);
}

static bool walk_level(const struct key_paths *k, const struct track *outer, struct value from, size_t missing_count,
                       bson_error_t *error);

static bool expand_element(const struct key_paths *k, const struct track *tracks, struct value element,
                           struct value whole, bool unembed, size_t missing_count, bson_error_t *error)
{
	struct track inner[KEY_PATHS_LIMIT];
	static const uint8_t empty[5] = { 5 };

	memcpy(inner, tracks, k->count * sizeof *inner);
	for (size_t i = 0; i < k->count; i++)
		if (inner[i].through_array && inner[i].at == k->paths[i]->count)
			inner[i].value = unembed ? element : whole;
	if (!value_is_document(element))
		element = (struct value){ empty, sizeof empty, BSON_TYPE_DOCUMENT };
	return walk_level(k, inner, element, missing_count, error);
}

/* Looks up the elements that paths select by position, and notes which paths are multikey here. */
static void enter_array(const struct key_paths *k, struct track *tracks, struct value array, bool unembed)
{
	for (size_t i = 0; i < k->count; i++) {
		struct track *t = &tracks[i];
		const struct path *path = k->paths[i];
		struct value element;

		if (!t->through_array)
			continue;
		if (t->at == path->count) {
			if (unembed)
				note_array(k, i, t->at - 1);
			continue;
		}
		element = array_field(array, path->keys[t->at]);
		if (value_is_missing(element)) {
			note_array(k, i, t->at - 1);
			continue;
		}
		t->positional = true;
		t->nested = value_is_array(element);
		t->selected_at = t->at;
		t->selected = descend(array, path, &t->selected_at);
	}
}

static bool expand(const struct key_paths *k, struct track *tracks, struct value array, bool unembed,
                   size_t missing_count, bson_error_t *error)
{
	static const struct value undefined = { (const uint8_t *)"", 0, BSON_TYPE_UNDEFINED };
	struct walk w;
	struct field f;
	bool any = false;

	enter_array(k, tracks, array, unembed);
	walk_begin(&w, array);
	while (walk_next(&w, &f)) {
		any = true;
		if (!expand_element(k, tracks, f.value, array, unembed, missing_count, error))
			return false;
	}
	return any || expand_element(k, tracks, undefined, array, true, missing_count, error);
}

static bool walk_level(const struct key_paths *k, const struct track *outer, struct value from, size_t missing_count,
                       bson_error_t *error)
{
	struct track tracks[KEY_PATHS_LIMIT];
	struct value values[KEY_PATHS_LIMIT], array = value_missing();
	struct key array_name = { "", 0 };
	bool unembed = true;

	for (size_t i = 0; i < k->count; i++) {
		const struct path *path = k->paths[i];
		struct track *t = &tracks[i];
		struct value found;
		struct key name;
		bool nested;

		*t = outer[i];
		t->through_array = false;
		if (t->at == path->count)
			continue;
		nested = t->positional && t->nested;
		if (!follow(k, i, t, from, &found, error))
			return false;
		t->positional = t->nested = false;
		if (!value_is_array(found)) {
			missing_count += value_is_missing(found);
			t->value = value_is_missing(found) ? value_null() : found;
			t->at = (uint32_t)path->count;
			continue;
		}
		name = path->keys[t->at - 1];
		if (value_is_missing(array)) {
			array = found;
			array_name = name;
		} else if (found.bytes != array.bytes) {
			return error_set(error, ERROR_SERVER, CODE_CannotIndexParallelArrays,
			                 "cannot index parallel arrays [%.*s] [%.*s]", (int)name.size_bytes, name.bytes,
			                 (int)array_name.size_bytes, array_name.bytes);
		}
		t->through_array = true;
		unembed = unembed && !nested;
	}
	if (!value_is_missing(array))
		return expand(k, tracks, array, unembed, missing_count, error);
	if (k->skip_missing && missing_count == k->count)
		return true;
	for (size_t i = 0; i < k->count; i++)
		values[i] = tracks[i].value;
	k->emit(k->context, values);
	return true;
}

bool key_paths_walk(const struct key_paths *k, struct value document, bson_error_t *error)
{
	struct track tracks[KEY_PATHS_LIMIT];

	memset(tracks, 0, k->count * sizeof *tracks);
	return walk_level(k, tracks, document, 0, error);
}
