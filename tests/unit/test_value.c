/* Views of raw BSON: bounds, order over all types, hashes that agree with equality. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/decimal.h"
#include "bson/field_table.h"
#include "bson/path.h"
#include "bson/writer.h"
#include "harness/harness.h"

/* In MongoDB's order; values between '=' marks are equal to each other. */
static const char *const ascending[] = {
	"{'$minKey': 1}",
	"{'$undefined': true}",
	"null",
	"{'$numberDouble': 'NaN'}", "= {'$numberDecimal': 'NaN'}",
	"{'$numberDouble': '-Infinity'}", "= {'$numberDecimal': '-Infinity'}",
	"{'$numberDecimal': '-1E6144'}",
	"{'$numberDouble': '-1e300'}",
	"{'$numberLong': '-9223372036854775808'}", "= {'$numberDouble': '-9223372036854775808'}",
	"{'$numberInt': '-1'}", "= {'$numberLong': '-1'}", "= {'$numberDouble': '-1'}", "= {'$numberDecimal': '-1.00'}",
	"{'$numberDouble': '-5e-324'}",
	"{'$numberDecimal': '-1E-6176'}",
	"{'$numberInt': '0'}", "= {'$numberDouble': '-0.0'}", "= {'$numberDecimal': '0E+10'}", "= {'$numberDecimal': '-0'}",
	"{'$numberDecimal': '1E-6176'}",
	"{'$numberDouble': '5e-324'}",
	"{'$numberDecimal': '0.1'}",
	"{'$numberDouble': '0.1'}", /* the double is 0.1000000000000000055… */
	"{'$numberDecimal': '0.1000000000000000055511151231257828'}",
	"{'$numberDouble': '9007199254740992'}", "= {'$numberLong': '9007199254740992'}",
	"{'$numberLong': '9007199254740993'}", "= {'$numberDecimal': '9007199254740993'}",
	"{'$numberDecimal': '9007199254740993.5'}",
	"{'$numberDouble': '9007199254740994'}",
	"{'$numberLong': '9223372036854775807'}",
	"{'$numberDouble': '9223372036854775808'}",
	"{'$numberDecimal': '1E6144'}",
	"{'$numberDouble': 'Infinity'}", "= {'$numberDecimal': 'Infinity'}",
	"''", "'a'", "= {'$symbol': 'a'}", "'a\\u0000'", "'ab'", "'b'", "'\xc3\xa7'",
	"{}", "{'a': null}", "{'a': 1}", "{'a': 1, 'b': 1}", "{'a': 2}", "{'b': 1}", "{'a': 'x'}",
	"[]", "[null]", "[1]", "[1, 1]", "[2]", "['']",
	"{'$binary': {'base64': '', 'subType': '00'}}", "{'$binary': {'base64': '/w==', 'subType': '00'}}",
	"{'$binary': {'base64': 'AA==', 'subType': '05'}}", "{'$binary': {'base64': 'AAA=', 'subType': '00'}}",
	"{'$oid': '000000000000000000000000'}", "{'$oid': 'ffffffffffffffffffffffff'}",
	"false", "true",
	"{'$date': {'$numberLong': '-1'}}", "{'$date': {'$numberLong': '0'}}",
	"{'$timestamp': {'t': 1, 'i': 2}}", "{'$timestamp': {'t': 4294967295, 'i': 0}}",
	"{'$regularExpression': {'pattern': 'a', 'options': ''}}", "{'$regularExpression': {'pattern': 'a', 'options': 'i'}}",
	"{'$dbPointer': {'$ref': 'c', '$id': {'$oid': '000000000000000000000000'}}}",
	"{'$code': 'f'}",
	"{'$code': 'f', '$scope': {}}", "{'$code': 'f', '$scope': {'a': 1}}",
	"{'$maxKey': 1}",
};
enum { ASCENDING = sizeof ascending / sizeof *ascending };

static struct value element(const char *text)
{
	struct bytes json = BYTES_INIT;
	struct value v;

	bytes_format(&json, "{'v': %s}", text[0] == '=' ? text + 2 : text);
	v = value_get(harness_json(bytes_text(&json)), "v");
	bytes_clear(&json);
	return v;
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void test_order_of_all_types(void)
{
	struct value values[ASCENDING];
	int ranks[ASCENDING], rank = 0;

	for (int i = 0; i < ASCENDING; i++) {
		values[i] = element(ascending[i]);
		ranks[i] = ascending[i][0] == '=' ? rank : ++rank;
	}
	for (int i = 0; i < ASCENDING; i++) {
		for (int j = 0; j < ASCENDING; j++) {
			int expected = sign(ranks[i] - ranks[j]);

			if (sign(value_compare(values[i], values[j])) != expected)
				fprintf(stderr, "%s against %s is not %d\n", ascending[i], ascending[j], expected);
			CU_ASSERT_EQUAL(sign(value_compare(values[i], values[j])), expected);
			CU_ASSERT_EQUAL(value_equal(values[i], values[j]), expected == 0);
			if (expected == 0)
				CU_ASSERT_EQUAL(value_hash(values[i]), value_hash(values[j]));
		}
	}
}

static void test_hashes_spread(void)
{
	static uint64_t hashes[20000];
	struct arena a;
	int same = 0;

	arena_init(&a);
	for (int i = 0; i < 20000; i++)
		hashes[i] = value_hash(value_make_int32(&a, i)) & 0xffff;
	for (int i = 1; i < 20000; i++)
		same += hashes[i] == hashes[i - 1];
	CU_ASSERT(same < 10);
	arena_clear(&a);
}

static void test_damaged_documents_are_noticed(void)
{
	struct value whole = harness_json(
		"{'_id': 1, 's': 'text', 'd': {'a': [1, 2, {'x': null}]}, 'b': {'$binary': {'base64': 'AAAA', 'subType': '00'}}, "
		"'r': {'$regularExpression': {'pattern': 'a', 'options': 'i'}}, 'c': {'$code': 'f', '$scope': {'a': 1}}, 'n': 1.5}");
	const char *reason = NULL;
	size_t offset = 0;
	struct value v;

	CU_ASSERT(value_check(whole, &reason, &offset));
	for (size_t size = 0; size < whole.size_bytes; size++) {
		uint8_t *cut = memory_duplicate(whole.bytes, size);

		CU_ASSERT_FALSE(value_document(&v, cut, size));
		free(cut);
	}
	/* any byte changed to anything: never a read outside (the address sanitizer watches), never an endless walk */
	for (size_t at = 0; at < whole.size_bytes; at++) {
		for (int byte = 0; byte < 256; byte += 5) {
			uint8_t *copy = memory_duplicate(whole.bytes, whole.size_bytes);

			copy[at] = (uint8_t)byte;
			if (value_document(&v, copy, whole.size_bytes) && value_check(v, &reason, &offset)) {
				CU_ASSERT_EQUAL(value_compare(v, v), 0);
				value_hash(v);
			}
			free(copy);
		}
	}
}

static void test_check_names_reason_and_offset(void)
{
	struct value whole = harness_json("{'a': {'b': 'text'}}");
	uint8_t *copy = memory_duplicate(whole.bytes, whole.size_bytes);
	const char *reason = NULL;
	size_t offset = 0;
	struct value v;

	copy[14] = 200; /* the string's length: 4 + (1 + "a" + 1) + 4 + (1 + "b" + 1) = offset 14 */
	CU_ASSERT(value_document(&v, copy, whole.size_bytes));
	CU_ASSERT_FALSE(value_check(v, &reason, &offset));
	ASSERT_TEXT(reason, "value with an impossible length");
	CU_ASSERT_EQUAL(offset, 11);
	free(copy);
}

static void test_writer_copies_as_it_lies(void)
{
	struct value v = harness_json("{'a': 1, 'b': [1, {'c': 'x'}], 'd': {'$numberDecimal': '1.50'}}");
	struct bytes out = BYTES_INIT;
	struct value copy;
	struct writer w;

	writer_begin(&w, &out);
	writer_int32(&w, "a", 1);
	writer_begin_array(&w, key_of("b"));
	writer_int32(&w, "ignored", 1);
	writer_begin_document(&w, key_of("ignored"));
	writer_text(&w, "c", "x");
	writer_end(&w);
	writer_end(&w);
	writer_put(&w, "d", value_get(v, "d"));
	writer_put(&w, "nothing", value_missing());
	copy = writer_finish(&w);
	CU_ASSERT_EQUAL(copy.size_bytes, v.size_bytes);
	CU_ASSERT_EQUAL(memcmp(copy.bytes, v.bytes, v.size_bytes), 0);
	bytes_clear(&out);
}

static void test_path(void)
{
	struct value v = harness_json("{'a': {'b': {'c': 7}}, 'x': [1]}");
	struct path p;
	uint32_t index;

	path_parse(&p, key_of("a.b.c"));
	CU_ASSERT_EQUAL(p.count, 3);
	CU_ASSERT_EQUAL(value_int32(path_get(&p, v)), 7);
	path_clear(&p);
	path_parse(&p, key_of("x.0"));
	CU_ASSERT(value_is_missing(path_get(&p, v)));
	path_clear(&p);
	path_parse(&p, key_of("a..b"));
	CU_ASSERT_EQUAL(p.count, 3);
	CU_ASSERT_EQUAL(p.keys[1].size_bytes, 0);
	path_clear(&p);
	CU_ASSERT(path_key_is_index(key_of("10"), &index) && index == 10);
	CU_ASSERT_FALSE(path_key_is_index(key_of("01"), &index));
	CU_ASSERT_FALSE(path_key_is_index(key_of("-1"), &index));
	CU_ASSERT_FALSE(path_key_is_index(key_of(""), &index));
}

static void test_numbers_convert_exactly(void)
{
	int64_t n;

	CU_ASSERT(value_as_int64(element("{'$numberDouble': '5'}"), &n) && n == 5);
	CU_ASSERT(value_as_int64(element("{'$numberDecimal': '5.00'}"), &n) && n == 5);
	CU_ASSERT_FALSE(value_as_int64(element("{'$numberDouble': '5.5'}"), &n));
	CU_ASSERT_FALSE(value_as_int64(element("{'$numberDouble': '9223372036854775808'}"), &n));
	CU_ASSERT_FALSE(value_as_int64(element("{'$numberDouble': 'NaN'}"), &n));
	CU_ASSERT_FALSE(value_as_int64(element("{'$numberDecimal': '9223372036854775808'}"), &n));
	CU_ASSERT_FALSE(value_as_int64(element("'5'"), &n));
}

static const char *decimal_text(bson_decimal128_t d)
{
	static char text[BSON_DECIMAL128_STRING];

	bson_decimal128_to_string(&d, text);
	return text;
}

static bson_decimal128_t decimal(const char *text)
{
	bson_decimal128_t d;

	bson_decimal128_from_string(text, &d);
	return d;
}

static void test_decimal_arithmetic(void)
{
	ASSERT_TEXT(decimal_text(decimal_add(decimal("290.90"), decimal("260.50"))), "551.40");
	ASSERT_TEXT(decimal_text(decimal_multiply(decimal("290.90"), decimal_from_int64(2))), "581.80");
	ASSERT_TEXT(decimal_text(decimal_divide(decimal("1"), decimal("3"))), "0.3333333333333333333333333333333333");
	ASSERT_TEXT(decimal_text(decimal_modulo(decimal("-5.5"), decimal("2"))), "-1.5");
	ASSERT_TEXT(decimal_text(decimal_round(decimal("2.345"), 2, DECIMAL_NEAREST_EVEN)), "2.34");
	ASSERT_TEXT(decimal_text(decimal_round(decimal("-1250"), -2, DECIMAL_NEAREST_EVEN)), "-1.2E+3");
	ASSERT_TEXT(decimal_text(decimal_from_double(0.1)), "0.100000000000000");
	ASSERT_TEXT(decimal_text(decimal_add(decimal("9.999999999999999999999999999999999E+6144"),
	                                     decimal("9.999999999999999999999999999999999E+6144"))), "Infinity");
}

/* The name's NUL is the document's terminator: there is no room for a value, and what follows is not the document's. */
static void a_name_that_takes_the_terminator(void)
{
	static const uint8_t bytes[] = { 8, 0, 0, 0, BSON_TYPE_UTF8, 'a', 'b', 0 };
	uint8_t *alone = harness_keep(malloc(sizeof bytes));
	struct value v;
	struct walk w;
	struct field f;

	memcpy(alone, bytes, sizeof bytes);
	CU_ASSERT_TRUE_FATAL(value_document(&v, alone, sizeof bytes));
	walk_begin(&w, v);
	CU_ASSERT_FALSE(walk_next(&w, &f));
	CU_ASSERT_PTR_NOT_NULL(w.broken);
	alone[4] = BSON_TYPE_REGEX;
	walk_begin(&w, v);
	CU_ASSERT_FALSE(walk_next(&w, &f));
}

/* Whatever the table holds, it answers as the document does: with few fields, with more than it has room for, twice one name. */
static void field_tables_answer_as_documents(void)
{
	static const char *const odd[] = { "", "f", "f1", "1f", "f100000", "twice", "Twice" };
	struct bytes json = BYTES_INIT;
	char name[16];

	for (int fields = 0; fields <= FIELD_TABLE_LIMIT + 3; fields++) {
		struct field_table table;
		struct value v;

		bytes_reset(&json);
		bytes_append_text(&json, "{\"twice\": 1, \"twice\": 2, \"\": 3");
		for (int i = 0; i < fields; i++)
			bytes_format(&json, ", \"f%d\": %d", i, i);
		bytes_append_byte(&json, '}');
		v = harness_json(bytes_text(&json));
		field_table_init(&table, v);
		for (int i = -1; i <= fields; i++) {
			snprintf(name, sizeof name, "f%d", i);
			CU_ASSERT_PTR_EQUAL(field_table_get(&table, name).bytes, value_get(v, name).bytes);
		}
		for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
			CU_ASSERT_PTR_EQUAL(field_table_get(&table, odd[i]).bytes, value_get(v, odd[i]).bytes);
		CU_ASSERT_EQUAL(value_int32(field_table_get(&table, "twice")), 1);
		field_table_init(&table, value_get(v, "twice"));
		CU_ASSERT_TRUE(value_is_missing(field_table_get(&table, "twice")));
	}
	bytes_clear(&json);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "order of all types", test_order_of_all_types },
		{ "hashes spread", test_hashes_spread },
		{ "damaged documents are noticed", test_damaged_documents_are_noticed },
		{ "check names reason and offset", test_check_names_reason_and_offset },
		{ "writer copies as it lies", test_writer_copies_as_it_lies },
		{ "paths", test_path },
		{ "numbers convert exactly", test_numbers_convert_exactly },
		{ "Decimal128 arithmetic", test_decimal_arithmetic },
		{ "a name that takes the terminator", a_name_that_takes_the_terminator },
		{ "field tables answer as documents", field_tables_answer_as_documents },
		{ NULL, NULL },
	};

	return harness_run("value", cases);
}
