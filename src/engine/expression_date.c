/* Dates taken apart and made: $year …, $dateToParts, $dateFromParts, $dateToString, $dateFromString. */
#include "engine/expression_date.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

bool date_compile_zone(struct expression *e, size_t i)
{
	struct execution x;
	struct evaluation at = { .x = &x, .root = value_missing() };
	struct value name;
	struct zone found;

	if (i >= e->count || !e->arguments[i] || !expression_is_constant(e->arguments[i], &name) ||
	    name.type != BSON_TYPE_UTF8)
		return true;
	execution_init(&x, NULL, "", NULL);
	at.arena = &x.scratch;
	if (zone_find(&at, value_text(name), &found)) {
		struct zone *kept = memory_allocate(sizeof *kept + found.size_bytes);

		if (found.size_bytes)
			memcpy(kept + 1, found.data, found.size_bytes);
		*kept = found;
		kept->data = (const uint8_t *)(kept + 1);
		e->storage = (uint8_t *)kept;
	}
	execution_clear(&x);
	return true;
}

bool date_zone(const struct expression *e, struct evaluation *at, size_t i, struct zone *zone, bool *is_null)
{
	struct value v;

	*is_null = false;
	*zone = zone_utc;
	if (i >= e->count || !e->arguments[i])
		return true;
	if (e->storage) {
		memcpy(zone, e->storage, sizeof *zone);
		return true;
	}
	if (!evaluate_argument(e, at, i, &v))
		return false;
	*is_null = value_is_nullish(v);
	if (*is_null)
		return true;
	if (v.type != BSON_TYPE_UTF8)
		return execution_fail(at->x, 40517, "timezone must evaluate to a string, found %s", value_type_name(v.type));
	return zone_find(at, value_text(v), zone);
}

static const struct named_arguments part_arguments = {
	.not_object = "",
	.items = { { "date", 0, NULL }, { "timezone", 0, NULL } },
};

static bool compile_part_object(struct expression *e, struct value specification, struct compiler *c)
{
	const char *name = e->operator->name;
	struct walk w;
	struct field f;

	walk_begin(&w, specification);
	while (walk_next(&w, &f))
		if (!key_is(f.key, "date") && !key_is(f.key, "timezone"))
			return compile_fail(c, 40535, "unrecognized option to %s: \"%.*s\"", name, (int)f.key.size_bytes, f.key.bytes);
	if (!compile_named(e, specification, &part_arguments, c))
		return false;
	if (e->arguments[0])
		return date_compile_zone(e, 1);
	return compile_fail(c, 40539, "missing 'date' argument to %s", name);
}

/* A date, [date] or {date:, timezone:}. */
static bool compile_part(struct expression *e, struct value specification, struct compiler *c)
{
	struct walk w;
	struct field first;

	if (value_is_document(specification)) {
		walk_begin(&w, specification);
		if (!walk_next(&w, &first) || !first.key.size_bytes || first.key.bytes[0] != '$')
			return compile_part_object(e, specification, c);
	}
	if (value_is_array(specification) && value_count(specification) != 1)
		return compile_fail(c, 40536, "%s accepts exactly one argument if given an array, but was given %u",
		                    e->operator->name, value_count(specification));
	return compile_arguments(e, specification, c);
}

enum date_part {
	PART_YEAR, PART_MONTH, PART_DAY, PART_HOUR, PART_MINUTE, PART_SECOND, PART_MILLISECOND,
	PART_YEAR_DAY, PART_WEEKDAY, PART_WEEK, PART_ISO_WEEKDAY, PART_ISO_WEEK, PART_ISO_YEAR
};

/* Weeks from Sunday to Saturday; days before the first Sunday are in week 0. */
static int sunday_week(int64_t days)
{
	return (date_year_day(days) + 6 - date_weekday(days)) / 7;
}

static int64_t date_part(enum date_part part, int64_t local_millis)
{
	struct date_parts p = date_parts_of(local_millis);
	int64_t days = floor_divide(local_millis, 86400000);

	switch (part) {
	case PART_YEAR: return p.year;
	case PART_MONTH: return p.month;
	case PART_DAY: return p.day;
	case PART_HOUR: return p.hour;
	case PART_MINUTE: return p.minute;
	case PART_SECOND: return p.second;
	case PART_MILLISECOND: return p.millisecond;
	case PART_YEAR_DAY: return date_year_day(days);
	case PART_WEEKDAY: return date_weekday(days) + 1;
	case PART_WEEK: return sunday_week(days);
	case PART_ISO_WEEKDAY: return date_iso_week(days).weekday;
	case PART_ISO_WEEK: return date_iso_week(days).week;
	case PART_ISO_YEAR: return date_iso_week(days).year;
	}
	return 0;
}

static bool evaluate_part(const struct expression *e, struct evaluation *at, struct value *out)
{
	enum date_part part = (enum date_part)e->operator->parameter;
	struct value date, name;
	struct zone zone;
	int64_t millis, n;
	bool is_null;

	if (!evaluate_argument(e, at, 0, &date))
		return false;
	*out = value_null();
	if (value_is_nullish(date))
		return true;
	if (!coerce_to_date(at, date, &millis))
		return false;
	if (e->count > 1 && e->arguments[1] && !e->storage) {
		if (!evaluate_argument(e, at, 1, &name))
			return false;
		if (!value_is_nullish(name) && name.type != BSON_TYPE_UTF8)
			return execution_fail(at->x, 40533, "%s requires a string for the timezone argument, but was given a %s (%s)",
			                      e->operator->name, value_type_name(name.type), evaluation_text(at, name));
	}
	if (!date_zone(e, at, 1, &zone, &is_null))
		return false;
	if (is_null)
		return true;
	n = date_part(part, zone_local(&zone, millis));
	*out = part == PART_ISO_YEAR ? value_make_int64(at->arena, n) : value_make_int32(at->arena, (int32_t)n);
	return true;
}

static void write_part(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of(e->operator->name));
	expression_write(e->arguments[0], w, key_of("date"));
	if (e->count > 1 && e->arguments[1])
		expression_write(e->arguments[1], w, key_of("timezone"));
	writer_end(w);
	writer_end(w);
}

static const struct named_arguments to_parts_arguments = {
	.not_object_code = 40524,
	.not_object = "$dateToParts only supports an object as its argument",
	.unknown_code = 40520,
	.unknown = "Unrecognized argument to $dateToParts: ",
	.items = { { "date", 40522, "Missing 'date' parameter to $dateToParts" },
	           { "timezone", 0, NULL },
	           { "iso8601", 0, NULL } },
};

bool date_compile_named(struct expression *e, struct value specification, struct compiler *c)
{
	const struct named_arguments *named = e->operator->named;
	size_t zone = 0;

	if (!compile_named(e, specification, named, c))
		return false;
	while (strcmp(named->items[zone].name, "timezone"))
		zone++;
	return date_compile_zone(e, zone);
}

static bool evaluate_to_parts(const struct expression *e, struct evaluation *at, struct value *out)
{
	static const struct { const char *name; enum date_part part; } natural[] = {
		{ "year", PART_YEAR }, { "month", PART_MONTH }, { "day", PART_DAY },
	}, iso[] = {
		{ "isoWeekYear", PART_ISO_YEAR }, { "isoWeek", PART_ISO_WEEK }, { "isoDayOfWeek", PART_ISO_WEEKDAY },
	}, time[] = {
		{ "hour", PART_HOUR }, { "minute", PART_MINUTE }, { "second", PART_SECOND }, { "millisecond", PART_MILLISECOND },
	};
	struct value date, flag = value_make_bool(false);
	struct fields parts;
	struct zone zone;
	bool is_null;
	int64_t millis;

	*out = value_null();
	if (!evaluate_argument(e, at, 0, &date) || !date_zone(e, at, 1, &zone, &is_null))
		return false;
	if (is_null)
		return true;
	if (e->arguments[2] && !evaluate_argument(e, at, 2, &flag))
		return false;
	if (value_is_nullish(flag))
		return true;
	if (flag.type != BSON_TYPE_BOOL)
		return execution_fail(at->x, 40521, "iso8601 must evaluate to a bool, found %s", value_type_name(flag.type));
	if (value_is_nullish(date))
		return true;
	if (!coerce_to_date(at, date, &millis))
		return false;
	millis = zone_local(&zone, millis);
	fields_init(&parts, at);
	for (size_t i = 0; i < 3; i++) {
		const char *name = value_bool(flag) ? iso[i].name : natural[i].name;
		enum date_part part = value_bool(flag) ? iso[i].part : natural[i].part;

		fields_append(&parts, key_of(name), value_make_int32(at->arena, (int32_t)date_part(part, millis)));
	}
	for (size_t i = 0; i < 4; i++)
		fields_append(&parts, key_of(time[i].name), value_make_int32(at->arena, (int32_t)date_part(time[i].part, millis)));
	return fields_document(&parts, at, out);
}

enum { /* a year is followed by its month and day, or by its week and weekday */
	FROM_YEAR, FROM_MONTH, FROM_DAY, FROM_HOUR, FROM_MINUTE, FROM_SECOND, FROM_MILLISECOND, FROM_ISO_YEAR, FROM_ISO_WEEK,
	FROM_ISO_WEEKDAY, FROM_ZONE
};

struct from_part {
	const char *name;
	int64_t absent;
	bool bounded;
};

static const struct from_part from_parts[] = {
	[FROM_YEAR] = { "year", 1970, false },       [FROM_MONTH] = { "month", 1, true },
	[FROM_DAY] = { "day", 1, true },             [FROM_HOUR] = { "hour", 0, true },
	[FROM_MINUTE] = { "minute", 0, true },       [FROM_SECOND] = { "second", 0, false },
	[FROM_MILLISECOND] = { "millisecond", 0, false }, [FROM_ISO_YEAR] = { "isoWeekYear", 1970, false },
	[FROM_ISO_WEEK] = { "isoWeek", 1, true },    [FROM_ISO_WEEKDAY] = { "isoDayOfWeek", 1, true },
	[FROM_ZONE] = { "timezone", 0, false },
};

static bool compile_from_parts(struct expression *e, struct value specification, struct compiler *c)
{
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, 40519, "$dateFromParts only supports an object as its argument");
	e->count = FROM_ZONE + 1;
	e->arguments = memory_allocate_zeroed(e->count, sizeof *e->arguments);
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		size_t i = 0;

		while (i < e->count && !key_is(f.key, from_parts[i].name))
			i++;
		if (i == e->count)
			return compile_fail(c, 40518, "Unrecognized argument to $dateFromParts: %.*s", (int)f.key.size_bytes, f.key.bytes);
		expression_destroy(e->arguments[i]);
		e->arguments[i] = compile_operand(f.value, c);
		if (!e->arguments[i])
			return false;
	}
	if (!e->arguments[FROM_YEAR] && !e->arguments[FROM_ISO_YEAR])
		return compile_fail(c, 40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
	if (e->arguments[FROM_YEAR] &&
	    (e->arguments[FROM_ISO_YEAR] || e->arguments[FROM_ISO_WEEK] || e->arguments[FROM_ISO_WEEKDAY]))
		return compile_fail(c, 40489, "$dateFromParts does not allow mixing natural dates with ISO dates");
	if (e->arguments[FROM_ISO_YEAR] && (e->arguments[FROM_MONTH] || e->arguments[FROM_DAY]))
		return compile_fail(c, 40525, "$dateFromParts does not allow mixing ISO dates with natural dates");
	return date_compile_zone(e, FROM_ZONE);
}

static bool evaluate_from_part(const struct expression *e, struct evaluation *at, size_t i, int64_t *out, bool *is_null)
{
	const struct from_part *part = &from_parts[i];
	struct value v;

	*out = part->absent;
	if (!e->arguments[i])
		return true;
	if (!evaluate_argument(e, at, i, &v))
		return false;
	if (value_is_nullish(v)) {
		*is_null = true;
		return true;
	}
	if (!value_as_int64(v, out))
		return execution_fail(at->x, 40515, "'%s' must evaluate to an integer, found %s with value %s", part->name,
		                      value_type_name(v.type), evaluation_text(at, v));
	if (part->bounded && (*out < INT16_MIN || *out > INT16_MAX))
		return execution_fail(at->x, 31034, "'%s' must evaluate to a value in the range [%d, %d]; value %lld is not in range",
		                      part->name, INT16_MIN, INT16_MAX, (long long)*out);
	return true;
}

/* Parts from first to last, until one is null. */
static bool evaluate_from_range(const struct expression *e, struct evaluation *at, size_t first, size_t last, int64_t *part,
                                bool *is_null)
{
	for (size_t i = first; !*is_null && i <= last; i++)
		if (!evaluate_from_part(e, at, i, &part[i], is_null))
			return false;
	return true;
}

/* MongoDB's order, which decides between an error and null: the time, the zone, the day, the year's range. */
static bool evaluate_from_parts(const struct expression *e, struct evaluation *at, struct value *out)
{
	bool iso = e->arguments[FROM_ISO_YEAR] != NULL, is_null = false;
	size_t year = iso ? FROM_ISO_YEAR : FROM_YEAR;
	int64_t part[FROM_ZONE], millis;
	struct zone zone;

	*out = value_null();
	if (!evaluate_from_range(e, at, FROM_HOUR, FROM_MILLISECOND, part, &is_null))
		return false;
	if (is_null)
		return true;
	if (!date_zone(e, at, FROM_ZONE, &zone, &is_null) || !evaluate_from_range(e, at, year, year + 2, part, &is_null))
		return false;
	if (is_null)
		return true;
	if (part[year] < 1 || part[year] > 9999)
		return execution_fail(at->x, iso ? 31095 : 40523,
		                      "'%s' must evaluate to an integer in the range 1 to 9999, found %lld", from_parts[year].name,
		                      (long long)part[year]);
	if (iso) {
		int64_t monday = date_days(part[FROM_ISO_YEAR], 1, 4);

		monday -= (date_weekday(monday) + 6) % 7;
		part[FROM_YEAR] = 1970;
		part[FROM_MONTH] = 1;
		part[FROM_DAY] = monday + (part[FROM_ISO_WEEK] - 1) * 7 + part[FROM_ISO_WEEKDAY];
	}
	if (!date_millis(part[FROM_YEAR], part[FROM_MONTH], part[FROM_DAY], part[FROM_HOUR], part[FROM_MINUTE],
	                 part[FROM_SECOND], part[FROM_MILLISECOND], &millis))
		return execution_fail(at->x, CODE_Overflow, "the resulting date is out of range");
	*out = value_make_date(at->arena, zone_instant(&zone, millis));
	return true;
}

static void write_from_parts(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of(e->operator->name));
	for (size_t i = 0; i < e->count; i++)
		if (e->arguments[i])
			expression_write(e->arguments[i], w, key_of(from_parts[i].name));
	writer_end(w);
	writer_end(w);
}

/* Formats: every letter after a % has to be one of these. */
static bool format_check(struct evaluation *at, struct key format, const char *letters)
{
	for (uint32_t i = 0; i < format.size_bytes; i++) {
		if (format.bytes[i] != '%')
			continue;
		if (++i == format.size_bytes)
			return execution_fail(at->x, 18535, "Unmatched '%%' at end of format string");
		if (!format.bytes[i] || !strchr(letters, format.bytes[i]))
			return execution_fail(at->x, 18536, "Invalid format character '%%%c' in format string", format.bytes[i]);
	}
	return true;
}

static const char *const month_names[] = { "January", "February", "March",     "April",   "May",      "June",
	                                   "July",    "August",   "September", "October", "November", "December" };

static bool format_letter(struct evaluation *at, struct bytes *out, char letter, int64_t local, int32_t offset)
{
	static const struct { char letter; enum date_part part; int width; } numbers[] = {
		{ 'd', PART_DAY, 2 },      { 'G', PART_ISO_YEAR, 4 }, { 'H', PART_HOUR, 2 },   { 'j', PART_YEAR_DAY, 3 },
		{ 'L', PART_MILLISECOND, 3 }, { 'm', PART_MONTH, 2 }, { 'M', PART_MINUTE, 2 }, { 'S', PART_SECOND, 2 },
		{ 'u', PART_ISO_WEEKDAY, 1 }, { 'U', PART_WEEK, 2 },  { 'V', PART_ISO_WEEK, 2 }, { 'w', PART_WEEKDAY, 1 },
		{ 'Y', PART_YEAR, 4 },
	};
	const char *month = month_names[date_part(PART_MONTH, local) - 1];
	int32_t east = offset < 0 ? -offset : offset;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i].letter == letter) {
			int64_t number = date_part(numbers[i].part, local);

			bytes_format(out, "%0*lld", numbers[i].width, (long long)number);
			return date_year_writable(at, number); /* the others are always in that range */
		}
	if (letter == '%')
		bytes_append_byte(out, '%');
	else if (letter == 'z')
		bytes_format(out, "%c%02d%02d", offset < 0 ? '-' : '+', (int)(east / 3600), (int)(east / 60 % 60));
	else if (letter == 'Z')
		bytes_format(out, "%d", (int)(offset / 60));
	else if (letter == 'b')
		bytes_append(out, month, 3);
	else if (letter == 'B')
		bytes_append_text(out, month);
	return true;
}

static bool format_date(struct evaluation *at, struct key format, int64_t millis, const struct zone *zone,
                        struct value *out)
{
	int64_t local = zone_local(zone, millis);
	int32_t offset = zone_offset(zone, floor_divide(millis, 1000));
	struct bytes text = BYTES_INIT;
	bool ok = true;

	for (uint32_t i = 0; ok && i < format.size_bytes; i++) {
		if (format.bytes[i] == '%')
			ok = format_letter(at, &text, format.bytes[++i], local, offset);
		else
			bytes_append_byte(&text, (uint8_t)format.bytes[i]);
	}
	*out = value_make_text(at->arena, (const char *)text.data, text.size);
	bytes_clear(&text);
	return ok;
}

enum { TEXT_DATE, TEXT_FORMAT, TEXT_ZONE, TEXT_ON_NULL, TEXT_ON_ERROR };

static const struct named_arguments to_string_arguments = {
	.not_object_code = 18629,
	.not_object = "$dateToString only supports an object as its argument",
	.unknown_code = 18534,
	.unknown = "Unrecognized argument to $dateToString: ",
	.items = { { "date", 18628, "Missing 'date' parameter to $dateToString" },
	           { "format", 0, NULL }, { "timezone", 0, NULL }, { "onNull", 0, NULL } },
};

static const struct named_arguments from_string_arguments = {
	.not_object_code = 40540,
	.not_object = "$dateFromString only supports an object as an argument, found: ",
	.unknown_code = 40541,
	.unknown = "Unrecognized argument to $dateFromString: ",
	.items = { { "dateString", 40542, "Missing 'dateString' parameter to $dateFromString" },
	           { "format", 0, NULL }, { "timezone", 0, NULL }, { "onNull", 0, NULL }, { "onError", 0, NULL } },
};

/* Missing: none was given; null: it is null. */
static bool evaluate_format(const struct expression *e, struct evaluation *at, uint32_t code, const char *letters,
                            struct value *format)
{
	*format = value_missing();
	if (!e->arguments[TEXT_FORMAT])
		return true;
	if (!evaluate_argument(e, at, TEXT_FORMAT, format))
		return false;
	if (value_is_nullish(*format)) {
		*format = value_null();
		return true;
	}
	if (format->type != BSON_TYPE_UTF8)
		return execution_fail(at->x, code, "%s requires that 'format' be a string, found: %s with value %s",
		                      e->operator->name, value_type_name(format->type), evaluation_text(at, *format));
	return format_check(at, value_text(*format), letters);
}

static bool evaluate_optional(const struct expression *e, struct evaluation *at, size_t i, struct value *out)
{
	*out = value_null();
	return !e->arguments[i] || evaluate_argument(e, at, i, out);
}

static bool evaluate_to_string(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value date, format;
	struct zone zone;
	bool is_null;
	int64_t millis;

	if (!evaluate_argument(e, at, TEXT_DATE, &date) || !evaluate_format(e, at, 18533, "dGHjLmMSuUVwYzZbB%", &format) ||
	    !date_zone(e, at, TEXT_ZONE, &zone, &is_null))
		return false;
	if (value_is_nullish(date))
		return evaluate_optional(e, at, TEXT_ON_NULL, out);
	*out = value_null();
	if (is_null || format.type == BSON_TYPE_NULL)
		return true;
	if (!coerce_to_date(at, date, &millis))
		return false;
	if (value_is_missing(format))
		return format_date(at, key_of(zone.named || zone.offset_seconds ? "%Y-%m-%dT%H:%M:%S.%L%z" : "%Y-%m-%dT%H:%M:%S.%LZ"),
		                   millis, &zone, out);
	return format_date(at, value_text(format), millis, &zone, out);
}

static bool read_date(struct evaluation *at, struct value text, struct value format, const struct zone *zone,
                      int64_t *millis, const char **reason, enum date_reading *reading)
{
	bool zone_given = zone->named || zone->offset_seconds; /* UTC is as good as none */

	*reading = value_is_missing(format)
	                   ? date_read(at, value_text(text), zone, zone_given, millis, reason)
	                   : date_read_format(at, value_text(text), value_text(format), zone, zone_given, millis, reason);
	return *reading != DATE_UNKNOWN_FORMAT ||
	       execution_fail(at->x, CODE_NotImplemented,
	                      "$dateFromString: the text '%s' is in no format that is understood here",
	                      evaluation_text(at, text));
}

static bool evaluate_from_string(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value text, format;
	struct zone zone;
	bool is_null;
	int64_t millis;
	const char *reason = "";
	enum date_reading reading;

	if (!evaluate_argument(e, at, TEXT_DATE, &text) || !evaluate_format(e, at, 40684, "dGHjLmMSuVYzZ%", &format) ||
	    !date_zone(e, at, TEXT_ZONE, &zone, &is_null))
		return false;
	if (value_is_nullish(text))
		return evaluate_optional(e, at, TEXT_ON_NULL, out);
	if (text.type != BSON_TYPE_UTF8) {
		if (e->arguments[TEXT_ON_ERROR])
			return evaluate_argument(e, at, TEXT_ON_ERROR, out);
		return execution_fail(at->x, CODE_ConversionFailure,
		                      "$dateFromString requires that 'dateString' be a string, found: %s with value %s",
		                      value_type_name(text.type), evaluation_text(at, text));
	}
	*out = value_null();
	if (is_null || format.type == BSON_TYPE_NULL)
		return true;
	if (!read_date(at, text, format, &zone, &millis, &reason, &reading))
		return false;
	if (reading == DATE_READ) {
		*out = value_make_date(at->arena, millis);
		return true;
	}
	if (e->arguments[TEXT_ON_ERROR])
		return evaluate_argument(e, at, TEXT_ON_ERROR, out);
	return execution_fail(at->x, CODE_ConversionFailure, "Error parsing date string %s; %s",
	                      evaluation_text(at, text), reason);
}

#define PART(text, which)                                                                                              \
	{                                                                                                              \
		.name = text, .compile = compile_part, .evaluate = evaluate_part, .write = write_part,                 \
		.parameter = which                                                                                     \
	}

const struct operator expression_date_operators[] = {
	{ .name = "$dateFromParts",
	  .compile = compile_from_parts,
	  .evaluate = evaluate_from_parts,
	  .write = write_from_parts },
	{ .name = "$dateFromString",
	  .named = &from_string_arguments,
	  .compile = date_compile_named,
	  .evaluate = evaluate_from_string },
	{ .name = "$dateToParts",
	  .named = &to_parts_arguments,
	  .compile = date_compile_named,
	  .evaluate = evaluate_to_parts },
	{ .name = "$dateToString",
	  .named = &to_string_arguments,
	  .compile = date_compile_named,
	  .evaluate = evaluate_to_string },
	PART("$dayOfMonth", PART_DAY),
	PART("$dayOfWeek", PART_WEEKDAY),
	PART("$dayOfYear", PART_YEAR_DAY),
	PART("$hour", PART_HOUR),
	PART("$isoDayOfWeek", PART_ISO_WEEKDAY),
	PART("$isoWeek", PART_ISO_WEEK),
	PART("$isoWeekYear", PART_ISO_YEAR),
	PART("$millisecond", PART_MILLISECOND),
	PART("$minute", PART_MINUTE),
	PART("$month", PART_MONTH),
	PART("$second", PART_SECOND),
	PART("$week", PART_WEEK),
	PART("$year", PART_YEAR),
	{ .name = NULL },
};
