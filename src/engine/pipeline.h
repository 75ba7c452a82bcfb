/*
 * Aggregation pipelines: parsed, rearranged as MongoDB does where explain shows it ($match, $sort, $limit and needed
 * fields move into the cursor; $sort takes a following $limit; $lookup takes a following $unwind), run as a chain of
 * stages.
 */
#ifndef BSONSCOPE_ENGINE_PIPELINE_H
#define BSONSCOPE_ENGINE_PIPELINE_H

#include "engine/plan.h"
#include "engine/stage.h"

struct pipeline;

/*
 * `stages` is the array. `collection` null: {aggregate: 1}, which takes $documents first; one that does not exist has
 * no documents. `scope` and `x` outlive the pipeline. Null with the reason, in MongoDB's code and words.
 */
struct pipeline *pipeline_compile(struct value stages, const char *db, const char *collection, struct value hint,
                                  const struct expression_scope *scope, struct execution *x, bson_error_t *error);
void pipeline_destroy(struct pipeline *p);

/* The last stage, to be pulled; owned by the pipeline. */
struct stage *pipeline_root(struct pipeline *p);

/*
 * The fields of an explain reply: queryPlanner/executionStats alone when the whole pipeline went into the cursor, else
 * `stages: [{$cursor: …}, …]` with nReturned a stage and for $lookup totalDocsExamined, totalKeysExamined,
 * collectionScans, indexesUsed.
 */
void pipeline_explain(const struct pipeline *p, struct writer *w, enum verbosity verbosity, int64_t micros);

/* A pipeline that is an update ($set $unset $project $replaceRoot …), applied to a single document. */
bool pipeline_apply(struct pipeline *p, struct value document, struct bytes *out);
struct pipeline *pipeline_compile_update(struct value stages, const struct expression_scope *scope, struct execution *x,
                                         bson_error_t *error);

#endif
