/*
 * Stages: pull iterators. A plan (COLLSCAN, IXSCAN, FETCH, SORT …) and a pipeline ($match, $group …) are both a chain
 * of these. Only sort, group and buckets hold documents.
 *
 * A row's document is good until the next call on the stage that gave it, or the next write.
 */
#ifndef BSONSCOPE_ENGINE_STAGE_H
#define BSONSCOPE_ENGINE_STAGE_H

#include "bson/value.h"
#include "bson/writer.h"
#include "engine/execution.h"
#include "engine/store.h"

/* STAGE_NEED_TIME only ever passes between plan stages (stage_work): stage_next never gives it. */
enum stage_status { STAGE_ADVANCED, STAGE_END, STAGE_FAILED, STAGE_NEED_TIME };

struct row {
	struct value document;
	record_id id; /* RECORD_NONE for a computed document */
};

enum verbosity { VERBOSITY_QUERY_PLANNER, VERBOSITY_EXECUTION_STATS, VERBOSITY_ALL_PLANS };

struct stage;

struct stage_type {
	const char *name; /* "COLLSCAN", "$group" */
	enum stage_status (*next)(struct stage *s, struct row *row);

	/*
	 * Plan stages have this in place of `next`: one unit of work as MongoDB counts `works` (at most one document or
	 * key looked at; STAGE_NEED_TIME when no row came of it).
	 */
	enum stage_status (*work)(struct stage *s, struct row *row);

	/* Frees what the stage owns and the stage itself, not its input. */
	void (*destroy)(struct stage *s);

	/* Called when a cursor is parked between batches: copy what is borrowed. May be null. */
	void (*save)(struct stage *s);

	/*
	 * Plan stages: appends this stage's own fields (after stage, before inputStage) to the open document; with
	 * executionStats its counters too. Pipeline stages: the whole stage as one field ({$group: …}) and with
	 * executionStats its extras.
	 */
	void (*explain)(const struct stage *s, struct writer *w, enum verbosity verbosity);
};

struct plan_stage;

struct stage {
	const struct stage_type *type;
	struct plan_stage *plan; /* itself, when it is one of the planner's own (plan_stages.h) */
	struct stage *input;      /* owned; null at a leaf; of several the first */
	struct stage *next_input; /* the next input of the stage that this one is an input of */
	struct execution *execution;
	int64_t works;       /* units of work: of a stage with `next`, those of its input and one that ends it early */
	int64_t advanced;    /* rows given; works - advanced - at_end is MongoDB's needTime */
	int64_t micros;      /* time in this stage and below */
	int64_t bytes;       /* sizes of the documents this stage itself examined */
	int64_t units;       /* the same in units of 128 bytes, each document rounded up */
	int64_t units_returned; /* of the documents in the rows given */
	bool at_end;
};

/*
 * Pulls one row: keeps `works`, `advanced`, `micros` (only when execution.timed) and `at_end`. Always call this, never
 * type->next. After the end it says STAGE_END again.
 */
enum stage_status stage_next(struct stage *s, struct row *row);

/* One unit of work; a stage with `next` is asked for a whole row. */
enum stage_status stage_work(struct stage *s, struct row *row);

/* 128-byte units of a document: docUnitsRead and docUnitsReturned of MongoDB's operationMetrics. */
int64_t stage_units(int64_t size_bytes);

/* Destroys the tree below too. Null is fine. */
void stage_destroy(struct stage *s);
void stage_save(struct stage *s);

#endif
