#include "engine/expression_internal.h"

/* A constant that decides makes the whole constant, whatever the others would do: MongoDB looks at it first. */
static bool compile_and_or(struct expression *e, struct value specification, struct compiler *c)
{
	bool deciding = e->operator->parameter;

	if (!compile_positional(e, specification, c))
		return false;
	for (size_t i = 0; i < e->count; i++) {
		if (expression_is_literal(e->arguments[i]) && value_is_true(e->arguments[i]->constant) == deciding) {
			expression_become_constant(e, value_make_bool(deciding));
			break;
		}
	}
	return true;
}

/* $and stops at the first false, $or at the first true: the parameter says which decides. */
static bool evaluate_and_or(const struct expression *e, struct evaluation *at, struct value *out)
{
	bool deciding = e->operator->parameter;
	struct value v;

	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		if (value_is_true(v) == deciding) {
			*out = value_make_bool(deciding);
			return true;
		}
	}
	*out = value_make_bool(!deciding);
	return true;
}

static bool evaluate_not(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	*out = value_make_bool(!value_is_true(v));
	return true;
}

/* $allElementsTrue and $anyElementTrue. */
static bool evaluate_elements(const struct expression *e, struct evaluation *at, struct value *out)
{
	bool deciding = e->operator->parameter;
	struct value array;
	struct walk w;
	struct field f;

	if (!evaluate_argument(e, at, 0, &array))
		return false;
	if (!value_is_array(array))
		return execution_fail(at->x, deciding ? 17041 : 17040, "%s's argument must be an array, but is %s", e->operator->name,
		                      value_type_name(array.type));
	walk_begin(&w, array);
	while (walk_next(&w, &f)) {
		if (value_is_true(f.value) == deciding) {
			*out = value_make_bool(deciding);
			return true;
		}
	}
	*out = value_make_bool(!deciding);
	return true;
}

const struct operator expression_boolean_operators[] = {
	{ .name = "$allElementsTrue", .min = 1, .max = 1, .evaluate = evaluate_elements, .parameter = false },
	{ .name = "$and", .max = -1, .compile = compile_and_or, .evaluate = evaluate_and_or, .parameter = false },
	{ .name = "$anyElementTrue", .min = 1, .max = 1, .evaluate = evaluate_elements, .parameter = true },
	{ .name = "$not", .min = 1, .max = 1, .evaluate = evaluate_not },
	{ .name = "$or", .max = -1, .compile = compile_and_or, .evaluate = evaluate_and_or, .parameter = true },
	{ .name = NULL },
};
