#include "base/size_tally.h"

#include <stdlib.h>

#include "base/memory.h"

void size_tally_clear(struct size_tally *t)
{
	for (size_t i = 0; i < t->block_count; i++)
		free(t->blocks[i]);
	free(t->blocks);
	*t = (struct size_tally)SIZE_TALLY_INIT;
}

void size_tally_make_block(struct size_tally *t, size_t block)
{
	if (block >= t->block_count) {
		t->blocks = memory_resize(t->blocks, block + 1, sizeof *t->blocks);
		while (t->block_count <= block)
			t->blocks[t->block_count++] = NULL;
	}
	t->blocks[block] = memory_allocate_zeroed(1, sizeof *t->blocks[block]);
}

void size_tally_remove(struct size_tally *t, uint32_t size_bytes)
{
	struct size_block **block = &t->blocks[size_bytes / SIZE_TALLY_BLOCK];

	(*block)->counters[size_bytes % SIZE_TALLY_BLOCK]--;
	if (--(*block)->documents)
		return;
	free(*block); /* a document that grows would leave one behind at every other step */
	*block = NULL;
}

void size_tally_copy(const struct size_tally *t, struct size_tally *copy)
{
	copy->block_count = t->block_count;
	copy->blocks = memory_allocate(t->block_count * sizeof *copy->blocks);
	for (size_t i = 0; i < t->block_count; i++)
		copy->blocks[i] = t->blocks[i] ? memory_duplicate(t->blocks[i], sizeof *t->blocks[i]) : NULL;
}

bool size_tally_next(const struct size_tally *t, int64_t *size_bytes, int64_t *count)
{
	for (size_t size = (size_t)(*size_bytes + 1); size / SIZE_TALLY_BLOCK < t->block_count; size++) {
		const struct size_block *block = t->blocks[size / SIZE_TALLY_BLOCK];

		if (!block) {
			size += SIZE_TALLY_BLOCK - 1 - size % SIZE_TALLY_BLOCK;
			continue;
		}
		if (block->counters[size % SIZE_TALLY_BLOCK]) {
			*size_bytes = (int64_t)size;
			*count = block->counters[size % SIZE_TALLY_BLOCK];
			return true;
		}
	}
	return false;
}

void size_tally_total(const struct size_tally *t, int64_t *count, int64_t *bytes)
{
	int64_t size = -1, n;

	*count = *bytes = 0;
	while (size_tally_next(t, &size, &n)) {
		*count += n;
		*bytes += n * size;
	}
}

int64_t size_tally_memory_bytes(const struct size_tally *t)
{
	size_t bytes = t->block_count * sizeof *t->blocks;

	for (size_t i = 0; i < t->block_count; i++)
		bytes += t->blocks[i] ? sizeof *t->blocks[i] : 0;
	return (int64_t)bytes;
}
