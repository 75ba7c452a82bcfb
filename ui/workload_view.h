/*
 * What a server wrote down, beside what the model knows: rows of a log, of system.profile or of $queryStats, read by the
 * worker. They stay until another file is opened or they are closed.
 */
#ifndef BSONSCOPE_UI_WORKLOAD_VIEW_H
#define BSONSCOPE_UI_WORKLOAD_VIEW_H

#include "base/error.h"
#include "plan/log_workload.h"
#include "ui/worker.h"

struct app;

/* The whole file's rows, or, while it is read, how far that is. */
struct workload_snapshot {
	struct snapshot snapshot;
	struct log_workload *workload; /* null: not yet, or failed */
	bool failed;
	bson_error_t error;
	int64_t done_bytes, of_bytes; /* of_bytes 0: not known */
};

struct workload_view {
	char *path; /* or the name of a text; null: none is open */
	struct workload_snapshot *found; /* null: nothing yet */
};

/* Has the file, or a text that was pasted, read and goes to its rows; what was open before is closed. */
void workload_view_open(struct app *a, const char *path);
void workload_view_open_text(struct app *a, const char *name, const char *text, size_t size_bytes);

/* All of it: its rows are there. */
bool workload_view_is_read(const struct app *a);

/* Forgets the rows and goes back. False: none were open. */
bool workload_view_close(struct app *a);

/* Takes the reference. */
void workload_view_accept(struct app *a, struct workload_snapshot *s);
void workload_view_clear(struct workload_view *v);

/* The row that is selected in the access-pattern table; null: it is one of the model's, or none. */
const struct log_row *workload_view_in_table(const struct app *a);

/* Goes to that row's figures. */
void workload_view_enter(struct app *a);

/* The rows; null with *count 0 until the file is read. */
const struct log_row *workload_view_rows(const struct app *a, size_t *count);

#endif
