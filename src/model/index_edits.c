#include "model/index_edits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/writer.h"

static char *name_of(struct value specification)
{
	struct value name = value_get(specification, "name");

	return name.type == BSON_TYPE_UTF8 ? memory_duplicate_text(value_text(name).bytes) : memory_duplicate_text("");
}

static void clear_edit(struct index_edit *e)
{
	free(e->collection);
	free(e->name);
	bytes_clear(&e->specification);
}

void index_edits_note(struct index_edits *e, const char *collection, struct value specification, bool drops)
{
	char *name = name_of(specification);
	struct index_edit *edit;

	for (size_t i = 0; i < e->count; i++) {
		edit = &e->edits[i];
		if (edit->drops == drops || strcmp(edit->collection, collection) || strcmp(edit->name, name))
			continue;
		clear_edit(edit);
		e->count--;
		memmove(edit, edit + 1, (e->count - i) * sizeof *edit);
		free(name);
		return;
	}
	e->edits = memory_resize(e->edits, e->count + 1, sizeof *e->edits);
	edit = &e->edits[e->count++];
	*edit = (struct index_edit){ memory_duplicate_text(collection), name, BYTES_INIT, drops };
	bytes_append(&edit->specification, specification.bytes, specification.size_bytes);
}

void index_edits_clear(struct index_edits *e)
{
	for (size_t i = 0; i < e->count; i++)
		clear_edit(&e->edits[i]);
	free(e->edits);
	*e = (struct index_edits){ NULL, 0 };
}

static void write_creation(struct writer *w, const char *collection, struct value specification)
{
	writer_text(w, "createIndexes", collection);
	writer_begin_array(w, key_of("indexes"));
	writer_put(w, "", specification);
	writer_end(w);
}

bool index_edit_send(struct source *s, const char *db, const char *collection, struct value specification, bool drops,
                     const struct interrupt *interrupt, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	bson_t command, reply;
	bool good;

	writer_begin(&w, &text);
	if (drops) {
		writer_text(&w, "dropIndexes", collection);
		writer_put(&w, "index", value_get(specification, "name"));
	} else {
		write_creation(&w, collection, specification);
	}
	writer_finish(&w);
	bson_init_static(&command, text.data, text.size);
	good = source_command(s, db, &command, &reply, interrupt, error);
	bson_destroy(&reply);
	bytes_clear(&text);
	return good;
}

bool index_edits_send(const struct index_edits *e, struct source *s, const char *db, const struct interrupt *interrupt,
                      bson_error_t *error)
{
	for (size_t i = 0; i < e->count; i++) {
		struct value specification;

		if (value_document(&specification, e->edits[i].specification.data, e->edits[i].specification.size) &&
		    !index_edit_send(s, db, e->edits[i].collection, specification, e->edits[i].drops, interrupt, error))
			return false;
	}
	return true;
}
