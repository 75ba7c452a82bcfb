/* explain: the inner command is planned, run dry when its figures are asked for, and shown in the server's layout. */
#include "engine/command_write.h"

#include <string.h>

#include "engine/command_server.h"

struct explained {
	struct command_call call; /* the inner command */
	enum verbosity verbosity;
	struct writer *w;
};

static bool parse_verbosity(struct command_call *call, enum verbosity *verbosity)
{
	static const char *const names[] = { "queryPlanner", "executionStats", "allPlansExecution" };
	struct value v = command_option(call->command, "verbosity");

	*verbosity = VERBOSITY_ALL_PLANS;
	if (value_is_missing(v))
		return true;
	for (int i = 0; i < 3; i++)
		if (key_is(value_text(v), names[i])) {
			*verbosity = (enum verbosity)i;
			return true;
		}
	return command_fail(call, CODE_BadValue,
	                    "Enumeration value '%.*s' for field 'explain.verbosity' is not a valid value.",
	                    (int)value_text(v).size_bytes, value_text(v).bytes);
}

/* The command as it came, less what every client sends along, and its database. */
static void put_command(const struct explained *e)
{
	struct walk w;
	struct field f;

	writer_begin_document(e->w, key_of("command"));
	walk_begin(&w, e->call.command);
	while (walk_next(&w, &f))
		if (!command_is_envelope(f.key))
			writer_value(e->w, f.key, f.value);
	writer_text(e->w, "$db", e->call.db);
	writer_end(e->w);
}

static void put_server(const struct explained *e)
{
	struct writer *w = e->w;

	writer_begin_document(w, key_of("serverInfo"));
	writer_text(w, "host", SERVER_HOST);
	writer_int32(w, "port", 0);
	writer_text(w, "version", store_emulation(e->call.engine->store)->version);
	writer_text(w, "gitVersion", SERVER_GIT_VERSION);
	writer_end(w);
}

/* Runs what is to be explained; true without running when only the plan is asked for. */
static bool run(struct explained *e, struct query *q, const char *context, int64_t *micros)
{
	int64_t start = interrupt_now_us();
	bool ok;

	*micros = 0;
	if (e->verbosity == VERBOSITY_QUERY_PLANNER)
		return true;
	ok = query_exhaust(q) || command_fail_execution(&e->call, &q->execution, context);
	*micros = interrupt_now_us() - start;
	return ok;
}

/* A statement that looks its document up by _id is never parsed into a query: its explain has no parsedQuery. */
static void drop_parsed_query(struct bytes *planner)
{
	struct bytes kept = BYTES_INIT;
	struct writer w;
	struct walk outer, inner;
	struct field f, g;
	struct value document;

	if (!value_document(&document, planner->data, planner->size))
		return;
	writer_begin(&w, &kept);
	walk_begin(&outer, document);
	while (walk_next(&outer, &f)) {
		writer_begin_document(&w, f.key);
		walk_begin(&inner, f.value);
		while (walk_next(&inner, &g))
			if (!key_is(g.key, "parsedQuery"))
				writer_value(&w, g.key, g.value);
		writer_end(&w);
	}
	writer_finish(&w);
	bytes_clear(planner);
	*planner = kept;
}

static bool is_write_by_id(const struct stage *root)
{
	return (!strcmp(root->type->name, "UPDATE") || !strcmp(root->type->name, "DELETE")) && root->input &&
	       !strcmp(root->input->type->name, "IDHACK");
}

static void put_planner(struct explained *e, const struct query *q)
{
	struct bytes planner = BYTES_INIT;
	struct writer w;
	struct value v;

	writer_begin(&w, &planner);
	plan_explain_planner(q->plan, &q->request, &w);
	writer_finish(&w);
	if (is_write_by_id(q->plan->root))
		drop_parsed_query(&planner);
	if (value_document(&v, planner.data, planner.size))
		writer_fields(e->w, v);
	bytes_clear(&planner);
}

/* A plan's own layout: planner, figures, command, server. Takes the query. */
static bool explain_plan(struct explained *e, struct query *q, const char *context)
{
	int64_t micros;
	bool ok;

	if (!q)
		return false;
	q->execution.timed = e->verbosity != VERBOSITY_QUERY_PLANNER;
	ok = run(e, q, context, &micros);
	command_count(&e->call, &q->execution.counters);
	if (ok) {
		writer_text(e->w, "explainVersion", "1");
		put_planner(e, q);
		if (e->verbosity != VERBOSITY_QUERY_PLANNER)
			plan_explain_execution(q->plan, e->w, e->verbosity, micros);
		put_command(e);
		put_server(e);
	}
	query_destroy(q);
	return ok;
}

static bool explain_find(struct explained *e)
{
	return explain_plan(e, query_for_find(&e->call, e->call.command, command_collection(&e->call)),
	                    "Executor error during find command");
}

static bool explain_count(struct explained *e)
{
	return explain_plan(e, query_for_count(&e->call, e->call.command, command_collection(&e->call)),
	                    "Executor error during count command");
}

static bool explain_distinct(struct explained *e)
{
	return explain_plan(e, query_for_distinct(&e->call, e->call.command, command_collection(&e->call)),
	                    "Executor error during distinct command");
}

static bool explain_aggregate(struct explained *e)
{
	struct query *q = query_for_aggregate(&e->call, e->call.command);
	int64_t micros;
	bool ok;

	if (!q)
		return false;
	q->execution.explaining = true;
	q->execution.timed = e->verbosity != VERBOSITY_QUERY_PLANNER;
	ok = run(e, q, "PlanExecutor error during aggregation", &micros);
	command_count(&e->call, &q->execution.counters);
	if (ok) {
		writer_text(e->w, "explainVersion", "1");
		pipeline_explain(q->pipeline, e->w, e->verbosity, micros);
		put_server(e);
		put_command(e);
	}
	query_destroy(q);
	return ok;
}

/* The only statement of a write, its fields checked. */
static bool only_statement(struct explained *e, const char *name, const struct command_option *options,
                           struct value *statement)
{
	struct value statements = value_get(e->call.command, name);
	char prefix[64];

	if (value_count(statements) != 1)
		return command_fail(&e->call, CODE_InvalidLength, "explained write batches must be of size 1");
	*statement = value_get(statements, "0");
	snprintf(prefix, sizeof prefix, "%s.%s", e->call.type->name, name);
	if (!value_is_document(*statement))
		return command_fail(&e->call, CODE_TypeMismatch, "BSON field '%s.0' is the wrong type '%s', expected type 'object'",
		                    prefix, value_type_name(statement->type));
	return command_check_options(*statement, prefix, options, 0, false, &e->call.error);
}

static bool explain_update(struct explained *e)
{
	struct update *update;
	struct write_stage *stage;
	struct value statement;
	bool ok;

	if (!only_statement(e, "updates", command_update_options, &statement))
		return false;
	ok = explain_plan(e, write_query_for_update(&e->call, statement, &update, &stage), NULL);
	if (update)
		update_destroy(update);
	return ok;
}

static bool explain_delete(struct explained *e)
{
	struct write_stage *stage;
	struct value statement;

	return only_statement(e, "deletes", command_delete_options, &statement) &&
	       explain_plan(e, write_query_for_delete(&e->call, statement, &stage), NULL);
}

static bool explain_modify(struct explained *e)
{
	struct update *update;
	struct write_stage *stage;
	bool ok = explain_plan(e, write_query_for_modify(&e->call, &update, &stage), NULL);

	if (update)
		update_destroy(update);
	return ok;
}

static const struct {
	const char *name;
	bool (*explain)(struct explained *e);
} explainers[] = {
	{ "find", explain_find },         { "aggregate", explain_aggregate }, { "count", explain_count },
	{ "distinct", explain_distinct }, { "update", explain_update },       { "delete", explain_delete },
	{ "findAndModify", explain_modify },
};

static bool run_explainer(struct explained *e)
{
	for (size_t i = 0; i < sizeof explainers / sizeof *explainers; i++)
		if (!strcmp(e->call.type->name, explainers[i].name))
			return explainers[i].explain(e);
	return command_fail(&e->call, CODE_IllegalOperation, "Cannot explain cmd: %s", e->call.type->name);
}

static bool explain(struct command_call *call, struct value inner, enum verbosity verbosity)
{
	struct explained e = { .call = *call, .verbosity = verbosity, .w = call->reply };
	bool ok;

	e.call.command = inner;
	e.call.dry_run = true;
	ok = command_check(&e.call) && run_explainer(&e);
	call->counters = e.call.counters;
	call->details = e.call.details;
	call->error = e.call.error;
	return ok;
}

bool command_explain(struct command_call *call)
{
	struct value inner = value_get(call->command, "explain");
	enum verbosity verbosity;
	struct walk w;
	struct field f;

	if (!value_is_document(inner))
		return command_fail(call, CODE_TypeMismatch,
		                    "BSON field 'explain.explain' is the wrong type '%s', expected type 'object'",
		                    value_type_name(inner.type));
	if (!parse_verbosity(call, &verbosity))
		return false;
	walk_begin(&w, inner);
	if (!walk_next(&w, &f) || !command_find_type(f.key))
		return command_fail(call, CODE_CommandNotFound, "Explain failed due to unknown command: %.*s",
		                    value_count(inner) ? (int)f.key.size_bytes : 0, value_count(inner) ? f.key.bytes : "");
	return explain(call, inner, verbosity);
}

bool command_explain_aggregate(struct command_call *call)
{
	return explain(call, call->command, VERBOSITY_QUERY_PLANNER);
}
