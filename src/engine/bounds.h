/*
 * Index bounds: for each field of an index the intervals that a scan visits. They are built in ascending order and then
 * aligned with the index and the direction of the scan. Everything lies in the arena that the functions are given.
 */
#ifndef BSONSCOPE_ENGINE_BOUNDS_H
#define BSONSCOPE_ENGINE_BOUNDS_H

#include "base/arena.h"
#include "bson/value.h"
#include "engine/index.h"
#include "engine/match.h"

struct bound {
	struct value value;
	const uint8_t *key; /* encoded: ascending while bounds are built, as the index has it once they are aligned */
	size_t key_size;
	bool inclusive;
};

struct interval {
	struct bound start, end;
};

/* Ordered, without overlaps. */
struct intervals {
	struct interval *items;
	size_t count, capacity;
};

struct bounds {
	struct intervals *fields;
	size_t field_count;
	bool backward;
};

/* Building. The lists given to intersect are ordered; unite orders. */
void intervals_add(struct intervals *list, struct arena *a, struct value start, bool start_inclusive, struct value end,
                   bool end_inclusive);
void intervals_add_point(struct intervals *list, struct arena *a, struct value v);
void intervals_add_all(struct intervals *list, struct arena *a); /* [MinKey, MaxKey] */
void intervals_unite(struct intervals *list);
struct intervals intervals_intersect(const struct intervals *a, const struct intervals *b, struct arena *arena);
struct intervals intervals_complement(const struct intervals *list, struct arena *a);
bool interval_is_point(const struct interval *i);
bool intervals_are_all(const struct intervals *list); /* aligned or not */
bool intervals_are_points(const struct intervals *list);

/* Turns ascending bounds into those of a scan of the index in that direction. */
void bounds_align(struct bounds *b, const struct index *i, bool backward, struct arena *a);

/*
 * True when the scan is one run of the index: points, then at most one range, then whole fields. MongoDB scans these
 * between two keys and counts no key past the end.
 */
bool bounds_are_single(const struct bounds *b);

/*
 * Where an entry stands to the bounds. BOUNDS_SEEK: `seek` holds where the next candidate is, `after` that an entry
 * equal to it is not meant.
 */
enum bounds_position { BOUNDS_WITHIN, BOUNDS_SEEK, BOUNDS_PAST };
struct bounds_seek {
	struct bytes key;
	bool after;
};
enum bounds_position bounds_check(const struct bounds *b, const struct index *i, const uint8_t *key, size_t size,
                                  struct bounds_seek *seek);

/* Past every entry with the same first `fields` values as this one. */
void bounds_skip(const struct bounds *b, const struct index *i, const uint8_t *key, size_t size, size_t fields,
                 struct bounds_seek *seek);

/* The first place to look at; false when the bounds are empty. */
bool bounds_start(const struct bounds *b, struct bounds_seek *seek);

/* For single runs: the key to compare with at the end (as a prefix), and whether entries that begin with it belong. */
void bounds_end(const struct bounds *b, struct bounds_seek *end);

/* What a predicate says about an index. Exact: the index answers it alone. Covered: its values do. */
enum tightness { BOUNDS_INEXACT_FETCH, BOUNDS_INEXACT_COVERED, BOUNDS_EXACT };

/*
 * The field of an index that bounds are built for. `multikey`: some component of its path is an array in some document.
 * `sparse`: documents without the field may be missing from the index; `whole`: it is the index's only field.
 */
struct bounds_field {
	bool multikey, sparse, whole;
};

/* Whether bounds can be built from the predicate, whose path is the field's. */
bool bounds_can_use(const struct match *m, struct bounds_field field);

/* Builds them into `out` (empty before); bounds_can_use was true. */
enum tightness bounds_build(const struct match *m, struct bounds_field field, struct intervals *out, struct arena *a);

/*
 * Those of a regular expression: the strings with its literal beginning, or all, and the expression itself as a value.
 */
enum tightness bounds_build_regex(struct value regex, struct intervals *out, struct arena *a);

#endif
