/* What the files of the index share with each other. */
#ifndef BSONSCOPE_ENGINE_INDEX_INSIDE_H
#define BSONSCOPE_ENGINE_INDEX_INSIDE_H

#include "engine/index.h"
#include "engine/index_tree.h"
#include "engine/key_paths.h"

/* Paths and sparseness of the index; the caller sets where the tuples go. */
void index_key_paths(const struct index *i, struct key_paths *paths);

/* Appends the key of one tuple of values. */
void index_encode(const struct index *i, const struct value *values, struct bytes *key);

/* Adds to what the index knows of arrays: a word a field. */
void index_note_components(struct index *i, const uint32_t *array_components);

#endif
