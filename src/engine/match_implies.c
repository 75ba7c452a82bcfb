/*
 * Whether one predicate implies another, as MongoDB decides it before it uses a partial index: by the form of the
 * predicates, never by what the collection holds. Source: https://github.com/mongodb/mongo,
 * src/mongo/db/matcher/expression_algo.cpp (isSubsetOf).
 */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "bson/compare.h"
#include "engine/match_private.h"

static bool is_comparison(enum match_kind kind)
{
	return kind == MATCH_EQ || kind == MATCH_LT || kind == MATCH_LTE || kind == MATCH_GT || kind == MATCH_GTE;
}

static bool is_nan(struct value v)
{
	return value_is_number(v) && isnan(value_as_double(v));
}

/* Both as explain prints them. */
static bool is_same(const struct match *a, const struct match *b)
{
	struct bytes texts[2] = { BYTES_INIT, BYTES_INIT };
	const struct match *sides[2] = { a, b };
	bool same;

	for (int i = 0; i < 2; i++) {
		struct writer w;

		writer_begin(&w, &texts[i]);
		match_write(sides[i], &w, key_of("m"));
		writer_finish(&w);
	}
	same = texts[0].size == texts[1].size && !memcmp(texts[0].data, texts[1].data, texts[0].size);
	bytes_clear(&texts[0]);
	bytes_clear(&texts[1]);
	return same;
}

static bool is_below(enum match_kind kind)
{
	return kind == MATCH_LT || kind == MATCH_LTE;
}

/* {a: {KIND: v}} implies `wanted`, a comparison on the same path. */
static bool comparison_implies(enum match_kind kind, struct value v, const struct match *wanted)
{
	bool with = wanted->kind == MATCH_LTE || wanted->kind == MATCH_GTE, equal = wanted->kind == MATCH_EQ;
	int order;

	if (value_canonical_type(v.type) != value_canonical_type(wanted->operand.type))
		return false;
	if (is_nan(v) || is_nan(wanted->operand)) /* equal to itself alone */
		return is_nan(v) && is_nan(wanted->operand) && (equal || with) && kind != MATCH_LT && kind != MATCH_GT;
	order = value_compare(v, wanted->operand);
	if (kind == wanted->kind && !order)
		return true;
	if (equal || (kind != MATCH_EQ && is_below(kind) != is_below(wanted->kind)))
		return false;
	if (with && !order)
		return true;
	return is_below(wanted->kind) ? order < 0 : order > 0;
}

/* Every alternative of a $in implies `wanted`; a regular expression implies nothing. */
static bool list_implies(struct value list, const struct match *wanted)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, list); walk_next(&w, &f);)
		if (f.value.type == BSON_TYPE_REGEX || !comparison_implies(MATCH_EQ, f.value, wanted))
			return false;
	return true;
}

static bool same_path(const struct match *a, const struct match *b)
{
	return a->path.count && b->path.count && !strcmp(a->path.text, b->path.text);
}

static bool implies_comparison(const struct match *m, const struct match *wanted)
{
	if (!same_path(m, wanted))
		return false;
	if (is_comparison(m->kind))
		return comparison_implies(m->kind, m->operand, wanted);
	return m->kind == MATCH_IN && list_implies(m->operand, wanted);
}

static bool list_has_null(struct value list)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, list); walk_next(&w, &f);)
		if (f.value.type == BSON_TYPE_NULL)
			return true;
	return false;
}

/*
 * Equal to null is what is missing too, so its opposite exists: not below an array, where an empty one is neither. There
 * MongoDB believes it all the same.
 */
static bool implies_existence(const struct match *m, const struct match *wanted)
{
	const struct match *leaf = m->kind == MATCH_NOT ? m->children[0] : m;

	if (!same_path(leaf, wanted))
		return false;
	if (m->kind == MATCH_NOT)
		return leaf->path.count == 1 && ((leaf->kind == MATCH_EQ && leaf->operand.type == BSON_TYPE_NULL) ||
		                                 (leaf->kind == MATCH_IN && list_has_null(leaf->operand)));
	if (is_comparison(m->kind))
		return m->operand.type != BSON_TYPE_NULL && m->operand.type != BSON_TYPE_MINKEY &&
		       m->operand.type != BSON_TYPE_MAXKEY;
	if (m->kind == MATCH_IN)
		return !list_has_null(m->operand);
	return true;
}

/* One value of a $in's list; an equality that is not among them implies nothing. */
static bool implies_membership(const struct match *m, const struct match *wanted)
{
	struct match one = { .kind = MATCH_EQ, .path = wanted->path };
	struct value list = m->operand;
	struct walk w, inner;
	struct field f, g;

	if (!same_path(m, wanted))
		return false;
	if (m->kind == MATCH_IN) {
		for (walk_begin(&w, list); walk_next(&w, &f);) {
			struct match alone = { .kind = MATCH_EQ, .path = m->path, .operand = f.value };

			if (f.value.type == BSON_TYPE_REGEX || !implies_membership(&alone, wanted))
				return false;
		}
		return true;
	}
	for (walk_begin(&inner, wanted->operand); m->kind == MATCH_EQ && walk_next(&inner, &g);) {
		one.operand = g.value;
		if (g.value.type != BSON_TYPE_REGEX && comparison_implies(MATCH_EQ, m->operand, &one))
			return true;
	}
	return false;
}

static bool implies_leaf(const struct match *m, const struct match *wanted)
{
	if (is_comparison(wanted->kind))
		return implies_comparison(m, wanted);
	if (wanted->kind == MATCH_EXISTS)
		return implies_existence(m, wanted);
	return wanted->kind == MATCH_IN && implies_membership(m, wanted);
}

static bool implies(const struct match *m, const struct match *wanted, int depth)
{
	if (depth > VALUE_DEPTH_LIMIT)
		return false;
	if (is_same(m, wanted))
		return true;
	for (size_t i = 0; wanted->kind == MATCH_OR && i < wanted->child_count; i++)
		if (implies(m, wanted->children[i], depth + 1))
			return true;
	if (wanted->kind == MATCH_AND) {
		for (size_t i = 0; i < wanted->child_count; i++)
			if (!implies(m, wanted->children[i], depth + 1))
				return false;
		return true;
	}
	if (m->kind != MATCH_AND && m->kind != MATCH_OR)
		return implies_leaf(m, wanted);
	for (size_t i = 0; i < m->child_count; i++)
		if (implies(m->children[i], wanted, depth + 1) == (m->kind == MATCH_AND))
			return m->kind == MATCH_AND;
	return m->kind == MATCH_OR;
}

bool match_implies(const struct match *m, const struct match *wanted)
{
	return implies(m, wanted, 0);
}
