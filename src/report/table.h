/* Text in aligned columns: as wide as the widest cell, two spaces between, nothing at a line's end. */
#ifndef BSONSCOPE_REPORT_TABLE_H
#define BSONSCOPE_REPORT_TABLE_H

#include "base/bytes.h"
#include "base/figure.h"

enum { TABLE_COLUMNS = 16, TABLE_LEAST_NAME = 20 };

struct table {
	char **cells; /* row by row */
	size_t count, capacity;
	size_t columns;
	const char *alignment; /* a letter a column: 'l' or 'r'; borrowed */
	bool ascii;
};

/* `alignment`: one letter a column, at most TABLE_COLUMNS. */
void table_init(struct table *t, const char *alignment, bool ascii);
void table_clear(struct table *t);
void table_text(struct table *t, const char *text);
void table_figure(struct table *t, struct figure f);

/* "0.50x", "=" for 1; blank when there is none. */
void table_ratio(struct table *t, struct figure mine, struct figure other);

/*
 * Makes rows as narrow as `columns` (0: they are as wide as they are): columns that can be done without are emptied, the
 * first of them first, while column `cut` would have less than TABLE_LEAST_NAME; then its texts lose their middle.
 */
void table_fit(struct table *t, size_t columns, size_t cut, const size_t *expendable, size_t count);

/* Appends all complete rows, each after `indent` spaces. */
void table_print(const struct table *t, int indent, struct bytes *out);

/* How wide the screen is that standard output is, or else $COLUMNS says; 0: nobody knows. */
size_t report_columns(void);

#endif
