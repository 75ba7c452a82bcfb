/* The samples as published: counts, bytes at rest, indexes. */
#include "harness/data.h"

#include <stdio.h>
#include <string.h>

#include "samples/samples.h"

#define BYTES "[{'$group': {'_id': null, 'n': {'$sum': {'$bsonSize': '$$ROOT'}}}}]"
#define COUNT "[{'$group': {'_id': null, 'n': {'$sum': 1}}}]"
#define MAX   "[{'$group': {'_id': null, 'n': {'$max': {'$bsonSize': '$$ROOT'}}}}]"

static struct sample {
	struct source *source;
	struct model *model;
} open_or_fail(const char *name)
{
	struct sample s;
	bson_error_t error;

	s.source = sample_open(name, &s.model, &error);
	if (!s.source)
		fprintf(stderr, "%s: %s\n", name, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s.source);
	return s;
}

static void finish(struct sample s)
{
	source_destroy(s.source);
	model_destroy(s.model);
}

static void library_is_as_published(void)
{
	struct sample s = open_or_fail("library");

	ASSERT_TEXT(s.source->name, "sample:library");
	CU_ASSERT_EQUAL(data_number(s.source, "library", "kitap", COUNT), 20000);
	CU_ASSERT_EQUAL(data_number(s.source, "library", "kitap", BYTES), 2043344);
	CU_ASSERT_EQUAL(data_number(s.source, "library", "kopya", COUNT), 58595);
	CU_ASSERT_EQUAL(data_number(s.source, "library", "kopya", BYTES), 4569029);
	finish(s);
}

static void library_has_no_added_keys(void)
{
	struct sample s = open_or_fail("library");
	struct value first = value_get(
	        value_get(value_get(data_ask(s.source, "library", "{'find': 'kitap', 'filter': {'_k': 'K-00001'}}"),
	                            "cursor"),
	                  "firstBatch"),
	        "0");

	ASSERT_TEXT(harness_text(first),
	            "{\"_k\": \"K-00001\", \"baslik\": \"Kitap 1 uzerine incelemeler\", \"yazar\": \"Yazar 1\", "
	            "\"yayin_yili\": 1951}");
	finish(s);
}

static void index_names(struct source *source, const char *db, const char *collection, const char *expected)
{
	char *command = bson_strdup_printf("{'listIndexes': '%s'}", collection);
	struct value batch = value_get(value_get(data_ask(source, db, command), "cursor"), "firstBatch");
	struct bytes names = BYTES_INIT;
	struct walk w;
	struct field f;

	walk_begin(&w, batch);
	while (walk_next(&w, &f))
		bytes_format(&names, "%s%s%s", names.size ? " " : "", value_text(value_get(f.value, "name")).bytes,
		             value_is_true(value_get(f.value, "unique")) ? "!" : "");
	ASSERT_TEXT(bytes_text(&names), expected);
	bytes_clear(&names);
	bson_free(command);
}

static void indexes_are_there(void)
{
	struct sample library = open_or_fail("library"), bookstore = open_or_fail("bookstore");

	index_names(library.source, "library", "kitap", "_k_1!");
	index_names(library.source, "library", "kopya", "_k_1! kitap_1 sube_1");
	index_names(bookstore.source, "bookstore", "books", "_id_ authors.authorId_1 category.categoryId_1_title_1");
	index_names(bookstore.source, "bookstore", "reviews", "_id_ bookId_1_reviewedAt_-1");
	index_names(bookstore.source, "bookstore", "orders", "_id_ customer.customerId_1_orderedAt_-1");
	index_names(bookstore.source, "bookstore", "authors", "_id_");
	finish(library);
	finish(bookstore);
}

static void bookstore_is_as_published(void)
{
	static const struct {
		const char *collection;
		int64_t count, average, max;
	} expected[] = {
		{ "books", 77, 344, 542 },
		{ "orders", 379, 429, 696 },
		{ "reviews", 181, 142, 172 },
		{ "customers", 40, 159, 185 },
	};
	struct sample s = open_or_fail("bookstore");

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		int64_t count = data_number(s.source, "bookstore", expected[i].collection, COUNT);
		int64_t bytes = data_number(s.source, "bookstore", expected[i].collection, BYTES);

		CU_ASSERT_EQUAL(count, expected[i].count);
		CU_ASSERT_EQUAL((bytes + count / 2) / count, expected[i].average);
		CU_ASSERT_EQUAL(data_number(s.source, "bookstore", expected[i].collection, MAX), expected[i].max);
	}
	CU_ASSERT_EQUAL(data_number(s.source, "bookstore", "authors", COUNT), 75);
	CU_ASSERT_EQUAL(data_number(s.source, "bookstore", "categories", COUNT), 14);
	CU_ASSERT_EQUAL(
	        data_number(s.source, "bookstore", "books",
	                    "[{'$match': {'_id': 26}}, {'$project': {'_id': 0, 'n': {'$bsonSize': '$$ROOT'}}}]"),
	        339);
	finish(s);
}

static void unknown_samples_are_named(void)
{
	struct model *model;
	bson_error_t error;

	CU_ASSERT_PTR_NULL(sample_open("cinema", &model, &error));
	CU_ASSERT_PTR_NULL(model);
	ASSERT_TEXT(error.message, "unknown sample \"cinema\"; there are: bookstore, library");
}

/* Told, not asserted. */
static void tells_how_long_loading_takes(void)
{
	int64_t start_us = interrupt_now_us();
	struct sample library = open_or_fail("library"), bookstore = open_or_fail("bookstore");

	printf("both samples loaded in %lld ms ", (long long)(interrupt_now_us() - start_us) / 1000);
	finish(library);
	finish(bookstore);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "library: documents and bytes", library_is_as_published },
		{ "library: documents as they are", library_has_no_added_keys },
		{ "indexes", indexes_are_there },
		{ "bookstore: documents, averages, largest", bookstore_is_as_published },
		{ "an unknown sample lists what there is", unknown_samples_are_named },
		{ "loading time", tells_how_long_loading_takes },
		{ NULL, NULL },
	};

	return harness_run("samples", cases);
}
