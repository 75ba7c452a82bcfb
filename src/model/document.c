#include "model/document.h"

#include "bson/wrapped.h"
#include "bson/writer.h"
#include "model/cursor.h"

static void write_by_size(struct writer *w, const struct document_wish *wish, const char *key)
{
	writer_begin_document(w, key_of(key));
	writer_bool(w, "$exists", false);
	writer_end(w);
	writer_begin_document(w, key_of("$expr"));
	writer_begin_array(w, key_of("$eq"));
	writer_begin_document(w, key_of(""));
	writer_text(w, "$bsonSize", "$$ROOT");
	writer_end(w);
	writer_int64(w, "", wish->size_bytes);
	writer_end(w);
	writer_end(w);
}

bool document_read(struct source *s, const struct document_wish *wish, struct bytes *out, const struct interrupt *interrupt,
                   bson_error_t *error)
{
	const char *key = wish->key ? wish->key : "_id";
	struct bytes filter = BYTES_INIT;
	struct writer w;
	bson_t view, *command;

	writer_begin(&w, &filter);
	if (value_is_missing(wish->id) && wish->size_bytes >= 0) {
		write_by_size(&w, wish, key);
	} else if (!value_is_missing(wish->id)) {
		writer_begin_document(&w, key_of(key));
		writer_put(&w, "$eq", wish->id);
		writer_end(&w);
	}
	value_to_bson(&view, writer_finish(&w));
	command = BCON_NEW("find", BCON_UTF8(wish->collection), "filter", BCON_DOCUMENT(&view), "skip", BCON_INT64(wish->skipped),
	                   "limit", BCON_INT64(1));
	bytes_clear(&filter);
	return cursor_first(s, wish->db, command, out, interrupt, error);
}

struct document_wish document_of_largest(const struct sizes *sizes, size_t which, const char *key)
{
	const struct largest_document *l = &sizes->largest[which];
	struct document_wish wish = { .db = sizes->db, .collection = sizes->collection, .key = key, .size_bytes = l->size_bytes };

	wish.id = wrapped_value(&l->id);
	for (size_t i = 0; i < which && !l->id.size; i++)
		wish.skipped += sizes->largest[i].size_bytes == l->size_bytes && !sizes->largest[i].id.size;
	return wish;
}
