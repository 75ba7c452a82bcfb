/* find, aggregate, getMore, killCursors, count, distinct. */
#include "base/limits.h"
#include "engine/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"

enum { DISTINCT_LIMIT_BYTES = LIMIT_USER_BYTES - 16 * 1024 };

bool command_find(struct command_call *call)
{
	struct query *q = query_for_find(call, call->command, command_collection(call));
	struct cursor *c;
	char context[400];

	if (!q)
		return false;
	c = cursor_new(q);
	snprintf(context, sizeof context, "Executor error during find command: %.300s", q->namespace_text);
	c->context = context;
	c->limit = q->request.limit;
	c->no_timeout = command_option_bool(call->command, "noCursorTimeout", false);
	return cursor_reply(call, c, call->command, CURSOR_FIRST_BATCH,
	                    command_option_bool(call->command, "singleBatch", false),
	                    false);
}

static bool check_cursor_option(struct command_call *call, struct value cursor)
{
	static const struct command_option options[] = {
		{ "batchSize", OPTION_COUNT, OPTION_USED },
		{ NULL, OPTION_ANY, OPTION_USED }
	};

	if (!value_is_document(cursor))
		return command_fail(call, CODE_TypeMismatch, "cursor field must be missing or an object");
	return command_check_options(cursor, "cursor", options, 0, false, &call->error);
}

bool command_aggregate(struct command_call *call)
{
	struct value cursor = command_option(call->command, "cursor");
	struct query *q;
	struct cursor *c;

	if (command_option_bool(call->command, "explain", false))
		return command_explain_aggregate(call);
	if (value_is_missing(cursor))
		return command_fail(call, CODE_FailedToParse,
		                    "The 'cursor' option is required, except for aggregate with the explain argument");
	if (!check_cursor_option(call, cursor))
		return false;
	q = query_for_aggregate(call, call->command);
	if (!q)
		return false;
	c = cursor_new(q);
	c->context = "PlanExecutor error during aggregation";
	return cursor_reply(call, c, cursor, CURSOR_FIRST_BATCH, false, false);
}

static bool get_more(struct command_call *call, struct cursor *c)
{
	struct writer *w = call->reply;

	writer_begin_document(w, key_of("cursor"));
	writer_begin_array(w, key_of("nextBatch"));
	if (!cursor_fill(c, command_option_number(call->command, "batchSize", 0) > 0
	                        ? command_option_number(call->command, "batchSize", 0)
	                        : CURSOR_NO_BATCH_SIZE, w))
		return command_fail_execution(call, &c->query->execution, "Executor error during getMore");
	writer_end(w);
	writer_int64(w, "id", c->done ? 0 : c->id);
	writer_text(w, "ns", c->query->namespace_text);
	writer_end(w);
	return true;
}

bool command_get_more(struct command_call *call)
{
	struct value id = value_get(call->command, "getMore");
	struct cursor *c;
	struct cursor_registry *r = &call->engine->cursors;
	char namespace_text[400];
	bool ok;

	if (call->dry_run)
		return command_fail(call, CODE_IllegalOperation,
		                    "a getMore cannot be measured: measure the command that opened its cursor");
	if (id.type != BSON_TYPE_INT64)
		return command_fail(call, CODE_TypeMismatch,
		                    "BSON field 'getMore.getMore' is the wrong type '%s', expected type 'long'",
		                    value_type_name(id.type));
	snprintf(namespace_text, sizeof namespace_text, "%s.%s", call->db,
	         value_text(value_get(call->command, "collection")).bytes);
	c = cursor_find(r, value_int64(id), NULL);
	if (!c)
		return command_fail(call, CODE_CursorNotFound, "cursor id %lld not found", (long long)value_int64(id));
	if (!session_check(c->session, session_of_command(call->command), c->id, &call->error))
		return false;
	if (strcmp(c->query->namespace_text, namespace_text))
		return command_fail(call, CODE_Unauthorized,
		                    "Requested getMore on namespace '%.150s', but cursor belongs to a different namespace %.150s",
		                    namespace_text, c->query->namespace_text);
	if (c->killed) {
		command_fail(call, CODE_QueryPlanKilled, "collection dropped: %s", c->query->namespace_text);
		cursor_remove(r, c);
		return false;
	}
	query_adopt(c->query, call);
	ok = get_more(call, c);
	if (!ok || c->done)
		cursor_remove(r, c);
	else
		cursor_park(r, c);
	return ok;
}

bool command_kill_cursors(struct command_call *call)
{
	static const char *const lists[] = { "cursorsKilled", "cursorsNotFound", "cursorsAlive", "cursorsUnknown" };
	struct value ids = value_get(call->command, "cursors");
	struct cursor_registry *r = &call->engine->cursors;
	char namespace_text[400];
	struct walk w;
	struct field f;

	snprintf(namespace_text, sizeof namespace_text, "%s.%s", call->db, command_collection(call));
	walk_begin(&w, ids);
	while (walk_next(&w, &f))
		if (f.value.type != BSON_TYPE_INT64)
			return command_fail(call, CODE_TypeMismatch,
			                    "BSON field 'killCursors.cursors.%.*s' is the wrong type '%s', expected type 'long'",
			                    (int)f.key.size_bytes, f.key.bytes, value_type_name(f.value.type));
	/* the reply sorts the ids into four lists, two of which are always empty here */
	for (size_t list = 0; list < 4; list++) {
		writer_begin_array(call->reply, key_of(lists[list]));
		walk_begin(&w, ids);
		while (list < 2 && walk_next(&w, &f))
			if ((cursor_find(r, value_int64(f.value), namespace_text) != NULL) == (list == 0))
				writer_value(call->reply, f.key, f.value);
		writer_end(call->reply);
		if (list != 1)
			continue;
		walk_begin(&w, ids);
		while (walk_next(&w, &f)) {
			struct cursor *c = cursor_find(r, value_int64(f.value), namespace_text);

			if (c)
				cursor_remove(r, c);
		}
	}
	return true;
}

bool command_count_documents(struct command_call *call)
{
	struct query *q = query_for_count(call, call->command, command_collection(call));
	bool ok;

	if (!q)
		return false;
	ok = query_exhaust(q) || command_fail_execution(call, &q->execution, "Executor error during count command");
	command_count(call, &q->execution.counters);
	if (ok)
		writer_number(call->reply, "n", plan_counted(q->plan));
	query_destroy(q);
	return ok;
}

/* The values met so far: an open-addressing table over their copies. */
struct distinct {
	struct value *values; /* in the order they were met */
	size_t count, capacity;
	uint32_t *slots;      /* index + 1; 0: free */
	size_t slot_count;    /* a power of two */
	struct arena arena;
	int64_t bytes;
};

static void distinct_grow(struct distinct *d)
{
	size_t slot_count = d->slot_count ? d->slot_count * 2 : 64;

	free(d->slots);
	d->slots = memory_allocate_zeroed(slot_count, sizeof *d->slots);
	d->slot_count = slot_count;
	for (size_t i = 0; i < d->count; i++) {
		size_t at = value_hash(d->values[i]) & (slot_count - 1);

		while (d->slots[at])
			at = (at + 1) & (slot_count - 1);
		d->slots[at] = (uint32_t)i + 1;
	}
}

static void distinct_add(struct distinct *d, struct value v)
{
	size_t at;

	if (d->slot_count < (d->count + 1) * 2)
		distinct_grow(d);
	for (at = value_hash(v) & (d->slot_count - 1); d->slots[at]; at = (at + 1) & (d->slot_count - 1))
		if (value_equal(d->values[d->slots[at] - 1], v))
			return;
	d->values = memory_grow(d->values, &d->capacity, d->count + 1, sizeof *d->values);
	d->values[d->count++] = value_make_copy(&d->arena, v);
	d->slots[at] = (uint32_t)d->count;
	d->bytes += v.size_bytes;
}

/* Every value along the path, arrays opened on the way and at its end, as MongoDB's distinct does. */
static void distinct_along(struct distinct *d, struct value v, const struct path *path, size_t level)
{
	struct walk w;
	struct field f;
	uint32_t index;

	if (level == path->count) {
		if (!value_is_array(v)) {
			distinct_add(d, v);
			return;
		}
		walk_begin(&w, v);
		while (walk_next(&w, &f))
			distinct_add(d, f.value);
		return;
	}
	if (value_is_document(v)) {
		v = value_get_key(v, path->keys[level]);
		if (!value_is_missing(v))
			distinct_along(d, v, path, level + 1);
	} else if (value_is_array(v)) {
		bool by_index = path_key_is_index(path->keys[level], &index);

		walk_begin(&w, v);
		for (uint32_t i = 0; walk_next(&w, &f); i++) {
			if (by_index && i == index)
				distinct_along(d, f.value, path, level + 1);
			else if (value_is_document(f.value))
				distinct_along(d, f.value, path, level);
		}
	}
}

static bool distinct_run(struct command_call *call, struct query *q, struct distinct *d, const struct path *path)
{
	struct stage *root = query_root(q);
	struct row row;
	enum stage_status status;

	while ((status = stage_next(root, &row)) == STAGE_ADVANCED) {
		distinct_along(d, row.document, path, 0);
		if (d->bytes > DISTINCT_LIMIT_BYTES)
			return command_fail(call, 17217, "distinct too big, 16mb cap");
		if (!execution_tick(&q->execution))
			break;
	}
	if (q->execution.failed)
		return command_fail_execution(call, &q->execution, "Executor error during distinct command");
	q->execution.counters.docs_returned += (int64_t)d->count;
	q->execution.counters.bytes_returned += d->bytes;
	return true;
}

bool command_distinct(struct command_call *call)
{
	struct query *q = query_for_distinct(call, call->command, command_collection(call));
	struct distinct d;
	struct path path;
	bool ok;

	if (!q)
		return false;
	memset(&d, 0, sizeof d);
	arena_init(&d.arena);
	path_parse(&path, value_text(value_get(q->command, "key")));
	ok = distinct_run(call, q, &d, &path);
	command_count(call, &q->execution.counters);
	writer_begin_array(call->reply, key_of("values"));
	for (size_t i = 0; i < d.count; i++)
		writer_value(call->reply, key_of(""), d.values[i]);
	writer_end(call->reply);
	path_clear(&path);
	free(d.values);
	free(d.slots);
	arena_clear(&d.arena);
	query_destroy(q);
	return ok;
}
