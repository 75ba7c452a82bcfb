#include "model/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cursor.h"

/* How many documents have a size; ascending in the list. */
struct size_count {
	int64_t size_bytes, count;
};

struct gathering {
	struct size_count *sizes;
	size_t count, capacity;
	struct sizes *result;
};

static bool take_size(void *context, struct value document, bson_error_t *error)
{
	struct gathering *g = context;
	struct size_count s;

	if (!value_as_int64(value_get(document, "_id"), &s.size_bytes) ||
	    !value_as_int64(value_get(document, "n"), &s.count))
		return error_set(error, ERROR_INPUT, 0, "a count of documents by size without a number");
	g->sizes = memory_grow(g->sizes, &g->capacity, g->count + 1, sizeof *g->sizes);
	g->sizes[g->count++] = s;
	return true;
}

static bool take_largest(void *context, struct value document, bson_error_t *error)
{
	struct sizes *result = ((struct gathering *)context)->result;
	struct largest_document *largest = &result->largest[result->largest_count];
	struct value key = value_get(document, "key");

	if (result->largest_count == SIZES_LARGEST)
		return true;
	if (!value_as_int64(value_get(document, "bytes"), &largest->size_bytes))
		return error_set(error, ERROR_INPUT, 0, "the size of a document is no number");
	if (!value_is_missing(key)) {
		struct bytes *out = &largest->id;
		uint32_t size = BSON_UINT32_TO_LE(4 + 2 + key.size_bytes + 1);

		bytes_append(out, &size, 4);
		bytes_append_byte(out, key.type);
		bytes_append_byte(out, 0);
		bytes_append(out, key.bytes, key.size_bytes);
		bytes_append_byte(out, 0);
	}
	result->largest_count++;
	return true;
}

static bool take_kind(void *context, struct value document, bson_error_t *error)
{
	struct sizes *result = ((struct gathering *)context)->result;
	struct value type = value_get(document, "type"), options = value_get(document, "options");
	const char *kind = "collection";

	(void)error;
	if (type.type == BSON_TYPE_UTF8 && value_text(type).size_bytes)
		kind = value_text(type).bytes;
	if (value_is_document(options) && value_is_true(value_get(options, "capped")))
		kind = "capped";
	free(result->kind);
	result->kind = memory_duplicate_text(kind);
	return true;
}

static bool run(struct source *s, const char *db, bson_t *command, cursor_each each, struct gathering *g,
                const struct interrupt *interrupt, bson_error_t *error)
{
	bool good = cursor_run(s, db, command, each, g, interrupt, error);

	bson_destroy(command);
	return good;
}

static bool gather(struct gathering *g, struct source *s, const char *db, const char *collection, const char *key,
                   const struct interrupt *interrupt, bson_error_t *error)
{
	char *path = bson_strdup_printf("$%s", key);
	bson_t *kind = BCON_NEW("listCollections", BCON_INT32(1), "filter", "{", "name", BCON_UTF8(collection), "}");
	bson_t *by_size = BCON_NEW("aggregate", BCON_UTF8(collection), "pipeline", "[", "{", "$group", "{", "_id", "{",
	                           "$bsonSize", BCON_UTF8("$$ROOT"), "}", "n", "{", "$sum", BCON_INT32(1), "}", "}",
	                           "}", "{", "$sort", "{", "_id", BCON_INT32(1), "}", "}", "]", "cursor", "{", "}");
	/* equal sizes in the order of keys, so that every run names the same documents */
	bson_t *largest = BCON_NEW("aggregate", BCON_UTF8(collection), "pipeline", "[", "{", "$project", "{", "_id",
	                           BCON_INT32(0), "key", BCON_UTF8(path), "bytes", "{", "$bsonSize",
	                           BCON_UTF8("$$ROOT"), "}", "}", "}", "{", "$sort", "{", "bytes", BCON_INT32(-1),
	                           "key", BCON_INT32(1), "}", "}", "{", "$limit", BCON_INT32(SIZES_LARGEST), "}", "]",
	                           "cursor", "{", "}");
	bool good = run(s, db, kind, take_kind, g, interrupt, error);

	good = good ? run(s, db, by_size, take_size, g, interrupt, error) : (bson_destroy(by_size), false);
	good = good ? run(s, db, largest, take_largest, g, interrupt, error) : (bson_destroy(largest), false);
	bson_free(path);
	return good;
}

/* Nearest rank: the size of document number ceil(p/100 * count), from 1. */
static int64_t percentile(const struct gathering *g, int64_t count, int64_t percent)
{
	int64_t rank = (count / 100) * percent + ((count % 100) * percent + 99) / 100, seen = 0;
	size_t i = 0;

	while (i + 1 < g->count && (seen += g->sizes[i].count) < rank)
		i++;
	return g->sizes[i].size_bytes;
}

static size_t bin_of(int64_t size_bytes)
{
	size_t bin = 0;

	while (bin + 1 < SIZES_BINS && (int64_t)1 << (bin + 1) <= size_bytes)
		bin++;
	return bin;
}

static void fill_bins(struct sizes *result, const struct gathering *g)
{
	size_t first = bin_of(g->sizes[0].size_bytes), last = bin_of(g->sizes[g->count - 1].size_bytes);

	result->bin_count = last - first + 1;
	for (size_t i = 0; i < result->bin_count; i++) {
		result->bins[i].from_bytes = (int64_t)1 << (first + i);
		result->bins[i].to_bytes = (int64_t)1 << (first + i + 1);
	}
	for (size_t i = 0; i < g->count; i++)
		result->bins[bin_of(g->sizes[i].size_bytes) - first].count += g->sizes[i].count;
}

static struct figure exact(int64_t value)
{
	return figure_of(value, PROVENANCE_EXACT);
}

static void compute(struct sizes *result, const struct gathering *g, int64_t limit_bytes)
{
	int64_t count = 0, bytes = 0;

	for (size_t i = 0; i < g->count; i++) {
		count += g->sizes[i].count;
		bytes += g->sizes[i].count * g->sizes[i].size_bytes;
	}
	result->count = exact(count);
	result->bytes = exact(bytes);
	result->avg_millibytes = result->max = result->p50 = result->p90 = result->p99 = result->headroom =
	        figure_unknown();
	if (!count)
		return;
	/* in two parts: a thousand times the bytes may not fit */
	result->avg_millibytes = exact(bytes / count * 1000 + (bytes % count * 1000 + count / 2) / count);
	result->max = exact(g->sizes[g->count - 1].size_bytes);
	result->p50 = exact(percentile(g, count, 50));
	result->p90 = exact(percentile(g, count, 90));
	result->p99 = exact(percentile(g, count, 99));
	result->headroom = exact(limit_bytes - result->max.value);
	fill_bins(result, g);
}

struct sizes *sizes_measure(struct source *s, const char *db, const char *collection, const char *key,
                            int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error)
{
	struct sizes *result = memory_allocate_zeroed(1, sizeof *result);
	struct gathering g = { .result = result };
	bool good;

	result->db = memory_duplicate_text(db);
	result->collection = memory_duplicate_text(collection);
	good = gather(&g, s, db, collection, key ? key : "_id", interrupt, error);
	if (good && !result->kind)
		good = error_set(error, ERROR_INPUT, 0, "no collection \"%s\" in \"%s\"", collection, db);
	if (good)
		compute(result, &g, limit_bytes);
	free(g.sizes);
	if (good)
		return result;
	sizes_destroy(result);
	return NULL;
}

void sizes_destroy(struct sizes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < SIZES_LARGEST; i++)
		bytes_clear(&s->largest[i].id);
	free(s->db);
	free(s->collection);
	free(s->kind);
	free(s);
}
