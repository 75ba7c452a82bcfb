#include "engine/stage_group_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"

enum { FIRST_SLOTS = 64 };

void group_table_init(struct group_table *t, size_t accumulator_count)
{
	*t = (struct group_table){ .accumulator_count = accumulator_count };
}

void group_table_reset(struct group_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		for (size_t j = 0; j < t->accumulator_count; j++)
			accumulator_destroy(t->groups[i].accumulators[j]);
		free(t->groups[i].accumulators);
		free((void *)(uintptr_t)t->groups[i].id.bytes);
	}
	t->count = 0;
	if (t->slots)
		memset(t->slots, 0, t->slot_count * sizeof *t->slots);
}

void group_table_clear(struct group_table *t)
{
	group_table_reset(t);
	free(t->groups);
	free(t->slots);
	*t = (struct group_table){ .accumulator_count = t->accumulator_count };
}

/* The slot that holds the group of `id`, or the free one where it belongs. */
static uint32_t *slot_of(const struct group_table *t, struct value id, uint64_t hash)
{
	size_t at = hash & (t->slot_count - 1);

	for (;; at = (at + 1) & (t->slot_count - 1)) {
		const struct group *g = t->slots[at] ? &t->groups[t->slots[at] - 1] : NULL;

		if (!g || (g->hash == hash && value_equal(g->id, id)))
			return &t->slots[at];
	}
}

static void grow_slots(struct group_table *t)
{
	size_t wanted = t->slot_count ? t->slot_count * 2 : FIRST_SLOTS;

	free(t->slots);
	t->slots = memory_allocate_zeroed(wanted, sizeof *t->slots);
	t->slot_count = wanted;
	for (size_t i = 0; i < t->count; i++)
		*slot_of(t, t->groups[i].id, t->groups[i].hash) = (uint32_t)(i + 1);
}

struct group *group_table_find(struct group_table *t, struct value id, bool *added)
{
	uint64_t hash = value_hash(id);
	uint32_t *slot;
	struct group *g;

	if (t->count * 2 >= t->slot_count)
		grow_slots(t);
	slot = slot_of(t, id, hash);
	*added = !*slot;
	if (*slot)
		return &t->groups[*slot - 1];
	t->groups = memory_grow(t->groups, &t->capacity, t->count + 1, sizeof *t->groups);
	g = &t->groups[t->count++];
	*slot = (uint32_t)t->count;
	g->hash = hash;
	g->id = (struct value){ memory_duplicate(id.bytes, id.size_bytes), id.size_bytes, id.type };
	g->accumulators = memory_allocate_zeroed(t->accumulator_count, sizeof *g->accumulators);
	return g;
}
