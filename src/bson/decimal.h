/*
 * Decimal128 arithmetic as MongoDB does it: with Intel's decimal library (BID), to the nearest, ties to even, unless
 * said otherwise. This file is the only one that knows that library.
 */
#ifndef BSONSCOPE_BSON_DECIMAL_H
#define BSONSCOPE_BSON_DECIMAL_H

#include <bson/bson.h>
#include <stdbool.h>
#include <stdint.h>

enum decimal_rounding { DECIMAL_NEAREST_EVEN, DECIMAL_DOWN, DECIMAL_UP, DECIMAL_TOWARD_ZERO, DECIMAL_NEAREST_AWAY };

bson_decimal128_t decimal_from_int64(int64_t n);

/* As MongoDB converts: 15 significant digits. */
bson_decimal128_t decimal_from_double(double n);

/*
 * Decimal notation, "Infinity" and "NaN" in any case; digits beyond 34 are rounded. False when out of range. What is
 * no number is NaN.
 */
bool decimal_from_text(const char *text, bson_decimal128_t *out);

/* Up to 34 digits: as close as a Decimal128 gets; for comparing. */
bson_decimal128_t decimal_from_double_exact(double n);
double decimal_to_double(bson_decimal128_t d);

/* The double next to `d` in that direction; *exact says whether it is the same number. */
double decimal_to_double_rounded(bson_decimal128_t d, enum decimal_rounding rounding, bool *exact);

/* False when it is not whole or out of range. */
bool decimal_to_int64_exact(bson_decimal128_t d, int64_t *out);

/* Rounds to an integer first; false when out of range or not a number. */
bool decimal_to_int64(bson_decimal128_t d, enum decimal_rounding rounding, int64_t *out);

bson_decimal128_t decimal_add(bson_decimal128_t a, bson_decimal128_t b);
bson_decimal128_t decimal_subtract(bson_decimal128_t a, bson_decimal128_t b);
bson_decimal128_t decimal_multiply(bson_decimal128_t a, bson_decimal128_t b);
bson_decimal128_t decimal_divide(bson_decimal128_t a, bson_decimal128_t b);

/* Remainder with the sign of `a`, as C's fmod. */
bson_decimal128_t decimal_modulo(bson_decimal128_t a, bson_decimal128_t b);
bson_decimal128_t decimal_power(bson_decimal128_t base, bson_decimal128_t exponent);
bson_decimal128_t decimal_exp(bson_decimal128_t d);
bson_decimal128_t decimal_ln(bson_decimal128_t d);
bson_decimal128_t decimal_log10(bson_decimal128_t d);
bson_decimal128_t decimal_sqrt(bson_decimal128_t d);
bson_decimal128_t decimal_abs(bson_decimal128_t d);
bson_decimal128_t decimal_negate(bson_decimal128_t d);

/* To `places` digits after the point (negative: before it). */
bson_decimal128_t decimal_round(bson_decimal128_t d, int places, enum decimal_rounding rounding);

/* Total order of numbers: -1, 0, 1. NaN is below everything and equal to itself, as MongoDB sorts it. */
int decimal_compare(bson_decimal128_t a, bson_decimal128_t b);
bool decimal_is_zero(bson_decimal128_t d);
bool decimal_is_nan(bson_decimal128_t d);
bool decimal_is_infinite(bson_decimal128_t d);
bool decimal_is_negative(bson_decimal128_t d);

#endif
