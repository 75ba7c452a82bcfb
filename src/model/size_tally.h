/*
 * How many documents have each size, exactly: a counter a size up to the largest document a server may hold, touched
 * only where documents are, and a list above. Private to the sizes.
 */
#ifndef BSONSCOPE_MODEL_SIZE_TALLY_H
#define BSONSCOPE_MODEL_SIZE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIZE_TALLY_COUNTERS = 16793600 + 1, SIZE_TALLY_BLOCK = 512 }; /* a block of counters is a page */

struct size_tally {
	int64_t *counters;  /* address space of 134 MB; memory where blocks are used */
	bool *used;         /* blocks */
	struct size_count {
		int64_t size_bytes, count;
	} *above;           /* ascending */
	size_t above_count, above_capacity;
	int64_t count, bytes;
};

void size_tally_init(struct size_tally *t);
void size_tally_clear(struct size_tally *t);
void size_tally_add_above(struct size_tally *t, int64_t size_bytes, int64_t count);

static inline void size_tally_add(struct size_tally *t, int64_t size_bytes, int64_t count)
{
	t->count += count;
	t->bytes += size_bytes * count;
	if (size_bytes >= SIZE_TALLY_COUNTERS) {
		size_tally_add_above(t, size_bytes, count);
		return;
	}
	t->counters[size_bytes] += count;
	t->used[size_bytes / SIZE_TALLY_BLOCK] = true;
}

/* The next size that documents have above *size_bytes (begin with -1), ascending; false at the end. */
bool size_tally_next(const struct size_tally *t, int64_t *size_bytes, int64_t *count);

#endif
