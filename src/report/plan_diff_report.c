/* Two plans side by side. */
#include <string.h>

#include "bson/print.h"
#include "plan/diff.h"
#include "plan/lines.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/plan_report.h"
#include "report/table.h"

static void add_stage(struct table *t, const struct plan_node *n, int depth)
{
	struct bytes text = BYTES_INIT;

	if (n) {
		bytes_format(&text, "%*s", depth, "");
		plan_line_title(n, &text);
	}
	table_text(t, bytes_text(&text));
	bytes_clear(&text);
}

/* "680 -> 2", or the number that both have; blank where neither side has such a counter. */
static void add_change(struct table *t, struct figure a, struct figure b, bool ascii)
{
	struct bytes text = BYTES_INIT;
	char first[48], second[48];

	if (figure_known(a) || figure_known(b)) {
		figure_format(a, ascii, first, sizeof first);
		figure_format(b, ascii, second, sizeof second);
		if (strcmp(first, second))
			bytes_format(&text, "%s -> %s", first, second);
		else
			bytes_append_text(&text, first);
	}
	table_text(t, bytes_text(&text));
	bytes_clear(&text);
}

static struct figure docs_of(const struct plan_node *n)
{
	return n ? n->docs : figure_unknown();
}

static struct figure keys_of(const struct plan_node *n)
{
	return n ? n->keys : figure_unknown();
}

static struct figure returned_of(const struct plan_node *n)
{
	return n ? n->returned : figure_unknown();
}

static const char *mark_of(const struct plan_pair *p)
{
	return !p->a ? "+" : !p->b ? "-" : p->changed ? "~" : "";
}

void plan_report_diff(struct bytes *out, const struct plan_tree *a, const struct plan_tree *b, bool ascii)
{
	static const char *const headings[] = { "", "first", "second", "docs", "keys", "returned" };
	struct plan_diff d;
	struct table table;

	plan_diff_make(a, b, &d);
	table_init(&table, "lllrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&table, headings[i]);
	for (size_t i = 0; i < d.count; i++) {
		const struct plan_pair *p = &d.pairs[i];

		table_text(&table, mark_of(p));
		add_stage(&table, p->a, p->depth_a);
		add_stage(&table, p->b, p->depth_b);
		add_change(&table, docs_of(p->a), docs_of(p->b), ascii);
		add_change(&table, keys_of(p->a), keys_of(p->b), ascii);
		add_change(&table, returned_of(p->a), returned_of(p->b), ascii);
	}
	table_print(&table, 2, out);
	table_clear(&table);
	plan_diff_clear(&d);
	bytes_append_text(out, "\n  ");
	plan_diff_verdict(a, b, true, out);
	bytes_append_byte(out, '\n');
}

static void write_side(struct writer *w, const char *name, const struct plan_node *n)
{
	if (!n) {
		writer_null(w, name);
		return;
	}
	writer_begin_document(w, key_of(name));
	writer_text(w, "stage", n->stage);
	if (n->index)
		writer_text(w, "index", n->index);
	else
		writer_null(w, "index");
	figures_write(w, "keysExamined", n->keys);
	figures_write(w, "docsExamined", n->docs);
	figures_write(w, "returned", n->returned);
	writer_end(w);
}

static void write_sums(struct writer *w, const char *name, const struct plan_tree *t)
{
	writer_begin_document(w, key_of(name));
	figures_write(w, "returned", t->returned);
	figures_write(w, "keysExamined", t->total.keys);
	figures_write(w, "docsExamined", t->total.docs);
	figures_write(w, "millis", t->millis);
	writer_end(w);
}

void plan_report_diff_json(struct bytes *out, const struct plan_tree *a, const struct plan_tree *b)
{
	struct bytes document = BYTES_INIT, verdict = BYTES_INIT;
	struct plan_diff d;
	struct writer w;

	plan_diff_make(a, b, &d);
	plan_diff_verdict(a, b, true, &verdict);
	writer_begin(&w, &document);
	write_sums(&w, "first", a);
	write_sums(&w, "second", b);
	writer_begin_array(&w, key_of("nodes"));
	for (size_t i = 0; i < d.count; i++) {
		writer_begin_document(&w, key_of(""));
		write_side(&w, "first", d.pairs[i].a);
		write_side(&w, "second", d.pairs[i].b);
		writer_bool(&w, "changed", d.pairs[i].changed);
		writer_end(&w);
	}
	writer_end(&w);
	writer_text(&w, "verdict", bytes_text(&verdict));
	json_print(&w, out);
	plan_diff_clear(&d);
	bytes_clear(&verdict);
}
