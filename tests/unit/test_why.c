/* Errors' texts, as servers of many releases, drivers,
  shells and logs wrote them in public reports: what is read out of them. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "harness/harness.h"
#include "model/why.h"

#define INTERNAL "is invalid. Size must be between 0 and 16793600(16MB)"

/* One error each. -1: not in the text; null: no such thing. */
static const struct told {
	const char *text;
	int32_t code; /* 0: without a code */
	int64_t size, limit;
	const char *kind, *collection, *id;
} told[] = {
	/* a8: First element: which it was */
	{ "MongoServerError: BSONObj size: 17096531 (0x104DF53) " INTERNAL " First element: aggregate: \"uconn\"", 10334,
	  17096531, 16793600,
	  "command", "uconn", NULL },
	{ "{ MongoError: BSONObj size: 16912181 (0x1020F35) " INTERNAL " First element: insert: \"pages\"\n    at "
	  "/usr/lib/pool.js:581:63\n  ok: 0,\n"
	  "  errmsg:\n   'BSONObj size: 16912181 (0x1020F35) " INTERNAL " First element: insert: \"pages\"',\n  code: 10334,\n"
	  "  codeName: 'BSONObjectTooLarge' }", 10334, 16912181, 16793600, "command", "pages", NULL },
	{ "Jul 03 16:06:35 MongoError: BSONObj size: 17097847 (0x104E477) " INTERNAL " First element: update: "
	  "\"rocketchat_export_operations\"",
	  10334, 17097847, 16793600, "command", "rocketchat_export_operations", NULL },
	{ "{\"level\":\"warn\",\"msg\":\"CreateTask\",\"err\":\"BSONObj size: 19021871 (0x122402F) " INTERNAL " First "
	  "element: insert: \\\"mgo_txn\\\"\"}",
	  10334, 19021871, 16793600, "command", "mgo_txn", NULL },
	{ "BSONObj size: 17000000 (0x1036640) " INTERNAL " First element: q: { _id: 7 }", 10334, 17000000, 16793600, "command",
	  NULL, "7" },
	{ "insert_many: errmsg: BSONObj size: 18874403 (0x1200023) " INTERNAL " First element: _id: "
	  "ObjectId('657546bce7630c6acf9cdd53')", 10334,
	  18874403, 16793600, "document", NULL, "ObjectId('657546bce7630c6acf9cdd53')" },
	{ "BSONObj size: 26748350 (0x19825BE) " INTERNAL " First element: note: \"all times in microseconds\"", 10334,
	  26748350, 16793600, "reply",
	  NULL, NULL },
	{ "BSONObj size: 16809968 (0x1007FF0) " INTERNAL " First element: $v: 1 src/mongo/bson/bsonobj.cpp 98", 10334,
	  16809968, 16793600,
	  "oplog entry", NULL, NULL },
	/* a7: a change event is known by its resume token */
	{ "Executor error during getMore :: caused by :: BSONObj size: 17701268 (0x10E1994) " INTERNAL " First element: _id: "
	  "{ _data: \"8263\" }",
	  10334, 17701268, 16793600, "change event", NULL, NULL },
	/* a4: the second of two different limits */
	{ "BSONObj size: 19046166 (0x1229F16) " INTERNAL " First element: id: 293825087070.0", 10334, 19046166, 16793600,
	  "made document", NULL, NULL },
	{ "warn: PlanExecutor error during aggregation :: caused by :: BSONObj size: 26795582 (0x198DE3E) " INTERNAL
	  " First element: timestamp: new Date(1656633600000)", 10334, 26795582, 16793600, "made document", NULL, NULL },
	/* a6 */
	{ "BSONObj size: 42293758 (0x28559FE) " INTERNAL " First element: metadata: { total: 671 }", 10334, 42293758, 16793600,
	  "made document", NULL,
	  NULL },
	/* older, other clients, cut off */
	{ "(*mgo.BulkError) [BSONObj size: 21725988 (0x14B8324) " INTERNAL, 10334, 21725988, 16793600, NULL, NULL, NULL },
	{ "error: bsonobj size: 16904485 (0x101f125) is invalid", 10334, 16904485, 16793600, NULL, NULL, NULL },
	{ "insert for $out failed: { connectionId: 56, err: \\\\\"BSONObj size: 61960014 (0x3B16F4E) " INTERNAL
	  " First element: _id: { 0: null }\\\\\", code: 10334, codeName: \\\\\"Location10334\\\\\", n: 0, ok: 1.0 }' on "
	  "server localhost:27017", 10334,
	  61960014, 16793600, "document", NULL, "{ 0: null }" },
	/* no sizes at all: damaged data */
	{ "MongoError: BSONObj size: 0 (0x00000000) " INTERNAL " First element: EOO", 10334, 0, 16793600, "broken", NULL,
	  NULL },
	{ "BSONObj size: -286331154 (0xEEEEEEEE) " INTERNAL " First element: __v: 0", 10334, -286331154, 16793600, "broken",
	  NULL, NULL },
	{ "BSONObj size: -1342177280 (0xB0000000) " INTERNAL " First element: \357\277\275: ?type=-100 at ", 10334,
	  -1342177280, 16793600, "broken",
	  NULL, NULL },
	{ "oltp-mongo.lua:465: BSONObj size: 1184827840 (0x469F09C0) " INTERNAL, 10334, 1184827840, 16793600, "broken", NULL,
	  NULL },
	/* an update that would make it too large */
	{ "pymongo error: {'index': 0, 'code': 17419, 'errmsg': 'Resulting document after update is larger than 16777216'}",
	  17419, -1, 16777216,
	  NULL, NULL, NULL },
	{ "com.mongodb.MongoCommandException: Command failed with error 17419: 'Resulting document after update is larger "
	  "than 16777216' on server "
	  "10.88.0.2:27017. The full response is { \"ok\" : 0.0, \"errmsg\" : \"Resulting document after update is larger "
	  "than 16777216\", \"code\" : "
	  "17419, \"codeName\" : \"Location17419\" }", 17419, -1, 16777216, NULL, NULL, NULL },
	{ "WriteError: { Category : \"Uncategorized\", Code : 17419, Message : \"Resulting document after update is larger "
	  "than 16777216\" }", 17419,
	  -1, 16777216, NULL, NULL, NULL },
	{ "{u'code': 17419, u'errmsg': u'Resulting document after update is larger than 16777216', u'op': SON([('q', {'_id': "
	  "'x-9'})])}", 17419, -1,
	  16777216, NULL, NULL, "'x-9'" },
	{ "{\"t\":{\"$date\":\"2026-01-01T00:00:00.000Z\"},\"s\":\"I\",\"c\":\"WRITE\",\"attr\":{\"ns\":\"shop.carts\",\"command\":{\"q\":{\"_id\":"
	  "{\"$oid\":\"58a20fa7c56e52675187faef\"}}},\"error\":{\"code\":17419,\"codeName\":\"Location17419\",\"errmsg\":\"Resulting document after "
	  "update is larger than 16777216\"}}}", 17419, -1, 16777216, NULL, "carts", "{\"$oid\":\"58a20fa7c56e52675187faef\"}"
	  },
	/* a9: three sizes, three errors */
	{ "BulkWriteError errmsg: object to insert too large. size in bytes: 16777250, max size: 16777216", 2, 16777250,
	  16777216, NULL, NULL, NULL },
	{ "pymongo.errors.DocumentTooLarge: BSON document too large (50331680 bytes) - the connected server supports BSON "
	  "document sizes up to "
	  "16777216 bytes.", 0, 50331680, 16777216, NULL, NULL, NULL },
	{ "pymongo.errors.DocumentTooLarge: BSON document too large (16840242 bytes) - the connected server supports BSON "
	  "document sizes up to "
	  "16793598 bytes.", 0, 16840242, 16793598, NULL, NULL, NULL },
	{ "DocumentTooLarge: command document too large", 0, -1, 16777216, NULL, NULL, NULL },
	{ "BSON document size exceeds 16 MB limit: 16777516", 0, 16777516, 16777216, NULL, NULL, NULL },
	{ "org.bson.BsonMaximumSizeExceededException: Payload document size is larger than maximum of 16777216.", 0, -1,
	  16777216, NULL, NULL, NULL },
	{ "org.bson.BsonMaximumSizeExceededException: Document size of 17826076 is larger than maximum of 16793600.", 0,
	  17826076, 16793600, NULL,
	  NULL, NULL },
	{ "System.FormatException: Size 17876375 is larger than MaxDocumentSize 16793600.", 0, 17876375, 16793600, NULL, NULL,
	  NULL },
	{ "MongoError: document is larger than the maximum size 16777216", 0, -1, 16777216, NULL, NULL, NULL },
	{ "Document 0 is too large for the cluster. Document is 17825828 bytes, max is 16777216.", 0, 17825828, 16777216, NULL,
	  NULL, NULL },
	{ "Failed: (command failure) exceeded the maximum document size, got length: 16777265", 0, 16777265, 16777216, NULL,
	  NULL, NULL },
	{ "RangeError [ERR_OUT_OF_RANGE]: The value of \"offset\" is out of range. It must be >= 0 && <= 17825792. Received "
	  "17825794", 0, 17825794,
	  17825792, NULL, NULL, NULL },
	/* a3 */
	{ "Total size of documents in edge matching { $match: { $and: [ { from: { $eq: \"B02\" } }, {} ] } } exceeds maximum "
	  "document size", 4568, -1,
	  0, NULL, "edge", NULL },
	{ "Total size of documents in instances matching pipeline { $match: { $and: [ { instanceId: { $in: [ \\\"eb163273\\\" "
	  "] } }, {} ] } } exceeds "
	  "maximum document size\"`", 4568, -1, 0, NULL, "instances", NULL },
	{ "PlanExecutor error during aggregation :: caused by :: Total size of documents in copies matching pipeline's "
	  "$lookup stage exceeds 104857600 "
	  "bytes", 4568, -1, 104857600, NULL, "copies", NULL },
	/* a4: memory of a stage */
	{ "MongoError: Exceeded memory limit for $group, but didn't allow external sort. Pass allowDiskUse:true to opt in.",
	  292, -1, 104857600, NULL,
	  NULL, NULL },
	{ "PlanExecutor error during aggregation :: caused by :: Exceeded memory limit for $group, but didn't allow external "
	  "spilling; pass "
	  "allowDiskUse:true to opt in\n  code: 292,\n  codeName: 'QueryExceededMemoryLimitNoDiskUseAllowed'", 292, -1,
	  104857600, NULL, NULL, NULL },
	{ "Executor error during find command :: caused by :: Sort exceeded memory limit of 104857600 bytes, but did not opt "
	  "in to external sorting.",
	  292, -1, 104857600, NULL, NULL, NULL },
	{ "exception: Sort exceeded memory limit of 104857600 bytes, but did not opt in to external sorting. Aborting "
	  "operation. Pass "
	  "allowDiskUse:true to opt in. code: 16819", 292, -1, 104857600, NULL, NULL, NULL },
	{ "$push used too much memory and cannot spill to disk. Memory limit: 104857600 bytes", 146, -1, 104857600, NULL, NULL,
	  NULL },
	{ "$addToSet used too much memory and cannot spill to disk. Memory limit: 104857600 bytes", 146, -1, 104857600, NULL,
	  NULL, NULL },
	{ "exception: aggregation result exceeds maximum document size (16MB)\", code: 16389", 16389, -1, 16793600, NULL, NULL,
	  NULL },
	/* indexes, capped collections, messages, depth */
	{ "Mongo::OperationFailure: 17280: insertDocument :: caused by :: 17280 Btree::insert: key too large to index, failing "
	  "standards_crawler.quads.$o_1 1033 { : \"aaa...\" }", 17280, 1033, 1024, NULL, "quads", NULL },
	{ "MongoError: WiredTigerIndex::insert: key too large to index, failing  1206 { : \"errors:404\" }", 17280, 1206, 1024,
	  NULL, NULL, NULL },
	{ "pypln_demo.analysis ERROR: key too large len:21149 max:1024 21149 pypln_demo.analysis.$_id_1_value_1", 17280, 21149,
	  1024, NULL, NULL,
	  NULL },
	{ "Cannot change the size of a document in a capped collection: 42 != 50", 10003, -1, 0, NULL, NULL, NULL },
	{ "[conn11] recv(): message msgLen 156903002 is invalid. Min 16 Max: 48000000", 0, 156903002, 48000000, NULL, NULL,
	  NULL },
	{ "exceeded maximum nested object depth: 200", 15, -1, 0, NULL, NULL, NULL },
	/* named, without their messages */
	{ "{ok: 0, code: NumberInt(10334)}", 10334, -1, 16793600, NULL, NULL, NULL },
	{ "{\"code\": {\"$numberInt\": \"10003\"}}", 10003, -1, 0, NULL, NULL, NULL },
	{ "ReactiveMongo: BSONObjectTooLarge", 10334, -1, 16793600, NULL, NULL, NULL },
	{ "not authorized on shop to execute command { collStats: \"carts\" }", 13, -1, 0, NULL, NULL, NULL },
	{ "(AtlasError) Unallowed argument in listDatabases command: authorizedDatabases", 8000, -1, 0, NULL, NULL, NULL },
	{ "Unrecognized expression '$bsonSize'", 168, -1, 0, NULL, NULL, NULL },
};

static const char *or_none(const char *text)
{
	return text ? text : "(none)";
}

static void test_known_texts(void)
{
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		const struct told *t = &told[i];
		struct why w;

		why_read(&w, t->text, strlen(t->text), NULL);
		if (w.finding_count != 1)
			fprintf(stderr, "%zu found in: %s\n", w.finding_count, t->text);
		CU_ASSERT_EQUAL(w.finding_count, 1);
		if (w.finding_count) {
			const struct why_finding *f = &w.findings[0];

			if (f->error->codes[0] != t->code || (f->has_size ? f->size_bytes : -1) != t->size || f->limit_bytes != t->limit)
				fprintf(stderr, "%d %lld %lld in: %s\n", f->error->codes[0], (long long)f->size_bytes,
				  (long long)f->limit_bytes,
				        t->text);
			CU_ASSERT_EQUAL(f->error->codes[0], t->code);
			CU_ASSERT_EQUAL(f->has_size ? f->size_bytes : -1, t->size);
			CU_ASSERT_EQUAL(f->limit_bytes, t->limit);
			ASSERT_TEXT(or_none(f->thing ? f->thing->kind : NULL), or_none(t->kind));
			ASSERT_TEXT(or_none(w.collection), or_none(t->collection));
			ASSERT_TEXT(or_none(w.id), or_none(t->id));
		}
		why_clear(&w);
	}
}

static const char *printed(const char *text)
{
	struct bytes out = BYTES_INIT;
	struct why w;

	why_read(&w, text, strlen(text), NULL);
	why_print(&w, 1000, &out);
	why_clear(&w);
	return harness_keep(bytes_take_text(&out));
}

static void holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fprintf(stderr, "expected \"%s\" in:\n%s", part, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, part));
}

/* 17,544,285 bytes are 104.57 % of the user limit. */
static void test_a5_how_far_over(void)
{
	const char *text = printed("BSONObj size: 17544285 (0x10BB45D) " INTERNAL " First element: _id: 1");

	holds(text, "17,544,285 bytes  0x10BB45D\n");
	holds(text, "16,793,600 bytes inside the server: 750,685 bytes over, 4.47 %");
	holds(text, "16,777,216 bytes a stored document: 767,069 bytes over, 4.57 %");
	holds(text, "bsonscope tree --document 1 -c COLLECTION SOURCE");
	holds(printed("object to insert too large. size in bytes: 16777217, max size: 16777216"), "1 bytes over, less than "
	  "0.01 %");
}

/* Old servers print the four bytes as they lie. */
static void test_hex_may_be_swapped(void)
{
	holds(printed("BSONObj size: 285213831 (0x87040011) is invalid."), "0x87040011 is the same number with its lowest "
	  "byte first, as it lies in "
	                                                                   "BSON: 0x11000487");
	holds(printed("BSONObj size: 17544285 (0x12345) is invalid."), "is another number");
}

/* a4: two messages in one report are two errors, in its order. */
static void test_a4_two_errors(void)
{
	static const char text[] = "I got Exceeded memory limit for $group, but didn't allow external sort. Then BSONObj "
	  "size: 19046166 (0x1229F16) "
				   INTERNAL " First element: id: 1";
	struct why w;

	why_read(&w, text, sizeof text - 1, NULL);
	CU_ASSERT_EQUAL_FATAL(w.finding_count, 2);
	CU_ASSERT_EQUAL(w.findings[0].error->codes[0], 292);
	CU_ASSERT_EQUAL(w.findings[1].error->codes[0], 10334);
	ASSERT_TEXT(w.findings[0].operator, "$group");
	why_clear(&w);
	holds(printed(text), "lifts this limit, but not the one on a document");
}

/* a3: the parent is named, in a command that finds it. */
static void test_a3_parent_is_named(void)
{
	const char *text = printed("Total size of documents in edge matching { $match: { $and: [ { from: { $eq: \"B02\" } }, "
	  "{} ] } } exceeds maximum "
	                           "document size");

	holds(text, "  for       \"B02\"\n");
	holds(text, "{\"LOCALFIELD\": \"B02\"}");
	holds(text, "$unwind");
}

static void test_unknown_is_said(void)
{
	ASSERT_TEXT(printed("connection refused"), "not known here, and no code is in the text\n");
	ASSERT_TEXT(printed("{ok: 0, code: 11000, codeName: 'DuplicateKey'}"), "not known here; codes in the text: 11000 "
	  "DuplicateKey\n");
	ASSERT_TEXT(printed("failed with error 112"), "not known here; codes in the text: 112\n");
	ASSERT_TEXT(printed("BadValue: code 2"), "not known here; codes in the text: 2\n");
	ASSERT_TEXT(printed(""), "not known here, and no code is in the text\n");
	/* a wrapper's code stands beside the error that is in it */
	holds(printed("{code: 16996, err: \"BSONObj size: 61960014 (0x3B16F4E) is invalid.\", code: 10334}"), "codes in the "
	  "text: 16996, 10334\n");
}

/* What a text brings into a command is quoted, and nothing reaches a terminal raw. */
static void test_names_are_quoted(void)
{
	const char *text = printed("BSONObj size: 19021871 (0x122402F) is invalid. First element: insert: \"a; rm -rf 'x' "
	  "\033[31m\"");

	holds(text, "-c 'a; rm -rf '\\''x'\\'' \\u001b[31m' SOURCE");
	CU_ASSERT_PTR_NULL(strchr(text, '\033'));
}

/* However it is broken or bounded, reading ends, and within the text. */
static void test_any_cut_is_read(void)
{
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		size_t length = strlen(told[i].text);

		for (size_t end = 0; end < length; end += 7) {
			char *cut = malloc(end ? end : 1); /* without a terminator: a read past the end is noticed */
			struct bytes out = BYTES_INIT;
			struct why w;

			memcpy(cut, told[i].text, end);
			why_read(&w, cut, end, "x.bson");
			why_print(&w, 80, &out);
			CU_ASSERT(out.size > 0);
			why_clear(&w);
			bytes_clear(&out);
			free(cut);
		}
	}
}

static void test_thresholds(void)
{
	struct thresholds t;

	CU_ASSERT_PTR_NULL(thresholds_reached(thresholds_default(), 299999));
	CU_ASSERT_EQUAL(thresholds_reached(thresholds_default(), 300000)->bytes, 300000);
	CU_ASSERT_EQUAL(thresholds_reached(thresholds_default(), 16777216)->bytes, 8388608);
	/* a9: above what a user may store, within what the server handles */
	CU_ASSERT_EQUAL(thresholds_reached(thresholds_default(), 16785000)->bytes, LIMIT_USER_BYTES + 1);
	CU_ASSERT_EQUAL(thresholds_reached(thresholds_default(), 16793600)->bytes, LIMIT_USER_BYTES + 1);
	CU_ASSERT_EQUAL(thresholds_reached(thresholds_default(), 16793601)->bytes, LIMIT_INTERNAL_BYTES + 1);
	CU_ASSERT(thresholds_parse("500000,1000", &t));
	CU_ASSERT_EQUAL(t.count, thresholds_default()->count + 1);
	CU_ASSERT_EQUAL(t.list[0].bytes, 1000);
	CU_ASSERT_EQUAL(t.list[1].bytes, 500000);
	CU_ASSERT_FALSE(thresholds_parse("", &t));
	CU_ASSERT_FALSE(thresholds_parse("1,", &t));
	CU_ASSERT_FALSE(thresholds_parse("1MB", &t));
	CU_ASSERT_FALSE(thresholds_parse("0", &t));
	CU_ASSERT_FALSE(thresholds_parse("1,2,3,4,5", &t));
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "texts of servers and drivers", test_known_texts },
		{ "a5: how far over, in bytes and percent", test_a5_how_far_over },
		{ "hex with its lowest byte first", test_hex_may_be_swapped },
		{ "a4: two errors are two", test_a4_two_errors },
		{ "a3: the parent is named", test_a3_parent_is_named },
		{ "what is not known is said", test_unknown_is_said },
		{ "names are quoted", test_names_are_quoted },
		{ "any cut is read", test_any_cut_is_read },
		{ "thresholds", test_thresholds },
		{ NULL, NULL },
	};

	return harness_run("why", cases);
}
