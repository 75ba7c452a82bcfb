/* $out and $merge: what is in the collections afterwards, what is refused, what they cost. */
#include "harness/ask.h"

#include <stdio.h>
#include <string.h>

static void fill(void)
{
	ask_begin();
	ask("{'insert': 's', 'documents': [{'_id': 1, 'b': 2, 'a': 1}, {'_id': 2, 'a': 2}, {'_id': 3, 'a': 2}]}");
}

#define ASSERT_FOUND(db, collection, expected)                                                                          \
	ASSERT_TEXT(ask_text(value_get(value_get(ask_in(db, "{'find': '" collection "'}"), "cursor"), "firstBatch")), expected)

#define AGGREGATE(stages) "{'aggregate': 's', 'cursor': {}, 'pipeline': [" stages "]}"
#define EMPTY_CURSOR "{\"cursor\":{\"firstBatch\":[],\"id\":0,\"ns\":\"shop.s\"},\"ok\":1.0}"

static void out_replaces(void)
{
	fill();
	ask("{'insert': 'o', 'documents': [{'_id': 9, 'z': 1}]}");
	ask("{'createIndexes': 'o', 'indexes': [{'key': {'z': 1}, 'name': 'z_1'}]}");
	ASSERT_REPLY(AGGREGATE("{'$match': {'a': 2}}, {'$project': {'a': 1}}, {'$out': 'o'}"), EMPTY_CURSOR);
	ASSERT_FOUND("shop", "o", "[{\"_id\":2,\"a\":2},{\"_id\":3,\"a\":2}]");
	/* the target's indexes stay, and serve the new documents */
	CU_ASSERT_EQUAL(engine_index_entries(ask_engine, "shop", "o", "z_1"), 2);
	ASSERT_REPLY(AGGREGATE("{'$match': {'a': 7}}, {'$out': {'db': 'other', 'coll': 'none'}}"), EMPTY_CURSOR);
	ASSERT_FOUND("other", "none", "[]");
	CU_ASSERT_EQUAL(engine_write_counter(ask_engine, "other", "none") >= 0, true);
	ASSERT_REPLY(AGGREGATE("{'$project': {'n': '$a'}}, {'$out': 's'}"), EMPTY_CURSOR);
	ASSERT_FOUND("shop", "s", "[{\"_id\":1,\"n\":1},{\"_id\":2,\"n\":2},{\"_id\":3,\"n\":2}]");
	ask_end();
}

/* A failure in the middle leaves what was there. */
static void out_is_all_or_nothing(void)
{
	fill();
	ask("{'createIndexes': 'o', 'indexes': [{'key': {'a': 1}, 'name': 'a_1', 'unique': true}]}");
	ask("{'insert': 'o', 'documents': [{'_id': 9, 'a': 2}]}");
	ASSERT_ERROR(AGGREGATE("{'$out': 'o'}"), 11000,
	             "PlanExecutor error during aggregation :: caused by :: insert for $out failed :: caused by :: E11000 "
	             "duplicate key error collection: shop.o index: a_1 dup key: { a: 2 }");
	ASSERT_FOUND("shop", "o", "[{\"_id\":9,\"a\":2}]");
	ask_end();
}

static void merge_modes(void)
{
	fill();
	ask("{'insert': 'o', 'documents': [{'_id': 1, 'x': 5, 'a': 0}]}");
	ASSERT_REPLY(AGGREGATE("{'$limit': 2}, {'$merge': 'o'}"), EMPTY_CURSOR);
	/* {$set: result} of a document that is not there adds its fields in the order of their names */
	ASSERT_FOUND("shop", "o", "[{\"_id\":1,\"x\":5,\"a\":1,\"b\":2},{\"_id\":2,\"a\":2}]");
	ASSERT_REPLY(AGGREGATE("{'$merge': {'into': 'o', 'whenMatched': 'replace', 'whenNotMatched': 'discard'}}"),
	             EMPTY_CURSOR);
	ASSERT_FOUND("shop", "o", "[{\"_id\":1,\"b\":2,\"a\":1},{\"_id\":2,\"a\":2}]");
	ASSERT_ERROR(AGGREGATE("{'$merge': {'into': 'o', 'whenNotMatched': 'fail'}}"), 13113,
	             "PlanExecutor error during aggregation :: caused by :: $merge could not find a matching document in the "
	             "target collection for at least one document in the source collection");
	ASSERT_ERROR(AGGREGATE("{'$merge': {'into': 'o', 'whenMatched': 'fail'}}"), 11000,
	             "PlanExecutor error during aggregation :: caused by :: $merge failed due to a DuplicateKey error :: caused "
	             "by :: E11000 duplicate key error collection: shop.o index: _id_ dup key: { _id: 1 }");
	ASSERT_REPLY(AGGREGATE("{'$set': {'a': 7}}, {'$merge': {'into': 'o', 'whenMatched': 'keepExisting'}}"), EMPTY_CURSOR);
	ASSERT_FOUND("shop", "o", "[{\"_id\":1,\"b\":2,\"a\":1},{\"_id\":2,\"a\":2},{\"_id\":3,\"a\":7}]");
	ASSERT_REPLY(AGGREGATE("{'$match': {'_id': {'$gte': 2}}}, {'$merge': {'into': {'db': 'shop', 'coll': 'o'}, "
	                       "'let': {'plus': '$a'}, 'whenMatched': [{'$set': {'t': {'$add': ['$a', '$$plus', '$$new._id']}}}]}}"),
	             EMPTY_CURSOR);
	ASSERT_FOUND("shop", "o", "[{\"_id\":1,\"b\":2,\"a\":1},{\"_id\":2,\"a\":2,\"t\":6},{\"_id\":3,\"a\":7,\"t\":12}]");
	ask_end();
}

static void merge_on_other_fields(void)
{
	fill();
	ASSERT_ERROR(AGGREGATE("{'$merge': {'into': 'o', 'on': 'a'}}"), 51183,
	             "Cannot find index to verify that join fields will be unique");
	ask("{'createIndexes': 'o', 'indexes': [{'key': {'a': 1, 'g.h': 1}, 'name': 'i', 'unique': true}]}");
	ask("{'insert': 'o', 'documents': [{'_id': 'kept', 'a': 1, 'g': {'h': 1}}]}");
	ASSERT_REPLY(AGGREGATE("{'$match': {'_id': 1}}, {'$project': {'_id': 0, 'a': 1, 'n': 'new', 'g': {'h': {'$literal': 1}}}}, "
	                       "{'$merge': {'into': 'o', 'on': ['g.h', 'a']}}"), EMPTY_CURSOR);
	ASSERT_FOUND("shop", "o", "[{\"_id\":\"kept\",\"a\":1,\"g\":{\"h\":1},\"n\":\"new\"}]");
	ASSERT_ERROR(AGGREGATE("{'$match': {'_id': 1}}, {'$set': {'g': {'h': 1}}}, {'$merge': {'into': 'o', 'on': ['a', 'g.h']}}"), 66,
	             "PlanExecutor error during aggregation :: caused by :: $merge failed to update the matching document, did you "
	             "attempt to modify the _id or the shard key? :: caused by :: Performing an update on the path '_id' would modify "
	             "the immutable field '_id'");
	ASSERT_ERROR(AGGREGATE("{'$merge': {'into': 'o', 'on': ['a', 'g.h']}}"), 51132,
	             "PlanExecutor error during aggregation :: caused by :: $merge write error: 'on' field cannot be missing, null "
	             "or undefined");
	ask_end();
}

static void wrong_specifications(void)
{
	static const struct {
		const char *stages;
		int code;
	} cases[] = {
		{ AGGREGATE("{'$out': 5}"), 16990 },
		{ AGGREGATE("{'$out': {'db': 'x'}}"), 40414 },
		{ AGGREGATE("{'$out': {'db': 'x', 'coll': 'y', 'z': 1}}"), 40415 },
		{ AGGREGATE("{'$out': {'db': 'local', 'coll': 'y'}}"), 31321 },
		{ AGGREGATE("{'$out': 'system.x'}"), 17385 },
		{ AGGREGATE("{'$out': ''}"), 73 },
		{ AGGREGATE("{'$out': 'o'}, {'$limit': 1}"), 40601 },
		{ AGGREGATE("{'$facet': {'a': [{'$out': 'o'}]}}"), 40600 },
		{ AGGREGATE("{'$lookup': {'from': 's', 'as': 'x', 'pipeline': [{'$merge': 'o'}]}}"), 51047 },
		{ AGGREGATE("{'$merge': 5}"), 51182 },
		{ AGGREGATE("{'$merge': {}}"), 40414 },
		{ AGGREGATE("{'$merge': {'into': 5}}"), 51178 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'nope': 1}}"), 40415 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'on': 1}}"), 51186 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'on': []}}"), 51187 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'on': [1]}}"), 51134 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'on': ['_id', '_id']}}"), 31465 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'whenMatched': 1}}"), 51191 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'whenMatched': 'nope'}}"), 2 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'whenNotMatched': 'nope'}}"), 2 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'whenMatched': 'keepExisting', 'whenNotMatched': 'fail'}}"), 51189 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'let': {'a': 1}}}"), 51199 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'let': {'new': '$a'}, 'whenMatched': [{'$set': {'a': 1}}]}}"), 51273 },
		{ AGGREGATE("{'$merge': {'into': 'o', 'whenMatched': [{'$group': {'_id': 1}}]}}"), 72 },
		{ AGGREGATE("{'$merge': {'into': {'db': 'admin', 'coll': 'y'}}}"), 31320 },
	};

	fill();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct value reply = ask(cases[i].stages);
		int64_t code = 0;

		value_as_int64(value_get(reply, "code"), &code);
		if (code != cases[i].code)
			fprintf(stderr, "%s gave %s\n", cases[i].stages, ask_text(reply));
		CU_ASSERT_EQUAL(code, cases[i].code);
	}
	ASSERT_FOUND("shop", "o", "[]");
	ask_end();
}

static struct cost measure(const char *json)
{
	struct cost cost;
	bson_error_t error;
	bson_t view;

	value_to_bson(&view, harness_json(json));
	CU_ASSERT(engine_measure(ask_engine, "shop", &view, &cost, NULL, &error));
	return cost;
}

/* Measured and explained, nothing changes; the cost is that of the write itself. */
static void measured_and_explained(void)
{
	struct cost cost;
	int64_t counter;

	fill();
	ask("{'insert': 'o', 'documents': [{'_id': 1, 'x': 5}]}");
	ask("{'createIndexes': 'o', 'indexes': [{'key': {'a': 1}, 'name': 'a_1'}]}");
	counter = engine_write_counter(ask_engine, "shop", "o");
	cost = measure(AGGREGATE("{'$merge': 'o'}"));
	CU_ASSERT_EQUAL(cost.docs_written.value, 3);
	/* {_id, x, a, b} 35 bytes with what was there, and two of {_id, a} 21 bytes */
	CU_ASSERT_EQUAL(cost.bytes_written.value, 35 + 21 + 21);
	/* two keys of each that is new, of the one that is there the null and the 1 of a */
	CU_ASSERT_EQUAL(cost.keys_written.value, 2 + 2 + 2);
	CU_ASSERT_EQUAL(cost.docs_returned.value, 0);
	cost = measure(AGGREGATE("{'$out': 'o'}"));
	CU_ASSERT_EQUAL(cost.docs_written.value, 3);
	CU_ASSERT_EQUAL(cost.keys_written.value, 6);
	CU_ASSERT_EQUAL(cost.docs_examined.value, 3);
	ask("{'explain': {'aggregate': 's', 'cursor': {}, 'pipeline': [{'$merge': {'into': 'o', 'whenMatched': 'fail'}}]}}");
	ask("{'explain': {'aggregate': 's', 'cursor': {}, 'pipeline': [{'$out': 'never'}]}}");
	CU_ASSERT_EQUAL(engine_write_counter(ask_engine, "shop", "o"), counter);
	CU_ASSERT_EQUAL(engine_write_counter(ask_engine, "shop", "never"), -1);
	ASSERT_FOUND("shop", "o", "[{\"_id\":1,\"x\":5}]");
	ask_end();
}

int main(void)
{
	static const struct test_case tests[] = {
		{ "$out replaces", out_replaces },
		{ "$out is all or nothing", out_is_all_or_nothing },
		{ "$merge: modes", merge_modes },
		{ "$merge on other fields", merge_on_other_fields },
		{ "wrong specifications", wrong_specifications },
		{ "measured and explained", measured_and_explained },
		{ NULL, NULL }
	};

	return harness_run("write stages", tests);
}
