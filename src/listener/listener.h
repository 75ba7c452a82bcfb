/*
 * An engine on MongoDB's wire protocol, for mongosh and drivers: on loopback or a unix socket, from threads of its own.
 *
 * One thread polls, reads, runs the commands and sends the replies: a short command passes no other thread. A second
 * one sleeps until a command takes longer than some milliseconds; then it polls, reads and sends until that command is
 * done, answers what needs no data (hello, ping), and everybody else's commands wait their turn: the engine runs one
 * at a time anyway. Commands of one connection run in the order they came.
 */
#ifndef BSONSCOPE_LISTENER_LISTENER_H
#define BSONSCOPE_LISTENER_LISTENER_H

#include "engine/engine.h"
#include "listener/address.h"

/* A command without a maxTimeMS of its own has this limit. */
enum { LISTENER_COMMAND_LIMIT_MS = 5000 };

struct listener;

struct listener_options {
	struct address address;
	int64_t command_limit_ms; /* 0: LISTENER_COMMAND_LIMIT_MS */

	/* Each may be null. Called from the listener's threads, one call at a time, quickly; never after the destroy. */
	void (*log)(void *context, const char *line); /* what a client did wrong: printable, one line */
	void (*ran)(void *context);                   /* a command has run that may have changed data */
	void *context;
};

/* Listens from now on. The engine is borrowed. Null with one line. */
struct listener *listener_new(struct engine *e, const struct listener_options *options, bson_error_t *error);

/* Stops what runs, closes every connection and removes the unix socket. May be null. */
void listener_destroy(struct listener *l);

/* What a client connects to: "mongodb://127.0.0.1:27017/". The listener's. */
const char *listener_uri(const struct listener *l);

/* How many clients are connected. */
int listener_connections(struct listener *l);

#endif
