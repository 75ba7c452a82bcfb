/* Paths as people read them. What data puts there is safe for a terminal. */
#ifndef BSONSCOPE_MODEL_PATH_TEXT_H
#define BSONSCOPE_MODEL_PATH_TEXT_H

#include "model/path_tree.h"

/*
 * One key: as it is, or in double quotes when it could be taken for something else (empty, dots, spaces, quotes,
 * control bytes, a field that is really called "*" or "[]").
 */
void path_print_key(struct bytes *out, const struct path_node *n);

/* From the root down: items.[].price, "a.b".c; nothing for the root itself. */
void path_print(struct bytes *out, const struct path_node *n);

/* "int 181, string 1", the most frequent first. */
void path_print_types(struct bytes *out, const struct path_node *n);

enum path_order { PATH_BY_BYTES, PATH_BY_COUNT, PATH_BY_MAX, PATH_BY_NAME };

/* "bytes", "count", "max", "name". */
bool path_order_from_name(const char *name, enum path_order *order);

/* The children in that order, which of figures is the greatest first, equal ones by name: free(). */
const struct path_node **path_sorted(const struct path_node *n, enum path_order order);

#endif
