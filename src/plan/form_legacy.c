/* What releases before 3.0 replied: {cursor: "BtreeCursor age_1", n, nscanned, nscannedObjects, millis, …}. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/tree_private.h"

/* "BtreeCursor age_1 reverse": the index's name is the second word. */
static char *index_of(const char *cursor)
{
	const char *name = strchr(cursor, ' '), *end;
	struct bytes text = BYTES_INIT;

	if (!name)
		return NULL;
	end = strchr(++name, ' ');
	bytes_append(&text, name, end ? (size_t)(end - name) : strlen(name));
	return bytes_take_text(&text);
}

static struct plan_node *read_cursor(struct value body)
{
	char *cursor = plan_text(plan_get(body, "cursor"));
	struct plan_node *n;

	if (!cursor)
		cursor = plan_text(plan_get(body, "clusteredType"));
	n = plan_node_new("?", body);
	plan_node_fill(n, body);
	if (cursor) {
		n->index = index_of(cursor);
		cursor[strcspn(cursor, " ")] = 0;
		free(n->stage);
		n->stage = cursor;
	}
	return n;
}

static void read_shard(struct reading *r, struct plan_node *all, struct field shard)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, shard.value); walk_next(&w, &f);) {
		struct plan_node *n;

		if (!value_is_document(f.value) || !plan_enter(r))
			continue;
		n = read_cursor(f.value);
		n->shard = plan_key_text(shard.key);
		plan_node_adopt(all, n);
		r->depth--;
	}
}

struct plan_node *plan_read_legacy(struct reading *r, struct value body)
{
	struct plan_tree *t = r->tree;
	struct value shards = plan_get(body, "shards");
	struct plan_node *n = read_cursor(body);
	struct walk w;
	struct field f;

	t->legacy = true;
	if (!value_is_missing(plan_get(body, "allPlans")))
		t->verbosity = PLAN_ALL_PLANS;
	else
		t->verbosity = PLAN_EXECUTION_STATS;
	if (value_is_document(shards)) {
		char *kind = plan_text(plan_get(body, "clusteredType"));

		t->sharded = true;
		for (walk_begin(&w, shards); walk_next(&w, &f);)
			if (value_is_array(f.value))
				read_shard(r, n, f);
		if (kind) {
			free(n->stage);
			n->stage = kind;
		}
	}
	r->examined = (struct plan_work){ plan_figure(plan_get(body, "nscanned")), plan_figure(plan_get(body, "nscannedObjects")) };
	r->planners++;
	t->returned = plan_figure(plan_get(body, "n"));
	t->millis = plan_figure(plan_get(body, "millis"));
	return n;
}
