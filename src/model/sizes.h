/*
 * Sizes of a collection's documents. Exact: computed over all; else of a part, which says how it was chosen and, when it
 * was random, how far the figures of all may be from its own. Percentiles by nearest rank; histogram bins are powers
 * of two, `from` inclusive, `to` exclusive.
 */
#ifndef BSONSCOPE_MODEL_SIZES_H
#define BSONSCOPE_MODEL_SIZES_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/figure.h"
#include "base/limits.h"
#include "model/interval.h"
#include "model/sampling.h"
#include "source.h"

enum { SIZES_LARGEST = 10, SIZES_LARGEST_MOST = 1000, SIZES_BINS = 32 };

struct size_bin {
	int64_t from_bytes, to_bytes, count;
};

/* 95 %, of all documents; open where they are not known. */
struct sizes_intervals {
	struct interval avg_millibytes, bytes, p50, p90, p99;
};

struct sizes {
	char *db, *collection, *kind; /* "collection", "view", "timeseries", "capped", "buckets", "system", "unknown" */
	enum sampling method;
	struct sizes_intervals intervals; /* of a random sample */
	struct figure count, bytes;
	struct figure avg_millibytes, max, p50, p90, p99, headroom; /* unknown of an empty collection */
	struct largest_document {
		struct bytes id; /* BSON document {"": key}; empty when it has no key */
		int64_t size_bytes;
	} *largest;
	size_t largest_count, largest_most; /* SIZES_LARGEST unless the source wishes for more or fewer */
	struct size_bin bins[SIZES_BINS]; /* from the first to the last that is not empty */
	size_t bin_count;
	int64_t over_limit;           /* documents larger than the limit */
	struct thresholds thresholds;
	struct figure reached[THRESHOLDS_MOST]; /* documents at or over each */
	int64_t alarm_bytes;          /* the source's wish */
	struct figure alarming;       /* documents larger than that */
	char *remark;                 /* why it is not whole, and what else is to be said of it, in one line; null: nothing */
};

/* Null on failure. `key` is the field that names documents ("_id", "_k"); null: _id. */
struct sizes *sizes_measure(struct source *s, const char *db, const char *collection, const char *key,
                            int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error);

/*
 * The same, telling an engine's figures as soon as they are known, before the largest documents of a large collection
 * have been looked for.
 */
typedef void (*sizes_report)(void *context, const struct sizes *so_far);
struct sizes *sizes_measure_reporting(struct source *s, const char *db, const char *collection, const char *key,
                                      int64_t limit_bytes, sizes_report report, void *context,
                                      const struct interrupt *interrupt, bson_error_t *error);

/* Always by commands, whatever the source: what the figures of the walk are compared with. */
struct sizes *sizes_measure_by_commands(struct source *s, const char *db, const char *collection, const char *key,
                                        int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error);

/* Of a collection that was built from a sample: `n` of `of` documents. */
void sizes_mark_sampled(struct sizes *s, int64_t n, int64_t of);

/* Appended: "81–85". */
void sizes_interval_text(struct interval i, bool ascii, struct bytes *out);

/* What a sample cannot see, in one line; nothing where that is not known. */
void sizes_tail_text(const struct sizes *s, struct bytes *out);

/* It has no documents of its own: a view, or a time series, whose documents are buckets. */
bool sizes_kind_is_computed(const char *kind);

/* One more remark on the collection's line. */
void sizes_remark(struct sizes *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a report is given is good for the call: a copy may be kept. */
struct sizes *sizes_copy(const struct sizes *s);
void sizes_destroy(struct sizes *s);

#endif
