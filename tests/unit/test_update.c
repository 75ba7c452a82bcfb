/* Updates: order of fields, arrays, positions, arithmetic, no-ops, conflicts and refusals, upserts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "bson/writer.h"
#include "engine/update.h"
#include "harness/harness.h"

struct attempt {
	bool ok, changed;
	uint32_t code;
	char text[2000]; /* the new document, or the message */
};

static struct value parse_value(const char *json)
{
	char wrapped[2000];

	snprintf(wrapped, sizeof wrapped, "{'v': %s}", json);
	return value_get(harness_json(wrapped), "v");
}

static struct attempt attempt(const char *update, const char *filters, const char *document, const char *query,
                              bool inserting)
{
	struct attempt a = { 0 };
	struct bytes out = BYTES_INIT;
	struct execution x;
	bson_error_t error;
	struct match *m = query ? match_compile(harness_json(query), NULL, &error) : NULL;
	struct update *u = update_compile(parse_value(update), filters ? parse_value(filters) : value_missing(), NULL, &error);

	execution_init(&x, NULL, "test", NULL);
	x.now_millis = 1767225600123;
	a.ok = u && update_apply(u, &x, harness_json(document), m, inserting, &out, &a.changed);
	if (a.ok)
		snprintf(a.text, sizeof a.text, "%s",
		         harness_text((struct value){ out.data, (uint32_t)out.size, BSON_TYPE_DOCUMENT }));
	else
		snprintf(a.text, sizeof a.text, "%s", u ? x.error.message : error.message);
	a.code = a.ok ? 0 : u ? x.error.code : error.code;
	execution_clear(&x);
	update_destroy(u);
	match_destroy(m);
	bytes_clear(&out);
	return a;
}

static void check(const char *update, const char *document, const char *expected)
{
	struct attempt a = attempt(update, NULL, document, NULL, false);

	ASSERT_TEXT(a.text, expected);
	CU_ASSERT(a.ok);
	CU_ASSERT_EQUAL(a.changed, strcmp(harness_text(harness_json(document)), expected) != 0);
}

static void check_error(const char *update, const char *document, uint32_t code, const char *message)
{
	struct attempt a = attempt(update, NULL, document, NULL, false);

	CU_ASSERT_FALSE(a.ok);
	CU_ASSERT_EQUAL(a.code, code);
	ASSERT_TEXT(a.text, message);
}

static void test_order_of_fields(void)
{
	check("{'$set': {'z': 1, 'b': 2, 'a': 3}}", "{'_id': 1, 'b': 0}", "{\"_id\": 1, \"b\": 2, \"a\": 3, \"z\": 1}");
	check("{'$set': {'n.10': 1, 'n.9': 2}}", "{'_id': 1, 'n': {}}", "{\"_id\": 1, \"n\": {\"9\": 2, \"10\": 1}}");
	check("{'$set': {'c': 1}, '$inc': {'a': 1}, '$push': {'b': 1}}", "{'_id': 1}",
	      "{\"_id\": 1, \"a\": 1, \"b\": [1], \"c\": 1}");
	check("{'$set': {'x.y.z': 1, 'x.a': 2}}", "{'_id': 1}", "{\"_id\": 1, \"x\": {\"a\": 2, \"y\": {\"z\": 1}}}");
	check("{'$rename': {'a': 'z.b'}, '$set': {'m': 1}}", "{'a': 5, 'k': 1}", "{\"k\": 1, \"m\": 1, \"z\": {\"b\": 5}}");
	check("{'$rename': {'a': 'k'}}", "{'k': 1, 'a': 5}", "{\"k\": 5}");
	check("{'$rename': {'q': 'k'}}", "{'k': 1}", "{\"k\": 1}");
}

static void test_arrays(void)
{
	check("{'$set': {'a.1': 'x'}}", "{'a': [1, 2, 3]}", "{\"a\": [1, \"x\", 3]}");
	check("{'$set': {'a.4': 'x', 'a.0.b': 2}}", "{'a': [{'b': 1}, 2]}", "{\"a\": [{\"b\": 2}, 2, null, null, \"x\"]}");
	check("{'$unset': {'a.0': 1, 'a.7': 1}}", "{'a': [1, 2]}", "{\"a\": [null, 2]}");
	check("{'$push': {'a': {'$each': [9, 8], '$position': 1}}}", "{'a': [1, 2]}", "{\"a\": [1, 9, 8, 2]}");
	check("{'$push': {'a': {'$each': [9], '$position': -1}}}", "{'a': [1, 2]}", "{\"a\": [1, 9, 2]}");
	check("{'$push': {'a': {'$each': [0], '$slice': -2}}}", "{'a': [1, 2]}", "{\"a\": [2, 0]}");
	check("{'$push': {'a': {'$each': [{'s': 2}], '$sort': {'s': -1}, '$slice': 2}}}", "{'a': [{'s': 1}, {'s': 3}]}",
	      "{\"a\": [{\"s\": 3}, {\"s\": 2}]}");
	check("{'$push': {'a': {'$each': []}}}", "{'_id': 1}", "{\"_id\": 1, \"a\": []}");
	check("{'$push': {'a': {'b': 1}}}", "{'a': []}", "{\"a\": [{\"b\": 1}]}");
	check("{'$addToSet': {'a': {'$each': [2, 3.0, 3, [1]]}}}", "{'a': [1, 2]}", "{\"a\": [1, 2, 3.0, [1]]}");
	check("{'$addToSet': {'a': {'$each': [1, 2, 3, 4, 5, 6, 1]}}}", "{'a': [1, 1, 6]}", "{\"a\": [1, 1, 6, 2, 3, 4, 5]}");
	check("{'$addToSet': {'a': [1]}}", "{'a': [1]}", "{\"a\": [1, [1]]}");
	check("{'$pop': {'a': 1, 'b': -1, 'c': 1}}", "{'a': [1, 2], 'b': [1, 2]}", "{\"a\": [1], \"b\": [2]}");
	check("{'$pull': {'a': {'$gte': 3}}}", "{'a': [1, 3, 5, 'x']}", "{\"a\": [1, \"x\"]}");
	check("{'$pull': {'a': {'b': 1}}}", "{'a': [{'b': 1, 'c': 1}, {'b': 2}, 1]}", "{\"a\": [{\"b\": 2}, 1]}");
	check("{'$pullAll': {'a': [1, 2, 3, 4, 5, 6]}}", "{'a': [6, 7, 1.0]}", "{\"a\": [7]}");
	check("{'$pull': {'a': 1}}", "{'_id': 1}", "{\"_id\": 1}");
}

static void test_positional(void)
{
	struct attempt a;

	a = attempt("{'$set': {'a.$.n': 0}}", NULL, "{'a': [{'k': 1}, {'k': 2}]}", "{'a.k': 2}", false);
	ASSERT_TEXT(a.text, "{\"a\": [{\"k\": 1}, {\"k\": 2, \"n\": 0}]}");
	a = attempt("{'$set': {'a.$': 0}}", NULL, "{'a': [1]}", "{}", false);
	CU_ASSERT_EQUAL(a.code, 2);
	ASSERT_TEXT(a.text, "The positional operator did not find the match needed from the query.");
	a = attempt("{'$inc': {'a.$[].n': 1}}", NULL, "{'a': [{'n': 1}, {}]}", NULL, false);
	ASSERT_TEXT(a.text, "{\"a\": [{\"n\": 2}, {\"n\": 1}]}");
	a = attempt("{'$set': {'a.$[low].x': 1}}", "[{'low.n': {'$lt': 2}}]", "{'a': [{'n': 1}, {'n': 2}, 7]}", NULL, false);
	ASSERT_TEXT(a.text, "{\"a\": [{\"n\": 1, \"x\": 1}, {\"n\": 2}, 7]}");
	a = attempt("{'$set': {'a.$[x].p': 1, 'a.$[y].q': 2}}", "[{'x.n': 1}, {'y.n': {'$gt': 0}}]",
	            "{'a': [{'n': 1}, {'n': 2}]}",
	            NULL, false);
	ASSERT_TEXT(a.text, "{\"a\": [{\"n\": 1, \"p\": 1, \"q\": 2}, {\"n\": 2, \"q\": 2}]}");
	a = attempt("{'$set': {'a.$[x]': 1, 'a.$[y]': 2}}", "[{'x': 1}, {'y': 1}]", "{'a': [1]}", NULL, false);
	CU_ASSERT_EQUAL(a.code, 40);
	ASSERT_TEXT(a.text, "Update created a conflict at 'a.0'");
	a = attempt("{'$set': {'a': 1}}", "[{'x': 1}]", "{}", NULL, false);
	CU_ASSERT_EQUAL(a.code, 9);
	ASSERT_TEXT(a.text, "The array filter for identifier 'x' was not used in the update { $set: { a: 1 } }");
	check_error("{'$set': {'a.$[x]': 1}}", "{'a': [1]}", 2, "No array filter found for identifier 'x' in path 'a.$[x]'");
	check_error("{'$set': {'a.$[]': 1}}", "{'_id': 1}", 2,
	            "The path 'a' must exist in the document in order to apply array updates.");
	check_error("{'$set': {'a.$[]': 1}}", "{'a': 5}", 2, "Cannot apply array updates to non-array element a: 5");
}

static void test_arithmetic(void)
{
	check("{'$inc': {'a': 1}}", "{'a': 2147483647}", "{\"a\": 2147483648}");
	check("{'$inc': {'a': 0}}", "{'a': 5}", "{\"a\": 5}");
	check("{'$mul': {'a': 2}}", "{'_id': 1}", "{\"_id\": 1, \"a\": 0}");
	check("{'$mul': {'a': 1.5}}", "{'a': 3}", "{\"a\": 4.5}");
	check("{'$inc': {'a': {'$numberDecimal': '0.1'}}}", "{'a': 1}", "{\"a\": {\"$numberDecimal\": \"1.1\"}}");
	check("{'$min': {'a': 'x'}}", "{'a': 5}", "{\"a\": 5}");
	check("{'$max': {'a': 'x'}}", "{'a': 5}", "{\"a\": \"x\"}");
	check("{'$bit': {'a': {'or': 8, 'and': 12}}}", "{'a': 5}", "{\"a\": 12}");
	check("{'$currentDate': {'a': true, 'b': {'$type': 'timestamp'}}}", "{'_id': 1}",
	      "{\"_id\": 1, \"a\": {\"$date\": \"2026-01-01T00:00:00.123Z\"}, "
	      "\"b\": {\"$timestamp\": {\"t\": 1767225600, \"i\": 1}}}");
	check_error("{'$inc': {'a': 1}}", "{'_id': 1, 'a': 'x'}", 14,
	            "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string");
	check_error("{'$inc': {'a': 'x'}}", "{}", 14, "Cannot increment with non-numeric argument: {a: \"x\"}");
	check_error("{'$inc': {'a': 1}}", "{'_id': 1, 'a': {'$numberLong': '9223372036854775807'}}", 2,
	            "Failed to apply $inc operations to current value ((NumberLong)9223372036854775807) for document "
	            "{_id: 1}");
}

/* The same bytes are no change; the type of a number is a change; NaN is never the same. */
static void test_no_ops(void)
{
	CU_ASSERT_FALSE(attempt("{'$set': {'a.b': 1}, '$unset': {'z': 1}}", NULL, "{'a': {'b': 1}}", NULL, false).changed);
	CU_ASSERT(attempt("{'$set': {'a': 1.0}}", NULL, "{'a': 1}", NULL, false).changed);
	CU_ASSERT(attempt("{'$inc': {'a': 1}}", NULL, "{'a': {'$numberDouble': 'NaN'}}", NULL, false).changed);
	CU_ASSERT_FALSE(attempt("{'$mul': {'a': 0.0}}", NULL, "{'a': -0.0}", NULL, false).changed);
	CU_ASSERT_FALSE(attempt("{'a': 1}", NULL, "{'_id': 7, 'a': 1}", NULL, false).changed);
	CU_ASSERT_FALSE(attempt("{'$setOnInsert': {'a.b.c': 1}}", NULL, "{'_id': 7, 'a': 1}", NULL, false).changed);
	CU_ASSERT_FALSE(attempt("{'$set': {}}", NULL, "{'_id': 7}", NULL, false).changed);
}

static void test_refusals(void)
{
	check_error("{'$nope': {'a': 1}}", "{}", 9,
	            "Unknown modifier: $nope. Expected a valid update modifier or pipeline-style update specified as "
	            "an array");
	check_error("{'$set': {'a': 1}, 'b': 2}", "{}", 9,
	            "Unknown modifier: b. Expected a valid update modifier or pipeline-style update specified as "
	            "an array");
	check_error("{'$set': 5}", "{}", 9, "Modifiers operate on fields but we found type int instead. For example: "
	            "{$mod: {<field>: ...}} not {$set: 5}");
	check_error("{'$set': {'a': 1}, '$inc': {'a': 1}}", "{}", 40, "Updating the path 'a' would create a conflict at 'a'");
	check_error("{'$set': {'a.b': 1, 'a.b.c': 1}}", "{}", 40,
	            "Updating the path 'a.b.c' would create a conflict at 'a.b'");
	check_error("{'$set': {'a.b.c': 1}, '$inc': {'a.b': 1}}", "{}", 40,
	            "Updating the path 'a.b' would create a conflict at 'a.b'");
	check_error("{'$set': {'_id': 2}}", "{'_id': 1}", 66,
	            "Performing an update on the path '_id' would modify the immutable field '_id'");
	check_error("{'_id': 2, 'a': 1}", "{'_id': 1}", 66,
	            "After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2");
	check_error("{'$set': {'a.b': 1}}", "{'a': 5}", 28, "Cannot create field 'b' in element {a: 5}");
	check_error("{'$set': {'a.b': 1}}", "{'a': [1]}", 28, "Cannot create field 'b' in element {a: [ 1 ]}");
	check_error("{'$pop': {'a.b': 1}}", "{'a': 5}", 28,
	            "Cannot use the part (b) of (a.b) to traverse the element ({a: 5})");
	check_error("{'$push': {'a': 1}}", "{'_id': 1, 'a': 5}", 2,
	            "The field 'a' must be an array but is of type int in document {_id: 1}");
	check_error("{'$set': {'': 1}}", "{}", 56, "An empty update path is not valid.");
	check_error("{'$set': {'a.': 1}}", "{}", 56,
	            "The update path 'a.' contains an empty field name, which is not allowed.");
	check_error("{'$set': {'$a': 1}}", "{}", 52, "The dollar ($) prefixed field '$a' in '$a' is not valid for storage.");
	check_error("{'$rename': {'a': 'a.b'}}", "{}", 2,
	            "The source and target field for $rename must not be on the same path: a: \"a.b\"");
	check_error("{'$rename': {'a.0': 'b'}}", "{'_id': 1, 'a': [1]}", 2,
	            "The source field cannot be an array element, 'a.0' in doc with _id: 1 has an array field called 'a'");
	check_error("{'$set': {'a.2000000': 1}}", "{'a': []}", 155, "can't backfill more than 1500000 elements");
	check_error("{'$pull': {'a': {'$expr': true}}}", "{}", 224, "$expr is not allowed in this context");
	check("{'$unset': {'a.b': 1}}", "{'a': 5}", "{\"a\": 5}");
}

static void check_upsert(const char *query, const char *update, const char *expected)
{
	struct match *m = match_compile(harness_json(query), NULL, NULL);
	struct bytes base = BYTES_INIT, out = BYTES_INIT;
	struct update *u = update_compile(parse_value(update), value_missing(), NULL, NULL);
	struct execution x;
	bool changed;

	execution_init(&x, NULL, "test", NULL);
	match_canonicalize(&m);
	CU_ASSERT(update_upsert_base(m, &base, NULL));
	CU_ASSERT(update_apply(u, &x, (struct value){ base.data, (uint32_t)base.size, BSON_TYPE_DOCUMENT }, m, true, &out,
	                       &changed));
	ASSERT_TEXT(harness_text((struct value){ out.data, (uint32_t)out.size, BSON_TYPE_DOCUMENT }), expected);
	execution_clear(&x);
	update_destroy(u);
	match_destroy(m);
	bytes_clear(&base);
	bytes_clear(&out);
}

static void test_upserts(void)
{
	struct match *m = match_compile(harness_json("{'a': 1, 'a.b': 2}"), NULL, NULL);
	struct bytes base = BYTES_INIT;
	struct value made;
	bson_error_t error;

	check_upsert("{'b.d': 1, '_id': 5, 'c': {'$gt': 3}, 'b.c': 2}", "{'$set': {'z': 1}, '$setOnInsert': {'y': 2}}",
	             "{\"_id\": 5, \"b\": {\"c\": 2, \"d\": 1}, \"y\": 2, \"z\": 1}");
	check_upsert("{'a': 1}", "{'$set': {'_id': 9}}", "{\"_id\": 9, \"a\": 1}");
	check_upsert("{'_id': 3, 'a': 1}", "{'b': 1}", "{\"_id\": 3, \"b\": 1}");
	CU_ASSERT_FALSE(update_upsert_base(m, &base, &error));
	CU_ASSERT_EQUAL(error.code, 54);
	match_destroy(m);
	m = match_compile(harness_json("{}"), NULL, NULL);
	CU_ASSERT(update_upsert_base(m, &base, NULL));
	CU_ASSERT_EQUAL(base.size, 5);
	match_destroy(m);
	bytes_clear(&base);
	made = harness_json(attempt("{'$set': {'a': 1}}", NULL, "{}", NULL, true).text);
	CU_ASSERT_EQUAL(value_get(made, "_id").type, BSON_TYPE_OID);
	CU_ASSERT_EQUAL(value_count(made), 2);
}

/*
 * Ten thousand more elements on a large array: the old bytes are taken over as they lie, the new keys go on
 * counting.
 */
static void test_large_array(void)
{
	struct bytes big = BYTES_INIT, pushed = BYTES_INIT, out = BYTES_INIT;
	struct value element = harness_json("{'text': 'something that is long enough to count'}"), document, change, array;
	struct writer w;
	struct update *u;
	struct execution x;
	bool changed;
	char text[16];

	writer_begin(&w, &big);
	writer_begin_array(&w, key_of("a"));
	for (int i = 0; i < 100000; i++)
		writer_value(&w, key_of(""), element);
	writer_end(&w);
	document = writer_finish(&w);
	writer_begin(&w, &pushed);
	writer_begin_document(&w, key_of("$push"));
	writer_begin_document(&w, key_of("a"));
	writer_begin_array(&w, key_of("$each"));
	for (int i = 0; i < 10000; i++)
		writer_value(&w, key_of(""), element);
	writer_end(&w);
	writer_end(&w);
	writer_end(&w);
	change = writer_finish(&w);
	u = update_compile(change, value_missing(), NULL, NULL);
	execution_init(&x, NULL, "test", NULL);
	CU_ASSERT(update_apply(u, &x, document, NULL, false, &out, &changed));
	array = value_get((struct value){ out.data, (uint32_t)out.size, BSON_TYPE_DOCUMENT }, "a");
	CU_ASSERT_EQUAL(value_count(array), 110000);
	for (int i = 99999; i < 110000; i += 5000) {
		snprintf(text, sizeof text, "%d", i);
		CU_ASSERT_EQUAL(value_get(array, text).size_bytes, element.size_bytes);
	}
	execution_clear(&x);
	update_destroy(u);
	bytes_clear(&big);
	bytes_clear(&pushed);
	bytes_clear(&out);
}

/* Many equal values are one slot of the set that $addToSet looks in. */
static void test_equal_elements(void)
{
	struct bytes big = BYTES_INIT, out = BYTES_INIT;
	struct value element = harness_json("{'a': 1}"), document;
	struct writer w;
	struct update *u = update_compile(harness_json("{'$addToSet': {'a': {'$each': [1, 2, 3, 4, 5, {'a': 1}]}}}"),
	                                  value_missing(), NULL,
	                                  NULL);
	struct execution x;
	bool changed;

	writer_begin(&w, &big);
	writer_begin_array(&w, key_of("a"));
	for (int i = 0; i < 50000; i++)
		writer_value(&w, key_of(""), element);
	writer_end(&w);
	document = writer_finish(&w);
	execution_init(&x, NULL, "test", NULL);
	CU_ASSERT(update_apply(u, &x, document, NULL, false, &out, &changed));
	CU_ASSERT_EQUAL(value_count(value_get((struct value){ out.data, (uint32_t)out.size, BSON_TYPE_DOCUMENT }, "a")),
	                50005);
	execution_clear(&x);
	update_destroy(u);
	bytes_clear(&big);
	bytes_clear(&out);
}

static void test_pipelines(void)
{
	check("[{'$set': {'a': {'$add': ['$b', 1]}}}, {'$unset': 'b'}]", "{'_id': 1, 'b': 2}", "{\"_id\": 1, \"a\": 3}");
	check("[{'$set': {'a': 1}}]", "{'_id': 1, 'a': 1}", "{\"_id\": 1, \"a\": 1}");
	check_error("[{'$set': {'_id': 2}}]", "{'_id': 1}", 66,
	            "After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2");
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "order of fields", test_order_of_fields },
		{ "arrays", test_arrays },
		{ "positional", test_positional },
		{ "arithmetic", test_arithmetic },
		{ "no-ops", test_no_ops },
		{ "refusals", test_refusals },
		{ "upserts", test_upserts },
		{ "large array", test_large_array },
		{ "equal elements", test_equal_elements },
		{ "pipelines", test_pipelines },
		{ NULL, NULL },
	};

	return harness_run("update", cases);
}
