#include "bson/compare.h"
#include "engine/expression_internal.h"

/* Null in, null out for the first argument; else it has to be an array. */
static bool array_argument(const struct expression *e, struct evaluation *at, size_t i, uint32_t code, const char *text,
                           struct value *array, struct value *out)
{
	if (!evaluate_argument(e, at, i, array))
		return false;
	if (value_is_nullish(*array)) {
		*out = value_null();
		return true;
	}
	return value_is_array(*array) || execution_fail(at->x, code, "%s%s", text, value_type_name(array->type));
}

static struct value element_at(struct value array, int64_t index)
{
	struct walk w;
	struct field f;

	if (index < 0)
		index += value_count(array);
	if (index < 0)
		return value_missing();
	walk_begin(&w, array);
	while (walk_next(&w, &f))
		if (index-- == 0)
			return f.value;
	return value_missing();
}

static bool evaluate_element_at(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value array, index;
	int64_t n;

	if (!evaluate_argument(e, at, 0, &array) || !evaluate_argument(e, at, 1, &index))
		return false;
	if (value_is_nullish(array) || value_is_nullish(index)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(array))
		return execution_fail(at->x, 28689, "$arrayElemAt's first argument must be an array, but is %s",
		                      value_type_name(array.type));
	if (!value_is_number(index))
		return execution_fail(at->x, 28690, "$arrayElemAt's second argument must be a numeric value, but is %s",
		                      value_type_name(index.type));
	if (!number_is_int(index))
		return execution_fail(at->x, 28691, "$arrayElemAt's second argument must be representable as a 32-bit integer: %s",
		                      evaluation_text(at, index));
	value_as_int64(index, &n);
	*out = element_at(array, n);
	return true;
}

/* $first and $last of an array: the parameter is the index. */
static bool evaluate_end(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value array;

	if (!evaluate_argument(e, at, 0, &array))
		return false;
	if (value_is_nullish(array)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(array))
		return execution_fail(at->x, 28689, "%s's argument must be an array, but is %s", e->operator->name,
		                      value_type_name(array.type));
	*out = element_at(array, e->operator->parameter);
	return true;
}

static bool evaluate_size(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value array;

	if (!evaluate_argument(e, at, 0, &array))
		return false;
	if (!value_is_array(array))
		return execution_fail(at->x, 17124, "The argument to $size must be an array, but was of type: %s",
		                      value_type_name(array.type));
	*out = value_make_int32(at->arena, (int32_t)value_count(array));
	return true;
}

static bool evaluate_is_array(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	*out = value_make_bool(value_is_array(v));
	return true;
}

static bool evaluate_in(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value wanted, array;
	struct walk w;
	struct field f;

	if (!evaluate_argument(e, at, 0, &wanted) || !evaluate_argument(e, at, 1, &array))
		return false;
	if (!value_is_array(array))
		return execution_fail(at->x, 40081, "$in requires an array as a second argument, found: %s",
		                      value_type_name(array.type));
	*out = value_make_bool(false);
	walk_begin(&w, array);
	while (!value_is_missing(wanted) && walk_next(&w, &f)) {
		if (value_equal(f.value, wanted)) {
			*out = value_make_bool(true);
			break;
		}
	}
	return true;
}

/* The start or end argument of $indexOf…: an int that is not negative. */
static bool bound(const struct expression *e, struct evaluation *at, size_t i, const char *which, int64_t *out)
{
	struct value v;

	if (e->count <= i)
		return true;
	if (!evaluate_argument(e, at, i, &v))
		return false;
	if (!number_is_int(v))
		return execution_fail(at->x, 40096, "%s requires an integral %s index, found a value of type: %s, with value: \"%s\"",
		                      e->operator->name, which, value_type_name(v.type), evaluation_text(at, v));
	value_as_int64(v, out);
	if (*out < 0)
		return execution_fail(at->x, 40097, "%s requires a nonnegative %s index, found: %lld", e->operator->name, which,
		                      (long long)*out);
	return true;
}

static bool evaluate_index_of(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value array, wanted;
	int64_t start = 0, end = INT64_MAX, i = 0;
	struct walk w;
	struct field f;

	if (!array_argument(e, at, 0, 40090, "$indexOfArray requires an array as a first argument, found: ", &array, out))
		return false;
	if (!value_is_array(array))
		return true;
	if (!evaluate_argument(e, at, 1, &wanted) || !bound(e, at, 2, "starting", &start) || !bound(e, at, 3, "ending", &end))
		return false;
	walk_begin(&w, array);
	for (; i < end && walk_next(&w, &f); i++) {
		if (i >= start && !value_is_missing(wanted) && value_equal(f.value, wanted)) {
			*out = value_make_int32(at->arena, (int32_t)i);
			return true;
		}
	}
	*out = value_make_int32(at->arena, -1);
	return true;
}

static bool evaluate_concat_arrays(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list all;
	struct value v;

	list_init(&all, at);
	for (size_t i = 0; i < e->count; i++) {
		if (!array_argument(e, at, i, 28664, "$concatArrays only supports arrays, not ", &v, out))
			return false;
		if (!value_is_array(v))
			return true;
		list_push_all(&all, v);
	}
	return list_array(&all, at, out);
}

static bool list_slice(const struct list *l, size_t start, size_t count, struct evaluation *at, struct value *out)
{
	struct list part = *l;

	part.items = l->items ? l->items + start : NULL;
	part.count = count;
	return list_array(&part, at, out);
}

static bool slice_number(const struct expression *e, struct evaluation *at, size_t i, struct value *v)
{
	static const char *const ordinals[] = { "", "Second", "Third" };

	if (!evaluate_argument(e, at, i, v))
		return false;
	if (value_is_nullish(*v))
		return true;
	if (!value_is_number(*v))
		return execution_fail(at->x, i == 1 ? 28725 : 28727, "%s argument to $slice must be numeric, but is of type: %s",
		                      ordinals[i], value_type_name(v->type));
	return number_is_int(*v) || execution_fail(at->x, i == 1 ? 28726 : 28728,
	                                           "%s argument to $slice can't be represented as a 32-bit integer: %s",
	                                           ordinals[i], evaluation_text(at, *v));
}

/* [array, n], [array, position, n] */
static bool evaluate_slice(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value array, second, third;
	struct list items;
	int64_t size, start, count;

	if (!evaluate_argument(e, at, 0, &array) || !evaluate_argument(e, at, 1, &second))
		return false;
	if (value_is_nullish(array) || value_is_nullish(second)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(array))
		return execution_fail(at->x, 28724, "First argument to $slice must be an array, but is of type: %s",
		                      value_type_name(array.type));
	if (!slice_number(e, at, 1, &second))
		return false;
	value_as_int64(second, &start);
	list_init(&items, at);
	list_push_all(&items, array);
	size = (int64_t)items.count;
	if (e->count == 2) {
		count = start < 0 ? -start : start;
		count = count < size ? count : size;
		return list_slice(&items, start < 0 ? (size_t)(size - count) : 0, (size_t)count, at, out);
	}
	if (!slice_number(e, at, 2, &third))
		return false;
	if (value_is_nullish(third)) {
		*out = value_null();
		return true;
	}
	value_as_int64(third, &count);
	if (count <= 0)
		return execution_fail(at->x, 28729, "Third argument to $slice must be positive: %s", evaluation_text(at, third));
	start = start < 0 ? (start + size < 0 ? 0 : start + size) : (start < size ? start : size);
	return list_slice(&items, (size_t)start, (size_t)(count < size - start ? count : size - start), at, out);
}

static bool evaluate_reverse(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value array;
	struct list items;

	if (!array_argument(e, at, 0, 34435, "The argument to $reverseArray must be an array, but was of type: ", &array, out))
		return false;
	if (!value_is_array(array))
		return true;
	list_init(&items, at);
	list_push_all(&items, array);
	for (size_t i = 0; i < items.count / 2; i++) {
		struct value v = items.items[i];

		items.items[i] = items.items[items.count - 1 - i];
		items.items[items.count - 1 - i] = v;
	}
	return list_array(&items, at, out);
}

static bool range_number(const struct expression *e, struct evaluation *at, size_t i, const char *which, uint32_t code,
                         int64_t *out)
{
	struct value v;

	if (!evaluate_argument(e, at, i, &v))
		return false;
	if (!value_is_number(v))
		return execution_fail(at->x, code, "$range requires a numeric %s value, found value of type: %s", which,
		                      value_type_name(v.type));
	if (!number_is_int(v))
		return execution_fail(at->x, code + 1,
		                      "$range requires a%s %s value that can be represented as a 32-bit integer, found value: %s",
		                      *which == 'e' ? "n" : "", which, evaluation_text(at, v));
	value_as_int64(v, out);
	return true;
}

static bool evaluate_range(const struct expression *e, struct evaluation *at, struct value *out)
{
	int64_t start, end, step = 1;
	struct list items;

	if (!range_number(e, at, 0, "starting", 34443, &start) || !range_number(e, at, 1, "ending", 34445, &end))
		return false;
	if (e->count > 2 && !range_number(e, at, 2, "step", 34447, &step))
		return false;
	if (step == 0)
		return execution_fail(at->x, 34449, "$range requires a non-zero step value");
	list_init(&items, at);
	for (; step > 0 ? start < end : start > end; start += step) {
		if (!execution_tick(at->x))
			return false;
		if (items.count > 64 * 1024 * 1024 / 12)
			break; /* list_array refuses this many */
		list_push(&items, value_make_int32(at->arena, (int32_t)start));
	}
	return list_array(&items, at, out);
}

struct zip_specification {
	struct value inputs, defaults; /* arrays, or missing */
	bool longest;
};

static bool parse_zip_field(struct zip_specification *z, struct field f, struct compiler *c)
{
	bool inputs = key_is(f.key, "inputs");

	if (inputs || key_is(f.key, "defaults")) {
		*(inputs ? &z->inputs : &z->defaults) = f.value;
		return value_is_array(f.value) ||
		       compile_fail(c, inputs ? 34461 : 34462, "%s must be an array of expressions, found %s",
		                    inputs ? "inputs" : "defaults", value_type_name(f.value.type));
	}
	if (!key_is(f.key, "useLongestLength"))
		return compile_fail(c, 34464, "$zip found an unknown argument: %.*s", (int)f.key.size_bytes, f.key.bytes);
	if (f.value.type != BSON_TYPE_BOOL)
		return compile_fail(c, 34463, "useLongestLength must be a bool, found %s", value_type_name(f.value.type));
	z->longest = value_bool(f.value);
	return true;
}

/* The inputs, then the defaults if any, are the arguments; `slot` counts the inputs; a name says useLongestLength. */
static bool compile_zip(struct expression *e, struct value specification, struct compiler *c)
{
	struct zip_specification z = { value_missing(), value_missing(), false };
	uint32_t default_count;
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, 34460, "$zip only supports an object as an argument, found %s",
		                    value_type_name(specification.type));
	walk_begin(&w, specification);
	while (walk_next(&w, &f))
		if (!parse_zip_field(&z, f, c))
			return false;
	if (value_is_missing(z.inputs) || !value_count(z.inputs))
		return compile_fail(c, 34465, "$zip requires at least one input array");
	default_count = value_is_missing(z.defaults) ? 0 : value_count(z.defaults);
	if (default_count && !z.longest)
		return compile_fail(c, 34466, "cannot specify defaults unless useLongestLength is true");
	if (default_count && default_count != value_count(z.inputs))
		return compile_fail(c, 34467, "defaults and inputs must have the same length");
	if (!compile_arguments(e, z.inputs, c))
		return false;
	e->slot = e->count;
	if (z.longest)
		expression_keep_name(e, key_of("useLongestLength"));
	return !default_count || compile_arguments(e, z.defaults, c);
}

static bool zip_inputs(const struct expression *e, struct evaluation *at, struct list *inputs, size_t *length,
                       bool *is_null)
{
	bool longest = e->name_count > 0;
	struct value v;

	*is_null = false;
	for (size_t i = 0; i < e->slot; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		*is_null = value_is_nullish(v);
		if (*is_null)
			return true;
		if (!value_is_array(v))
			return execution_fail(at->x, 34468, "$zip found a non-array expression in input: %s", evaluation_text(at, v));
		list_init(&inputs[i], at);
		list_push_all(&inputs[i], v);
		if (i == 0 || (longest ? inputs[i].count > *length : inputs[i].count < *length))
			*length = inputs[i].count;
	}
	return true;
}

static bool evaluate_zip(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list *inputs = arena_allocate(at->arena, e->slot * sizeof *inputs);
	struct value *defaults = arena_allocate(at->arena, e->slot * sizeof *defaults);
	struct list rows, row;
	struct value v;
	size_t length = 0;
	bool is_null;

	if (!zip_inputs(e, at, inputs, &length, &is_null))
		return false;
	if (is_null) {
		*out = value_null();
		return true;
	}
	for (size_t i = 0; i < e->slot; i++) {
		defaults[i] = value_null();
		if (e->count > e->slot && !evaluate_argument(e, at, e->slot + i, &defaults[i]))
			return false;
	}
	list_init(&rows, at);
	for (size_t r = 0; r < length; r++) {
		if (!execution_tick(at->x))
			return false;
		list_init(&row, at);
		for (size_t i = 0; i < e->slot; i++)
			list_push(&row, r < inputs[i].count ? inputs[i].items[r] : defaults[i]);
		if (!list_array(&row, at, &v))
			return false;
		list_push(&rows, v);
	}
	return list_array(&rows, at, out);
}

static void write_part(const struct expression *e, size_t from, size_t to, const char *name, struct writer *w)
{
	writer_begin_array(w, key_of(name));
	for (size_t i = from; i < to; i++)
		expression_write(e->arguments[i], w, key_of(name));
	writer_end(w);
}

static void write_zip(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of("$zip"));
	write_part(e, 0, e->slot, "inputs", w);
	if (e->count > e->slot)
		write_part(e, e->slot, e->count, "defaults", w);
	writer_bool(w, "useLongestLength", e->name_count > 0);
	writer_end(w);
	writer_end(w);
}

const struct operator expression_array_operators[] = {
	{ .name = "$arrayElemAt", .min = 2, .max = 2, .evaluate = evaluate_element_at },
	{ .name = "$concatArrays", .max = -1, .evaluate = evaluate_concat_arrays },
	{ .name = "$first", .min = 1, .max = 1, .evaluate = evaluate_end, .parameter = 0 },
	{ .name = "$in", .min = 2, .max = 2, .evaluate = evaluate_in },
	{ .name = "$indexOfArray", .min = 2, .max = 4, .evaluate = evaluate_index_of },
	{ .name = "$isArray", .min = 1, .max = 1, .evaluate = evaluate_is_array },
	{ .name = "$last", .min = 1, .max = 1, .evaluate = evaluate_end, .parameter = -1 },
	{ .name = "$range", .min = 2, .max = 3, .evaluate = evaluate_range },
	{ .name = "$reverseArray", .min = 1, .max = 1, .evaluate = evaluate_reverse },
	{ .name = "$size", .min = 1, .max = 1, .evaluate = evaluate_size },
	{ .name = "$slice", .min = 2, .max = 3, .evaluate = evaluate_slice },
	{ .name = "$zip", .compile = compile_zip, .evaluate = evaluate_zip, .write = write_zip },
	{ .name = NULL },
};
