/*
 * The sizes at which something of MongoDB ends, and those from which a document is worth a look, in bytes.
 *
 * Sources: https://www.mongodb.com/docs/manual/reference/limits/ (documents, nesting); hello's maxBsonObjectSize and
 * maxMessageSizeBytes; error 10334's own text (internal limit); BufferMaxSize in the server's util/builder.h.
 */
#ifndef BSONSCOPE_BASE_LIMITS_H
#define BSONSCOPE_BASE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LIMIT_USER_BYTES = 16777216,     /* a document that a user stores */
	LIMIT_INTERNAL_BYTES = 16793600, /* and what the server adds around it: 16 KiB more */
	LIMIT_MESSAGE_BYTES = 48000000,
	LIMIT_BUFFER_BYTES = 67108864,   /* nothing larger is ever built */
	LIMIT_STAGE_BYTES = 104857600,   /* memory of a stage before it spills; of a $lookup's matches */
	LIMIT_INDEX_KEY_BYTES = 1024,    /* of an index's entry, before 4.2 */
	LIMIT_SORT_BYTES = 33554432      /* of a find's sort, before 4.4 */
};

/*
 * Thresholds: what a document that has so many bytes runs into. The first one is no limit of MongoDB's: documents of a
 * few hundred KB usually have grown where they were not meant to.
 */
enum { THRESHOLDS_MOST = 8 };

struct threshold {
	int64_t bytes;
	const char *meaning; /* null: one that the user set */
};

struct thresholds {
	struct threshold list[THRESHOLDS_MOST]; /* ascending */
	size_t count;
};

/* What there is: 300,000 B, 8 MiB, and the limits of documents and of messages. */
const struct thresholds *thresholds_default(void);

/*
 * "300000,5000000" in place of the first one; MongoDB's own stay. False: no whole numbers from 1 to 2^31-1 between
 * commas, or more than there is room for.
 */
bool thresholds_parse(const char *text, struct thresholds *t);

/* What a look at sizes is to find out besides. All zero: what there is. */
struct size_wish {
	const struct thresholds *thresholds; /* borrowed; null: the default ones */
	size_t largest;                      /* so many of the largest documents; 0: the usual number */
	int64_t alarm_bytes;                 /* larger documents are counted; 0: none are */
};

/* The highest one that a document of so many bytes reaches; null: none. */
const struct threshold *thresholds_reached(const struct thresholds *t, int64_t bytes);

#endif
