/* The plan of one command of an operation in a shape, with the indexes that it has and would want. */
#ifndef BSONSCOPE_MODEL_EXPLANATION_H
#define BSONSCOPE_MODEL_EXPLANATION_H

#include "model/index_offers.h"
#include "model/lab.h"

/* Immutable once given out; owns everything. */
struct explanation {
	struct bytes command;        /* BSON, the first draw's values filled in; empty: there is none of that number */
	struct plan_tree *tree;      /* null: not explained */
	struct index_offers *offers; /* never null */
	bool failed;
	bson_error_t error;
};

/*
 * Explains command `index` (from 0) of the operation. Writes are computed, not stored. A command that the server does
 * not explain, an insert, is no failure: it has no tree. Never null.
 */
struct explanation *explanation_find(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                     const struct operation *o, size_t index, enum plan_verbosity verbosity,
                                     const struct interrupt *interrupt);
void explanation_destroy(struct explanation *e);

/* A write over a server is only planned, whatever is wanted. */
enum plan_verbosity explanation_verbosity(struct source *s, struct value command, enum plan_verbosity wanted);

/* The explain command for a command as an application sends it; one that is an explain already stays as it is.
 * Appended. */
void explanation_command(struct value command, enum plan_verbosity verbosity, struct bytes *out);

#endif
