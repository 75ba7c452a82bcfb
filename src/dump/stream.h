/*
 * The documents of one file, in order, without looking into them: those of a plain .bson lie where the file is
 * mapped; what is packed or JSON is turned into BSON beside it, in a spool. They stay where they are until the stream
 * is closed.
 */
#ifndef BSONSCOPE_DUMP_STREAM_H
#define BSONSCOPE_DUMP_STREAM_H

#include "bson/value.h"
#include "dump/files.h"

struct stream;

/* Null with one line when it cannot be opened. */
struct stream *stream_open(const struct dump_file *file, bson_error_t *error);
void stream_close(struct stream *s);

/*
 * Gives up to `capacity` documents; *count 0 is the end, unless it is an unpacking that needs another call (*more).
 * False: the file is broken there, and all documents before have been given. "FILE: offset N: REASON".
 */
bool stream_next(struct stream *s, struct value *documents, size_t capacity, size_t *count, bool *more, bson_error_t *error);

/* How errors call the file: without its folder. */
const char *stream_name(const struct stream *s);

/* Bytes of the file that were taken in, and of how many. */
int64_t stream_position(const struct stream *s);
int64_t stream_size(const struct stream *s);

/* The mapped file became shorter; *left_bytes as it is now (-1: not known). Any thread. */
bool stream_shrank(const struct stream *s, int64_t *left_bytes);

#endif
