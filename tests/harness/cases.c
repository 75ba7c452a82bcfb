#include "harness/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "harness/verdicts.h"

static int text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void normal_text(struct bytes *out, struct value v, bool sort_elements);

static void normal_children(struct bytes *out, struct value v, bool sort_elements)
{
	size_t count = 0, capacity = 0;
	char **texts = NULL;
	struct walk w;
	struct field f;

	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		struct bytes text = BYTES_INIT;

		if (!value_is_array(v))
			bytes_format(&text, "%.*s=", (int)f.key.size_bytes, f.key.bytes);
		normal_text(&text, f.value, sort_elements);
		texts = memory_grow(texts, &capacity, count + 1, sizeof *texts);
		texts[count++] = bytes_take_text(&text);
	}
	if (count && sort_elements && value_is_array(v))
		qsort(texts, count, sizeof *texts, text_compare);
	for (size_t i = 0; i < count; i++) {
		bytes_format(out, "%s%s", i ? "," : "", texts[i]);
		free(texts[i]);
	}
	free(texts);
}

/* Text that is equal when values are, types and field order included; arrays in any order when asked. */
static void normal_text(struct bytes *out, struct value v, bool sort_elements)
{
	if (!value_is_array(v) && !value_is_document(v)) {
		print_line(out, v, PRINT_CANONICAL);
		return;
	}
	bytes_append_text(out, value_is_array(v) ? "[" : "{");
	normal_children(out, v, sort_elements);
	bytes_append_text(out, value_is_array(v) ? "]" : "}");
}

static bool lists(struct value names, const char *wanted)
{
	struct walk w;
	struct field f;

	if (value_is_missing(names))
		return false;
	walk_begin(&w, names);
	while (walk_next(&w, &f))
		if (key_is(value_text(f.value), wanted))
			return true;
	return false;
}

static bool same_results(struct value test, struct value results)
{
	struct value unordered = value_get(test, "unordered");
	bool sort = lists(unordered, "elements") || lists(unordered, "documents");
	struct bytes expected = BYTES_INIT, got = BYTES_INIT;
	bool same;

	normal_text(&expected, value_get(test, "result"), sort);
	normal_text(&got, results, sort);
	same = !strcmp(bytes_text(&expected), bytes_text(&got));
	bytes_clear(&expected);
	bytes_clear(&got);
	return same;
}

static case_runner runner;
static int answered;

static enum verdict judge_answer(struct value test, const struct case_answer *answer)
{
	struct value code = value_get(test, "errorCode");
	int64_t expected = 0;

	if (value_as_int64(code, &expected) && !answer->ok && answer->code == (uint32_t)expected)
		return VERDICT_RIGHT;
	if (!answer->ok && answer->refused)
		return VERDICT_REFUSED;
	if (!answer->ok || !value_is_missing(code))
		return VERDICT_WRONG;
	return same_results(test, answer->results) ? VERDICT_RIGHT : VERDICT_WRONG;
}

static void explain(struct value test, const struct case_answer *answer, char *why, size_t size)
{
	struct value code = value_get(test, "errorCode");
	struct bytes line = BYTES_INIT;

	print_line(&line, value_get(test, "command"), PRINT_RELAXED);
	bytes_append_text(&line, "\n  docs ");
	print_line(&line, value_get(test, "docs"), PRINT_CANONICAL);
	bytes_append_text(&line, "\n  expected ");
	print_line(&line, value_is_missing(code) ? value_get(test, "result") : code, PRINT_CANONICAL);
	bytes_append_text(&line, "\n  got      ");
	if (answer->ok)
		print_line(&line, answer->results, PRINT_CANONICAL);
	else
		bytes_format(&line, "%u %s", answer->code, answer->message);
	snprintf(why, size, "%s", bytes_text(&line));
	bytes_clear(&line);
}

static enum verdict judge(struct value test, char *why, size_t size)
{
	struct case_answer answer = { 0 };
	enum verdict verdict;

	if (!runner(test, &answer))
		return VERDICT_SKIPPED;
	answered++;
	verdict = judge_answer(test, &answer);
	if (verdict == VERDICT_WRONG)
		explain(test, &answer, why, size);
	return verdict;
}

int cases_run(const char *file, case_runner run)
{
	int wrong;

	runner = run;
	answered = 0;
	wrong = verdicts_run(file, judge);
	return answered ? wrong : 1;
}
