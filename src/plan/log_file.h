/* A log, a profile or $queryStats documents in a file or in standard input, as a workload. */
#ifndef BSONSCOPE_PLAN_LOG_FILE_H
#define BSONSCOPE_PLAN_LOG_FILE_H

#include <stdatomic.h>

#include "base/interrupt.h"
#include "plan/log_workload.h"

/* How far it is, for whoever watches: any thread reads it. */
struct log_progress {
	_Atomic int64_t done_bytes, of_bytes; /* of the file as it lies there; of_bytes 0: its end is not known */
};

/*
 * Adds all of the file ("-": standard input; gzip is unpacked as it comes, but that of standard input is kept whole) and
 * finishes the workload. False with one line: it cannot be read, holds no record of an operation, or was interrupted.
 * `interrupt` and `progress` may be null.
 */
bool log_file_read(struct log_workload *w, const char *path, const struct interrupt *interrupt, struct log_progress *progress,
                   bson_error_t *error);

#endif
