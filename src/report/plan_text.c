/* A plan tree as text: a table of stages with what each is about below it, sums, and remarks. */
#include "report/plan_report.h"

#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "plan/findings.h"
#include "plan/lines.h"
#include "plan/words.h"
#include "report/table.h"

enum { TITLE_COLUMNS = 72 };

/* A stage's specification can be as long as it likes; its figures stay beside it. */
static void cut(struct bytes *text)
{
	size_t characters = 0, i = 0;

	for (; i < text->size && (characters < TITLE_COLUMNS || (text->data[i] & 0xc0) == 0x80); i++)
		characters += (text->data[i] & 0xc0) != 0x80;
	if (i < text->size) {
		text->size = i;
		bytes_append_text(text, "...");
	}
}

static void add_figure(struct table *t, struct figure f)
{
	if (figure_known(f))
		table_figure(t, f);
	else
		table_text(t, ""); /* a stage that has no such counter */
}

static void add_time(struct table *t, const struct plan_node *n)
{
	char text[48] = "";

	if (figure_known(n->micros))
		snprintf(text, sizeof text, "%.3f ms", (double)n->micros.value / 1000);
	else if (figure_known(n->millis))
		snprintf(text, sizeof text, "%lld ms", (long long)n->millis.value);
	table_text(t, text);
}

/* "12 ms, 80 %": the stage's own time and its share of the last stage's. */
static void add_own_time(struct table *t, const struct plan_tree *tree, const struct plan_node *n)
{
	double share = plan_own_share(tree, n);
	char text[64] = "";
	int length = 0;

	if (figure_known(n->own_micros))
		length = snprintf(text, sizeof text, "%.3f ms", (double)n->own_micros.value / 1000);
	else if (figure_known(n->own_millis))
		length = snprintf(text, sizeof text, "%lld ms", (long long)n->own_millis.value);
	if (length && share >= 0)
		snprintf(text + length, sizeof text - (size_t)length, ", %.0f %%", share * 100);
	table_text(t, text);
}

static void append_number(struct bytes *text, struct figure f, const char *what, bool ascii)
{
	char number[48];

	if (figure_known(f) && f.value > 0)
		bytes_format(text, "%s%s %s", text->size ? ", " : "", figure_format(f, ascii, number, sizeof number), what);
}

/* "held 12,416 bytes, spilled to disk: 3 times, 40 records" */
static void print_memory(struct bytes *out, const struct plan_line *line, bool ascii)
{
	const struct plan_node *n = line->node;
	struct bytes held = BYTES_INIT, spilled = BYTES_INIT;

	append_number(&held, n->memory_bytes, "bytes held", ascii);
	append_number(&spilled, n->spills, "times", ascii);
	append_number(&spilled, n->spilled_records, "records", ascii);
	append_number(&spilled, n->spilled_bytes, "bytes", ascii);
	append_number(&spilled, n->spilled_disk_bytes, "bytes on disk", ascii);
	if (n->spilled)
		bytes_format(&held, "%sspilled to disk%s%s", held.size ? ", " : "", spilled.size ? ": " : "", bytes_text(&spilled));
	if (held.size)
		bytes_format(out, "  %s%s\n", line->hanging, bytes_text(&held));
	bytes_clear(&held);
	bytes_clear(&spilled);
}

static void print_further(struct bytes *out, const struct plan_line *line, bool ascii)
{
	struct bytes text = BYTES_INIT;
	const char *words = plan_stage_words(line->node->stage);

	if (words)
		bytes_format(out, "  %s%s\n", line->hanging, words);
	for (int i = 0; plan_line_further(line->node, i, &text); i++) {
		bytes_format(out, "  %s%s\n", line->hanging, bytes_text(&text));
		bytes_reset(&text);
	}
	bytes_clear(&text);
	print_memory(out, line, ascii);
}

/* A table's rows with further lines between them: what those say is as wide as it is. */
static void print_plan(struct bytes *out, const struct plan_tree *t, bool ascii)
{
	static const char *const headings[] = { "", "docs", "keys", "returned", "bytes read", "time", "own" };
	struct bytes rows = BYTES_INIT;
	struct plan_lines lines;
	struct table table;
	const char *at;

	plan_lines_make(t, ascii, &lines);
	table_init(&table, "lrrrrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&table, headings[i]);
	for (size_t i = 0; i < lines.count; i++) {
		const struct plan_node *n = lines.lines[i].node;
		struct bytes title = BYTES_INIT;

		bytes_append_text(&title, lines.lines[i].before);
		plan_line_title(n, &title);
		cut(&title);
		table_text(&table, bytes_text(&title));
		add_figure(&table, n->docs);
		add_figure(&table, n->keys);
		add_figure(&table, n->returned);
		add_figure(&table, n->bytes);
		add_time(&table, n);
		add_own_time(&table, t, n);
		bytes_clear(&title);
	}
	table_print(&table, 2, &rows);
	at = bytes_text(&rows);
	for (size_t i = 0; i <= lines.count; i++) { /* the headings, then a row a stage */
		size_t length = strcspn(at, "\n") + 1;

		bytes_append(out, at, length);
		at += length;
		if (i > 0)
			print_further(out, &lines.lines[i - 1], ascii);
	}
	table_clear(&table);
	bytes_clear(&rows);
	plan_lines_clear(&lines);
}

static void add_work(struct table *t, const char *name, const struct plan_work *work, const char *more)
{
	table_text(t, name);
	table_figure(t, work->docs);
	table_text(t, "docs");
	table_figure(t, work->keys);
	table_text(t, "keys");
	table_text(t, more);
}

static void print_work(struct bytes *out, const struct plan_tree *t, bool ascii)
{
	struct table table;

	table_init(&table, "lrlrll", ascii);
	add_work(&table, "outer", &t->outer, "");
	for (size_t i = 0; i < t->lookup_count; i++) {
		const struct plan_lookup *l = &t->lookups[i];
		struct plan_work inner = { l->keys, l->docs };
		struct bytes name = BYTES_INIT, more = BYTES_INIT;
		char scans[48];

		bytes_format(&name, "%s %s", l->node->stage, *l->from ? l->from : l->as ? l->as : "");
		if (l->counted)
			bytes_append_text(&more, "counted in the outer work");
		else
			bytes_format(&more, "%s collection scan%s", figure_format(l->collection_scans, ascii, scans, sizeof scans),
			             figure_known(l->collection_scans) && l->collection_scans.value == 1 ? "" : "s");
		for (size_t k = 0; k < l->index_count; k++)
			bytes_format(&more, "%s%s", k ? ", " : ", by ", l->indexes[k]);
		add_work(&table, bytes_text(&name), &inner, bytes_text(&more));
		bytes_clear(&name);
		bytes_clear(&more);
	}
	if (t->lookup_count || t->sharded)
		add_work(&table, "all", &t->total, "");
	table_print(&table, 2, out);
	table_clear(&table);
}

/* Of a reply that somebody kept: what it says of its server. */
static void print_origin(struct bytes *out, const struct plan_tree *t)
{
	bytes_append_text(out, t->namespace_text ? t->namespace_text : "a collection that is not named");
	if (t->server_version)
		bytes_format(out, ", MongoDB %s", t->server_version);
	if (t->sharded)
		bytes_append_text(out, ", sharded");
	bytes_format(out, " (%s)\n", t->root_form);
}

void plan_report_text(struct bytes *out, const struct plan_tree *t, struct value command, bool ascii)
{
	struct bytes verdict = BYTES_INIT;
	char returned[48];

	if (!value_is_missing(command)) {
		print_value(out, command, &(struct print_options){ .form = PRINT_SHELL, .limit_bytes = 2000 });
		bytes_append_byte(out, '\n');
	} else {
		print_origin(out, t);
	}
	bytes_format(out, "%s%s%s: returned %s\n\n", t->engine ? t->engine : "", t->engine ? " engine, " : "",
	             plan_tree_verbosity(t), figure_format(t->returned, ascii, returned, sizeof returned));
	print_plan(out, t, ascii);
	bytes_append_byte(out, '\n');
	print_work(out, t, ascii);
	bytes_append_byte(out, '\n');
	for (size_t i = 0; i < t->finding_count; i++) {
		const struct plan_finding *f = &t->findings[i];

		bytes_format(out, "  ! %s%s%s%s%s\n", f->stage, *f->stage ? ": " : "", f->evidence,
		             *f->advice ? "; " : "", f->advice);
		if (*f->cost)
			bytes_format(out, "    costs: %s\n", f->cost);
	}
	plan_verdict(t, &verdict);
	if (verdict.size)
		bytes_format(out, "  %s\n", bytes_text(&verdict));
	bytes_clear(&verdict);
}
