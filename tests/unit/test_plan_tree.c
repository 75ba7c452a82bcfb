/* Explain replies as plan trees: forms by hand, recorded ones, and the engine's reply to the same command. */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/read.h"
#include "harness/data.h"
#include "plan/findings.h"
#include "plan/lines.h"
#include "plan/wish.h"
#include "samples/samples.h"

static void append_figure(struct bytes *out, const char *name, struct figure f)
{
	char number[48];

	if (figure_known(f))
		bytes_format(out, " %s=%s", name, figure_format(f, true, number, sizeof number));
}

static void append_node(void *context, const struct plan_node *n, int depth)
{
	struct bytes *out = context;

	bytes_format(out, "%*s", depth, "");
	plan_line_title(n, out);
	append_figure(out, "docs", n->docs);
	append_figure(out, "keys", n->keys);
	append_figure(out, "returned", n->returned);
	append_figure(out, "scans", n->collection_scans);
	if (n->bounds)
		bytes_format(out, " bounds %s", n->bounds);
	if (n->filter)
		bytes_format(out, " filter %s", n->filter);
	bytes_append_byte(out, '\n');
}

/* The tree, its totals and its findings; times, bytes and works apart. Kept until the program ends. */
static const char *described(struct value reply)
{
	struct bytes out = BYTES_INIT;
	bson_error_t error;
	struct plan_tree *t = plan_tree_read(reply, &error);

	if (!t) {
		bytes_format(&out, "error: %s", error.message);
		return harness_keep(bytes_take_text(&out));
	}
	plan_tree_walk(t, append_node, &out);
	bytes_format(&out, "%s %s%s:", t->root_form, plan_verbosity_text(t->verbosity), t->sharded ? " sharded" : "");
	append_figure(&out, "returned", t->returned);
	append_figure(&out, "outer docs", t->outer.docs);
	append_figure(&out, "keys", t->outer.keys);
	for (size_t i = 0; i < t->lookup_count; i++) {
		bytes_format(&out, " [%s", t->lookups[i].from);
		append_figure(&out, "docs", t->lookups[i].docs);
		append_figure(&out, "keys", t->lookups[i].keys);
		for (size_t k = 0; k < t->lookups[i].index_count; k++)
			bytes_format(&out, " %s", t->lookups[i].indexes[k]);
		bytes_append_text(&out, "]");
	}
	append_figure(&out, "all docs", t->total.docs);
	append_figure(&out, "keys", t->total.keys);
	bytes_append_byte(&out, '\n');
	for (size_t i = 0; i < t->finding_count; i++)
		bytes_format(&out, "! %s %s: %s\n", t->findings[i].code, t->findings[i].stage, t->findings[i].evidence);
	plan_verdict(t, &out);
	plan_tree_destroy(t);
	return harness_keep(bytes_take_text(&out));
}

static void test_find(void)
{
	ASSERT_TEXT(described(harness_json("{'explainVersion': '1', 'queryPlanner': {'namespace': 'library.kopya', "
	                                   "'winningPlan': {'stage': 'FETCH', 'inputStage': "
	                                   "{'stage': 'IXSCAN', 'indexName': 'kitap_1'}}, 'rejectedPlans': []}, "
	                                   "'executionStats': {'executionSuccess': true, "
	                                   "'nReturned': 5, 'executionTimeMillis': 0, 'totalKeysExamined': 5, "
	                                   "'totalDocsExamined': 5, 'executionStages': {'stage': "
	                                   "'FETCH', 'nReturned': 5, 'docsExamined': 5, 'inputStage': {'stage': "
	                                   "'IXSCAN', 'nReturned': 5, 'keysExamined': 5, "
	                                   "'indexName': 'kitap_1', 'indexBounds': {'kitap': ['[\\\"K-04242\\\", "
	                                   "\\\"K-04242\\\"]']}}}}}")),
	            "FETCH docs=5 returned=5\n"
	            " IXSCAN kitap_1 keys=5 returned=5 bounds kitap: [\"K-04242\", \"K-04242\"]\n"
	            "queryPlanner executionStats: returned=5 outer docs=5 keys=5 all docs=5 keys=5\n"
	            "examined 5, returned 5: nothing to remark");
}

static void test_only_planned_has_no_figures(void)
{
	ASSERT_TEXT(described(harness_json(
			    "{'queryPlanner': {'namespace': 'a.b', 'winningPlan': {'stage': 'COLLSCAN', 'filter': "
			    "{'x': {'$eq': 1}}}}}")),
	            "COLLSCAN filter { x: { $eq: 1 } }\n"
	            "queryPlanner queryPlanner:\n"
	            "! collection-scan COLLSCAN: collection scan with a filter\n"
	            "! not-run : planned, not run: nothing was counted\n");
}

static void test_lookups_stand_apart(void)
{
	ASSERT_TEXT(described(harness_json("{'stages': [{'$cursor': {'queryPlanner': {'namespace': 'b.orders', "
	                                   "'winningPlan': {'stage': 'IDHACK'}}, 'executionStats': "
	                                   "{'nReturned': 1, 'totalKeysExamined': 1, 'totalDocsExamined': 1, "
	                                   "'executionStages': {'stage': 'IDHACK', 'nReturned': 1, "
	                                   "'keysExamined': 1, 'docsExamined': 1}}}, 'nReturned': {'$numberLong': "
	                                   "'1'}}, {'$lookup': {'from': 'items', 'as': 'i', "
	                                   "'localField': '_id', 'foreignField': 'orderId'}, 'totalDocsExamined': "
	                                   "{'$numberLong': '680'}, 'totalKeysExamined': 0, "
	                                   "'collectionScans': 1, 'indexesUsed': [], 'nReturned': 1}, {'$lookup': "
	                                   "{'from': 'customers', 'as': 'c', 'localField': 'c', "
	                                   "'foreignField': '_id'}, 'nReturned': 1}]}")),
	            "$lookup from customers by _id returned=1\n"
	            " $lookup from items by orderId docs=680 keys=0 returned=1 scans=1\n"
	            "  $cursor returned=1\n"
	            "   IDHACK docs=1 keys=1 returned=1\n"
	            "stages executionStats: returned=1 outer docs=1 keys=1 [items docs=680 keys=0] [customers] all "
	            "docs=>=681 keys=>=1\n"
	            "! lookup-collection-scan $lookup: no index for the join: 1 collection scan of items, 680 "
	            "documents examined\n! lookup-not-counted $lookup: what the join examined in customers is not said\n");
}

static void test_shards(void)
{
	ASSERT_TEXT(described(harness_json("{'queryPlanner': {'winningPlan': {'stage': 'SHARD_MERGE', 'shards': "
	                                   "[{'shardName': 'a', 'winningPlan': {'stage': "
	                                   "'COLLSCAN'}}]}}, 'executionStats': {'nReturned': 7, 'totalKeysExamined': "
	                                   "3, 'totalDocsExamined': 9, 'executionStages': "
	                                   "{'stage': 'SHARD_MERGE', 'nReturned': 7, 'shards': [{'shardName': 'a', "
	                                   "'executionStages': {'stage': 'COLLSCAN', "
	                                   "'nReturned': 6, 'docsExamined': 6}}, {'shardName': 'b', 'executionStages': "
	                                   "{'stage': 'FETCH', 'nReturned': 1, "
	                                   "'docsExamined': 3, 'inputStage': {'stage': 'IXSCAN', 'indexName': 'x_1', "
	                                   "'keysExamined': 3, 'nReturned': 3}}}]}}}")),
	            "SHARD_MERGE returned=7\n"
	            " shard a: COLLSCAN docs=6 returned=6\n"
	            " shard b: FETCH docs=3 returned=1\n"
	            "  IXSCAN x_1 keys=3 returned=3\n"
	            "queryPlanner executionStats sharded: returned=7 outer docs=9 keys=3 all docs=9 keys=3\n"
	            "examined 9, returned 7: nothing to remark");
	ASSERT_TEXT(described(harness_json(
			    "{'shards': {'s1': {'stages': [{'$cursor': {'queryPlanner': {'winningPlan': {'stage': "
			    "'COLLSCAN'}}}}, {'$group': {'_id': '$x'}}]}}, 'mergeType': 'mongos'}")),
	            "SHARDS\n shard s1: $group { _id: '$x' }\n  $cursor\n   COLLSCAN\n"
	            "shards queryPlanner sharded:\n! not-run : planned, not run: nothing was counted\n");
}

/* The figures of the slot-based stages come to the stages of the plan that they were made for. */
static void test_slots(void)
{
	ASSERT_TEXT(described(harness_json("{'explainVersion': '2', 'queryPlanner': {'winningPlan': {'queryPlan': "
	                                   "{'stage': 'FETCH', 'planNodeId': 2, 'inputStage': "
	                                   "{'stage': 'IXSCAN', 'planNodeId': 1, 'indexName': 'a_1'}}, "
	                                   "'slotBasedPlan': {}}}, 'executionStats': {'nReturned': 5, "
	                                   "'totalKeysExamined': 6, 'totalDocsExamined': 5, 'executionStages': "
	                                   "{'stage': 'nlj', 'planNodeId': 2, 'nReturned': 5, "
	                                   "'outerStage': {'stage': 'ixseek', 'planNodeId': 1, 'nReturned': 6, "
	                                   "'numReads': 6}, 'innerStage': {'stage': 'seek', "
	                                   "'planNodeId': 2, 'nReturned': 1, 'numReads': 5}}}}")),
	            "FETCH docs=5 returned=5\n IXSCAN a_1 keys=6 returned=6\n"
	            "queryPlanner executionStats: returned=5 outer docs=5 keys=6 all docs=5 keys=6\n"
	            "examined 5, returned 5: nothing to remark");
}

/* Against what leaves the access stage: a group of many into one is no fault. */
static void test_findings(void)
{
	ASSERT_TEXT(described(harness_json("{'queryPlanner': {'winningPlan': {'stage': 'SORT'}}, 'executionStats': "
	                                   "{'nReturned': 2, 'totalKeysExamined': 90, "
	                                   "'totalDocsExamined': 90, 'executionStages': {'stage': 'SORT', 'nReturned': "
	                                   "2, 'sortPattern': {'b': 1}, "
	                                   "'totalDataSizeSorted': 5000, 'usedDisk': true, 'inputStage': {'stage': "
	                                   "'FETCH', 'nReturned': 2, 'docsExamined': 90, "
	                                   "'filter': {'c': 1}, 'inputStage': {'stage': 'IXSCAN', 'indexName': 'a_1', "
	                                   "'keysExamined': 90, 'nReturned': 90}}}}}")),
	            "SORT { b: 1 } returned=2\n FETCH docs=90 returned=2 filter { c: 1 }\n  IXSCAN a_1 keys=90 "
	            "returned=90\n"
	            "queryPlanner executionStats: returned=2 outer docs=90 keys=90 all docs=90 keys=90\n"
	            "! examined-far-more FETCH: examined 90 documents for 2 that pass\n"
	            "! sort-spilled SORT: sort in memory: 2 documents, 5,000 bytes, spilled to disk\n");
	ASSERT_TEXT(described(harness_json(
			    "{'stages': [{'$cursor': {'queryPlanner': {'winningPlan': {'stage': 'COLLSCAN'}}, "
			    "'executionStats': {'nReturned': 900, 'totalDocsExamined': 900, 'totalKeysExamined': 0, "
			    "'executionStages': {'stage': 'COLLSCAN', 'docsExamined': 900, 'nReturned': 900}}}, "
			    "'nReturned': 900}, {'$group': {'_id': null}, 'nReturned': 1}, {'$sort': {'sortKey': {'n': "
			    "1}}, 'nReturned': 1}]}")),
	            "$sort { sortKey: { n: 1 } } returned=1\n $group { _id: null } returned=1\n  $cursor returned=900\n"
	            "   COLLSCAN docs=900 returned=900\n"
	            "stages executionStats: returned=1 outer docs=900 keys=0 all docs=900 keys=0\n"
	            "examined 900, returned 1: nothing to remark");
}

static void test_not_a_plan(void)
{
	ASSERT_TEXT(described(harness_json("{'ok': 1}")),
	            "error: no plan in it: expected queryPlanner, stages or shards");
	ASSERT_TEXT(described(harness_json("{'ok': 0, 'code': 59, 'errmsg': 'no such command'}")),
	            "error: no such command");
	ASSERT_TEXT(described(harness_json("{'queryPlanner': 1, 'stages': 'x', 'shards': null}")),
	            "error: no plan in it: expected queryPlanner, stages or shards");
	ASSERT_TEXT(described(harness_json(
			    "{'queryPlanner': {'winningPlan': {'stage': 7, 'inputStages': [1, {'stage': 'A'}], "
			    "'indexBounds': {'a': 'x'}, 'indexName': 5}}}")),
	            "? bounds { a: 'x' }\n A\nqueryPlanner queryPlanner:\n! not-run : planned, not run: nothing was "
	            "counted\n");
}

/* `levels` stages below one another. */
static struct value nested(int levels, struct bytes *out)
{
	struct bytes text = BYTES_INIT;
	struct value v = value_missing();

	bytes_append_text(&text, "{\"queryPlanner\": {\"winningPlan\": ");
	for (int i = 0; i < levels; i++)
		bytes_format(&text, "{\"stage\": \"S%d\"%s", i, i + 1 < levels ? ", \"inputStage\": " : "");
	for (int i = 0; i < levels + 2; i++)
		bytes_append_byte(&text, '}');
	CU_ASSERT_TRUE_FATAL(read_document("nested", bytes_text(&text), text.size, out, NULL));
	value_document(&v, out->data, out->size);
	bytes_clear(&text);
	return v;
}

/* Built as bytes: the reader of text stops earlier than a reply may be deep. */
static struct value nested_bytes(int levels, struct bytes *out)
{
	bson_t *document = BCON_NEW("stage", BCON_UTF8("S")), *reply;
	struct value v = value_missing();

	for (int i = 1; i < levels; i++) {
		bson_t *outer = BCON_NEW("stage", BCON_UTF8("S"), "inputStage", BCON_DOCUMENT(document));

		bson_destroy(document);
		document = outer;
	}
	reply = BCON_NEW("queryPlanner", "{", "winningPlan", BCON_DOCUMENT(document), "}");
	bytes_append(out, bson_get_data(reply), reply->len);
	bson_destroy(document);
	bson_destroy(reply);
	value_document(&v, out->data, out->size);
	return v;
}

/* A pipeline in the pipeline of a $unionWith, and so on. */
static struct value nested_pipelines(int levels, struct bytes *out)
{
	bson_t *stage = BCON_NEW("$limit", BCON_INT32(1)), *reply;
	struct value v = value_missing();

	for (int i = 0; i < levels; i++) {
		bson_t *outer = BCON_NEW("$unionWith", "{", "coll", BCON_UTF8("c"), "pipeline", "[", BCON_DOCUMENT(stage), "]", "}");

		bson_destroy(stage);
		stage = outer;
	}
	reply = BCON_NEW("stages", "[", BCON_DOCUMENT(stage), "]");
	bytes_append(out, bson_get_data(reply), reply->len);
	bson_destroy(stage);
	bson_destroy(reply);
	value_document(&v, out->data, out->size);
	return v;
}

static void test_depth_of_pipelines(void)
{
	struct bytes most = BYTES_INIT, deep = BYTES_INIT;
	struct plan_tree *t = plan_tree_read(nested_pipelines(249, &most), NULL); /* with the outermost 250 */
	bson_error_t error;

	CU_ASSERT_PTR_NOT_NULL(t);
	plan_tree_destroy(t);
	CU_ASSERT_PTR_NULL(plan_tree_read(nested_pipelines(250, &deep), &error));
	ASSERT_TEXT(error.message, "the plan is deeper than 250 levels or has more than 20000 stages");
	bytes_clear(&most);
	bytes_clear(&deep);
}

static void test_depth(void)
{
	struct bytes shallow = BYTES_INIT, deep = BYTES_INIT, most = BYTES_INIT;
	struct plan_tree *t = plan_tree_read(nested(200, &shallow), NULL);

	CU_ASSERT_PTR_NOT_NULL(t);
	plan_tree_destroy(t);
	t = plan_tree_read(nested_bytes(249, &most), NULL); /* with the reply's own level 250 */
	CU_ASSERT_PTR_NOT_NULL(t);
	plan_tree_destroy(t);
	CU_ASSERT_PTR_NULL(plan_tree_read(nested_bytes(250, &deep), NULL));
	bytes_clear(&shallow);
	bytes_clear(&most);
	bytes_clear(&deep);
}

static const char *wished(struct value reply)
{
	struct plan_tree *t = plan_tree_read(reply, NULL);
	struct bytes out = BYTES_INIT;
	struct plan_wishes w;

	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	plan_wishes_find(t, &w);
	for (size_t i = 0; i < w.count; i++) {
		struct value key;

		CU_ASSERT_TRUE_FATAL(value_document(&key, w.wishes[i].key.data, w.wishes[i].key.size));
		bytes_format(&out, "%s %s (%s);", w.wishes[i].collection, harness_text(key), w.wishes[i].why);
	}
	plan_wishes_clear(&w);
	plan_tree_destroy(t);
	return harness_keep(bytes_take_text(&out));
}

#define PLANNED(query, plan)                                                                                           \
	harness_json("{'queryPlanner': {'namespace': 'shop.orders', 'parsedQuery': " query ", 'winningPlan': " plan    \
	             "}}")

/* Equality, sort, range. */
static void test_wishes(void)
{
	ASSERT_TEXT(wished(PLANNED("{'$and': [{'b': {'$gt': 3}}, {'a': {'$eq': 1}}, {'c': {'$lt': 9}}]}",
	                           "{'stage': 'SORT', 'sortPattern': {'s': -1}, 'inputStage': {'stage': 'COLLSCAN'}}")),
	            "orders {\"a\": 1, \"s\": -1, \"b\": 1} (equality, sort, range);");
	ASSERT_TEXT(wished(PLANNED("{'k': {'$elemMatch': {'$and': [{'x': {'$eq': 1}}, {'y': {'$in': [1]}}]}}}",
	                           "{'stage': 'COLLSCAN'}")),
	            "orders {\"k.x\": 1, \"k.y\": 1} (equality);");
	ASSERT_TEXT(wished(PLANNED("{'a': {'$gte': 3, '$lt': 9}}", "{'stage': 'COLLSCAN'}")),
	            "orders {\"a\": 1} (range);");
	ASSERT_TEXT(wished(PLANNED("{'$or': [{'a': {'$eq': 1}}, {'b': {'$gt': 1}}, {'a': {'$eq': 2}}]}", "{'stage': 'COLLSCAN'}")),
	            "orders {\"a\": 1} (a branch of $or: equality);orders {\"b\": 1} (a branch of $or: range);");
	ASSERT_TEXT(wished(PLANNED("{'$or': [{'a': {'$eq': 1}}, {'b': {'$not': {'$eq': 1}}}]}", "{'stage': 'COLLSCAN'}")), "");
	ASSERT_TEXT(wished(PLANNED("{'$and': [{'$or': [{'a': {'$eq': 1}}, {'b': {'$eq': 1}}]}, {'c': {'$eq': 1}}]}",
	                           "{'stage': 'COLLSCAN'}")),
	            "orders {\"c\": 1} (equality);");
	ASSERT_TEXT(wished(PLANNED("{'a': {'$not': {'$eq': 1}}}", "{'stage': 'COLLSCAN'}")), "");
	ASSERT_TEXT(wished(harness_json(
			    "{'stages': [{'$cursor': {'queryPlanner': {'namespace': 's.o', 'winningPlan': {'stage': "
			    "'COLLSCAN'}}}}, {'$lookup': {'from': 'items', 'foreignField': 'orderId'}}, {'$sort': "
			    "{'sortKey': {'n': 1}}}]}")),
	            "items {\"orderId\": 1} (the $lookup's foreign field);");
	ASSERT_TEXT(wished(PLANNED("{}", "{'stage': 'EQ_LOOKUP', 'foreignCollection': 'shop.items', 'localField': '_id', "
	                                 "'foreignField': 'order.id', 'strategy': 'HashJoin', 'inputStage': {'stage': 'COLLSCAN'}}")),
	            "items {\"order.id\": 1} (the $lookup's foreign field);");
}

/* Both sides of the same command. */

static struct value recorded(const char *name, struct bytes *out)
{
	struct value v = value_missing();
	char path[512], *text;
	size_t size;

	snprintf(path, sizeof path, "%s/recorded/%s.json", harness_corpus(), name);
	text = harness_read_file(path, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_TRUE_FATAL(read_document(name, text, size, out, NULL));
	value_document(&v, out->data, out->size);
	free(text);
	return v;
}

static const char *recorded_tree(const char *name)
{
	struct bytes document = BYTES_INIT;
	const char *text = described(value_get(recorded(name, &document), "reply"));

	bytes_clear(&document);
	return text;
}

static void test_recorded(void)
{
	if (!harness_corpus()) {
		printf("skipped: BSONSCOPE_CORPUS is not set\n");
		return;
	}
	ASSERT_TEXT(recorded_tree("explain-lookup-index"),
	            "$lookup from customers by _id · _id_ docs=1 keys=1 returned=1 scans=0\n"
	            " $lookup from order_items_flat by orderId · orderId_1 docs=2 keys=2 returned=1 scans=0\n"
	            "  $cursor returned=1\n"
	            "   IDHACK docs=1 keys=1 returned=1\n"
	            "stages executionStats: returned=1 outer docs=1 keys=1 [order_items_flat docs=2 keys=2 orderId_1] "
	            "[customers docs=1 "
	            "keys=1 _id_] all docs=4 keys=4\n"
	            "examined 4, returned 1: nothing to remark");
	ASSERT_TEXT(recorded_tree("explain-update-one"),
	            "UPDATE returned=0\n IDHACK docs=1 keys=1 returned=1\n"
	            "queryPlanner executionStats: returned=0 outer docs=1 keys=1 all docs=1 keys=1\n"
	            "examined 1, returned 0: nothing to remark");
	ASSERT_TEXT(
		recorded_tree("sbe-ixscan-fetch"),
		"FETCH docs=5 returned=5\n IXSCAN kitap_1 keys=5 returned=5 bounds kitap: [\"K-04242\", \"K-04242\"]\n"
		"queryPlanner executionStats: returned=5 outer docs=5 keys=5 all docs=5 keys=5\n"
		"examined 5, returned 5: nothing to remark");
	CU_ASSERT_PTR_NOT_NULL(strstr(recorded_tree("explain-lookup-noindex"), "[order_items_flat docs=680 keys=0]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(recorded_tree("explain-ixscan-fetch.queryPlanner"), "not-run"));
	CU_ASSERT_PTR_NOT_NULL(strstr(recorded_tree("explain-ixscan-fetch.allPlansExecution"), "allPlansExecution"));
}

/* Commands on the data as it was loaded: the same tree from the server and from the engine. */
static void test_engine_and_server_agree(void)
{
	static const char *const names[] = { "explain-idhack",
		                             "explain-collscan-all",
		                             "explain-collscan-filter",
		                             "explain-collscan-filter.queryPlanner",
		                             "explain-collscan-limit",
		                             "explain-collscan-sort-limit",
		                             "explain-collscan-projection",
		                             "explain-collscan-regex",
		                             "explain-elemMatch-collscan",
		                             "explain-embedded-order",
		                             "explain-update-one",
		                             "explain-update-many",
		                             "explain-agg-match-group",
		                             "explain-eof-missing-collection",
		                             "explain-count-collscan",
		                             "explain-delete-many",
		                             "explain-ixscan-fetch",
		                             "explain-ixscan-fetch.allPlansExecution" };
	enum { WITH_INDEX = 15 }; /* from there on */
	struct model *model;
	struct source *s;

	if (!harness_corpus())
		return;
	s = sample_open("bookstore", &model, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	/* as the data was when it was recorded */
	data_ask(s, "bookstore", "{'dropIndexes': 'reviews', 'index': '*'}");
	data_ask(s, "bookstore", "{'dropIndexes': 'books', 'index': '*'}");
	data_ask(s, "bookstore", "{'dropIndexes': 'orders', 'index': '*'}");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct bytes document = BYTES_INIT;
		struct value record = recorded(names[i], &document), command = value_get(record, "command");
		const char *theirs = described(value_get(record, "reply"));
		bson_t request, reply;
		bson_t *explain;
		bson_error_t error;

		if (i == WITH_INDEX)
			data_ask(s, "bookstore",
			         "{'createIndexes': 'reviews', 'indexes': [{'key': {'bookId': 1}, 'name': "
			         "'bookId_1'}]}");
		CU_ASSERT_TRUE_FATAL(value_to_bson(&request, value_get(command, "explain")));
		explain = BCON_NEW("explain", BCON_DOCUMENT(&request), "verbosity",
		                   BCON_UTF8(value_text(value_get(command, "verbosity")).bytes));
		if (!source_command(s, "bookstore", explain, &reply, NULL, &error))
			printf("%s: %s\n", names[i], error.message);
		ASSERT_TEXT(described(value_from_bson(&reply)), theirs);
		bson_destroy(&reply);
		bson_destroy(explain);
		bytes_clear(&document);
	}
	source_destroy(s);
	model_destroy(model);
}

int main(void)
{
	static const struct test_case cases[] = { { "find", test_find },
		                                  { "only planned has no figures", test_only_planned_has_no_figures },
		                                  { "lookups stand apart", test_lookups_stand_apart },
		                                  { "shards", test_shards },
		                                  { "slots", test_slots },
		                                  { "findings", test_findings },
		                                  { "not a plan", test_not_a_plan },
		                                  { "depth", test_depth },
		                                  { "depth of pipelines", test_depth_of_pipelines },
		                                  { "wishes", test_wishes },
		                                  { "recorded", test_recorded },
		                                  { "engine and server agree", test_engine_and_server_agree },
		                                  { NULL, NULL } };

	return harness_run("plan tree", cases);
}
