/* Plans of the bookstore: what explain says about them, down to every counter. */
#include <stdlib.h>
#include <string.h>

#include "bson/read.h"
#include "harness/harness.h"
#include "harness/plan_fixture.h"

/* What a recording has and this engine does not, or what depends on time. */
static const char *const volatile_fields[] = {
	"executionTimeMillis", "executionTimeMillisEstimate", "saveState", "restoreState", "needYield", "queryHash",
	"planCacheKey", "operationMetrics", NULL,
};

/* For expectations written out here: also what never changes. */
static const char *const dull_fields[] = {
	"executionTimeMillis", "executionTimeMillisEstimate", "saveState", "restoreState", "needYield", "queryHash",
	"planCacheKey", "operationMetrics", "namespace", "indexFilterSet", "maxIndexedOrSolutionsReached",
	"maxIndexedAndSolutionsReached", "maxScansToExplodeReached", "isPartial", "indexVersion", "isSparse", "isUnique",
	"alreadyHasObj", "executionSuccess", "memLimit", "usedDisk", NULL,
};

static struct store *bookstore(void)
{
	struct store *s = fixture_store();

	fixture_load_bookstore(s);
	return s;
}

static struct value view(const struct bytes *document)
{
	struct value v;

	value_document(&v, document->data, document->size);
	return v;
}

static const char *stats(struct store *s, const char *collection, const char *query)
{
	struct fixture_run run;
	const char *text;

	fixture_run(&run, s, "bookstore", collection, harness_json(query), VERBOSITY_EXECUTION_STATS);
	CU_ASSERT_FALSE(run.failed);
	text = harness_text(value_get(fixture_without(view(&run.explain), dull_fields), "executionStats"));
	CU_ASSERT_EQUAL(run.counters.docs_examined, run.total_docs);
	CU_ASSERT_EQUAL(run.counters.keys_examined, run.total_keys);
	CU_ASSERT_EQUAL(run.counters.bytes_read, run.sum_bytes);
	fixture_run_clear(&run);
	return text;
}

static const char *winner(struct store *s, const char *collection, const char *query)
{
	struct fixture_run run;
	const char *text;

	fixture_run(&run, s, "bookstore", collection, harness_json(query), VERBOSITY_QUERY_PLANNER);
	CU_ASSERT_FALSE(run.failed);
	text = harness_text(value_get(value_get(fixture_without(view(&run.explain), dull_fields), "queryPlanner"),
	                              "winningPlan"));
	fixture_run_clear(&run);
	return text;
}

static const char *bounds(struct store *s, const char *collection, const char *query)
{
	struct fixture_run run;
	struct value stage;
	const char *text = "no IXSCAN";

	fixture_run(&run, s, "bookstore", collection, harness_json(query), VERBOSITY_QUERY_PLANNER);
	CU_ASSERT_FALSE(run.failed);
	stage = value_get(value_get(view(&run.explain), "queryPlanner"), "winningPlan");
	for (; !value_is_missing(stage); stage = value_get(stage, "inputStage"))
		if (!value_is_missing(value_get(stage, "indexBounds")))
			text = harness_text(value_get(stage, "indexBounds"));
	fixture_run_clear(&run);
	return text;
}

static void test_id_lookup(void)
{
	struct store *s = bookstore();

	ASSERT_TEXT(stats(s, "books", "{'filter': {'_id': 26}}"),
	            "{\"nReturned\": 1, \"totalKeysExamined\": 1, \"totalDocsExamined\": 1, \"executionStages\": {\"stage\": \"IDHACK\", "
	            "\"nReturned\": 1, \"works\": 2, \"advanced\": 1, \"needTime\": 0, \"isEOF\": 1, \"keysExamined\": 1, \"docsExamined\": 1}}");
	ASSERT_TEXT(stats(s, "books", "{'filter': {'_id': 9999}}"),
	            "{\"nReturned\": 0, \"totalKeysExamined\": 0, \"totalDocsExamined\": 0, \"executionStages\": {\"stage\": \"IDHACK\", "
	            "\"nReturned\": 0, \"works\": 1, \"advanced\": 0, \"needTime\": 0, \"isEOF\": 1, \"keysExamined\": 0, \"docsExamined\": 0}}");
	store_destroy(s);
}

/* Replies of a real server, all of them but what depends on time. */
struct recording {
	const char *name;
	const char *index; /* created before it: "collection {key: pattern}" */
	const char *collection, *query;
	enum verbosity verbosity;
};

#define ALL ".allPlansExecution"

static const struct recording recordings[] = {
	{ "idhack", NULL, "books", "{'filter': {'_id': 26}}", VERBOSITY_EXECUTION_STATS },
	{ "idhack" ALL, NULL, "books", "{'filter': {'_id': 26}}", VERBOSITY_ALL_PLANS },
	{ "idhack.queryPlanner", NULL, "books", "{'filter': {'_id': 26}}", VERBOSITY_QUERY_PLANNER },
	{ "collscan-all", NULL, "reviews", "{}", VERBOSITY_EXECUTION_STATS },
	{ "collscan-all" ALL, NULL, "reviews", "{}", VERBOSITY_ALL_PLANS },
	{ "collscan-filter", NULL, "reviews", "{'filter': {'bookId': 26}}", VERBOSITY_EXECUTION_STATS },
	{ "collscan-sort-limit" ALL, NULL, "reviews",
	  "{'filter': {'bookId': 26}, 'sort': {'reviewedAt': -1}, 'limit': 10}", VERBOSITY_ALL_PLANS },
	{ "collscan-limit", NULL, "reviews", "{'limit': 5}", VERBOSITY_EXECUTION_STATS },
	{ "collscan-projection", NULL, "books", "{'projection': {'title': 1, 'listPrice': 1}}", VERBOSITY_EXECUTION_STATS },
	{ "collscan-regex", NULL, "books", "{'filter': {'title': {'$regex': 'dune', '$options': 'i'}}}",
	  VERBOSITY_EXECUTION_STATS },
	{ "elemMatch-collscan", NULL, "orders", "{'filter': {'items': {'$elemMatch': {'bookId': 47, 'quantity': 1}}}}",
	  VERBOSITY_EXECUTION_STATS },
	{ "eof-missing-collection", NULL, "nothere", "{'filter': {'a': 1}}", VERBOSITY_EXECUTION_STATS },
	{ "eof-missing-collection" ALL, NULL, "nothere", "{'filter': {'a': 1}}", VERBOSITY_ALL_PLANS },
	{ "count-collscan", NULL, "reviews", "{'filter': {'bookId': 26}, 'count': 1}", VERBOSITY_EXECUTION_STATS },
	{ "ixscan-fetch", "reviews {'bookId': 1}", "reviews", "{'filter': {'bookId': 26}}", VERBOSITY_EXECUTION_STATS },
	{ "ixscan-fetch" ALL, NULL, "reviews", "{'filter': {'bookId': 26}}", VERBOSITY_ALL_PLANS },
	{ "ixscan-in", NULL, "reviews", "{'filter': {'bookId': {'$in': [26, 27, 47]}}}", VERBOSITY_EXECUTION_STATS },
	{ "ixscan-fetch-sort" ALL, NULL, "reviews", "{'filter': {'bookId': 26}, 'sort': {'reviewedAt': -1}, 'limit': 3}",
	  VERBOSITY_ALL_PLANS },
	{ "count-ixscan", NULL, "reviews", "{'filter': {'bookId': 26}, 'count': 1}", VERBOSITY_EXECUTION_STATS },
	{ "ixscan-sorted-limit", "reviews {'bookId': 1, 'reviewedAt': -1}", "reviews",
	  "{'filter': {'bookId': 26}, 'sort': {'reviewedAt': -1}, 'limit': 3}", VERBOSITY_EXECUTION_STATS },
	{ "ixscan-sorted-limit" ALL, NULL, "reviews", "{'filter': {'bookId': 26}, 'sort': {'reviewedAt': -1}, 'limit': 3}",
	  VERBOSITY_ALL_PLANS },
	{ "ixscan-sorted-limit.queryPlanner", NULL, "reviews",
	  "{'filter': {'bookId': 26}, 'sort': {'reviewedAt': -1}, 'limit': 3}", VERBOSITY_QUERY_PLANNER },
	{ "hint-natural", NULL, "reviews", "{'filter': {'bookId': 26}, 'hint': {'$natural': 1}}", VERBOSITY_EXECUTION_STATS },
	{ "multikey", "books {'authors.authorId': 1}", "books", "{'filter': {'authors.authorId': 18}, 'sort': {'_id': 1}}",
	  VERBOSITY_EXECUTION_STATS },
	{ "multikey" ALL, NULL, "books", "{'filter': {'authors.authorId': 18}, 'sort': {'_id': 1}}", VERBOSITY_ALL_PLANS },
	{ "embedded-order", NULL, "orders", "{'filter': {'_id': 1}}", VERBOSITY_EXECUTION_STATS },
};

static struct value recorded(const char *name)
{
	char path[400];
	struct bytes document = BYTES_INIT;
	bson_error_t error;
	size_t size;
	char *text;
	struct value v = value_missing();

	snprintf(path, sizeof path, "%s/recorded/explain-%s.json", harness_corpus(), name);
	text = harness_read_file(path, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_FATAL(read_document(path, text, size, &document, &error));
	free(text);
	harness_keep(document.data);
	value_document(&v, document.data, document.size);
	return v;
}

static void create_index(struct store *s, const char *text)
{
	char name[40];

	sscanf(text, "%39[^ ]", name);
	fixture_index(fixture_collection(s, "bookstore", name), text + strlen(name) + 1);
}

static void check_recording(struct store *s, const struct recording *r)
{
	struct value reply = fixture_without(value_get(recorded(r->name), "reply"), volatile_fields), ours;
	struct fixture_run run;

	fixture_run(&run, s, "bookstore", r->collection, harness_json(r->query), r->verbosity);
	CU_ASSERT_FALSE_FATAL(run.failed);
	ours = fixture_without(view(&run.explain), volatile_fields);
	ASSERT_TEXT(harness_text(value_get(ours, "queryPlanner")), harness_text(value_get(reply, "queryPlanner")));
	if (r->verbosity != VERBOSITY_QUERY_PLANNER)
		ASSERT_TEXT(harness_text(value_get(ours, "executionStats")), harness_text(value_get(reply, "executionStats")));
	fixture_run_clear(&run);
}

static void test_recorded(void)
{
	struct store *s;

	if (!harness_corpus()) {
		printf("skipped: no corpus ");
		return;
	}
	s = bookstore();
	for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++) {
		if (recordings[i].index)
			create_index(s, recordings[i].index);
		check_recording(s, &recordings[i]);
	}
	store_destroy(s);
}

static void test_bad_hint(void)
{
	struct store *s = bookstore();
	struct fixture_run run;

	fixture_run(&run, s, "bookstore", "reviews", harness_json("{'filter': {'bookId': 26}, 'hint': 'nope_1'}"),
	            VERBOSITY_QUERY_PLANNER);
	CU_ASSERT_TRUE(run.failed);
	CU_ASSERT_EQUAL(run.error.code, 2);
	ASSERT_TEXT(run.error.message,
	            "error processing query: ns=bookstore.reviewsTree: bookId $eq 26\nSort: {}\nProj: {}\n"
	            " planner returned error :: caused by :: hint provided does not correspond to an existing index");
	fixture_run_clear(&run);
	store_destroy(s);
}

static void test_bounds(void)
{
	static const char *const cases[][2] = {
		{ "{'a': {'$gt': 26}}", "{\"a\": [\"(26, inf.0]\"]}" },
		{ "{'a': {'$lte': 26}}", "{\"a\": [\"[-inf.0, 26]\"]}" },
		{ "{'a': {'$gt': 1, '$lt': 5}}", "{\"a\": [\"(1, 5)\"]}" },
		{ "{'a': {'$gte': 'x'}}", "{\"a\": [\"[\\\"x\\\", {})\"]}" },
		{ "{'a': {'$lt': 'x'}}", "{\"a\": [\"[\\\"\\\", \\\"x\\\")\"]}" },
		{ "{'a': 'Kadikoy'}", "{\"a\": [\"[\\\"Kadikoy\\\", \\\"Kadikoy\\\"]\"]}" },
		{ "{'a': {'$ne': 5}}", "{\"a\": [\"[MinKey, 5)\", \"(5, MaxKey]\"]}" },
		{ "{'a': null}", "{\"a\": [\"[undefined, undefined]\", \"[null, null]\"]}" },
		{ "{'a': {'$exists': true}}", "{\"a\": [\"[MinKey, MaxKey]\"]}" },
		{ "{'a': {'$exists': false}}", "{\"a\": [\"[null, null]\"]}" },
		{ "{'a': {'$in': [3, 1, 1]}}", "{\"a\": [\"[1, 1]\", \"[3, 3]\"]}" },
		{ "{'a': true}", "{\"a\": [\"[true, true]\"]}" },
		{ "{'a': {'$gt': false}}", "{\"a\": [\"(false, true]\"]}" },
		{ "{'a': {'$regex': '^Dun'}}", "{\"a\": [\"[\\\"Dun\\\", \\\"Duo\\\")\", \"[/^Dun/, /^Dun/]\"]}" },
		{ "{'a': {'$regex': '^Dun.*e'}}", "{\"a\": [\"[\\\"Dun\\\", \\\"Duo\\\")\", \"[/^Dun.*e/, /^Dun.*e/]\"]}" },
		{ "{'a': {'$regex': '^Du?n'}}", "{\"a\": [\"[\\\"D\\\", \\\"E\\\")\", \"[/^Du?n/, /^Du?n/]\"]}" },
		{ "{'a': {'$regex': '^a|b'}}", "{\"a\": [\"[\\\"\\\", {})\", \"[/^a|b/, /^a|b/]\"]}" },
		{ "{'a': {'$elemMatch': {'$gt': 1, '$lt': 5}}}", "{\"a\": [\"(1, 5)\"]}" },
		{ "{'a': {'$size': 2}}", "no IXSCAN" },
		{ "{'b': 1}", "no IXSCAN" },
	};
	struct store *s = fixture_store();
	struct collection *c = fixture_collection(s, "bookstore", "plain");
	char query[160];

	fixture_index(c, "{'a': 1}");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(query, sizeof query, "{'filter': %s}", cases[i][0]);
		ASSERT_TEXT(bounds(s, "plain", query), cases[i][1]);
	}
	store_destroy(s);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "looking up an _id", test_id_lookup },
		{ "replies of a real server", test_recorded },
		{ "a hint that names no index", test_bad_hint },
		{ "index bounds", test_bounds },
		{ NULL, NULL },
	};

	return harness_run("plan", cases);
}
