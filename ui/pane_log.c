/*
 * The command log: what was sent, and the selected command as one can paste it into mongosh. Runs of the same command
 * are folded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/pane.h"

enum { NUMBER_END = 9, TIME_END = 18, COUNT_END = 26, TEXT = 28, TEXT_LINES = 5 };

static void draw_row(const struct app *a, const struct canvas *c, int row, size_t position)
{
	const struct rows *l = &a->lists[PANE_LOG];
	const struct log_entry *e = command_log_entry(a->log, l->ids[position]);
	enum style s = pane_row_style(a, PANE_LOG, position, STYLE_TEXT);
	struct bytes text = BYTES_INIT;
	char number[40], count[48] = "";

	if (!e)
		return;
	if (l->position == position)
		canvas_text(c, row, 1, 1, STYLE_CHOSEN, "▸");
	canvas_right(c, row, NUMBER_END, 7, STYLE_FAINT, figure_format_count(e->number, number, sizeof number));
	pane_micros(a, a->clock ? figure_measured(e->micros) : figure_unknown(), number, sizeof number);
	canvas_right(c, row, TIME_END, 9, STYLE_FAINT, number);
	if (e->run_length > 1) {
		snprintf(count, sizeof count, "%s%s", a->ascii ? "x" : "×",
		         figure_format_count((int64_t)e->run_length, number, sizeof number));
		canvas_right(c, row, COUNT_END, 7, STYLE_TITLE, count);
	}
	command_log_brief(e, &text);
	if (e->failure)
		bytes_format(&text, "  — %s", e->failure);
	canvas_text_from(c, row, TEXT, c->area.width - TEXT - 1, l->left, e->failure ? STYLE_ERROR : s, bytes_text(&text));
	bytes_clear(&text);
}

/* Below the rows: the selected one's text, whole where there is room. */
static void draw_selected(const struct app *a, const struct canvas *c)
{
	const struct log_entry *e = command_log_entry(a->log, rows_selected(&a->lists[PANE_LOG]));
	struct bytes text = BYTES_INIT;
	int top = c->area.height - TEXT_LINES - 1;
	const char *at;

	canvas_line(c, top, 0, c->area.width, STYLE_FRAME);
	pane_draw_heading(c, top, c->area.width - 2, NULL, "for mongosh: y copies");
	if (!e)
		return;
	command_log_text(e, &text);
	at = bytes_text(&text);
	for (int i = 1; i <= TEXT_LINES && *at; i++) {
		size_t fit = i < TEXT_LINES ? canvas_fit(c, at, c->area.width - 4) : strlen(at);
		char *line = strndup(at, fit);

		canvas_text(c, top + i, 3, c->area.width - 4, STYLE_TEXT, line);
		free(line);
		at += fit;
	}
	bytes_clear(&text);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1 + 1 + TEXT_LINES;
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_LOG];
	int rows = c->area.height - heading_lines(a);

	pane_draw_title(a, c, PANE_LOG, "Command log · every command sent");
	pane_draw_heading(c, 0, c->area.width - 2, NULL, "⏎ unfolds");
	for (int i = 0; i < rows && l->top + i < (int)l->count; i++)
		draw_row(a, c, 1 + i, (size_t)(l->top + i));
	if (!l->count)
		canvas_text(c, 1, 3, c->area.width - 4, STYLE_FAINT, l->filter ? "no command contains the filter's text" : "nothing sent yet");
	draw_selected(a, c);
}

static bool matches(const struct rows *l, const struct log_entry *e)
{
	struct bytes text = BYTES_INIT;
	bool found;

	if (!l->filter)
		return true;
	command_log_text(e, &text);
	found = rows_matches(l, bytes_text(&text));
	bytes_clear(&text);
	return found;
}

static void list(const struct app *a, struct rows *l)
{
	bool unfolded = true;

	for (int64_t n = command_log_first(a->log); n < command_log_end(a->log); n++) {
		const struct log_entry *e = command_log_entry(a->log, n);

		if (e->run_length > 0)
			unfolded = e->unfolded;
		if ((e->run_length > 0 || unfolded) && matches(l, e))
			rows_add(l, n);
	}
}

static void enter(struct app *a)
{
	struct log_entry *e = command_log_entry(a->log, rows_selected(&a->lists[PANE_LOG]));

	while (e && !e->run_length)
		e = command_log_entry(a->log, e->number - 1);
	if (!e || e->run_length < 2)
		return;
	e->unfolded = !e->unfolded;
	a->lists[PANE_LOG].follows_end = false;
	rows_select(&a->lists[PANE_LOG], e->number);
}

static void copy(const struct app *a, struct bytes *text)
{
	const struct log_entry *e = command_log_entry(a->log, rows_selected(&a->lists[PANE_LOG]));

	if (e)
		command_log_text(e, text);
}

const struct pane_type pane_log = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true, .enter = enter, .copy = copy,
};
