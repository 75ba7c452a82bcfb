/* What was found in an error's text, as lines. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/figure.h"
#include "base/limits.h"
#include "bson/print.h"
#include "model/why.h"

/* As a shell takes it: names come from a text that anybody may have written. */
static void append_word(struct bytes *out, const char *text)
{
	struct bytes safe = BYTES_INIT;
	bool plain = *text;

	for (const char *c = text; *c; c++)
		plain = plain && (isalnum((unsigned char)*c) || strchr("_-./:@%+,", *c));
	print_text(&safe, text, strlen(text));
	bytes_append_text(out, plain ? "" : "'");
	for (size_t i = 0; i < safe.size; i++)
		if (safe.data[i] == '\'')
			bytes_append_text(out, "'\\''");
		else
			bytes_append_byte(out, safe.data[i]);
	bytes_append_text(out, plain ? "" : "'");
	bytes_clear(&safe);
}

static void append_option(struct bytes *out, const char *option, const char *text)
{
	if (!text)
		return;
	bytes_append_text(out, option);
	append_word(out, text);
}

void why_fill(const struct why *w, const struct why_finding *f, const char *template, struct bytes *out)
{
	static const char *const names[] = { "{source}", "{where}", "{id}", "{value}" };

	while (*template) {
		size_t which = 0;

		while (which < 4 && strncmp(template, names[which], strlen(names[which])))
			which++;
		switch (which) {
		case 0: w->source ? append_word(out, w->source) : bytes_append_text(out, "SOURCE"); break;
		case 1:
			append_option(out, " -d ", w->db);
			append_option(out, " -c ", w->collection ? w->collection : "COLLECTION");
			break;
		case 2: w->id ? append_word(out, w->id) : bytes_append_text(out, "ID"); break;
		case 3:
			/* inside single quotes already */
			if (f->value && !strchr(f->value, '\''))
				print_text(out, f->value, strlen(f->value));
			else
				bytes_append_text(out, "VALUE");
			break;
		default: bytes_append_byte(out, (uint8_t)*template); break;
		}
		template += which < 4 ? strlen(names[which]) : 1;
	}
}

enum { LABEL = 12 };

static void label(struct bytes *out, const char *text)
{
	bytes_format(out, "  %-*s", LABEL - 2, text);
}

static void print_named(struct bytes *out, const char *name, const char *text)
{
	if (!text)
		return;
	label(out, name);
	print_text(out, text, strlen(text));
	bytes_append_byte(out, '\n');
}

/* Broken between words, below where it begins. */
static void print_prose(struct bytes *out, const char *name, const char *text, int columns)
{
	int room = columns - LABEL, column = 0;

	if (!text)
		return;
	label(out, name);
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column && column + 1 + length > room) {
			bytes_format(out, "\n%*s", LABEL, "");
			column = 0;
		}
		bytes_format(out, "%s%.*s", column ? " " : "", length, text);
		column += (column ? 1 : 0) + length;
		text += length + strspn(text + length, " ");
	}
	bytes_append_byte(out, '\n');
}

static void print_hex(const struct why_finding *f, struct bytes *out)
{
	if (f->hex == WHY_HEX_NONE)
		return;
	bytes_format(out, "  %s", f->hex_digits);
	if (f->hex == WHY_HEX_SWAPPED)
		bytes_format(out, " is the same number with its lowest byte first, as it lies in BSON: 0x%" PRIX32,
		             (uint32_t)f->size_bytes);
	if (f->hex == WHY_HEX_DIFFERENT)
		bytes_append_text(out, " is another number: the text was changed or cut");
}

static void print_limit(struct bytes *out, int64_t size_bytes, int64_t limit_bytes, const char *whose)
{
	char limit[32], over[32];
	int64_t by, hundredths;

	label(out, "limit");
	bytes_format(out, "%s bytes%s", figure_format_count(limit_bytes, limit, sizeof limit), whose);
	if (why_over(size_bytes, limit_bytes, &by, &hundredths)) {
		bytes_format(out, ": %s bytes over, ", figure_format_count(by, over, sizeof over));
		if (hundredths)
			bytes_format(out, "%" PRId64 ".%02" PRId64 " %%", hundredths / 100, hundredths % 100);
		else
			bytes_append_text(out, "less than 0.01 %");
	}
	bytes_append_byte(out, '\n');
}

static const char *whose(int64_t limit_bytes)
{
	if (limit_bytes == LIMIT_INTERNAL_BYTES)
		return " inside the server";
	return limit_bytes == LIMIT_USER_BYTES ? " a stored document" : "";
}

static void print_sizes(const struct why_finding *f, struct bytes *out)
{
	bool broken = f->thing && !strcmp(f->thing->kind, "broken");
	char size[32];

	if (f->has_size) {
		label(out, "size");
		bytes_format(out, "%s bytes", figure_format_count(f->size_bytes, size, sizeof size));
		print_hex(f, out);
		bytes_append_byte(out, '\n');
	}
	if (broken || !f->limit_bytes)
		return;
	print_limit(out, f->has_size ? f->size_bytes : 0, f->limit_bytes, whose(f->limit_bytes));
	/* what the server may still hold inside, a user cannot store */
	if (f->limit_bytes == LIMIT_INTERNAL_BYTES && f->has_size && f->thing && !strcmp(f->thing->kind, "document"))
		print_limit(out, f->size_bytes, LIMIT_USER_BYTES, whose(LIMIT_USER_BYTES));
}

static void print_finding(const struct why *w, const struct why_finding *f, int columns, struct bytes *out)
{
	const char *const *next = f->thing && f->thing->next[0] ? f->thing->next : f->error->next;

	if (f->error->codes[0])
		bytes_format(out, "%" PRId32 "%s%s\n", f->error->codes[0], f->error->name ? " " : "",
		             f->error->name ? f->error->name : "");
	else
		bytes_format(out, "%s\n", f->error->name);
	if (f->thing)
		print_named(out, "what", f->thing->what);
	if (f->element) {
		label(out, "first");
		print_text(out, f->element, strlen(f->element));
		if (f->value) {
			bytes_append_text(out, ": ");
			print_text(out, f->value, strlen(f->value));
		}
		bytes_append_byte(out, '\n');
	} else {
		print_named(out, "for", f->value);
	}
	print_named(out, "operator", f->operator);
	print_sizes(f, out);
	print_prose(out, "means", f->error->meaning, columns);
	if (f->thing)
		print_prose(out, "here", f->thing->meaning, columns);
	for (size_t i = 0; i < WHY_NEXT && next[i]; i++) {
		label(out, i ? "" : "next");
		why_fill(w, f, next[i], out);
		bytes_append_byte(out, '\n');
	}
}

static void print_codes(const struct why *w, struct bytes *out)
{
	for (size_t i = 0; i < w->code_count; i++)
		bytes_format(out, "%s%" PRId32 "%s%s", i ? ", " : "", w->codes[i].code, *w->codes[i].name ? " " : "",
		             w->codes[i].name);
}

void why_print(const struct why *w, int columns, struct bytes *out)
{
	for (size_t i = 0; i < w->finding_count; i++) {
		if (i)
			bytes_append_byte(out, '\n');
		print_finding(w, &w->findings[i], columns, out);
	}
	if (!w->finding_count && w->code_count) {
		bytes_append_text(out, "not known here; codes in the text: ");
		print_codes(w, out);
		bytes_append_byte(out, '\n');
	} else if (!w->finding_count) {
		bytes_append_text(out, "not known here, and no code is in the text\n");
	} else if (w->code_count > 1 || (w->code_count == 1 && w->codes[0].code != w->findings[0].error->codes[0])) {
		bytes_append_text(out, "\ncodes in the text: ");
		print_codes(w, out);
		bytes_append_byte(out, '\n');
	}
}
