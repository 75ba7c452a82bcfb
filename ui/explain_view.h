/*
 * What the Explain pane looks at: a command of the selected row in the chosen shape. The wish follows the selection;
 * what was found for it comes from the worker.
 */
#ifndef BSONSCOPE_UI_EXPLAIN_VIEW_H
#define BSONSCOPE_UI_EXPLAIN_VIEW_H

#include "ui/jobs.h"

struct app;

struct explain_view {
	struct explain_wish wish;       /* latest that was posted */
	bool wished;                    /* whether there is one */
	bool pending;                   /* its answer is on its way */
	struct explain_snapshot *found; /* latest that came; null: none */
	size_t command;                 /* chosen, from 0 */
	enum plan_verbosity verbosity;  /* chosen */
	bool unfolded;                  /* the raw reply is shown */
	bool offering;                  /* the indexes are shown, and keys choose among them */
	struct cost *before_index;      /* each operation's, before an index was added or dropped; until the next key */
};

void explain_view_init(struct explain_view *v);
void explain_view_clear(struct explain_view *v);

/* What was found is old: it is asked again. */
void explain_forget_wish(struct explain_view *v);

/* Ends the plan that is on its way; false: none is. */
bool explain_stop(struct app *a);

/* Posts what the state asks for unless it is there or on its way. */
void explain_follow(struct app *a);

/* Notes how a shape's indexes stand; whether they changed since the last look. */
bool explain_look_at_indexes(struct app *a, enum shape_kind shape);

/*
 * Has the shapes measured anew whose indexes changed since the last look, whichever is chosen by then, and though the
 * job that changed them was stopped meanwhile. Returns whether there were any.
 */
bool explain_follow_indexes(struct app *a);

/* What was found is of indexes that are no more. */
bool explain_is_outdated(const struct app *a);

/* Takes a snapshot of the pane's jobs. */
void explain_accept(struct app *a, struct snapshot *s);

/* What was found for the state as it is; null: not yet. */
const struct explain_snapshot *explain_found(const struct app *a);

/* How many commands the selected row has in the chosen shape. */
size_t explain_command_count(const struct app *a);

/* To the command before or after; false: there is none. */
bool explain_step_command(struct app *a, int step);
void explain_next_verbosity(struct app *a);

/* Shows the indexes, or hides them. */
void explain_offer_indexes(struct app *a);

/* Cells that an index changed are lit no longer. */
void explain_unlight(struct explain_view *v);

/* Adds or drops the selected index in the lab; what it changes in the table of operations is lit until the next key. */
void explain_change_index(struct app *a);

#endif
