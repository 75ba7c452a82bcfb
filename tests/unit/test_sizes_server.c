/*
 * Sizes over servers as they are: what is sent to them, samples and what these cannot tell, servers that lack or refuse
 * something, and what is no ordinary collection.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/writer.h"
#include "engine/engine.h"
#include "harness/data.h"
#include "harness/driver_races.h"
#include "harness/harness.h"
#include "harness/served.h"
#include "model/lab.h"
#include "model/listing.h"
#include "model/sizes.h"
#include "remote/remote.h"
#include "report/options.h"
#include "report/report.h"
#include "samples/samples.h"

static struct source *bookstore, *library;
static struct model *bookstore_model, *library_model;

/* A server with the data of an engine, which answers some commands in its own way. */
struct server {
	struct wire *wire;
	struct source *source;
};

static struct server begin(wire_handler handler, void *context, const char *options)
{
	struct server s = { .wire = wire_start(handler, context, NULL) };
	char uri[128];
	bson_error_t error;

	snprintf(uri, sizeof uri, "%s%s", wire_uri(s.wire), options);
	if (!remote_open(uri, NULL, &s.source, &error)) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	return s;
}

static void end(struct server *s)
{
	source_destroy(s->source);
	wire_stop(s->wire);
}

static struct sizes *measure(const struct server *s, const char *db, const char *collection)
{
	bson_error_t error = { 0 };
	struct sizes *sizes = sizes_measure(s->source, db, collection, NULL, 16777216, NULL, &error);

	ASSERT_TEXT(error.message, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(sizes);
	return sizes;
}

static bool has(struct value command, const char *text)
{
	return strstr(harness_text(command), text) != NULL;
}

static enum wire_answer reply_with(struct bytes *reply, const char *json)
{
	struct value v = harness_json(json);

	bytes_append(reply, v.bytes, v.size_bytes);
	return WIRE_REPLY;
}

static bool is_a(struct value command, const char *name)
{
	return key_is(served_name(command), name);
}

/* Statistics */

static void test_intervals(void)
{
	static const struct {
		int64_t n;
		int percent;
		struct interval ranks;
	} cases[] = {
		{ 100, 50, { 40, 61 } }, /* as tables have it */
		{ 10, 90, { 7, 11 } },   /* no value of ten is above the 90th percentile for sure */
		{ 5, 50, { 0, 6 } },
		{ 1000, 99, { 983, 997 } },
		{ 1, 99, { 1, 2 } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct interval ranks = interval_percentile_ranks(cases[i].n, cases[i].percent);

		CU_ASSERT_EQUAL(ranks.low, cases[i].ranks.low);
		CU_ASSERT_EQUAL(ranks.high, cases[i].ranks.high);
	}
	/* a hundred million: the interval is narrow, and the probabilities do not underflow */
	CU_ASSERT_EQUAL(interval_percentile_ranks(100000000, 50).low, 49990200);
	CU_ASSERT_EQUAL(interval_percentile_ranks(100000000, 50).high, 50009801);
	CU_ASSERT(fabs(interval_missed(10000, 1000000, 3) - 0.9703) < 0.0001);
	CU_ASSERT(fabs(interval_missed(1, 3, 2) - 1.0 / 3) < 1e-9);
	CU_ASSERT_EQUAL(interval_missed(3, 3, 1), 0);
	CU_ASSERT(interval_is_open(interval_mean(5, 0, 1, 1)));
	CU_ASSERT_EQUAL(interval_mean(100, 400, 100, 1).low, 96);
	CU_ASSERT_EQUAL(interval_mean(100, 400, 100, 1).high, 104);
}

/* What is sent */

static atomic_int pipelines, wrong;

/* Sizes are computed in a $project of their own, and only keys and sizes are grouped and sorted. */
static void check_pipeline(struct value command)
{
	struct value pipeline = value_get(command, "pipeline");
	bool projected = false;
	struct walk w;
	struct field f;

	pipelines++;
	walk_begin(&w, pipeline);
	while (walk_next(&w, &f)) {
		bool sizes = has(f.value, "$bsonSize"), project = !value_is_missing(value_get(f.value, "$project"));

		wrong += sizes != project;
		wrong += !projected && (!value_is_missing(value_get(f.value, "$group")) ||
		                        !value_is_missing(value_get(f.value, "$sort")));
		projected = projected || project;
	}
	wrong += !projected || !value_is_true(value_get(command, "allowDiskUse")) ||
	         value_is_missing(value_get(command, "maxTimeMS"));
}

static enum wire_answer check_commands(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "aggregate"))
		check_pipeline(command);
	else if (is_a(command, "getMore"))
		wrong += !value_is_missing(value_get(command, "maxTimeMS"));
	else if (is_a(command, "listCollections") || is_a(command, "count"))
		wrong += value_is_missing(value_get(command, "maxTimeMS"));
	return served_answer(engine, db, command, reply);
}

static void test_commands(void)
{
	struct server s = begin(check_commands, source_engine(library), "");

	pipelines = wrong = 0;
	sizes_destroy(measure(&s, "library", "kopya"));
	CU_ASSERT_EQUAL(pipelines, 2);
	s.source->exact_documents = 10;
	s.source->sample_documents = 1000;
	sizes_destroy(measure(&s, "library", "kopya"));
	CU_ASSERT_EQUAL(pipelines, 3);
	CU_ASSERT(wire_count(s.wire, "getMore") > 0);
	CU_ASSERT_EQUAL(wrong, 0);
	end(&s);
}

/* Preferences are sent to a mongos, which looks for the member. */
static enum wire_answer answer_as_mongos(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "hello") || is_a(command, "isMaster") || is_a(command, "ismaster"))
		return reply_with(reply, "{'helloOk': true, 'ismaster': true, 'isWritablePrimary': true, 'msg': 'isdbgrid', "
		                         "'maxBsonObjectSize': 16777216, 'maxMessageSizeBytes': 48000000, "
		                         "'maxWriteBatchSize': 100000, 'minWireVersion': 0, 'maxWireVersion': 21, 'ok': 1.0}");
	if (is_a(command, "collStats"))
		return reply_with(reply, "{'count': 58595, 'avgObjSize': 0, 'shards': {'a': {'numOrphanDocs': 500}, "
		                         "'b': {'numOrphanDocs': 95}}, 'ok': 1.0}");
	return served_answer(engine, db, command, reply);
}

static void test_preferences(void)
{
	struct server s = begin(answer_as_mongos, source_engine(bookstore), "");

	sizes_destroy(measure(&s, "bookstore", "books"));
	CU_ASSERT(has(wire_last(s.wire, "aggregate"), "secondaryPreferred"));
	CU_ASSERT(has(wire_last(s.wire, "listCollections"), "primaryPreferred"));
	end(&s);
	s = begin(answer_as_mongos, source_engine(bookstore), "?readPreference=nearest");
	sizes_destroy(measure(&s, "bookstore", "books"));
	CU_ASSERT(has(wire_last(s.wire, "aggregate"), "nearest"));
	CU_ASSERT(has(wire_last(s.wire, "listCollections"), "nearest"));
	end(&s);
}

static void test_orphans(void)
{
	struct server s = begin(answer_as_mongos, source_engine(library), "");
	struct sizes *sizes;

	CU_ASSERT(s.source->sharded);
	CU_ASSERT_PTR_NOT_NULL(strstr(s.source->name, "(mongos)"));
	s.source->exact_documents = 10;
	s.source->sample_documents = 100;
	sizes = measure(&s, "library", "kopya");
	CU_ASSERT_EQUAL(sizes->count.value, 58000);
	CU_ASSERT_EQUAL(sizes->count.provenance, PROVENANCE_ESTIMATED);
	ASSERT_TEXT(sizes->remark, "595 orphaned documents on its shards are not counted");
	sizes_destroy(sizes);
	end(&s);
}

/* e8: reached directly, a secondary takes reads that do not insist on the primary. */
static enum wire_answer answer_as_secondary(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "hello") || is_a(command, "isMaster") || is_a(command, "ismaster"))
		return reply_with(reply, "{'helloOk': true, 'ismaster': false, 'isWritablePrimary': false, 'secondary': true, "
		                         "'setName': 'rs0', 'hosts': ['127.0.0.1:1'], 'maxBsonObjectSize': 16777216, "
		                         "'maxMessageSizeBytes': 48000000, 'maxWriteBatchSize': 100000, 'minWireVersion': 0, "
		                         "'maxWireVersion': 21, 'ok': 1.0}");
	if (!has(command, "$readPreference"))
		return served_refuse(reply, 13435, "NotPrimaryNoSecondaryOk", "not primary and secondaryOk=false");
	return served_answer(engine, db, command, reply);
}

static void test_secondary(void)
{
	struct server s = begin(answer_as_secondary, source_engine(bookstore), "?directConnection=true");
	struct sizes *sizes = measure(&s, "bookstore", "books");

	CU_ASSERT_PTR_NOT_NULL(strstr(s.source->name, "(secondary of rs0)"));
	CU_ASSERT_EQUAL(sizes->count.value, 77);
	sizes_destroy(sizes);
	end(&s);
}

/* Samples */

static void test_sample(void)
{
	struct server s = begin(served_answer, source_engine(library), "");
	struct sizes *all = sizes_measure(library, "library", "kopya", NULL, 16777216, NULL, NULL), *sizes;
	struct bytes text = BYTES_INIT;

	s.source->exact_documents = 10;
	s.source->sample_documents = 2000;
	sizes = measure(&s, "library", "kopya");
	CU_ASSERT_EQUAL(sizes->method, SAMPLING_RANDOM);
	CU_ASSERT_EQUAL(sizes->p50.n, 2000);
	CU_ASSERT_EQUAL(sizes->p50.of, 58595);
	CU_ASSERT(sizes->intervals.p50.low <= sizes->p50.value && sizes->p50.value <= sizes->intervals.p50.high);
	CU_ASSERT(sizes->intervals.p99.low <= sizes->p99.value && sizes->p99.value <= sizes->intervals.p99.high);
	CU_ASSERT(sizes->intervals.avg_millibytes.low < sizes->avg_millibytes.value);
	CU_ASSERT(sizes->intervals.bytes.low < sizes->bytes.value && sizes->bytes.value < sizes->intervals.bytes.high);
	/* an interval that is missed by far is wrong, not bad luck */
	CU_ASSERT(llabs(all->bytes.value - sizes->bytes.value) < 3 * (sizes->intervals.bytes.high - sizes->bytes.value));
	sampling_text(sizes->method, sizes->p50.n, sizes->p50.of, &text);
	ASSERT_TEXT(bytes_text(&text), "2,000 of 58,595 documents sampled ($sample, random)");
	bytes_reset(&text);
	sizes_tail_text(sizes, &text);
	ASSERT_TEXT(bytes_text(&text),
	            "larger than the largest seen: one such document is missed with 97 %, three with 90 %");
	bytes_clear(&text);
	sizes_destroy(sizes);
	sizes_destroy(all);
	end(&s);
}

/* A twentieth or more is read whole by $sample, too: then all is counted. */
static void test_no_sample(void)
{
	struct server s = begin(served_answer, source_engine(library), "");
	struct sizes *sizes;

	s.source->exact_documents = 10;
	s.source->sample_documents = 2930; /* 58,595 / 20 = 2929.75 */
	sizes = measure(&s, "library", "kopya");
	CU_ASSERT_EQUAL(sizes->method, SAMPLING_ALL);
	CU_ASSERT_EQUAL(sizes->count.provenance, PROVENANCE_EXACT);
	ASSERT_TEXT(sizes->remark,
	            "all documents, not a sample: one of 2930, 5 % or more of them, would read them all too");
	sizes_destroy(sizes);
	s.source->sample_documents = 2929;
	sizes = measure(&s, "library", "kopya");
	CU_ASSERT_EQUAL(sizes->method, SAMPLING_RANDOM);
	sizes_destroy(sizes);
	end(&s);
}

static enum wire_answer answer_twice(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "count"))
		return reply_with(reply, "{'n': 1000000, 'ok': 1.0}");
	if (is_a(command, "aggregate") && has(command, "$sample"))
		return reply_with(reply, "{'cursor': {'id': {'$numberLong': '0'}, 'ns': 'bookstore.books', 'firstBatch': ["
		                         "{'key': 7, 'id': 7, 'bytes': 300}, {'key': 8, 'id': 8, 'bytes': 100}, "
		                         "{'key': 7, 'id': 7, 'bytes': 300}, {'key': 9, 'id': 9, 'bytes': 300}]}, 'ok': 1.0}");
	return served_answer(engine, db, command, reply);
}

static void test_twice(void)
{
	struct server s = begin(answer_twice, source_engine(bookstore), "");
	struct sizes *sizes = measure(&s, "bookstore", "books");

	CU_ASSERT_EQUAL(sizes->p50.n, 3);
	CU_ASSERT_EQUAL(sizes->largest_count, 3);
	CU_ASSERT_EQUAL(sizes->bytes.value, 233333333);
	CU_ASSERT_EQUAL(sizes->count.value, 1000000);
	/* three documents say nothing of a 99th percentile's upper end */
	CU_ASSERT_EQUAL(sizes->intervals.p99.high, INTERVAL_OPEN);
	sizes_destroy(sizes);
	end(&s);
}

static struct interrupt stopping;

static enum wire_answer answer_and_stop(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "getMore")) {
		interrupt_cancel(&stopping);
		return WIRE_SILENCE;
	}
	if (is_a(command, "aggregate") && has(command, "$sample"))
		return reply_with(reply, "{'cursor': {'id': {'$numberLong': '5'}, 'ns': 'bookstore.books', 'firstBatch': ["
		                         "{'key': 7, 'id': 7, 'bytes': 300}, {'key': 8, 'id': 8, 'bytes': 100}]}, 'ok': 1.0}");
	return answer_twice(engine, db, command, reply);
}

static void test_stopped(void)
{
	struct server s = begin(answer_and_stop, source_engine(bookstore), "");
	struct sizes *sizes;

	interrupt_init(&stopping);
	sizes = sizes_measure(s.source, "bookstore", "books", NULL, 16777216, &stopping, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(sizes);
	CU_ASSERT_EQUAL(sizes->p50.n, 2);
	ASSERT_TEXT(sizes->remark, "stopped before its end");
	sizes_destroy(sizes);
	end(&s);
}

/* What takes too long for all is drawn, and what takes too long then is taken from the beginning. */
static enum wire_answer answer_slowly(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "aggregate") && (has(command, "$group") || has(command, "$sample")))
		return served_refuse(reply, 50, "MaxTimeMSExpired", "operation exceeded time limit");
	return served_answer(engine, db, command, reply);
}

static void test_too_slow(void)
{
	struct server s = begin(answer_slowly, source_engine(library), "");
	struct sizes *sizes;
	struct bytes text = BYTES_INIT;

	s.source->sample_documents = 500;
	sizes = measure(&s, "library", "kopya");
	CU_ASSERT_EQUAL(sizes->method, SAMPLING_FIRST);
	CU_ASSERT_EQUAL(sizes->p50.n, 500);
	CU_ASSERT_EQUAL(sizes->p50.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT_EQUAL(sizes->count.value, 58595);
	CU_ASSERT(!figure_known(sizes->bytes));
	CU_ASSERT(interval_is_open(sizes->intervals.p50));
	ASSERT_TEXT(sizes->remark, "reading all was too much for the server: operation exceeded time limit; a random sample "
	                           "was too much for the server: operation exceeded time limit");
	sampling_text(sizes->method, sizes->p50.n, sizes->p50.of, &text);
	ASSERT_TEXT(bytes_text(&text), "500 of 58,595 documents sampled (first documents, not random)");
	bytes_reset(&text);
	sizes_tail_text(sizes, &text);
	ASSERT_TEXT(bytes_text(&text), "");
	bytes_clear(&text);
	sizes_destroy(sizes);
	end(&s);
}

/* Servers without something */

struct lacking {
	struct engine *engine;
	const char *operator_name;
	int code;
	const char *name, *message;
};

static enum wire_answer answer_lacking(void *context, const char *db, struct value command, struct bytes *reply)
{
	const struct lacking *l = context;

	if (has(command, l->operator_name))
		return served_refuse(reply, l->code, l->name, l->message);
	return served_answer(l->engine, db, command, reply);
}

static void test_without_size(void)
{
	struct lacking cases[] = {
		{ .code = 168, .name = "InvalidPipelineOperator", .message = "Unrecognized expression '$bsonSize'" },
		{ .code = 303, .name = "Location303", .message = "Feature not supported: '$bsonSize'" },
		{ .code = 238, .name = "NotImplemented", .message = "aggregation operator $bsonSize is not implemented yet" },
		{ .code = 115, .name = "CommandNotSupported", .message = "not supported" },
		{ .code = 2, .name = "BadValue", .message = "unknown operator: $bsonSize" },
	};
	struct sizes *own = sizes_measure(bookstore, "bookstore", "orders", NULL, 16777216, NULL, NULL), *sizes;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct server s;

		cases[i].engine = source_engine(bookstore);
		cases[i].operator_name = "$bsonSize";
		s = begin(answer_lacking, &cases[i], "");
		sizes = measure(&s, "bookstore", "orders");
		data_same_sizes(sizes, own);
		ASSERT_TEXT(sizes->remark, "fetched to be measured: the server does not tell sizes ($bsonSize)");
		sizes_destroy(sizes);
		/* no $sample without $project either: whole documents are drawn */
		s.source->exact_documents = 10;
		s.source->sample_documents = 18;
		sizes = measure(&s, "bookstore", "orders");
		CU_ASSERT_EQUAL(sizes->method, SAMPLING_RANDOM);
		CU_ASSERT_EQUAL(sizes->p50.n, 18);
		CU_ASSERT(!has(value_get(wire_last(s.wire, "aggregate"), "pipeline"), "$project"));
		sizes_destroy(sizes);
		end(&s);
	}
	sizes_destroy(own);
}

/* Neither $bsonSize nor $sample: the first documents. */
static void test_without_aggregate(void)
{
	struct lacking l = { source_engine(bookstore), "aggregate", 238, "NotImplemented", "not implemented" };
	struct server s = begin(answer_lacking, &l, "");
	struct sizes *sizes;

	s.source->exact_documents = 10;
	s.source->sample_documents = 18;
	sizes = measure(&s, "bookstore", "orders");
	CU_ASSERT_EQUAL(sizes->method, SAMPLING_FIRST);
	CU_ASSERT_EQUAL(sizes->p50.n, 18);
	sizes_destroy(sizes);
	end(&s);
}

static enum wire_answer answer_without_count(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "count"))
		return served_refuse(reply, 13, "Unauthorized", "not authorized");
	return served_answer(engine, db, command, reply);
}

static void test_count_by_statistics(void)
{
	struct server s = begin(answer_without_count, source_engine(library), "");
	struct sizes *sizes;

	s.source->exact_documents = 10;
	s.source->sample_documents = 100;
	sizes = measure(&s, "library", "kopya");
	CU_ASSERT_EQUAL(sizes->count.value, 58595);
	CU_ASSERT_EQUAL(sizes->method, SAMPLING_RANDOM);
	sizes_destroy(sizes);
	end(&s);
}

/* What is no ordinary collection, and what may not be seen */

static enum wire_answer answer_kinds(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "listCollections"))
		return reply_with(reply, "{'cursor': {'id': {'$numberLong': '0'}, 'ns': 'bookstore.$cmd.listCollections', "
		                         "'firstBatch': [{'name': 'seen', 'type': 'view', 'options': {'viewOn': 'books'}}, "
		                         "{'name': 'ticks', 'type': 'timeseries', 'options': {}}, "
		                         "{'name': 'system.buckets.ticks', 'type': 'collection', 'options': {}}, "
		                         "{'name': 'system.views', 'type': 'collection', 'options': {}}, "
		                         "{'name': 'nothing', 'type': 'collection', 'options': {}}]}, 'ok': 1.0}");
	return served_answer(engine, db, command, reply);
}

static void test_kinds(void)
{
	static const char *const names[][2] = {
		{ "seen", "view" }, { "ticks", "timeseries" }, { "system.buckets.ticks", "buckets" },
		{ "system.views", "system" }, { "nothing", "collection" },
	};
	static const char *const asked[] = { "aggregate", "count", "collStats", "find" };
	struct server s = begin(answer_kinds, source_engine(bookstore), "");

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct sizes *sizes = measure(&s, "bookstore", names[i][0]);

		ASSERT_TEXT(sizes->kind, names[i][1]);
		CU_ASSERT_EQUAL(figure_known(sizes->count), i > 1);
		CU_ASSERT(!figure_known(sizes->max) && !figure_known(sizes->headroom) && !figure_known(sizes->p50));
		for (size_t k = 0; i < 2 && k < sizeof asked / sizeof *asked; k++)
			CU_ASSERT_EQUAL(wire_count(s.wire, asked[k]), 0);
		sizes_destroy(sizes);
	}
	end(&s);
}

struct refusal {
	struct engine *engine;
	const char *command, *allowed, *forbidden;
	int code;
};

/* A command is refused unless it has what must be there, and nothing that must not. */
static enum wire_answer answer_refusing(void *context, const char *db, struct value command, struct bytes *reply)
{
	const struct refusal *r = context;

	if (is_a(command, r->command) && ((r->allowed && !has(command, r->allowed)) || (r->forbidden && has(command, r->forbidden))))
		return served_refuse(reply, r->code, r->code == 13 ? "Unauthorized" : "AtlasError", "Unallowed argument");
	return served_answer(r->engine, db, command, reply);
}

static bool count_listed(void *context, struct value listed, bson_error_t *error)
{
	(void)error;
	CU_ASSERT_EQUAL(value_get(listed, "name").type, BSON_TYPE_UTF8);
	++*(int *)context;
	return true;
}

static int listed(const struct refusal *refusal, bool databases, bson_error_t *error)
{
	struct server s = begin(answer_refusing, (void *)refusal, "");
	int count = 0;

	CU_ASSERT_EQUAL(databases ? listing_databases(s.source, count_listed, &count, NULL, error)
	                          : listing_collections(s.source, "bookstore", NULL, count_listed, &count, NULL, error),
	                count > 0);
	end(&s);
	return count;
}

static void test_listing(void)
{
	struct engine *e = source_engine(bookstore);
	bson_error_t error;

	CU_ASSERT_EQUAL(listed(&(struct refusal){ e, "listCollections", "authorizedCollections", NULL, 13 }, false, &error), 6);
	CU_ASSERT_EQUAL(listed(&(struct refusal){ e, "listCollections", NULL, "nameOnly", 8000 }, false, &error), 6);
	CU_ASSERT(listed(&(struct refusal){ e, "listDatabases", NULL, "nameOnly", 8000 }, true, &error) > 0);
	CU_ASSERT_EQUAL(listed(&(struct refusal){ e, "listDatabases", "nothing", NULL, 8000 }, true, &error), 0);
	ASSERT_TEXT(error.message, "Unallowed argument");
}

/* Many collections, some of which may not be read: a line each, and never many commands at once. */

enum { MANY = 75, REFUSED = 3 };

static enum wire_answer answer_many(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (is_a(command, "listDatabases"))
		return served_refuse(reply, 8000, "AtlasError", "Unallowed argument in listDatabases command");
	if (is_a(command, "aggregate") && has(value_get(command, "aggregate"), "refused"))
		return served_refuse(reply, 13, "Unauthorized", "not authorized on many to execute command");
	return served_answer(engine, db, command, reply);
}

static struct source *make_many(void)
{
	struct source *s = source_from_engine("many", engine_new());

	for (int i = 0; i < MANY; i++) {
		char *json = bson_strdup_printf("{'insert': '%s%d', 'documents': [{'_id': %d}]}",
		                                i < REFUSED ? "refused" : "c", i, i);

		data_ask(s, "many", json);
		bson_free(json);
	}
	return s;
}

/* e12: each refused collection is a row with its reason, and one connection asks for all. */
static void test_many(void)
{
	struct source *many = make_many();
	struct server s = begin(answer_many, source_engine(many), "");
	struct lab *lab = lab_new(s.source, bookstore_model);
	struct options o = { .subcommand = SUBCOMMAND_SIZES, .db = "many", .json = true };
	struct bytes out = BYTES_INIT;
	bson_error_t error = { 0 };
	size_t refused = 0;
	bool alarm;

	CU_ASSERT(report_sizes(lab, &o, &out, &alarm, &error));
	ASSERT_TEXT(error.message, "");
	if (out.size) {
		struct value collections = value_get(harness_json(bytes_text(&out)), "collections");
		struct walk w;
		struct field f;

		CU_ASSERT_EQUAL(value_count(collections), MANY);
		walk_begin(&w, collections);
		while (walk_next(&w, &f))
			refused += has(value_get(f.value, "remark"), "not authorized on many") &&
			           value_get(f.value, "count").type == BSON_TYPE_NULL;
	}
	CU_ASSERT_EQUAL(refused, REFUSED);
	CU_ASSERT_EQUAL(wire_connections(s.wire, "aggregate"), 1);
	bytes_clear(&out);
	lab_destroy(lab);
	end(&s);
	source_destroy(many);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "intervals", test_intervals },
		{ "what is sent", test_commands },
		{ "read preferences", test_preferences },
		{ "orphans behind a mongos", test_orphans },
		{ "a secondary", test_secondary },
		{ "a sample and its intervals", test_sample },
		{ "no sample where it would read all", test_no_sample },
		{ "a document that is drawn twice", test_twice },
		{ "stopped", test_stopped },
		{ "too slow for all", test_too_slow },
		{ "no $bsonSize", test_without_size },
		{ "no aggregate", test_without_aggregate },
		{ "no count", test_count_by_statistics },
		{ "views, time series and system collections", test_kinds },
		{ "listings with less", test_listing },
		{ "many collections", test_many },
		{ NULL, NULL },
	};
	bson_error_t error;
	int status;

	bookstore = sample_open("bookstore", &bookstore_model, &error);
	library = sample_open("library", &library_model, &error);
	status = harness_run("sizes over servers", cases);
	source_destroy(bookstore);
	source_destroy(library);
	model_destroy(bookstore_model);
	model_destroy(library_model);
	return status;
}
