/* Private to the log's reader: what the records of one shape come to. */
#ifndef BSONSCOPE_PLAN_LOG_TALLY_H
#define BSONSCOPE_PLAN_LOG_TALLY_H

#include "plan/log_durations.h"
#include "plan/log_record.h"
#include "plan/log_workload.h"

enum { LOG_TALLY_SUMS = 5 };

struct log_tally {
	struct log_row row;
	struct bytes plan;                     /* the last one, as in the log */
	int64_t records, said[LOG_TALLY_SUMS]; /* records, and those that said each of the sums */
	int64_t timed, timed_count;            /* records that said their time, and operations in them */
	bool only_sums;                        /* one at least: of its times there are no percentiles */
	struct log_durations durations;
	double rate; /* of $queryStats, a second; < 0: one at least was not known */
};

/* Nothing was counted yet. What names the shape is made safe to print. */
void log_tally_init(struct log_tally *t, struct span operation, struct span namespace_text, struct span shape);
void log_tally_clear(struct log_tally *t);

void log_tally_add(struct log_tally *t, const struct log_record *r);

/* Fills what the row says of all records. `seconds` that the log spans; < 0: unknown. */
void log_tally_finish(struct log_tally *t, double seconds);

#endif
