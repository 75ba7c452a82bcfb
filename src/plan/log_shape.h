/*
 * The shape of a command: what is left when the values are taken away. Two commands of one shape are one row of a
 * workload.
 */
#ifndef BSONSCOPE_PLAN_LOG_SHAPE_H
#define BSONSCOPE_PLAN_LOG_SHAPE_H

#include "base/bytes.h"
#include "bson/skim.h"

/*
 * Appends the shape of a command (JSON): values become ?, lists of values [?]. Kept are field names, "$paths" of
 * expressions, the numbers of sorts and projections, true and false. What belongs to a session, a batch or a comment is
 * left out. *operation is the command's name, a piece of it; a null text when there is none.
 */
void log_shape_append(struct bytes *out, struct span command, struct span *operation);

#endif
