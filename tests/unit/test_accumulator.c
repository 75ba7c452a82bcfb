/* Accumulators by hand, with the types of their results. */
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "engine/accumulator.h"
#include "harness/harness.h"

static char *run(const char *name, const char *values)
{
	struct bytes bson = BYTES_INIT, text = BYTES_INIT;
	struct value list = value_get(harness_json(values), "v"), v;
	struct execution x;
	struct accumulator *a = accumulator_new(accumulator_type_find(key_of(name), NULL));
	struct writer w;
	struct walk walk;
	struct field f;
	bool ok = true;

	execution_init(&x, NULL, "test", NULL);
	walk_begin(&walk, list);
	while (ok && walk_next(&walk, &f))
		ok = accumulator_add(a, &x, f.value);
	if (ok) {
		CU_ASSERT_TRUE(accumulator_result(a, &x, &x.scratch, &v));
		writer_begin(&w, &bson);
		writer_put(&w, "r", v);
		print_line(&text, writer_finish(&w), PRINT_CANONICAL);
	} else {
		bytes_format(&text, "%u %s", x.error.code, x.error.message);
	}
	execution_clear(&x);
	accumulator_destroy(a);
	bytes_clear(&bson);
	return bytes_take_text(&text);
}

static void test_results(void)
{
	static const char *const examples[][3] = {
		{ "$sum", "{'v': []}", "{\"r\": {\"$numberInt\": \"0\"}}" },
		{ "$sum", "{'v': [{'$numberInt': '2147483647'}, {'$numberInt': '1'}, 'x', null]}",
		  "{\"r\": {\"$numberLong\": \"2147483648\"}}" },
		{ "$sum", "{'v': [{'$numberLong': '1'}, {'$numberDouble': '0.5'}]}",
		  "{\"r\": {\"$numberDouble\": \"1.5\"}}" },
		{ "$sum", "{'v': [{'$numberDecimal': '0.1'}, {'$numberInt': '1'}]}",
		  "{\"r\": {\"$numberDecimal\": \"1.1\"}}" },
		/* plain addition would lose the ones */
		{ "$sum",
		  "{'v': [{'$numberDouble': '1e16'}, {'$numberDouble': '1.0'}, {'$numberDouble': '1.0'}, "
		  "{'$numberDouble': '-1e16'}]}",
		  "{\"r\": {\"$numberDouble\": \"2.0\"}}" },
		{ "$sum", "{'v': [{'$numberDouble': 'Infinity'}, {'$numberDouble': '1.0'}]}",
		  "{\"r\": {\"$numberDouble\": \"Infinity\"}}" },
		{ "$avg", "{'v': [{'$numberInt': '1'}, {'$numberInt': '2'}]}",
		  "{\"r\": {\"$numberDouble\": \"1.5\"}}" },
		{ "$avg", "{'v': ['x']}", "{\"r\": null}" },
		{ "$min", "{'v': [null, {'$numberInt': '3'}, {'$numberInt': '2'}]}",
		  "{\"r\": {\"$numberInt\": \"2\"}}" },
		{ "$max", "{'v': [{'$numberInt': '3'}, 'x']}", "{\"r\": \"x\"}" },
		{ "$max", "{'v': []}", "{\"r\": null}" },
		{ "$first", "{'v': ['a', 'b']}", "{\"r\": \"a\"}" },
		{ "$last", "{'v': ['a', 'b']}", "{\"r\": \"b\"}" },
		{ "$push", "{'v': ['a', null, 'a']}", "{\"r\": [\"a\", null, \"a\"]}" },
		{ "$push", "{'v': []}", "{\"r\": []}" },
		{ "$addToSet", "{'v': [{'$numberInt': '1'}, {'$numberDouble': '1.0'}, 'a', 'a']}",
		  "{\"r\": [{\"$numberInt\": \"1\"}, \"a\"]}" },
		{ "$mergeObjects", "{'v': [{'a': 'x', 'b': 'y'}, null, {'c': 'z', 'a': 'w'}]}",
		  "{\"r\": {\"a\": \"w\", \"b\": \"y\", \"c\": \"z\"}}" },
		{ "$mergeObjects", "{'v': ['x']}",
		  "40400 $mergeObjects requires object inputs, but input \"x\" is of type string" },
		{ "$count", "{'v': ['x', null]}", "{\"r\": {\"$numberInt\": \"2\"}}" },
		{ "$stdDevPop", "{'v': [{'$numberInt': '2'}, {'$numberInt': '4'}]}",
		  "{\"r\": {\"$numberDouble\": \"1.0\"}}" },
		{ "$stdDevSamp", "{'v': [{'$numberInt': '2'}]}", "{\"r\": null}" },
	};

	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		char *got = run(examples[i][0], examples[i][1]);

		ASSERT_TEXT(got, examples[i][2]);
		free(got);
	}
}

/* Many values: the set grows, its result may be asked for in between, and memory is told. */
static void test_a_large_set(void)
{
	struct execution x;
	struct accumulator *a = accumulator_new(accumulator_type_find(key_of("$addToSet"), NULL));
	int64_t before = accumulator_memory_bytes(a);
	struct value v;

	execution_init(&x, NULL, "test", NULL);
	for (int round = 0; round < 2; round++) {
		for (int32_t i = 0; i < 5000; i++) {
			CU_ASSERT_TRUE(accumulator_add(a, &x, value_make_int32(&x.scratch, i)));
			if (i % 1000 == 0)
				accumulator_result(a, &x, &x.scratch, &v);
		}
	}
	accumulator_result(a, &x, &x.scratch, &v);
	CU_ASSERT_EQUAL(value_count(v), 5000);
	CU_ASSERT_TRUE(accumulator_memory_bytes(a) - before > 5000 * 10);
	execution_clear(&x);
	accumulator_destroy(a);
}

static void test_errors(void)
{
	bson_error_t error;
	const struct accumulator_type *count = accumulator_type_find(key_of("$count"), NULL);

	CU_ASSERT_PTR_NULL(accumulator_type_find(key_of("$nope"), &error));
	CU_ASSERT_EQUAL(error.code, 15952);
	ASSERT_TEXT(error.message, "unknown group operator '$nope'");
	CU_ASSERT_PTR_NULL(accumulator_compile_argument(count, value_get(harness_json("{'v': 1}"), "v"), NULL, &error));
	CU_ASSERT_EQUAL(error.code, CODE_TypeMismatch);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "results", test_results },
		{ "a large set", test_a_large_set },
		{ "errors", test_errors },
		{ NULL, NULL },
	};

	return harness_run("accumulators", cases);
}
