#include "model/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct batches {
	int64_t cursor_id; /* 0: exhausted */
	char *collection;  /* of the cursor: what getMore names */
};

static bool take_batch(struct batches *b, struct value reply, cursor_each each, void *context, bson_error_t *error)
{
	struct value cursor = value_get(reply, "cursor"), batch, ns;
	struct walk w;
	struct field f;

	if (!value_is_document(cursor))
		return error_set(error, ERROR_INPUT, 0, "expected a command that returns a cursor");
	batch = value_get(cursor, "firstBatch");
	if (value_is_missing(batch))
		batch = value_get(cursor, "nextBatch");
	ns = value_get(cursor, "ns");
	if (!value_is_array(batch) || ns.type != BSON_TYPE_UTF8 ||
	    !value_as_int64(value_get(cursor, "id"), &b->cursor_id))
		return error_set(error, ERROR_INPUT, 0, "a cursor without batch, namespace or id");
	if (!b->collection) {
		const char *text = value_text(ns).bytes, *dot = strchr(text, '.');

		b->collection = memory_duplicate_text(dot ? dot + 1 : text);
	}
	walk_begin(&w, batch);
	while (walk_next(&w, &f)) {
		if (!value_is_document(f.value))
			return error_set(error, ERROR_INPUT, 0, "a cursor's batch holds what is no document");
		if (!each(context, f.value, error))
			return false;
	}
	return true;
}

static void kill_cursor(struct source *s, const char *db, const struct batches *b)
{
	bson_t *kill = BCON_NEW("killCursors", BCON_UTF8(b->collection), "cursors", "[", BCON_INT64(b->cursor_id), "]");
	bson_t reply;

	source_command(s, db, kill, &reply, NULL, NULL);
	bson_destroy(&reply);
	bson_destroy(kill);
}

bool cursor_run(struct source *s, const char *db, const bson_t *command, cursor_each each, void *context,
                const struct interrupt *interrupt, bson_error_t *error)
{
	struct batches b = { 0, NULL };
	bson_t reply;
	bool good = source_command(s, db, command, &reply, interrupt, error) &&
	            take_batch(&b, value_from_bson(&reply), each, context, error);

	bson_destroy(&reply);
	while (good && b.cursor_id) {
		bson_t *more = BCON_NEW("getMore", BCON_INT64(b.cursor_id), "collection", BCON_UTF8(b.collection));

		good = source_command(s, db, more, &reply, interrupt, error) &&
		       take_batch(&b, value_from_bson(&reply), each, context, error);
		bson_destroy(&reply);
		bson_destroy(more);
	}
	if (!good && b.cursor_id && b.collection)
		kill_cursor(s, db, &b);
	free(b.collection);
	return good;
}

bool cursor_first(struct source *s, const char *db, bson_t *command, struct bytes *out,
                  const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t reply;
	bool good = source_command(s, db, command, &reply, interrupt, error);

	if (good) {
		struct value batch = value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch");
		struct value first = value_is_array(batch) ? value_get(batch, "0") : value_missing();

		if (value_is_document(first))
			bytes_append(out, first.bytes, first.size_bytes);
	}
	bson_destroy(&reply);
	bson_destroy(command);
	return good;
}
