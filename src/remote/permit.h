/*
 * What may be sent to a server: one table, checked before anything goes out. A server is only read from: nothing in the
 * table writes, and what could make a reading command write ($out, $merge) is refused wherever it stands.
 */
#ifndef BSONSCOPE_REMOTE_PERMIT_H
#define BSONSCOPE_REMOTE_PERMIT_H

#include <bson/bson.h>
#include <stdbool.h>

/* Who sends it. */
enum permit_sender {
	PERMIT_CALLER = 1, /* whoever holds the source */
	PERMIT_SELF = 2,   /* this room, to stop what was cancelled */
	PERMIT_DRIVER = 4  /* libmongoc, beside what it is given: handshake, authentication, end of sessions */
};

enum permit_use { PERMIT_LISTING, PERMIT_SCAN };

struct permit {
	const char *name;
	int senders;
	enum permit_use use;
	bool takes_max_time; /* false: the server refuses maxTimeMS there (getMore: its cursor's own limit holds) */
};

/* The command's row, or null: the error says that it is not sent (code 20, IllegalOperation). */
const struct permit *permit_check(const bson_t *command, enum permit_sender sender, bson_error_t *error);

/* Row `i`, or null after the last. */
const struct permit *permit_at(size_t i);

/* Something in it writes, or would when run: $out, $merge, $mergeCursors, or a command of writing. */
bool permit_writes(const bson_t *command);

#endif
