/* What bytes of documents are for. The parts of whatever is looked at add up to its bytes, of broken documents too. */
#ifndef BSONSCOPE_MODEL_FIELD_PARTS_H
#define BSONSCOPE_MODEL_FIELD_PARTS_H

#include <stdint.h>

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
void field_parts_add(struct field_parts *sum, const struct field_parts *more);

#endif
