/*
 * The walk: the old document front to back; untouched runs are copied as they lie, leaves applied where their paths
 * lead.
 */
#include "engine/update_private.h"

#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "engine/match_private.h"

enum { PADDING_LIMIT = 1500000 };

/* What leads into one field: one node, or several where array filters overlap. */
struct targets {
	struct update_child *list; /* by key; equal keys side by side */
	bool *done;
	size_t count;
};

static bool apply_existing(struct update_run *run, const struct update_child *group, size_t count, struct field f,
                           bool in_array);
static bool apply_missing(struct update_run *run, const struct update_child *group, size_t count, struct key key);

bool update_keep(struct update_call *c)
{
	writer_value(&c->run->writer, c->key, c->old);
	return true;
}

void update_begin_array_copy(struct update_call *c, uint32_t count)
{
	struct writer *w = &c->run->writer;

	writer_begin_array(w, c->key);
	bytes_append(w->out, c->old.bytes + 4, c->old.size_bytes - 5);
	w->frames[w->depth - 1].next_index = count;
}

struct value *update_elements(struct update_run *run, struct value array, size_t *count)
{
	struct value *elements = arena_allocate(&run->arena, (value_count(array) + 1) * sizeof *elements);
	struct walk w;
	struct field f;

	*count = 0;
	walk_begin(&w, array);
	while (walk_next(&w, &f))
		elements[(*count)++] = f.value;
	return elements;
}

const char *update_print_field(struct update_run *run, struct key key, struct value v, bool braces)
{
	struct bytes text = BYTES_INIT;
	const char *copy;

	bytes_append_text(&text, braces ? "{" : "");
	print_text(&text, key.bytes, key.size_bytes);
	bytes_append_text(&text, ": ");
	print_line(&text, v, PRINT_SERVER);
	bytes_append_text(&text, braces ? "}" : "");
	copy = arena_duplicate(&run->arena, bytes_text(&text), text.size + 1);
	bytes_clear(&text);
	return copy;
}

const char *update_print_id(struct update_run *run, bool braces)
{
	struct value id = value_get(run->document, "_id");

	if (value_is_missing(id))
		return "no id";
	return update_print_field(run, key_of("_id"), id, braces);
}

const char *update_path_text(struct update_run *run, struct key key)
{
	struct bytes text = BYTES_INIT;
	const char *copy;

	for (size_t i = 0; i < run->step_count; i++) {
		bytes_append(&text, run->steps[i].bytes, run->steps[i].size_bytes);
		bytes_append_byte(&text, '.');
	}
	bytes_append(&text, key.bytes, key.size_bytes);
	copy = arena_duplicate(&run->arena, bytes_text(&text), text.size + 1);
	bytes_clear(&text);
	return copy;
}

static int compare_bytes(const void *a, const void *b)
{
	const struct update_child *x = a, *y = b;
	uint32_t common = x->key.size_bytes < y->key.size_bytes ? x->key.size_bytes : y->key.size_bytes;
	int difference = common ? memcmp(x->key.bytes, y->key.bytes, common) : 0;

	return difference ? difference : (x->key.size_bytes > y->key.size_bytes) - (x->key.size_bytes < y->key.size_bytes);
}

static bool is_numeric(struct key key)
{
	for (uint32_t i = 0; i < key.size_bytes; i++)
		if (key.bytes[i] < '0' || key.bytes[i] > '9')
			return false;
	return key.size_bytes > 0;
}

/* New fields appear in this order: numbers as numbers, all else by bytes. */
static int compare_creation(const void *a, const void *b)
{
	const struct update_child *x = a, *y = b;

	if (x->key.size_bytes != y->key.size_bytes && is_numeric(x->key) && is_numeric(y->key))
		return x->key.size_bytes < y->key.size_bytes ? -1 : 1;
	return compare_bytes(a, b);
}

static bool resolve_position(struct update_run *run, struct key *key)
{
	if (!key_is(*key, "$"))
		return true;
	*key = run->position;
	return run->position.size_bytes ||
	       execution_fail(run->x, CODE_BadValue,
	                      "The positional operator did not find the match needed from the query.");
}

/* The children of all nodes of a group, "$" resolved. */
static bool gather(struct update_run *run, const struct update_child *group, size_t group_count, struct targets *t)
{
	bool sorted = group_count == 1 && !group[0].node->positional;

	t->count = 0;
	for (size_t i = 0; i < group_count; i++)
		t->count += group[i].node->child_count;
	t->done = arena_allocate(&run->arena, t->count + 1);
	memset(t->done, 0, t->count + 1);
	if (sorted) {
		t->list = group[0].node->children;
		return true;
	}
	t->list = arena_allocate(&run->arena, (t->count + 1) * sizeof *t->list);
	t->count = 0;
	for (size_t i = 0; i < group_count; i++)
		for (size_t k = 0; k < group[i].node->child_count; k++) {
			t->list[t->count] = group[i].node->children[k];
			if (!resolve_position(run, &t->list[t->count++].key))
				return false;
		}
	qsort(t->list, t->count, sizeof *t->list, compare_bytes);
	return true;
}

static size_t group_end(const struct targets *t, size_t first)
{
	size_t end = first + 1;

	while (end < t->count && key_equal(t->list[end].key, t->list[first].key))
		end++;
	return end;
}

/* First target of that key; t->count when there is none. */
static size_t find_target(const struct targets *t, struct key key)
{
	struct update_child wanted = { key, NULL };
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_bytes(&t->list[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && key_equal(t->list[low].key, key) ? low : t->count;
}

/* Bytes of fields that nothing leads into, appended at once. */
struct untouched {
	const uint8_t *from;
};

static void flush(struct update_run *run, struct untouched *u, const uint8_t *to)
{
	if (u->from)
		bytes_append(run->writer.out, u->from, (size_t)(to - u->from));
	u->from = NULL;
}

/* Start of a field as it lies: the type byte before its name. */
static const uint8_t *field_start(const struct field *f)
{
	return (const uint8_t *)f->key.bytes - 1;
}

static bool step_into(struct update_run *run, struct key key)
{
	if (run->step_count == sizeof run->steps / sizeof *run->steps || run->writer.depth >= VALUE_DEPTH_LIMIT)
		return execution_fail(run->x, CODE_Overflow, "Document exceeds maximum nested object depth of %d",
		                      VALUE_DEPTH_LIMIT);
	run->steps[run->step_count++] = key;
	return true;
}

static bool conflict_at(struct update_run *run, struct key key)
{
	return execution_fail(run->x, CODE_ConflictingUpdateOperators, "Update created a conflict at '%s'",
	                      update_path_text(run, key));
}

/* One kind for all, and a leaf only alone. */
static bool check_group(struct update_run *run, const struct update_child *group, size_t count, struct key key)
{
	for (size_t i = 1; i < count; i++)
		if (group[i].node->kind != group[0].node->kind || group[0].node->kind == UPDATE_LEAF)
			return conflict_at(run, key);
	return true;
}

static bool apply_leaf(struct update_run *run, const struct update_node *leaf, struct key key, struct value old,
                       bool in_array)
{
	struct update_call call = { run, leaf, key, old, in_array };

	if (leaf->operator->flags & UPDATE_ON_INSERT_ONLY && !run->inserting)
		return update_keep(&call);
	if (value_is_missing(old) && !(leaf->operator->flags & UPDATE_CREATES))
		return true;
	return leaf->operator->apply(&call);
}

/* New fields of the open document. */
static bool apply_all_missing(struct update_run *run, const struct targets *t)
{
	struct update_child *order = t->list;
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		count += !t->done[i];
	if (!count)
		return true;
	order = arena_allocate(&run->arena, count * sizeof *order);
	count = 0;
	for (size_t i = 0; i < t->count; i++)
		if (!t->done[i])
			order[count++] = t->list[i];
	qsort(order, count, sizeof *order, compare_creation);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && key_equal(order[end].key, order[i].key);)
			end++;
		if (!apply_missing(run, order + i, end - i, order[i].key))
			return false;
	}
	return true;
}

bool update_walk(struct update_run *run, const struct update_child *group, size_t count, struct value document)
{
	struct targets t;
	struct untouched untouched = { NULL };
	struct walk w;
	struct field f;

	if (!gather(run, group, count, &t))
		return false;
	walk_begin(&w, document);
	while (walk_next(&w, &f)) {
		size_t first = find_target(&t, f.key), end;

		if (first == t.count || t.done[first]) {
			if (!untouched.from)
				untouched.from = field_start(&f);
			continue;
		}
		flush(run, &untouched, field_start(&f));
		end = group_end(&t, first);
		memset(t.done + first, true, end - first);
		if (!apply_existing(run, t.list + first, end - first, f, false))
			return false;
	}
	flush(run, &untouched, w.at);
	return apply_all_missing(run, &t);
}

static bool path_not_viable(struct update_run *run, const struct update_node *leaf, struct key part, struct field at)
{
	if (leaf->operator->flags & UPDATE_CREATES)
		return execution_fail(run->x, CODE_PathNotViable, "Cannot create field '%.*s' in element %s",
		                      (int)part.size_bytes, part.bytes, update_print_field(run, at.key, at.value, true));
	return execution_fail(run->x, CODE_PathNotViable, "Cannot use the part (%.*s) of (%.*s) to traverse the element (%s)",
	                      (int)part.size_bytes, part.bytes, (int)leaf->path.size_bytes, leaf->path.bytes,
	                      update_print_field(run, at.key, at.value, true));
}

/*
 * Leaves below a value that has no such fields: an error, except for those who do not mind. `part` is the field it
 * lacks.
 */
static bool apply_blocked(struct update_run *run, const struct update_node *node, struct key part, struct field at)
{
	struct update_call call = { run, node, part, value_missing(), false };
	struct value source;

	if (node->kind == UPDATE_ELEMENTS)
		return execution_fail(run->x, CODE_BadValue,
		                      "The path '%s' must exist in the document in order to apply array updates.",
		                      update_path_text(run, part));
	if (node->kind == UPDATE_FIELDS) {
		for (size_t i = 0; i < node->child_count; i++)
			if (!apply_blocked(run, node->children[i].node, part, at))
				return false;
		return true;
	}
	if (node->operator->flags & UPDATE_ANY_PATH || (node->operator->flags & UPDATE_ON_INSERT_ONLY && !run->inserting))
		return true;
	if (node->operator->apply == update_apply_rename) {
		if (!update_rename_source_value(&call, &source))
			return false;
		if (value_is_missing(source))
			return true;
		if (at.value.type == BSON_TYPE_ARRAY) {
			run->array_above = at.key;
			return update_apply_rename(&call);
		}
	}
	return path_not_viable(run, node, part, at);
}

static bool apply_all_blocked(struct update_run *run, const struct update_child *group, size_t count, struct field at)
{
	struct targets t;

	if (!gather(run, group, count, &t))
		return false;
	for (size_t i = 0; i < t.count; i++)
		if (!apply_blocked(run, t.list[i].node, t.list[i].key, at))
			return false;
	return true;
}

/* Positions past the end: the gap is filled with nulls, if something is put there at all. */
static bool apply_past_end(struct update_run *run, const struct update_child *group, size_t count, uint32_t index)
{
	struct writer *w = &run->writer;
	struct writer_frame *frame = &w->frames[w->depth - 1];
	uint32_t before = frame->next_index;
	size_t size_before = w->out->size, padded;

	if (index - before > PADDING_LIMIT)
		return execution_fail(run->x, 155, "can't backfill more than %d elements", PADDING_LIMIT);
	while (frame->next_index < index)
		writer_value(w, key_of(""), value_null());
	padded = w->out->size;
	if (!apply_missing(run, group, count, group[0].key))
		return false;
	if (w->out->size == padded) {
		w->out->size = size_before;
		frame->next_index = before;
	}
	return true;
}

/* Indexes in the order of the array, with what leads to each. */
struct indexed {
	uint32_t index;
	size_t first, end; /* in the targets */
};

static int compare_indexed(const void *a, const void *b)
{
	const struct indexed *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static bool gather_indexed(struct update_run *run, const struct targets *t, struct field at, struct indexed **list,
                           size_t *count)
{
	*list = arena_allocate(&run->arena, (t->count + 1) * sizeof **list);
	*count = 0;
	for (size_t i = 0, end; i < t->count; i = end) {
		struct indexed *next = &(*list)[*count];

		end = group_end(t, i);
		if (path_key_is_index(t->list[i].key, &next->index)) {
			next->first = i;
			next->end = end;
			++*count;
			continue;
		}
		for (size_t k = i; k < end; k++)
			if (!apply_blocked(run, t->list[k].node, t->list[k].key, at))
				return false;
	}
	qsort(*list, *count, sizeof **list, compare_indexed);
	return true;
}

/* Named elements of an array: {"a.3": …}. */
static bool apply_array(struct update_run *run, const struct update_child *group, size_t count, struct field at)
{
	struct writer_frame *frame = &run->writer.frames[run->writer.depth - 1];
	struct targets t;
	struct indexed *list;
	struct untouched untouched = { NULL };
	struct walk w;
	struct field f;
	size_t list_count, next = 0;
	uint32_t i = 0;

	if (!gather(run, group, count, &t) || !gather_indexed(run, &t, at, &list, &list_count))
		return false;
	walk_begin(&w, at.value);
	for (; walk_next(&w, &f); i++) {
		if (next == list_count || list[next].index != i) {
			if (!untouched.from)
				untouched.from = field_start(&f);
			continue;
		}
		flush(run, &untouched, field_start(&f));
		frame->next_index = i;
		f.key = t.list[list[next].first].key;
		if (!apply_existing(run, t.list + list[next].first, list[next].end - list[next].first, f, true))
			return false;
		frame->next_index = i + 1;
		next++;
	}
	flush(run, &untouched, w.at);
	frame->next_index = i;
	for (; next < list_count; next++)
		if (!apply_past_end(run, t.list + list[next].first, list[next].end - list[next].first, list[next].index))
			return false;
	return true;
}

static bool filter_holds(struct update_run *run, struct key identifier, struct value element)
{
	if (!identifier.size_bytes)
		return true;
	for (size_t i = 0; i < run->update->filter_count; i++)
		if (key_equal(run->update->filters[i].identifier, identifier))
			return match_test_named(run->update->filters[i].match, run->x, element);
	return false;
}

/* $[] and $[identifier]: each element with the nodes whose filters hold for it. */
static bool apply_elements(struct update_run *run, const struct update_child *group, size_t count, struct value array)
{
	struct writer_frame *frame = &run->writer.frames[run->writer.depth - 1];
	struct untouched untouched = { NULL };
	struct update_child *into;
	struct targets t;
	struct walk w;
	struct field f;

	if (!gather(run, group, count, &t))
		return false;
	into = arena_allocate(&run->arena, (t.count + 1) * sizeof *into);
	walk_begin(&w, array);
	for (uint32_t i = 0; walk_next(&w, &f); i++) {
		size_t into_count = 0;

		for (size_t k = 0; k < t.count; k++)
			if (filter_holds(run, t.list[k].key, f.value))
				into[into_count++] = (struct update_child){ f.key, t.list[k].node };
		if (run->x->failed)
			return false;
		if (!into_count) {
			if (!untouched.from)
				untouched.from = field_start(&f);
			continue;
		}
		flush(run, &untouched, field_start(&f));
		frame->next_index = i;
		if (!apply_existing(run, into, into_count, f, true))
			return false;
		frame->next_index = i + 1;
	}
	flush(run, &untouched, w.at);
	return true;
}

static bool apply_inside(struct update_run *run, const struct update_child *group, size_t count, struct field f)
{
	struct writer *w = &run->writer;
	struct key array_above = run->array_above;
	bool applied;

	if (f.value.type == BSON_TYPE_DOCUMENT) {
		writer_begin_document(w, f.key);
		applied = update_walk(run, group, count, f.value);
	} else {
		run->array_above = f.key;
		writer_begin_array(w, f.key);
		applied = group[0].node->kind == UPDATE_ELEMENTS ? apply_elements(run, group, count, f.value)
		                                                 : apply_array(run, group, count, f);
		run->array_above = array_above;
	}
	if (applied)
		writer_end(w);
	return applied;
}

static bool apply_existing(struct update_run *run, const struct update_child *group, size_t count, struct field f,
                           bool in_array)
{
	bool inner = f.value.type == BSON_TYPE_DOCUMENT || f.value.type == BSON_TYPE_ARRAY, applied;

	if (!check_group(run, group, count, f.key))
		return false;
	if (group[0].node->kind == UPDATE_LEAF)
		return apply_leaf(run, group[0].node, f.key, f.value, in_array);
	if (group[0].node->kind == UPDATE_ELEMENTS && f.value.type != BSON_TYPE_ARRAY)
		return execution_fail(run->x, CODE_BadValue, "Cannot apply array updates to non-array element %s",
		                      update_print_field(run, f.key, f.value, false));
	if (!step_into(run, f.key))
		return false;
	if (inner) {
		applied = apply_inside(run, group, count, f);
	} else {
		applied = apply_all_blocked(run, group, count, f);
		writer_value(&run->writer, f.key, f.value);
	}
	run->step_count--;
	return applied;
}

static bool apply_missing(struct update_run *run, const struct update_child *group, size_t count, struct key key)
{
	struct writer *w = &run->writer;
	size_t size_before = w->out->size, size_inside;
	uint32_t index_before = w->frames[w->depth - 1].next_index;
	struct targets t;

	if (!check_group(run, group, count, key))
		return false;
	if (group[0].node->kind == UPDATE_LEAF)
		return apply_leaf(run, group[0].node, key, value_missing(), false);
	if (group[0].node->kind == UPDATE_ELEMENTS)
		return execution_fail(run->x, CODE_BadValue,
		                      "The path '%s' must exist in the document in order to apply array updates.",
		                      update_path_text(run, key));
	if (!step_into(run, key) || !gather(run, group, count, &t))
		return false;
	writer_begin_document(w, key);
	size_inside = w->out->size;
	if (!apply_all_missing(run, &t))
		return false;
	run->step_count--;
	if (w->out->size > size_inside) {
		writer_end(w);
		return true;
	}
	/* nothing below wanted to exist, so neither does this */
	w->depth--;
	w->out->size = size_before;
	w->frames[w->depth - 1].next_index = index_before;
	return true;
}

