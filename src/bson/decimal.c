#include "bson/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* how Debian's libbidgcc000 was built: arguments by value, rounding and flags passed in */
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

static BID_UINT128 to_bid(bson_decimal128_t d)
{
	return (BID_UINT128){ { d.low, d.high } };
}

static bson_decimal128_t from_bid(BID_UINT128 d)
{
	return (bson_decimal128_t){ .low = d.w[0], .high = d.w[1] };
}

static unsigned bid_rounding(enum decimal_rounding rounding)
{
	static const unsigned modes[] = {
		[DECIMAL_NEAREST_EVEN] = BID_ROUNDING_TO_NEAREST, [DECIMAL_DOWN] = BID_ROUNDING_DOWN,
		[DECIMAL_UP] = BID_ROUNDING_UP,                   [DECIMAL_TOWARD_ZERO] = BID_ROUNDING_TO_ZERO,
		[DECIMAL_NEAREST_AWAY] = BID_ROUNDING_TIES_AWAY,
	};

	return modes[rounding];
}

bson_decimal128_t decimal_from_int64(int64_t n)
{
	return from_bid(bid128_from_int64(n));
}

bson_decimal128_t decimal_from_double(double n)
{
	char digits[40];
	_IDEC_flags flags = 0;

	if (!isfinite(n))
		return decimal_from_double_exact(n);
	if (n == 0)
		snprintf(digits, sizeof digits, "%s", signbit(n) ? "-0" : "0");
	else
		snprintf(digits, sizeof digits, "%.14e", n);
	return from_bid(bid128_from_string(digits, BID_ROUNDING_TO_NEAREST, &flags));
}

bson_decimal128_t decimal_from_double_exact(double n)
{
	_IDEC_flags flags = 0;

	return from_bid(binary64_to_bid128(n, BID_ROUNDING_TO_NEAREST, &flags));
}

double decimal_to_double(bson_decimal128_t d)
{
	_IDEC_flags flags = 0;

	return bid128_to_binary64(to_bid(d), BID_ROUNDING_TO_NEAREST, &flags);
}

double decimal_to_double_rounded(bson_decimal128_t d, enum decimal_rounding rounding, bool *exact)
{
	_IDEC_flags flags = 0;
	double n = bid128_to_binary64(to_bid(d), bid_rounding(rounding), &flags);

	*exact = !(flags & (BID_INEXACT_EXCEPTION | BID_OVERFLOW_EXCEPTION | BID_UNDERFLOW_EXCEPTION));
	return n;
}

bool decimal_to_int64_exact(bson_decimal128_t d, int64_t *out)
{
	_IDEC_flags flags = 0;
	int64_t n = bid128_to_int64_xrnint(to_bid(d), &flags);

	if (flags & (BID_INVALID_EXCEPTION | BID_INEXACT_EXCEPTION))
		return false;
	*out = n;
	return true;
}

bool decimal_to_int64(bson_decimal128_t d, enum decimal_rounding rounding, int64_t *out)
{
	_IDEC_flags flags = 0;
	int64_t n;

	switch (rounding) {
	case DECIMAL_DOWN: n = bid128_to_int64_xfloor(to_bid(d), &flags); break;
	case DECIMAL_UP: n = bid128_to_int64_xceil(to_bid(d), &flags); break;
	case DECIMAL_TOWARD_ZERO: n = bid128_to_int64_xint(to_bid(d), &flags); break;
	case DECIMAL_NEAREST_AWAY: n = bid128_to_int64_xrninta(to_bid(d), &flags); break;
	default: n = bid128_to_int64_xrnint(to_bid(d), &flags); break;
	}
	if (flags & BID_INVALID_EXCEPTION)
		return false;
	*out = n;
	return true;
}

#define BINARY(name, function)                                                                          \
	bson_decimal128_t name(bson_decimal128_t a, bson_decimal128_t b)                                \
	{                                                                                               \
		_IDEC_flags flags = 0;                                                                  \
		return from_bid(function(to_bid(a), to_bid(b), BID_ROUNDING_TO_NEAREST, &flags));       \
	}
BINARY(decimal_add, bid128_add)
BINARY(decimal_subtract, bid128_sub)
BINARY(decimal_multiply, bid128_mul)
BINARY(decimal_divide, bid128_div)
static BINARY(raise, bid128_pow)

bson_decimal128_t decimal_modulo(bson_decimal128_t a, bson_decimal128_t b)
{
	_IDEC_flags flags = 0;

	return from_bid(bid128_fmod(to_bid(a), to_bid(b), &flags));
}

bson_decimal128_t decimal_power(bson_decimal128_t base, bson_decimal128_t exponent)
{
	/* the zero with the least exponent: adding it writes the result with all 34 digits, as MongoDB's are */
	static const bson_decimal128_t least_zero = { 0, 0 };

	return decimal_add(raise(base, exponent), least_zero);
}

bool decimal_from_text(const char *text, bson_decimal128_t *out)
{
	_IDEC_flags flags = 0;
	char copy[512];
	size_t size = strlen(text);

	if (size >= sizeof copy)
		return false;
	memcpy(copy, text, size + 1);
	*out = from_bid(bid128_from_string(copy, BID_ROUNDING_TO_NEAREST, &flags));
	return !(flags & (BID_INVALID_EXCEPTION | BID_OVERFLOW_EXCEPTION | BID_UNDERFLOW_EXCEPTION));
}

#define UNARY(name, function)                                                                           \
	bson_decimal128_t name(bson_decimal128_t d)                                                     \
	{                                                                                               \
		_IDEC_flags flags = 0;                                                                  \
		return from_bid(function(to_bid(d), BID_ROUNDING_TO_NEAREST, &flags));                  \
	}
UNARY(decimal_exp, bid128_exp)
UNARY(decimal_ln, bid128_log)
UNARY(decimal_log10, bid128_log10)
UNARY(decimal_sqrt, bid128_sqrt)

bson_decimal128_t decimal_abs(bson_decimal128_t d)
{
	return from_bid(bid128_abs(to_bid(d)));
}

bson_decimal128_t decimal_negate(bson_decimal128_t d)
{
	return from_bid(bid128_negate(to_bid(d)));
}

bson_decimal128_t decimal_round(bson_decimal128_t d, int places, enum decimal_rounding rounding)
{
	_IDEC_flags flags = 0;
	char quantum[16];

	if (decimal_is_nan(d) || decimal_is_infinite(d))
		return d;
	snprintf(quantum, sizeof quantum, "1E%d", -places);
	return from_bid(bid128_quantize(to_bid(d), bid128_from_string(quantum, BID_ROUNDING_TO_NEAREST, &flags),
	                                bid_rounding(rounding), &flags));
}

int decimal_compare(bson_decimal128_t a, bson_decimal128_t b)
{
	bool a_nan = decimal_is_nan(a), b_nan = decimal_is_nan(b);
	_IDEC_flags flags = 0;

	if (a_nan || b_nan)
		return b_nan - a_nan;
	if (bid128_quiet_less(to_bid(a), to_bid(b), &flags))
		return -1;
	return bid128_quiet_equal(to_bid(a), to_bid(b), &flags) ? 0 : 1;
}

bool decimal_is_zero(bson_decimal128_t d)
{
	return bid128_isZero(to_bid(d));
}

bool decimal_is_nan(bson_decimal128_t d)
{
	return (d.high & UINT64_C(0x7c00000000000000)) == UINT64_C(0x7c00000000000000);
}

bool decimal_is_infinite(bson_decimal128_t d)
{
	return (d.high & UINT64_C(0x7c00000000000000)) == UINT64_C(0x7800000000000000);
}

bool decimal_is_negative(bson_decimal128_t d)
{
	return d.high >> 63;
}
