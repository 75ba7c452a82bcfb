#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/expression_date.h"

enum { DAY_MILLIS = 86400000 };

int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

/* Years begin in March, so that leap days are last; 400 years have 146,097 days. */
int64_t date_days(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year + floor_divide(month - 1, 12), m = month - 1 - 12 * floor_divide(month - 1, 12);
	int64_t era, of_era, of_year;

	y -= m < 2;
	era = floor_divide(y, 400);
	of_era = y - era * 400;
	of_year = (153 * ((m + 10) % 12) + 2) / 5;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468 + day - 1;
}

void date_from_days(int64_t days, int64_t *year, int *month, int *day)
{
	int64_t shifted = days + 719468, era = floor_divide(shifted, 146097), of_era = shifted - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;

	*day = (int)(of_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = y + era * 400 + (*month <= 2);
}

int date_weekday(int64_t days)
{
	int64_t weekday = (days + 4) % 7;

	return (int)(weekday < 0 ? weekday + 7 : weekday);
}

int date_month_length(int64_t year, int month)
{
	return (int)(date_days(year, month + 1, 1) - date_days(year, month, 1));
}

int date_year_day(int64_t days)
{
	int64_t year;
	int month, day;

	date_from_days(days, &year, &month, &day);
	return (int)(days - date_days(year, 1, 1)) + 1;
}

/* Weeks belong to the year of their Thursday. */
struct iso_week date_iso_week(int64_t days)
{
	int weekday = (date_weekday(days) + 6) % 7;
	int64_t thursday = days - weekday + 3, year;
	int month, day;

	date_from_days(thursday, &year, &month, &day);
	return (struct iso_week){ year, (int)(thursday - date_days(year, 1, 1)) / 7 + 1, weekday + 1 };
}

struct date_parts date_parts_of(int64_t local_millis)
{
	int64_t days = floor_divide(local_millis, DAY_MILLIS);
	int rest = (int)(local_millis - days * DAY_MILLIS);
	struct date_parts p;

	date_from_days(days, &p.year, &p.month, &p.day);
	p.hour = rest / 3600000;
	p.minute = rest / 60000 % 60;
	p.second = rest / 1000 % 60;
	p.millisecond = rest % 1000;
	return p;
}

bool date_millis(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute, int64_t second,
                 int64_t millisecond, int64_t *out)
{
	struct {
		int64_t count, unit;
	} parts[] = { { date_days(year, month, 1), DAY_MILLIS },
		      { day - 1, DAY_MILLIS },
		      { hour, 3600000 },
		      { minute, 60000 },
		      { second, 1000 },
		      { millisecond, 1 } };

	*out = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		int64_t millis;

		if (__builtin_mul_overflow(parts[i].count, parts[i].unit, &millis) || __builtin_add_overflow(*out, millis, out))
			return false;
	}
	return true;
}

bool date_year_writable(struct evaluation *at, int64_t year)
{
	return (year >= 0 && year <= 9999) ||
	       execution_fail(at->x, 18537,
	                      "Could not convert date to string: date component was outside the supported range of 0-9999: %lld",
	                      (long long)year);
}

bool date_text(struct evaluation *at, int64_t millis, struct value *out)
{
	struct date_parts p = date_parts_of(millis);
	char text[64];
	int size;

	if (!date_year_writable(at, p.year))
		return false;
	size = snprintf(text, sizeof text, "%04lld-%02d-%02dT%02d:%02d:%02d.%03dZ", (long long)p.year, p.month, p.day, p.hour,
	                p.minute, p.second, p.millisecond);
	*out = value_make_text(at->arena, text, (size_t)size);
	return true;
}

bool coerce_to_date(struct evaluation *at, struct value v, int64_t *millis)
{
	switch (v.type) {
	case BSON_TYPE_DATE_TIME: *millis = value_int64(v); return true;
	case BSON_TYPE_TIMESTAMP: *millis = (int64_t)((uint64_t)value_int64(v) >> 32) * 1000; return true;
	case BSON_TYPE_OID:
		/* signed, as MongoDB reads it */
		*millis = (int32_t)((uint32_t)v.bytes[0] << 24 | (uint32_t)v.bytes[1] << 16 |
		                    (uint32_t)v.bytes[2] << 8 | v.bytes[3]) *
		          INT64_C(1000);
		return true;
	default:
		return execution_fail(at->x, 16006, "can't convert from BSON type %s to Date", value_type_name(v.type));
	}
}

/* What has been read of a text; -1: not said. */
struct reading {
	const char *at, *end;
	int64_t year, month, day, hour, minute, second, millisecond, year_day, iso_year, iso_week, iso_weekday;
	bool has_zone;
	bool names_zone;   /* by an identifier of the tz database, which MongoDB does not look up */
	bool unknown_zone; /* an abbreviation that MongoDB may know */
	struct zone zone;
};

static void reading_init(struct reading *r, struct key text)
{
	*r = (struct reading){ .at = text.bytes, .end = text.bytes + text.size_bytes, .year = -1, .month = -1, .day = -1,
	                       .year_day = -1, .iso_year = -1, .iso_week = -1, .iso_weekday = -1, .zone = zone_utc };
}

static bool at_digit(const struct reading *r)
{
	return r->at < r->end && isdigit((unsigned char)*r->at);
}

static bool take(struct reading *r, const char *any_of)
{
	if (r->at == r->end || !*r->at || !strchr(any_of, *r->at))
		return false;
	r->at++;
	return true;
}

/* From `least` to `most` digits. */
static bool take_number(struct reading *r, int least, int most, int64_t *out)
{
	int count = 0;

	*out = 0;
	for (; count < most && at_digit(r); count++)
		*out = *out * 10 + (*r->at++ - '0');
	return count >= least;
}

/* The fraction of a second, at most that many digits; those after the third are dropped. */
static bool take_fraction(struct reading *r, int most)
{
	int64_t scale = 100;

	if (!at_digit(r))
		return false;
	for (r->millisecond = 0; most && at_digit(r); scale /= 10, most--)
		r->millisecond += scale * (*r->at++ - '0');
	return true;
}

/* Z, ±hh:mm, ±hhmm, ±hh, UTC or GMT, perhaps after spaces, at the end of a text; "GMT" may stand before an offset. */
static bool take_zone(struct evaluation *at, struct reading *r)
{
	const char *start;
	struct key name;

	if (r->at == r->end)
		return true;
	r->has_zone = true;
	while (take(r, " "))
		;
	if (r->end - r->at > 3 && !memcmp(r->at, "GMT", 3) && strchr("+-", r->at[3]))
		r->at += 3;
	start = r->at;
	if (take(r, "Zz"))
		return true;
	if (take(r, "+-"))
		while (at_digit(r) || (r->at < r->end && *r->at == ':'))
			r->at++;
	else
		while (r->at < r->end && (isalpha((unsigned char)*r->at) || strchr("/_", *r->at)))
			r->at++;
	name = (struct key){ start, (uint32_t)(r->at - start) };
	r->names_zone = memchr(start, '/', name.size_bytes);
	r->unknown_zone = name.size_bytes && isalpha((unsigned char)*start) && !r->names_zone && !key_is(name, "UTC") &&
	                  !key_is(name, "GMT");
	if (!name.size_bytes || r->names_zone || r->unknown_zone)
		return false;
	if (zone_find(at, name, &r->zone))
		return true;
	at->x->failed = false; /* no zone: no date either, and that is told otherwise */
	return false;
}

static enum date_reading finish(struct reading *r, const struct zone *zone, bool zone_given, int64_t *millis,
                                const char **reason)
{
	const struct zone *where = r->has_zone ? &r->zone : zone;
	int64_t local;

	if (r->has_zone && zone_given) {
		*reason = "you cannot pass in a date/time string with time zone information together with a timezone argument";
		return DATE_INVALID;
	}
	if (r->month < 1 || r->month > 12 || r->day < 1 || r->day > date_month_length(r->year, (int)r->month) ||
	    r->hour > 23 || r->minute > 59 || r->second > 59) {
		*reason = "The parsed date was invalid";
		return DATE_INVALID;
	}
	date_millis(r->year, r->month, r->day, r->hour, r->minute, r->second, r->millisecond, &local);
	*millis = zone_instant(where, local);
	return DATE_READ;
}

/* yyyy-mm-dd or yyyy/mm/dd, then perhaps a time after T or spaces, then perhaps a zone. */
static bool take_iso(struct evaluation *at, struct reading *r)
{
	if (!take_number(r, 4, 4, &r->year) || !take(r, "-/") || !take_number(r, 1, 2, &r->month) || !take(r, "-/") ||
	    !take_number(r, 1, 2, &r->day))
		return false;
	if (r->at == r->end)
		return true;
	if (take(r, "Tt ")) {
		if (!take_number(r, 1, 2, &r->hour) || !take(r, ":") || !take_number(r, 2, 2, &r->minute))
			return false;
		if (take(r, ":")) {
			if (!take_number(r, 2, 2, &r->second) || (take(r, ".,") && !take_fraction(r, INT_MAX)))
				return false;
		}
	}
	return take_zone(at, r) && r->at == r->end;
}

static const char names_zone_reason[] = "passing a time zone identifier as part of the string is not allowed";

enum date_reading date_read(struct evaluation *at, struct key text, const struct zone *zone, bool zone_given,
                            int64_t *millis, const char **reason)
{
	struct reading r;
	size_t digits = 0;

	reading_init(&r, text);
	if (take_iso(at, &r))
		return finish(&r, zone, zone_given, millis, reason);
	if (r.names_zone) {
		*reason = names_zone_reason;
		return DATE_INVALID;
	}
	/* a date needs digits for its year and day: words, or a year alone, are never one */
	for (uint32_t i = 0; i < text.size_bytes; i++)
		digits += isdigit((unsigned char)text.bytes[i]) != 0;
	*reason = "an incomplete date/time string has been found, with elements missing";
	return digits < 5 ? DATE_INVALID : DATE_UNKNOWN_FORMAT;
}

/* An offset in minutes: +90. */
static bool take_zone_minutes(struct reading *r)
{
	bool west = r->at < r->end && *r->at == '-';
	int64_t minutes;

	if (!take(r, "+-") || !take_number(r, 0, 6, &minutes))
		return false;
	r->has_zone = true;
	r->zone.offset_seconds = (int32_t)(west ? -minutes * 60 : minutes * 60);
	return true;
}

/* Leading zeros may be left out, but not of minutes and seconds. */
static bool take_letter(struct evaluation *at, struct reading *r, char letter)
{
	switch (letter) {
	case 'd': return take_number(r, 1, 2, &r->day);
	case 'G': return take_number(r, 1, 4, &r->iso_year);
	case 'H': return take_number(r, 1, 2, &r->hour);
	case 'j': return take_number(r, 1, 3, &r->year_day);
	case 'L': return take_fraction(r, 3);
	case 'm': return take_number(r, 1, 2, &r->month);
	case 'M': return take_number(r, 2, 2, &r->minute);
	case 'S': return take_number(r, 2, 2, &r->second);
	case 'u': return take_number(r, 1, 1, &r->iso_weekday) && r->iso_weekday >= 1 && r->iso_weekday <= 7;
	case 'V': return take_number(r, 1, 2, &r->iso_week) && r->iso_week >= 1 && r->iso_week <= 53;
	case 'Y': return take_number(r, 1, 4, &r->year);
	case 'z': return r->at < r->end && take_zone(at, r);
	case 'Z': return take_zone_minutes(r);
	case '%': return take(r, "%");
	default: return false;
	}
}

/* The days are said by month and day, by the day of the year or by the ISO week; one way, not two. */
static bool settle_day(struct reading *r, const char **reason)
{
	int64_t days;
	int month, day;

	if ((r->iso_year >= 0 || r->iso_week >= 0 || r->iso_weekday >= 0) &&
	    (r->year >= 0 || (r->iso_year >= 0 && (r->month >= 0 || r->day >= 0)))) {
		*reason = "Mixing of ISO dates with natural dates is not allowed";
		return false;
	}
	*reason = "an incomplete date/time string has been found, with elements missing";
	if (r->iso_year >= 0) {
		int64_t monday = date_days(r->iso_year, 1, 4);

		monday -= (date_weekday(monday) + 6) % 7;
		days = monday + (r->iso_week < 0 ? 0 : r->iso_week - 1) * 7 + (r->iso_weekday < 0 ? 0 : r->iso_weekday - 1);
	} else if (r->year >= 0 && r->year_day >= 0) {
		days = date_days(r->year, 1, 1) + r->year_day; /* read from 0, though written from 1: so does MongoDB */
	} else {
		return r->year >= 0 && r->month >= 0 && r->day >= 0;
	}
	date_from_days(days, &r->year, &month, &day);
	r->month = month;
	r->day = day;
	return true;
}

enum date_reading date_read_format(struct evaluation *at, struct key text, struct key format, const struct zone *zone,
                                   bool zone_given, int64_t *millis, const char **reason)
{
	const char *f = format.bytes, *end = format.bytes + format.size_bytes;
	struct reading r;

	reading_init(&r, text);
	*reason = "Format literal not found";
	for (; f < end; f++) {
		if (*f == '%' && f + 1 < end) {
			if (!take_letter(at, &r, *++f)) {
				*reason = r.names_zone ? names_zone_reason : *reason;
				return r.unknown_zone ? DATE_UNKNOWN_FORMAT : DATE_INVALID;
			}
		} else if (r.at == r.end || *r.at++ != *f) {
			return DATE_INVALID;
		}
	}
	*reason = "Trailing data";
	if (r.at != r.end)
		return DATE_INVALID;
	return settle_day(&r, reason) ? finish(&r, zone, zone_given, millis, reason) : DATE_INVALID;
}
