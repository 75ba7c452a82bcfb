/* The stages that read a collection without an ordered scan of an index: COLLSCAN, IDHACK, RECORD_STORE_FAST_COUNT, EOF. */
#include "base/bytes.h"
#include "engine/index_key.h"
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
		s->at = s->backward ? (record_id)s->collection->record_count : RECORD_NONE;
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

struct stage *collection_scan_new(struct execution *x, const struct collection *c, const struct match *filter, bool backward)
{
	struct collection_scan *s = plan_stage_new(sizeof *s, &collection_scan_type, x, NULL);

	s->base.filter = filter;
	s->collection = c;
	s->backward = backward;
	stage_home_init(&s->home, c, NULL);
	return &s->base.stage;
}

struct id_lookup {
	struct plan_stage base;
	const struct collection *collection;
	struct stage_home home;
	struct index *index;
	struct bytes key;
};

static bool find_id(const struct id_lookup *s, record_id *id)
{
	struct index_cursor *cursor = index_cursor_new(s->index);
	const uint8_t *key;
	size_t size;
	bool found = index_cursor_seek(cursor, s->key.data, s->key.size, false, false);

	if (found) {
		index_cursor_get(cursor, &key, &size, id);
		found = size == s->key.size && !memcmp(key, s->key.data, size);
	}
	index_cursor_destroy(cursor);
	return found;
}

static enum stage_status id_lookup_work(struct stage *stage, struct row *row)
{
	struct id_lookup *s = (struct id_lookup *)stage;

	if (s->base.is_done)
		return STAGE_END;
	if (!stage_home_check(&s->home, stage->execution))
		return STAGE_FAILED;
	s->base.is_done = true;
	s->index->accesses += !stage->execution->dry_run;
	if (!find_id(s, &row->id) || !collection_document(s->collection, row->id, &row->document))
		return STAGE_END;
	if (!plan_stage_examine_key(&s->base) || !plan_stage_examine_document(&s->base, row->document))
		return STAGE_FAILED;
	return STAGE_ADVANCED;
}

static void id_lookup_save(struct stage *stage)
{
	stage_home_park(&((struct id_lookup *)stage)->home);
}

static void id_lookup_destroy(struct stage *stage)
{
	struct id_lookup *s = (struct id_lookup *)stage;

	bytes_clear(&s->key);
	stage_home_clear(&s->home);
	plan_stage_destroy(stage);
}

static void id_lookup_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct id_lookup *s = (const struct id_lookup *)stage;

	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "keysExamined", s->base.keys_examined);
	writer_number(w, "docsExamined", s->base.docs_examined);
}

static const struct stage_type id_lookup_type = {
	.name = "IDHACK",
	.work = id_lookup_work,
	.destroy = id_lookup_destroy,
	.save = id_lookup_save,
	.explain = id_lookup_explain,
};

const struct index *id_lookup_index(const struct stage *s)
{
	return s->type == &id_lookup_type ? ((const struct id_lookup *)s)->index : NULL;
}

struct stage *id_lookup_new(struct execution *x, const struct collection *c, struct index *i, struct value id)
{
	struct id_lookup *s = plan_stage_new(sizeof *s, &id_lookup_type, x, NULL);

	s->collection = c;
	s->index = i;
	index_key_append(&s->key, id, i->fields[0].descending);
	stage_home_init(&s->home, c, i);
	return &s->base.stage;
}

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
