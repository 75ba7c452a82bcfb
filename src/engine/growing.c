/* Collections that are used while they are filled, and indexes that are built while commands run: engine.h. */
#include <sched.h>
#include <string.h>

#include "engine/collection.h"
#include "engine/command.h"
#include "engine/index.h"

enum { SLICE_DOCUMENTS = 4096, WHOLE_SLICE = 128 }; /* whole documents may be large */

static struct collection *find(struct engine *e, const char *db, const char *name, bson_error_t *error)
{
	struct collection *c = store_collection(e->store, db, name);

	if (!c)
		error_set(error, ERROR_SERVER, CODE_NamespaceNotFound, "ns does not exist: %s.%s", db, name);
	return c;
}

bool engine_open_collection(struct engine *e, const char *db, const char *collection, const bson_t *options, bson_error_t *error)
{
	struct collection *c;

	pthread_mutex_lock(&e->mutex);
	if (store_collection(e->store, db, collection)) {
		cursor_kill_collection(&e->cursors, db, collection);
		store_drop_collection(e->store, db, collection);
	}
	c = store_load_begin(e->store, db, collection, error);
	if (c && options)
		collection_set_options(c, value_from_bson(options));
	pthread_mutex_unlock(&e->mutex);
	return c != NULL;
}

static bool append(struct collection *c, const struct value *documents, size_t count, bson_error_t *error)
{
	if (c->index_count)
		return error_set(error, ERROR_SERVER, CODE_IllegalOperation, "'%s.%s' has indexes: it takes no more documents as they lie",
		                 c->database->name, c->name);
	collection_borrow_all(c, documents, count);
	return true;
}

bool engine_append(struct engine *e, const char *db, const char *collection, const struct value *documents, size_t count,
                   bson_error_t *error)
{
	struct collection *c;
	bool good;

	pthread_mutex_lock(&e->mutex);
	c = find(e, db, collection, error);
	good = c && append(c, documents, count, error);
	pthread_mutex_unlock(&e->mutex);
	return good;
}

/* A walk over a collection's records, one slice a lock. */
struct slices {
	struct engine *engine;
	const char *db, *name;
	const struct interrupt *interrupt;
	size_t at, slice;                       /* next record; records a lock */
	size_t end;                             /* records that there were at the first slice: what grows is not chased */
	bool yields;                            /* takes long enough that others would wait for the lock in vain */
	int64_t writes;                         /* the write counter at the first slice */
	bool (*take)(void *context, const struct collection *c, size_t from, size_t to, bson_error_t *error);
	void *context;
};

/* *more: whether there may be others behind. */
static bool next_slice(struct slices *s, bool *more, bson_error_t *error)
{
	const struct collection *c;
	bool good = false;

	if (!error_poll_interrupt(s->interrupt, error))
		return false;
	pthread_mutex_lock(&s->engine->mutex);
	c = find(s->engine, s->db, s->name, error);
	if (c) {
		size_t to;

		if (!s->at) {
			s->end = c->records.count;
			s->writes = c->write_counter;
		}
		to = s->at + s->slice < s->end ? s->at + s->slice : s->end;
		good = s->at >= to || s->take(s->context, c, s->at, to, error);
		s->at = to;
		*more = to < s->end;
	}
	pthread_mutex_unlock(&s->engine->mutex);
	if (s->yields)
		sched_yield();
	return good;
}

static bool all_slices(struct slices *s, bson_error_t *error)
{
	bool more = true;

	while (more)
		if (!next_slice(s, &more, error))
			return false;
	return true;
}

static bool add_to_builder(void *context, const struct collection *c, size_t from, size_t to, bson_error_t *error)
{
	struct value document;

	for (record_id id = collection_next(c, (record_id)from); id != RECORD_NONE && (size_t)id < to; id = collection_next(c, id + 1))
		if (!collection_document(c, id, &document) || !index_builder_add(context, document, id, error))
			return false;
	return true;
}

enum outcome { FAILED, DONE, MOVED };

/* Takes the index over, unless the documents have changed since they were read. */
static enum outcome attach(const struct slices *s, struct index *index, bson_error_t *error)
{
	struct collection *c;
	enum outcome outcome = FAILED;
	bool same = false;

	pthread_mutex_lock(&s->engine->mutex);
	c = find(s->engine, s->db, s->name, error);
	if (c && c->write_counter != s->writes) {
		outcome = MOVED;
	} else if (c && collection_may_have_index(c, index, &same, error) && collection_check_unique(c, index, error)) {
		records_trim(&c->records);
		collection_adopt_index(c, index);
		outcome = DONE;
	}
	pthread_mutex_unlock(&s->engine->mutex);
	return outcome;
}

/* Whether the index is wanted at all is asked before it is built. *same: it is there already. */
static bool is_wanted(const struct slices *s, const struct index *index, bool *same, bson_error_t *error)
{
	const struct collection *c;
	bool wanted;

	*same = false;
	pthread_mutex_lock(&s->engine->mutex);
	c = find(s->engine, s->db, s->name, error);
	wanted = c && collection_may_have_index(c, index, same, error);
	pthread_mutex_unlock(&s->engine->mutex);
	return wanted;
}

static enum outcome build(struct slices *s, struct index *index, bson_error_t *error)
{
	struct index_builder *builder = index_builder_new(index);

	s->context = builder;
	if (!all_slices(s, error)) {
		index_builder_destroy(builder);
		return FAILED;
	}
	index_builder_finish(builder); /* the sorting, without the lock */
	return attach(s, index, error);
}

bool engine_build_index(struct engine *e, const char *db, const char *collection, const bson_t *specification,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	enum outcome outcome;

	do { /* documents that change meanwhile are read again */
		struct slices s = { .engine = e, .db = db, .name = collection, .interrupt = interrupt, .slice = SLICE_DOCUMENTS,
			            .take = add_to_builder, .yields = true };
		struct index *index = index_new(value_from_bson(specification), error);
		bool same = false;

		if (!index)
			return false;
		outcome = is_wanted(&s, index, &same, error) ? build(&s, index, error) : FAILED;
		if (outcome != DONE)
			index_destroy(index);
		if (same)
			return true;
	} while (outcome == MOVED);
	return outcome == DONE;
}

bool engine_tally_sizes(struct engine *e, const char *db, const char *collection, struct size_tally *tally, bson_error_t *error)
{
	const struct collection *c;
	bool good;

	pthread_mutex_lock(&e->mutex);
	c = find(e, db, collection, error);
	good = c && collection_holds_documents(c, error);
	if (good)
		size_tally_copy(&c->records.tally, tally);
	pthread_mutex_unlock(&e->mutex);
	return good;
}

/* Of most records nothing but the size is looked at. */
static bool take_large(void *context, const struct collection *c, size_t from, size_t to, bson_error_t *error)
{
	enum { BLOCK = 1024, AHEAD = 8 };
	const struct engine_size_walk *walk = context;
	uint32_t sizes[BLOCK];
	uint16_t large[BLOCK];

	(void)error;
	for (; from < to; from += BLOCK) {
		size_t count = to - from < BLOCK ? to - from : BLOCK, large_count = 0;
		struct value document;

		records_sizes(&c->records, from, from + count, sizes);
		for (size_t i = 0; i < count; i++) {
			large[large_count] = (uint16_t)i;
			large_count += sizes[i] && sizes[i] >= walk->from_bytes;
		}
		for (size_t i = 0; i < large_count; i++) {
			if (i + AHEAD < large_count && records_document(&c->records, from + large[i + AHEAD], &document))
				__builtin_prefetch(document.bytes);
			if (records_document(&c->records, from + large[i], &document))
				walk->take(walk->context, document.size_bytes, value_get(document, walk->key));
		}
	}
	return true;
}

bool engine_walk_sizes(struct engine *e, const char *db, const char *collection, const struct engine_size_walk *walk,
                       const struct interrupt *interrupt, bson_error_t *error)
{
	struct slices s = { .engine = e, .db = db, .name = collection, .interrupt = interrupt, .take = take_large,
		            .slice = SLICE_DOCUMENTS, .yields = true, .context = (void *)(uintptr_t)walk };

	return all_slices(&s, error);
}

static bool take_documents(void *context, const struct collection *c, size_t from, size_t to, bson_error_t *error)
{
	const struct engine_document_walk *walk = context;
	struct value document;

	(void)error;
	for (record_id id = collection_next(c, (record_id)from); id != RECORD_NONE && (size_t)id < to; id = collection_next(c, id + 1))
		if (collection_document(c, id, &document))
			walk->take(walk->context, document);
	return true;
}

bool engine_walk_documents(struct engine *e, const char *db, const char *collection, const struct engine_document_walk *walk,
                           const struct interrupt *interrupt, bson_error_t *error)
{
	struct slices s = { .engine = e, .db = db, .name = collection, .interrupt = interrupt, .take = take_documents,
		            .slice = WHOLE_SLICE, .context = (void *)(uintptr_t)walk };
	bool more = true;

	while (more)
		if (!next_slice(&s, &more, error) || (walk->pause && !walk->pause(walk->context, error)))
			return false;
	return true;
}

/* Copies move while there are more of them: they get their places at the end. */
static void lend(const struct collection *c, struct engine_lending *lending, struct engine_loan *loan)
{
	enum { LOAN_BYTES = 1 << 20 }; /* a few large documents are enough */
	size_t bytes = 0, at = 0;

	for (; lending->at < lending->end && loan->count < ENGINE_LOAN && bytes < LOAN_BYTES; lending->at++) {
		struct value *v = &loan->documents[loan->count];

		if (!records_document(&c->records, lending->at, v))
			continue;
		bytes += v->size_bytes;
		loan->count++;
		if (records_owns(&c->records, lending->at)) {
			bytes_append(&loan->copies, v->bytes, v->size_bytes);
			v->bytes = NULL;
		}
	}
	for (size_t i = 0; i < loan->count; i++) {
		struct value *v = &loan->documents[i];

		if (v->bytes)
			continue;
		v->bytes = loan->copies.data + at;
		at += v->size_bytes;
	}
}

bool engine_lend(struct engine *e, const char *db, const char *collection, struct engine_lending *lending,
                 struct engine_loan *loan, bson_error_t *error)
{
	const struct collection *c;
	bool good;

	loan->count = 0;
	bytes_reset(&loan->copies);
	pthread_mutex_lock(&e->mutex);
	c = find(e, db, collection, error);
	good = c && collection_holds_documents(c, error);
	if (good && !lending->end)
		lending->end = lending->most && lending->most < c->records.count ? lending->most : c->records.count;
	loan->first = (int64_t)lending->at;
	if (good)
		lend(c, lending, loan);
	pthread_mutex_unlock(&e->mutex);
	return good;
}

struct missing {
	const char *key;
	int64_t count;
};

static bool count_missing(void *context, const struct collection *c, size_t from, size_t to, bson_error_t *error)
{
	struct missing *m = context;
	struct value document;

	(void)error;
	for (record_id id = collection_next(c, (record_id)from); id != RECORD_NONE && (size_t)id < to; id = collection_next(c, id + 1))
		m->count += collection_document(c, id, &document) && value_is_missing(value_get(document, m->key));
	return true;
}

int64_t engine_count_without(struct engine *e, const char *db, const char *collection, const char *key,
                             const struct interrupt *interrupt)
{
	struct missing missing = { key, 0 };
	struct slices s = { .engine = e, .db = db, .name = collection, .interrupt = interrupt, .take = count_missing,
		            .slice = SLICE_DOCUMENTS, .yields = true, .context = &missing };

	return all_slices(&s, NULL) ? missing.count : -1;
}
