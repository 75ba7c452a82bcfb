/* A plan tree as lines: what stands before each stage's name. */
#ifndef BSONSCOPE_PLAN_LINES_H
#define BSONSCOPE_PLAN_LINES_H

#include "plan/tree.h"

struct plan_line {
	const struct plan_node *node;
	char *before;  /* "  └─": branches down to the stage */
	char *hanging; /* what stands before further lines of the stage: "    " */
};

struct plan_lines {
	struct plan_line *lines; /* from the root down */
	size_t count;
};

void plan_lines_make(const struct plan_tree *t, bool ascii, struct plan_lines *l);
void plan_lines_clear(struct plan_lines *l);

/* "IXSCAN kitap_1", "$lookup from kopya by kitap", "shard rs0: FETCH": appended. */
void plan_line_title(const struct plan_node *n, struct bytes *out);

/* The further lines of a stage, one a call, appended: bounds, filter. False: there is none of that number (from 0). */
bool plan_line_further(const struct plan_node *n, int number, struct bytes *out);

#endif
