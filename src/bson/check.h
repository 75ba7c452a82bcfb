/* The server's answer to bytes that are no document, or one that is nested too deep. */
#ifndef BSONSCOPE_BSON_CHECK_H
#define BSONSCOPE_BSON_CHECK_H

#include "base/error.h"
#include "bson/value.h"

/* After this every walk over the document is whole. False: Overflow for its depth, else InvalidBSON. */
bool check_document(struct value document, bson_error_t *error);

#endif
