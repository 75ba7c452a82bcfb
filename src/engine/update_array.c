/* Operators on arrays, but for $push. */
#include <stdlib.h>
#include <string.h>

#include "engine/update_private.h"

#include "base/memory.h"
#include "bson/compare.h"
#include "engine/match_private.h"

/* Elements that are not in it yet, each once; beyond a few the search goes through a hash table. */
struct value_set {
	struct value *values;
	size_t count;
	uint32_t *slots; /* index + 1; 0: free */
	size_t slot_count;
};

enum { LINEAR_LIMIT = 4 };

static void set_put_slot(struct value_set *s, size_t index)
{
	size_t slot = value_hash(s->values[index]) & (s->slot_count - 1);

	while (s->slots[slot])
		slot = (slot + 1) & (s->slot_count - 1);
	s->slots[slot] = (uint32_t)index + 1;
}

static bool set_has(const struct value_set *s, struct value v)
{
	if (!s->slots) {
		for (size_t i = 0; i < s->count; i++)
			if (value_equal(s->values[i], v))
				return true;
		return false;
	}
	for (size_t slot = value_hash(v) & (s->slot_count - 1); s->slots[slot]; slot = (slot + 1) & (s->slot_count - 1))
		if (value_equal(s->values[s->slots[slot] - 1], v))
			return true;
	return false;
}

static void set_begin(struct value_set *s, struct update_run *run, struct value array, size_t more)
{
	size_t count = value_is_missing(array) ? 0 : value_count(array);
	struct walk w;
	struct field f;

	*s = (struct value_set){ .values = arena_allocate(&run->arena, (count + more + 1) * sizeof *s->values) };
	if (count) {
		walk_begin(&w, array);
		while (walk_next(&w, &f))
			s->values[s->count++] = f.value;
	}
	if (more <= LINEAR_LIMIT)
		return;
	for (s->slot_count = 16; s->slot_count < 2 * (count + more); s->slot_count *= 2)
		;
	s->slots = arena_allocate(&run->arena, s->slot_count * sizeof *s->slots);
	memset(s->slots, 0, s->slot_count * sizeof *s->slots);
	for (size_t i = 0; i < s->count; i++)
		if (!set_has(s, s->values[i]))
			set_put_slot(s, i);
}

static bool set_add(struct value_set *s, struct value v)
{
	if (set_has(s, v))
		return false;
	s->values[s->count] = v;
	if (s->slots)
		set_put_slot(s, s->count);
	s->count++;
	return true;
}

/* {$each: […]} alone, or a single value. */
bool update_parse_add_to_set(struct update_node *leaf, bson_error_t *error)
{
	struct walk w;
	struct field f;
	char text[300];

	if (leaf->operand.type != BSON_TYPE_DOCUMENT)
		return true;
	walk_begin(&w, leaf->operand);
	if (!walk_next(&w, &f) || !key_is(f.key, "$each"))
		return true;
	if (f.value.type != BSON_TYPE_ARRAY)
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "The argument to $each in $addToSet must be an array but it was of type %s",
		                 value_type_name(f.value.type));
	if (value_count(leaf->operand) > 1)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "Found unexpected fields after $each in $addToSet%s",
		                 match_print_element("", leaf->operand, text, sizeof text));
	leaf->compiled = memory_duplicate(&f.value, sizeof f.value);
	return true;
}

bool update_apply_add_to_set(struct update_call *c)
{
	struct update_run *run = c->run;
	const struct value *each = c->leaf->compiled;
	struct value_set set;
	struct walk w;
	struct field f;

	if (!value_is_missing(c->old) && c->old.type != BSON_TYPE_ARRAY)
		return execution_fail(run->x, CODE_BadValue,
		                      "Cannot apply $addToSet to non-array field. Field named '%.*s' has non-array type %s",
		                      (int)c->key.size_bytes, c->key.bytes, value_type_name(c->old.type));
	set_begin(&set, run, c->old, each ? value_count(*each) : 1);
	if (value_is_missing(c->old))
		writer_begin_array(&run->writer, c->key);
	else
		update_begin_array_copy(c, (uint32_t)set.count);
	if (!each) {
		if (set_add(&set, c->leaf->operand))
			writer_value(&run->writer, key_of(""), c->leaf->operand);
	} else {
		walk_begin(&w, *each);
		while (walk_next(&w, &f))
			if (set_add(&set, f.value))
				writer_value(&run->writer, key_of(""), f.value);
	}
	writer_end(&run->writer);
	return true;
}

/* compiled: an int64, 1 or -1. */
bool update_parse_pop(struct update_node *leaf, bson_error_t *error)
{
	int64_t n;
	char name[80], element[200];

	snprintf(name, sizeof name, "%.*s", (int)leaf->path.size_bytes, leaf->path.bytes);
	if (!match_parse_long(leaf->operand, name, &n, error))
		return false;
	if (n != 1 && n != -1)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "$pop expects 1 or -1, found: %s",
		                 match_print_element("", leaf->operand, element, sizeof element) + 2);
	leaf->compiled = memory_duplicate(&n, sizeof n);
	return true;
}

bool update_apply_pop(struct update_call *c)
{
	bool first = *(const int64_t *)c->leaf->compiled == -1;
	struct value *elements;
	size_t count;

	if (c->old.type != BSON_TYPE_ARRAY)
		return execution_fail(c->run->x, CODE_TypeMismatch, "Path '%.*s' contains an element of non-array type '%s'",
		                      (int)c->leaf->path.size_bytes, c->leaf->path.bytes, value_type_name(c->old.type));
	elements = update_elements(c->run, c->old, &count);
	writer_begin_array(&c->run->writer, c->key);
	for (size_t i = first; i + !first < count; i++)
		writer_value(&c->run->writer, key_of(""), elements[i]);
	writer_end(&c->run->writer);
	return true;
}

/*
 * compiled: which elements go. A document that begins with no operator is a filter on elements that are documents;
 * one that does, or a regex, is tested on each element itself; all else is equality.
 */
struct pull {
	struct match *match; /* null: equality */
	bool documents_only;
};

bool update_parse_pull(struct update_node *leaf, bson_error_t *error)
{
	struct pull *pull = memory_allocate_zeroed(1, sizeof *pull);
	struct bytes wrapped = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field first = { key_of(""), value_missing() };

	leaf->compiled = pull;
	if (leaf->operand.type != BSON_TYPE_DOCUMENT && leaf->operand.type != BSON_TYPE_REGEX)
		return true;
	if (leaf->operand.type == BSON_TYPE_DOCUMENT) {
		walk_begin(&walk, leaf->operand);
		walk_next(&walk, &first);
		pull->documents_only = !match_is_path_operator(first.key);
	}
	if (pull->documents_only) {
		pull->match = match_compile(leaf->operand, NULL, error);
		return pull->match && update_check_filter(pull->match, error);
	}
	writer_begin(&w, &wrapped);
	writer_put(&w, "", leaf->operand);
	pull->match = match_compile(writer_finish(&w), NULL, error);
	bytes_clear(&wrapped);
	return pull->match;
}

void update_destroy_pull(void *compiled)
{
	struct pull *pull = compiled;

	match_destroy(pull->match);
	free(pull);
}

static bool pull_takes(const struct update_call *c, struct value element)
{
	const struct pull *pull = c->leaf->compiled;

	if (!pull->match)
		return value_equal(element, c->leaf->operand);
	if (!pull->documents_only)
		return match_test_named(pull->match, c->run->x, element);
	return element.type == BSON_TYPE_DOCUMENT && match_test(pull->match, c->run->x, element);
}

static bool is_array(struct update_call *c)
{
	if (c->old.type == BSON_TYPE_ARRAY)
		return true;
	return execution_fail(c->run->x, CODE_BadValue, "Cannot apply $pull to a non-array value");
}

bool update_apply_pull(struct update_call *c)
{
	struct walk w;
	struct field f;

	if (!is_array(c))
		return false;
	writer_begin_array(&c->run->writer, c->key);
	walk_begin(&w, c->old);
	while (walk_next(&w, &f))
		if (!pull_takes(c, f.value))
			writer_value(&c->run->writer, f.key, f.value);
	writer_end(&c->run->writer);
	return !c->run->x->failed;
}

bool update_parse_pull_all(struct update_node *leaf, bson_error_t *error)
{
	if (leaf->operand.type == BSON_TYPE_ARRAY)
		return true;
	return error_set(error, ERROR_SERVER, CODE_BadValue, "$pullAll requires an array argument but was given a %s",
	                 value_type_name(leaf->operand.type));
}

bool update_apply_pull_all(struct update_call *c)
{
	struct value_set set;
	struct walk w;
	struct field f;

	if (!is_array(c))
		return false;
	/* room for more than a few, so that many values are looked up by hash */
	set_begin(&set, c->run, c->leaf->operand, value_count(c->leaf->operand) > LINEAR_LIMIT ? LINEAR_LIMIT + 1 : 0);
	writer_begin_array(&c->run->writer, c->key);
	walk_begin(&w, c->old);
	while (walk_next(&w, &f))
		if (!set_has(&set, f.value))
			writer_value(&c->run->writer, f.key, f.value);
	writer_end(&c->run->writer);
	return true;
}
