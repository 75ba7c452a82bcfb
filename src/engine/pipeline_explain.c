#include "engine/pipeline.h"
#include "engine/pipeline_stage.h"

static void explain_figures(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_int64(w, "nReturned", s->advanced);
	writer_int64(w, "executionTimeMillisEstimate", s->micros / 1000);
	writer_int64(w, "executionTimeMicros", s->micros);
}

static void explain_cursor(const struct pipeline *p, struct writer *w, enum verbosity verbosity, int64_t micros)
{
	plan_explain_planner(p->plan, &p->request, w);
	if (verbosity != VERBOSITY_QUERY_PLANNER)
		plan_explain_execution(p->plan, w, verbosity, micros);
}

void pipeline_explain_stages(const struct pipeline *p, struct writer *w, enum verbosity verbosity)
{
	for (size_t i = 0; i < p->stage_count; i++) {
		writer_begin_document(w, key_of(""));
		p->stages[i]->type->explain(p->stages[i], w, verbosity);
		explain_figures(p->stages[i], w, verbosity);
		writer_end(w);
	}
}

void pipeline_explain(const struct pipeline *p, struct writer *w, enum verbosity verbosity, int64_t micros)
{
	if (p->has_cursor && !p->stage_count) {
		explain_cursor(p, w, verbosity, micros);
		return;
	}
	writer_begin_array(w, key_of("stages"));
	if (p->has_cursor) {
		writer_begin_document(w, key_of(""));
		writer_begin_document(w, key_of("$cursor"));
		explain_cursor(p, w, verbosity, micros);
		writer_end(w);
		explain_figures(p->plan->root, w, verbosity);
		writer_end(w);
	}
	pipeline_explain_stages(p, w, verbosity);
	writer_end(w);
}
