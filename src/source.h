/*
 * The seam. A source answers MongoDB's commands; what is above it does not know whether a server or the embedded engine does.
 */
#ifndef BSONSCOPE_SOURCE_H
#define BSONSCOPE_SOURCE_H

#include "base/cost.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "bson/value.h"

struct source;
struct engine;

/* What a kind of source provides; see source_* below. `name` is "engine", "remote" or a test's own. */
struct source_type {
	const char *name;
	bool (*command)(struct source *s, const char *db, const bson_t *command, bson_t *reply,
	                const struct interrupt *interrupt, bson_error_t *error);
	bool (*measure)(struct source *s, const char *db, const bson_t *command, struct cost *cost,
	                const struct interrupt *interrupt, bson_error_t *error);
	struct figure (*write_counter)(struct source *s, const char *db, const char *collection);
	void (*destroy)(struct source *s);
};

struct source {
	const struct source_type *type;
	char *name;      /* "sample:library": as the user named it, no password in it */
	void *context;   /* the type's own */

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

#endif
