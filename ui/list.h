/* A list's view of its rows: which are shown, in which order, which is selected and where the window over them stands. */
#ifndef BSONSCOPE_UI_LIST_H
#define BSONSCOPE_UI_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct list {
	int64_t *ids;      /* rows shown, in order */
	size_t count, capacity;
	size_t position;   /* of the selected row; 0 when there is none */
	int64_t selected;  /* its id: stays selected when the order changes; -1: none yet */
	int top;           /* first row in the window */
	int left;          /* columns scrolled sideways */
	int sort;          /* 0: as given */
	char *filter;      /* lower case; null: none */
	bool follows_end;  /* the last row stays selected while rows are added */
};

void list_init(struct list *l);
void list_clear(struct list *l);

/* Rows anew: empty, add each, settle. */
void list_begin(struct list *l);
void list_add(struct list *l, int64_t id);
void list_settle(struct list *l);

/* Largest value first; equal ones stay as they were. */
void list_sort(struct list *l, int64_t (*value)(const void *context, int64_t id), const void *context);

/* -1: nothing is shown. */
int64_t list_selected(const struct list *l);
void list_select(struct list *l, int64_t id);
void list_move(struct list *l, int64_t rows);

/* Moves the window so that it shows the selected row. */
void list_scroll(struct list *l, int visible_rows);

/* Takes a filter text; null or empty: none. */
void list_set_filter(struct list *l, const char *text);

/* Whether `text` contains the filter, letter case aside. */
bool list_matches(const struct list *l, const char *text);

#endif
