/*
 * $jsonSchema: a schema is a list of rules, one a keyword. Keywords stand in one table; each applies to values of
 * some types and holds for all others. Private to the match room.
 * Source: https://www.mongodb.com/docs/manual/reference/operator/query/jsonSchema/
 */
#ifndef BSONSCOPE_ENGINE_MATCH_SCHEMA_H
#define BSONSCOPE_ENGINE_MATCH_SCHEMA_H

#include "base/arena.h"
#include "engine/match_private.h"

struct schema_keyword;

/* A schema below another: under a field name, a pattern of field names, a position of an array, or alone. */
struct schema_part {
	struct key name;
	struct regex *pattern;
	struct match_schema *schema; /* null: a list of names (dependencies) */
	struct value names;
};

struct schema_rule {
	const struct schema_keyword *keyword;
	const struct match_schema *schema; /* the one it is part of */
	struct value operand;              /* as given; good as long as the schema's text */
	int64_t number;                    /* of length and count keywords */
	bool flag;                         /* exclusive; a boolean operand */
	uint32_t types;                    /* match_type_bit */
	struct regex *pattern;
	struct value *values;              /* enum: with fields in order, in the schema's arena */
	struct schema_part *parts;
	size_t count;                      /* of values or parts */
};

struct match_schema {
	struct schema_rule *rules;
	size_t rule_count;
	struct value properties;            /* operand of that keyword, or missing */
	const struct schema_rule *patterns; /* patternProperties, or null */
	struct arena arena;
};

struct schema_parse {
	struct match_schema *schema;
	struct value source; /* the schema document */
	bool of_whole;       /* speaks of whole documents, not of a field or an element */
	bson_error_t *error;
	int depth;
};

struct schema_keyword {
	const char *name;
	uint8_t applies_to; /* SCHEMA_… */
	bool (*parse)(struct schema_parse *p, struct schema_rule *rule);
	bool (*test)(const struct schema_rule *rule, struct execution *x,
	             struct value v); /* null: says nothing about values */
};

enum { SCHEMA_ANY, SCHEMA_NUMBERS, SCHEMA_TEXTS, SCHEMA_ARRAYS, SCHEMA_OBJECTS };

/* Tests (match_schema.c). */
#define SCHEMA_TESTS(X) \
	X(type) X(minimum) X(maximum) X(multiple_of) X(min_length) X(max_length) X(pattern) X(min_items) X(max_items) \
	X(unique_items) X(items) X(additional_items) X(min_properties) X(max_properties) X(required) X(properties) \
	X(pattern_properties) X(additional_properties) X(dependencies) X(all_of) X(any_of) X(one_of) X(not) X(enum)
#define X(name) bool schema_test_##name(const struct schema_rule *rule, struct execution *x, struct value v);
SCHEMA_TESTS(X)
#undef X

/* One rule; values of other types than it applies to pass. */
bool match_schema_test_rule(const struct schema_rule *rule, struct execution *x, struct value v);

/* Whether a field is named by `properties` or matched by `patternProperties`. */
bool match_schema_names(const struct match_schema *s, struct execution *x, struct key name);

/* Whether the document has all fields of a list of names. */
bool schema_has_all(struct value names, struct value document);

/* Any number, as schemas divide it: doubles with 15 digits. */
bson_decimal128_t schema_decimal(struct value v);

/*
 * A copy with the fields of every document in the order of their names: $jsonSchema compares documents without
 * regard to it.
 */
struct value schema_in_order(struct arena *a, struct value v);

#endif
