/* Expressions by hand: what the corpus does not show, above all the compiler's side. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/expression.h"
#include "harness/harness.h"

struct example {
	const char *expression; /* of {e: …} */
	const char *document;
	const char *expected;   /* {r: …}; {} when missing; "CODE message" of a failure */
};

static char *failure_text(const bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "%u %s", error->code, error->message);
	return bytes_take_text(&text);
}

static char *result_text(const struct expression *e, struct execution *x, struct value document)
{
	struct bytes bson = BYTES_INIT, text = BYTES_INIT;
	struct writer w;
	struct value v;

	if (!expression_evaluate(e, x, &x->scratch, document, &v))
		return failure_text(&x->error);
	writer_begin(&w, &bson);
	writer_put(&w, "r", v);
	print_line(&text, writer_finish(&w), PRINT_CANONICAL);
	bytes_clear(&bson);
	return bytes_take_text(&text);
}

static char *run(const char *expression, const char *document)
{
	struct execution x;
	bson_error_t error;
	struct expression *e = expression_compile(value_get(harness_json(expression), "e"), NULL, &error);
	char *text;

	if (!e)
		return failure_text(&error);
	execution_init(&x, NULL, "test", NULL);
	x.now_millis = 86400000;
	text = result_text(e, &x, harness_json(document));
	execution_clear(&x);
	expression_destroy(e);
	return text;
}

static void check_all(const struct example *examples)
{
	for (; examples->expression; examples++) {
		char *got = run(examples->expression, examples->document);

		ASSERT_TEXT(got, examples->expected);
		free(got);
	}
}

static void test_paths(void)
{
	static const struct example examples[] = {
		{ "{'e': '$a.b'}", "{'a': {'b': 'x'}}", "{\"r\": \"x\"}" },
		{ "{'e': '$a.b'}", "{'a': [{'b': 'x'}, {'c': 'y'}, 'z', {'b': 'w'}, [{'b': 'v'}]]}", "{\"r\": [\"x\", \"w\"]}" },
		{ "{'e': '$a.b.c'}", "{'a': [{'b': [{'c': 'x'}]}, {'b': {'c': 'y'}}]}", "{\"r\": [[\"x\"], \"y\"]}" },
		{ "{'e': '$a.0'}", "{'a': ['x', 'y']}", "{\"r\": []}" },
		{ "{'e': '$a.b'}", "{'a': 'x'}", "{}" },
		{ "{'e': '$$ROOT.a'}", "{'a': 'x'}", "{\"r\": \"x\"}" },
		{ "{'e': '$$CURRENT.a'}", "{'a': 'x'}", "{\"r\": \"x\"}" },
		{ "{'e': '$$REMOVE'}", "{}", "{}" },
		{ "{'e': '$$NOW'}", "{}", "{\"r\": {\"$date\": {\"$numberLong\": \"86400000\"}}}" },
		{ "{'e': '$'}", "{}", "16872 '$' by itself is not a valid FieldPath" },
		{ "{'e': '$a..b'}", "{}", "15998 FieldPath field names may not be empty strings." },
		{ "{'e': '$a.'}", "{}", "40353 FieldPath must not end with a '.'." },
		{ "{'e': '$$nobody'}", "{}", "17276 Use of undefined variable: nobody" },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_variables(void)
{
	static const struct example examples[] = {
		/* the inner $let of the second variable uses the slot of the first */
		{ "{'e': {'$let': {'vars': {'a': 'outer', 'b': {'$let': {'vars': {'x': 'inner'}, 'in': '$$x'}}}, 'in': "
		  "['$$a', '$$b']}}}",
		  "{}", "{\"r\": [\"outer\", \"inner\"]}" },
		{ "{'e': {'$map': {'input': ['a', 'b'], 'as': 'o', 'in': {'$map': {'input': ['c'], 'as': 'i', 'in': "
		  "['$$o', '$$i']}}}}}",
		  "{}", "{\"r\": [[[\"a\", \"c\"]], [[\"b\", \"c\"]]]}" },
		{ "{'e': {'$map': {'input': '$v', 'in': {'$reduce': {'input': '$$this', 'initialValue': '', "
		  "'in': {'$concat': ['$$value', '$$this']}}}}}}",
		  "{'v': [['a', 'b'], ['c']]}", "{\"r\": [\"ab\", \"c\"]}" },
		{ "{'e': {'$let': {'vars': {'CURRENT': '$a'}, 'in': '$b'}}}", "{'a': {'b': 'x'}}", "{\"r\": \"x\"}" },
		{ "{'e': {'$filter': {'input': '$v', 'as': 'o', 'cond': {'$gt': ['$$o.n', {'$numberInt': '1'}]}, "
		  "'limit': {'$numberInt': '1'}}}}",
		  "{'v': [{'n': 1}, {'n': 2}, {'n': 3}]}", "{\"r\": [{\"n\": {\"$numberInt\": \"2\"}}]}" },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_numbers(void)
{
	static const struct example examples[] = {
		{ "{'e': {'$add': [{'$numberInt': '2147483647'}, {'$numberInt': '1'}]}}", "{}",
		  "{\"r\": {\"$numberLong\": \"2147483648\"}}" },
		{ "{'e': {'$add': [{'$numberLong': '9223372036854775807'}, {'$numberInt': '1'}]}}", "{}",
		  "{\"r\": {\"$numberDouble\": \"9.223372036854776e+18\"}}" },
		{ "{'e': {'$add': [{'$numberLong': '9223372036854775807'}, {'$numberInt': '1'}, {'$numberInt': "
		  "'-1'}]}}",
		  "{}", "{\"r\": {\"$numberLong\": \"9223372036854775807\"}}" },
		{ "{'e': {'$multiply': [{'$numberInt': '65536'}, {'$numberInt': '65536'}]}}", "{}",
		  "{\"r\": {\"$numberLong\": \"4294967296\"}}" },
		{ "{'e': {'$mod': [{'$numberLong': '-9223372036854775808'}, {'$numberInt': '-1'}]}}", "{}",
		  "{\"r\": {\"$numberLong\": \"0\"}}" },
		{ "{'e': {'$divide': [{'$numberInt': '1'}, {'$numberInt': '0'}]}}", "{}", "2 can't $divide by zero" },
		{ "{'e': {'$subtract': [{'$numberInt': '1'}, 'x']}}", "{}", "14 can't $subtract string from int" },
		{ "{'e': {'$sum': ['$v.n']}}",
		  "{'v': [{'n': {'$numberInt': '1'}}, {'n': 'x'}, {'n': {'$numberDouble': '0.5'}}]}",
		  "{\"r\": {\"$numberDouble\": \"1.5\"}}" },
		{ "{'e': {'$avg': '$v'}}", "{'v': []}", "{\"r\": null}" },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_text(void)
{
	static const struct example examples[] = {
		{ "{'e': {'$substrCP': ['$s', {'$numberInt': '1'}, {'$numberInt': '2'}]}}", "{'s': 'a\\u00e9\\u20acb'}",
		  "{\"r\": \"\xc3\xa9\xe2\x82\xac\"}" },
		{ "{'e': {'$substrBytes': ['$s', {'$numberInt': '2'}, {'$numberInt': '1'}]}}", "{'s': 'a\\u00e9'}",
		  "28656 $substrBytes:  Invalid range, starting index is a UTF-8 continuation byte." },
		{ "{'e': [{'$strLenBytes': '$s'}, {'$strLenCP': '$s'}, {'$indexOfBytes': ['$s', 'b']}, {'$indexOfCP': ['$s', 'b']}]}",
		  "{'s': '\\u20acb'}",
		  "{\"r\": [{\"$numberInt\": \"4\"}, {\"$numberInt\": \"2\"}, {\"$numberInt\": \"3\"}, {\"$numberInt\": \"1\"}]}" },
		{ "{'e': {'$split': ['a,b,,c', ',']}}", "{}", "{\"r\": [\"a\", \"b\", \"\", \"c\"]}" },
		{ "{'e': {'$trim': {'input': ' \\u00a0x '}}}", "{}", "{\"r\": \"x\"}" },
		{ "{'e': {'$replaceAll': {'input': 'aaa', 'find': 'a', 'replacement': 'bb'}}}", "{}", "{\"r\": \"bbbbbb\"}" },
		{ "{'e': {'$toUpper': 'az\\u00e9'}}", "{}", "{\"r\": \"AZ\xc3\xa9\"}" },
		{ "{'e': {'$concat': ['a', {'$numberInt': '1'}]}}", "{}", "16702 $concat only supports strings, not int" },
		{ "{'e': {'$regexMatch': {'input': '$s', 'regex': '^D', 'options': 'i'}}}", "{'s': 'dune'}", "{\"r\": true}" },
		{ "{'e': {'$regexFind': {'input': '\\u00e9x1', 'regex': '([a-z])([0-9])?(q)?'}}}", "{}",
		  "{\"r\": {\"match\": \"x1\", \"idx\": {\"$numberInt\": \"1\"}, \"captures\": [\"x\", \"1\", null]}}" },
		/* no empty match behind a text that had one before */
		{ "{'e': {'$size': {'$regexFindAll': {'input': 'abc', 'regex': 'x*'}}}}", "{}", "{\"r\": {\"$numberInt\": \"3\"}}" },
		{ "{'e': {'$size': {'$regexFindAll': {'input': '', 'regex': 'x*'}}}}", "{}", "{\"r\": {\"$numberInt\": \"1\"}}" },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_dates(void)
{
	static const struct example examples[] = {
		{ "{'e': {'$dateToString': {'date': {'$date': {'$numberLong': '1700000000000'}}, 'timezone': "
		  "'+03:00'}}}",
		  "{}", "{\"r\": \"2023-11-15T01:13:20.000+0300\"}" },
		{ "{'e': {'$hour': {'date': '$d', 'timezone': '$z'}}}",
		  "{'d': {'$date': {'$numberLong': '0'}}, 'z': '-0130'}", "{\"r\": {\"$numberInt\": \"22\"}}" },
		/* years are written from 0 to 9999; formats without one do not care */
		{ "{'e': {'$convert': {'input': '$d', 'to': 'string', 'onError': 'no'}}}",
		  "{'d': {'$date': {'$numberLong': '253402300800000'}}}",
		  "18537 Could not convert date to string: date component was outside the supported range of 0-9999: 10000" },
		{ "{'e': {'$dateToString': {'date': '$d', 'format': '%d.%m. %H'}}}",
		  "{'d': {'$date': {'$numberLong': '253402300800000'}}}", "{\"r\": \"01.01. 00\"}" },
		{ "{'e': {'$dateToString': {'date': '$d', 'format': '%G'}}}",
		  "{'d': {'$date': {'$numberLong': '-62167219200000'}}}",
		  "18537 Could not convert date to string: date component was outside the supported range of 0-9999: -1" },
		{ "{'e': {'$convert': {'input': null, 'to': 'text'}}}", "{}", "2 Unknown type name: text" },
		{ "{'e': {'$convert': {'input': true, 'to': 0, 'onError': 'no'}}}", "{}", "{\"r\": \"no\"}" },
		/* null before an error or after it: the time, the zone, the day, the year's range */
		{ "{'e': {'$dateFromParts': {'year': 'x', 'hour': null}}}", "{}", "{\"r\": null}" },
		{ "{'e': {'$dateFromParts': {'year': null, 'hour': true}}}", "{}",
		  "40515 'hour' must evaluate to an integer, found bool with value true" },
		{ "{'e': {'$dateFromParts': {'year': {'$numberInt': '0'}, 'day': null}}}", "{}", "{\"r\": null}" },
		{ "{'e': {'$dateFromParts': {'isoWeekYear': {'$numberInt': '0'}, 'timezone': 'No/Where'}}}", "{}",
		  "40485 unrecognized time zone identifier: \"No/Where\"" },
		{ "{'e': {'$dateFromString': {'dateString': '2024-02-30'}}}", "{}",
		  "241 Error parsing date string \"2024-02-30\"; The parsed date was invalid" },
		/* what MongoDB may read and we do not is refused, and no onError hides that */
		{ "{'e': {'$dateFromString': {'dateString': 'July 4th, 2017', 'onError': 'no'}}}", "{}",
		  "238 $dateFromString: the text '\"July 4th, 2017\"' is in no format that is understood here" },
		{ "{'e': {'$dateFromString': {'dateString': 'never', 'onError': 'no'}}}", "{}", "{\"r\": \"no\"}" },
		/* an abbreviation of a zone may be known there; an identifier is not looked up */
		{ "{'e': {'$dateFromString': {'dateString': '2024-05-06 EST', 'format': '%Y-%m-%d %z'}}}", "{}",
		  "238 $dateFromString: the text '\"2024-05-06 EST\"' is in no format that is understood here" },
		{ "{'e': {'$dateFromString': {'dateString': '2024-05-06T07:08:09 Asia/Tokyo'}}}", "{}",
		  "241 Error parsing date string \"2024-05-06T07:08:09 Asia/Tokyo\"; passing a time zone identifier as part of the "
		  "string is not allowed" },
		/* an offset beside a zone is an error, unless the zone is UTC */
		{ "{'e': {'$dateFromString': {'dateString': '2024-05-06T00:00:00+01', 'timezone': '-00:00'}}}", "{}",
		  "{\"r\": {\"$date\": {\"$numberLong\": \"1714950000000\"}}}" },
		{ "{'e': {'$dateFromString': {'dateString': '2024-05-06T00:00:00 GMT+01:00', 'timezone': '+02:00'}}}", "{}",
		  "241 Error parsing date string \"2024-05-06T00:00:00 GMT+01:00\"; you cannot pass in a date/time string with time "
		  "zone information together with a timezone argument" },
		/* digits that a format leaves out: zeros before days, months, years and hours, zeros after fractions */
		{ "{'e': {'$dateFromString': {'dateString': '6.5.2024 7h08', 'format': '%d.%m.%Y %Hh%M'}}}", "{}",
		  "{\"r\": {\"$date\": {\"$numberLong\": \"1714979280000\"}}}" },
		{ "{'e': {'$dateFromString': {'dateString': '6.5.2024 7h8', 'format': '%d.%m.%Y %Hh%M'}}}", "{}",
		  "241 Error parsing date string \"6.5.2024 7h8\"; Format literal not found" },
		{ "{'e': {'$dateFromString': {'dateString': '2024-05-06 00.02', 'format': '%Y-%m-%d %S.%L'}}}", "{}",
		  "{\"r\": {\"$date\": {\"$numberLong\": \"1714953600020\"}}}" },
		{ "{'e': {'$dateFromString': {'dateString': '2024-05-06 -90', 'format': '%Y-%m-%d %Z'}}}", "{}",
		  "{\"r\": {\"$date\": {\"$numberLong\": \"1714959000000\"}}}" },
		/* days of the year are counted from 0 when they are read */
		{ "{'e': {'$dateFromString': {'dateString': '2024/31', 'format': '%Y/%j'}}}", "{}",
		  "{\"r\": {\"$date\": {\"$numberLong\": \"1706745600000\"}}}" },
		{ "{'e': {'$dateFromString': {'dateString': '2024 w54', 'format': '%G w%V'}}}", "{}",
		  "241 Error parsing date string \"2024 w54\"; Format literal not found" },
		{ "{'e': {'$dateFromString': {'dateString': '2024 w5', 'format': '%Y w%V'}}}", "{}",
		  "241 Error parsing date string \"2024 w5\"; Mixing of ISO dates with natural dates is not allowed" },
		{ "{'e': {'$year': {'date': '$d', 'timezone': 'No/Where'}}}", "{'d': {'$date': {'$numberLong': '0'}}}",
		  "40485 unrecognized time zone identifier: \"No/Where\"" },
		{ "{'e': {'$year': {'date': '$d', 'timezone': '../etc/passwd'}}}",
		  "{'d': {'$date': {'$numberLong': '0'}}}",
		  "40485 unrecognized time zone identifier: \"../etc/passwd\"" },
		{ "{'e': {'$dateAdd': {'startDate': {'$date': '2024-01-31T00:00:00Z'}, 'unit': 'month', 'amount': "
		  "{'$numberInt': '1'}}}}",
		  "{}", "{\"r\": {\"$date\": {\"$numberLong\": \"1709164800000\"}}}" },
		/* bins reach below the year 2000; the first date of all is too far from it, and its bin begins before it */
		{ "{'e': {'$dateTrunc': {'date': '$d', 'unit': 'second', 'binSize': {'$numberInt': '7'}}}}",
		  "{'d': {'$date': {'$numberLong': '-1'}}}", "{\"r\": {\"$date\": {\"$numberLong\": \"-2000\"}}}" },
		{ "{'e': {'$dateTrunc': {'date': '$d', 'unit': 'second', 'binSize': {'$numberInt': '7'}}}}",
		  "{'d': {'$date': {'$numberLong': '-9223372036854775808'}}}", "5439000 dateTrunc overflowed" },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

/* Clocks that change: New York skipped 02:00 … 03:00 on 2024-03-10 and had 01:00 … 02:00 twice on 2024-11-03. */
static void test_zone_changes(void)
{
	static const struct example examples[] = {
		{ "{'e': {'$dateFromParts': {'year': {'$numberInt': '2024'}, 'month': {'$numberInt': '3'}, 'day': "
		  "{'$numberInt': '10'}, "
		  "'hour': {'$numberInt': '2'}, 'minute': {'$numberInt': '30'}, 'timezone': 'America/New_York'}}}",
		  "{}", "{\"r\": {\"$date\": {\"$numberLong\": \"1710055800000\"}}}" },
		{ "{'e': {'$dateFromParts': {'year': {'$numberInt': '2024'}, 'month': {'$numberInt': '11'}, 'day': "
		  "{'$numberInt': '3'}, "
		  "'hour': {'$numberInt': '1'}, 'timezone': 'America/New_York'}}}",
		  "{}", "{\"r\": {\"$date\": {\"$numberLong\": \"1730610000000\"}}}" },
		/* beyond the file's transitions, by its rule */
		{ "{'e': {'$dateToString': {'date': {'$date': {'$numberLong': '3298435200000'}}, 'timezone': "
		  "'America/New_York'}}}",
		  "{}", "{\"r\": \"2074-07-10T04:00:00.000-0400\"}" },
		{ NULL, NULL, NULL },
	};
	char *probe = run("{'e': {'$hour': {'date': {'$date': {'$numberLong': '0'}}, 'timezone': 'America/New_York'}}}", "{}");

	if (strstr(probe, "238 ") == probe || strstr(probe, "40485 ") == probe)
		printf("skipped: no tz database\n");
	else
		check_all(examples);
	free(probe);
}

static void test_arrays(void)
{
	static const struct example examples[] = {
		{ "{'e': {'$sortArray': {'input': '$v', 'sortBy': {'n': -1}}}}",
		  "{'v': [{'n': 1}, {'n': 3}, {'n': 2}]}",
		  "{\"r\": [{\"n\": {\"$numberInt\": \"3\"}}, {\"n\": {\"$numberInt\": \"2\"}}, {\"n\": "
		  "{\"$numberInt\": \"1\"}}]}" },
		{ "{'e': {'$sortArray': {'input': ['b', 'a'], 'sortBy': 1}}}", "{}", "{\"r\": [\"a\", \"b\"]}" },
		{ "{'e': {'$firstN': {'n': 2, 'input': ['a', 'b', 'c']}}}", "{}", "{\"r\": [\"a\", \"b\"]}" },
		{ "{'e': {'$lastN': {'n': 2, 'input': ['a', 'b', 'c']}}}", "{}", "{\"r\": [\"b\", \"c\"]}" },
		{ "{'e': {'$maxN': {'n': 2, 'input': ['a', null, 'c', 'b']}}}", "{}", "{\"r\": [\"c\", \"b\"]}" },
		{ "{'e': {'$slice': ['$v', -2]}}", "{'v': ['a', 'b', 'c']}", "{\"r\": [\"b\", \"c\"]}" },
		{ "{'e': {'$zip': {'inputs': [['a'], ['b', 'c']], 'useLongestLength': true, 'defaults': ['x', 'y']}}}",
		  "{}", "{\"r\": [[\"a\", \"b\"], [\"x\", \"c\"]]}" },
		{ "{'e': {'$mergeObjects': [{'a': 'x', 'b': 'y'}, null, {'a': 'z'}]}}", "{}",
		  "{\"r\": {\"a\": \"z\", \"b\": \"y\"}}" },
		{ "{'e': {'$setUnion': [['b', 'a'], ['a']]}}", "{}", "{\"r\": [\"a\", \"b\"]}" },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

static void test_results_are_bounded(void)
{
	char *got = run("{'e': {'$reduce': {'input': {'$range': [0, 40]}, 'initialValue': ['xxxxxxxxxxxxxxxx'], "
	                "'in': {'$concatArrays': ['$$value', '$$value']}}}}", "{}");

	CU_ASSERT_PTR_NOT_NULL(strstr(got, "13548 BufBuilder attempted to grow()"));
	free(got);
}

static void test_deep_expressions(void)
{
	struct bytes text = BYTES_INIT, bson = BYTES_INIT;
	bson_error_t error;
	struct writer *w = memory_allocate(sizeof *w);
	struct expression *e;

	writer_begin(w, &bson);
	for (int i = 0; i < 251; i++)
		writer_begin_array(w, key_of("$not"));
	for (int i = 0; i < 251; i++)
		writer_end(w);
	e = expression_compile(writer_finish(w), NULL, &error);
	CU_ASSERT_PTR_NULL(e);
	CU_ASSERT_EQUAL(error.code, CODE_Overflow);
	free(w);
	bytes_clear(&bson);
	bytes_clear(&text);
}

static void test_constants(void)
{
	bson_error_t error;
	struct value constant;
	struct expression *e = expression_compile(
		value_get(harness_json("{'e': {'$bsonSize': {'$numberInt': '1'}}}"), "e"), NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	CU_ASSERT_FALSE(expression_check_constants(e, &error));
	CU_ASSERT_EQUAL(error.code, 31393);
	ASSERT_TEXT(error.message, "$bsonSize requires a document input, found: int");
	expression_destroy(e);

	e = expression_compile(value_get(harness_json("{'e': {'$concat': ['a', {'$toUpper': 'b'}]}}"), "e"), NULL, &error);
	CU_ASSERT_TRUE(expression_check_constants(e, &error));
	CU_ASSERT_TRUE(expression_is_constant(e, &constant));
	CU_ASSERT_TRUE(key_is(value_text(constant), "aB"));
	expression_destroy(e);

	e = expression_compile(value_get(harness_json("{'e': {'$add': ['$a', 1]}}"), "e"), NULL, &error);
	CU_ASSERT_FALSE(expression_is_constant(e, &constant));
	expression_destroy(e);
}

static char *written(const char *expression)
{
	struct bytes bson = BYTES_INIT, text = BYTES_INIT;
	bson_error_t error;
	struct expression *e = expression_compile(value_get(harness_json(expression), "e"), NULL, &error);
	struct writer w;

	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	writer_begin(&w, &bson);
	expression_write(e, &w, key_of("e"));
	print_line(&text, writer_finish(&w), PRINT_RELAXED);
	bytes_clear(&bson);
	expression_destroy(e);
	return bytes_take_text(&text);
}

static void test_written_as_explain_does(void)
{
	static const char *const pairs[][2] = {
		{ "{'e': {'$bsonSize': '$$ROOT'}}", "{\"e\": {\"$bsonSize\": [\"$$ROOT\"]}}" },
		{ "{'e': null}", "{\"e\": {\"$const\": null}}" },
		{ "{'e': '$items.bookId'}", "{\"e\": \"$items.bookId\"}" },
		{ "{'e': '$$CURRENT.a'}", "{\"e\": \"$a\"}" },
		{ "{'e': {'$cond': {'if': '$a', 'then': 'x', 'else': '$b'}}}",
		  "{\"e\": {\"$cond\": [\"$a\", {\"$const\": \"x\"}, \"$b\"]}}" },
		{ "{'e': {'a': '$x', 'b': ['$y']}}", "{\"e\": {\"a\": \"$x\", \"b\": [\"$y\"]}}" },
		{ "{'e': {'$map': {'input': '$v', 'as': 'i', 'in': '$$i.n'}}}",
		  "{\"e\": {\"$map\": {\"input\": \"$v\", \"as\": \"i\", \"in\": \"$$i.n\"}}}" },
		{ "{'e': {'$toInt': '$a'}}", "{\"e\": {\"$convert\": {\"input\": \"$a\", \"to\": {\"$const\": \"int\"}}}}" },
		{ "{'e': {'$year': '$d'}}", "{\"e\": {\"$year\": {\"date\": \"$d\"}}}" },
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char *got = written(pairs[i][0]);

		ASSERT_TEXT(got, pairs[i][1]);
		free(got);
	}
}

static void collect(void *context, const char *path)
{
	bytes_format(context, "%s ", path);
}

static void check_dependencies(const char *expression, bool known, const char *expected)
{
	struct bytes paths = BYTES_INIT;
	bson_error_t error;
	struct expression *e = expression_compile(value_get(harness_json(expression), "e"), NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	CU_ASSERT_EQUAL(expression_dependencies(e, collect, &paths), known);
	if (known)
		ASSERT_TEXT(bytes_text(&paths), expected);
	expression_destroy(e);
	bytes_clear(&paths);
}

static void test_dependencies(void)
{
	check_dependencies("{'e': {'$add': ['$a.b', {'$let': {'vars': {'x': '$c'}, 'in': '$$x.d'}}]}}", true, "a.b c ");
	check_dependencies("{'e': {'$bsonSize': '$$ROOT'}}", false, "");
	check_dependencies("{'e': {'$literal': '$a'}}", true, "");
}

static void test_unknown_operators(void)
{
	static const struct example examples[] = {
		{ "{'e': {'$nope': 1}}", "{}", "168 Unrecognized expression '$nope'" },
		{ "{'e': {'$add': [1], '$nope': 1}}", "{}",
		  "15983 An object representing an expression must have exactly one field: { $add: [ 1 ], $nope: 1 }" },
		{ "{'e': {'$not': ['a', 'b']}}", "{}", "16020 Expression $not takes exactly 1 arguments. 2 were passed in." },
		{ "{'e': {'$slice': ['a']}}", "{}",
		  "28667 Expression $slice takes at least 2 arguments, and at most 3, but 1 were passed in." },
		{ "{'e': {'a.b': 1}}", "{}", "16412 FieldPath field names may not contain '.'." },
		{ NULL, NULL, NULL },
	};

	check_all(examples);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "paths", test_paths },
		{ "variables", test_variables },
		{ "numbers", test_numbers },
		{ "text", test_text },
		{ "dates", test_dates },
		{ "zones whose clocks change", test_zone_changes },
		{ "arrays and objects", test_arrays },
		{ "results are bounded", test_results_are_bounded },
		{ "nesting is bounded", test_deep_expressions },
		{ "constants", test_constants },
		{ "written as explain does", test_written_as_explain_does },
		{ "dependencies", test_dependencies },
		{ "unknown operators", test_unknown_operators },
		{ NULL, NULL },
	};

	return harness_run("expressions", cases);
}
