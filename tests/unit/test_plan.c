/* Plans of the bookstore: what explain says about them, down to every counter. */
#include <stdlib.h>
#include <string.h>

#include "bson/read.h"
#include "engine/index_key.h"
#include "harness/harness.h"
#include "harness/plan_fixture.h"

/* What a recording has and this engine does not, or what depends on time. */
static const char *const volatile_fields[] = {
	"executionTimeMillis", "executionTimeMillisEstimate", "executionTimeMicros", "saveState", "restoreState", "needYield", "queryHash",
	"planCacheKey", "operationMetrics", NULL,
};

/* For expectations written out here: also what never changes. */
static const char *const dull_fields[] = {
	"executionTimeMillis", "executionTimeMillisEstimate", "executionTimeMicros", "saveState", "restoreState", "needYield", "queryHash",
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
	            "{\"nReturned\": 1, \"totalKeysExamined\": 1, \"totalDocsExamined\": 1, "
	            "\"executionStages\": {\"stage\": \"IDHACK\", \"nReturned\": 1, \"works\": 2, \"advanced\": 1, "
	            "\"needTime\": 0, \"isEOF\": 1, \"keysExamined\": 1, \"docsExamined\": 1}}");
	ASSERT_TEXT(stats(s, "books", "{'filter': {'_id': 9999}}"),
	            "{\"nReturned\": 0, \"totalKeysExamined\": 0, \"totalDocsExamined\": 0, "
	            "\"executionStages\": {\"stage\": \"IDHACK\", \"nReturned\": 0, \"works\": 1, \"advanced\": 0, "
	            "\"needTime\": 0, \"isEOF\": 1, \"keysExamined\": 0, \"docsExamined\": 0}}");
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
	{ "collscan-projection", NULL, "books", "{'projection': {'title': 1, 'listPrice': 1}}",
	  VERBOSITY_EXECUTION_STATS },
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
	{ "hint-natural", NULL, "reviews", "{'filter': {'bookId': 26}, 'hint': {'$natural': 1}}",
	  VERBOSITY_EXECUTION_STATS },
	{ "multikey", "books {'authors.authorId': 1}", "books", "{'filter': {'authors.authorId': 18}, 'sort': {'_id': 1}}",
	  VERBOSITY_EXECUTION_STATS },
	{ "multikey" ALL, NULL, "books", "{'filter': {'authors.authorId': 18}, 'sort': {'_id': 1}}",
	  VERBOSITY_ALL_PLANS },
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
		ASSERT_TEXT(harness_text(value_get(ours, "executionStats")),
		            harness_text(value_get(reply, "executionStats")));
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

/* The names of the stages from the top, and the scan's direction. */
static const char *chain(struct store *s, const char *collection, const char *query)
{
	struct fixture_run run;
	struct bytes text = BYTES_INIT;
	struct value stage;

	fixture_run(&run, s, "bookstore", collection, harness_json(query), VERBOSITY_EXECUTION_STATS);
	CU_ASSERT_FALSE(run.failed);
	CU_ASSERT_EQUAL(run.counters.docs_examined, run.total_docs);
	CU_ASSERT_EQUAL(run.counters.keys_examined, run.total_keys);
	stage = value_get(value_get(view(&run.explain), "queryPlanner"), "winningPlan");
	for (; !value_is_missing(stage); stage = value_get(stage, "inputStage")) {
		struct key name = value_text(value_get(stage, "stage"));
		struct value direction = value_get(stage, "direction");

		bytes_format(&text, "%s%.*s", text.size ? " " : "", (int)name.size_bytes, name.bytes);
		if (!value_is_missing(direction) && key_is(value_text(direction), "backward"))
			bytes_append_text(&text, " backward");
		if (!value_is_missing(value_get(stage, "filter")))
			bytes_append_text(&text, " filter");
	}
	bytes_format(&text, ": keys %d docs %d rows %d", (int)run.total_keys, (int)run.total_docs, (int)run.id_count);
	if (run.counted)
		bytes_format(&text, " counted %d", (int)run.counted);
	fixture_run_clear(&run);
	return harness_keep(bytes_take_text(&text));
}

static void check_chains(struct store *s, const char *const (*cases)[3])
{
	for (; (*cases)[0]; cases++)
		ASSERT_TEXT(chain(s, (*cases)[0], (*cases)[1]), (*cases)[2]);
}

static void test_shapes(void)
{
	static const char *const cases[][3] = {
		{ "reviews", "{'skip': 2, 'limit': 3}", "LIMIT SKIP COLLSCAN: keys 0 docs 5 rows 3" },
		{ "reviews", "{'filter': {'bookId': 26}, 'skip': 2}", "FETCH SKIP IXSCAN: keys 5 docs 3 rows 3" },
		{ "reviews", "{'sort': {'_id': -1}, 'limit': 2}", "LIMIT FETCH IXSCAN backward: keys 2 docs 2 rows 2" },
		{ "reviews", "{'filter': {'rating': 5}, 'sort': {'bookId': 1}, 'limit': 1}",
		  "LIMIT FETCH filter IXSCAN: keys 1 docs 1 rows 1" },
		{ "reviews", "{'filter': {'bookId': 26}, 'sort': {'rating': 1}, 'skip': 1, 'limit': 2}",
		  "SKIP SORT FETCH IXSCAN: keys 5 docs 5 rows 2" },
		{ "reviews", "{'filter': {'bookId': 26}, 'sort': {'rating': 1}, 'projection': {'rating': 1}}",
		  "SORT PROJECTION_SIMPLE FETCH IXSCAN: keys 5 docs 5 rows 5" },
		{ "reviews", "{'filter': {'bookId': 26}, 'sort': {'rating': 1}, 'projection': {'body': 1}}",
		  "PROJECTION_SIMPLE SORT FETCH IXSCAN: keys 5 docs 5 rows 5" },
		{ "reviews", "{'filter': {'bookId': 26}, 'projection': {'bookId': 1, '_id': 0}}",
		  "PROJECTION_COVERED IXSCAN: keys 5 docs 0 rows 5" },
		{ "reviews", "{'filter': {'bookId': 26}, 'projection': {'bookId': 1}}",
		  "PROJECTION_SIMPLE FETCH IXSCAN: keys 5 docs 5 rows 5" },
		{ "books", "{'filter': {'_id': 3}, 'projection': {'rating': 1}}",
		  "PROJECTION_SIMPLE IDHACK: keys 1 docs 1 rows 1" },
		{ "books", "{'filter': {'_id': 3, 'rating': 99}}", "FETCH filter IXSCAN: keys 1 docs 1 rows 0" },
		{ "books", "{'filter': {'_id': {'$gt': 5, '$lte': 8}}}", "FETCH IXSCAN: keys 3 docs 3 rows 3" },
		{ "reviews", "{'filter': {'bookId': {'$lt': {'$numberDouble': 'NaN'}}}}",
		  "FETCH IXSCAN: keys 0 docs 0 rows 0" },
		{ "books", "{'filter': {'title': {'$regex': '^Dune'}}}", "FETCH IXSCAN: keys 3 docs 2 rows 2" },
		{ "books", "{'filter': {'title': {'$regex': 'Dune'}}}", "FETCH IXSCAN filter: keys 77 docs 2 rows 2" },
		{ "reviews", "{'filter': {'bookId': 26}, 'hint': '_id_'}",
		  "FETCH filter IXSCAN: keys 181 docs 181 rows 5" },
		{ "reviews", "{'filter': {'bookId': 26}, 'hint': {'bookId': 1}}",
		  "FETCH IXSCAN: keys 5 docs 5 rows 5" },
		{ "reviews", "{'hint': {'$natural': -1}, 'limit': 1}",
		  "LIMIT COLLSCAN backward: keys 0 docs 1 rows 1" },
		{ "reviews", "{'sort': {'$natural': -1}, 'limit': 1}",
		  "LIMIT COLLSCAN backward: keys 0 docs 1 rows 1" },
		{ NULL, NULL, NULL },
	};
	struct store *s = bookstore();

	create_index(s, "reviews {'bookId': 1}");
	create_index(s, "books {'title': 1}");
	check_chains(s, cases);
	store_destroy(s);
}

static void test_counts(void)
{
	static const char *const cases[][3] = {
		{ "reviews", "{'count': 1}", "RECORD_STORE_FAST_COUNT: keys 0 docs 0 rows 0 counted 181" },
		{ "reviews", "{'count': 1, 'skip': 180, 'limit': 5}",
		  "RECORD_STORE_FAST_COUNT: keys 0 docs 0 rows 0 counted 1" },
		{ "reviews", "{'count': 1, 'limit': 5}", "RECORD_STORE_FAST_COUNT: keys 0 docs 0 rows 0 counted 5" },
		{ "nothere", "{'count': 1}", "COUNT EOF: keys 0 docs 0 rows 0" },
		{ "reviews", "{'count': 1, 'filter': {'bookId': 26}}",
		  "COUNT COUNT_SCAN: keys 6 docs 0 rows 0 counted 5" },
		{ "reviews", "{'count': 1, 'filter': {'bookId': 26}, 'skip': 1, 'limit': 3}",
		  "COUNT COUNT_SCAN: keys 4 docs 0 rows 0 counted 3" },
		{ "reviews", "{'count': 1, 'filter': {'bookId': {'$gte': 76}}}",
		  "COUNT COUNT_SCAN: keys 5 docs 0 rows 0 counted 4" },
		{ "reviews", "{'count': 1, 'filter': {'bookId': {'$in': [26, 47]}}}",
		  "COUNT IXSCAN: keys 8 docs 0 rows 0 counted 6" },
		{ "reviews", "{'count': 1, 'filter': {'bookId': 26, 'rating': 5}}",
		  "COUNT FETCH filter IXSCAN: keys 5 docs 5 rows 0 counted 2" },
		{ "reviews", "{'count': 1, 'filter': {'rating': 5}}",
		  "COUNT COLLSCAN filter: keys 0 docs 181 rows 0 counted 85" },
		{ "books", "{'count': 1, 'filter': {'_id': 5}}", "COUNT IDHACK: keys 1 docs 1 rows 0 counted 1" },
		{ "reviews", "{'count': 1, 'hint': '_id_'}", "COUNT COUNT_SCAN: keys 182 docs 0 rows 0 counted 181" },
		{ "books", "{'count': 1, 'filter': {'authors.authorId': {'$gt': 0}}}",
		  "COUNT COUNT_SCAN: keys 95 docs 0 rows 0 counted 77" },
		{ NULL, NULL, NULL },
	};
	struct store *s = bookstore();

	create_index(s, "reviews {'bookId': 1}");
	create_index(s, "books {'authors.authorId': 1}");
	check_chains(s, cases);
	store_destroy(s);
}

/* A plan in the middle of its run. */
struct open_plan {
	struct store *store;
	struct collection *collection;
	struct execution execution;
	struct match *filter;
	struct plan *plan;
};

static void open_plan(struct open_plan *p, const char *filter, const char *sort)
{
	struct plan_request r = { .namespace_text = "test.c", .hint = value_missing(), .min = value_missing(),
		                  .max = value_missing(), .sort = sort ? harness_json(sort) : value_missing() };
	bson_error_t error;

	p->store = fixture_store();
	p->collection = fixture_collection(p->store, "test", "c");
	fixture_index(p->collection, "{'a': 1}");
	for (int i = 0; i < 10; i++) {
		char text[60];

		snprintf(text, sizeof text, "{'_id': %d, 'a': %d}", i, i);
		fixture_insert(p->collection, harness_json(text));
	}
	execution_init(&p->execution, p->store, "test", NULL);
	p->filter = match_compile(harness_json(filter), NULL, &error);
	r.filter = p->filter;
	r.collection = p->collection;
	p->plan = plan_make(&r, &p->execution, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p->plan);
}

static void close_plan(struct open_plan *p)
{
	plan_destroy(p->plan);
	match_destroy(p->filter);
	execution_clear(&p->execution);
	store_destroy(p->store);
}

/* The next row's a, after which the plan is parked; -1 at the end, -2 when it failed. */
static int next_parked(struct open_plan *p)
{
	struct row row;
	enum stage_status status = stage_next(p->plan->root, &row);
	int a = status == STAGE_END ? -1 : -2;

	if (status == STAGE_ADVANCED)
		a = value_int32(value_get(row.document, "a"));
	stage_save(p->plan->root);
	return a;
}

static void check_parked(const char *filter, const char *sort)
{
	struct open_plan p;
	int64_t keys;

	open_plan(&p, filter, sort);
	CU_ASSERT_EQUAL(next_parked(&p), 2);
	CU_ASSERT_TRUE(collection_remove(p.collection, 2, &keys)); /* where it stands */
	CU_ASSERT_TRUE(collection_remove(p.collection, 3, &keys)); /* where it goes next */
	CU_ASSERT_EQUAL(next_parked(&p), 4);
	fixture_insert(p.collection, harness_json("{'_id': 100, 'a': 100}"));
	fixture_insert(p.collection, harness_json("{'_id': 101, 'a': 0}"));
	for (int a = 5; a < 10; a++)
		CU_ASSERT_EQUAL(next_parked(&p), a);
	CU_ASSERT_EQUAL(next_parked(&p), 100);
	CU_ASSERT_EQUAL(next_parked(&p), -1);
	CU_ASSERT_EQUAL(next_parked(&p), -1);
	close_plan(&p);
}

static void test_parked(void)
{
	check_parked("{'a': {'$gte': 2}}", NULL);
	check_parked("{'a': {'$not': {'$lt': 2}}}", NULL);
	check_parked("{'a': {'$gte': 2}, 'b': null}", "{'a': 1}");
	check_parked("{'$nor': [{'a': {'$lt': 2}}]}", NULL); /* a collection scan */
}

/* A sort has read everything when it gives its first row. */
static void test_parked_sort(void)
{
	struct open_plan p;
	int64_t keys;

	open_plan(&p, "{'a': {'$gte': 7}}", "{'b': 1, 'a': -1}");
	CU_ASSERT_EQUAL(next_parked(&p), 9);
	CU_ASSERT_TRUE(collection_remove(p.collection, 8, &keys));
	CU_ASSERT_EQUAL(next_parked(&p), 8);
	CU_ASSERT_EQUAL(next_parked(&p), 7);
	CU_ASSERT_EQUAL(next_parked(&p), -1);
	close_plan(&p);
}

static void test_dropped(void)
{
	struct open_plan p;
	bson_error_t error;

	open_plan(&p, "{'a': {'$gte': 2}}", NULL);
	CU_ASSERT_EQUAL(next_parked(&p), 2);
	CU_ASSERT_TRUE(collection_drop_index(p.collection, "a_1", &error));
	CU_ASSERT_EQUAL(next_parked(&p), -2);
	CU_ASSERT_EQUAL(p.execution.error.code, 175);
	ASSERT_TEXT(p.execution.error.message, "query plan killed :: index 'a_1' dropped");
	close_plan(&p);
}

static void test_interrupted(void)
{
	struct store *s = bookstore();
	struct execution x;
	struct interrupt interrupt;
	struct plan_request r = { .namespace_text = "bookstore.reviews", .sort = value_missing(),
		                  .hint = value_missing(), .min = value_missing(), .max = value_missing() };
	struct row row;
	struct plan *p;
	bson_error_t error;
	int rows = 0;

	interrupt_init(&interrupt);
	interrupt_cancel(&interrupt);
	r.collection = fixture_collection(s, "bookstore", "reviews");
	execution_init(&x, s, "bookstore", &interrupt);
	p = plan_make(&r, &x, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	while (stage_next(p->root, &row) == STAGE_ADVANCED)
		rows++;
	CU_ASSERT_EQUAL(rows, 127);
	CU_ASSERT_TRUE(x.failed);
	CU_ASSERT_EQUAL(x.error.code, 11601);
	plan_destroy(p);
	execution_clear(&x);
	store_destroy(s);
}

/* Eight documents of 15 MB are more than a sort may hold; the first one of them is not. */
static void test_sort_memory(void)
{
	static const char *const cases[][2] = {
		{ "{'sort': {'a': 1}}",
		  "Sort exceeded memory limit of 104857600 bytes, but did not opt in to external sorting." },
		{ "{'sort': {'a': 1}, 'limit': 1}", "" },
	};
	struct store *s = fixture_store();
	struct collection *c = fixture_collection(s, "test", "c");
	size_t size = 15 * 1024 * 1024;
	char *pad = calloc(1, size);

	for (int i = 0; i < 8; i++) {
		struct bytes document = BYTES_INIT;
		struct arena a;
		struct writer w;

		arena_init(&a);
		writer_begin(&w, &document);
		writer_int32(&w, "_id", i);
		writer_int32(&w, "a", -i);
		writer_put(&w, "pad", value_make_text(&a, pad, size));
		fixture_insert(c, writer_finish(&w));
		bytes_clear(&document);
		arena_clear(&a);
	}
	free(pad);
	for (size_t i = 0; i < 2; i++) {
		struct fixture_run run;

		fixture_run(&run, s, "test", "c", harness_json(cases[i][0]), VERBOSITY_QUERY_PLANNER);
		CU_ASSERT_EQUAL(run.failed, *cases[i][1] != 0);
		ASSERT_TEXT(run.failed ? run.error.message : "", cases[i][1]);
		CU_ASSERT_EQUAL(run.failed ? run.error.code : 292, 292);
		fixture_run_clear(&run);
	}
	store_destroy(s);
}

/* Each value is followed by another: the length is that of the first alone. */
static void test_encoded_lengths(void)
{
	struct value values = harness_json(
		"{'a': [null, {'$minKey': 1}, {'$maxKey': 1}, {'$undefined': true}, 0, -1, 2.5, {'$numberLong': '9007199254740993'},"
		" {'$numberLong': '-9007199254740993'}, {'$numberDecimal': '2.1'}, {'$numberDecimal': '-2.1'},"
		" {'$numberDecimal': '-1E-6000'}, {'$numberDouble': 'NaN'}, '', 'text', 'a\\u0000b\\u0001', {}, {'a': 1, 'b': {'c': 'd'}},"
		" [], [1, [2, 'x'], {'a': -2.5}], {'$binary': {'base64': 'AAEC', 'subType': '00'}}, true, false,"
		" {'$oid': '000102030405060708090a0b'}, {'$date': '2026-01-01T00:00:00Z'}, {'$timestamp': {'t': 1, 'i': 2}},"
		" {'$regularExpression': {'pattern': '^a', 'options': 'i'}}]}");
	struct walk w;
	struct field f;

	walk_begin(&w, value_get(values, "a"));
	while (walk_next(&w, &f)) {
		for (int descending = 0; descending < 2; descending++) {
			struct bytes key = BYTES_INIT;
			size_t size;

			index_key_append(&key, f.value, descending);
			size = key.size;
			index_key_append(&key, f.value, descending);
			CU_ASSERT_EQUAL(index_key_length(key.data, key.size, descending), size);
			for (size_t cut = 0; cut < size; cut++)
				CU_ASSERT_TRUE(index_key_length(key.data, cut, descending) <= cut);
			bytes_clear(&key);
		}
	}
}

/* The trial's work is not the execution's, and the one that is chosen says so. */
static void test_trial(void)
{
	struct store *s = bookstore();

	create_index(s, "reviews {'bookId': 1}");
	create_index(s, "reviews {'bookId': 1, 'reviewedAt': -1}");
	ASSERT_TEXT(chain(s, "reviews", "{'filter': {'bookId': 26}, 'sort': {'reviewedAt': -1}, 'limit': 3}"),
	            "LIMIT FETCH IXSCAN: keys 3 docs 3 rows 3");
	ASSERT_TEXT(chain(s, "reviews", "{'filter': {'bookId': 26, "
	                                "'reviewedAt': {'$lt': {'$date': '2026-01-01T00:00:00Z'}}}}"),
	            "FETCH IXSCAN: keys 4 docs 4 rows 4");
	store_destroy(s);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "looking up an _id", test_id_lookup },
		{ "replies of a real server", test_recorded },
		{ "a hint that names no index", test_bad_hint },
		{ "index bounds", test_bounds },
		{ "shapes of plans", test_shapes },
		{ "counts", test_counts },
		{ "scans parked while writes happen", test_parked },
		{ "a parked sort", test_parked_sort },
		{ "an index dropped under a parked scan", test_dropped },
		{ "an interrupted scan", test_interrupted },
		{ "the memory of a sort", test_sort_memory },
		{ "the trial of candidates", test_trial },
		{ "lengths of encoded values", test_encoded_lengths },
		{ NULL, NULL },
	};

	return harness_run("plan", cases);
}
