/*
 * Runs the corpus of operator cases through the engine's commands. An operator may be refused; it may not be wrong.
 * With arguments (ids or operators) only those run, and what they gave is printed.
 */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "engine/engine.h"

enum outcome { RIGHT, REFUSED, WRONG, OUTCOMES };

struct tally {
	char *name;
	int counts[OUTCOMES];
};

static struct tally *tallies;
static size_t tally_count, tally_capacity;
static int totals[OUTCOMES];
static int arg_count;
static char **args;

enum { WRONG_SHOWN = 40 };

static struct tally *tally_of(struct key name)
{
	for (size_t i = 0; i < tally_count; i++)
		if (key_is(name, tallies[i].name))
			return &tallies[i];
	tallies = memory_grow(tallies, &tally_capacity, tally_count + 1, sizeof *tallies);
	memset(&tallies[tally_count], 0, sizeof *tallies);
	tallies[tally_count].name = memory_allocate(name.size_bytes + 1);
	memcpy(tallies[tally_count].name, name.bytes, name.size_bytes);
	tallies[tally_count].name[name.size_bytes] = 0;
	return &tallies[tally_count++];
}

static bool run(struct engine *e, struct value command, bson_t *reply, bson_error_t *error)
{
	bson_t view;

	value_to_bson(&view, command);
	return engine_command(e, "test", &view, reply, NULL, error);
}

/* Runs a command that has to work. */
static void must(struct engine *e, struct value command)
{
	bson_error_t error;
	bson_t reply;

	if (!run(e, command, &reply, &error) && error.code != CODE_NamespaceNotFound)
		fprintf(stderr, "%s: %s\n", harness_text(command), error.message);
	bson_destroy(&reply);
}

static void set_up(struct engine *e, struct value docs)
{
	static struct value drop, create;
	struct bytes out = BYTES_INIT;
	struct writer w;

	if (!drop.bytes) {
		drop = harness_json("{'drop': 't'}");
		create = harness_json("{'create': 't'}");
	}
	must(e, drop);
	if (!value_count(docs)) {
		must(e, create);
		return;
	}
	writer_begin(&w, &out);
	writer_text(&w, "insert", "t");
	writer_put(&w, "documents", docs);
	must(e, writer_finish(&w));
	bytes_clear(&out);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Canonical text; arrays (all of them, or only the outermost) as sorted sets where order means nothing. */
static void text_of(struct bytes *out, struct value v, bool sort_here, bool sort_below)
{
	struct walk w;
	struct field f;
	char **items = NULL;
	size_t count = 0, capacity = 0;
	bool array = value_is_array(v);

	if (!array && !value_is_document(v)) {
		print_line(out, v, PRINT_CANONICAL);
		return;
	}
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		struct bytes item = BYTES_INIT;

		if (!array) {
			print_text(&item, f.key.bytes, f.key.size_bytes);
			bytes_append_text(&item, ": ");
		}
		text_of(&item, f.value, sort_below, sort_below);
		items = memory_grow(items, &capacity, count + 1, sizeof *items);
		items[count++] = bytes_take_text(&item);
	}
	if (array && sort_here && count)
		qsort(items, count, sizeof *items, by_text);
	bytes_append_text(out, array ? "[" : "{");
	for (size_t i = 0; i < count; i++) {
		bytes_append_text(out, i ? ", " : "");
		bytes_append_text(out, items[i]);
		free(items[i]);
	}
	bytes_append_text(out, array ? "]" : "}");
	free(items);
}

static bool lists(struct value unordered, const char *name)
{
	struct walk w;
	struct field f;

	if (!value_is_array(unordered))
		return false;
	walk_begin(&w, unordered);
	while (walk_next(&w, &f))
		if (f.value.type == BSON_TYPE_UTF8 && key_is(value_text(f.value), name))
			return true;
	return false;
}

static bool same(struct value got, struct value expected, struct value unordered, bool any_order)
{
	struct bytes a = BYTES_INIT, b = BYTES_INIT;
	bool documents = any_order || lists(unordered, "documents"), elements = lists(unordered, "elements"), equal;

	if (got.size_bytes == expected.size_bytes && got.type == expected.type &&
	    !memcmp(got.bytes, expected.bytes, got.size_bytes))
		return true;
	text_of(&a, got, documents, elements);
	text_of(&b, expected, documents, elements);
	equal = !strcmp(bytes_text(&a), bytes_text(&b));
	bytes_clear(&a);
	bytes_clear(&b);
	return equal;
}

/* "Not here" in any of the ways that the engine says it. */
static bool is_refusal(uint32_t code, const char *message)
{
	static const struct {
		uint32_t code;
		const char *text; /* null: whatever it says */
	} refusals[] = {
		{ CODE_NotImplemented, NULL }, { 168, "Unrecognized expression" }, { 40324, NULL }, { 15952, NULL },
		{ 31325, NULL }, { CODE_BadValue, "unknown operator" }, { CODE_BadValue, "unknown top level operator" },
		{ CODE_FailedToParse, "Unknown modifier" }, { CODE_CommandNotFound, NULL },
	};

	if (strstr(message, "not supported by this engine"))
		return true;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (code == refusals[i].code && (!refusals[i].text || strstr(message, refusals[i].text)))
			return true;
	return false;
}

static struct value after_update(struct engine *e, bson_t *reply)
{
	static struct value find;
	bson_error_t error;

	if (!find.bytes)
		find = harness_json("{'find': 't', 'sort': {'_id': 1}}");
	run(e, find, reply, &error);
	return value_get(value_get(value_from_bson(reply), "cursor"), "firstBatch");
}

static bool number_is(struct value a, struct value b)
{
	int64_t x, y;

	return value_as_int64(a, &x) && value_as_int64(b, &y) && x == y;
}

/* The order of groups is nobody's promise: what follows from it alone is no mistake. */
static const char *const unordered_groups[] = { "accumulator-00190" };

static bool has_unordered_groups(struct value test)
{
	for (size_t i = 0; i < sizeof unordered_groups / sizeof *unordered_groups; i++)
		if (key_is(value_text(value_get(test, "id")), unordered_groups[i]))
			return true;
	return false;
}

/* What the case says about a command that worked. */
static bool as_expected(struct engine *e, struct value test, struct value reply)
{
	struct value unordered = value_get(test, "unordered"), result = value_get(test, "result");
	bson_t after;
	bool equal;

	if (!value_is_missing(value_get(test, "errorCode")))
		return false;
	if (!value_is_missing(result))
		return same(value_get(value_get(reply, "cursor"), "firstBatch"), result, unordered,
		            has_unordered_groups(test));
	if (!number_is(value_get(reply, "n"), value_get(test, "n")) ||
	    !number_is(value_get(reply, "nModified"), value_get(test, "nModified")))
		return false;
	equal = same(after_update(e, &after), value_get(test, "after"), unordered, false);
	bson_destroy(&after);
	return equal;
}

static void show(struct value test, const char *what, struct value reply, const char *message)
{
	struct key id = value_text(value_get(test, "id")), op = value_text(value_get(test, "operator"));

	printf("  %s %.*s %.*s\n    docs     %.600s\n    command  %.1200s\n", what, (int)id.size_bytes, id.bytes,
	       (int)op.size_bytes,
	       op.bytes, harness_text(value_get(test, "docs")), harness_text(value_get(test, "command")));
	printf("    expected %.1200s\n    got      %.1200s%s\n",
	       harness_text(!value_is_missing(value_get(test, "result")) ? value_get(test, "result")
	                    : !value_is_missing(value_get(test, "after")) ? value_get(test, "after")
	                                                                   : value_get(test, "errorCode")),
	       harness_text(reply), message ? message : "");
}

static bool asked_for(struct value test)
{
	for (int i = 0; i < arg_count; i++)
		if (key_is(value_text(value_get(test, "id")), args[i]) || key_is(value_text(value_get(test, "operator")), args[i]))
			return true;
	return arg_count == 0;
}

static void run_case(struct engine *e, struct value test)
{
	static const char *const names[] = { "right", "refused", "WRONG" };
	struct value expected_code = value_get(test, "errorCode"), errors, document;
	enum outcome outcome;
	bson_error_t error;
	uint32_t code = 0;
	const char *message = "";
	bson_t reply;

	set_up(e, value_get(test, "docs"));
	memset(&error, 0, sizeof error);
	if (!run(e, value_get(test, "command"), &reply, &error)) {
		code = error.code;
		message = error.message;
	}
	document = value_from_bson(&reply);
	errors = value_get(document, "writeErrors");
	if (value_is_array(errors)) {
		code = (uint32_t)value_int32(value_get(value_get(errors, "0"), "code"));
		message = value_text(value_get(value_get(errors, "0"), "errmsg")).bytes;
	}
	if (code)
		outcome = value_as_double(expected_code) == code ? RIGHT : is_refusal(code, message) ? REFUSED : WRONG;
	else
		outcome = as_expected(e, test, document) ? RIGHT : WRONG;
	tally_of(value_text(value_get(test, "operator")))->counts[outcome]++;
	totals[outcome]++;
	if (arg_count || (outcome == WRONG && totals[WRONG] <= WRONG_SHOWN))
		show(test, names[outcome], document, NULL);
	bson_destroy(&reply);
}

static void run_file(struct engine *e, const char *area)
{
	char path[512];
	size_t size;
	char *text;
	struct reader reader;
	struct bytes line = BYTES_INIT;
	bson_error_t error;
	struct value test;

	snprintf(path, sizeof path, "%s/engine-cases/%s.jsonl", harness_corpus(), area);
	text = harness_read_file(path, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	reader_init(&reader, path, text, size);
	while (!reader_at_end(&reader)) {
		bytes_reset(&line);
		if (!reader_document(&reader, &line, &error)) {
			fprintf(stderr, "%s\n", error.message);
			CU_FAIL("a case cannot be read");
			break;
		}
		value_document(&test, line.data, line.size);
		if (asked_for(test))
			run_case(e, test);
	}
	bytes_clear(&line);
	free(text);
}

/* Whether tests/refused.tsv names the operator as one that is refused. */
static bool refusal_is_listed(const char *table, const char *operator)
{
	size_t length = strlen(operator);
	const char *line = table;

	while ((line = strstr(line, operator))) {
		if (line > table && line[-1] == '\n' && line[length] == '\t')
			return true;
		line += length;
	}
	return false;
}

/* What is refused is listed with its reason, and nothing else is. */
static void compare_refusals(void)
{
	size_t size;
	char *table = harness_read_file("tests/refused.tsv", &size);
	int listed = 0, rows = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	for (size_t i = 0; i < tally_count; i++) {
		if (!tallies[i].counts[REFUSED])
			continue;
		if (!refusal_is_listed(table, tallies[i].name))
			fprintf(stderr, "%s: refused, and not in tests/refused.tsv\n", tallies[i].name);
		listed += refusal_is_listed(table, tallies[i].name);
		rows++;
	}
	CU_ASSERT_EQUAL(listed, rows);
	for (const char *line = table; (line = strstr(line, "\n$")); line++)
		rows--;
	CU_ASSERT_EQUAL(rows, 0); /* a row for each, and each for a row */
	free(table);
}

static void cases(void)
{
	static const char *const areas[] = { "query", "projection", "update", "accumulator", "expression" };
	struct engine *e = engine_new();

	printf("\n");
	for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
		run_file(e, areas[i]);
	engine_destroy(e);
	for (size_t i = 0; i < tally_count; i++) {
		const int *c = tallies[i].counts;

		printf("  %-20s %4d right %4d refused %4d wrong\n", tallies[i].name, c[RIGHT], c[REFUSED], c[WRONG]);
	}
	if (!arg_count)
		compare_refusals();
	for (size_t i = 0; i < tally_count; i++)
		free(tallies[i].name);
	free(tallies);
	printf("summary: %d right, %d refused, %d wrong\n", totals[RIGHT], totals[REFUSED], totals[WRONG]);
	CU_ASSERT_EQUAL(totals[WRONG], 0);
	CU_ASSERT(totals[RIGHT] > 0);
}

int main(int argc, char **argv)
{
	static const struct test_case tests[] = { { "operator cases", cases }, { NULL, NULL } };

	if (!harness_corpus())
		harness_skip("skipped: BSONSCOPE_CORPUS is not set");
	arg_count = argc - 1;
	args = argv + 1;
	return harness_run("engine cases", tests);
}
