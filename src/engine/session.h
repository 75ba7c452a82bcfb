/*
 * Logical sessions, as far as a single server without users has them: a command's `lsid` names one, and cursors belong
 * to the session that opened them. Private to the engine's commands.
 */
#ifndef BSONSCOPE_ENGINE_SESSION_H
#define BSONSCOPE_ENGINE_SESSION_H

#include "base/error.h"
#include "bson/value.h"

struct session {
	bool is_set; /* false: the command came without one */
	uint8_t id[16];
};

/* Of a command, and of an element {id: UUID} of endSessions. */
struct session session_of_command(struct value command);
struct session session_of(struct value lsid);

bool session_equal(struct session a, struct session b);

/* Whether a getMore in `caller` may use a cursor of `owner`: 50736, 50737, 50738 (mongo/db/commands/getmore_cmd.cpp). */
bool session_check(struct session owner, struct session caller, int64_t cursor_id, bson_error_t *error);

#endif
