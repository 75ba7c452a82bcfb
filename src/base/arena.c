#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct arena_block {
	struct arena_block *older;
	size_t capacity;
	alignas(16) uint8_t data[];
};

/* small at first: most commands need little, and the allocator keeps blocks of up to 1 KB at hand */
enum { FIRST_BLOCK_BYTES = 1008, ALIGNMENT = 16 };

void arena_init(struct arena *a)
{
	a->blocks = NULL;
	a->used = 0;
}

static void free_blocks(struct arena_block *block)
{
	while (block) {
		struct arena_block *older = block->older;

		free(block);
		block = older;
	}
}

void arena_clear(struct arena *a)
{
	free_blocks(a->blocks);
	arena_init(a);
}

void arena_reset(struct arena *a)
{
	/* the newest block is the largest: keeping it lets a steady workload stop allocating */
	if (a->blocks) {
		free_blocks(a->blocks->older);
		a->blocks->older = NULL;
	}
	a->used = 0;
}

static void add_block(struct arena *a, size_t needed)
{
	size_t capacity = a->blocks ? a->blocks->capacity * 2 : FIRST_BLOCK_BYTES;
	struct arena_block *block;

	while (capacity < needed)
		capacity *= 2;
	block = memory_allocate(sizeof *block + capacity);
	block->older = a->blocks;
	block->capacity = capacity;
	a->blocks = block;
	a->used = 0;
}

void *arena_allocate(struct arena *a, size_t size_bytes)
{
	size_t rounded = (size_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	void *memory;

	if (!a->blocks || a->blocks->capacity - a->used < rounded)
		add_block(a, rounded);
	memory = a->blocks->data + a->used;
	a->used += rounded;
	return memory;
}

void *arena_duplicate(struct arena *a, const void *source, size_t size_bytes)
{
	void *copy = arena_allocate(a, size_bytes);

	if (size_bytes)
		memcpy(copy, source, size_bytes);
	return copy;
}

size_t arena_held_bytes(const struct arena *a)
{
	size_t held = 0;

	for (const struct arena_block *block = a->blocks; block; block = block->older)
		held += block->capacity;
	return held;
}
