/* Recorded cases that this room judges itself: one JSON object a line, tallied by operator. */
#ifndef BSONSCOPE_TESTS_VERDICTS_H
#define BSONSCOPE_TESTS_VERDICTS_H

#include "bson/value.h"

enum verdict { VERDICT_RIGHT, VERDICT_REFUSED, VERDICT_WRONG, VERDICT_SKIPPED };

/* Judges one case; `why` (of `size` bytes) takes what was wrong. */
typedef enum verdict (*verdict_judge)(struct value one, char *why, size_t size);

/*
 * Runs every case of the corpus' file and prints wrong ones and lines that start with "summary:". Returns the number
 * of wrong ones; skips the program when there is no corpus.
 */
int verdicts_run(const char *file, verdict_judge judge);

#endif
