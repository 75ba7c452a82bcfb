/* The groups of $group: found by the hash of their id, listed in the order in which they were first seen. */
#ifndef BSONSCOPE_ENGINE_STAGE_GROUP_TABLE_H
#define BSONSCOPE_ENGINE_STAGE_GROUP_TABLE_H

#include "bson/value.h"
#include "engine/accumulator.h"

struct group {
	struct value id; /* its bytes are the group's own */
	uint64_t hash;
	struct accumulator **accumulators; /* as many as the table was made for; null until set */
};

struct group_table {
	size_t accumulator_count;
	struct group *groups;
	size_t count, capacity;
	uint32_t *slots; /* group number + 1, or 0; open addressing */
	size_t slot_count;
};

void group_table_init(struct group_table *t, size_t accumulator_count);
void group_table_clear(struct group_table *t);

/* Forgets the groups. */
void group_table_reset(struct group_table *t);

/* The group of `id`; *added says that it is new: its id was copied, its accumulators are null. Good until the next
 * call. */
struct group *group_table_find(struct group_table *t, struct value id, bool *added);

#endif
