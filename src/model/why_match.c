#include "model/why_match.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { STEP_LIMIT = 2000000 };

void match_clear(struct match *m)
{
	pcre2_match_data_free(m->found);
	pcre2_match_context_free(m->limits);
	pcre2_code_free(m->code);
}

void match_init(struct match *m, const char *pattern)
{
	int code;
	PCRE2_SIZE offset;

	m->code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_CASELESS | PCRE2_DUPNAMES, &code,
	                        &offset, NULL);
	assert(m->code); /* the patterns are ours */
	m->found = pcre2_match_data_create_from_pattern(m->code, NULL);
	m->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(m->limits, STEP_LIMIT);
}

bool match_next(struct match *m, const struct search *s, size_t from)
{
	if (from > s->size || pcre2_match(m->code, (PCRE2_SPTR)s->text, s->size, from, 0, m->found, m->limits) < 1)
		return false;
	m->from = pcre2_get_ovector_pointer(m->found)[0];
	m->to = pcre2_get_ovector_pointer(m->found)[1];
	return true;
}

char *match_group(const struct match *m, const char *name)
{
	PCRE2_UCHAR *text;
	PCRE2_SIZE size;
	char *copy;

	if (pcre2_substring_get_byname(m->found, (PCRE2_SPTR)name, &text, &size))
		return NULL;
	copy = size ? memory_duplicate_text((char *)text) : NULL;
	pcre2_substring_free(text);
	return copy;
}

bool match_number(const struct match *m, const char *name, int64_t *number)
{
	char *text = match_group(m, name), digits[24], *end;
	size_t length = 0;

	for (char *c = text; c && *c && length + 1 < sizeof digits; c++)
		if (*c != ',')
			digits[length++] = *c;
	digits[length] = 0;
	free(text);
	*number = strtoll(digits, &end, 10);
	return length && !*end;
}
