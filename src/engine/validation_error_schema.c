/* Errors of $jsonSchema: keywords in the order in which the server translates a schema, whatever order they are written in. */
#include <stdlib.h>
#include <string.h>

#include "bson/compare.h"
#include "engine/match_schema.h"
#include "engine/validation_error.h"

/* One schema against one value; missing: a required property that is not there. */
struct subject {
	struct report *report;
	const struct match_schema *schema;
	struct value source; /* the schema as written */
	struct value v;
	bool top;            /* the whole document is looked at: no path */
};

struct describer {
	const char *keyword, *reason;
	/* Appends errors, if there are any, to `list`. */
	void (*describe)(const struct subject *s, const struct describer *d, const struct schema_rule *rule, struct bytes *list);
};

static void put_details(struct writer *w, const struct subject *s);
static bool never_holds(const struct subject *s);

static struct subject below(const struct subject *s, const struct schema_part *part, struct value source, struct value v, bool top)
{
	return (struct subject){ s->report, part->schema, source, v, top };
}

static bool holds(const struct subject *s, const struct match_schema *schema, struct value v)
{
	bool held = match_schema_test(schema, &s->report->x, v);

	s->report->x.failed = false;
	return held;
}

static bool rule_fails(const struct subject *s, const struct schema_rule *rule)
{
	bool failed = !match_schema_test_rule(rule, &s->report->x, s->v);

	s->report->x.failed = false;
	return failed;
}

/* title and description of a schema, in this order. */
static void put_notes(struct writer *w, struct value schema)
{
	static const char *const notes[] = { "title", "description" };

	for (int i = 0; i < 2; i++) {
		struct value note = value_get(schema, notes[i]);

		if (note.type == BSON_TYPE_UTF8)
			writer_put(w, notes[i], note);
	}
}

static void begin_error(const struct subject *s, struct writer *w, const struct schema_rule *rule, struct bytes *list)
{
	writer_begin(w, list);
	report_operator(s->report, w, rule->keyword->name, key_of(rule->keyword->name), rule->operand);
}

/* {…, reason, consideredValue} */
static void describe_leaf(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                          struct bytes *list)
{
	struct writer w;

	if (value_is_missing(s->v) || !rule_fails(s, rule))
		return;
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", d->reason);
	if (!s->report->brief)
		writer_put(&w, "consideredValue", s->v);
	writer_finish(&w);
}

/* An exclusive bound says so beside the bound. */
static void describe_bound(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                           struct bytes *list)
{
	struct writer w;

	if (!rule->flag) {
		describe_leaf(s, d, rule, list);
		return;
	}
	if (value_is_missing(s->v) || !rule_fails(s, rule))
		return;
	writer_begin(&w, list);
	writer_text(&w, "operatorName", d->keyword);
	if (!s->report->brief) {
		writer_begin_document(&w, key_of("specifiedAs"));
		writer_put(&w, d->keyword, rule->operand);
		writer_bool(&w, !strcmp(d->keyword, "minimum") ? "exclusiveMinimum" : "exclusiveMaximum", true);
		writer_end(&w);
	}
	writer_text(&w, "reason", d->reason);
	if (!s->report->brief)
		writer_put(&w, "consideredValue", s->v);
	writer_finish(&w);
}

static void describe_type(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                          struct bytes *list)
{
	struct writer w;

	if (s->top || value_is_missing(s->v) || !rule_fails(s, rule))
		return;
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", d->reason);
	if (!s->report->brief)
		writer_put(&w, "consideredValue", s->v);
	writer_text(&w, "consideredType", value_type_name(s->v.type));
	writer_finish(&w);
}

static bool has_document(struct value array)
{
	struct walk w;
	struct field f;

	walk_begin(&w, array);
	while (walk_next(&w, &f))
		if (value_is_document(f.value))
			return true;
	return false;
}

/* Of a whole document nothing but documents can be meant. */
static void describe_enum(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                          struct bytes *list)
{
	struct writer w;

	if (!s->top || has_document(rule->operand)) {
		describe_leaf(s, d, rule, list);
		return;
	}
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", "expression always evaluates to false");
	writer_finish(&w);
}

static void describe_item_count(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                struct bytes *list)
{
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", d->reason);
	writer_put(&w, "consideredValue", s->v);
	writer_int32(&w, "numberOfItems", (int32_t)value_count(s->v));
	writer_finish(&w);
}

/* The first item that equals one before it. */
static struct value find_duplicate(struct value array)
{
	struct value duplicate = value_missing(), *ordered;
	struct arena arena;
	struct walk w;
	struct field f;
	size_t count = 0;

	arena_init(&arena);
	ordered = arena_allocate(&arena, (value_count(array) + 1) * sizeof *ordered);
	walk_begin(&w, array);
	while (value_is_missing(duplicate) && walk_next(&w, &f)) {
		ordered[count] = schema_in_order(&arena, f.value);
		for (size_t i = 0; i < count && value_is_missing(duplicate); i++)
			if (value_compare(ordered[i], ordered[count]) == 0)
				duplicate = f.value;
		count++;
	}
	arena_clear(&arena);
	return duplicate;
}

static void describe_unique(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                            struct bytes *list)
{
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", d->reason);
	writer_put(&w, "consideredValue", s->v);
	writer_put(&w, "duplicatedValue", find_duplicate(s->v));
	writer_finish(&w);
}

/* The first item from `start` on that does not hold. */
static void describe_items_of_one(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                  int64_t start, struct bytes *list)
{
	struct walk walk;
	struct field f;
	struct writer w;

	walk_begin(&walk, s->v);
	for (int32_t i = 0; walk_next(&walk, &f); i++) {
		struct subject item = below(s, &rule->parts[0], rule->operand, f.value, false);

		if (i < start || holds(s, item.schema, f.value))
			continue;
		writer_begin(&w, list);
		writer_text(&w, "operatorName", d->keyword);
		put_notes(&w, rule->operand);
		writer_text(&w, "reason", d->reason);
		writer_int32(&w, "itemIndex", i);
		put_details(&w, &item);
		writer_finish(&w);
		return;
	}
}

/* A schema for each position: all items that do not hold. */
static void describe_positions(const struct subject *s, const struct schema_rule *rule, struct bytes *list)
{
	struct bytes failed = BYTES_INIT;
	struct walk items, schemas;
	struct field f, schema;
	struct writer w;

	walk_begin(&items, s->v);
	walk_begin(&schemas, rule->operand);
	for (size_t i = 0; i < rule->count && walk_next(&items, &f) && walk_next(&schemas, &schema); i++) {
		struct subject item = below(s, &rule->parts[i], schema.value, f.value, false);

		if (holds(s, item.schema, f.value))
			continue;
		writer_begin(&w, &failed);
		writer_int64(&w, "itemIndex", (int64_t)i);
		put_details(&w, &item);
		writer_finish(&w);
	}
	writer_begin(&w, list);
	writer_text(&w, "operatorName", "items");
	writer_documents(&w, "details", &failed);
	writer_finish(&w);
	bytes_clear(&failed);
}

static void describe_items(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                           struct bytes *list)
{
	if (!rule_fails(s, rule))
		return;
	if (value_is_array(rule->operand))
		describe_positions(s, rule, list);
	else
		describe_items_of_one(s, d, rule, 0, list);
}

static void describe_additional_items(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                      struct bytes *list)
{
	struct walk walk;
	struct field f;
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	if (rule->count) {
		describe_items_of_one(s, d, rule, rule->number, list);
		return;
	}
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", "found additional items");
	writer_begin_array(&w, key_of("additionalItems"));
	walk_begin(&walk, s->v);
	for (int64_t i = 0; walk_next(&walk, &f); i++)
		if (i >= rule->number)
			writer_value(&w, key_of(""), f.value);
	writer_end(&w);
	writer_finish(&w);
}

static bool is_required(const struct subject *s, struct key name)
{
	struct value required = value_get(s->source, "required");
	struct walk w;
	struct field f;

	if (!value_is_array(required))
		return false;
	walk_begin(&w, required);
	while (walk_next(&w, &f))
		if (key_equal(value_text(f.value), name))
			return true;
	return false;
}

static void describe(const struct subject *s, struct bytes *list);

/*
 * Properties that do not hold. One that is required and missing does not hold either, and says so only where a logical
 * keyword has something to say about nothing.
 */
static void describe_properties(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                struct bytes *list)
{
	struct bytes failed = BYTES_INIT, details = BYTES_INIT;
	struct walk walk;
	struct field f;
	struct writer w;

	(void)d;
	if (!value_is_document(s->v))
		return;
	walk_begin(&walk, rule->operand);
	for (size_t i = 0; i < rule->count && walk_next(&walk, &f); i++) {
		struct subject property = below(s, &rule->parts[i], f.value, value_get_key(s->v, f.key), false);

		if ((value_is_missing(property.v) && !is_required(s, f.key)) || holds(s, property.schema, property.v))
			continue;
		bytes_reset(&details);
		describe(&property, &details);
		if (!details.size)
			continue;
		writer_begin(&w, &failed);
		writer_key_text(&w, "propertyName", f.key);
		put_notes(&w, f.value);
		writer_documents(&w, "details", &details);
		writer_finish(&w);
	}
	if (failed.size) {
		writer_begin(&w, list);
		writer_text(&w, "operatorName", "properties");
		writer_documents(&w, "propertiesNotSatisfied", &failed);
		writer_finish(&w);
	}
	bytes_clear(&failed);
	bytes_clear(&details);
}

/* Neither named by `properties` nor by a pattern. */
static bool is_additional(const struct subject *s, const struct schema_rule *rule, struct key name)
{
	bool named = match_schema_names(rule->schema, &s->report->x, name);

	s->report->x.failed = false;
	return !named;
}

static void describe_additional_properties(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                           struct bytes *list)
{
	struct walk walk;
	struct field f;
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	walk_begin(&walk, s->v);
	if (!rule->count) {
		begin_error(s, &w, rule, list);
		writer_begin_array(&w, key_of(d->keyword));
		while (walk_next(&walk, &f))
			if (is_additional(s, rule, f.key))
				writer_key_text(&w, "", f.key);
		writer_end(&w);
		writer_finish(&w);
		return;
	}
	while (walk_next(&walk, &f)) {
		struct subject property = below(s, &rule->parts[0], rule->operand, f.value, false);

		if (!is_additional(s, rule, f.key) || holds(s, property.schema, f.value))
			continue;
		writer_begin(&w, list);
		writer_text(&w, "operatorName", d->keyword);
		put_notes(&w, rule->operand);
		writer_text(&w, "reason", d->reason);
		writer_key_text(&w, "failingProperty", f.key);
		put_details(&w, &property);
		writer_finish(&w);
		return;
	}
}

/* Of each pattern the first property that matches it and does not hold. */
static void describe_pattern_properties(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                        struct bytes *list)
{
	struct bytes failed = BYTES_INIT;
	struct walk patterns, walk;
	struct field pattern, f;
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	walk_begin(&patterns, rule->operand);
	for (size_t i = 0; i < rule->count && walk_next(&patterns, &pattern); i++) {
		walk_begin(&walk, s->v);
		while (walk_next(&walk, &f)) {
			struct subject property = below(s, &rule->parts[i], pattern.value, f.value, false);

			if (regex_test(rule->parts[i].pattern, f.key) != REGEX_MATCH || holds(s, property.schema, f.value))
				continue;
			writer_begin(&w, &failed);
			writer_key_text(&w, "propertyName", f.key);
			put_notes(&w, pattern.value);
			writer_key_text(&w, "regexMatched", pattern.key);
			put_details(&w, &property);
			writer_finish(&w);
			break;
		}
	}
	writer_begin(&w, list);
	writer_text(&w, "operatorName", d->keyword);
	writer_documents(&w, "details", &failed);
	writer_finish(&w);
	bytes_clear(&failed);
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int difference = memcmp(x->bytes, y->bytes, x->size_bytes < y->size_bytes ? x->size_bytes : y->size_bytes);

	return difference ? difference : (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

static void put_missing(struct writer *w, struct value names, struct value document, bool sorted)
{
	struct key *missing;
	struct arena arena;
	struct walk walk;
	struct field f;
	size_t count = 0;

	arena_init(&arena);
	missing = arena_allocate(&arena, (value_count(names) + 1) * sizeof *missing);
	walk_begin(&walk, names);
	while (walk_next(&walk, &f))
		if (value_is_missing(value_get_key(document, value_text(f.value))))
			missing[count++] = value_text(f.value);
	if (sorted)
		qsort(missing, count, sizeof *missing, compare_keys);
	writer_begin_array(w, key_of("missingProperties"));
	for (size_t i = 0; i < count; i++)
		writer_key_text(w, "", missing[i]);
	writer_end(w);
	arena_clear(&arena);
}

static void describe_required(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                              struct bytes *list)
{
	struct writer w;

	(void)d;
	if (!rule_fails(s, rule))
		return;
	begin_error(s, &w, rule, list);
	put_missing(&w, rule->operand, s->v, true);
	writer_finish(&w);
}

static void describe_property_count(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                    struct bytes *list)
{
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	begin_error(s, &w, rule, list);
	writer_text(&w, "reason", d->reason);
	writer_int32(&w, "numberOfProperties", (int32_t)value_count(s->v));
	writer_finish(&w);
}

static void describe_dependencies(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                                  struct bytes *list)
{
	struct bytes failed = BYTES_INIT;
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	for (size_t i = 0; i < rule->count; i++) {
		const struct schema_part *part = &rule->parts[i];
		struct subject dependent = below(s, part, value_get_key(rule->operand, part->name), s->v, s->top);

		if (value_is_missing(value_get_key(s->v, part->name)))
			continue;
		if (part->schema ? holds(s, part->schema, s->v) : schema_has_all(part->names, s->v))
			continue;
		writer_begin(&w, &failed);
		writer_key_text(&w, "conditionalProperty", part->name);
		if (part->schema)
			put_details(&w, &dependent);
		else
			put_missing(&w, part->names, s->v, false);
		writer_finish(&w);
	}
	writer_begin(&w, list);
	writer_text(&w, "operatorName", d->keyword);
	put_notes(&w, rule->operand);
	writer_documents(&w, "failingDependencies", &failed);
	writer_finish(&w);
	bytes_clear(&failed);
}

static size_t count_holding(const struct subject *s, const struct schema_rule *rule)
{
	size_t count = 0;

	for (size_t i = 0; i < rule->count; i++)
		count += holds(s, rule->parts[i].schema, s->v);
	return count;
}

static void put_failed_schemas(struct writer *w, const struct subject *s, const struct schema_rule *rule)
{
	struct bytes failed = BYTES_INIT;
	struct writer inner;
	struct walk walk;
	struct field f;

	walk_begin(&walk, rule->operand);
	for (int32_t i = 0; (size_t)i < rule->count && walk_next(&walk, &f); i++) {
		struct subject part = below(s, &rule->parts[i], f.value, s->v, s->top);

		if (holds(s, part.schema, s->v))
			continue;
		writer_begin(&inner, &failed);
		writer_int32(&inner, "index", i);
		if (!never_holds(&part))
			put_notes(&inner, f.value);
		put_details(&inner, &part);
		writer_finish(&inner);
	}
	writer_documents(w, "schemasNotSatisfied", &failed);
	bytes_clear(&failed);
}

/* allOf, anyOf, oneOf: each schema that does not hold; of oneOf the ones that do, when they are too many. */
static void describe_schemas(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                             struct bytes *list)
{
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	writer_begin(&w, list);
	writer_text(&w, "operatorName", d->keyword);
	if (d->reason && count_holding(s, rule)) {
		writer_text(&w, "reason", d->reason);
		writer_begin_array(&w, key_of("matchingSchemaIndexes"));
		for (size_t i = 0; i < rule->count; i++)
			if (holds(s, rule->parts[i].schema, s->v))
				writer_int32(&w, "", (int32_t)i);
		writer_end(&w);
	} else {
		put_failed_schemas(&w, s, rule);
	}
	writer_finish(&w);
}

static void describe_not(const struct subject *s, const struct describer *d, const struct schema_rule *rule,
                         struct bytes *list)
{
	struct writer w;

	if (!rule_fails(s, rule))
		return;
	writer_begin(&w, list);
	writer_text(&w, "operatorName", d->keyword);
	writer_text(&w, "reason", d->reason);
	writer_finish(&w);
}

static const struct describer describers[] = {
	{ "pattern", "regular expression did not match", describe_leaf },
	{ "maxLength", "specified string length was not satisfied", describe_leaf },
	{ "minLength", "specified string length was not satisfied", describe_leaf },
	{ "multipleOf", "considered value is not a multiple of the specified value", describe_leaf },
	{ "maximum", "comparison failed", describe_bound },
	{ "minimum", "comparison failed", describe_bound },
	{ "minItems", "array did not match specified length", describe_item_count },
	{ "maxItems", "array did not match specified length", describe_item_count },
	{ "uniqueItems", "found a duplicate item", describe_unique },
	{ "items", "At least one item did not match the sub-schema", describe_items },
	{ "additionalItems", "At least one additional item did not match the sub-schema", describe_additional_items },
	{ "properties", NULL, describe_properties },
	{ "additionalProperties", "at least one additional property did not match the subschema", describe_additional_properties },
	{ "patternProperties", NULL, describe_pattern_properties },
	{ "required", NULL, describe_required },
	{ "minProperties", "specified number of properties was not satisfied", describe_property_count },
	{ "maxProperties", "specified number of properties was not satisfied", describe_property_count },
	{ "dependencies", NULL, describe_dependencies },
	{ "allOf", NULL, describe_schemas },
	{ "anyOf", NULL, describe_schemas },
	{ "oneOf", "more than one subschema matched", describe_schemas },
	{ "not", "child expression matched", describe_not },
	{ "enum", "value was not found in enum", describe_enum },
	{ "type", "type did not match", describe_type },
	{ "bsonType", "type did not match", describe_type },
};

/* All errors of a schema that does not hold. */
static void describe(const struct subject *s, struct bytes *list)
{
	for (size_t i = 0; i < sizeof describers / sizeof *describers; i++)
		for (size_t k = 0; k < s->schema->rule_count; k++)
			if (!strcmp(s->schema->rules[k].keyword->name, describers[i].keyword))
				describers[i].describe(s, &describers[i], &s->schema->rules[k], list);
}

/* A type that no document has: such a schema is no list of rules but one that never holds. */
static bool never_holds(const struct subject *s)
{
	if (!s->top)
		return false;
	for (size_t i = 0; i < s->schema->rule_count; i++)
		if (s->schema->rules[i].types && !(s->schema->rules[i].types & match_type_bit(BSON_TYPE_DOCUMENT)))
			return true;
	return false;
}

static void put_never(struct writer *w, const struct subject *s)
{
	report_operator(s->report, w, "$jsonSchema", key_of("$jsonSchema"), s->source);
	writer_text(w, "reason", "expression always evaluates to false");
}

static void put_details(struct writer *w, const struct subject *s)
{
	struct bytes list = BYTES_INIT;

	if (never_holds(s)) {
		writer_begin_document(w, key_of("details"));
		put_never(w, s);
		writer_end(w);
		return;
	}
	describe(s, &list);
	writer_documents(w, "details", &list);
	bytes_clear(&list);
}

void report_schema(struct report *r, struct value schema, bool inverted, struct bytes *out)
{
	struct bytes list = BYTES_INIT;
	bson_error_t error;
	struct match_schema *compiled = match_schema_compile(schema, &error);
	struct subject s = { r, compiled, schema, r->root, true };
	struct writer w;

	if (!compiled)
		return;
	writer_begin(&w, out);
	if (!inverted && never_holds(&s)) {
		put_never(&w, &s);
	} else {
		writer_text(&w, "operatorName", "$jsonSchema");
		if (inverted) {
			writer_text(&w, "reason", "schema matched");
		} else {
			describe(&s, &list);
			put_notes(&w, schema);
			writer_documents(&w, "schemaRulesNotSatisfied", &list);
		}
	}
	writer_finish(&w);
	match_schema_destroy(compiled);
	bytes_clear(&list);
}
