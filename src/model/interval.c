#include "model/interval.h"

#include <math.h>

static const double tail = 0.025, normal_quantile = 1.959964; /* of 95 %, both sides */

bool interval_is_open(struct interval i)
{
	return i.low == INTERVAL_OPEN && i.high == INTERVAL_OPEN;
}

/*
 * How many of the sample lie below the percentile is binomial. Its probabilities are summed as multiples of the most
 * probable one, so that none underflows that matters.
 */
struct interval interval_percentile_ranks(int64_t n, int percent)
{
	struct interval ranks = { 0, n + 1 };
	double odds = (double)percent / (100 - percent), weight = 1, sum = 0, below = 0;
	int64_t mode = (int64_t)((double)(n + 1) * percent / 100), first = mode < n ? mode : n;
	const double negligible = 1e-18;

	for (int64_t k = first; k < n && weight > negligible; k++) {
		weight *= (double)(n - k) / (double)(k + 1) * odds;
		sum += weight;
	}
	for (weight = 1, sum += 1; first > 0 && weight > negligible; first--) {
		weight *= (double)first / (double)(n - first + 1) / odds;
		sum += weight;
	}
	for (int64_t k = first; k <= n; k++) {
		below += weight / sum;
		if (below <= tail)
			ranks.low = k + 1;
		if (below >= 1 - tail) {
			ranks.high = k + 1;
			break;
		}
		weight *= (double)(n - k) / (double)(k + 1) * odds;
	}
	return ranks;
}

struct interval interval_mean(double mean, double variance, int64_t n, double factor)
{
	double half = n > 1 ? normal_quantile * sqrt(variance / (double)n) : 0;

	if (n < 2)
		return (struct interval){ INTERVAL_OPEN, INTERVAL_OPEN };
	return (struct interval){ mean > half ? (int64_t)floor((mean - half) * factor) : 0,
		                  (int64_t)ceil((mean + half) * factor) };
}

double interval_missed(int64_t n, int64_t of, int64_t rare)
{
	double missed = 1;

	for (int64_t i = 0; i < rare && missed > 0; i++)
		missed *= of - n - i > 0 ? (double)(of - n - i) / (double)(of - i) : 0;
	return missed;
}
