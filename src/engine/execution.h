/*
 * What one running command carries through every stage: the counters it fills, the interrupt it polls, its variables
 * and the error that ended it. Lives on the stack of the command (or in its cursor); used under the engine's mutex.
 */
#ifndef BSONSCOPE_ENGINE_EXECUTION_H
#define BSONSCOPE_ENGINE_EXECUTION_H

#include "base/arena.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "bson/value.h"

struct store;

/* Each is counted where it happens, once. bytes_read: whole size of each document examined. keys_written: index entries
 * removed and added. docs_written counts no-ops too, no_ops the part that would change nothing. */
#define COUNTERS(X)       \
	X(docs_examined)  \
	X(keys_examined)  \
	X(bytes_read)     \
	X(docs_returned)  \
	X(bytes_returned) \
	X(docs_written)   \
	X(bytes_written)  \
	X(keys_written)   \
	X(no_ops)         \
	X(get_mores)

struct counters {
#define X(name) int64_t name;
	COUNTERS(X)
#undef X
};

/* Where log lines go, each a document as the server's own. Called under the engine's mutex. */
struct log_sink {
	void (*write)(void *context, struct value line);
	void *context;
};

struct execution {
	struct store *store;
	const char *db;
	struct counters counters;
	const struct interrupt *interrupt; /* may be null */
	bool dry_run;                      /* writes are computed and counted, not stored */
	bool allow_disk_use;               /* allowDiskUse: $group and $sort may hold more than 100 MB */
	bool explaining;                   /* $out and $merge write nothing and compute nothing */
	bool timed;                        /* stages measure their time: explain */
	bool bypass_validation;            /* bypassDocumentValidation */
	const struct log_sink *log;        /* or null */
	int64_t now_millis;                /* $$NOW: one time a command */
	struct value *variables;           /* by slot; see expression.h */
	size_t variable_capacity;
	unsigned ticks;
	bool failed;
	bson_error_t error;                /* ERROR_SERVER when failed */
	struct bytes *error_details;       /* extra reply fields of a failure as one BSON document (keyPattern, …); or null */
	struct arena scratch;              /* reset by whoever tests or evaluates a single document */
};

void execution_init(struct execution *x, struct store *store, const char *db, const struct interrupt *interrupt);
void execution_clear(struct execution *x);

/* Polls the interrupt every 128th call; false (and failed, code 50 or 11601) when it is over. */
bool execution_tick(struct execution *x);

/* Records the first failure. Returns false. */
bool execution_fail(struct execution *x, uint32_t code, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool execution_fail_with(struct execution *x, const bson_error_t *error);
void execution_set_variable(struct execution *x, size_t slot, struct value v);

#endif
