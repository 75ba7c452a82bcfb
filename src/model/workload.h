/*
 * The access-pattern table, measured: each operation's commands run dry in a shape and their costs added up.
 */
#ifndef BSONSCOPE_MODEL_WORKLOAD_H
#define BSONSCOPE_MODEL_WORKLOAD_H

#include "model/lab.h"

/* One command of a row as it was measured, for the first draw. */
struct command_cost {
	char *db;
	struct bytes command; /* BSON, parameters filled in */
	struct cost cost;     /* of this command, over all draws */
	char *plan;           /* "IXSCAN _k_1", "COLLSCAN": stage and index of the winning plan; null: unknown */
};

/* Immutable once given out; owns everything. */
struct workload_row {
	const struct operation *operation; /* borrowed from the model */
	int64_t calls;                     /* how many draws; 1 without parameters */
	struct cost total;                 /* over all calls */
	struct command_cost *commands;
	size_t command_count;
	bool failed;
	bson_error_t error;
};

/*
 * Measures one operation. Never null: a failure is in the row (with unknown figures). Interrupted: failed with code
 * 11601.
 */
struct workload_row *workload_measure(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                      const struct operation *o, const struct interrupt *interrupt);
void workload_row_destroy(struct workload_row *row);

/* A total a call, rounded half up; unknown stays unknown. */
struct figure workload_mean(struct figure total, int64_t calls);

/* Both are known, and of the same documents: what was counted in a sample says nothing against what is there. */
bool workload_comparable(struct figure mine, struct figure other);

/* A ratio against another shape's figure: false when they are not comparable or the other is 0. */
bool workload_ratio(struct figure mine, struct figure other, double *ratio);

#endif
