#include "model/sizes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/engine.h"
#include "model/listing.h"
#include "model/sizes_private.h"

enum { MANY_DOCUMENTS = 100000 }; /* the largest of fewer are found at once */

/* Figures */

static struct figure exact(int64_t value)
{
	return figure_of(value, PROVENANCE_EXACT);
}

static bool is_part(const struct gathering *g)
{
	return g->at_least || g->result->method != SAMPLING_ALL;
}

/* A figure over all documents: of a part it is the least that it can be. */
static struct figure total(int64_t value, bool at_least)
{
	struct figure f = exact(value);

	f.at_least = at_least;
	return f;
}

/* One that may become more or less with what was not seen. */
static struct figure typical(int64_t value, const struct gathering *g)
{
	struct figure f = exact(value);

	if (is_part(g)) {
		f.provenance = PROVENANCE_SAMPLED;
		f.n = g->count;
		f.of = g->result->method != SAMPLING_ALL ? g->of : 0;
	}
	return f;
}

static size_t bin_of(int64_t size_bytes)
{
	size_t bin = 0;

	while (bin + 1 < SIZES_BINS && (int64_t)1 << (bin + 1) <= size_bytes)
		bin++;
	return bin;
}

static void add_to_bin(struct sizes *result, size_t first, int64_t size_bytes, int64_t count)
{
	size_t bin = bin_of(size_bytes) - first;

	while (result->bin_count <= bin) {
		size_t i = result->bin_count++;

		result->bins[i] = (struct size_bin){ (int64_t)1 << (first + i), (int64_t)1 << (first + i + 1), 0 };
	}
	result->bins[bin].count += count;
}

/* Nearest rank: the number, from 1, of the document that stands for a percentile. */
static int64_t rank_of(int64_t percent, int64_t count)
{
	return (count / 100) * percent + ((count % 100) * percent + 99) / 100;
}

/* Of a part of the documents it is the least that there are. */
static void count_reached(struct gathering *g)
{
	struct sizes *result = g->result;
	int64_t counts[THRESHOLDS_MOST] = { 0 }, alarming = 0, size = -1, count;

	while (size_tally_next(&g->tally, &size, &count)) {
		for (size_t i = 0; i < result->thresholds.count && result->thresholds.list[i].bytes <= size; i++)
			counts[i] += count;
		alarming += result->alarm_bytes && size > result->alarm_bytes ? count : 0;
	}
	for (size_t i = 0; i < result->thresholds.count; i++)
		result->reached[i] = total(counts[i], is_part(g));
	result->alarming = total(alarming, is_part(g));
}

void sizes_compute(struct gathering *g)
{
	struct sizes *result = g->result;
	struct percentile {
		struct figure *figure;
		int64_t percent, rank;
	} percentiles[] = { { &result->p50, 50, 0 }, { &result->p90, 90, 0 }, { &result->p99, 99, 0 } };
	int64_t size = -1, count, seen = 0, all, bytes;
	size_t first = 0;

	size_tally_total(&g->tally, &all, &bytes);
	g->count = all;
	for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
		percentiles[i].rank = rank_of(percentiles[i].percent, all);
	result->count = total(all, is_part(g));
	result->bytes = total(bytes, is_part(g));
	result->avg_millibytes = result->max = result->p50 = result->p90 = result->p99 = result->headroom =
	        figure_unknown();
	result->bin_count = 0;
	result->over_limit = 0;
	count_reached(g);
	while (size_tally_next(&g->tally, &size, &count)) {
		if (!seen)
			first = bin_of(size);
		add_to_bin(result, first, size, count);
		for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
			if (seen < percentiles[i].rank && seen + count >= percentiles[i].rank)
				*percentiles[i].figure = typical(size, g);
		seen += count;
		result->over_limit += size > g->limit_bytes ? count : 0;
	}
	if (!all)
		return;
	/* in two parts: a thousand times the bytes may not fit */
	result->avg_millibytes = typical(bytes / all * 1000 + (bytes % all * 1000 + all / 2) / all, g);
	result->max = total(size, is_part(g));
	result->headroom = typical(g->limit_bytes - size, g);
}

/* The size of the last of the largest: no smaller document is looked at. */
static int64_t least_of_largest(const struct gathering *g)
{
	int64_t size = -1, count, seen = 0;

	while (size_tally_next(&g->tally, &size, &count) && g->count - (seen += count) >= (int64_t)g->result->largest_most)
		;
	return size;
}

/* Over the engine, which knows the sizes: only documents that may be among the largest are looked at. */

static bool gather_from_engine(struct gathering *g, struct engine *e, const struct interrupt *interrupt,
                               bson_error_t *error)
{
	struct engine_size_walk walk = { .key = g->key, .take = sizes_offer, .context = g };

	if (!engine_tally_sizes(e, g->db, g->collection, &g->tally, error))
		return false;
	sizes_compute(g);
	if (!g->count)
		return true;
	if (g->report && g->count >= MANY_DOCUMENTS)
		g->report(g->report_context, g->result);
	walk.from_bytes = (uint32_t)least_of_largest(g);
	return engine_walk_sizes(e, g->db, g->collection, &walk, interrupt, error);
}

/* Measuring */

static bool find_kind(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_error_t reason;
	struct sizes *r = g->result;

	if (listing_kind(g->source, g->db, g->collection, &r->kind, interrupt, &reason)) {
		if (r->kind)
			return true;
		return error_set(error, ERROR_INPUT, 0, "no collection \"%s\" in \"%s\"", g->collection, g->db);
	}
	/* who may not list may read all the same */
	if (reason.code == CODE_Unauthorized && reason.domain == ERROR_SERVER)
		r->kind = memory_duplicate_text("unknown");
	*error = reason;
	return r->kind != NULL;
}

bool sizes_kind_is_computed(const char *kind)
{
	return !strcmp(kind, "view") || !strcmp(kind, "timeseries");
}

void sizes_remark(struct sizes *s, const char *format, ...)
{
	struct bytes text = BYTES_INIT;
	va_list arguments;

	if (s->remark)
		bytes_format(&text, "%s; ", s->remark);
	va_start(arguments, format);
	bytes_format_v(&text, format, arguments);
	va_end(arguments);
	free(s->remark);
	s->remark = bytes_take_text(&text);
}

static void set_unknown(struct sizes *r)
{
	r->count = r->bytes = r->avg_millibytes = r->max = r->p50 = r->p90 = r->p99 = r->headroom = figure_unknown();
	for (size_t i = 0; i < r->largest_most; i++)
		bytes_clear(&r->largest[i].id);
	for (size_t i = 0; i < r->thresholds.count; i++)
		r->reached[i] = figure_unknown();
	r->alarming = figure_unknown();
	r->largest_count = r->bin_count = 0;
	r->method = SAMPLING_ALL;
}

/* Nothing is asked of it: what it returns is computed, statistics are refused or those of something else. */
static bool leave_computed(struct gathering *g)
{
	struct sizes *r = g->result;

	set_unknown(r);
	if (r->remark)
		return true;
	if (!strcmp(r->kind, "view"))
		sizes_remark(r, "a view: it holds no documents of its own");
	else
		sizes_remark(r, "a time series: its documents are in the buckets of \"system.buckets.%s\"", r->collection);
	return true;
}

/* What cannot be read of one collection does not hide the others: a view of a dump, one that a server refuses. */
static bool keep_refused(struct gathering *g, const bson_error_t *error)
{
	struct sizes *r = g->result;

	if (!r->kind || error->domain != ERROR_SERVER || error->code == CODE_Interrupted)
		return false;
	if (source_engine(g->source) && error->code != CODE_NotImplemented)
		return false;
	set_unknown(r);
	if (!r->remark || !source_engine(g->source))
		sizes_remark(r, "%s", error->message);
	return true;
}

static void find_remark(struct gathering *g)
{
	struct bytes text = BYTES_INIT;

	if (source_remark(g->source, g->db, g->collection, &text, &g->at_least))
		g->result->remark = bytes_take_text(&text);
	bytes_clear(&text);
}

static void take_wish(struct sizes *r, const struct size_wish *wish)
{
	r->thresholds = wish->thresholds ? *wish->thresholds : *thresholds_default();
	r->alarm_bytes = wish->alarm_bytes;
	r->largest_most = wish->largest ? wish->largest : SIZES_LARGEST;
	r->largest = memory_allocate_zeroed(r->largest_most, sizeof *r->largest);
}

static bool gather(struct gathering *g, struct engine *e, const struct interrupt *interrupt, bson_error_t *error)
{
	if (!find_kind(g, interrupt, error))
		return false;
	if (sizes_kind_is_computed(g->result->kind))
		return leave_computed(g);
	return e ? gather_from_engine(g, e, interrupt, error) : sizes_gather_by_commands(g, interrupt, error);
}

static struct sizes *measure(struct gathering *g, struct engine *e, const struct interrupt *interrupt,
                             bson_error_t *error)
{
	const struct interval open = { INTERVAL_OPEN, INTERVAL_OPEN };
	bson_error_t reason;
	bool good;

	g->result = memory_allocate_zeroed(1, sizeof *g->result);
	g->result->db = memory_duplicate_text(g->db);
	g->result->collection = memory_duplicate_text(g->collection);
	g->result->intervals = (struct sizes_intervals){ open, open, open, open, open };
	g->key = g->key ? g->key : "_id";
	take_wish(g->result, &g->source->size_wish);
	find_remark(g);
	good = gather(g, e, interrupt, &reason) || keep_refused(g, &reason);
	if (!good && error)
		*error = reason;
	size_tally_clear(&g->tally);
	if (good)
		return g->result;
	sizes_destroy(g->result);
	return NULL;
}

struct sizes *sizes_measure_reporting(struct source *s, const char *db, const char *collection, const char *key,
                                      int64_t limit_bytes, sizes_report report, void *context,
                                      const struct interrupt *interrupt, bson_error_t *error)
{
	struct gathering g = { .source = s, .db = db, .collection = collection, .key = key, .limit_bytes = limit_bytes,
		               .report = report, .report_context = context };

	return measure(&g, source_engine(s), interrupt, error);
}

struct sizes *sizes_measure(struct source *s, const char *db, const char *collection, const char *key,
                            int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error)
{
	return sizes_measure_reporting(s, db, collection, key, limit_bytes, NULL, NULL, interrupt, error);
}

struct sizes *sizes_measure_by_commands(struct source *s, const char *db, const char *collection, const char *key,
                                        int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error)
{
	struct gathering g = { .source = s, .db = db, .collection = collection, .key = key, .limit_bytes = limit_bytes };

	return measure(&g, NULL, interrupt, error);
}

void sizes_mark_sampled(struct sizes *s, int64_t n, int64_t of)
{
	struct figure *const figures[] = { &s->count, &s->bytes, &s->avg_millibytes, &s->max,
		                           &s->p50,   &s->p90,   &s->p99,            &s->headroom };

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		if (!figure_known(*figures[i]))
			continue;
		figures[i]->provenance = PROVENANCE_SAMPLED;
		figures[i]->n = n;
		figures[i]->of = of;
	}
	for (size_t i = 0; i < s->thresholds.count; i++)
		s->reached[i].at_least = true;
	s->alarming.at_least = true;
}
