#include "engine/expression_sum.h"

#include <math.h>

#include "bson/decimal.h"
#include "engine/expression_internal.h"

void number_sum_init(struct number_sum *s)
{
	*s = (struct number_sum){ .type = BSON_TYPE_INT32 };
}

/* The low part is put right before and after the high part takes x (Dekker, Knuth): the pair stays exact to about 106
 * bits. */
static void add_double(struct number_sum *s, double x)
{
	double low = x + s->addend;
	double low_error = s->addend - (low - x);
	double total = s->sum + low;
	double part = total - low;
	double error = (s->sum - part) + (low - (total - part));

	s->simple += x;
	s->sum = total;
	s->addend = low_error + error;
}

void number_sum_add_long(struct number_sum *s, int64_t n)
{
	/* two doubles that are each exact */
	int64_t high = n / (1LL << 32) * (1LL << 32);

	add_double(s, (double)(n - high));
	add_double(s, (double)high);
}

void number_sum_add(struct number_sum *s, struct value number)
{
	s->count++;
	if (number.type != s->type)
		s->type = number_wider(s->type, number.type);
	switch (number.type) {
	case BSON_TYPE_INT32: add_double(s, value_int32(number)); break;
	case BSON_TYPE_INT64: number_sum_add_long(s, value_int64(number)); break;
	case BSON_TYPE_DOUBLE: add_double(s, value_double(number)); break;
	default:
		s->decimal = decimal_add(s->has_decimal ? s->decimal : decimal_from_int64(0), value_decimal(number));
		s->has_decimal = true;
	}
}

static double sum_double(const struct number_sum *s)
{
	return isnan(s->sum) ? s->simple : s->sum;
}

bool number_sum_long(const struct number_sum *s, int64_t *out)
{
	double sum = s->sum, addend = s->addend;
	int64_t whole;

	if (sum == 9223372036854775808.0 && addend < 0) {
		/* the double is just past the range, the pair is not */
		*out = INT64_MAX - (int64_t)(-addend - 1);
		return true;
	}
	if (!(sum >= -9223372036854775808.0 && sum < 9223372036854775808.0))
		return false;
	if (fabs(sum) < 4503599627370496.0) {
		*out = llround(sum + addend);
		return true;
	}
	whole = (int64_t)sum;
	return !__builtin_add_overflow(whole, llround(addend), out);
}

bson_decimal128_t number_sum_decimal(const struct number_sum *s)
{
	bson_decimal128_t rest = isfinite(s->sum)
	                                 ? decimal_add(decimal_from_double_exact(s->sum), decimal_from_double_exact(s->addend))
	                                 : decimal_from_double_exact(s->simple);

	return s->has_decimal ? decimal_add(s->decimal, rest) : rest;
}

struct value number_sum_value(const struct number_sum *s, struct arena *arena)
{
	int64_t n;

	if (s->type == BSON_TYPE_DECIMAL128)
		return value_make_decimal(arena, number_sum_decimal(s));
	if (s->type == BSON_TYPE_DOUBLE || !number_sum_long(s, &n))
		return value_make_double(arena, sum_double(s));
	return s->type == BSON_TYPE_INT32 ? make_int_or_long(arena, n) : value_make_int64(arena, n);
}

struct value number_sum_average(const struct number_sum *s, struct arena *arena)
{
	if (!s->count)
		return value_null();
	if (s->type == BSON_TYPE_DECIMAL128)
		return value_make_decimal(arena, decimal_divide(number_sum_decimal(s), decimal_from_int64(s->count)));
	return value_make_double(arena, sum_double(s) / (double)s->count);
}

void number_deviation_add(struct number_deviation *d, double n)
{
	double delta = n - d->mean;

	d->count++;
	d->mean += delta / (double)d->count;
	d->m2 += delta * (n - d->mean);
}

struct value number_deviation_value(const struct number_deviation *d, bool sample, struct arena *arena)
{
	int64_t divisor = sample ? d->count - 1 : d->count;

	return divisor <= 0 ? value_null() : value_make_double(arena, sqrt(d->m2 / (double)divisor));
}
