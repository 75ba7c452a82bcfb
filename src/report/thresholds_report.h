/* Which documents are larger than something bears, and than the user allows, as text and JSON. Private to the reports. */
#ifndef BSONSCOPE_REPORT_THRESHOLDS_REPORT_H
#define BSONSCOPE_REPORT_THRESHOLDS_REPORT_H

#include "bson/writer.h"
#include "model/sizes.h"

/* Adds `thresholds`, and `failOver` where there is one, to a collection's document. */
void thresholds_write(struct writer *w, const struct sizes *s);

/* A line a threshold that documents reach; one that says so when there is none. */
void thresholds_print(struct sizes *const *sizes, size_t count, bool ascii, struct bytes *out);

/*
 * The documents larger than --fail-over, each with its collection, key and size; and what was not looked at. Appends to
 * `out` when it is not null. Returns whether there are any.
 */
bool alarm_print(struct sizes *const *sizes, size_t count, bool ascii, struct bytes *out);

#endif
