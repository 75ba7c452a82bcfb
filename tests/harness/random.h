/* Random BSON with a fixed seed: values of all types, with the edges where numbers, texts and documents go wrong. */
#ifndef BSONSCOPE_TESTS_RANDOM_H
#define BSONSCOPE_TESTS_RANDOM_H

#include "bson/writer.h"

struct random {
	uint64_t state; /* any seed but 0 */
};

uint32_t random_below(struct random *r, uint32_t limit);

/* Writes a value of any type under `key`; nested ones have at most `depth` levels. */
void random_value(struct random *r, struct writer *w, struct key key, int depth);

/* A number of any type, often next to another type's edge. */
void random_number(struct random *r, struct writer *w, struct key key);

#endif
