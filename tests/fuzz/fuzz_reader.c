#include "fuzz/fuzz.h"

#include "bson/paste.h"
#include "bson/print.h"
#include "bson/read.h"

/* A printed document is one that can be read. */
static void print_and_read(const struct bytes *document)
{
	static const enum print_form forms[] = { PRINT_CANONICAL, PRINT_RELAXED, PRINT_SHELL, PRINT_SERVER };
	struct value v;

	if (!value_document(&v, document->data, document->size))
		return;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct bytes text = BYTES_INIT, again = BYTES_INIT;
		bson_error_t error;

		print_value(&text, v, &(struct print_options){ .form = forms[i], .indent = i % 2 ? 2 : 0 });
		read_shell_document("printed", bytes_text(&text), text.size, &again, &error);
		bytes_clear(&again);
		bytes_clear(&text);
	}
}

static void read_in(enum reader_notation notation, const char *text, size_t size)
{
	struct bytes document = BYTES_INIT;
	struct reader r;
	bson_error_t error;

	reader_init(&r, "fuzz", text, size);
	r.notation = notation;
	while (!reader_at_end(&r) && reader_document(&r, &document, &error)) {
		print_and_read(&document);
		bytes_reset(&document);
	}
	bytes_clear(&document);
}

static void read_paste(const char *text, size_t size)
{
	struct paste_document d;
	struct paste paste;
	bson_error_t error;

	paste_init(&paste, "fuzz", text, size);
	while (paste_next(&paste, &d)) {
		print_and_read(&d.bson);
		bytes_clear(&d.bson);
	}
	paste_fail(&paste, &error);
	paste_clear(&paste);
}

void fuzz_reader(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;

	for (int notation = READER_JSON; notation <= READER_PASTE; notation++)
		read_in((enum reader_notation)notation, text, size);
	read_paste(text, size);
}
