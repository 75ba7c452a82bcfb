/* IDHACK: one document by its _id. */
#include <string.h>

#include "engine/index_key.h"
#include "engine/plan_stages.h"

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
