/* What the parts of the Explain pane's state share. */
#ifndef BSONSCOPE_UI_EXPLAIN_PRIVATE_H
#define BSONSCOPE_UI_EXPLAIN_PRIVATE_H

#include "ui/app.h"

/* Subjects of the pane's slots: each has one job at a time. */
enum { SUBJECT_PLAN, SUBJECT_INDEX, SUBJECT_OTHER, SUBJECT_OPENED };

/* What the state asks for in a shape; false: for nothing. A row of fewer commands shows its last. */
bool explain_wish_in(const struct app *a, enum shape_kind shape, struct explain_wish *wish);
bool explain_same_wish(const struct explain_wish *a, const struct explain_wish *b);

void explain_post(struct app *a, int subject, const struct explain_wish *wish);

/* Takes what was opened. */
void explain_accept_opened(struct app *a, struct opened_snapshot *s);

/* Comparing: posts the plan in the other shape when it is held against. */
void explain_follow_other(struct app *a);

#endif
