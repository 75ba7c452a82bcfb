/* Private to the reader of errors: one pattern's matches in a text. */
#ifndef BSONSCOPE_MODEL_WHY_MATCH_H
#define BSONSCOPE_MODEL_WHY_MATCH_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

/* What is searched: the text with its white space made single blanks, so that lines may be broken anywhere. */
struct search {
	const char *text;
	size_t size;
};

struct match {
	pcre2_code *code;
	pcre2_match_data *found;
	pcre2_match_context *limits;
	size_t from, to; /* of the last match */
};

/* The pattern is ours and right: caseless, names of groups may come more than once. */
void match_init(struct match *m, const char *pattern);
void match_clear(struct match *m);

/* The next match from there on; false too when looking for it takes too many steps. */
bool match_next(struct match *m, const struct search *s, size_t from);

/* A group's text; free(). Null when the pattern has none of that name, or it took no part or is empty. */
char *match_group(const struct match *m, const char *name);

/* "16,777,216"; false when there is no such number. */
bool match_number(const struct match *m, const char *name, int64_t *number);

#endif
