/* What a stage held in memory and what of it went to disk. */
#include <stddef.h>

#include "plan/tree_private.h"

/* Where the numbers stand. The later of two names that are both there wins: it says more. */
static const struct {
	const char *name;
	size_t offset;
} figures[] = {
	{ "memUsage", offsetof(struct plan_node, memory_bytes) },
	{ "totalDataSizeSortedBytesEstimate", offsetof(struct plan_node, memory_bytes) },
	{ "totalDataSizeSorted", offsetof(struct plan_node, memory_bytes) },
	{ "maxTotalMemoryUsageBytes", offsetof(struct plan_node, memory_bytes) },
	{ "maxUsedMemBytes", offsetof(struct plan_node, memory_bytes) },
	{ "peakTrackedMemBytes", offsetof(struct plan_node, memory_bytes) },
	{ "spills", offsetof(struct plan_node, spills) },
	{ "spilledRecords", offsetof(struct plan_node, spilled_records) },
	{ "numBytesSpilledEstimate", offsetof(struct plan_node, spilled_bytes) },
	{ "spilledBytesApprox", offsetof(struct plan_node, spilled_bytes) },
	{ "spilledBytes", offsetof(struct plan_node, spilled_bytes) },
	{ "spilledDataStorageSize", offsetof(struct plan_node, spilled_disk_bytes) },
};

/* Documents that tell the most that each computed field held: not at the same time, so that no sum is right. */
static const char *const by_field[] = { "maxAccumulatorMemoryUsageBytes", "maxFunctionMemoryUsageBytes" };

static struct figure largest(struct value fields)
{
	struct figure most = figure_unknown();
	struct walk w;
	struct field f;

	for (walk_begin(&w, fields); walk_next(&w, &f);) {
		struct figure held = plan_figure(f.value);

		if (figure_known(held) && (!figure_known(most) || held.value > most.value))
			most = held;
	}
	most.at_least = figure_known(most);
	return most;
}

void plan_node_fill_memory(struct plan_node *n, const struct field_table *stage)
{
	for (size_t i = 0; i < sizeof by_field / sizeof *by_field; i++) {
		struct value fields = field_table_get(stage, by_field[i]);

		if (value_is_document(fields))
			n->memory_bytes = largest(fields);
	}
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct figure f = plan_figure(field_table_get(stage, figures[i].name));

		if (figure_known(f))
			*(struct figure *)((char *)n + figures[i].offset) = f;
	}
	n->spilled = n->spilled || value_is_true(field_table_get(stage, "usedDisk")) ||
	             (figure_known(n->spills) && n->spills.value > 0);
}
