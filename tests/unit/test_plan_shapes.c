/*
 * Which plan MongoDB would make: the tree of stages with the indexes, and what it looks at. A case is one line of a
 * table; the collection is the same for all of one table.
 */
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "engine/index.h"
#include "harness/ask.h"
#include "harness/harness.h"
#include "harness/plan_fixture.h"

/* {stage, inputStage(s)} as STAGE index filter(…): "FETCH(OR(IXSCAN a_1, IXSCAN b_1))". */
static void draw(struct bytes *out, struct value stage)
{
	struct value inputs = value_get(stage, "inputStages"), input = value_get(stage, "inputStage");
	struct value index = value_get(stage, "indexName"), filter = value_get(stage, "filter");
	const char *separator = "(";
	struct walk w;
	struct field f;

	bytes_append_text(out, value_text(value_get(stage, "stage")).bytes);
	if (!value_is_missing(index))
		bytes_format(out, " %s", value_text(index).bytes);
	if (key_is(value_text(value_get(stage, "direction")), "backward"))
		bytes_append_text(out, " backward");
	if (!value_is_missing(filter)) {
		bytes_append_text(out, " ");
		print_line(out, filter, PRINT_SERVER);
	}
	if (value_is_document(input)) {
		bytes_append_text(out, "(");
		draw(out, input);
		bytes_append_text(out, ")");
	}
	if (!value_is_array(inputs))
		return;
	for (walk_begin(&w, inputs); walk_next(&w, &f); separator = ", ") {
		bytes_append_text(out, separator);
		draw(out, f.value);
	}
	bytes_append_text(out, ")");
}

struct shape {
	const char *query, *tree;
	int rows, keys, docs;
};

static void check(struct store *s, const struct shape *shapes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct shape *shape = &shapes[i];
		struct bytes tree = BYTES_INIT;
		struct fixture_run run;
		struct value explain, plan;
		bool right;

		fixture_run(&run, s, "test", "c", harness_json(shape->query), VERBOSITY_ALL_PLANS);
		if (run.failed) {
			right = !strcmp(run.error.message, shape->tree);
			CU_ASSERT_TRUE(right);
			if (!right)
				fprintf(stderr, "%s\n  failed   %s\n", shape->query, run.error.message);
			fixture_run_clear(&run);
			continue;
		}
		value_document(&explain, run.explain.data, run.explain.size);
		plan = value_get(value_get(explain, "queryPlanner"), "winningPlan");
		draw(&tree, plan);
		right = !strcmp(bytes_text(&tree), shape->tree) && (int)(run.id_count + (size_t)run.counted) == shape->rows &&
		        run.total_keys == shape->keys && run.total_docs == shape->docs;
		CU_ASSERT_TRUE(right);
		if (!right)
			fprintf(stderr, "%s\n  got      %s %zu %lld %lld\n  expected %s %d %d %d\n", shape->query, bytes_text(&tree),
			        run.id_count + (size_t)run.counted, (long long)run.total_keys, (long long)run.total_docs, shape->tree,
			        shape->rows, shape->keys, shape->docs);
		bytes_clear(&tree);
		fixture_run_clear(&run);
	}
}

#define CHECK(store, shapes) check(store, shapes, sizeof(shapes) / sizeof *(shapes))

static void index_of(struct collection *c, const char *specification)
{
	bson_error_t error = { 0 };
	bool made = collection_create_index(c, harness_json(specification), &error);

	if (!made)
		fprintf(stderr, "%s: %s\n", specification, error.message);
	CU_ASSERT_FATAL(made);
}

/* 40 documents: a 0…39, b a modulo 10, c a modulo 4; d of the even ones; t two tags. */
static struct store *numbers(void)
{
	struct store *s = fixture_store();
	struct collection *c = fixture_collection(s, "test", "c");

	index_of(c, "{'key': {'_id': 1}, 'name': '_id_'}");
	for (int i = 0; i < 40; i++) {
		char text[160];

		snprintf(text, sizeof text, "{'_id': %d, 'a': %d, 'b': %d, 'c': %d, 't': [%d, %d]%s}", i, i, i % 10, i % 4, i % 3,
		         i % 3 + 1, i % 2 ? "" : ", 'd': 5");
		fixture_insert(c, harness_json(text));
	}
	return s;
}

static void test_partial(void)
{
	static const struct shape shapes[] = {
		{ "{'filter': {'a': 20, 'b': {'$gt': 6}}}", "FETCH { b: { $gt: 6 } }(IXSCAN p)", 0, 0, 0 },
		{ "{'filter': {'a': 28, 'b': {'$gte': 7}}}", "FETCH { b: { $gte: 7 } }(IXSCAN p)", 1, 1, 1 },
		{ "{'filter': {'a': 28, 'b': 8}}", "FETCH { b: { $eq: 8 } }(IXSCAN p)", 1, 1, 1 },
		{ "{'filter': {'a': {'$gt': 30}, 'b': {'$in': [8, 9]}}}", "FETCH { b: { $in: [ 8, 9 ] } }(IXSCAN p)", 2, 3, 3 },
		{ "{'filter': {'a': 28}}", "COLLSCAN { a: { $eq: 28 } }", 1, 0, 40 },
		{ "{'filter': {'a': 28, 'b': {'$gt': 4}}}", "COLLSCAN { $and: [ { a: { $eq: 28 } }, { b: { $gt: 4 } } ] }", 1, 0, 40 },
		{ "{'filter': {'a': 28, 'b': {'$in': [8, 3]}}}",
		  "COLLSCAN { $and: [ { a: { $eq: 28 } }, { b: { $in: [ 3, 8 ] } } ] }", 1, 0, 40 },
		{ "{'filter': {'a': 28, 'b': '8'}}", "COLLSCAN { $and: [ { a: { $eq: 28 } }, { b: { $eq: \"8\" } } ] }", 0, 0, 40 },
		/* a sort on the whole collection is not the index's: it lacks documents */
		{ "{'sort': {'a': 1}}", "SORT(COLLSCAN)", 40, 0, 40 },
		{ "{'filter': {'b': {'$gt': 6}}, 'sort': {'a': -1}}", "FETCH { b: { $gt: 6 } }(IXSCAN p backward)", 12, 12, 12 },
		/* the hint is obeyed, and what the index does not hold is not found */
		{ "{'filter': {'a': {'$gte': 0}}, 'hint': 'p'}", "FETCH { a: { $gte: 0 } }(IXSCAN p)", 12, 12, 12 },
		{ "{'filter': {'a': 28, 'b': {'$gt': 6}}, 'count': 1}", "COUNT(FETCH { b: { $gt: 6 } }(IXSCAN p))", 1, 1, 1 },
	};
	struct store *s = numbers();

	index_of(fixture_collection(s, "test", "c"),
	         "{'key': {'a': 1}, 'name': 'p', 'partialFilterExpression': {'b': {'$gt': 6}}}");
	CHECK(s, shapes);
	store_destroy(s);
}

static void test_partial_forms(void)
{
	static const struct {
		const char *filter, *query;
		bool implied;
	} cases[] = {
		{ "{'b': {'$exists': true}}", "{'b': 1}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$gt': 'x'}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$type': 'string'}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$size': 2}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$regex': 'x'}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$elemMatch': {'$gt': 1}}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$ne': null}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$nin': [1, null]}}", true },
		{ "{'b': {'$exists': true}}", "{'b': {'$ne': 1}}", false },
		{ "{'b': {'$exists': true}}", "{'b': null}", false },
		{ "{'b': {'$exists': true}}", "{'b': {'$in': [1, null]}}", false },
		{ "{'b': {'$exists': true}}", "{'b.c': 1}", false },
		{ "{'b': {'$lte': 5}}", "{'b': {'$lt': 5}}", true },
		{ "{'b': {'$lt': 5}}", "{'b': {'$lte': 5}}", false },
		{ "{'b': {'$lt': 5}}", "{'b': {'$lte': 4.5}}", true },
		{ "{'b': {'$lt': 5}}", "{'b': {'$gt': 1}}", false },
		{ "{'b': {'$gte': 5}}", "{'b': {'$eq': 5}}", true },
		{ "{'b': {'$gte': 5}}", "{'b': {'$numberDouble': 'NaN'}}", false },
		{ "{'b': {'$gte': {'$numberDouble': 'NaN'}}}", "{'b': {'$numberDouble': 'NaN'}}", true },
		{ "{'b': 5}", "{'b': {'$numberLong': '5'}}", true },
		{ "{'b': null}", "{'b': null}", true },
		{ "{'b': null}", "{'b': {'$exists': false}}", false },
		{ "{'b': {'$in': [1, 2]}}", "{'b': 2}", true },
		{ "{'b': {'$in': [1, 2]}}", "{'b': {'$in': [2, 1]}}", true },
		{ "{'b': {'$in': [1, 2]}}", "{'b': {'$in': [2, 3]}}", false },
		{ "{'$or': [{'b': 1}, {'c': 1}]}", "{'c': 1}", true },
		{ "{'$or': [{'b': 1}, {'c': 1}]}", "{'d': 1}", false },
		{ "{'b': 1, 'c': 1}", "{'b': 1, 'c': 1, 'd': 1}", true },
		{ "{'b': 1, 'c': 1}", "{'b': 1}", false },
		{ "{'b': {'$type': 'string'}}", "{'b': {'$type': 2}}", true },
		{ "{'b': {'$type': 'string'}}", "{'b': 'x'}", false },
		{ "{}", "{'b': 1}", true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct match *filter = match_compile(harness_json(cases[i].filter), NULL, NULL);
		struct match *query = match_compile(harness_json(cases[i].query), NULL, NULL);

		CU_ASSERT_FATAL(filter && query);
		match_canonicalize(&filter);
		match_canonicalize(&query);
		CU_ASSERT_EQUAL(match_implies(query, filter), cases[i].implied);
		if (match_implies(query, filter) != cases[i].implied)
			fprintf(stderr, "%s of %s\n", cases[i].query, cases[i].filter);
		match_destroy(filter);
		match_destroy(query);
	}
}

static void test_sparse(void)
{
	static const struct shape shapes[] = {
		{ "{'filter': {'d': 5}}", "FETCH(IXSCAN d)", 20, 20, 20 },
		{ "{'filter': {'d': {'$exists': true}}}", "FETCH(IXSCAN d)", 20, 20, 20 },
		{ "{'filter': {'d': null}}", "COLLSCAN { d: { $eq: null } }", 20, 0, 40 },
		{ "{'filter': {'d': {'$exists': false}}}", "COLLSCAN { d: { $not: { $exists: true } } }", 20, 0, 40 },
		{ "{'filter': {'d': {'$ne': 5}}}", "COLLSCAN { d: { $not: { $eq: 5 } } }", 20, 0, 40 },
		{ "{'filter': {'d': {'$in': [5, null]}}}", "COLLSCAN { d: { $in: [ null, 5 ] } }", 40, 0, 40 },
		{ "{'sort': {'d': 1}}", "SORT(COLLSCAN)", 40, 0, 40 },
		{ "{'sort': {'d': 1}, 'hint': {'d': 1}}", "FETCH(IXSCAN d)", 20, 20, 20 },
		{ "{'filter': {'d': {'$exists': true}}, 'count': 1}", "COUNT(COUNT_SCAN d)", 20, 21, 0 },
	};
	struct store *s = numbers();

	index_of(fixture_collection(s, "test", "c"), "{'key': {'d': 1}, 'name': 'd', 'sparse': true}");
	CHECK(s, shapes);
	store_destroy(s);
}

/* Unique among the documents that the index holds. */
static void test_unique_of_some(void)
{
	static const char *const specifications[] = {
		"{'key': {'u': 1}, 'name': 'u', 'unique': true, 'sparse': true}",
		"{'key': {'u': 1}, 'name': 'u', 'unique': true, 'partialFilterExpression': {'u': {'$exists': true}}}",
	};

	for (size_t i = 0; i < 2; i++) {
		struct store *s = numbers();
		struct collection *c = fixture_collection(s, "test", "c");
		bson_error_t error;
		record_id id;
		int64_t keys;

		index_of(c, specifications[i]);
		fixture_insert(c, harness_json("{'_id': 100, 'u': 1}"));
		CU_ASSERT_FALSE(collection_insert(c, harness_json("{'_id': 101, 'u': 1}"), &id, &keys, NULL, &error));
		CU_ASSERT_EQUAL(error.code, 11000);
		CU_ASSERT_TRUE(collection_insert(c, harness_json("{'_id': 102}"), &id, &keys, NULL, &error));
		CU_ASSERT_EQUAL(keys, 1); /* of _id_ only */
		/* into the index and out of it */
		CU_ASSERT_FALSE(collection_replace(c, id, harness_json("{'_id': 102, 'u': 1}"), &keys, NULL, &error));
		CU_ASSERT_TRUE(collection_replace(c, id, harness_json("{'_id': 102, 'u': 2}"), &keys, NULL, &error));
		CU_ASSERT_EQUAL(keys, 1);
		CU_ASSERT_EQUAL(collection_index(c, "u")->entry_count, 2);
		CU_ASSERT_TRUE(collection_replace(c, id, harness_json("{'_id': 102, 'x': 2}"), &keys, NULL, &error));
		CU_ASSERT_EQUAL(collection_index(c, "u")->entry_count, 1);
		store_destroy(s);
	}
}

static void test_hidden(void)
{
	static const struct shape shapes[] = {
		{ "{'filter': {'a': 5}}", "COLLSCAN { a: { $eq: 5 } }", 1, 0, 40 },
		{ "{'sort': {'a': 1}}", "SORT(COLLSCAN)", 40, 0, 40 },
		{ "{'filter': {'a': 5}, 'hint': 'h'}",
		  "error processing query: ns=test.cTree: a $eq 5\nSort: {}\nProj: {}\n planner returned error :: caused by :: hint "
		  "provided does not correspond to an existing index", 0, 0, 0 },
		{ "{'filter': {'a': 5}, 'hint': {'a': 1}}",
		  "error processing query: ns=test.cTree: a $eq 5\nSort: {}\nProj: {}\n planner returned error :: caused by :: hint "
		  "provided does not correspond to an existing index", 0, 0, 0 },
	};
	struct store *s = numbers();
	struct collection *c = fixture_collection(s, "test", "c");
	bson_error_t error;
	record_id id;
	int64_t keys;

	index_of(c, "{'key': {'a': 1}, 'name': 'h', 'hidden': true, 'unique': true}");
	CHECK(s, shapes);
	CU_ASSERT_FALSE(collection_insert(c, harness_json("{'_id': 100, 'a': 5}"), &id, &keys, NULL, &error));
	store_destroy(s);
}

static void test_or(void)
{
	static const struct shape shapes[] = {
		{ "{'filter': {'$or': [{'a': 5}, {'b': 5}]}}", "SUBPLAN(FETCH(OR(IXSCAN a_1, IXSCAN b_1)))", 4, 5, 4 },
		{ "{'filter': {'$or': [{'a': {'$lt': 3}}, {'b': 5, 'c': 1}]}}",
		  "SUBPLAN(FETCH(OR(FETCH { c: { $eq: 1 } }(IXSCAN b_1), IXSCAN a_1)))", 5, 7, 7 },
		{ "{'filter': {'$or': [{'a': 5}, {'x': 5}]}}",
		  "SUBPLAN(COLLSCAN { $or: [ { a: { $eq: 5 } }, { x: { $eq: 5 } } ] })", 1, 0, 40 },
		{ "{'filter': {'$or': [{'a': 5}, {'b': 5}]}, 'hint': {'$natural': 1}}",
		  "COLLSCAN { $or: [ { a: { $eq: 5 } }, { b: { $eq: 5 } } ] }", 4, 0, 40 },
		{ "{'filter': {'$or': [{'a': 5}, {'b': 5}]}, 'count': 1}", "COUNT(SUBPLAN(OR(IXSCAN a_1, IXSCAN b_1)))", 4, 5, 0 },
		{ "{'filter': {'$or': [{'a': 5}, {'b': 5}]}, 'limit': 2}", "SUBPLAN(LIMIT(FETCH(OR(IXSCAN a_1, IXSCAN b_1))))", 2, 3, 2 },
		{ "{'filter': {'c': 1, '$or': [{'a': 5}, {'b': 5}]}}", "FETCH { c: { $eq: 1 } }(OR(IXSCAN a_1, IXSCAN b_1))", 2, 5, 4 },
		{ "{'filter': {'$or': [{'a': 5}, {'b': 5}]}, 'hint': 'a_1'}",
		  "FETCH { $or: [ { a: { $eq: 5 } }, { b: { $eq: 5 } } ] }(IXSCAN a_1)", 4, 40, 40 },
		/* the same path everywhere: one $in, one scan */
		{ "{'filter': {'$or': [{'a': 5}, {'a': 7}]}}", "FETCH(IXSCAN a_1)", 2, 4, 2 },
	};
	struct store *s = numbers();
	struct collection *c = fixture_collection(s, "test", "c");

	fixture_index(c, "{'a': 1}");
	fixture_index(c, "{'b': 1}");
	CHECK(s, shapes);
	store_destroy(s);
}

static void test_merge(void)
{
	static const struct shape shapes[] = {
		/* a sort behind several points of one index */
		{ "{'filter': {'b': {'$in': [3, 7]}}, 'sort': {'a': 1}}", "FETCH(SORT_MERGE(IXSCAN b_1_a_1, IXSCAN b_1_a_1))", 8, 8, 8 },
		{ "{'filter': {'b': {'$in': [3, 7]}}, 'sort': {'a': -1}}",
		  "FETCH(SORT_MERGE(IXSCAN b_1_a_1 backward, IXSCAN b_1_a_1 backward))", 8, 8, 8 },
		{ "{'filter': {'b': {'$in': [3, 7]}}, 'sort': {'a': 1}, 'limit': 2}",
		  "LIMIT(FETCH(SORT_MERGE(IXSCAN b_1_a_1, IXSCAN b_1_a_1)))", 2, 3, 2 },
		{ "{'filter': {'b': {'$in': [3, 7]}, 't': 1}, 'sort': {'a': 1}}",
		  "FETCH { t: { $eq: 1 } }(SORT_MERGE(IXSCAN b_1_a_1, IXSCAN b_1_a_1))", 6, 8, 8 },
		{ "{'filter': {'b': {'$in': [3, 7]}}, 'sort': {'a': 1}, 'projection': {'a': 1, '_id': 0}}",
		  "PROJECTION_DEFAULT(SORT_MERGE(IXSCAN b_1_a_1, IXSCAN b_1_a_1))", 8, 8, 0 },
		/* a range is not taken apart: the keys are sorted, then the documents fetched */
		{ "{'filter': {'b': {'$gt': 7}}, 'sort': {'a': 1}}", "FETCH(SORT(IXSCAN b_1_a_1))", 8, 8, 8 },
		{ "{'filter': {'b': {'$gt': 7}}, 'sort': {'a': 1}, 'limit': 3}", "FETCH(SORT(IXSCAN b_1_a_1))", 3, 8, 3 },
		{ "{'filter': {'b': {'$gt': 7}}, 'sort': {'x': 1}, 'limit': 3}", "SORT(FETCH(IXSCAN b_1_a_1))", 3, 8, 8 },
		/* branches of a $or that each have the order */
		{ "{'filter': {'$or': [{'b': 3}, {'c': 1}]}, 'sort': {'a': 1}}",
		  "SUBPLAN(FETCH(SORT_MERGE(IXSCAN b_1_a_1, IXSCAN c_1_a_1)))", 12, 14, 12 },
		{ "{'filter': {'$or': [{'b': 3}, {'c': 1}]}, 'sort': {'a': -1}}",
		  "SUBPLAN(FETCH(SORT_MERGE(IXSCAN b_1_a_1 backward, IXSCAN c_1_a_1 backward)))", 12, 14, 12 },
		{ "{'filter': {'$or': [{'b': {'$in': [3, 4]}}, {'c': 1}]}, 'sort': {'a': 1}}",
		  "SUBPLAN(FETCH(SORT_MERGE(IXSCAN c_1_a_1, IXSCAN b_1_a_1, IXSCAN b_1_a_1)))", 16, 18, 16 },
		{ "{'filter': {'$or': [{'b': {'$gt': 8}}, {'c': 1}]}, 'sort': {'a': 1}}",
		  "SUBPLAN(FETCH(SORT(OR(IXSCAN c_1_a_1, IXSCAN b_1_a_1))))", 12, 14, 12 },
	};
	struct store *s = numbers();
	struct collection *c = fixture_collection(s, "test", "c");

	fixture_index(c, "{'b': 1, 'a': 1}");
	fixture_index(c, "{'c': 1, 'a': 1}");
	CHECK(s, shapes);
	store_destroy(s);
}

static void test_covered(void)
{
	static const struct shape shapes[] = {
		{ "{'filter': {'b': 3}, 'projection': {'b': 1, 'a': 1, '_id': 0}}", "PROJECTION_COVERED(IXSCAN b_1_a_1)", 4, 4, 0 },
		{ "{'filter': {'b': 3}, 'projection': {'b': 1, 'a': 1}}", "PROJECTION_SIMPLE(FETCH(IXSCAN b_1_a_1))", 4, 4, 4 },
		{ "{'filter': {'b': 3}, 'projection': {'b': 0}}", "PROJECTION_SIMPLE(FETCH(IXSCAN b_1_a_1))", 4, 4, 4 },
		{ "{'filter': {'b': 3, 'c': 3}, 'projection': {'b': 1, '_id': 0}}",
		  "PROJECTION_SIMPLE(FETCH { c: { $eq: 3 } }(IXSCAN b_1_a_1))", 2, 4, 4 },
		{ "{'filter': {'b': 3}, 'projection': {'b': 1, 'a': 1, '_id': 0}, 'sort': {'a': -1}}",
		  "PROJECTION_COVERED(IXSCAN b_1_a_1 backward)", 4, 4, 0 },
		{ "{'filter': {'b': {'$gt': 7}}, 'projection': {'a': 1, '_id': 0}, 'sort': {'a': 1}}",
		  "PROJECTION_COVERED(SORT(IXSCAN b_1_a_1))", 8, 8, 0 },
		{ "{'filter': {'_id': {'$gt': 37}}, 'projection': {'_id': 1}}", "PROJECTION_COVERED(IXSCAN _id_)", 2, 2, 0 },
		/* a path that is an array in some document is in no key as a whole; others of the index are */
		{ "{'filter': {'t': 3}, 'projection': {'t': 1, '_id': 0}}", "PROJECTION_SIMPLE(FETCH(IXSCAN t_1_e.f_1))", 13, 13, 13 },
		{ "{'filter': {'t': 3}, 'projection': {'e.f': 1, '_id': 0}}", "PROJECTION_DEFAULT(IXSCAN t_1_e.f_1)", 13, 13, 0 },
	};
	struct store *s = numbers();
	struct collection *c = fixture_collection(s, "test", "c");

	fixture_index(c, "{'b': 1, 'a': 1}");
	fixture_index(c, "{'t': 1, 'e.f': 1}");
	CHECK(s, shapes);
	store_destroy(s);
}

/* What a covered plan returns: the key's values in the index's order, null where the document has no field. */
static void test_covered_rows(void)
{
	static const struct {
		const char *query, *rows;
	} cases[] = {
		{ "{'filter': {'b': 1}, 'projection': {'_id': 0, 'a': 1, 'b': 1, 'c.d': 1}}",
		  "{ b: 1, c: { d: 2 }, a: 7 }{ b: 1, c: { d: null }, a: null }" },
		{ "{'filter': {'b': 1}, 'projection': {'_id': 0, 'a': 1, 'b': 1}, 'sort': {'a': 1}}",
		  "{ b: 1, a: null }{ b: 1, a: 7 }" },
		{ "{'filter': {'b': 1}, 'projection': {'a': 1, 'b': 1, '_id': 0}, 'hint': {'$natural': 1}}", "{ a: 7, b: 1 }{ b: 1 }" },
	};
	struct store *s = fixture_store();
	struct collection *c = fixture_collection(s, "test", "c");

	fixture_index(c, "{'b': 1, 'c.d': -1, 'a': 1}");
	fixture_insert(c, harness_json("{'_id': 1, 'a': 7, 'c': {'x': 1, 'd': 2}, 'b': 1}"));
	fixture_insert(c, harness_json("{'_id': 2, 'b': 1}"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes text = BYTES_INIT;
		struct fixture_run run;
		struct value document;

		fixture_run(&run, s, "test", "c", harness_json(cases[i].query), VERBOSITY_EXECUTION_STATS);
		for (size_t at = 0; at < run.rows.size; at += document.size_bytes) {
			CU_ASSERT_FATAL(value_document(&document, run.rows.data + at, run.rows.size - at));
			print_line(&text, document, PRINT_SERVER);
		}
		CU_ASSERT_STRING_EQUAL(bytes_text(&text), cases[i].rows);
		bytes_clear(&text);
		fixture_run_clear(&run);
	}
	store_destroy(s);
}

/* More scans than MongoDB merges: it says so and sorts. */
static void test_too_many_scans(void)
{
	struct store *s = numbers();
	struct bytes query = BYTES_INIT;
	struct fixture_run run;
	struct value explain;

	fixture_index(fixture_collection(s, "test", "c"), "{'b': 1, 'a': 1}");
	for (int count = 200; count <= 201; count++) {
		bytes_reset(&query);
		bytes_append_text(&query, "{'filter': {'b': {'$in': [0");
		for (int i = 1; i < count; i++)
			bytes_format(&query, ", %d", i);
		bytes_append_text(&query, "]}}, 'sort': {'a': 1}}");
		fixture_run(&run, s, "test", "c", harness_json(bytes_text(&query)), VERBOSITY_EXECUTION_STATS);
		value_document(&explain, run.explain.data, run.explain.size);
		explain = value_get(explain, "queryPlanner");
		CU_ASSERT_EQUAL(value_is_true(value_get(explain, "maxScansToExplodeReached")), count > 200);
		CU_ASSERT_EQUAL(run.id_count, 40);
		fixture_run_clear(&run);
	}
	bytes_clear(&query);
	store_destroy(s);
}

/* distinct by an index: {values} and the explain's plan with what it looked at. */
static void check_distinct(const char *options, const char *values, const char *tree, int keys, int docs)
{
	struct bytes command = BYTES_INIT, explain = BYTES_INIT, got = BYTES_INIT;
	struct value reply, figures;
	char sums[40];

	bytes_format(&command, "{'distinct': 'c', %s}", options);
	bytes_format(&explain, "{'explain': %s, 'verbosity': 'executionStats'}", bytes_text(&command));
	ASSERT_TEXT(ask_text(value_get(ask(bytes_text(&command)), "values")), values);
	reply = ask(bytes_text(&explain));
	draw(&got, value_get(value_get(reply, "queryPlanner"), "winningPlan"));
	figures = value_get(reply, "executionStats");
	snprintf(sums, sizeof sums, " %d %d", (int)value_as_double(value_get(figures, "totalKeysExamined")),
	         (int)value_as_double(value_get(figures, "totalDocsExamined")));
	bytes_append_text(&got, sums);
	snprintf(sums, sizeof sums, " %d %d", keys, docs);
	bytes_reset(&explain);
	bytes_append_text(&explain, tree);
	bytes_append_text(&explain, sums);
	ASSERT_TEXT(bytes_text(&got), bytes_text(&explain));
	bytes_clear(&command);
	bytes_clear(&explain);
	bytes_clear(&got);
}

/* As MongoDB: a value a key, null for a document without the field, undefined for an empty array. */
static void test_distinct(void)
{
	ask_begin();
	ask("{'insert': 'c', 'documents': [{'a': 1, 'b': 1, 't': [1, 2]}, {'a': 1, 'b': 2, 't': [2]}, {'a': 2, 'b': 1, 't': []},"
	    "{'a': {'x': 1}, 'b': 3, 'e': {'f': 1}}, {'b': 2, 'e': {'f': 2}}]}");
	check_distinct("'key': 'a'", "[1,2,{\"x\":1}]", "COLLSCAN", 0, 5);
	ask("{'createIndexes': 'c', 'indexes': [{'key': {'a': 1, 'b': -1}, 'name': 'ab'}, {'key': {'t': 1}, 'name': 't'},"
	    "{'key': {'b': 1, 'e.f': 1}, 'name': 'be'}, {'key': {'b': 1, 'a': 1, 'c': 1}, 'name': 'bac'},"
	    "{'key': {'z': 1}, 'name': 'z', 'partialFilterExpression': {'b': 1}}]}");
	check_distinct("'key': 'a'", "[null,1,2,{\"x\":1}]", "PROJECTION_COVERED(DISTINCT_SCAN ab)", 4, 0);
	check_distinct("'key': 'b'", "[1,2,3]", "PROJECTION_COVERED(DISTINCT_SCAN be)", 3, 0);
	check_distinct("'key': 't'", "[{\"$undefined\":true},null,1,2]", "PROJECTION_COVERED(DISTINCT_SCAN t)", 4, 0);
	check_distinct("'key': 'b', 'query': {'a': 1}", "[2,1]", "PROJECTION_COVERED(DISTINCT_SCAN ab)", 3, 0);
	check_distinct("'key': 'e.f', 'query': {'b': {'$gte': 2}}", "[null,2,1]", "PROJECTION_DEFAULT(DISTINCT_SCAN be)", 3, 0);
	/* an array's other values are in no key that the query bounds */
	check_distinct("'key': 't', 'query': {'t': 1}", "[1,2]", "FETCH(IXSCAN t)", 1, 1);
	check_distinct("'key': 'z'", "[]", "COLLSCAN", 0, 5);
	check_distinct("'key': 'a', 'hint': {'$natural': 1}", "[1,2,{\"x\":1}]", "COLLSCAN", 0, 5);
	ask_end();
}

/* What listIndexes and a second createIndexes say of the new kinds. */
static void test_same_index(void)
{
	static const struct {
		const char *name, *options;
		int code;
	} cases[] = {
		{ "p", ", 'partialFilterExpression': {'b': 1}", 0 },
		{ "p", ", 'partialFilterExpression': {'b': 1}", 0 },
		{ "p", ", 'partialFilterExpression': {'b': 2}", 86 },
		{ "q", ", 'partialFilterExpression': {'b': 1}", 85 },
		{ "q", ", 'partialFilterExpression': {'b': 2}", 0 },
		{ "q", ", 'partialFilterExpression': {'b': 2}, 'hidden': true", 85 },
		{ "plain", "", 0 },
		{ "sparse", ", 'sparse': true", 0 },
		{ "unique", ", 'unique': true", 0 },
		{ "ttl", ", 'expireAfterSeconds': 5", 67 },
	};

	ask_begin();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes command = BYTES_INIT;
		struct value code;

		bytes_format(&command, "{'createIndexes': 'c', 'indexes': [{'key': {'a': 1}, 'name': '%s'%s}]}", cases[i].name,
		             cases[i].options);
		code = value_get(ask(bytes_text(&command)), "code");
		CU_ASSERT_EQUAL(value_is_missing(code) ? 0 : (int)value_as_double(code), cases[i].code);
		bytes_clear(&command);
	}
	ASSERT_TEXT(ask_text(ask_batch("{'listIndexes': 'c'}")),
	            "[{\"v\":2,\"key\":{\"_id\":1},\"name\":\"_id_\"},"
	            "{\"v\":2,\"key\":{\"a\":1},\"name\":\"p\",\"partialFilterExpression\":{\"b\":1}},"
	            "{\"v\":2,\"key\":{\"a\":1},\"name\":\"q\",\"partialFilterExpression\":{\"b\":2}},"
	            "{\"v\":2,\"key\":{\"a\":1},\"name\":\"plain\"},"
	            "{\"v\":2,\"key\":{\"a\":1},\"name\":\"sparse\",\"sparse\":true},"
	            "{\"v\":2,\"key\":{\"a\":1},\"name\":\"unique\",\"unique\":true}]");
	ask_end();
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "partial indexes", test_partial },
		{ "what implies a partial filter", test_partial_forms },
		{ "sparse indexes", test_sparse },
		{ "unique among those that the index holds", test_unique_of_some },
		{ "hidden indexes", test_hidden },
		{ "$or by index union", test_or },
		{ "merges of sorted scans", test_merge },
		{ "covered queries", test_covered },
		{ "rows of covered queries", test_covered_rows },
		{ "more scans than are merged", test_too_many_scans },
		{ "distinct", test_distinct },
		{ "which indexes are the same", test_same_index },
		{ NULL, NULL },
	};

	return harness_run("plan shapes", cases);
}
