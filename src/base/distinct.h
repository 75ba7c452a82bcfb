/*
 * How many different things there are, by their hashes: exact up to DISTINCT_EXACT, above that an estimate
 * (HyperLogLog of 4,096 registers: a standard error of 1.6 %). What is counted and in which order makes no difference,
 * nor whether it was counted in parts that were put together.
 * Source: Flajolet, Fusy, Gandouet, Meunier: HyperLogLog (2007), with linear counting for small numbers.
 */
#ifndef BSONSCOPE_BASE_DISTINCT_H
#define BSONSCOPE_BASE_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/figure.h"

enum { DISTINCT_EXACT = 1000 };

struct distinct {
	uint64_t *hashes;   /* open addressing; 0: free. Null once there are more than DISTINCT_EXACT */
	uint32_t count, capacity;
	uint8_t *registers; /* null until then */
};

#define DISTINCT_INIT { NULL, 0, 0, NULL }

void distinct_clear(struct distinct *d);

/* `hash` is of 64 good bits: hash_bytes. */
void distinct_add(struct distinct *d, uint64_t hash);
void distinct_merge(struct distinct *d, const struct distinct *more);

/* Exact or estimated. */
struct figure distinct_figure(const struct distinct *d);

/* Of any bytes; the same on every machine. */
uint64_t hash_bytes(const void *bytes, size_t size_bytes);
uint64_t hash_join(uint64_t a, uint64_t b);

#endif
