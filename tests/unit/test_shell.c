/* The shells' notation and what people paste. */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/paste.h"
#include "bson/print.h"
#include "bson/read.h"
#include "bson/shell_json.h"

/* Without the spaces that the printer puts after colons and commas. */
static void append_tight(struct bytes *out, struct value v, enum print_form form)
{
	struct bytes text = BYTES_INIT;

	print_value(&text, v, &(struct print_options){ .form = form });
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] != ' ' || !strchr(":,", text.data[i - 1]) || !strchr("\"}]0123456789-elN", text.data[i - 2]))
			bytes_append_byte(out, text.data[i]);
	bytes_clear(&text);
}

static const char *canonical(struct value v)
{
	struct bytes out = BYTES_INIT;

	append_tight(&out, v, PRINT_CANONICAL);
	return harness_keep(bytes_take_text(&out));
}

/* The text in shell notation, as canonical Extended JSON, or the error. */
static const char *shell(const char *text)
{
	struct bytes out = BYTES_INIT;
	struct value v;
	bson_error_t error;
	const char *result;

	if (!read_shell_document("t", text, strlen(text), &out, &error)) {
		bytes_clear(&out);
		return harness_keep(strdup(error.message));
	}
	CU_ASSERT_FATAL(value_document(&v, out.data, out.size));
	result = canonical(v);
	bytes_clear(&out);
	return result;
}

static void test_notation(void)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "{a: 'x', \"b\": `y`, $c: 1, 2: 3,}",
		  "{\"a\":\"x\",\"b\":\"y\",\"$c\":{\"$numberInt\":\"1\"},\"2\":{\"$numberInt\":\"3\"}}" },
		{ "{ /* a\nb */ a: [1, 2, // c\n ], }", "{\"a\":[{\"$numberInt\":\"1\"},{\"$numberInt\":\"2\"}]}" },
		{ "{a: 'it\\'s' + \" two\" + '\\x41\\u00e9\\q'}", "{\"a\":\"it's twoAéq\"}" },
		{ "{a: 0x1F, b: +5, c: .5, d: 5., e: -Infinity, f: NaN, g: 12n, h: undefined}",
		  "{\"a\":{\"$numberInt\":\"31\"},\"b\":{\"$numberInt\":\"5\"},\"c\":{\"$numberDouble\":\"0.5\"},"
		  "\"d\":{\"$numberDouble\":\"5.0\"},\"e\":{\"$numberDouble\":\"-Infinity\"},"
		  "\"f\":{\"$numberDouble\":\"NaN\"},\"g\":{\"$numberInt\":\"12\"},\"h\":{\"$undefined\":true}}" },
		{ "{a: NumberLong(\"9007199254740993\"), b: Long('-1'), c: NumberInt(7), d: NumberDecimal('1.50')}",
		  "{\"a\":{\"$numberLong\":\"9007199254740993\"},\"b\":{\"$numberLong\":\"-1\"},"
		  "\"c\":{\"$numberInt\":\"7\"},\"d\":{\"$numberDecimal\":\"1.50\"}}" },
		{ "{a: ObjectId('0123456789abcdef01234567'), b: new Date(5), c: ISODate(\"2026-06-30\"), "
		  "d: new ISODate('2026-06-30T12:00:00+02:00')}",
		  "{\"a\":{\"$oid\":\"0123456789abcdef01234567\"},\"b\":{\"$date\":{\"$numberLong\":\"5\"}},"
		  "\"c\":{\"$date\":{\"$numberLong\":\"1782777600000\"}},"
		  "\"d\":{\"$date\":{\"$numberLong\":\"1782813600000\"}}}" },
		{ "{a: Timestamp(3, 4), b: Timestamp({t: 3, i: 4}), c: UUID('00112233-4455-6677-8899-aabbccddeeff')}",
		  "{\"a\":{\"$timestamp\":{\"t\":3,\"i\":4}},\"b\":{\"$timestamp\":{\"t\":3,\"i\":4}},"
		  "\"c\":{\"$binary\":{\"base64\":\"ABEiM0RVZneImaq7zN3u/w==\",\"subType\":\"04\"}}}" },
		{ "{a: BinData(0, 'AQI='), b: HexData(0, '0102'), c: Binary(Buffer.from('0102', 'hex'), 5), "
		  "d: Binary.createFromBase64('AQI=', 0), e: MD5('0102')}",
		  "{\"a\":{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"00\"}},"
		  "\"b\":{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"00\"}},"
		  "\"c\":{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"05\"}},"
		  "\"d\":{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"00\"}},"
		  "\"e\":{\"$binary\":{\"base64\":\"AQI=\",\"subType\":\"05\"}}}" },
		{ "{a: MinKey, b: MaxKey(), c: /a[/]b\\/c/ix, d: RegExp('x', 'i'), e: DBRef('c', 1)}",
		  "{\"a\":{\"$minKey\":1},\"b\":{\"$maxKey\":1},"
		  "\"c\":{\"$regularExpression\":{\"pattern\":\"a[/]b/c\",\"options\":\"ix\"}},"
		  "\"d\":{\"$regularExpression\":{\"pattern\":\"x\",\"options\":\"i\"}},"
		  "\"e\":{\"$ref\":\"c\",\"$id\":{\"$numberInt\":\"1\"}}}" },
		{ "{a: Double(3), b: Decimal128.fromString('2'), c: Int32('4'), d: true, e: null}",
		  "{\"a\":{\"$numberDouble\":\"3.0\"},\"b\":{\"$numberDecimal\":\"2\"},"
		  "\"c\":{\"$numberInt\":\"4\"},\"d\":true,\"e\":null}" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ASSERT_TEXT(shell(cases[i].text), cases[i].expected);
}

static void test_errors_name_line_column_and_what_was_expected(void)
{
	ASSERT_TEXT(shell("{a: ObjectId('12')}"), "t:1:13: ObjectId wants 24 hexadecimal digits in quotes");
	ASSERT_TEXT(shell("{a: 1\n b: 2}"), "t:2:2: expected '}', found 'b'");
	ASSERT_TEXT(shell("{a: words}"), "t:1:5: expected a value, found 'words'");
	ASSERT_TEXT(shell("{a: 1,\n b: words\n\n}"), "t:2:5: expected a value, found 'words'");
	ASSERT_TEXT(shell("{a: 'x"), "t:1:5: string without an end");
	ASSERT_TEXT(shell("{a: /x"), "t:1:5: regular expression without an end");
	ASSERT_TEXT(shell("{a: 'x\ny'}"), "t:1:7: control character in a string");
	ASSERT_TEXT(shell("{a: 1} {"), "t:1:8: expected the end after the document, found '{'");
	ASSERT_TEXT(shell("{a: 0x}"), "t:1:5: not a hexadecimal number of at most 15 digits");
	ASSERT_TEXT(shell("{a: Long(Long(Long(Long(Long(Long(Long(Long(Long(1)))))))))}"),
	            "t:1:49: constructors nested deeper than 8 levels");
	ASSERT_TEXT(shell("{a: ...}"), "t:1:5: expected a value, found '...'");
}

/* All documents of a paste, a line each; "incomplete" after one of which something was left out. */
static const char *pasted(const char *text)
{
	struct bytes out = BYTES_INIT;
	struct paste p;
	struct paste_document d;
	struct value v;
	bson_error_t error;

	paste_init(&p, "t", text, strlen(text));
	while (paste_next(&p, &d)) {
		if (value_document(&v, d.bson.data, d.bson.size))
			append_tight(&out, v, PRINT_RELAXED);
		bytes_format(&out, "%s\n", d.incomplete ? " incomplete" : "");
		bytes_clear(&d.bson);
	}
	if (!out.size) {
		paste_fail(&p, &error);
		bytes_format(&out, "%s", error.message);
	}
	paste_clear(&p);
	return harness_keep(bytes_take_text(&out));
}

static void test_pastes(void)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "connecting to: x\nrs0:PRIMARY> db.a.find().explain()\n{ a: 1 }\n> bye\n{ b: 2 }", "{\"a\":1}\n{\"b\":2}\n" },
		{ "result = {a: 1}", "{\"a\":1}\n" },
		{ "  \"winningPlan\": { stage: 'X' }", "{\"winningPlan\":{\"stage\":\"X\"}}\n" },
		{ "[ {a: 1}, {a: 2} ]", "{\"a\":1}\n{\"a\":2}\n" },
		{ "\xef\xbb\xbf{a: 1,\r\n b: 2}\r\n", "{\"a\":1,\"b\":2}\n" },
		{ "mongo-1  | {\nmongo-1  |   a: 1\nmongo-1  | }\n", "{\"a\":1}\n" },
		{ "{a: 1, b: { ... }, c: [1, ... 2], d: [Object], e: 4}", "{\"a\":1,\"b\":{},\"c\":[1,{\"$undefined\":true},2],\"d\":{\"$undefined\":true},\"e\":4} incomplete\n" },
		{ "{a: [Object: null prototype] { b: 1 }, c: Long { low: 7, high: 1, unsigned: false }, d: Timestamp { t: 1 }}",
		  "{\"a\":{\"b\":1},\"c\":4294967303,\"d\":{\"t\":1}}\n" },
		{ "{a: [[1], ...], b: [...], c: [..., 3]}",
		  "{\"a\":[[1],{\"$undefined\":true}],\"b\":[{\"$undefined\":true}],\"c\":[{\"$undefined\":true},3]} incomplete\n" },
		{ "{a: b'\\x01', b: BSONInteger(5), c: datetime.datetime(2026, 1, 2, 3, 4, 5, 6000, tzinfo=datetime.timezone.utc)}",
		  "{\"a\":{\"$binary\":{\"base64\":\"AQ==\",\"subType\":\"00\"}},\"b\":5,\"c\":{\"$date\":\"2026-01-02T03:04:05.006Z\"}}\n" },
		{ "{a: 2026-01-02T03:04:05.006Z, b: 0123456789abcdef01234567, c: <Buffer 0a 0b>, d: <ref *1> { e: 1 }}",
		  "{\"a\":{\"$date\":\"2026-01-02T03:04:05.006Z\"},\"b\":{\"$oid\":\"0123456789abcdef01234567\"},\"c\":{\"$undefined\":true},"
		  "\"d\":{\"e\":1}} incomplete\n" },
		{ "{a: 1, # one\n b: 2 <-- two\n, c: 3 \xe2\x86\x90 three\n}", "{\"a\":1,\"b\":2,\"c\":3}\n" },
		{ "{\n|\na: 1,\n|\n....,\n|\nb: 2\n|\n}\n|\n", "{\"a\":1,\"b\":2} incomplete\n" },
		{ "{a b} {c: 1}", "{\"c\":1}\n" },
		{ "{a b, c: {d: 1}", "{\"c\":{\"d\":1}} incomplete\n" },
		{ "{a: datetime.datetime(2026, 13, 2)}", "{} incomplete\n" },
		{ "{\x1b[32m'a'\x1b[39m: \x1b[33m1\x1b[39m}", "{\"a\":1}\n" },
		{ "{\xe2\x80\x9c" "a\xe2\x80\x9d: \xe2\x80\x9cx\xe2\x80\x9d}", "{\"a\":\"x\"}\n" },
		{ "{\"a\": \"\xe2\x80\x9cx\xe2\x80\x9d\"}", "{\"a\":\"\xe2\x80\x9cx\xe2\x80\x9d\"}\n" },
		{ "{a: [1, 2, ... 98 more items], b: 3}", "{\"a\":[1,2,{\"$undefined\":true}],\"b\":3} incomplete\n" },
		{ "{a: [1, 2", "{\"a\":[1]} incomplete\n" },
		{ "{a: 1, b: {c: 12", "{\"a\":1,\"b\":{}} incomplete\n" },
		{ "{a: 1, b: 'cut o", "{\"a\":1} incomplete\n" },
		{ "{a: 1, \"b", "{\"a\":1} incomplete\n" },
		{ "{a: 1, b: {\"$numberLong\": \"12", "{\"a\":1} incomplete\n" },
		{ "{a: 1, b: ObjectId('0123", "{\"a\":1} incomplete\n" },
		{ "{'a': True, 'b': None, 'c': datetime.datetime(2026, 1, 2), 'd': 1}",
		  "{\"a\":true,\"b\":null,\"c\":{\"$date\":\"2026-01-02T00:00:00Z\"},\"d\":1}\n" },
		{ "Nov 30 12:00:00 db1 mongod[7]: {\"t\":{\"$date\":\"2026-01-01T00:00:00Z\"},\"msg\":\"Slow\n query\",\"n\":12\n34}\n",
		  "{\"t\":{\"$date\":\"2026-01-01T00:00:00Z\"},\"msg\":\"Slow query\",\"n\":1234}\n" },
		{ "{a: {\"$timestamp\": \"5\"}}", "{\"a\":{\"$timestamp\":\"5\"}}\n" },
		{ "{a: {b: 1}, c: 1 d}", "{\"a\":{\"b\":1}} incomplete\n" }, /* the whole could not be read */
		{ "no document", "t: no document in it: expected {" },
		{ "x\n{a: 1 b}", "t:2:7: expected '}', found 'b', in: {a: 1 b}" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ASSERT_TEXT(pasted(cases[i].text), cases[i].expected);
}

/* Every prefix of a paste reads, and what it reads is part of the whole. */
static void test_no_prefix_of_a_paste_invents_a_value(void)
{
	static const char text[] = "{a: 123, b: 'text', c: [1, {d: NumberLong('45')}, /x/i], e: ISODate('2026-01-01'), f: true}";

	for (size_t size = 1; size < sizeof text - 1; size++) {
		char *prefix = strndup(text, size);
		const char *got = pasted(prefix);

		CU_ASSERT_PTR_NULL(strstr(got, "\"a\":1}"));
		CU_ASSERT_PTR_NULL(strstr(got, "\"d\":4}"));
		CU_ASSERT_PTR_NULL(strstr(got, "\"b\":\"t\""));
		CU_ASSERT_PTR_NOT_NULL(strstr(got, "incomplete"));
		free(prefix);
	}
}

static void test_depth(void)
{
	struct bytes text = BYTES_INIT;

	for (int i = 0; i < 250; i++)
		bytes_append_text(&text, "{a:");
	bytes_append_text(&text, "1");
	for (int i = 0; i < 250; i++)
		bytes_append_text(&text, "}");
	CU_ASSERT_PTR_NULL(strstr(shell(bytes_text(&text)), "nested"));
	bytes_clear(&text);
	for (int i = 0; i < 251; i++)
		bytes_append_text(&text, "{a:");
	CU_ASSERT_PTR_NOT_NULL(strstr(shell(bytes_text(&text)), "nested deeper than 250 levels"));
	bytes_clear(&text);
}

/* Text that fails everywhere is given up in time that grows with its size. */
static void test_hopeless_texts_end(void)
{
	static const char *const pieces[] = { "{a:", "{/*", "{'", "{a:[", "{a: Long(", "{$oid:", "{'$scope':" };

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct bytes text = BYTES_INIT;

		while (text.size < 300000)
			bytes_append_text(&text, pieces[i]);
		CU_ASSERT_PTR_NOT_NULL(pasted(bytes_text(&text)));
		bytes_clear(&text);
	}
}

/* As JSON without a document in between, or the reader's turn: never anything else than reading and printing give. */
static void test_as_json_is_what_reading_and_printing_give(void)
{
	static const char *const converted[] = {
		"{}", "{ }", "{ a: 1 }", "{ a: -1, b: 0, c: [ 1, 2, { d: [] } ] }", "{ a: 123456789012345678, b: 1.0, c: 1e3, d: .5 }",
		"{ a: 1234567890123456789, b: 12345678901234567890, c: -0 }", "{ a: true, b: false, c: null }",
		"{ a: \"x }\", b: \"\", c: \"a \\\"b\\\" \\n\", d: \"\xc3\xa9\", e: 'single' }",
		"{ a: ObjectId('65a000000000000000000001'), b: UUID(\"b7e1a2c4-6f0e-4a58-8a4c-3f4f8f0d9a77\") }",
		"{ a: new Date(1764547200000), b: new Date(-1), c: Timestamp(1, 2), d: /x\\/y/i, e: MinKey, f: undefined }",
		"{ a: { $in: [ 1 ] }, $db: \"x\" }", "{a:1,b:[1,2]}", "{ a: BinData(0, \"AQID\") }",
		"{ a: BinData(4, A12C78476038486684B2A62D90F679E5), b: BinData(0, 01), c: BinData(0, ), d: BinData(5, 4e10) }",
	};
	static const char *const left[] = {
		"", "{", "{ a: 1", "{ a: 1 } x", "{ a: 1, }", "{ a: [ 1 }", "{ a: }", "{ : 1 }", "{ a 1 }", "{ a: ... }", "[ 1 ]",
		"{ a: { $oid: \"65a000000000000000000001\" } }", "{ a: \"x }", "{ \"a\": 1 }",
		"{ a: \"x\" + \"y\" }", "{ trueish: trueish }", "{ a: BinData(0, 012) }", "{ a: BinData(0, AQID) }",
	};

	for (size_t i = 0; i < sizeof converted / sizeof *converted; i++) {
		struct bytes out = BYTES_INIT, document = BYTES_INIT, expected = BYTES_INIT;
		struct reader r;
		struct value v;

		reader_init(&r, "test", converted[i], strlen(converted[i]));
		r.notation = READER_PASTE;
		if (reader_document(&r, &document, NULL) && value_document(&v, document.data, document.size))
			print_value(&expected, v, &(struct print_options){ .form = PRINT_RELAXED });
		CU_ASSERT_TRUE(shell_as_json(&out, (struct span){ converted[i], strlen(converted[i]) }));
		ASSERT_TEXT(bytes_text(&out), bytes_text(&expected));
		bytes_clear(&out);
		bytes_clear(&document);
		bytes_clear(&expected);
	}
	for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
		struct bytes out = BYTES_INIT;

		CU_ASSERT_FALSE(shell_as_json(&out, (struct span){ left[i], strlen(left[i]) }));
		CU_ASSERT_EQUAL(out.size, 0);
		bytes_clear(&out);
	}
}

static void test_as_json_takes_names_with_dots(void)
{
	static const char text[] = "{ find: \"o\", filter: { items.sku: 5, a-b: { $gt: 1 } } }";
	struct bytes out = BYTES_INIT;

	CU_ASSERT_TRUE(shell_as_json(&out, (struct span){ text, strlen(text) }));
	ASSERT_TEXT(bytes_text(&out), "{\"find\": \"o\", \"filter\": {\"items.sku\": 5, \"a-b\": {\"$gt\": 1}}}");
	bytes_clear(&out);
}

int main(void)
{
	static const struct test_case tests[] = {
		{ "as JSON", test_as_json_is_what_reading_and_printing_give },
		{ "as JSON, dots", test_as_json_takes_names_with_dots },
		{ "notation", test_notation },
		{ "errors", test_errors_name_line_column_and_what_was_expected },
		{ "pastes", test_pastes },
		{ "prefixes", test_no_prefix_of_a_paste_invents_a_value },
		{ "depth", test_depth },
		{ "hopeless texts", test_hopeless_texts_end },
		{ NULL, NULL },
	};

	return harness_run("shell notation", tests);
}
