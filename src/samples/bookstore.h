/*
 * The bookstore: six collections in Extended JSON, one document a line, that are part of the program. Private to the
 * samples.
 */
#ifndef BSONSCOPE_SAMPLES_BOOKSTORE_H
#define BSONSCOPE_SAMPLES_BOOKSTORE_H

#include "engine/engine.h"
#include "model/model.h"

bool bookstore_load(struct engine *e, const struct model *model, bson_error_t *error);

#endif
