/* The specification of an index as createIndexes gets it: checked, and put into the form that listIndexes returns. */
#ifndef BSONSCOPE_ENGINE_INDEX_SPECIFICATION_H
#define BSONSCOPE_ENGINE_INDEX_SPECIFICATION_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"
#include "engine/match.h"

/*
 * Appends {v: 2, key: …, name: …, …} to `out`: the fields in the order given, without options that say the default.
 * What this engine does not have is refused (CannotCreateIndex); what MongoDB refuses is refused in its words.
 * Source: https://www.mongodb.com/docs/manual/reference/command/createIndexes/
 */
bool index_specification_normalize(struct value specification, struct bytes *out, bson_error_t *error);

/*
 * The partialFilterExpression, compiled (match_destroy it); null: there is none, or (error) it is not allowed. Source:
 * https://www.mongodb.com/docs/manual/core/index-partial/
 */
struct match *index_specification_filter(struct value specification, bson_error_t *error);

#endif
