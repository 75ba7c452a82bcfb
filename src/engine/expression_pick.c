/* The ends and extremes of an array ($firstN …) and $sortArray. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "engine/expression_internal.h"

static const struct named_arguments n_arguments = {
	.not_object_code = 5787801,
	.not_object = "specification must be an object; found ",
	.unknown_code = 5787901,
	.unknown = "Unknown argument for 'n' operator: ",
	.items = { { "n", 5787906, "Missing value for 'n'" }, { "input", 5787907, "Missing value for 'input'" } },
};

enum pick { PICK_FIRST, PICK_LAST, PICK_LEAST, PICK_GREATEST };

static int ascending(const void *a, const void *b)
{
	return value_compare(*(const struct value *)a, *(const struct value *)b);
}

static int descending(const void *a, const void *b)
{
	return ascending(b, a);
}

/* Sorted, without what is null: it is never an extreme. */
static void sort_extremes(struct list *l, bool greatest_first)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		if (!value_is_nullish(l->items[i]))
			l->items[kept++] = l->items[i];
	l->count = kept;
	if (kept)
		qsort(l->items, kept, sizeof *l->items, greatest_first ? descending : ascending);
}

static bool evaluate_pick(const struct expression *e, struct evaluation *at, struct value *out)
{
	enum pick pick = (enum pick)e->operator->parameter;
	struct value n_value, input;
	struct list items;
	size_t skipped;
	int64_t n;

	if (!evaluate_argument(e, at, 0, &n_value) || !evaluate_argument(e, at, 1, &input))
		return false;
	if (!value_is_number(n_value))
		return execution_fail(at->x, 5787902, "Value for 'n' must be of integral type, but found %s",
		                      evaluation_text(at, n_value));
	if (!value_as_int64(n_value, &n))
		return execution_fail(at->x, 5787903, "Value for 'n' must be of integral type, but found %s",
		                      evaluation_text(at, n_value));
	if (n <= 0)
		return execution_fail(at->x, 5787908, "'n' must be greater than 0, found %s", evaluation_text(at, n_value));
	if (!value_is_array(input))
		return execution_fail(at->x, 5788200, "Input must be an array");
	list_init(&items, at);
	list_push_all(&items, input);
	if (pick == PICK_LEAST || pick == PICK_GREATEST)
		sort_extremes(&items, pick == PICK_GREATEST);
	if ((int64_t)items.count > n) {
		skipped = pick == PICK_LAST ? items.count - (size_t)n : 0;
		items.items += skipped;
		items.count = (size_t)n;
	}
	return list_array(&items, at, out);
}

/* The order is part of the operator, not an expression: a direction, or a pattern for documents. `slot` is 1 when
 * descending. */
static bool compile_sort(struct expression *e, struct value specification, struct compiler *c)
{
	struct value input = value_missing(), by = value_missing();
	struct walk w;
	struct field f;
	int64_t direction;

	if (!value_is_document(specification))
		return compile_fail(c, 2942500, "$sortArray requires an object as an argument, found: %s",
		                    value_type_name(specification.type));
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		struct value *place = key_is(f.key, "input") ? &input : key_is(f.key, "sortBy") ? &by : NULL;

		if (!place)
			return compile_fail(c, 2942501, "$sortArray found an unknown argument: %.*s", (int)f.key.size_bytes, f.key.bytes);
		*place = f.value;
	}
	if (value_is_missing(input))
		return compile_fail(c, 2942502, "$sortArray requires 'input' to be specified");
	if (value_is_missing(by))
		return compile_fail(c, 2942503, "$sortArray requires 'sortBy' to be specified");
	if (value_is_document(by))
		e->sort = sort_pattern_compile(by, c->shared->error);
	else if (!value_as_int64(by, &direction) || (direction != 1 && direction != -1))
		return compile_fail(c, 2942505, "$sortArray: sortBy must be 1, -1 or a sort pattern");
	else
		e->slot = direction < 0;
	if (value_is_document(by) && !e->sort)
		return false;
	e->storage = memory_duplicate(by.bytes, by.size_bytes);
	e->constant = (struct value){ e->storage, by.size_bytes, by.type };
	e->arguments = memory_allocate_zeroed(1, sizeof *e->arguments);
	e->count = 1;
	e->arguments[0] = compile_operand(input, c);
	return e->arguments[0] != NULL;
}

struct keyed {
	const uint8_t *key;
	size_t size_bytes, index;
	struct value v;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;
	size_t common = left->size_bytes < right->size_bytes ? left->size_bytes : right->size_bytes;
	int order = memcmp(left->key, right->key, common);

	if (order == 0)
		order = (left->size_bytes > right->size_bytes) - (left->size_bytes < right->size_bytes);
	return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* Elements that are no documents have none of the pattern's fields. */
static bool sort_by_pattern(struct list *l, const struct sort_pattern *pattern, struct evaluation *at)
{
	static const uint8_t nothing[5] = { 5 };
	struct keyed *keyed = arena_allocate(at->arena, l->count * sizeof *keyed + 1);
	struct value empty = { nothing, sizeof nothing, BSON_TYPE_DOCUMENT };
	struct bytes key = BYTES_INIT;
	bson_error_t error;

	for (size_t i = 0; i < l->count; i++) {
		struct value v = l->items[i];

		bytes_reset(&key);
		if (!sort_pattern_key(pattern, value_is_document(v) ? v : empty, &key, &error)) {
			bytes_clear(&key);
			return execution_fail_with(at->x, &error);
		}
		keyed[i] = (struct keyed){ arena_duplicate(at->arena, key.data, key.size), key.size, i, v };
	}
	bytes_clear(&key);
	if (l->count)
		qsort(keyed, l->count, sizeof *keyed, by_key);
	for (size_t i = 0; i < l->count; i++)
		l->items[i] = keyed[i].v;
	return true;
}

static bool evaluate_sort(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value input;
	struct list items;

	if (!evaluate_argument(e, at, 0, &input))
		return false;
	if (value_is_nullish(input)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(input))
		return execution_fail(at->x, 2942504, "The input argument to $sortArray must be an array, but was of type: %s",
		                      value_type_name(input.type));
	list_init(&items, at);
	list_push_all(&items, input);
	if (e->sort && !sort_by_pattern(&items, e->sort, at))
		return false;
	if (!e->sort && items.count)
		qsort(items.items, items.count, sizeof *items.items, e->slot ? descending : ascending);
	return list_array(&items, at, out);
}

static void write_sort(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of("$sortArray"));
	expression_write(e->arguments[0], w, key_of("input"));
	writer_put(w, "sortBy", e->constant);
	writer_end(w);
	writer_end(w);
}

const struct operator expression_pick_operators[] = {
	{ .name = "$firstN", .named = &n_arguments, .evaluate = evaluate_pick, .parameter = PICK_FIRST },
	{ .name = "$lastN", .named = &n_arguments, .evaluate = evaluate_pick, .parameter = PICK_LAST },
	{ .name = "$maxN", .named = &n_arguments, .evaluate = evaluate_pick, .parameter = PICK_GREATEST },
	{ .name = "$minN", .named = &n_arguments, .evaluate = evaluate_pick, .parameter = PICK_LEAST },
	{ .name = "$sortArray", .compile = compile_sort, .evaluate = evaluate_sort, .write = write_sort },
	{ .name = NULL },
};
