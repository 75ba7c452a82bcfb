/*
 * Query predicates. A filter is compiled to a tree once and tested on raw documents: nothing is decoded that the
 * filter does not ask for. Paths go through arrays as MongoDB's do. The planner reads the tree, explain prints it.
 * Source: https://www.mongodb.com/docs/manual/reference/operator/query/
 */
#ifndef BSONSCOPE_ENGINE_MATCH_H
#define BSONSCOPE_ENGINE_MATCH_H

#include "base/error.h"
#include "bson/path.h"
#include "bson/value.h"
#include "bson/writer.h"
#include "engine/execution.h"

struct expression;
struct expression_scope;

enum match_kind {
	MATCH_AND, MATCH_OR, MATCH_NOR, MATCH_NOT,
	MATCH_EQ, MATCH_LT, MATCH_LTE, MATCH_GT, MATCH_GTE,
	MATCH_IN,         /* operands in `operand`, an array (regexes allowed) */
	MATCH_EXISTS, MATCH_TYPE, MATCH_REGEX, MATCH_MOD, MATCH_SIZE,
	MATCH_BITS_ALL_SET, MATCH_BITS_ALL_CLEAR, MATCH_BITS_ANY_SET, MATCH_BITS_ANY_CLEAR,
	MATCH_ELEM_MATCH_OBJECT, /* children[0] is tested on each element as a document */
	MATCH_ELEM_MATCH_VALUE,  /* children (path empty) are tested on each element itself */
	MATCH_EXPR, MATCH_JSON_SCHEMA, MATCH_ALWAYS_FALSE, MATCH_ALWAYS_TRUE
};

/* $ne, $nin, $all are made of these ($not $eq, $not $in, $and of $eq), as in MongoDB's own parsedQuery. */
struct match {
	enum match_kind kind;
	struct path path;      /* leaves; empty for logical nodes */
	struct value operand;  /* owned copy lives in `storage` */
	struct bytes storage;
	struct match **children;
	size_t child_count;
	void *compiled;        /* regex, expression, schema: freed by match_destroy */
};

/* An unknown operator or a wrong operand fails with MongoDB's code and words ("unknown operator: $nope", 2). */
struct match *match_compile(struct value filter, const struct expression_scope *scope, bson_error_t *error);
void match_destroy(struct match *m);

/* Puts the tree in MongoDB's canonical order (flattened, children sorted) as parsedQuery shows it. */
void match_canonicalize(struct match **m);

/* False too when the execution failed ($expr): look at x->failed. */
bool match_test(const struct match *m, struct execution *x, struct value document);

/* As match_test, and says which element matched the first array on the path: for the positional operators. -1: none. */
bool match_test_position(const struct match *m, struct execution *x, struct value document, int64_t *position);

/*
 * Whether whatever matches `m` must match `wanted` too, as far as MongoDB sees it when it considers a partial index. Both
 * are canonicalized.
 */
bool match_implies(const struct match *m, const struct match *wanted);

/* The tree as MongoDB's messages draw it: a line a node, "$and\n    a $eq 1\n". */
void match_draw(const struct match *m, struct bytes *out);

/* Writes the predicate as explain does ({bookId: {$eq: 26}}) under `key`, as a document. */
void match_write(const struct match *m, struct writer *w, struct key key);

/*
 * The paths of the document that testing looks at, array indexes and what follows them left out; false when that may
 * be all of it ($expr on $$ROOT, $jsonSchema).
 */
bool match_dependencies(const struct match *m, void (*visit)(void *context, const char *path), void *context);

#endif
