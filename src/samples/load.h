/* Loads one collection of a sample with its key and its indexes from the model. Private to the samples. */
#ifndef BSONSCOPE_SAMPLES_LOAD_H
#define BSONSCOPE_SAMPLES_LOAD_H

#include "engine/engine.h"
#include "model/model.h"

bool sample_load(struct engine *e, const struct model *model, const char *collection, struct engine_loader *loader,
                 bson_error_t *error);

#endif
