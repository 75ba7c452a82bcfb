/*
 * One server's pool, and commands that are sent through it: each on a client popped for it, in a session of its own,
 * with a time limit, and abandoned at once when it is cancelled. Private to the room.
 */
#ifndef BSONSCOPE_REMOTE_CONNECTION_H
#define BSONSCOPE_REMOTE_CONNECTION_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "remote/driver.h"
#include "remote/permit.h"
#include "remote/task.h"

/* A client, server and session that belong together as long as a cursor is open on them. */
struct conversation {
	mongoc_client_t *client;          /* null: not begun */
	mongoc_client_session_t *session; /* null: the server has none */
	uint32_t server_id;
	int64_t cursor_id; /* 0: none open */
};

enum { CONVERSATIONS_PARKED = 16 };

/* Shared with calls that were left behind: whoever is the last frees it. */
struct connection {
	atomic_int references;
	mongoc_uri_t *uri;
	mongoc_client_pool_t *pool;
	bool own_preference; /* the connection string has a read preference */
	int64_t limit_us;
	atomic_int tags; /* operations that were given a comment to be found by */

	pthread_mutex_t lock;                             /* over what follows */
	struct conversation parked[CONVERSATIONS_PARKED]; /* with an open cursor, oldest first */
	size_t parked_count;
};

/* Takes the uri. One reference. No pool yet. */
struct connection *connection_new(mongoc_uri_t *uri, int64_t limit_us);
struct connection *connection_hold(struct connection *c);
void connection_release(struct connection *c);

/*
 * Sends a command that was checked and waits for its reply (always initialized, the caller's). Interrupted, the caller
 * is told at once (code 11601, or 50 at the deadline) and the operation is stopped on the server from beside.
 */
bool connection_command(struct connection *c, const struct permit *row, const char *db, const bson_t *command,
                        bson_t *reply, const struct interrupt *interrupt, bson_error_t *error);

/* libmongoc's error as ours: the server's own with its code, anything else of the system; one line, no password. */
void connection_error(const struct connection *c, const bson_error_t *from, bson_error_t *to);

/* Private to connection's files: a client with server and session for a use of the table. */
bool conversation_begin(struct conversation *v, struct connection *c, const mongoc_read_prefs_t *preference,
                        bson_error_t *error);
bool conversation_send(struct conversation *v, const char *db, const bson_t *command,
                       const mongoc_read_prefs_t *preference, bson_t *reply, bson_error_t *error);
void conversation_end(struct conversation *v, struct connection *c);

/* One with that cursor, taken out of the parked; without a client when there is none. */
struct conversation conversation_resume(struct connection *c, int64_t cursor_id);

/* Kept for its open cursor, or ended when it has none. */
void conversation_park(struct conversation v, struct connection *c);

mongoc_read_prefs_t *connection_preference(const struct connection *c, enum permit_use use);

#endif
