/*
 * Where the bytes of documents are, counted document by document: what belongs to values, to key names, to arrays and
 * to the frames of documents, of each top-level field. The parts add up to the documents' sizes, broken ones included.
 */
#ifndef BSONSCOPE_MODEL_FIELD_TALLY_H
#define BSONSCOPE_MODEL_FIELD_TALLY_H

#include "bson/value.h"

/*
 * values   payloads of what is neither document nor array, with their length prefixes and terminators
 * names    key names with their terminators
 * arrays   arrays' lengths and terminators, their elements' type bytes and index keys with terminators
 * frames   documents' lengths and terminators, their fields' type bytes
 */
#define FIELD_PARTS(X) X(values) X(names) X(arrays) X(frames)

struct field_parts {
#define X(part) int64_t part;
	FIELD_PARTS(X)
#undef X
};

int64_t field_parts_sum(const struct field_parts *p);

/* Slots of the types that BSON has; the last is for bytes that are no type. */
enum { FIELD_TYPES = 23 };
size_t field_type_slot(uint8_t type);
uint8_t field_type_at(size_t slot);

struct field_bytes {
	char *name;                  /* NUL-terminated: no key holds a NUL */
	int64_t count, bytes;        /* fields of that name and all of their bytes: type, name, value */
	int64_t largest_bytes;       /* of one field */
	struct field_parts parts;    /* of `bytes` */
	int64_t types[FIELD_TYPES];  /* how many values are of each type, by slot */
};

/* Counts the fields of another name with those of `sum`, whose name stays. */
void field_bytes_add(struct field_bytes *sum, const struct field_bytes *more);

/* Names beyond these are counted together: keys that are data would fill the memory. */
enum { FIELD_TALLY_NAMES = 1000 };

struct field_tally {
	struct field_bytes *list; /* in the order of their first appearance */
	size_t count, capacity;
	struct field_bytes rest;  /* of other names; without a name */
	uint32_t *slots;          /* hash table over `list`: index + 1; 0: free */
	int64_t documents, bytes;
	struct field_parts parts; /* of all bytes; the documents' own frames too */
	int64_t broken;           /* documents whose inside cannot be read to the end: the remainder counts as values */
	int depth;                /* of the deepest: 1 for a flat document */
};

void field_tally_init(struct field_tally *t);
void field_tally_clear(struct field_tally *t);
void field_tally_add(struct field_tally *t, struct value document);

#endif
