/*
 * What a random sample says of all: 95 % intervals, and what it does not see. Percentiles by order statistics, whatever
 * the distribution (W. J. Conover, Practical Nonparametric Statistics, 3.2); a mean by its standard error.
 */
#ifndef BSONSCOPE_MODEL_INTERVAL_H
#define BSONSCOPE_MODEL_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

enum { INTERVAL_PERCENT = 95, INTERVAL_OPEN = -1 };

/* Of sizes, so never below 0. INTERVAL_OPEN: the sample is too small to say. */
struct interval {
	int64_t low, high;
};

/* Neither end is known: there is nothing to show. */
bool interval_is_open(struct interval i);

/*
 * The ranks, from 1, of the sample's values that enclose the population's percentile: low 0 or high n + 1 where there
 * is no such value. `percent` is between 1 and 99.
 */
struct interval interval_percentile_ranks(int64_t n, int percent);

/* mean -+ 1.96 standard errors, times `factor`; open of less than two values. */
struct interval interval_mean(double mean, double variance, int64_t n, double factor);

/* The probability that none of `rare` among `of` is in a sample of `n`, which has nothing twice. */
double interval_missed(int64_t n, int64_t of, int64_t rare);

#endif
