#include "bson/skim.h"

#include <stdlib.h>
#include <string.h>

static const struct span none = { NULL, 0 };

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
		at++;
	return at;
}

/* From the opening quote to after the closing one; null: there is none. */
static const char *after_string(const char *at, const char *end)
{
	const char *start = ++at;

	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		const char *before = at;

		while (before > start && before[-1] == '\\')
			before--;
		at++;
		if ((at - 1 - before) % 2 == 0) /* an even number of backslashes escapes themselves */
			return at;
	}
	return NULL;
}

/* Brackets are counted, not matched: that is the reader's business. */
static const char *after_brackets(const char *at, const char *end)
{
	size_t depth = 0;

	while (at < end)
		switch (*at) {
		case '"':
			at = after_string(at, end);
			if (!at)
				return NULL;
			break;
		case '{': case '[':
			depth++;
			at++;
			break;
		case '}': case ']':
			at++;
			if (--depth == 0)
				return at;
			break;
		default:
			at++;
		}
	return NULL;
}

static const char *after_word(const char *at, const char *end)
{
	while (at < end && !strchr(",}] \t\r\n", *at))
		at++;
	return at;
}

static const char *after_value(const char *at, const char *end)
{
	return *at == '"' ? after_string(at, end) : *at == '{' || *at == '[' ? after_brackets(at, end) : after_word(at, end);
}

bool skim_enter(struct skim *s, struct span value)
{
	const char *end = value.text ? value.text + value.size_bytes : NULL, *at = skip_space(value.text, end);

	if (at == end || (*at != '{' && *at != '['))
		return false;
	*s = (struct skim){ at + 1, end, *at == '[' };
	return true;
}

bool skim_next(struct skim *s, struct skim_field *f)
{
	const char *at = skip_space(s->at, s->end), *start;

	if (at < s->end && *at == ',')
		at = skip_space(at + 1, s->end);
	f->name = none;
	if (!s->array) {
		if (at >= s->end || *at != '"')
			return false;
		start = at;
		at = after_string(at, s->end);
		if (!at)
			return false;
		f->name = (struct span){ start + 1, (size_t)(at - start) - 2 };
		at = skip_space(at, s->end);
		if (at >= s->end || *at != ':')
			return false;
		at = skip_space(at + 1, s->end);
	}
	if (at >= s->end || *at == ']' || *at == '}')
		return false;
	start = at;
	at = after_value(at, s->end);
	if (!at || at == start)
		return false;
	f->value = (struct span){ start, (size_t)(at - start) };
	s->at = at;
	return true;
}

bool span_equals(struct span s, const char *text)
{
	return s.size_bytes == strlen(text) && !memcmp(s.text, text, s.size_bytes);
}

struct span skim_get(struct span document, const char *name)
{
	struct skim s;
	struct skim_field f;

	if (!skim_enter(&s, document) || s.array)
		return none;
	while (skim_next(&s, &f))
		if (span_is(f.name, name))
			return f.value;
	return none;
}

struct span skim_string(struct span value)
{
	if (!value.text || value.size_bytes < 2 || *value.text != '"')
		return none;
	return (struct span){ value.text + 1, value.size_bytes - 2 };
}

bool skim_integer(struct span value, int64_t *n)
{
	char text[32], *end;
	struct skim s;
	struct skim_field f;
	double d;

	if (value.text && *value.text == '{')
		value = skim_enter(&s, value) && skim_next(&s, &f) && f.name.size_bytes > 7 && !memcmp(f.name.text, "$number", 7)
			? skim_string(f.value)
			: none;
	if (!value.text || !value.size_bytes || value.size_bytes >= sizeof text)
		return false;
	memcpy(text, value.text, value.size_bytes);
	text[value.size_bytes] = 0;
	*n = strtoll(text, &end, 10);
	if (!*end && end > text)
		return true;
	d = strtod(text, &end);
	if (*end || end == text || !(d > -9e15 && d < 9e15) || d != (double)(int64_t)d)
		return false;
	*n = (int64_t)d;
	return true;
}
