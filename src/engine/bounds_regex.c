/* What strings a regular expression can match, from its literal beginning. */
#include <ctype.h>
#include <string.h>

#include "engine/bounds.h"

/* An unescaped | anywhere; one that only looks unescaped counts too. */
static bool has_alternatives(struct key text)
{
	for (uint32_t i = 0; i < text.size_bytes; i++) {
		bool escaped = i > 0 && text.bytes[i - 1] == '\\' && !(i > 1 && text.bytes[i - 2] == '\\');

		if (text.bytes[i] == '|' && !escaped)
			return true;
	}
	return false;
}

/* Steps over the anchor at the beginning; false when there is none that holds only at the beginning of the text. */
static bool skip_anchor(struct key *pattern, bool multiline)
{
	uint32_t size = pattern->size_bytes >= 2 && !memcmp(pattern->bytes, "\\A", 2) ? 2 :
	                pattern->size_bytes >= 1 && pattern->bytes[0] == '^' && !multiline ? 1 : 0;

	pattern->bytes += size;
	pattern->size_bytes -= size;
	return size > 0;
}

/* A character of several bytes goes as a whole. */
static void drop_last_character(struct bytes *literal)
{
	while (literal->size && (literal->data[literal->size - 1] & 0xc0) == 0x80)
		literal->size--;
	if (literal->size)
		literal->size--;
}

/* The literal characters after the anchor. *whole: the pattern is nothing else. */
static void read_literal(struct key pattern, bool extended, struct bytes *literal, bool *whole)
{
	const char *at = pattern.bytes, *end = at + pattern.size_bytes;

	*whole = false;
	while (at < end) {
		char c = *at++;

		if (c == '*' || c == '?' || c == '{') { /* the character before may be absent */
			drop_last_character(literal);
			return;
		}
		if (c == '\\' && at < end && *at == 'Q') {
			for (at++; at < end && !(end - at >= 2 && !memcmp(at, "\\E", 2)); at++)
				bytes_append_byte(literal, (uint8_t)*at);
			at += end - at >= 2 ? 2 : end - at;
		} else if (c == '\\') {
			if (at == end || isalnum((unsigned char)*at))
				return;
			bytes_append_byte(literal, (uint8_t)*at++);
		} else if (strchr("^$.[()+", c) || (extended && c == '#')) {
			return;
		} else if (!extended || !isspace((unsigned char)c)) {
			bytes_append_byte(literal, (uint8_t)c);
		}
	}
	*whole = literal->size > 0;
}

enum tightness bounds_build_regex(struct value regex, struct intervals *out, struct arena *a)
{
	struct bytes literal = BYTES_INIT;
	struct key pattern, options;
	bool multiline = false, extended = false, simple = true, whole = false;

	value_regex(regex, &pattern, &options);
	for (uint32_t i = 0; i < options.size_bytes; i++) {
		multiline |= options.bytes[i] == 'm';
		extended |= options.bytes[i] == 'x';
		simple &= options.bytes[i] == 'm' || options.bytes[i] == 'x' || options.bytes[i] == 's';
	}
	if (simple && skip_anchor(&pattern, multiline) && !has_alternatives(pattern))
		read_literal(pattern, extended, &literal, &whole);
	if (literal.size && literal.data[literal.size - 1] < 0xff) {
		struct value start = value_make_text(a, (const char *)literal.data, literal.size);

		literal.data[literal.size - 1]++;
		intervals_add(out, a, start, true, value_make_text(a, (const char *)literal.data, literal.size), false);
	} else {
		whole = false;
		intervals_add(out, a, (struct value){ (const uint8_t *)"\1\0\0\0", 5, BSON_TYPE_UTF8 }, true,
		              (struct value){ (const uint8_t *)"\5\0\0\0", 5, BSON_TYPE_DOCUMENT }, false);
	}
	bytes_clear(&literal);
	intervals_add_point(out, a, regex);
	return whole ? BOUNDS_EXACT : BOUNDS_INEXACT_COVERED;
}
