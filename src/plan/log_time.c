#include "plan/log_time.h"

#include <stdio.h>
#include <string.h>

#include "bson/read_wrapper.h"

bool log_time_parse(struct span date, int64_t *millis)
{
	char copy[LOG_TIME_SIZE];

	if (!date.text || date.size_bytes >= sizeof copy)
		return false;
	memcpy(copy, date.text, date.size_bytes);
	copy[date.size_bytes] = 0;
	return read_parse_date(copy, millis);
}

/* Dates of one zone sort as text; whole seconds may stand without their fraction. */
void log_time_see(struct log_time *t, struct span date)
{
	enum { TO_FRACTION = 19, TO_ZONE = 23 };
	char text[LOG_TIME_SIZE];

	if (date.size_bytes <= TO_FRACTION || date.size_bytes >= LOG_TIME_SIZE - 4)
		return;
	snprintf(text, sizeof text, "%.*s%s%.*s", TO_FRACTION, date.text, date.text[TO_FRACTION] == '.' ? "" : ".000",
	         (int)date.size_bytes - TO_FRACTION, date.text + TO_FRACTION);
	t->zones_differ = t->zones_differ || (*t->earliest && strcmp(t->earliest + TO_ZONE, text + TO_ZONE) != 0);
	if (!*t->earliest || memcmp(text, t->earliest, TO_ZONE) < 0)
		memcpy(t->earliest, text, sizeof text);
	if (!*t->latest || memcmp(text, t->latest, TO_ZONE) > 0)
		memcpy(t->latest, text, sizeof text);
}

double log_time_seconds(const struct log_time *t)
{
	int64_t first, last;

	if (t->zones_differ || !read_parse_date(t->earliest, &first) || !read_parse_date(t->latest, &last) || last <= first)
		return -1;
	return (double)(last - first) / 1000;
}
