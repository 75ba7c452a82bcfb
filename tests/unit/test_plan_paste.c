/* Plans in what people paste: left out, cut off, printed by other languages, answered by other servers. */
#include "harness/harness.h"

#include <stdio.h>
#include <string.h>

#include "plan/open.h"

static void append_figure(struct bytes *out, struct figure f)
{
	char number[48];

	bytes_append_text(out, figure_known(f) ? figure_format(f, true, number, sizeof number) : "-");
}

static void append_node(void *context, const struct plan_node *n, int depth)
{
	struct bytes *out = context;

	bytes_format(out, "%s%s", depth ? " < " : "", n->stage);
	if (n->index)
		bytes_format(out, " %s", n->index);
	if (figure_known(n->returned) || figure_known(n->docs)) {
		bytes_append_byte(out, ' ');
		append_figure(out, n->returned);
		bytes_append_byte(out, '/');
		append_figure(out, n->docs);
	}
}

/* "form returned, keys docs of the outer work, keys docs of all: last stage returned/docs < the one before it". */
static const char *pasted(const char *text)
{
	struct bytes out = BYTES_INIT;
	bson_error_t error;
	struct plan_tree *t = plan_from_text("t", text, strlen(text), &error);

	if (!t) {
		bytes_append_text(&out, error.message);
		return harness_keep(bytes_take_text(&out));
	}
	bytes_format(&out, "%s%s ", t->root_form, t->incomplete ? " incomplete" : "");
	append_figure(&out, t->returned);
	const struct figure figures[] = { t->outer.keys, t->outer.docs, t->total.keys, t->total.docs };
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		bytes_append_text(&out, i % 2 ? " " : ", ");
		append_figure(&out, figures[i]);
	}
	bytes_append_text(&out, ": ");
	plan_tree_walk(t, append_node, &out);
	plan_tree_destroy(t);
	return harness_keep(bytes_take_text(&out));
}

struct paste_case {
	const char *text, *expected;
};

static void check(const struct paste_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ASSERT_TEXT(pasted(cases[i].text), cases[i].expected);
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

#define STATS "executionStats: { executionSuccess: true, nReturned: 2, totalKeysExamined: 3, totalDocsExamined: 5"

static void test_left_out(void)
{
	static const struct paste_case cases[] = {
		{ "{ queryPlanner: { winningPlan: [Object] }, " STATS ", executionStages: [Object] } }",
		  "queryPlanner incomplete 2, 3 5, 3 5: ?" },
		{ "{ queryPlanner: { ... }, " STATS " } }", "queryPlanner incomplete 2, 3 5, 3 5: ?" },
		{ "{ queryPlanner: { winningPlan: { stage: 'EOF', ... } }, " STATS ", executionStages: { ... } } }",
		  "queryPlanner incomplete 2, 3 5, 3 5: EOF" },
		{ "{ stages: [ { '$cursor': [Object] }, { '$lookup': [Object] } ], ok: 1 }",
		  "stages incomplete -, - -, - -: $lookup < $cursor" },
		{ "{ stages: [ { $cursor: { queryPlanner: { winningPlan: { stage: 'COLLSCAN' } }, " STATS " } }, nReturned: 2 },"
		  " { $lookup: { from: 'b', as: 'b' }, totalDocsExamined: 7, totalKeysExamined: 0, nReturned: 2 },"
		  " ... 2 more items ], ok: 1 }",
		  "stages incomplete -, 3 5, >=3 >=12: ? < $lookup 2/7 < $cursor 2/- < COLLSCAN" },
		{ "{ stages: [ { $cursor: { queryPlanner: { winningPlan: { stage: 'COLLSCAN' } }, " STATS " } }, nReturned: 2 },",
		  "stages incomplete -, 3 5, >=3 >=5: $cursor 2/- < COLLSCAN" },
		{ "{ shards: { a: { queryPlanner: { winningPlan: { stage: 'EOF' } }, " STATS " } }, b: [Object] } }",
		  "shards incomplete -, - -, >=3 >=5: SHARDS < EOF" },
		{ "{ ok: 1, operationTime: [Object] }",
		  "t: no plan in what is there: something was cut off or left out, copy the whole reply" },
	};

	CHECK(cases);
}

static void test_flat(void)
{
	static const struct paste_case cases[] = {
		{ "{ rejectedPlans: [], winningPlan: [ { stage: 'FETCH' }, { stage: 'IXSCAN', indexName: 'a_1' } ] }",
		  "winningPlan -, - -, - -: FETCH < IXSCAN a_1" },
		{ "{ winningPlan: [ { stage: 'OR' }, [ { stage: 'FETCH' }, { stage: 'IXSCAN' } ], [ { stage: 'EOF' } ] ] }",
		  "winningPlan -, - -, - -: OR < FETCH < IXSCAN < EOF" },
		{ "{ stages: [ { $cursor: { winningPlan: [ { stage: 'COLLSCAN' } ] } }, { $group: { _id: 1 } } ] }",
		  "stages -, - -, - -: $group < $cursor < COLLSCAN" },
		{ "{ mergeType: 'router', mergerPart: [ { $mergeCursors: {} } ], shardsPart: [ { $group: {} } ], "
		  "a: [ { $cursor: { winningPlan: [ { stage: 'EOF' } ] } } ], b: { winningPlan: [ { stage: 'COLLSCAN' } ] } }",
		  "shards -, - -, - -: $mergeCursors < SHARDS < $cursor < EOF < COLLSCAN" },
		{ "[ { executionStages: { stage: 'SHARD_MERGE', nReturned: 3, totalDocsExamined: 9, totalKeysExamined: 1, shards: [ "
		  "{ executionStages: { stage: 'COLLSCAN', nReturned: 3 }, totalDocsExamined: 9 } ] } } ]",
		  "queryPlanner 3, 1 9, 1 9: SHARD_MERGE 3/9 < COLLSCAN 3/-" },
		{ "{ executionStages: { stage: 'FETCH', nReturned: 3 }, totalDocsExamined: 4, totalKeysExamined: 5 }",
		  "queryPlanner 3, 5 4, 5 4: FETCH 3/-" },
		{ "{ stage: 'SHARD_MERGE', nReturned: 3, totalDocsExamined: 9, totalKeysExamined: 1, shards: [] }",
		  "stage 3, - -, - -: SHARD_MERGE 3/9" },
	};

	CHECK(cases);
}

static void test_halves(void)
{
	static const struct paste_case cases[] = {
		{ "Result:\nwinningPlan: { stage: 'EOF' }\nexecutionStats: { nReturned: 2, totalKeysExamined: 4, totalDocsExamined: 0\n```\n",
		  "queryPlanner incomplete 2, 4 0, 4 0: EOF" },
		{ "winningPlan: { stage: 'EOF' }\nexecutionStats: { nReturned: 2, totalKeysExamined: 4 }", "queryPlanner 2, 4 -, 4 -: EOF" },
		{ "winningPlan: { stage: 'EOF' }\nother: { nReturned: 2 }", "winningPlan -, - -, - -: EOF" },
		{ "{ executionSuccess: true, nReturned: 2, totalKeysExamined: 4, executionStages: { stage: 'EOF', nReturned: 2 } }",
		  "queryPlanner 2, 4 -, 4 -: EOF 2/-" },
	};

	CHECK(cases);
}

static void test_profile(void)
{
	static const struct paste_case cases[] = {
		{ "{ op: 'query', ns: 'a.b', nreturned: 2, keysExamined: 3, docsExamined: 5, millis: 1, planSummary: 'COLLSCAN', "
		  "execStats: { stage: 'COLLSCAN', nReturned: 2, docsExamined: 5 } }",
		  "execStats 2, 3 5, 3 5: COLLSCAN 2/5" },
		{ "{ op: 'command', ns: 'a.b', docsExamined: 5, execStats: { stage: 'COUNT', nReturned: 0, nCounted: 4 } }",
		  "execStats 0, - 5, - 5: COUNT 0/-" },
		{ "{'attr': {'planSummary': 'COLLSCAN'}}",
		  "t: a log line, which holds no plan: bsonscope workload --from-log reads it" },
	};

	CHECK(cases);
}

/* All plans in a list, the winner first; a stage's inputs always in a list. */
static void test_version_3(void)
{
#define PLANS                                                                                                         \
	"plans: [ { isCached: false, planStages: { stage: 'FETCH', planNodeId: 2, inputStages: [ { stage: 'IXSCAN', "  \
	"planNodeId: 1, indexName: 'a_1', statistics: { costBased: {} } } ] } }, { planStages: { stage: 'COLLSCAN' } } ]"
	static const struct paste_case cases[] = {
		{ "{ explainVersion: '3', queryPlanner: { rankerChoice: {}, " PLANS " } }",
		  "queryPlanner -, - -, - -: FETCH < IXSCAN a_1" },
		{ "{ queryPlanner: { winningPlan: { stage: 'SINGLE_SHARD', shards: [ { shardName: 'x', explainVersion: '3', " PLANS
		  " } ] } } }",
		  "queryPlanner -, - -, - -: SINGLE_SHARD < FETCH < IXSCAN a_1" },
	};

	CHECK(cases);
#undef PLANS
}

static void test_other_servers(void)
{
	static const struct paste_case cases[] = {
		{ "{ queryPlanner: { winningPlan: { stage: 'LIMIT_SKIP' } }, executionStats: { executionTimeMillis: '4.1', "
		  "executionStages: { stage: 'LIMIT_SKIP', nReturned: '2', executionTimeMillisEstimate: '0.199' } } }",
		  "queryPlanner 2, - -, - -: LIMIT_SKIP 2/-" },
		{ "{ stages: [ { stage: '$query', timeInclusiveMS: 4.2, in: 1, out: 3, details: { collection: 'c', "
		  "queryMetrics: { retrievedDocumentCount: 8 } } } ], ok: 1 }",
		  "stages 3, - 8, - 8: $query 3/8" },
		{ "{ queryPlanner: { Plan: { 'Node Type': 'Sort', Plans: [ { 'Node Type': 'Seq Scan' } ] } }, ok: 1 }",
		  "queryPlanner -, - -, - -: Sort < Seq Scan" },
	};
	struct plan_tree *t = plan_from_text("t", cases[0].text, strlen(cases[0].text), &(bson_error_t){ 0 });

	CHECK(cases);
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT_EQUAL(t->millis.value, 4);
	CU_ASSERT_EQUAL(t->root->micros.value, 199);
	CU_ASSERT_FALSE(figure_known(t->root->millis)); /* not 0 */
	plan_tree_destroy(t);
}

static void test_other_languages(void)
{
	static const struct paste_case cases[] = {
		{ "{'queryPlanner': {'winningPlan': {'stage': 'COLLSCAN', 'filter': {'d': {'$gt': datetime.datetime(2026, 1, 2, 3, "
		  "4, tzinfo=datetime.timezone.utc)}}}}, 'executionStats': {'executionSuccess': True, 'nReturned': Int64(2)}, "
		  "'$clusterTime': {'signature': {'hash': b'\\x00', 'keyId': 0}}}",
		  "queryPlanner 2, - -, - -: COLLSCAN" },
		{ "Document{{queryPlanner=Document{{winningPlan=Document{{stage=COLLSCAN}}}}}}",
		  "t: printed by Java's toString, which leaves out the quotes: print toJson() instead" },
	};

	CHECK(cases);
}

int main(void)
{
	static const struct test_case cases[] = { { "left out", test_left_out },
		                                  { "flat", test_flat },
		                                  { "halves", test_halves },
		                                  { "profile", test_profile },
		                                  { "version 3", test_version_3 },
		                                  { "other servers", test_other_servers },
		                                  { "other languages", test_other_languages },
		                                  { NULL, NULL } };

	return harness_run("pasted plans", cases);
}
