/*
 * A list's view of its rows: which are shown, in which order, which is selected and where the window over them
 * stands.
 */
#ifndef BSONSCOPE_UI_ROWS_H
#define BSONSCOPE_UI_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct rows {
	int64_t *ids;      /* rows shown, in order */
	size_t count, capacity;
	size_t position;   /* of the selected row; 0 when there is none */
	int64_t selected;  /* its id: stays selected when the order changes or it is away for a while; -1: none yet */
	int top;           /* first row in the window */
	int left;          /* columns scrolled sideways */
	int sort;          /* 0: as given */
	char *filter;      /* lower case; null: none */
	bool follows_end;  /* the last row stays selected while rows are added */
};

void rows_init(struct rows *l);
void rows_clear(struct rows *l);

/* Rows anew: empty, add each, settle. */
void rows_begin(struct rows *l);
void rows_add(struct rows *l, int64_t id);
void rows_settle(struct rows *l);

/* Largest value first; equal ones stay as they were. */
void rows_sort(struct rows *l, int64_t (*value)(const void *context, int64_t id), const void *context);

/* -1: nothing is shown. */
int64_t rows_selected(const struct rows *l);
void rows_select(struct rows *l, int64_t id);
void rows_move(struct rows *l, int64_t rows);

/* Moves the window so that it shows the selected row. */
void rows_scroll(struct rows *l, int visible_rows);

/* Takes a filter text; null or empty: none. */
void rows_set_filter(struct rows *l, const char *text);

/* Where `text` contains the filter, letter case aside; null: nowhere, or there is none. */
const char *rows_find(const struct rows *l, const char *text);

/* Whether `text` contains the filter, letter case aside. */
bool rows_matches(const struct rows *l, const char *text);

#endif
