/* A gzip file, of one or more members, unpacked a block at a time. */
#ifndef BSONSCOPE_BASE_INFLATE_H
#define BSONSCOPE_BASE_INFLATE_H

#include "base/bytes.h"
#include "base/error.h"

struct inflater;

/* Borrows the packed bytes. */
struct inflater *inflater_new(const uint8_t *packed, size_t size_bytes);

/*
 * The same of packed bytes that come a block at a time, as from a pipe. `next` hands out the next block, good until it is
 * called again; of no bytes at the end, after which it is not called any more. False with an error: they cannot be had.
 */
typedef bool inflate_source(void *context, const uint8_t **block, size_t *size_bytes, bson_error_t *error);
struct inflater *inflater_new_from(inflate_source *next, void *context);
void inflater_destroy(struct inflater *i);

/* *got is 0 at the end. False: the packed bytes are broken or cannot be had; what came out before is good. */
bool inflater_next(struct inflater *i, uint8_t *buffer, size_t capacity, size_t *got, bson_error_t *error);

/* Packed bytes that were taken in so far. */
size_t inflater_position(const struct inflater *i);

/* All at once, not more than `limit_bytes`. */
bool inflate_all(const uint8_t *packed, size_t size_bytes, size_t limit_bytes, struct bytes *out, bson_error_t *error);

#endif
