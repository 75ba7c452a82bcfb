/* $merge: what its files share. stage_merge_parse.c makes it, stage_merge.c runs it. */
#ifndef BSONSCOPE_ENGINE_STAGE_MERGE_H
#define BSONSCOPE_ENGINE_STAGE_MERGE_H

#include "engine/pipeline_let.h"
#include "engine/stage_write.h"

enum merge_not_matched { NOT_MATCHED_INSERT, NOT_MATCHED_DISCARD, NOT_MATCHED_FAIL };

/* What becomes of a document that is there. */
struct merge_mode {
	const char *name;
	const char *operator;   /* of the update that is made of the result; null: the result replaces it */
	bool inserts_only;      /* nothing may be there */
	unsigned not_matched;   /* which of merge_not_matched go with it: bits */
};

struct merge {
	struct stage stage;
	struct write_target target;
	struct path *on;
	size_t on_count;
	bool by_id;             /* `on` is _id, or has it in it */
	const struct merge_mode *mode;
	enum merge_not_matched not_matched;
	struct update *pipeline;     /* null: none */
	struct bytes pipeline_text;  /* as it was written: an array value */
	struct pipeline_let let;

	struct arena arena;          /* variables of one round */
	struct bytes statement, filter, updated, identified;
};

extern const struct pipeline_stage_type stage_merge_type;

#endif
