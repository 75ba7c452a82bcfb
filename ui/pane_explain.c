/*
 * The plan of one of the selected row's commands: the tree with figures, what is remarked, the sum over the row's
 * commands; below it the row in full and the raw reply. With "i" the indexes stand at the bottom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "plan/findings.h"
#include "plan/lines.h"
#include "ui/cost_view.h"
#include "ui/pane.h"

/* Content is laid out on lines from 0; what is scrolled away has negative rows and is not drawn. */
struct content {
	const struct app *app;
	const struct canvas *canvas;
	const struct explain_snapshot *found;
	int line, scrolled;
};

enum { LEFT = 1, TALL = 14 };

/* The columns of figures and how wide each is, beside other panes and where there is room. */
enum column { DOCS, KEYS, RETURNED, BYTES, TIME, COLUMNS };

static const struct {
	const char *heading;
	int width, wide;
} columns[COLUMNS] = {
	{ "docs", 9, 14 }, { "keys", 8, 14 }, { "returned", 9, 13 }, { "bytes read", 12, 17 }, { "time", 8, 10 }
};

static int row(const struct content *t)
{
	return t->line - t->scrolled;
}

static void add_wrapped(struct content *t, int column, int lines, enum style s, const char *text)
{
	int width = t->canvas->area.width - column - 1;

	for (; *text && lines > 0; lines--) {
		size_t fit = lines > 1 ? canvas_fit(t->canvas, text, width) : strlen(text);
		char *piece = strndup(text, fit);

		canvas_text(t->canvas, row(t), column, width, s, piece);
		free(piece);
		text += fit;
		t->line++;
	}
}

static struct value as_document(const struct bytes *b)
{
	struct value v = value_missing();

	value_document(&v, b->data, b->size);
	return v;
}

/* How many lines the command may take. */
static int command_lines(const struct app *a)
{
	if (a->zoomed)
		return 12;
	return a->layout.panes[PANE_EXPLAIN].height > TALL ? 3 : 1;
}

/* As it was explained; before that as the model has it. */
static void add_command(struct content *t)
{
	const struct app *a = t->app;
	size_t index, count = explain_command_count(a);
	const struct operation *o = app_operation(a, &index);
	const struct command_set *set = o && a->relationship ? operation_commands(o, a->relationship, a->shape) : NULL;
	size_t number = a->explain.command < count ? a->explain.command : count - 1;
	struct bytes text = BYTES_INIT;

	if (t->found && t->found->explanation && t->found->explanation->command.size)
		command_brief(as_document(&t->found->explanation->command), &text);
	else if (set && count)
		command_brief(as_document(&set->commands[number]), &text);
	add_wrapped(t, LEFT, command_lines(a), STYLE_NAME, bytes_text(&text));
	bytes_clear(&text);
}

static int column_width(const struct content *t, int column)
{
	enum { ROOM = 110 };

	return t->canvas->area.width >= ROOM ? columns[column].wide : columns[column].width;
}

/* Where a column of figures ends; -1: where the first begins. */
static int column_end(const struct content *t, int column)
{
	int end = pane_table_width(t->canvas) - 2;

	for (int i = column + 1; i < COLUMNS; i++)
		end -= column_width(t, i);
	return end;
}

static void add_headings(struct content *t)
{
	for (int i = 0; i < COLUMNS; i++)
		canvas_right(t->canvas, row(t), column_end(t, i), column_width(t, i) - 1, STYLE_HEADING,
		             columns[i].heading);
	t->line++;
}

/* A stage without such a counter has nothing there. */
static void add_figure(struct content *t, int column, struct figure f)
{
	if (figure_known(f))
		canvas_figure(t->canvas, row(t), column_end(t, column), column_width(t, column) - 1, STYLE_TEXT, f);
}

static void add_time(struct content *t, const struct plan_node *n)
{
	char text[48];

	if (!figure_known(n->millis) && !figure_known(n->micros))
		return;
	if (!t->app->clock)
		pane_micros(t->app, figure_unknown(), text, sizeof text);
	else if (figure_known(n->micros))
		pane_micros(t->app, n->micros, text, sizeof text);
	else
		snprintf(text, sizeof text, n->millis.value ? "%" PRId64 " ms" : "< 1 ms", n->millis.value);
	canvas_right(t->canvas, row(t), column_end(t, TIME), column_width(t, TIME) - 1, STYLE_FAINT, text);
}

static void add_figures(struct content *t, const struct plan_node *n)
{
	add_figure(t, DOCS, n->docs);
	add_figure(t, KEYS, n->keys);
	add_figure(t, RETURNED, n->returned);
	add_figure(t, BYTES, n->bytes);
	add_time(t, n);
}

/* What the stage is, on its line when there is room, else the rest of it on the next. */
static void add_stage(struct content *t, const struct plan_line *l)
{
	int width = column_end(t, -1) - LEFT, column = LEFT;
	struct bytes title = BYTES_INIT, further = BYTES_INIT;
	const char *rest = "";

	plan_line_title(l->node, &title);
	column += canvas_text(t->canvas, row(t), column, width, STYLE_FRAME, l->before);
	if (canvas_width(t->canvas, bytes_text(&title)) > width - (column - LEFT) && strchr(bytes_text(&title), ' ')) {
		rest = strchr((char *)title.data, ' ') + 1;
		title.data[rest - (char *)title.data - 1] = 0;
	}
	canvas_text(t->canvas, row(t), column, width - (column - LEFT), STYLE_TITLE, (char *)title.data);
	add_figures(t, l->node);
	t->line++;
	if (*rest) {
		bytes_format(&further, "%s%s", l->hanging, rest);
		add_wrapped(t, LEFT, 1, STYLE_TITLE, bytes_text(&further));
		bytes_reset(&further);
	}
	for (int i = 0;; i++) {
		bytes_reset(&further);
		bytes_append_text(&further, l->hanging);
		if (!plan_line_further(l->node, i, &further))
			break;
		add_wrapped(t, LEFT, 1, STYLE_FAINT, bytes_text(&further));
	}
	bytes_clear(&title);
	bytes_clear(&further);
}

static void add_remarks(struct content *t, const struct plan_tree *tree)
{
	struct bytes text = BYTES_INIT;

	plan_verdict(tree, &text);
	add_wrapped(t, LEFT, 2, STYLE_LESS, bytes_text(&text));
	for (size_t i = 0; i < tree->finding_count; i++) {
		const struct plan_finding *f = &tree->findings[i];

		bytes_reset(&text);
		bytes_format(&text, "%s%s%s", f->evidence, *f->advice ? "; " : "", f->advice);
		add_wrapped(t, LEFT, 3, STYLE_MORE, bytes_text(&text));
	}
	bytes_clear(&text);
}

/* "all 2 commands: 2 trips, 6 docs, 6 keys, 502 bytes" */
static void add_sum(struct content *t)
{
	static const struct {
		enum cost_field field;
		const char *one, *many;
	} sums[] = { { COST_round_trips, "trip", "trips" },
		     { COST_docs_examined, "doc", "docs" },
		     { COST_keys_examined, "key", "keys" },
		     { COST_bytes_read, "byte read", "bytes read" } };
	const struct app *a = t->app;
	size_t index, count = explain_command_count(a);
	const struct workload_row *measured = app_operation(a, &index) ? app_row(a, a->shape, index) : NULL;
	char number[40];
	struct bytes text = BYTES_INIT;

	if (!measured)
		return;
	if (count == 1)
		bytes_append_text(&text, "the row");
	else
		bytes_format(&text, "all %zu commands", count);
	if (measured->calls > 1)
		bytes_format(&text, ", %s calls", figure_format_count(measured->calls, number, sizeof number));
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
		struct figure f = cost_get(&measured->total, sums[i].field);

		bytes_format(&text, "%s %s %s", i ? "," : ":", figure_format(f, a->ascii, number, sizeof number),
		             figure_known(f) && f.value == 1 ? sums[i].one : sums[i].many);
	}
	add_wrapped(t, LEFT, 2, STYLE_FAINT, bytes_text(&text));
	bytes_clear(&text);
}

static void add_raw(struct content *t)
{
	char text[80];

	if (!t->found->raw_count)
		return;
	t->line++;
	snprintf(text, sizeof text, "%s raw reply, %zu lines · ⏎ %s", t->app->explain.unfolded ? "-" : "+",
	         t->found->raw_count, t->app->explain.unfolded ? "folds" : "unfolds");
	add_wrapped(t, LEFT, 1, STYLE_HEADING, text);
	for (size_t i = 0; t->app->explain.unfolded && i < t->found->raw_count; i++)
		add_wrapped(t, LEFT, 1, STYLE_TEXT, t->found->raw[i]);
}

static void add_plan(struct content *t)
{
	const struct plan_tree *tree = t->found->explanation ? t->found->explanation->tree : NULL;
	struct plan_lines lines;

	if (t->found->outcome.failed) {
		add_wrapped(t, LEFT, 5, STYLE_ERROR, t->found->outcome.error.message);
	} else if (!tree) {
		add_wrapped(t, LEFT, 2, STYLE_FAINT, "an insert has no plan: it looks nothing up");
	} else {
		add_headings(t);
		plan_lines_make(tree, t->app->ascii, &lines);
		for (size_t i = 0; i < lines.count; i++)
			add_stage(t, &lines.lines[i]);
		plan_lines_clear(&lines);
		add_remarks(t, tree);
	}
}

/* Draws what is visible of it; returns how many lines there are. */
static int lay_out(const struct app *a, const struct canvas *c, int scrolled)
{
	struct content t = { .app = a, .canvas = c, .found = explain_found(a), .scrolled = scrolled };

	if (!explain_command_count(a)) {
		size_t index;

		add_wrapped(&t, LEFT, 2, STYLE_FAINT,
		            app_operation(a, &index) ? "no commands in this shape" : "no row is selected");
		return t.line;
	}
	add_command(&t);
	if (explain_is_outdated(a) && !a->explain.pending)
		add_wrapped(&t, LEFT, 2, STYLE_MORE, "before an index was changed; r measures again");
	if (t.found)
		add_plan(&t);
	else
		add_wrapped(&t, LEFT, 1, STYLE_FAINT, a->explain.pending ? "…" : "—");
	add_sum(&t);
	t.line = pane_row_content(a, c, t.line + 1, scrolled);
	if (t.found)
		add_raw(&t);
	return t.line;
}

/* The indexes */

static const struct index_offers *offers(const struct app *a)
{
	const struct explain_snapshot *found = explain_found(a);

	return found && found->explanation ? found->explanation->offers : NULL;
}

/* Lines at the bottom: a heading, the indexes that fit, and a line about the chosen one. */
static int offered_lines(const struct app *a, int height)
{
	const struct index_offers *o = offers(a);
	int wanted = 2 + (o && o->count ? (int)o->count : 1), most = height * 3 / 5;

	if (!a->explain.offering)
		return 0;
	return wanted <= most ? wanted : most > 3 ? most : 3;
}

enum { ENTRIES = 11, REST = 13, A_WRITE = 14 };

static void draw_offer_headings(const struct canvas *c)
{
	int end = pane_table_width(c) - 2;

	canvas_line(c, 0, 0, c->area.width, STYLE_FRAME);
	canvas_text(c, 0, 1, c->area.width - 2, STYLE_TITLE_FOCUS, " indexes ");
	pane_draw_heading(c, 0, end, NULL, "keys/insert");
	pane_draw_heading(c, 0, end - A_WRITE, NULL, "at rest");
	pane_draw_heading(c, 0, end - A_WRITE - REST, NULL, "entries");
}

static void format_keys_a_write(const struct app *a, const struct index_offer *o, char *text, size_t size)
{
	if (!figure_known(o->entries) || !figure_known(o->documents) || !o->documents.value)
		snprintf(text, size, "%s", a->ascii ? "-" : "—");
	else
		snprintf(text, size, o->entries.value % o->documents.value ? "%s%.2f" : "%s%.0f",
		         o->entries.at_least ? a->ascii ? ">=" : "≥" : "",
		         (double)o->entries.value / (double)o->documents.value);
}

static void draw_offer(const struct app *a, const struct canvas *c, int at, const struct index_offer *o, bool chosen)
{
	int end = pane_table_width(c) - 2, width = end - A_WRITE - REST - ENTRIES - 4;
	struct bytes text = BYTES_INIT;
	struct value specification = as_document(&o->specification);
	enum style s = chosen ? STYLE_CURSOR : o->exists ? STYLE_TEXT : STYLE_FAINT;
	char keys[32];

	bytes_format(&text, "%s ", o->collection);
	print_line(&text, value_get(specification, "key"), PRINT_SHELL);
	canvas_text(c, at, 1, 1, STYLE_CHOSEN, chosen ? "▸" : " ");
	canvas_text(c, at, 2, 1, o->exists ? STYLE_LESS : STYLE_MORE, o->exists ? "✓" : "+");
	canvas_text(c, at, 4, width, s, bytes_text(&text));
	canvas_figure(c, at, end - A_WRITE - REST, ENTRIES - 1, STYLE_TEXT, o->entries);
	pane_draw_bytes(a, c, at, end - A_WRITE, REST - 1, STYLE_TEXT, o->bytes);
	format_keys_a_write(a, o, keys, sizeof keys);
	canvas_right(c, at, end, A_WRITE - 1, STYLE_TEXT, keys);
	bytes_clear(&text);
}

static const char *why_offered(const struct index_offer *o)
{
	if (o->why)
		return "wanted: ";
	if (!o->exists)
		return "dropped to try it";
	return o->used ? "used" : "not used here";
}

/* What Enter does with it, and why one would. */
static void draw_about(const struct canvas *c, int at, const struct index_offer *o)
{
	char text[300];

	if (o->fixed)
		snprintf(text, sizeof text, "%s · of the documents' key: it stays", o->name);
	else
		snprintf(text, sizeof text, "%s · %s%s%s · ⏎ %s in the lab", o->name, why_offered(o),
		         o->why ? o->why : "", o->why && o->used ? ", used" : "", o->exists ? "drops it" : "adds it");
	canvas_text(c, at, 1, c->area.width - 2, STYLE_FAINT, text);
}

static void draw_offers(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	const struct index_offers *o = offers(a);
	int rows = c->area.height - 2;

	draw_offer_headings(c);
	if (!o || !o->count) {
		canvas_text(c, 1, 1, c->area.width - 2, STYLE_FAINT, a->explain.pending ? "…" : "none is known");
		return;
	}
	for (int i = 0; i < rows && l->top + i < (int)l->count; i++)
		draw_offer(a, c, 1 + i, &o->offers[l->ids[l->top + i]], (size_t)(l->top + i) == l->position);
	if (rows_selected(l) >= 0)
		draw_about(c, c->area.height - 1, &o->offers[rows_selected(l)]);
}

/* The pane */

/* "Explain · book page, command 2 of 2 · executionStats", with fewer words where there is less room. */
static void write_title(const struct app *a, const struct canvas *c, struct bytes *title)
{
	enum { FRAME = 8 };
	static const char *const words[] = { "command ", "" };
	size_t index, count = explain_command_count(a);
	const struct operation *o = app_operation(a, &index);

	if (!o || !count) {
		bytes_append_text(title, "Explain");
		return;
	}
	for (int i = 0; i < 2; i++) {
		bytes_reset(title);
		bytes_format(title, "Explain · %s, %s%zu of %zu · %s", o->name, words[i],
		             (a->explain.command < count ? a->explain.command : count - 1) + 1, count,
		             plan_verbosity_text(a->explain.verbosity));
		if (canvas_width(c, bytes_text(title)) + FRAME <= c->area.width)
			return;
	}
}

static void draw(const struct app *a, const struct canvas *c)
{
	int lines = offered_lines(a, c->area.height - 1), height = c->area.height - 1 - lines;
	struct canvas plan = canvas_part(c, (struct rect){ 1, 0, height, c->area.width });
	struct canvas bottom = canvas_part(c, (struct rect){ 1 + height, 0, lines, c->area.width });
	struct bytes title = BYTES_INIT;

	write_title(a, c, &title);
	pane_draw_title(a, c, PANE_EXPLAIN, bytes_text(&title));
	lay_out(a, &plan, a->explain.offering ? 0 : (int)a->lists[PANE_EXPLAIN].position);
	if (lines)
		draw_offers(a, &bottom);
	bytes_clear(&title);
}

/* The rows are the positions that the content can be scrolled to, or the indexes. */
static void list(const struct app *a, struct rows *l)
{
	struct rect area = a->layout.panes[PANE_EXPLAIN];
	struct canvas nowhere = { .area = { 0, 0, 0, area.width }, .ascii = a->ascii };
	const struct index_offers *o = offers(a);
	int hidden;

	if (a->explain.offering) {
		for (size_t i = 0; o && i < o->count; i++)
			rows_add(l, (int64_t)i);
		return;
	}
	hidden = lay_out(a, &nowhere, 0) - (area.height - 1);
	for (int i = 0; i <= (hidden > 0 ? hidden : 0); i++)
		rows_add(l, i);
}

static int heading_lines(const struct app *a)
{
	int height = a->layout.panes[PANE_EXPLAIN].height;

	return a->explain.offering ? height - (offered_lines(a, height - 1) - 2) : 1;
}

static void enter(struct app *a)
{
	const struct explain_snapshot *found = explain_found(a);
	struct canvas nowhere = { .area = { 0, 0, 0, a->layout.panes[PANE_EXPLAIN].width }, .ascii = a->ascii };
	int lines;

	if (a->explain.offering) {
		explain_change_index(a);
		return;
	}
	if (!found || !found->raw_count)
		return;
	a->explain.unfolded = !a->explain.unfolded;
	lines = lay_out(a, &nowhere, 0);
	/* to the reply's first line, or back up */
	rows_select(&a->lists[PANE_EXPLAIN], a->explain.unfolded ? lines - (int64_t)found->raw_count - 1 : 0);
}

static void copy(const struct app *a, struct bytes *text)
{
	const struct explain_snapshot *found = explain_found(a);

	for (size_t i = 0; found && i < found->raw_count; i++)
		bytes_format(text, "%s\n", found->raw[i]);
}

const struct pane_type pane_explain = {
	.draw = draw,
	.list = list,
	.heading_lines = heading_lines,
	.enter = enter,
	.copy = copy,
};
