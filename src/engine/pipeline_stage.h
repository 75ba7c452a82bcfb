/*
 * What the stages of a pipeline share with the pipeline: a table of types, parsing, rearranging. A stage object is made
 * when its specification is parsed, holds its settings and its running state, and is owned by the pipeline that lists
 * it.
 */
#ifndef BSONSCOPE_ENGINE_PIPELINE_STAGE_H
#define BSONSCOPE_ENGINE_PIPELINE_STAGE_H

#include "bson/path.h"
#include "engine/pipeline.h"
#include "engine/pipeline_fields.h"

/* How much a stage tells about the fields it needs. */
enum stage_needs {
	NEEDS_UNKNOWN, /* all of the document */
	NEEDS_MORE,    /* those named, and what the stages after it need */
	NEEDS_ONLY     /* those named and no others: its output is made anew */
};

struct pipeline_stage_type {
	/* First: a stage's `type` points at it. Its destroy frees what the stage holds, not the stage. */
	struct stage_type stage;

	/* Back to the beginning, for another round of a $lookup's pipeline. Null: nothing to forget. */
	void (*reset)(struct stage *s);

	/* Null: NEEDS_UNKNOWN. */
	enum stage_needs (*needs)(const struct stage *s, struct pipeline_fields *fields);

	/*
	 * May a predicate on `path` run before this stage instead of after it: the path's value is the same there. A
	 * null path asks for any. No function: never.
	 */
	bool (*keeps)(const struct stage *s, const char *path);

	/* One document out for each one in: $limit and $skip may move before it. Null: no. */
	bool (*one_to_one)(const struct stage *s);
};

enum pipeline_place { PIPELINE_OF_COMMAND, PIPELINE_IN_LOOKUP, PIPELINE_IN_FACET, PIPELINE_IN_UPDATE };

struct stage_entry;
struct pipeline_join;

struct pipeline {
	struct execution *execution;
	char *db, *collection; /* collection null: none */
	char *namespace_text;
	const struct expression_scope *scope;
	enum pipeline_place place;
	unsigned depth;        /* of a pipeline inside $lookup or $facet */

	const struct stage_entry *first; /* as it was written */
	struct stage **stages;           /* in order, chained by `input`; owned */
	size_t stage_count, stage_capacity;
	struct stage *source;            /* what stages[0] pulls from: the plan's, or given */

	/* The cursor below the stages; absent when the first stage makes its own documents. */
	bool has_cursor;
	struct bytes filter_text;        /* of the $match stages that went into the cursor: a document, or empty */
	struct bytes bound_filter_text;  /* with what one round of a $lookup adds; empty: nothing ever */
	struct match *filter;
	struct bytes sort, hint;
	struct projection *projection;
	struct plan_request request;
	struct plan *plan;
	struct pipeline_join *joins;     /* see pipeline_join.c */
	size_t join_count, join_capacity;
	struct arena join_arena;         /* values of one round */
};

struct pipeline_parser {
	struct pipeline *pipeline;
	bson_error_t *error;
	size_t position; /* of the stage being parsed */
};

/* Parses one stage and appends what it makes: mostly one, two for $count, $sortByCount, $bucket. */
typedef bool stage_parse(struct pipeline_parser *p, const char *name, struct value specification);

stage_parse stage_match_parse, stage_project_parse, stage_add_fields_parse, stage_unset_parse, stage_unwind_parse,
	stage_group_parse, stage_sort_parse, stage_limit_parse, stage_skip_parse, stage_lookup_parse,
	stage_replace_root_parse, stage_replace_with_parse, stage_count_parse, stage_sort_by_count_parse,
	stage_bucket_parse, stage_facet_parse, stage_documents_parse, stage_sample_parse, stage_coll_stats_parse,
	stage_index_stats_parse, stage_merge_parse, stage_out_parse;

/* A zeroed stage of `size_bytes`, whose first member is a struct stage, appended to the pipeline being parsed. */
void *pipeline_add_stage(struct pipeline_parser *p, const struct pipeline_stage_type *type, size_t size_bytes);

/* Fails the parsing in MongoDB's words. Returns false. */
#define pipeline_refuse(parser, code, ...) error_set((parser)->error, ERROR_SERVER, code, __VA_ARGS__)

/* Parses `specification` as stage `name`: for stages that are made of others. */
bool pipeline_parse_stage(struct pipeline_parser *p, const char *name, struct value specification);

/* An expression in the pipeline's scope, its constant parts tried: "Failed to optimize pipeline :: caused by :: …". */
struct expression *pipeline_expression(struct pipeline_parser *p, struct value specification);
bool pipeline_check_constants(struct pipeline_parser *p, const struct expression *e);
bool pipeline_optimize_failed(struct pipeline_parser *p, const bson_error_t *cause);

const struct pipeline_stage_type *pipeline_stage_type(const struct stage *s);
bool pipeline_stage_is(const struct stage *s, const struct pipeline_stage_type *type);
void pipeline_stage_destroy(struct stage *s);

/* Takes a stage out of the list and destroys it. */
void pipeline_remove_stage(struct pipeline *p, size_t at);
void pipeline_insert_stage(struct pipeline *p, size_t at, struct stage *s);

/* pipeline_rearrange.c: the order MongoDB would run, then what the cursor can do is moved into it. */
bool pipeline_rearrange(struct pipeline *p, bson_error_t *error);
bool pipeline_push_down(struct pipeline *p, bson_error_t *error);

/* What the stages from `first` on need of their input. */
enum stage_needs pipeline_needs(const struct pipeline *p, size_t first, struct pipeline_fields *fields);

/*
 * The pipeline of a $lookup: compiled once, without a plan (`scope` outlives it); pipeline_restart makes it ready to
 * run from the beginning, with one more predicate ({field: value}; may be missing) in front. False: the execution
 * failed.
 */
struct pipeline *pipeline_compile_inner(struct value stages, const struct pipeline *outer, const char *collection,
                                        const struct expression_scope *scope, bson_error_t *error);
bool pipeline_restart(struct pipeline *p, struct value predicate);

/* Restarts from now on use this index while it is there, and weigh no others. */
void pipeline_prefer_index(struct pipeline *p, const char *name);

/* A pipeline of $facet: pulls from `source`, which is borrowed. */
struct pipeline *pipeline_compile_over(struct value stages, const struct pipeline *outer, struct stage *source,
                                       bson_error_t *error);
void pipeline_reset(struct pipeline *p);
void pipeline_set_source(struct pipeline *p, struct stage *source);
bool pipeline_depth_is_legal(const struct pipeline *outer, bson_error_t *error);

/*
 * pipeline_join.c: {$expr: {$eq: ["$field", "$$variable"]}} in the filter also becomes {field: value}, so that an index
 * can serve it, where both say the same: the field is indexed and never an array, the value is not null. `bind` writes
 * bound_filter_text; false when the execution failed.
 */
bool pipeline_joins_find(struct pipeline *p, bson_error_t *error);
bool pipeline_joins_bind(struct pipeline *p, struct value predicate);
void pipeline_joins_clear(struct pipeline *p);

/* {$name: …, nReturned: …} of each stage as elements of the open array. */
void pipeline_explain_stages(const struct pipeline *p, struct writer *w, enum verbosity verbosity);

/* stage_match.c */
extern const struct pipeline_stage_type stage_match_type;
struct value stage_match_filter(const struct stage *s);
bool stage_match_add(struct pipeline_parser *p, struct value filter);

/* stage_group.c */
extern const struct pipeline_stage_type stage_group_type;

/* stage_sort.c */
extern const struct pipeline_stage_type stage_sort_type;
struct value stage_sort_pattern(const struct stage *s);
int64_t stage_sort_limit(const struct stage *s); /* 0: none */
void stage_sort_set_limit(struct stage *s, int64_t limit);

/* stage_limit.c */
extern const struct pipeline_stage_type stage_limit_type, stage_skip_type;
int64_t *stage_limit_amount(struct stage *s); /* of $limit and $skip */
void stage_skip_add(struct pipeline_parser *p, int64_t amount);

/* stage_project.c; null when it is not an inclusion, which may become the cursor's projection. */
extern const struct pipeline_stage_type stage_project_type;
struct projection *stage_project_take_inclusion(struct stage *s);

/* stage_unwind.c */
extern const struct pipeline_stage_type stage_unwind_type;
struct unwind {
	struct path path;
	struct path index_path; /* no keys: none */
	bool preserve;
};
const struct unwind *stage_unwind_settings(const struct stage *s);
void stage_unwind_take(struct stage *s, struct unwind *settings);
void unwind_clear(struct unwind *u);

/* stage_lookup.c: takes the settings of a $unwind of its `as` that follows it. */
extern const struct pipeline_stage_type stage_lookup_type;
bool stage_lookup_absorbs(const struct stage *lookup, const struct unwind *u);
void stage_lookup_absorb(struct stage *lookup, struct stage *unwind);

#endif
