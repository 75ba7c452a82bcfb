#include "engine/command_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/*
 * A write of many collects the ids first and changes afterwards: no document can meet its own update again, whatever
 * index the plan walks.
 */
struct write_stage {
	struct stage base;
	struct command_call *call;
	const char *collection_name;
	struct collection *collection; /* null: it does not exist */
	const struct update *update;   /* null: DELETE */
	const struct match *filter;
	bool multi, upsert, gives;
	bool finished;                 /* a single write has been done */
	record_id *ids;
	size_t id_count, id_capacity;
	int64_t matched, would_modify, modified;
	struct bytes updated, upserted; /* upserted: the document, empty when none */
};

static bool update_one(struct write_stage *s, record_id id, struct value document)
{
	struct execution *x = s->base.execution;
	struct value updated;
	bool changed;

	if (!update_apply(s->update, x, document, s->filter, false, &s->updated, &changed))
		return false;
	if (!value_document(&updated, s->updated.data, s->updated.size))
		return execution_fail(x, CODE_InternalError, "an update gave no document");
	if (!write_replace(x, s->collection, id, updated, changed))
		return false;
	s->would_modify++;
	s->modified += changed;
	return true;
}

static bool write_one(struct write_stage *s, record_id id)
{
	struct execution *x = s->base.execution;
	struct value document;

	if (!execution_tick(x))
		return false;
	if (!collection_document(s->collection, id, &document))
		return true;
	s->matched++;
	if (s->update)
		return update_one(s, id, document);
	s->modified++;
	return write_remove(x, s->collection, id, document);
}

static bool upsert(struct write_stage *s)
{
	struct execution *x = s->base.execution;
	struct value document;

	if (!write_upsert_document(x, s->update, s->filter, &s->upserted))
		return false;
	if (!s->collection && !command_collection_to_write(s->call, s->collection_name, &s->collection))
		return execution_fail_with(x, &s->call->error);
	return value_document(&document, s->upserted.data, s->upserted.size) && write_insert(x, s->collection, document);
}

static enum stage_status finish(struct write_stage *s)
{
	for (size_t i = 0; i < s->id_count; i++)
		if (!write_one(s, s->ids[i]))
			return STAGE_FAILED;
	if (s->upsert && !s->matched && !upsert(s)) {
		bytes_reset(&s->upserted);
		return STAGE_FAILED;
	}
	return STAGE_END;
}

static enum stage_status write_work(struct stage *stage, struct row *row)
{
	struct write_stage *s = (struct write_stage *)stage;
	enum stage_status status;

	if (s->finished)
		return STAGE_END;
	status = stage_work(stage->input, row);
	if (status == STAGE_END)
		return finish(s);
	if (status != STAGE_ADVANCED)
		return status;
	if (s->multi) {
		s->ids = memory_grow(s->ids, &s->id_capacity, s->id_count + 1, sizeof *s->ids);
		s->ids[s->id_count++] = row->id;
		return STAGE_NEED_TIME;
	}
	s->finished = true;
	if (!write_one(s, row->id))
		return STAGE_FAILED;
	return s->gives ? STAGE_ADVANCED : STAGE_NEED_TIME;
}

static void write_destroy(struct stage *stage)
{
	struct write_stage *s = (struct write_stage *)stage;

	free(s->ids);
	bytes_clear(&s->updated);
	bytes_clear(&s->upserted);
	free(s);
}

static void explain_update(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct write_stage *s = (const struct write_stage *)stage;

	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "nMatched", s->matched);
	writer_number(w, "nWouldModify", s->would_modify);
	writer_number(w, "nWouldUpsert", s->upserted.size != 0);
}

static void explain_delete(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	if (verbosity != VERBOSITY_QUERY_PLANNER)
		writer_number(w, "nWouldDelete", ((const struct write_stage *)stage)->modified);
}

static const struct stage_type update_type = {
	.name = "UPDATE", .work = write_work, .destroy = write_destroy, .explain = explain_update
};
static const struct stage_type delete_type = {
	.name = "DELETE", .work = write_work, .destroy = write_destroy, .explain = explain_delete
};

struct write_stage *write_stage_put(struct query *q, struct command_call *call, const struct update *update, bool multi,
                                    bool insert_when_missing)
{
	struct write_stage *s = memory_allocate_zeroed(1, sizeof *s);

	s->base.type = update ? &update_type : &delete_type;
	s->base.execution = &q->execution;
	s->base.input = q->plan->root;
	s->call = call;
	s->collection_name = q->collection;
	s->collection = q->request.collection;
	s->update = update;
	s->filter = q->filter;
	s->multi = multi;
	s->upsert = insert_when_missing;
	q->plan->root = &s->base;
	return s;
}

void write_stage_give_document(struct write_stage *s)
{
	s->gives = true;
}

struct write_result write_stage_result(const struct write_stage *s)
{
	struct write_result result = { s->matched, s->modified, value_missing() };
	struct value document;

	if (s->upserted.size && value_document(&document, s->upserted.data, s->upserted.size))
		result.upserted_id = value_get(document, "_id");
	return result;
}
