/* Sets: arrays whose order and duplicates do not count. Kept sorted, as MongoDB's results are. */
#include <stdlib.h>

#include "bson/compare.h"
#include "engine/expression_internal.h"

static int by_value(const void *a, const void *b)
{
	return value_compare(*(const struct value *)a, *(const struct value *)b);
}

/* Sorts and drops duplicates. */
static void make_set(struct list *l)
{
	size_t kept = 0;

	if (l->count)
		qsort(l->items, l->count, sizeof *l->items, by_value);
	for (size_t i = 0; i < l->count; i++)
		if (kept == 0 || value_compare(l->items[kept - 1], l->items[i]) != 0)
			l->items[kept++] = l->items[i];
	l->count = kept;
}

static bool contains(const struct list *set, struct value v)
{
	return set->count && bsearch(&v, set->items, set->count, sizeof v, by_value);
}

static void list_of(struct list *l, struct evaluation *at, struct value array)
{
	list_init(l, at);
	list_push_all(l, array);
}

/* Every argument an array, or all null when one is nullish. */
static bool set_argument(const struct expression *e, struct evaluation *at, size_t i, uint32_t code, struct value *v,
                         struct value *out)
{
	if (!evaluate_argument(e, at, i, v))
		return false;
	if (value_is_nullish(*v)) {
		*out = value_null();
		return true;
	}
	return value_is_array(*v) ||
	       execution_fail(at->x, code, "All operands of %s must be arrays. One argument is of type: %s",
	                      e->operator->name, value_type_name(v->type));
}

/* Constants come last, as MongoDB sorts arguments without an order: a null is seen before a constant's fault. */
static bool compile_unordered(struct expression *e, struct value specification, struct compiler *c)
{
	size_t at = 0;

	if (!compile_positional(e, specification, c))
		return false;
	for (size_t i = 0; i < e->count; i++) {
		struct expression *argument = e->arguments[i];

		if (expression_is_literal(argument))
			continue;
		for (size_t k = i; k > at; k--)
			e->arguments[k] = e->arguments[k - 1];
		e->arguments[at++] = argument;
	}
	return true;
}

static bool evaluate_union(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list all;
	struct value v;

	list_init(&all, at);
	for (size_t i = 0; i < e->count; i++) {
		if (!set_argument(e, at, i, 17043, &v, out))
			return false;
		if (!value_is_array(v))
			return true;
		list_push_all(&all, v);
	}
	make_set(&all);
	return list_array(&all, at, out);
}

static bool evaluate_intersection(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list common, other;
	struct value v;

	list_init(&common, at);
	for (size_t i = 0; i < e->count; i++) {
		size_t kept = 0;

		if (!set_argument(e, at, i, 17047, &v, out))
			return false;
		if (!value_is_array(v))
			return true;
		list_of(&other, at, v);
		make_set(&other);
		if (i == 0) {
			common = other;
			continue;
		}
		for (size_t k = 0; k < common.count; k++)
			if (contains(&other, common.items[k]))
				common.items[kept++] = common.items[k];
		common.count = kept;
	}
	return list_array(&common, at, out);
}

/* In the order of the first array, without its duplicates. */
static bool evaluate_difference(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;
	struct list left, right, own, rest;
	bool *taken;

	if (!evaluate_argument(e, at, 0, &a) || !evaluate_argument(e, at, 1, &b))
		return false;
	if (value_is_nullish(a) || value_is_nullish(b)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(a) || !value_is_array(b))
		return execution_fail(at->x, value_is_array(a) ? 17049 : 17048,
		                      "both operands of $setDifference must be arrays. %s argument is of type: %s",
		                      value_is_array(a) ? "Second" : "First", value_type_name(value_is_array(a) ? b.type : a.type));
	list_of(&left, at, a);
	list_of(&right, at, b);
	make_set(&right);
	list_of(&own, at, a);
	make_set(&own);
	taken = arena_allocate(at->arena, own.count + 1);
	for (size_t i = 0; i < own.count; i++)
		taken[i] = contains(&right, own.items[i]);
	list_init(&rest, at);
	for (size_t i = 0; i < left.count; i++) {
		const struct value *place = bsearch(&left.items[i], own.items, own.count, sizeof *place, by_value);

		if (!taken[place - own.items])
			list_push(&rest, left.items[i]);
		taken[place - own.items] = true;
	}
	return list_array(&rest, at, out);
}

static bool evaluate_equals(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list first, other;
	struct value v;
	bool equal = true;

	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		if (!value_is_array(v))
			return execution_fail(
				at->x, 17044,
				"All operands of $setEquals must be arrays. %zu-th argument is of type: %s", i + 1,
				value_type_name(v.type));
		list_of(&other, at, v);
		make_set(&other);
		if (i == 0) {
			first = other;
			continue;
		}
		equal = equal && first.count == other.count;
		for (size_t k = 0; equal && k < first.count; k++)
			equal = value_compare(first.items[k], other.items[k]) == 0;
		if (!equal)
			break;
	}
	*out = value_make_bool(equal);
	return true;
}

static bool evaluate_subset(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;
	struct list small, large;
	bool all = true;

	if (!evaluate_argument(e, at, 0, &a) || !evaluate_argument(e, at, 1, &b))
		return false;
	if (!value_is_array(a) || !value_is_array(b))
		return execution_fail(at->x, value_is_array(a) ? 17042 : 17046,
		                      "both operands of $setIsSubset must be arrays. %s argument is of type: %s",
		                      value_is_array(a) ? "Second" : "First", value_type_name(value_is_array(a) ? b.type : a.type));
	list_of(&small, at, a);
	list_of(&large, at, b);
	make_set(&large);
	for (size_t i = 0; all && i < small.count; i++)
		all = contains(&large, small.items[i]);
	*out = value_make_bool(all);
	return true;
}

const struct operator expression_set_operators[] = {
	{ .name = "$setDifference", .min = 2, .max = 2, .evaluate = evaluate_difference },
	{ .name = "$setEquals", .min = 2, .max = -1, .arity_code = 17045, .arity_text = "needs at least two arguments had: ",
	  .evaluate = evaluate_equals },
	{ .name = "$setIntersection", .max = -1, .compile = compile_unordered, .evaluate = evaluate_intersection },
	{ .name = "$setIsSubset", .min = 2, .max = 2, .evaluate = evaluate_subset },
	{ .name = "$setUnion", .max = -1, .compile = compile_unordered, .evaluate = evaluate_union },
	{ .name = NULL },
};
