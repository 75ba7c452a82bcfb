#include "engine/match_private.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "bson/compare.h"
#include "bson/decimal.h"
#include "bson/scan.h"

/*
 * The first eight bytes of the name at `at`, what follows its end as zeros: short names compare as one number. *after
 * is past its NUL. False when there is no end before `end`.
 */
static inline bool read_name(const uint8_t *at, const uint8_t *end, uint64_t *head, const uint8_t **after)
{
	uint64_t word = 0, zeros;

	if (end - at >= 8) {
		word = scan_word(at);
		zeros = scan_zeros(word);
		if (!zeros) {
			*head = word;
			*after = scan_name(at + 8, end);
			return *after;
		}
		*head = word & ((zeros & -zeros) - 1) >> 7;
		*after = at + (__builtin_ctzll(zeros) >> 3) + 1;
		return true;
	}
	*after = scan_name(at, end);
	if (!*after)
		return false;
	memcpy(&word, at, (size_t)(*after - at - 1));
	*head = BSON_UINT64_FROM_LE(word);
	return true;
}

static bool order_holds(enum match_kind kind, int order)
{
	switch (kind) {
	case MATCH_EQ: return order == 0;
	case MATCH_LT: return order < 0;
	case MATCH_LTE: return order <= 0;
	case MATCH_GT: return order > 0;
	default: return order >= 0;
	}
}

static bool is_nan(struct value v)
{
	return (v.type == BSON_TYPE_DOUBLE && isnan(value_double(v))) ||
	       (v.type == BSON_TYPE_DECIMAL128 && decimal_is_nan(value_decimal(v)));
}

/*
 * Only values of one kind compare (type bracketing); null stands for missing, and all are above MinKey and below
 * MaxKey.
 */
static bool test_other_type(enum match_kind kind, struct value v, struct value operand)
{
	if (operand.type == BSON_TYPE_NULL)
		return v.type == VALUE_MISSING && (kind == MATCH_EQ || kind == MATCH_LTE || kind == MATCH_GTE);
	if (operand.type == BSON_TYPE_MAXKEY)
		return kind == MATCH_LT || kind == MATCH_LTE;
	if (operand.type == BSON_TYPE_MINKEY)
		return kind == MATCH_GT || kind == MATCH_GTE;
	return false;
}

static bool test_comparison(const struct match *m, struct value v)
{
	struct value operand = m->operand;

	if (v.type == operand.type) {
		if (v.type == BSON_TYPE_INT32) {
			int32_t a = value_int32(v), b = value_int32(operand);

			return order_holds(m->kind, (a > b) - (a < b));
		}
		if (m->kind == MATCH_EQ && (v.type == BSON_TYPE_UTF8 || v.type == BSON_TYPE_OID))
			return v.size_bytes == operand.size_bytes && !memcmp(v.bytes, operand.bytes, v.size_bytes);
	} else if (value_canonical_type(v.type) != value_canonical_type(operand.type)) {
		return test_other_type(m->kind, v, operand);
	}
	if (is_nan(v) || is_nan(operand))
		return is_nan(v) && is_nan(operand) && m->kind != MATCH_LT && m->kind != MATCH_GT;
	return order_holds(m->kind, value_compare(v, operand));
}

static bool test_regex_value(struct match_run *run, struct regex *regex, struct value pattern, struct value v)
{
	enum regex_result result;

	if (v.type == BSON_TYPE_REGEX)
		return value_compare(v, pattern) == 0;
	if (v.type != BSON_TYPE_UTF8 && v.type != BSON_TYPE_SYMBOL)
		return false;
	result = regex_test(regex, value_text(v));
	if (result == REGEX_FAILED && run->x)
		execution_fail(run->x, 51156,
		               "Error occurred while executing the regular expression. Result code: %d",
		               regex_error_code(regex));
	return result == REGEX_MATCH;
}

static bool test_in(const struct match *m, struct match_run *run, struct value v)
{
	const struct match_in *in = m->compiled;
	struct value wanted = v.type == VALUE_MISSING ? value_null() : v;
	size_t low = 0, high = in->equality_count;

	if (v.type == BSON_TYPE_UNDEFINED)
		high = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = value_compare(wanted, in->equalities[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	for (size_t i = 0; i < in->regex_count; i++)
		if (test_regex_value(run, in->regexes[i], in->regex_values[i], v))
			return true;
	return false;
}

static bool test_mod(const struct match_mod *mod, struct value v)
{
	int64_t n;

	if (!match_coerce_long(v, &n))
		return false;
	/* the one quotient that overflows has no remainder */
	return mod->divisor == -1 ? mod->remainder == 0 : n % mod->divisor == mod->remainder;
}

/* Numbers are tested as two's complement of 64 bits, extended by their sign; binary data is extended by zeros. */
static bool bit_is_set(struct value v, int64_t number, uint32_t position)
{
	uint8_t subtype;
	uint32_t size;
	const uint8_t *bytes;

	if (v.type != BSON_TYPE_BINARY)
		return position >= 64 ? number < 0 : (uint64_t)number >> position & 1;
	bytes = value_binary(v, &subtype, &size);
	return position / 8 < size && (bytes[position / 8] >> position % 8 & 1);
}

static bool test_bits(const struct match *m, struct value v)
{
	const struct match_bits *bits = m->compiled;
	bool any = m->kind == MATCH_BITS_ANY_SET || m->kind == MATCH_BITS_ANY_CLEAR;
	bool wants_set = m->kind == MATCH_BITS_ANY_SET || m->kind == MATCH_BITS_ALL_SET;
	int64_t number = 0;

	if (v.type != BSON_TYPE_BINARY && !value_as_int64(v, &number))
		return false;
	for (size_t i = 0; i < bits->count; i++)
		if ((bit_is_set(v, number, bits->positions[i]) == wants_set) == any)
			return any;
	return !any;
}

static bool test_size(const struct match *m, struct value v)
{
	return v.type == BSON_TYPE_ARRAY && value_count(v) == (uint64_t)value_int64(m->operand);
}

/* Says which element it was. */
static bool test_elements(const struct match *m, struct match_run *run, struct value array)
{
	struct match_run inner = { run->x, NULL };
	struct walk w;
	struct field f;

	if (array.type != BSON_TYPE_ARRAY)
		return false;
	walk_begin(&w, array);
	for (int64_t i = 0; walk_next(&w, &f); i++) {
		bool matched = true;

		if (m->kind == MATCH_ELEM_MATCH_OBJECT) {
			if (f.value.type != BSON_TYPE_DOCUMENT && f.value.type != BSON_TYPE_ARRAY)
				continue;
			f.value.type = BSON_TYPE_DOCUMENT;
			matched = match_test_run(m->children[0], &inner, f.value);
		} else {
			for (size_t k = 0; k < m->child_count && matched; k++)
				matched = match_test_single(m->children[k], &inner, f.value);
		}
		if (matched) {
			if (run->position)
				*run->position = i;
			return true;
		}
	}
	return false;
}

bool match_test_single(const struct match *m, struct match_run *run, struct value v)
{
	switch (m->kind) {
	case MATCH_EQ: case MATCH_LT: case MATCH_LTE: case MATCH_GT: case MATCH_GTE:
		return test_comparison(m, v);
	case MATCH_IN: return test_in(m, run, v);
	case MATCH_EXISTS: return v.type != VALUE_MISSING;
	case MATCH_TYPE:
		return v.type != VALUE_MISSING &&
		       (((const struct match_types *)m->compiled)->bits & match_type_bit((int8_t)v.type)) != 0;
	case MATCH_REGEX: return test_regex_value(run, m->compiled, m->operand, v);
	case MATCH_MOD: return test_mod(m->compiled, v);
	case MATCH_SIZE: return test_size(m, v);
	case MATCH_BITS_ALL_SET: case MATCH_BITS_ALL_CLEAR: case MATCH_BITS_ANY_SET: case MATCH_BITS_ANY_CLEAR:
		return test_bits(m, v);
	case MATCH_ELEM_MATCH_OBJECT: case MATCH_ELEM_MATCH_VALUE: return test_elements(m, run, v);
	case MATCH_NOT: return !match_test_single(m->children[0], run, v);
	case MATCH_AND:
		for (size_t i = 0; i < m->child_count; i++)
			if (!match_test_single(m->children[i], run, v))
				return false;
		return true;
	case MATCH_ALWAYS_TRUE: return true;
	default: return false;
	}
}

static bool tests_whole_arrays_only(enum match_kind kind)
{
	return kind == MATCH_SIZE || kind == MATCH_ELEM_MATCH_OBJECT || kind == MATCH_ELEM_MATCH_VALUE;
}

/* A reached value; `position` is that of the outermost array that was gone through without being named, or -1. */
static bool test_reached(const struct match *m, struct match_run *run, struct value v, int64_t position)
{
	if (!match_test_single(m, run, v))
		return false;
	if (run->position && position >= 0)
		*run->position = position;
	return true;
}

static bool test_path(const struct match *m, struct match_run *run, struct value v, size_t next, int64_t position);

static bool test_array(const struct match *m, struct match_run *run, struct value array, size_t next, int64_t position)
{
	bool ends_here = next == m->path.count;
	struct walk w;
	struct field f;

	if (ends_here && tests_whole_arrays_only(m->kind))
		return test_reached(m, run, array, position);
	walk_begin(&w, array);
	for (int64_t i = 0; walk_next(&w, &f); i++) {
		int64_t outermost = position >= 0 ? position : i;
		bool named;

		if (ends_here) {
			if (test_reached(m, run, f.value, outermost))
				return true;
			continue;
		}
		named = key_equal(m->path.keys[next], f.key);
		if (f.value.type == BSON_TYPE_DOCUMENT && test_path(m, run, f.value, next, outermost))
			return true;
		if (!named)
			continue;
		if (next + 1 == m->path.count) {
			if (test_reached(m, run, f.value, position))
				return true;
		} else if (f.value.type == BSON_TYPE_DOCUMENT) {
			if (test_path(m, run, f.value, next + 1, position))
				return true;
		} else if (f.value.type == BSON_TYPE_ARRAY) {
			if (test_array(m, run, f.value, next + 1, position))
				return true;
		}
	}
	return ends_here && test_reached(m, run, array, position);
}

/*
 * Goes from `v`, which the first `next` components reached, to the end of the path. Arrays on the way are gone through
 * element by element; a number is tried as a position too.
 */
static bool test_path(const struct match *m, struct match_run *run, struct value v, size_t next, int64_t position)
{
	for (;;) {
		if (v.type == BSON_TYPE_ARRAY)
			return test_array(m, run, v, next, position);
		if (next == m->path.count)
			return test_reached(m, run, v, position);
		if (v.type != BSON_TYPE_DOCUMENT)
			return test_reached(m, run, value_missing(), position);
		v = value_get_key(v, m->path.keys[next++]);
	}
}

static bool test_tree(const struct match *m, struct match_run *run, struct value v, size_t start);

/*
 * A conjunction of tests on fields, in one walk over the document: each name is compared with those that are wanted,
 * each value that is not wanted is stepped over. Ends with the first test that fails.
 */
static bool test_fields(const struct match *m, const struct match_fields *fields, struct match_run *run,
                        struct value document)
{
	const uint8_t *at = document.bytes + 4, *end = document.bytes + document.size_bytes, *name;
	uint64_t missing = fields->wanted, head;

	while (missing && at < end && *at) {
		uint8_t type = *at++;
		int64_t size;

		name = at;
		if (!read_name(name, end, &head, &at))
			break;
		size = scan_payload(type, at, end - 1);
		if (size < 0)
			break;
		for (size_t i = 0; i < fields->count; i++) {
			const struct match_field *field = &fields->list[i];

			if (head != field->head || !(missing >> i & 1))
				continue;
			if (field->name.size_bytes >= 8 &&
			    ((size_t)(at - name - 1) != field->name.size_bytes ||
			     memcmp(name, field->name.bytes, field->name.size_bytes)))
				continue;
			missing &= ~(UINT64_C(1) << i);
			if (!test_path(field->child, run, (struct value){ at, (uint32_t)size, type }, 1, -1))
				return false;
		}
		at += size;
	}
	for (size_t i = 0; missing; i++, missing >>= 1)
		if (missing & 1 && !test_reached(fields->list[i].child, run, value_missing(), -1))
			return false;
	for (size_t i = 0; i < m->child_count; i++)
		if (!m->children[i]->path.count && !test_tree(m->children[i], run, document, 0))
			return false;
	return true;
}

static bool test_expression(const struct match *m, struct match_run *run, struct value document)
{
	struct match_expression *e = m->compiled;
	struct value result;
	bool matched;

	assert(run->x);
	matched = expression_evaluate(e->expression, run->x, &e->scratch, document, &result) && value_is_true(result);
	arena_reset(&e->scratch);
	return matched;
}

/* `start` is the component of leaves' paths that stands for a field of `v`: 0, or 1 when the first names `v` itself. */
static bool test_tree(const struct match *m, struct match_run *run, struct value v, size_t start)
{
	struct match_run silent = { run->x, NULL };

	switch (m->kind) {
	case MATCH_AND:
		/* which element is told depends on the order of the tests */
		if (m->compiled && !start && !run->position)
			return test_fields(m, m->compiled, run, v);
		for (size_t i = 0; i < m->child_count; i++)
			if (!test_tree(m->children[i], run, v, start)) {
				if (run->position)
					*run->position = -1;
				return false;
			}
		return true;
	case MATCH_OR: /* says nothing about positions, as in MongoDB */
		for (size_t i = 0; i < m->child_count; i++)
			if (test_tree(m->children[i], &silent, v, start))
				return true;
		return false;
	case MATCH_NOR:
		for (size_t i = 0; i < m->child_count; i++)
			if (test_tree(m->children[i], &silent, v, start))
				return false;
		return true;
	case MATCH_NOT: return !test_tree(m->children[0], &silent, v, start);
	case MATCH_ALWAYS_TRUE: return true;
	case MATCH_ALWAYS_FALSE: return false;
	case MATCH_EXPR: return test_expression(m, run, v);
	case MATCH_JSON_SCHEMA: return match_schema_test(m->compiled, run->x, v);
	default: return test_path(m, run, v, start, -1);
	}
}

bool match_test_run(const struct match *m, struct match_run *run, struct value document)
{
	return test_tree(m, run, document, 0);
}

bool match_test_named(const struct match *m, struct execution *x, struct value v)
{
	struct match_run run = { x, NULL };

	return test_tree(m, &run, v, 1) && !(x && x->failed);
}

bool match_test(const struct match *m, struct execution *x, struct value document)
{
	struct match_run run = { x, NULL };

	return test_tree(m, &run, document, 0) && !(x && x->failed);
}

bool match_test_position(const struct match *m, struct execution *x, struct value document, int64_t *position)
{
	struct match_run run = { x, position };

	*position = -1;
	return test_tree(m, &run, document, 0) && !(x && x->failed);
}
