#include "base/limits.h"

#include <ctype.h>
#include <stdlib.h>

/*
 * 8 MiB: a change event with the document before and after the change holds it twice. It can be cut since 6.0.9 and
 * 7.0: https://www.mongodb.com/docs/manual/reference/operator/aggregation/changeStreamSplitLargeEvent/
 */
static const struct thresholds defaults = {
	.list = {
		{ 300000, "worth a look: likely a modelling mistake" },
		{ LIMIT_USER_BYTES / 2,
		  "a change event with both images is too large; $changeStreamSplitLargeEvent (6.0.9, 7.0) cuts it" },
		{ LIMIT_USER_BYTES + 1, "over the user limit, within the internal limit: no insert or update may store it" },
		{ LIMIT_INTERNAL_BYTES + 1, "over the internal limit: error 10334 even inside the server" },
		{ LIMIT_MESSAGE_BYTES + 1, "over the largest message: it cannot be sent" },
	},
	.count = 5,
};

const struct thresholds *thresholds_default(void)
{
	return &defaults;
}

static int by_bytes(const void *a, const void *b)
{
	const struct threshold *x = a, *y = b;

	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

bool thresholds_parse(const char *text, struct thresholds *t)
{
	*t = (struct thresholds){ .count = 0 };
	for (size_t i = 1; i < defaults.count; i++)
		t->list[t->count++] = defaults.list[i];
	do {
		char *end;
		long long bytes;

		if (!isdigit((unsigned char)*text) || t->count == THRESHOLDS_MOST)
			return false;
		bytes = strtoll(text, &end, 10);
		if (bytes < 1 || bytes > INT32_MAX || (*end && *end != ','))
			return false;
		t->list[t->count++] = (struct threshold){ bytes, NULL };
		text = *end ? end + 1 : end;
		if (*end && !*text)
			return false;
	} while (*text);
	qsort(t->list, t->count, sizeof *t->list, by_bytes);
	return true;
}

const struct threshold *thresholds_reached(const struct thresholds *t, int64_t bytes)
{
	const struct threshold *reached = NULL;

	for (size_t i = 0; i < t->count && t->list[i].bytes <= bytes; i++)
		reached = &t->list[i];
	return reached;
}
