/* What a command costs, as far as a server's explain says it. Nothing is invented. Private to the room. */
#ifndef BSONSCOPE_REMOTE_COST_H
#define BSONSCOPE_REMOTE_COST_H

#include "base/cost.h"
#include "base/error.h"
#include "bson/value.h"

/* A document's average size in a collection of that database; unknown where there is none. */
struct cost_averages {
	struct figure (*find)(void *context, const char *collection);
	void *context;
};

/* Of a read's explain with executionStats. Bytes are estimated by averages where the server did not count them. */
bool cost_from_explain(struct cost *cost, struct value command, struct value explain,
                       const struct cost_averages *averages, bson_error_t *error);

/* Of a write that is only planned: one round trip; of an insert what the command itself says. */
void cost_of_write(struct cost *cost, struct value command);

#endif
