/*
 * Accumulators of $group ($sum $avg $min $max $first $last $push $addToSet $count $mergeObjects $stdDevPop $stdDevSamp;
 * $top… are refused). Sums follow MongoDB's types: int to long to double on overflow, decimal wins; double sums are
 * compensated.
 */
#ifndef BSONSCOPE_ENGINE_ACCUMULATOR_H
#define BSONSCOPE_ENGINE_ACCUMULATOR_H

#include "engine/expression.h"

struct accumulator_type;

/* Null when there is no such accumulator: "unknown group operator '$x'" (15952) is set. */
const struct accumulator_type *accumulator_type_find(struct key name, bson_error_t *error);

/* Compiles what is accumulated ({$sum: THIS}); not an array. For $count all but {} is refused. Null on errors. */
struct expression *accumulator_compile_argument(const struct accumulator_type *type, struct value specification,
                                                const struct expression_scope *scope, bson_error_t *error);

struct accumulator *accumulator_new(const struct accumulator_type *type);
void accumulator_destroy(struct accumulator *a);
bool accumulator_add(struct accumulator *a, struct execution *x, struct value v);

/* The result is good until the accumulator changes or `arena` is reset. */
bool accumulator_result(struct accumulator *a, struct execution *x, struct arena *arena, struct value *out);
int64_t accumulator_memory_bytes(const struct accumulator *a);

#endif
