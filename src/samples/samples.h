/*
 * The built-in samples: a bookstore (read from data in the binary) and a library catalogue (generated; seed 424242).
 * Both load into an engine in under 300 ms together.
 */
#ifndef BSONSCOPE_SAMPLES_SAMPLES_H
#define BSONSCOPE_SAMPLES_SAMPLES_H

#include "model/model.h"
#include "source.h"

/*
 * "bookstore" or "library": a new source with its data, and the model that belongs to it (model_destroy). Null:
 * unknown name, listed.
 */
struct source *sample_open(const char *name, struct model **model, bson_error_t *error);

/* The same data with indexes from another model, in the database that it names. Null: the name is unknown. */
struct source *sample_open_with(const char *name, const struct model *model, bson_error_t *error);

/* All of them in one source, a database each. Null with one line. */
struct source *sample_open_all(bson_error_t *error);

/* Names, null-terminated. */
const char *const *sample_names(void);

#endif
