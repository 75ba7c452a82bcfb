#include "harness/dump_writer.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "bson/print.h"
#include "harness/harness.h"
#include "model/cursor.h"

static char folder_made[64];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder_made, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *dump_folder(void)
{
	static int count;
	struct bytes path = BYTES_INIT;

	if (!folder_made[0]) {
		strcpy(folder_made, "/tmp/bsonscope-test-XXXXXX");
		if (!mkdtemp(folder_made))
			abort();
		atexit(remove_folder);
	}
	bytes_format(&path, "%s/%d", folder_made, count++);
	if (mkdir(bytes_text(&path), 0700) != 0)
		abort();
	return harness_keep(bytes_take_text(&path));
}

const char *dump_file_write(const char *folder, const char *name, const void *bytes, size_t size_bytes, bool gzipped)
{
	struct bytes path = BYTES_INIT;
	char *slash;
	gzFile file;

	bytes_format(&path, "%s/%s", folder, name);
	slash = strrchr((char *)(uintptr_t)bytes_text(&path), '/');
	*slash = 0;
	mkdir((const char *)path.data, 0700);
	*slash = '/';
	file = gzopen(bytes_text(&path), gzipped ? "wb" : "wbT");
	if (!file || (size_bytes && gzwrite(file, bytes, (unsigned)size_bytes) != (int)size_bytes) || gzclose(file) != Z_OK)
		abort();
	return harness_keep(bytes_take_text(&path));
}

static bool add_document(void *context, struct value document, bson_error_t *error)
{
	(void)error;
	bytes_append(context, document.bytes, document.size_bytes);
	return true;
}

static struct bytes ask(struct source *s, const char *db, bson_t *command)
{
	struct bytes documents = BYTES_INIT;
	bson_error_t error;

	if (!cursor_run(s, db, command, add_document, &documents, NULL, &error)) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	bson_destroy(command);
	return documents;
}

static void write_metadata(struct source *s, const char *db, const char *folder, const char *collection, bool gzipped)
{
	struct bytes indexes = ask(s, db, BCON_NEW("listIndexes", BCON_UTF8(collection))), text = BYTES_INIT, name = BYTES_INIT;
	struct value v;
	size_t at = 0;

	bytes_append_text(&text, "{\"indexes\":[");
	for (; value_document(&v, indexes.data + at, indexes.size - at); at += v.size_bytes) {
		bytes_append_text(&text, at ? "," : "");
		print_line(&text, v, PRINT_CANONICAL);
	}
	bytes_format(&text, "],\"uuid\":\"\",\"collectionName\":\"%s\",\"type\":\"collection\",\"options\":{}}", collection);
	bytes_format(&name, "%s/%s.metadata.json%s", db, collection, gzipped ? ".gz" : "");
	dump_file_write(folder, bytes_text(&name), text.data, text.size, gzipped);
	bytes_clear(&indexes);
	bytes_clear(&text);
	bytes_clear(&name);
}

void dump_write(struct source *s, const char *db, const char *folder, bool gzipped)
{
	struct bytes list = ask(s, db, BCON_NEW("listCollections", BCON_INT32(1), "nameOnly", BCON_BOOL(true)));
	struct value v;

	for (size_t at = 0; value_document(&v, list.data + at, list.size - at); at += v.size_bytes) {
		const char *collection = value_text(value_get(v, "name")).bytes;
		struct bytes documents = ask(s, db, BCON_NEW("find", BCON_UTF8(collection))), name = BYTES_INIT;

		bytes_format(&name, "%s/%s.bson%s", db, collection, gzipped ? ".gz" : "");
		dump_file_write(folder, bytes_text(&name), documents.data, documents.size, gzipped);
		write_metadata(s, db, folder, collection, gzipped);
		bytes_clear(&documents);
		bytes_clear(&name);
	}
	bytes_clear(&list);
}
