/* Plans as MongoDB's explain shows them (explainVersion "1"). */
#include <stdio.h>

#include "engine/plan_private.h"
#include "engine/plan_stages.h"

static bool is_at_end(const struct stage *s)
{
	const struct plan_stage *p = s->plan;

	return s->at_end || (p && p->is_done);
}

/* needYield, saveState and restoreState: nothing here yields. */
static void write_counters(const struct stage *s, struct writer *w)
{
	const struct plan_stage *p = s->plan;

	writer_number(w, "nReturned", s->advanced);
	writer_number(w, "executionTimeMillisEstimate", s->micros / 1000);
	/* as a server that measures so finely writes it; one that does not leaves it out */
	writer_number(w, "executionTimeMicros", s->micros);
	writer_number(w, "works", s->works + (p && s->at_end ? p->asked_again : 0));
	writer_number(w, "advanced", s->advanced);
	writer_number(w, "needTime", s->works - s->advanced - s->at_end);
	writer_number(w, "needYield", 0);
	writer_number(w, "saveState", 0);
	writer_number(w, "restoreState", 0);
	writer_number(w, "isEOF", is_at_end(s));
}

static void write_stage(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	const struct plan_stage *p = s->plan;

	writer_text(w, "stage", s->type->name);
	if (p && p->filter)
		match_write(p->filter, w, key_of("filter"));
	if (verbosity != VERBOSITY_QUERY_PLANNER)
		write_counters(s, w);
	if (s->type->explain)
		s->type->explain(s, w, verbosity);
	if (!s->input)
		return;
	if (!s->input->next_input) {
		plan_explain_stage(s->input, w, key_of("inputStage"), verbosity);
		return;
	}
	writer_begin_array(w, key_of("inputStages"));
	for (s = s->input; s; s = s->next_input)
		plan_explain_stage(s, w, key_of(""), verbosity);
	writer_end(w);
}

void plan_explain_stage(const struct stage *s, struct writer *w, struct key key, enum verbosity verbosity)
{
	writer_begin_document(w, key);
	write_stage(s, w, verbosity);
	writer_end(w);
}

/* The stage that a write has put on top of the plan; null when there is none. */
static const struct stage *write_on_top(const struct plan *p)
{
	return p->root != p->private->top ? p->root : NULL;
}

/* A rejected plan, below the write that would have stood on top of it. */
static void write_rejected(const struct plan *p, const struct stage *s, struct writer *w)
{
	const struct stage *top = write_on_top(p);

	writer_begin_document(w, key_of(""));
	if (top) {
		writer_text(w, "stage", top->type->name);
		plan_explain_stage(s, w, key_of("inputStage"), VERBOSITY_QUERY_PLANNER);
	} else {
		write_stage(s, w, VERBOSITY_QUERY_PLANNER);
	}
	writer_end(w);
}

void plan_explain_planner(const struct plan *p, const struct plan_request *request, struct writer *w)
{
	writer_begin_document(w, key_of("queryPlanner"));
	writer_text(w, "namespace", request->namespace_text);
	writer_bool(w, "indexFilterSet", false);
	if (write_on_top(p) && p->private->winner->access == ACCESS_ID) {
		/* MongoDB looks the _id of a write up without parsing its query */
	} else if (request->filter) {
		match_write(request->filter, w, key_of("parsedQuery"));
	} else {
		writer_begin_document(w, key_of("parsedQuery"));
		writer_end(w);
	}
	if (request->optimized_pipeline)
		writer_bool(w, "optimizedPipeline", true);
	writer_bool(w, "maxIndexedOrSolutionsReached", false);
	writer_bool(w, "maxIndexedAndSolutionsReached", false);
	writer_bool(w, "maxScansToExplodeReached", p->private->winner->too_many_scans);
	plan_explain_stage(p->root, w, key_of("winningPlan"), VERBOSITY_QUERY_PLANNER);
	writer_begin_array(w, key_of("rejectedPlans"));
	for (size_t i = 0; i < p->rejected_count; i++)
		write_rejected(p, p->rejected[i], w);
	writer_end(w);
	writer_end(w);
}

struct totals {
	int64_t keys_examined, docs_examined, bytes, units;
};

static void add(struct totals *t, const struct stage *s)
{
	const struct plan_stage *p = s->plan;

	t->keys_examined += p ? p->keys_examined : 0;
	t->docs_examined += p ? p->docs_examined : 0;
	t->bytes += s->bytes;
	t->units += s->units;
	for (s = s->input; s; s = s->next_input)
		add(t, s);
}

static struct totals add_up(const struct stage *s)
{
	struct totals t = { 0 };

	add(&t, s);
	return t;
}

void plan_totals(const struct plan *p, int64_t *keys_examined, int64_t *docs_examined)
{
	struct totals t = add_up(p->root);

	*keys_examined = t.keys_examined;
	*docs_examined = t.docs_examined;
}

/* The fields that a stage on top adds, as they were before it ran. */
static void write_zeroed(const struct stage *s, struct writer *w)
{
	struct bytes fields = BYTES_INIT;
	struct writer own;
	struct walk walk;
	struct field f;
	char name[40];

	writer_begin(&own, &fields);
	s->type->explain(s, &own, VERBOSITY_EXECUTION_STATS);
	walk_begin(&walk, writer_finish(&own));
	while (walk_next(&walk, &f)) {
		snprintf(name, sizeof name, "%.*s", (int)f.key.size_bytes, f.key.bytes);
		if (value_is_number(f.value))
			writer_number(w, name, 0);
		else
			writer_put(w, name, f.value);
	}
	bytes_clear(&fields);
}

/* The write above the winner's trial had not begun; above the others MongoDB shows it as it ended. */
static void write_top(const struct stage *top, const struct stage *trial, struct writer *w, bool begun)
{
	const struct stage fresh = { .type = top->type };

	writer_begin_document(w, key_of("executionStages"));
	writer_text(w, "stage", top->type->name);
	write_counters(begun ? top : &fresh, w);
	if (begun)
		top->type->explain(top, w, VERBOSITY_EXECUTION_STATS);
	else
		write_zeroed(top, w);
	plan_explain_stage(trial, w, key_of("inputStage"), VERBOSITY_EXECUTION_STATS);
	writer_end(w);
}

/* What one candidate did in its trial. */
static void write_trial(const struct plan *p, const struct stage *trial, struct writer *w, bool chosen)
{
	const struct stage *top = write_on_top(p);
	struct totals t = add_up(trial);

	writer_begin_document(w, key_of(""));
	writer_number(w, "nReturned", top ? 0 : trial->advanced);
	writer_number(w, "executionTimeMillisEstimate", trial->micros / 1000);
	writer_number(w, "totalKeysExamined", t.keys_examined);
	writer_number(w, "totalDocsExamined", t.docs_examined);
	if (top)
		write_top(top, trial, w, !chosen);
	else
		plan_explain_stage(trial, w, key_of("executionStages"), VERBOSITY_EXECUTION_STATS);
	writer_end(w);
}

/* Without a trial the only plan is shown as it was before it ran. */
static void write_untried(const struct plan *p, struct writer *w)
{
	const struct plan_private *own = p->private;
	struct execution *x = own->top->execution;
	struct stage *fresh = solution_stages(own->winner, &own->request, x, true, NULL);

	if (own->request.counts && own->winner->access != ACCESS_METADATA)
		fresh = count_new(x, fresh, own->request.skip, own->request.limit);
	write_trial(p, fresh, w, true);
	stage_destroy(fresh);
}

static void write_all_plans(const struct plan *p, struct writer *w)
{
	writer_begin_array(w, key_of("allPlansExecution"));
	if (p->private->winner_trial)
		write_trial(p, p->private->winner_trial, w, true);
	else
		write_untried(p, w);
	for (size_t i = 0; i < p->rejected_count; i++)
		write_trial(p, p->rejected[i], w, false);
	writer_end(w);
}

/* What was truly counted of MongoDB's operation metrics. */
static void write_metrics(const struct stage *root, const struct totals *t, struct writer *w)
{
	writer_begin_document(w, key_of("operationMetrics"));
	writer_int64(w, "docBytesRead", t->bytes);
	writer_int64(w, "docUnitsRead", t->units);
	writer_int64(w, "docUnitsReturned", root->units_returned);
	writer_end(w);
}

void plan_explain_execution(const struct plan *p, struct writer *w, enum verbosity verbosity, int64_t micros)
{
	struct totals t = add_up(p->root);

	if (write_on_top(p) && p->private->top->plan)
		p->private->top->plan->asked_again = 0;
	writer_begin_document(w, key_of("executionStats"));
	writer_bool(w, "executionSuccess", !p->root->execution->failed);
	writer_number(w, "nReturned", p->root->advanced);
	writer_number(w, "executionTimeMillis", micros / 1000);
	writer_number(w, "totalKeysExamined", t.keys_examined);
	writer_number(w, "totalDocsExamined", t.docs_examined);
	plan_explain_stage(p->root, w, key_of("executionStages"), VERBOSITY_EXECUTION_STATS);
	write_metrics(p->root, &t, w);
	if (verbosity == VERBOSITY_ALL_PLANS)
		write_all_plans(p, w);
	writer_end(w);
}
