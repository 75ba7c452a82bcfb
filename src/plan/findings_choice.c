/* How the plan was chosen: by how much, from the cache, among which indexes. */
#include <stdlib.h>
#include <string.h>

#include "plan/findings_private.h"

enum { NAME_LIMIT = 3, DEPTH_LIMIT = 32 };

/* Scores count 1 for each result a unit of work, and more for the end: less than this is no difference. */
#define NARROW 0.05

/* The server gives up a cached plan that needs ten times the work: internalQueryCacheEvictionRatio. */
enum { STALE_FACTOR = 10 };

struct candidate {
	double score; /* negative: not known */
	bool told;    /* the server's own score; else results by work */
	struct figure returned, works;
	struct bytes name;
};

static void append_indexes(struct bytes *name, struct value stage, size_t *count, int depth)
{
	struct walk w;
	struct field f;
	struct value index = plan_get(stage, "indexName");

	if (index.type == BSON_TYPE_UTF8 && *count < NAME_LIMIT) {
		char *text = plan_text(index);

		if (!strstr(bytes_text(name), text)) {
			bytes_format(name, "%s%s", *count ? " + " : "", text);
			++*count;
		}
		free(text);
	}
	if (depth < DEPTH_LIMIT)
		for (walk_begin(&w, stage); walk_next(&w, &f);)
			if (value_is_document(f.value) || value_is_array(f.value))
				append_indexes(name, f.value, count, depth + 1);
}

static void read_candidate(struct value trial, struct candidate *c)
{
	struct value stage = plan_get(trial, "executionStages"), score = plan_get(trial, "score");
	size_t count = 0;

	*c = (struct candidate){ .score = -1, .returned = plan_figure(plan_get(trial, "nReturned")) };
	c->works = plan_figure(plan_get(stage, "works"));
	c->told = value_is_number(score);
	if (c->told)
		c->score = value_as_double(score);
	else if (figure_known(c->works) && figure_known(c->returned) && c->works.value > 0)
		c->score = (double)c->returned.value / (double)c->works.value + (value_is_true(plan_get(stage, "isEOF")) ? 1 : 0);
	if (value_is_document(stage))
		append_indexes(&c->name, stage, &count, 0);
	if (!c->name.size)
		bytes_append_text(&c->name, "a collection scan");
}

static void append_candidate(struct bytes *text, struct candidate *c)
{
	char returned[32], works[32];

	bytes_append_text(text, bytes_text(&c->name));
	if (c->told)
		bytes_format(text, " scored %.4f", c->score);
	if (figure_known(c->returned) && figure_known(c->works))
		bytes_format(text, "%s %s results in %s works", c->told ? "," : "", finding_count(c->returned, returned),
		             finding_count(c->works, works));
}

/* The two best of the trial; false: fewer than two are known. */
static bool find_best(struct value trials, struct candidate best[2])
{
	struct walk w;
	struct field f;
	size_t count = 0;
	bool known = true;

	best[0] = best[1] = (struct candidate){ .score = -1 };
	for (walk_begin(&w, trials); walk_next(&w, &f); count++) {
		struct candidate c, last;

		read_candidate(f.value, &c);
		known = known && c.score >= 0;
		last = c;
		if (c.score > best[0].score) {
			last = best[1];
			best[1] = best[0];
			best[0] = c;
		} else if (c.score > best[1].score) {
			last = best[1];
			best[1] = c;
		}
		bytes_clear(&last.name);
	}
	return count > 1 && known && best[0].told == best[1].told;
}

static void judge_trial(struct judging *j, const struct plan_choice *c)
{
	struct candidate best[2];
	struct bytes text = BYTES_INIT;

	if (!value_is_array(c->trials))
		return;
	if (find_best(c->trials, best) && best[0].score - best[1].score < NARROW) {
		bytes_append_text(&text, "chosen by a narrow margin: in the trial ");
		append_candidate(&text, &best[0]);
		bytes_append_text(&text, " against ");
		append_candidate(&text, &best[1]);
		finding_add(j, FINDING_NARROW, c->node, &text,
		            "run it with each as hint and compare; an index that is never the better one can go", COST_HINT);
	}
	bytes_clear(&best[0].name);
	bytes_clear(&best[1].name);
}

void judge_choice(struct judging *j, const struct plan_choice *c)
{
	struct bytes text = BYTES_INIT;

	judge_trial(j, c);
	if (value_is_true(plan_get(c->planner, "indexFilterSet"))) {
		bytes_append_text(&text, "an index filter is set (indexFilterSet: true): only its indexes were looked at, "
		                         "hints were not");
		finding_add(j, FINDING_INDEX_FILTER, c->node, &text, "planCacheClearFilters, if it is no longer right",
		            COST_NOTHING);
	}
}

void judge_cached(struct judging *j, const struct plan_node *n)
{
	struct figure decided = plan_figure(plan_get(n->source, "decisionWorks"));
	char *reason = plan_text(plan_get(n->source, "replanReason")), works[32], before[32];
	struct bytes text = BYTES_INIT;

	if (reason || value_is_true(plan_get(n->source, "replanned"))) {
		bytes_format(&text, "the cached plan was given up%s%s", reason ? ": " : "", reason ? reason : "");
		finding_add(j, FINDING_REPLANNED, n, &text,
		            "values of one command that want different plans: an index that serves all, or a hint", COST_HINT);
	} else if (figure_known(decided) && decided.value > 0 && figure_known(n->works) &&
	           n->works.value >= STALE_FACTOR * decided.value) {
		bytes_format(&text, "a cached plan that took %s works when it was chosen took %s",
		             finding_count(decided, before), finding_count(n->works, works));
		finding_add(j, FINDING_STALE, n, &text, "planCacheClear of the collection, or an index that serves all values",
		            "all plans of the collection are chosen anew");
	}
	free(reason);
}
