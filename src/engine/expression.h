/*
 * Aggregation expressions, compiled once and evaluated a document at a time on raw BSON.
 * Operators stand in one table (name, arity, evaluate); see expression_*.c.
 * Source: https://www.mongodb.com/docs/manual/reference/operator/aggregation/
 */
#ifndef BSONSCOPE_ENGINE_EXPRESSION_H
#define BSONSCOPE_ENGINE_EXPRESSION_H

#include "base/error.h"
#include "bson/value.h"
#include "bson/writer.h"
#include "engine/execution.h"

struct expression;

/* Names of variables visible while compiling, and the slots of execution.variables they have. $$ROOT, $$CURRENT, $$NOW,
 * $$REMOVE, $$DESCEND/PRUNE/KEEP need no slot. Sub-pipelines of $lookup get a scope whose parent is the outer one. */
struct expression_scope {
	const struct expression_scope *parent;
	const char *name; /* null in the outermost */
	size_t slot;
};

/* The next free slot below `scope`. */
size_t expression_scope_next_slot(const struct expression_scope *scope);

/* "$a.b", "$$var.x", {$op: …}, {literal: document}, [array], constants. Codes and words are MongoDB's. */
struct expression *expression_compile(struct value specification, const struct expression_scope *scope,
                                      bson_error_t *error);
void expression_destroy(struct expression *e);

/*
 * False when a part that needs no document fails ({$bsonSize: 1}): MongoDB finds that before any document is read and
 * answers "Failed to optimize pipeline :: caused by :: …" (aggregate) or the bare message (find). Not asked, it fails
 * on the first document.
 */
bool expression_check_constants(const struct expression *e, bson_error_t *error);

/*
 * Evaluates on `root` ($$ROOT and $$CURRENT). The result is good as long as root's bytes and `arena` are. Missing is a
 * legal result. False: the execution failed.
 */
bool expression_evaluate(const struct expression *e, struct execution *x, struct arena *arena, struct value root,
                         struct value *out);

/* A constant, and which; true for what was folded too. */
bool expression_is_constant(const struct expression *e, struct value *constant);

/* A plain field path "$a.b" (no variable): its dotted text; else null. */
const char *expression_field_path(const struct expression *e);

/* The fields of the document that evaluation may look at: calls `visit` with each dotted path; false when all of it
 * ($$ROOT, $bsonSize of it …). Lets a pipeline ask its cursor for fewer fields, as MongoDB does. */
bool expression_dependencies(const struct expression *e, void (*visit)(void *context, const char *path), void *context);

/* Whether a field path may be written so: 40352, 40353, 15998, 16410 … */
bool field_path_check(struct key dotted, bson_error_t *error);

/* As explain prints it: operators' single arguments in arrays, {$const: …} for literals. */
void expression_write(const struct expression *e, struct writer *w, struct key key);

#endif
