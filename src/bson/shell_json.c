#include "bson/shell_json.h"

#include <string.h>

#include "bson/print.h"
#include "bson/read.h"
#include "bson/read_wrapper.h"
#include "bson/writer.h"

struct conversion {
	const char *at, *end;
	struct bytes *out;
	struct bytes value; /* one that the reader has read */
};

static bool convert_value(struct conversion *c, int depth);

static bool next_is(struct conversion *c, char wanted)
{
	while (c->at < c->end && *c->at == ' ')
		c->at++;
	if (c->at >= c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool ends_word(const struct conversion *c, const char *at)
{
	return at < c->end && (*at == ',' || *at == ' ' || *at == '}' || *at == ']');
}

static void take(struct conversion *c, const char *end)
{
	bytes_append(c->out, c->at, (size_t)(end - c->at));
	c->at = end;
}

static bool is_name_byte(char b)
{
	return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_' || b == '$' || b == '.' ||
	       b == '-';
}

/* {$oid: …} is a value and not a document. */
static bool begins_wrapper(const char *name, size_t size)
{
	char text[32];

	if (*name != '$' || size >= sizeof text)
		return false;
	memcpy(text, name, size);
	text[size] = 0;
	return read_wrapper_find(text) != NULL;
}

static bool convert_name(struct conversion *c, bool first)
{
	const char *start;

	while (c->at < c->end && *c->at == ' ')
		c->at++;
	for (start = c->at; c->at < c->end && is_name_byte(*c->at);)
		c->at++;
	if (c->at == start || (first && begins_wrapper(start, (size_t)(c->at - start))))
		return false;
	bytes_append_byte(c->out, '"');
	bytes_append(c->out, start, (size_t)(c->at - start));
	bytes_append(c->out, "\": ", 3);
	return next_is(c, ':');
}

static bool convert_nested(struct conversion *c, char close, int depth)
{
	bool first = true;

	if (depth >= VALUE_DEPTH_LIMIT)
		return false;
	bytes_append_byte(c->out, (uint8_t)*c->at++);
	if (!next_is(c, close))
		for (;; first = false) {
			if ((close == '}' && !convert_name(c, first)) || !convert_value(c, depth + 1))
				return false;
			if (next_is(c, close))
				break;
			if (!next_is(c, ','))
				return false;
			bytes_append(c->out, ", ", 2);
		}
	bytes_append_byte(c->out, (uint8_t)close);
	return true;
}

/* A string without escapes and without bytes that are printed otherwise. */
static bool take_plain_text(struct conversion *c)
{
	const char *at = c->at + 1;

	while (at < c->end && *at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
		at++;
	if (at >= c->end || *at != '"')
		return false;
	take(c, at + 1);
	return true;
}

static bool take_plain_integer(struct conversion *c)
{
	enum { DIGITS = 18 };
	const char *at = c->at + (*c->at == '-'), *first = at;

	while (at < c->end && *at >= '0' && *at <= '9')
		at++;
	if (at == first || at - first > DIGITS || !ends_word(c, at) || (*first == '0' && at - c->at > 1))
		return false;
	take(c, at);
	return true;
}

static bool take_word(struct conversion *c)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t size = strlen(words[i]);

		if (*c->at == *words[i] && (size_t)(c->end - c->at) > size && !memcmp(c->at, words[i], size) &&
		    ends_word(c, c->at + size)) {
			take(c, c->at + size);
			return true;
		}
	}
	return false;
}

/* ObjectId('…'), new Date(…), 1.5 and all others. */
static bool convert_by_reader(struct conversion *c)
{
	struct writer w;
	struct reader r;
	struct walk walk;
	struct field f;

	reader_init(&r, "log", c->at, (size_t)(c->end - c->at));
	r.notation = READER_PASTE;
	bytes_reset(&c->value);
	writer_begin(&w, &c->value);
	if (!reader_value(&r, &w, key_of(""), NULL) || r.incomplete)
		return false;
	walk_begin(&walk, writer_finish(&w));
	if (!walk_next(&walk, &f))
		return false;
	print_value(c->out, f.value, &(struct print_options){ .form = PRINT_RELAXED });
	c->at = r.at;
	return true;
}

static bool convert_value(struct conversion *c, int depth)
{
	while (c->at < c->end && *c->at == ' ')
		c->at++;
	if (c->at >= c->end)
		return false;
	switch (*c->at) {
	case '{': return convert_nested(c, '}', depth);
	case '[': return convert_nested(c, ']', depth);
	case '"': return take_plain_text(c) || convert_by_reader(c);
	default: return take_plain_integer(c) || take_word(c) || convert_by_reader(c);
	}
}

bool shell_as_json(struct bytes *out, struct span document)
{
	struct conversion c = { document.text, document.text + document.size_bytes, out, BYTES_INIT };
	size_t size = out->size;
	bool good = document.size_bytes && *document.text == '{' && convert_value(&c, 0) && c.at == c.end;

	bytes_clear(&c.value);
	if (!good)
		out->size = size;
	return good;
}
