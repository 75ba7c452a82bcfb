/*
 * The remote side against recorded replies of real servers: those of the corpus when it is there, and the project's own
 * in any case. What the figures must be is computed here, straight from the replies.
 */
#include "remote/remote.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/read.h"
#include "bson/writer.h"
#include "harness/driver_races.h"
#include "harness/harness.h"
#include "harness/served.h"
#include "model/cursor.h"
#include "model/sizes.h"

/* {name, db, command, reply} each. */
struct recordings {
	struct value list[256];
	size_t count;
};

static struct recordings own, corpus;

/* Own: a database with one of each kind. */
static const char *const own_texts[] = {
	"{'name': 'listCollections', 'db': 'shop', 'command': {'listCollections': 1}, 'reply': {'cursor': {'id': "
	"{'$numberLong': '0'}, "
	"'ns': 'shop.$cmd.listCollections', 'firstBatch': [{'name': 'plain', 'type': 'collection', 'options': {}}, "
	"{'name': 'seen', 'type': 'view', 'options': {'viewOn': 'plain', 'pipeline': []}}, "
	"{'name': 'ticks', 'type': 'timeseries', 'options': {'timeseries': {'timeField': 't'}}}, "
	"{'name': 'ring', 'type': 'collection', 'options': {'capped': true, 'size': 4096}}]}, 'ok': 1.0}}",
	"{'name': 'collStats-plain', 'db': 'shop', 'command': {'collStats': 'plain'}, 'reply': {'ns': 'shop.plain', 'size': "
	"1000, 'count': 10, "
	"'avgObjSize': 100, 'ok': 1.0}}",
	/* a view's plan is that of the collection below it */
	"{'name': 'explain-view', 'db': 'shop', 'command': {'explain': {'find': 'seen', 'filter': {'a': 1}}, 'verbosity': "
	"'executionStats'}, "
	"'reply': {'queryPlanner': {'namespace': 'shop.plain', 'winningPlan': {'stage': 'COLLSCAN', 'direction': 'forward'}, "
	"'rejectedPlans': []}, 'executionStats': {'executionSuccess': true, 'nReturned': 2, 'executionTimeMillis': 3, "
	"'totalKeysExamined': 0, "
	"'totalDocsExamined': 10, 'executionStages': {'stage': 'COLLSCAN', 'nReturned': 2, 'docsExamined': 10, 'direction': "
	"'forward'}}, "
	"'ok': 1.0}}",
	/* one that counted its bytes */
	"{'name': 'explain-metrics', 'db': 'shop', 'command': {'explain': {'find': 'plain', 'filter': {'a': 2}}, 'verbosity': "
	"'executionStats'}, 'reply': {'queryPlanner': {'namespace': 'shop.plain', 'winningPlan': {'stage': 'COLLSCAN', "
	"'direction': "
	"'forward'}, 'rejectedPlans': []}, 'executionStats': {'executionSuccess': true, 'nReturned': 10, "
	"'executionTimeMillis': 0, "
	"'totalKeysExamined': 0, 'totalDocsExamined': 10, 'executionStages': {'stage': 'COLLSCAN', 'nReturned': 10, "
	"'docsExamined': 10, "
	"'direction': 'forward'}, 'operationMetrics': {'docBytesRead': 1017, 'docUnitsRead': 10}}, 'ok': 1.0}}",
	/* a time-series collection unpacks its buckets */
	"{'name': 'explain-ticks', 'db': 'shop', 'command': {'explain': {'find': 'ticks'}, 'verbosity': 'executionStats'}, "
	"'reply': {'stages': "
	"[{'$cursor': {'queryPlanner': {'namespace': 'shop.system.buckets.ticks', 'winningPlan': {'stage': 'COLLSCAN', "
	"'direction': "
	"'forward'}, 'rejectedPlans': []}, 'executionStats': {'executionSuccess': true, 'nReturned': 1, "
	"'executionTimeMillis': 0, "
	"'totalKeysExamined': 0, 'totalDocsExamined': 1, 'executionStages': {'stage': 'COLLSCAN', 'nReturned': 1, "
	"'docsExamined': 1, "
	"'direction': 'forward'}}}, 'nReturned': {'$numberLong': '1'}}, {'$_internalUnpackBucket': {}, 'nReturned': "
	"{'$numberLong': "
	"'7'}}], 'ok': 1.0}}",
};

static void read_own(void)
{
	for (size_t i = 0; i < sizeof own_texts / sizeof *own_texts; i++)
		own.list[own.count++] = harness_json(own_texts[i]);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_recording(const char *path, struct value *v)
{
	struct bytes out = BYTES_INIT;
	size_t size = 0;
	char *text = harness_read_file(path, &size);
	bool good = text && read_document(path, text, size, &out, NULL);

	free(text);
	if (good)
		value_document(v, harness_keep(out.data), out.size);
	return good && !value_is_missing(value_get(*v, "reply"));
}

static void read_corpus(const char *folder)
{
	char directory[1024], path[2048];
	struct dirent **files;
	int count;

	snprintf(directory, sizeof directory, "%s/recorded", folder);
	count = scandir(directory, &files, NULL, by_name);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, files[i]->d_name);
		if (strstr(files[i]->d_name, ".json") && corpus.count < 256 &&
		    read_recording(path, &corpus.list[corpus.count]))
			corpus.count++;
		free(files[i]);
	}
	if (count >= 0)
		free(files);
}

static const char *text_of(struct value document, const char *name)
{
	struct value v = value_get(document, name);

	return v.type == BSON_TYPE_UTF8 ? value_text(v).bytes : "";
}

static struct value find(const struct recordings *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(text_of(all->list[i], "name"), name))
			return all->list[i];
	return value_missing();
}

/* Replays */

struct replay {
	const struct recordings *all;
	struct value explain;     /* what is answered to the next explain */
	bool explain_as_recorded; /* and was asked so */
	bool asked_a_view;        /* statistics of one */
};

static enum wire_answer give(struct bytes *reply, struct value v)
{
	bytes_append(reply, v.bytes, v.size_bytes);
	return WIRE_REPLY;
}

/* The recorded list, as far as the filter goes. */
static enum wire_answer list_collections(const struct replay *r, struct value command, struct bytes *reply)
{
	struct value batch = value_get(value_get(value_get(find(r->all, "listCollections"), "reply"), "cursor"),
	                               "firstBatch");
	const char *wanted = value_is_document(value_get(command, "filter"))
	                             ? text_of(value_get(command, "filter"), "name")
	                             : NULL;
	struct writer out;
	struct walk w;
	struct field f;

	writer_begin(&out, reply);
	writer_begin_document(&out, key_of("cursor"));
	writer_int64(&out, "id", 0);
	writer_text(&out, "ns", "db.$cmd.listCollections");
	writer_begin_array(&out, key_of("firstBatch"));
	walk_begin(&w, batch);
	while (walk_next(&w, &f))
		if (!wanted || !strcmp(wanted, text_of(f.value, "name")))
			writer_value(&out, key_of(""), f.value);
	writer_end(&out);
	writer_end(&out);
	writer_double(&out, "ok", 1);
	writer_finish(&out);
	return WIRE_REPLY;
}

static enum wire_answer collection_stats(struct replay *r, struct value command, struct bytes *reply)
{
	const char *collection = text_of(command, "collStats");
	char name[128];
	struct value found;

	r->asked_a_view = r->asked_a_view || !strcmp(collection, "seen") || !strcmp(collection, "v_reviews");
	snprintf(name, sizeof name, "collStats-%s", collection);
	found = find(r->all, name);
	if (value_is_missing(found))
		return served_refuse(reply, 26, "NamespaceNotFound", "Collection not found");
	return give(reply, value_get(found, "reply"));
}

static enum wire_answer answer(void *context, const char *db, struct value command, struct bytes *reply)
{
	struct replay *r = context;
	struct key name = served_name(command);

	(void)db;
	if (key_is(name, "listCollections"))
		return list_collections(r, command, reply);
	if (key_is(name, "collStats"))
		return collection_stats(r, command, reply);
	if (!key_is(name, "explain"))
		return WIRE_UNKNOWN;
	r->explain_as_recorded = !strcmp(harness_text(value_get(command, "explain")),
	                                 harness_text(value_get(value_get(r->explain, "command"), "explain"))) &&
	                         !strcmp(text_of(command, "verbosity"),
	                                 text_of(value_get(r->explain, "command"), "verbosity"));
	return give(reply, value_get(r->explain, "reply"));
}

struct replayed {
	struct replay replay;
	struct wire *wire;
	struct source *source;
};

static void begin(struct replayed *p, const struct recordings *all)
{
	bson_error_t error;

	p->replay = (struct replay){ .all = all };
	p->wire = wire_start(answer, &p->replay, &(struct wire_options){ .sessions = true, .max_wire_version = 13 });
	if (!remote_open(wire_uri(p->wire), NULL, &p->source, &error)) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
}

static void end(struct replayed *p)
{
	CU_ASSERT(!p->replay.asked_a_view);
	source_destroy(p->source);
	wire_stop(p->wire);
}

static bool measure(struct replayed *p, struct value recording, struct cost *cost, bson_error_t *error)
{
	bson_t command;
	bool good;

	p->replay.explain = recording;
	value_to_bson(&command, value_get(value_get(recording, "command"), "explain"));
	good = source_measure(p->source, text_of(recording, "db"), &command, cost, NULL, error);
	return good;
}

static int64_t number(struct value document, const char *name)
{
	int64_t n = -1;

	value_as_int64(value_get(document, name), &n);
	return n;
}

static void test_own(void)
{
	struct replayed p;
	struct cost cost;
	bson_error_t error = { 0 };

	begin(&p, &own);
	CU_ASSERT(measure(&p, find(&own, "explain-view"), &cost, &error));
	CU_ASSERT(p.replay.explain_as_recorded);
	CU_ASSERT_EQUAL(cost.docs_examined.value, 10);
	CU_ASSERT_EQUAL(cost.docs_returned.value, 2);
	CU_ASSERT_EQUAL(cost.bytes_read.value, 1000);
	CU_ASSERT_EQUAL(cost.bytes_read.provenance, PROVENANCE_ESTIMATED);
	CU_ASSERT_EQUAL(cost.micros.value, 3000);
	CU_ASSERT(measure(&p, find(&own, "explain-metrics"), &cost, &error));
	CU_ASSERT_EQUAL(cost.bytes_read.value, 1017);
	CU_ASSERT_EQUAL(cost.bytes_read.provenance, PROVENANCE_MEASURED);
	CU_ASSERT_EQUAL(cost.bytes_returned.value, 1000);
	CU_ASSERT_EQUAL(cost.get_mores.value, 0);
	CU_ASSERT(measure(&p, find(&own, "explain-ticks"), &cost, &error));
	CU_ASSERT_EQUAL(cost.docs_examined.value, 1);
	CU_ASSERT_EQUAL(cost.docs_returned.value, 7);
	CU_ASSERT(!figure_known(cost.bytes_read));
	ASSERT_TEXT(error.message, "");
	/* asked once a collection */
	CU_ASSERT_EQUAL(wire_count(p.wire, "collStats"), 1);
	end(&p);
}

static bool take_kind(void *context, struct value document, bson_error_t *error)
{
	(void)error;
	bytes_format(context, "%s:%s%s ", text_of(document, "name"), text_of(document, "type"),
	             value_is_document(value_get(document, "options")) &&
	                             value_is_true(value_get(value_get(document, "options"), "capped"))
	                     ? " capped"
	                     : "");
	return true;
}

static void test_kinds(void)
{
	static const char refused[] = "no such command: 'aggregate'";
	static const char *const names[] = {
		"plain", "collection", refused, "seen", "view", "a view: it holds no documents of its own",
		"ticks", "timeseries", "a time series: its documents are in the buckets of \"system.buckets.ticks\"",
		"ring", "capped", refused,
	};
	struct bytes kinds = BYTES_INIT;
	struct replayed p;
	bson_t command;

	begin(&p, &own);
	value_to_bson(&command, harness_json("{'listCollections': 1}"));
	CU_ASSERT(cursor_run(p.source, "shop", &command, take_kind, &kinds, NULL, NULL));
	ASSERT_TEXT(bytes_text(&kinds), "plain:collection seen:view ticks:timeseries ring:collection capped ");
	/* nothing there can be aggregated: each is listed with its kind and the reason all the same */
	for (size_t i = 0; i < sizeof names / sizeof *names; i += 3) {
		struct sizes *s = sizes_measure(p.source, "shop", names[i], NULL, 16777216, NULL, NULL);

		CU_ASSERT_PTR_NOT_NULL(s);
		if (s) {
			ASSERT_TEXT(s->kind, names[i + 1]);
			ASSERT_TEXT(s->remark, names[i + 2]);
		}
		sizes_destroy(s);
	}
	bytes_clear(&kinds);
	end(&p);
}

/* Every recorded explain of a read: the sums of a find's reply, and in any case figures that are no less than its parts
 * say. */
static void check_recording(struct replayed *p, struct value recording)
{
	struct value stats = value_get(value_get(recording, "reply"), "executionStats");
	struct value inner = value_get(value_get(recording, "command"), "explain");
	const char *name = text_of(recording, "name");
	bool returns = key_is(served_name(inner), "find") || key_is(served_name(inner), "aggregate");
	struct cost cost;
	bson_error_t error = { 0 };

	if (!measure(p, recording, &cost, &error)) {
		if (number(value_get(recording, "reply"), "ok") == 0)
			return;
		fprintf(stderr, "%s: %s\n", name, error.message);
		CU_FAIL("not measured");
		return;
	}
	CU_ASSERT(p->replay.explain_as_recorded);
	CU_ASSERT_EQUAL(cost.round_trips.value, 1);
	CU_ASSERT(figure_known(cost.docs_examined) && figure_known(cost.keys_examined));
	CU_ASSERT(!returns || figure_known(cost.docs_returned));
	if (!value_is_document(stats))
		return;
	if (cost.docs_examined.value != number(stats, "totalDocsExamined"))
		fprintf(stderr, "%s: docs %lld\n", name, (long long)cost.docs_examined.value);
	CU_ASSERT_EQUAL(cost.docs_examined.value, number(stats, "totalDocsExamined"));
	CU_ASSERT_EQUAL(cost.keys_examined.value, number(stats, "totalKeysExamined"));
	if (returns)
		CU_ASSERT_EQUAL(cost.docs_returned.value, number(stats, "nReturned"));
}

static bool is_explain_of_a_read(struct value recording)
{
	struct value command = value_get(recording, "command"), inner = value_get(command, "explain");
	const char *name = text_of(recording, "name");
	static const char *const reads[] = { "find", "aggregate", "count", "distinct" };

	if (!value_is_document(inner) || strcmp(text_of(command, "verbosity"), "executionStats") ||
	    strstr(name, "-out") || strstr(name, "-merge"))
		return false;
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
		if (key_is(served_name(inner), reads[i]))
			return true;
	return false;
}

static void test_corpus(void)
{
	struct replayed p;
	struct cost cost;
	bson_error_t error = { 0 };
	int checked = 0;

	if (!corpus.count) {
		printf("skipped: the corpus (BSONSCOPE_CORPUS is not set) ");
		return;
	}
	begin(&p, &corpus);
	for (size_t i = 0; i < corpus.count; i++) {
		if (!is_explain_of_a_read(corpus.list[i]))
			continue;
		check_recording(&p, corpus.list[i]);
		checked++;
	}
	CU_ASSERT(checked >= 40);
	/* the library's first job with $lookup: a book, and its copies in the other collection */
	CU_ASSERT(measure(&p, find(&corpus, "explain-library-job1-reference-lookup"), &cost, &error));
	CU_ASSERT_EQUAL(cost.docs_examined.value, 6);
	/* by the average that collStats gives */
	CU_ASSERT(measure(&p, find(&corpus, "explain-collscan-all"), &cost, &error));
	CU_ASSERT_EQUAL(cost.bytes_read.value,
	                181 * number(value_get(find(&corpus, "collStats-reviews"), "reply"), "avgObjSize"));
	CU_ASSERT_EQUAL(cost.bytes_read.provenance, PROVENANCE_ESTIMATED);
	CU_ASSERT(!figure_known(cost.get_mores) || cost.get_mores.value == 1);
	/* a view's documents are its collection's */
	CU_ASSERT(measure(&p, find(&corpus, "explain-view-find"), &cost, &error));
	CU_ASSERT_EQUAL(cost.bytes_read.value,
	                cost.docs_examined.value *
	                        number(value_get(find(&corpus, "collStats-reviews"), "reply"), "avgObjSize"));
	ASSERT_TEXT(error.message, "");
	end(&p);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "a view, a time-series collection, counted bytes", test_own },
		{ "kinds by name", test_kinds },
		{ "recorded explains", test_corpus },
		{ NULL, NULL },
	};

	read_own();
	if (harness_corpus())
		read_corpus(harness_corpus());
	return harness_run("remote recorded", cases);
}
