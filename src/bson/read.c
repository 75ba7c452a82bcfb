#include "bson/read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "bson/read_shell.h"
#include "bson/read_wrapper.h"
#include "bson/writer.h"

void reader_init(struct reader *r, const char *name, const char *text, size_t size_bytes)
{
	*r = (struct reader){ .name = name, .text = text, .at = text, .end = text + size_bytes, .line = 1, .line_start = text };
	if (size_bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r->at += 3; /* byte order mark */
}

/* What a comment, a remark, a space of other writing or the dots of a paste begin with. */
static bool begins_shell_space(char c)
{
	return c == '/' || c == '.' || c == '#' || c == '<' || c == '`' || c == '\f' || c == '\v' || (unsigned char)c == 0xc2 ||
	       (unsigned char)c == 0xe2;
}

static void skip_space(struct reader *r)
{
	do
		for (; r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'); r->at++)
			if (*r->at == '\n')
				reader_count_line(r);
	while (r->notation != READER_JSON && r->at < r->end && begins_shell_space(*r->at) && reader_skip_shell_space(r));
}

void reader_count_line(struct reader *r)
{
	r->line++;
	r->line_start = r->at + 1;
}

void reader_go_back(struct reader *r, const char *at)
{
	for (; r->line_start > at; r->line--)
		for (r->line_start--; r->line_start > r->text && r->line_start[-1] != '\n';)
			r->line_start--;
	r->at = at;
}

bool reader_at_end(struct reader *r)
{
	skip_space(r);
	return r->at >= r->end;
}

bool reader_fail_at(struct reader *r, const char *at, const char *what, bson_error_t *error)
{
	return error_set(error, ERROR_INPUT, 1, "%s:%u:%d: %s", r->name, r->line, (int)(at - r->line_start) + 1, what);
}

bool reader_expected(struct reader *r, const char *what, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	const char *end = r->at;
	bool result;

	while (end < r->end && end - r->at < 16 && (end == r->at || !strchr(" \t\r\n,:{}[]\"", *end)) &&
	       (end == r->at || !strchr(",:{}[]", *r->at)))
		end++;
	bytes_format(&text, "expected %s, found ", what);
	if (r->at >= r->end) {
		bytes_append_text(&text, "the end");
	} else {
		bytes_append_byte(&text, '\'');
		print_text(&text, r->at, (size_t)(end - r->at));
		bytes_append_byte(&text, '\'');
	}
	result = reader_fail_at(r, r->at, bytes_text(&text), error);
	bytes_clear(&text);
	return result;
}

bool reader_take(struct reader *r, char c, bson_error_t *error)
{
	char what[4] = { '\'', c, '\'', 0 };

	skip_space(r);
	if (r->at >= r->end && r->notation == READER_PASTE)
		return r->incomplete = true;
	if (r->at >= r->end || *r->at != c)
		return reader_expected(r, what, error);
	r->at++;
	return true;
}

bool reader_next_is(struct reader *r, char c)
{
	skip_space(r);
	if (r->at >= r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool hex4(struct reader *r, unsigned *code)
{
	*code = 0;
	if (r->end - r->at < 4)
		return false;
	for (int i = 0; i < 4; i++, r->at++) {
		char c = *r->at;
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (digit < 0)
			return false;
		*code = *code << 4 | (unsigned)digit;
	}
	return true;
}

static void append_utf8(struct bytes *out, unsigned code)
{
	if (code < 0x80) {
		bytes_append_byte(out, (uint8_t)code);
	} else if (code < 0x800) {
		bytes_append_byte(out, (uint8_t)(0xc0 | code >> 6));
		bytes_append_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
	} else if (code < 0x10000) {
		bytes_append_byte(out, (uint8_t)(0xe0 | code >> 12));
		bytes_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
		bytes_append_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
	} else {
		bytes_append_byte(out, (uint8_t)(0xf0 | code >> 18));
		bytes_append_byte(out, (uint8_t)(0x80 | (code >> 12 & 0x3f)));
		bytes_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3f)));
		bytes_append_byte(out, (uint8_t)(0x80 | (code & 0x3f)));
	}
}

/* After a backslash. */
bool reader_escape(struct reader *r, struct bytes *out, bson_error_t *error)
{
	static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *start = r->at - 1, *name = r->at < r->end && *r->at ? strchr(names, *r->at) : NULL;
	unsigned code, low;

	if (name) {
		bytes_append_byte(out, (uint8_t)meanings[name - names]);
		r->at++;
		return true;
	}
	if (r->at >= r->end || *r->at != 'u')
		return reader_fail_at(r, start, "unknown escape in a string", error);
	r->at++;
	if (!hex4(r, &code))
		return reader_fail_at(r, start, "\\u wants four hexadecimal digits", error);
	if (code >= 0xd800 && code < 0xdc00) {
		if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
			return reader_fail_at(r, start, "half of a surrogate pair", error);
		r->at += 2;
		if (!hex4(r, &low) || low < 0xdc00 || low >= 0xe000)
			return reader_fail_at(r, start, "half of a surrogate pair", error);
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	} else if (code >= 0xdc00 && code < 0xe000) {
		return reader_fail_at(r, start, "half of a surrogate pair", error);
	}
	append_utf8(out, code);
	return true;
}

bool reader_string(struct reader *r, struct bytes *out, bson_error_t *error)
{
	const char *start;

	skip_space(r);
	if (r->notation != READER_JSON)
		return reader_shell_string(r, out, error);
	start = r->at;
	if (r->at >= r->end || *r->at != '"')
		return reader_expected(r, "a string", error);
	r->at++;
	while (r->at < r->end && *r->at != '"') {
		const char *run = r->at;

		while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= 0x20)
			r->at++;
		bytes_append(out, run, (size_t)(r->at - run));
		if (r->at < r->end && (unsigned char)*r->at < 0x20)
			return reader_fail_at(r, r->at, "control character in a string", error);
		if (r->at < r->end && *r->at == '\\') {
			r->at++;
			if (!reader_escape(r, out, error))
				return false;
		}
	}
	if (r->at >= r->end)
		return reader_fail_at(r, start, "string without an end", error);
	r->at++;
	return true;
}

bool reader_name(struct reader *r, struct bytes *out, bson_error_t *error)
{
	const char *start;

	skip_space(r);
	start = r->at;
	if (r->notation == READER_JSON && r->at < r->end && *r->at != '"')
		return reader_expected(r, "a field name in double quotes", error);
	if (!(r->notation == READER_JSON ? reader_string(r, out, error) : reader_shell_name(r, out, error)))
		return false;
	if (out->size && memchr(out->data, 0, out->size))
		return reader_fail_at(r, start, "a field name cannot hold a zero byte", error);
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Most numbers are whole, and short enough to need no care. False: it is another, or none. */
static bool read_plain_integer(struct reader *r, struct writer *w, struct key key)
{
	enum { DIGITS = 18 };
	const char *at = r->at + (r->at < r->end && *r->at == '-'), *first = at;
	int64_t n = 0;

	for (; at < r->end && at - first < DIGITS && is_digit(*at); at++)
		n = n * 10 + (*at - '0');
	if (at == first || *first == '0' || (at < r->end && memchr("+-.eE0123456789", *at, 15)))
		return false;
	reader_write_integer(w, key, first > r->at ? -n : n);
	r->at = at;
	return true;
}

bool reader_number(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	char text[64];
	const char *start = r->at;
	size_t length = 0;
	bool whole = true;
	char *end;
	long long n;
	double d;

	if (read_plain_integer(r, w, key))
		return true;
	while (r->at + length < r->end && length < sizeof text - 1 && r->at[length] && strchr("+-.0123456789eE", r->at[length])) {
		text[length] = r->at[length];
		whole = whole && !strchr(".eE", text[length]);
		length++;
	}
	text[length] = 0;
	if (length == sizeof text - 1)
		return reader_fail_at(r, start, "number too long", error);
	d = strtod(text, &end);
	if (*end || !length || (r->notation == READER_JSON && (text[0] == '+' || text[0] == '.' || end[-1] == '.')))
		return reader_expected(r, "a value", error);
	if (text[text[0] == '-'] == '0' && text[(text[0] == '-') + 1] >= '0' && text[(text[0] == '-') + 1] <= '9')
		return reader_fail_at(r, start, "a number cannot begin with a zero", error);
	r->at += length;
	errno = 0;
	n = strtoll(text, NULL, 10);
	if (!whole || errno == ERANGE || !strcmp(text, "-0"))
		reader_write_double(w, key, d);
	else
		reader_write_integer(w, key, n);
	return true;
}

bool reader_word(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	static const struct {
		const char *word;
		uint8_t type, payload;
		size_t size_bytes;
	} words[] = { { "true", BSON_TYPE_BOOL, 1, 1 }, { "false", BSON_TYPE_BOOL, 0, 1 }, { "null", BSON_TYPE_NULL, 0, 0 } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i].word);

		if ((size_t)(r->end - r->at) >= length && !memcmp(r->at, words[i].word, length)) {
			writer_raw(w, key, words[i].type, &words[i].payload, words[i].size_bytes);
			r->at += length;
			return true;
		}
	}
	return reader_expected(r, "a value", error);
}

static bool read_fields(struct reader *r, struct writer *w, struct bytes *name, bson_error_t *error);

/* Takes the end of a document or array; a paste may end before it. */
static bool closes(struct reader *r, char end)
{
	skip_space(r);
	if (r->at >= r->end && r->notation == READER_PASTE)
		return r->incomplete = true;
	return reader_next_is(r, end);
}

/* The shells take a comma after the last one too. */
static bool closes_after_comma(struct reader *r, char end)
{
	return r->notation != READER_JSON && closes(r, end);
}

/* False: what a paste has there is some other release's notation; it is read as an ordinary document. */
static bool read_wrapped(struct reader *r, const struct read_wrapper *wrapper, struct writer *w, struct key key, bool *ok,
                         bson_error_t *error)
{
	struct reader before = *r;
	struct writer_frame frame = w->frames[w->depth - 1];
	size_t size = w->out->size;

	*ok = reader_take(r, ':', error) && wrapper->read(r, w, key, error) && reader_take(r, '}', error);
	if (*ok || r->notation != READER_PASTE)
		return true;
	*r = before;
	w->frames[w->depth - 1] = frame;
	w->out->size = size;
	return false;
}

/* After '{': a wrapper such as {"$oid": …} or a document. */
static bool read_object(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes name = BYTES_INIT;
	bool ok;

	if (closes(r, '}')) {
		writer_begin_document(w, key);
		writer_end(w);
		return true;
	}
	ok = reader_name(r, &name, error);
	if (ok) {
		const struct read_wrapper *wrapper = read_wrapper_find(bytes_text(&name));

		if (!wrapper || !read_wrapped(r, wrapper, w, key, &ok, error)) {
			writer_begin_document(w, key);
			ok = read_fields(r, w, &name, error);
			writer_end(w);
		}
	}
	bytes_clear(&name);
	return ok;
}

/* What was left out of an array since it had `gaps`. */
static void write_gap(struct reader *r, struct writer *w, size_t gaps)
{
	if (r->gaps != gaps)
		writer_raw(w, key_of(""), BSON_TYPE_UNDEFINED, NULL, 0);
}

/* From an element's end: to the next one, or out of the array. */
static bool next_element(struct reader *r, struct writer *w, bool *more, bson_error_t *error)
{
	size_t gaps = r->gaps;
	bool ok = true;

	if (reader_next_is(r, ',')) {
		*more = !closes_after_comma(r, ']');
	} else {
		*more = false;
		ok = reader_take(r, ']', error);
	}
	write_gap(r, w, gaps);
	return ok;
}

/* "Object: null prototype] {": a class's name stood before the document. */
static bool read_left_out(struct reader *r, struct writer *w, struct key key, bool *ok, bson_error_t *error)
{
	bool incomplete = r->incomplete;

	if (r->notation != READER_PASTE || !reader_skip_left_out(r))
		return false;
	*ok = true;
	if (!reader_next_is(r, '{')) {
		writer_raw(w, key, BSON_TYPE_UNDEFINED, NULL, 0);
		return true;
	}
	r->incomplete = incomplete;
	*ok = read_object(r, w, key, error);
	return true;
}

static bool read_array(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	size_t gaps = r->gaps;
	bool ok = true, more;

	if (read_left_out(r, w, key, &ok, error))
		return ok;
	writer_begin_array(w, key);
	more = !closes(r, ']');
	write_gap(r, w, gaps);
	while (ok && more)
		ok = reader_value(r, w, key_of(""), error) && next_element(r, w, &more, error);
	writer_end(w);
	return ok;
}

/* Straight to its place; its length is known afterwards. */
static bool read_text(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	static const uint8_t room[4] = { 0 };
	uint32_t size;
	size_t start;

	writer_raw(w, key, BSON_TYPE_UTF8, room, sizeof room);
	start = w->out->size;
	if (!reader_string(r, w->out, error))
		return false;
	bytes_append_byte(w->out, 0);
	size = BSON_UINT32_TO_LE((uint32_t)(w->out->size - start));
	memcpy(w->out->data + start - sizeof room, &size, sizeof size);
	return true;
}

static bool read_value(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	if (w->depth >= VALUE_DEPTH_LIMIT && (*r->at == '{' || *r->at == '['))
		return reader_fail_at(r, r->at, "nested deeper than 250 levels", error);
	switch (*r->at) {
	case '{': r->at++; return read_object(r, w, key, error);
	case '[': r->at++; return read_array(r, w, key, error);
	case '\'': case '`':
		if (r->notation == READER_JSON)
			return reader_expected(r, "a value", error);
		/* fall through */
	case '"':
		return read_text(r, w, key, error);
	default:
		if (r->notation != READER_JSON)
			return reader_shell_value(r, w, key, error);
		return *r->at == '-' || is_digit(*r->at) ? reader_number(r, w, key, error) : reader_word(r, w, key, error);
	}
}

static bool closes_itself(char first)
{
	return first == '{' || first == '[' || first == '"' || first == '\'' || first == '`';
}

/*
 * Where a paste ends inside a value, the value is left out: of a number that was cut off nobody knows the rest.
 */
bool reader_value(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct writer_frame frame = w->frames[w->depth - 1];
	size_t size = w->out->size;
	char first;

	skip_space(r);
	if (r->at >= r->end) {
		r->cut = false;
		return r->notation == READER_PASTE ? (r->incomplete = true) : reader_expected(r, "a value", error);
	}
	first = *r->at;
	if (!read_value(r, w, key, error))
		return false;
	if (r->notation == READER_PASTE && (r->cut || (r->at >= r->end && !closes_itself(first)))) {
		w->out->size = size;
		w->frames[w->depth - 1] = frame;
		r->incomplete = true;
		r->cut = false;
	}
	return true;
}

/* From after the first name (in `name`, which is used up) to after '}'. */
static bool read_fields(struct reader *r, struct writer *w, struct bytes *name, bson_error_t *error)
{
	for (;;) {
		if (!reader_take(r, ':', error) ||
		    !reader_value(r, w, (struct key){ (const char *)name->data, (uint32_t)name->size }, error))
			return false;
		if (!reader_next_is(r, ','))
			return reader_take(r, '}', error);
		if (closes_after_comma(r, '}'))
			return true;
		bytes_reset(name);
		if (!reader_name(r, name, error))
			return false;
	}
}

bool reader_document(struct reader *r, struct bytes *out, bson_error_t *error)
{
	size_t start = out->size;
	struct bytes name = BYTES_INIT;
	struct writer w;
	bool ok = reader_take(r, '{', error);

	if (ok) {
		writer_begin(&w, out);
		if (!closes(r, '}')) {
			bytes_reserve(&name, 1);
			ok = reader_name(r, &name, error) && read_fields(r, &w, &name, error);
		}
		if (ok)
			writer_finish(&w);
	}
	bytes_clear(&name);
	if (!ok)
		out->size = start;
	return ok;
}

static bool read_whole(struct reader *r, struct bytes *out, bson_error_t *error)
{
	size_t start = out->size;

	if (!reader_document(r, out, error))
		return false;
	if (reader_at_end(r))
		return true;
	out->size = start;
	return reader_expected(r, "the end after the document", error);
}

bool read_document(const char *name, const char *text, size_t size_bytes, struct bytes *out, bson_error_t *error)
{
	struct reader r;

	reader_init(&r, name, text, size_bytes);
	return read_whole(&r, out, error);
}

bool read_shell_document(const char *name, const char *text, size_t size_bytes, struct bytes *out, bson_error_t *error)
{
	struct reader r;

	reader_init(&r, name, text, size_bytes);
	r.notation = READER_SHELL;
	return read_whole(&r, out, error);
}

/* Skips one value of a text that is known to be well formed. */
static void skip_value(struct reader *r)
{
	int depth = 0;
	bool in_string = false;

	skip_space(r);
	for (; r->at < r->end; r->at++) {
		if (in_string) {
			if (*r->at == '\\')
				r->at++;
			else if (*r->at == '"')
				in_string = false;
		} else if (*r->at == '"') {
			in_string = true;
		} else if (*r->at == '{' || *r->at == '[') {
			depth++;
		} else if (*r->at == '}' || *r->at == ']') {
			if (depth-- == 0)
				return;
		} else if (*r->at == ',' && depth == 0) {
			return;
		} else if (*r->at == '\n') {
			r->line++;
			r->line_start = r->at + 1;
		}
	}
}

/* Moves to the value under `key` in the object or array that begins here. */
static bool enter(struct reader *r, const char *key)
{
	struct bytes name = BYTES_INIT;
	unsigned long position = 0;
	bool array, found = false;

	skip_space(r);
	array = r->at < r->end && *r->at == '[';
	if (r->at >= r->end || (!array && *r->at != '{'))
		return false;
	r->at++;
	do {
		if (array) {
			bytes_reset(&name);
			bytes_format(&name, "%lu", position++);
		} else {
			bytes_reset(&name);
			if (!reader_name(r, &name, NULL) || !reader_next_is(r, ':'))
				break;
		}
		found = !strcmp(bytes_text(&name), key);
		if (!found)
			skip_value(r);
	} while (!found && reader_next_is(r, ','));
	bytes_clear(&name);
	skip_space(r);
	return found;
}

unsigned read_line_of(const char *text, size_t size_bytes, const char *const *keys, size_t key_count)
{
	struct reader r;

	reader_init(&r, "", text, size_bytes);
	for (size_t i = 0; i < key_count; i++)
		if (!enter(&r, keys[i]))
			return 0;
	return r.line;
}
