/* `why`: what an error's text says. */
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "bson/writer.h"
#include "model/why.h"
#include "report/json.h"
#include "report/report.h"

enum { COLUMNS = 100 };

static void write_text(struct writer *w, const char *name, const char *text)
{
	if (text)
		writer_text(w, name, text);
}

static void write_finding(struct writer *w, const struct why *y, const struct why_finding *f)
{
	const char *const *next = f->thing && f->thing->next[0] ? f->thing->next : f->error->next;
	static const char *const hex[] = { NULL, "same", "swapped", "different" };
	int64_t over, hundredths;

	writer_begin_document(w, key_of(""));
	if (f->error->codes[0])
		writer_number(w, "code", f->error->codes[0]);
	else
		writer_null(w, "code");
	write_text(w, "name", f->error->name);
	if (f->has_size)
		writer_number(w, "size", f->size_bytes);
	write_text(w, "hex", hex[f->hex]);
	if (f->limit_bytes)
		writer_number(w, "limit", f->limit_bytes);
	if (f->has_size && (!f->thing || strcmp(f->thing->kind, "broken")) &&
	    why_over(f->size_bytes, f->limit_bytes, &over, &hundredths)) {
		writer_number(w, "over", over);
		writer_double(w, "overPercent", (double)hundredths / 100);
	}
	write_text(w, "firstElement", f->element);
	write_text(w, "value", f->value);
	write_text(w, "operator", f->operator);
	write_text(w, "kind", f->thing ? f->thing->kind : NULL);
	writer_text(w, "meaning", f->error->meaning);
	write_text(w, "here", f->thing ? f->thing->meaning : NULL);
	writer_begin_array(w, key_of("next"));
	for (size_t i = 0; i < WHY_NEXT && next[i]; i++) {
		struct bytes line = BYTES_INIT;

		why_fill(y, f, next[i], &line);
		writer_text(w, "", bytes_text(&line));
		bytes_clear(&line);
	}
	writer_end(w);
	writer_end(w);
}

static void print_json(const struct why *y, struct bytes *out)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	writer_begin_array(&w, key_of("errors"));
	for (size_t i = 0; i < y->finding_count; i++)
		write_finding(&w, y, &y->findings[i]);
	writer_end(&w);
	writer_begin_array(&w, key_of("codes"));
	for (size_t i = 0; i < y->code_count; i++) {
		writer_begin_document(&w, key_of(""));
		writer_number(&w, "code", y->codes[i].code);
		if (*y->codes[i].name)
			writer_text(&w, "name", y->codes[i].name);
		writer_end(&w);
	}
	writer_end(&w);
	write_text(&w, "db", y->db);
	write_text(&w, "collection", y->collection);
	write_text(&w, "_id", y->id);
	json_print(&w, out);
}

static bool read_input(struct bytes *text, bson_error_t *error)
{
	char block[65536];
	size_t size;

	while (text->size < WHY_TEXT_BYTES && (size = fread(block, 1, sizeof block, stdin)))
		bytes_append(text, block, size);
	return !ferror(stdin) || error_set(error, ERROR_SYSTEM, 0, "cannot read standard input");
}

bool report_why(const struct options *o, struct bytes *out, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct why y;

	if (o->command_count == 1 && !strcmp(o->commands[0], "-")) {
		if (!read_input(&text, error)) {
			bytes_clear(&text);
			return false;
		}
	} else {
		for (int i = 0; i < o->command_count; i++)
			bytes_format(&text, "%s%s", i ? " " : "", o->commands[i]);
	}
	why_read(&y, (const char *)text.data, text.size, NULL);
	if (o->json)
		print_json(&y, out);
	else
		why_print(&y, COLUMNS, out);
	why_clear(&y);
	bytes_clear(&text);
	return true;
}
