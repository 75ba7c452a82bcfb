/* How things look: one table from what a cell means to colours and attributes. */
#ifndef BSONSCOPE_UI_THEME_H
#define BSONSCOPE_UI_THEME_H

#include <curses.h>

#include "ui/explorer.h"

/*
 * meaning, foreground and background of 256 (-1: the terminal's own), of 8, attributes with colour, attributes
 * without
 */
#define STYLES(X)                                                          \
	X(TEXT, -1, -1, -1, -1, A_NORMAL, A_NORMAL)                        \
	X(FAINT, 245, -1, -1, -1, A_NORMAL, A_NORMAL)                      \
	X(FRAME, 240, -1, 4, -1, A_NORMAL, A_NORMAL)                       \
	X(TITLE, 110, -1, 6, -1, A_NORMAL, A_NORMAL)                       \
	X(TITLE_FOCUS, 215, -1, 3, -1, A_BOLD, A_BOLD)                     \
	X(HEADING, 245, -1, -1, -1, A_NORMAL, A_NORMAL)                    \
	X(NAME, 253, -1, -1, -1, A_NORMAL, A_NORMAL)                       \
	X(BAR, 253, 236, 7, 4, A_NORMAL, A_REVERSE)                        \
	X(BAR_NAME, 215, 236, 3, 4, A_BOLD, A_REVERSE | A_BOLD)            \
	X(BAR_FAINT, 247, 236, 7, 4, A_NORMAL, A_REVERSE)                  \
	X(KEY, 215, -1, 3, -1, A_BOLD, A_BOLD)                             \
	X(CURSOR, 255, 238, 7, 4, A_BOLD, A_REVERSE)                       \
	X(CHOSEN, 215, -1, 3, -1, A_BOLD, A_BOLD)                          \
	X(LIT, 16, 215, 0, 3, A_NORMAL, A_REVERSE)                         \
	X(LESS, 114, -1, 2, -1, A_NORMAL, A_NORMAL)                        \
	X(MORE, 209, -1, 1, -1, A_NORMAL, A_NORMAL)                        \
	X(GAUGE, 67, -1, 4, -1, A_NORMAL, A_NORMAL)                        \
	X(ERROR, 203, -1, 1, -1, A_BOLD, A_BOLD)                           \
	X(MATCH, 16, 222, 0, 3, A_NORMAL, A_UNDERLINE)

enum style {
#define X(name, f256, b256, f8, b8, attributes, mono) STYLE_##name,
	STYLES(X)
#undef X
	STYLE_COUNT
};

/* After the terminal is open. Honours NO_COLOR when `color` is auto. */
void theme_init(enum explorer_color color);

attr_t theme_attributes(enum style s);
short theme_pair(enum style s);

#endif
