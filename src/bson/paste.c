#include "bson/paste.h"

#include <ctype.h>
#include <string.h>

#include "bson/print.h"
#include "bson/read.h"
#include "bson/writer.h"

enum { PREFIX_LIMIT = 60, EXCERPT_BYTES = 60 };

/* Attempts at a document that fail are read again from the next brace on: not for ever. */
enum { FAILED_TIMES = 32, FAILED_LEAST = 1 << 20 };

struct line {
	const char *text;
	size_t size;
};

static bool next_line(const char **at, const char *end, struct line *line)
{
	const char *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	line->text = *at;
	line->size = (size_t)((newline ? newline + 1 : end) - *at);
	*at += line->size;
	return true;
}

static bool blank(const struct line *line)
{
	for (size_t i = 0; i < line->size; i++)
		if (!isspace((unsigned char)line->text[i]))
			return false;
	return true;
}

/* "mongo-1  | ": what `compose logs` writes before each line. 0: nothing of that kind. */
static size_t prefix_size(const struct line *line)
{
	size_t i = 0;

	while (i < line->size && i < PREFIX_LIMIT && !isspace((unsigned char)line->text[i]) && !strchr("{}[]\"'", line->text[i]))
		i++;
	while (i > 0 && i < line->size && i < PREFIX_LIMIT && line->text[i] == ' ')
		i++;
	return i > 0 && i + 1 < line->size && line->text[i] == '|' && line->text[i - 1] == ' ' ? i + 1 : 0;
}

static bool every_line_is_prefixed(const char *text, const char *end)
{
	struct line line;
	size_t count = 0;

	while (next_line(&text, end, &line))
		if (!blank(&line) && (count++, !prefix_size(&line)))
			return false;
	return count > 0;
}

/* A line with nothing but "|": what a table's cells leave behind when they are copied. */
static bool is_cell_border(const struct line *line)
{
	size_t bars = 0;

	for (size_t i = 0; i < line->size; i++)
		if (line->text[i] == '|')
			bars++;
		else if (!isspace((unsigned char)line->text[i]))
			return false;
	return bars == 1;
}

/* {"t":{"$date": a line of the server's log. */
static bool begins_log_record(const struct line *line)
{
	static const char start[] = "{\"t\":";
	const char *brace = memchr(line->text, '{', line->size);

	return brace && (size_t)(line->text + line->size - brace) >= sizeof start - 1 && !memcmp(brace, start, sizeof start - 1);
}

/*
 * Without containers' names, and with log records, which are one line each, on one line again: what wrapped them broke
 * words and numbers too.
 */
static void clean(const char *text, const char *end, struct bytes *out)
{
	bool prefixed = every_line_is_prefixed(text, end), in_record = false;
	struct line line;

	while (next_line(&text, end, &line)) {
		size_t skipped = prefixed ? prefix_size(&line) : 0;
		struct line rest = { line.text + skipped, line.size - skipped };
		bool begins = begins_log_record(&rest);

		if (is_cell_border(&rest))
			continue;
		if (in_record && !begins && !blank(&line))
			while (out->size && strchr("\r\n", out->data[out->size - 1]))
				out->size--;
		in_record = begins || (in_record && !blank(&line));
		bytes_append(out, rest.text, rest.size);
	}
}

/* Ends after a terminal's colour command, ESC [ 3 2 m; 0: there is none. */
static size_t colour_size(const char *text, const char *end)
{
	const char *c = text + 2;

	if (end - text < 3 || text[0] != '\x1b' || text[1] != '[')
		return 0;
	while (c < end && (isdigit((unsigned char)*c) || *c == ';'))
		c++;
	return c < end ? (size_t)(c + 1 - text) : 0;
}

/* “ and ” of a web page that has no other quotes. */
static size_t curly_size(const char *text, const char *end)
{
	return end - text >= 3 && (!memcmp(text, "\xe2\x80\x9c", 3) || !memcmp(text, "\xe2\x80\x9d", 3)) ? 3 : 0;
}

/* Without what a terminal or a web page did to the text. */
static void undress(struct bytes *text)
{
	const char *at = (const char *)text->data, *end = at + text->size;
	bool plain = memchr(at, '"', text->size) != NULL;
	uint8_t *out = text->data;
	size_t size;

	if (plain && !memchr(at, '\x1b', text->size))
		return;
	while (at < end)
		if ((size = colour_size(at, end)) > 0) {
			at += size;
		} else if (!plain && (size = curly_size(at, end)) > 0) {
			*out++ = '"';
			at += size;
		} else {
			*out++ = (uint8_t)*at++;
		}
	text->size = (size_t)(out - text->data);
}

void paste_init(struct paste *p, const char *name, const char *text, size_t size_bytes)
{
	*p = (struct paste){ .name = name, .line = 1 };
	if (size_bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		size_bytes -= 3;
	}
	bytes_reserve(&p->text, size_bytes + 1);
	clean(text, text + size_bytes, &p->text);
	undress(&p->text);
}

void paste_clear(struct paste *p)
{
	bytes_clear(&p->text);
	bytes_clear(&p->error);
}

/* `"winningPlan": ` or `winningPlan: ` just before the brace. */
static struct key label_before(const char *text, const char *brace)
{
	static const struct key none = { "", 0 };
	const char *end = brace, *start;
	char quote = 0;

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (end == text || *--end != ':')
		return none;
	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end > text && strchr("\"'", end[-1]))
		quote = *--end;
	for (start = end; start > text && end - start < PREFIX_LIMIT &&
	                  (isalnum((unsigned char)start[-1]) || strchr("_$", start[-1]));)
		start--;
	if (start == end || (quote && (start == text || start[-1] != quote)))
		return none;
	return (struct key){ start, (uint32_t)(end - start) };
}

static void wrap(struct bytes *bson, struct key label)
{
	struct bytes whole = BYTES_INIT;
	struct value inner;
	struct writer w;

	if (!value_document(&inner, bson->data, bson->size))
		return;
	writer_begin(&w, &whole);
	writer_value(&w, label, inner);
	writer_finish(&w);
	bytes_clear(bson);
	*bson = whole;
}

static void remember_error(struct paste *p, const struct reader *r, const bson_error_t *error)
{
	size_t reach = (size_t)(r->at - r->text);
	const char *end = memchr(r->line_start, '\n', (size_t)(r->end - r->line_start));
	size_t size = (size_t)((end ? end : r->end) - r->line_start), column = (size_t)(r->at - r->line_start);
	size_t from = column > EXCERPT_BYTES ? column - EXCERPT_BYTES : 0;

	if (p->error.size && reach <= p->error_reach)
		return;
	p->error_reach = reach;
	bytes_reset(&p->error);
	bytes_format(&p->error, "%s, in: %s", error->message, from ? "…" : "");
	while (from < size && (isspace((unsigned char)r->line_start[from]) || (r->line_start[from] & 0xc0) == 0x80))
		from++;
	print_text(&p->error, r->line_start + from, size - from < 2 * EXCERPT_BYTES ? size - from : 2 * EXCERPT_BYTES);
}

static void move_to(struct paste *p, size_t at)
{
	const uint8_t *text = p->text.data, *newline;

	for (; p->at < at && (newline = memchr(text + p->at, '\n', at - p->at)); p->line++)
		p->at = p->line_start = (size_t)(newline - text) + 1;
	p->at = at;
}

static struct reader reader_at(const struct paste *p)
{
	const char *text = (const char *)p->text.data;
	struct reader r;

	reader_init(&r, p->name, text, p->text.size);
	r.notation = READER_PASTE;
	r.at = text + p->at;
	r.line = p->line;
	r.line_start = text + p->line_start;
	return r;
}

/* Inside a larger document that could not be read: the brace that it began with has not been closed yet. */
static bool stands_inside(const char *failed, const char *brace)
{
	size_t open = 0;

	for (const char *c = failed; c && c < brace; c++)
		if (*c == '{')
			open++;
		else if (*c == '}' && open)
			open--;
	return open > 0;
}

bool paste_next(struct paste *p, struct paste_document *d)
{
	const char *text = (const char *)p->text.data, *brace;
	bson_error_t error;

	*d = (struct paste_document){ .bson = BYTES_INIT };
	while (p->at < p->text.size && p->failed_bytes <= FAILED_LEAST + FAILED_TIMES * p->text.size &&
	       (brace = memchr(text + p->at, '{', p->text.size - p->at))) {
		struct key label = label_before(text, brace);
		struct reader r;

		move_to(p, (size_t)(brace - text));
		r = reader_at(p);
		d->line = p->line;
		if (reader_document(&r, &d->bson, &error)) {
			move_to(p, (size_t)(r.at - text));
			d->incomplete = r.incomplete || stands_inside(p->failed, brace);
			p->failed = NULL;
			if (label.size_bytes)
				wrap(&d->bson, label);
			return true;
		}
		remember_error(p, &r, &error);
		p->failed = p->failed ? p->failed : brace;
		p->failed_bytes += (size_t)(r.at - brace) + 1;
		move_to(p, p->at + 1);
	}
	bytes_clear(&d->bson);
	return false;
}

bool paste_fail(const struct paste *p, bson_error_t *error)
{
	if (p->error.size)
		return error_set(error, ERROR_INPUT, 1, "%.*s", (int)p->error.size, (const char *)p->error.data);
	return error_set(error, ERROR_INPUT, 1, "%s: no document in it: expected {", p->name);
}
