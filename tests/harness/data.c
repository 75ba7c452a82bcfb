#include "harness/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cursor.h"

struct value data_ask(struct source *s, const char *db, const char *command)
{
	bson_t request, reply;
	bson_error_t error;
	uint8_t *copy;
	struct value v;

	if (!value_to_bson(&request, harness_json(command)) || !source_command(s, db, &request, &reply, NULL, &error)) {
		fprintf(stderr, "%s: %s\n", command, error.message);
		abort();
	}
	copy = malloc(reply.len);
	memcpy(copy, bson_get_data(&reply), reply.len);
	value_document(&v, copy, reply.len);
	harness_keep((char *)copy);
	bson_destroy(&reply);
	return v;
}

int64_t data_number(struct source *s, const char *db, const char *collection, const char *pipeline)
{
	char *command = bson_strdup_printf("{'aggregate': '%s', 'pipeline': %s, 'cursor': {}}", collection, pipeline);
	struct value cursor = value_get(data_ask(s, db, command), "cursor");
	struct value first = value_get(value_get(cursor, "firstBatch"), "0");
	int64_t n;

	bson_free(command);
	return value_is_document(first) && value_as_int64(value_get(first, "n"), &n) ? n : -1;
}

static bool append(void *context, struct value document, bson_error_t *error)
{
	(void)error;
	bytes_append(context, document.bytes, document.size_bytes);
	return true;
}

struct bytes data_all(struct source *s, const char *db, const char *collection, const char *sort)
{
	char *command = bson_strdup_printf("{'find': '%s', 'sort': %s}", collection, sort);
	struct bytes all = BYTES_INIT;
	bson_error_t error;
	bson_t request;

	if (!value_to_bson(&request, harness_json(command)) ||
	    !cursor_run(s, db, &request, append, &all, NULL, &error)) {
		fprintf(stderr, "%s: %s\n", command, error.message);
		abort();
	}
	bson_free(command);
	return all;
}

size_t data_count(const struct bytes *documents)
{
	struct value v;
	size_t count = 0;

	for (size_t at = 0; at < documents->size && value_document(&v, documents->data + at, documents->size - at);
	     at += v.size_bytes)
		count++;
	return count;
}

void data_same_sizes(const struct sizes *a, const struct sizes *b)
{
	CU_ASSERT_EQUAL(a->count.value, b->count.value);
	CU_ASSERT_EQUAL(a->bytes.value, b->bytes.value);
	CU_ASSERT_EQUAL(a->max.value, b->max.value);
	CU_ASSERT_EQUAL(a->p50.value, b->p50.value);
	CU_ASSERT_EQUAL(a->p99.value, b->p99.value);
	CU_ASSERT_EQUAL(a->count.provenance, PROVENANCE_EXACT);
	CU_ASSERT_EQUAL(a->p50.provenance, PROVENANCE_EXACT);
	CU_ASSERT_EQUAL(a->bin_count, b->bin_count);
	CU_ASSERT_EQUAL(a->largest_count, b->largest_count);
	for (size_t i = 0; i < a->largest_count && i < b->largest_count; i++) {
		CU_ASSERT_EQUAL(a->largest[i].size_bytes, b->largest[i].size_bytes);
		CU_ASSERT_EQUAL(a->largest[i].id.size, b->largest[i].id.size);
		CU_ASSERT(!memcmp(a->largest[i].id.data, b->largest[i].id.data, a->largest[i].id.size));
	}
}
