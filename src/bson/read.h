/*
 * Text to BSON: Extended JSON v2, canonical and relaxed (https://github.com/mongodb/specifications, extended-json), and
 * the notation of the shells. Ours, because libbson stops at 98 levels and names no line.
 */
#ifndef BSONSCOPE_BSON_READ_H
#define BSONSCOPE_BSON_READ_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"

/* Each takes all that the one before it takes. */
enum reader_notation {
	READER_JSON,
	READER_SHELL, /* {a: 'x', b: ObjectId("…"), c: [1, 2,],}; comments; what read_shell.h lists */
	READER_PASTE  /* what people copy: "..." where something is left out, lines wrapped inside strings, no end */
};

struct reader {
	const char *name; /* for errors: a file name, "command line", … */
	enum reader_notation notation;
	bool incomplete; /* something of the text was left out or cut off, and so is not in the result */
	bool cut;        /* the text ended inside the last value: private */
	size_t gaps;     /* places so far where a paste left something out between values: private */
	const char *text, *at, *end;
	unsigned line; /* of `at`, from 1 */
	const char *line_start;
	int scopes; /* {"$code", "$scope"} and constructors that we are in */
};

/* For Extended JSON: set `notation` afterwards for another. */
void reader_init(struct reader *r, const char *name, const char *text, size_t size_bytes);

/*
 * A paste's value that was left out, "[Object]", is undefined in the result, and so is an array's element that stands
 * for those that were: what is missing is seen by who reads it.
 */

/* Skips white space and, in the shells' notation, comments; true when nothing is left. */
bool reader_at_end(struct reader *r);

/*
 * Reads one document and appends its BSON to `out`. Errors are one line: "NAME:LINE:COLUMN: expected …, found …"
 * (ERROR_INPUT); `out` is then as before. At most 250 levels.
 */
bool reader_document(struct reader *r, struct bytes *out, bson_error_t *error);

/* A whole text that holds exactly one document, in Extended JSON. */
bool read_document(const char *name, const char *text, size_t size_bytes, struct bytes *out, bson_error_t *error);

/* The same in the shells' notation: for what a person types. */
bool read_shell_document(const char *name, const char *text, size_t size_bytes, struct bytes *out, bson_error_t *error);

/*
 * The line (from 1) in `text` at which the value at that key path begins; 0 when not found. For errors of a later
 * stage.
 */
unsigned read_line_of(const char *text, size_t size_bytes, const char *const *keys, size_t key_count);

#endif
