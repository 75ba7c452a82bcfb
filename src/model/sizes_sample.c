/* What a part of a collection says of all of it. */
#include <math.h>

#include "base/memory.h"
#include "model/sizes_private.h"

/* The size of the value with a rank, from 1; INTERVAL_OPEN beyond them. */
static int64_t size_at(const struct size_tally *t, int64_t rank, int64_t n)
{
	int64_t size = -1, count, seen = 0;

	if (rank < 1 || rank > n)
		return INTERVAL_OPEN;
	while (seen < rank && size_tally_next(t, &size, &count))
		seen += count;
	return size;
}

static struct interval percentile(const struct gathering *g, int percent)
{
	struct interval ranks = interval_percentile_ranks(g->count, percent);

	return (struct interval){ size_at(&g->tally, ranks.low, g->count), size_at(&g->tally, ranks.high, g->count) };
}

static double variance(const struct size_tally *t, double mean, int64_t n)
{
	int64_t size = -1, count;
	double sum = 0;

	while (size_tally_next(t, &size, &count))
		sum += (double)count * ((double)size - mean) * ((double)size - mean);
	return n > 1 ? sum / (double)(n - 1) : 0;
}

static void find_intervals(struct gathering *g, double mean)
{
	struct sizes_intervals *i = &g->result->intervals;
	double v = variance(&g->tally, mean, g->count);

	i->avg_millibytes = interval_mean(mean, v, g->count, 1000);
	i->bytes = interval_mean(mean, v, g->count, (double)g->of);
	i->p50 = percentile(g, 50);
	i->p90 = percentile(g, 90);
	i->p99 = percentile(g, 99);
}

void sizes_scale_up(struct gathering *g)
{
	const struct interval open = { INTERVAL_OPEN, INTERVAL_OPEN };
	struct sizes *s = g->result;
	bool random = s->method == SAMPLING_RANDOM || s->method == SAMPLING_SORTED;
	int64_t count, bytes;
	double mean;

	s->intervals = (struct sizes_intervals){ open, open, open, open, open };
	if (s->method == SAMPLING_ALL || !g->count)
		return;
	size_tally_total(&g->tally, &count, &bytes);
	mean = (double)bytes / (double)count;
	s->max.provenance = PROVENANCE_SAMPLED;
	s->max.n = g->count;
	s->max.of = g->of;
	s->max.at_least = true;
	if (!g->of)
		return;
	/* the count may be older than the documents */
	s->count = figure_of(g->of > count ? g->of : count, PROVENANCE_ESTIMATED);
	/* the first documents say nothing of the others */
	s->bytes = random ? figure_of(llround(mean * (double)g->of), PROVENANCE_ESTIMATED) : figure_unknown();
	if (random)
		find_intervals(g, mean);
}

static void append_count(struct bytes *out, int64_t n)
{
	char buffer[32];

	bytes_append_text(out, figure_format_count(n, buffer, sizeof buffer));
}

void sizes_interval_text(struct interval i, bool ascii, struct bytes *out)
{
	if (i.low == INTERVAL_OPEN && i.high == INTERVAL_OPEN) {
		bytes_append_text(out, ascii ? "-" : "—");
	} else if (i.high == INTERVAL_OPEN) {
		append_count(out, i.low);
		bytes_append_text(out, " or more");
	} else if (i.low == INTERVAL_OPEN) {
		bytes_append_text(out, "up to ");
		append_count(out, i.high);
	} else {
		append_count(out, i.low);
		bytes_append_text(out, ascii ? "-" : "–");
		append_count(out, i.high);
	}
}

void sizes_tail_text(const struct sizes *s, struct bytes *out)
{
	const int64_t n = s->p50.n, of = s->p50.of;

	if (s->method == SAMPLING_FIRST || n >= of)
		return;
	bytes_format(out, "larger than the largest seen: one such document is missed with %.0f %%, three with %.0f %%",
	             100 * interval_missed(n, of, 1), 100 * interval_missed(n, of, of < 3 ? of : 3));
}
