/*
 * Projections: of find (inclusion, exclusion, $slice, $elemMatch, positional, computed) and of $project,
 * $addFields/$set, $unset.
 */
#ifndef BSONSCOPE_ENGINE_PROJECTION_H
#define BSONSCOPE_ENGINE_PROJECTION_H

#include "base/bytes.h"
#include "engine/expression.h"
#include "engine/match.h"

struct projection;

enum projection_use { PROJECTION_FIND, PROJECTION_PROJECT, PROJECTION_ADD_FIELDS };

/* Errors in MongoDB's words (31254 mixing inclusion and exclusion, 31249 path collision, 31325 unknown expression …);
 * "Invalid $project :: caused by :: " is put before by the stage. */
struct projection *projection_compile(struct value specification, enum projection_use use,
                                      const struct expression_scope *scope, bson_error_t *error);
void projection_destroy(struct projection *p);

/* As expression_check_constants, for all its expressions. */
bool projection_check_constants(const struct projection *p, bson_error_t *error);

/* Appends the projected document to `out` (which is reset). `filter` is the query, for the positional operator; may be
 * null. */
bool projection_apply(const struct projection *p, struct execution *x, struct arena *arena, struct value document,
                      const struct match *filter, struct bytes *out);

/* PROJECTION_SIMPLE (top-level inclusion/exclusion only), PROJECTION_DEFAULT: the stage's name in explain. */
const char *projection_stage_name(const struct projection *p);
void projection_write(const struct projection *p, struct writer *w, struct key key);

/* An inclusion without anything computed: it can be made of an index key. */
bool projection_only_includes(const struct projection *p);

/* An inclusion: fields that are not named do not come through. */
bool projection_drops_others(const struct projection *p);

/* True when the output holds only top-level fields named here: what a covered plan or dependency analysis needs. */
bool projection_dependencies(const struct projection *p, void (*visit)(void *context, const char *path), void *context);

/*
 * The paths of its input that applying it reads: what it includes and what its expressions name; false when that may be
 * all of it
 * ($$ROOT). An exclusion reads none and is true.
 */
bool projection_reads(const struct projection *p, void (*visit)(void *context, const char *path), void *context);

#endif
