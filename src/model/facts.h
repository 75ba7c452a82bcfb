/*
 * What the data says of a relationship: how many children the parents have, and whether every child's parent is there.
 */
#ifndef BSONSCOPE_MODEL_FACTS_H
#define BSONSCOPE_MODEL_FACTS_H

#include "model/lab.h"

/*
 * Exact over documents; over a server's large collections estimated (the two counts) and sampled, with nothing "found";
 * of a population assumed (its two counts) or predicted (from its distribution; nothing is
 * "found").
 */
struct relationship_facts {
	struct figure parents, children;
	struct figure found;       /* children whose parent exists */
	struct figure least, most; /* children a parent */
};

/* Scans the origin's collections: not for the drawing thread. */
bool relationship_facts(struct lab *lab, const struct relationship *r, struct relationship_facts *facts,
                        const struct interrupt *interrupt, bson_error_t *error);

#endif
