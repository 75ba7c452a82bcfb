/* A schema document becomes rules. Words and codes are MongoDB's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match_schema.h"

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/decimal.h"

enum { SCHEMA_DEPTH_LIMIT = 100 };

static bool complain(struct schema_parse *p, uint32_t code, const struct schema_rule *rule, const char *what);
static struct match_schema *parse_schema(struct value source, bool of_whole, bson_error_t *error, int depth);
static bool parse_list(struct schema_parse *p, struct schema_rule *rule);
static bool parse_not(struct schema_parse *p, struct schema_rule *rule);
static bool parse_dependencies(struct schema_parse *p, struct schema_rule *rule);

/* Whether the schemas inside of the keyword speak of the same value as it does. */
static bool same_value(const struct schema_rule *rule)
{
	bool (*parse)(struct schema_parse *, struct schema_rule *) = rule->keyword->parse;

	return parse == parse_list || parse == parse_not || parse == parse_dependencies;
}

static bool mismatch(struct schema_parse *p, const struct schema_rule *rule, const char *what)
{
	return complain(p, CODE_TypeMismatch, rule, what);
}

static struct schema_part *add_part(struct schema_rule *rule, struct key name)
{
	rule->parts = memory_resize(rule->parts, rule->count + 1, sizeof *rule->parts);
	rule->parts[rule->count] = (struct schema_part){ .name = name, .names = value_missing() };
	return &rule->parts[rule->count++];
}

static bool add_schema(struct schema_parse *p, struct schema_rule *rule, struct field f)
{
	struct schema_part *part = add_part(rule, f.key);

	part->schema = parse_schema(f.value, p->of_whole && same_value(rule), p->error, p->depth + 1);
	return part->schema;
}

/* Fields are found by their names; MongoDB would take a dotted one for a path. */
static bool check_name(struct schema_parse *p, struct key name)
{
	if (!name.size_bytes || !memchr(name.bytes, '.', name.size_bytes))
		return true;
	return error_set(p->error, ERROR_SERVER, CODE_NotImplemented,
	                 "dotted property name '%.*s' in $jsonSchema is not supported by this engine", (int)name.size_bytes,
	                 name.bytes);
}

static bool parse_types(struct schema_parse *p, struct schema_rule *rule, struct value v)
{
	static const struct { const char *alias; int type; } json_types[] = {
		{ "array", BSON_TYPE_ARRAY }, { "boolean", BSON_TYPE_BOOL }, { "null", BSON_TYPE_NULL },
		{ "object", BSON_TYPE_DOCUMENT }, { "string", BSON_TYPE_UTF8 },
	};
	struct key alias;
	uint32_t bits = 0;

	if (v.type != BSON_TYPE_UTF8)
		return mismatch(p, rule, "array elements must be strings");
	alias = value_text(v);
	if (key_is(alias, "integer"))
		return error_set(p->error, ERROR_SERVER, CODE_FailedToParse,
		                 "$jsonSchema type 'integer' is not currently supported.");
	if (!strcmp(rule->keyword->name, "bsonType") || key_is(alias, "number")) {
		if (!match_types_parse(v, "", &bits, p->error))
			return false;
	} else {
		for (size_t i = 0; i < sizeof json_types / sizeof *json_types; i++)
			if (key_is(alias, json_types[i].alias))
				bits = match_type_bit(json_types[i].type);
		if (!bits)
			return error_set(p->error, ERROR_SERVER, CODE_BadValue, "Unknown type name alias: %.*s",
			                 (int)alias.size_bytes, alias.bytes);
	}
	if (rule->types && (rule->types & bits) == bits && !key_is(alias, "number"))
		return error_set(p->error, ERROR_SERVER, CODE_FailedToParse, "$jsonSchema keyword '%s' has duplicate value: %.*s",
		                 rule->keyword->name, (int)alias.size_bytes, alias.bytes);
	rule->types |= bits;
	return true;
}

static bool parse_type(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;

	if (!value_is_missing(value_get(p->source, "type")) && !value_is_missing(value_get(p->source, "bsonType")))
		return error_set(p->error, ERROR_SERVER, CODE_FailedToParse,
		                 "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
	if (rule->operand.type == BSON_TYPE_UTF8)
		return parse_types(p, rule, rule->operand);
	if (rule->operand.type != BSON_TYPE_ARRAY)
		return mismatch(p, rule, "must be either a string or an array of strings");
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f))
		if (!parse_types(p, rule, f.value))
			return false;
	return rule->types || complain(p, CODE_FailedToParse, rule, "must name at least one type");
}

static bool parse_bound(struct schema_parse *p, struct schema_rule *rule)
{
	bool minimum = !strcmp(rule->keyword->name, "minimum");
	const char *other = minimum ? "exclusiveMinimum" : "exclusiveMaximum";
	struct value exclusive = value_get(p->source, other);

	if (!value_is_number(rule->operand))
		return mismatch(p, rule, "must be a number");
	rule->flag = exclusive.type == BSON_TYPE_BOOL && value_bool(exclusive);
	return true;
}

static bool parse_exclusive(struct schema_parse *p, struct schema_rule *rule)
{
	const char *other = !strcmp(rule->keyword->name, "exclusiveMinimum") ? "minimum" : "maximum";

	if (value_is_missing(value_get(p->source, other)))
		return error_set(p->error, ERROR_SERVER, CODE_FailedToParse,
		                 "$jsonSchema keyword '%s' must be a present if %s is present", other, rule->keyword->name);
	return rule->operand.type == BSON_TYPE_BOOL || mismatch(p, rule, "must be a boolean");
}

static bool parse_multiple_of(struct schema_parse *p, struct schema_rule *rule)
{
	bson_decimal128_t divisor;

	if (!value_is_number(rule->operand))
		return mismatch(p, rule, "must be a number");
	divisor = schema_decimal(rule->operand);
	if (decimal_is_negative(divisor) || decimal_is_zero(divisor))
		return complain(p, CODE_FailedToParse, rule, "must have a positive value");
	/* for whole documents the keyword says nothing, and so nobody looks at the divisor again */
	if (p->of_whole || !(decimal_is_nan(divisor) || decimal_is_infinite(divisor)))
		return true;
	return error_set(p->error, ERROR_SERVER, CODE_BadValue, "divisor cannot be %s",
	                 decimal_is_nan(divisor) ? "NaN" : "infinite");
}

static bool parse_count(struct schema_parse *p, struct schema_rule *rule)
{
	return match_parse_non_negative(rule->operand, rule->keyword->name, &rule->number, p->error);
}

static bool parse_pattern(struct schema_parse *p, struct schema_rule *rule)
{
	if (rule->operand.type != BSON_TYPE_UTF8)
		return mismatch(p, rule, "must be a string");
	if (p->of_whole)
		return true; /* says nothing about documents, and is not compiled */
	rule->pattern = regex_compile(value_text(rule->operand), key_of(""), p->error);
	return rule->pattern;
}

static bool parse_unique(struct schema_parse *p, struct schema_rule *rule)
{
	if (rule->operand.type != BSON_TYPE_BOOL)
		return mismatch(p, rule, "must be a boolean");
	rule->flag = value_bool(rule->operand);
	return true;
}

static bool parse_items(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;
	char what[120];

	if (rule->operand.type == BSON_TYPE_DOCUMENT)
		return add_schema(p, rule, (struct field){ key_of(""), rule->operand });
	if (rule->operand.type != BSON_TYPE_ARRAY) {
		snprintf(what, sizeof what, "must be an array or an object, not %s", value_type_name(rule->operand.type));
		return mismatch(p, rule, what);
	}
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f)) {
		if (f.value.type != BSON_TYPE_DOCUMENT) {
			snprintf(what, sizeof what, "requires that each element of the array is an object, but found a %s",
			         value_type_name(f.value.type));
			return mismatch(p, rule, what);
		}
		if (!add_schema(p, rule, f))
			return false;
	}
	return true;
}

static bool parse_additional(struct schema_parse *p, struct schema_rule *rule)
{
	struct value items = value_get(p->source, "items");

	rule->number = items.type == BSON_TYPE_ARRAY ? (int64_t)value_count(items) : -1;
	if (rule->operand.type == BSON_TYPE_DOCUMENT)
		return add_schema(p, rule, (struct field){ key_of(""), rule->operand });
	rule->flag = rule->operand.type == BSON_TYPE_BOOL && value_bool(rule->operand);
	return rule->operand.type == BSON_TYPE_BOOL || mismatch(p, rule, "must be an object or a boolean");
}

/* A list of names, each once. */
static bool parse_names(struct schema_parse *p, struct schema_rule *rule, struct value names, bool may_be_empty)
{
	struct walk w, earlier;
	struct field f, g;

	if (names.type != BSON_TYPE_ARRAY)
		return mismatch(p, rule, "must be an array");
	if (!may_be_empty && !value_count(names))
		return complain(p, CODE_FailedToParse, rule, "cannot be an empty array");
	walk_begin(&w, names);
	while (walk_next(&w, &f)) {
		if (f.value.type != BSON_TYPE_UTF8)
			return mismatch(p, rule, "must be an array of strings");
		if (!check_name(p, value_text(f.value)))
			return false;
		walk_begin(&earlier, names);
		while (walk_next(&earlier, &g) && g.value.bytes != f.value.bytes)
			if (value_equal(g.value, f.value))
				return complain(p, CODE_FailedToParse, rule, "array cannot contain duplicate values");
	}
	return true;
}

static bool parse_required(struct schema_parse *p, struct schema_rule *rule)
{
	return parse_names(p, rule, rule->operand, false);
}

static bool parse_properties(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;

	if (rule->operand.type != BSON_TYPE_DOCUMENT)
		return mismatch(p, rule, "must be an object");
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f)) {
		if (f.value.type != BSON_TYPE_DOCUMENT)
			return error_set(p->error, ERROR_SERVER, CODE_TypeMismatch,
			                 "Nested schema for $jsonSchema property '%.*s' must be an object", (int)f.key.size_bytes,
			                 f.key.bytes);
		if (!check_name(p, f.key) || !add_schema(p, rule, f))
			return false;
	}
	return true;
}

static bool parse_pattern_properties(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;

	if (rule->operand.type != BSON_TYPE_DOCUMENT)
		return mismatch(p, rule, "must be an object");
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f)) {
		if (f.value.type != BSON_TYPE_DOCUMENT)
			return error_set(p->error, ERROR_SERVER, CODE_TypeMismatch,
			                 "$jsonSchema keyword 'patternProperties' has property '%.*s' which is not an object",
			                 (int)f.key.size_bytes, f.key.bytes);
		if (!add_schema(p, rule, f))
			return false;
		rule->parts[rule->count - 1].pattern = regex_compile(f.key, key_of(""), p->error);
		if (!rule->parts[rule->count - 1].pattern)
			return false;
	}
	return true;
}

static bool parse_dependencies(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;

	if (rule->operand.type != BSON_TYPE_DOCUMENT)
		return mismatch(p, rule, "must be an object");
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f)) {
		if (!check_name(p, f.key))
			return false;
		if (f.value.type == BSON_TYPE_DOCUMENT) {
			if (!add_schema(p, rule, f))
				return false;
		} else if (f.value.type == BSON_TYPE_ARRAY) {
			if (!parse_names(p, rule, f.value, false))
				return false;
			add_part(rule, f.key)->names = f.value;
		} else if (f.value.type != BSON_TYPE_UTF8 || !(key_is(f.key, "title") || key_is(f.key, "description"))) {
			return error_set(p->error, ERROR_SERVER, CODE_TypeMismatch,
			                 "property '%.*s' in $jsonSchema keyword 'dependencies' must be either an object or an array",
			                 (int)f.key.size_bytes, f.key.bytes);
		}
	}
	return true;
}

static bool parse_list(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;
	char what[120];

	if (rule->operand.type != BSON_TYPE_ARRAY)
		return mismatch(p, rule, "must be an array");
	if (!value_count(rule->operand))
		return complain(p, CODE_BadValue, rule, "must be a non-empty array");
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f)) {
		if (f.value.type != BSON_TYPE_DOCUMENT) {
			snprintf(what, sizeof what, "must be an array of objects, but found an element of type %s",
			         value_type_name(f.value.type));
			return mismatch(p, rule, what);
		}
		if (!add_schema(p, rule, f))
			return false;
	}
	return true;
}

static bool parse_not(struct schema_parse *p, struct schema_rule *rule)
{
	char what[120];

	if (rule->operand.type == BSON_TYPE_DOCUMENT)
		return add_schema(p, rule, (struct field){ key_of(""), rule->operand });
	snprintf(what, sizeof what, "must be an object, but found an element of type %s", value_type_name(rule->operand.type));
	return mismatch(p, rule, what);
}

static bool parse_enum(struct schema_parse *p, struct schema_rule *rule)
{
	struct walk w;
	struct field f;
	char what[120];

	if (rule->operand.type != BSON_TYPE_ARRAY) {
		snprintf(what, sizeof what, "must be an array, but found an element of type %s",
		         value_type_name(rule->operand.type));
		return mismatch(p, rule, what);
	}
	if (!value_count(rule->operand))
		return complain(p, CODE_FailedToParse, rule, "cannot be an empty array");
	rule->values = arena_allocate(&p->schema->arena, value_count(rule->operand) * sizeof *rule->values);
	walk_begin(&w, rule->operand);
	while (walk_next(&w, &f)) {
		struct value v = schema_in_order(&p->schema->arena, f.value);

		for (size_t i = 0; i < rule->count; i++)
			if (value_equal(rule->values[i], v))
				return complain(p, CODE_FailedToParse, rule, "array cannot contain duplicate values.");
		rule->values[rule->count++] = v;
	}
	return true;
}

static bool parse_note(struct schema_parse *p, struct schema_rule *rule)
{
	return rule->operand.type == BSON_TYPE_UTF8 || mismatch(p, rule, "must be of type string");
}

static bool refuse_as_server(struct schema_parse *p, struct schema_rule *rule)
{
	return complain(p, CODE_FailedToParse, rule, "is not currently supported");
}

static bool refuse_here(struct schema_parse *p, struct schema_rule *rule)
{
	return complain(p, CODE_NotImplemented, rule, "is not supported by this engine");
}

static const struct schema_keyword keywords[] = {
	{ "type", SCHEMA_ANY, parse_type, schema_test_type },
	{ "bsonType", SCHEMA_ANY, parse_type, schema_test_type },
	{ "minimum", SCHEMA_NUMBERS, parse_bound, schema_test_minimum },
	{ "maximum", SCHEMA_NUMBERS, parse_bound, schema_test_maximum },
	{ "exclusiveMinimum", SCHEMA_NUMBERS, parse_exclusive, NULL },
	{ "exclusiveMaximum", SCHEMA_NUMBERS, parse_exclusive, NULL },
	{ "multipleOf", SCHEMA_NUMBERS, parse_multiple_of, schema_test_multiple_of },
	{ "minLength", SCHEMA_TEXTS, parse_count, schema_test_min_length },
	{ "maxLength", SCHEMA_TEXTS, parse_count, schema_test_max_length },
	{ "pattern", SCHEMA_TEXTS, parse_pattern, schema_test_pattern },
	{ "minItems", SCHEMA_ARRAYS, parse_count, schema_test_min_items },
	{ "maxItems", SCHEMA_ARRAYS, parse_count, schema_test_max_items },
	{ "uniqueItems", SCHEMA_ARRAYS, parse_unique, schema_test_unique_items },
	{ "items", SCHEMA_ARRAYS, parse_items, schema_test_items },
	{ "additionalItems", SCHEMA_ARRAYS, parse_additional, schema_test_additional_items },
	{ "required", SCHEMA_OBJECTS, parse_required, schema_test_required },
	{ "properties", SCHEMA_OBJECTS, parse_properties, schema_test_properties },
	{ "patternProperties", SCHEMA_OBJECTS, parse_pattern_properties, schema_test_pattern_properties },
	{ "additionalProperties", SCHEMA_OBJECTS, parse_additional, schema_test_additional_properties },
	{ "minProperties", SCHEMA_OBJECTS, parse_count, schema_test_min_properties },
	{ "maxProperties", SCHEMA_OBJECTS, parse_count, schema_test_max_properties },
	{ "dependencies", SCHEMA_OBJECTS, parse_dependencies, schema_test_dependencies },
	{ "allOf", SCHEMA_ANY, parse_list, schema_test_all_of },
	{ "anyOf", SCHEMA_ANY, parse_list, schema_test_any_of },
	{ "oneOf", SCHEMA_ANY, parse_list, schema_test_one_of },
	{ "not", SCHEMA_ANY, parse_not, schema_test_not },
	{ "enum", SCHEMA_ANY, parse_enum, schema_test_enum },
	{ "title", SCHEMA_ANY, parse_note, NULL },
	{ "description", SCHEMA_ANY, parse_note, NULL },
	{ "$ref", SCHEMA_ANY, refuse_as_server, NULL },
	{ "$schema", SCHEMA_ANY, refuse_as_server, NULL },
	{ "default", SCHEMA_ANY, refuse_as_server, NULL },
	{ "definitions", SCHEMA_ANY, refuse_as_server, NULL },
	{ "format", SCHEMA_ANY, refuse_as_server, NULL },
	{ "id", SCHEMA_ANY, refuse_as_server, NULL },
	{ "encrypt", SCHEMA_ANY, refuse_here, NULL },
	{ "encryptMetadata", SCHEMA_ANY, refuse_here, NULL },
};

static bool complain(struct schema_parse *p, uint32_t code, const struct schema_rule *rule, const char *what)
{
	return error_set(p->error, ERROR_SERVER, code, "$jsonSchema keyword '%s' %s", rule->keyword->name, what);
}

static const struct schema_keyword *find_keyword(struct key name)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (key_is(name, keywords[i].name))
			return &keywords[i];
	return NULL;
}

static bool add_rule(struct schema_parse *p, struct field f)
{
	struct match_schema *s = p->schema;
	struct schema_rule *rule = &s->rules[s->rule_count];

	rule->keyword = find_keyword(f.key);
	if (!rule->keyword)
		return error_set(p->error, ERROR_SERVER, CODE_FailedToParse, "Unknown $jsonSchema keyword: %.*s",
		                 (int)f.key.size_bytes, f.key.bytes);
	for (size_t i = 0; i < s->rule_count; i++)
		if (s->rules[i].keyword == rule->keyword)
			return error_set(p->error, ERROR_SERVER, CODE_FailedToParse, "Duplicate $jsonSchema keyword: %s",
			                 rule->keyword->name);
	rule->schema = s;
	rule->operand = f.value;
	s->rule_count++;
	if (!rule->keyword->parse(p, rule))
		return false;
	if (rule->keyword->parse == parse_properties)
		s->properties = rule->operand;
	if (rule->keyword->parse == parse_pattern_properties)
		s->patterns = rule;
	return true;
}

static struct match_schema *parse_schema(struct value source, bool of_whole, bson_error_t *error, int depth)
{
	struct match_schema *s;
	struct schema_parse p;
	struct walk w;
	struct field f;

	if (depth > SCHEMA_DEPTH_LIMIT) {
		error_set(error, ERROR_SERVER, CODE_BadValue, "exceeded maximum query tree depth of %d", SCHEMA_DEPTH_LIMIT);
		return NULL;
	}
	s = memory_allocate_zeroed(1, sizeof *s);
	s->rules = memory_allocate_zeroed(value_count(source), sizeof *s->rules);
	s->properties = value_missing();
	arena_init(&s->arena);
	p = (struct schema_parse){ s, source, of_whole, error, depth };
	walk_begin(&w, source);
	while (walk_next(&w, &f))
		if (!add_rule(&p, f)) {
			match_schema_destroy(s);
			return NULL;
		}
	return s;
}

struct match_schema *match_schema_compile(struct value schema, bson_error_t *error)
{
	return parse_schema(schema, true, error, 1);
}

void match_schema_destroy(struct match_schema *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->rule_count; i++) {
		struct schema_rule *rule = &s->rules[i];

		regex_destroy(rule->pattern);
		for (size_t k = 0; rule->parts && k < rule->count; k++) {
			regex_destroy(rule->parts[k].pattern);
			match_schema_destroy(rule->parts[k].schema);
		}
		free(rule->parts);
	}
	free(s->rules);
	arena_clear(&s->arena);
	free(s);
}
