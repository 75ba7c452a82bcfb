/* The command log: what is folded into a run, what is dropped when it is full, and what can be pasted. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/harness.h"
#include "ui/command_log.h"

static void report(struct source *s, bool measured, const char *failure, const char *json)
{
	struct value v = harness_json(json);
	bson_error_t error;
	bson_t command;

	value_to_bson(&command, v);
	if (failure)
		error_set(&error, ERROR_SERVER, CODE_BadValue, "%s", failure);
	s->log(s->log_context, "library", &command, measured, 5, failure ? &error : NULL);
}

static size_t run_length(const struct command_log *log, int64_t number)
{
	const struct log_entry *e = command_log_entry(log, number);

	return e ? e->run_length : 9999;
}

static void values_fold_and_structure_does_not(void)
{
	struct command_log *log = command_log_new();
	struct source s = { 0 };

	command_log_attach(log, &s);
	CU_ASSERT_FALSE(command_log_take(log));
	report(&s, true, NULL, "{'find': 'kitap', 'filter': {'_k': 'a'}}");
	report(&s, true, NULL, "{'find': 'kitap', 'filter': {'_k': 'b'}}");
	report(&s, true, NULL, "{'find': 'kitap', 'filter': {'_k': 1}}");
	report(&s, true, NULL, "{'find': 'kopya', 'filter': {'_k': 2}}");
	report(&s, true, NULL, "{'find': 'kopya', 'filter': {'_k': 2, 'x': 1}}");
	report(&s, false, NULL, "{'find': 'kopya', 'filter': {'_k': 2, 'x': 1}}");
	report(&s, false, "no", "{'find': 'kopya', 'filter': {'_k': 2, 'x': 1}}");
	report(&s, false, NULL, "{'find': 'kopya', 'filter': {'_k': 2, 'x': 1}}");
	CU_ASSERT_TRUE(command_log_take(log));
	CU_ASSERT_EQUAL(command_log_first(log), 1);
	CU_ASSERT_EQUAL(command_log_end(log), 9);
	CU_ASSERT_EQUAL(run_length(log, 1), 2); /* another value */
	CU_ASSERT_EQUAL(run_length(log, 2), 0);
	CU_ASSERT_EQUAL(run_length(log, 3), 1); /* another type */
	CU_ASSERT_EQUAL(run_length(log, 4), 1); /* another collection */
	CU_ASSERT_EQUAL(run_length(log, 5), 1); /* another field */
	CU_ASSERT_EQUAL(run_length(log, 6), 1); /* run, not measured */
	CU_ASSERT_EQUAL(run_length(log, 7), 1); /* failed */
	CU_ASSERT_EQUAL(run_length(log, 8), 1); /* after a failure */
	CU_ASSERT_PTR_NULL(command_log_entry(log, 0));
	CU_ASSERT_PTR_NULL(command_log_entry(log, 9));
	command_log_detach(log, &s);
	CU_ASSERT_PTR_NULL(s.log);
	command_log_destroy(log);
}

static void the_oldest_go_first(void)
{
	struct command_log *log = command_log_new();
	struct source s = { 0 };
	size_t sum = 0;

	command_log_attach(log, &s);
	for (int i = 0; i < COMMAND_LOG_LIMIT + 500; i++) {
		report(&s, true, NULL, i % 1000 < 700 ? "{'find': 'kitap'}" : "{'count': 'kitap'}");
		if (i % 777 == 0)
			command_log_take(log);
	}
	command_log_take(log);
	CU_ASSERT_EQUAL(command_log_first(log), 501);
	CU_ASSERT_EQUAL(command_log_end(log), COMMAND_LOG_LIMIT + 501);
	/* the run that was cut keeps its head, and the runs add up to what is there */
	CU_ASSERT_EQUAL(run_length(log, 501), 200);
	for (int64_t n = command_log_first(log); n < command_log_end(log); n++)
		sum += run_length(log, n);
	CU_ASSERT_EQUAL(sum, COMMAND_LOG_LIMIT);
	command_log_destroy(log);
}

static void one_run_may_be_longer_than_the_log(void)
{
	struct command_log *log = command_log_new();
	struct source s = { 0 };

	command_log_attach(log, &s);
	for (int i = 0; i < 2 * COMMAND_LOG_LIMIT; i++)
		report(&s, true, NULL, "{'find': 'kitap'}");
	command_log_take(log);
	CU_ASSERT_EQUAL(run_length(log, command_log_first(log)), COMMAND_LOG_LIMIT);
	report(&s, true, NULL, "{'find': 'kitap'}");
	command_log_take(log);
	CU_ASSERT_EQUAL(run_length(log, command_log_first(log)), COMMAND_LOG_LIMIT);
	command_log_destroy(log);
}

static void expect_text(const char *json, bool measured, const char *paste, const char *brief)
{
	struct command_log *log = command_log_new();
	struct source s = { 0 };
	struct bytes text = BYTES_INIT;

	command_log_attach(log, &s);
	report(&s, measured, NULL, json);
	command_log_take(log);
	command_log_text(command_log_entry(log, 1), &text);
	ASSERT_TEXT(bytes_text(&text), paste);
	bytes_reset(&text);
	command_log_brief(command_log_entry(log, 1), &text);
	ASSERT_TEXT(bytes_text(&text), brief);
	bytes_clear(&text);
	command_log_destroy(log);
}

static void texts(void)
{
	expect_text("{'find': 'kitap', 'filter': {'_k': 'K-1'}}", false,
	            "db.getSiblingDB(\"library\").runCommand({ find: 'kitap', filter: { _k: 'K-1' } })",
	            "find kitap { _k: 'K-1' }");
	/* pasting a measured write must not write */
	expect_text("{'update': 'kitap', 'updates': [{'q': {}, 'u': {'$set': {'a': 1}}}]}", true,
	            "db.getSiblingDB(\"library\").runCommand({explain: { update: 'kitap', updates: [ { q: {}, u: { $set: { a: 1 } } } ] }, "
	            "verbosity: \"executionStats\"})",
	            "update kitap [ { q: {}, u: { $set: { a: 1 } } } ]");
	expect_text("{'aggregate': 'kitap', 'pipeline': [], 'cursor': {}}", false,
	            "db.getSiblingDB(\"library\").runCommand({ aggregate: 'kitap', pipeline: [], cursor: {} })", "aggregate kitap []");
	expect_text("{'explain': {'find': 'kitap', 'filter': {}}, 'verbosity': 'queryPlanner'}", false,
	            "db.getSiblingDB(\"library\").runCommand({ explain: { find: 'kitap', filter: {} }, verbosity: 'queryPlanner' })",
	            "explain find kitap {}");
	expect_text("{'ping': 1}", false, "db.getSiblingDB(\"library\").runCommand({ ping: 1 })", "ping");
	expect_text("{}", false, "db.getSiblingDB(\"library\").runCommand({})", "");
}

static void *report_many(void *source)
{
	for (int i = 0; i < 500; i++)
		report(source, true, NULL, "{'find': 'kitap'}");
	return NULL;
}

static void sources_report_from_other_threads(void)
{
	struct command_log *log = command_log_new();
	struct source s = { 0 };
	pthread_t thread;

	command_log_attach(log, &s);
	pthread_create(&thread, NULL, report_many, &s);
	while (command_log_end(log) < 501)
		command_log_take(log);
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(run_length(log, 1), 500);
	command_log_destroy(log);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "values fold and structure does not", values_fold_and_structure_does_not },
		{ "the oldest go first", the_oldest_go_first },
		{ "one run may be longer than the log", one_run_may_be_longer_than_the_log },
		{ "texts", texts },
		{ "sources report from other threads", sources_report_from_other_threads },
		{ NULL, NULL },
	};

	return harness_run("command log", cases);
}
