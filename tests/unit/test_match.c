/* Predicates: paths through arrays, type bracketing, null and missing, numbers, errors, canonical form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "engine/match.h"
#include "harness/harness.h"

static struct match *compile(const char *filter)
{
	bson_error_t error;
	struct match *m = match_compile(harness_json(filter), NULL, &error);

	if (!m)
		fprintf(stderr, "%s: %s\n", filter, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

struct expectation {
	const char *filter, *document;
	bool matches;
};

/* As parsed, in canonical form, and alone under $nor: three ways to the same answer. */
static void check(const struct expectation *e)
{
	struct execution x;
	struct match *m = compile(e->filter), *nor;
	struct value document = harness_json(e->document);
	char negated[1000];
	bool parsed, canonical, opposite;

	execution_init(&x, NULL, "test", NULL);
	parsed = match_test(m, &x, document);
	match_canonicalize(&m);
	canonical = match_test(m, &x, document);
	snprintf(negated, sizeof negated, "{'$nor': [%s]}", e->filter);
	nor = compile(negated);
	opposite = match_test(nor, &x, document);
	if (parsed != e->matches || canonical != e->matches || opposite == e->matches)
		fprintf(stderr, "%s on %s: %d %d %d\n", e->filter, e->document, parsed, canonical, opposite);
	CU_ASSERT_EQUAL(parsed, e->matches);
	CU_ASSERT_EQUAL(canonical, e->matches);
	CU_ASSERT_NOT_EQUAL(opposite, e->matches);
	match_destroy(m);
	match_destroy(nor);
	execution_clear(&x);
}

static void check_all(const struct expectation *list)
{
	for (; list->filter; list++)
		check(list);
}

static void test_paths(void)
{
	static const struct expectation list[] = {
		{ "{'copies.branch': 'north'}", "{'copies': [{'branch': 'south'}, {'branch': 'north'}]}", true },
		{ "{'copies.branch': 'north'}", "{'copies': ['north']}", false },
		{ "{'copies.1.branch': 'north'}", "{'copies': [{'branch': 'south'}, {'branch': 'north'}]}", true },
		{ "{'copies.0.branch': 'north'}", "{'copies': [{'branch': 'south'}, {'branch': 'north'}]}", false },
		{ "{'copies.0': 'x'}", "{'copies': {'0': 'x'}}", true },
		{ "{'copies.0': 'x'}", "{'copies': [{'0': 'x'}]}", true },
		{ "{'copies.0': 'x'}", "{'copies': [['x']]}", false },
		{ "{'copies.00': 'x'}", "{'copies': ['x']}", false },
		{ "{'a.b.c': 7}", "{'a': [{'b': [{'c': 6}]}, {'b': {'c': [7]}}]}", true },
		{ "{'a.0.b': 3}", "{'a': [[{'b': 3}]]}", true },
		{ "{'a.b': 3}", "{'a': [[{'b': 3}]]}", false },
		{ "{'a': 1, 'b': 2}", "{'b': 2, 'c': 0, 'a': 1}", true },
		{ "{'a': 1, 'b': 2, '$or': [{'c': 3}, {'c': 4}]}", "{'b': 2, 'c': 4, 'a': 1}", true },
		{ "{'a': 1, 'a.b': null}", "{'a': 1}", true },
		{ "{'a_name_beyond_8': 1, 'a_name_beyond_9': 2}", "{'a_name_beyond_9': 2, 'a_name_beyond_8': 1}", true },
		{ "{'a_name_beyond_8': 1, 'a_name_beyond_9': 2}", "{'a_name_b': 1, 'a_name_beyond_9': 2}", false },
		{ "{'': 1, 'b': 1}", "{'': 1, 'b': 1}", true },
		{ "{'a': {'$gt': 3}, 'b': null}", "{'a': [1, 5]}", true },
		{ NULL, NULL, false },
	};

	check_all(list);
}

static void test_null_and_missing(void)
{
	static const struct expectation list[] = {
		{ "{'a': null}", "{'b': 1}", true },
		{ "{'a': null}", "{'a': null}", true },
		{ "{'a': null}", "{'a': [1, null]}", true },
		{ "{'a': null}", "{'a': []}", false },
		{ "{'a': null}", "{'a': 0}", false },
		{ "{'a': null}", "{'a': {'$undefined': true}}", false },
		{ "{'a.b': null}", "{'a': 5}", true },
		{ "{'a.b': null}", "{'a': []}", false },
		{ "{'a.b': null}", "{'a': [5]}", false },
		{ "{'a.b': null}", "{'a': [5, {'c': 1}]}", true },
		{ "{'a': {'$in': [null, 7]}}", "{}", true },
		{ "{'a': {'$ne': null}}", "{}", false },
		{ "{'a': {'$lte': null}}", "{}", true },
		{ "{'a': {'$lt': null}}", "{}", false },
		{ "{'a': {'$exists': true}}", "{'a': null}", true },
		{ "{'a': {'$exists': 0}}", "{'a': null}", false },
		{ "{'a.b': {'$exists': false}}", "{'a': [1, 2]}", true },
		{ NULL, NULL, false },
	};

	check_all(list);
}

static void test_types_and_numbers(void)
{
	static const struct expectation list[] = {
		{ "{'a': {'$gt': 5}}", "{'a': '9'}", false },
		{ "{'a': {'$lt': 'z'}}", "{'a': 3}", false },
		{ "{'a': {'$lt': {'$maxKey': 1}}}", "{'a': 'anything'}", true },
		{ "{'a': {'$gt': {'$minKey': 1}}}", "{}", true },
		{ "{'a': 2}", "{'a': {'$numberLong': '2'}}", true },
		{ "{'a': 2}", "{'a': {'$numberDecimal': '2.00'}}", true },
		{ "{'a': 0.1}", "{'a': {'$numberDecimal': '0.1'}}", false },
		{ "{'a': {'$numberLong': '9007199254740993'}}", "{'a': 9007199254740992.0}", false },
		{ "{'a': {'$numberDouble': 'NaN'}}", "{'a': {'$numberDecimal': 'NaN'}}", true },
		{ "{'a': {'$lt': 5}}", "{'a': {'$numberDouble': 'NaN'}}", false },
		{ "{'a': {'$gte': {'$numberDouble': 'NaN'}}}", "{'a': {'$numberDouble': 'NaN'}}", true },
		{ "{'a': {'$gte': {'$numberDouble': 'NaN'}}}", "{'a': 5}", false },
		{ "{'a': {'x': 1, 'y': 2}}", "{'a': {'y': 2, 'x': 1}}", false },
		{ "{'a': {'x': 1}}", "{'a': {'x': 1.0}}", true },
		{ "{'a': [1, 2]}", "{'a': [1, 2]}", true },
		{ "{'a': [1, 2]}", "{'a': [[1, 2], 3]}", true },
		{ "{'a': [1, 2]}", "{'a': [2, 1]}", false },
		{ "{'a': {'$gt': [1, 5]}}", "{'a': [2]}", true },
		{ "{'a': {'$type': 'number'}}", "{'a': ['x', 1]}", true },
		{ "{'a': {'$type': 'array'}}", "{'a': []}", true },
		{ "{'a': {'$type': ['string', 8]}}", "{'a': true}", true },
		{ "{'a': {'$type': -1}}", "{'a': {'$minKey': 1}}", true },
		{ "{'a': {'$mod': [4, 3]}}", "{'a': -1}", false },
		{ "{'a': {'$mod': [4, -1]}}", "{'a': -1}", true },
		{ "{'a': {'$mod': [4, 3]}}", "{'a': 7.9}", true },
		{ "{'a': {'$mod': [4, 0]}}", "{'a': {'$numberDouble': 'Infinity'}}", false },
		{ "{'a': {'$mod': [-1, 0]}}", "{'a': {'$numberLong': '-9223372036854775808'}}", true },
		{ "{'a': {'$bitsAllSet': 5}}", "{'a': 7}", true },
		{ "{'a': {'$bitsAnyClear': [70]}}", "{'a': -1}", false },
		{ "{'a': {'$bitsAllSet': [1]}}", "{'a': 2.5}", false },
		{ "{'a': {'$bitsAllClear': [9]}}", "{'a': {'$binary': {'base64': 'AQ==', 'subType': '00'}}}", true },
		{ NULL, NULL, false },
	};

	check_all(list);
}

static void test_arrays(void)
{
	static const struct expectation list[] = {
		{ "{'a': {'$elemMatch': {'b': 1, 'c': 2}}}", "{'a': [{'b': 1, 'c': 3}, {'b': 2, 'c': 2}]}", false },
		{ "{'a.b': 1, 'a.c': 2}", "{'a': [{'b': 1, 'c': 3}, {'b': 2, 'c': 2}]}", true },
		{ "{'a': {'$elemMatch': {'$gt': 1, '$lt': 3}}}", "{'a': [0, 5]}", false },
		{ "{'a': {'$gt': 1, '$lt': 3}}", "{'a': [0, 5]}", true },
		{ "{'a': {'$elemMatch': {'$not': {'$gt': 1}}}}", "{'a': [4, 0]}", true },
		{ "{'a': {'$elemMatch': {'0': 9}}}", "{'a': [[9]]}", true },
		{ "{'a': {'$elemMatch': {'$eq': 9}}}", "{'a': [[9]]}", false },
		{ "{'a': {'$elemMatch': {'b': 1}}}", "{'a': {'b': 1}}", false },
		{ "{'a': {'$elemMatch': {'$or': [{'b': 1}, {'b': 2}]}}}", "{'a': [{'b': 2}]}", true },
		{ "{'a': {'$all': [1, 2]}}", "{'a': [2, 3, 1]}", true },
		{ "{'a': {'$all': [[1, 2]]}}", "{'a': [1, 2]}", true },
		{ "{'a': {'$all': []}}", "{'a': []}", false },
		{ "{'a': {'$all': [{'$elemMatch': {'b': 1}}, {'$elemMatch': {'b': 2}}]}}", "{'a': [{'b': 2}, {'b': 1}]}", true },
		{ "{'a': {'$size': 2}}", "{'a': [[1, 2]]}", false },
		{ "{'a.0': {'$size': 2}}", "{'a': [[1, 2]]}", true },
		{ "{'a': {'$nin': [1, 2]}}", "{'a': [3, 2]}", false },
		{ "{'a': {'$in': [{'$regularExpression': {'pattern': '^ab', 'options': 'i'}}, 5]}}", "{'a': 'ABC'}", true },
		{ "{'a': {'$regex': 'B.c', '$options': 'is'}}", "{'a': ['x', 'ab\\nc']}", true },
		{ "{'a': {'$not': {'$regularExpression': {'pattern': '^a', 'options': ''}}}}", "{'a': 5}", true },
		{ "{'a': {'$in': []}}", "{}", false },
		{ NULL, NULL, false },
	};

	check_all(list);
}

static void test_long_lists(void)
{
	struct bytes text = BYTES_INIT;
	struct execution x;
	struct match *m;

	bytes_append_text(&text, "{'a': {'$in': [");
	for (int i = 2000; i > 0; i--)
		bytes_format(&text, "%d, '%d', ", i * 3, i * 3);
	bytes_append_text(&text, "null]}}");
	m = compile(bytes_text(&text));
	bytes_clear(&text);
	execution_init(&x, NULL, "test", NULL);
	CU_ASSERT(match_test(m, &x, harness_json("{'a': 2997}")));
	CU_ASSERT(match_test(m, &x, harness_json("{'a': '2997'}")));
	CU_ASSERT(match_test(m, &x, harness_json("{'a': [1, 3.0]}")));
	CU_ASSERT(match_test(m, &x, harness_json("{}")));
	CU_ASSERT_FALSE(match_test(m, &x, harness_json("{'a': 2998}")));
	CU_ASSERT_FALSE(match_test(m, &x, harness_json("{'a': '2998'}")));
	execution_clear(&x);
	match_destroy(m);
}

static void check_position(const char *filter, const char *document, int64_t expected)
{
	struct match *m = compile(filter);
	struct execution x;
	int64_t position;

	execution_init(&x, NULL, "test", NULL);
	CU_ASSERT(match_test_position(m, &x, harness_json(document), &position));
	if (position != expected)
		fprintf(stderr, "%s on %s: position %lld\n", filter, document, (long long)position);
	CU_ASSERT_EQUAL(position, expected);
	execution_clear(&x);
	match_destroy(m);
}

static void test_positions(void)
{
	check_position("{'a': 7}", "{'a': [5, 7, 7]}", 1);
	check_position("{'a': 7}", "{'a': 7}", -1);
	check_position("{'a.b': 7}", "{'a': [{'b': 1}, {'b': [0, 0, 7]}]}", 1);
	check_position("{'a.1.b': 7}", "{'a': [{'b': 1}, {'b': [0, 0, 7]}]}", 2);
	check_position("{'a': {'$elemMatch': {'b': 7}}}", "{'a': [{'b': 1}, {'c': 7}, {'b': 7}]}", 2);
	check_position("{'a': {'$ne': 7}}", "{'a': [1]}", -1);
	/* as MongoDB: alternatives tell no position */
	check_position("{'$or': [{'a': 1}, {'c': 3}]}", "{'a': [2], 'c': [0, 3]}", -1);
}

static void check_error(const char *filter, uint32_t code, const char *message)
{
	bson_error_t error = { 0 };
	struct match *m = match_compile(harness_json(filter), NULL, &error);

	CU_ASSERT_PTR_NULL(m);
	CU_ASSERT_EQUAL(error.code, code);
	CU_ASSERT_EQUAL(error.domain, ERROR_SERVER);
	ASSERT_TEXT(error.message, message);
	match_destroy(m);
}

static void test_errors(void)
{
	check_error("{'a': {'$nope': 1}}", 2, "unknown operator: $nope");
	check_error("{'$nope': 1}", 2, "unknown top level operator: $nope. If you have a field name that starts with a '$' "
	            "symbol, consider using $getField or $setField.");
	check_error("{'a': {'$gt': 1, 'b': 2}}", 2, "unknown operator: b");
	check_error("{'a': {'$in': 1}}", 2, "$in needs an array");
	check_error("{'a': {'$size': 'x'}}", 2, "Failed to parse $size. Expected a number in: $size: \"x\"");
	check_error("{'a': {'$size': -1}}", 2, "Failed to parse $size. Expected a non-negative number in: $size: -1");
	check_error("{'a': {'$not': {}}}", 2, "$not cannot be empty");
	check_error("{'a': {'$mod': [0, 1]}}", 2, "divisor cannot be 0");
	check_error("{'a': {'$type': 'text'}}", 2, "Unknown type name alias: text");
	check_error("{'a': {'$type': []}}", 9, "a must match at least one type");
	check_error("{'a': {'$regex': '('}}", 51091, "Regular expression is invalid: missing closing parenthesis");
	check_error("{'a': {'$regex': 'a', '$options': 'g'}}", 51108, "invalid flag in regex options: g");
	check_error("{'a': {'$options': 'i'}}", 2, "$options needs a $regex");
	check_error("{'$and': []}", 2, "$and/$or/$nor must be a nonempty array");
	check_error("{'$or': [1]}", 2, "$or/$and/$nor entries need to be full objects");
	check_error("{'a': {'$elemMatch': {'$expr': 1}}}", 2, "$expr can only be applied to the top-level document");
	check_error("{'a': {'$near': [0, 0]}}", 2, "$near is not supported by this engine");
	check_error("{'$where': '1'}", 2, "$where is not supported by this engine");
	check_error("{'$text': {'$search': 'x'}}", 2, "$text is not supported by this engine");
	check_error("{'$jsonSchema': {'nope': 1}}", 9, "Unknown $jsonSchema keyword: nope");
	check_error("{'$jsonSchema': {'format': 'x'}}", 9, "$jsonSchema keyword 'format' is not currently supported");
	check_error("{'$jsonSchema': {'required': []}}", 9, "$jsonSchema keyword 'required' cannot be an empty array");
	check_error("{'$jsonSchema': {'properties': {'a': {'pattern': '('}}}}", 51091,
	            "Regular expression is invalid: missing closing parenthesis");
	check_error("{'$jsonSchema': {'properties': {'a': {'multipleOf': {'$numberDouble': 'NaN'}}}}}", 2,
	            "divisor cannot be NaN");
	check_error("{'$jsonSchema': {'items': {'multipleOf': {'$numberDecimal': 'Infinity'}}}}", 2, "divisor cannot be infinite");
	check_error("{'$jsonSchema': {'multipleOf': {'$numberDouble': '-0.0'}}}", 9,
	            "$jsonSchema keyword 'multipleOf' must have a positive value");
	check_error("{'$jsonSchema': {'properties': {'a.b': {}}}}", 238,
	            "dotted property name 'a.b' in $jsonSchema is not supported by this engine");
}

static void test_depth(void)
{
	struct bytes text = BYTES_INIT;
	bson_error_t error;
	struct match *m;

	for (int i = 0; i < 120; i++)
		bytes_append_text(&text, "{'$and': [");
	bytes_append_text(&text, "{'a': 1}");
	for (int i = 0; i < 120; i++)
		bytes_append_text(&text, "]}");
	m = match_compile(harness_json(bytes_text(&text)), NULL, &error);
	CU_ASSERT_PTR_NULL(m);
	CU_ASSERT_EQUAL(error.code, 2);
	match_destroy(m);
	bytes_clear(&text);
}

/* A pattern that backtracks without end stops at the step limit, and the command fails. */
static void test_slow_regex(void)
{
	struct match *m = compile("{'a': {'$regex': '^(a+)+$'}}");
	struct execution x;

	execution_init(&x, NULL, "test", NULL);
	CU_ASSERT_FALSE(match_test(m, &x, harness_json("{'a': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'}")));
	CU_ASSERT(x.failed);
	CU_ASSERT_EQUAL(x.error.code, 51156);
	execution_clear(&x);
	match_destroy(m);
}

static void check_form(const char *filter, const char *expected)
{
	struct match *m = compile(filter);
	struct bytes out = BYTES_INIT;
	struct writer w;
	struct value v;

	match_canonicalize(&m);
	writer_begin(&w, &out);
	match_write(m, &w, key_of("q"));
	v = value_get(writer_finish(&w), "q");
	ASSERT_TEXT(harness_text(v), expected);
	bytes_clear(&out);
	match_destroy(m);
}

static void test_canonical_form(void)
{
	check_form("{}", "{}");
	check_form("{'bookId': 26}", "{\"bookId\": {\"$eq\": 26}}");
	check_form("{'sube': 'Kadikoy', 'durum': 'onarimda'}",
	           "{\"$and\": [{\"durum\": {\"$eq\": \"onarimda\"}}, {\"sube\": {\"$eq\": \"Kadikoy\"}}]}");
	check_form("{'a': {'$gte': 1, '$lte': 5}}", "{\"$and\": [{\"a\": {\"$lte\": 5}}, {\"a\": {\"$gte\": 1}}]}");
	check_form("{'items': {'$elemMatch': {'quantity': 1, 'bookId': 47}}}",
	           "{\"items\": {\"$elemMatch\": {\"$and\": [{\"bookId\": {\"$eq\": 47}}, {\"quantity\": {\"$eq\": 1}}]}}}");
	check_form("{'a': {'$elemMatch': {'$gt': 1, '$ne': 3}}}",
	           "{\"a\": {\"$elemMatch\": {\"$gt\": 1, \"$not\": {\"$eq\": 3}}}}");
	check_form("{'a': {'$ne': 1}}", "{\"a\": {\"$not\": {\"$eq\": 1}}}");
	check_form("{'a': {'$exists': false}}", "{\"a\": {\"$not\": {\"$exists\": true}}}");
	check_form("{'a': {'$in': [3, 1, 2, 1]}}", "{\"a\": {\"$in\": [1, 2, 3]}}");
	check_form("{'a': {'$in': [3]}}", "{\"a\": {\"$eq\": 3}}");
	check_form("{'a': {'$in': []}}", "{\"$alwaysFalse\": 1}");
	check_form("{'$or': [{'a': 2}, {'a': 1}]}", "{\"a\": {\"$in\": [1, 2]}}");
	check_form("{'$or': [{'rating': 1}, {'bookId': 26}]}",
	           "{\"$or\": [{\"bookId\": {\"$eq\": 26}}, {\"rating\": {\"$eq\": 1}}]}");
	check_form("{'$and': [{'$and': [{'b': 1}, {'a': 1}]}]}", "{\"$and\": [{\"a\": {\"$eq\": 1}}, {\"b\": {\"$eq\": 1}}]}");
	check_form("{'title': {'$regex': 'dune', '$options': 'i'}}",
	           "{\"title\": {\"$regex\": \"dune\", \"$options\": \"i\"}}");
	check_form("{'$nor': [{'a': 1}]}", "{\"$nor\": [{\"a\": {\"$eq\": 1}}]}");
	check_form("{'a': {'$not': {'$gt': 1, '$lt': 0}}}",
	           "{\"$nor\": [{\"$and\": [{\"a\": {\"$lt\": 0}}, {\"a\": {\"$gt\": 1}}]}]}");
	check_form("{'a': {'$type': ['string', 'number']}}", "{\"a\": {\"$type\": [\"number\", 2]}}");
	check_form("{'a': {'$size': 2}, 'b': {'$bitsAllSet': 6}}",
	           "{\"$and\": [{\"a\": {\"$size\": 2}}, {\"b\": {\"$bitsAllSet\": [1, 2]}}]}");
}

static void test_schema(void)
{
	static const struct expectation list[] = {
		{ "{'$jsonSchema': {'required': ['a'], 'properties': {'a': {'bsonType': 'int', 'minimum': 1, 'maximum': 5}}}}",
		  "{'a': 5}", true },
		{ "{'$jsonSchema': {'properties': {'a': {'maximum': 5, 'exclusiveMaximum': true}}}}", "{'a': 5}", false },
		{ "{'$jsonSchema': {'properties': {'a': {'maximum': 5}}}}", "{'a': 'text'}", true },
		{ "{'$jsonSchema': {'properties': {'a': {'bsonType': 'int'}}}}", "{'a': 6.0}", false },
		{ "{'$jsonSchema': {'properties': {'a': {'type': 'number'}}}}", "{'a': 6.0}", true },
		{ "{'$jsonSchema': {'properties': {'a': {'maxLength': 2}}}}", "{'a': 'öü'}", true },
		{ "{'$jsonSchema': {'properties': {'a': {'uniqueItems': true}}}}", "{'a': [{'x': 1, 'y': 2}, {'y': 2, 'x': 1}]}",
		  false },
		{ "{'$jsonSchema': {'properties': {'a': {'enum': [{'x': 1, 'y': 2}]}}}}", "{'a': {'y': 2, 'x': 1}}", true },
		{ "{'$jsonSchema': {'properties': {'a': {'items': [{'bsonType': 'int'}], 'additionalItems': false}}}}",
		  "{'a': [1, 2]}",
		  false },
		{ "{'$jsonSchema': {'patternProperties': {'^n': {'bsonType': 'int'}}, "
		  "'additionalProperties': {'bsonType': 'string'}}}",
		  "{'n1': 1, 'x': 'text'}", true },
		{ "{'$jsonSchema': {'patternProperties': {'^n': {'bsonType': 'int'}}, 'additionalProperties': false}}",
		  "{'n1': 1, 'x': 'text'}", false },
		{ "{'$jsonSchema': {'dependencies': {'a': ['b']}}}", "{'a': 1}", false },
		{ "{'$jsonSchema': {'oneOf': [{'required': ['a']}, {'required': ['b']}]}}", "{'a': 1, 'b': 1}", false },
		{ "{'$jsonSchema': {'properties': {'a': {'multipleOf': 0.1}}}}", "{'a': 0.3}", true },
		{ "{'$jsonSchema': {'minProperties': 2}}", "{'a': 1}", false },
		/* keywords for texts and numbers say nothing about whole documents: their operands are not looked into */
		{ "{'$jsonSchema': {'anyOf': [{'pattern': '('}]}}", "{'a': 1}", true },
		{ "{'$jsonSchema': {'multipleOf': {'$numberDouble': 'NaN'}}}", "{'a': 1}", true },
		{ NULL, NULL, false },
	};

	check_all(list);
}

/* Lengths that lie end the search; nothing beyond the document is looked at. */
static void test_broken_documents(void)
{
	struct match *m = compile("{'a': 1, 'b': {'$exists': true}}");
	struct execution x;
	struct value whole = harness_json("{'z': 'text', 'y': {'k': [1, 2]}, 'a': 1, 'b': 2}");

	execution_init(&x, NULL, "test", NULL);
	for (uint32_t at = 4; at < whole.size_bytes; at++)
		for (int byte = 0; byte < 256; byte += 51) {
			/* a copy of its own, so that a read past its end is seen */
			uint8_t *copy = malloc(whole.size_bytes);

			memcpy(copy, whole.bytes, whole.size_bytes);
			copy[at] = (uint8_t)byte;
			match_test(m, &x, (struct value){ copy, whole.size_bytes, BSON_TYPE_DOCUMENT });
			free(copy);
		}
	CU_ASSERT_FALSE(x.failed);
	execution_clear(&x);
	match_destroy(m);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "paths", test_paths },
		{ "null and missing", test_null_and_missing },
		{ "types and numbers", test_types_and_numbers },
		{ "arrays", test_arrays },
		{ "long lists", test_long_lists },
		{ "positions", test_positions },
		{ "errors", test_errors },
		{ "depth", test_depth },
		{ "slow regex", test_slow_regex },
		{ "canonical form", test_canonical_form },
		{ "schema", test_schema },
		{ "broken documents", test_broken_documents },
		{ NULL, NULL },
	};

	return harness_run("match", cases);
}
