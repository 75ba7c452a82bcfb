/* What the files that measure paths share. */
#ifndef BSONSCOPE_MODEL_PATHS_PRIVATE_H
#define BSONSCOPE_MODEL_PATHS_PRIVATE_H

#include "base/thread.h"
#include "engine/engine.h"
#include "model/paths.h"

struct gathering {
	struct source *source;
	const struct paths_wish *wish;
	const struct interrupt *interrupt;
	enum sampling method;
	int64_t of; /* documents that a part was taken of; 0: all are looked at, or their number is not known */
	struct bytes remark;
	bool at_least;
	struct paths_progress progress;
	int64_t started_us, report_us; /* when the next report is due */

	/* Over an engine. The mutex is for what all threads take from and leave to: those below. */
	struct worker *workers;
	int worker_count;
	pthread_mutex_t mutex;
	struct engine_lending lending;
	bool over, failed;
	bson_error_t error;
};

/* One thread and its tree, which others look at between two loans. */
struct worker {
	struct gathering *gathering;
	pthread_t thread;
	pthread_mutex_t mutex; /* of the tree */
	struct path_tree tree;
	struct engine_loan loan;
};

/* Tells what is known so far, when it is time. */
void paths_tell(struct gathering *g);

/* Over a server, into the only worker's tree; see paths_commands.c. */
bool paths_gather_by_commands(struct gathering *g, bson_error_t *error);

#endif
