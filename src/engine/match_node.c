/* Nodes of a predicate: made, filled, freed; and how operands are read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match_private.h"

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/decimal.h"
#include "bson/print.h"

struct match *match_new(enum match_kind kind)
{
	struct match *m = memory_allocate_zeroed(1, sizeof *m);

	m->kind = kind;
	m->operand = value_missing();
	return m;
}

struct match *match_new_leaf(enum match_kind kind, struct key path)
{
	struct match *m = match_new(kind);

	/* no path at all: the node is tested on elements themselves */
	if (path.bytes)
		path_parse(&m->path, path);
	return m;
}

void match_add(struct match *parent, struct match *child)
{
	parent->children = memory_resize(parent->children, parent->child_count + 1, sizeof *parent->children);
	parent->children[parent->child_count++] = child;
}

void match_set_operand(struct match *m, struct value v)
{
	bytes_reset(&m->storage);
	bytes_append(&m->storage, v.bytes, v.size_bytes);
	bytes_reserve(&m->storage, 1);
	m->operand = (struct value){ m->storage.data, v.size_bytes, v.type };
}

static void in_destroy(struct match_in *in)
{
	for (size_t i = 0; i < in->regex_count; i++)
		regex_destroy(in->regexes[i]);
	free(in->regexes);
	free(in->regex_values);
	free(in->equalities);
	free(in);
}

static void destroy_compiled(struct match *m)
{
	struct match_expression *e = m->compiled;

	if (!m->compiled)
		return;
	switch (m->kind) {
	case MATCH_IN: in_destroy(m->compiled); break;
	case MATCH_REGEX: regex_destroy(m->compiled); break;
	case MATCH_JSON_SCHEMA: match_schema_destroy(m->compiled); break;
	case MATCH_EXPR:
		expression_destroy(e->expression);
		arena_clear(&e->scratch);
		free(e);
		break;
	default: free(m->compiled);
	}
}

void match_destroy(struct match *m)
{
	if (!m)
		return;
	destroy_compiled(m);
	for (size_t i = 0; i < m->child_count; i++)
		match_destroy(m->children[i]);
	free(m->children);
	path_clear(&m->path);
	bytes_clear(&m->storage);
	free(m);
}

void match_prepare_fields(struct match *m)
{
	enum { FIELD_LIMIT = 32 };
	struct match_fields *fields;
	size_t count = 0;

	for (size_t i = 0; i < m->child_count; i++) {
		match_prepare_fields(m->children[i]);
		count += m->children[i]->path.count > 0;
	}
	if (m->kind != MATCH_AND)
		return;
	free(m->compiled);
	m->compiled = NULL;
	if (count < 2 || count > FIELD_LIMIT)
		return;
	m->compiled = fields = memory_allocate_zeroed(1, sizeof *fields + count * sizeof fields->list[0]);
	for (size_t i = 0; i < m->child_count; i++) {
		struct match_field *field = &fields->list[fields->count];
		uint64_t head = 0;

		if (!m->children[i]->path.count)
			continue;
		field->child = m->children[i];
		field->name = field->child->path.keys[0];
		memcpy(&head, field->name.bytes, field->name.size_bytes < 8 ? field->name.size_bytes : 8);
		field->head = BSON_UINT64_FROM_LE(head);
		fields->wanted |= UINT64_C(1) << fields->count++;
	}
}

static int compare_for_sort(const void *a, const void *b)
{
	return value_compare(*(const struct value *)a, *(const struct value *)b);
}

static int compare_texts(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return value_compare(*x, *y);
}

/* Sorts and leaves out what equals its neighbour; the first of equals stays. */
static size_t sort_unique(struct value *values, size_t count)
{
	size_t kept = 0;

	qsort(values, count, sizeof *values, compare_for_sort);
	for (size_t i = 0; i < count; i++)
		if (!kept || value_compare(values[kept - 1], values[i]))
			values[kept++] = values[i];
	return kept;
}

/* Points the lists into the operand, which holds the equalities first. */
static void in_point(struct match_in *in, struct value operand)
{
	struct walk w;
	struct field f;

	walk_begin(&w, operand);
	for (size_t i = 0; i < in->equality_count && walk_next(&w, &f); i++)
		in->equalities[i] = f.value;
	for (size_t i = 0; i < in->regex_count && walk_next(&w, &f); i++)
		in->regex_values[i] = f.value;
}

bool match_in_prepare(struct match *m, bson_error_t *error)
{
	size_t count = value_count(m->operand);
	struct match_in *in = memory_allocate_zeroed(1, sizeof *in);
	struct bytes sorted = BYTES_INIT;
	struct writer writer;
	struct walk w;
	struct field f;

	m->compiled = in;
	in->equalities = memory_allocate_zeroed(count, sizeof *in->equalities);
	in->regex_values = memory_allocate_zeroed(count, sizeof *in->regex_values);
	in->regexes = memory_allocate_zeroed(count, sizeof *in->regexes);
	walk_begin(&w, m->operand);
	while (walk_next(&w, &f)) {
		if (f.value.type == BSON_TYPE_REGEX)
			in->regex_values[in->regex_count++] = f.value;
		else
			in->equalities[in->equality_count++] = f.value;
	}
	in->equality_count = sort_unique(in->equalities, in->equality_count);
	qsort(in->regex_values, in->regex_count, sizeof *in->regex_values, compare_texts);
	writer_begin(&writer, &sorted);
	writer.frames[0].array = true;
	for (size_t i = 0; i < in->equality_count; i++)
		writer_value(&writer, key_of(""), in->equalities[i]);
	for (size_t i = 0; i < in->regex_count; i++)
		writer_value(&writer, key_of(""), in->regex_values[i]);
	writer_end(&writer);
	bytes_clear(&m->storage);
	m->storage = sorted;
	m->operand = (struct value){ sorted.data, (uint32_t)sorted.size, BSON_TYPE_ARRAY };
	in_point(in, m->operand);
	for (size_t i = 0; i < in->regex_count; i++) {
		struct key pattern, options;

		value_regex(in->regex_values[i], &pattern, &options);
		in->regexes[i] = regex_compile(pattern, options, error);
		if (!in->regexes[i])
			return false;
	}
	return true;
}

const char *match_print_element(const char *name, struct value v, char *buffer, size_t size)
{
	struct bytes text = BYTES_INIT;

	print_line(&text, v, PRINT_SERVER);
	snprintf(buffer, size, "%s: %s", name, bytes_text(&text));
	bytes_clear(&text);
	return buffer;
}

bool match_coerce_long(struct value v, int64_t *out)
{
	double d;

	switch (v.type) {
	case BSON_TYPE_INT32: *out = value_int32(v); return true;
	case BSON_TYPE_INT64: *out = value_int64(v); return true;
	case BSON_TYPE_DOUBLE:
		d = value_double(v);
		if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
			return false;
		*out = (int64_t)d;
		return true;
	case BSON_TYPE_DECIMAL128: return decimal_to_int64(value_decimal(v), DECIMAL_TOWARD_ZERO, out);
	default: return false;
	}
}

static bool is_nan(struct value v)
{
	return (v.type == BSON_TYPE_DOUBLE && isnan(value_double(v))) ||
	       (v.type == BSON_TYPE_DECIMAL128 && decimal_is_nan(value_decimal(v)));
}

bool match_parse_long(struct value v, const char *what, int64_t *out, bson_error_t *error)
{
	char element[160];
	const char *complaint;

	if (value_is_number(v) && value_as_int64(v, out))
		return true;
	match_print_element(what, v, element, sizeof element);
	if (!value_is_number(v))
		complaint = "Expected a number in: %s";
	else if (is_nan(v))
		complaint = "Expected an integer, but found NaN in: %s";
	else if (!match_coerce_long(v, out))
		complaint = "Cannot represent as a 64-bit integer: %s";
	else
		complaint = "Expected an integer: %s";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return error_set(error, ERROR_SERVER, CODE_FailedToParse, complaint, element);
#pragma GCC diagnostic pop
}

bool match_parse_non_negative(struct value v, const char *what, int64_t *out, bson_error_t *error)
{
	char element[160];

	if (!match_parse_long(v, what, out, error))
		return false;
	if (*out >= 0)
		return true;
	return error_set(error, ERROR_SERVER, CODE_FailedToParse, "Expected a non-negative number in: %s",
	                 match_print_element(what, v, element, sizeof element));
}

uint32_t match_type_bit(int type_code)
{
	if (type_code >= BSON_TYPE_DOUBLE && type_code <= BSON_TYPE_DECIMAL128)
		return UINT32_C(1) << type_code;
	if (type_code == -1)
		return UINT32_C(1) << 20;
	return type_code == 127 ? UINT32_C(1) << 21 : 0;
}

static bool type_parse_one(struct value v, const char *name, uint32_t *bits, bson_error_t *error)
{
	int64_t code;
	uint32_t bit;

	if (v.type == BSON_TYPE_UTF8) {
		struct key alias = value_text(v);

		if (key_is(alias, "number")) {
			*bits |= match_type_bit(BSON_TYPE_DOUBLE) | match_type_bit(BSON_TYPE_INT32) |
			         match_type_bit(BSON_TYPE_INT64) | match_type_bit(BSON_TYPE_DECIMAL128);
			return true;
		}
		for (int type = -1; type <= 127; type++)
			if (match_type_bit(type) && key_is(alias, value_type_name((uint8_t)type))) {
				*bits |= match_type_bit(type);
				return true;
			}
		return error_set(error, ERROR_SERVER, CODE_BadValue, "Unknown type name alias: %.*s", (int)alias.size_bytes,
		                 alias.bytes);
	}
	if (!value_is_number(v))
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "type must be represented as a number or a string");
	if (!match_parse_long(v, name, &code, error)) {
		if (error)
			error->code = CODE_BadValue;
		return false;
	}
	if (code == 0)
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "Invalid numerical type code: 0. Instead use {$exists:false}.");
	bit = code >= -1 && code <= 127 ? match_type_bit((int)code) : 0;
	if (!bit)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "Invalid numerical type code: %lld", (long long)code);
	*bits |= bit;
	return true;
}

bool match_types_parse(struct value v, const char *name, uint32_t *bits, bson_error_t *error)
{
	struct walk w;
	struct field f;

	*bits = 0;
	if (v.type != BSON_TYPE_ARRAY)
		return type_parse_one(v, name, bits, error);
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (!type_parse_one(f.value, name, bits, error))
			return false;
	return true;
}
