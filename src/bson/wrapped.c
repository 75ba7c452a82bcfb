#include "bson/wrapped.h"

void wrapped_set(struct bytes *out, struct value v)
{
	uint32_t size = BSON_UINT32_TO_LE(4 + 2 + v.size_bytes + 1);

	bytes_reset(out);
	if (value_is_missing(v))
		return;
	bytes_append(out, &size, 4);
	bytes_append_byte(out, v.type);
	bytes_append_byte(out, 0);
	bytes_append(out, v.bytes, v.size_bytes);
	bytes_append_byte(out, 0);
}

struct value wrapped_value(const struct bytes *wrapped)
{
	struct value document;

	return value_document(&document, wrapped->data, wrapped->size) ? value_get(document, "") : value_missing();
}
