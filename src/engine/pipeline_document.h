/* Documents with one path changed, and values as error messages quote them. */
#ifndef BSONSCOPE_ENGINE_PIPELINE_DOCUMENT_H
#define BSONSCOPE_ENGINE_PIPELINE_DOCUMENT_H

#include "base/bytes.h"
#include "bson/path.h"

/*
 * Appends `document` to `out` with `v` at `path`: in its place when the path is there, at the end when not. What stands
 * on the way and is no document is replaced by one. A missing `v` removes the field.
 */
struct value document_set(struct bytes *out, struct value document, const struct path *path, struct value v);

/* `$limit: 1.5` as error messages quote an element, `{a: 1}` as they quote a value. The text belongs to the caller
 * (free()). */
char *element_text(const char *name, struct value v);
char *value_text_of(struct value v);

#endif
