#include "plan/log_record.h"

#include <stddef.h>
#include <string.h>

#include "plan/log_stats.h"
#include "plan/log_text.h"

static const struct {
	const char *log, *profile;
	size_t offset;
} figures[] = {
#define X(name, log, profile) { log, profile, offsetof(struct log_record, name) },
	LOG_FIGURES(X)
#undef X
};

/* Before 3.2; where both names stand, the newer one counts. */
static const struct {
	const char *name;
	size_t offset;
} older_figures[] = {
	{ "nscanned", offsetof(struct log_record, keys_examined) },
	{ "nscannedObjects", offsetof(struct log_record, docs_examined) },
};

/* Names of attr.* and of a profile document are nearly the same. */
static const struct {
	const char *name, *profile;
	size_t offset;
} texts[] = {
	{ "type", "op", offsetof(struct log_record, type) },
	{ "ns", NULL, offsetof(struct log_record, namespace_text) },
	{ "planSummary", NULL, offsetof(struct log_record, plan_summary) },
	{ "queryFramework", NULL, offsetof(struct log_record, query_framework) },
	{ "appName", NULL, offsetof(struct log_record, app_name) },
};

static void clear(struct log_record *r, enum log_form form)
{
	memset(r, 0, sizeof *r);
	r->form = form;
	r->count = 1;
	r->bytes_read = r->total_micros = r->max_micros = figure_unknown();
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		*(struct figure *)((char *)r + figures[i].offset) = figure_unknown();
}

bool log_record_set_figure(struct log_record *r, struct span name, struct span value)
{
	int64_t n;

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		if (!span_is(name, figures[i].log) && (!figures[i].profile || !span_is(name, figures[i].profile)))
			continue;
		if (skim_integer(value, &n) && n >= 0)
			*(struct figure *)((char *)r + figures[i].offset) = figure_measured(n);
		return true;
	}
	for (size_t i = 0; i < sizeof older_figures / sizeof *older_figures; i++) {
		struct figure *f = (struct figure *)((char *)r + older_figures[i].offset);

		if (span_is(name, older_figures[i].name) && !figure_known(*f) && skim_integer(value, &n) && n >= 0) {
			*f = figure_measured(n);
			return true;
		}
	}
	return false;
}

void log_record_set_query(struct log_record *r, struct span query)
{
	static const char *const commands[] = { "find", "getMore", "insert", "count", "aggregate", "distinct", "findandmodify" };
	struct skim s;
	struct skim_field f;

	r->command = query;
	r->is_filter = true;
	if (!skim_enter(&s, query) || !skim_next(&s, &f))
		return;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		r->is_filter = r->is_filter && !span_is(f.name, commands[i]);
}

static void set_text(struct log_record *r, struct skim_field f)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (span_is(f.name, texts[i].name) || (texts[i].profile && span_is(f.name, texts[i].profile)))
			*(struct span *)((char *)r + texts[i].offset) = skim_string(f.value);
}

static void set_bytes_read(struct log_record *r, struct span value)
{
	int64_t n;

	if (skim_integer(value, &n) && n >= 0)
		r->bytes_read = figure_measured(n);
}

/* The fields of a line's attr, or those of a profile document. */
static void read_fields(struct log_record *r, struct span document)
{
	struct skim s;
	struct skim_field f;

	if (!skim_enter(&s, document))
		return;
	while (skim_next(&s, &f)) {
		char first = *f.value.text;

		if (first == '"')
			set_text(r, f);
		else if (span_is(f.name, "command"))
			r->command = f.value;
		else if (span_is(f.name, "query") && !r->command.text)
			log_record_set_query(r, f.value);
		else if (span_is(f.name, "execStats"))
			r->execution = f.value;
		else if (span_is(f.name, "ts"))
			r->time = skim_string(skim_get(f.value, "$date"));
		else if (span_is(f.name, "storage"))
			set_bytes_read(r, skim_get(skim_get(f.value, "data"), "bytesRead"));
		else
			log_record_set_figure(r, f.name, f.value);
	}
}

/* Letters of the message differ in their case between releases. */
static bool is_slow_query(struct span message)
{
	static const char text[] = "slow query";

	if (!message.text || message.size_bytes != sizeof text - 1)
		return false;
	for (size_t i = 0; i < message.size_bytes; i++)
		if ((message.text[i] | 0x20) != (text[i] | 0x20))
			return false;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct span log_line_time(struct span line)
{
	static const char start[] = "{\"t\":{\"$date\":\"";
	const char *at = line.text, *end = line.text + line.size_bytes;
	struct span time = { NULL, 0 };

	if (line.size_bytes >= sizeof start && !memcmp(at, start, sizeof start - 1))
		at += sizeof start - 1;
	if (end - at < 20 || !is_digit(*at) || at[4] != '-' || at[10] != 'T')
		return time;
	time.text = at;
	while (at < end && *at != '"' && *at != ' ')
		at++;
	time.size_bytes = (size_t)(at - time.text);
	return time;
}

/* A connection without work is shown by $currentOp, too. */
static bool is_operation(struct span document)
{
	struct span operation = skim_string(skim_get(document, "op"));

	return operation.text && !span_is(operation, "none") && skim_get(document, "ns").text;
}

bool log_record_read(struct span line, struct bytes *scratch, struct log_record *r)
{
	struct span document = line, message, attributes;
	const char *brace;

	if (log_text_read(line, scratch, r))
		return true;
	brace = line.size_bytes ? memchr(line.text, '{', line.size_bytes) : NULL;
	if (!brace)
		return false;
	document = (struct span){ brace, line.size_bytes - (size_t)(brace - line.text) };
	message = skim_string(skim_get(document, "msg"));
	if (message.text && !is_slow_query(message))
		return false;
	if (message.text) {
		attributes = skim_get(document, "attr");
		clear(r, LOG_JSON);
		read_fields(r, attributes);
		r->time = log_line_time(document);
		return attributes.text != NULL;
	}
	if (is_operation(document)) {
		clear(r, LOG_PROFILE);
		read_fields(r, document);
		return true;
	}
	return log_stats_read(document, scratch, r);
}

void log_record_init(struct log_record *r, enum log_form form)
{
	clear(r, form);
}
