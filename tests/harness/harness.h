/*
 * What every unit program shares: a main that runs a table of tests with CUnit and exits non-zero when one failed, and
 * BSON from JSON text.
 */
#ifndef BSONSCOPE_TESTS_HARNESS_H
#define BSONSCOPE_TESTS_HARNESS_H

#include <CUnit/Basic.h>

#include "base/bytes.h"
#include "bson/value.h"

struct test_case {
	const char *name;
	void (*run)(void);
};

/* `cases` ends with a null name. Returns the exit status. */
int harness_run(const char *suite, const struct test_case *cases);

/* Folder of the shared corpus, or null when BSONSCOPE_CORPUS is unset. */
const char *harness_corpus(void);

/* Prints why and exits 77. */
void harness_skip(const char *reason);

/*
 * Keeps memory until the program ends (and then frees it, so that leaks of the program itself stand out). Returns it.
 */
void *harness_keep(void *memory);

/*
 * A document from Extended JSON ('single quotes' are taken as double ones); kept until the program ends. Aborts on
 * bad text.
 */
struct value harness_json(const char *text);

/* One-line relaxed JSON of a value; kept until the program ends. */
const char *harness_text(struct value v);

/* The whole file, NUL-terminated, or null; free() it. */
char *harness_read_file(const char *path, size_t *size_bytes);

#define ASSERT_TEXT(actual, expected)                                                                   \
	do {                                                                                            \
		const char *actual_ = (actual), *expected_ = (expected);                                \
		if (strcmp(actual_, expected_))                                                         \
			fprintf(stderr, "%s:%d: got      %s\n%*s expected %s\n", __FILE__, __LINE__, actual_, \
			        (int)strlen(__FILE__) + 5, "", expected_);                              \
		CU_ASSERT_STRING_EQUAL(actual_, expected_);                                             \
	} while (0)

#endif
