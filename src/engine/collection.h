/* What the store needs of its collections; everything public is in store.h. */
#ifndef BSONSCOPE_ENGINE_COLLECTION_H
#define BSONSCOPE_ENGINE_COLLECTION_H

#include "engine/store.h"

/* Without indexes. `write_counter` is where its counter begins. */
struct collection *collection_new(struct database *database, const char *name, int64_t write_counter);
void collection_destroy(struct collection *c);

/* Appends a document as it is, without looking at limits or indexes: bulk loading. */
void collection_load(struct collection *c, struct value document, bool borrowed);

/* Gives back the memory that growing left over. */
void collection_trim(struct collection *c);

#endif
