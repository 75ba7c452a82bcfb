/* Operators on single values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/update_private.h"

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/decimal.h"
#include "bson/print.h"
#include "engine/match_private.h"

bool update_apply_set(struct update_call *c)
{
	writer_value(&c->run->writer, c->key, c->leaf->operand);
	return true;
}

/* An element of an array becomes null: the others keep their positions. */
bool update_apply_unset(struct update_call *c)
{
	if (!c->in_array)
		return true;
	/* MongoDB counts that as a change even where null was before */
	c->run->touched = true;
	writer_value(&c->run->writer, c->key, value_null());
	return true;
}

bool update_parse_number(struct update_node *leaf, bson_error_t *error)
{
	bool increment = key_is(key_of(leaf->operator->name), "$inc");
	struct bytes text = BYTES_INIT;

	if (value_is_number(leaf->operand))
		return true;
	bytes_append(&text, leaf->path.bytes, leaf->path.size_bytes);
	bytes_append_text(&text, ": ");
	print_line(&text, leaf->operand, PRINT_SERVER);
	error_set(error, ERROR_SERVER, CODE_TypeMismatch, "Cannot %s with non-numeric argument: {%s}",
	          increment ? "increment" : "multiply", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

static bool is_whole(struct value v)
{
	return v.type == BSON_TYPE_INT32 || v.type == BSON_TYPE_INT64;
}

static int64_t whole_number(struct value v)
{
	return v.type == BSON_TYPE_INT32 ? value_int32(v) : value_int64(v);
}

static bson_decimal128_t as_decimal(struct value v)
{
	if (v.type == BSON_TYPE_DECIMAL128)
		return value_decimal(v);
	return v.type == BSON_TYPE_DOUBLE ? decimal_from_double(value_double(v)) : decimal_from_int64(whole_number(v));
}

/*
 * The widest type of the two wins: decimal, double, then integers, which grow from 32 to 64 bits when they must.
 * False: beyond 64 bits.
 */
static bool calculate(struct arena *a, bool multiply, struct value x, struct value y, struct value *out)
{
	int64_t n;
	double left, right;

	if (x.type == BSON_TYPE_DECIMAL128 || y.type == BSON_TYPE_DECIMAL128) {
		*out = value_make_decimal(a, multiply ? decimal_multiply(as_decimal(x), as_decimal(y))
		                                      : decimal_add(as_decimal(x), as_decimal(y)));
		return true;
	}
	if (x.type == BSON_TYPE_DOUBLE || y.type == BSON_TYPE_DOUBLE) {
		left = value_as_double(x);
		right = value_as_double(y);
		*out = value_make_double(a, multiply ? left * right : left + right);
		return true;
	}
	if (multiply ? __builtin_mul_overflow(whole_number(x), whole_number(y), &n)
	             : __builtin_add_overflow(whole_number(x), whole_number(y), &n))
		return false;
	if (x.type == BSON_TYPE_INT32 && y.type == BSON_TYPE_INT32 && n >= INT32_MIN && n <= INT32_MAX)
		*out = value_make_int32(a, (int32_t)n);
	else
		*out = value_make_int64(a, n);
	return true;
}

static bool is_nan(struct value v)
{
	return (v.type == BSON_TYPE_DOUBLE && isnan(value_double(v))) ||
	       (v.type == BSON_TYPE_DECIMAL128 && decimal_is_nan(value_decimal(v)));
}

bool update_apply_arithmetic(struct update_call *c)
{
	struct update_run *run = c->run;
	bool multiply = key_is(key_of(c->leaf->operator->name), "$mul");
	struct value old = c->old, result;

	if (value_is_missing(old)) {
		if (!multiply) {
			writer_value(&run->writer, c->key, c->leaf->operand);
			return true;
		}
		old = value_make_int32(&run->arena, 0);
	}
	if (!value_is_number(old))
		return execution_fail(run->x, CODE_TypeMismatch,
		                      "Cannot apply %s to a value of non-numeric type. {%s} has the field '%.*s' of non-numeric "
		                      "type %s", c->leaf->operator->name, update_print_id(run, false),
		                      (int)c->key.size_bytes, c->key.bytes, value_type_name(old.type));
	if (!calculate(&run->arena, multiply, old, c->leaf->operand, &result))
		return execution_fail(run->x, CODE_BadValue,
		                      "Failed to apply %s operations to current value ((NumberLong)%lld) for document {%s}",
		                      c->leaf->operator->name, (long long)whole_number(old), update_print_id(run, false));
	if (result.type == old.type && !value_is_missing(c->old)) {
		/* the same number is no change (-0 stays -0), but NaN is not the same as anything */
		run->touched |= is_nan(result);
		if (!is_nan(result) && value_compare_numbers(old, result) == 0)
			return update_keep(c);
	}
	writer_value(&run->writer, c->key, result);
	return true;
}

bool update_apply_extreme(struct update_call *c)
{
	bool maximum = key_is(key_of(c->leaf->operator->name), "$max");
	int order;

	if (value_is_missing(c->old))
		return update_apply_set(c);
	order = value_compare(c->leaf->operand, c->old);
	return (maximum ? order > 0 : order < 0) ? update_apply_set(c) : update_keep(c);
}

/* compiled: a bool, true for a timestamp. */
bool update_parse_current_date(struct update_node *leaf, bson_error_t *error)
{
	bool timestamp = false;
	struct walk w;
	struct field f;
	bool found = false;

	if (leaf->operand.type != BSON_TYPE_BOOL && leaf->operand.type != BSON_TYPE_DOCUMENT)
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "%s is not valid type for $currentDate. Please use a boolean ('true') or a $type expression "
		                 "({$type: 'timestamp/date'}).", value_type_name(leaf->operand.type));
	if (leaf->operand.type == BSON_TYPE_DOCUMENT) {
		walk_begin(&w, leaf->operand);
		while (walk_next(&w, &f)) {
			if (!key_is(f.key, "$type"))
				return error_set(error, ERROR_SERVER, CODE_BadValue, "Unrecognized $currentDate option: %.*s",
				                 (int)f.key.size_bytes, f.key.bytes);
			found = f.value.type == BSON_TYPE_UTF8 && (key_is(value_text(f.value), "date") ||
			                                           key_is(value_text(f.value), "timestamp"));
			timestamp = found && key_is(value_text(f.value), "timestamp");
			if (!found)
				break;
		}
		if (!found)
			return error_set(error, ERROR_SERVER, CODE_BadValue,
			                 "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : "
			                 "{$type: 'date'}}}");
	}
	leaf->compiled = memory_duplicate(&timestamp, sizeof timestamp);
	return true;
}

bool update_apply_current_date(struct update_call *c)
{
	int64_t millis = c->run->x->now_millis;
	struct value now = value_make_date(&c->run->arena, millis);

	if (*(const bool *)c->leaf->compiled) {
		now = value_make_int64(&c->run->arena, (int64_t)((uint64_t)(millis / 1000) << 32 | 1));
		now.type = BSON_TYPE_TIMESTAMP;
	}
	writer_value(&c->run->writer, c->key, now);
	return true;
}

static bool is_bit_operation(struct key name)
{
	return key_is(name, "and") || key_is(name, "or") || key_is(name, "xor");
}

bool update_parse_bit(struct update_node *leaf, bson_error_t *error)
{
	struct walk w;
	struct field f;
	char element[160], name[64];

	if (leaf->operand.type != BSON_TYPE_DOCUMENT)
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The $bit modifier is not compatible with a %s. You must pass in an embedded document: "
		                 "{$bit: {field: {and/or/xor: #}}", value_type_name(leaf->operand.type));
	if (!value_count(leaf->operand))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}");
	walk_begin(&w, leaf->operand);
	while (walk_next(&w, &f)) {
		snprintf(name, sizeof name, "%.*s", (int)f.key.size_bytes, f.key.bytes);
		match_print_element(name, f.value, element, sizeof element);
		if (!is_bit_operation(f.key))
			return error_set(error, ERROR_SERVER, CODE_BadValue,
			                 "The $bit modifier only supports 'and', 'or', and 'xor', not '%s' which is an unknown "
			                 "operator: {%s}", name, element);
		if (!is_whole(f.value))
			return error_set(error, ERROR_SERVER, CODE_BadValue,
			                 "The $bit modifier field must be an Integer(32/64 bit); a '%s' is not supported here: {%s}",
			                 value_type_name(f.value.type), element);
	}
	return true;
}

bool update_apply_bit(struct update_call *c)
{
	struct value old = value_is_missing(c->old) ? value_make_int32(&c->run->arena, 0) : c->old;
	bool wide = old.type == BSON_TYPE_INT64;
	struct walk w;
	struct field f;
	int64_t n;

	if (!is_whole(old))
		return execution_fail(c->run->x, CODE_BadValue,
		                      "Cannot apply $bit to a value of non-integral type.%s has the field %.*s of non-integer "
		                      "type %s", update_print_id(c->run, false), (int)c->key.size_bytes, c->key.bytes,
		                      value_type_name(old.type));
	n = whole_number(old);
	walk_begin(&w, c->leaf->operand);
	while (walk_next(&w, &f)) {
		int64_t mask = whole_number(f.value);

		wide |= f.value.type == BSON_TYPE_INT64;
		n = key_is(f.key, "and") ? n & mask : key_is(f.key, "or") ? n | mask : n ^ mask;
	}
	writer_value(&c->run->writer, c->key, wide ? value_make_int64(&c->run->arena, n)
	                                           : value_make_int32(&c->run->arena, (int32_t)n));
	return true;
}

static bool is_dynamic(struct key path)
{
	for (uint32_t i = 0; i + 1 < path.size_bytes; i++)
		if (path.bytes[i] == '.' && path.bytes[i + 1] == '$' &&
		    (i + 2 == path.size_bytes || path.bytes[i + 2] == '.' || path.bytes[i + 2] == '['))
			return true;
	return false;
}

static bool is_prefix(struct key prefix, struct key path)
{
	return path.size_bytes > prefix.size_bytes && path.bytes[prefix.size_bytes] == '.' &&
	       !memcmp(path.bytes, prefix.bytes, prefix.size_bytes);
}

bool update_parse_rename(struct update_node *leaf, bson_error_t *error)
{
	struct key from = leaf->path, to;
	char element[200], name[80];

	snprintf(name, sizeof name, "%.*s", (int)from.size_bytes, from.bytes);
	match_print_element(name, leaf->operand, element, sizeof element);
	if (leaf->operand.type != BSON_TYPE_UTF8)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "The 'to' field for $rename must be a string: %s", element);
	to = value_text(leaf->operand);
	if (to.size_bytes && memchr(to.bytes, 0, to.size_bytes))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The 'to' field for $rename cannot contain an embedded null byte");
	if (is_dynamic(from))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "The source field for $rename may not be dynamic: %s", name);
	if (is_dynamic(to))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "The destination field for $rename may not be dynamic: %.*s",
		                 (int)to.size_bytes, to.bytes);
	if (key_equal(from, to))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "The source and target field for $rename must differ: %s",
		                 element);
	if (is_prefix(from, to) || is_prefix(to, from))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "The source and target field for $rename must not be on the same path: %s", element);
	return true;
}

static bool array_element(struct update_call *c, const char *which, struct key path, struct key array)
{
	return execution_fail(c->run->x, CODE_BadValue,
	                      "The %s field cannot be an array element, '%.*s' in doc with %s has an array field called "
	                      "'%.*s'",
	                      which, (int)path.size_bytes, path.bytes, update_print_id(c->run, false), (int)array.size_bytes,
	                      array.bytes);
}

bool update_rename_source_value(struct update_call *c, struct value *source)
{
	struct key dotted = value_text(c->leaf->operand), array = { NULL, 0 };
	struct field at = { key_of(""), c->run->document };
	struct path path;
	bool viable = true;

	path_parse(&path, dotted);
	for (size_t i = 0; i < path.count && viable && !value_is_missing(at.value); i++) {
		uint32_t index;

		viable = at.value.type == BSON_TYPE_DOCUMENT ||
		         (at.value.type == BSON_TYPE_ARRAY && path_key_is_index(path.keys[i], &index));
		if (!viable) {
			execution_fail(c->run->x, CODE_PathNotViable,
			               "Cannot use the part (%.*s) of (%.*s) to traverse the element (%s)",
			               (int)path.keys[i].size_bytes, path.keys[i].bytes, (int)dotted.size_bytes, dotted.bytes,
			               update_print_field(c->run, at.key, at.value, true));
			break;
		}
		if (at.value.type == BSON_TYPE_ARRAY)
			array = at.key;
		at.value = value_get_key(at.value, path.keys[i]);
		at.key = path.keys[i];
	}
	*source = at.value;
	if (viable && array.bytes && !value_is_missing(at.value))
		viable = array_element(c, "source", dotted, array);
	path_clear(&path);
	return viable;
}

bool update_apply_rename(struct update_call *c)
{
	struct value source;

	if (!update_rename_source_value(c, &source))
		return false;
	if (value_is_missing(source))
		return update_keep(c);
	if (c->run->array_above.bytes)
		return array_element(c, "destination", c->leaf->path, c->run->array_above);
	writer_value(&c->run->writer, c->key, source);
	return true;
}

/* The target has taken the value; the target also complains when it could not. */
bool update_apply_rename_source(struct update_call *c)
{
	return c->in_array ? update_keep(c) : true;
}
