#include "engine/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "engine/command.h"

void cursor_registry_init(struct cursor_registry *r)
{
	memset(r, 0, sizeof *r);
	r->now_us = interrupt_now_us;
	r->random_state = (uint64_t)interrupt_now_us() * 0x9E3779B97F4A7C15u ^ (uint64_t)(uintptr_t)r;
}

void cursor_registry_clear(struct cursor_registry *r)
{
	for (size_t i = 0; i < r->count; i++)
		cursor_destroy(r->cursors[i]);
	free(r->cursors);
	r->cursors = NULL;
	r->count = r->capacity = 0;
}

/* splitmix64: ids that do not look like a sequence. */
static uint64_t next_random(struct cursor_registry *r)
{
	uint64_t z = r->random_state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

struct cursor *cursor_new(struct query *q)
{
	struct cursor *c = memory_allocate_zeroed(1, sizeof *c);

	c->query = q;
	return c;
}

void cursor_destroy(struct cursor *c)
{
	if (!c)
		return;
	query_destroy(c->query);
	bytes_clear(&c->stashed);
	free(c);
}

void cursor_park(struct cursor_registry *r, struct cursor *c)
{
	stage_save(query_root(c->query));
	c->context = NULL;
	c->query->execution.interrupt = NULL;
	c->query->execution.error_details = NULL;
	c->used_us = r->now_us();
}

void cursor_register(struct cursor_registry *r, struct cursor *c, struct session session)
{
	do
		c->id = (int64_t)(next_random(r) & INT64_MAX);
	while (c->id == 0 || cursor_find(r, c->id, NULL));
	r->cursors = memory_grow(r->cursors, &r->capacity, r->count + 1, sizeof *r->cursors);
	r->cursors[r->count++] = c;
	c->session = session;
	cursor_park(r, c);
}

struct cursor *cursor_find(const struct cursor_registry *r, int64_t id, const char *namespace_text)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->cursors[i]->id == id &&
		    (!namespace_text || !strcmp(r->cursors[i]->query->namespace_text, namespace_text)))
			return r->cursors[i];
	return NULL;
}

void cursor_remove(struct cursor_registry *r, struct cursor *c)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->cursors[i] == c) {
			r->cursors[i] = r->cursors[--r->count];
			break;
		}
	cursor_destroy(c);
}

static bool is_over(const struct cursor *c, int64_t now_us)
{
	int64_t idle_us = now_us - c->used_us;

	if (c->session.is_set)
		return idle_us > SESSION_TIMEOUT_MILLIS * INT64_C(1000);
	return !c->no_timeout && idle_us > CURSOR_TIMEOUT_MILLIS * INT64_C(1000);
}

void cursor_reap(struct cursor_registry *r)
{
	int64_t now_us = r->count ? r->now_us() : 0;

	for (size_t i = r->count; i-- > 0;)
		if (is_over(r->cursors[i], now_us))
			cursor_remove(r, r->cursors[i]);
}

void cursor_use_session(struct cursor_registry *r, struct session session)
{
	for (size_t i = 0; session.is_set && i < r->count; i++)
		if (session_equal(r->cursors[i]->session, session))
			r->cursors[i]->used_us = r->now_us();
}

void cursor_end_session(struct cursor_registry *r, struct session session)
{
	for (size_t i = r->count; i-- > 0;)
		if (session_equal(r->cursors[i]->session, session))
			cursor_remove(r, r->cursors[i]);
}

/* $lookup and its like name collections anywhere in a pipeline: a text that equals the name is taken for one. */
static bool mentions(struct value v, const char *name, int depth)
{
	struct walk w;
	struct field f;

	if (v.type == BSON_TYPE_UTF8)
		return key_is(value_text(v), name);
	if ((!value_is_document(v) && !value_is_array(v)) || depth > VALUE_DEPTH_LIMIT)
		return false;
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (mentions(f.value, name, depth + 1))
			return true;
	return false;
}

static bool looks_at(const struct query *q, const char *db, const char *collection)
{
	if (strcmp(q->db, db) || q->list)
		return false;
	if (!collection || (q->collection && !strcmp(q->collection, collection)))
		return true;
	return q->pipeline && mentions(q->command, collection, 0);
}

/* The query goes now, for its stages point into the collection; what is left answers the next getMore. */
static void kill_query(struct cursor *c)
{
	struct query *q = c->query;

	c->killed = true;
	if (q->plan)
		plan_destroy(q->plan);
	if (q->pipeline)
		pipeline_destroy(q->pipeline);
	q->plan = NULL;
	q->pipeline = NULL;
}

void cursor_kill_collection(struct cursor_registry *r, const char *db, const char *collection)
{
	for (size_t i = 0; i < r->count; i++)
		if (!r->cursors[i]->killed && looks_at(r->cursors[i]->query, db, collection))
			kill_query(r->cursors[i]);
}

/* A find with a limit knows when it has given everything, and so does a lookup by _id; others find out by looking. */
static bool at_end(const struct cursor *c)
{
	const struct stage *root = query_root(c->query);

	return root->at_end || (c->limit && c->returned >= c->limit) ||
	       (root->advanced && !strcmp(root->type->name, "IDHACK"));
}

static enum stage_status next_row(struct cursor *c, struct row *row)
{
	if (c->stashed.size) {
		value_document(&row->document, c->stashed.data, c->stashed.size);
		return STAGE_ADVANCED;
	}
	return stage_next(query_root(c->query), row);
}

bool cursor_fill(struct cursor *c, int64_t documents, struct writer *w)
{
	struct execution *x = &c->query->execution;
	int64_t given = 0, bytes = 0;
	struct row row;

	while (documents < 0 || given < documents) {
		enum stage_status status = next_row(c, &row);

		if (status == STAGE_FAILED || x->failed)
			return false;
		if (status == STAGE_END) {
			c->done = true;
			return true;
		}
		if (row.document.size_bytes > LIMIT_INTERNAL_BYTES)
			return command_fail_too_large(x, row.document);
		if (given && bytes + row.document.size_bytes > CURSOR_BATCH_BYTES) {
			bytes_reset(&c->stashed);
			bytes_append(&c->stashed, row.document.bytes, row.document.size_bytes);
			return true;
		}
		if (w)
			writer_value(w, key_of(""), row.document);
		bytes_reset(&c->stashed);
		given++;
		bytes += row.document.size_bytes;
		c->returned++;
		x->counters.docs_returned++;
		x->counters.bytes_returned += row.document.size_bytes;
		if (!execution_tick(x))
			return false;
	}
	c->done = at_end(c);
	return true;
}

/* A client reads to the end: the first batch, then as much as a reply holds. */
static bool run_dry(struct cursor *c, int64_t first_batch, bool single_batch)
{
	if (!cursor_fill(c, first_batch, NULL))
		return false;
	while (!c->done && !single_batch) {
		c->query->execution.counters.get_mores++;
		if (!cursor_fill(c, CURSOR_NO_BATCH_SIZE, NULL))
			return false;
	}
	return true;
}

/* The id is known after the batch: its eight bytes are written late. */
static void write_id(struct writer *w, size_t *offset)
{
	writer_int64(w, "id", 0);
	*offset = w->out->size - 8;
}

static bool write_first_batch(struct command_call *call, struct cursor *c, int64_t first_batch, bool single_batch,
                              bool id_first)
{
	struct writer *w = call->reply;
	size_t id_offset;
	uint64_t id;

	writer_begin_document(w, key_of("cursor"));
	if (id_first) {
		write_id(w, &id_offset);
		writer_text(w, "ns", c->query->namespace_text);
	}
	writer_begin_array(w, key_of("firstBatch"));
	if (!cursor_fill(c, first_batch, w))
		return false;
	writer_end(w);
	if (!id_first) {
		write_id(w, &id_offset);
		writer_text(w, "ns", c->query->namespace_text);
	}
	writer_end(w);
	if (c->done || single_batch)
		return true;
	cursor_register(&call->engine->cursors, c, session_of_command(call->command));
	id = BSON_UINT64_TO_LE((uint64_t)c->id);
	memcpy(w->out->data + id_offset, &id, sizeof id);
	return true;
}

bool cursor_reply(struct command_call *call, struct cursor *c, struct value options, int64_t batch_size,
                  bool single_batch,
                  bool id_first)
{
	int64_t first_batch = command_option_number(options, "batchSize", batch_size);
	bool ok = call->dry_run ? run_dry(c, first_batch, single_batch)
	                        : write_first_batch(call, c, first_batch, single_batch, id_first);

	command_count(call, &c->query->execution.counters);
	if (!ok)
		command_fail_execution(call, &c->query->execution, c->context);
	if (!c->id)
		cursor_destroy(c);
	return ok;
}
