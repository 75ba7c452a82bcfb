/* A report as JSON. Private to the reports. */
#ifndef BSONSCOPE_REPORT_JSON_H
#define BSONSCOPE_REPORT_JSON_H

#include "bson/writer.h"

/* Ends the outermost document, prints it, indented and with a newline, and clears the bytes that it was written into. */
void json_print(struct writer *w, struct bytes *out);

#endif
