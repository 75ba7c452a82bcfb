/*
 * MongoDB's order over values of all types
 * (https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/): MinKey, missing/undefined, null,
 * numbers, text and symbol, object, array, binary, ObjectId, boolean, date, timestamp, regex, DBPointer, code, code
 * with scope, MaxKey. Numbers of all types share one exact order; NaN is below all numbers.
 */
#ifndef BSONSCOPE_BSON_COMPARE_H
#define BSONSCOPE_BSON_COMPARE_H

#include "bson/value.h"

/* Negative, 0 or positive. */
int value_compare(struct value a, struct value b);
bool value_equal(struct value a, struct value b);

/* Numbers only, exactly: a double and a Decimal128 are never rounded to meet. */
int value_compare_numbers(struct value a, struct value b);

/* The rank of a type among types: equal ranks are compared by value. */
int value_canonical_type(uint8_t type);

/* Equal values have equal hashes, over numeric types too. */
uint64_t value_hash(struct value v);

#endif
