/*
 * How many documents have each size, exactly: a counter a size, in blocks that are there only where documents are.
 * Memory: 4 KB for every block of sizes that some document is in.
 */
#ifndef BSONSCOPE_BASE_SIZE_TALLY_H
#define BSONSCOPE_BASE_SIZE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIZE_TALLY_BLOCK = 512 };

struct size_block {
	int64_t documents; /* the sum of the counters: a block without any is given back */
	int64_t counters[SIZE_TALLY_BLOCK];
};

struct size_tally {
	struct size_block **blocks; /* null where no document is */
	size_t block_count;
};

#define SIZE_TALLY_INIT { NULL, 0 }

void size_tally_clear(struct size_tally *t);
void size_tally_make_block(struct size_tally *t, size_t block);

static inline void size_tally_add(struct size_tally *t, uint32_t size_bytes, int64_t count)
{
	size_t i = size_bytes / SIZE_TALLY_BLOCK;

	if (i >= t->block_count || !t->blocks[i])
		size_tally_make_block(t, i);
	t->blocks[i]->documents += count;
	t->blocks[i]->counters[size_bytes % SIZE_TALLY_BLOCK] += count;
}

/* One document less, which was added before. */
void size_tally_remove(struct size_tally *t, uint32_t size_bytes);

/* `copy` is empty, and is the caller's to clear. */
void size_tally_copy(const struct size_tally *t, struct size_tally *copy);

/* The next size that documents have above *size_bytes (begin with -1), ascending; false at the end. */
bool size_tally_next(const struct size_tally *t, int64_t *size_bytes, int64_t *count);

/* Documents, and the sum of their sizes. */
void size_tally_total(const struct size_tally *t, int64_t *count, int64_t *bytes);

int64_t size_tally_memory_bytes(const struct size_tally *t);

#endif
