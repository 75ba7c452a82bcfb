/*
 * Shares of a Zipf distribution: the parent of rank r (from 1) gets round(children / (r^exponent * H)) of the children,
 * H the sum of 1 / i^exponent over all ranks, added up from the first rank on. Rounded shares need not add up to the
 * whole.
 */
#ifndef BSONSCOPE_MODEL_ZIPF_H
#define BSONSCOPE_MODEL_ZIPF_H

#include <stdint.h>

struct zipf {
	double children, exponent, harmonic;
};

/* Takes time in proportion to `parents`. */
struct zipf zipf_new(int64_t parents, int64_t children, double exponent);
int64_t zipf_share(const struct zipf *z, int64_t rank);

#endif
