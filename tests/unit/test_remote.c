/*
 * The remote side: against a scripted server whose data are the embedded engine's, so that both sides of the seam can
 * be compared, and against its faults.
 */
#include "remote/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bson/writer.h"
#include "engine/engine.h"
#include "harness/data.h"
#include "harness/driver_races.h"
#include "harness/harness.h"
#include "harness/served.h"
#include "harness/wire.h"
#include "model/cursor.h"
#include "remote/permit.h"
#include "samples/samples.h"

enum { SECOND_US = 1000000 };

static struct engine *engine;
static struct source *sample;
static struct model *sample_model;

static struct source *open_remote(const char *uri)
{
	struct source *s = NULL;
	bson_error_t error;

	if (!remote_open(uri, NULL, &s, &error)) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	return s;
}

static bool run(struct source *s, const char *db, const char *json, const struct interrupt *i, bson_error_t *error)
{
	bson_t command, reply;
	bool good;

	value_to_bson(&command, harness_json(json));
	good = source_command(s, db, &command, &reply, i, error);
	bson_destroy(&reply);
	return good;
}

static struct cost measure(struct source *s, const char *db, const char *json, bson_error_t *error)
{
	struct cost cost;
	bson_t command;

	value_to_bson(&command, harness_json(json));
	error->code = 0;
	error->message[0] = 0;
	if (!source_measure(s, db, &command, &cost, NULL, error))
		cost = cost_unknown();
	return cost;
}

/* The table of what may be sent. c10: a tool that explained what it found ended a server with $mergeCursors. */

static const char *const refused[] = {
	"{'insert': 'c', 'documents': []}",
	"{'update': 'c', 'updates': []}",
	"{'delete': 'c', 'deletes': []}",
	"{'findAndModify': 'c', 'update': {'$set': {'a': 1}}}",
	"{'drop': 'c'}",
	"{'dropDatabase': 1}",
	"{'create': 'c'}",
	"{'createIndexes': 'c', 'indexes': []}",
	"{'renameCollection': 'a.b', 'to': 'a.c'}",
	"{'mapReduce': 'c', 'out': 'd'}",
	"{'bulkWrite': 1}",
	"{'collMod': 'c'}",
	"{'eval': 'x'}",
	"{'shutdown': 1}",
	"{'killOp': 1, 'op': 5}",
	"{'killSessions': []}",
	"{'saslStart': 1}",
	"{'aggregate': 'c', 'pipeline': [{'$out': 'd'}], 'cursor': {}}",
	"{'aggregate': 'c', 'pipeline': [{'$merge': {'into': 'd'}}], 'cursor': {}}",
	"{'aggregate': 'c', 'pipeline': [{'$lookup': {'from': 'x', 'as': 'y', 'pipeline': [{'$out': 'd'}]}}], 'cursor': {}}",
	"{'aggregate': 'c', 'pipeline': [{'$facet': {'a': [{'$unionWith': {'coll': 'x', 'pipeline': [{'$merge': 'd'}]}}]}}]}",
	"{'aggregate': 'c', 'pipeline': [{'$out': 'd'}], 'explain': true, 'cursor': {}}",
	"{'explain': {'insert': 'c', 'documents': []}, 'verbosity': 'queryPlanner'}",
	"{'explain': {'update': 'c', 'updates': []}, 'verbosity': 'executionStats'}",
	"{'explain': {'update': 'c', 'updates': []}}",
	"{'explain': {'delete': 'c', 'deletes': []}, 'verbosity': 'allPlansExecution'}",
	"{'explain': {'findAndModify': 'c'}, 'verbosity': 'executionStats'}",
	"{'explain': {'aggregate': 'c', 'pipeline': [{'$out': 'd'}]}, 'verbosity': 'executionStats'}",
	"{'explain': {'aggregate': 'c', 'pipeline': [{'$merge': 'd'}]}}",
	"{'explain': {'aggregate': 'c', 'pipeline': [{'$mergeCursors': {}}]}, 'verbosity': 'executionStats'}",
	"{'explain': {'mapReduce': 'c'}, 'verbosity': 'queryPlanner'}",
	"{'explain': {'explain': {'find': 'c'}}}",
	"{'explain': 1}",
	"{'explain': {'update': 'c', 'updates': []}, 'verbosity': 'queryPlanner', 'verbosity': 'executionStats'}",
	"{'find': 'c', 'lsid': {'id': 1}}",
	"{'find': 'c', '$db': 'other'}",
	"{'find': 'c', 'find': 'd'}",
	"{}",
};

static const char *const permitted[] = {
	"{'hello': 1}",
	"{'ping': 1}",
	"{'buildInfo': 1}",
	"{'listDatabases': 1}",
	"{'listCollections': 1}",
	"{'listIndexes': 'c'}",
	"{'collStats': 'c'}",
	"{'dbStats': 1}",
	"{'count': 'c'}",
	"{'distinct': 'c', 'key': 'a'}",
	"{'find': 'c'}",
	"{'aggregate': 'c', 'pipeline': [{'$match': {'out': '$out'}}], 'cursor': {}}",
	"{'getMore': {'$numberLong': '5'}, 'collection': 'c'}",
	"{'killCursors': 'c', 'cursors': []}",
	"{'explain': {'find': 'c'}, 'verbosity': 'executionStats'}",
	"{'explain': {'aggregate': 'c', 'pipeline': [{'$out': 'd'}]}, 'verbosity': 'queryPlanner'}",
	"{'explain': {'update': 'c', 'updates': []}, 'verbosity': 'queryPlanner'}",
};

static void test_only_reading(void)
{
	struct wire *w = wire_start(NULL, NULL, NULL);
	struct source *s = open_remote(wire_uri(w));
	bson_error_t error;
	bson_t command;
	int before;

	before = wire_count(w, "ping");
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct cost cost;
		bson_t reply;

		value_to_bson(&command, harness_json(refused[i]));
		if (permit_check(&command, PERMIT_CALLER, &error))
			fprintf(stderr, "permitted: %s\n", refused[i]);
		CU_ASSERT(!source_command(s, "db", &command, &reply, NULL, &error));
		CU_ASSERT_EQUAL(error.code, CODE_IllegalOperation);
		bson_destroy(&reply);
		source_measure(s, "db", &command, &cost, NULL, NULL);
	}
	for (size_t i = 0; i < sizeof permitted / sizeof *permitted; i++) {
		value_to_bson(&command, harness_json(permitted[i]));
		CU_ASSERT_PTR_NOT_NULL(permit_check(&command, PERMIT_CALLER, &error));
	}
	CU_ASSERT_EQUAL(wire_count(w, "ping"), before);
	CU_ASSERT_EQUAL(wire_count(w, "insert") + wire_count(w, "update") + wire_count(w, "aggregate") +
	                        wire_count(w, "drop"),
	                0);
	source_destroy(s);
	wire_stop(w);
}

/* Nested as deeply as it goes: what cannot be looked at is not sent. */
static void test_hidden_deeply(void)
{
	struct bytes text = BYTES_INIT;
	bson_error_t error;
	bson_t *inner = BCON_NEW("$out", BCON_UTF8("d")), *outer;
	bson_t command;

	for (int level = 0; level < 300; level++) {
		outer = BCON_NEW("a", BCON_DOCUMENT(inner));
		bson_destroy(inner);
		inner = outer;
	}
	outer = BCON_NEW("find", BCON_UTF8("c"), "filter", BCON_DOCUMENT(inner));
	bson_init_static(&command, bson_get_data(outer), outer->len);
	CU_ASSERT_PTR_NULL(permit_check(&command, PERMIT_CALLER, &error));
	bson_destroy(inner);
	bson_destroy(outer);
	bytes_clear(&text);
}

static void check_sent(struct wire *w)
{
	const char **names;
	size_t count = wire_names(w, &names);

	for (size_t i = 0; i < count; i++) {
		bool known = false;

		for (size_t k = 0; permit_at(k); k++)
			known = known || !strcmp(permit_at(k)->name, names[i]);
		if (!known)
			fprintf(stderr, "sent and not in the table: %s\n", names[i]);
		CU_ASSERT(known);
	}
}

/* Both sides of the seam */

static const char *const reads[] = {
	"{'find': 'books', 'filter': {'_id': 1}}",
	"{'find': 'reviews'}",
	"{'find': 'reviews', 'limit': 101}",
	"{'find': 'orders', 'filter': {'customerId': 1}, 'sort': {'_id': 1}, 'limit': 5}",
	"{'find': 'books', 'filter': {'nothing': 1}}",
	"{'aggregate': 'orders', 'pipeline': [{'$match': {'status': 'shipped'}}, {'$group': {'_id': '$customerId', 'n': "
	"{'$sum': 1}}}], "
	"'cursor': {}}",
	"{'aggregate': 'books', 'pipeline': [{'$lookup': {'from': 'reviews', 'localField': '_id', 'foreignField': 'bookId', "
	"'as': 'r'}}], "
	"'cursor': {}}",
};

static void same_or_less(const char *command, const char *what, struct figure remote, struct figure local)
{
	if (!figure_known(remote) || remote.at_least)
		return;
	if (remote.value != local.value)
		fprintf(stderr, "%s: %s %lld, the engine %lld\n", command, what, (long long)remote.value,
		        (long long)local.value);
	CU_ASSERT_EQUAL(remote.value, local.value);
}

static void test_costs(void)
{
	struct wire *w = wire_start(served_answer, engine, &(struct wire_options){ .sessions = true });
	struct source *s = open_remote(wire_uri(w));
	bson_error_t error;

	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		struct cost remote = measure(s, "bookstore", reads[i], &error),
		            local = measure(sample, "bookstore", reads[i], &error);

		CU_ASSERT_EQUAL(remote.round_trips.value, 1);
		CU_ASSERT(figure_known(remote.docs_examined));
		CU_ASSERT(figure_known(remote.keys_examined));
		CU_ASSERT(figure_known(remote.docs_returned));
		CU_ASSERT(figure_known(remote.bytes_read));
		same_or_less(reads[i], "docs", remote.docs_examined, local.docs_examined);
		same_or_less(reads[i], "keys", remote.keys_examined, local.keys_examined);
		same_or_less(reads[i], "returned", remote.docs_returned, local.docs_returned);
		same_or_less(reads[i], "getMores", remote.get_mores, local.get_mores);
		if (remote.bytes_read.value && remote.bytes_read.provenance != PROVENANCE_ESTIMATED)
			same_or_less(reads[i], "bytes", remote.bytes_read, local.bytes_read);
	}
	check_sent(w);
	source_destroy(s);
	CU_ASSERT_EQUAL(wire_count(w, "endSessions"), 1);
	wire_stop(w);
}

static void test_writes_are_planned(void)
{
	struct wire *w = wire_start(served_answer, engine, NULL);
	struct source *s = open_remote(wire_uri(w));
	bson_error_t error;
	struct cost cost;

	cost = measure(s, "bookstore", "{'update': 'books', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'a': 1}}}]}",
	               &error);
	ASSERT_TEXT(error.message, "");
	CU_ASSERT_EQUAL(cost.round_trips.value, 1);
	CU_ASSERT(!figure_known(cost.docs_written));
	CU_ASSERT(!figure_known(cost.bytes_written));
	ASSERT_TEXT(harness_text(value_get(wire_last(w, "explain"), "verbosity")), "\"queryPlanner\"");
	cost = measure(s, "bookstore", "{'insert': 'books', 'documents': [{'_id': 1}, {'_id': 2}]}", &error);
	CU_ASSERT_EQUAL(cost.docs_written.value, 2);
	CU_ASSERT_EQUAL(cost.docs_written.provenance, PROVENANCE_PREDICTED);
	CU_ASSERT_EQUAL(cost.bytes_written.value, 28);
	CU_ASSERT_EQUAL(wire_count(w, "insert"), 0);
	CU_ASSERT(!figure_known(source_write_counter(s, "bookstore", "books")));
	check_sent(w);
	source_destroy(s);
	wire_stop(w);
}

static bool count_document(void *context, struct value document, bson_error_t *error)
{
	(void)document, (void)error;
	++*(int *)context;
	return true;
}

/* Every getMore goes on in the session that its cursor was made in, and has no time limit of its own. */
static void test_cursors(void)
{
	struct wire *w = wire_start(served_answer, engine, &(struct wire_options){ .sessions = true });
	struct source *s = open_remote(wire_uri(w));
	bson_error_t error = { 0 };
	bson_t command;
	int count = 0;

	value_to_bson(&command, harness_json("{'find': 'orders', 'batchSize': 50}"));
	CU_ASSERT(cursor_run(s, "bookstore", &command, count_document, &count, NULL, &error));
	ASSERT_TEXT(error.message, "");
	CU_ASSERT_EQUAL(count, 379);
	CU_ASSERT(wire_count(w, "getMore") >= 1);
	ASSERT_TEXT(harness_text(value_get(wire_last(w, "getMore"), "lsid")),
	            harness_text(value_get(wire_last(w, "find"), "lsid")));
	CU_ASSERT(value_is_missing(value_get(wire_last(w, "getMore"), "maxTimeMS")));
	ASSERT_TEXT(harness_text(value_get(wire_last(w, "find"), "maxTimeMS")), "10000");
	CU_ASSERT(value_is_missing(value_get(wire_last(w, "find"), "comment")));
	/* left open */
	CU_ASSERT(run(s, "bookstore", "{'find': 'orders', 'batchSize': 2}", NULL, &error));
	source_destroy(s);
	wire_stop(w);
}

static void test_time_limits(void)
{
	struct wire *w = wire_start(served_answer, engine, NULL);
	struct source *s = open_remote(wire_uri(w));
	struct interrupt i;
	bson_error_t error;
	int64_t given = 0;

	interrupt_init(&i);
	atomic_store(&i.deadline_us, interrupt_now_us() + 2 * SECOND_US);
	CU_ASSERT(run(s, "bookstore", "{'find': 'books', 'limit': 1}", &i, &error));
	value_as_int64(value_get(wire_last(w, "find"), "maxTimeMS"), &given);
	CU_ASSERT(given > 1000 && given <= 2000);
	CU_ASSERT(run(s, "bookstore", "{'find': 'books', 'limit': 1, 'maxTimeMS': 77}", &i, &error));
	ASSERT_TEXT(harness_text(value_get(wire_last(w, "find"), "maxTimeMS")), "77");
	atomic_store(&i.deadline_us, interrupt_now_us() - 1);
	CU_ASSERT(!run(s, "bookstore", "{'find': 'books', 'limit': 1}", &i, &error));
	CU_ASSERT_EQUAL(error.code, CODE_MaxTimeMSExpired);
	source_destroy(s);
	wire_stop(w);
}

/* Faults: one line, in time */

static void check_line(const char *message)
{
	CU_ASSERT(*message && !strpbrk(message, "\n\r\t"));
}

static void check_fails_to_open(const char *uri, int64_t most_us)
{
	int64_t start_us = interrupt_now_us();
	struct source *s = NULL;
	bson_error_t error;

	CU_ASSERT(!remote_open(uri, NULL, &s, &error));
	CU_ASSERT_PTR_NULL(s);
	check_line(error.message);
	CU_ASSERT(interrupt_now_us() - start_us < most_us);
}

static void test_refused(void)
{
	struct wire *w = wire_start(NULL, NULL, NULL);
	char uri[64];

	snprintf(uri, sizeof uri, "127.0.0.1:%d", wire_port(w));
	wire_stop(w);
	check_fails_to_open(uri, 5 * SECOND_US);
}

static void test_silent(void)
{
	struct wire *w = wire_start(NULL, NULL, &(struct wire_options){ .mute = true });

	check_fails_to_open(wire_uri(w), 6 * SECOND_US);
	wire_stop(w);
}

static enum wire_answer answer_badly(void *context, const char *db, struct value command, struct bytes *reply)
{
	struct walk w;
	struct field first;
	struct value answer;

	(void)context, (void)db;
	walk_begin(&w, command);
	walk_next(&w, &first);
	if (key_is(first.key, "find"))
		return WIRE_SILENCE;
	if (key_is(first.key, "count")) {
		answer = harness_json("{'n': 5, 'ok': 1, 'more': 'text that is not sent whole'}");
		bytes_append(reply, answer.bytes, answer.size_bytes);
		return WIRE_CUT;
	}
	if (key_is(first.key, "distinct"))
		answer = harness_json("{'ok': 0, 'errmsg': 'no\\nluck', 'code': 8000, 'codeName': 'AtlasError'}");
	else if (key_is(first.key, "aggregate"))
		answer = harness_json("{'ok': 0, 'errmsg': 'not authorized on db to execute command', 'code': 13, "
		                      "'codeName': 'Unauthorized'}");
	else
		return WIRE_UNKNOWN;
	bytes_append(reply, answer.bytes, answer.size_bytes);
	return WIRE_REPLY;
}

static void test_bad_replies(void)
{
	struct wire *w = wire_start(answer_badly, NULL, NULL);
	struct source *s = open_remote(wire_uri(w));
	bson_error_t error;

	CU_ASSERT(!run(s, "db", "{'count': 'c'}", NULL, &error));
	CU_ASSERT_EQUAL(error.domain, ERROR_SYSTEM);
	check_line(error.message);
	CU_ASSERT(!run(s, "db", "{'distinct': 'c', 'key': 'a'}", NULL, &error));
	CU_ASSERT_EQUAL(error.domain, ERROR_SERVER);
	CU_ASSERT_EQUAL(error.code, 8000);
	ASSERT_TEXT(error.message, "no luck");
	CU_ASSERT(!run(s, "db", "{'aggregate': 'c', 'pipeline': [], 'cursor': {}}", NULL, &error));
	CU_ASSERT_EQUAL(error.code, CODE_Unauthorized);
	/* and it goes on */
	CU_ASSERT(run(s, "db", "{'ping': 1}", NULL, &error));
	source_destroy(s);
	wire_stop(w);
}

static enum wire_answer answer_with_wrong_length(void *context, const char *db, struct value command, struct bytes *reply)
{
	struct value answer = harness_json("{'n': 5, 'ok': 1}");
	struct key name = served_name(command);

	(void)context, (void)db;
	if (!key_is(name, "count") && !key_is(name, "distinct"))
		return WIRE_UNKNOWN;
	bytes_append(reply, answer.bytes, answer.size_bytes);
	return key_is(name, "count") ? WIRE_SHORT : WIRE_LONG;
}

static void test_wrong_length(void)
{
	struct wire *w = wire_start(answer_with_wrong_length, NULL, NULL);
	struct source *s = open_remote(wire_uri(w));
	int64_t start_us = interrupt_now_us();
	bson_error_t error;

	CU_ASSERT(!run(s, "db", "{'count': 'c'}", NULL, &error));
	check_line(error.message);
	CU_ASSERT(!run(s, "db", "{'distinct': 'c', 'key': 'a'}", NULL, &error));
	check_line(error.message);
	CU_ASSERT(run(s, "db", "{'ping': 1}", NULL, &error));
	CU_ASSERT(interrupt_now_us() - start_us < 8 * SECOND_US);
	source_destroy(s);
	wire_stop(w);
}

/* Documents of 40 MB together, in one reply. */
static enum wire_answer answer_hugely(void *context, const char *db, struct value command, struct bytes *reply)
{
	enum { DOCUMENTS = 40, TEXT_BYTES = 1000000 };
	struct bytes text = BYTES_INIT;
	struct writer w;

	(void)context, (void)db;
	if (!key_is(served_name(command), "find"))
		return WIRE_UNKNOWN;
	for (int i = 0; i < TEXT_BYTES; i++)
		bytes_append_byte(&text, 'x');
	writer_begin(&w, reply);
	writer_begin_document(&w, key_of("cursor"));
	writer_int64(&w, "id", 0);
	writer_text(&w, "ns", "db.c");
	writer_begin_array(&w, key_of("firstBatch"));
	for (int i = 0; i < DOCUMENTS; i++) {
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "_id", i);
		writer_text(&w, "text", bytes_text(&text));
		writer_end(&w);
	}
	writer_end(&w);
	writer_end(&w);
	writer_double(&w, "ok", 1);
	writer_finish(&w);
	bytes_clear(&text);
	return WIRE_REPLY;
}

static void test_huge_reply(void)
{
	struct wire *w = wire_start(answer_hugely, NULL, NULL);
	struct source *s = open_remote(wire_uri(w));
	bson_t command;
	bson_error_t error = { 0 };
	int count = 0;

	value_to_bson(&command, harness_json("{'find': 'c'}"));
	CU_ASSERT(cursor_run(s, "db", &command, count_document, &count, NULL, &error));
	ASSERT_TEXT(error.message, "");
	CU_ASSERT_EQUAL(count, 40);
	source_destroy(s);
	wire_stop(w);
}

/* A server that goes away is missed in time, and found again when it is back. */
static void test_comes_back(void)
{
	struct wire *w = wire_start(served_answer, engine, &(struct wire_options){ .sessions = true });
	struct source *s = open_remote(wire_uri(w));
	struct wire_options same_place = { .sessions = true, .port = wire_port(w) };
	int64_t start_us;
	bson_error_t error;
	bool back = false;

	CU_ASSERT(run(s, "bookstore", "{'count': 'books'}", NULL, &error));
	wire_stop(w);
	start_us = interrupt_now_us();
	CU_ASSERT(!run(s, "bookstore", "{'count': 'books'}", NULL, &error));
	CU_ASSERT_EQUAL(error.domain, ERROR_SYSTEM);
	check_line(error.message);
	CU_ASSERT(interrupt_now_us() - start_us < 6 * SECOND_US);
	w = wire_start(served_answer, engine, &same_place);
	for (int i = 0; i < 3 && !back; i++)
		back = run(s, "bookstore", "{'count': 'books'}", NULL, &error);
	CU_ASSERT(back);
	source_destroy(s);
	wire_stop(w);
}

/* Waits up to two seconds. */
static bool comes(struct wire *w, const char *name)
{
	for (int i = 0; i < 200 && !wire_count(w, name); i++)
		usleep(10000);
	return wire_count(w, name) > 0;
}

static void check_deadline(bool sessions)
{
	struct wire *w = wire_start(answer_badly, NULL, &(struct wire_options){ .sessions = sessions });
	struct source *s = open_remote(wire_uri(w));
	int64_t start_us = interrupt_now_us();
	struct interrupt i;
	bson_error_t error;

	interrupt_init(&i);
	atomic_store(&i.deadline_us, start_us + SECOND_US / 5);
	CU_ASSERT(!run(s, "db", "{'find': 'c'}", &i, &error));
	CU_ASSERT_EQUAL(error.code, CODE_MaxTimeMSExpired);
	CU_ASSERT(interrupt_now_us() - start_us < SECOND_US);
	if (sessions) {
		CU_ASSERT(comes(w, "killSessions"));
		ASSERT_TEXT(harness_text(value_get(value_get(wire_last(w, "killSessions"), "killSessions"), "0")),
		            harness_text(value_get(wire_last(w, "find"), "lsid")));
	} else {
		CU_ASSERT(!value_is_missing(value_get(wire_last(w, "find"), "comment")));
		CU_ASSERT(comes(w, "aggregate"));
	}
	start_us = interrupt_now_us();
	source_destroy(s);
	CU_ASSERT(interrupt_now_us() - start_us < 2 * SECOND_US);
	check_sent(w);
	wire_stop(w);
}

static void test_abandoned(void)
{
	check_deadline(true);
	check_deadline(false);
}

/* The operation is found by its comment and killed. */
static enum wire_answer answer_current_op(void *context, const char *db, struct value command, struct bytes *reply)
{
	struct walk w;
	struct field first;
	struct value answer;

	(void)context, (void)db;
	walk_begin(&w, command);
	walk_next(&w, &first);
	if (key_is(first.key, "find"))
		return WIRE_SILENCE;
	if (key_is(first.key, "aggregate"))
		answer = harness_json(
		        "{'cursor': {'id': {'$numberLong': '0'}, 'ns': 'admin.$cmd.aggregate', 'firstBatch': [{'opid': "
		        "4711}]}, 'ok': 1}");
	else if (key_is(first.key, "killOp"))
		answer = harness_json("{'info': 'attempting to kill op', 'ok': 1}");
	else
		return WIRE_UNKNOWN;
	bytes_append(reply, answer.bytes, answer.size_bytes);
	return WIRE_REPLY;
}

static void test_kill_by_comment(void)
{
	struct wire *w = wire_start(answer_current_op, NULL, NULL);
	struct source *s = open_remote(wire_uri(w));
	struct interrupt i;
	bson_error_t error;

	interrupt_init(&i);
	atomic_store(&i.deadline_us, interrupt_now_us() + SECOND_US / 10);
	CU_ASSERT(!run(s, "db", "{'find': 'c'}", &i, &error));
	CU_ASSERT(comes(w, "killOp"));
	ASSERT_TEXT(harness_text(value_get(wire_last(w, "killOp"), "op")), "4711");
	source_destroy(s);
	check_sent(w);
	wire_stop(w);
}

/* Passwords */

static void check_hidden(const char *uri, const char *password, const char *expected)
{
	struct bytes shown = BYTES_INIT;
	struct source *s = NULL;
	bson_error_t error;

	remote_display(uri, &shown);
	if (expected)
		ASSERT_TEXT(bytes_text(&shown), expected);
	CU_ASSERT_PTR_NULL(strstr(bytes_text(&shown), password));
	if (!remote_open(uri, NULL, &s, &error))
		CU_ASSERT_PTR_NULL(strstr(error.message, password));
	source_destroy(s);
	bytes_clear(&shown);
}

/* e12: a password stands in no name and in no error. */
static void test_passwords(void)
{
	/* none can be understood but the first two, or nothing would fail at once */
	check_hidden("mongodb://ana:s3cret@127.0.0.1:1/shop?serverSelectionTimeoutMS=50", "s3cret",
	             "mongodb://ana@127.0.0.1:1/shop");
	check_hidden("mongodb://ana:p%40ss%3Aw%2Frd@127.0.0.1:1/?serverSelectionTimeoutMS=50", "p%40ss",
	             "mongodb://ana@127.0.0.1:1");
	check_hidden("mongodb://ana:p@ss:w/rd@127.0.0.1:1/", "p@ss", NULL);
	check_hidden("mongodb://ana:p@ss:w/rd@127.0.0.1:1/", "w/rd", NULL);
	check_hidden("mongodb://ana:secret%zz@127.0.0.1:1/", "secret", NULL);
	check_hidden("mongodb://ana:secret#?x=1@127.0.0.1:1/", "secret", NULL);
	check_hidden("mongodb://:secret@", "secret", NULL);
	check_hidden("mongo://ana:secret@host/db", "secret", "mongo://…@host/db");
	check_hidden("ana:secret@host.example:1/db?x=y", "secret", "…@host.example:1/db");
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "only what reads is sent", test_only_reading },
		{ "what is hidden deeply is not sent", test_hidden_deeply },
		{ "costs as the engine counts them", test_costs },
		{ "writes are planned, never run", test_writes_are_planned },
		{ "cursors keep their session", test_cursors },
		{ "time limits", test_time_limits },
		{ "a server that refuses", test_refused },
		{ "a server that is silent", test_silent },
		{ "replies that are cut, refused, not authorized", test_bad_replies },
		{ "replies of a wrong length", test_wrong_length },
		{ "a huge reply", test_huge_reply },
		{ "a server that goes away and comes back", test_comes_back },
		{ "a command that is abandoned", test_abandoned },
		{ "an operation is killed by its comment", test_kill_by_comment },
		{ "passwords", test_passwords },
		{ NULL, NULL },
	};
	bson_error_t error;
	int status;

	sample = sample_open("bookstore", &sample_model, &error);
	engine = source_engine(sample);
	status = harness_run("remote", cases);
	source_destroy(sample);
	model_destroy(sample_model);
	return status;
}
