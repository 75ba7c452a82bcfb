/* Recorded answers of a real server to filters, in this process. */
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "engine/match.h"
#include "harness/verdicts.h"
#include "harness/harness.h"

/* What this engine refuses, and why. */
static const struct { const char *operator, *reason; } refused[] = {
	{ "$geoWithin", "no geometry" },
	{ "$geoIntersects", "no geometry" },
	{ "$near", "no geometry" },
	{ "$nearSphere", "no geometry" },
	{ "$text", "no text index" },
	{ "$where", "no JavaScript" },
};

static bool may_be_refused(const char *message)
{
	if (!strstr(message, "is not supported by this engine"))
		return false;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (!strncmp(message, refused[i].operator, strlen(refused[i].operator)))
			return true;
	return false;
}

static enum verdict judge_error(struct value one, uint32_t code, const char *message, char *why, size_t size)
{
	struct value expected = value_get(one, "errorCode");

	if (may_be_refused(message))
		return VERDICT_REFUSED;
	if (!value_is_missing(expected) && (uint32_t)value_int32(expected) == code)
		return VERDICT_RIGHT;
	snprintf(why, size, "failed with %u %s", code, message);
	return VERDICT_WRONG;
}

/* A server would keep the order of insertion, except where a result has none. */
static enum verdict judge_documents(struct value one, const struct match *m, char *why, size_t size)
{
	struct value result = value_get(one, "result"), docs = value_get(one, "docs");
	struct execution x;
	struct walk walk, expected_walk;
	struct field document, expected;
	enum verdict outcome = VERDICT_RIGHT;

	execution_init(&x, NULL, "test", NULL);
	walk_begin(&walk, docs);
	walk_begin(&expected_walk, result);
	while (outcome == VERDICT_RIGHT && !x.failed && walk_next(&walk, &document)) {
		if (!match_test(m, &x, document.value))
			continue;
		if (!walk_next(&expected_walk, &expected) || expected.value.size_bytes != document.value.size_bytes ||
		    memcmp(expected.value.bytes, document.value.bytes, document.value.size_bytes)) {
			snprintf(why, size, "filter %s gives %s", harness_text(value_get(value_get(one, "command"), "filter")),
			         harness_text(document.value));
			outcome = VERDICT_WRONG;
		}
	}
	if (x.failed)
		outcome = judge_error(one, x.error.code, x.error.message, why, size);
	else if (!value_is_missing(value_get(one, "errorCode")) && value_count(docs)) {
		snprintf(why, size, "filter %s should have failed",
		         harness_text(value_get(value_get(one, "command"), "filter")));
		outcome = VERDICT_WRONG;
	} else if (outcome == VERDICT_RIGHT && walk_next(&expected_walk, &expected)) {
		snprintf(why, size, "filter %s does not give %s",
		         harness_text(value_get(value_get(one, "command"), "filter")), harness_text(expected.value));
		outcome = VERDICT_WRONG;
	}
	execution_clear(&x);
	return outcome;
}

static enum verdict judge(struct value one, char *why, size_t size)
{
	struct value filter = value_get(value_get(one, "command"), "filter");
	struct match *m;
	bson_error_t error;
	enum verdict outcome;

	m = match_compile(filter, NULL, &error);
	if (!m) {
		outcome = judge_error(one, error.code, error.message, why, size);
		if (outcome == VERDICT_WRONG)
			snprintf(why, size, "filter %s: %u %s", harness_text(filter), error.code, error.message);
		return outcome;
	}
	match_canonicalize(&m);
	outcome = judge_documents(one, m, why, size);
	match_destroy(m);
	return outcome;
}

static void test_cases(void)
{
	CU_ASSERT_EQUAL(verdicts_run("query.jsonl", judge), 0);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "recorded filters", test_cases },
		{ NULL, NULL },
	};

	return harness_run("match cases", cases);
}
