/*
 * Cases with a result: a runner answers one, this compares the answer with {result | errorCode} of the corpus and lets
 * verdicts_run count.
 */
#ifndef BSONSCOPE_TESTS_CASES_H
#define BSONSCOPE_TESTS_CASES_H

#include <stdbool.h>

#include "bson/value.h"

struct case_answer {
	bool ok;
	uint32_t code;        /* when not ok */
	const char *message;
	bool refused;         /* by a code that says "not here": an unknown operator, stage or option */
	struct value results; /* when ok: an array of documents */
};

/* Returns false to leave the case to another runner. */
typedef bool (*case_runner)(struct value test, struct case_answer *answer);

/* As verdicts_run: the number of wrong answers; one at least when nothing was answered. */
int cases_run(const char *file, case_runner run);

#endif
