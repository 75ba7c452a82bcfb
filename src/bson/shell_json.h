/* The shells' notation, as a server's log has it, rewritten as JSON in one pass: for logs, which are long. */
#ifndef BSONSCOPE_BSON_SHELL_JSON_H
#define BSONSCOPE_BSON_SHELL_JSON_H

#include "base/bytes.h"
#include "bson/skim.h"

/*
 * Appends the document as relaxed Extended JSON: what reading and printing it gives. Names may hold dots, which a log
 * writes without quotes. False: something in it wants the reader, and `out` is as before.
 */
bool shell_as_json(struct bytes *out, struct span document);

#endif
