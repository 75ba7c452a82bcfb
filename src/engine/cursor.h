/*
 * Cursors: a query that gives its rows in batches. A query owns everything its stages point into (its own copy of the
 * command, the compiled filter, the variables), so that it can be parked between batches.
 */
#ifndef BSONSCOPE_ENGINE_CURSOR_H
#define BSONSCOPE_ENGINE_CURSOR_H

#include "base/arena.h"
#include "bson/writer.h"
#include "engine/match.h"
#include "engine/pipeline.h"
#include "engine/plan.h"
#include "engine/projection.h"
#include "engine/session.h"
#include "engine/stage.h"

struct command_call;

struct query {
	struct execution execution;
	struct bytes storage; /* the query's own copy of its command, or the rows of a list */
	struct value command;
	struct arena arena;   /* scopes and values of `let` */
	struct expression_scope *scope;
	char *db, *collection; /* collection: null for {aggregate: 1} */
	char *namespace_text;
	struct match *filter;
	struct projection *projection;
	struct plan_request request;
	struct plan *plan;         /* exactly one of these three */
	struct pipeline *pipeline;
	struct stage *list;
};

/* Copies `command`; `collection` may be null. The execution is the call's until query_adopt gives it to another. */
struct query *query_new(struct command_call *call, struct value command, const char *collection);
void query_destroy(struct query *q);
void query_adopt(struct query *q, struct command_call *call);

/* A query whose own copy is a statement of update or delete; the command's `let` is visible. Null: call->error. */
struct query *query_new_for_statement(struct command_call *call, struct value statement, const char *collection);

/* The variables of `let` (missing: none), which outlives the query, are visible from now on. False: call->error. */
bool query_let(struct query *q, struct command_call *call, struct value let);

/* Takes the sort of the query's own copy for a write of one document: MongoDB passes the one down as a limit. */
void query_sort_for_one(struct query *q);

/* Compiles the filter (missing: everything), takes the hint of the query's own copy, and plans. False: call->error. */
bool query_plan(struct query *q, struct command_call *call, struct value filter);

/* The stage to pull from. */
struct stage *query_root(const struct query *q);

/* Runs the query to its end and drops its rows, which count as returned. False: the execution failed. */
bool query_exhaust(struct query *q);

/* find, aggregate and their explains: compiled and planned, not yet run. Null: call->error. */
struct query *query_for_find(struct command_call *call, struct value command, const char *collection);
struct query *query_for_aggregate(struct command_call *call, struct value command);
struct query *query_for_count(struct command_call *call, struct value command, const char *collection);
struct query *query_for_distinct(struct command_call *call, struct value command, const char *collection);

/* Rows that are there already, end to end in `documents`, which is taken: listCollections, listIndexes. */
struct query *query_for_list(struct command_call *call, const char *collection, struct bytes *documents);

enum { CURSOR_TIMEOUT_MILLIS = 10 * 60 * 1000, SESSION_TIMEOUT_MILLIS = 30 * 60 * 1000 };
enum { CURSOR_FIRST_BATCH = 101, CURSOR_NO_BATCH_SIZE = -1, CURSOR_BATCH_BYTES = 16777216 };

struct cursor {
	int64_t id;          /* 0 until it is registered */
	struct query *query;
	const char *context; /* how errors of its first batch begin; may end with the call */
	int64_t limit;       /* of a find: what ends it without looking further; 0: none */
	int64_t returned;
	struct bytes stashed; /* the document that did not fit the last batch; empty: none */
	bool done, no_timeout;
	bool killed;         /* its collection went away */
	struct session session;
	int64_t used_us;     /* on the registry's clock; by any command of its session, when it has one */
};

struct cursor_registry {
	struct cursor **cursors;
	size_t count, capacity;
	uint64_t random_state;
	int64_t (*now_us)(void);
};

void cursor_registry_init(struct cursor_registry *r);
void cursor_registry_clear(struct cursor_registry *r);

/* Takes the query. */
struct cursor *cursor_new(struct query *q);
void cursor_destroy(struct cursor *c);

/* Parks the cursor and gives it an id; it belongs to the session from now on. */
void cursor_register(struct cursor_registry *r, struct cursor *c, struct session session);

/* Between batches: copies what is borrowed, forgets the call. */
void cursor_park(struct cursor_registry *r, struct cursor *c);

/* Null when there is none, or it belongs to another namespace (when that is not null). */
struct cursor *cursor_find(const struct cursor_registry *r, int64_t id, const char *namespace_text);

/* Out of the registry and gone. */
void cursor_remove(struct cursor_registry *r, struct cursor *c);

/*
 * Ends cursors that were not used for ten minutes; those of a session last as long as it does, which is half an hour
 * after its last command, unless endSessions ends it.
 */
void cursor_reap(struct cursor_registry *r);
void cursor_use_session(struct cursor_registry *r, struct session session);
void cursor_end_session(struct cursor_registry *r, struct session session);

/* A collection is about to go: cursors that may look at it lose their query. `collection` null: the whole database. */
void cursor_kill_collection(struct cursor_registry *r, const char *db, const char *collection);

/*
 * Fills a batch of at most `documents` (CURSOR_NO_BATCH_SIZE: as many as fit 16 MB) as elements of the open array of
 * `w`; with `w` null the rows are counted and dropped. False: the execution failed.
 */
bool cursor_fill(struct cursor *c, int64_t documents, struct writer *w);

/*
 * The reply {cursor: {firstBatch, id, ns}} of a command that opens a cursor (id first with `id_first`), and the cursor
 * registered when rows are left; a dry run goes to the last batch and counts the getMores. Takes the cursor.
 */
bool cursor_reply(struct command_call *call, struct cursor *c, struct value options, int64_t batch_size,
                  bool single_batch,
                  bool id_first);

#endif
