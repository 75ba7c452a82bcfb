/* COLLSCAN, and EOF for what has no documents. */
#include "engine/plan_stages.h"

struct collection_scan {
	struct plan_stage base;
	const struct collection *collection;
	struct stage_home home;
	record_id at; /* the record looked at last */
	bool backward, started;
};

static record_id record_before(const struct collection *c, record_id id)
{
	struct value document;

	while (--id >= 0)
		if (collection_document(c, id, &document))
			return id;
	return RECORD_NONE;
}

static enum stage_status collection_scan_work(struct stage *stage, struct row *row)
{
	struct collection_scan *s = (struct collection_scan *)stage;
	record_id id;

	if (!stage_home_check(&s->home, stage->execution))
		return STAGE_FAILED;
	if (!s->started) { /* MongoDB spends one unit of work on opening its cursor */
		s->started = true;
		s->at = s->backward ? (record_id)s->collection->records.count : RECORD_NONE;
		return STAGE_NEED_TIME;
	}
	id = s->backward ? record_before(s->collection, s->at) : collection_next(s->collection, s->at + 1);
	if (id == RECORD_NONE || !collection_document(s->collection, id, &row->document))
		return STAGE_END;
	s->at = row->id = id;
	if (!plan_stage_examine_document(&s->base, row->document))
		return STAGE_FAILED;
	return plan_stage_test(s->base.filter, stage->execution, row->document);
}

static void collection_scan_save(struct stage *stage)
{
	stage_home_park(&((struct collection_scan *)stage)->home);
}

static void collection_scan_destroy(struct stage *stage)
{
	stage_home_clear(&((struct collection_scan *)stage)->home);
	plan_stage_destroy(stage);
}

static void collection_scan_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct collection_scan *s = (const struct collection_scan *)stage;

	writer_text(w, "direction", s->backward ? "backward" : "forward");
	if (verbosity != VERBOSITY_QUERY_PLANNER)
		writer_number(w, "docsExamined", s->base.docs_examined);
}

static const struct stage_type collection_scan_type = {
	.name = "COLLSCAN",
	.work = collection_scan_work,
	.destroy = collection_scan_destroy,
	.save = collection_scan_save,
	.explain = collection_scan_explain,
};

struct stage *collection_scan_new(struct execution *x, const struct collection *c, const struct match *filter,
                                  bool backward)
{
	struct collection_scan *s = plan_stage_new(sizeof *s, &collection_scan_type, x, NULL);

	s->base.filter = filter;
	s->collection = c;
	s->backward = backward;
	stage_home_init(&s->home, c, NULL);
	return &s->base.stage;
}

static enum stage_status end_work(struct stage *stage, struct row *row)
{
	(void)stage;
	(void)row;
	return STAGE_END;
}

static void explain_nothing(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	(void)stage;
	(void)w;
	(void)verbosity;
}

static const struct stage_type end_type = {
	.name = "EOF",
	.work = end_work,
	.destroy = plan_stage_destroy,
	.explain = explain_nothing,
};

struct stage *end_new(struct execution *x)
{
	struct plan_stage *s = plan_stage_new(sizeof *s, &end_type, x, NULL);

	s->is_done = true;
	return &s->stage;
}
