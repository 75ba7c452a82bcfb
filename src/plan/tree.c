#include "plan/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/tree_private.h"

/* The fields of a stage that hold the stages below it: a document each, or an array of them. */
static const char *const inputs[] = { "inputStage", "inputStages", "outerStage", "innerStage",
	                              "thenStage",  "elseStage",   "shards" };

/* MongoDB allows 1,000 stages a pipeline; what is walked recursively has to end somewhere. */
enum { CHAIN_LIMIT = 1000, NODE_LIMIT = 20000 };

struct reading {
	struct plan_tree *tree;
	int depth;
	size_t nodes;
	bool broken;
	size_t planners; /* read so far: of more than one there is no time of the whole */
};

static struct plan_node *read_body(struct reading *r, struct value body);

const char *plan_verbosity_text(enum plan_verbosity v)
{
	static const char *const texts[] = {
#define X(name, text) text,
		PLAN_VERBOSITIES(X)
#undef X
	};

	return texts[v];
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

static bool enter(struct reading *r)
{
	if (++r->depth <= VALUE_DEPTH_LIMIT && ++r->nodes <= NODE_LIMIT)
		return true;
	r->broken = true;
	r->depth--;
	return false;
}

static struct plan_node *named_node(struct value name, const char *otherwise, struct value source)
{
	char *text = plan_text(name);
	struct plan_node *n = plan_node_new(text ? text : otherwise, source);

	free(text);
	return n;
}

/* A stage of a query's plan; of a sharded one an entry of `shards`, which holds the shard's own plan. */
static struct plan_node *read_stage(struct reading *r, struct value stage)
{
	static const char *const nested[] = { "executionStages", "winningPlan", "queryPlan" };
	struct plan_node *n;
	char *shard;

	if (!enter(r))
		return NULL;
	for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
		struct value inner = plan_get(stage, nested[i]);

		if (!value_is_document(inner))
			continue;
		n = read_stage(r, inner);
		shard = plan_text(plan_get(stage, "shardName"));
		if (n && !n->shard)
			n->shard = shard;
		else
			free(shard);
		r->depth--;
		return n;
	}
	n = named_node(plan_get(stage, "stage"), "?", stage);
	plan_node_fill(n, stage);
	n->shard = plan_text(plan_get(stage, "shardName"));
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		struct value below = plan_get(stage, inputs[i]);
		struct walk w;
		struct field f;

		if (value_is_document(below))
			plan_node_adopt(n, read_stage(r, below));
		else if (value_is_array(below))
			for (walk_begin(&w, below); walk_next(&w, &f);)
				if (value_is_document(f.value))
					plan_node_adopt(n, read_stage(r, f.value));
	}
	r->depth--;
	return n;
}

/* The node that alone examined documents; null when there are several or none. */
static void find_examining(struct plan_node *n, struct plan_node **found, size_t *count)
{
	if (figure_known(n->docs) && n->docs.value > 0 && !n->work_elsewhere) {
		*found = n;
		++*count;
	}
	for (size_t i = 0; i < n->child_count; i++)
		find_examining(n->children[i], found, count);
}

static void add_work(struct plan_work *sum, struct figure keys, struct figure docs, bool first)
{
	sum->keys = first ? keys : figure_add(sum->keys, keys);
	sum->docs = first ? docs : figure_add(sum->docs, docs);
}

/* executionStats: the sums of one planner's stages. */
static void read_totals(struct reading *r, struct value stats, struct plan_node *root)
{
	struct plan_tree *t = r->tree;
	struct figure bytes = plan_figure(plan_get(plan_get(stats, "operationMetrics"), "docBytesRead"));
	struct value success = plan_get(stats, "executionSuccess");
	struct plan_node *examining = NULL;
	size_t examined_by = 0;
	bool first = r->planners++ == 0;

	if (t->verbosity < PLAN_EXECUTION_STATS && value_is_document(stats))
		t->verbosity = PLAN_EXECUTION_STATS;
	if (!value_is_missing(plan_get(stats, "allPlansExecution")))
		t->verbosity = PLAN_ALL_PLANS;
	t->failed = t->failed || (!value_is_missing(success) && !value_is_true(success));
	add_work(&t->outer, plan_figure(plan_get(stats, "totalKeysExamined")),
	         plan_figure(plan_get(stats, "totalDocsExamined")), first);
	t->bytes = first ? bytes : figure_add(t->bytes, bytes);
	t->millis = first ? plan_figure(plan_get(stats, "executionTimeMillis")) : figure_unknown();
	if (first)
		t->returned = plan_figure(plan_get(stats, "nReturned"));
	if (root)
		find_examining(root, &examining, &examined_by);
	if (examined_by == 1)
		examining->bytes = bytes;
}

static void read_planner_facts(struct plan_tree *t, struct value planner)
{
	struct value rejected = plan_get(planner, "rejectedPlans");

	if (!t->namespace_text)
		t->namespace_text = plan_text(plan_get(planner, "namespace"));
	if (value_is_missing(t->parsed_query))
		t->parsed_query = plan_get(planner, "parsedQuery");
	if (value_is_array(rejected))
		t->rejected_count += value_count(rejected);
}

/* {queryPlanner, executionStats}: the plan with the counters of its run, where there are any. */
static struct plan_node *read_planner(struct reading *r, struct value body)
{
	struct value planner = plan_get(body, "queryPlanner"), stats = plan_get(body, "executionStats");
	struct value winning = plan_get(planner, "winningPlan"), run = plan_get(stats, "executionStages");
	bool slots = value_is_document(plan_get(winning, "queryPlan"));
	struct plan_node *n = NULL;

	read_planner_facts(r->tree, planner);
	if (value_is_document(run) && !slots)
		n = read_stage(r, run);
	else if (value_is_document(winning))
		n = read_stage(r, winning);
	if (n && slots && value_is_document(run))
		plan_slots_join(n, run);
	if (!value_is_missing(plan_get(winning, "shards")))
		r->tree->sharded = true;
	read_totals(r, stats, n);
	return n;
}

static char *from_text(struct value lookup)
{
	struct value from = plan_get(lookup, "from");

	return plan_text(value_is_document(from) ? plan_get(from, "coll") : from);
}

static void add_lookup(struct plan_tree *t, struct plan_node *n, struct value specification, struct value stage)
{
	struct value used = plan_get(stage, "indexesUsed");
	struct plan_lookup *l;
	struct walk w;
	struct field f;

	t->lookups = memory_resize(t->lookups, t->lookup_count + 1, sizeof *t->lookups);
	l = &t->lookups[t->lookup_count++];
	*l = (struct plan_lookup){ .from = from_text(specification),
		                   .node = n,
		                   .keys = n->keys,
		                   .docs = n->docs,
		                   .collection_scans = n->collection_scans,
		                   .indexes_known = value_is_array(used) };
	if (!l->from)
		l->from = memory_duplicate_text("");
	if (!l->indexes_known)
		return;
	for (walk_begin(&w, used); walk_next(&w, &f);) {
		char *name = plan_text(f.value);

		if (!name)
			continue;
		l->indexes = memory_resize(l->indexes, l->index_count + 1, sizeof *l->indexes);
		l->indexes[l->index_count++] = name;
	}
}

static struct plan_node *read_chain(struct reading *r, struct value stages);

/* What a stage of a pipeline says about itself, in a line. */
static char *describe(const char *name, struct value specification)
{
	struct bytes text = BYTES_INIT;
	char *from;

	if (!strcmp(name, "$lookup") && value_is_document(specification)) {
		char *field = plan_text(plan_get(specification, "foreignField"));

		from = from_text(specification);
		bytes_format(&text, field ? "from %s by %s" : "from %s", from ? from : "?", field);
		free(from);
		free(field);
	} else if (!value_is_missing(specification)) {
		print_value(&text, specification, &(struct print_options){ .form = PRINT_SHELL, .limit_bytes = 400 });
	}
	return bytes_take_text(&text);
}

/* $facet: a pipeline a field. $unionWith: one more. */
static void read_inner_pipelines(struct reading *r, struct plan_node *n, struct value specification)
{
	struct walk w;
	struct field f;

	if (!strcmp(n->stage, "$facet"))
		for (walk_begin(&w, specification); walk_next(&w, &f);) {
			struct plan_node *facet;

			if (!value_is_array(f.value) || !enter(r))
				continue;
			facet = read_chain(r, f.value);
			plan_node_adopt(n, facet);
			r->depth--;
		}
	else if (!strcmp(n->stage, "$unionWith") && value_is_array(plan_get(specification, "pipeline")) && enter(r)) {
		plan_node_adopt(n, read_chain(r, plan_get(specification, "pipeline")));
		r->depth--;
	}
}

/* One element of `stages`: {$lookup: …, nReturned: …}; {$cursor: {queryPlanner: …}} has a plan below it. */
static struct plan_node *read_pipeline_stage(struct reading *r, struct value stage)
{
	struct plan_node *n = NULL;
	struct value specification;
	struct bytes name = BYTES_INIT;
	struct walk w;
	struct field f;

	walk_begin(&w, stage);
	do {
		if (!walk_next(&w, &f))
			return NULL;
	} while (!f.key.size_bytes || f.key.bytes[0] != '$');
	print_text(&name, f.key.bytes, f.key.size_bytes);
	specification = f.value;
	n = plan_node_new(bytes_text(&name), stage);
	plan_node_fill(n, stage);
	if (value_is_document(specification) && value_is_document(plan_get(specification, "queryPlanner"))) {
		plan_node_adopt(n, read_body(r, specification));
	} else {
		char *detail = describe(bytes_text(&name), specification);

		free(n->detail);
		n->detail = detail;
	}
	if (value_is_document(specification))
		read_inner_pipelines(r, n, specification);
	if (!strcmp(bytes_text(&name), "$lookup")) {
		n->work_elsewhere = true;
		add_lookup(r->tree, n, specification, stage);
	}
	bytes_clear(&name);
	return n;
}

/* The last stage with the one before it below it, and so on. */
static struct plan_node *read_chain(struct reading *r, struct value stages)
{
	struct plan_node *last = NULL;
	size_t count = 0;
	struct walk w;
	struct field f;

	for (walk_begin(&w, stages); walk_next(&w, &f);) {
		struct plan_node *n;

		r->broken = r->broken || ++count > CHAIN_LIMIT || ++r->nodes > NODE_LIMIT;
		if (r->broken)
			break;
		n = value_is_document(f.value) ? read_pipeline_stage(r, f.value) : NULL;

		if (!n)
			continue;
		if (last) { /* the input stands before what the stage has of its own */
			plan_node_adopt(n, last);
			memmove(n->children + 1, n->children, (n->child_count - 1) * sizeof *n->children);
			n->children[0] = last;
		}
		last = n;
	}
	return last;
}

/* {shard: plan, …}, or a list of plans that name theirs. */
static struct plan_node *read_shards(struct reading *r, struct value shards, struct value body)
{
	struct plan_node *all = plan_node_new("SHARDS", body), *n;
	struct walk w;
	struct field f;

	r->tree->sharded = true;
	for (walk_begin(&w, shards); walk_next(&w, &f);) {
		if (!value_is_document(f.value) || !(n = read_body(r, f.value)))
			continue;
		if (!n->shard && value_is_array(shards)) {
			n->shard = plan_text(plan_get(f.value, "shardName"));
		} else if (!n->shard) {
			struct bytes name = BYTES_INIT;

			print_text(&name, f.key.bytes, f.key.size_bytes);
			n->shard = bytes_take_text(&name);
		}
		plan_node_adopt(all, n);
	}
	r->tree->returned = r->tree->millis = figure_unknown(); /* what is merged is not counted */
	return all;
}

/* Whatever holds a plan: the reply itself, a $cursor, a shard. */
static struct plan_node *read_body(struct reading *r, struct value body)
{
	struct value shards = plan_get(body, "shards"), stages = plan_get(body, "stages");
	struct plan_node *n = NULL;

	if (!enter(r))
		return NULL;
	if (value_is_document(shards) || value_is_array(shards))
		n = read_shards(r, shards, body);
	else if (value_is_array(stages))
		n = read_chain(r, stages);
	else if (value_is_document(plan_get(body, "queryPlanner")))
		n = read_planner(r, body);
	r->depth--;
	return n;
}

static const char *root_form(struct value reply)
{
	static const char *const forms[] = { "shards", "stages", "queryPlanner" };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!value_is_missing(plan_get(reply, forms[i])))
			return forms[i];
	return NULL;
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

static void add_up(struct plan_tree *t)
{
	t->total = t->outer;
	for (size_t i = 0; i < t->lookup_count; i++) {
		t->total.keys = add_known(t->total.keys, t->lookups[i].keys);
		t->total.docs = add_known(t->total.docs, t->lookups[i].docs);
	}
	if (t->verbosity < PLAN_EXECUTION_STATS && !t->lookup_count)
		t->total = (struct plan_work){ figure_unknown(), figure_unknown() };
}

static void read_server(struct plan_tree *t, struct value reply)
{
	char *version = plan_text(plan_get(reply, "explainVersion"));

	t->server_version = plan_text(plan_get(plan_get(reply, "serverInfo"), "version"));
	if (version)
		t->engine = !strcmp(version, "1") ? "classic" : !strcmp(version, "2") ? "sbe" : NULL;
	free(version);
}

static bool fail_without_plan(struct value reply, bson_error_t *error)
{
	char *message = plan_text(plan_get(reply, "errmsg"));
	int64_t code = 0;

	value_as_int64(plan_get(reply, "code"), &code);
	if (message)
		error_set(error, ERROR_SERVER, (uint32_t)code, "%s", message);
	else
		error_set(error, ERROR_INPUT, 0, "no plan in it: expected queryPlanner, stages or shards");
	free(message);
	return false;
}

struct plan_tree *plan_tree_read(struct value reply, bson_error_t *error)
{
	struct plan_tree *t = memory_allocate_zeroed(1, sizeof *t);
	struct reading r = { .tree = t };
	struct value own;
	const struct figure unknown = figure_unknown();

	t->returned = t->millis = t->bytes = unknown;
	t->outer = t->total = (struct plan_work){ unknown, unknown };
	t->parsed_query = value_missing();
	bytes_append(&t->reply, reply.bytes, reply.size_bytes);
	if (value_document(&own, t->reply.data, t->reply.size) && (t->root_form = root_form(own))) {
		read_server(t, own);
		t->root = read_body(&r, own);
		if (t->root && !t->sharded && !strcmp(t->root_form, "stages"))
			t->returned = t->root->returned;
	}
	if (!t->root || r.broken) {
		if (r.broken)
			error_set(error, ERROR_INPUT, 0, "the plan is deeper than %d levels or has more than %d stages",
			          VALUE_DEPTH_LIMIT, NODE_LIMIT);
		else
			fail_without_plan(reply, error);
		plan_tree_destroy(t);
		return NULL;
	}
	add_up(t);
	plan_findings(t);
	return t;
}

static void destroy_node(struct plan_node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->child_count; i++)
		destroy_node(n->children[i]);
	free(n->children);
	free(n->stage);
	free(n->index);
	free(n->bounds);
	free(n->filter);
	free(n->detail);
	free(n->shard);
	free(n);
}

void plan_tree_destroy(struct plan_tree *t)
{
	if (!t)
		return;
	destroy_node(t->root);
	for (size_t i = 0; i < t->lookup_count; i++) {
		free(t->lookups[i].from);
		for (size_t k = 0; k < t->lookups[i].index_count; k++)
			free(t->lookups[i].indexes[k]);
		free(t->lookups[i].indexes);
	}
	free(t->lookups);
	for (size_t i = 0; i < t->finding_count; i++) {
		free(t->findings[i].stage);
		free(t->findings[i].evidence);
		free(t->findings[i].advice);
	}
	free(t->findings);
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
