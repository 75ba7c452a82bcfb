/* A query that several shards were asked for. */
#include <string.h>

#include "plan/findings_private.h"

static bool has_filter(const struct plan_node *n)
{
	if (n->filter || n->bounds)
		return true;
	for (size_t i = 0; i < n->child_count; i++)
		if (has_filter(n->children[i]))
			return true;
	return false;
}

/* Nothing came from it: known, and none. */
static bool gave_nothing(const struct plan_node *shard)
{
	while (!figure_known(shard->returned) && shard->child_count)
		shard = shard->children[0];
	return figure_known(shard->returned) && shard->returned.value == 0;
}

void judge_shards(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	bool joins = plan_node_joins_shards(n);
	size_t shards = 0, empty = 0;
	char examined[32];

	for (size_t i = 0; joins && i < n->child_count; i++) {
		shards++;
		empty += gave_nothing(n->children[i]);
	}
	if (shards < 2 || !has_filter(n))
		return; /* all of a collection is on all shards */
	bytes_format(&text, "%zu shards were asked", shards);
	if (empty)
		bytes_format(&text, ", %zu of them returned nothing", empty);
	if (figure_known(j->tree->total.docs))
		bytes_format(&text, ", %s documents examined on all", finding_count(j->tree->total.docs, examined));
	finding_add(j, FINDING_SHARDS, n, &text, "the shard key in the filter, where the question allows it: one shard is asked then",
	            "another shard key means that the whole collection is moved (reshardCollection)");
}
