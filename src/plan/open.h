/* Explain outputs from files and pastes, in any notation. */
#ifndef BSONSCOPE_PLAN_OPEN_H
#define BSONSCOPE_PLAN_OPEN_H

#include "plan/tree.h"

enum { PLAN_TEXT_LIMIT_BYTES = 64 << 20 };

/*
 * The plan in a file, or with "-" in standard input; gzip is unpacked. Null with one line: what, where, and what was
 * expected. At most 64 MiB of text.
 */
struct plan_tree *plan_open(const char *path, bson_error_t *error);

/* The plan in a text: the first document that holds one. `name` is for errors. */
struct plan_tree *plan_from_text(const char *name, const char *text, size_t size_bytes, bson_error_t *error);

#endif
