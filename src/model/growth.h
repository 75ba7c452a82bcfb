/*
 * How far an embedded array can grow. Exact arithmetic on BSON: an element costs its document, a type byte, the decimal
 * digits of its index and a terminator, so that later elements cost more than earlier ones; division alone says too
 * many.
 *
 * `element_bytes` everywhere is the child with what it costs at index 0 (its document and 3); `base_bytes` is the
 * parent with an empty array. Counts of children and parents go up to GROWTH_MOST.
 */
#ifndef BSONSCOPE_MODEL_GROWTH_H
#define BSONSCOPE_MODEL_GROWTH_H

#include "base/figure.h"
#include "base/interrupt.h"
#include "model/zipf.h"

enum { GROWTH_MOST = 1000000000, GROWTH_BINS = 34, GROWTH_ELEMENT_OVERHEAD = 3, GROWTH_SUBSET = 20 };

/* Bytes of a parent with that many children. */
int64_t growth_bytes(int64_t base_bytes, int64_t element_bytes, int64_t children);

/* How many children fit under the limit; 0 when not even the base does. */
int64_t growth_fits(int64_t base_bytes, int64_t element_bytes, int64_t limit_bytes);

/* The same by division alone. */
int64_t growth_naive(int64_t base_bytes, int64_t element_bytes, int64_t limit_bytes);

/* What an array costs in a parent that has none: type byte, name, terminator and an empty array. */
int64_t growth_empty_array_bytes(const char *path);

/*
 * What pushing children one at a time writes, where each push rewrites the whole document, as a server does when its
 * length changes. Oplog: what the entries hold of the array, their own frames left out: the new element where the update
 * is a $push, the whole array where it is $set. Source: https://www.mongodb.com/docs/manual/core/replica-set-oplog/
 */
struct growth_pushes {
	int64_t count, bytes; /* of the document afterwards: at most as many as fit */
	int64_t rewritten_bytes, oplog_push_bytes, oplog_set_bytes;
};

struct growth_pushes growth_push(int64_t base_bytes, int64_t element_bytes, int64_t limit_bytes, int64_t count);

/* One parent: its own base, how many children it wants, and the sum of their documents' sizes. */
struct growth_parent {
	int64_t base_bytes, children, payload_bytes;
};

/* Where a figure of one parent and one child comes from. */
enum growth_origin {
	GROWTH_GIVEN, /* said by the user */
	GROWTH_FIRST, /* the first parent, the population's example of a child */
	GROWTH_MEAN,  /* the mean of those that are there, rounded half up */
};

/* What is computed from. */
struct growth_input {
	int64_t limit_bytes;
	struct figure base, element; /* unknown: there is none */
	enum growth_origin base_origin, element_origin;

	/* Who there is: parents as they were found, or (`assumed`) a Zipf distribution of children over them. */
	struct growth_parent *parents; /* owned; of an assumed population the bases alone, by rank, as far as known */
	int64_t parent_count;
	int64_t of; /* parents that there are, when those that were found are a sample; else 0 */
	bool has_population, assumed;
	int64_t assumed_parents, assumed_children;
	double exponent;
	bool embedded; /* the parents were found with their arrays */
	int64_t subset;
};

void growth_input_clear(struct growth_input *in);

struct growth_bin {
	int64_t from, to; /* children, both inclusive; `to` < 0: no end, these hit the limit */
	int64_t parents;
};

struct growth_population {
	struct figure parents, children;
	bool assumed;
	double exponent;
	struct figure hit_limit;      /* parents whose children do not all fit */
	struct figure not_fitting;    /* children */
	struct figure first_wants;    /* the most that a parent wants */
	struct figure median, p99;    /* children a parent, by nearest rank */
	struct figure bytes, largest; /* of the parents, with as many children as fit */
	struct {
		int64_t n;
		struct figure bytes, largest, headroom, children_left;
	} subset; /* the newest n stay in the parent, the others move to a collection of their own */
	struct growth_bin bins[GROWTH_BINS]; /* powers of two, split at `fits` when some hit the limit */
	int bin_count;
};

struct growth {
	int64_t limit_bytes;
	struct figure base, element, fits, bytes_at_fit, naive;
	enum growth_origin base_origin, element_origin;
	bool has_population;
	struct growth_population population;
};

/* A figure over the parents that were found: as it is, or sampled. */
struct figure growth_seen(const struct growth_input *in, struct figure f);

/* False: interrupted (code 11601). */
bool growth_compute(const struct growth_input *in, struct growth *out, const struct interrupt *interrupt);

/* "zipf 1", "observed". */
const char *growth_distribution(const struct growth_population *p, char *buffer, size_t size);

#endif
