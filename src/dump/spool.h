/*
 * Bytes that are made while they are read already: an unlinked temporary file, mapped beyond its end, so that what
 * was appended never moves. It may become larger than memory.
 */
#ifndef BSONSCOPE_DUMP_SPOOL_H
#define BSONSCOPE_DUMP_SPOOL_H

#include "base/mapping.h"

struct spool {
	struct mapping mapping;
	int descriptor; /* -1: not open */
	size_t size_bytes;
};

#define SPOOL_INIT { { NULL, 0, -1 }, -1, 0 }

/*
 * In $TMPDIR, else /var/tmp, else /tmp, else in memory. `most_bytes` is address space, not memory, and no more than the
 * disk has room for.
 */
bool spool_open(struct spool *s, size_t most_bytes, bson_error_t *error);
void spool_close(struct spool *s);

/* All or, with the system's reason, nothing. */
bool spool_append(struct spool *s, const void *bytes, size_t size_bytes, bson_error_t *error);

#endif
