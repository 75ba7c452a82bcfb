#include "bson/read_shell.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bson/read_constructor.h"

enum { ANGLES_LIMIT = 8 };

static bool starts(const struct reader *r, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(r->end - r->at) >= length && !memcmp(r->at, text, length);
}

static void skip_to(struct reader *r, const char *end)
{
	for (; r->at < end; r->at++)
		if (*r->at == '\n')
			reader_count_line(r);
}

/* The last byte before here that is no white space; 0 at the beginning. */
static char byte_before(const struct reader *r)
{
	const char *c = r->at;

	while (c > r->text && isspace((unsigned char)c[-1]))
		c--;
	return c > r->text ? c[-1] : 0;
}

/* "..." or "… 12 more items", with the comma that belongs to what was left out. */
static bool skip_dots(struct reader *r)
{
	bool comma = strchr(",{[", byte_before(r)) != NULL;
	const char *c;

	if (starts(r, "..."))
		for (r->at += 3; r->at < r->end && *r->at == '.';)
			r->at++;
	else if (starts(r, "\xe2\x80\xa6"))
		r->at += 3;
	else
		return false;
	r->incomplete = true;
	r->gaps++;
	for (c = r->at; c < r->end && (*c == ' ' || isdigit((unsigned char)*c)); c++)
		;
	if (r->end - c >= 9 && !memcmp(c, "more item", 9))
		for (r->at = c + 9; r->at < r->end && *r->at == 's'; r->at++)
			;
	for (c = r->at; c < r->end && isspace((unsigned char)*c); c++)
		;
	if (comma && c < r->end && *c == ',')
		skip_to(r, c + 1);
	return true;
}

/* What a person writes behind a value: "# the scan", "<-- here", "← here". */
static bool begins_remark(const struct reader *r)
{
	return r->notation == READER_PASTE && (starts(r, "#") || starts(r, "<-") || starts(r, "\xe2\x86\x90"));
}

bool reader_skip_shell_space(struct reader *r)
{
	if (starts(r, "//") || begins_remark(r)) {
		const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

		r->at = end ? end : r->end;
		return true;
	}
	if (r->notation == READER_PASTE && starts(r, "```")) { /* what was quoted ends here, whole or not */
		r->end = r->at;
		return false;
	}
	if (starts(r, "/*")) {
		const char *end = memmem(r->at + 2, (size_t)(r->end - r->at - 2), "*/", 2);

		skip_to(r, end ? end + 2 : r->end);
		return true;
	}
	if (r->at < r->end && (*r->at == '\f' || *r->at == '\v')) {
		r->at++;
		return true;
	}
	if (starts(r, "\xc2\xa0")) { /* a space of a web page */
		r->at += 2;
		return true;
	}
	return r->notation == READER_PASTE && skip_dots(r);
}

bool reader_skip_left_out(struct reader *r)
{
	static const char *const names[] = { "Object", "Array", "Circular", "Function" };
	const char *end;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (starts(r, names[i]) && (end = memchr(r->at, ']', (size_t)(r->end - r->at))) && end - r->at < 60) {
			r->at = end + 1;
			r->incomplete = true;
			return true;
		}
	return false;
}

/* Strings */

/* After a backslash: what Extended JSON's escapes are not. */
static bool take_escape(struct reader *r, struct bytes *out, bson_error_t *error)
{
	char digits[3] = "";
	uint8_t code;

	if (r->at >= r->end)
		return true;
	switch (*r->at) {
	case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': case 'u':
		return reader_escape(r, out, error);
	case '\r':
		r->at++;
		return true;
	case '\n': /* the string goes on in the next line */
		reader_count_line(r);
		r->at++;
		return true;
	case 'v':
		bytes_append_byte(out, '\v');
		break;
	case '0':
		bytes_append_byte(out, 0);
		break;
	case 'x':
		if (r->end - r->at < 3)
			return reader_fail_at(r, r->at - 1, "\\x wants two hexadecimal digits", error);
		memcpy(digits, r->at + 1, 2);
		if (!read_parse_hex(digits, &code, 1))
			return reader_fail_at(r, r->at - 1, "\\x wants two hexadecimal digits", error);
		if (code >= 0x80)
			bytes_append_byte(out, (uint8_t)(0xc0 | code >> 6));
		bytes_append_byte(out, code >= 0x80 ? (uint8_t)(0x80 | (code & 0x3f)) : code);
		r->at += 2;
		break;
	default:
		bytes_append_byte(out, (uint8_t)*r->at);
	}
	r->at++;
	return true;
}

/* A control byte inside quotes: a wrapped line of a paste goes on in the next. */
static bool take_control(struct reader *r, char quote, struct bytes *out, bson_error_t *error)
{
	char c = *r->at;

	if (r->notation != READER_PASTE && quote != '`' && c != '\t')
		return reader_fail_at(r, r->at, "control character in a string", error);
	if (quote == '`' || (c != '\n' && c != '\r'))
		bytes_append_byte(out, (uint8_t)c);
	if (c == '\n')
		reader_count_line(r);
	r->at++;
	return true;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static bool quoted(struct reader *r, struct bytes *out, bson_error_t *error)
{
	const char *start = r->at;
	char quote;

	if (r->at >= r->end || !is_quote(*r->at))
		return reader_expected(r, "a string", error);
	quote = *r->at++;
	while (r->at < r->end && *r->at != quote) {
		const char *run = r->at;

		while (r->at < r->end && *r->at != quote && *r->at != '\\' && (unsigned char)*r->at >= 0x20)
			r->at++;
		bytes_append(out, run, (size_t)(r->at - run));
		if (r->at >= r->end || *r->at == quote)
			continue;
		if (*r->at == '\\') {
			r->at++;
			if (!take_escape(r, out, error))
				return false;
		} else if (!take_control(r, quote, out, error)) {
			return false;
		}
	}
	if (r->at < r->end) {
		r->at++;
		return true;
	}
	r->cut = r->notation == READER_PASTE;
	return r->cut || reader_fail_at(r, start, "string without an end", error);
}

bool reader_shell_string(struct reader *r, struct bytes *out, bson_error_t *error)
{
	if (!quoted(r, out, error))
		return false;
	while (!r->cut && reader_next_is(r, '+')) {
		reader_at_end(r);
		if (!quoted(r, out, error))
			return false;
	}
	return true;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

bool reader_shell_name(struct reader *r, struct bytes *out, bson_error_t *error)
{
	const char *start = r->at;

	if (r->at < r->end && is_quote(*r->at))
		return quoted(r, out, error);
	while (r->at < r->end && is_word_byte(*r->at))
		r->at++;
	if (r->at == start)
		return reader_expected(r, "a field name", error);
	bytes_append(out, start, (size_t)(r->at - start));
	return true;
}

/* Values */

/* /pattern/flags */
static bool read_slashes(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes pattern = BYTES_INIT, options = BYTES_INIT;
	const char *start = r->at++;
	bool in_class = false, ok;

	for (; r->at < r->end && *r->at != '\n' && (in_class || *r->at != '/'); r->at++) {
		if (*r->at == '\\' && r->end - r->at > 1) {
			if (r->at[1] != '/') /* the slash needs its backslash only between slashes */
				bytes_append_byte(&pattern, '\\');
			r->at++;
		} else if (*r->at == '[' || *r->at == ']') {
			in_class = *r->at == '[';
		}
		bytes_append_byte(&pattern, (uint8_t)*r->at);
	}
	r->cut = r->at >= r->end && r->notation == READER_PASTE;
	ok = r->cut || (r->at < r->end && *r->at == '/') ||
	     reader_fail_at(r, start, "regular expression without an end", error);
	if (ok && !r->cut) {
		r->at++;
		while (r->at < r->end && isalpha((unsigned char)*r->at))
			bytes_append_byte(&options, (uint8_t)*r->at++);
		ok = reader_write_regex(r, w, key, &pattern, &options, error);
	}
	bytes_clear(&pattern);
	bytes_clear(&options);
	return ok;
}

static bool read_hexadecimal(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	const char *start = r->at;
	uint64_t n = 0;

	for (r->at += 2; r->at < r->end && isxdigit((unsigned char)*r->at) && n >> 59 == 0; r->at++)
		n = n << 4 | (uint64_t)(isdigit((unsigned char)*r->at) ? *r->at - '0' : (*r->at | 32) - 'a' + 10);
	if (r->at == start + 2 || (r->at < r->end && is_word_byte(*r->at)))
		return reader_fail_at(r, start, "not a hexadecimal number of at most 15 digits", error);
	reader_write_integer(w, key, (int64_t)n);
	return true;
}

static bool read_infinity(struct reader *r, struct writer *w, struct key key, bool negative)
{
	r->at += strlen("Infinity");
	reader_write_double(w, key, negative ? -HUGE_VAL : HUGE_VAL);
	return true;
}

static bool read_signed(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	bool negative = *r->at == '-';

	if ((*r->at == '-' || *r->at == '+') && r->end - r->at > 1) {
		r->at++;
		if (starts(r, "Infinity"))
			return read_infinity(r, w, key, negative);
		r->at -= negative;
	}
	if (starts(r, "0x") || starts(r, "0X"))
		return read_hexadecimal(r, w, key, error);
	if (!reader_number(r, w, key, error))
		return false;
	if (r->at < r->end && *r->at == 'n') /* a BigInt's mark */
		r->at++;
	return true;
}

/* Node's console prints dates without quotes, Mongoose's object identifiers too. */
static bool read_bare(struct reader *r, struct writer *w, struct key key)
{
	char text[32];
	size_t size = 0;
	uint8_t id[12];
	int64_t millis;

	while (r->at + size < r->end && size < sizeof text - 1 && (isalnum((unsigned char)r->at[size]) || strchr("-:.", r->at[size])) &&
	       r->at[size]) {
		text[size] = r->at[size];
		size++;
	}
	text[size] = 0;
	if (size == 2 * sizeof id && read_parse_hex(text, id, sizeof id))
		writer_raw(w, key, BSON_TYPE_OID, id, sizeof id);
	else if (size >= 20 && text[10] == 'T' && read_parse_date(text, &millis))
		writer_date(w, key, millis);
	else
		return false;
	r->at += size;
	return true;
}

/* Node's "<Buffer 0a 0b>" is left out; "<ref *1> {…}" is what follows. */
static bool read_angled(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	const char *end = memchr(r->at, '>', (size_t)(r->end - r->at));

	if (!end || memchr(r->at, '\n', (size_t)(end - r->at)))
		return reader_expected(r, "a value", error);
	r->at = end + 1;
	if (!reader_at_end(r) && strchr("{[", *r->at) && ++r->scopes <= ANGLES_LIMIT) {
		bool ok = reader_value(r, w, key, error);

		r->scopes--;
		return ok;
	}
	r->incomplete = true;
	writer_raw(w, key, BSON_TYPE_UNDEFINED, NULL, 0);
	return true;
}

bool reader_shell_value(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	static const struct {
		const char *word;
		uint8_t type;
	} words[] = {
		{ "undefined", BSON_TYPE_UNDEFINED },
		{ "MinKey", BSON_TYPE_MINKEY },
		{ "MaxKey", BSON_TYPE_MAXKEY },
	};

	if (*r->at == '/')
		return read_slashes(r, w, key, error);
	if (r->notation == READER_PASTE && *r->at == '<' && r->end - r->at > 1 && isalpha((unsigned char)r->at[1]))
		return read_angled(r, w, key, error);
	if (r->notation == READER_PASTE && read_bare(r, w, key))
		return true;
	if (isdigit((unsigned char)*r->at) || strchr("+-.", *r->at))
		return read_signed(r, w, key, error);
	if (starts(r, "Infinity"))
		return read_infinity(r, w, key, false);
	if (starts(r, "NaN")) {
		r->at += 3;
		reader_write_double(w, key, NAN);
		return true;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i].word);

		if (!starts(r, words[i].word) || (r->at + length < r->end && (is_word_byte(r->at[length]) || r->at[length] == '(')))
			continue;
		r->at += length;
		writer_raw(w, key, words[i].type, NULL, 0);
		return true;
	}
	return reader_constructor(r, w, key, error);
}
