/*
 * Times of one shape of command, and their percentiles (nearest rank). Exact while there are not too many different
 * times; then a time keeps 7 significant bits (less than 1.6 % too high), and percentiles are estimates: memory stays
 * bounded however many come.
 */
#ifndef BSONSCOPE_PLAN_LOG_DURATIONS_H
#define BSONSCOPE_PLAN_LOG_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/figure.h"

enum { LOG_DURATIONS_EXACT = 1024 }; /* different times until which all is exact */

struct log_duration;

struct log_durations {
	struct log_duration *items; /* by time; how often each came */
	size_t count, capacity;
	int64_t total; /* times that came */
	bool coarse;
};

void log_durations_add(struct log_durations *d, int64_t millis);
void log_durations_clear(struct log_durations *d);

/* Unknown when no time came. */
struct figure log_durations_percentile(const struct log_durations *d, int percent);

#endif
