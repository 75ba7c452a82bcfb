/* Expressions against the corpus: every case is one $project, answered by the projection itself. */
#include <stdio.h>
#include <string.h>

#include "engine/projection.h"
#include "harness/cases.h"
#include "harness/harness.h"

static struct bytes results;
static struct execution x;
static bson_error_t error;

static bool is_refusal(uint32_t code)
{
	return code == 168 || code == 31325 || code == CODE_NotImplemented;
}

static bool failed(struct case_answer *answer, const bson_error_t *why)
{
	answer->ok = false;
	answer->code = why->code;
	answer->message = why->message;
	answer->refused = is_refusal(why->code);
	return true;
}

static bool apply_all(const struct projection *p, struct value docs, struct case_answer *answer)
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
		ok = projection_apply(p, &x, &x.scratch, f.value, NULL, &out);
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

static bool run(struct value test, struct case_answer *answer)
{
	struct value stages = value_get(value_get(test, "command"), "pipeline");
	struct value docs = value_get(test, "docs"), specification;
	struct projection *p;

	if (value_is_missing(stages) || value_count(stages) != 1)
		return false;
	specification = value_get(value_get(stages, "0"), "$project");
	if (value_is_missing(specification))
		return false;
	execution_clear(&x);
	execution_init(&x, NULL, "test", NULL);
	x.now_millis = 1700000000000;
	p = projection_compile(specification, PROJECTION_PROJECT, NULL, &error);
	if (!p)
		return failed(answer, &error);
	if (!projection_check_constants(p, &error)) {
		projection_destroy(p);
		return failed(answer, &error);
	}
	if (!apply_all(p, docs, answer)) {
		projection_destroy(p);
		return failed(answer, &x.error);
	}
	projection_destroy(p);
	return true;
}

static void test_cases(void)
{
	CU_ASSERT_EQUAL(cases_run("expression.jsonl", run), 0);
}

int main(void)
{
	static const struct test_case cases[] = { { "corpus of expressions", test_cases }, { NULL, NULL } };
	int status;

	if (!harness_corpus())
		harness_skip("skipped: BSONSCOPE_CORPUS is not set");
	execution_init(&x, NULL, "test", NULL);
	status = harness_run("expression cases", cases);
	execution_clear(&x);
	bytes_clear(&results);
	return status;
}
