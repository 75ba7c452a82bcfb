/*
 * Updates: operators, replacement, pipelines. The new document is computed beside the old one; the store decides
 * whether it is kept, so a dry run is the same code.
 * Source: https://www.mongodb.com/docs/manual/reference/operator/update/
 */
#ifndef BSONSCOPE_ENGINE_UPDATE_H
#define BSONSCOPE_ENGINE_UPDATE_H

#include "base/bytes.h"
#include "engine/match.h"

struct update;

/*
 * `u` is the document or array of an update statement, `array_filters` an array value or missing. Unknown operator:
 * code 9.
 */
struct update *update_compile(struct value u, struct value array_filters, const struct expression_scope *scope,
                              bson_error_t *error);
void update_destroy(struct update *u);
bool update_is_replacement(const struct update *u);

/*
 * Appends the document as it would be to `out` (reset first). *changed is false for a no-op: then `out` equals
 * `document`. (MongoDB takes a few that change no byte for changes, as $inc on NaN; so do we.) `filter` serves the
 * positional operator, `inserting` turns on $setOnInsert. The document limit is not checked here. _id does not change
 * (code 66). Fails with PathNotViable, ConflictingUpdateOperators, … in MongoDB's words.
 */
bool update_apply(const struct update *u, struct execution *x, struct value document, const struct match *filter,
                  bool inserting, struct bytes *out, bool *changed);

/*
 * The document that an upsert starts from: equalities of the query. update_apply with `inserting` makes of it the
 * document to insert, with an _id first, made when there is none. Paths that contradict each other:
 * NotSingleValueField (54).
 */
bool update_upsert_base(const struct match *filter, struct bytes *out, bson_error_t *error);

#endif
