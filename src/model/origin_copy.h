/* A copy of the origin's own shape in the lab, with its indexes: what is tried there leaves the origin as it is.
 * Private to the lab. */
#ifndef BSONSCOPE_MODEL_ORIGIN_COPY_H
#define BSONSCOPE_MODEL_ORIGIN_COPY_H

#include "model/mentions.h"
#include "source.h"

/* The collections that the model speaks of, into an engine's database, which is replaced. */
bool origin_copy(struct source *origin, const char *origin_db, const struct model *model,
                 const struct mentions *mentions, struct source *to, const char *db, const struct interrupt *interrupt,
                 bson_error_t *error);

#endif
