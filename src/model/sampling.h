/*
 * Which documents of a server's collection are looked at: all, or a part where there are too many or the server refuses.
 * What measures sizes and what measures paths choose alike.
 */
#ifndef BSONSCOPE_MODEL_SAMPLING_H
#define BSONSCOPE_MODEL_SAMPLING_H

#include "base/bytes.h"
#include "base/error.h"
#include "source.h"

enum sampling {
	SAMPLING_ALL,    /* every document */
	SAMPLING_RANDOM, /* $sample by a random cursor */
	SAMPLING_SORTED, /* $sample that reads and sorts all */
	SAMPLING_FIRST   /* the first in the collection's order */
};

enum { SAMPLING_DOCUMENTS = 10000 }; /* unless it is wished otherwise */

/* "all", "random", "scan", "first". */
const char *sampling_name(enum sampling s);

/* Appended: "10,000 of 58,595 documents sampled ($sample, random)"; `of` 0: not known. */
void sampling_text(enum sampling s, int64_t n, int64_t of, struct bytes *out);

/* Documents that a sample of the source has: as it wishes, else SAMPLING_DOCUMENTS. */
int64_t sampling_size(const struct source *s);

/*
 * Whether $sample reads and sorts the whole collection: below 100 documents, or from a twentieth of it on. Source:
 * MongoDB manual, $sample, "Behavior".
 */
bool sampling_scans(int64_t size, int64_t count);

/*
 * After a refusal: what is asked for next, into *next; false: nothing less can be. `count` 0: not known. What was too
 * much for the server's limits of time or memory is said in *remark, appended; what it does not have is not.
 */
bool sampling_less(enum sampling tried, int64_t size, int64_t count, const bson_error_t *error, const struct interrupt *interrupt,
                   enum sampling *next, struct bytes *remark);

/* What servers and their likes say to an operator, stage or command that they do not have. */
bool sampling_is_unsupported(const bson_error_t *error);

#endif
