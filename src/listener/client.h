/*
 * One client: what it sent and was not yet read, what it is to get and was not yet sent. Private to the listener.
 *
 * At most one message is taken in beyond the one that runs, and none is run while a reply waits to be sent: a client
 * that does not read costs one reply, and is read from again when it has taken it.
 */
#ifndef BSONSCOPE_LISTENER_CLIENT_H
#define BSONSCOPE_LISTENER_CLIENT_H

#include "base/bytes.h"
#include "base/error.h"

struct client {
	int socket; /* owned */
	int32_t id;
	struct bytes in, out;
	size_t message_bytes; /* of the whole message that `in` begins with; 0: not all there */
	size_t sent;          /* of `out` */
	bool ended;           /* the client sends no more */
	bool running;         /* its command runs: nothing here may be touched by the other thread */
	bool held;            /* its message waits until the engine is free */
};

/* Takes the socket, which must not block. */
struct client *client_new(int socket, int32_t id);
void client_destroy(struct client *c);

/* What the poll is to look for. */
bool client_wants_input(const struct client *c);
bool client_has_output(const struct client *c);

/*
 * Takes in what is there. False with one line when it is over: the client broke the rules or off, or went away (the
 * line is empty when it was done).
 */
bool client_receive(struct client *c, bson_error_t *error);

/* Forgets the message that `in` begins with and looks for the next. False: as above. */
bool client_next(struct client *c, bson_error_t *error);

/* Sends what it can. False: the client has gone. */
bool client_send(struct client *c, bson_error_t *error);

#endif
