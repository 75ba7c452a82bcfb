/* Paths over servers as they are: samples, refusals and what is then looked at, and that it is said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "harness/harness.h"
#include "harness/served.h"
#include "model/paths.h"
#include "model/violations.h"
#include "remote/remote.h"
#include "samples/samples.h"

static struct source *library;

/* A server with the library, which refuses commands of a name, or with a stage. */
struct refusing {
	const char *what[2];
	int code;
	const char *name, *message;
};

static bool is_refused(const struct refusing *r, struct value command)
{
	for (size_t i = 0; i < sizeof r->what / sizeof *r->what; i++)
		if (r->what[i] && (key_is(served_name(command), r->what[i]) ||
		                   (*r->what[i] == '$' && strstr(harness_text(command), r->what[i]))))
			return true;
	return false;
}

static enum wire_answer answer(void *context, const char *db, struct value command, struct bytes *reply)
{
	const struct refusing *r = context;

	if (is_refused(r, command))
		return served_refuse(reply, r->code, r->name, r->message);
	return served_answer(source_engine(library), db, command, reply);
}

/* What is told of the collection, of which 2,000 are drawn; `p` is the caller's. */
static struct paths *measure(wire_handler handler, void *context, int64_t exact, struct violations *v)
{
	struct wire *wire = wire_start(handler, context, NULL);
	struct paths_wish wish = { .db = "library", .collection = "kopya", .key = "_k" };
	struct source *s;
	struct paths *p;
	bson_error_t error = { 0 };

	CU_ASSERT_TRUE_FATAL(remote_open(wire_uri(wire), NULL, &s, &error));
	s->exact_documents = exact;
	s->sample_documents = 2000;
	p = paths_measure(s, &wish, NULL, &error);
	ASSERT_TEXT(error.message, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	if (v)
		CU_ASSERT_TRUE(violations_find(s, p, "_k", v, NULL, &error));
	source_destroy(s);
	wire_stop(wire);
	return p;
}

static void assert_method(const struct paths *p, const char *text)
{
	struct bytes out = BYTES_INIT;

	paths_method_text(p, &out);
	ASSERT_TEXT(bytes_text(&out), text);
	bytes_clear(&out);
}

static void all_or_a_sample(void)
{
	struct refusing nothing = { .code = 0 };
	struct paths *p = measure(answer, &nothing, 100000, NULL);

	CU_ASSERT_EQUAL(p->method, SAMPLING_ALL);
	CU_ASSERT_EQUAL(p->bytes.value, 4569029);
	CU_ASSERT_EQUAL(p->bytes.provenance, PROVENANCE_EXACT);
	assert_method(p, "");
	paths_destroy(p);
	p = measure(answer, &nothing, 10, NULL);
	CU_ASSERT_EQUAL(p->tree.root->count, 2000);
	CU_ASSERT_EQUAL(paths_figure(p, 2000).value, 58595);
	CU_ASSERT_EQUAL(paths_figure(p, 2000).provenance, PROVENANCE_ESTIMATED);
	assert_method(p, "2,000 of 58,595 documents sampled ($sample, random)");
	paths_destroy(p);
}

/* The first ones: the least that there is, and never more made of it. */
static void without_sample(void)
{
	struct refusing r = { { "$sample" }, 40324, "Location40324", "Unrecognized pipeline stage name: '$sample'" };
	struct paths *p = measure(answer, &r, 10, NULL);

	CU_ASSERT_EQUAL(p->tree.root->count, 2000);
	CU_ASSERT_TRUE(p->documents.at_least && p->bytes.at_least);
	CU_ASSERT_EQUAL(paths_figure(p, 2000).value, 2000);
	CU_ASSERT_TRUE(paths_figure(p, 2000).at_least);
	assert_method(p, "2,000 of 58,595 documents sampled (first documents, not random)");
	paths_destroy(p);
}

static void too_slow(void)
{
	struct refusing r = { { "$sample" }, 50, "MaxTimeMSExpired", "operation exceeded time limit" };
	struct paths *p = measure(answer, &r, 10, NULL);

	assert_method(p, "2,000 of 58,595 documents sampled (first documents, not random); a random sample was too much for "
	                 "the server: operation exceeded time limit");
	paths_destroy(p);
}

/* All were wanted, and some had come: none of them is counted twice. */
static enum wire_answer answer_once(void *context, const char *db, struct value command, struct bytes *reply)
{
	const struct refusing *r = context;

	if (key_is(served_name(command), "getMore") && strstr(harness_text(command), "kopya"))
		return served_refuse(reply, r->code, r->name, r->message);
	return served_answer(source_engine(library), db, command, reply);
}

static void too_slow_in_the_middle(void)
{
	struct refusing r = { .code = 50, .name = "MaxTimeMSExpired", .message = "operation exceeded time limit" };
	struct wire *wire = wire_start(answer_once, &r, NULL);
	struct paths_wish wish = { .db = "library", .collection = "kopya", .key = "_k" };
	bson_error_t error;
	struct source *s;
	struct paths *p;

	CU_ASSERT_TRUE_FATAL(remote_open(wire_uri(wire), NULL, &s, &error));
	s->sample_documents = 100; /* one batch */
	p = paths_measure(s, &wish, NULL, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(p->tree.root->count, 100);
	CU_ASSERT_PTR_NOT_NULL(p->remark);
	paths_destroy(p);
	source_destroy(s);
	wire_stop(wire);
}

/* Nobody tells how many there are: not all are read on a venture. */
static void without_a_count(void)
{
	struct refusing r = { { "count", "collStats" }, 13, "Unauthorized", "not authorized" };
	struct paths *p = measure(answer, &r, 100000, NULL);

	CU_ASSERT_EQUAL(p->tree.root->count, 2000);
	assert_method(p, "2,000 documents sampled (first documents, not random)");
	paths_destroy(p);
}

static enum wire_answer answer_twice(void *context, const char *db, struct value command, struct bytes *reply)
{
	struct value v;

	(void)context;
	if (!strstr(harness_text(command), "$sample"))
		return served_answer(source_engine(library), db, command, reply);
	v = harness_json("{'cursor': {'id': {'$numberLong': '0'}, 'ns': 'library.kopya', 'firstBatch': [{'_id': 1, '_k': 'a'}, "
	                 "{'_id': 2, '_k': 'b'}, {'_id': 1, '_k': 'a'}, {'_id': '1', '_k': 'c'}]}, 'ok': 1.0}");
	bytes_append(reply, v.bytes, v.size_bytes);
	return WIRE_REPLY;
}

static void drawn_twice(void)
{
	struct paths *p = measure(answer_twice, NULL, 10, NULL);

	CU_ASSERT_EQUAL(p->tree.root->count, 3);
	CU_ASSERT_EQUAL(p->documents.n, 3);
	paths_destroy(p);
}

static enum wire_answer answer_validated(void *context, const char *db, struct value command, struct bytes *reply)
{
	struct value v;

	if (!key_is(served_name(command), "listCollections"))
		return answer(context, db, command, reply);
	v = harness_json("{'cursor': {'id': {'$numberLong': '0'}, 'ns': 'library.$cmd.listCollections', 'firstBatch': [{'name': "
	                 "'kopya', 'type': 'collection', 'options': {'validator': {'nothing': 1}}}]}, 'ok': 1.0}");
	bytes_append(reply, v.bytes, v.size_bytes);
	return WIRE_REPLY;
}

/* As many documents as were looked at, and chosen as they were. */
static void violations_of_a_part(void)
{
	struct refusing r = { { "$sample" }, 40324, "Location40324", "Unrecognized pipeline stage name: '$sample'" };
	struct violations v;

	paths_destroy(measure(answer_validated, &r, 10, &v));
	CU_ASSERT_EQUAL(v.method, SAMPLING_FIRST);
	CU_ASSERT_EQUAL(v.count.value, 2000);
	CU_ASSERT_EQUAL(v.count.of, 58595);
	violations_clear(&v);
	r.what[0] = NULL;
	paths_destroy(measure(answer_validated, &r, 10, &v));
	CU_ASSERT_EQUAL(v.method, SAMPLING_RANDOM);
	CU_ASSERT_EQUAL(v.count.value, 2000);
	violations_clear(&v);
	paths_destroy(measure(answer_validated, &r, 0, &v));
	CU_ASSERT_EQUAL(v.method, SAMPLING_ALL);
	CU_ASSERT_EQUAL(v.count.value, 58595);
	violations_clear(&v);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "all, or a sample", all_or_a_sample },
		{ "without $sample", without_sample },
		{ "a sample that is too slow", too_slow },
		{ "all that is too slow in the middle", too_slow_in_the_middle },
		{ "without a count", without_a_count },
		{ "a document that is drawn twice", drawn_twice },
		{ "violations of a part", violations_of_a_part },
		{ NULL, NULL },
	};
	struct model *model;
	bson_error_t error;
	int status;

	library = sample_open("library", &model, &error);
	model_destroy(model);
	status = harness_run("paths over servers", cases);
	source_destroy(library);
	return status;
}
