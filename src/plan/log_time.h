/* Private to the log's reader: the time that a log spans. */
#ifndef BSONSCOPE_PLAN_LOG_TIME_H
#define BSONSCOPE_PLAN_LOG_TIME_H

#include "bson/skim.h"

enum { LOG_TIME_SIZE = 40 };

/* All zero before the first. */
struct log_time {
	char earliest[LOG_TIME_SIZE], latest[LOG_TIME_SIZE]; /* as written; empty: none yet */
	bool zones_differ;
};

/* A date as a line or record has it; what is none is ignored. */
void log_time_see(struct log_time *t, struct span date);

/* From the earliest to the latest; < 0: unknown, or of several zones. */
double log_time_seconds(const struct log_time *t);

/* Milliseconds since 1970. False: no date. */
bool log_time_parse(struct span date, int64_t *millis);

#endif
