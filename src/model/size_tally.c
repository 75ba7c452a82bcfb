#include "model/size_tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

enum {
	BLOCKS = SIZE_TALLY_COUNTERS / SIZE_TALLY_BLOCK + 1,
	MAPPED_BYTES = BLOCKS * SIZE_TALLY_BLOCK * (int)sizeof(int64_t)
};

void size_tally_init(struct size_tally *t)
{
	void *counters = mmap(NULL, MAPPED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	memset(t, 0, sizeof *t);
	if (counters == MAP_FAILED) {
		fputs("bsonscope: out of memory\n", stderr);
		abort();
	}
	t->counters = counters;
	t->used = memory_allocate_zeroed(BLOCKS, sizeof *t->used);
}

void size_tally_clear(struct size_tally *t)
{
	munmap(t->counters, MAPPED_BYTES);
	free(t->used);
	free(t->above);
}

void size_tally_add_above(struct size_tally *t, int64_t size_bytes, int64_t count)
{
	size_t i = t->above_count;

	while (i > 0 && t->above[i - 1].size_bytes > size_bytes)
		i--;
	if (i > 0 && t->above[i - 1].size_bytes == size_bytes) {
		t->above[i - 1].count += count;
		return;
	}
	t->above = memory_grow(t->above, &t->above_capacity, t->above_count + 1, sizeof *t->above);
	memmove(t->above + i + 1, t->above + i, (t->above_count - i) * sizeof *t->above);
	t->above[i] = (struct size_count){ size_bytes, count };
	t->above_count++;
}

bool size_tally_next(const struct size_tally *t, int64_t *size_bytes, int64_t *count)
{
	for (int64_t size = *size_bytes + 1; size < SIZE_TALLY_COUNTERS; size++) {
		if (!t->used[size / SIZE_TALLY_BLOCK]) {
			size += SIZE_TALLY_BLOCK - 1 - size % SIZE_TALLY_BLOCK;
			continue;
		}
		if (t->counters[size]) {
			*size_bytes = size;
			*count = t->counters[size];
			return true;
		}
	}
	for (size_t i = 0; i < t->above_count; i++) {
		if (t->above[i].size_bytes > *size_bytes) {
			*size_bytes = t->above[i].size_bytes;
			*count = t->above[i].count;
			return true;
		}
	}
	return false;
}
