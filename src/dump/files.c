#include "dump/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflate.h"
#include "base/memory.h"
#include "dump/metadata.h"

enum part { PART_DATA, PART_METADATA };

/* Longest first: ".metadata.json" ends with ".json", too. */
static const struct ending {
	const char *text;
	enum part part;
	enum dump_format format;
	bool gzipped;
} endings[] = {
	{ ".metadata.json.gz", PART_METADATA, DUMP_JSON, true },
	{ ".metadata.json", PART_METADATA, DUMP_JSON, false },
	{ ".bson.gz", PART_DATA, DUMP_BSON, true },
	{ ".json.gz", PART_DATA, DUMP_JSON, true },
	{ ".bson", PART_DATA, DUMP_BSON, false },
	{ ".json", PART_DATA, DUMP_JSON, false },
};

/* Files of mongodump that are no collections. */
static const char *const others[] = { "oplog.bson", "oplog.bson.gz", "prelude.json", "prelude.json.gz" };

static const struct ending *ending_of(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(name, others[i]))
			return NULL;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t tail = strlen(endings[i].text);

		if (length > tail && !strcmp(name + length - tail, endings[i].text))
			return &endings[i];
	}
	return NULL;
}

/* mongodump writes characters that a file name cannot have as %XX. */
static char *collection_name(const char *file, const struct ending *e)
{
	size_t length = strlen(file) - strlen(e->text), at = 0;
	char *name = memory_allocate(length + 1);

	for (size_t i = 0; i < length; i++) {
		char digits[3] = { 0 };

		if (file[i] == '%' && i + 2 < length && isxdigit((unsigned char)file[i + 1]) && isxdigit((unsigned char)file[i + 2])) {
			memcpy(digits, file + i + 1, 2);
			name[at++] = (char)strtol(digits, NULL, 16);
			i += 2;
		} else {
			name[at++] = file[i];
		}
	}
	name[at] = 0;
	return name;
}

static char *join(const char *folder, const char *name)
{
	struct bytes path = BYTES_INIT;

	bytes_format(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
	return bytes_take_text(&path);
}

static bool fail_system(const char *path, bson_error_t *error)
{
	return error_set(error, ERROR_SYSTEM, (uint32_t)errno, "cannot read \"%.300s\": %s", path, strerror(errno));
}

static struct dump_file *file_for(struct dump_files *files, const char *db, char *collection)
{
	struct dump_file *f;

	for (size_t i = 0; i < files->count; i++) {
		f = &files->list[i];
		if (!strcmp(f->db, db) && !strcmp(f->collection, collection)) {
			free(collection);
			return f;
		}
	}
	files->list = memory_resize(files->list, files->count + 1, sizeof *files->list);
	f = &files->list[files->count++];
	*f = (struct dump_file){ .db = memory_duplicate_text(db), .collection = collection };
	return f;
}

/* Takes the path. */
static bool add(struct dump_files *files, const char *db, const char *name, char *path, bson_error_t *error)
{
	const struct ending *e = ending_of(name);
	struct dump_file *f = file_for(files, db, collection_name(name, e));

	if (e->part == PART_METADATA) {
		metadata_read(path, e->gzipped, f);
		free(path);
		return true;
	}
	if (f->path) {
		error_set(error, ERROR_INPUT, 0, "two files for one collection: \"%.200s\" and \"%.200s\"", f->path, path);
		free(path);
		return false;
	}
	f->path = path;
	f->format = e->format;
	f->gzipped = e->gzipped;
	return true;
}

static int keep_collections(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ending_of(entry->d_name) != NULL;
}

static int keep_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void free_entries(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

static bool add_folder(struct dump_files *files, const char *folder, const char *db, bson_error_t *error)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, keep_collections, alphasort);
	bool good = true;

	if (count < 0)
		return fail_system(folder, error);
	for (int i = 0; i < count && good; i++)
		good = add(files, db, entries[i]->d_name, join(folder, entries[i]->d_name), error);
	free_entries(entries, count);
	return good;
}

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool add_root(struct dump_files *files, const char *root, bson_error_t *error)
{
	struct dirent **entries;
	int count = scandir(root, &entries, keep_visible, alphasort);
	bool good = true;

	if (count < 0)
		return fail_system(root, error);
	for (int i = 0; i < count && good; i++) {
		char *folder = join(root, entries[i]->d_name);

		if (is_folder(folder))
			good = add_folder(files, folder, entries[i]->d_name, error);
		free(folder);
	}
	free_entries(entries, count);
	return good;
}

/*
 * The folder's own name, or that of the folder that a file lies in; "test" when there is none that MongoDB would
 * take.
 */
static char *database_of(const char *path, bool is_file)
{
	char *real = realpath(path, NULL), *slash, *name;

	slash = real ? strrchr(real, '/') : NULL;
	if (is_file && slash) {
		*slash = 0;
		slash = strrchr(real, '/');
	}
	name = memory_duplicate_text(!slash || !slash[1] || strlen(slash + 1) > 63 || strpbrk(slash + 1, "\\. \"$") ? "test" : slash + 1);
	free(real);
	return name;
}

/* The description of a single data file lies beside it; only then the folder's name is the database's. */
static bool add_description(struct dump_files *files, const char *path, const struct ending *e)
{
	static const char *const tails[] = { ".metadata.json", ".metadata.json.gz" };
	size_t stem = strlen(path) - strlen(e->text);
	bool found = false;

	for (size_t i = 0; i < sizeof tails / sizeof *tails && !found; i++) {
		struct bytes beside = BYTES_INIT;

		bytes_append(&beside, path, stem);
		bytes_append_text(&beside, tails[i]);
		found = access(bytes_text(&beside), F_OK) == 0;
		if (found)
			metadata_read(bytes_text(&beside), i == 1, &files->list[0]);
		bytes_clear(&beside);
	}
	return found;
}

/* https://github.com/mongodb/mongo-tools, common/archive: the magic number at the head of an archive, which --gzip packs. */
static bool is_archive(const char *path)
{
	static const uint8_t magic[] = { 0x6d, 0xe2, 0x99, 0x81 };
	uint8_t packed[512], head[sizeof magic] = { 0 };
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size = descriptor < 0 ? -1 : read(descriptor, packed, sizeof packed);
	struct inflater *i;
	size_t got;

	if (descriptor >= 0)
		close(descriptor);
	if (size < (ssize_t)sizeof magic)
		return false;
	i = inflater_new(packed, (size_t)size);
	if (!inflater_next(i, head, sizeof head, &got, NULL) || got < sizeof head)
		memcpy(head, packed, sizeof head);
	inflater_destroy(i);
	return !memcmp(head, magic, sizeof magic);
}

static bool add_single(struct dump_files *files, const char *path, bson_error_t *error)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const struct ending *e = ending_of(name);
	char *db;
	bool good;

	if (is_archive(path))
		return error_set(error, ERROR_INPUT, 0, "\"%.300s\" is an archive of mongodump; a dump with a file a collection is needed "
		                 "(mongodump without --archive)", path);
	if (!e || e->part != PART_DATA)
		return error_set(error, ERROR_INPUT, 0, "cannot tell what \"%.300s\" holds; its name must end with .bson, .json, .bson.gz or "
		                 ".json.gz", path);
	good = add(files, "test", name, memory_duplicate_text(path), error);
	if (good && add_description(files, path, e)) {
		db = database_of(path, true);
		dump_files_rename(files, db);
		free(db);
	}
	return good;
}

static int compare_files(const void *a, const void *b)
{
	const struct dump_file *x = a, *y = b;
	int order = strcmp(x->db, y->db);

	return order ? order : strcmp(x->collection, y->collection);
}

bool dump_files_find(const char *path, struct dump_files *files, bson_error_t *error)
{
	struct stat status;
	bool good;

	*files = (struct dump_files){ NULL, 0, false };
	if (stat(path, &status) != 0)
		return fail_system(path, error);
	if (S_ISDIR(status.st_mode)) {
		char *db = database_of(path, false);

		good = add_folder(files, path, db, error);
		if (good && !files->count) {
			files->is_named = true;
			good = add_root(files, path, error);
		}
		free(db);
	} else {
		good = add_single(files, path, error);
	}
	if (good && !files->count)
		good = error_set(error, ERROR_INPUT, 0, "no .bson and no .json files in \"%.300s\" and its folders", path);
	if (!good) {
		dump_files_clear(files);
		return false;
	}
	qsort(files->list, files->count, sizeof *files->list, compare_files);
	return true;
}

void dump_files_clear(struct dump_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct dump_file *f = &files->list[i];

		free(f->path);
		free(f->db);
		free(f->collection);
		bytes_clear(&f->indexes);
		bytes_clear(&f->options);
		bytes_clear(&f->remark);
	}
	free(files->list);
	*files = (struct dump_files){ NULL, 0, false };
}

void dump_files_rename(struct dump_files *files, const char *db)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->list[i].db);
		files->list[i].db = memory_duplicate_text(db);
	}
}

const char *dump_files_database(const struct dump_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (strcmp(files->list[i].db, "admin") && strcmp(files->list[i].db, "config") && strcmp(files->list[i].db, "local"))
			return files->list[i].db;
	return files->list[0].db;
}

bool dump_files_have(const struct dump_files *files, const char *db)
{
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(files->list[i].db, db))
			return true;
	return false;
}

void dump_files_list_databases(const struct dump_files *files, struct bytes *out)
{
	for (size_t i = 0; i < files->count; i++)
		if (i == 0 || strcmp(files->list[i].db, files->list[i - 1].db))
			bytes_format(out, "%s%s", i ? ", " : "", files->list[i].db);
}
