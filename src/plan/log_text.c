#include "plan/log_text.h"

#include <string.h>

#include "bson/print.h"
#include "bson/read.h"
#include "bson/shell_json.h"

struct scan {
	const char *at, *end;
};

/* Not isspace: that asks the locale, for each byte of a log. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\r'))
		s->at++;
}

static struct span word(struct scan *s)
{
	struct span w;

	skip_space(s);
	w.text = s->at;
	while (s->at < s->end && !is_space(*s->at))
		s->at++;
	w.size_bytes = (size_t)(s->at - w.text);
	return w;
}

/* "2018-03-28T15:34:44.104-0400 I COMMAND  [conn3291] " */
static bool skip_heading(struct scan *s)
{
	struct span date = word(s), level, context;

	if (date.size_bytes < 19 || date.text[4] != '-' || date.text[10] != 'T' || !is_digit(date.text[0]))
		return false;
	level = word(s);
	if (level.size_bytes == 1) /* before 3.0 there was no level and no component */
		word(s);
	else
		s->at = level.text;
	skip_space(s);
	if (s->at >= s->end || *s->at != '[')
		return false;
	context.text = memchr(s->at, ']', (size_t)(s->end - s->at));
	if (!context.text)
		return false;
	s->at = context.text + 1;
	return true;
}

/* The last word is the time: "369525ms". */
static bool read_millis(struct scan *s, struct log_record *r)
{
	const char *start;
	size_t digits;

	while (s->end > s->at && is_space(s->end[-1]))
		s->end--;
	if (s->end - s->at < 4 || memcmp(s->end - 2, "ms", 2))
		return false;
	for (start = s->end - 2; start > s->at && is_digit(start[-1]);)
		start--;
	digits = (size_t)(s->end - 2 - start);
	if (!digits || start == s->at || start[-1] != ' ')
		return false;
	log_record_set_figure(r, (struct span){ "durationMillis", 14 }, (struct span){ start, digits });
	s->end = start;
	return true;
}

/* From the opening quote to after the closing one, or to the end. */
static void skip_text(struct scan *s)
{
	while (++s->at < s->end && *s->at != '"')
		if (*s->at == '\\' && s->end - s->at > 1)
			s->at++;
	s->at += s->at < s->end;
}

/* From '{' to after its '}'; quotes of text are double. */
static struct span braces(struct scan *s)
{
	static const signed char levels[256] = { ['{'] = 1, ['['] = 1, ['}'] = -1, [']'] = -1 };
	struct span all = { s->at, 0 };
	size_t depth = 0;

	while (s->at < s->end) {
		signed char level = levels[(unsigned char)*s->at];

		if (*s->at == '"') {
			skip_text(s);
			continue;
		}
		s->at++;
		if (level && (depth += (size_t)level) == 0)
			break;
	}
	all.size_bytes = (size_t)(s->at - all.text);
	return all;
}

/* "IXSCAN { a: 1 }, IXSCAN { b: 1 }" or "COLLSCAN". */
static struct span plan_summary(struct scan *s)
{
	struct span all;

	skip_space(s);
	all.text = s->at;
	for (;;) {
		word(s);
		all.size_bytes = (size_t)(s->at - all.text);
		skip_space(s);
		if (s->at < s->end && *s->at == '{') {
			braces(s);
			all.size_bytes = (size_t)(s->at - all.text);
		}
		if (s->at >= s->end || *s->at != ',')
			return all;
		s->at++;
		skip_space(s);
	}
}

static struct span quoted(struct scan *s)
{
	const char *start = ++s->at, *end;

	while (s->at < s->end && *s->at != '"')
		s->at++;
	end = s->at;
	s->at += s->at < s->end;
	return (struct span){ start, (size_t)(end - start) };
}

/* As relaxed JSON in `scratch`; what cannot be read is not said. */
static struct span as_json(struct span text, struct bytes *scratch)
{
	struct bytes document = BYTES_INIT;
	struct span json = { NULL, 0 };
	struct reader r;
	struct value v;

	bytes_reset(scratch);
	if (shell_as_json(scratch, text))
		return (struct span){ (const char *)scratch->data, scratch->size };
	reader_init(&r, "log", text.text, text.size_bytes);
	r.notation = READER_PASTE;
	if (reader_document(&r, &document, NULL) && value_document(&v, document.data, document.size)) {
		print_value(scratch, v, &(struct print_options){ .form = PRINT_RELAXED });
		json = (struct span){ (const char *)scratch->data, scratch->size };
	}
	bytes_clear(&document);
	return json;
}

/* "name: value" or "name:value"; lone words say nothing to us. */
static void read_item(struct scan *s, struct bytes *scratch, struct log_record *r)
{
	struct span name = word(s), value;
	const char *colon = name.size_bytes ? memchr(name.text, ':', name.size_bytes) : NULL;

	if (!colon)
		return;
	s->at = colon + 1;
	name.size_bytes = (size_t)(colon - name.text);
	skip_space(s);
	if (span_is(name, "planSummary")) {
		r->plan_summary = plan_summary(s);
		return;
	}
	if (s->at < s->end && *s->at == '"') {
		value = quoted(s);
		if (span_is(name, "appName"))
			r->app_name = value;
		return;
	}
	if (span_is(name, "command") && s->at < s->end && *s->at != '{')
		word(s); /* the command's name, which its document begins with */
	skip_space(s);
	if (s->at < s->end && *s->at == '{') {
		value = braces(s);
		if (span_is(name, "command"))
			r->command = as_json(value, scratch);
		else if (span_is(name, "query") && !r->command.text)
			log_record_set_query(r, as_json(value, scratch));
		return;
	}
	value = word(s);
	log_record_set_figure(r, name, value);
}

bool log_text_read(struct span line, struct bytes *scratch, struct log_record *r)
{
	static const char *const operations[] = { "command", "query", "getmore", "insert", "update", "remove" };
	struct scan s = { line.text, line.text + line.size_bytes };
	struct span operation;
	size_t known = 0;

	if (line.size_bytes < 20 || !is_digit(*line.text) || !skip_heading(&s))
		return false;
	operation = word(&s);
	while (known < sizeof operations / sizeof *operations && !span_is(operation, operations[known]))
		known++;
	if (known == sizeof operations / sizeof *operations)
		return false;
	log_record_init(r, LOG_TEXT);
	if (!read_millis(&s, r))
		return false;
	r->type = operation;
	r->time = log_line_time(line);
	r->namespace_text = word(&s);
	while (s.at < s.end) {
		const char *before = s.at;

		read_item(&s, scratch, r);
		skip_space(&s);
		if (s.at == before)
			s.at++;
	}
	return true;
}
