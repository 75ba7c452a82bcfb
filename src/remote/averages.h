/* Average sizes of documents, asked once a collection: what bytes are estimated by. Private to the room. */
#ifndef BSONSCOPE_REMOTE_AVERAGES_H
#define BSONSCOPE_REMOTE_AVERAGES_H

#include <pthread.h>

#include "base/figure.h"
#include "remote/connection.h"

struct averages {
	pthread_mutex_t lock;
	struct average {
		char *db, *collection;
		struct figure bytes;
	} * list;
	size_t count, capacity;
};

void averages_init(struct averages *a);
void averages_clear(struct averages *a);

/* All are asked anew. */
void averages_forget(struct averages *a);

/*
 * Unknown for what has no documents of its own: a view is not asked for statistics, and those of a time-series
 * collection speak of its buckets.
 */
struct figure averages_find(struct averages *a, struct connection *c, const char *db, const char *collection,
                            const struct interrupt *interrupt);

#endif
