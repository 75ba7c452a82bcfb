/* Accumulators used as expressions: over their arguments, or the elements of a single argument that is an array. */
#include "bson/compare.h"
#include "engine/expression_internal.h"
#include "engine/expression_sum.h"

static bool values_of(const struct expression *e, struct evaluation *at, struct list *values)
{
	struct value v;

	list_init(values, at);
	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		if (e->count == 1 && value_is_array(v))
			list_push_all(values, v);
		else
			list_push(values, v);
	}
	return true;
}

/* $sum and $avg: the parameter says which. */
static bool evaluate_sum(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct number_sum sum;
	struct list values;

	if (!values_of(e, at, &values))
		return false;
	number_sum_init(&sum);
	for (size_t i = 0; i < values.count; i++)
		if (value_is_number(values.items[i]))
			number_sum_add(&sum, values.items[i]);
	*out = e->operator->parameter ? number_sum_average(&sum, at->arena) : number_sum_value(&sum, at->arena);
	return true;
}

/* $min and $max: the parameter is the sign that wins. */
static bool evaluate_extreme(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list values;

	if (!values_of(e, at, &values))
		return false;
	*out = value_null();
	for (size_t i = 0; i < values.count; i++) {
		struct value v = values.items[i];

		if (!value_is_nullish(v) && (value_is_nullish(*out) || value_compare(v, *out) * e->operator->parameter > 0))
			*out = v;
	}
	return true;
}

static bool evaluate_deviation(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct number_deviation deviation = { 0 };
	struct list values;

	if (!values_of(e, at, &values))
		return false;
	for (size_t i = 0; i < values.count; i++)
		if (value_is_number(values.items[i]))
			number_deviation_add(&deviation, value_as_double(values.items[i]));
	*out = number_deviation_value(&deviation, e->operator->parameter, at->arena);
	return true;
}

const struct operator expression_fold_operators[] = {
	{ .name = "$avg", .max = -1, .evaluate = evaluate_sum, .parameter = true },
	{ .name = "$max", .max = -1, .evaluate = evaluate_extreme, .parameter = 1 },
	{ .name = "$min", .max = -1, .evaluate = evaluate_extreme, .parameter = -1 },
	{ .name = "$stdDevPop", .max = -1, .evaluate = evaluate_deviation, .parameter = false },
	{ .name = "$stdDevSamp", .max = -1, .evaluate = evaluate_deviation, .parameter = true },
	{ .name = "$sum", .max = -1, .evaluate = evaluate_sum, .parameter = false },
	{ .name = NULL },
};
