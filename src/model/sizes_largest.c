/* The largest documents of a collection, and a result that is kept. */
#include <stdlib.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/wrapped.h"
#include "model/sizes_private.h"

static struct value or_null(struct value key)
{
	return value_is_missing(key) ? value_null() : key;
}

/* Equal sizes stand in the order of keys, so that every run names the same documents; a missing key is as null. */
static bool is_before(int64_t size_bytes, struct value key, const struct largest_document *other)
{
	if (size_bytes != other->size_bytes)
		return size_bytes > other->size_bytes;
	return value_compare(or_null(key), or_null(wrapped_value(&other->id))) < 0;
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
	wrapped_set(&list[i].id, key);
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
