#include "bson/compare.h"
#include "engine/expression_internal.h"

enum { COMPARE_CMP, COMPARE_EQ, COMPARE_GT, COMPARE_GTE, COMPARE_LT, COMPARE_LTE, COMPARE_NE };

/* Missing is below every value here, as MongoDB's EOO is; below MinKey too. */
static int compare(struct value a, struct value b)
{
	if (value_is_missing(a) || value_is_missing(b)) {
		int rank_a = value_is_missing(a) ? value_canonical_type(BSON_TYPE_UNDEFINED) : value_canonical_type(a.type);
		int rank_b = value_is_missing(b) ? value_canonical_type(BSON_TYPE_UNDEFINED) : value_canonical_type(b.type);

		if (rank_a != rank_b)
			return rank_a < rank_b ? -1 : 1;
		return (int)!value_is_missing(a) - (int)!value_is_missing(b);
	}
	return value_compare(a, b);
}

static bool evaluate_comparison(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;
	int order;
	bool truth = false;

	if (!evaluate_argument(e, at, 0, &a) || !evaluate_argument(e, at, 1, &b))
		return false;
	order = compare(a, b);
	switch (e->operator->parameter) {
	case COMPARE_CMP:
		*out = value_make_int32(at->arena, (order > 0) - (order < 0));
		return true;
	case COMPARE_EQ: truth = order == 0; break;
	case COMPARE_GT: truth = order > 0; break;
	case COMPARE_GTE: truth = order >= 0; break;
	case COMPARE_LT: truth = order < 0; break;
	case COMPARE_LTE: truth = order <= 0; break;
	case COMPARE_NE: truth = order != 0; break;
	}
	*out = value_make_bool(truth);
	return true;
}

#define COMPARISON(text, which) \
	{ .name = text, .min = 2, .max = 2, .evaluate = evaluate_comparison, .parameter = which }

const struct operator expression_comparison_operators[] = {
	COMPARISON("$cmp", COMPARE_CMP), COMPARISON("$eq", COMPARE_EQ),   COMPARISON("$gt", COMPARE_GT),
	COMPARISON("$gte", COMPARE_GTE), COMPARISON("$lt", COMPARE_LT),   COMPARISON("$lte", COMPARE_LTE),
	COMPARISON("$ne", COMPARE_NE),   { .name = NULL },
};
