/* $convert and its short forms; $isNumber. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bson/decimal.h"
#include "engine/expression_date.h"

/* What a conversion came to: done, failed for a reason that onError may catch, or a failure of the execution. */
enum outcome { CONVERTED, NOT_CONVERTED, EXECUTION_FAILED };

struct conversion {
	struct evaluation *at;
	struct bytes reason; /* of NOT_CONVERTED */
};

#define WITHOUT_ON_ERROR " in $convert with no onError value"

static enum outcome unsupported(struct conversion *c, struct value v, uint8_t to)
{
	bytes_format(&c->reason, "Unsupported conversion from %s to %s" WITHOUT_ON_ERROR, value_type_name(v.type),
	             value_type_name(to));
	return NOT_CONVERTED;
}

static enum outcome overflow(struct conversion *c, struct value v)
{
	bytes_format(&c->reason, "Conversion would overflow target type" WITHOUT_ON_ERROR ": %s", evaluation_text(c->at, v));
	return NOT_CONVERTED;
}

static enum outcome not_a_number(struct conversion *c, struct key text, const char *why)
{
	bytes_format(&c->reason, "Failed to parse number '%.*s'" WITHOUT_ON_ERROR ": %s", (int)text.size_bytes,
	             text.bytes, why);
	return NOT_CONVERTED;
}

/* [+-]digits and nothing else. */
static enum outcome parse_integer(struct conversion *c, struct key text, int64_t least, int64_t greatest, int64_t *out)
{
	uint32_t i = 0;
	bool negative = false;
	int64_t n = 0;

	if (text.size_bytes > 2 && text.bytes[0] == '0' && (text.bytes[1] | 32) == 'x') {
		bytes_format(&c->reason, "Illegal hexadecimal input" WITHOUT_ON_ERROR ": %.*s", (int)text.size_bytes, text.bytes);
		return NOT_CONVERTED;
	}
	if (text.size_bytes && (text.bytes[0] == '+' || text.bytes[0] == '-'))
		negative = text.bytes[i++] == '-';
	if (i == text.size_bytes)
		return not_a_number(c, text, "No digits");
	for (; i < text.size_bytes; i++) {
		int digit = text.bytes[i] - '0';

		if (digit < 0 || digit > 9)
			return not_a_number(c, text, "Did not consume whole string.");
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, digit, &n))
			return not_a_number(c, text, "Overflow");
	}
	/* counted downwards, because the least number has no positive counterpart */
	if (!negative && n == INT64_MIN)
		return not_a_number(c, text, "Overflow");
	*out = negative ? n : -n;
	return *out >= least && *out <= greatest ? CONVERTED : not_a_number(c, text, "Overflow");
}

/* Whole part of a number; what is no number or out of range is told. */
static enum outcome whole_part(struct conversion *c, struct value v, int64_t *out)
{
	bool is_decimal = v.type == BSON_TYPE_DECIMAL128;
	double d = is_decimal ? 0 : value_as_double(v);

	if (value_as_int64(v, out))
		return CONVERTED;
	if (is_decimal ? decimal_is_nan(value_decimal(v)) : isnan(d)) {
		bytes_format(&c->reason, "Attempt to convert NaN value to integer type" WITHOUT_ON_ERROR);
		return NOT_CONVERTED;
	}
	if (is_decimal ? decimal_is_infinite(value_decimal(v)) : isinf(d)) {
		bytes_format(&c->reason, "Attempt to convert infinity value to integer type" WITHOUT_ON_ERROR);
		return NOT_CONVERTED;
	}
	if (is_decimal)
		return decimal_to_int64(value_decimal(v), DECIMAL_TOWARD_ZERO, out) ? CONVERTED : overflow(c, v);
	if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
		return overflow(c, v);
	*out = (int64_t)d;
	return CONVERTED;
}

static enum outcome integer(struct conversion *c, struct value v, uint8_t to, int64_t *out)
{
	int64_t least = to == BSON_TYPE_INT32 ? INT32_MIN : INT64_MIN,
		greatest = to == BSON_TYPE_INT32 ? INT32_MAX : INT64_MAX;
	enum outcome outcome;

	if (v.type == BSON_TYPE_BOOL) {
		*out = value_bool(v);
		return CONVERTED;
	}
	if (v.type == BSON_TYPE_UTF8)
		return parse_integer(c, value_text(v), least, greatest, out);
	if (v.type == BSON_TYPE_DATE_TIME && to == BSON_TYPE_INT64) {
		*out = value_int64(v);
		return CONVERTED;
	}
	if (!value_is_number(v))
		return unsupported(c, v, to);
	outcome = whole_part(c, v, out);
	return outcome != CONVERTED || (*out >= least && *out <= greatest) ? outcome : overflow(c, v);
}

static enum outcome to_int(struct conversion *c, struct value v, struct value *out)
{
	int64_t n;
	enum outcome outcome = integer(c, v, BSON_TYPE_INT32, &n);

	if (outcome == CONVERTED)
		*out = value_make_int32(c->at->arena, (int32_t)n);
	return outcome;
}

static enum outcome to_long(struct conversion *c, struct value v, struct value *out)
{
	int64_t n;
	enum outcome outcome = integer(c, v, BSON_TYPE_INT64, &n);

	if (outcome == CONVERTED)
		*out = value_make_int64(c->at->arena, n);
	return outcome;
}

/* As strtod reads the whole text, which does not begin with white space. */
static enum outcome parse_double(struct conversion *c, struct key text, double *out)
{
	const char *start = arena_duplicate(c->at->arena, text.bytes, (size_t)text.size_bytes + 1);
	char *end;

	if (!text.size_bytes)
		return not_a_number(c, text, "Empty string");
	if (isspace((unsigned char)*start))
		return not_a_number(c, text, "Leading whitespace");
	errno = 0;
	*out = strtod(start, &end);
	if (end != start + text.size_bytes)
		return not_a_number(c, text, "Did not consume whole string.");
	return errno == ERANGE ? not_a_number(c, text, "Out of range") : CONVERTED;
}

static enum outcome to_double(struct conversion *c, struct value v, struct value *out)
{
	enum outcome outcome = CONVERTED;
	bool exact;
	double d = 0;

	switch (v.type) {
	case BSON_TYPE_BOOL: d = value_bool(v); break;
	case BSON_TYPE_DATE_TIME: d = (double)value_int64(v); break;
	case BSON_TYPE_UTF8: outcome = parse_double(c, value_text(v), &d); break;
	case BSON_TYPE_DECIMAL128:
		d = decimal_to_double_rounded(value_decimal(v), DECIMAL_NEAREST_EVEN, &exact);
		/* infinity or (next to) nothing of a number that is neither */
		if ((isinf(d) && !decimal_is_infinite(value_decimal(v))) ||
		    (fabs(d) < 2.2250738585072014e-308 && !decimal_is_zero(value_decimal(v)) && !isnan(d) && !exact))
			return overflow(c, v);
		break;
	case BSON_TYPE_INT32: case BSON_TYPE_INT64: case BSON_TYPE_DOUBLE: d = value_as_double(v); break;
	default: return unsupported(c, v, BSON_TYPE_DOUBLE);
	}
	if (outcome == CONVERTED)
		*out = value_make_double(c->at->arena, d);
	return outcome;
}

static bool skip_digits(const char **at)
{
	const char *start = *at;

	while (isdigit((unsigned char)**at))
		(*at)++;
	return *at > start;
}

/* Decimal notation with an exponent, Infinity, NaN. */
static bool is_decimal_text(const char *text)
{
	bool digits;

	if (*text == '+' || *text == '-')
		text++;
	if (!strcasecmp(text, "inf") || !strcasecmp(text, "infinity") || !strcasecmp(text, "nan"))
		return true;
	digits = skip_digits(&text);
	if (*text == '.') {
		text++;
		digits |= skip_digits(&text);
	}
	if (!digits)
		return false;
	if ((*text | 32) == 'e') {
		text++;
		if (*text == '+' || *text == '-')
			text++;
		if (!skip_digits(&text))
			return false;
	}
	return !*text;
}

static enum outcome to_decimal(struct conversion *c, struct value v, struct value *out)
{
	bson_decimal128_t d;
	struct key text;

	switch (v.type) {
	case BSON_TYPE_BOOL: d = decimal_from_int64(value_bool(v)); break;
	case BSON_TYPE_DATE_TIME: d = decimal_from_int64(value_int64(v)); break;
	case BSON_TYPE_UTF8:
		text = value_text(v);
		if (strlen(text.bytes) != text.size_bytes || !is_decimal_text(text.bytes))
			return not_a_number(c, text, text.size_bytes ? "Did not consume whole string." : "Empty string");
		if (!decimal_from_text(text.bytes, &d))
			return not_a_number(c, text, "Conversion from string to decimal would overflow");
		break;
	case BSON_TYPE_INT32:
	case BSON_TYPE_INT64:
	case BSON_TYPE_DOUBLE:
	case BSON_TYPE_DECIMAL128: d = number_to_decimal(v); break;
	default: return unsupported(c, v, BSON_TYPE_DECIMAL128);
	}
	*out = value_make_decimal(c->at->arena, d);
	return CONVERTED;
}

static enum outcome to_bool(struct conversion *c, struct value v, struct value *out)
{
	(void)c;
	*out = value_make_bool(value_is_true(v));
	return CONVERTED;
}

static enum outcome to_date(struct conversion *c, struct value v, struct value *out)
{
	const char *reason;
	int64_t millis;
	enum outcome outcome;

	switch (v.type) {
	case BSON_TYPE_DATE_TIME: case BSON_TYPE_TIMESTAMP: case BSON_TYPE_OID: coerce_to_date(c->at, v, &millis); break;
	case BSON_TYPE_INT64: case BSON_TYPE_DOUBLE: case BSON_TYPE_DECIMAL128:
		outcome = whole_part(c, v, &millis);
		if (outcome != CONVERTED)
			return outcome;
		break;
	case BSON_TYPE_UTF8:
		switch (date_read(c->at, value_text(v), &zone_utc, false, &millis, &reason)) {
		case DATE_READ: break;
		case DATE_INVALID:
			bytes_format(&c->reason, "Error parsing date string %s; %s", evaluation_text(c->at, v), reason);
			return NOT_CONVERTED;
		case DATE_UNKNOWN_FORMAT:
			execution_fail(c->at->x, CODE_NotImplemented, "$convert: the text %s is in no date format that is understood here",
			               evaluation_text(c->at, v));
			return EXECUTION_FAILED;
		}
		break;
	default: return unsupported(c, v, BSON_TYPE_DATE_TIME);
	}
	*out = value_make_date(c->at->arena, millis);
	return CONVERTED;
}

static enum outcome to_object_id(struct conversion *c, struct value v, struct value *out)
{
	uint8_t *id = arena_allocate(c->at->arena, 12);
	struct key text;

	*out = v;
	if (v.type == BSON_TYPE_OID)
		return CONVERTED;
	if (v.type != BSON_TYPE_UTF8)
		return unsupported(c, v, BSON_TYPE_OID);
	text = value_text(v);
	if (text.size_bytes != 24) {
		bytes_format(&c->reason, "Failed to parse objectId '%.*s'" WITHOUT_ON_ERROR
		             ": Invalid string length for parsing to OID, expected 24 but found %u", (int)text.size_bytes, text.bytes,
		             text.size_bytes);
		return NOT_CONVERTED;
	}
	for (int i = 0; i < 24; i++) {
		char digit = text.bytes[i];
		int n = isdigit((unsigned char)digit)                ? digit - '0'
		        : (digit | 32) >= 'a' && (digit | 32) <= 'f' ? (digit | 32) - 'a' + 10
		                                                     : -1;

		if (n < 0) {
			bytes_format(&c->reason, "Failed to parse objectId '%.*s'" WITHOUT_ON_ERROR
			             ": Invalid character found in hex string: %c", (int)text.size_bytes, text.bytes, digit);
			return NOT_CONVERTED;
		}
		id[i / 2] = (uint8_t)(i % 2 ? id[i / 2] | n : n << 4);
	}
	*out = (struct value){ id, 12, BSON_TYPE_OID };
	return CONVERTED;
}

static int double_text(char *text, size_t size, double d)
{
	int length = 0;

	if (isnan(d))
		return snprintf(text, size, "NaN");
	if (isinf(d))
		return snprintf(text, size, "%sInfinity", d < 0 ? "-" : "");
	/* the fewest digits that read as the same number */
	for (int digits = 15; digits <= 17; digits++) {
		length = snprintf(text, size, "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return length;
}

bool convert_scalar_text(struct evaluation *at, struct value v, struct value *out)
{
	char text[BSON_DECIMAL128_STRING + 24];
	bson_decimal128_t d;
	int size = 0;

	switch (v.type) {
	case BSON_TYPE_UTF8: *out = v; return true;
	case BSON_TYPE_DATE_TIME: return date_text(at, value_int64(v), out);
	case BSON_TYPE_INT32: size = snprintf(text, sizeof text, "%d", value_int32(v)); break;
	case BSON_TYPE_INT64: size = snprintf(text, sizeof text, "%lld", (long long)value_int64(v)); break;
	case BSON_TYPE_DOUBLE: size = double_text(text, sizeof text, value_double(v)); break;
	case BSON_TYPE_DECIMAL128:
		d = value_decimal(v);
		bson_decimal128_to_string(&d, text);
		size = (int)strlen(text);
		break;
	default: return false;
	}
	*out = value_make_text(at->arena, text, (size_t)size);
	return true;
}

static enum outcome to_string(struct conversion *c, struct value v, struct value *out)
{
	char text[25];

	if (v.type == BSON_TYPE_BOOL) {
		*out = value_bool(v) ? value_make_text(c->at->arena, "true", 4) : value_make_text(c->at->arena, "false", 5);
		return CONVERTED;
	}
	if (v.type == BSON_TYPE_OID) {
		for (int i = 0; i < 12; i++)
			snprintf(text + 2 * i, 3, "%02x", v.bytes[i]);
		*out = value_make_text(c->at->arena, text, 24);
		return CONVERTED;
	}
	if (convert_scalar_text(c->at, v, out))
		return CONVERTED;
	return c->at->x->failed ? EXECUTION_FAILED : unsupported(c, v, BSON_TYPE_UTF8);
}

struct target {
	const char *name;
	uint8_t type;
	enum outcome (*convert)(struct conversion *c, struct value v, struct value *out);
};

static const struct target targets[] = {
	{ "double", BSON_TYPE_DOUBLE, to_double },
	{ "string", BSON_TYPE_UTF8, to_string },
	{ "objectId", BSON_TYPE_OID, to_object_id },
	{ "bool", BSON_TYPE_BOOL, to_bool },
	{ "date", BSON_TYPE_DATE_TIME, to_date },
	{ "int", BSON_TYPE_INT32, to_int },
	{ "long", BSON_TYPE_INT64, to_long },
	{ "decimal", BSON_TYPE_DECIMAL128, to_decimal },
};

enum { TARGETS = sizeof targets / sizeof *targets };

static const struct target *target_of_type(uint8_t type)
{
	for (size_t i = 0; i < TARGETS; i++)
		if (targets[i].type == type)
			return &targets[i];
	return NULL;
}

/* Every type has a number and a name, also those nothing is converted to. */
static bool type_of(struct evaluation *at, struct value to, uint8_t *type)
{
	int64_t n;

	if (to.type == BSON_TYPE_UTF8) {
		for (unsigned t = 1; t < 256; t++) {
			const char *name = value_type_name((uint8_t)t);

			if (strcmp(name, "unknown") && key_is(value_text(to), name)) {
				*type = (uint8_t)t;
				return true;
			}
		}
		return execution_fail(at->x, CODE_BadValue, "Unknown type name: %.*s", (int)value_text(to).size_bytes,
		                      value_text(to).bytes);
	}
	if (!value_is_number(to))
		return execution_fail(at->x, CODE_FailedToParse, "$convert's 'to' argument must be a string or number, but is %s",
		                      value_type_name(to.type));
	if (!number_is_int(to))
		return execution_fail(at->x, CODE_FailedToParse, "In $convert, numeric 'to' argument is not an integer");
	value_as_int64(to, &n);
	/* 0, no type of a value, counts as one here; nothing becomes it */
	if ((n < 1 || n > 127 || !strcmp(value_type_name((uint8_t)n), "unknown")) && n != -1 && n != 0)
		return execution_fail(at->x, CODE_FailedToParse,
		                      "In $convert, numeric value for 'to' does not correspond to a BSON type: %lld", (long long)n);
	*type = n == -1 ? BSON_TYPE_MINKEY : (uint8_t)n;
	return true;
}

enum { CONVERT_INPUT, CONVERT_TO, CONVERT_ON_ERROR, CONVERT_ON_NULL };

/* Arguments that are absent: $toInt … have the input only. */
static const struct expression *optional(const struct expression *e, size_t i)
{
	return i < e->count ? e->arguments[i] : NULL;
}

static bool convert(const struct expression *e, struct evaluation *at, uint8_t type, struct value v, struct value *out)
{
	const struct target *target = target_of_type(type);
	struct conversion c = { at, BYTES_INIT };
	enum outcome outcome = target ? target->convert(&c, v, out) : unsupported(&c, v, type);
	const struct expression *on_error = optional(e, CONVERT_ON_ERROR);
	bool ok = outcome == CONVERTED;

	if (outcome == NOT_CONVERTED)
		ok = on_error ? evaluate(on_error, at, out)
		              : execution_fail(at->x, CODE_ConversionFailure, "%s", bytes_text(&c.reason));
	bytes_clear(&c.reason);
	return ok;
}

static bool evaluate_convert(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v, to;
	uint8_t type = 0;

	if (!evaluate_argument(e, at, CONVERT_TO, &to) || !evaluate_argument(e, at, CONVERT_INPUT, &v))
		return false;
	*out = value_null();
	if (!value_is_nullish(to) && !type_of(at, to, &type)) /* the type has to be one even where there is no input */
		return false;
	if (value_is_nullish(v))
		return !optional(e, CONVERT_ON_NULL) || evaluate_argument(e, at, CONVERT_ON_NULL, out);
	return value_is_nullish(to) || convert(e, at, type, v, out);
}

/* $toInt …: the parameter is the type. */
static bool evaluate_short(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, CONVERT_INPUT, &v))
		return false;
	*out = value_null();
	return value_is_nullish(v) || convert(e, at, (uint8_t)e->operator->parameter, v, out);
}

/* MongoDB turns the short forms into $convert and shows them so. */
static void write_short(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of("$convert"));
	expression_write(e->arguments[CONVERT_INPUT], w, key_of("input"));
	writer_begin_document(w, key_of("to"));
	writer_text(w, "$const", target_of_type((uint8_t)e->operator->parameter)->name);
	writer_end(w);
	writer_end(w);
	writer_end(w);
}

static bool evaluate_is_number(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	*out = value_make_bool(value_is_number(v));
	return true;
}

static const struct named_arguments convert_arguments = {
	.not_object_code = CODE_FailedToParse,
	.not_object = "$convert expects an object of named arguments but found: ",
	.unknown_code = CODE_FailedToParse,
	.unknown = "$convert found an unknown argument: ",
	.items = { { "input", CODE_FailedToParse, "Missing 'input' parameter to $convert" },
	           { "to", CODE_FailedToParse, "Missing 'to' parameter to $convert" },
	           { "onError", 0, NULL },
	           { "onNull", 0, NULL } },
};

#define SHORT(text, target_type)                                                                                     \
	{ .name = text, .min = 1, .max = 1, .arity_code = 50723, .arity_text = "requires a single argument, got ", \
	  .evaluate = evaluate_short, .write = write_short, .parameter = target_type }

const struct operator expression_convert_operators[] = {
	{ .name = "$convert", .named = &convert_arguments, .evaluate = evaluate_convert },
	{ .name = "$isNumber", .min = 1, .max = 1, .evaluate = evaluate_is_number },
	SHORT("$toBool", BSON_TYPE_BOOL),
	SHORT("$toDate", BSON_TYPE_DATE_TIME),
	SHORT("$toDecimal", BSON_TYPE_DECIMAL128),
	SHORT("$toDouble", BSON_TYPE_DOUBLE),
	SHORT("$toInt", BSON_TYPE_INT32),
	SHORT("$toLong", BSON_TYPE_INT64),
	SHORT("$toObjectId", BSON_TYPE_OID),
	SHORT("$toString", BSON_TYPE_UTF8),
	{ .name = NULL },
};
