/* Remarks on plans: each with the number that proves it, and none where there is no such number. */
#include "harness/harness.h"

#include <stdio.h>
#include <string.h>

#include "plan/findings.h"
#include "plan/words.h"

/* "code STAGE: evidence | advice | cost" a line; kept until the program ends. */
static const char *found(const char *json)
{
	struct bytes out = BYTES_INIT;
	bson_error_t error = { 0 };
	struct plan_tree *t = plan_tree_read(harness_json(json), &error);

	if (!t)
		bytes_format(&out, "error: %s", error.message);
	for (size_t i = 0; t && i < t->finding_count; i++) {
		const struct plan_finding *f = &t->findings[i];

		bytes_format(&out, "%s %s: %s\n", f->code, f->stage, f->evidence);
		CU_ASSERT(!f->node || !strcmp(f->node->stage, f->stage));
	}
	plan_tree_destroy(t);
	return harness_keep(bytes_take_text(&out));
}

static const char *advised(const char *json, const char *code)
{
	struct bytes out = BYTES_INIT;
	struct plan_tree *t = plan_tree_read(harness_json(json), NULL);

	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	for (size_t i = 0; i < t->finding_count; i++)
		if (!strcmp(t->findings[i].code, code))
			bytes_format(&out, "%s | %s\n", t->findings[i].advice, t->findings[i].cost);
	plan_tree_destroy(t);
	return harness_keep(bytes_take_text(&out));
}

/* A run of the plan `stages` of shop.items, with `more` fields of the planner and of the reply. */
#define RUN_WITH(query, planner, more, stages)                                                                         \
	"{'queryPlanner': {'namespace': 'shop.items', 'parsedQuery': " query planner ", 'winningPlan': {'stage': 'X'}}, " \
	"'executionStats': {'nReturned': 2, 'totalKeysExamined': 0, 'totalDocsExamined': 680, 'executionStages': " stages "}" more "}"
#define RUN(stages) RUN_WITH("{}", "", "", stages)

#define INDEX_COST "each insert, delete and change of its fields writes the index too, and it takes disk and memory"

static void test_nested_loops(void)
{
	static const char format[] = "{'queryPlanner': {'namespace': 'd.a', 'winningPlan': {'stage': 'NESTED_LOOP_JOIN_EMBEDDING', "
				     "'joinPredicates': ['x = y'], 'inputStages': [{'stage': 'COLLSCAN', 'nss': 'd.a'}, {'stage': '%s', "
				     "'nss': 'd.b'}]}}, 'executionStats': {'nReturned': 1}}";
	char text[400];

	snprintf(text, sizeof text, format, "COLLSCAN");
	ASSERT_TEXT(found(text), "lookup-collection-scan NESTED_LOOP_JOIN_EMBEDDING: nested loop by x = y: a collection scan of b for "
	                         "each document\n");
	snprintf(text, sizeof text, format, "IXSCAN");
	ASSERT_TEXT(found(text), "");
	ASSERT_TEXT(found("{'queryPlanner': {'winningPlan': {'stage': 'EQ_LOOKUP', 'foreignCollection': 'b', 'strategy': "
	                  "'NestedLoopJoin'}}, 'executionStats': {'nReturned': 1}}"),
	            "lookup-collection-scan EQ_LOOKUP: nested loop: a collection scan of b for each document\n");
}

/* An $or uses indexes only when each of its branches has one. */
static void test_branches_want_an_index_each(void)
{
	ASSERT_TEXT(advised("{'queryPlanner': {'namespace': 'd.a', 'parsedQuery': {'$or': [{'a': {'$eq': 1}}, {'b': {'$eq': 2}}]}, "
	                    "'winningPlan': {'stage': 'COLLSCAN', 'filter': {'$or': []}}}}",
	                    FINDING_COLLECTION_SCAN),
	            "an index on what the filter asks for: { a: 1 } and { b: 1 } | " INDEX_COST "\n");
}

static void test_collection_scan(void)
{
	static const char scan[] = RUN_WITH("{'order': {'$eq': 1}}", "", "", "{'stage': 'COLLSCAN', 'filter': {'order': {'$eq': 1}}, "
	                                    "'docsExamined': 680, 'nReturned': 2}");

	ASSERT_TEXT(found(scan), "collection-scan COLLSCAN: collection scan: examined 680, returned 2\n");
	ASSERT_TEXT(advised(scan, FINDING_COLLECTION_SCAN), "an index on what the filter asks for: { order: 1 } | " INDEX_COST "\n");
	/* all that is read is wanted, or nearly all */
	ASSERT_TEXT(found(RUN("{'stage': 'COLLSCAN', 'docsExamined': 680, 'nReturned': 680}")), "");
	ASSERT_TEXT(found(RUN("{'stage': 'COLLSCAN', 'filter': {'a': 1}, 'docsExamined': 680, 'nReturned': 679}")), "");
	ASSERT_TEXT(advised(RUN("{'stage': 'COLLSCAN', 'filter': {'a': 1}, 'docsExamined': 680, 'nReturned': 400}"),
	                    FINDING_COLLECTION_SCAN),
	            "so much of it passes that an index would hardly help: ask for less | \n");
}

static void test_why_no_index_serves(void)
{
	ASSERT_TEXT(found(RUN("{'stage': 'COLLSCAN', 'filter': {'a': {'$eq': null}}, 'docsExamined': 680, 'nReturned': 2}")),
	            "collection-scan COLLSCAN: collection scan: examined 680, returned 2\n"
	            "index-not-used COLLSCAN: a sparse or partial index does not serve equality to null: 680 documents examined\n");
	ASSERT_TEXT(found(RUN("{'stage': 'COLLSCAN', 'filter': {'$and': [{'a': {'$regex': 'x'}}]}, 'docsExamined': 680, "
	                      "'nReturned': 2}")),
	            "collection-scan COLLSCAN: collection scan: examined 680, returned 2\n"
	            "index-not-used COLLSCAN: a regular expression without a prefix (^) reads all strings of an index: 680 "
	            "documents examined\n");
	ASSERT_TEXT(found(RUN("{'stage': 'COLLSCAN', 'filter': {'a': {'$regex': '^x'}}, 'docsExamined': 680, 'nReturned': 2}")),
	            "collection-scan COLLSCAN: collection scan: examined 680, returned 2\n");
	ASSERT_TEXT(found(RUN_WITH("{}", "", ", 'command': {'find': 'items', 'collation': {'locale': 'tr'}}",
	                           "{'stage': 'COLLSCAN', 'filter': {'a': 1}, 'docsExamined': 680, 'nReturned': 2}")),
	            "collection-scan COLLSCAN: collection scan: examined 680, returned 2\n"
	            "index-not-used COLLSCAN: the command has a collation: for strings only an index with the same one serves: "
	            "680 documents examined\n");
}

/* Against what leaves the access stage, and not where figures of shards are summed up. */
static void test_examined(void)
{
	ASSERT_TEXT(found(RUN("{'stage': 'GROUP', 'nReturned': 1, 'inputStage': {'stage': 'FETCH', 'docsExamined': 680, "
	                      "'nReturned': 680, 'inputStage': {'stage': 'IXSCAN', 'keysExamined': 680, 'nReturned': 680}}}")),
	            "");
	ASSERT_TEXT(found(RUN("{'stage': 'FETCH', 'docsExamined': 680, 'nReturned': 2, 'inputStage': {'stage': 'IXSCAN', "
	                      "'keysExamined': 680, 'nReturned': 680}}")),
	            "examined-far-more FETCH: examined 680 documents for 2 that pass\n");
	ASSERT_TEXT(found(RUN("{'stage': 'IXSCAN', 'keysExamined': 680, 'nReturned': 2, 'keyPattern': {'a': 1}}")),
	            "keys-far-more IXSCAN: examined 680 keys for 2 that pass\n");
	ASSERT_TEXT(found(RUN("{'stage': 'IXSCAN', 'keysExamined': 680, 'nReturned': 2, 'keyPattern': {'a': '2dsphere'}}")), "");
	ASSERT_TEXT(found(RUN("{'stage': 'IXSCAN', 'keysExamined': 680, 'nReturned': 2, 'keyPattern': {'a': 1}, 'indexBounds': "
	                      "{'a': ['[\\\"\\\", {})', '[/x/i, /x/i]']}}")),
	            "regex-reads-index IXSCAN: /x/i has no prefix in the index's order: all strings of a are read: examined 680 "
	            "keys for 2 that pass\n");
	ASSERT_TEXT(found(RUN("{'stage': 'SINGLE_SHARD', 'totalDocsExamined': 680, 'nReturned': 2, 'shards': [{'shardName': 's', "
	                      "'executionStages': {'stage': 'EOF', 'nReturned': 2}}]}")),
	            "");
}

#define PROJECTED(projection, filter, multikey)                                                                        \
	RUN("{'stage': 'PROJECTION_SIMPLE', 'nReturned': 680, 'transformBy': " projection ", 'inputStage': {'stage': 'FETCH', " \
	    "'docsExamined': 680, 'nReturned': 680, 'filter': " filter ", 'inputStage': {'stage': 'IXSCAN', 'indexName': 'a_1_b_1', " \
	    "'keyPattern': {'a': 1, 'b': 1}, 'isMultiKey': " multikey ", 'keysExamined': 680, 'nReturned': 680}}}")

static void test_almost_covered(void)
{
	ASSERT_TEXT(found(PROJECTED("{'a': 1, 'b': true}", "{}", "false")),
	            "fetch-almost-covered FETCH: fetched 680 documents for one field that the key of a_1_b_1 does not hold: _id\n");
	ASSERT_TEXT(advised(PROJECTED("{'a': 1, 'b': true}", "{}", "false"), FINDING_COVERED),
	            "_id: 0 in the projection, if it is not needed: the index alone answers then | \n");
	ASSERT_TEXT(found(PROJECTED("{'a': 1, '_id': 0}", "{'$or': [{'c': {'$gt': 1}}, {'b': 1}]}", "false")),
	            "fetch-almost-covered FETCH: fetched 680 documents for one field that the key of a_1_b_1 does not hold: c\n");
	ASSERT_TEXT(found(PROJECTED("{'a': 1, 'c': 1}", "{}", "false")), ""); /* c and _id */
	ASSERT_TEXT(found(PROJECTED("{'a': 1}", "{}", "true")), "");          /* arrays are not in the key */
	ASSERT_TEXT(found(PROJECTED("{'a': 0}", "{}", "false")), "");         /* all but a */
	ASSERT_TEXT(found(PROJECTED("{'a': 1, '_id': 0}", "{'$expr': {'$eq': ['$c', 1]}}", "false")), "");
}

/* Names and values of the data never reach a terminal as they are. */
static void test_control_bytes(void)
{
	ASSERT_TEXT(found(PROJECTED("{'a': 1, '_id': 0, '\\u001b[31m': 1}", "{}", "false")),
	            "fetch-almost-covered FETCH: fetched 680 documents for one field that the key of a_1_b_1 does not hold: "
	            "\\u001b[31m\n");
	ASSERT_TEXT(found(RUN("{'stage': 'IXSCAN', 'keysExamined': 680, 'nReturned': 2, 'keyPattern': {'a\\u0007': 1}, 'indexBounds': "
	                      "{'a\\u0007': ['[\\\"\\\", {})', '[/\\u001b/i, /\\u001b/i]']}}")),
	            "regex-reads-index IXSCAN: /\\u001b/i has no prefix in the index's order: all strings of a\\u0007 are read: examined "
	            "680 keys for 2 that pass\n");
}

static void test_collation(void)
{
	static const char stages[] = RUN_WITH("{}", "", ", 'command': {'find': 'items'}",
	                                      "{'stage': 'FETCH', 'docsExamined': 9, 'nReturned': 2, 'filter': {'b': {'$eq': 'x'}}, "
	                                      "'inputStage': {'stage': 'IXSCAN', 'indexName': 'a_1_b_1', 'keysExamined': 9, 'nReturned': 9, "
	                                      "'collation': {'locale': 'tr', 'strength': 2}, 'indexBounds': {'a': ['[1, 1]'], 'b': "
	                                      "['[MinKey, MaxKey]']}}}");

	ASSERT_TEXT(found(stages), "index-collation FETCH: a_1_b_1 holds b in another collation than the command's: its bounds are "
	                           "open, 9 documents examined for 2 that pass\n");
}

static void test_sort_and_spill(void)
{
	ASSERT_TEXT(found(RUN("{'stage': 'SORT', 'nReturned': 680, 'sortPattern': {'b': 1}, 'usedDisk': true, 'spills': 3, "
	                      "'spilledRecords': 600, 'spilledDataStorageSize': 4096, 'totalDataSizeSorted': 70000, 'inputStage': "
	                      "{'stage': 'COLLSCAN', 'docsExamined': 680, 'nReturned': 680}}")),
	            "sort-spilled SORT: sort in memory: 680 documents, 70,000 bytes, spilled to disk, 3 times, 600 records, 4,096 bytes "
	            "on disk\n");
	ASSERT_TEXT(found("{'stages': [{'$cursor': {'queryPlanner': {'winningPlan': {'stage': 'COLLSCAN'}}, 'executionStats': "
	                  "{'nReturned': 680, 'executionStages': {'stage': 'COLLSCAN', 'docsExamined': 680, 'nReturned': 680}}}, "
	                  "'nReturned': 680}, {'$group': {'_id': '$a'}, 'nReturned': 90, 'usedDisk': true, 'spills': 2}]}"),
	            "stage-spilled $group: spilled to disk, 2 times\n");
	ASSERT_TEXT(found(RUN("{'stage': 'SORT', 'nReturned': 1, 'inputStage': {'stage': 'IDHACK', 'nReturned': 1}}")), "");
}

#define JOINED(inputs, figures)                                                                                        \
	"{'stages': [{'$cursor': {'queryPlanner': {'winningPlan': {'stage': 'COLLSCAN'}}, 'executionStats': {'nReturned': 9, " \
	"'executionStages': {'stage': 'COLLSCAN', 'nReturned': 9}}}, 'nReturned': " inputs "}, {'$lookup': {'from': 'parts', "  \
	"'localField': 'p', 'foreignField': 'part', 'as': 'x'}, 'nReturned': 9" figures "}]}"

static void test_lookups(void)
{
	ASSERT_TEXT(found(JOINED("9", ", 'totalDocsExamined': 0, 'totalKeysExamined': 4, 'collectionScans': 0, 'indexesUsed': "
	                              "['part_1']")),
	            "lookup-found-nothing $lookup: the join found nothing for 9 documents: 0 documents of parts, 4 keys\n");
	ASSERT_TEXT(found(JOINED("1", ", 'totalDocsExamined': 0, 'totalKeysExamined': 0, 'collectionScans': 0")), "");
	ASSERT_TEXT(found(JOINED("9", ", 'totalDocsExamined': 9, 'totalKeysExamined': 9, 'collectionScans': 0")), "");
	ASSERT_TEXT(found(JOINED("9", "")), "lookup-not-counted $lookup: what the join examined in parts is not said\n");
	ASSERT_TEXT(advised(JOINED("9", ", 'totalDocsExamined': 99, 'collectionScans': 9"), FINDING_LOOKUP_SCAN),
	            "an index on part of parts | " INDEX_COST "\n");
	ASSERT_TEXT(advised("{'stages': [{'$lookup': {'from': 'parts', 'as': 'x', 'pipeline': [{'$match': {'$expr': {'$eq': ['$p', "
	                    "'$$p']}}}]}, 'totalDocsExamined': 99, 'collectionScans': 9, 'nReturned': 9}]}",
	                    FINDING_LOOKUP_SCAN),
	            "an index on the foreign field of parts; one that is sparse, partial or over an array does not serve $expr, "
	            "localField and foreignField use it | " INDEX_COST "\n");
}

#define SHARD(name, returned)                                                                                          \
	"{'shardName': '" name "', 'executionStages': {'stage': 'FETCH', 'filter': {'a': 1}, 'docsExamined': 5, 'nReturned': " returned "}}"

static void test_shards(void)
{
	ASSERT_TEXT(found(RUN("{'stage': 'SHARD_MERGE', 'nReturned': 5, 'shards': [" SHARD("a", "5") ", " SHARD("b", "0") "]}")),
	            "scatter-gather SHARD_MERGE: 2 shards were asked, 1 of them returned nothing, 680 documents examined on all\n");
	ASSERT_TEXT(found(RUN("{'stage': 'SINGLE_SHARD', 'nReturned': 5, 'shards': [" SHARD("a", "5") "]}")), "");
}

#define TRIED(first, second)                                                                                           \
	"{'queryPlanner': {'winningPlan': {'stage': 'IXSCAN'}, 'rejectedPlans': [{}]}, 'executionStats': {'nReturned': 101, "  \
	"'executionStages': {'stage': 'IXSCAN', 'nReturned': 101}, 'allPlansExecution': [" first ", " second "]}}"
#define TRIAL(index, returned, works, more)                                                                            \
	"{'nReturned': " returned more ", 'executionStages': {'stage': 'IXSCAN', 'indexName': '" index "', 'works': " works "}}"

static void test_choice(void)
{
	ASSERT_TEXT(found(TRIED(TRIAL("a_1", "101", "101", ""), TRIAL("b_1", "100", "101", ""))),
	            "narrow-choice IXSCAN: chosen by a narrow margin: in the trial a_1 101 results in 101 works against b_1 100 results "
	            "in 101 works\n");
	ASSERT_TEXT(found(TRIED(TRIAL("a_1", "101", "101", ""), TRIAL("b_1", "9", "101", ""))), "");
	ASSERT_TEXT(found(TRIED(TRIAL("a_1", "9", "99", ", 'score': 1.5"), TRIAL("b_1", "9", "99", ", 'score': 2.5"))), "");
	ASSERT_TEXT(found(TRIED(TRIAL("a_1", "9", "99", ", 'score': 2.5"), TRIAL("b_1", "9", "99", ", 'score': 2.4999"))),
	            "narrow-choice IXSCAN: chosen by a narrow margin: in the trial a_1 scored 2.5000, 9 results in 99 works against b_1 "
	            "scored 2.4999, 9 results in 99 works\n");
	ASSERT_TEXT(found(RUN_WITH("{}", ", 'indexFilterSet': true", "", "{'stage': 'IDHACK', 'nReturned': 1}")),
	            "index-filter IDHACK: an index filter is set (indexFilterSet: true): only its indexes were looked at, hints were not\n");
}

static void test_cache(void)
{
	ASSERT_TEXT(found(RUN("{'stage': 'CACHED_PLAN', 'nReturned': 1, 'works': 120, 'decisionWorks': 12}")),
	            "stale-plan CACHED_PLAN: a cached plan that took 12 works when it was chosen took 120\n");
	ASSERT_TEXT(found(RUN("{'stage': 'CACHED_PLAN', 'nReturned': 1, 'works': 119, 'decisionWorks': 12}")), "");
	ASSERT_TEXT(found(RUN("{'stage': 'CACHED_PLAN', 'nReturned': 1, 'replanReason': 'expected 12 works'}")),
	            "replanned CACHED_PLAN: the cached plan was given up: expected 12 works\n");
	ASSERT_TEXT(found(RUN("{'stage': 'IDHACK', 'isCached': true, 'nReturned': 1}")), ""); /* kept is no fault */
}

static void own_times(void *context, const struct plan_node *n, int depth)
{
	char number[48];

	(void)depth;
	bytes_format(context, "%s %s;", n->stage, figure_format(n->own_millis, true, number, sizeof number));
}

static void test_own_times(void)
{
	struct plan_tree *t = plan_tree_read(
		harness_json(RUN("{'stage': 'SHARD_MERGE', 'executionTimeMillis': 50, 'shards': [{'shardName': 'a', 'executionStages': "
	                         "{'stage': 'LIMIT', 'executionTimeMillisEstimate': 40, 'inputStage': {'stage': 'FETCH', "
	                         "'executionTimeMillisEstimate': 41, 'inputStage': {'stage': 'IXSCAN'}}}}, {'shardName': 'b', "
	                         "'executionStages': {'stage': 'COLLSCAN', 'executionTimeMillisEstimate': 30}}]}")),
		NULL);
	struct bytes out = BYTES_INIT;

	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	plan_tree_walk(t, own_times, &out);
	/* shards overlap; below zero and without the input's time it is unknown */
	ASSERT_TEXT(bytes_text(&out), "SHARD_MERGE 10;LIMIT -;FETCH -;IXSCAN -;COLLSCAN 30;");
	CU_ASSERT_DOUBLE_EQUAL(plan_own_share(t, t->root), 0.2, 0);
	CU_ASSERT(plan_own_share(t, t->root->children[0]) < 0);
	bytes_clear(&out);
	plan_tree_destroy(t);
}

static void test_words(void)
{
	ASSERT_TEXT(plan_stage_words("COLLSCAN"), "reads every document of the collection");
	CU_ASSERT_PTR_NOT_NULL(plan_stage_words("$_internalUnpackBucket"));
	CU_ASSERT_PTR_NOT_NULL(plan_stage_words("ixseek"));
	CU_ASSERT_PTR_NOT_NULL(plan_stage_words("BtreeCursor"));
	CU_ASSERT_PTR_NULL(plan_stage_words("COLLSCAN2"));
}

int main(void)
{
	static const struct test_case cases[] = { { "nested loops", test_nested_loops },
		                                  { "branches want an index each", test_branches_want_an_index_each },
		                                  { "collection scan", test_collection_scan },
		                                  { "why no index serves", test_why_no_index_serves },
		                                  { "examined", test_examined },
		                                  { "almost covered", test_almost_covered },
		                                  { "control bytes", test_control_bytes },
		                                  { "collation", test_collation },
		                                  { "sort and spill", test_sort_and_spill },
		                                  { "lookups", test_lookups },
		                                  { "shards", test_shards },
		                                  { "choice", test_choice },
		                                  { "cache", test_cache },
		                                  { "own times", test_own_times },
		                                  { "words", test_words },
		                                  { NULL, NULL } };

	return harness_run("plan findings", cases);
}
