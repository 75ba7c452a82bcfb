/*
 * The slot-based engine runs many small stages for one stage of the plan and says of each, by planNodeId, which it was
 * made for. The plan's tree stands; the counters come to it from there.
 */
#include <stdlib.h>

#include "base/memory.h"
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

/* The plan's nodes by their planNodeId; of those with one id the first of the tree stands first. */
struct by_id {
	struct identified {
		int64_t id;
		size_t order;
		struct plan_node *node;
	} *entries;
	size_t count, capacity;
};

static void collect(struct by_id *nodes, struct plan_node *n)
{
	int64_t id;

	if (value_as_int64(plan_get(n->source, "planNodeId"), &id)) {
		nodes->entries = memory_grow(nodes->entries, &nodes->capacity, nodes->count + 1, sizeof *nodes->entries);
		nodes->entries[nodes->count] = (struct identified){ id, nodes->count, n };
		nodes->count++;
	}
	for (size_t i = 0; i < n->child_count; i++)
		collect(nodes, n->children[i]);
}

static int compare(const void *a, const void *b)
{
	const struct identified *x = a, *y = b;

	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->order > y->order) - (x->order < y->order);
}

/* Null: no node has it. */
static struct plan_node *find(const struct by_id *nodes, int64_t id)
{
	size_t low = 0, high = nodes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (nodes->entries[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nodes->count && nodes->entries[low].id == id ? nodes->entries[low].node : NULL;
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

static void join(const struct by_id *nodes, struct value stage, int depth)
{
	struct field_table fields;
	struct plan_node *n;
	int64_t id;

	if (depth > VALUE_DEPTH_LIMIT)
		return;
	if (value_as_int64(plan_get(stage, "planNodeId"), &id) && (n = find(nodes, id))) {
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
			join(nodes, plan_get(stage, inputs[i]), depth + 1);
	if (value_is_array(plan_get(stage, "inputStages"))) {
		struct walk w;
		struct field f;

		for (walk_begin(&w, plan_get(stage, "inputStages")); walk_next(&w, &f);)
			if (value_is_document(f.value))
				join(nodes, f.value, depth + 1);
	}
}

void plan_slots_join(struct plan_node *root, struct value execution)
{
	struct by_id nodes = { .count = 0 };

	collect(&nodes, root);
	if (nodes.count)
		qsort(nodes.entries, nodes.count, sizeof *nodes.entries, compare);
	join(&nodes, execution, 0);
	free(nodes.entries);
}
