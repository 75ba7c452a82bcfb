/* A log, a profile or $queryStats documents in a file or in standard input, as a workload. */
#ifndef BSONSCOPE_PLAN_LOG_FILE_H
#define BSONSCOPE_PLAN_LOG_FILE_H

#include "base/interrupt.h"
#include "plan/log_workload.h"

/* How far it is: called between blocks. `of_bytes` is 0 when the end is not known, as of a pipe. */
struct log_watcher {
	void (*progress)(void *context, int64_t done_bytes, int64_t of_bytes);
	void *context;
};

/*
 * Adds all of the file ("-": standard input; gzip is unpacked as it comes) and finishes the workload. False with one line:
 * it cannot be read, holds no record of an operation, or was interrupted. `interrupt` and `watcher` may be null.
 */
bool log_file_read(struct log_workload *w, const char *path, const struct interrupt *interrupt, const struct log_watcher *watcher,
                   bson_error_t *error);

/*
 * How many records of operations a file, or a text, shows; a file's are looked for in its first bytes, at most so many, and
 * no further than to the block with the first. 0 also when it cannot be read.
 */
int64_t log_file_count_records(const char *path, int64_t most_bytes, const struct interrupt *interrupt);
int64_t log_text_count_records(const char *text, size_t size_bytes);

#endif
