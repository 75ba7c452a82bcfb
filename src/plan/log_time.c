#include "plan/log_time.h"

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

enum { TO_FRACTION = 19, TO_ZONE = 23 };

/* Whole seconds may stand without their fraction; dates of one zone then sort as text. */
static bool normalize(char text[LOG_TIME_SIZE], struct span date)
{
	static const char no_fraction[] = ".000";
	size_t size = TO_FRACTION;

	if (date.size_bytes <= TO_FRACTION || date.size_bytes > LOG_TIME_SIZE - sizeof no_fraction)
		return false;
	memcpy(text, date.text, TO_FRACTION);
	if (date.text[TO_FRACTION] != '.') {
		memcpy(text + size, no_fraction, sizeof no_fraction - 1);
		size += sizeof no_fraction - 1;
	}
	memcpy(text + size, date.text + TO_FRACTION, date.size_bytes - TO_FRACTION);
	text[size + date.size_bytes - TO_FRACTION] = 0;
	return true;
}

void log_time_see(struct log_time *t, struct span date)
{
	char text[LOG_TIME_SIZE] = "";

	if (!normalize(text, date))
		return;
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
