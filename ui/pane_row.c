/*
 * The selected operation in full: its commands with their plans, and every figure of its cost beside the compared
 * shape's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cost_view.h"
#include "ui/pane.h"

/* Content is laid out on lines from 0; `row` of the canvas is the line less what is scrolled away. */
struct content {
	const struct app *app;
	const struct canvas *canvas;
	const struct operation *operation;
	size_t index;
	int line, scrolled;
};

enum { LABEL = 3, DOCS_WIDTH = 12, BYTES_WIDTH = 12, WRITTEN_WIDTH = 19, TABLE_LINES = 15, ALL = 10000, WIDEST_GAUGE = 40 };

static int row(const struct content *t)
{
	return t->line - t->scrolled;
}

/* Text over as many lines as it needs, at most `lines`. Returns the column after the last of them. */
static int add_wrapped(struct content *t, int column, int width, int lines, enum style s, const char *text)
{
	int used = 0;

	for (; *text && lines > 0; lines--) {
		size_t fit = lines > 1 ? canvas_fit(t->canvas, text, width) : strlen(text);
		char *piece = strndup(text, fit);

		used = canvas_width(t->canvas, piece);
		used = used > width ? width : used;
		canvas_text(t->canvas, row(t), column, width, s, piece);
		free(piece);
		text += fit;
		t->line++;
	}
	return column + used;
}

static void add_labelled(struct content *t, const char *label, const char *text)
{
	enum { TEXT = 19 };

	canvas_text(t->canvas, row(t), LABEL, TEXT - LABEL - 1, STYLE_FAINT, label);
	add_wrapped(t, TEXT, t->canvas->area.width - TEXT - 1, ALL, STYLE_TEXT, text);
}

static void format_unit(const struct app *a, struct figure f, const char *one, const char *many, char *text, size_t size)
{
	char number[40];

	figure_format(f, a->ascii, number, sizeof number);
	snprintf(text, size, figure_known(f) ? "%s %s" : "%s", number, f.value == 1 ? one : many);
}

static void add_unit(struct content *t, int end, int width, struct figure f, const char *one, const char *many)
{
	char text[64];

	format_unit(t->app, f, one, many, text, sizeof text);
	canvas_right(t->canvas, row(t), end, width, STYLE_TEXT, text);
}

static bool writes_documents(const struct command_cost *measured)
{
	return measured && figure_known(measured->cost.docs_written) && measured->cost.docs_written.value > 0;
}

/* Plan, documents and bytes at the right: what a read examined, or what a write wrote. */
static void add_command_cost(struct content *t, const struct command_cost *measured, int start, int end, int plan_width)
{
	bool writes = writes_documents(measured);
	int bytes_width = writes ? WRITTEN_WIDTH : BYTES_WIDTH;
	struct figure docs = writes ? measured->cost.docs_written : measured->cost.docs_examined;
	struct figure bytes = writes ? measured->cost.bytes_written : measured->cost.bytes_read;

	canvas_text(t->canvas, row(t), start, plan_width - 1, STYLE_TITLE, measured->plan ? measured->plan : "—");
	add_unit(t, end - bytes_width, DOCS_WIDTH, docs, "doc", "docs");
	add_unit(t, end, bytes_width, bytes, writes ? "B written" : "B", writes ? "B written" : "B");
}

static void add_command(struct content *t, size_t number, struct value command, const struct command_cost *measured)
{
	int plan = t->app->layout.wide ? 26 : 20, end = t->canvas->area.width - 2, used;
	int costs = plan + DOCS_WIDTH + (writes_documents(measured) ? WRITTEN_WIDTH : BYTES_WIDTH);
	struct bytes text = BYTES_INIT;
	char digits[24];

	snprintf(digits, sizeof digits, "%zu", number);
	canvas_text(t->canvas, row(t), LABEL, 2, STYLE_KEY, digits);
	command_brief(command, &text);
	used = add_wrapped(t, LABEL + 3, end - LABEL - 3, t->app->zoomed ? ALL : t->app->layout.wide ? 3 : 2, STYLE_TEXT, bytes_text(&text));
	bytes_clear(&text);
	if (measured) {
		t->line -= used < end - costs; /* beside the text when there is room */
		add_command_cost(t, measured, end - costs, end, plan);
		t->line++;
	}
}

static struct value as_document(const struct bytes *b)
{
	struct value v = value_missing();

	if (!b->size || !value_document(&v, b->data, b->size))
		return (struct value){ (const uint8_t *)"\5\0\0\0", 5, BSON_TYPE_DOCUMENT };
	return v;
}

/* As measured for the first draw; before that, or when it failed, as the model has them. */
static void add_commands(struct content *t)
{
	const struct app *a = t->app;
	const struct workload_row *measured = app_row(a, a->shape, t->index);
	const struct command_set *set = operation_commands(t->operation, a->relationship, a->shape);

	for (size_t i = 0; measured && i < measured->command_count; i++)
		add_command(t, i + 1, as_document(&measured->commands[i].command), &measured->commands[i]);
	for (size_t i = 0; !measured && set && i < set->command_count; i++)
		add_command(t, i + 1, as_document(&set->commands[i]), NULL);
	if (!measured && !set)
		add_wrapped(t, LABEL, t->canvas->area.width - LABEL - 1, ALL, STYLE_FAINT, "no commands in this shape");
}

static void add_failure(struct content *t)
{
	const struct row_snapshot *r = t->app->findings[t->app->shape].rows[t->index];

	if (r && r->outcome.failed)
		add_wrapped(t, LABEL, t->canvas->area.width - LABEL - 1, ALL, STYLE_ERROR, r->outcome.error.message);
}

static void format_cost(const struct app *a, const struct workload_row *measured, enum cost_field field, char *text, size_t size)
{
	struct figure f = measured ? cost_get(&measured->total, field) : figure_unknown();

	if (field == COST_micros)
		pane_micros(a, a->clock ? f : figure_unknown(), text, size);
	else
		figure_format(f, a->ascii, text, size);
}

/* The larger of the two fills the width: what is more than the other's stands out, what is less is dotted. */
static void add_gauge(struct content *t, int column, struct figure mine, struct figure other)
{
	int room = t->canvas->area.width - column - 2, width = room < WIDEST_GAUGE ? room : WIDEST_GAUGE;
	double largest = (double)(mine.value > other.value ? mine.value : other.value);
	int64_t eighths = (int64_t)((double)mine.value / largest * width * 8 + 0.999);
	int shared = (int)((double)other.value / largest * width + 0.5);

	if (width < 8)
		return;
	for (int i = 0; i < width && mine.value < other.value; i++)
		canvas_text(t->canvas, row(t), column + i, 1, STYLE_FRAME, "·");
	canvas_bar(t->canvas, row(t), column, width, eighths, STYLE_GAUGE);
	if (mine.value > other.value)
		canvas_style(t->canvas, row(t), column + shared, width - shared, STYLE_MORE);
}

static void add_cost_line(struct content *t, enum cost_field field)
{
	enum { MINE = 33, OTHER = 47, RATIO = 56 };
	const struct app *a = t->app;
	const struct workload_row *mine = app_row(a, a->shape, t->index), *other = app_row(a, a->compared, t->index);
	struct figure x = mine ? cost_get(&mine->total, field) : figure_unknown();
	struct figure y = other ? cost_get(&other->total, field) : figure_unknown();
	bool differs = figure_known(x) && figure_known(y) && x.value != y.value && field != COST_micros;
	enum style ratio_style;
	char text[48];

	if (!cost_applies(t->operation, field))
		return;
	canvas_text(t->canvas, row(t), LABEL, 16, STYLE_FAINT, cost_heading(field));
	format_cost(a, mine, field, text, sizeof text);
	canvas_right(t->canvas, row(t), MINE, 13, a->lit && differs ? STYLE_LIT : STYLE_NAME, text);
	format_cost(a, other, field, text, sizeof text);
	canvas_right(t->canvas, row(t), OTHER, 13, STYLE_FAINT, text);
	if (field != COST_micros && pane_ratio(a, x, y, text, sizeof text, &ratio_style)) {
		canvas_right(t->canvas, row(t), RATIO, 8, ratio_style, text);
		add_gauge(t, RATIO + 2, x, y);
	}
	t->line++;
}

static void add_table(struct content *t)
{
	const struct app *a = t->app;

	t->line++;
	canvas_text(t->canvas, row(t), LABEL, 16, STYLE_HEADING, "cost of the row");
	canvas_right(t->canvas, row(t), 33, 13, STYLE_CHOSEN, shape_name(a->shape));
	canvas_right(t->canvas, row(t), 47, 13, STYLE_HEADING, shape_name(a->compared));
	canvas_right(t->canvas, row(t), 56, 8, STYLE_HEADING, "×");
	t->line++;
	for (int f = 0; f < COST_FIELD_COUNT; f++)
		add_cost_line(t, (enum cost_field)f);
}

/* The table in two lines, where there is no room for it. */
static void add_compact(struct content *t)
{
	static const enum cost_field fields[] = { COST_keys_examined, COST_docs_returned, COST_docs_written, COST_no_ops, COST_micros };
	const struct app *a = t->app;
	const struct workload_row *mine = app_row(a, a->shape, t->index), *other = app_row(a, a->compared, t->index);
	char trips[64], docs[64], text[200];
	int column = LABEL;

	if (!mine)
		return;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (!cost_applies(t->operation, fields[i]))
			continue;
		column += canvas_text(t->canvas, row(t), column, 20, STYLE_FAINT, cost_heading(fields[i])) + 1;
		format_cost(a, mine, fields[i], text, sizeof text);
		column += canvas_text(t->canvas, row(t), column, 20, STYLE_TEXT, text) + 3;
	}
	t->line++;
	if (!other)
		return;
	format_unit(a, other->total.round_trips, "trip", "trips", trips, sizeof trips);
	format_unit(a, other->total.docs_examined, "document", "documents", docs, sizeof docs);
	snprintf(text, sizeof text, "%s: %s, %s; E shows all figures", shape_name(a->compared), trips, docs);
	add_wrapped(t, LABEL, t->canvas->area.width - LABEL - 1, ALL, STYLE_FAINT, text);
}

static void add_row(struct content *t)
{
	if (*t->operation->together)
		add_labelled(t, t->operation->type == OPERATION_READ ? "read together" : "write together", t->operation->together);
	add_commands(t);
	add_failure(t);
}

int pane_row_content(const struct app *a, const struct canvas *c, int line, int scrolled)
{
	struct content t = { .app = a, .canvas = c, .line = line, .scrolled = scrolled };

	t.operation = app_operation(a, &t.index);
	if (!t.operation)
		return line;
	add_row(&t);
	add_table(&t);
	return t.line;
}

/* The table gives way to two lines where there is no room for it. */
static void lay_out(const struct app *a, const struct canvas *c)
{
	struct content t = { .app = a, .canvas = c };

	t.operation = app_operation(a, &t.index);
	if (!t.operation)
		return;
	add_row(&t);
	if (c->area.height - t.line >= TABLE_LINES - 1)
		add_table(&t);
	else
		add_compact(&t);
}

static void draw(const struct app *a, const struct canvas *c)
{
	struct canvas inner = canvas_part(c, (struct rect){ 1, 0, c->area.height - 1, c->area.width });
	size_t index;
	const struct operation *o = app_operation(a, &index);
	const struct log_row *logged = workload_view_in_table(a);
	char title[256];

	if (o)
		snprintf(title, sizeof title, "%s · %s · %s", o->name, o->type == OPERATION_READ ? "read" : "write", o->frequency);
	else
		snprintf(title, sizeof title, "no row");
	if (logged)
		snprintf(title, sizeof title, "from the log · sums over all runs · Enter leads to its row there");
	pane_draw_title(a, c, PANE_ROW, title);
	if (logged)
		pane_workload_describe(a, &inner, 0, inner.area.height, logged);
	else
		lay_out(a, &inner);
}

static void list(const struct app *a, struct rows *l)
{
	(void)a, (void)l;
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1;
}

static void copy(const struct app *a, struct bytes *text)
{
	const struct workload_row *measured;
	const struct log_row *logged = workload_view_in_table(a);
	size_t index;

	if (logged && logged->example)
		bytes_append_text(text, logged->example);
	if (!app_operation(a, &index) || !(measured = app_row(a, a->shape, index)))
		return;
	for (size_t i = 0; i < measured->command_count; i++) {
		const struct command_cost *c = &measured->commands[i];
		struct log_entry e = { .db = c->db, .command = c->command.data, .measured = true };

		command_log_text(&e, text);
		bytes_append_text(text, "\n");
	}
}

const struct pane_type pane_row = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .copy = copy,
};
