/*
 * The corpus of operator cases: JSON lines of {id, operator, docs, command, result | errorCode}. A runner answers one case; this
 * counts by operator and prints what is wrong.
 */
#ifndef BSONSCOPE_TESTS_CASES_H
#define BSONSCOPE_TESTS_CASES_H

#include <stdbool.h>

#include "bson/value.h"

enum case_verdict { CASE_RIGHT, CASE_REFUSED, CASE_WRONG, CASE_SKIPPED };

struct case_answer {
	bool ok;
	uint32_t code;        /* when not ok */
	const char *message;
	bool refused;         /* by a code that says "not here": an unknown operator, stage or option */
	struct value results; /* when ok: an array of documents */
};

/* Returns false to leave the case to another runner. */
typedef bool (*case_runner)(struct value test, struct case_answer *answer);

/*
 * Runs all of $BSONSCOPE_CORPUS/engine-cases/AREA.jsonl and returns the number of wrong answers. Prints a line a wrong case and
 * "summary: AREA right N refused N wrong N skipped N" with a line for each operator that is not all right.
 */
int cases_run(const char *area, case_runner run);

#endif
