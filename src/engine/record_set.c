#include "engine/record_set.h"

#include <stdlib.h>

#include "base/memory.h"

void record_set_clear(struct record_set *s)
{
	free(s->slots);
	*s = (struct record_set){ NULL, 0, 0 };
}

/* The slot that holds `id` or is free for it. Capacity is a power of two. */
static record_id *find_slot(const struct record_set *s, record_id id)
{
	size_t at = (size_t)((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->capacity - 1);

	while (s->slots[at] != RECORD_NONE && s->slots[at] != id)
		at = (at + 1) & (s->capacity - 1);
	return &s->slots[at];
}

static void grow(struct record_set *s)
{
	struct record_set old = *s;

	s->capacity = old.capacity ? 2 * old.capacity : 64;
	s->slots = memory_resize(NULL, s->capacity, sizeof *s->slots);
	for (size_t i = 0; i < s->capacity; i++)
		s->slots[i] = RECORD_NONE;
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i] != RECORD_NONE)
			*find_slot(s, old.slots[i]) = old.slots[i];
	free(old.slots);
}

bool record_set_add(struct record_set *s, record_id id)
{
	record_id *slot;

	if (4 * (s->count + 1) > 3 * s->capacity)
		grow(s);
	slot = find_slot(s, id);
	if (*slot == id)
		return false;
	*slot = id;
	s->count++;
	return true;
}
