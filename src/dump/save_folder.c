#include "dump/save_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "dump/save.h"

bool save_fail(bson_error_t *error, const char *what, const char *path)
{
	return error_set(error, ERROR_SYSTEM, (uint32_t)errno, "cannot %s \"%.300s\": %s", what, path, strerror(errno));
}

/*
 * Called with each name in a folder and whether it is a folder itself; false stops. `path` is good for the call.
 */
typedef bool (*visitor)(void *context, const char *path, const char *name, bool is_folder);

/* False: stopped, or the folder cannot be read. */
static bool visit(const char *folder, visitor each, void *context)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;
	bool goes_on = d != NULL;

	while (goes_on && (entry = readdir(d))) {
		struct bytes path = BYTES_INIT;
		struct stat status;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		bytes_format(&path, "%s/%s", folder, entry->d_name);
		goes_on = each(context, bytes_text(&path), entry->d_name,
		               lstat(bytes_text(&path), &status) == 0 && S_ISDIR(status.st_mode));
		bytes_clear(&path);
	}
	if (d)
		closedir(d);
	return goes_on;
}

static bool is_collections_file(const char *name)
{
	static const char *const endings[] = { ".bson", ".metadata.json" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t tail = strlen(endings[i]);

		if (length > tail && !strcmp(name + length - tail, endings[i]))
			return true;
	}
	return false;
}

/* What does not belong to a dump, as a path in it; empty: nothing. */
struct findings {
	bool marked, any;
	struct bytes stranger;
};

static bool look_at_file(void *context, const char *path, const char *name, bool is_folder)
{
	struct findings *f = context;

	if (is_folder || !is_collections_file(name))
		bytes_append_text(&f->stranger, path);
	return !f->stranger.size;
}

static bool look_at_entry(void *context, const char *path, const char *name, bool is_folder)
{
	struct findings *f = context;

	f->any = true;
	if (is_folder)
		return visit(path, look_at_file, f);
	if (strcmp(name, SAVE_MARK) != 0)
		bytes_append_text(&f->stranger, path);
	else
		f->marked = true;
	return !f->stranger.size;
}

/* The folder that will hold it. */
static bool check_parent(const char *folder, bson_error_t *error)
{
	char *copy = memory_duplicate_text(folder);
	bool good = access(dirname(copy), W_OK | X_OK) == 0 || save_fail(error, "save to", folder);

	free(copy);
	return good;
}

bool save_check(const char *folder, enum save_mode mode, bson_error_t *error)
{
	struct findings f = { .stranger = BYTES_INIT };
	struct stat status;
	bool good;

	if (stat(folder, &status) != 0)
		return errno == ENOENT ? check_parent(folder, error) : save_fail(error, "save to", folder);
	if (!S_ISDIR(status.st_mode))
		return error_set(error, ERROR_INPUT, 0, "cannot save to \"%.300s\": it is no folder", folder);
	if (!visit(folder, look_at_entry, &f) && !f.stranger.size)
		good = save_fail(error, "read", folder);
	else if (f.stranger.size || (f.any && !f.marked))
		good = error_set(error, ERROR_INPUT, 0, "cannot save to \"%.200s\": it holds what was not saved there by bsonscope%s%.200s",
		                 folder, f.stranger.size ? ": " : "", f.stranger.size ? bytes_text(&f.stranger) : "");
	else if (f.any && mode == SAVE_NEW)
		good = error_set(error, ERROR_INPUT, 0, "\"%.200s\" is there already; save! replaces it", folder);
	else
		good = check_parent(folder, error);
	bytes_clear(&f.stranger);
	return good;
}

bool save_folder_sync(const char *folder, bson_error_t *error)
{
	int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
	bool good = descriptor >= 0 && fsync(descriptor) == 0;

	if (!good)
		save_fail(error, "sync", folder);
	if (descriptor >= 0)
		close(descriptor);
	return good;
}

static bool sync_parent(const char *folder, bson_error_t *error)
{
	char *copy = memory_duplicate_text(folder);
	bool good = save_folder_sync(dirname(copy), error);

	free(copy);
	return good;
}

bool save_folder_move(const char *from, const char *folder, bson_error_t *error)
{
	struct bytes aside = BYTES_INIT;
	bool good;

	if (rename(from, folder) == 0) /* there was nothing, or an empty folder */
		return sync_parent(folder, error);
	bytes_format(&aside, "%s.before", from);
	if (rename(folder, bytes_text(&aside)) != 0) {
		good = save_fail(error, "replace", folder);
	} else if (rename(from, folder) != 0) {
		good = save_fail(error, "replace", folder);
		if (rename(bytes_text(&aside), folder) != 0)
			error_set(error, ERROR_SYSTEM, 0, "cannot replace \"%.200s\", which is \"%.200s\" now", folder, bytes_text(&aside));
	} else {
		good = sync_parent(folder, error);
		save_folder_remove(bytes_text(&aside));
	}
	bytes_clear(&aside);
	return good;
}

static bool remove_file(void *context, const char *path, const char *name, bool is_folder)
{
	(void)context;
	if (!is_folder && is_collections_file(name))
		unlink(path);
	return true;
}

static bool remove_entry(void *context, const char *path, const char *name, bool is_folder)
{
	(void)context;
	if (is_folder) {
		visit(path, remove_file, NULL);
		rmdir(path);
	} else if (!strcmp(name, SAVE_MARK)) {
		unlink(path);
	}
	return true;
}

void save_folder_remove(const char *folder)
{
	visit(folder, remove_entry, NULL);
	rmdir(folder);
}
