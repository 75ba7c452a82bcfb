/* Errors of query operators. */
#include "engine/validation_error.h"

#include <stdlib.h>
#include <string.h>

#include "bson/path.h"
#include "bson/print.h"
#include "engine/expression.h"
#include "engine/match.h"
#include "engine/match_private.h"

enum {
	MOST_CONSIDERED_VALUES = 10,
	MOST_ERROR_BYTES = 12 * 1024 * 1024,
	MOST_ERROR_LEVELS = 190, /* ten below what a document may have */
	CODE_NoAnnotation = 4994600
};

/* How a leaf operator says what was wrong, and which values it looked at. */
enum leaf_values { ARRAYS_WHOLE = 1, ARRAYS_BY_ELEMENT = 2, NO_VALUES = 4, TYPES_BELOW = 8, NEGATED = 16 };

static const struct leaf {
	const char *name, *failed, *succeeded;
	unsigned how;
	const char *const *expected_types; /* in the order of their names; null: all */
} leaves[] = {
#define NUMBERS (const char *const[]){ "decimal", "double", "int", "long", NULL }
#define BITS (const char *const[]){ "binData", "decimal", "double", "int", "long", NULL }
#define TEXTS (const char *const[]){ "regex", "string", "symbol", NULL }
#define ARRAYS (const char *const[]){ "array", NULL }
#define COMPARISON "comparison failed", "comparison succeeded"
#define BITWISE "bitwise operator failed to match", "bitwise operator matched successfully"
	{ "$eq", COMPARISON, ARRAYS_BY_ELEMENT, NULL },
	{ "$ne", COMPARISON, ARRAYS_BY_ELEMENT | NEGATED, NULL },
	{ "$lt", COMPARISON, ARRAYS_BY_ELEMENT, NULL },
	{ "$lte", COMPARISON, ARRAYS_BY_ELEMENT, NULL },
	{ "$gt", COMPARISON, ARRAYS_BY_ELEMENT, NULL },
	{ "$gte", COMPARISON, ARRAYS_BY_ELEMENT, NULL },
	{ "$in", "no matching value found in array", "matching value found in array", ARRAYS_BY_ELEMENT, NULL },
	{ "$nin", "no matching value found in array", "matching value found in array", ARRAYS_BY_ELEMENT | NEGATED, NULL },
	{ "$exists", "path does not exist", "path does exist", NO_VALUES, NULL },
	{ "$type", "type did not match", "type did match", ARRAYS_BY_ELEMENT | TYPES_BELOW, NULL },
	{ "$mod", "$mod did not evaluate to expected remainder", "$mod did evaluate to expected remainder", ARRAYS_BY_ELEMENT,
	  NUMBERS },
	{ "$regex", "regular expression did not match", "regular expression did match", ARRAYS_BY_ELEMENT, TEXTS },
	{ "$size", "array length was not equal to given size", "array length was equal to given size", ARRAYS_WHOLE, ARRAYS },
	{ "$elemMatch", "array did not satisfy the child predicate", "array did satisfy the child predicate", ARRAYS_WHOLE,
	  ARRAYS },
	{ "$all", "array did not contain all specified values", "array did contain all specified values", ARRAYS_WHOLE, NULL },
	{ "$bitsAllSet", BITWISE, ARRAYS_BY_ELEMENT, BITS },
	{ "$bitsAllClear", BITWISE, ARRAYS_BY_ELEMENT, BITS },
	{ "$bitsAnySet", BITWISE, ARRAYS_BY_ELEMENT, BITS },
	{ "$bitsAnyClear", BITWISE, ARRAYS_BY_ELEMENT, BITS },
};

static const struct leaf *find_leaf(struct key name)
{
	for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
		if (key_is(name, leaves[i].name))
			return &leaves[i];
	return NULL;
}

/* One condition of a filter: {name: operand}, or under a path {path: {name: operand}}, {path: operand}. */
struct clause {
	struct key name;
	struct value operand;
	bool has_path, plain; /* plain: the operand alone, without an operator */
	struct key path;
	struct value siblings; /* the operators that stand beside it: $regex takes its $options from there */
};

/* The clauses of a filter, or of the operators under a path, one after the other. */
struct clauses {
	struct walk outer, inner;
	bool inside, only_operators;
	struct key path;
	struct value operators;
};

static void begin_filter(struct clauses *c, struct value filter)
{
	memset(c, 0, sizeof *c);
	walk_begin(&c->outer, filter);
}

static void begin_operators(struct clauses *c, struct key path, struct value operators)
{
	memset(c, 0, sizeof *c);
	c->only_operators = c->inside = true;
	c->path = path;
	c->operators = operators;
	walk_begin(&c->inner, operators);
}

static bool looks_like_operators(struct value v)
{
	struct walk w;
	struct field f;

	if (!value_is_document(v))
		return false;
	walk_begin(&w, v);
	return walk_next(&w, &f) && f.key.size_bytes && f.key.bytes[0] == '$' &&
	       (value_is_missing(value_get(v, "$ref")) || value_is_missing(value_get(v, "$id")));
}

static bool next_clause(struct clauses *c, struct clause *out)
{
	struct field f;

	for (;;) {
		while (c->inside && walk_next(&c->inner, &f))
			if (!key_is(f.key, "$options")) {
				*out = (struct clause){ f.key, f.value, true, false, c->path, c->operators };
				return true;
			}
		c->inside = false;
		if (c->only_operators || !walk_next(&c->outer, &f))
			return false;
		if (key_is(f.key, "$comment"))
			continue;
		if (looks_like_operators(f.value) && f.key.bytes[0] != '$') {
			c->inside = true;
			c->path = f.key;
			c->operators = f.value;
			walk_begin(&c->inner, f.value);
			continue;
		}
		*out = (struct clause){ f.key, f.value, false, false, key_of(""), value_missing() };
		if (!f.key.size_bytes || f.key.bytes[0] != '$')
			*out = (struct clause){ key_of(f.value.type == BSON_TYPE_REGEX ? "$regex" : "$eq"), f.value, true, true, f.key,
			                        value_missing() };
		return true;
	}
}

/* The clause as a filter of its own. */
static void write_clause(const struct clause *c, struct bytes *out)
{
	struct value options = value_is_missing(c->siblings) ? c->siblings : value_get(c->siblings, "$options");
	struct writer w;

	writer_begin(&w, out);
	if (!c->has_path || c->plain) {
		writer_value(&w, c->has_path ? c->path : c->name, c->operand);
	} else {
		writer_begin_document(&w, c->path);
		writer_value(&w, c->name, c->operand);
		if (key_is(c->name, "$regex"))
			writer_put(&w, "$options", options);
		writer_end(&w);
	}
	writer_finish(&w);
}

/* Whether a filter has something to say in an error: it did not hold where it should, or did where it should not. */
static bool contributes(struct report *r, struct value filter, bool inverted)
{
	bson_error_t error;
	struct match *m = match_compile(filter, NULL, &error);
	bool matched, threw;

	if (!m)
		return true;
	matched = match_test(m, &r->x, r->root);
	threw = r->x.failed;
	r->x.failed = false;
	match_destroy(m);
	return threw || matched == inverted;
}

static bool clause_contributes(struct report *r, const struct clause *c, bool inverted)
{
	struct bytes filter = BYTES_INIT;
	struct value v;
	bool result;

	write_clause(c, &filter);
	result = !value_document(&v, filter.data, filter.size) || contributes(r, v, inverted);
	bytes_clear(&filter);
	return result;
}

void report_operator(const struct report *r, struct writer *w, const char *name, struct key key, struct value operand)
{
	writer_text(w, "operatorName", name);
	if (r->brief)
		return;
	writer_begin_document(w, key_of("specifiedAs"));
	writer_value(w, key, operand);
	writer_end(w);
}

void report_failure(struct writer *w, const char *name, const bson_error_t *error)
{
	char buffer[24];

	writer_begin_document(w, key_of(name));
	writer_int32(w, "code", (int32_t)error->code);
	writer_text(w, "codeName", error_code_name(error->code, buffer));
	writer_text(w, "errmsg", error->message);
	writer_end(w);
}

/* The values that a path reaches, as the matcher goes; the first that is not there ends it. */
struct considered {
	const struct path *path;
	bool by_element; /* an array at the end stands for its elements */
	bool array_seen, truncated;
	size_t count;
	struct value values[MOST_CONSIDERED_VALUES];
};

static bool take(struct considered *c, struct value v)
{
	if (value_is_missing(v))
		return false;
	if (c->count == MOST_CONSIDERED_VALUES) {
		c->truncated = true;
		return false;
	}
	c->values[c->count++] = v;
	return true;
}

static bool consider(struct considered *c, struct value v, size_t next);

static bool consider_array(struct considered *c, struct value array, size_t next)
{
	struct walk w;
	struct field f;

	walk_begin(&w, array);
	while (walk_next(&w, &f)) {
		if (value_is_document(f.value) && !consider(c, f.value, next))
			return false;
		if (!key_equal(c->path->keys[next], f.key))
			continue;
		if (next + 1 == c->path->count || value_is_document(f.value) || value_is_array(f.value)) {
			if (!consider(c, f.value, next + 1))
				return false;
		}
	}
	return true;
}

static bool consider_end(struct considered *c, struct value v)
{
	struct walk w;
	struct field f;

	if (!c->by_element || !value_is_array(v))
		return take(c, v);
	c->array_seen = true;
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (!take(c, f.value))
			return false;
	return true;
}

static bool consider(struct considered *c, struct value v, size_t next)
{
	for (; next < c->path->count; next++) {
		if (value_is_array(v))
			return consider_array(c, v, next);
		v = value_is_document(v) ? value_get_key(v, c->path->keys[next]) : value_missing();
		if (value_is_missing(v))
			return false;
	}
	return consider_end(c, v);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* consideredType: one name, or consideredTypes: each once, in order. */
static void put_types(struct writer *w, const char *one, const char *many, const char **names, size_t count)
{
	size_t distinct = 0;

	if (!count)
		return;
	qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(names[i], names[i - 1]))
			names[distinct++] = names[i];
	if (distinct == 1) {
		writer_text(w, one, names[0]);
		return;
	}
	writer_begin_array(w, key_of(many));
	for (size_t i = 0; i < distinct; i++)
		writer_text(w, "", names[i]);
	writer_end(w);
}

static void put_considered_types(struct writer *w, const struct considered *c)
{
	const char *names[MOST_CONSIDERED_VALUES];

	for (size_t i = 0; i < c->count; i++)
		names[i] = value_type_name(c->values[i].type);
	put_types(w, "consideredType", "consideredTypes", names, c->count);
}

static void put_considered(const struct report *r, struct writer *w, const struct considered *c)
{
	if (r->brief)
		return;
	if (c->count == 1) {
		writer_put(w, "consideredValue", c->values[0]);
	} else {
		writer_begin_array(w, key_of("consideredValues"));
		for (size_t i = 0; i < c->count; i++)
			writer_value(w, key_of(""), c->values[i]);
		writer_end(w);
	}
	if (c->truncated)
		writer_bool(w, "consideredValuesTruncated", true);
}

/* True when no value has one of the types that the operator works on: that is the reason then. */
static bool put_type_mismatch(struct writer *w, const struct leaf *leaf, const struct considered *c)
{
	const char *expected[8];
	size_t count = 0;

	if (!leaf->expected_types)
		return false;
	for (; leaf->expected_types[count]; count++) {
		expected[count] = leaf->expected_types[count];
		for (size_t i = 0; i < c->count; i++)
			if (!strcmp(value_type_name(c->values[i].type), expected[count]))
				return false;
	}
	writer_text(w, "reason", "type did not match");
	put_considered_types(w, c);
	put_types(w, "expectedType", "expectedTypes", expected, count);
	return true;
}

static void put_leaf_values(struct report *r, struct writer *w, const struct clause *c, const struct leaf *leaf, bool inverted)
{
	struct considered values = { .by_element = leaf->how & ARRAYS_BY_ELEMENT };
	const char *reason = inverted ? leaf->succeeded : leaf->failed;
	struct path path;

	path_parse(&path, c->path);
	values.path = &path;
	consider(&values, r->root, 0);
	path_clear(&path);
	if (!values.count && !values.array_seen) {
		writer_text(w, "reason", "field was missing");
		return;
	}
	if (!put_type_mismatch(w, leaf, &values))
		writer_text(w, "reason", reason);
	put_considered(r, w, &values);
	if (leaf->how & TYPES_BELOW)
		put_considered_types(w, &values);
}

/* specifiedAs: {path: {operator: operand}}; $regex shows all that stands beside it. */
static void put_specified(const struct report *r, struct writer *w, const struct clause *c)
{
	if (r->brief)
		return;
	writer_begin_document(w, key_of("specifiedAs"));
	if (c->plain) {
		writer_value(w, c->path, c->operand);
	} else if (key_is(c->name, "$regex")) {
		writer_value(w, c->path, c->siblings);
	} else {
		writer_begin_document(w, c->path);
		writer_value(w, c->name, c->operand);
		writer_end(w);
	}
	writer_end(w);
}

static void report_leaf(struct report *r, const struct clause *c, const struct leaf *leaf, bool inverted, struct bytes *out)
{
	struct writer w;

	if (leaf->how & NEGATED || (key_is(c->name, "$exists") && !value_is_true(c->operand)))
		inverted = !inverted;
	writer_begin(&w, out);
	writer_text(&w, "operatorName", leaf->name);
	put_specified(r, &w, c);
	if (key_is(c->name, "$all") && !value_count(c->operand))
		writer_text(&w, "reason", "expression always evaluates to false");
	else if (leaf->how & NO_VALUES)
		writer_text(&w, "reason", inverted ? leaf->succeeded : leaf->failed);
	else
		put_leaf_values(r, &w, c, leaf, inverted);
	writer_finish(&w);
}

static void report_expression(struct report *r, const struct clause *c, bool inverted, struct bytes *out)
{
	struct value result = value_missing();
	struct expression *e;
	struct arena arena;
	bson_error_t error;
	struct writer w;

	arena_init(&arena);
	e = expression_compile(c->operand, NULL, &error);
	writer_begin(&w, out);
	report_operator(r, &w, "$expr", c->name, c->operand);
	if (e && expression_evaluate(e, &r->x, &arena, r->root, &result)) {
		writer_text(&w, "reason", inverted ? "expression did match" : "expression did not match");
		writer_put(&w, "expressionResult", result);
	} else {
		writer_text(&w, "reason", "failed to evaluate aggregation expression");
		report_failure(&w, "details", e ? &r->x.error : &error);
	}
	r->x.failed = false;
	writer_finish(&w);
	expression_destroy(e);
	arena_clear(&arena);
}

static void report_clause(struct report *r, const struct clause *c, bool inverted, struct bytes *out);
static void report_filter(struct report *r, struct value filter, bool inverted, struct bytes *out);

/* {index, details} at the end of `list`. */
static void add_indexed(struct bytes *list, int32_t index, const struct bytes *details)
{
	struct value v;
	struct writer w;

	writer_begin(&w, list);
	writer_int32(&w, "index", index);
	if (value_document(&v, details->data, details->size))
		writer_put(&w, "details", v);
	writer_finish(&w);
}

static void put_clauses(struct writer *w, bool inverted, const struct bytes *list)
{
	writer_documents(w, inverted ? "clausesSatisfied" : "clausesNotSatisfied", list);
}

/* An $and that nobody wrote: several conditions side by side. All of them matched when it is inverted. */
static void report_conjunction(struct report *r, struct clauses *all, bool inverted, struct bytes *out)
{
	struct bytes list = BYTES_INIT, details = BYTES_INIT;
	struct clause c;
	struct writer w;

	for (int32_t i = 0; next_clause(all, &c); i++) {
		if (!inverted && !clause_contributes(r, &c, false))
			continue;
		bytes_reset(&details);
		report_clause(r, &c, inverted, &details);
		add_indexed(&list, i, &details);
	}
	writer_begin(&w, out);
	writer_text(&w, "operatorName", "$and");
	put_clauses(&w, inverted, &list);
	writer_finish(&w);
	bytes_clear(&list);
	bytes_clear(&details);
}

static void report_clauses(struct report *r, const struct clauses *all, bool inverted, struct bytes *out)
{
	struct clauses walk = *all;
	struct clause first, second;

	if (next_clause(&walk, &first) && !next_clause(&walk, &second)) {
		report_clause(r, &first, inverted, out);
		return;
	}
	walk = *all;
	report_conjunction(r, &walk, inverted, out);
}

/*
 * $and, $or, $nor as written. Which clauses are to blame has to be asked of an $and that failed, an $or that held and
 * a $nor that failed; else it is all of them.
 */
static void report_tree(struct report *r, const struct clause *c, bool inverted, struct bytes *out)
{
	bool is_nor = key_is(c->name, "$nor"), asks = key_is(c->name, "$or") ? inverted : !inverted;
	bool below = inverted != is_nor;
	struct bytes list = BYTES_INIT, details = BYTES_INIT;
	struct walk walk;
	struct field f;
	struct writer w;

	walk_begin(&walk, c->operand);
	for (int32_t i = 0; walk_next(&walk, &f); i++) {
		if (asks && !contributes(r, f.value, below))
			continue;
		bytes_reset(&details);
		report_filter(r, f.value, below, &details);
		add_indexed(&list, i, &details);
	}
	writer_begin(&w, out);
	writer_text(&w, "operatorName", is_nor ? "$nor" : key_is(c->name, "$or") ? "$or" : "$and");
	put_clauses(&w, below, &list);
	writer_finish(&w);
	bytes_clear(&list);
	bytes_clear(&details);
}

static void report_not(struct report *r, const struct clause *c, bool inverted, struct bytes *out)
{
	struct bytes details = BYTES_INIT;
	struct value v;
	struct writer w;

	if (c->operand.type == BSON_TYPE_REGEX) {
		struct clause regex = { key_of("$regex"), c->operand, true, true, c->path, value_missing() };

		report_clause(r, &regex, !inverted, &details);
	} else {
		struct clauses below;

		begin_operators(&below, c->path, c->operand);
		report_clauses(r, &below, !inverted, &details);
	}
	writer_begin(&w, out);
	writer_text(&w, "operatorName", "$not");
	if (value_document(&v, details.data, details.size))
		writer_put(&w, "details", v);
	writer_finish(&w);
	bytes_clear(&details);
}

static void report_clause(struct report *r, const struct clause *c, bool inverted, struct bytes *out)
{
	const struct leaf *leaf = c->has_path ? find_leaf(c->name) : NULL;

	if (leaf)
		report_leaf(r, c, leaf, inverted, out);
	else if (c->has_path)
		report_not(r, c, inverted, out);
	else if (key_is(c->name, "$expr"))
		report_expression(r, c, inverted, out);
	else if (key_is(c->name, "$jsonSchema"))
		report_schema(r, c->operand, inverted, out);
	else
		report_tree(r, c, inverted, out);
}

static void report_filter(struct report *r, struct value filter, bool inverted, struct bytes *out)
{
	struct clauses all;

	begin_filter(&all, filter);
	report_clauses(r, &all, inverted, out);
}

/* The first clause that the server keeps no text of, and whose error it cannot write. */
static bool find_unexplained(struct value filter, struct clause *found)
{
	struct clauses all;

	begin_filter(&all, filter);
	while (next_clause(&all, found)) {
		struct walk w;
		struct field f;

		if (found->has_path)
			continue;
		if (key_is(found->name, "$alwaysTrue") || key_is(found->name, "$alwaysFalse") || key_is(found->name, "$ref") ||
		    key_is(found->name, "$id") || key_is(found->name, "$db"))
			return true;
		if (!value_is_array(found->operand))
			continue;
		walk_begin(&w, found->operand);
		while (walk_next(&w, &f))
			if (find_unexplained(f.value, found))
				return true;
	}
	return false;
}

static void explain_nothing(const struct clause *c, struct writer *w)
{
	struct bytes filter = BYTES_INIT, text = BYTES_INIT;
	bson_error_t error;
	struct value v;

	write_clause(c, &filter);
	if (value_document(&v, filter.data, filter.size))
		print_line(&text, v, PRINT_SERVER);
	error_set(&error, ERROR_SERVER, CODE_NoAnnotation,
	          "Cannot generate validation error details: no annotation found for expression %s", bytes_text(&text));
	writer_text(w, "note", "failed to generate document validation error");
	report_failure(w, "details", &error);
	bytes_clear(&filter);
	bytes_clear(&text);
}

static bool is_deeper(struct value v, int levels)
{
	struct walk w;
	struct field f;

	if (!value_is_document(v) && !value_is_array(v))
		return false;
	if (!levels)
		return true;
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (is_deeper(f.value, levels - 1))
			return true;
	return false;
}

/* False: longer than an error may be. */
static bool explain(struct report *r, struct value validator, struct bytes *out)
{
	struct bytes details = BYTES_INIT;
	size_t start = out->size;
	struct clause unexplained;
	struct value v;
	struct writer w;

	writer_begin(&w, out);
	writer_put(&w, "failingDocumentId", value_get(r->root, "_id"));
	if (r->brief)
		writer_bool(&w, "truncated", true);
	if (find_unexplained(validator, &unexplained)) {
		explain_nothing(&unexplained, &w);
	} else {
		report_filter(r, validator, false, &details);
		if (value_document(&v, details.data, details.size))
			writer_put(&w, "details", v);
	}
	v = writer_finish(&w);
	bytes_clear(&details);
	if (is_deeper(v, MOST_ERROR_LEVELS)) {
		out->size = start;
		writer_begin(&w, out);
		writer_text(&w, "reason", "generated error was too deeply nested");
		writer_bool(&w, "truncated", true);
		v = writer_finish(&w);
	}
	return v.size_bytes <= MOST_ERROR_BYTES;
}

void validation_explain(struct value validator, const struct execution *x, struct value document, struct bytes *out)
{
	struct report r = { .root = document };
	size_t start = out->size;
	struct writer w;
	bool fits;

	execution_init(&r.x, x->store, x->db, NULL);
	r.x.now_millis = x->now_millis;
	fits = explain(&r, validator, out);
	if (!fits) {
		out->size = start;
		r.brief = true;
		fits = explain(&r, validator, out);
	}
	if (!fits) {
		out->size = start;
		writer_begin(&w, out);
		writer_put(&w, "failingDocumentId", value_get(document, "_id"));
		writer_text(&w, "note", "detailed error was too large");
		writer_finish(&w);
	}
	execution_clear(&r.x);
}
