/* Sort keys: documents in MongoDB's order, arrays by their least or greatest element, patterns refused in its words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "engine/sort_key.h"
#include "harness/harness.h"
#include "harness/random.h"

static struct sort_pattern *compile(const char *pattern)
{
	bson_error_t error = { 0 };
	struct sort_pattern *p = sort_pattern_compile(harness_json(pattern), &error);

	if (!p)
		fprintf(stderr, "%s\n", error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static int compare_documents(const struct sort_pattern *p, struct value a, struct value b)
{
	struct bytes x = BYTES_INIT, y = BYTES_INIT;
	int difference;

	CU_ASSERT(sort_pattern_key(p, a, &x, NULL));
	CU_ASSERT(sort_pattern_key(p, b, &y, NULL));
	difference = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
	if (!difference)
		difference = (x.size > y.size) - (x.size < y.size);
	bytes_clear(&x);
	bytes_clear(&y);
	return (difference > 0) - (difference < 0);
}

static void test_order(void)
{
	static const struct {
		const char *pattern, *a, *b;
		int expected;
	} cases[] = {
		{ "{'a': 1}", "{'a': 1}", "{'a': 2}", -1 },
		{ "{'a': -1}", "{'a': 1}", "{'a': 2}", 1 },
		{ "{'a': 1}", "{'a': 1}", "{'a': {'$numberDouble': '1.0'}}", 0 },
		{ "{'a': 1}", "{'a': 5}", "{'a': 'x'}", -1 },
		{ "{'a': 1}", "{}", "{'a': null}", 0 },
		{ "{'a': 1}", "{'a': []}", "{'a': null}", -1 },
		{ "{'a': 1}", "{'a': []}", "{}", -1 },
		{ "{'a': -1}", "{'a': []}", "{}", 1 },
		{ "{'a': 1}", "{'a': {'$minKey': 1}}", "{'a': []}", -1 },
		{ "{'a': 1}", "{'a': [9, 1]}", "{'a': [2, 3]}", -1 },  /* least: 1 before 2 */
		{ "{'a': -1}", "{'a': [9, 1]}", "{'a': [2, 3]}", -1 }, /* greatest: 9 before 3 */
		{ "{'a': 1}", "{'a': [[5], 7]}", "{'a': 7}", 0 },      /* a number comes before an array */
		{ "{'a.b': 1}", "{'a': [{'b': 3}, {'b': 1}]}", "{'a': {'b': 2}}", -1 },
		{ "{'a.b': 1}", "{'a': [{'b': 3}, {}]}", "{'a': {'b': 2}}", -1 },
		{ "{'a.1': 1}", "{'a': [9, 1]}", "{'a': [0, 2]}", -1 },
		{ "{'a': 1, 'b': -1}", "{'a': 1, 'b': 1}", "{'a': 1, 'b': 2}", 1 },
		{ "{'a': 1, 'b': -1}", "{'a': 1, 'b': 1}", "{'a': 2, 'b': 2}", -1 },
		/* the least pair of one element, not the least of each field */
		{ "{'a.x': 1, 'a.y': 1}", "{'a': [{'x': 1, 'y': 9}, {'x': 2, 'y': 0}]}", "{'a': {'x': 1, 'y': 5}}", 1 },
	};

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct sort_pattern *p = compile(cases[n].pattern);
		struct value a = harness_json(cases[n].a), b = harness_json(cases[n].b);
		int got = compare_documents(p, a, b);

		if (got != cases[n].expected)
			fprintf(stderr, "sort %s: %s and %s\n", cases[n].pattern, cases[n].a, cases[n].b);
		CU_ASSERT_EQUAL(got, cases[n].expected);
		CU_ASSERT_EQUAL(compare_documents(p, b, a), -cases[n].expected);
		sort_pattern_destroy(p);
	}
}

/* What the top of an array contributes, by the definition: the least or greatest element, undefined when empty. */
static struct value contribution(struct value document, bool greatest)
{
	static const struct value undefined = { (const uint8_t *)"", 0, BSON_TYPE_UNDEFINED };
	struct value v = value_get(document, "v"), best = undefined;
	struct walk w;
	struct field f;

	if (!value_is_array(v))
		return value_is_missing(v) ? value_null() : v;
	walk_begin(&w, v);
	for (bool first = true; walk_next(&w, &f); first = false) {
		int difference = value_compare(f.value, best);

		if (first || (greatest ? difference > 0 : difference < 0))
			best = f.value;
	}
	return best;
}

static void test_random_documents(void)
{
	enum { DOCUMENTS = 500 };
	struct sort_pattern *patterns[2] = { compile("{'v': 1}"), compile("{'v': -1}") };
	struct bytes *documents = memory_allocate_zeroed(DOCUMENTS, sizeof *documents);
	struct random r = { 23 };
	size_t wrong = 0;

	for (size_t i = 0; i < DOCUMENTS; i++) {
		struct writer w;

		writer_begin(&w, &documents[i]);
		random_value(&r, &w, key_of(i % 10 ? "v" : "w"), 3);
		writer_finish(&w);
	}
	for (size_t i = 0; i < DOCUMENTS; i++) {
		for (size_t j = 0; j < 60; j++) {
			size_t other = random_below(&r, DOCUMENTS);
			struct value a = { documents[i].data, (uint32_t)documents[i].size, BSON_TYPE_DOCUMENT };
			struct value b = { documents[other].data, (uint32_t)documents[other].size, BSON_TYPE_DOCUMENT };
			int up = value_compare(contribution(a, false), contribution(b, false));
			int down = value_compare(contribution(b, true), contribution(a, true));

			wrong += compare_documents(patterns[0], a, b) != (up > 0) - (up < 0);
			wrong += compare_documents(patterns[1], a, b) != (down > 0) - (down < 0);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	for (size_t i = 0; i < DOCUMENTS; i++)
		bytes_clear(&documents[i]);
	free(documents);
	sort_pattern_destroy(patterns[0]);
	sort_pattern_destroy(patterns[1]);
}

static void test_parallel_arrays(void)
{
	struct sort_pattern *p = compile("{'a': 1, 'b': 1}");
	struct bytes key = BYTES_INIT;
	bson_error_t error = { 0 };

	bytes_append_text(&key, "before");
	CU_ASSERT_FALSE(sort_pattern_key(p, harness_json("{'a': [1, 2], 'b': [3]}"), &key, &error));
	CU_ASSERT_EQUAL(error.code, 2);
	ASSERT_TEXT(error.message, "cannot sort with keys that are parallel arrays");
	ASSERT_TEXT(bytes_text(&key), "before");
	CU_ASSERT(sort_pattern_key(p, harness_json("{'a': [1, 2], 'b': 3}"), &key, &error));
	CU_ASSERT(key.size > 6 && !memcmp(key.data, "before", 6));
	bytes_clear(&key);
	sort_pattern_destroy(p);
}

static void test_refused_patterns(void)
{
	static const struct {
		const char *pattern;
		uint32_t code;
		const char *message;
	} cases[] = {
		{ "{}", 15976, "$sort stage must have at least one sort key" },
		{ "{'a': 'x'}", 15974, "Illegal key in $sort specification: a: \"x\"" },
		{ "{'a': 2}", 15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)" },
		{ "{'a': 0}", 15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)" },
		{ "{'a': {'$numberDouble': 'NaN'}}", 15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)" },
		{ "{'a': {'b': 1}}", 17312, "$meta is the only expression supported by $sort right now" },
		{ "{'a': {'$meta': 'textScore'}}", 238, "sorting by $meta is not supported by this engine" },
		{ "{'': 1}", 40352, "FieldPath cannot be constructed with empty string" },
		{ "{'a.': 1}", 40353, "FieldPath must not end with a '.'." },
		{ "{'a..b': 1}", 15998, "FieldPath field names may not be empty strings." },
		{ "{'$a': 1}", 16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField." },
		{ "{'a': 1, 'a': -1}", 7472500, "$sort key must not contain duplicate keys (duplicate: 'a')" },
	};

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		bson_error_t error = { 0 };

		CU_ASSERT_PTR_NULL(sort_pattern_compile(harness_json(cases[n].pattern), &error));
		CU_ASSERT_EQUAL(error.code, cases[n].code);
		ASSERT_TEXT(error.message, cases[n].message);
	}
	sort_pattern_destroy(compile("{'a': {'$numberDouble': '1.5'}, 'b': {'$numberLong': '-1'}}"));
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "order of documents", test_order },
		{ "random documents against the definition", test_random_documents },
		{ "parallel arrays are refused", test_parallel_arrays },
		{ "patterns that are refused", test_refused_patterns },
		{ NULL, NULL }
	};

	return harness_run("sort keys", cases);
}
