/* Find's projections against the corpus: filter and projection, without an engine. */
#include <string.h>

#include "engine/match.h"
#include "engine/projection.h"
#include "harness/cases.h"
#include "harness/harness.h"

static struct bytes results;
static struct execution x;
static bson_error_t error;

static bool failed(struct case_answer *answer, const bson_error_t *why)
{
	answer->ok = false;
	answer->code = why->code;
	answer->message = why->message;
	answer->refused = why->code == CODE_NotImplemented || strstr(why->message, "not supported by this engine") != NULL;
	return true;
}

static bool find_all(const struct match *filter, const struct projection *p, struct value docs,
                     struct case_answer *answer)
{
	struct bytes out = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;
	bool ok = true;

	bytes_reset(&results);
	writer_begin(&w, &results);
	writer_begin_array(&w, key_of("r"));
	walk_begin(&walk, docs);
	while (ok && walk_next(&walk, &f)) {
		if (!match_test(filter, &x, f.value)) {
			ok = !x.failed;
			continue;
		}
		ok = projection_apply(p, &x, &x.scratch, f.value, filter, &out);
		if (ok)
			writer_raw(&w, key_of(""), BSON_TYPE_DOCUMENT, out.data, out.size);
		arena_reset(&x.scratch);
	}
	writer_end(&w);
	answer->results = value_get(writer_finish(&w), "r");
	answer->ok = ok;
	bytes_clear(&out);
	return ok;
}

static bool has_only(struct value command)
{
	struct walk w;
	struct field f;

	walk_begin(&w, command);
	while (walk_next(&w, &f))
		if (!key_is(f.key, "find") && !key_is(f.key, "filter") && !key_is(f.key, "projection"))
			return false;
	return true;
}

static bool run(struct value test, struct case_answer *answer)
{
	static const uint8_t nothing[5] = { 5 };
	struct value command = value_get(test, "command"), filter = value_get(command, "filter");
	struct value specification = value_get(command, "projection");
	struct projection *p = NULL;
	struct match *m;

	if (value_is_missing(value_get(command, "find")) || value_is_missing(specification) || !has_only(command))
		return false;
	if (value_is_missing(filter))
		filter = (struct value){ nothing, sizeof nothing, BSON_TYPE_DOCUMENT };
	execution_clear(&x);
	execution_init(&x, NULL, "test", NULL);
	m = match_compile(filter, NULL, &error);
	if (m)
		p = projection_compile(specification, PROJECTION_FIND, NULL, &error);
	if (!m || !p || !projection_check_constants(p, &error))
		failed(answer, &error);
	else if (!find_all(m, p, value_get(test, "docs"), answer))
		failed(answer, &x.error);
	projection_destroy(p);
	if (m)
		match_destroy(m);
	return true;
}

static void test_cases(void)
{
	CU_ASSERT_EQUAL(cases_run("projection.jsonl", run), 0);
}

int main(void)
{
	static const struct test_case cases[] = { { "corpus of projections", test_cases }, { NULL, NULL } };
	int status;

	if (!harness_corpus())
		harness_skip("skipped: BSONSCOPE_CORPUS is not set");
	execution_init(&x, NULL, "test", NULL);
	status = harness_run("projection cases", cases);
	execution_clear(&x);
	bytes_clear(&results);
	return status;
}
