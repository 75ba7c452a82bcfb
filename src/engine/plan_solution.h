/*
 * Solutions: the ways to read a collection for a filter. A solution is a description; stages are made from it, for a
 * trial, for the run, and for explain.
 */
#ifndef BSONSCOPE_ENGINE_PLAN_SOLUTION_H
#define BSONSCOPE_ENGINE_PLAN_SOLUTION_H

#include "engine/bounds.h"
#include "engine/match.h"
#include "engine/plan.h"

enum access { ACCESS_NOTHING, ACCESS_COLLECTION, ACCESS_ID, ACCESS_INDEX, ACCESS_DISTINCT, ACCESS_UNION, ACCESS_METADATA };

struct solution {
	enum access access;
	struct index *index; /* of ACCESS_ID, ACCESS_INDEX and ACCESS_DISTINCT */
	struct bounds bounds;
	size_t distinct;     /* of ACCESS_DISTINCT: one entry for each value of that many first fields */
	bool backward;
	bool provides_sort;
	const struct match *key_filter, *fetch_filter; /* of the filter, or a conjunction of its parts in the arena */

	/* Of ACCESS_UNION: the solutions of a $or's branches, or one scan in parts that each give the order. */
	struct solution *branches;
	size_t branch_count;
	bool merges;         /* SORT_MERGE and not OR */
	bool too_many_scans; /* in parts it would have given the order, but they are more than MongoDB makes */
	bool subplan;        /* SUBPLAN stands over it */
};

struct solutions {
	struct solution *items; /* in the arena */
	size_t count, capacity;
};

/*
 * One for each index that the filter can use; several when an index may serve one of several predicates only. `whole`:
 * what all results match (the filter, when it is a branch of a larger one): a partial index must hold them.
 */
void solutions_from_filter(struct solutions *list, struct index *i, const struct match *filter, const struct match *whole,
                           struct arena *a);

/*
 * For a filter that is a $or, or a conjunction with some: a union of index scans for each $or whose branches all have
 * one. `only`: the index that is to be used; null: any.
 */
void solutions_from_or(struct solutions *list, const struct collection *c, const struct match *filter,
                       const struct match *whole, struct index *only, struct arena *a);

/* All of both kinds, of every index that may be used. */
void solutions_from_indexes(struct solutions *list, const struct collection *c, const struct match *filter,
                            const struct match *whole, struct index *only, struct arena *a);

/* The union of one solution a branch. `filter`: what remains to be tested on its documents; may be null. */
void solutions_add_union(struct solutions *list, struct arena *a, const struct solution *branches, size_t count,
                         const struct match *filter);

/* Every document that matches `filter` (null: all of them) has its entries in the index. */
bool index_serves(const struct index *i, const struct match *filter);

/* The whole of an index, everything else tested after the fetch. */
void solutions_add_whole(struct solutions *list, struct index *i, const struct match *filter, struct arena *a);
struct solution *solutions_add(struct solutions *list, struct arena *a, enum access access);

/*
 * Sets direction and provides_sort for a sort (missing: any order will do) and aligns the bounds; a scan of several
 * points becomes a merge of scans when that gives the order. To be called once.
 */
void solution_finish(struct solution *s, struct value sort, struct arena *a);

/*
 * Whether the components that two paths begin with in common have an array among them; bit i of `arrays`: component
 * i.
 */
bool path_shares_array(const struct path *a, const struct path *b, uint32_t arrays);

/* True when the index's key pattern begins with the sort, or with its reverse. */
bool index_begins_with_sort(const struct index *i, struct value sort);

/*
 * The chain of stages that answers the request from the solution; COUNT is not part of it. `trial`: $indexStats does
 * not see it. Null: the sort is refused.
 */
struct stage *solution_stages(const struct solution *s, const struct plan_request *request, struct execution *x,
                              bool trial, bson_error_t *error);

#endif
