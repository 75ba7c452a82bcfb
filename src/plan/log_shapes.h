/* Private to the log's reader: the shapes of commands that were seen, each with its tally. */
#ifndef BSONSCOPE_PLAN_LOG_SHAPES_H
#define BSONSCOPE_PLAN_LOG_SHAPES_H

#include "plan/log_tally.h"

struct log_shape_entry;

/* All zero when empty. */
struct log_shapes {
	struct log_shape_entry **entries;
	size_t count, capacity;
	uint32_t *slots; /* open addressing: 0, or an entry's index + 1 */
	size_t slot_count, shape_bytes;
	struct bytes key; /* of the record at hand */
};

void log_shapes_clear(struct log_shapes *s);

/* The shape's tally, a new one at first; beyond the limits of log_workload.h all new shapes share one. */
struct log_tally *log_shapes_tally(struct log_shapes *s, struct span operation, struct span namespace_text, struct span shape);

/* In the order in which they came first. */
struct log_tally *log_shapes_at(const struct log_shapes *s, size_t index);

#endif
