#include "dump/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "base/mapping.h"
#include "base/memory.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "base/inflate.h"

enum { METADATA_LIMIT_BYTES = 64 * 1024 * 1024 };

static bool read_text(const char *path, bool gzipped, struct bytes *text, bson_error_t *error)
{
	struct mapping m;
	bool good = mapping_open(&m, path, error);

	if (good && gzipped)
		good = inflate_all(m.bytes, m.size_bytes, METADATA_LIMIT_BYTES, text, error);
	else if (good)
		bytes_append(text, m.bytes, m.size_bytes);
	mapping_close(&m);
	return good;
}

/* Before 4.4 each had its namespace with it, which createIndexes no longer takes. */
static void copy_indexes(struct value indexes, struct bytes *out)
{
	struct walk each, fields;
	struct field index, f;
	struct writer w;

	writer_begin(&w, out);
	walk_begin(&each, indexes);
	while (walk_next(&each, &index)) {
		if (!value_is_document(index.value))
			continue;
		writer_begin_document(&w, index.key);
		walk_begin(&fields, index.value);
		while (walk_next(&fields, &f))
			if (!key_is(f.key, "ns"))
				writer_value(&w, f.key, f.value);
		writer_end(&w);
	}
	writer_finish(&w);
}

static void take(struct value metadata, struct dump_file *file)
{
	struct value indexes = value_get(metadata, "indexes"), options = value_get(metadata, "options");
	struct value name = value_get(metadata, "collectionName");

	if (value_is_array(indexes))
		copy_indexes(indexes, &file->indexes);
	if (value_is_document(options) && value_count(options))
		bytes_append(&file->options, options.bytes, options.size_bytes);
	if (name.type == BSON_TYPE_UTF8 && value_text(name).size_bytes &&
	    !memchr(value_text(name).bytes, 0, value_text(name).size_bytes)) {
		free(file->collection);
		file->collection = memory_duplicate_text(value_text(name).bytes);
	}
}

void metadata_read(const char *path, bool gzipped, struct dump_file *file)
{
	struct bytes text = BYTES_INIT, document = BYTES_INIT;
	struct value metadata;
	bson_error_t error;

	file->described = true;
	if (read_text(path, gzipped, &text, &error) && read_document(path, bytes_text(&text), text.size, &document, &error) &&
	    value_document(&metadata, document.data, document.size))
		take(metadata, file);
	else
		bytes_format(&file->remark, "its indexes and options are unknown: %s", error.message);
	bytes_clear(&text);
	bytes_clear(&document);
}
