/* {shards: {name: plan, …}} or a list of plans that name theirs; the router's own stages stand above them. */
#include "plan/tree_private.h"

static struct plan_node *read_merger(struct reading *r, struct value body, struct plan_node *shards)
{
	struct value split = plan_get(body, "splitPipeline");
	struct value merger = plan_get(value_is_document(split) ? split : body, "mergerPart");
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

/* As summaries in MongoDB's own tests have it: the shards stand beside the router's part under their names. */
struct plan_node *plan_read_split(struct reading *r, struct value body)
{
	struct plan_node *all = plan_node_new("SHARDS", body), *n;
	struct walk w;
	struct field f;

	r->tree->sharded = true;
	for (walk_begin(&w, body); walk_next(&w, &f);) {
		if (key_is(f.key, "mergerPart") || key_is(f.key, "shardsPart") || !plan_enter(r))
			continue;
		n = value_is_array(f.value) ? plan_read_chain(r, f.value) : plan_read_body(r, f.value);
		r->depth--;
		if (n && !n->shard)
			n->shard = plan_key_text(f.key);
		plan_node_adopt(all, n);
	}
	return read_merger(r, body, all);
}
