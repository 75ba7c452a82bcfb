#include "engine/match_schema.h"

#include <stdlib.h>
#include <string.h>

#include "bson/compare.h"
#include "bson/decimal.h"

static bool applies(const struct schema_rule *rule, struct value v)
{
	switch (rule->keyword->applies_to) {
	case SCHEMA_NUMBERS: return value_is_number(v);
	case SCHEMA_TEXTS: return v.type == BSON_TYPE_UTF8;
	case SCHEMA_ARRAYS: return v.type == BSON_TYPE_ARRAY;
	case SCHEMA_OBJECTS: return v.type == BSON_TYPE_DOCUMENT;
	default: return true;
	}
}

bool match_schema_test_rule(const struct schema_rule *rule, struct execution *x, struct value v)
{
	return !rule->keyword->test || !applies(rule, v) || rule->keyword->test(rule, x, v);
}

bool match_schema_test(const struct match_schema *s, struct execution *x, struct value v)
{
	for (size_t i = 0; i < s->rule_count; i++)
		if (!match_schema_test_rule(&s->rules[i], x, v))
			return false;
	return true;
}

bool schema_test_type(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return (rule->types & match_type_bit((int8_t)v.type)) != 0;
}

static bool is_nan(struct value v)
{
	double d = value_as_double(v);

	return d != d;
}

/* NaN is neither above nor below any number; it equals itself. */
static bool within(const struct schema_rule *rule, struct value v, int wanted_sign)
{
	int order;

	if (is_nan(v) || is_nan(rule->operand))
		return is_nan(v) && is_nan(rule->operand) && !rule->flag;
	order = value_compare_numbers(v, rule->operand);
	return order == 0 ? !rule->flag : (order > 0) == (wanted_sign > 0);
}

bool schema_test_minimum(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return within(rule, v, 1);
}

bool schema_test_maximum(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return within(rule, v, -1);
}

bson_decimal128_t schema_decimal(struct value v)
{
	if (v.type == BSON_TYPE_DECIMAL128)
		return value_decimal(v);
	if (v.type == BSON_TYPE_DOUBLE)
		return decimal_from_double(value_double(v));
	return decimal_from_int64(v.type == BSON_TYPE_INT32 ? value_int32(v) : value_int64(v));
}

bool schema_test_multiple_of(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return decimal_is_zero(decimal_modulo(schema_decimal(v), schema_decimal(rule->operand)));
}

/* Code points: bytes that do not continue one. */
static int64_t text_length(struct value v)
{
	struct key text = value_text(v);
	int64_t length = 0;

	for (uint32_t i = 0; i < text.size_bytes; i++)
		length += (text.bytes[i] & 0xC0) != 0x80;
	return length;
}

bool schema_test_min_length(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return text_length(v) >= rule->number;
}

bool schema_test_max_length(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return text_length(v) <= rule->number;
}

static bool found(struct regex *regex, struct execution *x, struct key text)
{
	enum regex_result result = regex_test(regex, text);

	if (result == REGEX_FAILED && x)
		execution_fail(x, 51156, "Error occurred while executing the regular expression. Result code: %d",
		               regex_error_code(regex));
	return result == REGEX_MATCH;
}

bool schema_test_pattern(const struct schema_rule *rule, struct execution *x, struct value v)
{
	return found(rule->pattern, x, value_text(v));
}

bool schema_test_min_items(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return value_count(v) >= rule->number;
}

bool schema_test_max_items(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return value_count(v) <= rule->number;
}

static int compare_fields(const void *a, const void *b)
{
	const struct field *x = a, *y = b;
	uint32_t common = x->key.size_bytes < y->key.size_bytes ? x->key.size_bytes : y->key.size_bytes;
	int difference = common ? memcmp(x->key.bytes, y->key.bytes, common) : 0;

	return difference ? difference : (x->key.size_bytes > y->key.size_bytes) - (x->key.size_bytes < y->key.size_bytes);
}

static struct value in_order(struct arena *a, struct value v, int depth)
{
	struct bytes out = BYTES_INIT;
	struct field *fields;
	struct writer w;
	struct walk walk;
	size_t count = 0;
	struct value copy;

	if ((v.type != BSON_TYPE_DOCUMENT && v.type != BSON_TYPE_ARRAY) || depth > VALUE_DEPTH_LIMIT)
		return v;
	fields = arena_allocate(a, (value_count(v) + 1) * sizeof *fields);
	walk_begin(&walk, v);
	while (walk_next(&walk, &fields[count])) {
		fields[count].value = in_order(a, fields[count].value, depth + 1);
		count++;
	}
	if (v.type == BSON_TYPE_DOCUMENT)
		qsort(fields, count, sizeof *fields, compare_fields);
	writer_begin(&w, &out);
	for (size_t i = 0; i < count; i++)
		writer_value(&w, fields[i].key, fields[i].value);
	writer_finish(&w);
	copy = (struct value){ arena_duplicate(a, out.data, out.size), (uint32_t)out.size, v.type };
	bytes_clear(&out);
	return copy;
}

struct value schema_in_order(struct arena *a, struct value v)
{
	return in_order(a, v, 0);
}

static int compare_values(const void *a, const void *b)
{
	return value_compare(*(const struct value *)a, *(const struct value *)b);
}

bool schema_test_unique_items(const struct schema_rule *rule, struct execution *x, struct value v)
{
	struct arena arena;
	struct value *items;
	struct walk w;
	struct field f;
	size_t count = 0;
	bool unique = true;

	(void)x;
	if (!rule->flag)
		return true;
	arena_init(&arena);
	items = arena_allocate(&arena, (value_count(v) + 1) * sizeof *items);
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		items[count++] = schema_in_order(&arena, f.value);
	qsort(items, count, sizeof *items, compare_values);
	for (size_t i = 1; i < count && unique; i++)
		unique = value_compare(items[i - 1], items[i]) != 0;
	arena_clear(&arena);
	return unique;
}

/* One schema for all items, or one for each of the first. */
bool schema_test_items(const struct schema_rule *rule, struct execution *x, struct value v)
{
	bool each = rule->operand.type == BSON_TYPE_ARRAY;
	struct walk w;
	struct field f;

	walk_begin(&w, v);
	for (size_t i = 0; walk_next(&w, &f); i++) {
		if (each && i >= rule->count)
			break;
		if (!match_schema_test(rule->parts[each ? i : 0].schema, x, f.value))
			return false;
	}
	return true;
}

/* Items past those that have a schema of their own (number). */
bool schema_test_additional_items(const struct schema_rule *rule, struct execution *x, struct value v)
{
	struct walk w;
	struct field f;

	if (rule->number < 0)
		return true;
	walk_begin(&w, v);
	for (int64_t i = 0; walk_next(&w, &f); i++)
		if (i >= rule->number && !(rule->count ? match_schema_test(rule->parts[0].schema, x, f.value) : rule->flag))
			return false;
	return true;
}

bool schema_test_min_properties(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return value_count(v) >= rule->number;
}

bool schema_test_max_properties(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return value_count(v) <= rule->number;
}

bool schema_has_all(struct value names, struct value document)
{
	struct walk w;
	struct field f;

	walk_begin(&w, names);
	while (walk_next(&w, &f))
		if (value_is_missing(value_get_key(document, value_text(f.value))))
			return false;
	return true;
}

bool schema_test_required(const struct schema_rule *rule, struct execution *x, struct value v)
{
	(void)x;
	return schema_has_all(rule->operand, v);
}

bool schema_test_properties(const struct schema_rule *rule, struct execution *x, struct value v)
{
	for (size_t i = 0; i < rule->count; i++) {
		struct value field = value_get_key(v, rule->parts[i].name);

		if (!value_is_missing(field) && !match_schema_test(rule->parts[i].schema, x, field))
			return false;
	}
	return true;
}

bool schema_test_pattern_properties(const struct schema_rule *rule, struct execution *x, struct value v)
{
	struct walk w;
	struct field f;

	walk_begin(&w, v);
	while (walk_next(&w, &f))
		for (size_t i = 0; i < rule->count; i++)
			if (found(rule->parts[i].pattern, x, f.key) && !match_schema_test(rule->parts[i].schema, x, f.value))
				return false;
	return true;
}

bool match_schema_names(const struct match_schema *s, struct execution *x, struct key name)
{
	if (!value_is_missing(s->properties) && !value_is_missing(value_get_key(s->properties, name)))
		return true;
	for (size_t i = 0; s->patterns && i < s->patterns->count; i++)
		if (found(s->patterns->parts[i].pattern, x, name))
			return true;
	return false;
}

bool schema_test_additional_properties(const struct schema_rule *rule, struct execution *x, struct value v)
{
	struct walk w;
	struct field f;

	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (!match_schema_names(rule->schema, x, f.key) &&
		    !(rule->count ? match_schema_test(rule->parts[0].schema, x, f.value) : rule->flag))
			return false;
	return true;
}

bool schema_test_dependencies(const struct schema_rule *rule, struct execution *x, struct value v)
{
	for (size_t i = 0; i < rule->count; i++) {
		const struct schema_part *part = &rule->parts[i];

		if (value_is_missing(value_get_key(v, part->name)))
			continue;
		if (part->schema ? !match_schema_test(part->schema, x, v) : !schema_has_all(part->names, v))
			return false;
	}
	return true;
}

static size_t count_holding(const struct schema_rule *rule, struct execution *x, struct value v)
{
	size_t holding = 0;

	for (size_t i = 0; i < rule->count; i++)
		holding += match_schema_test(rule->parts[i].schema, x, v);
	return holding;
}

bool schema_test_all_of(const struct schema_rule *rule, struct execution *x, struct value v)
{
	return count_holding(rule, x, v) == rule->count;
}

bool schema_test_any_of(const struct schema_rule *rule, struct execution *x, struct value v)
{
	return count_holding(rule, x, v) > 0;
}

bool schema_test_one_of(const struct schema_rule *rule, struct execution *x, struct value v)
{
	return count_holding(rule, x, v) == 1;
}

bool schema_test_not(const struct schema_rule *rule, struct execution *x, struct value v)
{
	return !match_schema_test(rule->parts[0].schema, x, v);
}

bool schema_test_enum(const struct schema_rule *rule, struct execution *x, struct value v)
{
	struct arena arena;
	struct value ordered;
	bool is_one = false;

	(void)x;
	arena_init(&arena);
	ordered = schema_in_order(&arena, v);
	for (size_t i = 0; i < rule->count && !is_one; i++)
		is_one = value_equal(rule->values[i], ordered);
	arena_clear(&arena);
	return is_one;
}
