#include "engine/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { STEP_LIMIT = 2000000, HEAP_LIMIT_KIB = 16384, PATTERN_LIMIT_BYTES = 32764 };

struct regex {
	pcre2_code *code;
	pcre2_match_data *found;
	pcre2_match_context *limits;
	uint32_t group_count;
	int last_result;
};

static bool options_parse(struct key options, uint32_t *flags, bson_error_t *error)
{
	static const struct { char letter; uint32_t flag; } known[] = {
		{ 'i', PCRE2_CASELESS }, { 'm', PCRE2_MULTILINE }, { 'x', PCRE2_EXTENDED }, { 's', PCRE2_DOTALL }, { 'u', 0 },
	};

	*flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
	for (uint32_t i = 0; i < options.size_bytes; i++) {
		size_t k = 0;

		while (k < sizeof known / sizeof *known && known[k].letter != options.bytes[i])
			k++;
		if (k == sizeof known / sizeof *known)
			return error_set(error, ERROR_SERVER, 51108, "invalid flag in regex options: %.*s",
			                 (int)options.size_bytes, options.bytes);
		*flags |= known[k].flag;
	}
	return true;
}

struct regex *regex_compile(struct key pattern, struct key options, bson_error_t *error)
{
	struct regex *r;
	uint32_t flags;
	int code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR reason[200];

	if (pattern.size_bytes && memchr(pattern.bytes, 0, pattern.size_bytes)) {
		error_set(error, ERROR_SERVER, CODE_BadValue, "Regular expression cannot contain an embedded null byte");
		return NULL;
	}
	if (options.size_bytes && memchr(options.bytes, 0, options.size_bytes)) {
		error_set(error, ERROR_SERVER, CODE_BadValue,
		          "Regular expression options string cannot contain an embedded null byte");
		return NULL;
	}
	if (pattern.size_bytes > PATTERN_LIMIT_BYTES) {
		error_set(error, ERROR_SERVER, 51091,
		          "Regular expression is invalid: regular expression is too large");
		return NULL;
	}
	if (!options_parse(options, &flags, error))
		return NULL;
	r = memory_allocate_zeroed(1, sizeof *r);
	r->code = pcre2_compile((PCRE2_SPTR)pattern.bytes, pattern.size_bytes, flags, &code, &offset, NULL);
	if (!r->code) {
		pcre2_get_error_message(code, reason, sizeof reason);
		error_set(error, ERROR_SERVER, 51091, "Regular expression is invalid: %s", (const char *)reason);
		free(r);
		return NULL;
	}
	pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE); /* when it cannot, matching is only slower */
	pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &r->group_count);
	r->found = pcre2_match_data_create_from_pattern(r->code, NULL);
	r->limits = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(r->limits, STEP_LIMIT);
	pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
	return r;
}

void regex_destroy(struct regex *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->limits);
	pcre2_match_data_free(r->found);
	pcre2_code_free(r->code);
	free(r);
}

enum regex_result regex_find(struct regex *r, struct key subject, size_t start)
{
	if (start > subject.size_bytes)
		return REGEX_NO_MATCH;
	r->last_result = pcre2_match(r->code, (PCRE2_SPTR)(subject.bytes ? subject.bytes : ""), subject.size_bytes, start, 0,
	                             r->found, r->limits);
	if (r->last_result >= 0)
		return REGEX_MATCH;
	return r->last_result == PCRE2_ERROR_NOMATCH ? REGEX_NO_MATCH : REGEX_FAILED;
}

enum regex_result regex_test(struct regex *r, struct key subject)
{
	return regex_find(r, subject, 0);
}

bool regex_group(const struct regex *r, size_t group, size_t *start, size_t *size_bytes)
{
	const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(r->found);

	if (r->last_result <= 0 || group >= (size_t)r->last_result || bounds[2 * group] == PCRE2_UNSET)
		return false;
	*start = bounds[2 * group];
	*size_bytes = bounds[2 * group + 1] < *start ? 0 : bounds[2 * group + 1] - *start;
	return true;
}

size_t regex_group_count(const struct regex *r)
{
	return r->group_count;
}

int regex_error_code(const struct regex *r)
{
	return r->last_result;
}
