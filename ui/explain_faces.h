/*
 * The faces of the Explain pane: the same plan as a tree, a grid or the raw reply, two plans side by side, and the
 * indexes below. Each is a pane without a title: its canvas begins below it, and its heading_lines do not count it.
 */
#ifndef BSONSCOPE_UI_EXPLAIN_FACES_H
#define BSONSCOPE_UI_EXPLAIN_FACES_H

#include "ui/pane.h"

extern const struct pane_type explain_tree, explain_grid, explain_raw, explain_diff, explain_offers;

/* Lines below the title that the pane has. */
int explain_height(const struct app *a);

/* The stage of the selected row; null: it is none of a stage. */
const struct plan_node *explain_tree_stage(const struct app *a);
const struct plan_node *explain_grid_stage(const struct app *a);

/* To the stage's place in the raw reply. */
void explain_show_raw(struct app *a, const struct plan_node *n);

/*
 * What is said when there is no plan: that it is on its way, why it failed, that nothing is selected. Null: there is
 * one.
 */
const char *explain_missing(const struct app *a, enum style *s);

/* Times are shown: those of a script's own runs are not repeatable. */
bool explain_shows_times(const struct app *a);

/* "4.2 ms", "< 1 ms"; false: not known. Finer units where the server measured so. */
bool explain_format_time(const struct app *a, struct figure millis, struct figure micros, char *text, size_t size);

/* "IXSCAN reads the keys of an index within bounds · own time 3 ms, 40 %": what is known of a stage, appended. */
void explain_describe(const struct app *a, const struct plan_node *n, struct bytes *text);

#endif
