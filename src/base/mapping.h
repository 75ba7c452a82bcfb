/*
 * Files mapped for reading. A mapped file that becomes shorter while it is open would end the program at the next
 * look behind its new end (SIGBUS): here such pages become zeros in place, and the mapping remembers it.
 *
 * The one place with mutable globals beside the terminal: a signal handler has nothing else to look at.
 */
#ifndef BSONSCOPE_BASE_MAPPING_H
#define BSONSCOPE_BASE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct mapping {
	const uint8_t *bytes; /* null: an empty file */
	size_t size_bytes;    /* as it was when it was opened */
	int slot;             /* -1: empty */
};

/*
 * A regular file, or the descriptor of one, which stays the caller's and is mapped `reserve_bytes` far, beyond its
 * present end: what lies there may be read once it has been written. False with the system's reason.
 */
bool mapping_open(struct mapping *m, const char *path, bson_error_t *error);
bool mapping_open_descriptor(struct mapping *m, const char *name, int descriptor, size_t reserve_bytes, bson_error_t *error);
void mapping_close(struct mapping *m);

/* Whether the file has lost bytes since it was opened; *left_bytes (may be null) is how many it has now. Any thread. */
bool mapping_shrank(const struct mapping *m, int64_t *left_bytes);

/*
 * Reads the file's bytes from `at` on, as they are now, past the mapping: a copy costs less than the faults of pages that
 * are looked at once. How many there were; 0 when the file has to be read where it is mapped. Any thread.
 */
size_t mapping_read(const struct mapping *m, size_t at, uint8_t *buffer, size_t size_bytes);

/*
 * For handlers of SIGBUS: makes the fault at that address good when it is in a mapping. False: it is none of ours.
 * Mappings install a handler of their own, which calls whatever was there before for other faults; one that is
 * installed later asks here first.
 */
bool mapping_repair(const void *address);

#endif
