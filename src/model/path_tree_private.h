/* What the files of the path tree share. */
#ifndef BSONSCOPE_MODEL_PATH_TREE_PRIVATE_H
#define BSONSCOPE_MODEL_PATH_TREE_PRIVATE_H

#include "model/path_tree.h"

/* path_tree.c: nodes */

/* The field of that key below `n`, the node that it is folded into, or a new one. `depth`: of n, the root's is 0. */
struct path_node *path_child(struct path_tree *t, struct path_node *n, struct key key, uint64_t key_hash, int depth);
struct path_node *path_elements(struct path_tree *t, struct path_node *n);
struct path_node *path_star(struct path_tree *t, struct path_node *n);

/* Folds the classes of keys that another tree has folded. */
void path_fold_as(struct path_tree *t, struct path_node *n, uint8_t folded, int depth);

/* Paths by which the memory is bounded: `of` the path above. */
static inline uint64_t path_hash_star(uint64_t of)
{
	return hash_join(of, 1);
}

static inline uint64_t path_hash_elements(uint64_t of)
{
	return hash_join(of, 2);
}

struct path_type *path_type_of(struct path_node *n, uint8_t type);
struct path_lengths *path_lengths_of(struct path_node *n);
void path_fold_key(struct path_node *star, struct key key, uint64_t key_hash);
void path_free_node(struct path_tree *t, struct path_node *n);

/* After the set of paths has grown: whether folding has to become stricter. */
void path_tree_bound(struct path_tree *t);

/* path_marks.c: figures with the documents that they are of */

/* The greater value stays, of equal ones the first position. Empty marks have position -1. */
bool path_mark_is_beaten(const struct path_mark *m, int64_t value, int64_t position);
void path_mark_set(struct path_mark *m, int64_t value, int64_t position, struct value id);
void path_mark_merge(struct path_mark *m, const struct path_mark *other);

/* The mark that is to be set, as this array is one of the longest; else null. */
struct path_mark *path_lengths_add(struct path_lengths *l, int64_t length, int64_t position);
void path_lengths_merge(struct path_lengths *l, const struct path_lengths *more);
void path_lengths_free(struct path_lengths *l);

void path_values_add(struct path_values *v, struct value value, int64_t count);
void path_values_merge(struct path_values *v, const struct path_values *more);
void path_values_free(struct path_values *v);

/* path_merge.c: `from` is counted with `n` */
void path_node_merge(struct path_tree *t, struct path_node *n, const struct path_node *from, int depth);

#endif
