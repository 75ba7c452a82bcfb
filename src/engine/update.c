#include "engine/update_private.h"

#include <stdio.h>
#include <string.h>

#include "bson/compare.h"

static const struct update_node *first_leaf(const struct update_node *node)
{
	while (node->kind != UPDATE_LEAF)
		node = node->children[0].node;
	return node;
}

/* The leaf that changed _id, for the message. */
static struct key id_path(const struct update *u)
{
	for (size_t i = 0; i < u->root->child_count; i++)
		if (key_is(u->root->children[i].key, "_id"))
			return first_leaf(u->root->children[i].node)->path;
	return key_of("_id");
}

static bool check_id(struct update_run *run, struct value result)
{
	struct value before = value_get(run->document, "_id"), after = value_get(result, "_id");
	struct key path;

	if (value_is_missing(before) || (!value_is_missing(after) && value_equal(before, after)))
		return true;
	if (!run->update->root)
		return execution_fail(run->x, CODE_ImmutableField,
		                      "After applying the update, the (immutable) field '_id' was found to have been altered to "
		                      "%s", update_print_field(run, key_of("_id"), after, false));
	path = id_path(run->update);
	return execution_fail(run->x, CODE_ImmutableField,
	                      "Performing an update on the path '%.*s' would modify the immutable field '_id'",
	                      (int)path.size_bytes, path.bytes);
}

static bool apply_operators(struct update_run *run, const struct match *filter, struct bytes *out)
{
	struct update_child root = { key_of(""), run->update->root };
	int64_t position = -1;

	if (run->update->needs_position && filter && !run->inserting) {
		match_test_position(filter, run->x, run->document, &position);
		if (run->x->failed)
			return false;
	}
	if (position >= 0)
		run->position = (struct key){ run->position_text,
		                              (uint32_t)snprintf(run->position_text, sizeof run->position_text, "%lld",
		                                                 (long long)position) };
	writer_begin(&run->writer, out);
	if (!update_walk(run, &root, 1, run->document))
		return false;
	writer_finish(&run->writer);
	return true;
}

/* The fields as they are given; the _id stays, first. A zero timestamp is the time of the write. */
static bool apply_replacement(struct update_run *run, struct bytes *out)
{
	struct value id = value_get(run->update->value, "_id");
	struct walk w;
	struct field f;

	if (value_is_missing(id))
		id = value_get(run->document, "_id");
	writer_begin(&run->writer, out);
	writer_put(&run->writer, "_id", id);
	walk_begin(&w, run->update->value);
	while (walk_next(&w, &f)) {
		if (key_is(f.key, "_id"))
			continue;
		if (f.value.type == BSON_TYPE_TIMESTAMP && value_int64(f.value) == 0) {
			f.value = value_make_int64(&run->arena, (int64_t)((uint64_t)run->x->now_millis / 1000 << 32 | 1));
			f.value.type = BSON_TYPE_TIMESTAMP;
		}
		writer_value(&run->writer, f.key, f.value);
	}
	writer_finish(&run->writer);
	return true;
}

static struct value made_document(const struct bytes *out)
{
	return (struct value){ out->data, (uint32_t)out->size, BSON_TYPE_DOCUMENT };
}

static void begin_with_id(struct update_run *run, struct bytes *out, struct value id)
{
	struct bytes ordered = BYTES_INIT;
	struct walk w;
	struct field f;

	writer_begin(&run->writer, &ordered);
	writer_put(&run->writer, "_id", id);
	walk_begin(&w, made_document(out));
	while (walk_next(&w, &f))
		if (!key_is(f.key, "_id"))
			writer_value(&run->writer, f.key, f.value);
	writer_finish(&run->writer);
	bytes_clear(out);
	*out = ordered;
}

/* An inserted document begins with its _id. */
static void put_id_first(struct update_run *run, struct bytes *out)
{
	struct value id = value_get(made_document(out), "_id");
	struct walk w;
	struct field f;
	bson_oid_t made;

	walk_begin(&w, made_document(out));
	if (walk_next(&w, &f) && key_is(f.key, "_id"))
		return;
	if (value_is_missing(id)) {
		bson_oid_init(&made, NULL);
		id = (struct value){ made.bytes, sizeof made.bytes, BSON_TYPE_OID };
	}
	begin_with_id(run, out, id);
}

/* A pipeline whose last document has no _id does not take it away. */
static void keep_id(struct update_run *run, struct bytes *out)
{
	struct value id = value_get(run->document, "_id");

	if (!value_is_missing(id) && value_is_missing(value_get(made_document(out), "_id")))
		begin_with_id(run, out, id);
}

bool update_apply(const struct update *u, struct execution *x, struct value document, const struct match *filter,
                  bool inserting, struct bytes *out, bool *changed)
{
	struct update_run run; /* field by field: most of it is room for deep paths */
	bool applied;

	run.update = u;
	run.x = x;
	run.document = document;
	run.inserting = inserting;
	run.touched = false;
	run.position = run.array_above = (struct key){ NULL, 0 };
	run.step_count = 0;
	arena_init(&run.arena);
	bytes_reset(out);
	bytes_reserve(out, document.size_bytes + 64);
	if (u->pipeline)
		applied = update_pipeline_apply(u->pipeline, x, document, out);
	else if (u->root)
		applied = apply_operators(&run, filter, out);
	else
		applied = apply_replacement(&run, out);
	if (applied && u->pipeline)
		keep_id(&run, out);
	applied = applied && !x->failed && check_id(&run, made_document(out));
	if (applied && inserting)
		put_id_first(&run, out);
	*changed = applied && (run.touched || out->size != document.size_bytes ||
	                       memcmp(out->data, document.bytes, out->size));
	arena_clear(&run.arena);
	return applied;
}
