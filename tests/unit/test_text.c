/* BSON to text and back: both forms of Extended JSON, limits, marks. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/print.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "harness/harness.h"

static const char *printed(struct value v, enum print_form form)
{
	struct bytes out = BYTES_INIT;

	print_line(&out, v, form);
	return harness_keep(bytes_take_text(&out));
}

static const char *const canonical_types[] = {
	"{\"a\": {\"$numberInt\": \"-2147483648\"}}",
	"{\"a\": {\"$numberLong\": \"9223372036854775807\"}}",
	"{\"a\": {\"$numberDouble\": \"0.1\"}}",
	"{\"a\": {\"$numberDouble\": \"-0.0\"}}",
	"{\"a\": {\"$numberDouble\": \"NaN\"}}",
	"{\"a\": {\"$numberDouble\": \"-Infinity\"}}",
	"{\"a\": {\"$numberDecimal\": \"1.000000000000000000000000000000000E+6144\"}}",
	"{\"a\": {\"$numberDecimal\": \"290.90\"}}",
	"{\"a\": \"K\\u0000\\u001b[31m \\\" \\\\ \xc3\xa7\"}",
	"{\"a\": {\"$oid\": \"679585ad4077fec4cc6fe899\"}}",
	"{\"a\": {\"$date\": {\"$numberLong\": \"-62135596800001\"}}}",
	"{\"a\": {\"$binary\": {\"base64\": \"oSx4R2A4SGaEsqYtkPZ55Q==\", \"subType\": \"03\"}}}",
	"{\"a\": {\"$binary\": {\"base64\": \"\", \"subType\": \"80\"}}}",
	"{\"a\": {\"$timestamp\": {\"t\": 4294967295, \"i\": 1}}}",
	"{\"a\": {\"$regularExpression\": {\"pattern\": \"^a/b\", \"options\": \"ix\"}}}",
	"{\"a\": {\"$code\": \"f()\", \"$scope\": {\"x\": {\"$numberInt\": \"1\"}}}}",
	"{\"a\": {\"$code\": \"f()\"}}",
	"{\"a\": {\"$symbol\": \"s\"}}",
	"{\"a\": {\"$dbPointer\": {\"$ref\": \"db.c\", \"$id\": {\"$oid\": \"679585ad4077fec4cc6fe899\"}}}}",
	"{\"a\": {\"$minKey\": 1}, \"b\": {\"$maxKey\": 1}, \"c\": {\"$undefined\": true}, \"d\": null, \"e\": [true, false, {}, []]}",
	"{}",
};

static void test_canonical_round_trip(void)
{
	for (size_t i = 0; i < sizeof canonical_types / sizeof *canonical_types; i++) {
		struct bytes out = BYTES_INIT;
		bson_error_t error = { 0 };
		struct value v;

		CU_ASSERT(read_document("t", canonical_types[i], strlen(canonical_types[i]), &out, &error));
		CU_ASSERT(value_document(&v, out.data, out.size));
		ASSERT_TEXT(printed(v, PRINT_CANONICAL), canonical_types[i]);
		bytes_clear(&out);
	}
}

static void test_relaxed(void)
{
	struct value v = harness_json(
		"{'_id': {'$oid': '679585ad4077fec4cc6fe899'}, 'n': 1, 'l': 5000000000, 'd': 5.0, 'p': {'$numberDecimal': '9.50'},"
		"'t': {'$date': '2026-06-30T08:12:00Z'}, 'f': {'$date': '2026-06-30T10:12:00.250+02:00'}, 'a-b': [1, 'it'], 'x': {}}");

	ASSERT_TEXT(printed(v, PRINT_RELAXED),
	            "{\"_id\": {\"$oid\": \"679585ad4077fec4cc6fe899\"}, \"n\": 1, \"l\": 5000000000, \"d\": 5.0, "
	            "\"p\": {\"$numberDecimal\": \"9.50\"}, \"t\": {\"$date\": \"2026-06-30T08:12:00Z\"}, "
	            "\"f\": {\"$date\": \"2026-06-30T08:12:00.250Z\"}, \"a-b\": [1, \"it\"], \"x\": {}}");
}

static void test_shell(void)
{
	struct value v = harness_json(
		"{'_id': {'$oid': '679585ad4077fec4cc6fe899'}, 'l': 5000000000, 'd': 5.0, 'p': {'$numberDecimal': '9.50'},"
		"'t': {'$date': '2026-06-30T08:12:00Z'}, 'a-b': [1, 'x'], 'e': {}, 'u': {'$uuid': "
		"'a12c7847-6038-4866-84b2-a62d90f679e5'}}");

	ASSERT_TEXT(printed(v, PRINT_SHELL),
	            "{ _id: ObjectId('679585ad4077fec4cc6fe899'), l: Long('5000000000'), d: 5, p: Decimal128('9.50'), "
	            "t: ISODate('2026-06-30T08:12:00.000Z'), 'a-b': [ 1, 'x' ], e: {}, "
	            "u: UUID('a12c7847-6038-4866-84b2-a62d90f679e5') }");
	ASSERT_TEXT(printed(v, PRINT_SERVER),
	            "{ _id: ObjectId('679585ad4077fec4cc6fe899'), l: 5000000000, d: 5.0, p: 9.50, t: new Date(1782807120000), "
	            "a-b: [ 1, \"x\" ], e: {}, u: BinData(4, a12c78476038486684b2a62d90f679e5) }");
}

/* {a: {a: … {v: 1}}} with `levels` documents around each other. */
static char *nested(int levels)
{
	struct bytes out = BYTES_INIT;

	for (int i = 1; i < levels; i++)
		bytes_append_text(&out, "{\"a\": ");
	bytes_append_text(&out, "{\"v\": 1}");
	for (int i = 1; i < levels; i++)
		bytes_append_text(&out, "}");
	return bytes_take_text(&out);
}

static void test_depth(void)
{
	char *deepest = nested(250), *too_deep = nested(251);
	struct bytes out = BYTES_INIT;
	bson_error_t error = { 0 };
	struct value v;

	CU_ASSERT(read_document("t", deepest, strlen(deepest), &out, &error));
	CU_ASSERT_EQUAL(out.size, 12 + 249 * 8);
	value_document(&v, out.data, out.size);
	ASSERT_TEXT(printed(v, PRINT_RELAXED), deepest);
	out.size = 0;
	CU_ASSERT_FALSE(read_document("t", too_deep, strlen(too_deep), &out, &error));
	CU_ASSERT_EQUAL(out.size, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "250 levels"));
	bytes_clear(&out);
	free(deepest);
	free(too_deep);
}

static void test_print_beyond_depth(void)
{
	/* 257 levels cannot be read, but they can be met in a file: one more than a reply with the deepest document has */
	struct bytes inner = BYTES_INIT, outer = BYTES_INIT;
	struct writer w;
	const char *text;

	writer_begin(&w, &inner);
	writer_int32(&w, "v", 1);
	writer_finish(&w);
	for (int i = 0; i < 256; i++) {
		writer_begin(&w, &outer);
		writer_raw(&w, key_of("a"), BSON_TYPE_DOCUMENT, inner.data, inner.size);
		writer_finish(&w);
		bytes_reset(&inner);
		bytes_append(&inner, outer.data, outer.size);
		bytes_reset(&outer);
	}
	text = printed((struct value){ inner.data, (uint32_t)inner.size, BSON_TYPE_DOCUMENT }, PRINT_RELAXED);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "$deeper"));
	CU_ASSERT_PTR_NULL(strstr(text, "\"v\""));
	bytes_clear(&inner);
	bytes_clear(&outer);
}

static void test_invalid_utf8_is_marked(void)
{
	static const char bad[] = "\xff\xc3\xa7\xe2\x82";
	struct bytes out = BYTES_INIT;
	struct writer w;
	struct arena a;
	struct value v;

	arena_init(&a);
	writer_begin(&w, &out);
	writer_put(&w, "s", value_make_text(&a, bad, 5));
	writer_put(&w, "k\x1b", value_make_text(&a, "\xc2\x9b", 2)); /* U+009B drives terminals like ESC [ */
	v = writer_finish(&w);
	ASSERT_TEXT(printed(v, PRINT_RELAXED), "{\"s\": \"\\\\xFF\xc3\xa7\\\\xE2\\\\x82\", \"k\\u001b\": \"\\u009b\"}");
	arena_clear(&a);
	bytes_clear(&out);
}

/* What no reader of JSON gives, as it lies in a document of 90 bytes that a server had (d10), and at the ends of what there is. */
static void test_d10_numbers_and_dates_at_their_ends(void)
{
	static const uint8_t numbers[] = {
		0x5a, 0, 0, 0, 2, '_', 'i', 'd', 0, 5, 0, 0, 0, 't', 'e', 's', 't', 0, 1, 'i', 'n', 'f', 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f,
		1, 'm', 'i', 'n', 'f', 0, 0, 0, 0, 0, 0, 0, 0xf0, 0xff, 1, 'n', 'a', 'n', 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f,
		1, 'n', 'e', 'g', 'z', 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 2, 's', 0, 10, 0, 0, 0, 'f', 'o', 'o', 'N', 'a', 'N', 'b', 'a', 'r', 0, 0
	};
	struct bytes out = BYTES_INIT;
	struct arena a;
	struct writer w;
	struct value v;

	CU_ASSERT_EQUAL(sizeof numbers, 90);
	CU_ASSERT_FATAL(value_document(&v, numbers, sizeof numbers));
	ASSERT_TEXT(printed(v, PRINT_SHELL), "{ _id: 'test', inf: Infinity, minf: -Infinity, nan: NaN, negz: -0, s: 'fooNaNbar' }");
	ASSERT_TEXT(printed(v, PRINT_RELAXED), "{\"_id\": \"test\", \"inf\": {\"$numberDouble\": \"Infinity\"}, \"minf\": {\"$numberDouble\": "
	            "\"-Infinity\"}, \"nan\": {\"$numberDouble\": \"NaN\"}, \"negz\": -0.0, \"s\": \"fooNaNbar\"}");
	arena_init(&a);
	writer_begin(&w, &out);
	writer_put(&w, "last", value_make_date(&a, INT64_C(253402300799999)));
	writer_put(&w, "beyond", value_make_date(&a, INT64_C(253402300800000)));
	writer_put(&w, "first", value_make_date(&a, INT64_C(-62135596800000)));
	writer_put(&w, "before", value_make_date(&a, INT64_C(-62135596800001)));
	writer_put(&w, "least", value_make_date(&a, INT64_MIN));
	writer_put(&w, "n", value_make_int64(&a, INT64_MIN));
	writer_put(&w, "odd", value_make_int64(&a, INT64_C(9007199254740993)));
	v = writer_finish(&w);
	ASSERT_TEXT(printed(v, PRINT_SHELL), "{ last: ISODate('9999-12-31T23:59:59.999Z'), beyond: new Date(253402300800000), "
	            "first: ISODate('0001-01-01T00:00:00.000Z'), before: new Date(-62135596800001), least: new Date(-9223372036854775808), "
	            "n: Long('-9223372036854775808'), odd: Long('9007199254740993') }");
	arena_clear(&a);
	bytes_clear(&out);
}

/* d9: only a UUID of 16 bytes in the subtype for it is shown as one. */
static void test_d9_binary(void)
{
	static const uint8_t uuid[] = { 0xa1, 0x2c, 0x78, 0x47, 0x60, 0x38, 0x48, 0x66, 0x84, 0xb2, 0xa6, 0x2d, 0x90, 0xf6, 0x79, 0xe5 };
	static const struct {
		uint8_t subtype;
		uint32_t size;
		const char *shown;
	} cases[] = {
		{ 4, 16, "{ b: UUID('a12c7847-6038-4866-84b2-a62d90f679e5') }" },
		{ 3, 16, "{ b: Binary.createFromBase64('oSx4R2A4SGaEsqYtkPZ55Q==', 3) }" },
		{ 4, 5, "{ b: Binary.createFromBase64('oSx4R2A=', 4) }" },
		{ 3, 0, "{ b: Binary.createFromBase64('', 3) }" },
		{ 128, 1, "{ b: Binary.createFromBase64('oQ==', 128) }" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes out = BYTES_INIT;
		uint8_t payload[5 + sizeof uuid] = { (uint8_t)cases[i].size, 0, 0, 0, cases[i].subtype };
		struct writer w;

		memcpy(payload + 5, uuid, cases[i].size);
		writer_begin(&w, &out);
		writer_raw(&w, key_of("b"), BSON_TYPE_BINARY, payload, 5 + cases[i].size);
		ASSERT_TEXT(printed(writer_finish(&w), PRINT_SHELL), cases[i].shown);
		bytes_clear(&out);
	}
}

static void test_errors_name_the_place(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "{\"a\": 1,\n  \"b\" 2}", "t:2:7: expected ':', found '2'" },
		{ "{\"a\": tru}", "t:1:7: expected a value, found 'tru'" },
		{ "{\"a\": 1", "t:1:8: expected '}', found the end" },
		{ "[1]", "t:1:1: expected '{', found '['" },
		{ "{\"a\": {\"$oid\": \"12\"}}", "t:1:16: expected 24 hexadecimal digits, found '\"12'" },
		{ "{\"a\": {\"$numberInt\": \"2147483648\"}}", "t:1:22: expected a 32-bit integer in quotes, found '\"2147483648'" },
		{ "{\"a\": 1} x", "t:1:10: expected the end after the document, found 'x'" },
		{ "{\"a\": \"\x01\"}", "t:1:8: control character in a string" },
		{ "{\"a\": \"\\ud800\"}", "t:1:8: half of a surrogate pair" },
		{ "{\"a\\u0000\": 1}", "t:1:2: a field name cannot hold a zero byte" },
		{ "{\"a\": 01}", "t:1:7: a number cannot begin with a zero" },
		{ "{\"a\": {\"$date\": \"2026-13-01T00:00:00Z\"}}",
		  "t:1:17: expected a date as \"2026-06-30T08:12:00Z\" or {\"$numberLong\": \"\u2026\"}, found '\"2026-13-01T00'" },
		{ "{\"a\": {\"$binary\": {\"base64\": \"!\", \"subType\": \"00\"}}}", "t:1:18: not base64" },
		{ "{a: 1}", "t:1:2: expected a field name in double quotes, found 'a'" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes out = BYTES_INIT;
		bson_error_t error = { 0 };

		CU_ASSERT_FALSE(read_document("t", cases[i].text, strlen(cases[i].text), &out, &error));
		ASSERT_TEXT(error.message, cases[i].message);
		CU_ASSERT_EQUAL(out.size, 0);
		bytes_clear(&out);
	}
}

static void test_truncated_text_never_reads_past_its_end(void)
{
	/* every prefix of every type, in memory that ends where the text ends */
	for (size_t i = 0; i < sizeof canonical_types / sizeof *canonical_types; i++) {
		for (size_t size = 0; size < strlen(canonical_types[i]); size++) {
			char *exact = memory_duplicate(canonical_types[i], size);
			struct bytes out = BYTES_INIT;
			bson_error_t error;

			CU_ASSERT_FALSE(read_document("t", exact, size, &out, &error));
			bytes_clear(&out);
			free(exact);
		}
	}
}

static void test_line_of(void)
{
	static const char text[] = "{\n \"a\": [\n  {\"x\": \"}\\\"]\"},\n  {\"y\":\n   2}\n ],\n \"b\": 1\n}";
	static const char *const y[] = { "a", "1", "y" }, *const b[] = { "b" }, *const none[] = { "a", "7" };

	CU_ASSERT_EQUAL(read_line_of(text, strlen(text), y, 3), 5);
	CU_ASSERT_EQUAL(read_line_of(text, strlen(text), b, 1), 7);
	CU_ASSERT_EQUAL(read_line_of(text, strlen(text), none, 2), 0);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "canonical round trip", test_canonical_round_trip },
		{ "relaxed form", test_relaxed },
		{ "shell and server notation", test_shell },
		{ "250 levels", test_depth },
		{ "printing stops at 250 levels", test_print_beyond_depth },
		{ "invalid UTF-8 is marked", test_invalid_utf8_is_marked },
		{ "d10: numbers and dates at their ends", test_d10_numbers_and_dates_at_their_ends },
		{ "d9: binary", test_d9_binary },
		{ "errors name the place", test_errors_name_the_place },
		{ "truncated text", test_truncated_text_never_reads_past_its_end },
		{ "line of a key path", test_line_of },
		{ NULL, NULL },
	};

	return harness_run("text", cases);
}
