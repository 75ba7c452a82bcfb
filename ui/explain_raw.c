/* The raw reply as mongosh shows it, folded, with what is searched for lit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/explain_faces.h"

enum { LEFT = 1, INDENT = 2, STEP = 8 };

static struct folds *folds(const struct app *a)
{
	return a->explain.folds;
}

static size_t selected(const struct app *a)
{
	int64_t line = rows_selected(&a->lists[PANE_EXPLAIN]);

	return line < 0 || !folds(a)->text || (size_t)line >= folds(a)->text->count ? 0 : (size_t)line;
}

/* Every place of what is searched for. */
static void light_hits(const struct canvas *c, int row, int column, int skip, const struct rows *l, const char *text)
{
	const char *hit;

	for (const char *at = text; l->filter && (hit = rows_find(l, at)); at = hit + strlen(l->filter)) {
		char *before = strndup(text, (size_t)(hit - text)), *word = strndup(hit, strlen(l->filter));
		int start = canvas_width(c, before) - skip, width = canvas_width(c, word);

		free(before);
		free(word);
		if (start < 0) {
			width += start;
			start = 0;
		}
		if (width > 0)
			canvas_style(c, row, column + start, width, STYLE_MATCH);
	}
}

static void draw_line(const struct app *a, const struct canvas *c, int row, size_t position)
{
	const struct folds *f = folds(a);
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	size_t line = (size_t)l->ids[position];
	bool opens = folded_text_opens(f->text, line);
	int column = LEFT + INDENT * f->text->lines[line].depth, skip = l->left;
	struct canvas text_area = canvas_part(c, (struct rect){ 0, 0, c->area.height, c->area.width - 1 });
	struct bytes text = BYTES_INIT;

	folded_text_line(f->text, line, !f->open[line], &text);
	if (column > c->area.width / 2)
		column = LEFT + c->area.width / 2; /* deeper is not told apart by the eye */
	if (opens)
		canvas_text(c, row, column, 1, STYLE_KEY, f->open[line] ? "▾" : "▸");
	column += INDENT;
	canvas_text_from(&text_area, row, column, text_area.area.width - column, skip,
	                 pane_row_style(a, PANE_EXPLAIN, position, opens && f->open[line] ? STYLE_TITLE : STYLE_TEXT),
	                 bytes_text(&text));
	light_hits(&text_area, row, column, skip, l, bytes_text(&text));
	if (a->focus == PANE_EXPLAIN && l->position == position)
		canvas_text(c, row, 0, 1, STYLE_CHOSEN, "▸");
	bytes_clear(&text);
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	enum style s;

	if (!explain_page(a)) {
		const char *missing = explain_missing(a, &s);

		canvas_text(c, 0, LEFT, c->area.width - 2, s, missing);
		return;
	}
	for (int i = 0; i < c->area.height && l->top + i < (int)l->count; i++)
		draw_line(a, c, i, (size_t)(l->top + i));
}

/* What is open belongs to the reply that is shown: another one begins folded. */
static void list(const struct app *a, struct rows *l)
{
	const struct plan_page *page = explain_page(a);

	folds_look_at(folds(a), page ? &page->raw : NULL);
	folds_list(folds(a), l);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 0;
}

static bool opens(const struct app *a, size_t line)
{
	return folds(a)->text && folded_text_opens(folds(a)->text, line);
}

static void set_open(struct app *a, size_t line, bool open)
{
	folds(a)->open[line] = open;
}

/* Selects a line that is not hidden and shows what stands around it. */
static void show_line(struct app *a, size_t line)
{
	struct rows *l = &a->lists[PANE_EXPLAIN];
	int around = explain_height(a) / 3;

	rows_begin(l);
	folds_list(folds(a), l);
	l->selected = (int64_t)line;
	rows_settle(l);
	if ((int)l->position < l->top || (int)l->position >= l->top + explain_height(a))
		l->top = (int)l->position > around ? (int)l->position - around : 0;
}

void explain_show_raw(struct app *a, const struct plan_node *n)
{
	const struct plan_page *page = explain_page(a);
	size_t line = 0;

	if (!page)
		return;
	explain_set_face(a, FACE_RAW);
	folds_look_at(folds(a), &page->raw);
	if (n && n->source.bytes)
		line = folded_text_line_at(&page->raw, (size_t)(n->source.bytes - page->tree->reply.data));
	folds_reveal(folds(a), line);
	set_open(a, line, true);
	show_line(a, line);
}

/* On what opens nothing, and on a closing line: what holds it. */
static void enter(struct app *a)
{
	size_t line = selected(a);

	if (!folds(a)->text)
		return;
	if (!opens(a, line))
		line = folds_parent(folds(a), line);
	set_open(a, line, !folds(a)->open[line]);
	rows_select(&a->lists[PANE_EXPLAIN], (int64_t)line);
}

/* What opens nothing is scrolled sideways: it may be long. */
static void unfold(struct app *a)
{
	if (opens(a, selected(a)) && !folds(a)->open[selected(a)])
		set_open(a, selected(a), true);
	else
		a->lists[PANE_EXPLAIN].left += STEP;
}

static void fold(struct app *a)
{
	struct rows *l = &a->lists[PANE_EXPLAIN];
	size_t line = selected(a);

	if (l->left > 0) {
		l->left = l->left > STEP ? l->left - STEP : 0;
		return;
	}
	if (!folds(a)->text)
		return;
	if (opens(a, line) && folds(a)->open[line])
		set_open(a, line, false);
	else
		rows_select(l, (int64_t)folds_parent(folds(a), line));
}

static void unfold_all(struct app *a)
{
	size_t line = selected(a);

	folds_open_all(folds(a));
	while (folds(a)->text && line > 0 && !folds(a)->open[folds_parent(folds(a), line)])
		line = folds_parent(folds(a), line);
	rows_select(&a->lists[PANE_EXPLAIN], (int64_t)line);
}

/* Whatever hides a hit is opened; the selection goes to the next one, or stays on one when the search has just begun. */
static void go_to_hit(struct app *a, int step)
{
	struct rows *l = &a->lists[PANE_EXPLAIN];
	size_t from = selected(a), count = folds(a)->text ? folds(a)->text->count : 0, hits, number;
	int64_t line;

	if (!count)
		return;
	if (step == 0)
		from = from ? from - 1 : count - 1;
	line = folds_find(folds(a), l, from, step < 0);
	if (line < 0) {
		app_say(a, "not in the reply: \"%s\"", l->filter);
		return;
	}
	hits = folds_open_hits(folds(a), l, (size_t)line, &number);
	show_line(a, (size_t)line);
	app_say(a, "line %zu of %zu with \"%s\"", number, hits, l->filter);
}

static void copy(const struct app *a, struct bytes *text)
{
	if (folds(a)->text && folds(a)->text->count)
		folded_text_value(folds(a)->text, selected(a), text);
}

const struct pane_type explain_raw = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true, .enter = enter,
	.unfold = unfold, .fold = fold, .unfold_all = unfold_all, .go_to_hit = go_to_hit, .copy = copy,
};
