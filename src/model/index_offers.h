/*
 * The indexes that stand behind a command: those that it would want, and those that its collections have, each with
 * what it costs to keep.
 */
#ifndef BSONSCOPE_MODEL_INDEX_OFFERS_H
#define BSONSCOPE_MODEL_INDEX_OFFERS_H

#include "model/index_edits.h"
#include "model/model.h"
#include "plan/tree.h"
#include "source.h"

struct index_offer {
	char *collection, *name;
	struct bytes specification; /* as createIndexes takes it */
	const char *why;            /* what of the command wants it: "equality, sort"; null: it does not */
	bool exists;
	bool fixed;                   /* of the documents' key: it stays */
	bool used;                    /* by the plan */
	struct figure entries, bytes; /* of an index not there: what it would hold; bytes unknown and entries at least a
	                                 document's each when that cannot be built here */
	struct figure documents;      /* of the collection; entries over documents is the keys that an insert writes */
};

struct index_offers {
	struct index_offer *offers; /* what is wanted first, then what is there */
	size_t count;
};

/*
 * `tree` may be null: then only what `collection` has is offered. What was dropped to try it (`tried` may be null) is
 * offered again. Collections that cannot be asked are left out. Destroyed by index_offers_destroy.
 */
struct index_offers *index_offers_find(struct source *s, const char *db, const struct model *m,
                                       const struct plan_tree *tree, const struct index_edits *tried,
                                       const char *collection, const struct interrupt *interrupt);
void index_offers_destroy(struct index_offers *o);

#endif
