/* Which fields hold a collection's bytes, as text and JSON. Private to the reports. */
#ifndef BSONSCOPE_REPORT_FIELDS_REPORT_H
#define BSONSCOPE_REPORT_FIELDS_REPORT_H

#include "bson/writer.h"
#include "model/fields.h"

/* Adds parts, depth and fields to the document that is being written. */
void fields_write(struct writer *w, const struct fields *f);
void fields_print(const struct fields *f, bool ascii, struct bytes *out);

#endif
