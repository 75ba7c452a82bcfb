#include "bson/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void path_parse(struct path *p, struct key dotted)
{
	size_t start = 0;

	p->text = memory_allocate((size_t)dotted.size_bytes + 1);
	if (dotted.size_bytes)
		memcpy(p->text, dotted.bytes, dotted.size_bytes);
	p->text[dotted.size_bytes] = 0;
	p->count = 1;
	for (size_t i = 0; i < dotted.size_bytes; i++)
		p->count += p->text[i] == '.';
	p->keys = memory_allocate_zeroed(p->count, sizeof *p->keys);
	for (size_t i = 0; i < p->count; i++) {
		const char *dot = memchr(p->text + start, '.', dotted.size_bytes - start);
		size_t end = dot ? (size_t)(dot - p->text) : dotted.size_bytes;

		p->keys[i] = (struct key){ p->text + start, (uint32_t)(end - start) };
		start = end + 1;
	}
}

void path_clear(struct path *p)
{
	free(p->keys);
	free(p->text);
	*p = (struct path){ 0 };
}

struct value path_get(const struct path *p, struct value document)
{
	struct value v = document;

	for (size_t i = 0; i < p->count; i++) {
		if (!value_is_document(v))
			return value_missing();
		v = value_get_key(v, p->keys[i]);
	}
	return v;
}

bool path_key_is_index(struct key key, uint32_t *index)
{
	uint64_t n = 0;

	if (!key.size_bytes || key.size_bytes > 9 || (key.bytes[0] == '0' && key.size_bytes > 1))
		return false;
	for (uint32_t i = 0; i < key.size_bytes; i++) {
		if (key.bytes[i] < '0' || key.bytes[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(key.bytes[i] - '0');
	}
	*index = (uint32_t)n;
	return true;
}
