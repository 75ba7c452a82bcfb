/* What the parts of the plan room share. */
#ifndef BSONSCOPE_PLAN_TREE_PRIVATE_H
#define BSONSCOPE_PLAN_TREE_PRIVATE_H

#include "plan/tree.h"

struct plan_node *plan_node_new(const char *stage, struct value source);

/* The child is the parent's from now on; null is ignored. */
void plan_node_adopt(struct plan_node *parent, struct plan_node *child);

/* Figures and texts that a stage's document holds under the names of the tables. */
void plan_node_fill(struct plan_node *n, struct value stage);

/* Puts what slot-based execution stages counted to the nodes that they were made from, by planNodeId. */
void plan_slots_join(struct plan_node *root, struct value execution);

/* A field of a document or array; missing when it is neither. */
struct value plan_get(struct value v, const char *name);

/* A number of any type and notation, not negative; unknown for anything else. */
struct figure plan_figure(struct value v);

/* As text, made safe; null when it is none. free() it. */
char *plan_text(struct value v);

/* What is worth a remark, with its evidence: fills the tree's findings. */
void plan_findings(struct plan_tree *t);

#endif
