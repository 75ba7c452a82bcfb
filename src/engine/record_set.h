/* A set of record ids. */
#ifndef BSONSCOPE_ENGINE_RECORD_SET_H
#define BSONSCOPE_ENGINE_RECORD_SET_H

#include "engine/store.h"

struct record_set {
	record_id *slots; /* open addressing; RECORD_NONE where free */
	size_t capacity, count;
};

/* All zero is empty. */
void record_set_clear(struct record_set *s);

/* False when it was there already. */
bool record_set_add(struct record_set *s, record_id id);

#endif
