/*
 * The access-pattern table: what each operation costs in the chosen shape, and against the shape compared with. Behind the
 * model's stand those of a log that is open, with what a log says of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/cost_view.h"
#include "ui/pane.h"

/* The figures of the table and how wide each is; a ratio follows each. */
static const struct column {
	enum cost_field field;
	const char *heading;
	int width;
} figures[] = {
	{ COST_round_trips, "trips", 6 },
	{ COST_docs_examined, "docs", 9 },
	{ COST_bytes_read, "bytes read", 11 },
	{ COST_bytes_written, "bytes written", 11 },
};
enum { FIGURES = sizeof figures / sizeof *figures, RATIO_WIDTH = 6, RATE_WIDTH = 6, LOG_LINES = 5 };

static const char *const sorts[] = {
	"the model's order", SORTED("trips"), SORTED("docs"), SORTED("bytes read"), SORTED("bytes written"), NULL,
};

/* On a narrow screen the last ratio gives its place to the names. */
static int ratio_width(const struct app *a, int figure)
{
	return a->layout.wide || figure < FIGURES - 1 ? RATIO_WIDTH : 0;
}

static int figures_width(const struct app *a)
{
	int width = 0;

	for (int i = 0; i < FIGURES; i++)
		width += figures[i].width + ratio_width(a, i);
	return width;
}

/* Where the first figure's column begins. */
static int figures_start(const struct app *a, const struct canvas *c)
{
	return pane_table_width(c) - figures_width(a) - (a->layout.wide ? RATE_WIDTH : 0) - 2;
}

static void draw_headings(const struct app *a, const struct canvas *c, int row)
{
	int end = figures_start(a, c);

	for (int i = 0; i < FIGURES; i++) {
		end += figures[i].width;
		pane_draw_heading(c, row, end, a->lists[PANE_ACCESS].sort == i + 1 ? "↓" : NULL, figures[i].heading);
		end += ratio_width(a, i);
	}
	if (a->layout.wide)
		pane_draw_heading(c, row, pane_table_width(c) - 2, NULL, "/s");
}

bool pane_access_is_lit(const struct app *a, size_t operation, enum cost_field field)
{
	const struct workload_row *mine = app_row(a, a->shape, operation), *other = app_row(a, a->compared, operation);
	const struct cost *before = a->explain.before_index ? &a->explain.before_index[operation]
	                            : a->lit && other       ? &other->total
	                                                    : NULL;
	struct figure x, y;

	if (!mine || !before)
		return false;
	x = cost_get(&mine->total, field);
	y = cost_get(before, field);
	return figure_known(x) && figure_known(y) && x.value != y.value;
}

static void draw_figures(const struct app *a, const struct canvas *c, int row, size_t operation, enum style s)
{
	const struct workload_row *mine = app_row(a, a->shape, operation), *other = app_row(a, a->compared, operation);
	bool pending = a->findings[a->shape].row_pending[operation];
	int end = figures_start(a, c);
	char ratio[16];
	enum style ratio_style;

	for (int i = 0; i < FIGURES; i++) {
		enum cost_field field = figures[i].field;

		end += figures[i].width;
		if (cost_applies(&a->model->operations[operation], field)) {
			if (mine)
				canvas_figure(c, row, end, figures[i].width,
				              pane_access_is_lit(a, operation, field) ? STYLE_LIT : s, cost_get(&mine->total, field));
			else
				canvas_right(c, row, end, figures[i].width, STYLE_FAINT, pending ? "…" : "—");
			if (mine && other && ratio_width(a, i) > 0 &&
			    pane_ratio(a, cost_get(&mine->total, field), cost_get(&other->total, field), ratio, sizeof ratio, &ratio_style))
				canvas_right(c, row, end + RATIO_WIDTH, RATIO_WIDTH - 1, ratio_style, ratio);
		}
		end += ratio_width(a, i);
	}
}

static void draw_name(const struct app *a, const struct canvas *c, int row, size_t operation, int width, enum style s)
{
	const struct operation *o = &a->model->operations[operation];
	const struct workload_row *mine = app_row(a, a->shape, operation);
	char text[160], calls[32];
	int room;

	room = width - 4 - (a->layout.wide ? 18 : 0);
	snprintf(text, sizeof text, "%s", o->name);
	if (mine && mine->calls > 1)
		snprintf(text, sizeof text, "%s · %s", o->name, figure_format_count(mine->calls, calls, sizeof calls));
	if (canvas_width(c, text) > room)
		snprintf(text, sizeof text, "%s", o->name);
	canvas_fill(c, row, 3, room, s);
	canvas_text(c, row, 3, room, s, text);
	if (!a->layout.wide)
		return;
	canvas_text(c, row, width - 18, 6, STYLE_FAINT, o->type == OPERATION_READ ? "read" : "write");
	canvas_text(c, row, width - 12, 11, STYLE_FAINT, o->frequency);
}

static void draw_rate(const struct canvas *c, int row, double rate)
{
	char text[32];

	if (rate < 0)
		snprintf(text, sizeof text, "—");
	else
		snprintf(text, sizeof text, rate < 0.01 && rate > 0 ? "<0.01" : "%.10g", rate);
	canvas_right(c, row, pane_table_width(c) - 2, RATE_WIDTH - 1, STYLE_TEXT, text);
}

static void draw_row(const struct app *a, const struct canvas *c, int row, size_t position)
{
	size_t operation = (size_t)a->lists[PANE_ACCESS].ids[position];
	bool selected = position == a->lists[PANE_ACCESS].position;
	const struct row_snapshot *snapshot = a->findings[a->shape].rows[operation];
	enum style s = pane_row_style(a, PANE_ACCESS, position, STYLE_TEXT);

	if (snapshot && app_is_stale(a, &snapshot->outcome.snapshot))
		s = STYLE_FAINT;
	if (selected)
		canvas_text(c, row, 1, 1, STYLE_CHOSEN, "▸");
	draw_name(a, c, row, operation, figures_start(a, c), s);
	draw_figures(a, c, row, operation, selected ? STYLE_NAME : STYLE_TEXT);
	if (a->layout.wide)
		draw_rate(c, row, a->per_second[operation]);
}

/* Null: a row of the model. */
static const struct log_row *logged(const struct app *a, int64_t id)
{
	size_t count, operations = a->model->operation_count;
	const struct log_row *rows = workload_view_rows(a, &count);

	return (size_t)id >= operations && (size_t)id - operations < count ? &rows[(size_t)id - operations] : NULL;
}

static bool logged_writes(const struct log_row *r)
{
	static const char *const writes[] = { "insert", "update", "remove", "delete", "findAndModify", "findandmodify", "bulkWrite" };

	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
		if (!strcmp(r->operation, writes[i]))
			return true;
	return false;
}

/* Over all its runs, as a row's over all its draws; each run was one command. */
static struct figure logged_figure(const struct log_row *r, enum cost_field field)
{
	return field == COST_round_trips     ? figure_measured(r->count)
	       : field == COST_docs_examined ? r->docs_examined
	       : field == COST_bytes_read    ? r->bytes_read
	                                     : figure_unknown();
}

static void draw_logged(const struct app *a, const struct canvas *c, int row, size_t position, const struct log_row *r)
{
	bool selected = position == a->lists[PANE_ACCESS].position;
	int width = figures_start(a, c), end = width;
	struct bytes name = BYTES_INIT;

	if (selected)
		canvas_text(c, row, 1, 1, STYLE_CHOSEN, "▸");
	bytes_format(&name, "log: %s %s %s", r->operation, r->namespace_text, r->shape);
	canvas_text(c, row, 3, width - 4, pane_row_style(a, PANE_ACCESS, position, STYLE_TEXT), bytes_text(&name));
	bytes_clear(&name);
	for (int i = 0; i < FIGURES; i++) {
		end += figures[i].width;
		if (figures[i].field != COST_bytes_written || logged_writes(r))
			canvas_figure(c, row, end, figures[i].width, selected ? STYLE_NAME : STYLE_TEXT, logged_figure(r, figures[i].field));
		end += ratio_width(a, i);
	}
	if (a->layout.wide)
		draw_rate(c, row, r->per_second);
}

static void draw_either(const struct app *a, const struct canvas *c, int row, size_t position)
{
	const struct log_row *r = logged(a, a->lists[PANE_ACCESS].ids[position]);

	if (r)
		draw_logged(a, c, row, position, r);
	else
		draw_row(a, c, row, position);
}

int pane_access_rows_wished(const struct app *a)
{
	size_t count;

	workload_view_rows(a, &count);
	return (int)a->model->operation_count + (count < LOG_LINES ? (int)count : LOG_LINES);
}

/* The widest gap between the shapes over all rows and figures, in one direction. */
struct gap {
	double factor;
	size_t operation;
	int column;
	bool found;
};

static void consider(const struct app *a, size_t operation, int column, struct gap *less, struct gap *more)
{
	const struct workload_row *mine = app_row(a, a->shape, operation), *other = app_row(a, a->compared, operation);
	enum cost_field field = figures[column].field;
	double ratio;
	struct gap *gap;

	if (!mine || !other || !cost_applies(&a->model->operations[operation], field) ||
	    !workload_ratio(cost_get(&mine->total, field), cost_get(&other->total, field), &ratio) || ratio == 1 || ratio == 0)
		return;
	gap = ratio < 1 ? less : more;
	ratio = ratio < 1 ? 1 / ratio : ratio;
	if (!gap->found || ratio > gap->factor)
		*gap = (struct gap){ ratio, operation, column, true };
}

static int draw_gap(const struct app *a, const struct canvas *c, int row, int column, const struct gap *gap, bool less)
{
	char text[200];

	if (!gap->found)
		return column;
	snprintf(text, sizeof text, "%.1f× %s %s", gap->factor, less ? "fewer" : "more", figures[gap->column].heading);
	column += canvas_text(c, row, column, c->area.width - column - 1, less ? STYLE_LESS : STYLE_MORE, text);
	snprintf(text, sizeof text, " for %s   ", a->model->operations[gap->operation].name);
	return column + canvas_text(c, row, column, c->area.width - column - 1, STYLE_FAINT, text);
}

/* In words, what choosing this shape gains and costs most. */
static void draw_summary(const struct app *a, const struct canvas *c, int row)
{
	static const char hint[] = "+ - set the rate a second";
	struct gap less = { 0 }, more = { 0 };
	int column = 3;

	for (size_t i = 0; i < a->model->operation_count; i++)
		for (int f = 0; f < FIGURES; f++)
			consider(a, i, f, &less, &more);
	column = draw_gap(a, c, row, column, &less, true);
	column = draw_gap(a, c, row, column, &more, false);
	if (column + (int)sizeof hint + 2 < pane_table_width(c))
		canvas_right(c, row, pane_table_width(c) - 2, (int)sizeof hint, STYLE_FAINT, hint);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 2; /* title and summary, or title and headings */
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_ACCESS];
	int first = a->layout.wide ? 1 : 2, rows = c->area.height - heading_lines(a);
	char title[160];

	if (!a->model->operation_count && !workload_view_is_read(a)) {
		pane_draw_title(a, c, PANE_ACCESS, "Access patterns");
		pane_draw_nothing_known(a, c, first, "no operations");
		return;
	}
	snprintf(title, sizeof title, "Access patterns · %s (× against %s)", shape_name(a->shape), shape_name(a->compared));
	pane_draw_title(a, c, PANE_ACCESS, title);
	draw_headings(a, c, first - 1);
	for (int i = 0; i < rows && l->top + i < (int)l->count; i++)
		draw_either(a, c, first + i, (size_t)(l->top + i));
	if (!l->count)
		canvas_text(c, first, 3, c->area.width - 4, STYLE_FAINT, "no row contains the filter's text");
	if (a->layout.wide)
		draw_summary(a, c, first + ((int)l->count < rows ? (int)l->count : rows));
}

struct sorting {
	const struct app *app;
	enum cost_field field;
};

static int64_t sort_value(const void *context, int64_t id)
{
	const struct sorting *s = context;
	const struct log_row *r = logged(s->app, id);
	const struct workload_row *row = r ? NULL : app_row(s->app, s->app->shape, (size_t)id);
	struct figure f = r ? logged_figure(r, s->field) : row ? cost_get(&row->total, s->field) : figure_unknown();

	return figure_known(f) ? f.value : -1;
}

static void list_logged(const struct app *a, struct rows *l)
{
	size_t count;
	const struct log_row *rows = workload_view_rows(a, &count);

	for (size_t i = 0; i < count; i++) {
		struct bytes text = BYTES_INIT;

		bytes_format(&text, "log: %s %s %s", rows[i].operation, rows[i].namespace_text, rows[i].shape);
		if (rows_matches(l, bytes_text(&text)))
			rows_add(l, (int64_t)(a->model->operation_count + i));
		bytes_clear(&text);
	}
}

static void list(const struct app *a, struct rows *l)
{
	for (size_t i = 0; i < a->model->operation_count; i++) {
		const struct operation *o = &a->model->operations[i];
		char text[256];

		snprintf(text, sizeof text, "%s %s %s", o->name, o->type == OPERATION_READ ? "read" : "write", o->frequency);
		if (rows_matches(l, text))
			rows_add(l, (int64_t)i);
	}
	list_logged(a, l);
	if (l->sort) {
		struct sorting s = { a, figures[l->sort - 1].field };

		rows_sort(l, sort_value, &s);
	}
}

static void enter(struct app *a)
{
	if (workload_view_in_table(a))
		workload_view_enter(a);
	else
		app_focus(a, PANE_EXPLAIN);
}

static void copy(const struct app *a, struct bytes *text)
{
	pane_row.copy(a, text);
}

const struct pane_type pane_access = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true, .sorts = sorts, .enter = enter, .copy = copy,
};
