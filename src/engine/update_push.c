/* $push with $each, $position, $slice and $sort. */
#include <stdlib.h>
#include <string.h>

#include "engine/update_private.h"

#include "base/memory.h"
#include "bson/compare.h"
#include "engine/match_private.h"

struct push {
	struct value each; /* an array; missing: the operand itself is the one element */
	bool has_slice, has_position;
	int64_t slice, position;
	struct value sort; /* ±1 or a document of ±1; missing: none */
	struct path *sort_paths;
	bool *descending;
	size_t sort_count;
};

static bool push_integer(struct field f, int64_t *out, bson_error_t *error)
{
	if (value_as_int64(f.value, out))
		return true;
	if (key_is(f.key, "$position"))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The value for $position must be an integer value, not of type: %s",
		                 value_type_name(f.value.type));
	return error_set(error, ERROR_SERVER, CODE_BadValue,
	                 "The value for $slice must be an integer value but was given type: %s",
	                 value_type_name(f.value.type));
}

static bool is_direction(struct value v)
{
	int64_t n;

	return value_as_int64(v, &n) && (n == 1 || n == -1);
}

static bool has_empty_part(struct key path)
{
	for (uint32_t i = 0; i < path.size_bytes; i++)
		if (path.bytes[i] == '.' && (i == 0 || i + 1 == path.size_bytes || path.bytes[i + 1] == '.'))
			return true;
	return false;
}

static bool parse_sort_fields(struct push *push, struct value fields, bson_error_t *error)
{
	size_t count = value_count(fields);
	struct walk w;
	struct field f;

	if (!count)
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The $sort pattern is empty when it should be a set of fields.");
	push->sort_paths = memory_allocate_zeroed(count, sizeof *push->sort_paths);
	push->descending = memory_allocate_zeroed(count, sizeof *push->descending);
	walk_begin(&w, fields);
	while (walk_next(&w, &f)) {
		if (!is_direction(f.value))
			return error_set(error, ERROR_SERVER, CODE_BadValue, "The $sort element value must be either 1 or -1");
		if (!f.key.size_bytes)
			return error_set(error, ERROR_SERVER, CODE_BadValue, "The $sort field cannot be empty");
		if (has_empty_part(f.key))
			return error_set(error, ERROR_SERVER, CODE_BadValue,
			                 "The $sort field is a dotted field but has an empty part: %.*s", (int)f.key.size_bytes,
			                 f.key.bytes);
		push->descending[push->sort_count] = value_as_double(f.value) < 0;
		path_parse(&push->sort_paths[push->sort_count++], f.key);
	}
	return true;
}

static bool parse_sort(struct push *push, struct value v, bson_error_t *error)
{
	push->sort = v;
	if (v.type == BSON_TYPE_DOCUMENT)
		return parse_sort_fields(push, v, error);
	if (!value_is_number(v))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded "
		                 "fields");
	if (!is_direction(v))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "The $sort element value must be either 1 or -1");
	push->descending = memory_allocate_zeroed(1, sizeof *push->descending);
	push->descending[0] = value_as_double(v) < 0;
	return true;
}

static bool parse_clause(struct push *push, struct field f, bson_error_t *error)
{
	if (key_is(f.key, "$each")) {
		push->each = f.value;
		if (f.value.type == BSON_TYPE_ARRAY)
			return true;
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The argument to $each in $push must be an array but it was of type: %s",
		                 value_type_name(f.value.type));
	}
	if (key_is(f.key, "$slice"))
		return push->has_slice = push_integer(f, &push->slice, error);
	if (key_is(f.key, "$position"))
		return push->has_position = push_integer(f, &push->position, error);
	if (key_is(f.key, "$sort"))
		return parse_sort(push, f.value, error);
	return error_set(error, ERROR_SERVER, CODE_BadValue, "Unrecognized clause in $push: %.*s", (int)f.key.size_bytes,
	                 f.key.bytes);
}

bool update_parse_push(struct update_node *leaf, bson_error_t *error)
{
	struct push *push = memory_allocate_zeroed(1, sizeof *push);
	struct walk w;
	struct field f;

	leaf->compiled = push;
	push->each = push->sort = value_missing();
	if (leaf->operand.type != BSON_TYPE_DOCUMENT || value_is_missing(value_get(leaf->operand, "$each")))
		return true;
	walk_begin(&w, leaf->operand);
	while (walk_next(&w, &f))
		if (!parse_clause(push, f, error))
			return false;
	return true;
}

void update_destroy_push(void *compiled)
{
	struct push *push = compiled;

	for (size_t i = 0; i < push->sort_count; i++)
		path_clear(&push->sort_paths[i]);
	free(push->sort_paths);
	free(push->descending);
	free(push);
}

/* An element with what it is sorted by. */
struct sorted {
	struct value element;
	struct value *keys;
	size_t place; /* keeps equals in order */
};

static int compare_sorted(const void *a, const void *b, void *context)
{
	const struct sorted *x = a, *y = b;
	const struct push *push = context;
	size_t count = push->sort_count ? push->sort_count : 1;

	for (size_t i = 0; i < count; i++) {
		int order = value_compare(x->keys[i], y->keys[i]);

		if (order)
			return push->descending[i] ? -order : order;
	}
	return (x->place > y->place) - (x->place < y->place);
}

/* A field of an element, through documents and positions of arrays; null when there is none. */
static struct value sort_key(const struct path *path, struct value element)
{
	for (size_t i = 0; i < path->count; i++) {
		if (element.type != BSON_TYPE_DOCUMENT && (i == 0 || element.type != BSON_TYPE_ARRAY))
			return value_null();
		element = value_get_key(element, path->keys[i]);
	}
	return value_is_missing(element) ? value_null() : element;
}

static void sort_elements(struct update_run *run, const struct push *push, struct value *elements, size_t count)
{
	size_t key_count = push->sort_count ? push->sort_count : 1;
	struct sorted *sorted = arena_allocate(&run->arena, (count + 1) * sizeof *sorted);
	struct value *keys = arena_allocate(&run->arena, (count * key_count + 1) * sizeof *keys);

	for (size_t i = 0; i < count; i++) {
		sorted[i] = (struct sorted){ elements[i], keys + i * key_count, i };
		sorted[i].keys[0] = elements[i];
		for (size_t k = 0; k < push->sort_count; k++)
			sorted[i].keys[k] = sort_key(&push->sort_paths[k], elements[i]);
	}
	qsort_r(sorted, count, sizeof *sorted, compare_sorted, (void *)(uintptr_t)push);
	for (size_t i = 0; i < count; i++)
		elements[i] = sorted[i].element;
}

/* Old and new elements in the order they have before sorting. */
static struct value *join(struct update_call *c, const struct push *push, struct value each, size_t *count)
{
	size_t old_count, each_count, at;
	struct value *old = value_is_missing(c->old) ? NULL : update_elements(c->run, c->old, &old_count);
	struct value *added = update_elements(c->run, each, &each_count), *all;

	if (!old)
		old_count = 0;
	at = old_count;
	if (push->has_position && push->position >= 0 && (uint64_t)push->position < old_count)
		at = (size_t)push->position;
	else if (push->has_position && push->position < 0)
		at = (uint64_t)-push->position < old_count ? old_count - (size_t)-push->position : 0;
	all = arena_allocate(&c->run->arena, (old_count + each_count + 1) * sizeof *all);
	if (at)
		memcpy(all, old, at * sizeof *all);
	memcpy(all + at, added, each_count * sizeof *all);
	if (old_count > at)
		memcpy(all + at + each_count, old + at, (old_count - at) * sizeof *all);
	*count = old_count + each_count;
	return all;
}

static void append_only(struct update_call *c, struct value each)
{
	struct writer *w = &c->run->writer;
	struct walk walk;
	struct field f;

	if (value_is_missing(c->old))
		writer_begin_array(w, c->key);
	else
		update_begin_array_copy(c, value_count(c->old));
	if (value_is_missing(each)) {
		writer_value(w, key_of(""), c->leaf->operand);
	} else {
		walk_begin(&walk, each);
		while (walk_next(&walk, &f))
			writer_value(w, key_of(""), f.value);
	}
	writer_end(w);
}

bool update_apply_push(struct update_call *c)
{
	const struct push *push = c->leaf->compiled;
	struct value *all;
	size_t count, first = 0, end;

	if (!value_is_missing(c->old) && c->old.type != BSON_TYPE_ARRAY)
		return execution_fail(c->run->x, CODE_BadValue, "The field '%s' must be an array but is of type %s in document {%s}",
		                      update_path_text(c->run, c->key), value_type_name(c->old.type),
		                      update_print_id(c->run, false));
	if (!push->has_slice && !push->has_position && value_is_missing(push->sort)) {
		append_only(c, push->each);
		return true;
	}
	all = join(c, push, push->each, &count);
	if (!value_is_missing(push->sort))
		sort_elements(c->run, push, all, count);
	end = count;
	if (push->has_slice && push->slice >= 0 && (uint64_t)push->slice < count)
		end = (size_t)push->slice;
	else if (push->has_slice && push->slice < 0 && (uint64_t)-push->slice < count)
		first = count - (size_t)-push->slice;
	writer_begin_array(&c->run->writer, c->key);
	for (size_t i = first; i < end; i++)
		writer_value(&c->run->writer, key_of(""), all[i]);
	writer_end(&c->run->writer);
	return true;
}
