/*
 * The seam. A source answers MongoDB's commands; what is above it does not know whether a server or the embedded
 * engine does.
 */
#ifndef BSONSCOPE_SOURCE_H
#define BSONSCOPE_SOURCE_H

#include "base/bytes.h"
#include "base/cost.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/limits.h"
#include "bson/value.h"

struct source;
struct engine;

/* What of a source is still being read. */
struct source_progress {
	int64_t done_bytes, total_bytes;
	int64_t changes; /* one more whenever a remark may have changed */
	bool reading;    /* documents are to come */
	bool indexing;   /* indexes are to come */
};

/* What a kind of source provides; see source_* below. `name` is "engine", "remote" or a test's own. */
struct source_type {
	const char *name;
	bool (*command)(struct source *s, const char *db, const bson_t *command, bson_t *reply,
	                const struct interrupt *interrupt, bson_error_t *error);
	bool (*measure)(struct source *s, const char *db, const bson_t *command, struct cost *cost,
	                const struct interrupt *interrupt, bson_error_t *error);
	struct figure (*write_counter)(struct source *s, const char *db, const char *collection);
	void (*destroy)(struct source *s);

	/* Null where there is none, or nothing to say. */
	struct engine *(*engine)(struct source *s);
	bool (*progress)(struct source *s, struct source_progress *progress);
	void (*stop)(struct source *s);
	void (*forget)(struct source *s);
	bool (*remark)(struct source *s, const char *db, const char *collection, struct bytes *text, bool *at_least);
};

struct source {
	const struct source_type *type;
	char *name;      /* "sample:library": as the user named it, no password in it */
	void *context;   /* the type's own */
	int64_t exact_documents; /* of a larger collection sizes are sampled; 0: never. An engine's are always counted */
	int64_t sample_documents; /* so many are drawn of it; 0: 10,000 */
	struct size_wish size_wish;
	bool sharded;             /* commands go through a mongos, whose counts may have orphans in them */

	/* Called with every command sent, after its reply, from the calling thread: the command log. May be null. */
	void (*log)(void *log_context, const char *db, const bson_t *command, bool measured, int64_t micros, const bson_error_t *error);
	void *log_context;
};

/* Takes the engine. */
struct source *source_from_engine(const char *name, struct engine *e);
struct source *source_new(const struct source_type *type, const char *name, void *context);
void source_destroy(struct source *s);

/* The engine behind, or null. */
struct engine *source_engine(struct source *s);

/* Runs the command. `reply` is always initialized and the caller's. False: {ok: 0} or no reply; `error` says why. */
bool source_command(struct source *s, const char *db, const bson_t *command, bson_t *reply, const struct interrupt *interrupt,
                    bson_error_t *error);

/* What it costs; nothing changes. */
bool source_measure(struct source *s, const char *db, const bson_t *command, struct cost *cost, const struct interrupt *interrupt,
                    bson_error_t *error);

/* Unknown over a server. */
struct figure source_write_counter(struct source *s, const char *db, const char *collection);

/* What is remembered of the data, to be asked for once only, is asked for anew. */
void source_forget(struct source *s);

/*
 * Data that is read beside the commands, which see what is there already. False: all of it is there, and was from the
 * start. source_stop keeps what has been read. Any thread.
 */
bool source_progress(struct source *s, struct source_progress *progress);
void source_stop(struct source *s);

/* Waits until all documents are there, and their indexes, too; false when interrupted. */
bool source_wait(struct source *s, bool for_indexes, const struct interrupt *interrupt);

/*
 * What keeps a collection from being whole, appended to `text` in one line: still being read, a broken file, an index
 * that could not be built. Collection null: the same of the database. *at_least: there are more documents than the
 * collection has. False: nothing.
 */
bool source_remark(struct source *s, const char *db, const char *collection, struct bytes *text, bool *at_least);

#endif
