#include "engine/emulation.h"

#include <string.h>

#include "base/limits.h"
#include "bson/print.h"
#include "engine/store.h"

enum { CODE_ResultTooLarge = 17419, LIMIT_SLACK_BYTES = LIMIT_INTERNAL_BYTES - LIMIT_USER_BYTES };

static const struct emulation versions[] = {
	{ "9.0", "9.0.0", { 9, 0, 0, 0 }, .names_executor = true, .one_code_over_limit = true, .validation_constraints = true },
	{ "8.0", "8.0.0", { 8, 0, 0, 0 }, false, false, false },
};

const struct emulation *emulation_default(void)
{
	return &versions[0];
}

const struct emulation *emulation_find(const char *name)
{
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (!strcmp(versions[i].name, name))
			return &versions[i];
	return NULL;
}

const struct emulation *emulation_at(size_t i)
{
	return i < sizeof versions / sizeof *versions ? &versions[i] : NULL;
}

/* Just over the limit the update layer refuses, further over the BSON builder does. */
static bool fail_by_size(struct value document, long long size, long long limit, bson_error_t *error)
{
	long long internal = limit + LIMIT_SLACK_BYTES;
	struct bytes first = BYTES_INIT;
	struct walk w;
	struct field f;

	if (size <= internal)
		return error_set(error, ERROR_SERVER, CODE_ResultTooLarge, "Resulting document after update is larger than %lld",
		                 limit);
	walk_begin(&w, document);
	if (value_is_document(document) && walk_next(&w, &f)) {
		bytes_append_text(&first, " First element: ");
		print_text(&first, f.key.bytes, f.key.size_bytes);
		bytes_append_text(&first, ": ");
		print_line(&first, f.value, PRINT_SERVER);
	}
	error_set(error, ERROR_SERVER, CODE_BSONObjectTooLarge,
	          "BSONObj size: %lld (0x%llX) is invalid. Size must be between 0 and %lld(%lldMB)%s", size, size, internal,
	          internal / (1024 * 1024), bytes_text(&first));
	bytes_clear(&first);
	return false;
}

bool emulation_check_update(const struct emulation *m, struct value document, int64_t size_bytes, int64_t limit_bytes,
                            bson_error_t *error)
{
	if (size_bytes <= limit_bytes)
		return true;
	if (!m->one_code_over_limit)
		return fail_by_size(document, size_bytes, limit_bytes, error);
	return error_set(error, ERROR_SERVER, CODE_BSONObjectTooLarge, "Resulting document after update is larger than %lld",
	                 (long long)limit_bytes);
}
