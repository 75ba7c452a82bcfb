/* What the judges of a plan share. */
#ifndef BSONSCOPE_PLAN_FINDINGS_PRIVATE_H
#define BSONSCOPE_PLAN_FINDINGS_PRIVATE_H

#include "plan/findings.h"
#include "plan/tree_private.h"

/* What an advice costs to keep. */
#define COST_NOTHING ""
#define COST_INDEX "each insert, delete and change of its fields writes the index too, and it takes disk and memory"
#define COST_HINT "a hint is obeyed also when it is no longer right"

struct judging {
	struct plan_tree *tree;
	bool after_group; /* above a stage that makes new documents: its order is not an index's */
	bool elsewhere;   /* below a stage that reads another collection than the tree's */
	char *index;      /* the index that the command would want: "{ a: 1, b: 1 }"; null: not known */
};

/* A new finding of the node (null: of the plan as a whole). Takes the evidence. */
void finding_add(struct judging *j, const char *code, const struct plan_node *n, struct bytes *evidence,
                 const char *advice, const char *cost);

/* "1,541,395" in the buffer. */
const char *finding_count(struct figure f, char buffer[32]);

/* Ten times as many examined as left the stage, both known. */
bool finding_far_more(struct figure examined, struct figure returned);

bool finding_stage_is_any(const struct plan_node *n, const char *const *names, size_t count);
#define STAGE_IS_ANY(n, names) finding_stage_is_any(n, names, sizeof(names) / sizeof *(names))

/* The judges: of a stage, after those below it; of a join; of the whole plan. A judge adds what it finds. */
void judge_scan(struct judging *j, const struct plan_node *n);
void judge_examined(struct judging *j, const struct plan_node *n);
void judge_keys(struct judging *j, const struct plan_node *n);
void judge_covered(struct judging *j, const struct plan_node *n);
void judge_regex(struct judging *j, const struct plan_node *n);
void judge_collation(struct judging *j, const struct plan_node *n);
void judge_sort(struct judging *j, const struct plan_node *n);
void judge_spill(struct judging *j, const struct plan_node *n);
void judge_shards(struct judging *j, const struct plan_node *n);
void judge_cached(struct judging *j, const struct plan_node *n);
void judge_lookup_scan(struct judging *j, const struct plan_lookup *l);
void judge_lookup_empty(struct judging *j, const struct plan_lookup *l);
void judge_lookup_uncounted(struct judging *j, const struct plan_lookup *l);
void judge_choice(struct judging *j, const struct plan_choice *c);

/* Why no index serves what a collection scan asks for, as far as its filter and the command tell; null: not told. */
const char *finding_why_unused(const struct judging *j, struct value filter);

/* Whether a regular expression's range of an index is all strings: "[/x/i, /x/i]" beside "[\"\", {})". */
bool finding_reads_all_strings(const struct plan_node *n);

#endif
