/* $lookup: what its files share. stage_lookup_parse.c makes it, stage_lookup.c runs it. */
#ifndef BSONSCOPE_ENGINE_STAGE_LOOKUP_H
#define BSONSCOPE_ENGINE_STAGE_LOOKUP_H

#include "engine/pipeline_let.h"
#include "engine/pipeline_stage.h"

/* The results of a pipeline that is the same for every input document: documents, one after the other. */
struct lookup_cache {
	bool allowed, complete;
	struct bytes documents;
	size_t at; /* where the running round reads */
};

struct lookup {
	struct stage stage;
	char *from; /* null: the pipeline makes its documents */
	struct path as;
	struct path local; /* no keys: not joined by fields */
	char *foreign;
	struct pipeline_let let;
	struct bytes pipeline_text; /* as it was written: an array value; empty: none */
	struct pipeline *inner;
	struct unwind unwind;       /* of a $unwind that was absorbed */
	bool unwinds;
	struct lookup_cache cache;

	struct value document;      /* of this round */
	bool in_round;              /* unwinding: results are left */
	int64_t index;              /* unwinding: of the next result */
	struct arena arena;         /* variables of this round */
	struct bytes predicate, results, kept, out, with_index;

	int64_t docs_examined, keys_examined, collection_scans;
	char **indexes_used;
	size_t index_count, index_capacity;
};

#endif
