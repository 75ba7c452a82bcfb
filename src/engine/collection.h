/* What the store needs of its collections; everything public is in store.h. */
#ifndef BSONSCOPE_ENGINE_COLLECTION_H
#define BSONSCOPE_ENGINE_COLLECTION_H

#include "engine/store.h"

/* Without indexes. `write_counter` is where its counter begins. */
struct collection *collection_new(struct database *database, const char *name, int64_t write_counter);
void collection_destroy(struct collection *c);

/* Appends a document as it is, without looking at limits or indexes: bulk loading. */
void collection_load(struct collection *c, struct value document, bool borrowed);
void collection_borrow_all(struct collection *c, const struct value *documents, size_t count);

/*
 * An index that is built elsewhere: whether the collection may have it (false without an error: it has that very one,
 * *same), whether the documents that it holds allow it, and taking it over.
 */
bool collection_may_have_index(const struct collection *c, const struct index *wanted, bool *same, bson_error_t *error);
bool collection_check_unique(const struct collection *c, const struct index *index, bson_error_t *error);
void collection_adopt_index(struct collection *c, struct index *index);

#endif
