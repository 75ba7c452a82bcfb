/* MongoDB's canonical order of a predicate, and the predicate as explain prints it. */
#include <stdlib.h>
#include <string.h>

#include "engine/match_private.h"

#include "base/memory.h"
#include "bson/compare.h"

/* The order in which MongoDB sorts the kinds of siblings. */
static int rank_of(enum match_kind kind)
{
	static const enum match_kind order[] = {
		MATCH_AND, MATCH_OR, MATCH_ELEM_MATCH_OBJECT, MATCH_ELEM_MATCH_VALUE, MATCH_SIZE, MATCH_EQ, MATCH_LTE, MATCH_LT,
		MATCH_GT, MATCH_GTE, MATCH_REGEX, MATCH_MOD, MATCH_EXISTS, MATCH_IN, MATCH_BITS_ALL_SET, MATCH_BITS_ALL_CLEAR,
		MATCH_BITS_ANY_SET, MATCH_BITS_ANY_CLEAR, MATCH_NOT, MATCH_NOR, MATCH_TYPE, MATCH_EXPR, MATCH_JSON_SCHEMA,
		MATCH_ALWAYS_FALSE, MATCH_ALWAYS_TRUE,
	};
	int rank = 0;

	while (order[rank] != kind)
		rank++;
	return rank;
}

static int compare_nodes(const struct match *a, const struct match *b)
{
	size_t common = a->child_count < b->child_count ? a->child_count : b->child_count;
	int difference = rank_of(a->kind) - rank_of(b->kind);

	if (!difference)
		difference = strcmp(a->path.text ? a->path.text : "", b->path.text ? b->path.text : "");
	for (size_t i = 0; i < common && !difference; i++)
		difference = compare_nodes(a->children[i], b->children[i]);
	if (!difference)
		difference = (a->child_count > b->child_count) - (a->child_count < b->child_count);
	return difference;
}

/* Stable, and filters are short. */
static void sort_children(struct match *m)
{
	for (size_t i = 1; i < m->child_count; i++) {
		struct match *moving = m->children[i];
		size_t k = i;

		for (; k > 0 && compare_nodes(m->children[k - 1], moving) > 0; k--)
			m->children[k] = m->children[k - 1];
		m->children[k] = moving;
	}
}

static void destroy_empty(struct match *m)
{
	m->child_count = 0;
	match_destroy(m);
}

/* Children of the same kind (an $and in an $and) take the place of their parent. */
static void absorb(struct match *m)
{
	struct match **old = m->children;
	size_t count = m->child_count;

	m->children = NULL;
	m->child_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct match *child = old[i];

		if (child->kind != m->kind) {
			match_add(m, child);
			continue;
		}
		for (size_t k = 0; k < child->child_count; k++)
			match_add(m, child->children[k]);
		destroy_empty(child);
	}
	free(old);
}

static void replace_by_only_child(struct match **m)
{
	struct match *child = (*m)->children[0];

	destroy_empty(*m);
	*m = child;
}

static bool holds_always_false(const struct match *m)
{
	for (size_t i = 0; i < m->child_count; i++)
		if (m->children[i]->kind == MATCH_ALWAYS_FALSE)
			return true;
	return false;
}

static void replace_by(struct match **m, enum match_kind kind)
{
	match_destroy(*m);
	*m = match_new(kind);
}

static bool may_join_in(const struct match *m)
{
	return m->kind == MATCH_EQ || m->kind == MATCH_REGEX;
}

/* Alternatives that are equalities (or regexes) of one path are one $in. */
static void join_equalities(struct match *m)
{
	struct match *in;
	struct bytes operand = BYTES_INIT;
	struct writer w;
	size_t first = 0, joined = 0, kept = 0;
	const char *path;

	while (first < m->child_count && !may_join_in(m->children[first]))
		first++;
	if (first == m->child_count || !m->children[first]->path.text)
		return;
	path = m->children[first]->path.text;
	for (size_t i = 0; i < m->child_count; i++)
		joined += may_join_in(m->children[i]) && !strcmp(m->children[i]->path.text, path);
	if (joined < 2)
		return;
	in = match_new_leaf(MATCH_IN, key_of(path));
	writer_begin(&w, &operand);
	for (size_t i = 0; i < m->child_count; i++) {
		struct match *child = m->children[i];

		if (may_join_in(child) && !strcmp(child->path.text, in->path.text)) {
			/* a regex as the operand of $eq would become a pattern */
			writer_value(&w, key_of(""), child->operand);
			match_destroy(child);
		} else {
			m->children[kept++] = child;
		}
	}
	m->child_count = kept;
	writer_finish(&w);
	match_set_operand(in, (struct value){ operand.data, (uint32_t)operand.size, BSON_TYPE_ARRAY });
	bytes_clear(&operand);
	match_in_prepare(in, NULL);
	match_add(m, in);
}

static bool equals_a_regex(const struct match *m)
{
	for (size_t i = 0; i < m->child_count; i++)
		if (m->children[i]->kind == MATCH_EQ && m->children[i]->operand.type == BSON_TYPE_REGEX)
			return true;
	return false;
}

static void simplify_in(struct match **m)
{
	struct match_in *in = (*m)->compiled;
	struct match *simple;

	if (in->equality_count + in->regex_count == 0) {
		replace_by(m, MATCH_ALWAYS_FALSE);
		return;
	}
	if (in->equality_count + in->regex_count > 1)
		return;
	simple = match_new(in->equality_count ? MATCH_EQ : MATCH_REGEX);
	simple->path = (*m)->path;
	(*m)->path = (struct path){ 0 };
	match_set_operand(simple, in->equality_count ? in->equalities[0] : in->regex_values[0]);
	if (in->regex_count) {
		simple->compiled = in->regexes[0];
		in->regex_count = 0;
	}
	match_destroy(*m);
	*m = simple;
}

static void simplify(struct match **m)
{
	for (size_t i = 0; i < (*m)->child_count; i++)
		simplify(&(*m)->children[i]);
	switch ((*m)->kind) {
	case MATCH_AND:
		absorb(*m);
		if (holds_always_false(*m))
			replace_by(m, MATCH_ALWAYS_FALSE);
		else if ((*m)->child_count == 1)
			replace_by_only_child(m);
		break;
	case MATCH_OR:
		absorb(*m);
		if (!equals_a_regex(*m))
			join_equalities(*m);
		if ((*m)->child_count == 1) {
			replace_by_only_child(m);
			if ((*m)->kind == MATCH_IN)
				simplify_in(m);
		}
		break;
	case MATCH_IN:
		simplify_in(m);
		break;
	default: break;
	}
}

static void sort_tree(struct match *m)
{
	for (size_t i = 0; i < m->child_count; i++)
		sort_tree(m->children[i]);
	if (m->kind == MATCH_AND || m->kind == MATCH_OR || m->kind == MATCH_NOR)
		sort_children(m);
}

void match_canonicalize(struct match **m)
{
	simplify(m);
	sort_tree(*m);
	match_prepare_fields(*m);
}

static void write_fields(const struct match *m, struct writer *w);

static void write_children(const struct match *m, struct writer *w, const char *name)
{
	writer_begin_array(w, key_of(name));
	for (size_t i = 0; i < m->child_count; i++)
		match_write(m->children[i], w, key_of(""));
	writer_end(w);
}

static void write_types(const struct match *m, struct writer *w)
{
	uint32_t bits = ((const struct match_types *)m->compiled)->bits;
	uint32_t numbers = match_type_bit(BSON_TYPE_DOUBLE) | match_type_bit(BSON_TYPE_INT32) |
	                   match_type_bit(BSON_TYPE_INT64) | match_type_bit(BSON_TYPE_DECIMAL128);

	writer_begin_array(w, key_of("$type"));
	if ((bits & numbers) == numbers) {
		writer_text(w, "", "number");
		bits &= ~numbers;
	}
	for (int type = -1; type <= 127; type++)
		if (bits & match_type_bit(type))
			writer_int32(w, "", type);
	writer_end(w);
}

static void write_regex(const struct match *m, struct writer *w)
{
	struct key pattern, options;

	value_regex(m->operand, &pattern, &options);
	writer_text(w, "$regex", pattern.bytes);
	if (options.size_bytes)
		writer_text(w, "$options", options.bytes);
}

static void write_mod(const struct match *m, struct writer *w)
{
	const struct match_mod *mod = m->compiled;

	writer_begin_array(w, key_of("$mod"));
	writer_int64(w, "", mod->divisor);
	writer_int64(w, "", mod->remainder);
	writer_end(w);
}

static void write_bits(const struct match *m, struct writer *w, const char *name)
{
	const struct match_bits *bits = m->compiled;

	writer_begin_array(w, key_of(name));
	for (size_t i = 0; i < bits->count; i++)
		writer_int32(w, "", (int32_t)bits->positions[i]);
	writer_end(w);
}

/* What stands under the path: `$eq: 26`. */
static void write_operator(const struct match *m, struct writer *w)
{
	switch (m->kind) {
	case MATCH_EQ: writer_put(w, "$eq", m->operand); break;
	case MATCH_LT: writer_put(w, "$lt", m->operand); break;
	case MATCH_LTE: writer_put(w, "$lte", m->operand); break;
	case MATCH_GT: writer_put(w, "$gt", m->operand); break;
	case MATCH_GTE: writer_put(w, "$gte", m->operand); break;
	case MATCH_IN: writer_put(w, "$in", m->operand); break;
	case MATCH_EXISTS: writer_bool(w, "$exists", true); break;
	case MATCH_TYPE: write_types(m, w); break;
	case MATCH_REGEX: write_regex(m, w); break;
	case MATCH_MOD: write_mod(m, w); break;
	case MATCH_SIZE: writer_int32(w, "$size", (int32_t)value_int64(m->operand)); break;
	case MATCH_BITS_ALL_SET: write_bits(m, w, "$bitsAllSet"); break;
	case MATCH_BITS_ALL_CLEAR: write_bits(m, w, "$bitsAllClear"); break;
	case MATCH_BITS_ANY_SET: write_bits(m, w, "$bitsAnySet"); break;
	case MATCH_BITS_ANY_CLEAR: write_bits(m, w, "$bitsAnyClear"); break;
	case MATCH_ELEM_MATCH_OBJECT: match_write(m->children[0], w, key_of("$elemMatch")); break;
	case MATCH_ELEM_MATCH_VALUE:
		writer_begin_document(w, key_of("$elemMatch"));
		for (size_t i = 0; i < m->child_count; i++)
			write_operator(m->children[i], w);
		writer_end(w);
		break;
	case MATCH_NOT:
		writer_begin_document(w, key_of("$not"));
		write_operator(m->children[0], w);
		writer_end(w);
		break;
	default: write_fields(m, w);
	}
}

static void write_not(const struct match *m, struct writer *w)
{
	const struct match *child = m->children[0];

	if (!child->path.text) {
		write_children(m, w, "$nor");
		return;
	}
	writer_begin_document(w, key_of(child->path.text));
	writer_begin_document(w, key_of("$not"));
	write_operator(child, w);
	writer_end(w);
	writer_end(w);
}

static void write_fields(const struct match *m, struct writer *w)
{
	switch (m->kind) {
	case MATCH_AND:
		if (m->child_count)
			write_children(m, w, "$and");
		break;
	case MATCH_OR: write_children(m, w, "$or"); break;
	case MATCH_NOR: write_children(m, w, "$nor"); break;
	case MATCH_NOT: write_not(m, w); break;
	case MATCH_ALWAYS_FALSE: writer_int32(w, "$alwaysFalse", 1); break;
	case MATCH_ALWAYS_TRUE: writer_int32(w, "$alwaysTrue", 1); break;
	case MATCH_JSON_SCHEMA: writer_put(w, "$jsonSchema", m->operand); break;
	case MATCH_EXPR:
		expression_write(((const struct match_expression *)m->compiled)->expression, w, key_of("$expr"));
		break;
	default:
		writer_begin_document(w, key_of(m->path.text ? m->path.text : ""));
		write_operator(m, w);
		writer_end(w);
	}
}

void match_write(const struct match *m, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	write_fields(m, w);
	writer_end(w);
}
