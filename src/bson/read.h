/*
 * Text to BSON: Extended JSON v2, canonical and relaxed (https://github.com/mongodb/specifications, extended-json).
 * Ours, because libbson stops at 98 levels and names no line. The tolerant shell notation will come on this reader.
 */
#ifndef BSONSCOPE_BSON_READ_H
#define BSONSCOPE_BSON_READ_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"

struct reader {
	const char *name; /* for errors: a file name, "command line", … */
	const char *text, *at, *end;
	unsigned line; /* of `at`, from 1 */
	const char *line_start;
	int scopes; /* {"$code", "$scope"} that we are in */
};

void reader_init(struct reader *r, const char *name, const char *text, size_t size_bytes);

/* Skips white space; true when nothing is left. */
bool reader_at_end(struct reader *r);

/*
 * Reads one document and appends its BSON to `out`. Errors are one line: "NAME:LINE:COLUMN: expected …, found …"
 * (ERROR_INPUT); `out` is then as before. At most 250 levels.
 */
bool reader_document(struct reader *r, struct bytes *out, bson_error_t *error);

/* A whole text that holds exactly one document. */
bool read_document(const char *name, const char *text, size_t size_bytes, struct bytes *out, bson_error_t *error);

/*
 * The line (from 1) in `text` at which the value at that key path begins; 0 when not found. For errors of a later
 * stage.
 */
unsigned read_line_of(const char *text, size_t size_bytes, const char *const *keys, size_t key_count);

#endif
