#include "ui/layout.h"

#include <string.h>

enum {
	MIN_COLUMNS = 80,
	MIN_LINES = 24,
	WIDE_COLUMNS = 110,    /* tables show all of their columns from here on */
	COMBINED_LINES = 32,   /* all panes together, when wide too */
	LEFT_COLUMNS = 48,     /* what the collections need */
	LEFT_MOST = 60,        /* and what they can use */
	ROW_LINES = 6,         /* what the selected row keeps below a long table */
	QUARTERS_LINES = 18,   /* what the four panes below the table keep */
	UPPER_LINES = 9        /* what two of them need for a plan of a few stages */
};

const char *pane_title(enum pane p)
{
	static const char *const titles[] = {
#define X(name, title) title,
		PANES(X)
#undef X
	};

	return titles[p];
}

static int at_most(int n, int limit)
{
	return n < limit ? n : limit;
}

static int at_least(int n, int limit)
{
	return n > limit ? n : limit;
}

/*
 * The scoreboard and the table, one under the other from `top`; returns the row below them. `extra`: heading lines a
 * pane; `kept`: lines for what is below.
 */
static int stack_tables(struct layout *l, const struct layout_wish *wish, int top, int bottom, int extra, int kept)
{
	int shapes = 1 + extra + wish->shapes, room = bottom - top - shapes - kept;
	int access = at_most(1 + extra + at_least(wish->operations, 1) + (l->wide ? 1 : 0), at_least(room, 4));

	l->panes[PANE_SHAPES] = (struct rect){ top, 0, shapes, wish->columns };
	l->panes[PANE_ACCESS] = (struct rect){ top + shapes, 0, access, wish->columns };
	return top + shapes + access;
}

/* Two panes from `top` on, with a line between them. */
static void side_by_side(struct layout *l, int divider, enum pane left, enum pane right, struct rect area, int left_width)
{
	l->panes[left] = (struct rect){ area.row, 0, area.height, left_width };
	l->panes[right] = (struct rect){ area.row, left_width + 1, area.height, area.width - left_width - 1 };
	l->dividers[divider] = (struct rect){ area.row, left_width, area.height, 1 };
}

/* What is looked at as a whole takes the place of the four panes. */
static bool takes_the_bottom(enum pane p)
{
	return p >= PANE_DOCUMENT && p <= PANE_LOG;
}

static void split_bottom(struct layout *l, const struct layout_wish *wish, int top, int bottom)
{
	int left = at_most(at_least(LEFT_COLUMNS, wish->columns * 3 / 8), LEFT_MOST), upper = (bottom - top) * 2 / 5;

	upper = at_least(upper, at_most(UPPER_LINES, (bottom - top) / 2));
	if (takes_the_bottom(wish->focus)) {
		l->panes[wish->focus] = (struct rect){ top, 0, bottom - top, wish->columns };
		return;
	}
	side_by_side(l, 0, PANE_COLLECTIONS, PANE_EXPLAIN, (struct rect){ top, 0, upper, wish->columns }, left);
	top += upper;
	side_by_side(l, 1, PANE_SIZES, PANE_GROWTH, (struct rect){ top, 0, bottom - top, wish->columns }, wish->columns / 2);
}

/* On narrow screens these share one with the table; every other pane has it alone. */
static bool stands_with_the_table(enum pane p)
{
	return p == PANE_ACCESS || p == PANE_SHAPES;
}

struct layout layout_compute(const struct layout_wish *wish)
{
	struct layout l = { .wide = wish->columns >= WIDE_COLUMNS };
	bool combined = l.wide && wish->lines >= COMBINED_LINES;
	int top = 1, bottom = wish->lines - 1;

	if (wish->columns < MIN_COLUMNS || wish->lines < MIN_LINES) {
		l.too_small = true;
		return l;
	}
	l.header = (struct rect){ 0, 0, 1, wish->columns };
	l.footer = (struct rect){ bottom, 0, 1, wish->columns };
	if (!combined)
		l.tabs = (struct rect){ top++, 0, 1, wish->columns };
	if (wish->zoomed || wish->focus == PANE_HELP || wish->focus == PANE_WHY || (!combined && !stands_with_the_table(wish->focus))) {
		l.panes[wish->focus] = (struct rect){ top, 0, bottom - top, wish->columns };
		return l;
	}
	top = stack_tables(&l, wish, top, bottom, l.wide ? 0 : 1, combined ? QUARTERS_LINES : ROW_LINES);
	if (combined)
		split_bottom(&l, wish, top, bottom);
	else
		l.panes[PANE_ROW] = (struct rect){ top, 0, bottom - top, wish->columns };
	return l;
}

static void describe(struct bytes *text, const char *name, struct rect r)
{
	if (r.height > 0)
		bytes_format(text, "%s %d,%d %dx%d\n", name, r.row, r.column, r.height, r.width);
}

void layout_describe(const struct layout *l, struct bytes *text)
{
	static const char *const names[] = {
#define X(name, title) #name,
		PANES(X)
#undef X
	};

	if (l->too_small)
		bytes_append_text(text, "too small\n");
	describe(text, "header", l->header);
	describe(text, "tabs", l->tabs);
	for (int p = 0; p < PANE_COUNT; p++)
		describe(text, names[p], l->panes[p]);
	for (int i = 0; i < LAYOUT_DIVIDERS; i++)
		describe(text, "divider", l->dividers[i]);
	describe(text, "footer", l->footer);
}
