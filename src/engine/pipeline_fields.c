#include "engine/pipeline_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void pipeline_fields_init(struct pipeline_fields *f)
{
	*f = (struct pipeline_fields){ 0 };
}

void pipeline_fields_clear(struct pipeline_fields *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->paths[i]);
	free(f->paths);
	pipeline_fields_init(f);
}

void pipeline_fields_add(void *fields, const char *path)
{
	struct pipeline_fields *f = fields;

	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->paths[i], path))
			return;
	f->paths = memory_grow(f->paths, &f->capacity, f->count + 1, sizeof *f->paths);
	f->paths[f->count++] = memory_duplicate_text(path);
}

bool pipeline_path_has_prefix(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(path, prefix, length) && (path[length] == 0 || path[length] == '.');
}

bool pipeline_paths_overlap(const char *a, const char *b)
{
	return pipeline_path_has_prefix(a, b) || pipeline_path_has_prefix(b, a);
}

bool pipeline_fields_overlap(const struct pipeline_fields *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (pipeline_paths_overlap(f->paths[i], path))
			return true;
	return false;
}

/* A dot sorts before every other byte, so that a path stands right before its children. */
static int compare_paths(const void *a, const void *b)
{
	const unsigned char *x = *(const unsigned char *const *)a, *y = *(const unsigned char *const *)b;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	if (*x == *y)
		return 0;
	if (*x == 0 || *y == 0)
		return *x == 0 ? -1 : 1;
	if (*x == '.' || *y == '.')
		return *x == '.' ? -1 : 1;
	return *x < *y ? -1 : 1;
}

void pipeline_fields_write_projection(struct pipeline_fields *f, struct writer *w)
{
	const char *last = NULL;
	bool has_id = false;

	qsort(f->paths, f->count, sizeof *f->paths, compare_paths);
	for (size_t i = 0; i < f->count; i++) {
		if (last && pipeline_path_has_prefix(f->paths[i], last))
			continue;
		last = f->paths[i];
		has_id = has_id || pipeline_path_has_prefix(last, "_id");
		writer_int32(w, last, 1);
	}
	if (!has_id)
		writer_int32(w, "_id", 0);
}
