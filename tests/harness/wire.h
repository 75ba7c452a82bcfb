/*
 * A small scripted server on MongoDB's wire protocol, for tests of the remote side: loopback, a port of its own, one
 * thread. It speaks OP_MSG and the handshake's OP_QUERY; what it answers is the test's. It ends when the test stops it
 * or after a minute without a message.
 */
#ifndef BSONSCOPE_TESTS_WIRE_H
#define BSONSCOPE_TESTS_WIRE_H

#include "base/bytes.h"
#include "bson/value.h"

enum wire_answer {
	WIRE_REPLY,
	WIRE_SILENCE, /* nothing, ever; the connection stays */
	WIRE_CUT,     /* half of the reply, and the end of the connection */
	WIRE_SHORT,   /* a message that says it is shorter than its own header */
	WIRE_LONG,    /* a message that says it is of two gigabytes */
	WIRE_UNKNOWN  /* the server's own: hello and what keeps a connection alive, else "no such command" */
};

/* Appends the reply's document to `reply`. Called on the server's thread. */
typedef enum wire_answer (*wire_handler)(void *context, const char *db, struct value command, struct bytes *reply);

struct wire_options {
	int max_wire_version; /* 0: 21 */
	bool sessions;        /* logicalSessionTimeoutMinutes in hello */
	bool mute;            /* accepts connections and never says a word */
	int port;             /* 0: any that is free */
};

struct wire;

struct wire *wire_start(wire_handler handler, void *context, const struct wire_options *options);
void wire_stop(struct wire *w);
int wire_port(const struct wire *w);

/* "mongodb://127.0.0.1:PORT/"; the server's. */
const char *wire_uri(const struct wire *w);

/* How often a command of that name has come, and the last of them as a document (missing: none): kept until the program
 * ends. */
int wire_count(struct wire *w, const char *name);
struct value wire_last(struct wire *w, const char *name);

/* Over how many connections that command came: no more of them can have been under way at once. */
int wire_connections(struct wire *w, const char *name);

/* Names of all commands that came, each once, in the order of their first coming; kept until the program ends. Returns
 * their number. */
size_t wire_names(struct wire *w, const char ***names);

#endif
