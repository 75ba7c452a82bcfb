/*
 * Drawing text and figures into a rectangle of a curses window. What comes from data is made safe here: control
 * bytes, invalid UTF-8 and invisible direction marks become escapes, widths are wcwidth's. With `ascii` every mark
 * and line is drawn without Unicode.
 */
#ifndef BSONSCOPE_UI_CANVAS_H
#define BSONSCOPE_UI_CANVAS_H

#include <curses.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "base/figure.h"
#include "ui/layout.h"
#include "ui/theme.h"

struct canvas {
	WINDOW *window;
	struct rect area; /* nothing is drawn outside; coordinates below are relative to it */
	bool ascii;
};

struct canvas canvas_new(WINDOW *window, bool ascii);

/* The part of a canvas, cut to it. */
struct canvas canvas_part(const struct canvas *c, struct rect part);

void canvas_clear(const struct canvas *c);

/* Columns that text takes when drawn. */
int canvas_width(const struct canvas *c, const char *text);

/*
 * Draws text (UTF-8) in at most `width` columns, cut with a mark when it is longer. Returns the columns used. A width
 * below 1 draws nothing.
 */
int canvas_text(const struct canvas *c, int row, int column, int width, enum style s, const char *text);

/* The same without the first `skip` columns: for scrolling sideways. */
int canvas_text_from(const struct canvas *c, int row, int column, int width, int skip, enum style s, const char *text);

/*
 * Bytes of the text that fit into `width` columns: up to a space when there is one, all when it is short enough; at
 * least a cell.
 */
size_t canvas_fit(const struct canvas *c, const char *text, int width);

/*
 * Ends in column `end` (exclusive), reaching left at most `width`; what is too wide is shown as "#" all over, never
 * cut.
 */
int canvas_right(const struct canvas *c, int row, int end, int width, enum style s, const char *text);

/* Figures as figure_format has them, right-aligned. */
int canvas_figure(const struct canvas *c, int row, int end, int width, enum style s, struct figure f);

void canvas_fill(const struct canvas *c, int row, int column, int width, enum style s);

/* A horizontal line; a vertical one with what it meets above and below left to canvas_joint. */
void canvas_line(const struct canvas *c, int row, int column, int width, enum style s);
void canvas_column(const struct canvas *c, int row, int column, int height, enum style s);
/* JOINT_DOWN always; JOINT_UP where a line is met. */
enum joint { JOINT_DOWN, JOINT_UP };
void canvas_joint(const struct canvas *c, int row, int column, enum joint j, enum style s);

/* A bar of `eighths` eighths of a column. */
void canvas_bar(const struct canvas *c, int row, int column, int width, int64_t eighths, enum style s);

/* Changes the look of what is drawn already. */
void canvas_style(const struct canvas *c, int row, int column, int width, enum style s);

/* The window's text, a line a row, without what is blank at the right. */
void canvas_read(WINDOW *window, struct bytes *text);

#endif
