#include "bson/check.h"

#include <string.h>

bool check_document(struct value document, bson_error_t *error)
{
	const char *reason;
	size_t offset;

	if (value_check(document, &reason, &offset))
		return true;
	if (!strcmp(reason, VALUE_TOO_DEEP))
		return error_set(error, ERROR_SERVER, CODE_Overflow, "BSONObj exceeded maximum nested object depth: %d",
		                 (int)VALUE_DEPTH_LIMIT);
	return error_set(error, ERROR_SERVER, CODE_InvalidBSON, "invalid BSON in the command: %s at offset %zu", reason, offset);
}
