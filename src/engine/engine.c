#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "bson/check.h"
#include "engine/command.h"
#include "engine/index.h"

struct engine *engine_new(void)
{
	struct engine *e = memory_allocate_zeroed(1, sizeof *e);

	pthread_mutex_init(&e->mutex, NULL);
	e->store = store_new();
	e->started_us = interrupt_now_us();
	cursor_registry_init(&e->cursors);
	return e;
}

void engine_set_clock(struct engine *e, int64_t (*now_us)(void))
{
	pthread_mutex_lock(&e->mutex);
	e->cursors.now_us = now_us;
	pthread_mutex_unlock(&e->mutex);
}

void engine_destroy(struct engine *e)
{
	if (!e)
		return;
	cursor_registry_clear(&e->cursors);
	store_destroy(e->store);
	pthread_mutex_destroy(&e->mutex);
	free(e);
}

void engine_emulate(struct engine *e, const struct emulation *m)
{
	pthread_mutex_lock(&e->mutex);
	store_set_emulation(e->store, m);
	pthread_mutex_unlock(&e->mutex);
}

const struct emulation *engine_emulation(struct engine *e)
{
	const struct emulation *m;

	pthread_mutex_lock(&e->mutex);
	m = store_emulation(e->store);
	pthread_mutex_unlock(&e->mutex);
	return m;
}

static void call_begin(struct command_call *call, struct engine *e, const char *db, struct value command,
                       const struct interrupt *interrupt)
{
	memset(call, 0, sizeof *call);
	call->engine = e;
	call->db = db;
	call->command = command;
	call->interrupt = interrupt;
}

bool engine_answers_unlocked(struct value command)
{
	const struct command_type *type;
	struct walk w;
	struct field first;

	walk_begin(&w, command);
	type = walk_next(&w, &first) ? command_find_type(first.key) : NULL;
	return type && type->flags & COMMAND_UNLOCKED;
}

static bool run(struct command_call *call)
{
	bool ok;

	if (engine_answers_unlocked(call->command))
		return command_run(call);
	pthread_mutex_lock(&call->engine->mutex);
	cursor_reap(&call->engine->cursors);
	cursor_use_session(&call->engine->cursors, session_of_command(call->command));
	ok = command_run(call);
	pthread_mutex_unlock(&call->engine->mutex);
	return ok;
}

/* {ok: 0, errmsg, code, codeName} and what else the failure has to say. */
static void write_failure(struct writer *w, struct command_call *call)
{
	char buffer[24];
	struct value details;

	writer_double(w, "ok", 0);
	writer_text(w, "errmsg", call->long_message.size ? bytes_text(&call->long_message) : call->error.message);
	writer_int32(w, "code", (int32_t)call->error.code);
	writer_text(w, "codeName", error_code_name(call->error.code, buffer));
	if (value_document(&details, call->details.data, call->details.size))
		writer_fields(w, details);
}

bool engine_answer(struct engine *e, const char *db, struct value command, struct bytes *reply,
                   const struct interrupt *interrupt, bson_error_t *error)
{
	struct command_call call;
	size_t start = reply->size;
	struct writer w;
	bool ok;

	call_begin(&call, e, db, command, interrupt);
	call.reply = &w;
	writer_begin(&w, reply);
	ok = run(&call);
	if (ok) {
		writer_double(&w, "ok", 1);
	} else { /* what a handler had written already is not part of the reply */
		reply->size = start;
		writer_begin(&w, reply);
		write_failure(&w, &call);
		if (error)
			*error = call.error;
	}
	writer_finish(&w);
	bytes_clear(&call.details);
	bytes_clear(&call.long_message);
	return ok;
}

/* Commands come from anywhere. */
static void write_broken(struct bytes *reply, const bson_error_t *reason)
{
	struct command_call call = { .details = BYTES_INIT, .error = *reason };
	struct writer w;

	writer_begin(&w, reply);
	write_failure(&w, &call);
	writer_finish(&w);
}

bool engine_command(struct engine *e, const char *db, const bson_t *command, bson_t *reply, const struct interrupt *interrupt,
                    bson_error_t *error)
{
	struct bytes out = BYTES_INIT;
	bson_error_t broken;
	bson_t view;
	bool ok = check_document(value_from_bson(command), &broken);

	if (ok) {
		ok = engine_answer(e, db, value_from_bson(command), &out, interrupt, error);
	} else {
		write_broken(&out, &broken);
		if (error)
			*error = broken;
	}
	bson_init_static(&view, out.data, out.size);
	bson_copy_to(&view, reply);
	bytes_clear(&out);
	return ok;
}

static void set_cost(struct cost *cost, const struct counters *counters, int64_t micros)
{
	*cost = cost_zero();
	cost->round_trips = figure_measured(1);
#define X(name) cost->name = figure_measured(counters->name);
	COUNTERS(X)
#undef X
	cost->micros = figure_measured(micros);
}

bool engine_measure(struct engine *e, const char *db, const bson_t *command, struct cost *cost,
                    const struct interrupt *interrupt, bson_error_t *error)
{
	struct command_call call;
	struct bytes out = BYTES_INIT;
	struct writer w;
	int64_t start = interrupt_now_us();
	bool ok;

	*cost = cost_unknown();
	call_begin(&call, e, db, value_from_bson(command), interrupt);
	call.dry_run = true;
	call.reply = &w;
	writer_begin(&w, &out);
	ok = check_document(call.command, &call.error) && run(&call);
	if (ok)
		set_cost(cost, &call.counters, interrupt_now_us() - start);
	else if (error)
		*error = call.error;
	bytes_clear(&call.details);
	bytes_clear(&call.long_message);
	bytes_clear(&out);
	return ok;
}

void engine_set_log(struct engine *e, void (*write)(void *context, struct value line), void *context)
{
	pthread_mutex_lock(&e->mutex);
	e->log = (struct log_sink){ write, context };
	pthread_mutex_unlock(&e->mutex);
}

int64_t engine_write_counter(struct engine *e, const char *db, const char *collection)
{
	const struct collection *c;
	int64_t counter;

	pthread_mutex_lock(&e->mutex);
	c = store_collection(e->store, db, collection);
	counter = c ? c->write_counter : -1;
	pthread_mutex_unlock(&e->mutex);
	return counter;
}

uint64_t engine_data_version(struct engine *e)
{
	uint64_t version = 0;

	pthread_mutex_lock(&e->mutex);
	for (size_t i = 0; i < store_database_count(e->store); i++) {
		const struct database *d = store_database_at(e->store, i);

		version = version * 31 + d->collection_count;
		for (size_t j = 0; j < d->collection_count; j++)
			version = (version ^ (uint64_t)d->collections[j]->write_counter) * 1099511628211u;
	}
	pthread_mutex_unlock(&e->mutex);
	return version;
}

int64_t engine_index_entries(struct engine *e, const char *db, const char *collection, const char *index)
{
	const struct collection *c;
	const struct index *i;
	int64_t entries;

	pthread_mutex_lock(&e->mutex);
	c = store_collection(e->store, db, collection);
	i = c ? collection_index(c, index) : NULL;
	entries = i ? i->entry_count : -1;
	pthread_mutex_unlock(&e->mutex);
	return entries;
}

bool engine_preview_index(struct engine *e, const char *db, const char *collection, struct value specification, int64_t *entries,
                          int64_t *bytes)
{
	enum { MOST_DOCUMENTS = 500000 }; /* about a quarter of a second */
	const struct collection *c;
	bool good;

	pthread_mutex_lock(&e->mutex);
	c = store_collection(e->store, db, collection);
	good = c && c->count <= MOST_DOCUMENTS && collection_preview_index(c, specification, entries, bytes);
	pthread_mutex_unlock(&e->mutex);
	return good;
}

void engine_set_document_limit(struct engine *e, const char *db, int64_t limit_bytes)
{
	pthread_mutex_lock(&e->mutex);
	store_create_database(e->store, db)->document_limit_bytes = limit_bytes;
	pthread_mutex_unlock(&e->mutex);
}

int64_t engine_document_limit(struct engine *e, const char *db)
{
	const struct database *d;
	int64_t limit;

	pthread_mutex_lock(&e->mutex);
	d = store_database(e->store, db);
	limit = d ? d->document_limit_bytes : LIMIT_USER_BYTES;
	pthread_mutex_unlock(&e->mutex);
	return limit;
}

void engine_drop_database(struct engine *e, const char *db)
{
	pthread_mutex_lock(&e->mutex);
	cursor_kill_collection(&e->cursors, db, NULL);
	store_drop_database(e->store, db);
	pthread_mutex_unlock(&e->mutex);
}

int64_t engine_memory_bytes(struct engine *e)
{
	int64_t bytes = 0;

	pthread_mutex_lock(&e->mutex);
	for (size_t i = 0; i < store_database_count(e->store); i++) {
		const struct database *d = store_database_at(e->store, i);

		for (size_t j = 0; j < d->collection_count; j++)
			bytes += collection_memory_bytes(d->collections[j]);
	}
	pthread_mutex_unlock(&e->mutex);
	return bytes;
}
