/* The largest documents of a collection, and a result that is kept. */
#include <stdlib.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "model/sizes_private.h"

static void set_id(struct largest_document *largest, struct value key)
{
	uint32_t size = BSON_UINT32_TO_LE(4 + 2 + key.size_bytes + 1);

	bytes_reset(&largest->id);
	if (value_is_missing(key))
		return;
	bytes_append(&largest->id, &size, 4);
	bytes_append_byte(&largest->id, key.type);
	bytes_append_byte(&largest->id, 0);
	bytes_append(&largest->id, key.bytes, key.size_bytes);
	bytes_append_byte(&largest->id, 0);
}

static struct value id_of(const struct largest_document *largest)
{
	struct value document;

	return value_document(&document, largest->id.data, largest->id.size) ? value_get(document, "") : value_null();
}

/* Equal sizes stand in the order of keys, so that every run names the same documents; a missing key is as null. */
static bool is_before(int64_t size_bytes, struct value key, const struct largest_document *other)
{
	if (size_bytes != other->size_bytes)
		return size_bytes > other->size_bytes;
	return value_compare(value_is_missing(key) ? value_null() : key, id_of(other)) < 0;
}

void sizes_offer(void *context, int64_t size_bytes, struct value key)
{
	struct sizes *result = ((struct gathering *)context)->result;
	struct largest_document *list = result->largest, last;
	size_t i = result->largest_count;

	if (i == result->largest_most && !is_before(size_bytes, key, &list[i - 1]))
		return;
	if (i < result->largest_most)
		result->largest_count++;
	else
		i--;
	last = list[i]; /* its memory is used again */
	for (; i > 0 && is_before(size_bytes, key, &list[i - 1]); i--)
		list[i] = list[i - 1];
	list[i] = last;
	list[i].size_bytes = size_bytes;
	set_id(&list[i], key);
}

static char *copy_text(const char *text)
{
	return text ? memory_duplicate_text(text) : NULL;
}

struct sizes *sizes_copy(const struct sizes *s)
{
	struct sizes *copy = memory_duplicate(s, sizeof *s);

	copy->db = copy_text(s->db);
	copy->collection = copy_text(s->collection);
	copy->kind = copy_text(s->kind);
	copy->remark = copy_text(s->remark);
	copy->largest = memory_duplicate(s->largest, s->largest_most * sizeof *s->largest);
	for (size_t i = 0; i < s->largest_most; i++) {
		bytes_init(&copy->largest[i].id);
		bytes_append(&copy->largest[i].id, s->largest[i].id.data, s->largest[i].id.size);
	}
	return copy;
}

void sizes_destroy(struct sizes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->largest_most; i++)
		bytes_clear(&s->largest[i].id);
	free(s->largest);
	free(s->db);
	free(s->collection);
	free(s->kind);
	free(s->remark);
	free(s);
}
