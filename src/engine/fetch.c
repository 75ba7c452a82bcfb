/* The stages that pass rows on one by one: FETCH, SKIP, LIMIT, PROJECTION_*. */
#include "engine/plan_stages.h"

struct fetch {
	struct plan_stage base;
	const struct collection *collection;
	struct stage_home home; /* a sort below it may give rows without a look at the collection */
	bool over_keys;
	int64_t fetched_before;
};

static enum stage_status fetch_work(struct stage *stage, struct row *row)
{
	struct fetch *s = (struct fetch *)stage;
	enum stage_status status;

	if (!stage_home_check(&s->home, stage->execution))
		return STAGE_FAILED;
	status = stage_work(stage->input, row);
	if (status != STAGE_ADVANCED)
		return status;
	if (!s->over_keys && !value_is_missing(row->document)) {
		s->fetched_before++;
		return plan_stage_test(s->base.filter, stage->execution, row->document);
	}
	if (!collection_document(s->collection, row->id, &row->document))
		return STAGE_NEED_TIME;
	if (!plan_stage_examine_document(&s->base, row->document))
		return STAGE_FAILED;
	return plan_stage_test(s->base.filter, stage->execution, row->document);
}

static void fetch_save(struct stage *stage)
{
	stage_home_park(&((struct fetch *)stage)->home);
}

static void fetch_destroy(struct stage *stage)
{
	stage_home_clear(&((struct fetch *)stage)->home);
	plan_stage_destroy(stage);
}

static void fetch_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct fetch *s = (const struct fetch *)stage;

	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "docsExamined", s->base.docs_examined);
	writer_number(w, "alreadyHasObj", s->fetched_before);
}

static const struct stage_type fetch_type = {
	.name = "FETCH",
	.work = fetch_work,
	.destroy = fetch_destroy,
	.save = fetch_save,
	.explain = fetch_explain,
};

struct stage *fetch_new(struct execution *x, struct stage *input, const struct collection *c,
                        const struct match *filter, bool over_keys)
{
	struct fetch *s = plan_stage_new(sizeof *s, &fetch_type, x, input);

	s->base.filter = filter;
	s->collection = c;
	s->over_keys = over_keys;
	stage_home_init(&s->home, c, NULL);
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
	bool unsaid; /* the command did not ask for a projection, so explain shows none */
	bool whole;  /* rows pass as they are */
	struct bytes document;
	struct arena arena;
};

static enum stage_status projection_work(struct stage *stage, struct row *row)
{
	struct projecting *s = (struct projecting *)stage;
	enum stage_status status = stage_work(stage->input, row);

	if (status != STAGE_ADVANCED)
		return status;
	if (s->whole)
		return STAGE_ADVANCED;
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
	const struct projecting *s = (const struct projecting *)stage;

	(void)verbosity;
	if (!s->unsaid) {
		projection_write(s->projection, w, key_of("transformBy"));
		return;
	}
	writer_begin_document(w, key_of("transformBy"));
	writer_end(w);
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
                             const struct match *filter, enum projected from, bool whole)
{
	static const struct stage_type *const simple[] = { &simple_type, &covered_type, &default_type, &covered_type };
	bool is_simple = !strcmp(projection_stage_name(p), simple_type.name);
	const struct stage_type *type = is_simple ? simple[from] : &default_type;
	struct projecting *s = plan_stage_new(sizeof *s, type, x, input);

	s->projection = p;
	s->query = filter;
	s->unsaid = from == PROJECTED_VALUES;
	s->whole = whole;
	arena_init(&s->arena);
	return &s->base.stage;
}
