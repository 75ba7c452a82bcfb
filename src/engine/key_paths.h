/*
 * From a document to the tuples of values that an index or a sort pattern sees: one for most documents, one an
 * element when a path goes through an array. The rules are MongoDB's: an empty array gives undefined (null below it);
 * at most one array may be expanded; a component that is a position in an array selects that element. Source:
 * https://www.mongodb.com/docs/manual/core/indexes/index-types/index-multikey/
 */
#ifndef BSONSCOPE_ENGINE_KEY_PATHS_H
#define BSONSCOPE_ENGINE_KEY_PATHS_H

#include "base/error.h"
#include "bson/path.h"
#include "bson/value.h"

enum { KEY_PATHS_LIMIT = 32, KEY_PATH_COMPONENTS_LIMIT = 200 };

struct key_paths {
	const struct path *paths[KEY_PATHS_LIMIT]; /* each of at most KEY_PATH_COMPONENTS_LIMIT components */
	size_t count;
	bool skip_missing;          /* sparse: nothing for a document that has none of the fields */
	uint32_t *array_components; /* a path each: bit i is set when component i was an expanded array; or null */

	/* Gets `count` values, one a path; missing fields come as null. In no order; equal tuples may repeat. */
	void (*emit)(void *context, const struct value *values);
	void *context;
};

/* Fails with 171 "cannot index parallel arrays [b] [a]" and 16746 (ambiguous positions), after some tuples perhaps. */
bool key_paths_walk(const struct key_paths *k, struct value document, bson_error_t *error);

#endif
