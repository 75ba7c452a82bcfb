/*
 * Explain of aggregations on the bookstore: the published figures of the relational copy, and field by field what a
 * server answered. Not compared are times, hashes, memory estimates and what only the engine adds (operationMetrics).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "bson/compare.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "engine/engine.h"
#include "harness/harness.h"

static struct engine *engine;
static bson_t reply;
static bool replied;

static struct value run(struct value command)
{
	bson_t document;
	bson_error_t error = { 0 };

	if (replied)
		bson_destroy(&reply);
	replied = true;
	value_to_bson(&document, command);
	if (!engine_command(engine, "bookstore", &document, &reply, NULL, &error)) {
		CU_FAIL("a command failed");
		fprintf(stderr, "%u: %s in %s\n", error.code, error.message, harness_text(command));
	}
	return value_from_bson(&reply);
}

static struct value run_text(const char *command)
{
	return run(harness_json(command));
}

/* A file of documents, embedded in the program. */
struct document_file {
	struct reader reader;
	struct bytes document;
};

static bool next_document(void *context, struct value *document, bson_error_t *error)
{
	struct document_file *f = context;

	bytes_reset(&f->document);
	return !reader_at_end(&f->reader) && reader_document(&f->reader, &f->document, error) &&
	       value_document(document, f->document.data, f->document.size);
}

static void load(const char *collection)
{
	char name[64];
	struct document_file file = { .document = BYTES_INIT };
	struct engine_loader loader = { next_document, &file, false };
	bson_error_t error;
	size_t size;
	const char *text;

	snprintf(name, sizeof name, "src/samples/bookstore/%s.json", collection);
	text = embedded_find(name, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	reader_init(&file.reader, name, text, size);
	CU_ASSERT_TRUE(engine_load(engine, "bookstore", collection, "_id", NULL, &loader, NULL, &error));
	bytes_clear(&file.document);
}

/* What a pipeline gives becomes a collection; keys are made, as the driver that made the recorded copies did. */
static void copy(const char *from, const char *to, const char *stages)
{
	char command[1024];
	struct bytes insert = BYTES_INIT;
	struct value batch;
	struct writer w;

	snprintf(command, sizeof command, "{'aggregate': '%s', 'pipeline': [%s], 'cursor': {'batchSize': 10000}}", from,
	         stages);
	batch = value_get(value_get(run_text(command), "cursor"), "firstBatch");
	writer_begin(&w, &insert);
	writer_text(&w, "insert", to);
	writer_put(&w, "documents", batch);
	run(writer_finish(&w));
	bytes_clear(&insert);
}

static void begin(void)
{
	static const char *const collections[] = { "authors", "categories", "books", "customers", "orders", "reviews" };

	engine = engine_new();
	for (size_t i = 0; i < sizeof collections / sizeof *collections; i++)
		load(collections[i]);
	copy("orders", "orders_flat",
	     "{'$set': {'customerId': '$customer.customerId'}}, {'$unset': ['items', 'customer']}");
	copy("orders", "order_items_flat",
	     "{'$unwind': '$items'}, {'$replaceWith': {'$mergeObjects': [{'orderId': '$_id'}, '$items']}}");
}

static void end(void)
{
	engine_destroy(engine);
	engine = NULL;
}

static void index_items(void)
{
	run_text("{'createIndexes': 'order_items_flat', 'indexes': [{'key': {'orderId': 1}, 'name': 'orderId_1'}]}");
}

/* "docs keys scans [indexes]" of the stage at that place. */
static const char *lookup_figures(struct value explained, const char *place)
{
	static char text[128];
	struct value stage = value_get(value_get(explained, "stages"), place);

	snprintf(text, sizeof text, "%lld %lld %lld %s", (long long)value_int64(value_get(stage, "totalDocsExamined")),
	         (long long)value_int64(value_get(stage, "totalKeysExamined")),
	         (long long)value_int64(value_get(stage, "collectionScans")),
	         harness_text(value_get(stage, "indexesUsed")));
	return text;
}

#define TWO_LOOKUPS                                                                                                 \
	"{'$lookup': {'from': 'order_items_flat', 'localField': '_id', 'foreignField': 'orderId', 'as': 'items'}}," \
	"{'$lookup': {'from': 'customers', 'localField': 'customerId', 'foreignField': '_id', 'as': 'customer'}}"
#define EXPLAIN(collection, stages)                                                            \
	"{'explain': {'aggregate': '" collection "', 'pipeline': [" stages "], 'cursor': {}}," \
	"'verbosity': 'executionStats'}"

static void test_published_figures(void)
{
	struct value reply_value;

	begin();
	reply_value = run_text(EXPLAIN("orders_flat", "{'$match': {'_id': 1}}, " TWO_LOOKUPS));
	ASSERT_TEXT(lookup_figures(reply_value, "1"), "680 0 1 []");
	ASSERT_TEXT(lookup_figures(reply_value, "2"), "1 1 0 [\"_id_\"]");
	reply_value = run_text(EXPLAIN("orders_flat", TWO_LOOKUPS));
	ASSERT_TEXT(lookup_figures(reply_value, "1"), "257720 0 379 []");
	ASSERT_TEXT(lookup_figures(reply_value, "2"), "379 379 0 [\"_id_\"]");
	index_items();
	reply_value = run_text(EXPLAIN("orders_flat", "{'$match': {'_id': 1}}, " TWO_LOOKUPS));
	ASSERT_TEXT(lookup_figures(reply_value, "1"), "2 2 0 [\"orderId_1\"]");
	ASSERT_TEXT(lookup_figures(reply_value, "2"), "1 1 0 [\"_id_\"]");
	reply_value = run_text(EXPLAIN("orders", "{'$match': {'_id': 1}}"));
	CU_ASSERT_EQUAL(value_int32(value_get(value_get(reply_value, "executionStats"), "totalDocsExamined")), 1);
	end();
}

/* What a lookup's pipeline may do with an index, and what it may not. */
static void test_lookup_pipelines(void)
{
	struct value r;

	begin();
	index_items();
	r = run_text(EXPLAIN("orders_flat",
	                     "{'$match': {'_id': 1}}, {'$lookup': {'from': 'order_items_flat', 'let': {'o': '$_id'},"
	                     "'pipeline': [{'$match': {'$expr': {'$eq': ['$orderId', '$$o']}}}], 'as': 'i'}}"));
	ASSERT_TEXT(lookup_figures(r, "1"), "2 2 0 [\"orderId_1\"]");
	r = run_text(EXPLAIN("orders_flat",
	                     "{'$match': {'_id': 1}}, {'$lookup': {'from': 'order_items_flat', 'let': {'o': '$gone'},"
	                     "'pipeline': [{'$match': {'$expr': {'$eq': ['$orderId', '$$o']}}}], 'as': 'i'}}"));
	ASSERT_TEXT(lookup_figures(r, "1"), "680 0 1 []");
	r = run_text(EXPLAIN(
		"orders_flat",
		"{'$match': {'_id': 1}}, {'$lookup': {'from': 'order_items_flat', 'localField': '_id',"
		"'foreignField': 'orderId', 'pipeline': [{'$sort': {'bookId': -1}}, {'$limit': 1}], 'as': 'i'}}"));
	ASSERT_TEXT(lookup_figures(r, "1"), "2 2 0 [\"orderId_1\"]");
	/* the same for every order: run once */
	r = run_text(EXPLAIN("orders_flat",
	                     "{'$lookup': {'from': 'order_items_flat', 'pipeline': [{'$match': {'quantity': 4}}],"
	                     "'as': 'i'}}"));
	ASSERT_TEXT(lookup_figures(r, "1"), "680 0 1 []");
	end();
}

static const char *cursor_stage(struct value explained)
{
	struct value cursor = value_get(value_get(value_get(explained, "stages"), "0"), "$cursor");
	struct value stats = value_get(cursor, "executionStats");
	static char text[128];

	snprintf(text, sizeof text, "%s %d %d",
	         value_text(value_get(value_get(stats, "executionStages"), "stage")).bytes,
	         value_int32(value_get(stats, "totalKeysExamined")),
	         value_int32(value_get(stats, "totalDocsExamined")));
	return text;
}

#define CURSOR(collection, stages, expected) ASSERT_TEXT(cursor_stage(run_text(EXPLAIN(collection, stages))), expected)

static void test_counting(void)
{
	begin();
	index_items();
	CURSOR("order_items_flat", "{'$match': {'orderId': {'$lt': 3}}}, {'$count': 'n'}", "COUNT_SCAN 5 0");
	CURSOR("order_items_flat", "{'$match': {'orderId': {'$in': [1, 2]}}}, {'$count': 'n'}", "FETCH 5 4");
	CURSOR("order_items_flat", "{'$match': {'orderId': 1, 'quantity': 1}}, {'$count': 'n'}", "FETCH 2 2");
	CURSOR("order_items_flat", "{'$match': {'orderId': 1}}, {'$group': {'_id': '$bookId'}}",
	       "PROJECTION_SIMPLE 2 2");
	CURSOR("order_items_flat", "{'$count': 'n'}", "COLLSCAN 0 680");
	ASSERT_TEXT(harness_text(value_get(value_get(run_text("{'aggregate': 'order_items_flat', 'pipeline': ["
	            "{'$match': {'orderId': {'$lt': 3}}}, {'$count': 'n'}], 'cursor': {}}"), "cursor"), "firstBatch")),
	            "[{\"n\": 4}]");
	end();
}

static const char *stage_names(struct value explained)
{
	static char text[256];
	struct walk w, inside;
	struct field f, first;

	text[0] = 0;
	for (walk_begin(&w, value_get(explained, "stages")); walk_next(&w, &f);) {
		walk_begin(&inside, f.value);
		walk_next(&inside, &first);
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", first.key.bytes);
	}
	return text;
}

#define ORDER(stages, expected) ASSERT_TEXT(stage_names(run_text(EXPLAIN("orders", stages))), expected)
#define LOOKUP "{'$lookup': {'from': 'books', 'localField': 'items.bookId', 'foreignField': '_id', 'as': 'b'}}"

static void test_rearranged(void)
{
	begin();
	ORDER("{'$match': {'status': 'Delivered'}}, {'$sort': {'_id': -1}}, {'$skip': 2}, {'$limit': 3}, {'$project': "
	      "{'status': 1}}",
	      "");
	ORDER("{'$match': {'status': 'Delivered'}}, {'$match': {'total': 1}}", "");
	ORDER("{'$unwind': '$items'}, {'$match': {'status': 'x'}}", "$cursor $unwind ");
	ORDER("{'$unwind': '$items'}, {'$match': {'items.bookId': 1}}", "$cursor $unwind $match ");
	ORDER("{'$unwind': '$items'}, {'$match': {'items.bookId': 1, 'status': 'x'}}", "$cursor $unwind $match ");
	ORDER(LOOKUP ", {'$match': {'status': 'x'}}, {'$limit': 2}", "$cursor $lookup ");
	ORDER(LOOKUP ", {'$unwind': '$b'}, {'$match': {'b.title': 'x'}}", "$cursor $lookup $match ");
	ORDER(LOOKUP ", {'$unwind': '$b'}, {'$limit': 2}", "$cursor $lookup $limit ");
	ORDER("{'$set': {'a': 1}}, {'$match': {'a': 1}}", "$cursor $addFields $match ");
	ORDER("{'$set': {'a': 1}}, {'$match': {'b': 1}}, {'$sort': {'c': 1}}, {'$limit': 1}",
	      "$cursor $addFields $sort ");
	ORDER("{'$group': {'_id': '$status'}}, {'$sort': {'_id': 1}}, {'$skip': 1}, {'$limit': 1}",
	      "$cursor $group $sort $skip ");
	ORDER("{'$limit': 3}, {'$skip': 5}", "$cursor $skip ");
	end();
}

/* Comparing with a recorded reply. */

static bool is_volatile(struct key key)
{
	static const char *const names[] = { "executionTimeMillis",
		                             "executionTimeMillisEstimate", "executionTimeMicros",
		                             "queryHash",
		                             "planCacheKey",
		                             "saveState",
		                             "restoreState",
		                             "needYield",
		                             "serverInfo",
		                             "serverParameters",
		                             "command",
		                             "ok",
		                             "maxAccumulatorMemoryUsageBytes",
		                             "totalOutputDataSizeBytes",
		                             "totalDataSizeSortedBytesEstimate",
		                             "allPlansExecution" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (key_is(key, names[i]))
			return true;
	return false;
}

/* What only the engine says. */
static bool is_extra(struct key key)
{
	return key_is(key, "operationMetrics");
}

static unsigned differences;

static void report(const char *path, struct value expected, struct value actual)
{
	differences++;
	fprintf(stderr, "%s: expected %s, got %s\n", path, harness_text(expected), harness_text(actual));
}

static bool next_compared(struct walk *w, struct field *f)
{
	while (walk_next(w, f))
		if (!is_volatile(f->key) && !is_extra(f->key))
			return true;
	return false;
}

static void compare(const char *path, struct value expected, struct value actual)
{
	struct walk we, wa;
	struct field fe, fa;
	bool more_expected, more_actual;
	char below[512];

	if (expected.type != actual.type || !(value_is_document(expected) || value_is_array(expected))) {
		if (expected.type != actual.type || !value_equal(expected, actual))
			report(path, expected, actual);
		return;
	}
	walk_begin(&we, expected);
	walk_begin(&wa, actual);
	for (;;) {
		more_expected = next_compared(&we, &fe);
		more_actual = next_compared(&wa, &fa);
		if (!more_expected || !more_actual || !key_equal(fe.key, fa.key))
			break;
		snprintf(below, sizeof below, "%s.%s", path, fe.key.bytes);
		/* one execution was counted twice by that server */
		if (key_is(fe.key, "collectionScans") && value_int64(fe.value) == 2 * value_int64(fa.value))
			continue;
		compare(below, fe.value, fa.value);
	}
	if (more_expected || more_actual) {
		differences++;
		fprintf(stderr, "%s: expected field %s, got %s\n", path, more_expected ? fe.key.bytes : "-",
		        more_actual ? fa.key.bytes : "-");
	}
}

static void compare_recorded(const char *name)
{
	char path[512];
	struct bytes recorded = BYTES_INIT, command = BYTES_INIT;
	struct value document, explain;
	struct writer w;
	bson_error_t error;
	size_t size;
	char *text;

	snprintf(path, sizeof path, "%s/recorded/%s.json", harness_corpus(), name);
	text = harness_read_file(path, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_TRUE_FATAL(read_document(name, text, size, &recorded, &error));
	value_document(&document, recorded.data, recorded.size);
	explain = value_get(document, "command");
	writer_begin(&w, &command);
	writer_put(&w, "explain", value_get(explain, "explain"));
	writer_put(&w, "verbosity", value_get(explain, "verbosity"));
	differences = 0;
	compare(name, value_get(document, "reply"), run(writer_finish(&w)));
	CU_ASSERT_EQUAL(differences, 0);
	bytes_clear(&command);
	bytes_clear(&recorded);
	free(text);
}

static void test_recorded(void)
{
	static const char *const without_index[] = {
		"explain-agg-match-group", "explain-agg-match-group.queryPlanner", "explain-agg-bsonsize-group",
		"explain-agg-project-sort-limit", "explain-lookup-noindex", "explain-lookup-noindex.queryPlanner",
		"explain-lookup-noindex-all", "explain-lookup-missing-collection" };
	static const char *const with_index[] = {
		"explain-lookup-index", "explain-lookup-index.queryPlanner", "explain-lookup-pipeline-expr" };

	begin();
	for (size_t i = 0; i < sizeof without_index / sizeof *without_index; i++)
		compare_recorded(without_index[i]);
	index_items();
	for (size_t i = 0; i < sizeof with_index / sizeof *with_index; i++)
		compare_recorded(with_index[i]);
	end();
}

int main(void)
{
	struct test_case cases[] = {
		{ "the relational copy's published figures", test_published_figures },
		{ "pipelines of $lookup and indexes", test_lookup_pipelines },
		{ "counting by keys", test_counting },
		{ "stages rearranged", test_rearranged },
		{ "as a server answered", test_recorded },
		{ NULL, NULL }
	};
	int status;

	if (!harness_corpus()) {
		printf("skipped: BSONSCOPE_CORPUS is unset; nothing recorded is compared\n");
		cases[4] = cases[5];
	}
	status = harness_run("pipeline explain", cases);
	if (replied)
		bson_destroy(&reply);
	return status;
}
