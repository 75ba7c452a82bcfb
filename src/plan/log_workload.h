/*
 * What a server was asked, from its slow-query log or its profile: a row for each shape of command with how often it
 * came, what it examined and how long it took. Takes a log of any size as it comes, a row a shape in memory.
 */
#ifndef BSONSCOPE_PLAN_LOG_WORKLOAD_H
#define BSONSCOPE_PLAN_LOG_WORKLOAD_H

#include "base/error.h"
#include "base/figure.h"

enum { LOG_SHAPE_LIMIT = 10000 }; /* shapes that have a row of their own; the others share one */

struct log_row {
	char *operation, *namespace_text, *shape, *plan; /* made safe to print; plan: the last one seen, "" when none was */
	bool more_plans;                                 /* others were seen as well */
	int64_t count;
	/* Sums over all; "at least" when some records did not say it, unknown when none did. */
	struct figure keys_examined, docs_examined, returned, bytes_read, bytes_sent;
	struct figure total_millis, p50_millis, p95_millis, max_millis; /* nearest rank; unknown: no record said it */
};

struct log_workload;

struct log_workload *log_workload_new(void);
void log_workload_destroy(struct log_workload *w);

/* The next bytes of the log; a line may come in pieces. */
void log_workload_add(struct log_workload *w, const char *text, size_t size_bytes);

/* The last line needs no newline. Nothing may be added afterwards. */
void log_workload_finish(struct log_workload *w);

int64_t log_workload_lines(const struct log_workload *w);
int64_t log_workload_records(const struct log_workload *w); /* lines that are records of operations */

/* Rows, that with the longest time altogether first; the workload's own. */
const struct log_row *log_workload_rows(const struct log_workload *w, size_t *count);

#endif
