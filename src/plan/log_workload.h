/*
 * What a server was asked, from its slow-query log, its profile or $queryStats: a row for each shape of command with how
 * often it came, what it examined and how long it took. Takes a log of any size as it comes, a row a shape in memory;
 * documents that are spread over lines, as shells show them, only when they come to at most LOG_PASTE_LIMIT_BYTES.
 */
#ifndef BSONSCOPE_PLAN_LOG_WORKLOAD_H
#define BSONSCOPE_PLAN_LOG_WORKLOAD_H

#include "base/error.h"
#include "base/figure.h"

/* What has a row of its own: so many shapes, and so many bytes of them; the others share one. */
enum { LOG_SHAPE_LIMIT = 5000, LOG_SHAPE_LIMIT_BYTES = 16 << 20, LOG_PASTE_LIMIT_BYTES = 16 << 20 };

struct log_row {
	char *operation, *namespace_text, *shape, *plan; /* made safe to print; plan: the last one seen, "" when none was */
	bool more_plans;                                 /* others were seen as well */
	int64_t count;
	/* Sums over all; "at least" when some records did not say it, unknown when none did. */
	struct figure keys_examined, docs_examined, returned, bytes_read, bytes_sent;
	struct figure total_micros, mean_micros, max_micros; /* to the millisecond, but of $queryStats */
	struct figure p50_millis, p95_millis; /* nearest rank; unknown: no record said it, or only sums are known */
	double per_second; /* over the time that the log spans, or that the server saw it in; < 0: unknown */
	char *example;     /* a command of this shape as it came, made safe to print; shortened; of $queryStats the shape */
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

/* The time from the first dated line or record to the last; < 0: unknown, or of several zones. */
double log_workload_seconds(const struct log_workload *w);

/* Rows, that with the longest time altogether first; the workload's own. */
const struct log_row *log_workload_rows(const struct log_workload *w, size_t *count);

#endif
