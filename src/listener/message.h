/*
 * Messages of MongoDB's wire protocol, read and framed: bytes in, bytes out, no sockets. What a client may send is
 * OP_MSG, and OP_QUERY for its handshake; what it gets is the same kind, or OP_REPLY.
 */
#ifndef BSONSCOPE_LISTENER_MESSAGE_H
#define BSONSCOPE_LISTENER_MESSAGE_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"

enum { MESSAGE_HEADER_BYTES = 16 };

struct message {
	int32_t request, opcode;
	bool wants_reply;     /* false: moreToCome */
	bool fails;           /* an OP_QUERY that is answered with an error of its own kind */
	const char *db;       /* in the message */
	struct value command; /* in the message, or in what was assembled */
};

/*
 * The size of the message that begins here, as its header says. False: it says what no message can be. 0 bytes: the
 * header is not all there.
 */
bool message_size(const uint8_t *bytes, size_t available, size_t *size_bytes, bson_error_t *error);

enum message_verdict {
	MESSAGE_GOOD,
	MESSAGE_REFUSED, /* the error is the reply: MongoDB's code and words */
	MESSAGE_FATAL    /* the connection cannot go on: what follows could be anything */
};

/*
 * Reads a whole message. Document sequences are put into the command as the arrays they stand for: the command is then
 * in `assembled`, which is emptied first. Which errors end a connection is MongoDB's choice (flags that are not known,
 * a wrong checksum, more than two sequences). The command has passed check_document.
 */
enum message_verdict message_read(const uint8_t *bytes, size_t size_bytes, struct bytes *assembled, struct message *m,
                                  bson_error_t *error);

/* Appends all of a reply but its document, which follows at the end of `out`; returns where the message begins. */
size_t message_begin_reply(struct bytes *out, const struct message *m, int32_t request);

/* The document is there: sets the message's length. */
void message_end_reply(struct bytes *out, size_t start);

/* CRC-32C, as a message with a checksum ends with. */
uint32_t message_checksum(const uint8_t *bytes, size_t size_bytes);

#endif
