/* A store with the bookstore's collections or any others, and plans that are run on it to their end. */
#ifndef BSONSCOPE_TESTS_PLAN_FIXTURE_H
#define BSONSCOPE_TESTS_PLAN_FIXTURE_H

#include "engine/plan.h"

struct store *fixture_store(void);

/* All of the bookstore sample's collections, as database "bookstore". */
void fixture_load_bookstore(struct store *s);
struct collection *fixture_collection(struct store *s, const char *db, const char *name);
void fixture_insert(struct collection *c, struct value document);

/* An index over a key pattern in JSON, named as MongoDB names it. */
void fixture_index(struct collection *c, const char *key_pattern);

/* What a plan gave. Freed by fixture_run_clear. */
struct fixture_run {
	bool failed;
	bson_error_t error;
	struct bytes explain; /* {queryPlanner, executionStats} as one document */
	record_id *ids;       /* of the rows, in order */
	size_t id_count, id_capacity;
	struct bytes rows;    /* the documents, one after the other */
	struct counters counters;
	int64_t counted, total_keys, total_docs, sum_bytes;
};

/*
 * `query`: {filter, sort, projection, skip, limit, hint, count}, each optional. `s` null: `name` is a missing
 * collection.
 */
void fixture_run(struct fixture_run *run, struct store *s, const char *db, const char *name, struct value query,
                 enum verbosity verbosity);
void fixture_run_clear(struct fixture_run *run);

/* A copy without the fields of these names, at any level; kept until the program ends. */
struct value fixture_without(struct value document, const char *const *names);

#endif
