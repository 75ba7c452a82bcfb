/* Aggregations against the corpus: every case is a collection and a command, answered by the whole engine. */
#include <stdio.h>
#include <string.h>

#include "bson/writer.h"
#include "engine/engine.h"
#include "harness/cases.h"
#include "harness/harness.h"

static bson_t reply;
static bool replied;
static bson_error_t error;

static bool is_refusal(uint32_t code)
{
	return code == 168 || code == 31325 || code == 15952 || code == 40324 || code == CODE_NotImplemented;
}

static bool command(struct engine *e, struct value c)
{
	bson_t document;

	if (replied)
		bson_destroy(&reply);
	replied = true;
	return value_to_bson(&document, c) && engine_command(e, "t", &document, &reply, NULL, &error);
}

/* {insert: "t", documents: [docs]} in pieces that any limit takes. */
static bool load(struct engine *e, struct value docs)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	bool ok = true;

	if (value_is_missing(docs) || !value_count(docs))
		return true;
	writer_begin(&w, &text);
	writer_text(&w, "insert", "t");
	writer_put(&w, "documents", docs);
	ok = command(e, writer_finish(&w)) && value_is_missing(value_get(value_from_bson(&reply), "writeErrors"));
	bytes_clear(&text);
	return ok;
}

static bool run(struct value test, struct case_answer *answer)
{
	struct value c = value_get(test, "command");
	struct engine *e;

	/* one case takes the order of groups, which MongoDB does not define, as that server's hash had it */
	if (value_is_missing(value_get(c, "aggregate")) || key_is(value_text(value_get(test, "id")), "accumulator-00190"))
		return false;
	e = engine_new();
	answer->ok = load(e, value_get(test, "docs")) && command(e, c);
	if (answer->ok) {
		answer->results = value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch");
	} else {
		answer->code = error.code;
		answer->message = error.message;
		answer->refused = is_refusal(error.code);
	}
	engine_destroy(e);
	return true;
}

static void test_accumulators(void)
{
	CU_ASSERT_EQUAL(cases_run("accumulator", run), 0);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "accumulators", test_accumulators },
		{ NULL, NULL }
	};
	int status;

	if (!harness_corpus())
		harness_skip("skipped: BSONSCOPE_CORPUS is unset");
	status = harness_run("pipeline cases", cases);
	if (replied)
		bson_destroy(&reply);
	return status;
}
