#include <math.h>
#include <unistd.h>

#include "bson/decimal.h"
#include "engine/expression_internal.h"
#include "engine/expression_sum.h"

enum { PLACES_MIN = -20, PLACES_MAX = 100 };

static bool evaluate_two(const struct expression *e, struct evaluation *at, struct value *a, struct value *b)
{
	return evaluate_argument(e, at, 0, a) && evaluate_argument(e, at, 1, b);
}

static bool evaluate_add(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct number_sum sum;
	bool has_date = false;
	struct value v;
	int64_t millis;

	number_sum_init(&sum);
	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		if (value_is_nullish(v)) {
			*out = value_null();
			return true;
		}
		if (value_is_number(v)) {
			number_sum_add(&sum, v);
		} else if (v.type == BSON_TYPE_DATE_TIME) {
			if (has_date)
				return execution_fail(at->x, 16612, "only one date allowed in an $add expression");
			has_date = true;
			number_sum_add_long(&sum, value_int64(v));
		} else {
			return execution_fail(at->x, CODE_TypeMismatch, "$add only supports numeric or date types, not %s",
			                      value_type_name(v.type));
		}
	}
	if (!has_date) {
		*out = number_sum_value(&sum, at->arena);
		return true;
	}
	if (sum.has_decimal ? !decimal_to_int64(number_sum_decimal(&sum), DECIMAL_NEAREST_EVEN, &millis)
	                    : !number_sum_long(&sum, &millis))
		return execution_fail(at->x, CODE_Overflow, "date overflow in $add");
	*out = value_make_date(at->arena, millis);
	return true;
}

static bool subtract_numbers(struct evaluation *at, struct value a, struct value b, struct value *out)
{
	int64_t left, right, difference;

	switch (number_wider(a.type, b.type)) {
	case BSON_TYPE_DECIMAL128:
		*out = value_make_decimal(at->arena, decimal_subtract(number_to_decimal(a), number_to_decimal(b)));
		return true;
	case BSON_TYPE_DOUBLE:
		*out = value_make_double(at->arena, value_as_double(a) - value_as_double(b));
		return true;
	}
	value_as_int64(a, &left);
	value_as_int64(b, &right);
	if (__builtin_sub_overflow(left, right, &difference))
		*out = value_make_double(at->arena, (double)left - (double)right);
	else if (a.type == BSON_TYPE_INT64 || b.type == BSON_TYPE_INT64)
		*out = value_make_int64(at->arena, difference);
	else
		*out = make_int_or_long(at->arena, difference);
	return true;
}

static bool subtract_from_date(struct evaluation *at, struct value date, struct value b, struct value *out)
{
	int64_t millis, difference;

	if (b.type != BSON_TYPE_DATE_TIME && !value_is_number(b))
		return execution_fail(at->x, CODE_TypeMismatch, "can't $subtract %s from Date", value_type_name(b.type));
	if (b.type == BSON_TYPE_DATE_TIME)
		millis = value_int64(b);
	else if (!coerce_to_long(at, b, &millis))
		return false;
	if (__builtin_sub_overflow(value_int64(date), millis, &difference))
		return execution_fail(at->x, CODE_Overflow, "date overflow in $subtract");
	*out = b.type == BSON_TYPE_DATE_TIME ? value_make_int64(at->arena, difference)
	                                     : value_make_date(at->arena, difference);
	return true;
}

static bool evaluate_subtract(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;

	if (!evaluate_two(e, at, &a, &b))
		return false;
	if (value_is_number(a) && value_is_number(b))
		return subtract_numbers(at, a, b, out);
	if (value_is_nullish(a) || value_is_nullish(b)) {
		*out = value_null();
		return true;
	}
	if (a.type == BSON_TYPE_DATE_TIME)
		return subtract_from_date(at, a, b, out);
	return execution_fail(at->x, CODE_TypeMismatch, "can't $subtract %s from %s", value_type_name(b.type),
	                      value_type_name(a.type));
}

/* The product so far, in every form it may end as. */
struct product {
	uint8_t type;
	int64_t whole;
	double real;
	bson_decimal128_t decimal;
};

static void multiply(struct product *p, struct value v)
{
	uint8_t before = p->type;
	double d = value_as_double(v);
	int64_t n = 0;

	p->type = number_wider(p->type, v.type);
	if (p->type == BSON_TYPE_DECIMAL128) {
		if (before != BSON_TYPE_DECIMAL128)
			p->decimal = before == BSON_TYPE_DOUBLE ? decimal_from_double(p->real) : decimal_from_int64(p->whole);
		p->decimal = decimal_multiply(p->decimal, number_to_decimal(v));
		return;
	}
	p->real *= d;
	if (v.type == BSON_TYPE_DOUBLE)
		return;
	value_as_int64(v, &n);
	if (__builtin_mul_overflow(p->whole, n, &p->whole))
		p->type = BSON_TYPE_DOUBLE;
}

static bool evaluate_multiply(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct product p = { .type = BSON_TYPE_INT32, .whole = 1, .real = 1 };
	struct value v;

	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		if (value_is_nullish(v)) {
			*out = value_null();
			return true;
		}
		if (!value_is_number(v))
			return execution_fail(at->x, CODE_TypeMismatch, "$multiply only supports numeric types, not %s",
			                      value_type_name(v.type));
		multiply(&p, v);
	}
	switch (p.type) {
	case BSON_TYPE_DECIMAL128: *out = value_make_decimal(at->arena, p.decimal); break;
	case BSON_TYPE_DOUBLE: *out = value_make_double(at->arena, p.real); break;
	case BSON_TYPE_INT64: *out = value_make_int64(at->arena, p.whole); break;
	default: *out = make_int_or_long(at->arena, p.whole);
	}
	return true;
}

static bool number_is_zero(struct value v)
{
	return v.type == BSON_TYPE_DECIMAL128 ? decimal_is_zero(value_decimal(v)) : value_as_double(v) == 0;
}

static bool evaluate_divide(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;

	if (!evaluate_two(e, at, &a, &b))
		return false;
	if (value_is_number(a) && value_is_number(b)) {
		if (number_is_zero(b))
			return execution_fail(at->x, CODE_BadValue, "can't $divide by zero");
		*out = number_wider(a.type, b.type) == BSON_TYPE_DECIMAL128
		               ? value_make_decimal(at->arena, decimal_divide(number_to_decimal(a), number_to_decimal(b)))
		               : value_make_double(at->arena, value_as_double(a) / value_as_double(b));
		return true;
	}
	if (value_is_nullish(a) || value_is_nullish(b)) {
		*out = value_null();
		return true;
	}
	return execution_fail(at->x, CODE_TypeMismatch, "$divide only supports numeric types, not %s and %s",
	                      value_type_name(a.type), value_type_name(b.type));
}

static bool modulo_numbers(struct evaluation *at, struct value a, struct value b, struct value *out)
{
	int64_t left, right, rest;

	if (number_is_zero(b))
		return execution_fail(at->x, 16610, "can't $mod by zero");
	if (number_wider(a.type, b.type) == BSON_TYPE_DECIMAL128) {
		*out = value_make_decimal(at->arena, decimal_modulo(number_to_decimal(a), number_to_decimal(b)));
		return true;
	}
	if (a.type == BSON_TYPE_DOUBLE || (b.type == BSON_TYPE_DOUBLE && !number_is_int(b))) {
		*out = value_make_double(at->arena, fmod(value_as_double(a), value_as_double(b)));
		return true;
	}
	value_as_int64(a, &left);
	value_as_int64(b, &right);
	rest = right == -1 ? 0 : left % right; /* the least int64 by -1 traps */
	*out = a.type == BSON_TYPE_INT64 || b.type == BSON_TYPE_INT64 ? value_make_int64(at->arena, rest)
	                                                              : value_make_int32(at->arena, (int32_t)rest);
	return true;
}

static bool evaluate_mod(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;

	if (!evaluate_two(e, at, &a, &b))
		return false;
	if (value_is_number(a) && value_is_number(b))
		return modulo_numbers(at, a, b, out);
	if (value_is_nullish(a) || value_is_nullish(b)) {
		*out = value_null();
		return true;
	}
	return execution_fail(at->x, 16611, "$mod only supports numeric types, not %s and %s", value_type_name(a.type),
	                      value_type_name(b.type));
}

/* The one argument of $abs, $ceil …: *done when it is nullish and the answer null. */
static bool numeric_argument(const struct expression *e, struct evaluation *at, struct value *v, struct value *out,
                             bool *done)
{
	if (!evaluate_argument(e, at, 0, v))
		return false;
	*done = value_is_nullish(*v);
	if (*done) {
		*out = value_null();
		return true;
	}
	return value_is_number(*v) || execution_fail(at->x, 28765, "%s only supports numeric types, not %s", e->operator->name,
	                                             value_type_name(v->type));
}

static bool evaluate_abs(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;
	int64_t n;
	bool done;

	if (!numeric_argument(e, at, &v, out, &done) || done)
		return !at->x->failed;
	if (v.type == BSON_TYPE_DOUBLE) {
		*out = value_make_double(at->arena, fabs(value_double(v)));
	} else if (v.type == BSON_TYPE_DECIMAL128) {
		*out = value_make_decimal(at->arena, decimal_abs(value_decimal(v)));
	} else {
		value_as_int64(v, &n);
		if (n == INT64_MIN)
			return execution_fail(at->x, 28680, "can't take $abs of long long min");
		n = n < 0 ? -n : n;
		*out = v.type == BSON_TYPE_INT64 ? value_make_int64(at->arena, n) : make_int_or_long(at->arena, n);
	}
	return true;
}

/* What has no digits to lose there (1E+6000, or 34 of them before the place) stays as it is. */
static bson_decimal128_t round_decimal(bson_decimal128_t d, int places, enum decimal_rounding rounding)
{
	bson_decimal128_t rounded = decimal_round(d, places, rounding);

	return decimal_is_nan(rounded) ? d : rounded;
}

/* $floor and $ceil: the parameter says whether up. */
static bool evaluate_whole(const struct expression *e, struct evaluation *at, struct value *out)
{
	bool up = e->operator->parameter, done;
	struct value v;

	if (!numeric_argument(e, at, &v, out, &done) || done)
		return !at->x->failed;
	if (v.type == BSON_TYPE_DOUBLE)
		v = value_make_double(at->arena, up ? ceil(value_double(v)) : floor(value_double(v)));
	else if (v.type == BSON_TYPE_DECIMAL128)
		/* MongoDB's quantizing has no answer for infinity */
		v = value_make_decimal(at->arena, decimal_is_infinite(value_decimal(v))
		                                          ? decimal_from_double(NAN)
		                                          : decimal_round(value_decimal(v), 0, up ? DECIMAL_UP : DECIMAL_DOWN));
	*out = v;
	return true;
}

static bool number_is_positive(struct value v)
{
	if (v.type == BSON_TYPE_DECIMAL128) {
		bson_decimal128_t d = value_decimal(v);

		return decimal_is_nan(d) || (!decimal_is_zero(d) && !decimal_is_negative(d));
	}
	return value_as_double(v) > 0 || isnan(value_as_double(v));
}

static bool number_is_negative(struct value v)
{
	return !number_is_positive(v) && !number_is_zero(v);
}

struct real_function {
	double (*real)(double x);
	bson_decimal128_t (*decimal)(bson_decimal128_t x);
	bool (*refuses)(struct value v); /* may be null */
	uint32_t code;
	const char *text;
};

static bool is_not_positive(struct value v)
{
	return !number_is_positive(v);
}

enum { REAL_EXP, REAL_LN, REAL_LOG10, REAL_SQRT };

static const struct real_function real_functions[] = {
	[REAL_EXP] = { exp, decimal_exp, NULL, 0, NULL },
	[REAL_LN] = { log, decimal_ln, is_not_positive, 28766, "argument must be a positive number, but is" },
	[REAL_LOG10] = { log10, decimal_log10, is_not_positive, 28761, "argument must be a positive number, but is" },
	[REAL_SQRT] = { sqrt, decimal_sqrt, number_is_negative, 28714, "argument must be greater than or equal to 0" },
};

static bool evaluate_real(const struct expression *e, struct evaluation *at, struct value *out)
{
	const struct real_function *f = &real_functions[e->operator->parameter];
	struct value v;
	bool done;

	if (!numeric_argument(e, at, &v, out, &done) || done)
		return !at->x->failed;
	if (f->refuses && f->refuses(v)) {
		bool names_value = f->code != 28714;

		return execution_fail(at->x, f->code, "%s's %s%s%s", e->operator->name, f->text, names_value ? " " : "",
		                      names_value ? evaluation_text(at, v) : "");
	}
	*out = v.type == BSON_TYPE_DECIMAL128 ? value_make_decimal(at->arena, f->decimal(value_decimal(v)))
	                                      : value_make_double(at->arena, f->real(value_as_double(v)));
	return true;
}

static bool is_one(struct value v)
{
	int64_t n;

	return value_as_int64(v, &n) && n == 1;
}

static bool evaluate_log(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;

	if (!evaluate_two(e, at, &a, &b))
		return false;
	if (value_is_nullish(a) || value_is_nullish(b)) {
		*out = value_null();
		return true;
	}
	if (!value_is_number(a))
		return execution_fail(at->x, 28756, "$log's argument must be numeric, not %s", value_type_name(a.type));
	if (!value_is_number(b))
		return execution_fail(at->x, 28757, "$log's base must be numeric, not %s", value_type_name(b.type));
	if (!number_is_positive(a))
		return execution_fail(at->x, 28758, "$log's argument must be a positive number, but is %s", evaluation_text(at, a));
	if (!number_is_positive(b) || is_one(b))
		return execution_fail(at->x, 28759, "$log's base must be a positive number not equal to 1, but is %s",
		                      evaluation_text(at, b));
	*out = number_wider(a.type, b.type) == BSON_TYPE_DECIMAL128
	               ? value_make_decimal(at->arena, decimal_divide(decimal_ln(number_to_decimal(a)),
	                                                              decimal_ln(number_to_decimal(b))))
	               : value_make_double(at->arena, log(value_as_double(a)) / log(value_as_double(b)));
	return true;
}

/* base ^ exponent in int64; false when it does not fit. */
static bool integer_power(int64_t base, int64_t exponent, int64_t *out)
{
	int64_t result = 1;

	if (base == 0 || base == 1)
		result = exponent == 0 ? 1 : base;
	else if (base == -1)
		result = exponent % 2 ? -1 : 1;
	else if (exponent < 0 || exponent > 63)
		return false;
	else
		for (; exponent > 0; exponent--)
			if (__builtin_mul_overflow(result, base, &result))
				return false;
	*out = result;
	return true;
}

static bool evaluate_pow(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value a, b;
	int64_t base, exponent, result;
	uint8_t type;

	if (!evaluate_two(e, at, &a, &b))
		return false;
	if (value_is_nullish(a) || value_is_nullish(b)) {
		*out = value_null();
		return true;
	}
	if (!value_is_number(a))
		return execution_fail(at->x, 28762, "$pow's base must be numeric, not %s", value_type_name(a.type));
	if (!value_is_number(b))
		return execution_fail(at->x, 28763, "$pow's exponent must be numeric, not %s", value_type_name(b.type));
	if (number_is_zero(a) && number_is_negative(b))
		return execution_fail(at->x, 28764, "$pow cannot take a base of 0 and a negative exponent");
	type = number_wider(a.type, b.type);
	if (type == BSON_TYPE_DECIMAL128) {
		*out = value_make_decimal(at->arena, decimal_power(number_to_decimal(a), number_to_decimal(b)));
		return true;
	}
	if (type == BSON_TYPE_DOUBLE || !value_as_int64(a, &base) || !value_as_int64(b, &exponent) ||
	    !integer_power(base, exponent, &result)) {
		*out = value_make_double(at->arena, pow(value_as_double(a), value_as_double(b)));
		return true;
	}
	*out = type == BSON_TYPE_INT64 ? value_make_int64(at->arena, result) : make_int_or_long(at->arena, result);
	return true;
}

static bool evaluate_places(const struct expression *e, struct evaluation *at, int *places, bool *is_null)
{
	struct value v;
	int64_t n;

	*places = 0;
	*is_null = false;
	if (e->count < 2)
		return true;
	if (!evaluate_argument(e, at, 1, &v))
		return false;
	*is_null = value_is_nullish(v);
	if (*is_null)
		return true;
	if (!coerce_to_long(at, v, &n))
		return false;
	if (!number_is_int(v))
		return execution_fail(at->x, 51082, "precision argument to  %s must be a integral value", e->operator->name);
	if (n < PLACES_MIN || n > PLACES_MAX)
		return execution_fail(at->x, 51083, "cannot apply %s with precision value %lld value must be in [-20, 100]",
		                      e->operator->name, (long long)n);
	*places = (int)n;
	return true;
}

/* $round and $trunc, by the rounding in the parameter. */
static bool evaluate_round(const struct expression *e, struct evaluation *at, struct value *out)
{
	enum decimal_rounding rounding = (enum decimal_rounding)e->operator->parameter;
	struct value v;
	int places;
	bool is_null;
	int64_t n;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	if (value_is_nullish(v)) {
		*out = value_null();
		return true;
	}
	if (!value_is_number(v))
		return execution_fail(at->x, 51081, "%s only supports numeric types, not %s", e->operator->name,
		                      value_type_name(v.type));
	if (!evaluate_places(e, at, &places, &is_null))
		return false;
	if (is_null) {
		*out = value_null();
		return true;
	}
	*out = v;
	if (v.type == BSON_TYPE_DECIMAL128) {
		*out = value_make_decimal(at->arena, round_decimal(value_decimal(v), places, rounding));
	} else if (v.type == BSON_TYPE_DOUBLE && isfinite(value_double(v))) {
		double d = value_double(v);

		*out = value_make_double(
			at->arena,
			places == 0 ? (rounding == DECIMAL_TOWARD_ZERO ? trunc(d) : nearbyint(d))
				    : decimal_to_double(decimal_round(decimal_from_double_exact(d), places, rounding)));
	} else if (v.type != BSON_TYPE_DOUBLE && places < 0) {
		if (!decimal_to_int64_exact(decimal_round(number_to_decimal(v), places, rounding), &n))
			return execution_fail(at->x, 51080,
			                      "invalid conversion from Decimal128 result in %s resulting from arguments: [%s,%d]",
			                      e->operator->name, evaluation_text(at, v), places);
		*out = v.type == BSON_TYPE_INT64 ? value_make_int64(at->arena, n) : make_int_or_long(at->arena, n);
	}
	return true;
}

/* An object, which has to be empty. */
static bool compile_rand(struct expression *e, struct value specification, struct compiler *c)
{
	(void)e;
	if (!value_is_document(specification) && !value_is_array(specification))
		return compile_fail(c, 10065, "invalid parameter: expected an object ($rand)");
	return !value_count(specification) || compile_fail(c, 3040501, "$rand does not currently accept arguments");
}

static bool evaluate_rand(const struct expression *e, struct evaluation *at, struct value *out)
{
	uint64_t bits;

	(void)e;
	if (getentropy(&bits, sizeof bits))
		return execution_fail(at->x, CODE_InternalError, "no random numbers from the system");
	*out = value_make_double(at->arena, (double)(bits >> 11) * 0x1p-53);
	return true;
}

static void write_rand(const struct expression *e, struct writer *w, struct key key)
{
	(void)e;
	writer_begin_document(w, key);
	writer_begin_document(w, key_of("$rand"));
	writer_end(w);
	writer_end(w);
}

const struct operator expression_arithmetic_operators[] = {
	{ .name = "$abs", .min = 1, .max = 1, .evaluate = evaluate_abs },
	{ .name = "$add", .max = -1, .evaluate = evaluate_add },
	{ .name = "$ceil", .min = 1, .max = 1, .evaluate = evaluate_whole, .parameter = 1 },
	{ .name = "$divide", .min = 2, .max = 2, .evaluate = evaluate_divide },
	{ .name = "$exp", .min = 1, .max = 1, .evaluate = evaluate_real, .parameter = REAL_EXP },
	{ .name = "$floor", .min = 1, .max = 1, .evaluate = evaluate_whole, .parameter = 0 },
	{ .name = "$ln", .min = 1, .max = 1, .evaluate = evaluate_real, .parameter = REAL_LN },
	{ .name = "$log", .min = 2, .max = 2, .evaluate = evaluate_log },
	{ .name = "$log10", .min = 1, .max = 1, .evaluate = evaluate_real, .parameter = REAL_LOG10 },
	{ .name = "$mod", .min = 2, .max = 2, .evaluate = evaluate_mod },
	{ .name = "$multiply", .max = -1, .evaluate = evaluate_multiply },
	{ .name = "$pow", .min = 2, .max = 2, .evaluate = evaluate_pow },
	{ .name = "$rand",
	  .compile = compile_rand,
	  .evaluate = evaluate_rand,
	  .write = write_rand,
	  .flags = OPERATOR_NOT_FOLDED },
	{ .name = "$round", .min = 1, .max = 2, .evaluate = evaluate_round, .parameter = DECIMAL_NEAREST_EVEN },
	{ .name = "$sqrt", .min = 1, .max = 1, .evaluate = evaluate_real, .parameter = REAL_SQRT },
	{ .name = "$subtract", .min = 2, .max = 2, .evaluate = evaluate_subtract },
	{ .name = "$trunc", .min = 1, .max = 2, .evaluate = evaluate_round, .parameter = DECIMAL_TOWARD_ZERO },
	{ .name = NULL },
};
