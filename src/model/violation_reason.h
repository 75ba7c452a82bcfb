/* Where a document breaks a validator first, and how: out of the details that a refused write comes with. */
#ifndef BSONSCOPE_MODEL_VIOLATION_REASON_H
#define BSONSCOPE_MODEL_VIOLATION_REASON_H

#include "bson/writer.h"

/*
 * Writes path: [keys], keyword ("bsonType", "$gt"), and as far as the details have them reason ("type did not match"),
 * properties: [names] that are missing or too many, value and type. `details`: errInfo.details.
 * Source: https://www.mongodb.com/docs/manual/core/schema-validation/handle-invalid-documents/
 */
void violation_reason_write(struct writer *w, struct value details);

#endif
