/*
 * Time zones: fixed offsets, and the system's tz database read as RFC 8536 says (version 2 data and its POSIX rule for
 * the years after the last transition).
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/expression_date.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"

enum { ZONE_FILE_BYTES = 256 * 1024, HEADER_BYTES = 44, NAME_BYTES = 64, DAY_SECONDS = 86400 };

const struct zone zone_utc = { false, 0, NULL, 0 };

static int64_t big_endian(const uint8_t *at, int size)
{
	uint64_t n = at[0] & 0x80 ? ~UINT64_C(0) : 0;

	for (int i = 0; i < size; i++)
		n = n << 8 | at[i];
	return (int64_t)n;
}

/* The parts of the version 2 block of a tz file. */
struct zone_data {
	const uint8_t *times, *kinds, *types;
	size_t time_count, type_count;
	const char *rule; /* between its newlines */
	size_t rule_bytes;
};

static size_t block_bytes(const uint8_t *header, int time_bytes)
{
	size_t counts[6];

	for (int i = 0; i < 6; i++)
		counts[i] = (size_t)(uint32_t)big_endian(header + 20 + 4 * i, 4);
	for (int i = 0; i < 6; i++)
		if (counts[i] > ZONE_FILE_BYTES)
			return SIZE_MAX / 4;
	/* isut, isstd, leap, time, type, char */
	return counts[0] + counts[1] + counts[2] * (size_t)(time_bytes + 4) + counts[3] * (size_t)(time_bytes + 1) +
	       counts[4] * 6 + counts[5];
}

static bool zone_parse(const uint8_t *data, size_t size, struct zone_data *out)
{
	const uint8_t *header = data, *end = data + size, *body, *newline;
	size_t first;

	if (size < HEADER_BYTES || memcmp(data, "TZif", 4) || data[4] < '2')
		return false;
	first = HEADER_BYTES + block_bytes(header, 4);
	if (first + HEADER_BYTES > size || memcmp(data + first, "TZif", 4))
		return false;
	header = data + first;
	body = header + HEADER_BYTES;
	if (block_bytes(header, 8) > (size_t)(end - body))
		return false;
	out->time_count = (size_t)big_endian(header + 32, 4);
	out->type_count = (size_t)big_endian(header + 36, 4);
	out->times = body;
	out->kinds = body + out->time_count * 8;
	out->types = out->kinds + out->time_count;
	body += block_bytes(header, 8);
	if (body >= end || *body != '\n' || !out->type_count)
		return false;
	newline = memchr(body + 1, '\n', (size_t)(end - body - 1));
	if (!newline)
		return false;
	out->rule = (const char *)body + 1;
	out->rule_bytes = (size_t)(newline - body - 1);
	for (size_t i = 0; i < out->time_count; i++)
		if (out->kinds[i] >= out->type_count)
			return false;
	return true;
}

/* A POSIX rule, as "EST5EDT,M3.2.0,M11.1.0": what is after the last transition. */
struct rule_day {
	int month, week, weekday; /* "M" form */
	int day;                  /* of the year: "Jn" from 1 without leap day, "n" from 0 */
	char form;
	int64_t seconds;
};

struct rule {
	int32_t standard, daylight; /* seconds east */
	bool has_daylight;
	struct rule_day start, end;
};

struct cursor {
	const char *at, *end;
};

static bool take(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool take_number(struct cursor *c, int64_t *out)
{
	const char *start = c->at;

	*out = 0;
	while (c->at < c->end && isdigit((unsigned char)*c->at) && c->at - start < 6)
		*out = *out * 10 + (*c->at++ - '0');
	return c->at > start;
}

static bool take_name(struct cursor *c)
{
	const char *start = c->at;

	if (take(c, '<')) {
		while (c->at < c->end && *c->at != '>')
			c->at++;
		return take(c, '>');
	}
	while (c->at < c->end && isalpha((unsigned char)*c->at))
		c->at++;
	return c->at > start;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(struct cursor *c, int64_t *seconds)
{
	bool negative = take(c, '-');
	int64_t part;

	if (!negative)
		take(c, '+');
	if (!take_number(c, &part))
		return false;
	*seconds = part * 3600;
	for (int unit = 60; unit >= 1 && take(c, ':'); unit /= 60) {
		if (!take_number(c, &part))
			return false;
		*seconds += part * unit;
	}
	if (negative)
		*seconds = -*seconds;
	return true;
}

static bool take_day(struct cursor *c, struct rule_day *d)
{
	int64_t a, b, weekday;

	d->seconds = 2 * 3600;
	if (take(c, 'M')) {
		if (!take_number(c, &a) || !take(c, '.') || !take_number(c, &b) || !take(c, '.') || !take_number(c, &weekday))
			return false;
		*d = (struct rule_day){
			.form = 'M', .month = (int)a, .week = (int)b, .weekday = (int)weekday, .seconds = d->seconds
		};
		if (a < 1 || a > 12 || b < 1 || b > 5 || weekday > 6)
			return false;
	} else {
		d->form = take(c, 'J') ? 'J' : 'n';
		if (!take_number(c, &a))
			return false;
		d->day = (int)a;
	}
	return !take(c, '/') || take_time(c, &d->seconds);
}

static bool rule_parse(const char *text, size_t size, struct rule *r)
{
	struct cursor c = { text, text + size };
	int64_t west;

	*r = (struct rule){ 0 };
	if (!take_name(&c) || !take_time(&c, &west))
		return false;
	r->standard = (int32_t)-west;
	if (c.at == c.end)
		return true;
	if (!take_name(&c))
		return false;
	r->has_daylight = true;
	r->daylight = r->standard + 3600;
	if (c.at < c.end && *c.at != ',') {
		if (!take_time(&c, &west))
			return false;
		r->daylight = (int32_t)-west;
	}
	return take(&c, ',') && take_day(&c, &r->start) && take(&c, ',') && take_day(&c, &r->end) && c.at == c.end;
}

/* Local seconds (by the clock before the change) at which the rule's day begins in a year. */
static int64_t rule_seconds(const struct rule_day *d, int64_t year)
{
	int64_t days;

	if (d->form == 'M') {
		int64_t first = date_days(year, d->month, 1);

		days = first + (d->weekday - date_weekday(first) + 7) % 7 + (d->week - 1) * 7;
		if (days >= first + date_month_length(year, d->month))
			days -= 7;
	} else if (d->form == 'J') {
		days = date_days(year, 1, 1) + d->day - 1 + (d->day > 59 && date_month_length(year, 2) == 29);
	} else {
		days = date_days(year, 1, 1) + d->day;
	}
	return days * DAY_SECONDS + d->seconds;
}

static int32_t rule_offset(const struct rule *r, int64_t seconds)
{
	int64_t year, start, end;
	int month, day;
	bool is_daylight;

	if (!r->has_daylight)
		return r->standard;
	date_from_days(floor_divide(seconds + r->standard, DAY_SECONDS), &year, &month, &day);
	start = rule_seconds(&r->start, year) - r->standard;
	end = rule_seconds(&r->end, year) - r->daylight;
	is_daylight = start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end;
	return is_daylight ? r->daylight : r->standard;
}

int32_t zone_offset(const struct zone *z, int64_t seconds)
{
	struct zone_data d;
	struct rule r;
	size_t low = 0, high;

	if (!z->named)
		return z->offset_seconds;
	zone_parse(z->data, z->size_bytes, &d);
	/* the number of transitions at or before the instant */
	high = d.time_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (big_endian(d.times + middle * 8, 8) <= seconds)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == d.time_count && d.rule_bytes && rule_parse(d.rule, d.rule_bytes, &r))
		return rule_offset(&r, seconds);
	return (int32_t)big_endian(d.types + (low ? (size_t)d.kinds[low - 1] * 6 : 0), 4);
}

int64_t zone_local(const struct zone *z, int64_t millis)
{
	return millis + zone_offset(z, floor_divide(millis, 1000)) * INT64_C(1000);
}

int64_t zone_instant(const struct zone *z, int64_t local_millis)
{
	int64_t local = floor_divide(local_millis, 1000);
	int32_t before = zone_offset(z, local - DAY_SECONDS), after = zone_offset(z, local + DAY_SECONDS);

	if (zone_offset(z, local - before) != before && zone_offset(z, local - after) == after)
		return local_millis - after * INT64_C(1000);
	return local_millis - before * INT64_C(1000);
}

static bool is_digits(const char *at, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!isdigit((unsigned char)at[i]))
			return false;
	return true;
}

/* ±hh, ±hhmm, ±hh:mm: any digits. */
static bool parse_offset(struct key name, int32_t *seconds)
{
	const char *t = name.bytes;
	size_t minutes = name.size_bytes == 6 ? 4 : 3;
	int hours, rest = 0;

	if (name.size_bytes < 3 || (t[0] != '+' && t[0] != '-') || !is_digits(t + 1, 2))
		return false;
	if (name.size_bytes == 6   ? t[3] != ':' || !is_digits(t + 4, 2)
	    : name.size_bytes == 5 ? !is_digits(t + 3, 2)
	                           : name.size_bytes != 3)
		return false;
	hours = (t[1] - '0') * 10 + (t[2] - '0');
	if (name.size_bytes > 3)
		rest = (t[minutes] - '0') * 10 + (t[minutes + 1] - '0');
	*seconds = (t[0] == '-' ? -1 : 1) * (hours * 3600 + rest * 60);
	return true;
}

static bool is_zone_name(struct key name)
{
	if (!name.size_bytes || name.size_bytes >= NAME_BYTES || !isupper((unsigned char)name.bytes[0]))
		return false;
	for (uint32_t i = 0; i < name.size_bytes; i++) {
		unsigned char c = (unsigned char)name.bytes[i];

		if (!isalnum(c) && c != '/' && c != '_' && c != '-' && c != '+')
			return false;
	}
	return true;
}

static bool zone_load(struct evaluation *at, struct key name, struct zone *out)
{
	struct zone_data checked;
	char path[sizeof ZONE_FOLDER + NAME_BYTES + 1];
	struct stat status;
	uint8_t *data = NULL;
	ssize_t got = -1;
	int file;

	snprintf(path, sizeof path, ZONE_FOLDER "/%.*s", (int)name.size_bytes, name.bytes);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= ZONE_FILE_BYTES) {
		data = arena_allocate(at->arena, (size_t)status.st_size);
		got = read(file, data, (size_t)status.st_size);
	}
	close(file);
	if (got <= 0 || !zone_parse(data, (size_t)got, &checked))
		return false;
	*out = (struct zone){ true, 0, data, (size_t)got };
	return true;
}

bool zone_find(struct evaluation *at, struct key name, struct zone *out)
{
	*out = zone_utc;
	if (key_is(name, "UTC"))
		return true;
	if (key_is(name, "GMT")) { /* MongoDB's is one of the tz database, and so not what it calls UTC */
		zone_load(at, name, out);
		return true;
	}
	if (parse_offset(name, &out->offset_seconds))
		return true;
	if (is_zone_name(name)) {
		if (access(ZONE_FOLDER, R_OK))
			return execution_fail(at->x, CODE_NotImplemented, "time zone names need the system's tz database in " ZONE_FOLDER);
		if (zone_load(at, name, out))
			return true;
	}
	return execution_fail(at->x, 40485, "unrecognized time zone identifier: \"%.*s\"", (int)name.size_bytes, name.bytes);
}
