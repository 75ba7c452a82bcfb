/*
 * Commands: one table says each command's name, handler and options; this file is what the handlers share. Private to
 * the engine's commands: others call engine.h.
 */
#ifndef BSONSCOPE_ENGINE_COMMAND_H
#define BSONSCOPE_ENGINE_COMMAND_H

#include <pthread.h>

#include "base/bytes.h"
#include "base/interrupt.h"
#include "bson/writer.h"
#include "engine/cursor.h"
#include "engine/engine.h"
#include "engine/execution.h"
#include "engine/store.h"

struct engine {
	pthread_mutex_t mutex; /* held for one command, or for one slice of a load */
	struct store *store;
	struct cursor_registry cursors;
	int64_t started_us; /* on the clock of interrupt_now_us */
	unsigned load_count; /* names the collections that are being loaded */
	struct log_sink log; /* write: null when nobody listens */
};

/* Collections that are still being loaded are called so, and are nobody else's business. */
#define LOADING_PREFIX "system.loading."

struct command_type;

/* One command while it runs. */
struct command_call {
	struct engine *engine;
	const char *db;
	const struct command_type *type;
	struct value command;
	const struct interrupt *interrupt; /* the caller's and maxTimeMS together */
	bool dry_run;                      /* measuring or explaining: nothing may change */
	struct counters counters;          /* what it cost, over all of its statements */
	struct writer *reply;              /* open document: the handler adds its fields, `ok` follows */
	struct bytes details;              /* further reply fields of a failure: one BSON document, or empty */
	struct bytes long_message;         /* errmsg of a failure that is longer than an error holds, or empty */
	bson_error_t error;
};

enum command_flags {
	COMMAND_WRITES = 1,      /* takes a writeConcern */
	COMMAND_CATALOG = 2,     /* changes the catalog and no documents: costs zeros, never run dry */
	COMMAND_EXPLAINS = 4,    /* may stand inside explain */
	COMMAND_API_1 = 8,       /* part of the stable API */
	COMMAND_ADMIN = 16,      /* only on the admin database */
	COMMAND_TAKES_ANY = 32,  /* the value of the command's own field is not a collection's name */
	COMMAND_UNLOCKED = 64,   /* touches nothing of the engine: runs without its mutex */
	COMMAND_OPEN = 128       /* its fields are names of its own subject, not options */
};

/* Types as an option may ask for them; MongoDB's wording of each stands in command_options.c. */
enum option_type {
	OPTION_ANY, OPTION_OBJECT, OPTION_ARRAY, OPTION_STRING, OPTION_BOOL, OPTION_NUMBER,
	OPTION_COUNT /* a number that is not negative */
};

enum option_use {
	OPTION_USED,
	OPTION_REQUIRED,
	OPTION_HARMLESS,        /* accepted; it changes nothing here */
	OPTION_REFUSED,         /* MongoDB knows it, this engine does not do it */
	OPTION_REFUSED_IF_TRUE, /* as above; false is what this engine does anyway */
	OPTION_SIMPLE_COLLATION /* {locale: "simple"} is what this engine does; others are refused */
};

struct command_option {
	const char *name;
	enum option_type type;
	enum option_use use;
};

struct command_type {
	const char *name;
	bool (*run)(struct command_call *call); /* null: known to MongoDB, not to this engine */
	const struct command_option *options;   /* ends with a null name */
	unsigned flags;
	const char *alias;                      /* or null */
};

/* Null when MongoDB has no such command, as far as this engine knows. */
const struct command_type *command_find_type(struct key name);

/* Runs call->command, whose type and fields are looked up and checked here. False: call->error. */
bool command_run(struct command_call *call);

/* For explain: looks up and checks, and runs nothing. */
bool command_check(struct command_call *call);

/* Records the failure. Returns false. */
bool command_fail(struct command_call *call, uint32_t code, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/*
 * The fields of `document` against the options: unknown 40415, missing 40414, twice 40413, wrong type 14, negative
 * 51024. `prefix` is how errors name it ("find", "update.updates"); the first `skip` fields are not looked at;
 * `generic` lets in what every command may carry (lsid, $db, comment, …).
 */
bool command_check_options(struct value document, const char *prefix, const struct command_option *options, int skip,
                           bool generic, bson_error_t *error);

/* The rules of what every command may carry: readConcern, writeConcern, apiVersion, transactions. */
bool command_check_generic(struct value command, const struct command_type *type, bson_error_t *error);

/* maxTimeMS; 0 when there is none. */
bool command_max_time(struct value command, int64_t *millis, bson_error_t *error);

/* True for the fields that clients send with every command and that are no part of it. */
bool command_is_envelope(struct key name);

/* An option's value; null and undefined count as missing, as MongoDB's parser has it. */
struct value command_option(struct value document, const char *name);
int64_t command_option_number(struct value document, const char *name, int64_t otherwise);
bool command_option_bool(struct value document, const char *name, bool otherwise);

/* A number of any type toward zero and into range. */
int64_t command_number(struct value v);

/*
 * The collection that the command's first field names, as a C string inside the command. Null: the name is not one
 * (InvalidNamespace). command_check_created_name adds the rules for names that come to be.
 */
const char *command_collection(struct command_call *call);
bool command_check_database(const char *db, bson_error_t *error);
bool command_check_created_name(const char *db, const char *name, bson_error_t *error);

/* An execution that does the call's work: interrupt, dry run, log, details of its failure. */
void command_lend(struct command_call *call, struct execution *x);

/* Adds what an execution counted to the call. */
void command_count(struct command_call *call, const struct counters *counters);

/* The failure of an execution, `context` (or null) before its message: "… :: caused by :: …". Returns false. */
bool command_fail_execution(struct command_call *call, const struct execution *x, const char *context);

/* aggregate with `explain: true`. */
bool command_explain_aggregate(struct command_call *call);

/* Fails with BSONObjectTooLarge, the document's size and first field. Returns false. */
bool command_fail_too_large(struct execution *x, struct value document);

/* Options of a statement of update and delete. */
extern const struct command_option command_update_options[], command_delete_options[];

/* The collection; made when it is missing and this is no dry run. Null with call->error: the name is refused. */
bool command_collection_to_write(struct command_call *call, const char *name, struct collection **collection);

/*
 * The command's validator (checked for `create`), validationLevel and validationAction: BadValue for values that the
 * emulated version does not know.
 */
struct validation_change;
bool command_read_validation(struct command_call *call, struct validation_change *change);

/* True while it is still being loaded. */
bool command_is_hidden(const struct collection *c);

/* Handlers. */
#define COMMAND_HANDLERS(X)                                                                                     \
	X(find) X(aggregate) X(get_more) X(kill_cursors) X(count_documents) X(distinct) X(explain)              \
	X(insert) X(update) X(delete) X(find_and_modify) X(list_databases) X(list_collections) X(list_indexes) \
	X(create) X(coll_mod) X(drop) X(drop_database) X(create_indexes) X(drop_indexes) X(coll_stats) X(db_stats)          \
	X(ping) X(hello) X(is_master) X(build_info)                                                             \
	X(end_sessions) X(connection_status) X(replica_status) X(server_status) X(get_parameter)                \
	X(get_log) X(host_info) X(get_command_line) X(rename_collection)

#define X(name) bool command_##name(struct command_call *call);
COMMAND_HANDLERS(X)
#undef X

#endif
