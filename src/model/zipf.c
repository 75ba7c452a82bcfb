#include "model/zipf.h"

#include <math.h>

/* 1 gives the rank itself: pow would be as exact, and slow. */
static double weight(double rank, double exponent)
{
	return exponent == 1 ? rank : pow(rank, exponent);
}

struct zipf zipf_new(int64_t parents, int64_t children, double exponent)
{
	struct zipf z = { (double)children, exponent, 0 };

	for (int64_t rank = 1; rank <= parents; rank++)
		z.harmonic += 1 / weight((double)rank, exponent);
	return z;
}

int64_t zipf_share(const struct zipf *z, int64_t rank)
{
	return llround(z->children / (weight((double)rank, z->exponent) * z->harmonic));
}
