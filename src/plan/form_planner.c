/* {queryPlanner, executionStats}: the plan of a query with the counters of its run. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/tree_private.h"

/* The fields of a stage that hold the stages below it: a document each, or an array of them. PostgreSQL says "Plans". */
static const char *const inputs[] = { "inputStage", "inputStages", "outerStage", "innerStage",
	                              "thenStage",  "elseStage",   "shards",     "Plans" };

/* A stage's document in which the stage itself stands. */
static const char *const nested[] = { "executionStages", "winningPlan", "queryPlan" };

/* {plans: [{planStages: …}, …]}: explains of version 3 list all plans, the one that won first. */
static struct value first_plan(struct value planner)
{
	struct value plans = plan_get(planner, "plans");

	return value_is_array(plans) ? plan_get(plan_get(plans, "0"), "planStages") : value_missing();
}

/* FerretDB 1 answers with PostgreSQL's plan. */
static struct value stage_name(struct value stage)
{
	struct value name = plan_get(stage, "stage");

	return value_is_missing(name) ? plan_get(stage, "Node Type") : name;
}

/* False: a paste has left out which stage it is, as in "executionStages: { … }". */
static bool names_stage(struct value stage)
{
	for (size_t i = 0; i < sizeof nested / sizeof *nested; i++)
		if (value_is_document(plan_get(stage, nested[i])))
			return true;
	return !value_is_missing(stage_name(stage));
}

static struct plan_node *named_node(struct value name, const char *otherwise, struct value source)
{
	char *text = plan_text(name);
	struct plan_node *n = plan_node_new(text ? text : otherwise, source);

	free(text);
	return n;
}

static char *embedding_field(struct value stage)
{
	static const char *const names[] = { "asField", "rightEmbeddingField", "leftEmbeddingField" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *text = plan_text(plan_get(stage, names[i]));

		if (text && strcmp(text, "none"))
			return text;
		free(text);
	}
	return NULL;
}

/* "db.collection" of the first stage below that names it. Null: none does. */
static char *collection_below(const struct plan_node *n)
{
	char *text = plan_text(plan_get(n->source, "nss")), *found = NULL;
	const char *dot = text ? strchr(text, '.') : NULL;

	if (dot)
		found = memory_duplicate_text(dot + 1);
	for (size_t i = 0; i < n->child_count && !found; i++)
		found = collection_below(n->children[i]);
	free(text);
	return found;
}

/* Of a join of two plans the right one is what was looked up. */
static void name_join(struct plan_tree *t, const struct plan_node *n)
{
	char *name = n->child_count > 1 ? collection_below(n->children[n->child_count - 1]) : NULL;

	for (size_t i = 0; name && i < t->lookup_count; i++)
		if (t->lookups[i].node == n && !*t->lookups[i].from) {
			free(t->lookups[i].from);
			t->lookups[i].from = name;
			return;
		}
	free(name);
}

/* A join that the planner took into the query's plan: the run's totals count it. */
static void read_join(struct plan_tree *t, struct plan_node *n, struct value stage)
{
	static const char *const joins[] = { "EQ_LOOKUP", "EQ_LOOKUP_UNWIND", "HASH_JOIN_EMBEDDING",
		                             "NESTED_LOOP_JOIN_EMBEDDING", "INDEXED_NESTED_LOOP_JOIN_EMBEDDING" };

	for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
		if (!strcmp(n->stage, joins[i])) {
			struct plan_lookup *l = plan_add_lookup(t, n, plan_text(plan_get(stage, "foreignCollection")));

			l->as = embedding_field(stage);
			l->strategy = plan_text(plan_get(stage, "strategy"));
			l->counted = true;
		}
}

/* A stage of a query's plan; of a sharded one an entry of `shards`, which holds the shard's own plan. */
struct plan_node *plan_read_stage(struct reading *r, struct value stage)
{
	struct field_table fields;
	struct plan_node *n;
	char *shard;

	if (!plan_enter(r))
		return NULL;
	field_table_init(&fields, stage);
	for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
		struct value inner = field_table_get(&fields, nested[i]);

		if (!value_is_document(inner))
			continue;
		n = plan_read_stage(r, inner);
		shard = plan_text(field_table_get(&fields, "shardName"));
		if (n && !n->shard)
			n->shard = shard;
		else
			free(shard);
		r->depth--;
		return n;
	}
	if (value_is_document(first_plan(stage))) { /* a shard's */
		n = plan_read_stage(r, first_plan(stage));
		if (n && !n->shard)
			n->shard = plan_text(plan_get(stage, "shardName"));
		r->depth--;
		return n;
	}
	n = named_node(stage_name(stage), "?", stage);
	plan_node_fill_fields(n, &fields);
	n->shard = plan_text(field_table_get(&fields, "shardName"));
	read_join(r->tree, n, stage);
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		struct value below = field_table_get(&fields, inputs[i]);
		struct walk w;
		struct field f;

		r->tree->sharded = r->tree->sharded || (value_is_array(below) && !strcmp(inputs[i], "shards"));
		if (value_is_document(below))
			plan_node_adopt(n, plan_read_stage(r, below));
		else if (value_is_array(below))
			for (walk_begin(&w, below); walk_next(&w, &f);)
				if (value_is_document(f.value))
					plan_node_adopt(n, plan_read_stage(r, f.value));
	}
	name_join(r->tree, n);
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

void plan_add_examined(struct reading *r, struct figure keys, struct figure docs)
{
	bool first = r->planners++ == 0;

	r->examined.keys = first ? keys : figure_add(r->examined.keys, keys);
	r->examined.docs = first ? docs : figure_add(r->examined.docs, docs);
}

/* executionStats: the sums of one planner's stages. */
static void read_totals(struct reading *r, struct value stats, struct plan_node *root)
{
	struct plan_tree *t = r->tree;
	struct figure bytes = plan_figure(plan_get(plan_get(stats, "operationMetrics"), "docBytesRead"));
	struct value success = plan_get(stats, "executionSuccess");
	struct plan_node *examining = NULL;
	size_t examined_by = 0;
	bool first = r->planners == 0;

	if (t->verbosity < PLAN_EXECUTION_STATS && value_is_document(stats))
		t->verbosity = PLAN_EXECUTION_STATS;
	if (!value_is_missing(plan_get(stats, "allPlansExecution")))
		t->verbosity = PLAN_ALL_PLANS;
	t->failed = t->failed || (!value_is_missing(success) && !value_is_true(success));
	plan_add_examined(r, plan_figure(plan_get(stats, "totalKeysExamined")),
	                  plan_figure(plan_get(stats, "totalDocsExamined")));
	t->bytes = first ? bytes : figure_add(t->bytes, bytes);
	t->millis = first ? plan_figure(plan_get(stats, "executionTimeMillis")) : figure_unknown();
	if (first)
		t->returned = plan_figure(plan_get(stats, "nReturned"));
	if (first && root && !figure_known(t->returned))
		t->returned = root->returned;
	if (root)
		find_examining(root, &examining, &examined_by);
	if (examined_by == 1)
		examining->bytes = bytes;
}

static void read_planner_facts(struct plan_tree *t, struct value planner)
{
	struct value rejected = plan_get(planner, "rejectedPlans"), plans = plan_get(planner, "plans");

	if (!t->namespace_text)
		t->namespace_text = plan_text(plan_get(planner, "namespace"));
	if (value_is_missing(t->parsed_query))
		t->parsed_query = plan_get(planner, "parsedQuery");
	if (value_is_array(rejected))
		t->rejected_count += value_count(rejected);
	if (value_is_array(plans) && value_count(plans))
		t->rejected_count += value_count(plans) - 1;
}

static void add_choice(struct plan_tree *t, struct value planner, struct value trials, const struct plan_node *n)
{
	t->choices = memory_room(t->choices, t->choice_count, sizeof *t->choices);
	t->choices[t->choice_count++] = (struct plan_choice){ planner, trials, n };
}

static const struct plan_node *node_of_shard(const struct plan_node *n, struct value name)
{
	for (size_t i = 0; n && i < n->child_count; i++)
		if (n->children[i]->shard && name.type == BSON_TYPE_UTF8 && key_is(value_text(name), n->children[i]->shard))
			return n->children[i];
	return NULL;
}

static struct value trials_of_shard(struct value trials, struct value name)
{
	struct walk w;
	struct field f;

	if (value_is_array(trials) && name.type == BSON_TYPE_UTF8)
		for (walk_begin(&w, trials); walk_next(&w, &f);) {
			struct value shard = plan_get(f.value, "shardName");

			if (shard.type == BSON_TYPE_UTF8 && key_equal(value_text(shard), value_text(name)))
				return plan_get(f.value, "allPlans");
		}
	return value_missing();
}

/* A router's planner holds one of each shard. */
static void read_choices(struct plan_tree *t, struct value planner, struct value stats, const struct plan_node *n)
{
	struct value shards = plan_get(plan_get(planner, "winningPlan"), "shards");
	struct value trials = plan_get(stats, "allPlansExecution");
	struct walk w;
	struct field f;

	if (!value_is_array(shards)) {
		add_choice(t, planner, trials, n);
		return;
	}
	for (walk_begin(&w, shards); walk_next(&w, &f);) {
		struct value name = plan_get(f.value, "shardName");

		read_planner_facts(t, f.value);
		add_choice(t, f.value, trials_of_shard(trials, name), node_of_shard(n, name));
	}
}

static struct value winning_plan(struct value planner)
{
	struct value plan = plan_get(planner, "winningPlan");

	if (value_is_missing(plan))
		plan = first_plan(planner);
	return value_is_missing(plan) ? plan_get(planner, "Plan") : plan;
}

/* A plan as a list, the last stage first; a list in it holds the branches below the stage before it. */
static struct plan_node *read_list(struct reading *r, struct value list)
{
	struct plan_node *first = NULL, *last = NULL;
	struct walk w;
	struct field f;

	if (!plan_enter(r))
		return NULL;
	for (walk_begin(&w, list); walk_next(&w, &f);) {
		struct plan_node *n = value_is_document(f.value) ? plan_read_stage(r, f.value)
		                    : value_is_array(f.value)    ? read_list(r, f.value)
		                                                 : NULL;

		if (last)
			plan_node_adopt(last, n);
		first = first ? first : n;
		if (n && value_is_document(f.value))
			last = n;
	}
	r->depth--;
	return first;
}

static struct plan_node *read_plan(struct reading *r, struct value plan)
{
	if (value_is_array(plan))
		return read_list(r, plan);
	return value_is_document(plan) ? plan_read_stage(r, plan) : NULL;
}

/* {queryPlanner, executionStats}: the plan with the counters of its run, where there are any. */
struct plan_node *plan_read_planner(struct reading *r, struct value body)
{
	struct value planner = plan_get(body, "queryPlanner"), stats = plan_get(body, "executionStats");
	struct value winning = winning_plan(planner), run = plan_get(stats, "executionStages");
	bool slots = value_is_document(plan_get(winning, "queryPlan")) ||
	             value_is_document(plan_get(plan_get(plan_get(planner, "plans"), "0"), "slotBasedPlan"));
	struct plan_node *n = NULL;

	read_planner_facts(r->tree, planner);
	if (value_is_document(run) && !slots && (names_stage(run) || !value_is_document(winning)))
		n = plan_read_stage(r, run);
	else
		n = read_plan(r, winning);
	if (!n && r->tree->incomplete && value_is_document(stats)) /* the stages are left out, their sums are there */
		n = plan_node_new("?", stats);
	if (n && slots && value_is_document(run))
		plan_slots_join(n, run);
	if (!value_is_missing(plan_get(winning, "shards")))
		r->tree->sharded = true;
	read_choices(r->tree, planner, stats, n);
	read_totals(r, stats, n);
	return n;
}

/* A router's stage says what all shards examined. */
struct plan_node *plan_read_alone(struct reading *r, struct value stage)
{
	struct plan_node *n = plan_read_stage(r, stage);

	if (n && plan_node_joins_shards(n))
		plan_add_examined(r, n->keys, n->docs);
	return n;
}

/* {nReturned, executionStages, …}: executionStats without its name. */
struct plan_node *plan_read_run(struct reading *r, struct value body)
{
	struct plan_node *n = plan_read_stage(r, plan_get(body, "executionStages"));

	read_totals(r, body, n);
	if (n && plan_node_joins_shards(n) && value_is_missing(plan_get(body, "totalDocsExamined")))
		r->examined = (struct plan_work){ n->keys, n->docs };
	return n;
}

struct plan_node *plan_read_winning(struct reading *r, struct value body)
{
	read_planner_facts(r->tree, body);
	return read_plan(r, plan_get(body, "winningPlan"));
}

/* A document of the profiler: what the command as a whole examined stands around its stages. */
struct plan_node *plan_read_profile(struct reading *r, struct value body)
{
	struct plan_tree *t = r->tree;
	struct plan_node *n = plan_read_stage(r, plan_get(body, "execStats"));

	t->returned = plan_figure(plan_get(body, "nreturned"));
	if (n && !figure_known(t->returned))
		t->returned = n->returned;
	t->millis = plan_figure(plan_get(body, "millis"));
	t->namespace_text = plan_text(plan_get(body, "ns"));
	plan_add_examined(r, plan_figure(plan_get(body, "keysExamined")), plan_figure(plan_get(body, "docsExamined")));
	return n;
}
