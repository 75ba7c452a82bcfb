/* Private to the log's reader: lines of a log inside lines of another. */
#ifndef BSONSCOPE_PLAN_LOG_UNWRAP_H
#define BSONSCOPE_PLAN_LOG_UNWRAP_H

#include "base/bytes.h"
#include "bson/skim.h"

/*
 * {"log":"{\"t\":…}\n", …}: the server's line inside one of Docker's or of the journal's, in `inner`, which is used
 * anew; the line itself when it is none.
 */
struct span log_unwrap(struct span line, struct bytes *inner);

#endif
