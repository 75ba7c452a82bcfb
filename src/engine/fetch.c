/* The stages that pass rows on one by one: FETCH, SKIP, LIMIT, PROJECTION_*. */
#include "engine/plan_stages.h"

struct fetch {
	struct plan_stage base;
	const struct collection *collection;
};

static enum stage_status fetch_work(struct stage *stage, struct row *row)
{
	struct fetch *s = (struct fetch *)stage;
	enum stage_status status = stage_work(stage->input, row);

	if (status != STAGE_ADVANCED)
		return status;
	if (!collection_document(s->collection, row->id, &row->document))
		return STAGE_NEED_TIME;
	if (!plan_stage_examine_document(&s->base, row->document))
		return STAGE_FAILED;
	return plan_stage_test(s->base.filter, stage->execution, row->document);
}

static void fetch_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "docsExamined", ((const struct fetch *)stage)->base.docs_examined);
	writer_number(w, "alreadyHasObj", 0);
}

static const struct stage_type fetch_type = {
	.name = "FETCH",
	.work = fetch_work,
	.destroy = plan_stage_destroy,
	.explain = fetch_explain,
};

struct stage *fetch_new(struct execution *x, struct stage *input, const struct collection *c,
                        const struct match *filter)
{
	struct fetch *s = plan_stage_new(sizeof *s, &fetch_type, x, input);

	s->base.filter = filter;
	s->collection = c;
	return &s->base.stage;
}

struct amount {
	struct plan_stage base;
	int64_t amount, left;
};

static enum stage_status skip_work(struct stage *stage, struct row *row)
{
	struct amount *s = (struct amount *)stage;
	enum stage_status status = stage_work(stage->input, row);

	if (status != STAGE_ADVANCED || !s->left)
		return status;
	s->left--;
	return STAGE_NEED_TIME;
}

static enum stage_status limit_work(struct stage *stage, struct row *row)
{
	struct amount *s = (struct amount *)stage;
	enum stage_status status;

	if (!s->left)
		return STAGE_END;
	status = stage_work(stage->input, row);
	if (status == STAGE_ADVANCED)
		s->base.is_done = --s->left == 0;
	return status;
}

static void skip_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	writer_number(w, "skipAmount", ((const struct amount *)stage)->amount);
}

static void limit_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	writer_number(w, "limitAmount", ((const struct amount *)stage)->amount);
}

static const struct stage_type skip_type = {
	.name = "SKIP",
	.work = skip_work,
	.destroy = plan_stage_destroy,
	.explain = skip_explain,
};

static const struct stage_type limit_type = {
	.name = "LIMIT",
	.work = limit_work,
	.destroy = plan_stage_destroy,
	.explain = limit_explain,
};

static struct stage *amount_new(const struct stage_type *type, struct execution *x, struct stage *input, int64_t amount)
{
	struct amount *s = plan_stage_new(sizeof *s, type, x, input);

	s->amount = s->left = amount;
	return &s->base.stage;
}

struct stage *skip_new(struct execution *x, struct stage *input, int64_t amount)
{
	return amount_new(&skip_type, x, input, amount);
}

struct stage *limit_new(struct execution *x, struct stage *input, int64_t amount)
{
	return amount_new(&limit_type, x, input, amount);
}

struct projecting {
	struct plan_stage base; /* the query, for the positional operator, is not a filter of this stage */
	const struct projection *projection;
	const struct match *query;
	const struct collection *covered;
	struct bytes document;
	struct arena arena;
};

static enum stage_status projection_work(struct stage *stage, struct row *row)
{
	struct projecting *s = (struct projecting *)stage;
	enum stage_status status = stage_work(stage->input, row);

	if (status != STAGE_ADVANCED)
		return status;
	if (s->covered && !collection_document(s->covered, row->id, &row->document))
		return STAGE_NEED_TIME;
	arena_reset(&s->arena);
	if (!projection_apply(s->projection, stage->execution, &s->arena, row->document, s->query, &s->document))
		return STAGE_FAILED;
	if (!value_document(&row->document, s->document.data, s->document.size)) {
		execution_fail(stage->execution, CODE_InternalError, "projection made an invalid document");
		return STAGE_FAILED;
	}
	return STAGE_ADVANCED;
}

static void projection_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	projection_write(((const struct projecting *)stage)->projection, w, key_of("transformBy"));
}

static void projection_destroy_stage(struct stage *stage)
{
	struct projecting *s = (struct projecting *)stage;

	bytes_clear(&s->document);
	arena_clear(&s->arena);
	plan_stage_destroy(stage);
}

/* A type for each name that explain shows. */
static const struct stage_type simple_type = {
	.name = "PROJECTION_SIMPLE",
	.work = projection_work,
	.destroy = projection_destroy_stage,
	.explain = projection_explain,
};

static const struct stage_type default_type = {
	.name = "PROJECTION_DEFAULT",
	.work = projection_work,
	.destroy = projection_destroy_stage,
	.explain = projection_explain,
};

static const struct stage_type covered_type = {
	.name = "PROJECTION_COVERED",
	.work = projection_work,
	.destroy = projection_destroy_stage,
	.explain = projection_explain,
};

struct stage *projection_new(struct execution *x, struct stage *input, const struct projection *p,
                             const struct match *filter, const struct collection *covered)
{
	bool simple = !strcmp(projection_stage_name(p), simple_type.name);
	const struct stage_type *type = covered ? &covered_type : simple ? &simple_type : &default_type;
	struct projecting *s = plan_stage_new(sizeof *s, type, x, input);

	s->projection = p;
	s->query = filter;
	s->covered = covered;
	arena_init(&s->arena);
	return &s->base.stage;
}
