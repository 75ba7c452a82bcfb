/* {shards: {name: plan, …}} or a list of plans that name theirs; the router's own stages stand above them. */
#include "plan/tree_private.h"

static struct plan_node *read_merger(struct reading *r, struct value body, struct plan_node *shards)
{
	struct value merger = plan_get(plan_get(body, "splitPipeline"), "mergerPart");
	struct plan_node *last, *first;

	if (!value_is_array(merger) || !plan_enter(r))
		return shards;
	last = plan_read_chain(r, merger);
	r->depth--;
	if (!last)
		return shards;
	for (first = last; first->has_input;)
		first = first->children[0];
	plan_node_set_input(first, shards);
	return last;
}

struct plan_node *plan_read_shards(struct reading *r, struct value body)
{
	struct value shards = plan_get(body, "shards");
	struct plan_node *all = plan_node_new("SHARDS", body), *n;
	struct walk w;
	struct field f;

	r->tree->sharded = true;
	for (walk_begin(&w, shards); walk_next(&w, &f);) {
		r->gap = r->gap || f.value.type == BSON_TYPE_UNDEFINED;
		if (!value_is_document(f.value) || !(n = plan_read_body(r, f.value)))
			continue;
		if (!n->shard)
			n->shard = value_is_array(shards) ? plan_text(plan_get(f.value, "shardName")) : plan_key_text(f.key);
		plan_node_adopt(all, n);
	}
	return read_merger(r, body, all);
}
