/* Commands that return a cursor (find, aggregate, listCollections), run over the seam to their last batch. */
#ifndef BSONSCOPE_MODEL_CURSOR_H
#define BSONSCOPE_MODEL_CURSOR_H

#include "base/bytes.h"
#include "bson/value.h"
#include "source.h"

/* Called with each document, borrowed for the call; false, with the error set, stops. */
typedef bool (*cursor_each)(void *context, struct value document, bson_error_t *error);

bool cursor_run(struct source *s, const char *db, const bson_t *command, cursor_each each, void *context,
                const struct interrupt *interrupt, bson_error_t *error);

/*
 * The first document of the first batch, appended to `out`, which stays as it is when there is none: for commands that
 * return one document. Destroys the command.
 */
bool cursor_first(struct source *s, const char *db, bson_t *command, struct bytes *out,
                  const struct interrupt *interrupt, bson_error_t *error);

#endif
