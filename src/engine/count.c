/* COUNT, which counts the rows below it, and RECORD_STORE_FAST_COUNT, which asks the collection. Neither gives rows. */
#include "engine/plan_stages.h"

struct record_count {
	struct plan_stage base;
	const struct collection *collection;
	int64_t skip, limit, counted, skipped;
};

static enum stage_status record_count_work(struct stage *stage, struct row *row)
{
	struct record_count *s = (struct record_count *)stage;

	(void)row;
	s->skipped = s->skip < s->collection->count ? s->skip : s->collection->count;
	s->counted = s->collection->count - s->skipped;
	if (s->limit && s->counted > s->limit)
		s->counted = s->limit;
	return STAGE_END;
}

static void record_count_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct record_count *s = (const struct record_count *)stage;

	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "nCounted", s->counted);
	writer_number(w, "nSkipped", s->skipped);
}

static const struct stage_type record_count_type = {
	.name = "RECORD_STORE_FAST_COUNT",
	.work = record_count_work,
	.destroy = plan_stage_destroy,
	.explain = record_count_explain,
};

struct stage *record_count_new(struct execution *x, const struct collection *c, int64_t skip, int64_t limit)
{
	struct record_count *s = plan_stage_new(sizeof *s, &record_count_type, x, NULL);

	s->collection = c;
	s->skip = skip;
	s->limit = limit;
	return &s->base.stage;
}

struct counting {
	struct plan_stage base;
	int64_t skip, limit, counted, skipped;
};

static bool counted_enough(const struct counting *s)
{
	const struct plan_stage *input = s->base.stage.input->plan;

	return (s->limit && s->counted >= s->limit) || (input && input->is_done);
}

static enum stage_status count_work(struct stage *stage, struct row *row)
{
	struct counting *s = (struct counting *)stage;
	enum stage_status status;

	if (counted_enough(s))
		return STAGE_END;
	status = stage_work(stage->input, row);
	if (status != STAGE_ADVANCED)
		return status;
	if (s->skipped < s->skip)
		s->skipped++;
	else
		s->counted++;
	return STAGE_NEED_TIME;
}

static void count_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct counting *s = (const struct counting *)stage;

	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "nCounted", s->counted);
	writer_number(w, "nSkipped", s->skipped);
}

static const struct stage_type count_type = {
	.name = "COUNT",
	.work = count_work,
	.destroy = plan_stage_destroy,
	.explain = count_explain,
};

struct stage *count_new(struct execution *x, struct stage *input, int64_t skip, int64_t limit)
{
	struct counting *s = plan_stage_new(sizeof *s, &count_type, x, input);

	s->skip = skip;
	s->limit = limit;
	return &s->base.stage;
}

int64_t count_result(const struct stage *s)
{
	if (s->type == &count_type)
		return ((const struct counting *)s)->counted;
	if (s->type == &record_count_type)
		return ((const struct record_count *)s)->counted;
	return 0;
}
