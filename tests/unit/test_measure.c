/* Measuring: what a command costs, counted in a dry run that changes nothing, byte for byte. */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/writer.h"
#include "engine/engine.h"
#include "samples/samples.h"
#include "source.h"

static struct engine *e;

static struct value document_of(const char *json)
{
	return harness_json(json);
}

/* Runs the command and gives its whole reply as text, kept until the program ends. */
static const char *reply_of(const char *db, const char *json)
{
	bson_t view, reply;
	bson_error_t error;
	const char *text;

	value_to_bson(&view, document_of(json));
	engine_command(e, db, &view, &reply, NULL, &error);
	text = harness_text(value_from_bson(&reply));
	bson_destroy(&reply);
	return text;
}

static struct cost measure(const char *json)
{
	bson_t view;
	struct cost cost;
	bson_error_t error;

	value_to_bson(&view, document_of(json));
	if (!engine_measure(e, "shop", &view, &cost, NULL, &error)) {
		fprintf(stderr, "%s: %s\n", json, error.message);
		CU_FAIL("not measured");
	}
	CU_ASSERT_EQUAL(cost.round_trips.provenance, PROVENANCE_MEASURED);
	return cost;
}

struct expected {
	int64_t get_mores, docs_examined, keys_examined, bytes_read, docs_returned, bytes_returned;
	int64_t docs_written, bytes_written, keys_written, no_ops;
};

static void expect_figure(const char *json, const char *name, struct figure got, int64_t expected, int line)
{
	if (got.value != expected)
		fprintf(stderr, "%s:%d: %s: %s is %lld, expected %lld\n", __FILE__, line, json, name, (long long)got.value,
		        (long long)expected);
	CU_ASSERT_EQUAL(got.value, expected);
}

static void expect_cost(const char *json, struct expected expected, int line)
{
	struct cost cost = measure(json);

	CU_ASSERT_EQUAL(cost.round_trips.value, 1);
#define EXPECT(name) expect_figure(json, #name, cost.name, expected.name, line);
	EXPECT(get_mores) EXPECT(docs_examined) EXPECT(keys_examined) EXPECT(bytes_read) EXPECT(docs_returned)
	EXPECT(bytes_returned) EXPECT(docs_written) EXPECT(bytes_written) EXPECT(keys_written) EXPECT(no_ops)
#undef EXPECT
}

#define ASSERT_COST(json, ...) expect_cost(json, (struct expected){ __VA_ARGS__ }, __LINE__)

/* Three documents {_id, k, s: ""} with an index on k, and 300 {_id, k}. */
static void begin(void)
{
	struct bytes command = BYTES_INIT;
	struct writer w;
	bson_t view, reply;
	bson_error_t error;

	e = engine_new();
	reply_of("shop", "{'insert': 'a', 'documents': [{'_id': 1, 'k': 1, 's': ''}, {'_id': 2, 'k': 1, 's': ''},"
	                 "{'_id': 3, 'k': 2, 's': ''}]}");
	reply_of("shop", "{'createIndexes': 'a', 'indexes': [{'key': {'k': 1}, 'name': 'k_1'}]}");
	writer_begin(&w, &command);
	writer_text(&w, "insert", "many");
	writer_begin_array(&w, key_of("documents"));
	for (int i = 0; i < 300; i++) {
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "_id", i);
		writer_int32(&w, "k", i % 10);
		writer_end(&w);
	}
	writer_end(&w);
	value_to_bson(&view, writer_finish(&w));
	CU_ASSERT(engine_command(e, "shop", &view, &reply, NULL, &error));
	bson_destroy(&reply);
	bytes_clear(&command);
}

static void end(void)
{
	engine_destroy(e);
}

enum { SMALL = 29, MANY = 21 }; /* bytes of a document */

static void reads(void)
{
	begin();
	ASSERT_COST("{'find': 'a', 'filter': {'_id': 2}}", .docs_examined = 1, .keys_examined = 1, .bytes_read = SMALL,
	            .docs_returned = 1, .bytes_returned = SMALL);
	ASSERT_COST("{'find': 'a', 'filter': {'s': 'x'}}", .docs_examined = 3, .bytes_read = 3 * SMALL);
	ASSERT_COST("{'find': 'a', 'filter': {'k': 1}}", .docs_examined = 2, .keys_examined = 2, .bytes_read = 2 * SMALL,
	            .docs_returned = 2, .bytes_returned = 2 * SMALL);
	/* a projection shrinks what is returned, not what is read */
	ASSERT_COST("{'find': 'a', 'filter': {'_id': 2}, 'projection': {'_id': 1}}", .docs_examined = 1, .keys_examined = 1,
	            .bytes_read = SMALL, .docs_returned = 1, .bytes_returned = 14);
	ASSERT_COST("{'aggregate': 'a', 'pipeline': [{'$group': {'_id': null, 'n': {'$sum': 1}}}], 'cursor': {}}",
	            .docs_examined = 3,
	            .bytes_read = 3 * SMALL, .docs_returned = 1, .bytes_returned = 17);
	ASSERT_COST("{'count': 'a', 'query': {'s': ''}}", .docs_examined = 3, .bytes_read = 3 * SMALL);
	ASSERT_COST("{'distinct': 'many', 'key': 'k'}", .docs_examined = 300, .bytes_read = 300 * MANY, .docs_returned = 10,
	            .bytes_returned = 40);
	/* the inner reads of a $lookup are reads */
	ASSERT_COST("{'aggregate': 'a', 'pipeline': [{'$match': {'_id': 1}}, {'$lookup': {'from': 'many', 'localField': 'k',"
	            "'foreignField': '_id', 'as': 'x'}}], 'cursor': {}}", .docs_examined = 2, .keys_examined = 2,
	            .bytes_read = SMALL + MANY, .docs_returned = 1, .bytes_returned = SMALL + 3 + 5 + 3 + MANY);
	end();
}

static void get_mores(void)
{
	begin();
	ASSERT_COST("{'find': 'many'}", .get_mores = 1, .docs_examined = 300, .bytes_read = 300 * MANY, .docs_returned = 300,
	            .bytes_returned = 300 * MANY);
	/* exactly a first batch: a client has to ask before it knows that there is no more; with a limit it knows */
	ASSERT_COST("{'find': 'many', 'filter': {'_id': {'$lt': 101}}, 'hint': {'$natural': 1}}", .get_mores = 1,
	            .docs_examined = 300, .bytes_read = 300 * MANY, .docs_returned = 101, .bytes_returned = 101 * MANY);
	ASSERT_COST("{'find': 'many', 'limit': 101}", .docs_examined = 101, .bytes_read = 101 * MANY, .docs_returned = 101,
	            .bytes_returned = 101 * MANY);
	ASSERT_COST("{'find': 'many', 'batchSize': 1000}", .docs_examined = 300, .bytes_read = 300 * MANY,
	            .docs_returned = 300,
	            .bytes_returned = 300 * MANY);
	ASSERT_COST("{'find': 'many', 'singleBatch': true}", .docs_examined = 101, .bytes_read = 101 * MANY,
	            .docs_returned = 101,
	            .bytes_returned = 101 * MANY);
	end();
}

static void writes(void)
{
	begin();
	ASSERT_COST("{'insert': 'a', 'documents': [{'_id': 9, 'k': 9, 's': ''}]}", .docs_written = 1, .bytes_written = SMALL,
	            .keys_written = 2);
	ASSERT_COST("{'insert': 'missing', 'documents': [{'_id': 9}]}", .docs_written = 1, .bytes_written = 14,
	            .keys_written = 1);
	ASSERT_COST("{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'s': 'x'}}}]}", .docs_examined = 1,
	            .keys_examined = 1, .bytes_read = SMALL, .docs_written = 1, .bytes_written = SMALL + 1);
	/* the old entry goes, a new one comes */
	ASSERT_COST("{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'k': 5}}}]}", .docs_examined = 1,
	            .keys_examined = 1, .bytes_read = SMALL, .docs_written = 1, .bytes_written = SMALL, .keys_written = 2);
	/* what changes nothing is written all the same, and counted apart */
	ASSERT_COST("{'update': 'a', 'updates': [{'q': {}, 'u': {'$set': {'k': 1}}, 'multi': true}]}", .docs_examined = 3,
	            .bytes_read = 3 * SMALL, .docs_written = 3, .bytes_written = 3 * SMALL, .keys_written = 2, .no_ops = 2);
	ASSERT_COST("{'update': 'a', 'updates': [{'q': {'_id': 7}, 'u': {'$set': {'s': ''}}, 'upsert': true}]}",
	            .docs_written = 1,
	            .bytes_written = 22, .keys_written = 2);
	ASSERT_COST("{'delete': 'a', 'deletes': [{'q': {'k': 1}, 'limit': 0}]}", .docs_examined = 2, .keys_examined = 2,
	            .bytes_read = 2 * SMALL, .docs_written = 2, .keys_written = 4);
	ASSERT_COST("{'findAndModify': 'a', 'query': {'_id': 1}, 'update': {'$set': {'s': 'xy'}}, 'new': true}",
	            .docs_examined = 1,
	            .keys_examined = 1, .bytes_read = SMALL, .docs_returned = 1, .bytes_returned = SMALL + 2,
	            .docs_written = 1, .bytes_written = SMALL + 2);
	/* statements are measured against the data as they are */
	ASSERT_COST("{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'s': 'x'}}}, {'q': {'s': 'x'}, 'u': "
	            "{'$set': {'k': 9}}}]}",
	            .docs_examined = 4, .keys_examined = 1, .bytes_read = 4 * SMALL, .docs_written = 1,
	            .bytes_written = SMALL + 1);
	end();
}

static void free_commands(void)
{
	static const char *const commands[] = {
		"{'ping': 1}", "{'hello': 1}", "{'listCollections': 1}", "{'listIndexes': 'a'}", "{'collStats': 'a'}",
		"{'create': 'new'}", "{'drop': 'a'}", "{'createIndexes': 'a', 'indexes': [{'key': {'s': 1}, 'name': 's_1'}]}",
		"{'dropIndexes': 'a', 'index': '*'}", "{'dropDatabase': 1}", "{'killCursors': 'a', 'cursors': []}"
	};

	begin();
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		ASSERT_COST(commands[i], .get_mores = 0);
	end();
}

static void failures(void)
{
	bson_t view;
	struct cost cost;
	bson_error_t error;

	begin();
	value_to_bson(&view, document_of("{'insert': 'a', 'documents': [{'_id': 1}]}"));
	CU_ASSERT_FALSE(engine_measure(e, "shop", &view, &cost, NULL, &error));
	CU_ASSERT_EQUAL(error.code, 11000);
	CU_ASSERT_EQUAL(cost.docs_written.provenance, PROVENANCE_UNKNOWN);
	value_to_bson(&view, document_of("{'getMore': {'$numberLong': '1'}, 'collection': 'a'}"));
	CU_ASSERT_FALSE(engine_measure(e, "shop", &view, &cost, NULL, &error));
	CU_ASSERT_EQUAL(error.code, 20);
	end();
}

/* All that can be seen of the data: documents in their order, catalog, access counters, sizes, write counters. */
static char *state(void)
{
	static const char *const commands[] = {
		"{'find': 'a', 'batchSize': 10000}", "{'find': 'many', 'batchSize': 10000}", "{'listCollections': 1}",
		"{'listIndexes': 'a'}", "{'collStats': 'a'}", "{'collStats': 'many'}", "{'dbStats': 1}",
		"{'aggregate': 'a', 'pipeline': [{'$indexStats': {}}, {'$project': {'name': 1, 'accesses.ops': 1}}], 'cursor': {}}",
	};
	struct bytes text = BYTES_INIT;

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		bytes_append_text(&text, reply_of("shop", commands[i]));
		bytes_append_text(&text, "\n");
	}
	bytes_format(&text, "%lld %lld %lld %lld", (long long)engine_write_counter(e, "shop", "a"),
	             (long long)engine_write_counter(e, "shop", "many"), (long long)engine_write_counter(e, "shop", "new"),
	             (long long)engine_memory_bytes(e));
	return bytes_take_text(&text);
}

#define JOIN                                                                                                      \
	"{'aggregate': 'many', 'pipeline': [{'$lookup': {'from': 'a', 'localField': 'k', 'foreignField': 'k'," \
	"'as': 'x'}}], 'cursor': {}}"

static void measuring_changes_nothing(void)
{
	static const char *const commands[] = {
		"{'find': 'a', 'filter': {'k': 1}}",
		"{'find': 'a', 'filter': {'_id': 1}}",
		"{'find': 'a', 'sort': {'k': 1}}",
		"{'count': 'a', 'query': {'k': 1}}",
		"{'distinct': 'a', 'key': 'k', 'query': {'k': {'$gt': 0}}}",
		JOIN,
		"{'insert': 'a', 'documents': [{'k': 1}, {'k': 2}]}",
		"{'insert': 'new', 'documents': [{'k': 1}]}",
		"{'update': 'a', 'updates': [{'q': {'k': 1}, 'u': {'$inc': {'k': 1}, '$push': {'list': 1}}, 'multi': true}]}",
		"{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'k': 7}}]}",
		"{'update': 'a', 'updates': [{'q': {'k': 77}, 'u': {'$set': {'x': 1}}, 'upsert': true}]}",
		"{'update': 'new', 'updates': [{'q': {'k': 77}, 'u': {'$set': {'x': 1}}, 'upsert': true}]}",
		"{'delete': 'a', 'deletes': [{'q': {}, 'limit': 0}]}",
		"{'findAndModify': 'a', 'query': {'k': 1}, 'remove': true}",
		"{'findAndModify': 'a', 'query': {'k': 1}, 'update': {'$set': {'k': 3}}}",
		"{'explain': {'update': 'a', 'updates': [{'q': {}, 'u': {'$set': {'k': 3}}, 'multi': true}]}}",
		"{'create': 'new'}", "{'drop': 'a'}", "{'dropDatabase': 1}", "{'dropIndexes': 'a', 'index': '*'}",
		"{'createIndexes': 'many', 'indexes': [{'key': {'k': 1}, 'name': 'k_1'}]}",
	};
	char *before, *after;

	begin();
	before = state();
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
			struct cost first = measure(commands[i]), second = measure(commands[i]);

			CU_ASSERT(cost_equal(&first, &second));
		}
	/* explain, as a command of its own, writes nothing either */
	reply_of("shop", "{'explain': {'delete': 'a', 'deletes': [{'q': {'k': 1}, 'limit': 0}]}, 'verbosity': "
	                 "'executionStats'}");
	after = state();
	ASSERT_TEXT(after, before);
	free(before);
	free(after);
	/* and the test would see it */
	before = state();
	reply_of("shop", "{'find': 'a', 'filter': {'k': 1}}");
	after = state();
	CU_ASSERT(strcmp(before, after) != 0);
	free(before);
	free(after);
	end();
}

/* What is measured is what then happens. */
static void writes_do_what_was_measured(void)
{
	begin();
	ASSERT_COST("{'update': 'a', 'updates': [{'q': {'k': 1}, 'u': {'$set': {'s': 'abc'}}, 'multi': true}]}",
	            .docs_examined = 2,
	            .keys_examined = 2, .bytes_read = 2 * SMALL, .docs_written = 2, .bytes_written = 2 * (SMALL + 3));
	ASSERT_TEXT(reply_of("shop", "{'update': 'a', 'updates': [{'q': {'k': 1}, 'u': {'$set': {'s': 'abc'}}, 'multi': "
	                             "true}]}"),
	            "{\"n\": 2, \"nModified\": 2, \"ok\": 1.0}");
	ASSERT_COST("{'find': 'a'}", .docs_examined = 3, .bytes_read = 3 * SMALL + 6, .docs_returned = 3,
	            .bytes_returned = 3 * SMALL + 6);
	end();
}

static int logged, logged_measures, logged_errors;

static void count_log(void *context, const char *db, const bson_t *command, bool measured, int64_t micros,
                      const bson_error_t *error)
{
	(void)context;
	CU_ASSERT(db && command && micros >= 0);
	logged++;
	logged_measures += measured;
	logged_errors += error != NULL;
}

static void sources(void)
{
	struct source *s = source_from_engine("test", engine_new());
	struct cost cost;
	bson_error_t error;
	bson_t view, reply;

	s->log = count_log;
	value_to_bson(&view, document_of("{'insert': 'a', 'documents': [{'_id': 1}]}"));
	CU_ASSERT(source_command(s, "shop", &view, &reply, NULL, &error));
	bson_destroy(&reply);
	CU_ASSERT(source_write_counter(s, "shop", "a").value > 0);
	CU_ASSERT_EQUAL(source_write_counter(s, "shop", "missing").provenance, PROVENANCE_UNKNOWN);
	value_to_bson(&view, document_of("{'find': 'a'}"));
	CU_ASSERT(source_measure(s, "shop", &view, &cost, NULL, NULL));
	CU_ASSERT_EQUAL(cost.docs_examined.value, 1);
	value_to_bson(&view, document_of("{'nope': 'a'}"));
	CU_ASSERT_FALSE(source_command(s, "shop", &view, &reply, NULL, NULL));
	bson_destroy(&reply);
	CU_ASSERT(logged == 3 && logged_measures == 1 && logged_errors == 1);
	CU_ASSERT_PTR_NOT_NULL(source_engine(s));
	source_destroy(s);
}

/* The published jobs of the library, both of its own shape. */
static void library_jobs(void)
{
	struct model *model;
	bson_error_t error;
	struct source *s = sample_open("library", &model, &error);
	struct cost book, copies;
	bson_t view;

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	value_to_bson(&view, document_of("{'find': 'kitap', 'filter': {'_k': 'K-04242'}}"));
	CU_ASSERT(source_measure(s, "library", &view, &book, NULL, &error));
	value_to_bson(&view, document_of("{'find': 'kopya', 'filter': {'kitap': 'K-04242'}}"));
	CU_ASSERT(source_measure(s, "library", &view, &copies, NULL, &error));
	cost_add(&book, &copies);
	CU_ASSERT_EQUAL(book.round_trips.value, 2);
	CU_ASSERT_EQUAL(book.docs_examined.value, 6);
	CU_ASSERT_EQUAL(book.bytes_read.value, 502);
	value_to_bson(&view, document_of("{'find': 'kopya', 'filter': {'sube': 'Kadikoy', 'durum': 'onarimda'}}"));
	CU_ASSERT(source_measure(s, "library", &view, &copies, NULL, &error));
	CU_ASSERT_EQUAL(copies.round_trips.value, 1);
	CU_ASSERT_EQUAL(copies.get_mores.value, 1);
	CU_ASSERT_EQUAL(copies.docs_examined.value, 10066);
	CU_ASSERT_EQUAL(copies.bytes_read.value, 781096);
	CU_ASSERT_EQUAL(copies.docs_returned.value, 3092);
	source_destroy(s);
	model_destroy(model);
}

int main(void)
{
	static const struct test_case tests[] = {
		{ "reads", reads },
		{ "getMores", get_mores },
		{ "writes", writes },
		{ "commands that cost nothing", free_commands },
		{ "failures", failures },
		{ "measuring changes nothing", measuring_changes_nothing },
		{ "writes do what was measured", writes_do_what_was_measured },
		{ "sources", sources },
		{ "library jobs", library_jobs },
		{ NULL, NULL }
	};

	return harness_run("measure", tests);
}
