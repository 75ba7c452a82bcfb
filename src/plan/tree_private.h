/* What the parts of the plan room share. */
#ifndef BSONSCOPE_PLAN_TREE_PRIVATE_H
#define BSONSCOPE_PLAN_TREE_PRIVATE_H

#include "bson/field_table.h"
#include "plan/tree.h"

/* What is walked recursively has to end somewhere. */
enum { PLAN_NODE_LIMIT = 20000 };

/* A reply while it is read. */
struct reading {
	struct plan_tree *tree;
	int depth;
	size_t nodes;
	bool broken;                /* deeper or larger than the limits */
	bool gap;                   /* whole stages are left out of the text: their work is not in the sums */
	size_t planners;            /* read so far: of more than one there is no time of the whole */
	struct plan_work examined;  /* by all of them */
};

/* Counts a level and a node; r->depth-- leaves it. False: too many, the reading is broken. */
bool plan_enter(struct reading *r);

/* Whatever holds a plan: the reply itself, a $cursor, a shard. Null: nothing that does. */
struct plan_node *plan_read_body(struct reading *r, struct value body);

/* The forms, a file each. */
struct plan_node *plan_read_planner(struct reading *r, struct value body);
struct plan_node *plan_read_winning(struct reading *r, struct value body); /* {winningPlan} without a planner around it */
struct plan_node *plan_read_stage(struct reading *r, struct value stage);  /* one stage with those below it */
struct plan_node *plan_read_profile(struct reading *r, struct value body); /* {execStats, docsExamined} */
struct plan_node *plan_read_alone(struct reading *r, struct value stage);  /* the same without a planner around it */
struct plan_node *plan_read_pipeline(struct reading *r, struct value body);
struct plan_node *plan_read_chain(struct reading *r, struct value stages);
struct plan_node *plan_read_run(struct reading *r, struct value body); /* {executionStages} alone */
struct plan_node *plan_read_shards(struct reading *r, struct value body);
struct plan_node *plan_read_split(struct reading *r, struct value body); /* {mergerPart, NAME: its plan, …} */
struct plan_node *plan_read_legacy(struct reading *r, struct value body);

struct plan_node *plan_node_new(const char *stage, struct value source);
void plan_node_destroy(struct plan_node *n);

/* The child is the parent's from now on; null is ignored. */
void plan_node_adopt(struct plan_node *parent, struct plan_node *child);

/* The stage before it in a pipeline stands before what the stage has of its own; null is ignored. */
void plan_node_set_input(struct plan_node *n, struct plan_node *input);

/* Shards work below it: its figures are sums of theirs, and their times overlap. */
bool plan_node_joins_shards(const struct plan_node *n);

/* What one query of the reply examined, as it says itself. */
void plan_add_examined(struct reading *r, struct figure keys, struct figure docs);

/* Figures and texts that a stage's document holds under the names of the tables. */
void plan_node_fill(struct plan_node *n, struct value stage);
void plan_node_fill_fields(struct plan_node *n, const struct field_table *stage);

/* A new entry among the tree's joins, of this node. `from` is taken; null: not said. */
struct plan_lookup *plan_add_lookup(struct plan_tree *t, struct plan_node *n, char *from);

/* What it joins by, {foreignField, …}: a $lookup's own document, or the stage that the planner made of one. */
struct value plan_lookup_specification(const struct plan_lookup *l);
void plan_lookup_indexes(struct plan_lookup *l, struct value indexes_used);

/* Puts what slot-based execution stages counted to the nodes that they were made from, by planNodeId. */
void plan_slots_join(struct plan_node *root, struct value execution);

/* A field of a document or array; missing when it is neither. */
struct value plan_get(struct value v, const char *name);

/* A number of any type and notation, not negative and not between 0 and a half; unknown for anything else. */
struct figure plan_figure(struct value v);

/* As text, made safe; null when it is none. free() it. */
char *plan_text(struct value v);
char *plan_key_text(struct key key);

/* Own times of the node and all below it. */
void plan_own_times(struct plan_node *root);

/* Memory and spills that a stage's document tells. */
void plan_node_fill_memory(struct plan_node *n, const struct field_table *stage);

/* What is worth a remark, with its evidence: fills the tree's findings. */
void plan_findings(struct plan_tree *t);

#endif
