#include "engine/accumulator.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/compare.h"
#include "bson/print.h"
#include "bson/scan.h"
#include "engine/expression_sum.h"

enum { HELD_LIMIT_BYTES = 100 * 1024 * 1024, SET_FIRST_CAPACITY = 16, EXCEEDED_MEMORY_LIMIT = 146 };

struct accumulator_type {
	const char *name;
	bool (*add)(struct accumulator *a, struct execution *x, struct value v);
	struct value (*result)(struct accumulator *a, struct arena *arena);
	int parameter; /* lets rows share functions */
};

/* What a type does not need stays empty. */
struct accumulator {
	const struct accumulator_type *type;
	struct number_sum sum;
	struct number_deviation deviation;
	int64_t count;
	bool has_value;
	uint8_t value_type;
	struct bytes value;      /* the payload of the one value that is kept */
	struct bytes items;      /* a BSON array under construction, without its terminator */
	size_t *set;             /* offsets + 1 into `items`, hashed; 0: free */
	size_t set_capacity;
};

static bool add_sum(struct accumulator *a, struct execution *x, struct value v)
{
	(void)x;
	if (value_is_number(v))
		number_sum_add(&a->sum, v);
	return true;
}

static struct value result_sum(struct accumulator *a, struct arena *arena)
{
	return number_sum_value(&a->sum, arena);
}

static struct value result_average(struct accumulator *a, struct arena *arena)
{
	return number_sum_average(&a->sum, arena);
}

static bool add_count(struct accumulator *a, struct execution *x, struct value v)
{
	(void)x;
	(void)v;
	a->count++;
	return true;
}

static struct value result_count(struct accumulator *a, struct arena *arena)
{
	return a->count <= INT32_MAX ? value_make_int32(arena, (int32_t)a->count) : value_make_int64(arena, a->count);
}

static bool add_deviation(struct accumulator *a, struct execution *x, struct value v)
{
	(void)x;
	if (value_is_number(v))
		number_deviation_add(&a->deviation, value_as_double(v));
	return true;
}

static struct value result_deviation(struct accumulator *a, struct arena *arena)
{
	return number_deviation_value(&a->deviation, a->type->parameter, arena);
}

static void keep(struct accumulator *a, struct value v)
{
	bytes_reset(&a->value);
	bytes_append(&a->value, v.bytes, v.size_bytes);
	a->value_type = v.type;
	a->has_value = true;
}

static struct value kept(const struct accumulator *a)
{
	return (struct value){ a->value.data ? a->value.data : (const uint8_t *)"", (uint32_t)a->value.size, a->value_type };
}

/* The parameter is the sign of the comparison that replaces what is kept. */
static bool add_extreme(struct accumulator *a, struct execution *x, struct value v)
{
	(void)x;
	if (!value_is_nullish(v) && (!a->has_value || value_compare(v, kept(a)) * a->type->parameter > 0))
		keep(a, v);
	return true;
}

static bool add_first(struct accumulator *a, struct execution *x, struct value v)
{
	(void)x;
	if (!a->has_value)
		keep(a, v);
	return true;
}

static bool add_last(struct accumulator *a, struct execution *x, struct value v)
{
	(void)x;
	keep(a, v);
	return true;
}

/* $group shows what is missing as null. */
static struct value result_kept(struct accumulator *a, struct arena *arena)
{
	(void)arena;
	return a->has_value && a->value_type != VALUE_MISSING ? kept(a) : value_null();
}

static bool append(struct accumulator *a, struct execution *x, struct value v)
{
	static const uint8_t room[4] = { 0 };

	if (a->items.size + v.size_bytes > HELD_LIMIT_BYTES)
		return execution_fail(x, EXCEEDED_MEMORY_LIMIT,
		                      "%s used too much memory and cannot spill to disk. Memory limit: %d bytes", a->type->name,
		                      (int)HELD_LIMIT_BYTES);
	if (!a->items.size)
		bytes_append(&a->items, room, sizeof room);
	bytes_append_byte(&a->items, v.type);
	bytes_format(&a->items, "%lld", (long long)a->count++);
	bytes_append_byte(&a->items, 0);
	bytes_append(&a->items, v.bytes, v.size_bytes);
	return true;
}

static bool add_push(struct accumulator *a, struct execution *x, struct value v)
{
	return value_is_missing(v) || append(a, x, v);
}

/* The value whose type byte lies at that offset of `items`. */
static struct value item_at(const struct accumulator *a, size_t offset)
{
	const uint8_t *at = a->items.data + offset, *end = a->items.data + a->items.size, *payload = scan_name(at + 1, end);

	return (struct value){ payload, (uint32_t)scan_payload(*at, payload, end), *at };
}

static size_t *set_place(struct accumulator *a, struct value v)
{
	size_t i = (size_t)value_hash(v) & (a->set_capacity - 1);

	while (a->set[i] && !value_equal(item_at(a, a->set[i] - 1), v))
		i = (i + 1) & (a->set_capacity - 1);
	return &a->set[i];
}

static void set_grow(struct accumulator *a)
{
	size_t *old = a->set, old_capacity = a->set_capacity;

	a->set_capacity = old_capacity ? old_capacity * 2 : SET_FIRST_CAPACITY;
	a->set = memory_allocate_zeroed(a->set_capacity, sizeof *a->set);
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i])
			*set_place(a, item_at(a, old[i] - 1)) = old[i];
	free(old);
}

static bool add_to_set(struct accumulator *a, struct execution *x, struct value v)
{
	size_t *place, offset;

	if (value_is_missing(v))
		return true;
	if ((size_t)(a->count + 1) * 2 > a->set_capacity)
		set_grow(a);
	place = set_place(a, v);
	if (*place)
		return true;
	offset = a->items.size ? a->items.size : 4;
	if (!append(a, x, v))
		return false;
	*place = offset + 1;
	return true;
}

/* Terminated for the reader; the next value is written over the terminator. */
static struct value result_items(struct accumulator *a, struct arena *arena)
{
	static const uint8_t empty[5] = { 5 };
	uint32_t size;

	(void)arena;
	if (!a->items.size)
		return (struct value){ empty, sizeof empty, BSON_TYPE_ARRAY };
	bytes_append_byte(&a->items, 0);
	size = BSON_UINT32_TO_LE((uint32_t)a->items.size);
	memcpy(a->items.data, &size, 4);
	size = (uint32_t)a->items.size;
	a->items.size--;
	return (struct value){ a->items.data, size, BSON_TYPE_ARRAY };
}

/* The document so far with the fields of `v` replaced in place or appended. */
static bool add_merge(struct accumulator *a, struct execution *x, struct value v)
{
	struct bytes merged = BYTES_INIT, text = BYTES_INIT;
	struct writer *writer;
	struct walk w;
	struct field f;

	if (value_is_nullish(v))
		return true;
	if (!value_is_document(v)) {
		print_line(&text, v, PRINT_SERVER);
		execution_fail(x, 40400, "$mergeObjects requires object inputs, but input %s is of type %s", bytes_text(&text),
		               value_type_name(v.type));
		bytes_clear(&text);
		return false;
	}
	if (!a->has_value) {
		keep(a, v);
		return true;
	}
	writer = memory_allocate(sizeof *writer);
	writer_begin(writer, &merged);
	walk_begin(&w, kept(a));
	while (walk_next(&w, &f)) {
		struct value newer = value_get_key(v, f.key);

		writer_value(writer, f.key, value_is_missing(newer) ? f.value : newer);
	}
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (value_is_missing(value_get_key(kept(a), f.key)))
			writer_value(writer, f.key, f.value);
	writer_finish(writer);
	free(writer);
	bytes_clear(&a->value);
	a->value = merged;
	return true;
}

static struct value result_merge(struct accumulator *a, struct arena *arena)
{
	static const uint8_t empty[5] = { 5 };

	(void)arena;
	return a->has_value ? kept(a) : (struct value){ empty, sizeof empty, BSON_TYPE_DOCUMENT };
}

static const struct accumulator_type types[] = {
	{ "$addToSet", add_to_set, result_items, 0 },
	{ "$avg", add_sum, result_average, 0 },
	{ "$count", add_count, result_count, 0 },
	{ "$first", add_first, result_kept, 0 },
	{ "$last", add_last, result_kept, 0 },
	{ "$max", add_extreme, result_kept, 1 },
	{ "$mergeObjects", add_merge, result_merge, 0 },
	{ "$min", add_extreme, result_kept, -1 },
	{ "$push", add_push, result_items, 0 },
	{ "$stdDevPop", add_deviation, result_deviation, false },
	{ "$stdDevSamp", add_deviation, result_deviation, true },
	{ "$sum", add_sum, result_sum, 0 },
};

const struct accumulator_type *accumulator_type_find(struct key name, bson_error_t *error)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (key_is(name, types[i].name))
			return &types[i];
	error_set(error, ERROR_SERVER, 15952, "unknown group operator '%.*s'", (int)name.size_bytes, name.bytes);
	return NULL;
}

struct expression *accumulator_compile_argument(const struct accumulator_type *type, struct value specification,
                                                const struct expression_scope *scope, bson_error_t *error)
{
	if (type->add == add_count && (!value_is_document(specification) || value_count(specification))) {
		error_set(error, ERROR_SERVER, CODE_TypeMismatch, "$count takes no arguments, i.e. $count:{}");
		return NULL;
	}
	return expression_compile(specification, scope, error);
}

struct accumulator *accumulator_new(const struct accumulator_type *type)
{
	struct accumulator *a = memory_allocate_zeroed(1, sizeof *a);

	a->type = type;
	number_sum_init(&a->sum);
	return a;
}

void accumulator_destroy(struct accumulator *a)
{
	if (!a)
		return;
	bytes_clear(&a->value);
	bytes_clear(&a->items);
	free(a->set);
	free(a);
}

bool accumulator_add(struct accumulator *a, struct execution *x, struct value v)
{
	return a->type->add(a, x, v);
}

bool accumulator_result(struct accumulator *a, struct execution *x, struct arena *arena, struct value *out)
{
	(void)x;
	*out = a->type->result(a, arena);
	return true;
}

int64_t accumulator_memory_bytes(const struct accumulator *a)
{
	return (int64_t)(sizeof *a + a->value.capacity + a->items.capacity + a->set_capacity * sizeof *a->set);
}
