#include "plan/log_durations.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SIGNIFICANT_BITS = 7 };

struct log_duration {
	int64_t millis, count;
};

/* The upper end of its class: a percentile is not told too low. */
static int64_t coarse(int64_t millis)
{
	int bits = millis > 0 ? 64 - __builtin_clzll((unsigned long long)millis) : 0;

	return bits > SIGNIFICANT_BITS ? millis | ((INT64_C(1) << (bits - SIGNIFICANT_BITS)) - 1) : millis;
}

static void make_coarse(struct log_durations *d)
{
	size_t kept = 0;

	d->coarse = true;
	for (size_t i = 0; i < d->count; i++) {
		struct log_duration next = { coarse(d->items[i].millis), d->items[i].count };

		if (kept && d->items[kept - 1].millis == next.millis)
			d->items[kept - 1].count += next.count;
		else
			d->items[kept++] = next;
	}
	d->count = kept;
}

/* Kept sorted: few times are new once a shape has been seen some thousand times. */
void log_durations_add(struct log_durations *d, int64_t millis)
{
	size_t low = 0, high;

	if (!d->coarse && d->count >= LOG_DURATIONS_EXACT)
		make_coarse(d);
	if (d->coarse)
		millis = coarse(millis);
	d->total++;
	high = d->count;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (d->items[middle].millis < millis)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < d->count && d->items[low].millis == millis) {
		d->items[low].count++;
		return;
	}
	d->items = memory_grow(d->items, &d->capacity, d->count + 1, sizeof *d->items);
	memmove(d->items + low + 1, d->items + low, (d->count - low) * sizeof *d->items);
	d->items[low] = (struct log_duration){ millis, 1 };
	d->count++;
}

void log_durations_clear(struct log_durations *d)
{
	free(d->items);
	*d = (struct log_durations){ 0 };
}

struct figure log_durations_percentile(const struct log_durations *d, int percent)
{
	int64_t rank = (d->total * percent + 99) / 100, seen = 0;

	for (size_t i = 0; i < d->count; i++) {
		seen += d->items[i].count;
		if (seen >= rank)
			return figure_of(d->items[i].millis, d->coarse ? PROVENANCE_ESTIMATED : PROVENANCE_MEASURED);
	}
	return figure_unknown();
}
