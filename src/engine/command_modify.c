/* findAndModify: one document found, changed or removed, and given back as it was or as it is now. */
#include "engine/command_write.h"

struct modify {
	struct command_call *call;
	struct query *query;
	struct update *update; /* null: remove */
	bool gives_new, upsert;
	struct bytes before, after, upserted; /* documents; empty: none */
};

static bool check(struct command_call *call, bool *removes)
{
	struct value update = command_option(call->command, "update");

	*removes = command_option_bool(call->command, "remove", false);
	if (*removes && !value_is_missing(update))
		return command_fail(call, CODE_FailedToParse, "Cannot specify both an update and remove=true");
	if (*removes && command_option_bool(call->command, "upsert", false))
		return command_fail(call, CODE_FailedToParse, "Cannot specify both upsert=true and remove=true ");
	if (*removes && command_option_bool(call->command, "new", false))
		return command_fail(call, CODE_FailedToParse,
		                    "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
	if (!*removes && value_is_missing(update))
		return command_fail(call, CODE_FailedToParse, "Either an update or remove=true must be specified");
	if (!*removes && !value_is_document(update) && !value_is_array(update))
		return command_fail(call, CODE_FailedToParse, "Update argument must be either an object or an array");
	return true;
}

static bool prepare(struct modify *m, bool removes)
{
	struct command_call *call = m->call;
	struct query *q = m->query = query_new(call, call->command, command_collection(call));
	struct value fields = command_option(q->command, "fields");

	query_sort_for_one(q);
	if (!query_let(q, call, command_option(q->command, "let")))
		return false;
	if (!value_is_missing(fields) && value_count(fields)) {
		q->projection = projection_compile(fields, PROJECTION_FIND, q->scope, &call->error);
		if (!q->projection)
			return false;
	}
	if (!removes) {
		m->update = update_compile(command_option(q->command, "update"), command_option(q->command, "arrayFilters"), q->scope,
		                           &call->error);
		if (!m->update)
			return false;
	}
	return query_plan(q, call, command_option(q->command, "query"));
}

struct query *write_query_for_modify(struct command_call *call, struct update **update, struct write_stage **stage)
{
	struct modify m = { .call = call };
	bool removes;

	*update = NULL;
	if (!check(call, &removes))
		return NULL;
	if (!prepare(&m, removes)) {
		query_destroy(m.query);
	} else if (m.query->projection) {
		query_destroy(m.query);
		m.query = NULL;
		command_fail(call, CODE_NotImplemented, "explain of findAndModify with 'fields' is not supported by this engine");
	} else {
		*update = m.update;
		*stage = write_stage_put(m.query, call, m.update, false, command_option_bool(call->command, "upsert", false));
		write_stage_give_document(*stage);
		return m.query;
	}
	if (m.update)
		update_destroy(m.update);
	return NULL;
}

static bool change(struct modify *m, record_id id, struct value document)
{
	struct execution *x = &m->query->execution;
	struct collection *collection = m->query->request.collection;
	struct value updated;
	bool changed;

	bytes_append(&m->before, document.bytes, document.size_bytes);
	if (!m->update)
		return write_remove(x, collection, id, document);
	return update_apply(m->update, x, document, m->query->filter, false, &m->after, &changed) &&
	       value_document(&updated, m->after.data, m->after.size) && write_replace(x, collection, id, updated, changed);
}

static bool insert(struct modify *m)
{
	struct execution *x = &m->query->execution;
	struct collection *collection;
	struct value document;

	if (!write_upsert_document(x, m->update, m->query->filter, &m->upserted))
		return false;
	if (!command_collection_to_write(m->call, m->query->collection, &collection))
		return execution_fail_with(x, &m->call->error);
	return value_document(&document, m->upserted.data, m->upserted.size) && write_insert(x, collection, document);
}

static bool run(struct modify *m)
{
	struct row row;

	switch (stage_next(query_root(m->query), &row)) {
	case STAGE_ADVANCED: return change(m, row.id, row.document);
	case STAGE_END: return m->upsert && m->update ? insert(m) : true;
	default: return false;
	}
}

static bool put_value(struct modify *m, struct writer *w)
{
	const struct bytes *given = &m->before;
	struct bytes projected = BYTES_INIT;
	struct value document;
	bool ok = true;

	if (m->gives_new && m->update)
		given = m->upserted.size ? &m->upserted : &m->after;
	if (!value_document(&document, given->data, given->size)) {
		writer_null(w, "value");
		return true;
	}
	if (m->query->projection) {
		ok = projection_apply(m->query->projection, &m->query->execution, &m->query->arena, document, m->query->filter,
		                      &projected) && value_document(&document, projected.data, projected.size);
	}
	if (ok)
		writer_put(w, "value", document);
	bytes_clear(&projected);
	return ok;
}

static bool reply(struct modify *m)
{
	struct writer *w = m->call->reply;
	struct value document;
	bool found = m->before.size != 0, inserted = m->upserted.size != 0;

	writer_begin_document(w, key_of("lastErrorObject"));
	writer_int32(w, "n", found || inserted);
	if (m->update)
		writer_bool(w, "updatedExisting", found);
	if (inserted && value_document(&document, m->upserted.data, m->upserted.size))
		writer_put(w, "upserted", value_get(document, "_id"));
	writer_end(w);
	return put_value(m, w);
}

static void count_given(struct modify *m)
{
	const struct bytes *given = m->gives_new ? (m->upserted.size ? &m->upserted : &m->after) : &m->before;

	m->query->execution.counters.docs_returned += given->size != 0;
	m->query->execution.counters.bytes_returned += (int64_t)given->size;
}

bool command_find_and_modify(struct command_call *call)
{
	struct modify m = { .call = call,
		            .gives_new = command_option_bool(call->command, "new", false),
		            .upsert = command_option_bool(call->command, "upsert", false) };
	bool removes, ok;

	if (!check(call, &removes))
		return false;
	ok = prepare(&m, removes);
	if (ok) {
		ok = (run(&m) && reply(&m)) ||
		     command_fail_execution(call, &m.query->execution, "Plan executor error during findAndModify");
		count_given(&m);
		command_count(call, &m.query->execution.counters);
	}
	query_destroy(m.query);
	if (m.update)
		update_destroy(m.update);
	bytes_clear(&m.before);
	bytes_clear(&m.after);
	bytes_clear(&m.upserted);
	return ok;
}
