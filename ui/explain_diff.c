/* Two plans side by side: the stages that answer each other on one line, the numbers that differ lit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/diff.h"
#include "plan/lines.h"
#include "ui/explain_faces.h"

enum { LEFT = 1, MARK = 2, TEXT_SIZE = 112, HEADINGS = 1, ABOUT = 2, FIGURES = 3, WIDEST_STAGE = 60 };

static const char *const headings[FIGURES] = { "docs", "keys", "returned" };

static struct figure figure_at(const struct plan_node *n, int column)
{
	if (!n)
		return figure_unknown();
	return column == 0 ? n->docs : column == 1 ? n->keys : n->returned;
}

/* "1.00M": three digits. */
static void shorten(struct figure f, char *text, size_t size)
{
	static const char units[] = "kMGTPE";
	double value = (double)f.value;
	int unit = -1;

	for (; value >= 999.5 && unit < 5; unit++)
		value /= 1000;
	snprintf(text, size, "%s%.*f%c", f.at_least ? ">=" : "", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}

/* A stage without such a counter has nothing there. */
static void format_one(const struct app *a, struct figure f, bool brief, char *text, size_t size)
{
	text[0] = 0;
	if (figure_known(f) && brief && f.value > 9999)
		shorten(f, text, size);
	else if (figure_known(f))
		figure_format(f, a->ascii, text, size);
}

/* "680 → 2", or the number that both have or one alone. Whether they differ. `brief`: large ones with three digits. */
static bool format_change(const struct app *a, const struct plan_pair *p, int column, bool brief, char text[TEXT_SIZE])
{
	struct figure first = figure_at(p->a, column), second = figure_at(p->b, column);
	bool differs = p->a && p->b && (figure_known(first) != figure_known(second) ||
	                                (figure_known(first) && (first.value != second.value || first.at_least != second.at_least)));
	char one[48], other[48];

	format_one(a, first, brief, one, sizeof one);
	format_one(a, second, brief, other, sizeof other);
	if (differs)
		snprintf(text, TEXT_SIZE, "%s%s%s%s%s", one, *one ? " " : "", a->ascii ? "->" : "→", *other ? " " : "", other);
	else
		snprintf(text, TEXT_SIZE, "%s", p->a ? one : other);
	return differs;
}

/* Shapes hold the same data in different documents. */
static bool on_same_data(const struct app *a)
{
	return a->explain.opened || a->explain.against != AGAINST_SHAPE;
}

static bool make(const struct app *a, struct explain_side sides[2], struct plan_diff *d)
{
	explain_sides(a, sides);
	if (!sides[0].tree || !sides[1].tree)
		return false;
	plan_diff_make(sides[0].tree, sides[1].tree, d);
	return true;
}

struct columns {
	int stage, figures[FIGURES];
	bool brief; /* the whole numbers stand below */
};

/* Figures as wide as they need; the two stages share the rest. */
static struct columns measure_as(const struct app *a, const struct canvas *c, const struct plan_diff *d, bool brief)
{
	struct columns w = { .brief = brief };
	int rest = c->area.width - LEFT - MARK - 1;

	for (int i = 0; i < FIGURES; i++) {
		w.figures[i] = canvas_width(c, headings[i]);
		for (size_t p = 0; p < d->count; p++) {
			char text[TEXT_SIZE];
			int width;

			format_change(a, &d->pairs[p], i, brief, text);
			width = canvas_width(c, text);
			w.figures[i] = width > w.figures[i] ? width : w.figures[i];
		}
		w.figures[i] += 2;
		rest -= w.figures[i];
	}
	w.stage = rest / 2 < WIDEST_STAGE ? rest / 2 : WIDEST_STAGE;
	return w;
}

static struct columns measure(const struct app *a, const struct canvas *c, const struct plan_diff *d)
{
	enum { NARROWEST_STAGE = 20 };
	struct columns w = measure_as(a, c, d, false);

	return w.stage < NARROWEST_STAGE ? measure_as(a, c, d, true) : w;
}

static char *title_of(const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;

	if (n)
		plan_line_title(n, &text);
	return bytes_take_text(&text);
}

static void draw_stage(const struct canvas *c, int row, int column, int width, int depth, enum style s, const char *title)
{
	int indent = depth < width / 3 ? depth : width / 3;

	canvas_text(c, row, column + indent, width - indent - 1, s, title);
}

static void draw_pair(const struct app *a, const struct canvas *c, int row, const struct plan_pair *p, bool selected,
                      const struct columns *w)
{
	char *first = title_of(p->a), *second = title_of(p->b);
	bool same = p->a && p->b && !strcmp(first, second);
	int column = LEFT + MARK + 2 * w->stage;

	if (selected)
		canvas_text(c, row, 0, 1, STYLE_CHOSEN, "▸");
	canvas_text(c, row, LEFT, 1, STYLE_KEY, !p->a ? "+" : !p->b ? "-" : p->changed ? "~" : "");
	draw_stage(c, row, LEFT + MARK, w->stage, p->depth_a, selected ? STYLE_CURSOR : same ? STYLE_TEXT : STYLE_TITLE, first);
	draw_stage(c, row, LEFT + MARK + w->stage, w->stage, p->depth_b, same ? STYLE_TEXT : STYLE_TITLE, second);
	for (int i = 0; i < FIGURES; i++) {
		char text[TEXT_SIZE];
		bool differs = format_change(a, p, i, w->brief, text);

		column += w->figures[i];
		canvas_right(c, row, column, w->figures[i] - 1, differs ? STYLE_LIT : STYLE_TEXT, text);
	}
	free(first);
	free(second);
}

static void draw_headings(const struct canvas *c, const struct explain_side sides[2], const struct columns *w)
{
	int column = LEFT + MARK + 2 * w->stage;

	for (int i = 0; i < 2; i++)
		canvas_text(c, 0, LEFT + MARK + i * w->stage, w->stage - 1, STYLE_NAME, sides[i].name);
	for (int i = 0; i < FIGURES; i++) {
		column += w->figures[i];
		canvas_right(c, 0, column, w->figures[i], STYLE_HEADING, headings[i]);
	}
}

static void draw_wrapped(const struct canvas *c, int row, int lines, enum style s, const char *text)
{
	for (; *text && lines > 0; lines--, row++) {
		size_t fit = lines > 1 ? canvas_fit(c, text, c->area.width - 2) : strlen(text);
		char *line = strndup(text, fit);

		canvas_text(c, row, LEFT, c->area.width - 2, s, line);
		free(line);
		text += fit;
	}
}

/* The whole of what the selected line holds: "- IXSCAN orderId_1 · keys 2 · returned 2 · orderId: [1, 1]". */
static void draw_about(const struct app *a, const struct canvas *c, int row, const struct plan_pair *p)
{
	const struct plan_node *nodes[] = { p->a, p->b };
	static const char *const marks[] = { "-", "+" };
	struct bytes text = BYTES_INIT, further = BYTES_INIT;
	char number[48];

	for (int i = 0; i < 2; i++) {
		if (!nodes[i])
			continue;
		bytes_reset(&text);
		bytes_format(&text, "%s ", marks[i]);
		plan_line_title(nodes[i], &text);
		for (int f = 0; f < FIGURES; f++)
			if (figure_known(figure_at(nodes[i], f))) {
				bytes_format(&text, " · %s ", headings[f]);
				bytes_append_text(&text, figure_format(figure_at(nodes[i], f), a->ascii, number, sizeof number));
			}
		for (int n = 0; plan_line_further(nodes[i], n, &further); n++) {
			bytes_format(&text, " · %s", bytes_text(&further));
			bytes_reset(&further);
		}
		canvas_text(c, row++, LEFT, c->area.width - 2, STYLE_FAINT, bytes_text(&text));
	}
	bytes_clear(&text);
	bytes_clear(&further);
}

/* Both are looked for: the one that is missing says why. */
static void draw_missing(const struct app *a, const struct canvas *c, const struct explain_side sides[2])
{
	struct bytes text = BYTES_INIT;
	enum style s = STYLE_FAINT;
	const char *missing = sides[1].tree ? NULL : explain_missing(a, &s);

	if (missing)
		bytes_append_text(&text, missing);
	else
		bytes_format(&text, "%s: %s", sides[0].name, explain_waits_for_other(a) ? "…" : "no plan there");
	canvas_text(c, 0, LEFT, c->area.width - 2, s, bytes_text(&text));
	bytes_clear(&text);
}

/* It has to be read whole. */
static int verdict_lines(const struct app *a)
{
	enum { WIDE = 110 };

	return a->layout.panes[PANE_EXPLAIN].width >= WIDE ? 2 : 3;
}

static void draw_verdict(const struct app *a, const struct canvas *c, const struct explain_side sides[2],
                         const struct plan_pair *selected)
{
	struct bytes text = BYTES_INIT;
	int lines = verdict_lines(a), row = c->area.height - lines - ABOUT;

	if (selected)
		draw_about(a, c, row, selected);
	plan_diff_verdict(sides[0].tree, sides[1].tree, on_same_data(a), &text);
	draw_wrapped(c, row + ABOUT, lines, STYLE_TITLE_FOCUS, bytes_text(&text));
	bytes_clear(&text);
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	bool focused = a->focus == PANE_EXPLAIN;
	struct canvas table = canvas_part(c, (struct rect){ 0, 0, c->area.height, pane_table_width(c) });
	struct explain_side sides[2];
	struct plan_diff d;
	struct columns w;

	if (!make(a, sides, &d)) {
		draw_missing(a, c, sides);
		return;
	}
	w = measure(a, &table, &d);
	draw_headings(&table, sides, &w);
	for (int i = 0; i < c->area.height - HEADINGS - verdict_lines(a) - ABOUT && l->top + i < (int)d.count; i++)
		draw_pair(a, &table, 1 + i, &d.pairs[l->top + i], focused && l->position == (size_t)(l->top + i), &w);
	draw_verdict(a, c, sides, focused && l->position < d.count ? &d.pairs[l->position] : NULL);
	plan_diff_clear(&d);
}

static void list(const struct app *a, struct rows *l)
{
	struct explain_side sides[2];
	struct plan_diff d;

	if (!make(a, sides, &d))
		return;
	for (size_t i = 0; i < d.count; i++)
		rows_add(l, (int64_t)i);
	plan_diff_clear(&d);
}

static int heading_lines(const struct app *a)
{
	return HEADINGS + verdict_lines(a) + ABOUT;
}

static void copy(const struct app *a, struct bytes *text)
{
	struct explain_side sides[2];

	explain_sides(a, sides);
	if (sides[0].tree && sides[1].tree)
		plan_diff_verdict(sides[0].tree, sides[1].tree, on_same_data(a), text);
}

const struct pane_type explain_diff = { .draw = draw, .list = list, .heading_lines = heading_lines, .copy = copy };
