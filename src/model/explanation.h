/* The plan of one command of an operation in a shape, with the indexes that it has and would want. */
#ifndef BSONSCOPE_MODEL_EXPLANATION_H
#define BSONSCOPE_MODEL_EXPLANATION_H

#include "model/index_offers.h"
#include "model/lab.h"

/* Immutable once given out; owns everything. */
struct explanation {
	struct bytes command;        /* BSON, the first draw's values filled in; empty: there is none of that number */
	struct plan_tree *tree;      /* null: not explained */
	const char *only_planned;    /* why it was not run though figures were asked for; null: it was, or none were */
	struct index_offers *offers; /* never null */
	bool failed;
	bson_error_t error;
};

/* How much is asked about a command. */
struct explaining_wish {
	enum plan_verbosity verbosity;
	int64_t max_time_millis; /* below 2^31; 0: the source's own limit */
};

/*
 * Explains command `index` (from 0) of the operation. Writes are computed, not stored. A command that the server does
 * not explain, an insert, is no failure: it has no tree. Never null.
 */
struct explanation *explanation_find(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                     const struct operation *o, size_t index, struct explaining_wish wish,
                                     const struct interrupt *interrupt);
void explanation_destroy(struct explanation *e);

/*
 * Why a command is planned and not run: a write over a server, and stages that write or belong between servers over
 * whatever source. Null: it is run. A constant.
 */
const char *explanation_only_planned(struct source *s, struct value command);

/*
 * The explain command for a command as an application sends it, appended: one that is an explain already stays as it is,
 * unless it is only to be planned.
 */
void explanation_command(struct source *s, struct value command, struct explaining_wish wish, struct bytes *out);

#endif
