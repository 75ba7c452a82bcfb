/* One command on a thread of its own, and what becomes of it when nobody waits any more. */
#include "remote/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "bson/writer.h"

enum {
	GRACE_US = 1000000,    /* after a server's own time limit, for its answer to come */
	SELECTION_US = 4000000 /* to find a server at first */
};

struct call {
	struct task task;
	struct connection *connection; /* a reference */
	const struct permit *row;
	char *db;
	struct bytes command;
	char tag[48]; /* comment that the operation is found by when there is no session */
	struct conversation conversation;
	mongoc_read_prefs_t *preference;

	/* Written by the thread before it is done; read after. */
	bson_t reply;
	bson_error_t error;
	bool good;

	/* Under the task's lock. */
	bool sent, cancelled;
	bool tagged;
	bson_t session_id; /* empty: none */
};

static void free_call(struct task *t)
{
	struct call *call = (struct call *)t;

	conversation_end(&call->conversation, call->connection);
	driver()->mongoc_read_prefs_destroy(call->preference);
	bson_destroy(&call->reply);
	bson_destroy(&call->session_id);
	bytes_clear(&call->command);
	free(call->db);
	connection_release(call->connection);
	free(call);
}

/* False: cancelled before anything was sent. */
static bool announce(struct call *call, bool tagged)
{
	bool go;

	pthread_mutex_lock(&call->task.lock);
	go = call->sent = !call->cancelled;
	call->tagged = tagged;
	if (call->conversation.session) {
		bson_destroy(&call->session_id);
		bson_copy_to(driver()->mongoc_client_session_get_lsid(call->conversation.session), &call->session_id);
	}
	pthread_mutex_unlock(&call->task.lock);
	return go;
}

static int64_t reply_cursor(const bson_t *reply)
{
	struct value cursor = value_get(value_from_bson(reply), "cursor");
	int64_t id = 0;

	if (value_is_document(cursor))
		value_as_int64(value_get(cursor, "id"), &id);
	return id;
}

static bool append_tag(const struct call *call, bson_t *command)
{
	bool takes = !strcmp(call->row->name, "find") || !strcmp(call->row->name, "aggregate");

	return !call->conversation.session && takes && !bson_has_field(command, "comment") &&
	       BSON_APPEND_UTF8(command, "comment", call->tag);
}

static void run_call(struct task *t)
{
	struct call *call = (struct call *)t;
	struct conversation *v = &call->conversation;
	bson_t bare, command;

	if (!v->client && !conversation_begin(v, call->connection, call->preference, &call->error))
		return;
	bson_init_static(&bare, call->command.data, call->command.size);
	bson_copy_to(&bare, &command);
	if (announce(call, append_tag(call, &command))) {
		bson_destroy(&call->reply);
		call->good = conversation_send(v, call->db, &command, call->preference, &call->reply, &call->error);
		v->cursor_id = call->good && strcmp(call->row->name, "killCursors") ? reply_cursor(&call->reply) : 0;
	}
	bson_destroy(&command);
}

/* The command with a time limit: the nearer of its own and ours. */
static void copy_command(struct bytes *out, const struct permit *row, const bson_t *command, int64_t limit_us)
{
	struct value given = value_from_bson(command);
	int64_t own = 0, limit = limit_us / 1000 > 0 ? limit_us / 1000 : 1;
	struct writer w;
	struct walk walk;
	struct field f;

	writer_begin(&w, out);
	walk_begin(&walk, given);
	while (walk_next(&walk, &f))
		if (!row->takes_max_time || !key_is(f.key, "maxTimeMS"))
			writer_value(&w, f.key, f.value);
	if (row->takes_max_time) {
		value_as_int64(value_get(given, "maxTimeMS"), &own);
		writer_int64(&w, "maxTimeMS", own > 0 && own < limit ? own : limit);
	}
	writer_finish(&w);
}

/* The cursor that a getMore or killCursors names; else 0. */
static int64_t named_cursor(const bson_t *command)
{
	struct value v = value_from_bson(command), list = value_get(v, "cursors");
	int64_t id = 0;

	if (!value_as_int64(value_get(v, "getMore"), &id) && value_is_array(list))
		value_as_int64(value_get(list, "0"), &id);
	return id;
}

static struct call *call_new(struct connection *c, const struct permit *row, const char *db, const bson_t *command,
                             int64_t limit_us)
{
	struct call *call = memory_allocate_zeroed(1, sizeof *call);
	int64_t cursor_id = named_cursor(command);

	task_init(&call->task, run_call, free_call);
	call->connection = connection_hold(c);
	call->row = row;
	call->db = memory_duplicate_text(db);
	call->preference = connection_preference(c, row->use);
	copy_command(&call->command, row, command, limit_us);
	snprintf(call->tag, sizeof call->tag, "bsonscope %ld-%d", (long)getpid(), atomic_fetch_add(&c->tags, 1));
	bson_init(&call->reply);
	bson_init(&call->session_id);
	if (cursor_id)
		call->conversation = conversation_resume(c, cursor_id);
	return call;
}

/* Stopping an operation: a task that owns its call from now on. */

struct stop {
	struct task task;
	struct call *call;
};

static void free_stop(struct task *t)
{
	struct stop *stop = (struct stop *)t;

	if (stop->call)
		task_leave(&stop->call->task);
	free(stop);
}

/* Sends a command of our own from a second client; false when it failed. */
static bool send_beside(struct connection *c, bson_t *command, bson_t *reply)
{
	mongoc_read_prefs_t *preference = connection_preference(c, PERMIT_LISTING);
	struct conversation v = { 0 };
	bson_error_t error;
	bool good = permit_check(command, PERMIT_SELF, &error) && conversation_begin(&v, c, preference, &error);

	if (good)
		good = conversation_send(&v, "admin", command, preference, reply, &error);
	else
		bson_init(reply);
	conversation_end(&v, c);
	driver()->mongoc_read_prefs_destroy(preference);
	bson_destroy(command);
	return good;
}

static void kill_session(struct connection *c, const bson_t *session_id)
{
	bson_t reply;

	send_beside(c, BCON_NEW("killSessions", "[", BCON_DOCUMENT(session_id), "]", "maxTimeMS", BCON_INT32(3000)),
	            &reply);
	bson_destroy(&reply);
}

static void kill_tagged(struct connection *c, const char *tag)
{
	bson_t *ask = BCON_NEW("aggregate", BCON_INT32(1), "pipeline", "[", "{", "$currentOp", "{", "}", "}", "{",
	                       "$match", "{", "command.comment", BCON_UTF8(tag), "}", "}", "]", "cursor", "{", "}",
	                       "maxTimeMS", BCON_INT32(3000));
	struct value batch, operation;
	bson_t reply, ignored;

	if (send_beside(c, ask, &reply)) {
		batch = value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch");
		operation = value_is_array(batch) ? value_get(value_get(batch, "0"), "opid") : value_missing();
		if (!value_is_missing(operation)) {
			struct bytes kill = BYTES_INIT;
			struct writer w;
			bson_t view;

			writer_begin(&w, &kill);
			writer_int32(&w, "killOp", 1);
			writer_put(&w, "op", operation);
			writer_int32(&w, "maxTimeMS", 3000);
			writer_finish(&w);
			bson_init_static(&view, kill.data, kill.size);
			send_beside(c, bson_copy(&view), &ignored);
			bson_destroy(&ignored);
			bytes_clear(&kill);
		}
	}
	bson_destroy(&reply);
}

/* What came too late may have left a cursor. */
static void close_cursor(struct call *call)
{
	struct value ns = call->conversation.cursor_id
	                          ? value_get(value_get(value_from_bson(&call->reply), "cursor"), "ns")
	                          : value_missing();
	const char *collection = ns.type == BSON_TYPE_UTF8 ? strchr(value_text(ns).bytes, '.') : NULL;
	bson_error_t error;
	bson_t *command, ignored;

	if (!collection)
		return;
	command = BCON_NEW("killCursors", BCON_UTF8(collection + 1), "cursors", "[",
	                   BCON_INT64(call->conversation.cursor_id), "]");
	if (permit_check(command, PERMIT_SELF, &error)) {
		conversation_send(&call->conversation, call->db, command, call->preference, &ignored, &error);
		bson_destroy(&ignored);
	}
	bson_destroy(command);
}

static void run_stop(struct task *t)
{
	struct stop *stop = (struct stop *)t;
	struct call *call = stop->call;
	bson_t session_id;
	bool running, tagged;

	pthread_mutex_lock(&call->task.lock);
	running = call->sent && !call->task.done;
	bson_copy_to(&call->session_id, &session_id);
	tagged = call->tagged;
	pthread_mutex_unlock(&call->task.lock);
	if (running && !bson_empty(&session_id))
		kill_session(call->connection, &session_id);
	else if (running && tagged)
		kill_tagged(call->connection, call->tag);
	bson_destroy(&session_id);
	/* its session is not given to another operation before it is dead */
	task_wait(&call->task, NULL, 0);
	close_cursor(call);
	task_finish(&call->task);
	stop->call = NULL;
}

static void stop_call(struct call *call)
{
	struct stop *stop = memory_allocate_zeroed(1, sizeof *stop);

	pthread_mutex_lock(&call->task.lock);
	call->cancelled = true;
	pthread_mutex_unlock(&call->task.lock);
	stop->call = call;
	task_init(&stop->task, run_stop, free_stop);
	if (task_start(&stop->task, NULL))
		task_leave(&stop->task);
}

/* How long the server is given: until the caller's deadline, when that is nearer than the connection's own limit. */
static int64_t time_left(const struct interrupt *interrupt, int64_t limit_us)
{
	int64_t now_us = interrupt_now_us(), left_us = limit_us;

	for (; interrupt; interrupt = interrupt->parent) {
		int64_t deadline_us = atomic_load_explicit(&interrupt->deadline_us, memory_order_relaxed);

		if (deadline_us && deadline_us - now_us < left_us)
			left_us = deadline_us - now_us;
	}
	return left_us;
}

static bool was_interrupted(enum interrupt_reason reason, bson_error_t *error)
{
	return reason == INTERRUPT_CANCELLED
	               ? error_set(error, ERROR_SERVER, CODE_Interrupted, "operation was interrupted")
	               : error_set(error, ERROR_SERVER, CODE_MaxTimeMSExpired, "operation exceeded time limit");
}

bool connection_command(struct connection *c, const struct permit *row, const char *db, const bson_t *command,
                        bson_t *reply, const struct interrupt *interrupt, bson_error_t *error)
{
	int64_t limit_us = time_left(interrupt, c->limit_us);
	enum interrupt_reason reason = interrupt_check(interrupt);
	struct call *call;
	bool good;

	bson_init(reply);
	if (reason != INTERRUPT_NONE)
		return was_interrupted(reason, error);
	call = call_new(c, row, db, command, limit_us);
	if (!task_start(&call->task, error))
		return false;
	reason = task_wait(&call->task, interrupt, interrupt_now_us() + limit_us + SELECTION_US + GRACE_US);
	if (reason != INTERRUPT_NONE) {
		stop_call(call);
		return was_interrupted(reason, error);
	}
	good = call->good;
	bson_destroy(reply);
	bson_steal(reply, &call->reply);
	bson_init(&call->reply);
	if (!good)
		connection_error(c, &call->error, error);
	conversation_park(call->conversation, c);
	call->conversation = (struct conversation){ 0 };
	task_finish(&call->task);
	return good;
}
