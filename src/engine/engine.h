/*
 * The embedded document engine: answers MongoDB's commands on documents in this process, and counts exactly what it
 * touches. One mutex, held for one command; any thread may call.
 */
#ifndef BSONSCOPE_ENGINE_ENGINE_H
#define BSONSCOPE_ENGINE_ENGINE_H

#include "base/bytes.h"
#include "base/cost.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/size_tally.h"
#include "bson/value.h"
#include "engine/emulation.h"

struct engine;

struct engine *engine_new(void);
void engine_destroy(struct engine *e);

/* By which cursors and sessions run out: microseconds; interrupt_now_us unless a test brings its own. */
void engine_set_clock(struct engine *e, int64_t (*now_us)(void));

/* The version whose rules and words are followed where versions differ; emulation_default() until it is set. */
void engine_emulate(struct engine *e, const struct emulation *m);
const struct emulation *engine_emulation(struct engine *e);

/*
 * Runs a command. `reply` is initialized by this call and is the caller's to bson_destroy. False when the reply is
 * {ok: 0, …}: `error` then holds its code and message. A command, stage, operator or option is right or refused,
 * never ignored.
 */
bool engine_command(struct engine *e, const char *db, const bson_t *command, bson_t *reply, const struct interrupt *interrupt,
                    bson_error_t *error);

/* The same on raw documents: `command` has passed check_document, the reply is appended to `reply`. */
bool engine_answer(struct engine *e, const char *db, struct value command, struct bytes *reply,
                   const struct interrupt *interrupt, bson_error_t *error);

/* True for commands that touch no data (hello, ping, …): they are answered while another command runs. */
bool engine_answers_unlocked(struct value command);

/*
 * What the command costs, by running it to its last batch with writes computed but not stored: nothing changes. One
 * round trip; getMores as a client would need (first batch 101 documents or batchSize, then 16 MB a batch).
 */
bool engine_measure(struct engine *e, const char *db, const bson_t *command, struct cost *cost,
                    const struct interrupt *interrupt, bson_error_t *error);

/*
 * Where warnings go that the server would log, such as a document that fails validation where that is only warned of:
 * {s, c, id, msg, attr} each. `write` may be null; it is called under the mutex.
 */
void engine_set_log(struct engine *e, void (*write)(void *context, struct value line), void *context);

/* The write counter of a collection; -1 when it does not exist. */
int64_t engine_write_counter(struct engine *e, const char *db, const char *collection);

/* Another number once a collection came, went or was written to. */
uint64_t engine_data_version(struct engine *e);

/* How many entries an index has; -1 when there is no such collection or index. */
int64_t engine_index_entries(struct engine *e, const char *db, const char *collection, const char *index);

/*
 * What an index that is not there would hold. False when it cannot be built, or when the collection has more
 * documents than one holds up the engine for.
 */
bool engine_preview_index(struct engine *e, const char *db, const char *collection, struct value specification, int64_t *entries,
                          int64_t *bytes);

/* Document limit of a database, which is created. */
void engine_set_document_limit(struct engine *e, const char *db, int64_t limit_bytes);
int64_t engine_document_limit(struct engine *e, const char *db);

/*
 * Bulk loading under the mutex: `next` is called until it returns false (no more) and gives documents that are taken
 * as they are; borrowed bytes must outlive the engine. `key`: field of the unique index, or null. `indexes`: a bson
 * array of createIndexes specifications, or null. Replaces a collection of that name. `next` may set the error to
 * stop.
 */
struct engine_loader {
	bool (*next)(void *context, struct value *document, bson_error_t *error);
	void *context;
	bool borrowed;
};
bool engine_load(struct engine *e, const char *db, const char *collection, const char *key, const bson_t *indexes,
                 struct engine_loader *loader, const struct interrupt *interrupt, bson_error_t *error);

/*
 * Runs a pipeline on `from_db.from_collection` and hands every result to the bulk loader as to_db.to_collection (of
 * the same or another engine): how shapes are built. Locks are taken one at a time, a slice of documents each.
 */
bool engine_load_pipeline(struct engine *from, const char *from_db, const char *from_collection, const bson_t *pipeline,
                          struct engine *to, const char *to_db, const char *to_collection, const char *key,
                          const bson_t *indexes, const struct interrupt *interrupt, bson_error_t *error);

/*
 * A collection that is used while it is filled: made empty and without any index, replacing one of that name;
 * documents are appended where they lie, which outlives the engine; indexes come when all are there. `options`: those
 * of `create`, or null. Any name that a dump may hold is good, "system.…" too. A collection with indexes takes no
 * more documents.
 */
bool engine_open_collection(struct engine *e, const char *db, const char *collection, const bson_t *options, bson_error_t *error);
bool engine_append(struct engine *e, const char *db, const char *collection, const struct value *documents, size_t count,
                   bson_error_t *error);

/*
 * Builds an index while commands run: the mutex is held for a slice of documents at a time, and not for the sorting.
 * A failure leaves the collection as it was.
 */
bool engine_build_index(struct engine *e, const char *db, const char *collection, const bson_t *specification,
                        const struct interrupt *interrupt, bson_error_t *error);

/*
 * How many documents of each size there are now, into an empty tally that is the caller's. False: no such collection, or one that holds no
 * documents of its own.
 */
bool engine_tally_sizes(struct engine *e, const char *db, const char *collection, struct size_tally *tally, bson_error_t *error);

/*
 * The documents of `from_bytes` and more in the order of a scan, with their field `key`; others are not looked at.
 * `take` is called under the mutex, in slices. False: no such collection, or interrupted.
 */
struct engine_size_walk {
	const char *key;
	uint32_t from_bytes;
	void (*take)(void *context, int64_t size_bytes, struct value key);
	void *context;
};
bool engine_walk_sizes(struct engine *e, const char *db, const char *collection, const struct engine_size_walk *walk,
                       const struct interrupt *interrupt, bson_error_t *error);

/*
 * All documents in the order of a scan: `take` is called under the mutex, in slices, and the view is good for the call;
 * `pause` (may be null) between slices without it. False: no such collection, interrupted, or `pause` returned false,
 * which sets the error.
 */
struct engine_document_walk {
	void (*take)(void *context, struct value document);
	bool (*pause)(void *context, bson_error_t *error);
	void *context;
};
bool engine_walk_documents(struct engine *e, const char *db, const char *collection, const struct engine_document_walk *walk,
                           const struct interrupt *interrupt, bson_error_t *error);

/*
 * Documents in the order of a scan to be looked at without the mutex, by any number of threads, each with a loan of its
 * own and all from one `lending`, which they take turns with: those that were borrowed are given where they lie, the
 * engine's own as copies, and both are good until the loan is used again. `count` 0 is the end: what the collection had
 * when the first were lent. `lending` begins as zeros. False: no such collection, or one without documents of its own.
 */
struct engine_lending {
	size_t at, end;
	size_t most; /* records in all; 0: all that there are */
};
enum { ENGINE_LOAN = 512 };
struct engine_loan {
	struct value documents[ENGINE_LOAN];
	size_t count;
	int64_t first;       /* the number of the first; those behind it count on */
	struct bytes copies; /* the caller's to clear */
};
bool engine_lend(struct engine *e, const char *db, const char *collection, struct engine_lending *lending,
                 struct engine_loan *loan, bson_error_t *error);

/* How many documents have no field of that name; -1: no such collection, or interrupted. */
int64_t engine_count_without(struct engine *e, const char *db, const char *collection, const char *key,
                             const struct interrupt *interrupt);

void engine_drop_database(struct engine *e, const char *db);

/* Bytes held for all collections and indexes. */
int64_t engine_memory_bytes(struct engine *e);

#endif
