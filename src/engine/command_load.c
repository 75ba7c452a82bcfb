/*
 * The bulk loader. A collection grows under a name of its own, a slice of documents a lock, and takes its place at the
 * end: commands run in between, and none of them ever sees half of it.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "engine/command.h"

enum { SLICE_DOCUMENTS = 1024, SLICE_BYTES = 1024 * 1024 };

struct load {
	struct engine *engine;
	const char *db, *name;
	char temporary[320]; /* as it is called until it is whole */
	const struct interrupt *interrupt;
};

/* Errors name the collection that was asked for. */
static bool rename_in_error(const struct load *load, bson_error_t *error)
{
	char *at = error ? strstr(error->message, load->temporary) : NULL;
	size_t old_size = strlen(load->temporary), new_size = strlen(load->name);

	if (at) { /* the new name is the shorter one: it is the end of the old */
		memcpy(at, load->name, new_size);
		memmove(at + new_size, at + old_size, strlen(at + old_size) + 1);
	}
	return false;
}

static struct collection *find(const struct load *load, bson_error_t *error)
{
	struct collection *c = store_collection(load->engine->store, load->db, load->temporary);

	if (!c)
		error_set(error, ERROR_SERVER, CODE_NamespaceNotFound, "database '%s' was dropped while '%s' was loaded", load->db,
		          load->name);
	return c;
}

static bool load_begin(struct load *load, bson_error_t *error)
{
	bool ok;

	if (!command_check_database(load->db, error) || !command_check_created_name(load->db, load->name, error))
		return false;
	pthread_mutex_lock(&load->engine->mutex);
	snprintf(load->temporary, sizeof load->temporary, LOADING_PREFIX "%u.%s", load->engine->load_count++, load->name);
	ok = store_load_begin(load->engine->store, load->db, load->temporary, error) || rename_in_error(load, error);
	pthread_mutex_unlock(&load->engine->mutex);
	return ok;
}

static void load_abandon(const struct load *load)
{
	pthread_mutex_lock(&load->engine->mutex);
	store_drop_collection(load->engine->store, load->db, load->temporary);
	pthread_mutex_unlock(&load->engine->mutex);
}

/* Takes up to a slice of documents; *more tells whether the loader may have others. */
static bool take_slice(struct collection *c, struct engine_loader *loader, bool *more, bson_error_t *error)
{
	for (int i = 0; i < SLICE_DOCUMENTS; i++) {
		bson_error_t stop;
		struct value document;
		bool ok;

		memset(&stop, 0, sizeof stop);
		if (!loader->next(loader->context, &document, &stop)) {
			*more = false;
			if (stop.domain && error)
				*error = stop;
			return !stop.domain;
		}
		ok = loader->borrowed ? store_load_borrow(c, document, error) : store_load_copy(c, document, error);
		if (!ok)
			return false;
	}
	*more = true;
	return true;
}

static bool load_all(const struct load *load, struct engine_loader *loader, bson_error_t *error)
{
	bool ok, more = true;

	while (more) {
		struct collection *c;

		if (!error_poll_interrupt(load->interrupt, error))
			return false;
		pthread_mutex_lock(&load->engine->mutex);
		c = find(load, error);
		ok = c && take_slice(c, loader, &more, error);
		pthread_mutex_unlock(&load->engine->mutex);
		if (!ok)
			return false;
		sched_yield(); /* who waits for the lock is next */
	}
	return true;
}

static bool load_indexes(const struct load *load, const bson_t *indexes, bson_error_t *error)
{
	struct walk w;
	struct field f;

	if (!indexes)
		return true;
	walk_begin(&w, value_from_bson(indexes));
	while (walk_next(&w, &f)) {
		struct collection *c;
		bool ok;

		if (!error_poll_interrupt(load->interrupt, error))
			return false;
		if (!value_is_document(f.value))
			return error_set(error, ERROR_INPUT, CODE_TypeMismatch, "an index of '%s' is not described by a document",
			                 load->name);
		pthread_mutex_lock(&load->engine->mutex);
		c = find(load, error);
		ok = c && collection_create_index(c, f.value, error);
		pthread_mutex_unlock(&load->engine->mutex);
		if (!ok)
			return false;
	}
	return true;
}

/* The old collection of that name goes; the new one's write counter is above it, or staleness would go unseen. */
static bool take_place(const struct load *load, bson_error_t *error)
{
	struct store *store = load->engine->store;
	struct collection *c, *old;

	pthread_mutex_lock(&load->engine->mutex);
	c = find(load, error);
	old = store_collection(store, load->db, load->name);
	if (c && old) {
		int64_t counter = old->write_counter + 1;

		cursor_kill_collection(&load->engine->cursors, load->db, load->name);
		store_drop_collection(store, load->db, load->name);
		if (c->write_counter < counter)
			c->write_counter = counter;
	}
	if (c) {
		free(c->name);
		c->name = memory_duplicate_text(load->name);
	}
	pthread_mutex_unlock(&load->engine->mutex);
	return c != NULL;
}

static bool load_key(const struct load *load, const char *key, bson_error_t *error)
{
	struct collection *c;
	bool ok;

	pthread_mutex_lock(&load->engine->mutex);
	c = find(load, error);
	ok = c && store_load_end(load->engine->store, c, key, error);
	pthread_mutex_unlock(&load->engine->mutex);
	return ok;
}

static bool load_end(const struct load *load, const char *key, const bson_t *indexes, bson_error_t *error)
{
	if (error_poll_interrupt(load->interrupt, error) && load_key(load, key, error) && load_indexes(load, indexes, error) &&
	    take_place(load, error))
		return true;
	load_abandon(load);
	return rename_in_error(load, error);
}

bool engine_load(struct engine *e, const char *db, const char *collection, const char *key, const bson_t *indexes,
                 struct engine_loader *loader, const struct interrupt *interrupt, bson_error_t *error)
{
	struct load load = { .engine = e, .db = db, .name = collection, .interrupt = interrupt };

	if (!load_begin(&load, error))
		return false;
	if (load_all(&load, loader, error))
		return load_end(&load, key, indexes, error);
	load_abandon(&load);
	return rename_in_error(&load, error);
}

/* A pipeline's results, pulled a slice at a time into a buffer that the loader then empties. */
struct feed {
	struct engine *engine;
	struct command_call call;
	int64_t cursor_id;
	bool done;
	struct bytes slice;
	size_t at;
};

static bool feed_open(struct feed *feed, const char *db, const char *collection, const bson_t *pipeline,
                      const struct interrupt *interrupt, bson_error_t *error)
{
	struct bytes command = BYTES_INIT;
	struct writer w;
	struct query *q = NULL;

	writer_begin(&w, &command);
	writer_text(&w, "aggregate", collection);
	writer_raw(&w, key_of("pipeline"), BSON_TYPE_ARRAY, bson_get_data(pipeline), pipeline->len);
	writer_begin_document(&w, key_of("cursor"));
	writer_end(&w);
	feed->call.engine = feed->engine;
	feed->call.db = db;
	feed->call.interrupt = interrupt;
	feed->call.command = writer_finish(&w);
	pthread_mutex_lock(&feed->engine->mutex);
	if (command_check(&feed->call))
		q = query_for_aggregate(&feed->call, feed->call.command);
	if (q) {
		struct cursor *c = cursor_new(q);

		c->no_timeout = true;
		cursor_register(&feed->engine->cursors, c, (struct session){ 0 });
		feed->cursor_id = c->id;
	} else if (error) {
		*error = feed->call.error;
	}
	pthread_mutex_unlock(&feed->engine->mutex);
	bytes_clear(&command);
	return q != NULL;
}

static bool fill_slice(struct feed *feed, struct cursor *c)
{
	struct execution *x = &c->query->execution;
	struct row row;

	query_adopt(c->query, &feed->call);
	for (int i = 0; i < SLICE_DOCUMENTS && feed->slice.size < SLICE_BYTES; i++) {
		switch (stage_next(query_root(c->query), &row)) {
		case STAGE_ADVANCED:
			if (row.document.size_bytes > LIMIT_INTERNAL_BYTES) {
				command_fail_too_large(x, row.document);
				return command_fail_execution(&feed->call, x, NULL);
			}
			bytes_append(&feed->slice, row.document.bytes, row.document.size_bytes);
			break;
		case STAGE_END:
			feed->done = true;
			return true;
		default:
			return command_fail_execution(&feed->call, x, NULL);
		}
		if (!execution_tick(x))
			return command_fail_execution(&feed->call, x, NULL);
	}
	cursor_park(&feed->engine->cursors, c);
	return true;
}

static bool feed_pull(struct feed *feed, bson_error_t *error)
{
	struct cursor *c;
	bool ok;

	bytes_reset(&feed->slice);
	feed->at = 0;
	pthread_mutex_lock(&feed->engine->mutex);
	c = cursor_find(&feed->engine->cursors, feed->cursor_id, NULL);
	if (!c || c->killed)
		ok = command_fail(&feed->call, CODE_QueryPlanKilled, "collection dropped while it was read");
	else
		ok = fill_slice(feed, c);
	pthread_mutex_unlock(&feed->engine->mutex);
	if (!ok && error)
		*error = feed->call.error;
	return ok;
}

static void feed_close(struct feed *feed)
{
	struct cursor *c;

	pthread_mutex_lock(&feed->engine->mutex);
	c = cursor_find(&feed->engine->cursors, feed->cursor_id, NULL);
	if (c)
		cursor_remove(&feed->engine->cursors, c);
	pthread_mutex_unlock(&feed->engine->mutex);
	bytes_clear(&feed->slice);
	bytes_clear(&feed->call.details);
}

static bool feed_next(void *context, struct value *document, bson_error_t *error)
{
	struct feed *feed = context;

	(void)error;
	if (!value_document(document, feed->slice.data + feed->at, feed->slice.size - feed->at))
		return false;
	feed->at += document->size_bytes;
	return true;
}

bool engine_load_pipeline(struct engine *from, const char *from_db, const char *from_collection, const bson_t *pipeline,
                          struct engine *to, const char *to_db, const char *to_collection, const char *key,
                          const bson_t *indexes, const struct interrupt *interrupt, bson_error_t *error)
{
	struct load load = { .engine = to, .db = to_db, .name = to_collection, .interrupt = interrupt };
	struct feed feed = { .engine = from };
	struct engine_loader loader = { feed_next, &feed, false };
	bool ok;

	if (!feed_open(&feed, from_db, from_collection, pipeline, interrupt, error))
		return false;
	if (!load_begin(&load, error)) {
		feed_close(&feed);
		return false;
	}
	do /* one lock at a time: the two engines may be one */
		ok = feed_pull(&feed, error) && load_all(&load, &loader, error);
	while (ok && !feed.done);
	feed_close(&feed);
	if (ok)
		return load_end(&load, key, indexes, error);
	load_abandon(&load);
	return rename_in_error(&load, error);
}
