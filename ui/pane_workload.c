/*
 * The access patterns that a server wrote down: a row a shape of command, sums over all its runs. Below them the selected
 * one's shape, its plan and a command as it came.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/pane.h"

enum { DETAIL_LINES = 6 };

enum column { COUNT, DOCS, KEYS, RETURNED, P95, MOST, ALL, COLUMNS };

/* Of the row's time altogether its order is given: sorts[0]. */
static const char *const sorts[] = { "time altogether", "count", "docs", "keys", "returned", "p95", "max", NULL };

static const struct {
	const char *heading;
	int width;
	bool wide, time; /* left out on narrow screens */
} columns[COLUMNS] = {
	[COUNT] = { "count", 10, false, false },   [DOCS] = { "docs", 12, false, false }, [KEYS] = { "keys", 12, true, false },
	[RETURNED] = { "returned", 11, false, false }, [P95] = { "p95", 8, false, true }, [MOST] = { "max", 8, true, true },
	[ALL] = { "time", 9, false, true },
};
enum { RATE_WIDTH = 8 };

static struct figure value(const struct log_row *r, enum column c)
{
	const struct figure figures[COLUMNS] = {
		[COUNT] = figure_measured(r->count),
		[DOCS] = r->docs_examined,
		[KEYS] = r->keys_examined,
		[RETURNED] = r->returned,
		[P95] = figure_scale(r->p95_millis, 1000),
		[MOST] = r->max_micros,
		[ALL] = r->total_micros,
	};

	return figures[c];
}

static int figures_start(const struct app *a, const struct canvas *c)
{
	int width = 0;

	for (int i = 0; i < COLUMNS; i++)
		width += columns[i].wide && !a->layout.wide ? 0 : columns[i].width;
	return pane_table_width(c) - width - 2 - (a->layout.wide ? RATE_WIDTH : 0);
}

/* How sure a time is stands before it: "≥12 ms". */
static void format_time(const struct app *a, struct figure f, char *text, size_t size)
{
	char time[32];

	pane_micros(a, f, time, sizeof time);
	snprintf(text, size, "%s%s",
	         !figure_known(f) ? "" : f.provenance == PROVENANCE_ESTIMATED ? "~" : !f.at_least ? "" : a->ascii ? ">=" : "≥", time);
}

static void draw_rate(const struct app *a, const struct canvas *c, int row, int end, enum style s, double rate)
{
	char text[32];

	if (rate < 0)
		snprintf(text, sizeof text, "%s", a->ascii ? "-" : "—");
	else
		snprintf(text, sizeof text, rate < 0.001 && rate > 0 ? "<0.001" : "%.3g", rate);
	canvas_right(c, row, end, RATE_WIDTH - 1, s, text);
}

static void draw_row(const struct app *a, const struct canvas *c, int row, size_t position, const struct log_row *r)
{
	bool selected = position == a->lists[PANE_WORKLOAD].position;
	enum style s = selected ? STYLE_NAME : STYLE_TEXT;
	int start = figures_start(a, c), end = start;
	struct bytes name = BYTES_INIT;
	char time[48];

	if (selected)
		canvas_text(c, row, 1, 1, STYLE_CHOSEN, "▸");
	bytes_format(&name, "%s %s %s", r->operation, r->namespace_text, r->shape);
	canvas_text(c, row, 3, start - 3, pane_row_style(a, PANE_WORKLOAD, position, STYLE_TEXT), bytes_text(&name));
	bytes_clear(&name);
	for (int i = 0; i < COLUMNS; i++) {
		if (columns[i].wide && !a->layout.wide)
			continue;
		end += columns[i].width;
		format_time(a, value(r, (enum column)i), time, sizeof time);
		if (columns[i].time)
			canvas_right(c, row, end, columns[i].width - 1, s, time);
		else
			canvas_figure(c, row, end, columns[i].width - 1, s, value(r, (enum column)i));
	}
	if (a->layout.wide)
		draw_rate(a, c, row, end + RATE_WIDTH, s, r->per_second);
}

static void draw_headings(const struct app *a, const struct canvas *c, int row)
{
	static const enum column sorted_by[] = { ALL, COUNT, DOCS, KEYS, RETURNED, P95, MOST };
	int end = figures_start(a, c);

	for (int i = 0; i < COLUMNS; i++) {
		if (columns[i].wide && !a->layout.wide)
			continue;
		end += columns[i].width;
		pane_draw_heading(c, row, end, sorted_by[a->lists[PANE_WORKLOAD].sort] == (enum column)i ? "↓" : NULL,
		                  columns[i].heading);
	}
	if (a->layout.wide)
		pane_draw_heading(c, row, end + RATE_WIDTH, NULL, "/s");
}

/* A text over at most so many lines; the last is cut. Returns the lines used. */
static int draw_wrapped(const struct canvas *c, int row, int lines, enum style s, const char *text)
{
	int used = 0;

	for (; used < lines && *text; used++) {
		size_t fit = used + 1 < lines ? canvas_fit(c, text, c->area.width - 4) : strlen(text);
		char *line = strndup(text, fit);

		canvas_text(c, row + used, 3, c->area.width - 4, s, line);
		free(line);
		text += fit;
	}
	return used;
}

void pane_workload_describe(const struct app *a, const struct canvas *c, int row, int lines, const struct log_row *r)
{
	struct bytes text = BYTES_INIT;
	int used = 0;
	char mean[48], median[48], read[40], sent[40];

	format_time(a, r->mean_micros, mean, sizeof mean);
	format_time(a, figure_scale(r->p50_millis, 1000), median, sizeof median);
	bytes_format(&text, "%s%s · mean %s · p50 %s · bytes read %s · sent %s", *r->plan ? r->plan : "plan not said",
	             r->more_plans ? " and others" : "", mean, median, figure_format(r->bytes_read, a->ascii, read, sizeof read),
	             figure_format(r->bytes_sent, a->ascii, sent, sizeof sent));
	used += draw_wrapped(c, row, 1, STYLE_NAME, bytes_text(&text));
	used += draw_wrapped(c, row + used, 2, STYLE_TEXT, r->shape);
	draw_wrapped(c, row + used, lines - used, STYLE_FAINT, r->example ? r->example : "");
	bytes_clear(&text);
}

static void draw_selected(const struct app *a, const struct canvas *c, const struct log_row *r)
{
	int top = c->area.height - DETAIL_LINES - 1;

	canvas_line(c, top, 0, c->area.width, STYLE_FRAME);
	pane_draw_heading(c, top, c->area.width - 2, NULL, "y copies the command");
	pane_workload_describe(a, c, top + 1, DETAIL_LINES, r);
}

static void draw_title(const struct app *a, const struct canvas *c)
{
	const struct workload_snapshot *found = a->workload.found;
	char records[32], title[400];
	double seconds;

	if (!found || !found->workload) {
		if (found && found->of_bytes)
			snprintf(title, sizeof title, "%s · reading, %.0f %%", a->workload.path,
			         100.0 * (double)found->done_bytes / (double)found->of_bytes);
		else
			snprintf(title, sizeof title, "%s · reading", a->workload.path ? a->workload.path : "no log is open");
		pane_draw_title(a, c, PANE_WORKLOAD, a->workload.path ? title : "no log is open: :workload FILE opens one");
		return;
	}
	seconds = log_workload_seconds(found->workload);
	snprintf(title, sizeof title, "%s · %s %s", a->workload.path,
	         figure_format_count(log_workload_records(found->workload), records, sizeof records),
	         log_workload_records(found->workload) == 1 ? "record" : "records");
	if (seconds > 0)
		snprintf(title + strlen(title), sizeof title - strlen(title), " in %.0f s", seconds);
	snprintf(title + strlen(title), sizeof title - strlen(title), " · measured by the server, sums over all runs");
	pane_draw_title(a, c, PANE_WORKLOAD, title);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 2 + 1 + DETAIL_LINES;
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_WORKLOAD];
	int rows = c->area.height - heading_lines(a);
	const struct log_row *all;
	size_t count;

	draw_title(a, c);
	all = workload_view_rows(a, &count);
	if (!all)
		return;
	draw_headings(a, c, 1);
	for (int i = 0; i < rows && l->top + i < (int)l->count; i++)
		draw_row(a, c, 2 + i, (size_t)(l->top + i), &all[l->ids[l->top + i]]);
	if (l->count)
		draw_selected(a, c, &all[rows_selected(l)]);
	else
		canvas_text(c, 2, 3, c->area.width - 4, STYLE_FAINT, "no row contains the filter's text");
}

struct sorting {
	const struct log_row *rows;
	enum column by;
};

static int64_t sort_value(const void *context, int64_t id)
{
	const struct sorting *s = context;
	struct figure f = value(&s->rows[id], s->by);

	return figure_known(f) ? f.value : -1;
}

static void list(const struct app *a, struct rows *l)
{
	size_t count;
	const struct log_row *rows = workload_view_rows(a, &count);

	for (size_t i = 0; i < count; i++) {
		struct bytes text = BYTES_INIT;

		bytes_format(&text, "%s %s %s %s", rows[i].operation, rows[i].namespace_text, rows[i].shape, rows[i].plan);
		if (rows_matches(l, bytes_text(&text)))
			rows_add(l, (int64_t)i);
		bytes_clear(&text);
	}
	if (l->sort) {
		struct sorting s = { rows, (enum column)(l->sort - 1) };

		rows_sort(l, sort_value, &s);
	}
}

static void copy(const struct app *a, struct bytes *text)
{
	size_t count;
	const struct log_row *rows = workload_view_rows(a, &count);
	int64_t selected = rows_selected(&a->lists[PANE_WORKLOAD]);

	if (selected >= 0 && (size_t)selected < count && rows[selected].example)
		bytes_append_text(text, rows[selected].example);
}

const struct pane_type pane_workload = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true, .sorts = sorts, .copy = copy,
};
