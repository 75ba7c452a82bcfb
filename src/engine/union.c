/* The stages over several inputs, OR and SORT_MERGE, and SUBPLAN, which stands over such a plan. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/plan_stages.h"
#include "engine/record_set.h"
#include "engine/sort_key.h"

/* Takes the inputs in their order. */
static void adopt(struct stage *s, struct stage **inputs, size_t count)
{
	s->input = inputs[0];
	for (size_t i = 0; i + 1 < count; i++)
		inputs[i]->next_input = inputs[i + 1];
}

/* The records given so far: a document that several inputs find is given once. */
struct given {
	struct record_set set;
	int64_t tested, dropped;
};

static bool is_first(struct given *g, record_id id)
{
	g->tested++;
	if (record_set_add(&g->set, id))
		return true;
	g->dropped++;
	return false;
}

static void write_given(const struct given *g, struct writer *w, enum verbosity verbosity)
{
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "dupsTested", g->tested);
	writer_number(w, "dupsDropped", g->dropped);
}

struct or {
	struct plan_stage base;
	struct stage *at; /* the input that is read; null before the first */
	struct given given;
};

static enum stage_status or_work(struct stage *stage, struct row *row)
{
	struct or *s = (struct or *)stage;
	enum stage_status status;

	if (!s->at)
		s->at = stage->input;
	status = stage_work(s->at, row);
	if (status == STAGE_END && s->at->next_input) {
		s->at = s->at->next_input;
		return STAGE_NEED_TIME;
	}
	if (status != STAGE_ADVANCED)
		return status;
	return is_first(&s->given, row->id) ? STAGE_ADVANCED : STAGE_NEED_TIME;
}

static void or_destroy(struct stage *stage)
{
	record_set_clear(&((struct or *)stage)->given.set);
	plan_stage_destroy(stage);
}

static void or_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	write_given(&((const struct or *)stage)->given, w, verbosity);
}

static const struct stage_type or_type = {
	.name = "OR",
	.work = or_work,
	.destroy = or_destroy,
	.explain = or_explain,
};

struct stage *or_new(struct execution *x, struct stage **inputs, size_t count)
{
	struct or *s = plan_stage_new(sizeof *s, &or_type, x, NULL);

	adopt(&s->base.stage, inputs, count);
	return &s->base.stage;
}

/* An input with the row that it gave last. `waits`: it has to be asked for one. */
struct merged {
	struct stage *input;
	record_id id;
	struct bytes key, document; /* document empty: the row had none */
	bool waits, ended;
};

struct sort_merge {
	struct plan_stage base;
	const struct collection *collection;
	struct sort_pattern *pattern;
	struct bytes specification;
	struct merged *inputs;
	size_t count;
	struct merged *last; /* the one whose row was given last */
	struct given given;
};

static struct merged *first_waiting(struct sort_merge *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->inputs[i].waits)
			return &s->inputs[i];
	return NULL;
}

/* By key, then by record as an index would order them. */
static int compare_merged(const struct merged *a, const struct merged *b)
{
	size_t common = a->key.size < b->key.size ? a->key.size : b->key.size;
	int order = memcmp(a->key.data, b->key.data, common);

	if (!order)
		order = (a->key.size > b->key.size) - (a->key.size < b->key.size);
	return order ? order : (a->id > b->id) - (a->id < b->id);
}

static struct merged *least(struct sort_merge *s)
{
	struct merged *best = NULL;

	for (size_t i = 0; i < s->count; i++)
		if (!s->inputs[i].ended && (!best || compare_merged(&s->inputs[i], best) < 0))
			best = &s->inputs[i];
	return best;
}

/* The document that is compared is the record's own, when the row has none: what the index orders by is in it. */
static bool hold(struct sort_merge *s, struct merged *m, const struct row *row)
{
	struct value document = row->document;
	bson_error_t error;

	m->id = row->id;
	m->waits = false;
	bytes_reset(&m->key);
	bytes_reset(&m->document);
	if (!value_is_missing(document))
		bytes_append(&m->document, document.bytes, document.size_bytes);
	else if (!collection_document(s->collection, row->id, &document))
		return true;
	if (sort_pattern_key(s->pattern, document, &m->key, &error))
		return true;
	return execution_fail_with(s->base.stage.execution, &error);
}

static enum stage_status ask(struct sort_merge *s, struct merged *m, struct row *row)
{
	enum stage_status status = stage_work(m->input, row);

	if (status == STAGE_END) {
		m->waits = false;
		m->ended = true;
		return STAGE_NEED_TIME;
	}
	if (status != STAGE_ADVANCED)
		return status;
	if (is_first(&s->given, row->id) && !hold(s, m, row))
		return STAGE_FAILED;
	return STAGE_NEED_TIME;
}

static enum stage_status sort_merge_work(struct stage *stage, struct row *row)
{
	struct sort_merge *s = (struct sort_merge *)stage;
	struct merged *m;

	if (s->last)
		s->last->waits = true;
	s->last = NULL;
	m = first_waiting(s);
	if (m)
		return ask(s, m, row);
	m = least(s);
	if (!m)
		return STAGE_END;
	s->last = m;
	row->id = m->id;
	row->document = value_missing();
	if (m->document.size)
		value_document(&row->document, m->document.data, m->document.size);
	return STAGE_ADVANCED;
}

static void sort_merge_destroy(struct stage *stage)
{
	struct sort_merge *s = (struct sort_merge *)stage;

	for (size_t i = 0; i < s->count; i++) {
		bytes_clear(&s->inputs[i].key);
		bytes_clear(&s->inputs[i].document);
	}
	free(s->inputs);
	bytes_clear(&s->specification);
	record_set_clear(&s->given.set);
	sort_pattern_destroy(s->pattern);
	plan_stage_destroy(stage);
}

static void sort_merge_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct sort_merge *s = (const struct sort_merge *)stage;
	struct value pattern = { s->specification.data, (uint32_t)s->specification.size, BSON_TYPE_DOCUMENT };

	writer_put(w, "sortPattern", pattern);
	write_given(&s->given, w, verbosity);
}

static const struct stage_type sort_merge_type = {
	.name = "SORT_MERGE",
	.work = sort_merge_work,
	.destroy = sort_merge_destroy,
	.explain = sort_merge_explain,
};

struct stage *sort_merge_new(struct execution *x, const struct collection *c, struct stage **inputs, size_t count,
                             struct value pattern, bson_error_t *error)
{
	struct sort_pattern *compiled = sort_pattern_compile(pattern, error);
	struct sort_merge *s;

	if (!compiled) {
		for (size_t i = 0; i < count; i++)
			stage_destroy(inputs[i]);
		return NULL;
	}
	s = plan_stage_new(sizeof *s, &sort_merge_type, x, NULL);
	s->collection = c;
	s->pattern = compiled;
	bytes_append(&s->specification, pattern.bytes, pattern.size_bytes);
	s->count = count;
	s->inputs = memory_allocate_zeroed(count, sizeof *s->inputs);
	for (size_t i = 0; i < count; i++) {
		s->inputs[i].input = inputs[i];
		s->inputs[i].waits = true;
	}
	adopt(&s->base.stage, inputs, count);
	return &s->base.stage;
}

static enum stage_status subplan_work(struct stage *stage, struct row *row)
{
	enum stage_status status = stage_work(stage->input, row);

	stage->plan->is_done = stage->input->plan->is_done;
	return status;
}

static void subplan_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	(void)stage;
	(void)w;
	(void)verbosity;
}

static const struct stage_type subplan_type = {
	.name = "SUBPLAN",
	.work = subplan_work,
	.destroy = plan_stage_destroy,
	.explain = subplan_explain,
};

struct stage *subplan_new(struct execution *x, struct stage *input)
{
	struct plan_stage *s = plan_stage_new(sizeof *s, &subplan_type, x, input);

	return &s->stage;
}
