/*
 * Indexes that the user tries in a shape: those added and those dropped, against what the shape has by itself. Adding
 * what was dropped and dropping what was added leaves nothing. Private to the lab.
 */
#ifndef BSONSCOPE_MODEL_INDEX_EDITS_H
#define BSONSCOPE_MODEL_INDEX_EDITS_H

#include "base/bytes.h"
#include "source.h"

struct index_edit {
	char *collection, *name;
	struct bytes specification; /* {key, name, …} */
	bool drops;
};

struct index_edits {
	struct index_edit *edits;
	size_t count;
};

/* `specification` names the index; copied. */
void index_edits_note(struct index_edits *e, const char *collection, struct value specification, bool drops);
void index_edits_clear(struct index_edits *e);

/* Sends what one edit is: createIndexes or dropIndexes. */
bool index_edit_send(struct source *s, const char *db, const char *collection, struct value specification, bool drops,
                     const struct interrupt *interrupt, bson_error_t *error);

/* Sends all of them. */
bool index_edits_send(const struct index_edits *e, struct source *s, const char *db, const struct interrupt *interrupt,
                      bson_error_t *error);

#endif
