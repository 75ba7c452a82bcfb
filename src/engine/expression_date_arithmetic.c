/* $dateAdd, $dateSubtract, $dateDiff, $dateTrunc: units in a time zone. */
#include <string.h>
#include <strings.h>

#include "engine/expression_date.h"

enum unit {
	UNIT_MILLISECOND,
	UNIT_SECOND,
	UNIT_MINUTE,
	UNIT_HOUR,
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_YEAR
};

static const struct { const char *name; int64_t count; } units[] = {
	/* milliseconds up to the hour, days up to the week, months above */
	[UNIT_MILLISECOND] = { "millisecond", 1 }, [UNIT_SECOND] = { "second", 1000 },  [UNIT_MINUTE] = { "minute", 60000 },
	[UNIT_HOUR] = { "hour", 3600000 },         [UNIT_DAY] = { "day", 1 },           [UNIT_WEEK] = { "week", 7 },
	[UNIT_MONTH] = { "month", 1 },             [UNIT_QUARTER] = { "quarter", 3 },   [UNIT_YEAR] = { "year", 12 },
};

static const int64_t day_millis = 86400000;
static const int64_t amount_limit = INT64_C(100000000000);

static bool unit_find(struct key name, enum unit *out)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (key_is(name, units[i].name)) {
			*out = (enum unit)i;
			return true;
		}
	}
	return false;
}

/* 0: Sunday. Full names or the first three letters, in any case. */
static bool weekday_find(struct key name, int *out)
{
	static const char *const names[] = { "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday" };

	for (int i = 0; i < 7; i++) {
		if ((name.size_bytes == 3 || name.size_bytes == strlen(names[i])) &&
		    !strncasecmp(name.bytes, names[i], name.size_bytes)) {
			*out = i;
			return true;
		}
	}
	return false;
}

/* Local days and months of an instant. */
static int64_t local_days(const struct zone *z, int64_t millis)
{
	return floor_divide(zone_local(z, millis), day_millis);
}

static int64_t local_months(const struct zone *z, int64_t millis)
{
	struct date_parts p = date_parts_of(zone_local(z, millis));

	return p.year * 12 + p.month - 1;
}

/* Reads the unit; a text that is none fails with `prefix` before MongoDB's message. */
static bool evaluate_unit(struct evaluation *at, const struct expression *e, struct value v, enum unit *unit)
{
	bool adds = e->operator->parameter != 0;

	if (v.type != BSON_TYPE_UTF8)
		return adds ? execution_fail(at->x, 5166404, "%s expects string defining the time unit", e->operator->name)
		            : execution_fail(at->x, 5439013, "%s requires 'unit' to be a string, but got %s", e->operator->name,
		                             value_type_name(v.type));
	if (unit_find(value_text(v), unit))
		return true;
	if (adds)
		return execution_fail(at->x, CODE_FailedToParse, "unknown time unit value: %.*s", (int)value_text(v).size_bytes,
		                      value_text(v).bytes);
	return execution_fail(at->x, CODE_FailedToParse,
	                      "%s parameter 'unit' value parsing failed :: caused by :: unknown time unit value: %.*s",
	                      e->operator->name, (int)value_text(v).size_bytes, value_text(v).bytes);
}

static bool evaluate_weekday(struct evaluation *at, const struct expression *e, struct value v, int *out)
{
	if (v.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 5439015, "%s requires 'startOfWeek' to be a string, but got %s", e->operator->name,
		                      value_type_name(v.type));
	return weekday_find(value_text(v), out) ||
	       execution_fail(at->x, 5439016, "%s parameter 'startOfWeek' value cannot be recognized as a day of a week: %.*s",
	                      e->operator->name, (int)value_text(v).size_bytes, value_text(v).bytes);
}

static bool is_date_like(struct value v)
{
	return v.type == BSON_TYPE_DATE_TIME || v.type == BSON_TYPE_TIMESTAMP || v.type == BSON_TYPE_OID;
}

enum { ADD_START, ADD_UNIT, ADD_AMOUNT, ADD_ZONE };

static bool add_failed(struct evaluation *at, const struct expression *e)
{
	return execution_fail(at->x, CODE_Overflow, "%s overflowed", e->operator->name);
}

static bool add_months(const struct zone *z, int64_t months, int64_t *millis)
{
	int64_t local = zone_local(z, *millis), total = local_months(z, *millis) + months, year = floor_divide(total, 12);
	struct date_parts p = date_parts_of(local);
	int month = (int)(total - year * 12) + 1, last = date_month_length(year, month);

	if (!date_millis(year, month, p.day < last ? p.day : last, p.hour, p.minute, p.second, p.millisecond, &local))
		return false;
	*millis = zone_instant(z, local);
	return true;
}

/* Days keep the clock's time, hours and below do not look at the clock. */
static bool add_units(const struct zone *z, enum unit unit, int64_t amount, int64_t *millis)
{
	int64_t local, part;

	if (__builtin_mul_overflow(amount, units[unit].count, &amount))
		return false;
	if (unit <= UNIT_HOUR)
		return !__builtin_add_overflow(*millis, amount, millis);
	if (amount > amount_limit || amount < -amount_limit)
		return false;
	if (unit >= UNIT_MONTH)
		return add_months(z, amount, millis);
	local = zone_local(z, *millis);
	if (__builtin_mul_overflow(amount, day_millis, &part) || __builtin_add_overflow(local, part, &local))
		return false;
	*millis = zone_instant(z, local);
	return true;
}

static bool evaluate_add(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value start, unit_name, amount_value;
	struct zone zone;
	enum unit unit;
	int64_t millis, amount;
	bool is_null;

	*out = value_null();
	if (!evaluate_argument(e, at, ADD_START, &start) || !evaluate_argument(e, at, ADD_UNIT, &unit_name) ||
	    !evaluate_argument(e, at, ADD_AMOUNT, &amount_value))
		return false;
	if (value_is_nullish(start) || value_is_nullish(unit_name) || value_is_nullish(amount_value))
		return true;
	if (!date_zone(e, at, ADD_ZONE, &zone, &is_null))
		return false;
	if (is_null)
		return true;
	if (!is_date_like(start))
		return execution_fail(at->x, 5166403, "%s requires startDate to be convertible to a date", e->operator->name);
	if (!evaluate_unit(at, e, unit_name, &unit))
		return false;
	if (!value_as_int64(amount_value, &amount))
		return execution_fail(at->x, 5166405, "%s expects integer amount of time units", e->operator->name);
	if (!coerce_to_date(at, start, &millis))
		return false;
	if (e->operator->parameter < 0 && __builtin_sub_overflow(0, amount, &amount))
		return execution_fail(at->x, 6045000, "invalid $dateSubtract 'amount' parameter value: %s",
		                      evaluation_text(at, amount_value));
	if (!add_units(&zone, unit, amount, &millis))
		return add_failed(at, e);
	*out = value_make_date(at->arena, millis);
	return true;
}

#define ADD_ARGUMENTS(name)                                                                                          \
	{                                                                                                            \
		.not_object_code = 5166400, .not_object = name " expects an object as its argument.found input type: ", \
		.unknown_code = 5166401, .unknown = "Unrecognized argument to " name ": ",                           \
		.items = { { "startDate", 5166402, name " requires startDate, unit, and amount to be present" },     \
		           { "unit", 5166402, name " requires startDate, unit, and amount to be present" },          \
		           { "amount", 5166402, name " requires startDate, unit, and amount to be present" },        \
		           { "timezone", 0, NULL } },                                                                \
	}

static const struct named_arguments add_arguments = ADD_ARGUMENTS("$dateAdd");
static const struct named_arguments subtract_arguments = ADD_ARGUMENTS("$dateSubtract");

enum { DIFF_START, DIFF_END, DIFF_UNIT, DIFF_ZONE, DIFF_WEEKDAY };

static const struct named_arguments diff_arguments = {
	.not_object_code = 5166301,
	.not_object = "$dateDiff only supports an object as its argument",
	.unknown_code = 5166302,
	.unknown = "Unrecognized argument to $dateDiff: ",
	.items = { { "startDate", 5166303, "Missing 'startDate' parameter to $dateDiff" },
	           { "endDate", 5166304, "Missing 'endDate' parameter to $dateDiff" },
	           { "unit", 5166305, "Missing 'unit' parameter to $dateDiff" },
	           { "timezone", 0, NULL }, { "startOfWeek", 0, NULL } },
};

/* Which unit since a fixed one the instant lies in. */
static int64_t unit_number(const struct zone *z, enum unit unit, int weekday, int64_t millis)
{
	if (unit >= UNIT_MONTH)
		return floor_divide(local_months(z, millis), units[unit].count);
	if (unit == UNIT_WEEK) /* 1970-01-04 was a Sunday */
		return floor_divide(local_days(z, millis) - 3 - weekday, 7);
	if (unit == UNIT_DAY)
		return local_days(z, millis);
	if (unit == UNIT_HOUR) /* the clock's hours begin where the zone's odd minutes say */
		millis += zone_offset(z, floor_divide(millis, 1000)) % 3600 * INT64_C(1000);
	return floor_divide(millis, units[unit].count);
}

/* Whether the unit is "week", before it is checked. */
static bool says_week(struct value unit_name)
{
	return unit_name.type == BSON_TYPE_UTF8 && key_is(value_text(unit_name), "week");
}

static bool evaluate_diff(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value start, end, unit_name, weekday_name = value_missing();
	int64_t from, to;
	struct zone zone;
	enum unit unit;
	int weekday = 0;
	bool is_null;

	*out = value_null();
	if (!evaluate_argument(e, at, DIFF_START, &start) || !evaluate_argument(e, at, DIFF_END, &end) ||
	    !evaluate_argument(e, at, DIFF_UNIT, &unit_name))
		return false;
	if (value_is_nullish(start) || value_is_nullish(end) || value_is_nullish(unit_name))
		return true;
	if (e->arguments[DIFF_WEEKDAY] && says_week(unit_name)) {
		if (!evaluate_argument(e, at, DIFF_WEEKDAY, &weekday_name))
			return false;
		if (value_is_nullish(weekday_name))
			return true;
	}
	if (!date_zone(e, at, DIFF_ZONE, &zone, &is_null))
		return false;
	if (is_null)
		return true;
	if (!is_date_like(start) || !is_date_like(end))
		return execution_fail(at->x, 5166307, "$dateDiff requires '%s' to be a date, but got %s",
		                      is_date_like(start) ? "endDate" : "startDate",
		                      value_type_name(is_date_like(start) ? end.type : start.type));
	if (!evaluate_unit(at, e, unit_name, &unit))
		return false;
	if (!value_is_missing(weekday_name) && !evaluate_weekday(at, e, weekday_name, &weekday))
		return false;
	if (!coerce_to_date(at, start, &from) || !coerce_to_date(at, end, &to))
		return false;
	if (unit == UNIT_MILLISECOND && __builtin_sub_overflow(to, from, &to))
		return execution_fail(at->x, 5166308, "dateDiff overflowed");
	*out = value_make_int64(at->arena, unit == UNIT_MILLISECOND ? to
	                                                            : unit_number(&zone, unit, weekday, to) -
	                                                                      unit_number(&zone, unit, weekday, from));
	return true;
}

enum { TRUNC_DATE, TRUNC_UNIT, TRUNC_BIN, TRUNC_ZONE, TRUNC_WEEKDAY };

static const struct named_arguments trunc_arguments = {
	.not_object_code = 5439007,
	.not_object = "$dateTrunc only supports an object as its argument",
	.unknown_code = 5439008,
	.unknown = "Unrecognized argument to $dateTrunc: ",
	.items = { { "date", 5439009, "Missing 'date' parameter to $dateTrunc" },
	           { "unit", 5439010, "Missing 'unit' parameter to $dateTrunc" },
	           { "binSize", 0, NULL }, { "timezone", 0, NULL }, { "startOfWeek", 0, NULL } },
};

/* Bins are counted from the beginning of 2000, weeks from the first such weekday in it. */
static bool truncate_date(struct evaluation *at, const struct zone *z, enum unit unit, int64_t bin, int weekday,
                          int64_t *millis)
{
	int64_t reference_days = date_days(2000, 1, 1), reference, size, year, distance;

	if (unit <= UNIT_HOUR) {
		reference = zone_instant(z, reference_days * day_millis);
		if (__builtin_mul_overflow(bin, units[unit].count, &size))
			return execution_fail(at->x, 5439002, "dateTrunc unsupported binSize value: %lld %ss do not fit", (long long)bin,
			                      units[unit].name);
		if (__builtin_sub_overflow(*millis, reference, &distance))
			return execution_fail(at->x, 5439000, "dateTrunc overflowed");
		distance -= floor_divide(distance, size) * size;
		if (__builtin_sub_overflow(*millis, distance, millis))
			return execution_fail(at->x, 5439001, "dateTrunc overflowed");
		return true;
	}
	if (bin > amount_limit)
		return execution_fail(at->x, 5439006, "dateTrunc unsupported binSize value %lld %s(s)", (long long)bin,
		                      units[unit].name);
	size = bin * units[unit].count;
	if (unit >= UNIT_MONTH) {
		int64_t months = floor_divide(local_months(z, *millis) - 2000 * 12, size) * size + 2000 * 12;

		year = floor_divide(months, 12);
		if (!date_millis(year, months - year * 12 + 1, 1, 0, 0, 0, 0, millis))
			return execution_fail(at->x, 5439005, "$dateTrunc: the result is out of range");
	} else {
		if (unit == UNIT_WEEK)
			reference_days += (weekday - date_weekday(reference_days) + 7) % 7;
		*millis = floor_divide(local_days(z, *millis) - reference_days, size) * size + reference_days;
		if (__builtin_mul_overflow(*millis, day_millis, millis))
			return execution_fail(at->x, 5439005, "$dateTrunc: the result is out of range");
	}
	*millis = zone_instant(z, *millis);
	return true;
}

static bool evaluate_bin(struct evaluation *at, struct value v, int64_t *bin)
{
	if (value_is_missing(v)) {
		*bin = 1;
		return true;
	}
	if (!value_as_int64(v, bin))
		return execution_fail(
			at->x, 5439017,
			"$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '%s' of type %s",
			evaluation_text(at, v), value_type_name(v.type));
	return *bin > 0 ||
	       execution_fail(at->x, 5439018, "$dateTrunc requires 'binSize' to be greater than 0, but got value %lld",
	                      (long long)*bin);
}

static bool evaluate_trunc(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value date, unit_name, bin_value = value_missing(), weekday_name = value_missing();
	int64_t millis, bin;
	struct zone zone;
	enum unit unit;
	int weekday = 0;
	bool is_null;

	*out = value_null();
	if (!evaluate_argument(e, at, TRUNC_DATE, &date) || !evaluate_argument(e, at, TRUNC_UNIT, &unit_name))
		return false;
	if (value_is_nullish(date) || value_is_nullish(unit_name))
		return true;
	if (e->arguments[TRUNC_BIN]) {
		if (!evaluate_argument(e, at, TRUNC_BIN, &bin_value))
			return false;
		if (value_is_nullish(bin_value))
			return true;
	}
	if (e->arguments[TRUNC_WEEKDAY] && says_week(unit_name)) {
		if (!evaluate_argument(e, at, TRUNC_WEEKDAY, &weekday_name))
			return false;
		if (value_is_nullish(weekday_name))
			return true;
	}
	if (!date_zone(e, at, TRUNC_ZONE, &zone, &is_null))
		return false;
	if (is_null)
		return true;
	if (!is_date_like(date))
		return execution_fail(at->x, 5439012, "$dateTrunc requires 'date' to be a date, but got %s",
		                      value_type_name(date.type));
	if (!coerce_to_date(at, date, &millis) || !evaluate_unit(at, e, unit_name, &unit) ||
	    !evaluate_bin(at, bin_value, &bin))
		return false;
	if (!value_is_missing(weekday_name) && !evaluate_weekday(at, e, weekday_name, &weekday))
		return false;
	if (!truncate_date(at, &zone, unit, bin, weekday, &millis))
		return false;
	*out = value_make_date(at->arena, millis);
	return true;
}

/* The parameter is the sign of what is added; 0: the operator adds nothing. */
const struct operator expression_date_arithmetic_operators[] = {
	{ .name = "$dateAdd",
	  .named = &add_arguments,
	  .compile = date_compile_named,
	  .evaluate = evaluate_add,
	  .parameter = 1 },
	{ .name = "$dateDiff", .named = &diff_arguments, .compile = date_compile_named, .evaluate = evaluate_diff },
	{ .name = "$dateSubtract",
	  .named = &subtract_arguments,
	  .compile = date_compile_named,
	  .evaluate = evaluate_add,
	  .parameter = -1 },
	{ .name = "$dateTrunc", .named = &trunc_arguments, .compile = date_compile_named, .evaluate = evaluate_trunc },
	{ .name = NULL },
};
