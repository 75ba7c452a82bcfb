/*
 * The indexes that a plan's command would want: fields asked for by equality first, then the sort's, then one asked for
 * by range; and the foreign field of every $lookup. Whether a collection has them already is not known here.
 */
#ifndef BSONSCOPE_PLAN_WISH_H
#define BSONSCOPE_PLAN_WISH_H

#include "plan/tree.h"

struct plan_wish {
	char *collection;
	struct bytes key; /* {orderId: 1}: a BSON document */
	const char *why;  /* "equality, sort, range", "the $lookup's foreign field", "a branch of $or: equality" */
	bool branch;      /* of an $or, which uses indexes only when each of its branches has one */
};

struct plan_wishes {
	struct plan_wish *wishes;
	size_t count;
};

void plan_wishes_find(const struct plan_tree *t, struct plan_wishes *w);
void plan_wishes_clear(struct plan_wishes *w);

#endif
