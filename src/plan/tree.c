#include "plan/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/tree_private.h"

const char *plan_verbosity_text(enum plan_verbosity v)
{
	static const char *const texts[] = {
#define X(name, text) text,
		PLAN_VERBOSITIES(X)
#undef X
	};

	return texts[v];
}

const char *plan_tree_verbosity(const struct plan_tree *t)
{
	if (t->legacy)
		return t->verbosity == PLAN_ALL_PLANS ? "verbose" : "legacy";
	return plan_verbosity_text(t->verbosity);
}

bool plan_verbosity_from_text(const char *text, enum plan_verbosity *v)
{
	for (int i = 0; i < PLAN_VERBOSITY_COUNT; i++)
		if (!strcmp(text, plan_verbosity_text((enum plan_verbosity)i))) {
			*v = (enum plan_verbosity)i;
			return true;
		}
	return false;
}

bool plan_enter(struct reading *r)
{
	if (++r->depth <= VALUE_DEPTH_LIMIT && ++r->nodes <= PLAN_NODE_LIMIT)
		return true;
	r->broken = true;
	r->depth--;
	return false;
}

static bool is_any(struct value v)
{
	return !value_is_missing(v);
}

static bool is_text(struct value v)
{
	return v.type == BSON_TYPE_UTF8;
}

static bool is_container(struct value v)
{
	return value_is_document(v) || value_is_array(v);
}

static bool has_stage(struct value v)
{
	return is_text(plan_get(v, "stage"));
}

/* What a document that holds a plan looks like: the first form whose fields are there. `also` may be null. */
static const struct form {
	const char *name, *field;
	bool (*is)(struct value v);
	const char *also;
	struct plan_node *(*read)(struct reading *r, struct value body);
} forms[] = {
	{ "legacy", "cursor", is_text, "nscanned", plan_read_legacy },
	{ "legacy", "clusteredType", is_text, "shards", plan_read_legacy },
	{ "stage", "stage", is_text, "shards", plan_read_alone },
	{ "queryPlanner", "executionStages", has_stage, NULL, plan_read_run },
	{ "shards", "shards", is_container, NULL, plan_read_shards },
	{ "shards", "mergeType", is_text, "mergerPart", plan_read_split },
	{ "stages", "stages", value_is_array, NULL, plan_read_pipeline },
	{ "queryPlanner", "queryPlanner", value_is_document, NULL, plan_read_planner },
	{ "queryPlanner", "executionStats", value_is_document, NULL, plan_read_planner },
	{ "winningPlan", "winningPlan", is_container, NULL, plan_read_winning },
	{ "execStats", "execStats", has_stage, NULL, plan_read_profile },
	{ "stage", "stage", is_text, "inputStage", plan_read_alone },
	{ "stage", "stage", is_text, "nReturned", plan_read_alone },
	{ "stage", "stage", is_text, "direction", plan_read_alone },
};

static const struct form *form_of(struct value body)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].is(plan_get(body, forms[i].field)) && (!forms[i].also || is_any(plan_get(body, forms[i].also))))
			return &forms[i];
	return NULL;
}

struct plan_node *plan_read_body(struct reading *r, struct value body)
{
	const struct form *form = form_of(body);
	struct plan_node *n = NULL;

	if (!form || !plan_enter(r))
		return NULL;
	n = form->read(r, body);
	r->depth--;
	return n;
}

/* The first document, from outside in, that holds a plan: a paste has arrays, answers and notes around it. */
static struct plan_node *find_plan(struct reading *r, struct value v, struct value *found)
{
	const struct form *form = value_is_document(v) ? form_of(v) : NULL;
	struct plan_node *n;
	struct walk w;
	struct field f;

	if (r->broken || r->depth >= VALUE_DEPTH_LIMIT)
		return NULL;
	if (form && (n = plan_read_body(r, v))) {
		r->tree->root_form = form->name;
		*found = v;
		return n;
	}
	r->depth++;
	for (walk_begin(&w, v), n = NULL; !n && walk_next(&w, &f);)
		if (is_container(f.value))
			n = find_plan(r, f.value, found);
	r->depth--;
	return n;
}

/* What is known of a sum, marked when a part is not. */
static struct figure add_known(struct figure sum, struct figure more)
{
	if (figure_known(sum) && figure_known(more))
		return figure_add(sum, more);
	if (!figure_known(sum))
		sum = more;
	sum.at_least = figure_known(sum);
	return sum;
}

/*
 * The outer work is what the reply itself says of the whole. A router does not say it of a pipeline: the sum over its
 * shards is part of `total` only.
 */
static void add_up(struct plan_tree *t, struct plan_work examined, bool gap)
{
	if (strcmp(t->root_form, "shards"))
		t->outer = examined;
	else
		t->returned = t->millis = figure_unknown();
	t->total = examined;
	for (size_t i = 0; i < t->lookup_count; i++) {
		if (t->lookups[i].counted)
			continue;
		t->total.keys = add_known(t->total.keys, t->lookups[i].keys);
		t->total.docs = add_known(t->total.docs, t->lookups[i].docs);
	}
	t->total.keys.at_least = figure_known(t->total.keys) && (gap || t->total.keys.at_least);
	t->total.docs.at_least = figure_known(t->total.docs) && (gap || t->total.docs.at_least);
	if (t->verbosity < PLAN_EXECUTION_STATS && !t->lookup_count)
		t->total = (struct plan_work){ figure_unknown(), figure_unknown() };
}

/* Some replies have counters at their stages only. */
static bool any_returned(const struct plan_node *n)
{
	if (figure_known(n->returned))
		return true;
	for (size_t i = 0; i < n->child_count; i++)
		if (any_returned(n->children[i]))
			return true;
	return false;
}

static void read_server(struct plan_tree *t, struct value reply)
{
	char *version = plan_text(plan_get(reply, "explainVersion"));

	t->server_version = plan_text(plan_get(plan_get(reply, "serverInfo"), "version"));
	if (version)
		t->engine = !strcmp(version, "1") ? "classic" : !strcmp(version, "2") ? "sbe" : NULL;
	free(version);
}

static bool is_log_record(struct value reply)
{
	return is_any(plan_get(reply, "planSummary")) || is_any(plan_get(plan_get(reply, "attr"), "planSummary"));
}

static bool fail_without_plan(struct value reply, bool incomplete, bson_error_t *error)
{
	char *message = plan_text(plan_get(reply, "errmsg"));
	int64_t code = 0;

	value_as_int64(plan_get(reply, "code"), &code);
	if (message)
		error_set(error, ERROR_SERVER, (uint32_t)code, "%s", message);
	else if (is_log_record(reply))
		error_set(error, ERROR_INPUT, 0, "a log line, which holds no plan: bsonscope workload --from-log reads it");
	else if (incomplete)
		error_set(error, ERROR_INPUT, 0, "no plan in what is there: something was cut off or left out, copy the whole reply");
	else
		error_set(error, ERROR_INPUT, 0, "no plan in it: expected queryPlanner, stages or shards");
	free(message);
	return false;
}

/* Whose totals are sums over stages: of those that a paste has left out nobody knows the work. */
static bool is_pipeline(const struct plan_tree *t)
{
	return !strcmp(t->root_form, "stages") || !strcmp(t->root_form, "shards");
}

/* The text ends among the stages, so the last that is there may not be the last that there was. */
static bool cut_in_stages(const struct plan_tree *t, struct value body)
{
	struct field f = { .key = key_of("") };
	struct walk w;

	for (walk_begin(&w, body); walk_next(&w, &f);)
		;
	return t->incomplete && key_is(f.key, "stages");
}

struct plan_tree *plan_tree_take(struct bytes *reply, bool incomplete, bson_error_t *error)
{
	const struct figure unknown = figure_unknown();
	struct plan_tree *t = memory_allocate_zeroed(1, sizeof *t);
	struct reading r = { .tree = t, .examined = { unknown, unknown } };
	struct value own = value_missing(), body;

	t->returned = t->millis = t->bytes = unknown;
	t->outer = t->total = (struct plan_work){ unknown, unknown };
	t->parsed_query = t->command = value_missing();
	t->incomplete = incomplete;
	t->reply = *reply;
	bytes_init(reply);
	if (value_document(&own, t->reply.data, t->reply.size) && (t->root = find_plan(&r, own, &body))) {
		read_server(t, body);
		t->command = plan_get(body, "command");
		if (!strcmp(t->root_form, "stages") || !strcmp(t->root_form, "stage"))
			t->returned = cut_in_stages(t, body) ? unknown : t->root->returned;
		r.gap = r.gap || (incomplete && is_pipeline(t));
	}
	if (!t->root || r.broken) {
		if (r.broken)
			error_set(error, ERROR_INPUT, 0, "the plan is deeper than %d levels or has more than %d stages",
			          VALUE_DEPTH_LIMIT, PLAN_NODE_LIMIT);
		else
			fail_without_plan(own, incomplete, error);
		plan_tree_destroy(t);
		return NULL;
	}
	if (t->verbosity == PLAN_QUERY_PLANNER && any_returned(t->root))
		t->verbosity = PLAN_EXECUTION_STATS;
	add_up(t, r.examined, r.gap);
	plan_own_times(t->root);
	plan_findings(t);
	return t;
}

struct plan_tree *plan_tree_read(struct value reply, bson_error_t *error)
{
	struct bytes copy = BYTES_INIT;

	bytes_append(&copy, reply.bytes, reply.size_bytes);
	return plan_tree_take(&copy, false, error);
}

void plan_tree_destroy(struct plan_tree *t)
{
	if (!t)
		return;
	plan_node_destroy(t->root);
	for (size_t i = 0; i < t->lookup_count; i++) {
		free(t->lookups[i].from);
		free(t->lookups[i].as);
		free(t->lookups[i].strategy);
		for (size_t k = 0; k < t->lookups[i].index_count; k++)
			free(t->lookups[i].indexes[k]);
		free(t->lookups[i].indexes);
	}
	free(t->lookups);
	for (size_t i = 0; i < t->finding_count; i++) {
		free(t->findings[i].stage);
		free(t->findings[i].evidence);
		free(t->findings[i].advice);
		free(t->findings[i].cost);
	}
	free(t->findings);
	free(t->choices);
	free(t->server_version);
	free(t->namespace_text);
	bytes_clear(&t->reply);
	free(t);
}

static void walk_node(const struct plan_node *n, int depth, void (*visit)(void *, const struct plan_node *, int),
                      void *context)
{
	visit(context, n, depth);
	for (size_t i = 0; i < n->child_count; i++)
		walk_node(n->children[i], depth + 1, visit, context);
}

void plan_tree_walk(const struct plan_tree *t, void (*visit)(void *, const struct plan_node *, int), void *context)
{
	walk_node(t->root, 0, visit, context);
}

const char *plan_tree_collection(const struct plan_tree *t)
{
	const char *dot = t->namespace_text ? strchr(t->namespace_text, '.') : NULL;

	return dot ? dot + 1 : "";
}
