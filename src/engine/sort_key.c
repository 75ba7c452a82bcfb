#include "engine/sort_key.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/path.h"
#include "bson/print.h"
#include "engine/index_key.h"
#include "engine/key_paths.h"

enum {
	CODE_NotANumber = 15974,
	CODE_NotADirection = 15975,
	CODE_NoKeys = 15976,
	CODE_NotMeta = 17312,
	CODE_EmptyFieldPath = 40352,
	CODE_TrailingDot = 40353,
	CODE_EmptyPathField = 15998,
	CODE_DollarPathField = 16410,
	CODE_DuplicateKeys = 7472500,
	CODE_TooManyFields = 13103
};

struct sort_pattern {
	struct path paths[KEY_PATHS_LIMIT];
	bool descending[KEY_PATHS_LIMIT];
	struct key_paths walk; /* `emit` and `context` are set by each call */
};

/* The rules of a field path; https://www.mongodb.com/docs/manual/core/field-paths/ */
static bool check_path(const struct path *path, bson_error_t *error)
{
	if (!*path->text)
		return error_set(error, ERROR_SERVER, CODE_EmptyFieldPath,
		                 "FieldPath cannot be constructed with empty string");
	if (path->text[strlen(path->text) - 1] == '.')
		return error_set(error, ERROR_SERVER, CODE_TrailingDot, "FieldPath must not end with a '.'.");
	if (path->count > KEY_PATH_COMPONENTS_LIMIT)
		return error_set(error, ERROR_SERVER, CODE_Overflow, "FieldPath is too long");
	for (size_t i = 0; i < path->count; i++) {
		if (!path->keys[i].size_bytes)
			return error_set(error, ERROR_SERVER, CODE_EmptyPathField,
			                 "FieldPath field names may not be empty strings.");
		if (path->keys[i].bytes[0] == '$')
			return error_set(error, ERROR_SERVER, CODE_DollarPathField,
			                 "FieldPath field names may not start with '$'. Consider using $getField or "
			                 "$setField.");
	}
	return true;
}

static bool fail_illegal(struct field f, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, f.key.bytes, f.key.size_bytes);
	bytes_append_text(&text, ": ");
	print_line(&text, f.value, PRINT_SERVER);
	error_set(error, ERROR_SERVER, CODE_NotANumber, "Illegal key in $sort specification: %s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

static bool check_direction(struct field f, bool *descending, bson_error_t *error)
{
	double n = value_as_double(f.value);

	if (value_is_document(f.value)) {
		if (value_is_missing(value_get(f.value, "$meta")))
			return error_set(error, ERROR_SERVER, CODE_NotMeta,
			                 "$meta is the only expression supported by $sort right now");
		return error_set(error, ERROR_SERVER, CODE_NotImplemented,
		                 "sorting by $meta is not supported by this engine");
	}
	if (!value_is_number(f.value))
		return fail_illegal(f, error);
	if (!(n >= 1 && n < 2) && !(n <= -1 && n > -2)) /* MongoDB cuts to an integer first */
		return error_set(error, ERROR_SERVER, CODE_NotADirection,
		                 "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
	*descending = n < 0;
	return true;
}

static bool add_field(struct sort_pattern *p, struct field f, bson_error_t *error)
{
	size_t i = p->walk.count;

	if (i == KEY_PATHS_LIMIT)
		return error_set(error, ERROR_SERVER, CODE_TooManyFields, "too many compound keys");
	if (!check_direction(f, &p->descending[i], error))
		return false;
	path_parse(&p->paths[i], f.key);
	p->walk.paths[i] = &p->paths[i];
	p->walk.count++;
	if (!check_path(&p->paths[i], error))
		return false;
	for (size_t j = 0; j < i; j++)
		if (!strcmp(p->paths[j].text, p->paths[i].text))
			return error_set(error, ERROR_SERVER, CODE_DuplicateKeys,
			                 "$sort key must not contain duplicate keys (duplicate: '%s')", p->paths[i].text);
	return true;
}

struct sort_pattern *sort_pattern_compile(struct value specification, bson_error_t *error)
{
	struct sort_pattern *p = memory_allocate_zeroed(1, sizeof *p);
	struct walk w;
	struct field f;
	bool right = true;

	walk_begin(&w, specification);
	while (right && walk_next(&w, &f))
		right = add_field(p, f, error);
	if (right && !p->walk.count)
		right = error_set(error, ERROR_SERVER, CODE_NoKeys, "$sort stage must have at least one sort key");
	if (right)
		return p;
	sort_pattern_destroy(p);
	return NULL;
}

void sort_pattern_destroy(struct sort_pattern *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->walk.count; i++)
		path_clear(&p->paths[i]);
	free(p);
}

/* The least key so far lies at `start`; the next one is written behind it. */
struct least_key {
	const struct sort_pattern *pattern;
	struct bytes *key;
	size_t start;
};

static void keep_least(void *context, const struct value *values)
{
	struct least_key *least = context;
	struct bytes *key = least->key;
	size_t end = key->size, before = end - least->start, size;
	const uint8_t *a, *b;

	for (size_t i = 0; i < least->pattern->walk.count; i++)
		index_key_append(key, values[i], least->pattern->descending[i]);
	size = key->size - end;
	a = key->data + least->start;
	b = key->data + end;
	/* no key is the beginning of another: the common length decides */
	if (before && memcmp(a, b, before < size ? before : size) <= 0) {
		key->size = end;
	} else if (before) {
		memmove(key->data + least->start, b, size);
		key->size = least->start + size;
	}
}

bool sort_pattern_key(const struct sort_pattern *p, struct value document, struct bytes *key, bson_error_t *error)
{
	struct least_key least = { p, key, key->size };
	struct key_paths walk = p->walk;
	bson_error_t reason;

	walk.emit = keep_least;
	walk.context = &least;
	if (key_paths_walk(&walk, document, &reason))
		return true;
	key->size = least.start;
	if (reason.code == CODE_CannotIndexParallelArrays)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "cannot sort with keys that are parallel arrays");
	return error_set(error, ERROR_SERVER, reason.code, "%s", reason.message);
}
