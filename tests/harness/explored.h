/* The explorer over a sample, without a screen: keys are typed into it, and what it measures is waited for. */
#ifndef BSONSCOPE_TESTS_EXPLORED_H
#define BSONSCOPE_TESTS_EXPLORED_H

#include "ui/app.h"

struct explored {
	struct source *source;
	struct model *model;
	struct lab *lab;
	struct app *app;
};

struct explored explored_open(const char *sample);

/* With relationships and operations of the test's own (queries/README.md) in place of the sample's. */
struct explored explored_open_with(const char *sample, const char *queries);
void explored_close(struct explored *e);

/* Until the worker is idle and all that it found is in the state. */
void explored_settle(struct app *a);

/* Until one worker is, whatever the others do. */
void explored_wait_for(struct app *a, struct worker *w);

/* A measurement that lasts until it is cancelled. */
void explored_post_endless(struct worker *w);

/* Key names separated by spaces, or a text after ":" or "/" up to the end. */
void explored_type(struct app *a, const char *keys);

/* By name; fails the test when there is none. */
size_t explored_operation(const struct app *a, const char *name);

/* The screen's text, drawn off-screen on 120 columns by 36 lines; free(). */
char *explored_screen(struct app *a);

#endif
