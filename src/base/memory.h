/* Allocation that never returns null: out of memory ends the program here, in one place. */
#ifndef BSONSCOPE_BASE_MEMORY_H
#define BSONSCOPE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Each returns memory that the caller owns and gives back with free(). A size of 0 gives a valid pointer. */
void *memory_allocate(size_t size_bytes);
void *memory_allocate_zeroed(size_t count, size_t size_bytes);
void *memory_resize(void *old, size_t count, size_t size_bytes);
void *memory_duplicate(const void *source, size_t size_bytes);
char *memory_duplicate_text(const char *text);

/* Bytes of memory that this process may use: the machine's, or what its container or its limits leave of them. */
int64_t memory_limit_bytes(void);

/*
 * Makes room for `needed` items in a growing array; capacity doubles. Use: items = memory_grow(items, &capacity,
 * needed, sizeof *items).
 */
void *memory_grow(void *items, size_t *capacity, size_t needed, size_t item_size_bytes);

/*
 * Room for one item behind `count`, in an array that only this made room in: its capacity is the power of two from
 * `count` on and stands nowhere. Use: items = memory_room(items, count, sizeof *items).
 */
void *memory_room(void *items, size_t count, size_t item_size_bytes);

#endif
