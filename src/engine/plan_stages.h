/*
 * The stages that plans are made of: made by the planner only, pulled like any other. What they are given they borrow.
 */
#ifndef BSONSCOPE_ENGINE_PLAN_STAGES_H
#define BSONSCOPE_ENGINE_PLAN_STAGES_H

#include "engine/bounds.h"
#include "engine/index.h"
#include "engine/match.h"
#include "engine/projection.h"
#include "engine/stage.h"

/* Every plan stage begins with this. */
struct plan_stage {
	struct stage stage;
	const struct match *filter; /* shown first in explain; null: none */
	int64_t docs_examined, keys_examined;
	bool is_done;    /* explain's isEOF though the end was not asked for: the last row has been given */
	int asked_again; /* works after the end: of a winner whose trial had already come to it */
};

/* The parts of a plan stage that are always the same. `size_bytes` is the whole struct's; it is zeroed. */
void *plan_stage_new(size_t size_bytes, const struct stage_type *type, struct execution *x, struct stage *input);
void plan_stage_destroy(struct stage *s);

/* Counts a document looked at, in the stage and in its execution, and polls the interrupt; false when that ended it. */
bool plan_stage_examine_document(struct plan_stage *s, struct value document);
bool plan_stage_examine_key(struct plan_stage *s);

/*
 * Tests a filter (null: passes) on a document: STAGE_ADVANCED, STAGE_NEED_TIME when it does not pass, or STAGE_FAILED.
 */
enum stage_status plan_stage_test(const struct match *filter, struct execution *x, struct value document);

/* What a parked stage needs to see whether its collection and index are still there. */
struct stage_home {
	char *db, *collection, *index; /* index: null for none */
	const struct collection *collection_was;
	const struct index *index_was;
	bool parked;
};
void stage_home_init(struct stage_home *h, const struct collection *c, const struct index *i);
void stage_home_clear(struct stage_home *h);
void stage_home_park(struct stage_home *h);

/* False (QueryPlanKilled) when what it read is gone since stage_home was parked. */
bool stage_home_check(struct stage_home *h, struct execution *x);

struct stage *collection_scan_new(struct execution *x, const struct collection *c, const struct match *filter,
                                  bool backward);
struct stage *id_lookup_new(struct execution *x, const struct collection *c, struct index *i, struct value id);
struct stage *end_new(struct execution *x);

/* The collection's count from its metadata, less skip, at most limit (0: none). */
struct stage *record_count_new(struct execution *x, const struct collection *c, int64_t skip, int64_t limit);

/*
 * Gives record ids, and with `gives_keys` the documents that the keys make (index_key_document). `bounds` are aligned
 * with the index. `count_use` false: a trial that $indexStats does not see.
 */
struct stage *index_scan_new(struct execution *x, const struct collection *c, struct index *i,
                             const struct bounds *bounds, const struct match *key_filter, bool gives_keys, bool count_use);

/* The same, one entry for each value that the index's first `fields` fields have. */
struct stage *distinct_scan_new(struct execution *x, const struct collection *c, struct index *i,
                                const struct bounds *bounds, size_t fields, bool gives_keys, bool count_use);

/* The same for a single range, counting as COUNT_SCAN does. */
struct stage *count_scan_new(struct execution *x, const struct collection *c, struct index *i,
                             const struct bounds *bounds, bool count_use);

/* The index that a stage of that kind looks into; null for stages of other kinds. */
const struct index *index_scan_index(const struct stage *s);
const struct index *id_lookup_index(const struct stage *s);

/* `over_keys`: the input's documents are index keys. Otherwise a row that has its document is not fetched again. */
struct stage *fetch_new(struct execution *x, struct stage *input, const struct collection *c,
                        const struct match *filter, bool over_keys);

/*
 * The rows of several inputs, each record once: OR one input after the other, SORT_MERGE in the order of `pattern`, which
 * every input's rows have. Takes the inputs.
 */
struct stage *or_new(struct execution *x, struct stage **inputs, size_t count);
struct stage *sort_merge_new(struct execution *x, const struct collection *c, struct stage **inputs, size_t count,
                             struct value pattern, bson_error_t *error);

/* Stands over the plan of a filter that is one $or, whose branches were planned each for itself. */
struct stage *subplan_new(struct execution *x, struct stage *input);

/* `pattern` is a valid sort specification; `limit` 0: all. Null: out of the pattern's rules (error). */
struct stage *sort_new(struct execution *x, struct stage *input, struct value pattern, int64_t limit, bool simple,
                       bson_error_t *error);
struct stage *skip_new(struct execution *x, struct stage *input, int64_t amount);
struct stage *limit_new(struct execution *x, struct stage *input, int64_t amount);

/* What a projection reads: it is called by that in explain. */
enum projected { PROJECTED_DOCUMENTS, PROJECTED_KEYS, PROJECTED_KEYS_OF_SEVERAL, PROJECTED_VALUES /* of a distinct */ };

/* `whole`: rows pass as they are, since nobody looks at what the projection leaves out. */
struct stage *projection_new(struct execution *x, struct stage *input, const struct projection *p,
                             const struct match *filter, enum projected from, bool whole);
struct stage *count_new(struct execution *x, struct stage *input, int64_t skip, int64_t limit);

/* What COUNT or RECORD_STORE_FAST_COUNT counted; 0 for other stages. */
int64_t count_result(const struct stage *s);

#endif
