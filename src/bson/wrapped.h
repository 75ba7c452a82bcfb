/* A value kept by itself, as the document {"": value}: what a key needs to outlive the document that it came from. */
#ifndef BSONSCOPE_BSON_WRAPPED_H
#define BSONSCOPE_BSON_WRAPPED_H

#include "base/bytes.h"
#include "bson/value.h"

/* In place of what `out` held; empty when the value is missing. */
void wrapped_set(struct bytes *out, struct value v);

/* Good until `wrapped` changes; missing in an empty one. */
struct value wrapped_value(const struct bytes *wrapped);

#endif
