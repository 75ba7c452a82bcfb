/*
 * The slot-based engine runs many small stages for one stage of the plan and says of each, by planNodeId, which it was
 * made for. The plan's tree stands; the counters come to it from there.
 */
#include <string.h>

#include "plan/tree_private.h"

static const char *const inputs[] = { "inputStage", "outerStage", "innerStage", "thenStage", "elseStage" };

/* What the reads of a stage are, where it does not say so itself. */
static const struct {
	const char *stage;
	bool keys;
} readers[] = {
	{ "ixseek", true }, { "ixscan", true }, { "ixscan_generic", true },
	{ "seek", false },  { "scan", false },  { "clusteredscan", false },
};

static struct plan_node *find(struct plan_node *n, int64_t id)
{
	int64_t own;

	if (value_as_int64(plan_get(n->source, "planNodeId"), &own) && own == id)
		return n;
	for (size_t i = 0; i < n->child_count; i++) {
		struct plan_node *found = find(n->children[i], id);

		if (found)
			return found;
	}
	return NULL;
}

static void add(struct figure *sum, struct figure more)
{
	if (figure_known(more))
		*sum = figure_known(*sum) ? figure_add(*sum, more) : more;
}

static void add_reads(struct plan_node *n, struct value stage)
{
	struct value name = plan_get(stage, "stage"), reads = plan_get(stage, "numReads");

	add(&n->keys, plan_figure(plan_get(stage, "keysExamined")));
	add(&n->docs, plan_figure(plan_get(stage, "docsExamined")));
	if (name.type != BSON_TYPE_UTF8 || !value_is_missing(plan_get(stage, "keysExamined")))
		return;
	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
		if (key_is(value_text(name), readers[i].stage))
			add(readers[i].keys ? &n->keys : &n->docs, plan_figure(reads));
}

static void join(struct plan_node *root, struct value stage, int depth)
{
	struct field_table fields;
	struct plan_node *n;
	int64_t id;

	if (depth > VALUE_DEPTH_LIMIT)
		return;
	if (value_as_int64(plan_get(stage, "planNodeId"), &id) && (n = find(root, id))) {
		if (!figure_known(n->returned)) { /* the first that is met is the topmost */
			n->returned = plan_figure(plan_get(stage, "nReturned"));
			n->millis = plan_figure(plan_get(stage, "executionTimeMillisEstimate"));
			n->micros = plan_figure(plan_get(stage, "executionTimeMicros"));
		}
		add_reads(n, stage);
		field_table_init(&fields, stage);
		plan_node_fill_memory(n, &fields);
	}
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
		if (value_is_document(plan_get(stage, inputs[i])))
			join(root, plan_get(stage, inputs[i]), depth + 1);
	if (value_is_array(plan_get(stage, "inputStages"))) {
		struct walk w;
		struct field f;

		for (walk_begin(&w, plan_get(stage, "inputStages")); walk_next(&w, &f);)
			if (value_is_document(f.value))
				join(root, f.value, depth + 1);
	}
}

void plan_slots_join(struct plan_node *root, struct value execution)
{
	join(root, execution, 0);
}
