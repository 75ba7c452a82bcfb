/*
 * Predicates to intervals, as MongoDB's index bounds are: type brackets, null and missing together, arrays by their
 * elements. Source: https://github.com/mongodb/mongo, src/mongo/db/query/index_bounds_builder.cpp (what bounds a
 * predicate gets and when they are exact).
 */
#include <math.h>

#include "bson/compare.h"
#include "engine/bounds.h"

static struct value plain(uint8_t type)
{
	return (struct value){ (const uint8_t *)"", 0, type };
}

static struct value raw(uint8_t type, const char *payload, uint32_t size_bytes)
{
	return (struct value){ (const uint8_t *)payload, size_bytes, type };
}

static bool is_nan(struct value v)
{
	return value_is_number(v) && isnan(value_as_double(v));
}

/*
 * The least and the greatest of a type's bracket; *inclusive is false when the greatest is the least of the next type.
 */
static bool bracket(uint8_t type, struct arena *a, struct value *least, struct value *greatest, bool *inclusive)
{
	*inclusive = true;
	switch (type) {
	case BSON_TYPE_INT32: case BSON_TYPE_INT64: case BSON_TYPE_DOUBLE: case BSON_TYPE_DECIMAL128:
		*least = value_make_double(a, -INFINITY);
		*greatest = value_make_double(a, INFINITY);
		return true;
	case BSON_TYPE_UTF8: case BSON_TYPE_SYMBOL:
		*least = raw(BSON_TYPE_UTF8, "\1\0\0\0", 5);
		*greatest = raw(BSON_TYPE_DOCUMENT, "\5\0\0\0", 5);
		*inclusive = false;
		return true;
	case BSON_TYPE_DOCUMENT:
		*least = raw(BSON_TYPE_DOCUMENT, "\5\0\0\0", 5);
		*greatest = raw(BSON_TYPE_ARRAY, "\5\0\0\0", 5);
		*inclusive = false;
		return true;
	case BSON_TYPE_BINARY:
		*least = raw(BSON_TYPE_BINARY, "\0\0\0\0", 5);
		*greatest = raw(BSON_TYPE_OID, "\0\0\0\0\0\0\0\0\0\0\0", 12);
		*inclusive = false;
		return true;
	case BSON_TYPE_OID:
		*least = raw(BSON_TYPE_OID, "\0\0\0\0\0\0\0\0\0\0\0", 12);
		*greatest = raw(BSON_TYPE_OID, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
		return true;
	case BSON_TYPE_BOOL:
		*least = value_make_bool(false);
		*greatest = value_make_bool(true);
		return true;
	case BSON_TYPE_DATE_TIME:
		*least = value_make_date(a, INT64_MIN);
		*greatest = value_make_date(a, INT64_MAX);
		return true;
	case BSON_TYPE_TIMESTAMP:
		*least = raw(BSON_TYPE_TIMESTAMP, "\0\0\0\0\0\0\0", 8);
		*greatest = raw(BSON_TYPE_TIMESTAMP, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
		return true;
	default:
		return false;
	}
}

static bool is_range(enum match_kind kind)
{
	return kind == MATCH_LT || kind == MATCH_LTE || kind == MATCH_GT || kind == MATCH_GTE;
}

static bool is_end_of_order(struct value v)
{
	return v.type == BSON_TYPE_MINKEY || v.type == BSON_TYPE_MAXKEY;
}

/* An element of $in, or the operand of an equality. */
static bool in_has(const struct match *in, uint8_t type)
{
	struct walk w;
	struct field f;

	walk_begin(&w, in->operand);
	while (walk_next(&w, &f))
		if (f.value.type == type)
			return true;
	return false;
}

static bool finds_missing(const struct match *m)
{
	if (m->kind == MATCH_IN)
		return in_has(m, BSON_TYPE_NULL);
	return m->operand.type == BSON_TYPE_NULL || (is_range(m->kind) && is_end_of_order(m->operand));
}

static bool can_use_range(const struct match *m)
{
	struct value least, greatest;
	struct arena a;
	bool inclusive, can;

	if (m->operand.type == BSON_TYPE_NULL || is_end_of_order(m->operand))
		return true;
	arena_init(&a);
	can = bracket(m->operand.type, &a, &least, &greatest, &inclusive);
	arena_clear(&a);
	return can;
}

/* Documents without the field match most negations, so a sparse index cannot answer them. */
static bool can_use_negation(const struct match *child, struct bounds_field field)
{
	bool null = child->operand.type == BSON_TYPE_NULL;

	switch (child->kind) {
	case MATCH_EQ:
		if (null)
			return !field.multikey;
		return !field.sparse && child->operand.type != BSON_TYPE_ARRAY;
	case MATCH_IN:
		if (in_has(child, BSON_TYPE_REGEX) || in_has(child, BSON_TYPE_ARRAY))
			return false;
		return !field.sparse && !(field.multikey && in_has(child, BSON_TYPE_NULL));
	case MATCH_LT: case MATCH_LTE: case MATCH_GT: case MATCH_GTE:
		return !field.sparse && !null && !is_end_of_order(child->operand) && can_use_range(child);
	case MATCH_EXISTS:
		return !field.sparse;
	default:
		return false;
	}
}

/*
 * What $elemMatch asks of each element. An element that is an array is a key as a whole: what lies inside of it is in
 * no key.
 */
static bool can_use_element(const struct match *m, struct bounds_field field)
{
	struct bounds_field element = { false, field.sparse, field.whole };

	return m->kind != MATCH_ELEM_MATCH_VALUE && bounds_can_use(m, element);
}

bool bounds_can_use(const struct match *m, struct bounds_field field)
{

	switch (m->kind) {
	case MATCH_EQ: case MATCH_IN:
		return !(field.sparse && finds_missing(m));
	case MATCH_LT: case MATCH_LTE: case MATCH_GT: case MATCH_GTE:
		return can_use_range(m) && !(field.sparse && finds_missing(m));
	case MATCH_EXISTS: case MATCH_REGEX: case MATCH_MOD:
		return true;
	case MATCH_NOT:
		return can_use_negation(m->children[0], field);
	case MATCH_ELEM_MATCH_VALUE:
		for (size_t i = 0; i < m->child_count; i++)
			if (can_use_element(m->children[i], field))
				return true;
		return false;
	default:
		return false;
	}
}

static void add_null(struct intervals *out, struct arena *a)
{
	intervals_add_point(out, a, plain(BSON_TYPE_UNDEFINED));
	intervals_add_point(out, a, value_null());
}

static enum tightness build_equality(struct value v, struct intervals *out, struct arena *a)
{
	struct walk w;
	struct field first;

	if (v.type == BSON_TYPE_NULL) { /* an index does not tell null from missing */
		add_null(out, a);
		return BOUNDS_INEXACT_FETCH;
	}
	intervals_add_point(out, a, v);
	if (v.type != BSON_TYPE_ARRAY)
		return BOUNDS_EXACT;
	/*
	 * The whole array is a key only inside of another array; else its elements are, or undefined when it is empty.
	 */
	walk_begin(&w, v);
	intervals_add_point(out, a, walk_next(&w, &first) ? first.value : plain(BSON_TYPE_UNDEFINED));
	intervals_unite(out);
	return BOUNDS_INEXACT_FETCH;
}

static enum tightness build_in(const struct match *m, struct intervals *out, struct arena *a)
{
	enum tightness tightness = BOUNDS_EXACT;
	struct walk w;
	struct field f;

	walk_begin(&w, m->operand);
	while (walk_next(&w, &f)) {
		enum tightness one = f.value.type == BSON_TYPE_REGEX ? bounds_build_regex(f.value, out, a)
		                                                     : build_equality(f.value, out, a);

		if (one < tightness)
			tightness = one;
	}
	intervals_unite(out);
	return tightness;
}

static enum tightness build_range(const struct match *m, struct intervals *out, struct arena *a)
{
	bool lower = m->kind == MATCH_LT || m->kind == MATCH_LTE, with = m->kind == MATCH_LTE || m->kind == MATCH_GTE;
	struct value least, greatest;
	bool inclusive;

	if (m->operand.type == BSON_TYPE_NULL) {
		add_null(out, a);
		return BOUNDS_INEXACT_FETCH;
	}
	if (is_end_of_order(m->operand)) {
		intervals_add_all(out, a);
		return BOUNDS_INEXACT_FETCH;
	}
	if (is_nan(m->operand)) { /* nothing is above or below it */
		if (with)
			intervals_add_point(out, a, m->operand);
		return BOUNDS_EXACT;
	}
	bracket(m->operand.type, a, &least, &greatest, &inclusive);
	if (lower)
		intervals_add(out, a, least, true, m->operand, with);
	else
		intervals_add(out, a, m->operand, with, greatest, inclusive);
	return BOUNDS_EXACT;
}

static enum tightness build_negation(const struct match *child, struct bounds_field field, struct intervals *out,
                                     struct arena *a)
{
	struct intervals excluded = { NULL, 0, 0 };
	struct walk w;
	struct field f;

	if (child->kind == MATCH_EXISTS) {
		intervals_add_point(out, a, value_null());
		return BOUNDS_INEXACT_FETCH;
	}
	/* undefined is not null here: what equals null is null and missing, and both are the key null */
	if (child->kind == MATCH_EQ) {
		intervals_add_point(&excluded, a, child->operand);
	} else if (child->kind == MATCH_IN) {
		walk_begin(&w, child->operand);
		while (walk_next(&w, &f))
			intervals_add_point(&excluded, a, f.value);
		intervals_unite(&excluded);
	} else {
		build_range(child, &excluded, a);
	}
	*out = intervals_complement(&excluded, a);
	return field.multikey ? BOUNDS_INEXACT_FETCH : BOUNDS_EXACT;
}

/* Each element is tested by itself, so all predicates hold for one key. */
static enum tightness build_elements(const struct match *m, struct bounds_field field, struct intervals *out,
                                     struct arena *a)
{
	struct bounds_field element = { false, field.sparse, field.whole };
	bool first = true;

	for (size_t i = 0; i < m->child_count; i++) {
		struct intervals next = { NULL, 0, 0 };

		if (!can_use_element(m->children[i], field))
			continue;
		bounds_build(m->children[i], element, &next, a);
		*out = first ? next : intervals_intersect(out, &next, a);
		first = false;
	}
	return BOUNDS_INEXACT_FETCH;
}

enum tightness bounds_build(const struct match *m, struct bounds_field field, struct intervals *out, struct arena *a)
{
	switch (m->kind) {
	case MATCH_EQ: return build_equality(m->operand, out, a);
	case MATCH_IN: return build_in(m, out, a);
	case MATCH_REGEX: return bounds_build_regex(m->operand, out, a);
	case MATCH_NOT: return build_negation(m->children[0], field, out, a);
	case MATCH_ELEM_MATCH_VALUE: return build_elements(m, field, out, a);
	case MATCH_EXISTS:
		intervals_add_all(out, a);
		return field.sparse && field.whole ? BOUNDS_EXACT : BOUNDS_INEXACT_FETCH;
	case MATCH_MOD:
		intervals_add(out, a, value_make_double(a, NAN), true, value_make_double(a, INFINITY), true);
		return BOUNDS_INEXACT_COVERED;
	default:
		return build_range(m, out, a);
	}
}
