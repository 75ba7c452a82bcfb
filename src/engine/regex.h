/*
 * Regular expressions as MongoDB has them: PCRE2 over UTF-8, the options i m x s u. Compiled once; the number of
 * steps of one test is limited, so that no pattern hangs. Not for two threads at once: the engine's mutex is held.
 */
#ifndef BSONSCOPE_ENGINE_REGEX_H
#define BSONSCOPE_ENGINE_REGEX_H

#include "base/error.h"
#include "bson/value.h"

struct regex;

enum regex_result { REGEX_FAILED = -1, REGEX_NO_MATCH, REGEX_MATCH };

/*
 * Fails with code 51091 ("Regular expression is invalid: …"), 51108 (an unknown option) or BadValue (a NUL byte). The
 * caller owns the result.
 */
struct regex *regex_compile(struct key pattern, struct key options, bson_error_t *error);
void regex_destroy(struct regex *r);

/* Whether it is found anywhere in `subject`. REGEX_FAILED: the limit was reached; regex_error_code says which. */
enum regex_result regex_test(struct regex *r, struct key subject);

/*
 * As regex_test from `start` (bytes), and where: regex_group gives the bytes of a group, 0 being the whole match;
 * false when the group took no part. Good until the next test.
 */
enum regex_result regex_find(struct regex *r, struct key subject, size_t start);
bool regex_group(const struct regex *r, size_t group, size_t *start, size_t *size_bytes);

/* Groups in the pattern, without the whole match. */
size_t regex_group_count(const struct regex *r);

/* PCRE2's number of the last failure. */
int regex_error_code(const struct regex *r);

#endif
