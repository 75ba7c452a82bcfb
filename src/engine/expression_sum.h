/*
 * The folds that expressions and accumulators share: sums (double-double for what is not decimal, as MongoDB keeps
 * them) and the running variance.
 */
#ifndef BSONSCOPE_ENGINE_EXPRESSION_SUM_H
#define BSONSCOPE_ENGINE_EXPRESSION_SUM_H

#include "bson/value.h"

struct number_sum {
	double sum, addend; /* their unevaluated sum is the total of what is not decimal */
	double simple;      /* the answer when infinities made `sum` NaN */
	bson_decimal128_t decimal;
	bool has_decimal;
	uint8_t type;       /* the widest seen; int32 at first */
	int64_t count;
};

void number_sum_init(struct number_sum *s);
void number_sum_add(struct number_sum *s, struct value number);
void number_sum_add_long(struct number_sum *s, int64_t n);

/* The total as int, long, double or decimal: the narrowest that the types seen and the magnitude allow. */
struct value number_sum_value(const struct number_sum *s, struct arena *arena);

/* Divided by the count: a decimal or a double. */
struct value number_sum_average(const struct number_sum *s, struct arena *arena);

/* The total without decimals as an int64, to the nearest; false when out of range. */
bool number_sum_long(const struct number_sum *s, int64_t *out);
bson_decimal128_t number_sum_decimal(const struct number_sum *s);

/* Welford's running variance. */
struct number_deviation {
	int64_t count;
	double mean, m2;
};

void number_deviation_add(struct number_deviation *d, double n);

/* Null when there are too few numbers. */
struct value number_deviation_value(const struct number_deviation *d, bool sample, struct arena *arena);

#endif
