/* Strings: bytes, and code points where the name says CP. */
#include <string.h>

#include "base/limits.h"
#include "engine/expression_internal.h"

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

static size_t code_points(struct key text)
{
	size_t count = 0;

	for (uint32_t i = 0; i < text.size_bytes; i++)
		count += !is_continuation(text.bytes[i]);
	return count;
}

/* Bytes of the first `count` code points at or after byte `from`. */
static size_t code_points_bytes(struct key text, size_t from, size_t count)
{
	size_t at = from;

	for (; count > 0 && at < text.size_bytes; count--)
		for (at++; at < text.size_bytes && is_continuation(text.bytes[at]); at++)
			;
	return at - from;
}

static struct value text_part(struct evaluation *at, struct key text, size_t from, size_t size)
{
	return value_make_text(at->arena, text.bytes + from, size);
}

/* The first place at or after `from` (bytes); -1: none. */
static int64_t find(struct key text, struct key wanted, size_t from)
{
	const char *found;

	if (from > text.size_bytes)
		return -1;
	if (!wanted.size_bytes)
		return (int64_t)from;
	found = memmem(text.bytes + from, text.size_bytes - from, wanted.bytes, wanted.size_bytes);
	return found ? found - text.bytes : -1;
}

static bool evaluate_concat(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value *parts = arena_allocate(at->arena, e->count * sizeof *parts + 1);
	size_t size = 0, written = 0;
	char *text;

	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &parts[i]))
			return false;
		if (value_is_nullish(parts[i])) {
			*out = value_null();
			return true;
		}
		if (parts[i].type != BSON_TYPE_UTF8)
			return execution_fail(at->x, 16702, "$concat only supports strings, not %s", value_type_name(parts[i].type));
		size += value_text(parts[i]).size_bytes;
	}
	if (size > LIMIT_INTERNAL_BYTES)
		return execution_fail(at->x, CODE_BSONObjectTooLarge, "$concat: the result of %zu bytes is too large", size);
	text = arena_allocate(at->arena, size + 1);
	for (size_t i = 0; i < e->count; i++) {
		struct key part = value_text(parts[i]);

		memcpy(text + written, part.bytes, part.size_bytes);
		written += part.size_bytes;
	}
	*out = value_make_text(at->arena, text, size);
	return true;
}

/* Nothing is "", numbers and dates are their text; 16007 for what has none. */
static bool coerce_to_text(struct evaluation *at, struct value v, struct key *out)
{
	struct value text;

	*out = key_of("");
	if (value_is_nullish(v))
		return true;
	if (v.type == BSON_TYPE_CODE || v.type == BSON_TYPE_SYMBOL) {
		*out = value_text(v);
		return true;
	}
	if (!convert_scalar_text(at, v, &text))
		return execution_fail(at->x, 16007, "can't convert from BSON type %s to String", value_type_name(v.type));
	*out = value_text(text);
	return true;
}

static bool evaluate_text(const struct expression *e, struct evaluation *at, size_t i, struct key *out)
{
	struct value v;

	return evaluate_argument(e, at, i, &v) && coerce_to_text(at, v, out);
}

static char ascii_case(char c, bool upper)
{
	if (upper)
		return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* $toUpper, $toLower: ASCII only, as MongoDB. */
static bool evaluate_case(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct key text;
	char *changed;

	if (!evaluate_text(e, at, 0, &text))
		return false;
	changed = arena_allocate(at->arena, (size_t)text.size_bytes + 1);
	for (uint32_t i = 0; i < text.size_bytes; i++)
		changed[i] = ascii_case(text.bytes[i], e->operator->parameter);
	*out = value_make_text(at->arena, changed, text.size_bytes);
	return true;
}

static bool evaluate_case_compare(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct key a, b;
	int order = 0;

	if (!evaluate_text(e, at, 0, &a) || !evaluate_text(e, at, 1, &b))
		return false;
	for (uint32_t i = 0; order == 0 && i < a.size_bytes && i < b.size_bytes; i++)
		order = (unsigned char)ascii_case(a.bytes[i], true) - (unsigned char)ascii_case(b.bytes[i], true);
	if (order == 0)
		order = (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
	*out = value_make_int32(at->arena, (order > 0) - (order < 0));
	return true;
}

static bool evaluate_substring_bytes(const struct expression *e, struct evaluation *at, struct value *out)
{
	const char *name = e->operator->name;
	struct value start_value, size_value;
	struct key text;
	int64_t start, size;

	if (!evaluate_text(e, at, 0, &text) || !evaluate_argument(e, at, 1, &start_value) ||
	    !evaluate_argument(e, at, 2, &size_value))
		return false;
	if (!value_is_number(start_value))
		return execution_fail(at->x, 16034, "%s:  starting index must be a numeric type (is BSON type %s)", name,
		                      value_type_name(start_value.type));
	if (!value_is_number(size_value))
		return execution_fail(at->x, 16035, "%s:  length must be a numeric type (is BSON type %s)", name,
		                      value_type_name(size_value.type));
	if (!coerce_to_long(at, start_value, &start) || !coerce_to_long(at, size_value, &size))
		return false;
	if (start < 0)
		return execution_fail(at->x, 50752, "%s:  starting index must be non-negative (got: %lld)", name, (long long)start);
	if (start >= text.size_bytes) {
		*out = value_make_text(at->arena, "", 0);
		return true;
	}
	if (size < 0 || size > text.size_bytes - start)
		size = text.size_bytes - start;
	if (is_continuation(text.bytes[start]))
		return execution_fail(at->x, 28656, "%s:  Invalid range, starting index is a UTF-8 continuation byte.", name);
	if (start + size < text.size_bytes && is_continuation(text.bytes[start + size]))
		return execution_fail(at->x, 28657, "%s:  Invalid range, ending index is in the middle of a UTF-8 character.", name);
	*out = text_part(at, text, (size_t)start, (size_t)size);
	return true;
}

/* An argument of $substrCP: `code` when no number, code + 1 when no int. */
static bool evaluate_count(const struct expression *e, struct evaluation *at, size_t i, uint32_t code, const char *what,
                           int64_t *out)
{
	struct value v;

	if (!evaluate_argument(e, at, i, &v))
		return false;
	if (!value_is_number(v))
		return execution_fail(at->x, code, "$substrCP: %s must be a numeric type (is BSON type %s)", what,
		                      value_type_name(v.type));
	if (!number_is_int(v))
		return execution_fail(at->x, code + 1, "$substrCP: %s can't be represented as a 32-bit integral value: %s", what,
		                      evaluation_text(at, v));
	value_as_int64(v, out);
	return true;
}

static bool evaluate_substring_points(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct key text;
	int64_t start, count;
	size_t from;

	if (!evaluate_text(e, at, 0, &text) || !evaluate_count(e, at, 1, 34450, "starting index", &start) ||
	    !evaluate_count(e, at, 2, 34452, "length", &count))
		return false;
	if (count < 0)
		return execution_fail(at->x, 34454, "$substrCP: length must be a nonnegative integer.");
	if (start < 0)
		return execution_fail(at->x, 34455, "$substrCP: the starting index must be nonnegative integer.");
	from = code_points_bytes(text, 0, (size_t)start);
	*out = text_part(at, text, from, code_points_bytes(text, from, (size_t)count));
	return true;
}

/* $strLenBytes, $strLenCP: the parameter says code points. */
static bool evaluate_length(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	if (v.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, e->operator->parameter ? 34471 : 34473, "%s requires a string argument, found: %s",
		                      e->operator->name, value_type_name(v.type));
	*out = value_make_int32(at->arena, e->operator->parameter ? (int32_t)code_points(value_text(v))
	                                                          : (int32_t)value_text(v).size_bytes);
	return true;
}

/* Bytes where a start or end index lies. */
static bool evaluate_index(const struct expression *e, struct evaluation *at, size_t i, const char *which,
                           struct key text, size_t *out)
{
	struct value v;
	int64_t n;

	if (e->count <= i)
		return true;
	if (!evaluate_argument(e, at, i, &v))
		return false;
	if (!number_is_int(v))
		return execution_fail(at->x, 40096, "%s requires an integral %s index, found a value of type: %s, with value: \"%s\"",
		                      e->operator->name, which, value_type_name(v.type), evaluation_text(at, v));
	value_as_int64(v, &n);
	if (n < 0)
		return execution_fail(at->x, 40097, "%s requires a nonnegative %s index, found: %lld", e->operator->name, which,
		                      (long long)n);
	*out = (size_t)n;
	if (e->operator->parameter)
		*out = (size_t)n > code_points(text) ? (size_t)text.size_bytes + 1 : code_points_bytes(text, 0, (size_t)n);
	return true;
}

static bool evaluate_index_of(const struct expression *e, struct evaluation *at, struct value *out)
{
	bool points = e->operator->parameter;
	struct value text_value, wanted_value;
	struct key text, wanted;
	size_t start = 0, end;
	int64_t found;

	if (!evaluate_argument(e, at, 0, &text_value))
		return false;
	if (value_is_nullish(text_value)) {
		*out = value_null();
		return true;
	}
	if (text_value.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, points ? 40093 : 40091, "%s requires a string as the first argument, found: %s",
		                      e->operator->name, value_type_name(text_value.type));
	if (!evaluate_argument(e, at, 1, &wanted_value))
		return false;
	if (wanted_value.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, points ? 40094 : 40092, "%s requires a string as the second argument, found: %s",
		                      e->operator->name, value_type_name(wanted_value.type));
	text = value_text(text_value);
	wanted = value_text(wanted_value);
	end = text.size_bytes;
	if (!evaluate_index(e, at, 2, "starting", text, &start) || !evaluate_index(e, at, 3, "ending", text, &end))
		return false;
	if (end < text.size_bytes)
		text.size_bytes = (uint32_t)end;
	found = start > end ? -1 : find(text, wanted, start);
	if (points && found > 0)
		found = (int64_t)code_points((struct key){ text.bytes, (uint32_t)found });
	*out = value_make_int32(at->arena, (int32_t)found);
	return true;
}

static bool evaluate_split(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value text_value, separator_value;
	struct key text, separator;
	struct list parts;
	size_t from = 0;
	int64_t next;

	if (!evaluate_argument(e, at, 0, &text_value) || !evaluate_argument(e, at, 1, &separator_value))
		return false;
	if (value_is_nullish(text_value) || value_is_nullish(separator_value)) {
		*out = value_null();
		return true;
	}
	if (text_value.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 40085,
		                      "$split requires an expression that evaluates to a string as a first argument, found: %s",
		                      value_type_name(text_value.type));
	if (separator_value.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 40086,
		                      "$split requires an expression that evaluates to a string as a second argument, found: %s",
		                      value_type_name(separator_value.type));
	text = value_text(text_value);
	separator = value_text(separator_value);
	if (!separator.size_bytes)
		return execution_fail(at->x, 40087, "$split requires a non-empty separator");
	list_init(&parts, at);
	for (; (next = find(text, separator, from)) >= 0; from = (size_t)next + separator.size_bytes)
		list_push(&parts, text_part(at, text, from, (size_t)next - from));
	list_push(&parts, text_part(at, text, from, text.size_bytes - from));
	return list_array(&parts, at, out);
}

/* $trim, $ltrim, $rtrim: the parameter says which ends. */
enum { TRIM_LEFT = 1, TRIM_RIGHT = 2 };

#define TRIM_ARGUMENTS(name)                                                                                           \
	{                                                                                                              \
		.not_object_code = 50696, .not_object = name " only supports an object as an argument, found ",        \
		.unknown_code = 50694, .unknown = name " found an unknown argument: ",                                 \
		.items = { { "input", 50695, name " requires an 'input' field" }, { "chars", 0, NULL } },              \
	}

static const struct named_arguments trim_arguments = TRIM_ARGUMENTS("$trim");
static const struct named_arguments ltrim_arguments = TRIM_ARGUMENTS("$ltrim");
static const struct named_arguments rtrim_arguments = TRIM_ARGUMENTS("$rtrim");

/* White space as $trim has it, U+0000 among it. */
static const char default_trimmed[] =
	"\0 \t\n\v\f\r\xc2\xa0\xe1\x9a\x80\xe2\x80\x80\xe2\x80\x81\xe2\x80\x82\xe2\x80\x83\xe2\x80\x84"
	"\xe2\x80\x85\xe2\x80\x86\xe2\x80\x87\xe2\x80\x88\xe2\x80\x89\xe2\x80\x8a";

/* Whether the code point of `size` bytes is one of `set`. */
static bool is_one_of(const char *point, size_t size, struct key set)
{
	for (size_t i = 0, step; i < set.size_bytes; i += step) {
		step = code_points_bytes(set, i, 1);
		if (step == size && !memcmp(set.bytes + i, point, size))
			return true;
	}
	return false;
}

static struct key trim(struct key text, struct key set, int ends)
{
	while (ends & TRIM_LEFT && text.size_bytes) {
		size_t size = code_points_bytes(text, 0, 1);

		if (!is_one_of(text.bytes, size, set))
			break;
		text = (struct key){ text.bytes + size, text.size_bytes - (uint32_t)size };
	}
	while (ends & TRIM_RIGHT && text.size_bytes) {
		uint32_t last = text.size_bytes - 1;

		while (last > 0 && is_continuation(text.bytes[last]))
			last--;
		if (!is_one_of(text.bytes + last, text.size_bytes - last, set))
			break;
		text.size_bytes = last;
	}
	return text;
}

static bool evaluate_trim(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct key set = { default_trimmed, sizeof default_trimmed - 1 }, text;
	struct value input, chars;

	if (!evaluate_argument(e, at, 0, &input))
		return false;
	*out = value_null();
	if (value_is_nullish(input))
		return true;
	if (input.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 50699, "%s requires its input to be a string, got %s (of type %s) instead.",
		                      e->operator->name, evaluation_text(at, input), value_type_name(input.type));
	if (e->arguments[1]) {
		if (!evaluate_argument(e, at, 1, &chars))
			return false;
		if (value_is_nullish(chars))
			return true;
		if (chars.type != BSON_TYPE_UTF8)
			return execution_fail(at->x, 50700, "%s requires 'chars' to be a string, got %s (of type %s) instead.",
			                      e->operator->name, evaluation_text(at, chars), value_type_name(chars.type));
		set = value_text(chars);
	}
	text = trim(value_text(input), set, e->operator->parameter);
	*out = value_make_text(at->arena, text.bytes, text.size_bytes);
	return true;
}

#define REPLACE_ARGUMENTS(name)                                                                                  \
	{                                                                                                        \
		.not_object_code = 51751, .not_object = name " requires an object as an argument, found: ",      \
		.unknown_code = 51750, .unknown = name " found an unknown argument: ",                           \
		.items = { { "input", 51749, name " requires 'input' to be specified" },                         \
		           { "find", 51748, name " requires 'find' to be specified" },                           \
		           { "replacement", 51747, name " requires 'replacement' to be specified" } },           \
	}

static const struct named_arguments replace_one_arguments = REPLACE_ARGUMENTS("$replaceOne");
static const struct named_arguments replace_all_arguments = REPLACE_ARGUMENTS("$replaceAll");

static bool replace(const struct expression *e, struct evaluation *at, struct key text, struct key wanted,
                    struct key replacement, struct value *out)
{
	bool all = e->operator->parameter;
	struct bytes result = BYTES_INIT;
	size_t from = 0;
	int64_t next = find(text, wanted, 0);

	for (; next >= 0; next = all ? find(text, wanted, from) : -1) {
		bytes_append(&result, text.bytes + from, (size_t)next - from);
		bytes_append(&result, replacement.bytes, replacement.size_bytes);
		from = (size_t)next + wanted.size_bytes;
		if (!wanted.size_bytes) { /* nothing is found before every byte and at the end */
			if (from == text.size_bytes)
				break;
			if (all)
				bytes_append_byte(&result, (uint8_t)text.bytes[from++]);
		}
		if (result.size > LIMIT_USER_BYTES) {
			bytes_clear(&result);
			return execution_fail(at->x, CODE_BSONObjectTooLarge, "%s: the result is too large", e->operator->name);
		}
	}
	bytes_append(&result, text.bytes + from, text.size_bytes - from);
	*out = value_make_text(at->arena, (const char *)result.data, result.size);
	bytes_clear(&result);
	return true;
}

static bool evaluate_replace(const struct expression *e, struct evaluation *at, struct value *out)
{
	static const uint32_t codes[] = { 51746, 51745, 51744 };
	struct value values[3];
	bool is_null = false;

	for (size_t i = 0; i < 3; i++) {
		if (!evaluate_argument(e, at, i, &values[i]))
			return false;
		is_null |= value_is_nullish(values[i]);
		if (!value_is_nullish(values[i]) && values[i].type != BSON_TYPE_UTF8)
			return execution_fail(at->x, codes[i], "%s requires that '%s' be a string, found: %s", e->operator->name,
			                      e->operator->named->items[i].name, evaluation_text(at, values[i]));
	}
	if (is_null) {
		*out = value_null();
		return true;
	}
	return replace(e, at, value_text(values[0]), value_text(values[1]), value_text(values[2]), out);
}

const struct operator expression_string_operators[] = {
	{ .name = "$concat", .max = -1, .evaluate = evaluate_concat },
	{ .name = "$indexOfBytes", .min = 2, .max = 4, .evaluate = evaluate_index_of, .parameter = false },
	{ .name = "$indexOfCP", .min = 2, .max = 4, .evaluate = evaluate_index_of, .parameter = true },
	{ .name = "$ltrim", .named = &ltrim_arguments, .evaluate = evaluate_trim, .parameter = TRIM_LEFT },
	{ .name = "$replaceAll", .named = &replace_all_arguments, .evaluate = evaluate_replace, .parameter = true },
	{ .name = "$replaceOne", .named = &replace_one_arguments, .evaluate = evaluate_replace, .parameter = false },
	{ .name = "$rtrim", .named = &rtrim_arguments, .evaluate = evaluate_trim, .parameter = TRIM_RIGHT },
	{ .name = "$split", .min = 2, .max = 2, .evaluate = evaluate_split },
	{ .name = "$strLenBytes", .min = 1, .max = 1, .evaluate = evaluate_length, .parameter = false },
	{ .name = "$strLenCP", .min = 1, .max = 1, .evaluate = evaluate_length, .parameter = true },
	{ .name = "$strcasecmp", .min = 2, .max = 2, .evaluate = evaluate_case_compare },
	{ .name = "$substr", .min = 3, .max = 3, .evaluate = evaluate_substring_bytes },
	{ .name = "$substrBytes", .min = 3, .max = 3, .evaluate = evaluate_substring_bytes },
	{ .name = "$substrCP", .min = 3, .max = 3, .evaluate = evaluate_substring_points },
	{ .name = "$toLower", .min = 1, .max = 1, .evaluate = evaluate_case, .parameter = false },
	{ .name = "$toUpper", .min = 1, .max = 1, .evaluate = evaluate_case, .parameter = true },
	{ .name = "$trim", .named = &trim_arguments, .evaluate = evaluate_trim, .parameter = TRIM_LEFT | TRIM_RIGHT },
	{ .name = NULL },
};
