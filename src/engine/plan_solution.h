/*
 * Solutions: the ways to read a collection for a filter. A solution is a description; stages are made from it, for a
 * trial, for the run, and for explain.
 */
#ifndef BSONSCOPE_ENGINE_PLAN_SOLUTION_H
#define BSONSCOPE_ENGINE_PLAN_SOLUTION_H

#include "engine/bounds.h"
#include "engine/match.h"
#include "engine/plan.h"

enum access { ACCESS_NOTHING, ACCESS_COLLECTION, ACCESS_ID, ACCESS_INDEX, ACCESS_METADATA };

struct solution {
	enum access access;
	struct index *index; /* of ACCESS_ID and ACCESS_INDEX */
	struct bounds bounds;
	bool backward;
	bool provides_sort;
	const struct match *key_filter, *fetch_filter; /* of the filter, or a conjunction of its parts in the arena */
};

struct solutions {
	struct solution *items; /* in the arena */
	size_t count, capacity;
};

/* One for each index that the filter can use; several when an index may serve one of several predicates only. */
void solutions_from_filter(struct solutions *list, struct index *i, const struct match *filter, struct arena *a);

/* The whole of an index, everything else tested after the fetch. */
void solutions_add_whole(struct solutions *list, struct index *i, const struct match *filter, struct arena *a);
struct solution *solutions_add(struct solutions *list, struct arena *a, enum access access);

/* Sets direction and provides_sort for a sort (missing: any order will do) and aligns the bounds. To be called once. */
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
