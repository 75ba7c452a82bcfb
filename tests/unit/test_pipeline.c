/* Aggregations, as commands give them: what each stage makes of a few documents, and what it refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "harness/harness.h"

static struct engine *engine;

/* One line of JSON that reads well inside a C string: single quotes. */
static const char *quoted(struct value v)
{
	char *text = (char *)(uintptr_t)harness_text(v);

	for (char *c = text; *c; c++)
		if (*c == '"')
			*c = '\'';
	return text;
}

/* The reply's batch as JSON, "n: message" of an error. */
static const char *answer(const char *command)
{
	struct value c = harness_json(command);
	bson_t document, reply;
	bson_error_t error;
	const char *text;

	value_to_bson(&document, c);
	if (engine_command(engine, "t", &document, &reply, NULL, &error)) {
		struct value cursor = value_get(value_from_bson(&reply), "cursor");

		text = value_is_missing(cursor) ? quoted(value_from_bson(&reply))
		                                : quoted(value_get(cursor, "firstBatch"));
	} else {
		static char refused[1024];

		snprintf(refused, sizeof refused, "%u: %s", error.code, error.message);
		text = refused;
	}
	bson_destroy(&reply);
	return text;
}

static const char *aggregate(const char *collection, const char *stages)
{
	static char command[8192];

	snprintf(command, sizeof command, "{'aggregate': '%s', 'pipeline': [%s], 'cursor': {}}", collection, stages);
	return answer(command);
}

static void insert(const char *collection, const char *documents)
{
	static char command[8192];
	const char *reply;

	snprintf(command, sizeof command, "{'insert': '%s', 'documents': [%s]}", collection, documents);
	reply = answer(command);
	CU_ASSERT_PTR_NOT_NULL(strstr(reply, "'ok':"));
}

static void begin(void)
{
	engine = engine_new();
}

static void end(void)
{
	engine_destroy(engine);
	engine = NULL;
}

#define GIVES(collection, stages, expected) ASSERT_TEXT(aggregate(collection, stages), expected)

static void test_stages_of_one_document(void)
{
	begin();
	insert("c", "{'_id': 1, 'a': 1, 'b': {'x': 1, 'y': 2}}, {'_id': 2, 'a': 2}");
	GIVES("c", "", "[{'_id': 1, 'a': 1, 'b': {'x': 1, 'y': 2}}, {'_id': 2, 'a': 2}]");
	GIVES("c", "{'$match': {'a': 2}}", "[{'_id': 2, 'a': 2}]");
	GIVES("c", "{'$project': {'b.x': 1}}", "[{'_id': 1, 'b': {'x': 1}}, {'_id': 2}]");
	GIVES("c", "{'$project': {'b': 0}}", "[{'_id': 1, 'a': 1}, {'_id': 2, 'a': 2}]");
	GIVES("c", "{'$unset': 'b.x'}", "[{'_id': 1, 'a': 1, 'b': {'y': 2}}, {'_id': 2, 'a': 2}]");
	GIVES("c", "{'$set': {'b.z': '$a'}}",
	      "[{'_id': 1, 'a': 1, 'b': {'x': 1, 'y': 2, 'z': 1}}, {'_id': 2, 'a': 2, 'b': {'z': 2}}]");
	GIVES("c", "{'$replaceRoot': {'newRoot': '$b'}}",
	      "40228: PlanExecutor error during aggregation :: caused by :: 'newRoot' expression must evaluate to an "
	      "object, but resulting value was: MISSING. Type of resulting value: 'missing'. Input document: {}");
	GIVES("c", "{'$match': {'_id': 1}}, {'$replaceWith': {'k': '$b.y'}}", "[{'k': 2}]");
	GIVES("c", "{'$count': 'n'}", "[{'n': 2}]");
	GIVES("c", "{'$match': {'a': 9}}, {'$count': 'n'}", "[]");
	GIVES("c", "{'$sort': {'a': -1}}, {'$limit': 1}", "[{'_id': 2, 'a': 2}]");
	GIVES("c", "{'$sort': {'a': -1}}, {'$skip': 1}", "[{'_id': 1, 'a': 1, 'b': {'x': 1, 'y': 2}}]");
	GIVES("c", "{'$sort': {'a': -1}}, {'$skip': 1}, {'$limit': 1}",
	      "[{'_id': 1, 'a': 1, 'b': {'x': 1, 'y': 2}}]");
	GIVES("c", "{'$limit': 1}, {'$skip': 1}", "[]");
	GIVES("nothing", "{'$group': {'_id': null, 'n': {'$sum': 1}}}", "[]");
	end();
}

static void test_unwind(void)
{
	begin();
	insert("c", "{'_id': 1, 'a': [1, 2], 'z': 1}, {'_id': 2, 'a': []}, {'_id': 3, 'a': null}, {'_id': 4}, {'_id': "
	            "5, 'a': 7},{'_id': 6, 'd': {'e': ['p'], 'f': 1}}");
	GIVES("c", "{'$unwind': '$a'}",
	      "[{'_id': 1, 'a': 1, 'z': 1}, {'_id': 1, 'a': 2, 'z': 1}, {'_id': 5, 'a': 7}]");
	GIVES("c", "{'$unwind': {'path': '$a', 'preserveNullAndEmptyArrays': true}}",
	      "[{'_id': 1, 'a': 1, 'z': 1}, {'_id': 1, 'a': 2, 'z': 1}, {'_id': 2}, {'_id': 3, 'a': null}, {'_id': 4}, "
	      "{'_id': 5, 'a': 7}, {'_id': 6, 'd': {'e': ['p'], 'f': 1}}]");
	GIVES("c", "{'$unwind': {'path': '$a', 'includeArrayIndex': 'i', 'preserveNullAndEmptyArrays': true}}",
	      "[{'_id': 1, 'a': 1, 'z': 1, 'i': 0}, {'_id': 1, 'a': 2, 'z': 1, 'i': 1}, {'_id': 2, 'i': null}, {'_id': "
	      "3, 'a': null, 'i': null}, {'_id': 4, 'i': null}, {'_id': 5, 'a': 7, 'i': null}, {'_id': 6, 'd': {'e': "
	      "['p'], 'f': 1}, 'i': null}]");
	GIVES("c", "{'$unwind': '$d.e'}", "[{'_id': 6, 'd': {'e': 'p', 'f': 1}}]");
	end();
}

static void test_group(void)
{
	begin();
	insert("c", "{'_id': 1, 'k': 'a', 'v': 1}, {'_id': 2, 'k': 'b', 'v': 2}, {'_id': 3, 'k': 'a', 'v': 3.5}, "
	            "{'_id': 4, 'v': 9},{'_id': 5, 'k': null, 'v': {'$numberLong': '4'}}");
	GIVES("c", "{'$group': {'_id': '$k', 'n': {'$sum': 1}, 's': {'$sum': '$v'}, 'l': {'$push': '$_id'}}}",
	      "[{'_id': 'a', 'n': 2, 's': 4.5, 'l': [1, 3]}, {'_id': 'b', 'n': 1, 's': 2, 'l': [2]}, {'_id': null, "
	      "'n': 2, 's': 13, 'l': [4, 5]}]");
	GIVES("c", "{'$group': {'_id': {'k': '$k'}, 'n': {'$count': {}}}}",
	      "[{'_id': {'k': 'a'}, 'n': 2}, {'_id': {'k': 'b'}, 'n': 1}, {'_id': {}, 'n': 1}, {'_id': {'k': null}, "
	      "'n': 1}]");
	GIVES("c", "{'$group': {'_id': {'$type': '$v'}, 'm': {'$max': '$v'}, 'f': {'$first': '$k'}}}",
	      "[{'_id': 'int', 'm': 9, 'f': 'a'}, {'_id': 'double', 'm': 3.5, 'f': 'a'}, {'_id': 'long', 'm': 4, 'f': "
	      "null}]");
	GIVES("c", "{'$sortByCount': '$k'}",
	      "[{'_id': 'a', 'count': 2}, {'_id': null, 'count': 2}, {'_id': 'b', 'count': 1}]");
	GIVES("c", "{'$bucket': {'groupBy': '$v', 'boundaries': [0, 3, 5], 'default': 'more'}}",
	      "[{'_id': 0, 'count': 2}, {'_id': 3, 'count': 2}, {'_id': 'more', 'count': 1}]");
	GIVES("c", "{'$bucket': {'groupBy': '$v', 'boundaries': [0, 3]}}",
	      "40066: PlanExecutor error during aggregation :: caused by :: $switch could not find a matching branch "
	      "for an input, and no default was specified.");
	end();
}

static void test_lookup(void)
{
	begin();
	insert("p", "{'_id': 1, 'k': 1}, {'_id': 2, 'k': [1, 2]}, {'_id': 3, 'k': null}, {'_id': 4}, {'_id': 5, 'k': "
	            "[]},{'_id': 6, 'k': [{'x': 1}, {'x': 3}]}");
	insert("f", "{'_id': 'a', 'r': 1}, {'_id': 'b', 'r': [2, 1]}, {'_id': 'c', 'r': null}, {'_id': 'd'}, {'_id': "
	            "'e', 'r': 3}");
	GIVES("p",
	      "{'$lookup': {'from': 'f', 'localField': 'k', 'foreignField': 'r', 'as': 'm'}},{'$project': {'m': "
	      "'$m._id'}}",
	      "[{'_id': 1, 'm': ['a', 'b']}, {'_id': 2, 'm': ['a', 'b']}, {'_id': 3, 'm': ['c', 'd']}, {'_id': 4, 'm': "
	      "['c', 'd']}, {'_id': 5, 'm': ['c', 'd']}, {'_id': 6, 'm': []}]");
	GIVES("p",
	      "{'$match': {'_id': 6}}, {'$lookup': {'from': 'f', 'localField': 'k.x', 'foreignField': 'r', 'as': "
	      "'m.n'}}",
	      "[{'_id': 6, 'k': [{'x': 1}, {'x': 3}], 'm': {'n': [{'_id': 'a', 'r': 1}, {'_id': 'b', 'r': [2, 1]}, "
	      "{'_id': 'e', 'r': 3}]}}]");
	GIVES("p", "{'$lookup': {'from': 'gone', 'localField': 'k', 'foreignField': 'r', 'as': 'm'}}, {'$limit': 1}",
	      "[{'_id': 1, 'k': 1, 'm': []}]");
	GIVES("p",
	      "{'$match': {'_id': {'$lt': 3}}}, {'$lookup': {'from': 'f', 'let': {'k': '$k'}, 'pipeline': [{'$match': "
	      "{'$expr': {'$eq': ['$r', '$$k']}}}, {'$project': {'_id': 1, 'k': '$$k'}}], 'as': 'm'}}",
	      "[{'_id': 1, 'k': 1, 'm': [{'_id': 'a', 'k': 1}]}, {'_id': 2, 'k': [1, 2], 'm': []}]");
	GIVES("p",
	      "{'$match': {'_id': {'$lt': 3}}}, {'$lookup': {'from': 'f', 'localField': 'k', 'foreignField': "
	      "'r','let': {'i': '$_id'}, 'pipeline': [{'$sort': {'_id': -1}}, {'$set': {'i': '$$i'}}], 'as': 'm'}}",
	      "[{'_id': 1, 'k': 1, 'm': [{'_id': 'b', 'r': [2, 1], 'i': 1}, {'_id': 'a', 'r': 1, 'i': 1}]}, {'_id': 2, "
	      "'k': [1, 2], 'm': [{'_id': 'b', 'r': [2, 1], 'i': 2}, {'_id': 'a', 'r': 1, 'i': 2}]}]");
	GIVES("p",
	      "{'$match': {'_id': {'$lt': 3}}}, {'$lookup': {'from': 'f', 'pipeline': [{'$match': {'r': 3}}], 'as': "
	      "'m'}}",
	      "[{'_id': 1, 'k': 1, 'm': [{'_id': 'e', 'r': 3}]}, {'_id': 2, 'k': [1, 2], 'm': [{'_id': 'e', 'r': "
	      "3}]}]");
	GIVES("p",
	      "{'$match': {'_id': {'$lt': 3}}}, {'$lookup': {'from': 'f', 'localField': 'k', 'foreignField': 'r', "
	      "'as': 'm'}},{'$unwind': '$m'}",
	      "[{'_id': 1, 'k': 1, 'm': {'_id': 'a', 'r': 1}}, {'_id': 1, 'k': 1, 'm': {'_id': 'b', 'r': [2, 1]}}, "
	      "{'_id': 2, 'k': [1, 2], 'm': {'_id': 'a', 'r': 1}}, {'_id': 2, 'k': [1, 2], 'm': {'_id': 'b', 'r': [2, "
	      "1]}}]");
	GIVES("p",
	      "{'$match': {'_id': {'$in': [1, 5, 6]}}}, {'$lookup': {'from': 'f', 'localField': 'k', 'foreignField': "
	      "'r', 'as': 'm'}},{'$unwind': {'path': '$m', 'preserveNullAndEmptyArrays': true, 'includeArrayIndex': "
	      "'i'}}",
	      "[{'_id': 1, 'k': 1, 'm': {'_id': 'a', 'r': 1}, 'i': 0}, {'_id': 1, 'k': 1, 'm': {'_id': 'b', 'r': [2, "
	      "1]}, 'i': 1}, {'_id': 5, 'k': [], 'm': {'_id': 'c', 'r': null}, 'i': 0}, {'_id': 5, 'k': [], 'm': "
	      "{'_id': 'd'}, 'i': 1}, {'_id': 6, 'k': [{'x': 1}, {'x': 3}], 'i': null}]");
	GIVES("p",
	      "{'$match': {'_id': 1}}, {'$lookup': {'from': 'f', 'let': {'a': '$k'}, 'pipeline': [{'$match': {'$expr': "
	      "{'$eq': ['$r', '$$a']}}},{'$lookup': {'from': 'p', 'let': {'b': '$_id'}, 'pipeline': [{'$match': "
	      "{'$expr': {'$eq': ['$_id', '$$a']}}},{'$project': {'a': '$$a', 'b': '$$b'}}], 'as': 'q'}}], 'as': 'm'}}",
	      "[{'_id': 1, 'k': 1, 'm': [{'_id': 'a', 'r': 1, 'q': [{'_id': 1, 'a': 1, 'b': 'a'}]}]}]");
	GIVES("p",
	      "{'$match': {'_id': {'$lt': 3}}}, {'$lookup': {'from': 'f', 'let': {'a': '$_id'}, 'pipeline': "
	      "[{'$match': {'r': {'$gte': 1}}}, {'$project': {'a': '$$a'}}], 'as': 'm'}}, {'$unwind': "
	      "'$m'},{'$lookup': {'from': 'f', 'let': {'b': 'x'}, 'pipeline': [{'$limit': 1}, {'$project': {'b': "
	      "'$$b'}}], 'as': 'n'}},{'$project': {'a': '$m.a', 'b': '$n.b'}}",
	      "[{'_id': 1, 'a': 1, 'b': ['x']}, {'_id': 1, 'a': 1, 'b': ['x']}, {'_id': 1, 'a': 1, 'b': ['x']}, "
	      "{'_id': 2, 'a': 2, 'b': ['x']}, {'_id': 2, 'a': 2, 'b': ['x']}, {'_id': 2, 'a': 2, 'b': ['x']}]");
	end();
}

static void test_facet_documents_sample(void)
{
	begin();
	insert("c", "{'_id': 1, 'a': 1}, {'_id': 2, 'a': 2}");
	GIVES("c",
	      "{'$facet': {'all': [{'$count': 'n'}], 'big': [{'$match': {'a': 2}}], 'none': [{'$limit': 1}, {'$match': "
	      "{'a': 5}}]}}",
	      "[{'all': [{'n': 2}], 'big': [{'_id': 2, 'a': 2}], 'none': []}]");
	ASSERT_TEXT(answer("{'aggregate': 1, 'pipeline': [{'$documents': [{'a': 1}, {'a': {'$add': [1, 1]}}]}, "
	                   "{'$match': {'a': 2}}],'cursor': {}}"),
	            "[{'a': 2}]");
	GIVES("c", "{'$sample': {'size': 1}}, {'$count': 'n'}", "[{'n': 1}]");
	GIVES("c", "{'$sample': {'size': 9}}, {'$sort': {'_id': 1}}",
	      "[{'_id': 1, 'a': 1}, {'_id': 2, 'a': 2}]");
	GIVES("c", "{'$indexStats': {}}, {'$project': {'name': 1, 'key': 1}}",
	      "[{'name': '_id_', 'key': {'_id': 1}}]");
	GIVES("c",
	      "{'$collStats': {'count': {}, 'storageStats': {}}}, {'$project': {'ns': 1, 'count': 1, 'size': "
	      "'$storageStats.size'}}",
	      "[{'ns': 't.c', 'count': 2, 'size': 42}]");
	end();
}

/* A small collection drawn from `state`: numbers, nulls, arrays, nothing. */
static void insert_random(const char *collection, unsigned *state)
{
	static const char *const values[] = { "1", "2", "3", "null", "[1, 3]", "[]", "'a'", "2.0", "[null]", "{'x': 1}" };
	char document[128];

	for (int i = 0; i < 20; i++) {
		*state = *state * 1103515245u + 12345u;
		if (*state >> 28 == 0)
			snprintf(document, sizeof document, "{'_id': %d}", i);
		else
			snprintf(document, sizeof document, "{'_id': %d, 'v': %s, 'w': %u}", i,
			         values[(*state >> 16) % 10], *state >> 30);
		insert(collection, document);
	}
}

/* Each pair of pipelines says the same. */
static const char *const equal_pipelines[][2] = {
	{ "{'$match': {'w': 1}}, {'$sort': {'w': 1, '_id': 1}}", "{'$sort': {'w': 1, '_id': 1}}, {'$match': {'w': 1}}" },
	{ "{'$match': {'w': 1}}, {'$unwind': '$v'}", "{'$unwind': '$v'}, {'$match': {'w': 1}}" },
	{ "{'$unwind': '$v'}, {'$match': {'v': 1, 'w': {'$gt': 0}}}",
	  "{'$match': {'w': {'$gt': 0}}}, {'$unwind': '$v'}, {'$match': {'v': 1}}" },
	{ "{'$lookup': {'from': 'f', 'localField': 'v', 'foreignField': 'v', 'as': 'm'}}, {'$unwind': '$m'}",
	  "{'$lookup': {'from': 'f', 'localField': 'v', 'foreignField': 'v', 'as': 'm'}}, {'$set': {'k': 1}},"
	  "{'$unset': 'k'}, {'$unwind': '$m'}" },
	{ "{'$lookup': {'from': 'f', 'localField': 'v', 'foreignField': 'v', 'as': 'm'}}",
	  "{'$lookup': {'from': 'f', 'localField': 'v', 'foreignField': 'v', 'pipeline': [], 'as': 'm'}}" },
	{ "{'$lookup': {'from': 'f', 'let': {'i': '$w'}, 'pipeline': [{'$match': {'$expr': {'$eq': ['$w', '$$i']}}}],"
	  "'as': 'm'}}",
	  "{'$lookup': {'from': 'f', 'let': {'i': '$w'}, 'pipeline': [{'$match': {'$expr': {'$and': ["
	  "{'$gte': ['$w', '$$i']}, {'$lte': ['$w', '$$i']}]}}}], 'as': 'm'}}" },
	{ "{'$set': {'z': 1}}, {'$skip': 3}, {'$limit': 4}, {'$match': {'w': {'$gte': 0}}}",
	  "{'$skip': 3}, {'$limit': 4}, {'$match': {'w': {'$gte': 0}}}, {'$set': {'z': 1}}" },
	{ "{'$sort': {'w': 1, '_id': 1}}, {'$limit': 9}, {'$skip': 2}, {'$limit': 3}",
	  "{'$sort': {'w': 1, '_id': 1}}, {'$skip': 2}, {'$limit': 3}" },
	{ "{'$group': {'_id': '$w', 'n': {'$sum': 1}}}, {'$sort': {'n': -1, '_id': 1}}",
	  "{'$sortByCount': '$w'}, {'$sort': {'count': -1, '_id': 1}}, {'$project': {'n': '$count'}}" },
};

/* On random documents, with and without an index on what is joined. */
static void test_equal_pipelines(void)
{
	unsigned state = 20260701;
	const char *without[sizeof equal_pipelines / sizeof *equal_pipelines];

	for (int round = 0; round < 10; round++) {
		begin();
		insert_random("c", &state);
		insert_random("f", &state);
		for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
			without[i] = aggregate("c", equal_pipelines[i][0]);
			ASSERT_TEXT(aggregate("c", equal_pipelines[i][1]), without[i]);
		}
		answer("{'createIndexes': 'f', 'indexes': [{'key': {'v': 1}, 'name': 'v'}, {'key': {'w': 1}, 'name': 'w'}]}");
		answer("{'createIndexes': 'c', 'indexes': [{'key': {'w': 1, '_id': 1}, 'name': 'w'}]}");
		for (size_t i = 0; i < sizeof without / sizeof *without; i++)
			ASSERT_TEXT(aggregate("c", equal_pipelines[i][1]), aggregate("c", equal_pipelines[i][0]));
		end();
	}
}

/* The cursor's id of a first batch of one, then the rest by getMore; between them all documents are deleted. */
static const char *rest_after_deleting(const char *stages)
{
	static char command[2048];
	bson_t document, reply;
	bson_error_t error;
	long long id;
	const char *text;

	snprintf(command, sizeof command, "{'aggregate': 'c', 'pipeline': [%s], 'cursor': {'batchSize': 1}}", stages);
	value_to_bson(&document, harness_json(command));
	CU_ASSERT_TRUE_FATAL(engine_command(engine, "t", &document, &reply, NULL, &error));
	id = (long long)value_int64(value_get(value_get(value_from_bson(&reply), "cursor"), "id"));
	bson_destroy(&reply);
	answer("{'delete': 'c', 'deletes': [{'q': {}, 'limit': 0}]}");
	snprintf(command, sizeof command, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'c'}", id);
	value_to_bson(&document, harness_json(command));
	CU_ASSERT_TRUE_FATAL(engine_command(engine, "t", &document, &reply, NULL, &error));
	text = quoted(value_get(value_get(value_from_bson(&reply), "cursor"), "nextBatch"));
	bson_destroy(&reply);
	return text;
}

static void test_parked_cursors(void)
{
	begin();
	insert("c", "{'_id': 1, 'a': [1, 2, 3]}, {'_id': 2, 'a': [4]}");
	ASSERT_TEXT(rest_after_deleting("{'$unwind': '$a'}"), "[{'_id': 1, 'a': 2}, {'_id': 1, 'a': 3}]");
	insert("c", "{'_id': 1, 'k': 7}");
	insert("f", "{'_id': 1, 'k': 7}, {'_id': 2, 'k': 7}, {'_id': 3, 'k': 7}");
	ASSERT_TEXT(
		rest_after_deleting("{'$lookup': {'from': 'f', 'localField': 'k', 'foreignField': 'k', 'let': {'v': "
	                            "'$k'},'pipeline': [{'$set': {'v': '$$v'}}], 'as': 'm'}}, {'$unwind': '$m'}"),
		"[{'_id': 1, 'k': 7, 'm': {'_id': 2, 'k': 7, 'v': 7}}, {'_id': 1, 'k': 7, 'm': {'_id': 3, 'k': 7, 'v': "
	        "7}}]");
	insert("c", "{'_id': 1, 'n': 5}, {'_id': 2, 'n': 6}, {'_id': 3, 'n': 7}");
	ASSERT_TEXT(rest_after_deleting("{'$set': {'x': 1}}, {'$sort': {'n': -1}}"),
	            "[{'_id': 2, 'n': 6, 'x': 1}, {'_id': 1, 'n': 5, 'x': 1}]");
	insert("c", "{'_id': 1}, {'_id': 2}");
	ASSERT_TEXT(rest_after_deleting("{'$group': {'_id': '$_id'}}"), "[{'_id': 2}]");
	end();
}

static void test_updates(void)
{
	begin();
	insert("c", "{'_id': 1, 'a': 1, 'b': 2}");
	answer("{'update': 'c', 'updates': [{'q': {}, 'u': [{'$set': {'s': {'$add': ['$a', '$b']}}}, {'$unset': "
	       "'b'}]}]}");
	GIVES("c", "", "[{'_id': 1, 'a': 1, 's': 3}]");
	answer("{'update': 'c', 'updates': [{'q': {}, 'u': [{'$replaceWith': {'z': '$s'}}]}]}");
	GIVES("c", "", "[{'_id': 1, 'z': 3}]");
	CU_ASSERT_PTR_NOT_NULL(strstr(answer("{'update': 'c', 'updates': [{'q': {}, 'u': [{'$match': {}}]}]}"),
	                              "$match is not allowed to be used within an update"));
	CU_ASSERT_PTR_NOT_NULL(strstr(answer("{'update': 'c', 'updates': [{'q': {}, 'u': [{'$nope': {}}]}]}"),
	                              "Unrecognized pipeline stage name: '$nope'"));
	end();
}

/* 60 documents of 2 MB: more than a blocking stage may hold, and than one $lookup may find. */
static void test_memory_limits(void)
{
	static const char *const stages =
		"{'$group': {'_id': null, 'l': {'$push': '$$ROOT'}}}, {'$project': {'n': {'$size': '$l'}}}";
	char *document = harness_keep(malloc(2100000));
	static char command[4096];

	begin();
	for (int i = 0; i < 60; i++) {
		bson_t insert_command, documents, one, reply;
		bson_error_t error;

		memset(document, 'x', 2000000);
		document[2000000] = 0;
		bson_init(&insert_command);
		BSON_APPEND_UTF8(&insert_command, "insert", "c");
		bson_init(&documents);
		bson_append_document_begin(&documents, "0", 1, &one);
		BSON_APPEND_INT32(&one, "_id", i);
		BSON_APPEND_INT32(&one, "k", 1);
		BSON_APPEND_UTF8(&one, "t", document);
		bson_append_document_end(&documents, &one);
		BSON_APPEND_ARRAY(&insert_command, "documents", &documents);
		bson_destroy(&documents);
		CU_ASSERT_TRUE(engine_command(engine, "t", &insert_command, &reply, NULL, &error));
		bson_destroy(&reply);
		bson_destroy(&insert_command);
	}
	insert("p", "{'_id': 1, 'k': 1}");
	snprintf(command, sizeof command, "{'aggregate': 'c', 'pipeline': [%s], 'cursor': {}, 'allowDiskUse': false}",
	         stages);
	ASSERT_TEXT(answer(command), "292: PlanExecutor error during aggregation :: caused by :: Exceeded memory limit "
	                             "for $group, but didn't allow external sort. Pass allowDiskUse:true to opt in.");
	GIVES("c", "{'$sort': {'t': 1}}, {'$project': {'_id': 1}}, {'$limit': 2}", "[{'_id': 0}, {'_id': 1}]");
	GIVES("p", "{'$lookup': {'from': 'c', 'localField': 'k', 'foreignField': 'k', 'as': 'm'}}",
	      "4568: PlanExecutor error during aggregation :: caused by :: Total size of documents in c matching "
	      "pipeline's $lookup stage exceeds maximum document size");
	GIVES("p",
	      "{'$lookup': {'from': 'c', 'localField': 'k', 'foreignField': 'k', 'as': 'm'}}, {'$unwind': '$m'}, "
	      "{'$count': 'n'}",
	      "[{'n': 60}]");
	GIVES("p", "{'$lookup': {'from': 'c', 'pipeline': [{'$limit': 9}], 'as': 'm'}}",
	      "10334: PlanExecutor error during aggregation :: caused by :: BSONObj size: 18000317 (0x112A9BD) is "
	      "invalid. Size must be between 0 and 16793600(16MB) First element: _id: 1");
	GIVES("p",
	      "{'$lookup': {'from': 'c', 'pipeline': [{'$limit': 9}], 'as': 'm'}}, {'$project': {'n': {'$size': "
	      "'$m'}}}",
	      "[{'_id': 1, 'n': 9}]");
	end();
}

#define REFUSES(stages, expected) ASSERT_TEXT(aggregate("c", stages), expected)

static void test_refusals(void)
{
	begin();
	insert("c", "{'_id': 1, 'a': 1}");
	REFUSES("{'$nope': 1}", "40324: Unrecognized pipeline stage name: '$nope'");
	REFUSES("{}", "40323: A pipeline stage specification object must contain exactly one field.");
	REFUSES("{'$match': 1}", "15959: the match filter must be an expression in an object");
	REFUSES("{'$limit': 0}", "15958: the limit must be positive");
	REFUSES("{'$limit': 'x'}", "5107201: invalid argument to $limit stage: Expected a number in: $limit: \"x\"");
	REFUSES("{'$skip': -1}",
	        "5107200: invalid argument to $skip stage: Expected a non-negative number in: $skip: -1");
	REFUSES("{'$skip': 1.5}", "5107200: invalid argument to $skip stage: Expected an integer: $skip: 1.5");
	REFUSES("{'$unwind': 'a'}", "28818: path option to $unwind stage should be prefixed with a '$': a");
	REFUSES("{'$unwind': {'path': '$a', 'x': 1}}", "28811: unrecognized option to $unwind stage: x");
	REFUSES("{'$group': {'a': {'$sum': 1}}}", "15955: a group specification must include an _id");
	REFUSES("{'$group': {'_id': 1, 'a': {'$nope': 1}}}", "15952: unknown group operator '$nope'");
	REFUSES("{'$group': {'_id': 1, 'a': {'$sum': [1, 2]}}}", "40237: The $sum accumulator is a unary operator");
	REFUSES("{'$group': {'_id': 1, 'a': {'$nope': []}}}", "40237: The $nope accumulator is a unary operator");
	REFUSES("{'$group': {'_id': 1, 'a': 1}}", "40234: The field 'a' must be an accumulator object");
	REFUSES("{'$group': {'_id': 1, 'a': {}}}", "40234: The field 'a' must be an accumulator object");
	REFUSES("{'$group': {'_id': 1, 'a.b': {'x': 1}}}", "40234: The field 'a.b' must be an accumulator object");
	REFUSES("{'$group': {'_id': 1, 'a.b': {'$sum': 1}}}", "40235: The field name 'a.b' cannot contain '.'");
	REFUSES("{'$sort': {'a': 2}}", "15975: $sort key ordering must be 1 (for ascending) or -1 (for descending)");
	REFUSES("{'$sort': {}}", "15976: $sort stage must have at least one sort key");
	REFUSES("{'$project': {'a': {'$nope': 1}}}",
	        "31325: Invalid $project :: caused by :: Unknown expression $nope");
	REFUSES("{'$project': {'a': {'$bsonSize': 1}}}",
	        "31393: Failed to optimize pipeline :: caused by :: $bsonSize requires a document input, found: int");
	REFUSES("{'$unset': [1]}",
	        "31120: $unset specification must be a string or an array containing only string values");
	REFUSES("{'$set': 1}", "40272: $set specification stage must be an object, got int");
	REFUSES("{'$lookup': {'from': 'c', 'as': 'x'}}",
	        "9: $lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
	REFUSES("{'$lookup': {'from': 'c', 'localField': 'x', 'as': 'x'}}",
	        "9: $lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
	REFUSES("{'$lookup': {'from': 'c', 'localField': 'x', 'foreignField': 'y'}}",
	        "9: must specify 'as' field for a $lookup");
	REFUSES("{'$lookup': {'from': 'c', 'localField': 'x', 'foreignField': 'y', 'as': 'z', 'let': {}}}",
	        "9: $lookup with a 'let' argument must also specify 'pipeline'");
	REFUSES("{'$lookup': {'from': 'c', 'pipeline': [{'$out': 'x'}], 'as': 'z'}}",
	        "51047: $out is not allowed within a $lookup's sub-pipeline");
	REFUSES("{'$lookup': {'from': 'c', 'pipeline': [], 'as': 'z', 'let': {'A': 1}}}",
	        "9: 'A' starts with an invalid character for a user variable name");
	REFUSES("{'$lookup': {'from': 'c', 'pipeline': [], 'as': 'z', 'zz': 1}}",
	        "9: $lookup argument 'zz' must be a string, found zz: 1: int");
	REFUSES("{'$lookup': {'from': 'c', 'pipeline': [], 'as': 'z', 'zz': 'zz'}}",
	        "9: unknown argument to $lookup: zz");
	REFUSES("{'$replaceRoot': {'newRoot': '$a'}}",
	        "40228: PlanExecutor error during aggregation :: caused by :: 'newRoot' expression must evaluate to an "
	        "object, but resulting value was: 1. Type of resulting value: 'int'. Input document: {a: 1}");
	REFUSES("{'$replaceWith': '$b'}",
	        "40228: PlanExecutor error during aggregation :: caused by :: 'replacement document' must evaluate to "
	        "an object, but resulting value was: MISSING. Type of resulting value: 'missing'. Input document: {}");
	REFUSES("{'$replaceRoot': {}}", "40414: BSON field '$replaceRoot.newRoot' is missing but a required field");
	REFUSES("{'$count': 'a.b'}", "40160: the count field cannot contain '.'");
	REFUSES("{'$sample': {'size': 0}}", "28747: size argument to $sample must be a positive integer");
	REFUSES("{'$facet': {}}", "40169: the $facet specification must be a non-empty object, but found: $facet: {}");
	REFUSES("{'$facet': {'a': [{'$facet': {'b': []}}]}}",
	        "40600: $facet is not allowed to be used within a $facet stage");
	REFUSES("{'$bucket': {'groupBy': '$a', 'boundaries': [2, 1]}}",
	        "40194: The 'boundaries' option to $bucket must be sorted, but elements 0 and 1 are not in ascending "
	        "order (2 is not less than 1).");
	REFUSES("{'$match': {}}, {'$indexStats': {}}",
	        "40602: $indexStats is only valid as the first stage in a pipeline");
	REFUSES("{'$documents': []}", "73: '$documents' can only be run with {aggregate: 1}");
	REFUSES("{'$out': 'x'}, {'$match': {}}", "40601: $out can only be the final stage in the pipeline");
	end();
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "stages of one document", test_stages_of_one_document },
		{ "$unwind", test_unwind },
		{ "$group and what is made of it", test_group },
		{ "$lookup", test_lookup },
		{ "$facet, $documents, $sample, figures", test_facet_documents_sample },
		{ "pipelines that say the same", test_equal_pipelines },
		{ "cursors between batches", test_parked_cursors },
		{ "pipelines that update", test_updates },
		{ "memory limits", test_memory_limits },
		{ "refusals", test_refusals },
		{ NULL, NULL }
	};

	return harness_run("pipeline", cases);
}
