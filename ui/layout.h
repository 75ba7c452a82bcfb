/* Where things stand on the screen: arithmetic only. */
#ifndef BSONSCOPE_UI_LAYOUT_H
#define BSONSCOPE_UI_LAYOUT_H

#include <stdbool.h>

#include "base/bytes.h"

struct rect {
	int row, column, height, width;
};

/* name, title in the tab bar; the order is that of the digits and of Tab */
#define PANES(X)                          \
	X(COLLECTIONS, "Collections")     \
	X(SIZES, "Sizes")                 \
	X(ACCESS, "Access")               \
	X(EXPLAIN, "Explain")             \
	X(GROWTH, "Growth")               \
	X(SHAPES, "Shapes")               \
	X(ROW, "Row")                     \
	X(DOCUMENT, "Document")           \
	X(PATHS, "Paths")                 \
	X(WORKLOAD, "Workload")           \
	X(LOG, "Log")                     \
	X(WHY, "Why")                     \
	X(HELP, "Help")

enum pane {
#define X(name, title) PANE_##name,
	PANES(X)
#undef X
	PANE_COUNT,
	PANE_TABS = PANE_GROWTH + 1, /* those with a digit */
	PANE_ROUND = PANE_SHAPES + 1 /* those that Tab visits */
};

const char *pane_title(enum pane p);

enum { LAYOUT_DIVIDERS = 2 };

struct layout {
	bool too_small;
	struct rect header, tabs, footer;
	struct rect panes[PANE_COUNT]; /* title line included; height 0: not shown */
	struct rect dividers[LAYOUT_DIVIDERS]; /* between panes side by side; from their title lines on; height 0: none */
	bool wide;                     /* room for the columns that narrow screens leave out */
};

struct layout_wish {
	int columns, lines;
	enum pane focus;
	bool zoomed;
	int shapes, operations; /* rows that they have */
};

struct layout layout_compute(const struct layout_wish *wish);

/* A line a rectangle, for tests: "access 3,0 9x120". */
void layout_describe(const struct layout *l, struct bytes *text);

#endif
