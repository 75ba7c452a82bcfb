/*
 * $merge: each result meets a document of the target by the fields of `on`. MongoDB sends updates of one document for
 * it ({$set: result}, {$setOnInsert: result}, the result itself, or the pipeline), and so the same update is applied
 * here.
 */
#include "engine/stage_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* {$set: result} and its like, or the result; in m->statement. */
static struct value update_text(struct merge *m, struct value document)
{
	struct writer w;

	if (!m->mode->operator)
		return document;
	bytes_reset(&m->statement);
	writer_begin(&w, &m->statement);
	writer_put(&w, m->mode->operator, document);
	return writer_finish(&w);
}

/* {field: {$eq: value}, …} of the fields of `on`, in m->filter. False: one of them has no value that names a document. */
static bool filter_text(struct merge *m, struct value document, struct value *filter)
{
	struct writer w;

	bytes_reset(&m->filter);
	writer_begin(&w, &m->filter);
	for (size_t i = 0; i < m->on_count; i++) {
		struct value v = path_get(&m->on[i], document);

		if (value_is_nullish(v) || value_is_missing(v))
			return execution_fail(m->stage.execution, 51132,
			                      "$merge write error: 'on' field cannot be missing, null or undefined");
		if (value_is_array(v))
			return execution_fail(m->stage.execution, 51185, "$merge write error: 'on' field cannot be an array");
		writer_begin_document(&w, key_of(m->on[i].text));
		writer_put(&w, "$eq", v);
		writer_end(&w);
	}
	*filter = writer_finish(&w);
	return true;
}

/* One round: the plan that finds the document, the update that changes it. */
struct merging {
	struct match *filter;
	struct plan *plan;
	struct update *update; /* null: none is needed */
};

static bool begin_round(struct merge *m, struct merging *r, struct collection *c, struct value document)
{
	struct execution *x = m->stage.execution;
	struct plan_request request = { .collection = c, .namespace_text = m->target.namespace_text, .sort = value_missing(),
		                        .hint = value_missing(), .min = value_missing(), .max = value_missing() };
	struct value filter;
	bson_error_t error;

	if (!filter_text(m, document, &filter))
		return false;
	r->filter = match_compile(filter, NULL, &error);
	if (r->filter) {
		match_canonicalize(&r->filter);
		request.filter = r->filter;
		r->plan = plan_make(&request, x, &error);
	}
	if (!r->plan)
		return execution_fail_with(x, &error);
	if (m->pipeline)
		return true;
	r->update = update_compile(update_text(m, document), value_missing(), NULL, &error);
	return r->update || execution_fail_with(x, &error);
}

static void end_round(struct merging *r)
{
	if (r->plan)
		plan_destroy(r->plan);
	match_destroy(r->filter);
	if (r->update)
		update_destroy(r->update);
}

static bool change_document(struct merge *m, const struct merging *r, struct collection *c, const struct row *row)
{
	struct execution *x = m->stage.execution;
	struct value updated;
	bson_error_t cause;
	bool changed;

	if (update_apply(m->pipeline ? m->pipeline : r->update, x, row->document, r->filter, false, &m->updated, &changed) &&
	    value_document(&updated, m->updated.data, m->updated.size))
		return write_replace(x, c, row->id, updated, changed);
	cause = x->error;
	if (cause.code != CODE_ImmutableField)
		return false;
	x->failed = false;
	return execution_fail(x, cause.code, "$merge failed to update the matching document, did you attempt to modify the _id or "
	                                     "the shard key? :: caused by :: %s", cause.message);
}

static bool insert_document(struct merge *m, const struct merging *r, struct collection *c, struct value document)
{
	struct execution *x = m->stage.execution;
	struct value made;
	bson_error_t error;

	if (m->not_matched == NOT_MATCHED_DISCARD)
		return true;
	if (m->not_matched == NOT_MATCHED_FAIL)
		return execution_fail(x, CODE_MergeStageNoMatchingDocument,
		                      "$merge could not find a matching document in the target collection for at least one document in "
		                      "the source collection");
	/* a pipeline is for documents that are there: what is new comes as it is */
	if (!(r->update ? write_upsert_document(x, r->update, r->filter, &m->updated)
	                : write_prepare(document, &m->updated, &error) || execution_fail_with(x, &error)))
		return false;
	return value_document(&made, m->updated.data, m->updated.size) && write_insert(x, c, made);
}

static bool insert_only(struct merge *m, struct collection *c, struct value document)
{
	struct execution *x = m->stage.execution;
	struct merging none = { NULL, NULL, NULL };
	bson_error_t cause;

	if (insert_document(m, &none, c, document))
		return true;
	cause = x->error;
	if (cause.code != CODE_DuplicateKey)
		return false;
	x->failed = false;
	return execution_fail(x, cause.code, "$merge failed due to a DuplicateKey error :: caused by :: %s", cause.message);
}

static bool bind(struct merge *m, struct value document)
{
	arena_reset(&m->arena);
	return !m->pipeline || pipeline_let_bind(&m->let, m->stage.execution, &m->arena, document);
}

static bool merge_document(struct merge *m, struct value document)
{
	struct execution *x = m->stage.execution;
	struct collection *c = write_target_open(&m->target, x);
	struct merging r = { NULL, NULL, NULL };
	struct value filter;
	struct row row;
	bool ok;

	if (x->failed)
		return false;
	if (m->mode->inserts_only)
		return filter_text(m, document, &filter) && insert_only(m, c, document);
	ok = begin_round(m, &r, c, document) && bind(m, document);
	if (ok) {
		switch (stage_next(r.plan->root, &row)) {
		case STAGE_ADVANCED: ok = change_document(m, &r, c, &row); break;
		case STAGE_END: ok = insert_document(m, &r, c, document); break;
		default: ok = false;
		}
	}
	end_round(&r);
	return ok;
}

/* A result without an _id gets one before it is looked up by it. */
static bool with_id(struct merge *m, struct value *document)
{
	bson_error_t error;

	if (!m->by_id || !value_is_missing(value_get(*document, "_id")))
		return true;
	return (write_prepare(*document, &m->identified, &error) || execution_fail_with(m->stage.execution, &error)) &&
	       value_document(document, m->identified.data, m->identified.size);
}

static enum stage_status merge_next(struct stage *s, struct row *row)
{
	struct merge *m = (struct merge *)s;
	struct bytes documents = BYTES_INIT;
	bool explaining = s->execution->explaining, ok = write_take_input(s, explaining ? NULL : &documents);
	struct value v;
	uint32_t size;

	(void)row;
	for (size_t at = 0; ok && value_document(&v, documents.data + at, documents.size - at); at += size) {
		size = v.size_bytes;
		ok = execution_tick(s->execution) && with_id(m, &v) && merge_document(m, v);
	}
	/* a target comes to be even when there is nothing to write */
	if (ok && !explaining)
		write_target_open(&m->target, s->execution);
	bytes_clear(&documents);
	return ok && !s->execution->failed ? STAGE_END : STAGE_FAILED;
}

static void merge_destroy(struct stage *s)
{
	struct merge *m = (struct merge *)s;

	write_target_clear(&m->target);
	for (size_t i = 0; i < m->on_count; i++)
		path_clear(&m->on[i]);
	free(m->on);
	if (m->pipeline)
		update_destroy(m->pipeline);
	pipeline_let_clear(&m->let);
	arena_clear(&m->arena);
	bytes_clear(&m->pipeline_text);
	bytes_clear(&m->statement);
	bytes_clear(&m->filter);
	bytes_clear(&m->updated);
	bytes_clear(&m->identified);
}

static void merge_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	static const char *const not_matched[] = { "insert", "discard", "fail" };
	const struct merge *m = (const struct merge *)s;

	(void)verbosity;
	writer_begin_document(w, key_of("$merge"));
	write_target_explain(&m->target, w, "into");
	if (m->on_count == 1) {
		writer_text(w, "on", m->on[0].text);
	} else {
		writer_begin_array(w, key_of("on"));
		for (size_t i = 0; i < m->on_count; i++)
			writer_text(w, "", m->on[i].text);
		writer_end(w);
	}
	if (m->pipeline) {
		pipeline_let_explain(&m->let, w);
		writer_put(w, "whenMatched",
		           (struct value){ m->pipeline_text.data, (uint32_t)m->pipeline_text.size, BSON_TYPE_ARRAY });
	} else {
		writer_text(w, "whenMatched", m->mode->name);
	}
	writer_text(w, "whenNotMatched", not_matched[m->not_matched]);
	writer_end(w);
}

const struct pipeline_stage_type stage_merge_type = {
	.stage = { .name = "$merge", .next = merge_next, .destroy = merge_destroy, .explain = merge_explain },
};
