/* Projections by hand: order of fields, paths through arrays, errors, and what explain and the planner ask. */
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "engine/projection.h"
#include "harness/harness.h"

struct example {
	enum projection_use use;
	const char *specification, *document;
	const char *expected; /* or "CODE message" */
};

static char *failure_text(const bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "%u %s", error->code, error->message);
	return bytes_take_text(&text);
}

static char *run(const struct example *one, const char *filter)
{
	struct bytes out = BYTES_INIT, text = BYTES_INIT;
	struct execution x;
	bson_error_t error;
	struct match *m = filter ? match_compile(harness_json(filter), NULL, &error) : NULL;
	struct projection *p = projection_compile(harness_json(one->specification), one->use, NULL, &error);
	struct value v;
	char *result;

	if (!p)
		return failure_text(&error);
	execution_init(&x, NULL, "test", NULL);
	if (projection_apply(p, &x, &x.scratch, harness_json(one->document), m, &out)) {
		CU_ASSERT_TRUE(value_document(&v, out.data, out.size));
		CU_ASSERT_EQUAL(v.size_bytes, out.size);
		print_line(&text, v, PRINT_RELAXED);
		result = bytes_take_text(&text);
	} else {
		result = failure_text(&x.error);
	}
	execution_clear(&x);
	projection_destroy(p);
	if (m)
		match_destroy(m);
	bytes_clear(&out);
	return result;
}

static void check_all(const struct example *examples)
{
	for (; examples->specification; examples++) {
		char *got = run(examples, NULL);

		ASSERT_TEXT(got, examples->expected);
		free(got);
	}
}

static void test_inclusion(void)
{
	static const struct example examples[] = {
		/* the document's order, computed fields last */
		{ PROJECTION_FIND, "{'b': 1, 'a': 1}", "{'_id': 1, 'a': 2, 'b': 3, 'c': 4}", "{\"_id\": 1, \"a\": 2, \"b\": 3}" },
		{ PROJECTION_PROJECT, "{'n': {'$literal': 1}, 'b': 1}", "{'_id': 1, 'b': 3}", "{\"_id\": 1, \"b\": 3, \"n\": 1}" },
		{ PROJECTION_PROJECT, "{'a': '$b', 'b': 1}", "{'a': 1, 'b': 3}", "{\"b\": 3, \"a\": 3}" },
		{ PROJECTION_FIND, "{'a.b': 1, '_id': 0}", "{'_id': 1, 'a': [{'b': 1, 'c': 2}, 3, [{'b': 4}]]}",
		  "{\"a\": [{\"b\": 1}, [{\"b\": 4}]]}" },
		{ PROJECTION_FIND, "{'a': {'b': 1}}", "{'a': 5, 'c': 1}", "{}" },
		{ PROJECTION_PROJECT, "{'a.b': 'x'}", "{'a': 5}", "{\"a\": {\"b\": \"x\"}}" },
		{ PROJECTION_PROJECT, "{'a': '$$REMOVE', 'b': 1}", "{'a': 5, 'b': 1}", "{\"b\": 1}" },
		/* a name that comes twice does not stand for another one */
		{ PROJECTION_FIND, "{'a': 1, 'b': 1, '_id': 0}", "{'a': 1, 'a': 2, 'b': 3}", "{\"a\": 1, \"a\": 2, \"b\": 3}" },
		{ PROJECTION_FIND, "{'_id': 1}", "{'_id': 1, 'a': 5}", "{\"_id\": 1}" },
		{ 0, NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_exclusion(void)
{
	static const struct example examples[] = {
		{ PROJECTION_FIND, "{'a.b': 0}", "{'_id': 1, 'a': [{'b': 1, 'c': 2}, 3], 'd': 4}",
		  "{\"_id\": 1, \"a\": [{\"c\": 2}, 3], \"d\": 4}" },
		{ PROJECTION_FIND, "{'_id': 0}", "{'_id': 1, 'a': 1}", "{\"a\": 1}" },
		{ PROJECTION_FIND, "{'_id': 1, 'a': 0}", "{'_id': 1, 'a': 1, 'b': 2}", "{\"_id\": 1, \"b\": 2}" },
		{ PROJECTION_FIND, "{}", "{'_id': 1, 'a': 1}", "{\"_id\": 1, \"a\": 1}" },
		{ PROJECTION_FIND, "{'v': {'$slice': -1}}", "{'_id': 1, 'v': [1, 2], 'a': 1}",
		  "{\"_id\": 1, \"v\": [2], \"a\": 1}" },
		{ PROJECTION_FIND, "{'v': {'$slice': [1, 1]}, 'a': 0}", "{'_id': 1, 'v': [1, 2, 3], 'a': 1}",
		  "{\"_id\": 1, \"v\": [2]}" },
		{ 0, NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_added_fields(void)
{
	static const struct example examples[] = {
		/* in place, or at the end */
		{ PROJECTION_ADD_FIELDS, "{'b': 9, 'a': '$c'}", "{'a': 1, 'c': 3}", "{\"a\": 3, \"c\": 3, \"b\": 9}" },
		{ PROJECTION_ADD_FIELDS, "{'a.x': 9}", "{'a': [{'x': 1}, 2, [3]]}",
		  "{\"a\": [{\"x\": 9}, {\"x\": 9}, [{\"x\": 9}]]}" },
		{ PROJECTION_ADD_FIELDS, "{'a': {'b': {'$literal': 1}}}", "{'a': {'c': 2}}",
		  "{\"a\": {\"c\": 2, \"b\": 1}}" },
		{ PROJECTION_ADD_FIELDS, "{'a': '$$REMOVE'}", "{'a': 1, 'b': 2}", "{\"b\": 2}" },
		{ PROJECTION_ADD_FIELDS, "{'a.b.c': 1}", "{}", "{\"a\": {\"b\": {\"c\": 1}}}" },
		{ 0, NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_errors(void)
{
	static const struct example examples[] = {
		{ PROJECTION_FIND, "{'a': 1, 'b': 0}", "{}",
		  "31254 Cannot do exclusion on field b in inclusion projection" },
		{ PROJECTION_FIND, "{'a': 0, 'b': 1}", "{}",
		  "31253 Cannot do inclusion on field b in exclusion projection" },
		{ PROJECTION_FIND, "{'a': 1, 'a.b': 1}", "{}", "31249 Path collision at a.b remaining portion b" },
		{ PROJECTION_FIND, "{'a.b': 1, 'a': 1}", "{}", "31250 Path collision at a" },
		{ PROJECTION_PROJECT, "{'a': {'$nope': 1}}", "{}", "31325 Unknown expression $nope" },
		{ PROJECTION_PROJECT, "{'a': {'b': {'$add': [{'$nope': 1}]}}}", "{}",
		  "168 Unrecognized expression '$nope'" },
		{ PROJECTION_PROJECT, "{}", "{}", "51272 projection specification must have at least one field" },
		{ PROJECTION_PROJECT, "{'a.$': 1}", "{}",
		  "31324 Cannot use positional projection in aggregation projection" },
		{ PROJECTION_PROJECT, "{'a': {'$elemMatch': {'b': 1}}}", "{}",
		  "168 Cannot use $elemMatch in this context" },
		{ PROJECTION_FIND, "{'a': 0, 'b': {'$add': [1]}}", "{}",
		  "31252 Cannot use expression other than $meta in exclusion projection" },
		{ PROJECTION_FIND, "{'a': {}}", "{}",
		  "51270 An empty sub-projection is not a valid value. Found empty object at path a" },
		{ PROJECTION_ADD_FIELDS, "{'a': {}}", "{}",
		  "40180 an empty object is not a valid value. Found empty object at path a" },
		{ PROJECTION_ADD_FIELDS, "{}", "{}", "40177 specification must have at least one field" },
		{ 0, NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_positional(void)
{
	static const struct example first = { PROJECTION_FIND, "{'v.$': 1, '_id': 0}",
		                              "{'_id': 1, 'v': [{'n': 1}, {'n': 5}, {'n': 7}]}", "" };
	static const struct example elem = { PROJECTION_FIND, "{'v': {'$elemMatch': {'n': {'$gt': 1}}}}",
		                             "{'_id': 1, 'v': [{'n': 1}, {'n': 5}, {'n': 7}], 'a': 1}", "" };
	char *got = run(&first, "{'v.n': {'$gt': 1}}");

	ASSERT_TEXT(got, "{\"v\": [{\"n\": 5}]}");
	free(got);
	got = run(&first, "{'_id': 1}");
	ASSERT_TEXT(got, "51246 positional operator '.$' couldn't find a matching element in the array");
	free(got);
	got = run(&elem, NULL);
	ASSERT_TEXT(got, "{\"_id\": 1, \"v\": [{\"n\": 5}]}");
	free(got);
}

static void test_shown_in_explain(void)
{
	static const struct { enum projection_use use; const char *specification, *stage, *written; } examples[] = {
		{ PROJECTION_FIND, "{'title': 1, 'n': 1}", "PROJECTION_SIMPLE", "{\"p\": {\"title\": 1, \"n\": 1}}" },
		{ PROJECTION_FIND, "{'a.b': 1}", "PROJECTION_DEFAULT", "{\"p\": {\"a.b\": 1}}" },
		{ PROJECTION_PROJECT, "{'size': {'$bsonSize': '$$ROOT'}}", "PROJECTION_DEFAULT",
		  "{\"p\": {\"_id\": true, \"size\": {\"$bsonSize\": [\"$$ROOT\"]}}}" },
		{ PROJECTION_PROJECT, "{'a': 1, '_id': 0}", "PROJECTION_SIMPLE", "{\"p\": {\"a\": true, \"_id\": false}}" },
		{ PROJECTION_PROJECT, "{'a': 0}", "PROJECTION_SIMPLE", "{\"p\": {\"a\": false, \"_id\": true}}" },
		{ PROJECTION_ADD_FIELDS, "{'a': {'b': '$c'}}", "PROJECTION_DEFAULT", "{\"p\": {\"a\": {\"b\": \"$c\"}}}" },
	};

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct bytes bson = BYTES_INIT, text = BYTES_INIT;
		bson_error_t error;
		struct projection *p = projection_compile(harness_json(examples[i].specification), examples[i].use, NULL, &error);
		struct writer w;

		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		ASSERT_TEXT(projection_stage_name(p), examples[i].stage);
		writer_begin(&w, &bson);
		projection_write(p, &w, key_of("p"));
		print_line(&text, writer_finish(&w), PRINT_RELAXED);
		ASSERT_TEXT(bytes_text(&text), examples[i].written);
		bytes_clear(&bson);
		bytes_clear(&text);
		projection_destroy(p);
	}
}

static void collect(void *context, const char *path)
{
	bytes_format(context, "%s ", path);
}

static void check_reads(enum projection_use use, const char *specification, bool known, const char *expected)
{
	struct bytes paths = BYTES_INIT;
	bson_error_t error;
	struct projection *p = projection_compile(harness_json(specification), use, NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(projection_reads(p, collect, &paths), known);
	if (known)
		ASSERT_TEXT(bytes_text(&paths), expected);
	projection_destroy(p);
	bytes_clear(&paths);
}

static void test_reads(void)
{
	check_reads(PROJECTION_PROJECT, "{'a': 1, 'b': '$c.d'}", true, "a c.d _id ");
	check_reads(PROJECTION_PROJECT, "{'a.b': '$c', '_id': 0}", true, "a c ");
	check_reads(PROJECTION_PROJECT, "{'a': '$$ROOT'}", false, "");
	check_reads(PROJECTION_PROJECT, "{'a': 0}", true, "");
	check_reads(PROJECTION_FIND, "{'a.$': 1}", false, "");
}

static void test_constants(void)
{
	bson_error_t error;
	struct projection *p = projection_compile(harness_json("{'a': {'b': {'$bsonSize': 1}}}"), PROJECTION_PROJECT,
	                                          NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_FALSE(projection_check_constants(p, &error));
	CU_ASSERT_EQUAL(error.code, 31393);
	projection_destroy(p);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "inclusion", test_inclusion },
		{ "exclusion", test_exclusion },
		{ "added fields", test_added_fields },
		{ "errors", test_errors },
		{ "positional and $elemMatch", test_positional },
		{ "shown in explain", test_shown_in_explain },
		{ "paths read", test_reads },
		{ "constants", test_constants },
		{ NULL, NULL },
	};

	return harness_run("projections", cases);
}
