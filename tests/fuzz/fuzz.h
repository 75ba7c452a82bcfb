/*
 * What is done to any bytes whatsoever: nothing is expected of the results, only that there is no crash, no hang and no
 * leak. The fuzzer calls these with what it invents, and a unit program with the seeds.
 */
#ifndef BSONSCOPE_TESTS_FUZZ_H
#define BSONSCOPE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The readers in all notations: one document, and a paste of several; what was read is printed and read again. */
void fuzz_reader(const uint8_t *bytes, size_t size_bytes);

/* Text to plan trees, and all that is made of a tree. */
void fuzz_plan(const uint8_t *bytes, size_t size_bytes);

/* Lines of a log to rows. */
void fuzz_log(const uint8_t *bytes, size_t size_bytes);

#endif
