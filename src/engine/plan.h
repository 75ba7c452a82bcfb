/*
 * The planner: a filter, a sort, a projection and the collection's indexes become a tree of stages (IDHACK, COLLSCAN,
 * IXSCAN, COUNT_SCAN, DISTINCT_SCAN, OR, SORT_MERGE, SUBPLAN, FETCH, SORT, LIMIT, SKIP, PROJECTION_*, COUNT, EOF), with
 * the plans that were considered and rejected.
 */
#ifndef BSONSCOPE_ENGINE_PLAN_H
#define BSONSCOPE_ENGINE_PLAN_H

#include "engine/match.h"
#include "engine/projection.h"
#include "engine/stage.h"

struct plan_request {
	struct collection *collection; /* null: it does not exist, the plan is EOF */
	const char *namespace_text;    /* "db.collection" */
	const struct match *filter;    /* canonicalized; outlives the plan; null: everything */
	struct value sort;             /* document or missing */
	const struct projection *projection; /* or null; outlives the plan */
	int64_t skip, limit;           /* 0: none */
	struct value hint;             /* name, key pattern, {$natural: 1} or missing */
	struct value min, max;         /* refused unless missing */
	const char *distinct;          /* a distinct command's field: any rows will do that have all its values; or null */
	                               /* then `projection` is that of its field, used when an index has it */
	bool counts;                   /* a count command: COUNT on top, COUNT_SCAN where exact */
	bool no_documents;             /* nobody looks into the rows: COUNT_SCAN where exact, whose rows have no documents */
	bool reads_only_projected;     /* whoever pulls looks at the projected fields alone: rows may be given whole */
	bool optimized_pipeline;       /* the whole of an aggregation: queryPlanner says `optimizedPipeline: true` */
};

/*
 * Who puts UPDATE or DELETE on top sets `root` to that stage (its input is the old root; plan_destroy destroys it):
 * explain then shows it over the rejected plans too. A write must collect or remember record ids itself: an index scan
 * may meet a document again after its key has moved.
 */
struct plan {
	struct stage *root;
	struct stage **rejected; /* as their trial left them; for explain */
	size_t rejected_count;
	struct plan_private *private;
};

/* Null with the reason: a bad hint is "hint provided does not correspond to an existing index" (2). */
struct plan *plan_make(const struct plan_request *request, struct execution *x, bson_error_t *error);
void plan_destroy(struct plan *p);

/* Calls `visit` with the indexes that the plan has looked into: none before it has begun. */
void plan_indexes(const struct plan *p, void (*visit)(void *context, const struct index *i), void *context);

/* What COUNT counted (skip and limit applied), after the root was pulled to its end; it gives no rows. */
int64_t plan_counted(const struct plan *p);

/*
 * {namespace, indexFilterSet, parsedQuery, …, winningPlan, rejectedPlans} as field `queryPlanner` of the open document,
 * and {executionSuccess, nReturned, executionTimeMillis, totalKeysExamined, totalDocsExamined, executionStages} as
 * `executionStats`, after the plan has run.
 */
void plan_explain_planner(const struct plan *p, const struct plan_request *request, struct writer *w);
void plan_explain_execution(const struct plan *p, struct writer *w, enum verbosity verbosity, int64_t micros);

/* Totals of the tree: what totalKeysExamined and totalDocsExamined say. */
void plan_totals(const struct plan *p, int64_t *keys_examined, int64_t *docs_examined);

/* Writes a stage and those below it as `key: {stage: …, inputStage: …}`; also for UPDATE and DELETE on top. */
void plan_explain_stage(const struct stage *s, struct writer *w, struct key key, enum verbosity verbosity);

#endif
