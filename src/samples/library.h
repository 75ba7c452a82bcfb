/* The library catalogue, generated: 20,000 books, 1 to 5 copies each, from seed 424242. Private to the samples. */
#ifndef BSONSCOPE_SAMPLES_LIBRARY_H
#define BSONSCOPE_SAMPLES_LIBRARY_H

#include "engine/engine.h"
#include "model/model.h"

bool library_load(struct engine *e, const struct model *model, bson_error_t *error);

#endif
