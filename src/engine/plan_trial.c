/*
 * How MongoDB's classic engine chooses: the candidates work in turns until one has given 101 rows (or the limit) or has
 * come to its end; the most productive one wins. Source: https://github.com/mongodb/mongo,
 * src/mongo/db/query/plan_ranker.cpp.
 */
#include <math.h>
#include <string.h>

#include "engine/plan_private.h"
#include "engine/plan_stages.h"

enum { ROWS_WANTED = 101, WORKS_MINIMUM = 10000 };
static const double WORKS_OF_COLLECTION = 0.3;

static bool has_stage(const struct stage *s, const char *name)
{
	if (!strncmp(s->type->name, name, strlen(name)))
		return true;
	for (s = s->input; s; s = s->next_input)
		if (has_stage(s, name))
			return true;
	return false;
}

static double score(const struct stage *s)
{
	double works = (double)s->works, productivity = (double)s->advanced / works;
	double tie_breaker = fmin(1 / (10 * works), 1e-4), total = 1 + productivity;

	if (!(has_stage(s, "PROJECTION") && has_stage(s, "FETCH")))
		total += tie_breaker;
	if (!has_stage(s, "SORT"))
		total += tie_breaker;
	total += tie_breaker; /* no plan here intersects indexes */
	return s->at_end || s->plan->is_done ? total + 1 : total;
}

static bool is_interruption(const bson_error_t *error)
{
	return error->code == CODE_Interrupted || error->code == CODE_MaxTimeMSExpired;
}

struct race {
	struct stage **candidates;
	bool failed[PLAN_CANDIDATES];
	size_t count, running;
	struct execution *execution;
	int64_t rows_wanted;
	bool done;
};

/* A candidate that fails is out of the race, unless it was the last one; an interruption ends it for all. */
static bool work(struct race *r, size_t i)
{
	struct row row;
	enum stage_status status = stage_work(r->candidates[i], &row);

	if (status == STAGE_FAILED) {
		r->failed[i] = true;
		if (!--r->running || is_interruption(&r->execution->error))
			return false;
		r->execution->failed = false;
	}
	r->done |= status == STAGE_END || r->candidates[i]->advanced >= r->rows_wanted;
	return true;
}

static bool run(struct race *r, int64_t works)
{
	for (int64_t w = 0; w < works && !r->done; w++)
		for (size_t i = 0; i < r->count; i++)
			if (!r->failed[i] && !work(r, i))
				return false;
	return true;
}

bool plan_trial(struct stage **candidates, size_t count, const struct plan_request *request, struct execution *x,
                size_t *best, bool *ended)
{
	struct race r = { .candidates = candidates, .count = count, .running = count, .execution = x };
	struct counters counters = x->counters;
	double share = WORKS_OF_COLLECTION * (double)request->collection->count, best_score = 0;
	bool ran;

	r.rows_wanted = ROWS_WANTED;
	if (request->limit && !request->counts && request->limit < ROWS_WANTED)
		r.rows_wanted = request->limit;
	ran = run(&r, share > WORKS_MINIMUM ? (int64_t)share : WORKS_MINIMUM);
	x->counters = counters;
	if (!ran)
		return false;
	for (size_t i = 0; i < count; i++) {
		double s = r.failed[i] ? 0 : score(candidates[i]);

		if (s <= best_score)
			continue;
		best_score = s;
		*best = i;
	}
	*ended = candidates[*best]->at_end;
	return true;
}
