/* The figures of a collection as collStats and $collStats give them. */
#ifndef BSONSCOPE_ENGINE_COLLECTION_STATS_H
#define BSONSCOPE_ENGINE_COLLECTION_STATS_H

#include "bson/writer.h"
#include "engine/store.h"

/* Bytes of memory that the indexes take. */
int64_t collection_index_bytes(const struct collection *c);

/*
 * {size, count, avgObjSize, capped, nindexes, indexBuilds, totalIndexSize, indexSizes} into the open document, sizes
 * divided by `scale`. Of sizes on a disk nothing is said: there is none.
 */
void collection_write_stats(struct writer *w, const struct collection *c, int64_t scale);

#endif
