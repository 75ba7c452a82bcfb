/*
 * What the Explain pane looks at: a command of the selected row in the chosen shape, or plans that were opened. The wish
 * follows the selection; what was found for it comes from the worker.
 */
#ifndef BSONSCOPE_UI_EXPLAIN_VIEW_H
#define BSONSCOPE_UI_EXPLAIN_VIEW_H

#include "ui/jobs.h"
#include "ui/layout.h"

struct app;

/* How a plan is shown. */
enum explain_face { FACE_TREE, FACE_GRID, FACE_RAW, FACES };

/* What it is held against, side by side. */
enum explain_against {
	AGAINST_NONE,
	AGAINST_SHAPE, /* the same operation in the shape compared with */
	AGAINST_INDEX, /* before the last index was added or dropped */
	AGAINST_KINDS
};

struct explain_view {
	struct explain_wish wish;       /* latest that was posted */
	bool wished;                    /* whether there is one */
	bool pending;                   /* its answer is on its way */
	struct explain_snapshot *found; /* latest that came; null: none */
	size_t command;                 /* chosen, from 0 */
	enum plan_verbosity verbosity;  /* chosen */
	int64_t max_time_millis;        /* chosen; 0: the source's own limit */
	enum explain_face face;
	enum explain_face left_face;    /* where Esc leads from the raw reply */
	struct folds *folds;            /* of the reply that is looked at */

	enum explain_against against;   /* of the operation's plan */
	struct explain_snapshot *before; /* the plan before the last index; null: none was changed */
	struct explain_wish other_wish; /* in the shape compared with */
	bool other_wished;
	struct explain_snapshot *other; /* latest that came for it; null: none */

	struct explain_opening *opening; /* what is to be opened; null: nothing. See explain_open.c */
	struct opened_snapshot *opened; /* null: the operation's plan is shown */
	size_t opened_at;               /* which of two */
	bool opened_apart;              /* two are not shown side by side */
	bool opened_zooms;              /* the pane was not zoomed before, nor is it afterwards */
	enum pane opened_from;          /* where it leads back to */

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

/* The plan that is looked at; null: none is there. */
const struct plan_page *explain_page(const struct app *a);

/* The next of tree, grid and raw reply. */
void explain_next_face(struct app *a);
void explain_set_face(struct app *a, enum explain_face face);

/* Two plans that are held against each other. */
struct explain_side {
	const struct plan_tree *tree; /* null: not there yet, or there is none */
	char name[120];
};

/* False: one plan is shown. */
bool explain_compares(const struct app *a);
void explain_sides(const struct app *a, struct explain_side sides[2]);

/* The plan in the other shape is on its way. */
bool explain_waits_for_other(const struct app *a);

/* The next plan that this one can be held against, then none. */
void explain_next_difference(struct app *a);

/* Sets how long a server, or the engine, may take for one: 0 for its own limit. */
void explain_set_max_time(struct app *a, int64_t millis);

/* Opens one or two files, or a text that was pasted; they are read on the worker. */
void explain_open_files(struct app *a, const char *const *paths, size_t count);
void explain_open_text(struct app *a, const char *name, const char *text, size_t size_bytes);

/* What is to be opened and is not yet is forgotten. */
void explain_forget_opening(struct explain_view *v);

/* Out of the raw reply or the difference. False: neither is shown. */
bool explain_leave_face(struct app *a);

/* Back to where it was opened from, and to the operation's plan. False: nothing is open. */
bool explain_close(struct app *a);

/* Adds or drops the selected index in the lab; what it changes in the table of operations is lit until the next key. */
void explain_change_index(struct app *a);

#endif
