#include "model/plan_summary.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/print.h"

/* The first document of that name at any level. */
static struct value find_document(struct value in, const char *name, int levels)
{
	struct walk w;
	struct field f;

	walk_begin(&w, in);
	while (levels > 0 && walk_next(&w, &f)) {
		struct value found;

		if (!value_is_document(f.value) && !value_is_array(f.value))
			continue;
		if (key_is(f.key, name) && value_is_document(f.value))
			return f.value;
		found = find_document(f.value, name, levels - 1);
		if (!value_is_missing(found))
			return found;
	}
	return value_missing();
}

static void add_leaves(struct bytes *out, struct value stage, int levels)
{
	struct value below = value_get(stage, "inputStage"), several = value_get(stage, "inputStages"), index;
	struct value name = value_get(stage, "stage");
	struct walk w;
	struct field f;

	if (!levels)
		return;
	if (value_is_document(below)) {
		add_leaves(out, below, levels - 1);
		return;
	}
	if (value_is_array(several)) {
		walk_begin(&w, several);
		while (walk_next(&w, &f))
			if (value_is_document(f.value))
				add_leaves(out, f.value, levels - 1);
		return;
	}
	if (name.type != BSON_TYPE_UTF8)
		return;
	if (out->size)
		bytes_append_text(out, ", ");
	print_text(out, value_text(name).bytes, value_text(name).size_bytes);
	index = value_get(stage, "indexName");
	if (index.type == BSON_TYPE_UTF8) {
		bytes_append_byte(out, ' ');
		print_text(out, value_text(index).bytes, value_text(index).size_bytes);
	}
}

char *plan_summary_of(struct value explain)
{
	struct value plan = find_document(explain, "winningPlan", VALUE_DEPTH_LIMIT), inner;
	struct bytes out = BYTES_INIT;

	if (value_is_missing(plan))
		return NULL;
	/* the slot-based engine's plan stands one level deeper */
	inner = value_get(plan, "queryPlan");
	add_leaves(&out, value_is_document(inner) ? inner : plan, VALUE_DEPTH_LIMIT);
	if (!out.size) {
		bytes_clear(&out);
		return NULL;
	}
	return bytes_take_text(&out);
}

char *plan_summary(struct source *s, const char *db, struct value command, const struct interrupt *interrupt)
{
	struct walk w;
	struct field first;
	bson_t inside, reply;
	bson_t *explain;
	char *summary = NULL;

	walk_begin(&w, command);
	if (!walk_next(&w, &first) || !value_to_bson(&inside, command))
		return NULL;
	if (key_is(first.key, "insert"))
		return memory_duplicate_text("INSERT");
	explain = BCON_NEW("explain", BCON_DOCUMENT(&inside), "verbosity", BCON_UTF8("queryPlanner"));
	if (source_command(s, db, explain, &reply, interrupt, NULL))
		summary = plan_summary_of(value_from_bson(&reply));
	bson_destroy(&reply);
	bson_destroy(explain);
	return summary;
}
