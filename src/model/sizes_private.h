/* What the files that measure sizes share. Private to the model. */
#ifndef BSONSCOPE_MODEL_SIZES_PRIVATE_H
#define BSONSCOPE_MODEL_SIZES_PRIVATE_H

#include "base/size_tally.h"
#include "bson/value.h"
#include "model/sizes.h"

/* A document of a sample, which may come twice. */
struct drawn {
	uint8_t *entry; /* {id, key} as BSON, owned */
	uint32_t entry_bytes;
	int64_t size_bytes;
};

struct gathering {
	struct source *source;
	const char *db, *collection, *key;
	int64_t limit_bytes;
	struct size_tally tally;
	int64_t count; /* of the documents in it */
	struct sizes *result;
	bool at_least; /* there are more documents than can be seen */
	int64_t of;    /* so many, where not all are seen and their number is known; else 0 */
	sizes_report report;
	void *report_context;
	int64_t reported_us;

	struct drawn *drawn; /* of a random sample; else they are tallied as they come */
	size_t drawn_count, drawn_capacity;
};

/* All figures anew from the tally. */
void sizes_compute(struct gathering *g);

/* A document among the largest, or not. A context of type struct gathering: engine_size_walk calls it too. */
void sizes_offer(void *context, int64_t size_bytes, struct value key);

/* By commands; see sizes_commands.c. */
bool sizes_gather_by_commands(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error);

/* The intervals of a random sample, and its estimates of all. */
void sizes_scale_up(struct gathering *g);

#endif
