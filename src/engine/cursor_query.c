#include "engine/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/command.h"
#include "engine/expression.h"

/* Rows that lie end to end in bytes. */
struct list_stage {
	struct stage base;
	struct bytes documents;
	size_t at;
};

static enum stage_status list_next(struct stage *s, struct row *row)
{
	struct list_stage *list = (struct list_stage *)s;

	if (list->at >= list->documents.size ||
	    !value_document(&row->document, list->documents.data + list->at, list->documents.size - list->at))
		return STAGE_END;
	list->at += row->document.size_bytes;
	row->id = RECORD_NONE;
	return STAGE_ADVANCED;
}

static void list_destroy(struct stage *s)
{
	bytes_clear(&((struct list_stage *)s)->documents);
	free(s);
}

static const struct stage_type list_type = { .name = "LIST", .next = list_next, .destroy = list_destroy };

struct query *query_new(struct command_call *call, struct value command, const char *collection)
{
	struct query *q = memory_allocate_zeroed(1, sizeof *q);
	struct bytes namespace_text = BYTES_INIT;

	q->db = memory_duplicate_text(call->db);
	q->collection = collection ? memory_duplicate_text(collection) : NULL;
	bytes_append_text(&namespace_text, call->db);
	bytes_append_text(&namespace_text, ".");
	bytes_append_text(&namespace_text, collection ? collection : "$cmd.aggregate");
	q->namespace_text = bytes_take_text(&namespace_text);
	arena_init(&q->arena);
	bytes_init(&q->storage);
	bytes_append(&q->storage, command.bytes, command.size_bytes);
	q->command = (struct value){ q->storage.data, command.size_bytes, BSON_TYPE_DOCUMENT };
	execution_init(&q->execution, call->engine->store, q->db, call->interrupt);
	q->execution.bypass_validation = command_option_bool(call->command, "bypassDocumentValidation", false);
	query_adopt(q, call);
	return q;
}

void query_adopt(struct query *q, struct command_call *call)
{
	command_lend(call, &q->execution);
}

void query_destroy(struct query *q)
{
	if (!q)
		return;
	stage_destroy(q->list);
	if (q->plan)
		plan_destroy(q->plan);
	if (q->pipeline)
		pipeline_destroy(q->pipeline);
	if (q->projection)
		projection_destroy(q->projection);
	if (q->filter)
		match_destroy(q->filter);
	execution_clear(&q->execution);
	arena_clear(&q->arena);
	bytes_clear(&q->storage);
	free(q->namespace_text);
	free(q->collection);
	free(q->db);
	free(q);
}

struct stage *query_root(const struct query *q)
{
	if (q->list)
		return q->list;
	return q->pipeline ? pipeline_root(q->pipeline) : q->plan->root;
}

bool query_exhaust(struct query *q)
{
	struct stage *root = query_root(q);
	struct row row;
	enum stage_status status;

	while ((status = stage_next(root, &row)) == STAGE_ADVANCED) {
		q->execution.counters.docs_returned++;
		q->execution.counters.bytes_returned += row.document.size_bytes;
		if (!execution_tick(&q->execution))
			return false;
	}
	return status == STAGE_END && !q->execution.failed;
}

static bool let_variable(struct query *q, struct command_call *call, struct field f)
{
	static const uint8_t empty[5] = { 5 };
	struct expression_scope *scope = arena_allocate(&q->arena, sizeof *scope);
	struct expression *e = expression_compile(f.value, NULL, &call->error);
	struct value v;
	bool ok;

	if (!e)
		return false;
	ok = expression_evaluate(e, &q->execution, &q->arena, (struct value){ empty, sizeof empty, BSON_TYPE_DOCUMENT }, &v);
	if (ok)
		v = value_make_copy(&q->arena, v);
	expression_destroy(e);
	if (!ok)
		return command_fail_execution(call, &q->execution, NULL);
	scope->parent = q->scope;
	scope->name = f.key.bytes; /* terminated where it lies */
	scope->slot = expression_scope_next_slot(q->scope);
	execution_set_variable(&q->execution, scope->slot, v);
	q->scope = scope;
	return true;
}

bool query_let(struct query *q, struct command_call *call, struct value let)
{
	struct walk w;
	struct field f;

	if (value_is_missing(let))
		return true;
	walk_begin(&w, let);
	while (walk_next(&w, &f)) {
		char first = f.key.size_bytes ? f.key.bytes[0] : 0;

		if (!((first >= 'a' && first <= 'z') || (first & 0x80)))
			return command_fail(call, CODE_FailedToParse,
			                    "'%.*s' starts with an invalid character for a user variable name",
			                    (int)f.key.size_bytes, f.key.bytes);
		if (!let_variable(q, call, f))
			return false;
	}
	return true;
}

struct query *query_new_for_statement(struct command_call *call, struct value statement, const char *collection)
{
	struct query *q = query_new(call, statement, collection);

	if (query_let(q, call, command_option(call->command, "let")))
		return q;
	query_destroy(q);
	return NULL;
}

void query_sort_for_one(struct query *q)
{
	q->request.sort = command_option(q->command, "sort");
	q->request.limit = !value_is_missing(q->request.sort) && value_count(q->request.sort);
}

static bool check_hint(struct command_call *call, struct value hint)
{
	if (value_is_missing(hint) || hint.type == BSON_TYPE_UTF8 || value_is_document(hint))
		return true;
	return command_fail(call, CODE_FailedToParse, "Hint must be either a string or a nested object");
}

/* An empty hint or sort is none. */
static struct value unless_empty(struct value v)
{
	return value_is_document(v) && value_count(v) == 0 ? value_missing() : v;
}

static bool make_plan(struct query *q, struct command_call *call, struct value filter)
{
	static const uint8_t empty[5] = { 5 };

	q->request.collection = store_collection(call->engine->store, call->db, q->collection);
	q->request.namespace_text = q->namespace_text;
	q->request.hint = unless_empty(command_option(q->command, "hint"));
	q->request.min = q->request.max = value_missing();
	if (q->request.sort.size_bytes == 0)
		q->request.sort = value_missing();
	q->request.sort = unless_empty(q->request.sort);
	if (!check_hint(call, q->request.hint))
		return false;
	if (value_is_missing(filter))
		filter = (struct value){ empty, sizeof empty, BSON_TYPE_DOCUMENT };
	q->filter = match_compile(filter, q->scope, &call->error);
	if (!q->filter)
		return false;
	match_canonicalize(&q->filter);
	q->request.filter = q->filter;
	q->plan = plan_make(&q->request, &q->execution, &call->error);
	return q->plan != NULL;
}

bool query_plan(struct query *q, struct command_call *call, struct value filter)
{
	q->execution.allow_disk_use = command_option_bool(q->command, "allowDiskUse", true);
	return make_plan(q, call, filter);
}

struct query *query_for_find(struct command_call *call, struct value command, const char *collection)
{
	struct query *q = query_new(call, command, collection);
	struct value projection = unless_empty(command_option(q->command, "projection"));

	q->request.sort = command_option(q->command, "sort");
	q->request.skip = command_option_number(q->command, "skip", 0);
	q->request.limit = command_option_number(q->command, "limit", 0);
	if (!query_let(q, call, command_option(q->command, "let")))
		goto failed;
	if (!value_is_missing(projection)) {
		q->projection = projection_compile(projection, PROJECTION_FIND, q->scope, &call->error);
		if (!q->projection)
			goto failed;
	}
	q->request.projection = q->projection;
	if (query_plan(q, call, command_option(q->command, "filter")))
		return q;
failed:
	query_destroy(q);
	return NULL;
}

struct query *query_for_count(struct command_call *call, struct value command, const char *collection)
{
	struct query *q = query_new(call, command, collection);
	int64_t limit = command_option_number(q->command, "limit", 0);

	q->request.counts = true;
	q->request.skip = command_option_number(q->command, "skip", 0);
	q->request.limit = limit == INT64_MIN ? INT64_MAX : limit < 0 ? -limit : limit; /* the sign means nothing to count */
	if (query_plan(q, call, command_option(q->command, "query")))
		return q;
	query_destroy(q);
	return NULL;
}

/* {FIELD: 1, _id: 0}; null: none can be made of the field, and no index is on it then. */
static struct projection *distinct_projection(const char *field)
{
	struct bytes specification = BYTES_INIT;
	struct projection *p;
	struct writer w;

	writer_begin(&w, &specification);
	writer_int32(&w, field, 1);
	if (strcmp(field, "_id"))
		writer_int32(&w, "_id", 0);
	p = projection_compile(writer_finish(&w), PROJECTION_FIND, NULL, NULL);
	bytes_clear(&specification);
	return p;
}

struct query *query_for_distinct(struct command_call *call, struct value command, const char *collection)
{
	struct query *q = query_new(call, command, collection);

	q->request.distinct = value_text(value_get(q->command, "key")).bytes;
	q->projection = distinct_projection(q->request.distinct);
	q->request.projection = q->projection;
	if (query_plan(q, call, command_option(q->command, "query")))
		return q;
	query_destroy(q);
	return NULL;
}

static bool check_pipeline(struct command_call *call, struct value pipeline)
{
	struct walk w;
	struct field f;

	if (!value_is_array(pipeline))
		return command_fail(call, CODE_TypeMismatch, "'pipeline' option must be specified as an array");
	walk_begin(&w, pipeline);
	while (walk_next(&w, &f))
		if (!value_is_document(f.value))
			return command_fail(call, CODE_TypeMismatch, "Each element of the 'pipeline' array must be an object");
	return true;
}

/* Sets *collection; null for {aggregate: 1}. */
static bool aggregate_target(struct command_call *call, struct value command, const char **collection)
{
	struct walk w;
	struct field f;
	int64_t one;

	*collection = NULL;
	walk_begin(&w, command);
	if (!walk_next(&w, &f))
		return false;
	if (f.value.type == BSON_TYPE_UTF8) {
		*collection = command_collection(call);
		return *collection != NULL;
	}
	if (value_as_int64(f.value, &one) && one == 1)
		return true;
	return command_fail(call, CODE_FailedToParse,
	                    "Invalid command format: the 'aggregate' field must specify a collection name or 1");
}

struct query *query_for_aggregate(struct command_call *call, struct value command)
{
	const char *collection;
	struct query *q;
	struct value pipeline, hint;

	if (!aggregate_target(call, command, &collection))
		return NULL;
	q = query_new(call, command, collection);
	q->execution.allow_disk_use = command_option_bool(q->command, "allowDiskUse", true);
	pipeline = value_get(q->command, "pipeline");
	hint = unless_empty(command_option(q->command, "hint"));
	if (check_pipeline(call, pipeline) && check_hint(call, hint) && query_let(q, call, command_option(q->command, "let")))
		q->pipeline = pipeline_compile(pipeline, q->db, q->collection, hint, q->scope, &q->execution, &call->error);
	if (q->pipeline)
		return q;
	query_destroy(q);
	return NULL;
}

struct query *query_for_list(struct command_call *call, const char *collection, struct bytes *documents)
{
	struct query *q = query_new(call, call->command, collection);
	struct list_stage *list = memory_allocate_zeroed(1, sizeof *list);

	list->base.type = &list_type;
	list->base.execution = &q->execution;
	list->documents = *documents;
	bytes_init(documents);
	q->list = &list->base;
	return q;
}
