/*
 * The plan as a tree with figures, what is remarked and, of one of the selected row's commands, the sum over them all
 * and the row in full. Its rows are lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/findings.h"
#include "plan/lines.h"
#include "plan/words.h"
#include "ui/cost_view.h"
#include "ui/explain_faces.h"

/* Content is laid out on lines from 0; what is scrolled away has negative rows and is not drawn. */
struct content {
	const struct app *app;
	const struct canvas *canvas;
	const struct explain_snapshot *found; /* null: none, or something else is open */
	int line, scrolled;
	int selected;                         /* line */
	const struct plan_node *stage;        /* that the selected line belongs to; null: to none */
};

enum { LEFT = 1, TALL = 14 };

/* The columns of figures and how wide each is, beside other panes and where there is room. */
enum column { DOCS, KEYS, RETURNED, BYTES, TIME, OWN, COLUMNS };

static const struct {
	const char *heading;
	int width, wide;
} columns[COLUMNS] = {
	{ "docs", 9, 14 }, { "keys", 8, 14 }, { "returned", 9, 13 }, { "bytes read", 12, 17 }, { "time", 8, 10 },
	{ "own", 6, 8 } /* share of the whole time */
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

static void add_times(struct content *t, const struct plan_tree *tree, const struct plan_node *n)
{
	double share = plan_own_share(tree, n);
	char text[48];

	if (!figure_known(n->millis) && !figure_known(n->micros))
		return;
	explain_format_time(t->app, n->millis, n->micros, text, sizeof text);
	canvas_right(t->canvas, row(t), column_end(t, TIME), column_width(t, TIME) - 1, STYLE_FAINT, text);
	if (share < 0 || !explain_shows_times(t->app))
		return;
	snprintf(text, sizeof text, "%.0f %%", share * 100);
	canvas_right(t->canvas, row(t), column_end(t, OWN), column_width(t, OWN) - 1, STYLE_FAINT, text);
}

static void add_figures(struct content *t, const struct plan_tree *tree, const struct plan_node *n)
{
	add_figure(t, DOCS, n->docs);
	add_figure(t, KEYS, n->keys);
	add_figure(t, RETURNED, n->returned);
	add_figure(t, BYTES, n->bytes);
	add_times(t, tree, n);
}

/* Where what follows the stage's name begins in its title; null: nothing does. */
static char *after_name(const struct plan_node *n, char *title)
{
	size_t shard = n->shard ? strlen("shard : ") + strlen(n->shard) : 0;

	return strchr(title + shard, ' ');
}

/* What the stage is, on its line when there is room, else the rest of it on the next. */
static void add_stage(struct content *t, const struct plan_tree *tree, const struct plan_line *l)
{
	int width = column_end(t, -1) - LEFT, column = LEFT, first = t->line;
	struct bytes title = BYTES_INIT, further = BYTES_INIT;
	char *space;
	const char *rest = "", *words = plan_stage_words(l->node->stage);

	plan_line_title(l->node, &title);
	bytes_text(&title); /* ends it */
	column += canvas_text(t->canvas, row(t), column, width, STYLE_FRAME, l->before);
	space = after_name(l->node, (char *)title.data);
	if (space && canvas_width(t->canvas, bytes_text(&title)) > width - (column - LEFT)) {
		*space = 0;
		rest = space + 1;
	}
	column += canvas_text(t->canvas, row(t), column, width - (column - LEFT), STYLE_TITLE, (char *)title.data);
	if (words && column + 2 + canvas_width(t->canvas, words) <= LEFT + width)
		canvas_text(t->canvas, row(t), column + 2, width, STYLE_FAINT, words);
	add_figures(t, tree, l->node);
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
	if (t->selected >= first && t->selected < t->line)
		t->stage = l->node;
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
		if (f->cost && *f->cost)
			add_wrapped(t, LEFT + 2, 2, STYLE_FAINT, f->cost);
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

static void add_tree(struct content *t, const struct plan_tree *tree)
{
	struct plan_lines lines;

	add_headings(t);
	plan_lines_make(tree, t->app->ascii, &lines);
	for (size_t i = 0; i < lines.count; i++)
		add_stage(t, tree, &lines.lines[i]);
	plan_lines_clear(&lines);
	add_remarks(t, tree);
}

/* "library.kopya · 7.0.14 · classic · queryPlanner" */
static void add_origin(struct content *t, const struct plan_tree *tree)
{
	const char *parts[] = { tree->namespace_text, tree->server_version, tree->engine, tree->sharded ? "sharded" : NULL,
		                tree->failed ? "the run ended early" : NULL,
		                tree->incomplete ? "a part is missing" : NULL };
	struct bytes text = BYTES_INIT;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i])
			bytes_format(&text, "%s%s", text.size ? " · " : "", parts[i]);
	add_wrapped(t, LEFT, 2, STYLE_NAME, bytes_text(&text));
	bytes_clear(&text);
}

/* Of a plan that was opened: there is no row that it belongs to. */
static void add_opened(struct content *t, const struct plan_tree *tree)
{
	static const char *const names[] = { "returned", "docs examined", "keys examined" };
	const struct figure figures[] = { tree->returned, tree->total.docs, tree->total.keys };
	struct bytes text = BYTES_INIT;
	char number[48];

	add_origin(t, tree);
	add_tree(t, tree);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		bytes_format(&text, "%s%s %s", i ? ", " : "", names[i],
		             figure_format(figures[i], t->app->ascii, number, sizeof number));
	if (explain_format_time(t->app, tree->millis, figure_unknown(), number, sizeof number))
		bytes_format(&text, ", %s", number);
	add_wrapped(t, LEFT, 2, STYLE_FAINT, bytes_text(&text));
	bytes_clear(&text);
}

static void add_found(struct content *t)
{
	const struct explanation *e = t->found ? t->found->explanation : NULL;
	struct bytes text = BYTES_INIT;
	const char *missing;
	enum style s;

	if (e && e->only_planned) {
		bytes_format(&text, "only planned, not run: %s", e->only_planned);
		add_wrapped(t, LEFT, 2, STYLE_MORE, bytes_text(&text));
	}
	missing = explain_missing(t->app, &s);
	if (missing)
		add_wrapped(t, LEFT, 5, s, missing);
	else
		add_tree(t, t->found->page.tree);
	bytes_clear(&text);
}

/* Draws what is visible of it. `selected`: a line, whose stage is put into *stage unless that is null. Returns how many
 * lines there are. */
static int lay_out(const struct app *a, const struct canvas *c, int scrolled, int selected, const struct plan_node **stage)
{
	const struct plan_page *page = explain_page(a);
	struct content t = { .app = a, .canvas = c, .scrolled = scrolled, .selected = selected };

	if (a->explain.opened) {
		add_opened(&t, page->tree);
	} else if (!explain_command_count(a)) {
		enum style s;

		add_wrapped(&t, LEFT, 2, STYLE_FAINT, explain_missing(a, &s));
	} else {
		t.found = explain_found(a);
		add_command(&t);
		if (explain_is_outdated(a) && !a->explain.pending)
			add_wrapped(&t, LEFT, 2, STYLE_MORE, "before an index was changed; r measures again");
		add_found(&t);
		add_sum(&t);
		t.line = pane_row_content(a, c, t.line + 1, scrolled);
	}
	if (stage)
		*stage = t.stage;
	return t.line;
}

static struct canvas nowhere(const struct app *a)
{
	return (struct canvas){ .area = { 0, 0, 0, a->layout.panes[PANE_EXPLAIN].width }, .ascii = a->ascii };
}

const struct plan_node *explain_tree_stage(const struct app *a)
{
	struct canvas c = nowhere(a);
	const struct plan_node *stage;

	lay_out(a, &c, 0, (int)a->lists[PANE_EXPLAIN].position, &stage);
	return stage;
}

/* A line at the bottom says what the selected stage does. */
static int about_lines(const struct app *a)
{
	enum { TALL_ENOUGH = 8 };

	return a->focus == PANE_EXPLAIN && !a->explain.offering && explain_height(a) >= TALL_ENOUGH;
}

static void draw_about(const struct app *a, const struct canvas *c, const struct plan_node *stage)
{
	struct bytes text = BYTES_INIT;

	if (stage)
		explain_describe(a, stage, &text);
	canvas_text(c, c->area.height - 1, LEFT, c->area.width - LEFT - 1, STYLE_NAME, bytes_text(&text));
	bytes_clear(&text);
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	int about = about_lines(a), top = a->explain.offering ? 0 : l->top;
	struct canvas lines = canvas_part(c, (struct rect){ 0, 0, c->area.height - about, c->area.width });
	const struct plan_node *stage;

	lay_out(a, &lines, top, (int)l->position, &stage);
	if (!about)
		return;
	canvas_text(&lines, (int)l->position - top, 0, 1, STYLE_CHOSEN, "▸");
	draw_about(a, c, stage);
}

static void list(const struct app *a, struct rows *l)
{
	struct canvas c = nowhere(a);
	int lines = lay_out(a, &c, 0, -1, NULL);

	for (int i = 0; i < lines; i++)
		rows_add(l, i);
}

static int heading_lines(const struct app *a)
{
	return about_lines(a);
}

static void enter(struct app *a)
{
	explain_show_raw(a, explain_tree_stage(a));
}

const struct pane_type explain_tree = { .draw = draw, .list = list, .heading_lines = heading_lines, .enter = enter };
