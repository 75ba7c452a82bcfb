/* Two plans side by side: which stages answer each other, which numbers differ, and a line that says what it comes to. */
#ifndef BSONSCOPE_PLAN_DIFF_H
#define BSONSCOPE_PLAN_DIFF_H

#include "plan/tree.h"

struct plan_pair {
	const struct plan_node *a, *b; /* null: there is none on that side */
	int depth_a, depth_b;          /* how deep it stands in its tree */
	bool changed;                  /* stage, index, bounds, filter or a counter differs; times are not compared */
};

struct plan_diff {
	struct plan_pair *pairs; /* from the last stage on, as the trees are shown; nodes belong to the trees */
	size_t count;
};

/* The trees outlive the difference. Stages that reach documents in different ways are held against each other. */
void plan_diff_make(const struct plan_tree *a, const struct plan_tree *b, struct plan_diff *d);
void plan_diff_clear(struct plan_diff *d);

/*
 * "docs examined 680 -> 2; returned 2 in both": one line, appended. `same_data`: both are thought to run over the same
 * documents, so that a different number returned is worth a remark.
 */
void plan_diff_verdict(const struct plan_tree *a, const struct plan_tree *b, bool same_data, struct bytes *out);

#endif
