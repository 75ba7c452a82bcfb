/* How MongoDB plans a filter that is one $or. Source: https://github.com/mongodb/mongo, src/mongo/db/exec/subplan.cpp. */
#include <string.h>

#include "engine/plan_private.h"

/* Runs the candidates of one branch against each other; those that a trial needs are made for it alone. */
static bool try_branch(struct solutions *list, const struct plan_request *request, struct execution *x, struct arena *a,
                       size_t *best)
{
	struct stage *trials[PLAN_CANDIDATES];
	size_t count = list->count < PLAN_CANDIDATES ? list->count : PLAN_CANDIDATES, made = 0;
	bool ended, good = false;

	*best = 0;
	if (count < 2)
		return count == 1;
	for (size_t i = 0; i < count; i++)
		solution_finish(&list->items[i], request->sort, a);
	while (made < count && (trials[made] = solution_stages(&list->items[made], request, x, true, NULL)))
		made++;
	if (made == count)
		good = plan_trial(trials, count, request, x, best, &ended);
	while (made)
		stage_destroy(trials[--made]);
	return good;
}

static bool plan_branch(const struct plan_request *request, const struct match *branch, struct execution *x,
                        struct arena *a, struct solution *chosen)
{
	struct plan_request own = *request;
	struct solutions tried = { NULL, 0, 0 }, fresh = { NULL, 0, 0 };
	size_t best;

	own.filter = branch;
	own.skip = own.limit = 0;
	own.counts = own.no_documents = false;
	solutions_from_indexes(&tried, request->collection, branch, branch, NULL, a);
	if (!tried.count || !try_branch(&tried, &own, x, a, &best))
		return false;
	/* the trial has finished its bounds for a plan of its own: the union's are made anew */
	solutions_from_indexes(&fresh, request->collection, branch, branch, NULL, a);
	*chosen = fresh.items[best];
	return true;
}

void plan_add_subplan(struct solutions *list, const struct plan_request *request, struct execution *x, struct arena *a)
{
	const struct match *or = request->filter;
	struct solution *branches = arena_allocate(a, or->child_count * sizeof *branches);

	for (size_t i = 0; i < or->child_count; i++)
		if (!plan_branch(request, or->children[i], x, a, &branches[i]))
			return;
	solutions_add_union(list, a, branches, or->child_count, NULL);
}
