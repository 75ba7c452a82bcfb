#include "samples/bookstore.h"

#include <stdio.h>

#include "base/embedded.h"
#include "bson/read.h"
#include "samples/load.h"

static const char *const collections[] = { "books", "authors", "categories", "customers", "orders", "reviews" };

struct lines {
	struct reader reader;
	struct bytes document;
};

static bool next_line(void *context, struct value *document, bson_error_t *error)
{
	struct lines *lines = context;

	bytes_reset(&lines->document);
	return !reader_at_end(&lines->reader) && reader_document(&lines->reader, &lines->document, error) &&
	       value_document(document, lines->document.data, lines->document.size);
}

static bool load(struct engine *e, const struct model *model, const char *collection, bson_error_t *error)
{
	struct lines lines = { .document = BYTES_INIT };
	struct engine_loader loader = { next_line, &lines, false };
	char file[64];
	size_t size;
	const char *text;
	bool good;

	snprintf(file, sizeof file, "src/samples/bookstore/%s.json", collection);
	text = embedded_find(file, &size);
	if (!text)
		return error_set(error, ERROR_SYSTEM, 0, "\"%s\" is not part of this program", file);
	reader_init(&lines.reader, file, text, size);
	good = sample_load(e, model, collection, &loader, error);
	bytes_clear(&lines.document);
	return good;
}

bool bookstore_load(struct engine *e, const struct model *model, bson_error_t *error)
{
	for (size_t i = 0; i < sizeof collections / sizeof *collections; i++)
		if (!load(e, model, collections[i], error))
			return false;
	return true;
}
