/* Memory for values that live as long as one document is looked at: allocated by bumping, forgotten all at once. */
#ifndef BSONSCOPE_BASE_ARENA_H
#define BSONSCOPE_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used;                /* bytes used of the newest block */
};

void arena_init(struct arena *a);
void arena_clear(struct arena *a);

/* Forgets everything and keeps one block. */
void arena_reset(struct arena *a);

/* Aligned for any scalar. Never null. */
void *arena_allocate(struct arena *a, size_t size_bytes);
void *arena_duplicate(struct arena *a, const void *source, size_t size_bytes);

/* Bytes held now, over all blocks: what the caps of blocking stages are checked against. */
size_t arena_held_bytes(const struct arena *a);

#endif
