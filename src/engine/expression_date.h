/*
 * Calendar and time zones of the date operators: the proleptic Gregorian calendar on int64 milliseconds, offsets
 * ("+02:00") and the names of the system's tz database ("Europe/Istanbul").
 */
#ifndef BSONSCOPE_ENGINE_EXPRESSION_DATE_H
#define BSONSCOPE_ENGINE_EXPRESSION_DATE_H

#include "bson/value.h"
#include "engine/expression_internal.h"

struct date_parts {
	int64_t year;
	int month, day, hour, minute, second, millisecond; /* month and day from 1 */
};

struct iso_week {
	int64_t year;
	int week, weekday; /* 1 … 7, Monday first */
};

/* Days since 1970-01-01; months may be out of 1 … 12, days out of the month: they carry. */
int64_t date_days(int64_t year, int64_t month, int64_t day);
void date_from_days(int64_t days, int64_t *year, int *month, int *day);

/* 0: Sunday. */
int date_weekday(int64_t days);
int date_year_day(int64_t days);
struct iso_week date_iso_week(int64_t days);
int date_month_length(int64_t year, int month);
int64_t floor_divide(int64_t a, int64_t b);

struct zone {
	bool named;
	int32_t offset_seconds; /* unless named */
	const uint8_t *data;    /* the tz file of a named zone, in an arena */
	size_t size_bytes;
};

extern const struct zone zone_utc;

/* Fails with 40485 (no such zone) or, without a tz database, NotImplemented. `size` bytes of `name`. */
bool zone_find(struct evaluation *at, struct key name, struct zone *out);

/* Seconds east of UTC at an instant. */
int32_t zone_offset(const struct zone *z, int64_t seconds);

/* Local milliseconds (as if UTC) of an instant, and back: the earlier of two instants, later by the gap when there is
 * none. */
int64_t zone_local(const struct zone *z, int64_t millis);
int64_t zone_instant(const struct zone *z, int64_t local_millis);

struct date_parts date_parts_of(int64_t local_millis);

/* False when the sum does not fit. Any part may be out of its range and carries. */
bool date_millis(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute, int64_t second,
                 int64_t millisecond, int64_t *out);

/* Years are written from 0 to 9999; false and 18537 beyond. */
bool date_year_writable(struct evaluation *at, int64_t year);

/* "2017-02-08T12:10:40.787Z" as text in the arena; false and 18537 where its year cannot be written. */
bool date_text(struct evaluation *at, int64_t millis, struct value *out);

enum date_reading { DATE_READ, DATE_INVALID, DATE_UNKNOWN_FORMAT };

/*
 * ISO 8601 and its relatives; `zone` says where text without an offset is, `zone_given` that text with one is an error.
 * DATE_INVALID: *reason says why. DATE_UNKNOWN_FORMAT: MongoDB may read it, we do not.
 */
enum date_reading date_read(struct evaluation *at, struct key text, const struct zone *zone, bool zone_given,
                            int64_t *millis, const char **reason);

/* By a format ("%d/%m/%Y"), whose letters are right. */
enum date_reading date_read_format(struct evaluation *at, struct key text, struct key format, const struct zone *zone,
                                   bool zone_given, int64_t *millis, const char **reason);

/*
 * The time zone in argument `i`: read once into the node's storage when it is constant, else on every evaluation; UTC
 * when there is none. It may be null.
 */
bool date_compile_zone(struct expression *e, size_t i);
bool date_zone(const struct expression *e, struct evaluation *at, size_t i, struct zone *zone, bool *is_null);

/* Compiles named arguments of which one is "timezone". */
bool date_compile_named(struct expression *e, struct value specification, struct compiler *c);

/* Date, timestamp or ObjectId; 16006 for others. */
bool coerce_to_date(struct evaluation *at, struct value v, int64_t *millis);

#endif
