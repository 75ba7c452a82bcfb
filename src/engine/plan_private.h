#ifndef BSONSCOPE_ENGINE_PLAN_PRIVATE_H
#define BSONSCOPE_ENGINE_PLAN_PRIVATE_H

#include "engine/plan_solution.h"

/* At most this many solutions are tried. */
enum { PLAN_CANDIDATES = 64 };

/*
 * What a plan keeps besides its stages. `request` is a copy whose sort lies in the arena. The trials of the others are
 * plan.rejected.
 */
struct plan_private {
	struct arena arena;
	struct plan_request request;
	struct solution *winner;
	struct stage *winner_trial; /* null: no trial was needed */
	bool winner_ended;          /* its trial came to its end */
	struct stage *top;          /* the root as the planner made it */
};

/*
 * Runs the candidates side by side and says which is best; *ended: it came to its end. False: all of them failed, or
 * the execution was interrupted. Its counters are left as they were.
 */
bool plan_trial(struct stage **candidates, size_t count, const struct plan_request *request, struct execution *x,
                size_t *best, bool *ended);

/*
 * A filter that is one $or: each branch gets the plan that is best for it, by a trial of its own. Adds nothing when some
 * branch has none by index: then the $or is planned as a whole. An interruption: x->failed.
 */
void plan_add_subplan(struct solutions *list, const struct plan_request *request, struct execution *x, struct arena *a);

/* A scan that goes from one value of request->distinct to the next. `only`: by that index. False: no index allows one. */
bool plan_add_distinct(struct solutions *list, const struct plan_request *request, const struct index *only,
                       struct arena *a);

/* "hint provided does not correspond to an existing index", with the query in front as MongoDB shows it. */
bool plan_bad_hint(const struct plan_request *request, bson_error_t *error);

#endif
