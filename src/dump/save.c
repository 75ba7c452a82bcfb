#include "dump/save.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bson/print.h"
#include "bson/writer.h"
#include "dump/save_folder.h"

/* mongo-tools cuts names of files that are longer than a file system takes: so much of it, "%24", and 27 characters. */
enum { NAME_LIMIT_BYTES = 238, NAME_KEPT_BYTES = 208, BUFFER_BYTES = 1 << 20 };

struct save {
	struct engine *engine;
	const char *root; /* the temporary folder */
	FILE *file;       /* of the documents that are being written */
	bool failed;      /* a write did */
};

/* The argument of commands that have none: 1. */
static const struct value one = { (const uint8_t *)"\1\0\0\0", 4, BSON_TYPE_INT32 };

/* The reply's documents: {cursor: {firstBatch: […]}} or `databases`; a view into `reply`, which is the caller's to clear. */
static bool list(struct save *s, const char *db, const char *command, struct value argument, struct bytes *reply,
                 struct value *documents, bson_error_t *error)
{
	struct bytes asked = BYTES_INIT;
	struct value whole;
	struct writer w;
	bool good;

	writer_begin(&w, &asked);
	writer_put(&w, command, argument);
	good = engine_answer(s->engine, db, writer_finish(&w), reply, NULL, error);
	bytes_clear(&asked);
	if (!good || !value_document(&whole, reply->data, reply->size))
		return false;
	*documents = value_get(whole, "databases");
	if (value_is_missing(*documents))
		*documents = value_get(value_get(whole, "cursor"), "firstBatch");
	return true;
}

static char *file_name(const char *collection)
{
	struct bytes name = BYTES_INIT;

	for (const char *c = collection; *c; c++)
		bytes_format(&name, isalnum((unsigned char)*c) || strchr("_-.", *c) ? "%c" : "%%%02X", (unsigned char)*c);
	if (name.size > NAME_LIMIT_BYTES) { /* the whole name stands in the description */
		uint64_t hash = 14695981039346656037u; /* FNV-1a */

		for (size_t i = 0; i < name.size; i++)
			hash = (hash ^ name.data[i]) * 1099511628211u;
		name.size = NAME_KEPT_BYTES;
		if (name.data[name.size - 1] == '%')
			name.size--;
		else if (name.data[name.size - 2] == '%')
			name.size -= 2;
		bytes_format(&name, "%%24%027llx", (unsigned long long)hash);
	}
	return bytes_take_text(&name);
}

static FILE *create(const char *path, bson_error_t *error)
{
	FILE *file = fopen(path, "wx");

	if (!file)
		save_fail(error, "write", path);
	return file;
}

/* Closes it when it is on the disk. */
static bool finish(FILE *file, bool good, const char *path, bson_error_t *error)
{
	good = good && fflush(file) == 0 && fsync(fileno(file)) == 0;
	if (!good)
		save_fail(error, "write", path);
	if (fclose(file) != 0 && good)
		good = save_fail(error, "write", path);
	return good;
}

static void take_document(void *context, struct value document)
{
	struct save *s = context;

	s->failed = s->failed || fwrite(document.bytes, 1, document.size_bytes, s->file) != document.size_bytes;
}

static bool go_on(void *context, bson_error_t *error)
{
	const struct save *s = context;

	return !s->failed || error_set(error, ERROR_SYSTEM, 0, "cannot write");
}

static bool save_documents(struct save *s, const char *db, const char *collection, const char *path, bson_error_t *error)
{
	const struct engine_document_walk walk = { take_document, go_on, s };
	bool walked;

	s->failed = false;
	s->file = create(path, error);
	if (!s->file)
		return false;
	setvbuf(s->file, NULL, _IOFBF, BUFFER_BYTES);
	walked = engine_walk_documents(s->engine, db, collection, &walk, NULL, error);
	if (walked || s->failed)
		return finish(s->file, !s->failed, path, error);
	fclose(s->file);
	return false;
}

static bool save_description(struct save *s, const char *db, struct value collection, const char *path, bson_error_t *error)
{
	struct bytes reply = BYTES_INIT, document = BYTES_INIT, text = BYTES_INIT;
	struct value indexes;
	struct writer w;
	bool good = list(s, db, "listIndexes", value_get(collection, "name"), &reply, &indexes, error);
	FILE *file = good ? create(path, error) : NULL;

	if (file) {
		writer_begin(&w, &document);
		if (value_count(value_get(collection, "options")))
			writer_put(&w, "options", value_get(collection, "options"));
		writer_put(&w, "indexes", indexes);
		writer_put(&w, "collectionName", value_get(collection, "name"));
		writer_put(&w, "type", value_get(collection, "type"));
		print_line(&text, writer_finish(&w), PRINT_CANONICAL);
		good = finish(file, fwrite(text.data, 1, text.size, file) == text.size, path, error);
	}
	bytes_clear(&reply);
	bytes_clear(&document);
	bytes_clear(&text);
	return file && good;
}

static bool save_collection(struct save *s, const char *db, const char *folder, struct value collection, bson_error_t *error)
{
	const char *name = value_text(value_get(collection, "name")).bytes;
	char *file = file_name(name);
	struct bytes data = BYTES_INIT, description = BYTES_INIT;
	bool good;

	bytes_format(&data, "%s/%s.bson", folder, file);
	bytes_format(&description, "%s/%s.metadata.json", folder, file);
	good = save_documents(s, db, name, bytes_text(&data), error) &&
	       save_description(s, db, collection, bytes_text(&description), error);
	bytes_clear(&data);
	bytes_clear(&description);
	free(file);
	return good;
}

static bool save_database(struct save *s, const char *db, bson_error_t *error)
{
	struct bytes reply = BYTES_INIT, folder = BYTES_INIT;
	struct value collections;
	struct walk w;
	struct field f;
	bool good;

	bytes_format(&folder, "%s/%s", s->root, db);
	good = list(s, db, "listCollections", one, &reply, &collections, error);
	if (good && mkdir(bytes_text(&folder), 0777) != 0)
		good = save_fail(error, "make", bytes_text(&folder));
	if (good) {
		walk_begin(&w, collections);
		while (good && walk_next(&w, &f))
			good = save_collection(s, db, bytes_text(&folder), f.value, error);
		good = good && save_folder_sync(bytes_text(&folder), error);
	}
	bytes_clear(&reply);
	bytes_clear(&folder);
	return good;
}

static bool save_mark(const char *root, bson_error_t *error)
{
	struct bytes path = BYTES_INIT;
	FILE *file;
	bool good;

	bytes_format(&path, "%s/" SAVE_MARK, root);
	file = create(bytes_text(&path), error);
	good = file && finish(file, fputs("bsonscope " BSONSCOPE_VERSION "\n", file) >= 0, bytes_text(&path), error);
	bytes_clear(&path);
	return good;
}

static bool save_all(struct save *s, bson_error_t *error)
{
	struct bytes reply = BYTES_INIT;
	struct value databases;
	struct walk w;
	struct field f;
	bool good = list(s, "admin", "listDatabases", one, &reply, &databases, error);

	if (good) {
		walk_begin(&w, databases);
		while (good && walk_next(&w, &f))
			good = save_database(s, value_text(value_get(f.value, "name")).bytes, error);
	}
	bytes_clear(&reply);
	return good && save_mark(s->root, error) && save_folder_sync(s->root, error);
}

bool save_engine(struct engine *e, const char *folder, enum save_mode mode, bson_error_t *error)
{
	size_t length = strlen(folder);
	struct bytes root = BYTES_INIT;
	struct save s = { .engine = e };
	bool good;

	if (!save_check(folder, mode, error))
		return false;
	while (length > 1 && folder[length - 1] == '/')
		length--;
	bytes_append(&root, folder, length);
	bytes_format(&root, ".saving-%ld", (long)getpid());
	s.root = bytes_text(&root);
	good = mkdir(s.root, 0777) == 0 || save_fail(error, "make", s.root);
	if (good) {
		good = save_all(&s, error) && save_folder_move(s.root, folder, error);
		if (!good)
			save_folder_remove(s.root);
	}
	bytes_clear(&root);
	return good;
}
