/* The tree of a projection, shared by projection_*.c. */
#ifndef BSONSCOPE_ENGINE_PROJECTION_INTERNAL_H
#define BSONSCOPE_ENGINE_PROJECTION_INTERNAL_H

#include "engine/projection.h"

enum projection_kind {
	PROJECTION_INCLUDE,
	PROJECTION_EXCLUDE,
	PROJECTION_BRANCH,     /* has children */
	PROJECTION_EXPRESSION,
	PROJECTION_SLICE,      /* find's: skip and limit */
	PROJECTION_ELEM_MATCH,
	PROJECTION_POSITIONAL
};

struct projection_node {
	enum projection_kind kind;
	char *name;
	uint32_t name_size_bytes;
	struct projection_node **children;
	size_t child_count;
	struct expression *expression;
	struct match *match;        /* {name: {$elemMatch: …}} */
	bool has_skip;
	int32_t skip, limit;        /* without skip: the first or, negative, the last */
	size_t wanted;              /* children among the document's own fields: an inclusion ends when all are found */
	bool computes;              /* an expression is below: missing or scalar values become documents */
	bool leads_to_positional;   /* on the way to "a.b.$" */
};

/* What happens to a field that is not named. */
enum projection_type { PROJECTION_TYPE_UNKNOWN, PROJECTION_DROPS_OTHERS, PROJECTION_KEEPS_OTHERS };

struct projection {
	enum projection_use use;
	enum projection_type type;
	struct projection_node root;
	bool has_positional;
	bool has_expressions, has_dotted; /* why it is not PROJECTION_SIMPLE */
	struct bytes specification;       /* a copy, as find's explain prints it */
};

void projection_node_clear(struct projection_node *n);

#endif
