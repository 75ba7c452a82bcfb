/*
 * Panes: what each shows and what its rows do. Drawing only reads the state. One file a pane.
 */
#ifndef BSONSCOPE_UI_PANE_H
#define BSONSCOPE_UI_PANE_H

#include "ui/app.h"
#include "ui/canvas.h"
#include "ui/cost_view.h"

#define SORTED(by) "sorted by " by ", largest first"

/* A key and what the footer says that it does here. */
struct pane_hint {
	enum action action;
	const char *text;
};

struct pane_type {
	/* Title line, headings and rows. */
	void (*draw)(const struct app *a, const struct canvas *c);

	/* Adds the rows that the list's filter lets through, in the list's order. */
	void (*list)(const struct app *a, struct rows *l);

	/* Lines above and below the rows. */
	int (*heading_lines)(const struct app *a);

	/* Whether "/" hides rows of this pane; else it goes to the access patterns. */
	bool filterable;

	/* The orders, as they are said to the user, null-terminated; the first is the given one. Null: not sortable. */
	const char *const *sorts;

	/* Each may be null. `enter`: Enter on the selected row. `step`: Up and Down instead of moving the selection. */
	void (*enter)(struct app *a);
	void (*step)(struct app *a, int rows);

	/* Right, Left and "*" where rows unfold; null: they scroll. */
	void (*unfold)(struct app *a);
	void (*fold)(struct app *a);
	void (*unfold_all)(struct app *a);

	/*
	 * Where "/" searches instead of hiding rows: before the text is typed, and to a place that contains it: step 0 when it
	 * has been typed, then 1 and -1. Both or none.
	 */
	void (*begin_search)(struct app *a);
	void (*go_to_hit)(struct app *a, int step);

	/* Each may be null. `open`: the document behind the row. `details`: all that is known of the row; `next_view`: other
	 * columns. `back`: to where the pane was before; false: it is there. */
	void (*open)(struct app *a);
	void (*details)(struct app *a);
	void (*next_view)(struct app *a);
	bool (*back)(struct app *a);

	/* Keys of this pane, up to ACTION_NONE: the footer has them first while it has the keys. Null: none. */
	const struct pane_hint *hints;

	/* The selected row's whole value. */
	void (*copy)(const struct app *a, struct bytes *text);
};

const struct pane_type *pane_type(enum pane p);

extern const struct pane_type pane_collections, pane_sizes, pane_access, pane_explain, pane_row, pane_growth,
        pane_shapes, pane_document, pane_paths, pane_workload, pane_log, pane_why, pane_help;

/* The scoreboard's rows: the origin's shape first. */
enum shape_kind pane_shapes_at(const struct app *a, int row);
int pane_shapes_row(const struct app *a, enum shape_kind shape);

/* To the relationship's row among the collections. */
void pane_collections_select(struct app *a, const struct relationship *r);

/*
 * The collection that the selected row speaks of: its own, a relationship's last, an index's. Null: none is selected.
 */
const char *pane_collections_name(const struct app *a);

/* What is known of a collection's sizes in a shape; null: nothing yet. */
const struct sizes *pane_collections_sizes(const struct app *a, enum shape_kind shape, const char *name);

/* Why a collection has no documents of its own to look at; null: it has. */
const char *pane_sizes_why_nothing(const struct sizes *s);

/* The largest document that is selected; -1: the collection is. */
int64_t pane_sizes_selected(const struct app *a);

/* Why a collection of the chosen shape could not be measured; null: it was, or nothing is known yet. */
const char *pane_collections_error(const struct app *a, const char *name);

/* "kitap ⟵ kopya  1:1–5" */
void pane_relationship_text(const struct app *a, const struct relationship *r, char *text, size_t size);

/* "WHAT are known: write them to FILE …": for a model that has none. */
void pane_draw_nothing_known(const struct app *a, const struct canvas *c, int row, const char *what);

/*
 * The selected operation's commands and whole cost on the canvas's lines from `line` on, less `scrolled`. Returns the
 * line below.
 */
int pane_row_content(const struct app *a, const struct canvas *c, int line, int scrolled);

/*
 * A pane's first line: rule and title. Returns the column after the title. `text` is drawn after the pane's digit and
 * name.
 */
int pane_draw_title(const struct app *a, const struct canvas *c, enum pane p, const char *text);

/* A heading that ends in column `end`, in the rule or on a line of its own; `mark` before it: null for none. */
void pane_draw_heading(const struct canvas *c, int row, int end, const char *mark, const char *text);

/* Columns that a table fills: on very wide screens the eye would lose its line. */
int pane_table_width(const struct canvas *c);

/* How the selected row's name looks: with a bar when its pane has the keys. `s` for a row that is not selected. */
enum style pane_row_style(const struct app *a, enum pane p, size_t position, enum style s);

/* "6,149,233 B" */
int pane_draw_bytes(const struct app *a, const struct canvas *c, int row, int end, int width, enum style s, struct figure f);

/* "2.00x", "=" for equal figures; nothing when it is not known. The style says whether it costs less or more. */
bool pane_ratio(const struct app *a, struct figure mine, struct figure other, char *text, size_t size, enum style *s);

/* A cell of the access table that the last toggle, or the last index, changed; until the next key. */
bool pane_access_is_lit(const struct app *a, size_t operation, enum cost_field field);

/* How many lines the table would fill: the model's rows, and some of a log's. */
int pane_access_rows_wished(const struct app *a);

/* A log's row in full, over so many lines: its plan and times, its shape, a command as it came. */
void pane_workload_describe(const struct app *a, const struct canvas *c, int row, int lines, const struct log_row *r);

/* "12 ms"; an em dash for unknown. */
void pane_micros(const struct app *a, struct figure micros, char *text, size_t size);

/* Sends the frame to the screen's window. */
void frame_draw(const struct app *a, WINDOW *window);

/* The window's text into a file. False with one line. */
bool frame_save(const char *file, bson_error_t *error);

#endif
