#include "harness/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/read.h"
#include "harness/harness.h"

enum { OPERATORS_MAX = 400, WRONG_SHOWN = 60 };

struct tally {
	char name[64];
	int counts[CASE_SKIPPED + 1];
};

struct run {
	struct tally operators[OPERATORS_MAX];
	size_t operator_count;
	struct tally total;
	int shown;
};

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
	if (sort_elements && value_is_array(v))
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

static struct tally *tally_of(struct run *run, struct key name)
{
	struct tally *t;

	for (size_t i = 0; i < run->operator_count; i++)
		if (key_is(name, run->operators[i].name))
			return &run->operators[i];
	t = &run->operators[run->operator_count++];
	snprintf(t->name, sizeof t->name, "%.*s", (int)name.size_bytes, name.bytes);
	return t;
}

static enum case_verdict judge(struct value test, const struct case_answer *answer)
{
	struct value code = value_get(test, "errorCode");
	int64_t expected = 0;

	if (value_as_int64(code, &expected) && !answer->ok && answer->code == (uint32_t)expected)
		return CASE_RIGHT;
	if (!answer->ok && answer->refused)
		return CASE_REFUSED;
	if (!answer->ok || !value_is_missing(code))
		return CASE_WRONG;
	return same_results(test, answer->results) ? CASE_RIGHT : CASE_WRONG;
}

static void show_wrong(struct run *run, struct value test, const struct case_answer *answer)
{
	struct key id = value_text(value_get(test, "id"));
	struct value code = value_get(test, "errorCode");
	struct bytes line = BYTES_INIT;

	if (run->shown++ >= WRONG_SHOWN)
		return;
	bytes_format(&line, "wrong: %.*s ", (int)id.size_bytes, id.bytes);
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
	puts(bytes_text(&line));
	bytes_clear(&line);
}

static void run_line(struct run *run, const char *line, size_t size, case_runner runner)
{
	struct bytes document = BYTES_INIT;
	struct case_answer answer = { 0 };
	enum case_verdict verdict = CASE_SKIPPED;
	bson_error_t error;
	struct value test;
	struct tally *t;

	if (!read_document("case", line, size, &document, &error)) {
		printf("unreadable: %s\n", error.message);
		run->total.counts[CASE_WRONG]++;
		return;
	}
	value_document(&test, document.data, document.size);
	if (runner(test, &answer))
		verdict = judge(test, &answer);
	t = tally_of(run, value_text(value_get(test, "operator")));
	t->counts[verdict]++;
	run->total.counts[verdict]++;
	if (verdict == CASE_WRONG)
		show_wrong(run, test, &answer);
	bytes_clear(&document);
}

static void print_tally(const struct tally *t)
{
	printf("summary: %s right %d refused %d wrong %d skipped %d\n", t->name, t->counts[CASE_RIGHT], t->counts[CASE_REFUSED],
	       t->counts[CASE_WRONG], t->counts[CASE_SKIPPED]);
}

int cases_run(const char *area, case_runner runner)
{
	struct run *run = memory_allocate_zeroed(1, sizeof *run);
	char path[4096];
	char *text, *at, *end;
	size_t size;
	int wrong;

	if (!harness_corpus())
		harness_skip("skipped: BSONSCOPE_CORPUS is not set");
	snprintf(path, sizeof path, "%s/engine-cases/%s.jsonl", harness_corpus(), area);
	text = harness_read_file(path, &size);
	if (!text)
		harness_skip("skipped: the corpus has no such cases");
	for (at = text; *at; at = end + 1) {
		end = strchr(at, '\n');
		if (!end)
			break;
		run_line(run, at, (size_t)(end - at), runner);
	}
	free(text);
	for (size_t i = 0; i < run->operator_count; i++)
		if (run->operators[i].counts[CASE_RIGHT] == 0 || run->operators[i].counts[CASE_REFUSED] || run->operators[i].counts[CASE_WRONG])
			print_tally(&run->operators[i]);
	snprintf(run->total.name, sizeof run->total.name, "%s", area);
	print_tally(&run->total);
	wrong = run->total.counts[CASE_WRONG] + (run->total.counts[CASE_RIGHT] == 0);
	free(run);
	return wrong;
}
