/* insert, update, delete: statements one after the other, each with its own error. */
#include "engine/command_write.h"

enum { WRITE_BATCH_LIMIT = 100000 };

/* What a write command has to say at its end. */
struct write_summary {
	int64_t n, modified;
	struct bytes errors, upserted; /* elements of arrays, as documents end to end */
	bool failed;                   /* the command itself: call->error */
};

static bool is_interruption(uint32_t code)
{
	return code == CODE_MaxTimeMSExpired || code == CODE_Interrupted;
}

/* {index, code, keyPattern, keyValue, errmsg}: the details stand between code and message. */
static void add_error(struct command_call *call, struct write_summary *summary, int32_t index,
                      const bson_error_t *error)
{
	struct writer w;
	struct value details;

	if (is_interruption(error->code)) {
		summary->failed = true;
		return;
	}
	writer_begin(&w, &summary->errors);
	writer_int32(&w, "index", index);
	writer_int32(&w, "code", (int32_t)error->code);
	if (value_document(&details, call->details.data, call->details.size))
		writer_fields(&w, details);
	writer_text(&w, "errmsg", error->message);
	writer_finish(&w);
	bytes_reset(&call->details);
}

static bool reply(struct command_call *call, struct write_summary *summary, bool updates)
{
	if (!summary->failed) {
		writer_number(call->reply, "n", summary->n);
		if (summary->errors.size)
			writer_documents(call->reply, "writeErrors", &summary->errors);
		if (summary->upserted.size)
			writer_documents(call->reply, "upserted", &summary->upserted);
		if (updates)
			writer_number(call->reply, "nModified", summary->modified);
	}
	/* a dry run has no reply that could carry them */
	if (call->dry_run && summary->errors.size)
		summary->failed = true;
	bytes_clear(&summary->errors);
	bytes_clear(&summary->upserted);
	return !summary->failed;
}

/* The statements are objects with known fields, and not too many of them: checked before the first one runs. */
static bool check_statements(struct command_call *call, struct value statements, const char *prefix,
                             const struct command_option *options)
{
	struct walk w;
	struct field f;
	uint32_t count = value_count(statements);

	if (!count || count > WRITE_BATCH_LIMIT)
		return command_fail(call, CODE_InvalidLength,
		                    "Write batch sizes must be between 1 and %d. Got %u operations.", WRITE_BATCH_LIMIT, count);
	walk_begin(&w, statements);
	while (walk_next(&w, &f)) {
		if (!value_is_document(f.value))
			return command_fail(call, CODE_TypeMismatch, "BSON field '%s.%.*s' is the wrong type '%s', expected type 'object'",
			                    prefix, (int)f.key.size_bytes, f.key.bytes, value_type_name(f.value.type));
		if (options && !command_check_options(f.value, prefix, options, 0, false, &call->error))
			return false;
	}
	return true;
}

static bool insert_one(struct execution *x, struct collection *collection, struct value document,
                       struct bytes *prepared)
{
	bson_error_t error;

	if (!execution_tick(x))
		return false;
	if (!write_prepare(document, prepared, &error))
		return execution_fail_with(x, &error);
	return value_document(&document, prepared->data, prepared->size) && write_insert(x, collection, document);
}

bool command_insert(struct command_call *call)
{
	struct value documents = value_get(call->command, "documents");
	bool ordered = command_option_bool(call->command, "ordered", true);
	struct write_summary summary = { 0 };
	struct bytes prepared = BYTES_INIT;
	struct collection *collection;
	struct execution x;
	struct walk w;
	struct field f;

	if (!check_statements(call, documents, "insert.documents", NULL) ||
	    !command_collection_to_write(call, command_collection(call), &collection))
		return false;
	execution_init(&x, call->engine->store, call->db, call->interrupt);
	x.bypass_validation = command_option_bool(call->command, "bypassDocumentValidation", false);
	command_lend(call, &x);
	walk_begin(&w, documents);
	for (int32_t i = 0; walk_next(&w, &f) && !summary.failed; i++) {
		if (insert_one(&x, collection, f.value, &prepared)) {
			summary.n++;
			continue;
		}
		call->error = x.error;
		add_error(call, &summary, i, &x.error);
		x.failed = false;
		if (ordered)
			break;
	}
	command_count(call, &x.counters);
	execution_clear(&x);
	bytes_clear(&prepared);
	return reply(call, &summary, false);
}

struct query *write_query_for_update(struct command_call *call, struct value statement, struct update **update,
                                     struct write_stage **stage)
{
	struct value u = value_get(statement, "u");
	bool multi = command_option_bool(statement, "multi", false);
	struct query *q;

	*update = NULL;
	if (!value_is_document(u) && !value_is_array(u)) {
		command_fail(call, CODE_FailedToParse, "Update argument must be either an object or an array");
		return NULL;
	}
	if (multi && !value_is_missing(command_option(statement, "sort"))) {
		command_fail(call, CODE_FailedToParse, "Cannot specify sort with multi=true");
		return NULL;
	}
	q = query_new_for_statement(call, statement, command_collection(call));
	if (!q)
		return NULL;
	query_sort_for_one(q);
	*update = update_compile(value_get(q->command, "u"), command_option(q->command, "arrayFilters"), q->scope,
	                         &call->error);
	if (*update && multi && update_is_replacement(*update))
		command_fail(call, CODE_FailedToParse, "multi update is not supported for replacement-style update");
	else if (*update && query_plan(q, call, value_get(q->command, "q"))) {
		*stage = write_stage_put(q, call, *update, multi, command_option_bool(statement, "upsert", false));
		return q;
	}
	query_destroy(q);
	if (*update)
		update_destroy(*update);
	*update = NULL;
	return NULL;
}

static bool check_delete_limit(struct command_call *call, struct value statement, bool *multi)
{
	int64_t limit;

	if (!value_as_int64(value_get(statement, "limit"), &limit) || (limit != 0 && limit != 1))
		return command_fail(call, CODE_FailedToParse, "The limit field in delete objects must be 0 or 1. Got %lld",
		                    (long long)command_number(value_get(statement, "limit")));
	*multi = limit == 0;
	return true;
}

struct query *write_query_for_delete(struct command_call *call, struct value statement, struct write_stage **stage)
{
	struct query *q;
	bool multi = false;

	if (!check_delete_limit(call, statement, &multi))
		return NULL;
	q = query_new_for_statement(call, statement, command_collection(call));
	if (q && query_plan(q, call, value_get(q->command, "q"))) {
		*stage = write_stage_put(q, call, NULL, multi, false);
		return q;
	}
	query_destroy(q);
	return NULL;
}

static void add_upserted(struct write_summary *summary, int32_t index, struct value id)
{
	struct writer w;

	writer_begin(&w, &summary->upserted);
	writer_int32(&w, "index", index);
	writer_put(&w, "_id", id);
	writer_finish(&w);
}

/* What failed while the plan ran, not what the statement's own parts said before, has the executor's name in front. */
static const char *executor_context(const struct command_call *call, bool updates)
{
	if (!store_emulation(call->engine->store)->names_executor)
		return NULL;
	return updates ? EMULATION_UPDATE_CONTEXT : EMULATION_DELETE_CONTEXT;
}

/* One statement of update or delete. False: it failed, call->error. */
static bool run_statement(struct command_call *call, struct write_summary *summary, int32_t index,
                          struct value statement,
                          bool updates)
{
	struct update *update = NULL;
	struct write_stage *stage = NULL;
	struct query *q = updates ? write_query_for_update(call, statement, &update, &stage)
	                          : write_query_for_delete(call, statement, &stage);
	bool ok;

	if (!q)
		return false;
	ok = query_exhaust(q) || command_fail_execution(call, &q->execution, executor_context(call, updates));
	if (ok) {
		struct write_result result = write_stage_result(stage);

		summary->n += result.matched;
		summary->modified += result.modified;
		if (!value_is_missing(result.upserted_id)) {
			summary->n++;
			add_upserted(summary, index, result.upserted_id);
		}
	}
	command_count(call, &q->execution.counters);
	query_destroy(q);
	if (update)
		update_destroy(update);
	return ok;
}

static bool run_statements(struct command_call *call, const char *name, const char *prefix,
                           const struct command_option *options, bool updates)
{
	struct value statements = value_get(call->command, name);
	bool ordered = command_option_bool(call->command, "ordered", true);
	struct write_summary summary = { 0 };
	struct walk w;
	struct field f;

	if (!check_statements(call, statements, prefix, options))
		return false;
	walk_begin(&w, statements);
	for (int32_t i = 0; walk_next(&w, &f) && !summary.failed; i++) {
		if (run_statement(call, &summary, i, f.value, updates))
			continue;
		add_error(call, &summary, i, &call->error);
		if (ordered)
			break;
	}
	return reply(call, &summary, updates);
}

bool command_update(struct command_call *call)
{
	return run_statements(call, "updates", "update.updates", command_update_options, true);
}

bool command_delete(struct command_call *call)
{
	return run_statements(call, "deletes", "delete.deletes", command_delete_options, false);
}
