/*
 * Writes BSON front to back into a byte buffer. Unlike bson_t it copies values as they lie (any type, any key bytes)
 * and nests without child objects. Inside an array the keys are the running index and the key argument is ignored.
 */
#ifndef BSONSCOPE_BSON_WRITER_H
#define BSONSCOPE_BSON_WRITER_H

#include "base/bytes.h"
#include "bson/value.h"

enum { WRITER_DEPTH = VALUE_DEPTH_LIMIT + 6 };

struct writer {
	struct bytes *out; /* borrowed; the document is appended to what it holds */
	int depth;
	struct writer_frame {
		size_t start;
		bool array;
		uint32_t next_index;
	} frames[WRITER_DEPTH];
};

/* Begins a document at the end of `out`. */
void writer_begin(struct writer *w, struct bytes *out);

/* Ends the outermost document; the view is good until `out` changes. */
struct value writer_finish(struct writer *w);

void writer_value(struct writer *w, struct key key, struct value v); /* missing values are left out */
void writer_begin_document(struct writer *w, struct key key);
void writer_begin_array(struct writer *w, struct key key);
void writer_end(struct writer *w);

/* A key that has been written is followed by a raw payload of `type`. */
void writer_raw(struct writer *w, struct key key, uint8_t type, const void *payload, size_t size_bytes);

/* Shorthands for literal names. */
void writer_text(struct writer *w, const char *name, const char *text);
void writer_int32(struct writer *w, const char *name, int32_t n);
void writer_int64(struct writer *w, const char *name, int64_t n);

/* Int32 when it fits, else int64: as MongoDB writes most counters of a reply. */
void writer_number(struct writer *w, const char *name, int64_t n);
void writer_double(struct writer *w, const char *name, double n);
void writer_bool(struct writer *w, const char *name, bool b);
void writer_null(struct writer *w, const char *name);
void writer_put(struct writer *w, const char *name, struct value v);

/* A text that is no C string: any bytes. */
void writer_key_text(struct writer *w, const char *name, struct key text);

/* All fields of `document`, at the present level. */
void writer_fields(struct writer *w, struct value document);

/* An array of documents that lie end to end in `documents`. */
void writer_documents(struct writer *w, const char *name, const struct bytes *documents);

#endif
