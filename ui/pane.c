#include "ui/pane.h"

#include <stdio.h>

const struct pane_type *pane_type(enum pane p)
{
	static const struct pane_type *const types[PANE_COUNT] = {
		[PANE_COLLECTIONS] = &pane_collections, [PANE_SHAPES] = &pane_shapes, [PANE_ACCESS] = &pane_access,
		[PANE_EXPLAIN] = &pane_explain, [PANE_ROW] = &pane_row, [PANE_SIZES] = &pane_sizes,
		[PANE_GROWTH] = &pane_growth, [PANE_DOCUMENT] = &pane_document, [PANE_PATHS] = &pane_paths,
		[PANE_WORKLOAD] = &pane_workload, [PANE_LOG] = &pane_log, [PANE_WHY] = &pane_why, [PANE_HELP] = &pane_help,
	};

	return types[p];
}

void pane_draw_nothing_known(const struct app *a, const struct canvas *c, int row, const char *what)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "%s are known: write them to %s, or give --queries FILE", what, a->model->name);
	canvas_text(c, row, 3, c->area.width - 4, STYLE_FAINT, bytes_text(&text));
	bytes_clear(&text);
}

int pane_draw_title(const struct app *a, const struct canvas *c, enum pane p, const char *text)
{
	enum style s = a->focus == p ? STYLE_TITLE_FOCUS : STYLE_TITLE;
	char title[512];
	const char *filter = a->lists[p].filter;
	int used;

	canvas_line(c, 0, 0, c->area.width, STYLE_FRAME);
	if (p < PANE_TABS)
		snprintf(title, sizeof title, " %d %s", p + 1, text);
	else
		snprintf(title, sizeof title, " %s", text);
	used = 2 + canvas_text(c, 0, 2, c->area.width - 4, s, title);
	if (filter) {
		used += canvas_text(c, 0, used, c->area.width - used - 2, STYLE_TEXT, " ");
		snprintf(title, sizeof title, "/%s", filter);
		used += canvas_text(c, 0, used, c->area.width - used - 2, STYLE_MATCH, title);
	}
	used += canvas_text(c, 0, used, 1, STYLE_TEXT, " ");
	return used;
}

void pane_draw_heading(const struct canvas *c, int row, int end, const char *mark, const char *text)
{
	char padded[64];

	snprintf(padded, sizeof padded, " %s%s ", mark ? mark : "", text);
	canvas_right(c, row, end + 1, canvas_width(c, padded), STYLE_HEADING, padded);
}

int pane_table_width(const struct canvas *c)
{
	enum { WIDEST = 132 };

	return c->area.width < WIDEST ? c->area.width : WIDEST;
}

enum style pane_row_style(const struct app *a, enum pane p, size_t position, enum style s)
{
	if (a->lists[p].position != position)
		return s;
	return a->focus == p ? STYLE_CURSOR : STYLE_NAME;
}

int pane_draw_bytes(const struct app *a, const struct canvas *c, int row, int end, int width, enum style s, struct figure f)
{
	char number[40], text[48];

	snprintf(text, sizeof text, figure_known(f) ? "%s B" : "%s", figure_format(f, a->ascii, number, sizeof number));
	return canvas_right(c, row, end, width, s, text);
}

bool pane_ratio(const struct app *a, struct figure mine, struct figure other, char *text, size_t size, enum style *s)
{
	double ratio;

	text[0] = 0;
	*s = STYLE_FAINT;
	if (!workload_ratio(mine, other, &ratio))
		return false;
	if (mine.value == other.value) {
		snprintf(text, size, "=");
		return true;
	}
	*s = ratio < 1 ? STYLE_LESS : STYLE_MORE;
	if (ratio >= 9999.5 && ratio < 999499.5) {
		snprintf(text, size, "%.0fk%s", ratio / 1000, a->ascii ? "x" : "×");
		return true;
	}
	snprintf(text, size, ratio >= 9999.5 ? "%.1e%s" : ratio >= 99.95 ? "%.0f%s" : ratio >= 9.995 ? "%.1f%s" : "%.2f%s", ratio,
	         a->ascii ? "x" : "×");
	return true;
}

void pane_micros(const struct app *a, struct figure micros, char *text, size_t size)
{
	int64_t us = micros.value;

	if (!figure_known(micros))
		snprintf(text, size, "%s", a->ascii ? "-" : "—");
	else if (us < 1000)
		snprintf(text, size, "%d %ss", (int)us, a->ascii ? "u" : "µ");
	else if (us < 9950)
		snprintf(text, size, "%.1f ms", (double)us / 1e3);
	else if (us < 10000000)
		snprintf(text, size, "%.0f ms", (double)us / 1e3);
	else
		snprintf(text, size, "%.1f s", (double)us / 1e6);
}
