/* The parts of the Paths pane: what it shows, the table of a level, the schema's summary. */
#ifndef BSONSCOPE_UI_PATHS_TABLE_H
#define BSONSCOPE_UI_PATHS_TABLE_H

#include "ui/pane.h"

/* Where texts begin, and room for a number. */
enum { PATHS_INDENT = 3, PATHS_CELL = 40 };

/* What the pane shows, and where in it one stands; null: nothing yet. */
const struct paths *paths_shown(const struct app *a);
const struct path_node *paths_place(const struct app *a);

/* The field that names its documents. */
const char *paths_id_key(const struct app *a);

/* Appends a row's name. */
void paths_name_text(const struct path_row *r, struct bytes *text);

/* Headings on the canvas's second line, below them the list's rows. */
void paths_table_draw(const struct app *a, const struct canvas *c);

/* How deep, how long and of which versions the documents are, on so many lines. */
enum { PATHS_SCHEMA_LINES = 3 };
void paths_schema_draw(const struct app *a, const struct canvas *c, int row);

#endif
