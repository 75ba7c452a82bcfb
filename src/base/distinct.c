#include "base/distinct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BITS = 12, REGISTERS = 1 << BITS };

static uint64_t mix(uint64_t h)
{
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

uint64_t hash_join(uint64_t a, uint64_t b)
{
	return mix(a * UINT64_C(0x9e3779b97f4a7c15) + b);
}

uint64_t hash_bytes(const void *bytes, size_t size_bytes)
{
	const uint8_t *at = bytes;
	uint64_t h = size_bytes;

	for (; size_bytes; size_bytes -= size_bytes < 8 ? size_bytes : 8, at += 8) {
		uint64_t word = 0;

		for (size_t i = 0; i < 8 && i < size_bytes; i++)
			word |= (uint64_t)at[i] << (8 * i);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return mix(h);
}

void distinct_clear(struct distinct *d)
{
	free(d->hashes);
	free(d->registers);
	*d = (struct distinct)DISTINCT_INIT;
}

static void note(struct distinct *d, uint64_t hash)
{
	uint64_t rest = hash << BITS;
	uint8_t rank = (uint8_t)(rest ? __builtin_clzll(rest) + 1 : 64 - BITS + 1), *r = &d->registers[hash >> (64 - BITS)];

	if (rank > *r)
		*r = rank;
}

/* Its place: where it is, or where it would be. */
static uint32_t place(const struct distinct *d, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & (d->capacity - 1);

	while (d->hashes[i] && d->hashes[i] != hash)
		i = (i + 1) & (d->capacity - 1);
	return i;
}

static void grow(struct distinct *d)
{
	struct distinct old = *d;

	d->capacity = old.capacity ? 2 * old.capacity : 8;
	d->hashes = memory_allocate_zeroed(d->capacity, sizeof *d->hashes);
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.hashes[i])
			d->hashes[place(d, old.hashes[i])] = old.hashes[i];
	free(old.hashes);
}

static void turn_to_estimate(struct distinct *d)
{
	if (d->registers)
		return;
	d->registers = memory_allocate_zeroed(REGISTERS, 1);
	for (uint32_t i = 0; i < d->capacity; i++)
		if (d->hashes[i])
			note(d, d->hashes[i]);
	free(d->hashes);
	d->hashes = NULL;
	d->capacity = d->count = 0;
}

void distinct_add(struct distinct *d, uint64_t hash)
{
	uint32_t i;

	hash += !hash; /* 0 is a free place */
	if (d->registers) {
		note(d, hash);
		return;
	}
	if (2 * (d->count + 1) > d->capacity)
		grow(d);
	i = place(d, hash);
	d->count += !d->hashes[i];
	d->hashes[i] = hash;
	if (d->count > DISTINCT_EXACT)
		turn_to_estimate(d);
}

void distinct_merge(struct distinct *d, const struct distinct *more)
{
	if (more->registers) {
		turn_to_estimate(d);
		for (size_t i = 0; i < REGISTERS; i++)
			if (more->registers[i] > d->registers[i])
				d->registers[i] = more->registers[i];
	}
	for (uint32_t i = 0; i < more->capacity; i++)
		if (more->hashes[i])
			distinct_add(d, more->hashes[i]);
}

struct figure distinct_figure(const struct distinct *d)
{
	double sum = 0, estimate;
	int zeros = 0;

	if (!d->registers)
		return figure_of(d->count, PROVENANCE_EXACT);
	for (size_t i = 0; i < REGISTERS; i++) {
		sum += ldexp(1, -d->registers[i]);
		zeros += !d->registers[i];
	}
	estimate = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / sum;
	if (estimate <= 2.5 * REGISTERS && zeros)
		estimate = REGISTERS * log((double)REGISTERS / zeros);
	/* there were more than the exact ones */
	return figure_of(estimate < DISTINCT_EXACT + 1 ? DISTINCT_EXACT + 1 : (int64_t)(estimate + 0.5), PROVENANCE_ESTIMATED);
}
