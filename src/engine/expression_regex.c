/* $regexMatch, $regexFind, $regexFindAll. A constant pattern is compiled once. */
#include <string.h>

#include "base/memory.h"
#include "engine/expression_internal.h"

enum { REGEX_INPUT, REGEX_PATTERN, REGEX_OPTIONS };
enum { FIND_WHETHER, FIND_FIRST, FIND_ALL };

#define REGEX_ARGUMENTS(name)                                                                                       \
	{                                                                                                           \
		.not_object_code = 51103, .not_object = name " expects an object of named arguments but found: ",   \
		.unknown_code = 31024, .unknown = name " found unknown argument(s): ",                              \
		.items = { { "input", 31022, name " requires 'input' parameter" },                                  \
		           { "regex", 31023, name " requires 'regex' parameter" },                                  \
		           { "options", 0, NULL } },                                                                \
	}

static const struct named_arguments match_arguments = REGEX_ARGUMENTS("$regexMatch");
static const struct named_arguments find_arguments = REGEX_ARGUMENTS("$regexFind");
static const struct named_arguments find_all_arguments = REGEX_ARGUMENTS("$regexFindAll");

/* The pattern and its options from text or a regex; *is_null when there is none. */
static bool pattern_of(const struct expression *e, struct evaluation *at, struct key *pattern, struct key *options,
                       bool *is_null)
{
	const char *name = e->operator->name;
	struct value v, option_value = value_null();

	*options = key_of("");
	if (!evaluate_argument(e, at, REGEX_PATTERN, &v))
		return false;
	if (e->arguments[REGEX_OPTIONS] && !evaluate_argument(e, at, REGEX_OPTIONS, &option_value))
		return false;
	*is_null = value_is_nullish(v);
	if (!*is_null && v.type != BSON_TYPE_UTF8 && v.type != BSON_TYPE_REGEX)
		return execution_fail(at->x, 51105, "%s needs 'regex' to be of type string or regex", name);
	if (!value_is_nullish(option_value) && option_value.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 51106, "%s needs 'options' to be of type string", name);
	if (*is_null)
		return true;
	if (v.type == BSON_TYPE_UTF8)
		*pattern = value_text(v);
	else
		value_regex(v, pattern, options);
	if (!value_is_nullish(option_value)) {
		if (options->size_bytes)
			return execution_fail(at->x, 51107, "%s found regex option(s) specified in both 'regex' and 'option' fields", name);
		*options = value_text(option_value);
	}
	if (memchr(pattern->bytes, 0, pattern->size_bytes))
		return execution_fail(at->x, 51109, "%s: regular expression cannot contain an embedded null byte", name);
	for (uint32_t i = 0; i < options->size_bytes; i++)
		if (!strchr("imsx", options->bytes[i]) || !options->bytes[i])
			return execution_fail(at->x, 51108, "%s invalid flag in regex options: %.*s", name, (int)options->size_bytes,
			                      options->bytes);
	return true;
}

/* *owned: the caller frees it. Null without a failure: there is no pattern. */
static bool regex_of(const struct expression *e, struct evaluation *at, struct regex **out, bool *owned)
{
	struct key pattern, options;
	bson_error_t error;
	bool is_null;

	*out = e->regex;
	*owned = false;
	if (e->regex)
		return true;
	if (!pattern_of(e, at, &pattern, &options, &is_null))
		return false;
	if (is_null)
		return true;
	*out = regex_compile(pattern, options, &error);
	*owned = *out != NULL;
	return *out || execution_fail(at->x, 51111, "Invalid Regex in %s: %s", e->operator->name, error.message);
}

static bool compile_regex(struct expression *e, struct value specification, struct compiler *c)
{
	struct execution x;
	struct evaluation at = { .x = &x, .root = value_missing() };
	bool owned;

	if (!compile_named(e, specification, e->operator->named, c))
		return false;
	if (!expression_is_literal(e->arguments[REGEX_PATTERN]) ||
	    (e->arguments[REGEX_OPTIONS] && !expression_is_literal(e->arguments[REGEX_OPTIONS])))
		return true;
	execution_init(&x, NULL, "", NULL);
	at.arena = &x.scratch;
	if (!regex_of(e, &at, &e->regex, &owned)) {
		e->regex = NULL;
		if (!c->shared->constant_error)
			c->shared->constant_error = memory_duplicate(&x.error, sizeof x.error);
	}
	execution_clear(&x);
	return true;
}

static size_t code_points(struct key text, size_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < end; i++)
		count += (text.bytes[i] & 0xc0) != 0x80;
	return count;
}

/* {match, idx, captures} of the last find. */
static bool match_document(struct evaluation *at, const struct regex *r, struct key text, struct value *out)
{
	struct fields fields;
	struct list captures;
	struct value v;
	size_t start, size;

	list_init(&captures, at);
	for (size_t i = 1; i <= regex_group_count(r); i++)
		list_push(&captures, regex_group(r, i, &start, &size)
		                             ? value_make_text(at->arena, text.bytes + start, size)
		                             : value_null());
	if (!list_array(&captures, at, &v))
		return false;
	regex_group(r, 0, &start, &size);
	fields_init(&fields, at);
	fields_append(&fields, key_of("match"), value_make_text(at->arena, text.bytes + start, size));
	fields_append(&fields, key_of("idx"), value_make_int32(at->arena, (int32_t)code_points(text, start)));
	fields_append(&fields, key_of("captures"), v);
	return fields_document(&fields, at, out);
}

static bool search_failed(const struct expression *e, struct evaluation *at, const struct regex *r)
{
	return execution_fail(at->x, 51156, "Error occurred while executing the regular expression in %s. Result code: %d",
	                      e->operator->name, regex_error_code(r));
}

static bool find_all(const struct expression *e, struct evaluation *at, struct regex *r, struct key text,
                     struct value *out)
{
	struct list found;
	struct value v;
	size_t from = 0, start, size;
	enum regex_result result;

	list_init(&found, at);
	do { /* as MongoDB: no empty match behind the text, unless the text is empty or nothing comes before it */
		result = regex_find(r, text, from);
		if (result != REGEX_MATCH)
			break;
		if (!execution_tick(at->x) || !match_document(at, r, text, &v))
			return false;
		list_push(&found, v);
		regex_group(r, 0, &start, &size);
		from = start + size;
		if (!size) /* an empty match moves on by a code point */
			for (from++; from < text.size_bytes && (text.bytes[from] & 0xc0) == 0x80; from++)
				;
	} while (from < text.size_bytes);
	if (result == REGEX_FAILED)
		return search_failed(e, at, r);
	return list_array(&found, at, out);
}

static bool search(const struct expression *e, struct evaluation *at, struct regex *r, struct key text,
                   struct value *out)
{
	enum regex_result result;

	if (e->operator->parameter == FIND_ALL)
		return find_all(e, at, r, text, out);
	result = regex_find(r, text, 0);
	if (result == REGEX_FAILED)
		return search_failed(e, at, r);
	if (e->operator->parameter == FIND_WHETHER) {
		*out = value_make_bool(result == REGEX_MATCH);
		return true;
	}
	*out = value_null();
	return result == REGEX_NO_MATCH || match_document(at, r, text, out);
}

static bool nothing_found(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list none;

	list_init(&none, at);
	if (e->operator->parameter == FIND_ALL)
		return list_array(&none, at, out);
	*out = e->operator->parameter == FIND_FIRST ? value_null() : value_make_bool(false);
	return true;
}

static bool evaluate_regex(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct regex *r;
	struct value input;
	bool owned, ok;

	if (!evaluate_argument(e, at, REGEX_INPUT, &input))
		return false;
	if (!value_is_nullish(input) && input.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 51104, "%s needs 'input' to be of type string", e->operator->name);
	if (!regex_of(e, at, &r, &owned))
		return false;
	ok = r && !value_is_nullish(input) ? search(e, at, r, value_text(input), out) : nothing_found(e, at, out);
	if (owned)
		regex_destroy(r);
	return ok;
}

const struct operator expression_regex_operators[] = {
	{ .name = "$regexFind", .named = &find_arguments, .compile = compile_regex, .evaluate = evaluate_regex,
	  .parameter = FIND_FIRST },
	{ .name = "$regexFindAll", .named = &find_all_arguments, .compile = compile_regex, .evaluate = evaluate_regex,
	  .parameter = FIND_ALL },
	{ .name = "$regexMatch", .named = &match_arguments, .compile = compile_regex, .evaluate = evaluate_regex,
	  .parameter = FIND_WHETHER },
	{ .name = NULL },
};
