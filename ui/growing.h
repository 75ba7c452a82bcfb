/*
 * The growth of the chosen relationship's arrays: its figures, and a document that grows in the lab while one looks on.
 */
#ifndef BSONSCOPE_UI_GROWING_H
#define BSONSCOPE_UI_GROWING_H

#include "model/growth.h"
#include "model/live_growth.h"
#include "ui/app.h"

struct growth_snapshot {
	struct outcome outcome;
	struct growth growth;
};

struct live_snapshot {
	struct outcome outcome;
	struct live_growth_state state; /* a copy of its own */
	bool finished;                  /* refused, as far as was wished, or failed; the lab copy is gone */
	bool fine;                      /* smaller and smaller batches after the first refusal */
};

/* Has the figures computed, unless they stand or `anew`. */
void growing_post(struct app *a, bool anew);

/*
 * Grows a lab copy of one parent until the limit refuses, or by that many pushes (0: no end). A second time after a
 * refusal: with smaller batches after it, down to single children.
 */
void growing_start(struct app *a, int64_t pushes);

/* From the sizes of the relationship's parents: the document selected there is the one that grows, from now on. */
void growing_choose_selected(struct app *a);

/* Stops what grows. False: nothing did. */
bool growing_stop(struct app *a);

/* Stopped along with everything else. */
void growing_cancelled(struct app *a);

/* Back from the document that grew to the figures. False: they are shown. */
bool growing_close(struct app *a);

void growing_forget(struct app *a);

/* Takes the snapshot. */
void growing_accept(struct app *a, struct snapshot *s);

#endif
