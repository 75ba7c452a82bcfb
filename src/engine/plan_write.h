/* Pieces that explain's parts share. */
#ifndef BSONSCOPE_ENGINE_PLAN_WRITE_H
#define BSONSCOPE_ENGINE_PLAN_WRITE_H

#include "bson/writer.h"
#include "engine/bounds.h"
#include "engine/index.h"

/* keyPattern, indexName, isMultiKey, multiKeyPaths, isUnique, isSparse, isPartial, indexVersion. */
void plan_write_index(struct writer *w, const struct index *i);

/* {field: ["[26, 26]"], …} */
void plan_write_bounds(struct writer *w, const struct index *i, const struct bounds *bounds);

/* {startKey: {…}, startKeyInclusive, endKey: {…}, endKeyInclusive} of a single range. */
void plan_write_range(struct writer *w, const struct index *i, const struct bounds *bounds);

#endif
