/*
 * The fields of one document, found by name: for a reader that asks for many names of which few are there. It takes
 * one pass over the document, where value_get takes one for each name.
 */
#ifndef BSONSCOPE_BSON_FIELD_TABLE_H
#define BSONSCOPE_BSON_FIELD_TABLE_H

#include "bson/value.h"

enum { FIELD_TABLE_LIMIT = 64, FIELD_TABLE_SLOTS = 128 };

struct field_table {
	struct value document; /* borrowed */
	size_t count;
	bool whole; /* all of its fields are in the table; else the document is looked at */
	struct field fields[FIELD_TABLE_LIMIT];
	uint8_t slots[FIELD_TABLE_SLOTS]; /* open addressing: 0, or a field's index + 1 */
};

/* Of what is no document or array: no fields. */
void field_table_init(struct field_table *t, struct value document);

/* As value_get: the first field of that name; missing when there is none. */
struct value field_table_get(const struct field_table *t, const char *name);

#endif
