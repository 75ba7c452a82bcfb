#include "dump/dump.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "bson/writer.h"
#include "dump/stream.h"
#include "engine/engine.h"

enum { BATCH_DOCUMENTS = 512 }; /* stay in the fastest cache */

enum state { WAITING, READING, READ, WHOLE, BROKEN, STOPPED };

struct part {
	struct dump_file *file;
	struct stream *stream;   /* null: there is no file, or it cannot be opened */
	bool held;               /* the engine has a collection for it */
	bool computed;           /* a view, or a time series: it has no documents of its own */
	atomic_int state;
	struct bytes remark;     /* under the mutex */
};

struct dump {
	struct engine *engine;
	const struct model *model; /* borrowed */
	struct dump_files files;
	struct part *parts;        /* one a file */
	int64_t total_bytes;
	atomic_llong done_bytes, changes;
	atomic_bool reading, indexing;
	struct interrupt interrupt;
	pthread_mutex_t mutex;
	pthread_t thread;
	bool has_thread;
};

static void changed(struct dump *d)
{
	atomic_fetch_add(&d->changes, 1);
}

static void set_state(struct dump *d, struct part *p, enum state state)
{
	atomic_store(&p->state, (int)state);
	changed(d);
}

/* Remarks stand in one line. */
static void remark(struct dump *d, struct part *p, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void remark(struct dump *d, struct part *p, const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&d->mutex);
	if (p->remark.size)
		bytes_append_text(&p->remark, "; ");
	va_start(arguments, format);
	bytes_format_v(&p->remark, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&d->mutex);
	changed(d);
}

static bool is_stopped(const struct dump *d)
{
	return interrupt_check(&d->interrupt) != INTERRUPT_NONE;
}

/* Documents */

static void read_documents(struct dump *d, struct part *p, struct value *documents)
{
	int64_t before = atomic_load(&d->done_bytes);
	bool more = true;
	size_t count;

	set_state(d, p, READING);
	while (more) {
		bson_error_t error;

		if (is_stopped(d)) {
			set_state(d, p, STOPPED);
			return;
		}
		if (!stream_next(p->stream, documents, BATCH_DOCUMENTS, &count, &more, &error) ||
		    (count && !engine_append(d->engine, p->file->db, p->file->collection, documents, count, &error))) {
			remark(d, p, "%s", error.message);
			set_state(d, p, BROKEN);
			more = false;
		}
		atomic_store(&d->done_bytes, before + stream_position(p->stream));
	}
	if (atomic_load(&p->state) == READING)
		set_state(d, p, READ);
	atomic_store(&d->done_bytes, before + stream_size(p->stream));
}

/* Indexes */

static bool build(struct dump *d, struct part *p, const char *name, struct value specification)
{
	bson_error_t error;
	bson_t view;

	if (value_to_bson(&view, specification) &&
	    engine_build_index(d->engine, p->file->db, p->file->collection, &view, &d->interrupt, &error))
		return true;
	if (!is_stopped(d))
		remark(d, p, "no index \"%s\": %s", name, error.message);
	return false;
}

/* The unique index on the field that names documents: {key: {KEY: 1}, name: "KEY_1", unique: true}, or that of _id. */
static void build_key_index(struct dump *d, struct part *p, const char *key, int64_t count)
{
	int64_t without = engine_count_without(d->engine, p->file->db, p->file->collection, key, &d->interrupt);
	struct bytes specification = BYTES_INIT, name = BYTES_INIT;
	bool is_id = !strcmp(key, "_id");
	struct writer w;

	if (without > 0)
		remark(d, p, "no unique index on \"%s\": %" PRId64 " of %" PRId64 " documents have none", key, without, count);
	if (without)
		return;
	bytes_format(&name, is_id ? "%s_" : "%s_1", key);
	writer_begin(&w, &specification);
	writer_begin_document(&w, key_of("key"));
	writer_int32(&w, key, 1);
	writer_end(&w);
	writer_text(&w, "name", bytes_text(&name));
	if (!is_id)
		writer_bool(&w, "unique", true);
	build(d, p, bytes_text(&name), writer_finish(&w));
	bytes_clear(&specification);
	bytes_clear(&name);
}

static bool is_on_key(struct value specification, const char *key)
{
	struct value pattern = value_get(specification, "key");

	return value_is_document(pattern) && value_count(pattern) == 1 && !value_is_missing(value_get(pattern, key));
}

static void build_others(struct dump *d, struct part *p, const char *key, int64_t count)
{
	struct bytes of_model = BYTES_INIT;
	const struct bytes *indexes = &p->file->indexes;
	struct value list;
	struct walk w;
	struct field f;

	if (!p->file->described) {
		model_indexes(d->model, p->file->collection, &of_model);
		indexes = &of_model;
	}
	if (value_document(&list, indexes->data, indexes->size)) {
		walk_begin(&w, list);
		while (walk_next(&w, &f) && !is_stopped(d)) {
			struct value name = value_get(f.value, "name");

			if (is_on_key(f.value, "_id") && strcmp(key, "_id"))
				build_key_index(d, p, "_id", count);
			else if (!is_on_key(f.value, key))
				build(d, p, name.type == BSON_TYPE_UTF8 ? value_text(name).bytes : "", f.value);
		}
	}
	bytes_clear(&of_model);
}

/* What a document's entry in one index costs at most while it is built, in bytes. */
enum { INDEX_ENTRY_BYTES = 160 };

static bool fits_memory(struct dump *d, struct part *p, int64_t count)
{
	/* half for what is being built: with what there is already */
	if (count <= (memory_limit_bytes() / 2 - engine_memory_bytes(d->engine)) / INDEX_ENTRY_BYTES)
		return true;
	remark(d, p, "no indexes: one would take up to %" PRId64 " MB of memory", count / (1024 * 1024) * INDEX_ENTRY_BYTES);
	return false;
}

static void build_indexes(struct dump *d, struct part *p)
{
	const char *key = model_key(d->model, p->file->collection);
	struct size_tally tally = SIZE_TALLY_INIT;
	int64_t count, bytes;

	if (is_stopped(d) || !engine_tally_sizes(d->engine, p->file->db, p->file->collection, &tally, NULL))
		return;
	size_tally_total(&tally, &count, &bytes);
	size_tally_clear(&tally);
	if (!fits_memory(d, p, count))
		return;
	build_key_index(d, p, key, count);
	build_others(d, p, key, count);
	if (is_stopped(d))
		remark(d, p, "stopped before all indexes were built");
}

/* All documents first: they can be looked at without indexes. */
static void *read_all(void *context)
{
	struct dump *d = context;
	struct value *documents = memory_allocate(BATCH_DOCUMENTS * sizeof *documents);

	for (size_t i = 0; i < d->files.count; i++)
		if (d->parts[i].held && d->parts[i].stream)
			read_documents(d, &d->parts[i], documents);
	free(documents);
	atomic_store(&d->reading, false);
	for (size_t i = 0; i < d->files.count; i++) {
		struct part *p = &d->parts[i];
		enum state end = (enum state)atomic_load(&p->state);

		if (!p->held || p->computed || end == STOPPED)
			continue;
		if (atomic_load(&d->indexing))
			build_indexes(d, p);
		set_state(d, p, end == BROKEN ? BROKEN : WHOLE);
	}
	atomic_store(&d->indexing, false);
	changed(d);
	return NULL;
}

/* Opening */

static bool is_computed(struct dump *d, struct part *p)
{
	const char *name = p->file->collection;
	struct value options;

	if (p->file->path || !value_document(&options, p->file->options.data, p->file->options.size))
		return false;
	if (!value_is_missing(value_get(options, "viewOn")))
		remark(d, p, "a view: what it returns is not computed");
	else if (!value_is_missing(value_get(options, "timeseries")))
		remark(d, p, "a time series: its documents are in the buckets of \"system.buckets.%s\"", name);
	else
		return false;
	return true;
}

static void open_part(struct dump *d, struct part *p)
{
	bson_error_t error;
	bson_t options;
	bool has_options = p->file->options.size && bson_init_static(&options, p->file->options.data, p->file->options.size);

	if (p->file->remark.size)
		remark(d, p, "%s", bytes_text(&p->file->remark));
	p->computed = is_computed(d, p);
	p->held = engine_open_collection(d->engine, p->file->db, p->file->collection, has_options ? &options : NULL, &error);
	if (!p->held) {
		remark(d, p, "\"%s\": %s", p->file->collection, error.message);
		atomic_store(&p->state, BROKEN);
		return;
	}
	if (p->computed) {
		atomic_store(&p->state, WHOLE);
		return;
	}
	if (p->file->path)
		p->stream = stream_open(p->file, &error);
	else
		error_set(&error, ERROR_INPUT, 0, "its file of documents is missing");
	if (p->stream) {
		d->total_bytes += stream_size(p->stream);
	} else {
		remark(d, p, "%s", error.message);
		atomic_store(&p->state, BROKEN);
	}
}

static void start(struct dump *d)
{
	d->has_thread = thread_start(&d->thread, read_all, d);
	if (!d->has_thread)
		read_all(d);
}

/* The source */

static bool dump_command(struct source *s, const char *db, const bson_t *command, bson_t *reply, const struct interrupt *interrupt,
                         bson_error_t *error)
{
	return engine_command(((struct dump *)s->context)->engine, db, command, reply, interrupt, error);
}

static bool dump_measure(struct source *s, const char *db, const bson_t *command, struct cost *cost,
                         const struct interrupt *interrupt, bson_error_t *error)
{
	return engine_measure(((struct dump *)s->context)->engine, db, command, cost, interrupt, error);
}

static struct figure dump_write_counter(struct source *s, const char *db, const char *collection)
{
	int64_t counter = engine_write_counter(((struct dump *)s->context)->engine, db, collection);

	return counter < 0 ? figure_unknown() : figure_measured(counter);
}

static struct engine *dump_engine(struct source *s)
{
	return ((struct dump *)s->context)->engine;
}

static bool dump_progress(struct source *s, struct source_progress *progress)
{
	struct dump *d = s->context;

	progress->done_bytes = atomic_load(&d->done_bytes);
	progress->total_bytes = d->total_bytes;
	progress->changes = atomic_load(&d->changes);
	progress->reading = atomic_load(&d->reading);
	progress->indexing = atomic_load(&d->indexing);
	return true;
}

static void dump_stop(struct source *s)
{
	interrupt_cancel(&((struct dump *)s->context)->interrupt);
}

static void append(struct bytes *text, const char *more)
{
	bytes_format(text, "%s%s", text->size ? "; " : "", more);
}

static const char *state_text(enum state state)
{
	switch (state) {
	case WAITING: return "not read yet";
	case READING: return "still being read";
	case READ: return "its indexes are not built yet";
	case STOPPED: return "reading was stopped";
	default: return NULL;
	}
}

static void describe_loss(struct part *p, struct bytes *text, bool *at_least)
{
	int64_t left;

	if (!p->stream || !stream_shrank(p->stream, &left))
		return;
	*at_least = true;
	append(text, stream_name(p->stream));
	bytes_append_text(text, " became shorter while it is open: ");
	if (left >= 0)
		bytes_format(text, "%" PRId64 " of %" PRId64 " bytes are left", left, stream_size(p->stream));
	else
		bytes_format(text, "it had %" PRId64 " bytes", stream_size(p->stream));
	bytes_append_text(text, ", documents behind them are read as empty");
}

/* The gravest first: there may be no room for all. */
static void describe(struct dump *d, struct part *p, struct bytes *text, bool *at_least)
{
	enum state state = (enum state)atomic_load(&p->state);

	describe_loss(p, text, at_least);
	*at_least = *at_least || state == WAITING || state == READING || state == BROKEN || state == STOPPED;
	if (state_text(state) && (state != READ || atomic_load(&d->indexing)))
		append(text, state_text(state));
	pthread_mutex_lock(&d->mutex);
	if (p->remark.size)
		append(text, bytes_text(&p->remark));
	pthread_mutex_unlock(&d->mutex);
}

/* Of a database: what has no collection to stand with. */
static bool dump_remark(struct source *s, const char *db, const char *collection, struct bytes *text, bool *at_least)
{
	struct dump *d = s->context;
	size_t before = text->size;
	struct bytes line = BYTES_INIT;

	for (size_t i = 0; i < d->files.count; i++) {
		struct part *p = &d->parts[i];

		if (strcmp(p->file->db, db) || (collection ? strcmp(p->file->collection, collection) != 0 : p->held))
			continue;
		describe(d, p, &line, at_least);
	}
	bytes_append(text, line.data, line.size);
	bytes_clear(&line);
	return text->size > before;
}

static void dump_destroy(struct source *s)
{
	struct dump *d = s->context;

	interrupt_cancel(&d->interrupt);
	if (d->has_thread)
		pthread_join(d->thread, NULL);
	engine_destroy(d->engine);
	for (size_t i = 0; i < d->files.count; i++) {
		stream_close(d->parts[i].stream);
		bytes_clear(&d->parts[i].remark);
	}
	free(d->parts);
	dump_files_clear(&d->files);
	pthread_mutex_destroy(&d->mutex);
	free(d);
}

static const struct source_type dump_source = {
	.name = "engine",
	.command = dump_command,
	.measure = dump_measure,
	.write_counter = dump_write_counter,
	.destroy = dump_destroy,
	.engine = dump_engine,
	.progress = dump_progress,
	.stop = dump_stop,
	.remark = dump_remark,
};

struct source *dump_open(const char *name, struct dump_files *files, const struct model *model, bool with_indexes)
{
	struct dump *d = memory_allocate_zeroed(1, sizeof *d);
	struct source *s = source_new(&dump_source, name, d);

	d->engine = engine_new();
	d->model = model;
	d->files = *files;
	*files = (struct dump_files){ NULL, 0, false };
	d->parts = memory_allocate_zeroed(d->files.count, sizeof *d->parts);
	pthread_mutex_init(&d->mutex, NULL);
	interrupt_init(&d->interrupt);
	atomic_store(&d->reading, true);
	atomic_store(&d->indexing, with_indexes);
	for (size_t i = 0; i < d->files.count; i++) {
		d->parts[i].file = &d->files.list[i];
		open_part(d, &d->parts[i]);
	}
	start(d);
	return s;
}
