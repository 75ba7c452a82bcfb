/*
 * Dumps give the figures of what was dumped, plain and packed; broken files say where and why, and show the rest; a
 * file that becomes shorter while it is mapped ends nothing.
 */
#include "base/limits.h"
#include "harness/data.h"
#include "harness/dump_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bson/writer.h"
#include "dump/dump.h"
#include "dump/stream.h"
#include "engine/store.h"
#include "model/sizes.h"
#include "model/workload.h"
#include "origin.h"
#include "samples/samples.h"

struct opened {
	struct source *source;
	struct model *model;
};

static struct opened open_path(const char *path, const char *queries)
{
	struct origin_wish wish = { .source = path, .queries = queries };
	struct opened o;
	bson_error_t error;

	o.source = origin_open(&wish, &o.model, &error);
	if (!o.source) {
		fprintf(stderr, "%s: %s\n", path, error.message);
		CU_FAIL_FATAL("a dump is not opened");
	}
	source_wait(o.source, true, NULL);
	return o;
}

static void close_opened(struct opened *o)
{
	source_destroy(o->source);
	model_destroy(o->model);
}

static const char *remark(struct opened *o, const char *db, const char *collection, bool *at_least)
{
	struct bytes text = BYTES_INIT;

	source_remark(o->source, db, collection, &text, at_least);
	return harness_keep(bytes_take_text(&text));
}

static struct sizes *measure(struct source *s, const char *db, const char *collection, const char *key, bool by_commands)
{
	bson_error_t error;
	struct sizes *sizes = (by_commands ? sizes_measure_by_commands : sizes_measure)(s, db, collection, key, 16777216, NULL, &error);

	if (!sizes)
		fprintf(stderr, "%s: %s\n", collection, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(sizes);
	return sizes;
}

static void check_figure(const char *what, struct figure a, struct figure b)
{
	if (a.value != b.value || a.provenance != b.provenance || a.at_least != b.at_least)
		fprintf(stderr, "%s: %lld and %lld\n", what, (long long)a.value, (long long)b.value);
	CU_ASSERT(a.value == b.value && a.provenance == b.provenance && a.at_least == b.at_least);
}

static void check_same_sizes(const struct sizes *a, const struct sizes *b)
{
	check_figure("count", a->count, b->count);
	check_figure("bytes", a->bytes, b->bytes);
	check_figure("avg", a->avg_millibytes, b->avg_millibytes);
	check_figure("max", a->max, b->max);
	check_figure("p50", a->p50, b->p50);
	check_figure("p90", a->p90, b->p90);
	check_figure("p99", a->p99, b->p99);
	check_figure("headroom", a->headroom, b->headroom);
	ASSERT_TEXT(a->kind, b->kind);
	CU_ASSERT_EQUAL(a->over_limit, b->over_limit);
	CU_ASSERT_EQUAL(a->bin_count, b->bin_count);
	CU_ASSERT(!memcmp(a->bins, b->bins, a->bin_count * sizeof *a->bins));
	CU_ASSERT_EQUAL_FATAL(a->largest_count, b->largest_count);
	for (size_t i = 0; i < a->largest_count; i++) {
		CU_ASSERT_EQUAL(a->largest[i].size_bytes, b->largest[i].size_bytes);
		CU_ASSERT_EQUAL_FATAL(a->largest[i].id.size, b->largest[i].id.size);
		CU_ASSERT(!a->largest[i].id.size ||
		          !memcmp(a->largest[i].id.data, b->largest[i].id.data, a->largest[i].id.size));
	}
}

static void check_same_workload(struct opened *a, struct opened *b)
{
	struct lab *lab_a = lab_new(a->source, a->model), *lab_b = lab_new(b->source, b->model);
	size_t rows = 0;

	for (size_t r = 0; r < a->model->relationship_count; r++) {
		for (int shape = 0; shape < SHAPE_KINDS && !a->model->relationships[r].population; shape++) {
			CU_ASSERT(lab_build(lab_a, &a->model->relationships[r], (enum shape_kind)shape, NULL, NULL));
			CU_ASSERT(lab_build(lab_b, &b->model->relationships[r], (enum shape_kind)shape, NULL, NULL));
			for (size_t o = 0; o < a->model->operation_count; o++) {
				struct workload_row *x = workload_measure(lab_a, &a->model->relationships[r], (enum shape_kind)shape,
				                                          &a->model->operations[o], NULL);
				struct workload_row *y = workload_measure(lab_b, &b->model->relationships[r], (enum shape_kind)shape,
				                                          &b->model->operations[o], NULL);

				CU_ASSERT(!x->failed && !y->failed);
				x->total.micros = y->total.micros = figure_unknown();
#define X(field, json, heading) check_figure(a->model->operations[o].name, x->total.field, y->total.field);
				COST_FIELDS(X)
#undef X
				workload_row_destroy(x);
				workload_row_destroy(y);
				rows++;
			}
		}
	}
	CU_ASSERT(rows > 0);
	lab_destroy(lab_a);
	lab_destroy(lab_b);
}

static void check_sample(const char *name, const char *queries, const char *const *collections, const char *key, bool gzipped)
{
	struct opened sample, dump;
	const char *folder = dump_folder();
	bson_error_t error;
	bool at_least;

	sample.source = sample_open(name, &sample.model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(sample.source);
	dump_write(sample.source, name, folder, gzipped);
	dump = open_path(folder, queries);
	for (; *collections; collections++) {
		struct sizes *a = measure(sample.source, name, *collections, key, true);
		struct sizes *b = measure(dump.source, name, *collections, key, false);
		struct sizes *c = measure(sample.source, name, *collections, key, false);

		check_same_sizes(a, b);
		check_same_sizes(a, c);
		ASSERT_TEXT(remark(&dump, name, *collections, &at_least), "");
		sizes_destroy(a);
		sizes_destroy(b);
		sizes_destroy(c);
	}
	check_same_workload(&sample, &dump);
	close_opened(&sample);
	close_opened(&dump);
}

static const char *const of_library[] = { "kitap", "kopya", NULL };
static const char *const of_bookstore[] = { "authors", "books", "categories", "customers", "orders", "reviews", NULL };

static void test_library(void)
{
	check_sample("library", "queries/library.json", of_library, "_k", false);
}

static void test_library_gzipped(void)
{
	check_sample("library", "queries/library.json", of_library, "_k", true);
}

static void test_bookstore(void)
{
	check_sample("bookstore", "queries/bookstore.json", of_bookstore, "_id", false);
}

static void test_bookstore_gzipped(void)
{
	check_sample("bookstore", "queries/bookstore.json", of_bookstore, "_id", true);
}

/* {_id: i, text: "…"} of that many bytes. */
static void add_document(struct bytes *out, int32_t id, size_t size_bytes)
{
	struct writer w;
	size_t length = size_bytes - 25;
	char *text = malloc(length + 1);

	memset(text, 'x', length);
	text[length] = 0;
	writer_begin(&w, out);
	writer_int32(&w, "_id", id);
	writer_text(&w, "text", text);
	writer_finish(&w);
	free(text);
}

static struct bytes documents(int32_t count)
{
	struct bytes out = BYTES_INIT;

	for (int32_t i = 0; i < count; i++)
		add_document(&out, i, 40);
	return out;
}

static void check_broken(const char *name, const void *tail, size_t tail_bytes, bool gzipped, const char *expected)
{
	struct bytes file = documents(10);
	const char *folder = dump_folder(), *path;
	struct opened o;
	struct sizes *sizes;
	bool at_least;

	bytes_append(&file, tail, tail_bytes);
	path = dump_file_write(folder, name, file.data, file.size, gzipped);
	o = open_path(path, NULL);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least), expected);
	CU_ASSERT(at_least);
	sizes = measure(o.source, "test", "x", "_id", false);
	CU_ASSERT_EQUAL(sizes->count.value, 10);
	CU_ASSERT(sizes->count.at_least && sizes->bytes.at_least && sizes->max.at_least);
	CU_ASSERT_EQUAL(sizes->p50.provenance, PROVENANCE_SAMPLED);
	ASSERT_TEXT(sizes->remark, expected);
	sizes_destroy(sizes);
	close_opened(&o);
	bytes_clear(&file);
}

static void test_broken_lengths(void)
{
	static const uint8_t past[] = { 0xa0, 0xbb, 0x0d, 0, 1, 2 }, small[] = { 4, 0, 0, 0, 0 }, negative[] = { 0xff, 0xff, 0xff, 0xff, 0 };
	static const uint8_t open_ended[] = { 6, 0, 0, 0, 0, 7 }, rest[] = { 1, 2 }, huge[] = { 1, 0x40, 0, 2 };

	check_broken("x.bson", past, sizeof past, false, "x.bson: offset 400: document length 900000 is past the end of the file");
	check_broken("x.bson.gz", past, sizeof past, true, "x.bson.gz: offset 400: document length 900000 is past the end of the file");
	check_broken("x.bson", small, sizeof small, false, "x.bson: offset 400: document length 4 is less than 5");
	check_broken("x.bson", negative, sizeof negative, false, "x.bson: offset 400: document length -1 is less than 5");
	check_broken("x.bson", open_ended, sizeof open_ended, false, "x.bson: offset 400: document of 6 bytes without a zero at its end");
	check_broken("x.bson", rest, sizeof rest, false, "x.bson: offset 400: 2 bytes behind the last document");
	check_broken("x.bson", huge, sizeof huge, false, "x.bson: offset 400: document length 33570817 is past the end of the file");
}

/* A file is read a window at a time: wherever its edges fall, and with documents that are larger than one. */
static void test_many_windows(void)
{
	for (size_t first = 40; first < 52; first++) {
		struct bytes file = BYTES_INIT;
		int64_t bytes;
		struct opened o;
		struct sizes *sizes;
		bool at_least;

		add_document(&file, -1, first); /* moves all others */
		for (int32_t i = 0; i < 20000; i++)
			add_document(&file, i, i % 5000 == 7 ? 300000 : 40 + (size_t)(i * 7919 % 61));
		bytes = (int64_t)file.size;
		bytes_append(&file, "\x06\0\0\0\0\x07", 6);
		o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
		CU_ASSERT_PTR_NOT_NULL(strstr(remark(&o, "test", "x", &at_least), ": document of 6 bytes without a zero at its end"));
		sizes = measure(o.source, "test", "x", "_id", false);
		CU_ASSERT(sizes->count.value == 20001 && sizes->bytes.value == bytes && sizes->max.value == 300000);
		CU_ASSERT_EQUAL(data_number(o.source, "test", "x", "[{'$group': {'_id': null, 'n': {'$sum': '$_id'}}}]"), 20000 * 19999 / 2 - 1);
		sizes_destroy(sizes);
		close_opened(&o);
		bytes_clear(&file);
	}
}

static void test_packed_file_cut_short(void)
{
	struct bytes file = BYTES_INIT;
	const char *folder = dump_folder(), *path, *text;
	struct opened o;
	bool at_least;

	for (int32_t i = 0; i < 20000; i++)
		add_document(&file, i, 200 + (size_t)(i * 7919 % 300));
	path = dump_file_write(folder, "x.bson.gz", file.data, file.size, true);
	{
		size_t size;
		char *packed = harness_read_file(path, &size);

		dump_file_write(folder, "x.bson.gz", packed, size / 2, false);
		free(packed);
	}
	o = open_path(path, NULL);
	text = remark(&o, "test", "x", &at_least);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "the file ends in the middle"));
	CU_ASSERT(at_least);
	CU_ASSERT(data_number(o.source, "test", "x", "[{'$count': 'n'}]") > 1000);
	close_opened(&o);
	bytes_clear(&file);
}

static int64_t count_of(struct opened *o)
{
	int64_t n = -1;

	value_as_int64(value_get(data_ask(o->source, "test", "{'count': 'x'}"), "n"), &n);
	return n;
}

static void check_json(const char *name, const char *text, bool gzipped, int64_t count, const char *expected)
{
	struct opened o = open_path(dump_file_write(dump_folder(), name, text, strlen(text), gzipped), NULL);
	bool at_least;

	CU_ASSERT_EQUAL(count_of(&o), count);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least), expected);
	CU_ASSERT_EQUAL(at_least, *expected != 0);
	close_opened(&o);
}

/* The first bytes of a gzip file are no empty file, nor is all but its last bytes a whole one. */
static void test_packing_cut_off(void)
{
	static const char text[] = "{\"_id\": 1}\n{\"_id\": 2}\n";
	const char *folder = dump_folder(), *path = dump_file_write(folder, "x.json.gz", text, sizeof text - 1, true);
	size_t size;
	char *packed = harness_read_file(path, &size);
	static const size_t kept[] = { 2, 12, 1 };

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		struct opened o;
		bool at_least;

		dump_file_write(folder, "x.json.gz", packed, i == 2 ? size - 1 : kept[i], false);
		o = open_path(path, NULL);
		CU_ASSERT_PTR_NOT_NULL(strstr(remark(&o, "test", "x", &at_least), "the file ends in the middle"));
		CU_ASSERT(at_least);
		CU_ASSERT_EQUAL(count_of(&o), i == 2 ? 2 : 0);
		close_opened(&o);
	}
	free(packed);
}

static void test_json(void)
{
	check_json("x.json", "{\"_id\": 1}\n{\"_id\": {\"$numberLong\": \"2\"}}\n", false, 2, "");
	check_json("x.json", "\xef\xbb\xbf[{\"_id\": 1},\n {\"_id\": 2}, {\"_id\": 3}]\n", false, 3, "");
	check_json("x.json.gz", "[{\"_id\": 1}]", true, 1, "");
	check_json("x.json.gz", "{\"_id\": 1} {\"_id\": 2}", true, 2, "");
	check_json("x.json", "[]", false, 0, "");
	check_json("x.json", "", false, 0, "");
	check_json("x.json", "{\"_id\": 1}\n{\"_id\": }\n", false, 1, "x.json: offset 11: 2:9: expected a value, found '}'");
	check_json("x.json", "[{\"_id\": 1} {\"_id\": 2}]", false, 1,
	           "x.json: offset 12: line 1: expected \",\" or \"]\" behind a document of the array");
	check_json("x.json", "[{\"_id\": 1},", false, 1, "x.json: offset 12: line 1: expected a document, found the end of the file");
	check_json("x.json", "{\"_id\": {\"$date\": 1356031024000}}\r\n{\"_id\": {\"$date\": -1}}\r\n", false, 2, "");
	check_json("x.json", "[] 1", false, 0, "x.json: offset 3: expected nothing behind the array");
}

/* Documents that lie across the blocks in which a text is unpacked, in each of the three forms of a file. */
static void test_json_that_is_unpacked(void)
{
	static const char *const forms[][3] = { { "", "\n", "" }, { "[", ",\n", "]\n" }, { "\xef\xbb\xbf \r\n[ ", "\r\n,", "\r\n]" } };

	for (size_t f = 0; f < 3; f++) {
		struct bytes text = BYTES_INIT;
		struct sizes *plain, *packed;
		struct opened a, b;
		bool at_least;

		bytes_append_text(&text, forms[f][0]);
		for (int i = 0; i < 30000; i++)
			bytes_format(&text, "%s{\"_id\": %d, \"brace\": \"}{][,\\\"\", \"text\": \"%0*d\"}", i ? forms[f][1] : "", i,
			             i == 20000 ? 3000000 : 40 + i * 7919 % 61, 0);
		bytes_append_text(&text, forms[f][2]);
		a = open_path(dump_file_write(dump_folder(), "x.json", text.data, text.size, false), NULL);
		b = open_path(dump_file_write(dump_folder(), "x.json.gz", text.data, text.size, true), NULL);
		ASSERT_TEXT(remark(&a, "test", "x", &at_least), "");
		ASSERT_TEXT(remark(&b, "test", "x", &at_least), "");
		CU_ASSERT_EQUAL(count_of(&b), 30000);
		plain = measure(a.source, "test", "x", "_id", false);
		packed = measure(b.source, "test", "x", "_id", false);
		check_same_sizes(plain, packed);
		sizes_destroy(plain);
		sizes_destroy(packed);
		close_opened(&a);
		close_opened(&b);
		bytes_clear(&text);
	}
}

/* Documents are given while the text behind them is not unpacked yet. */
static void test_json_appears_while_it_is_unpacked(void)
{
	struct bytes text = BYTES_INIT;
	struct dump_file file = { .format = DUMP_JSON, .gzipped = true };
	struct value list[16];
	struct stream *s;
	bson_error_t error;
	size_t count = 0;
	bool more = true;

	for (int i = 0; i < 400000; i++)
		bytes_format(&text, "{\"_id\": %d}\n", i * 5003 % 1000003);
	file.path = (char *)(uintptr_t)dump_file_write(dump_folder(), "x.json.gz", text.data, text.size, true);
	s = stream_open(&file, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	while (more && !count)
		CU_ASSERT_FATAL(stream_next(s, list, 16, &count, &more, &error));
	CU_ASSERT(count && stream_position(s) < stream_size(s) / 2);
	stream_close(s);
	bytes_clear(&text);
}

static void test_empty_files(void)
{
	struct opened o = open_path(dump_file_write(dump_folder(), "x.bson", "", 0, false), NULL);
	struct sizes *sizes = measure(o.source, "test", "x", "_id", false);

	CU_ASSERT_EQUAL(sizes->count.value, 0);
	CU_ASSERT(!sizes->count.at_least && !figure_known(sizes->max));
	sizes_destroy(sizes);
	close_opened(&o);
	o = open_path(dump_file_write(dump_folder(), "x.bson.gz", "", 0, true), NULL);
	CU_ASSERT_EQUAL(count_of(&o), 0);
	close_opened(&o);
}

/* Documents are taken as they are: no _id is added, and no unique index made that not all of them are in. */
static void test_documents_without_id(void)
{
	struct bytes file = documents(3);
	struct opened o;
	struct writer w;
	bool at_least;

	writer_begin(&w, &file);
	writer_int32(&w, "a", 1);
	writer_finish(&w);
	o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least), "no unique index on \"_id\": 1 of 4 documents have none");
	CU_ASSERT(!at_least);
	ASSERT_TEXT(harness_text(value_get(value_get(data_ask(o.source, "test", "{'find': 'x', 'skip': 3}"), "cursor"), "firstBatch")),
	            "[{\"a\": 1}]");
	ASSERT_TEXT(harness_text(value_get(value_get(data_ask(o.source, "test", "{'listIndexes': 'x'}"), "cursor"), "firstBatch")), "[]");
	close_opened(&o);
	bytes_clear(&file);
}

static void test_duplicate_keys(void)
{
	struct bytes file = documents(3);
	struct opened o;
	bool at_least;

	add_document(&file, 2, 40);
	o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least),
	            "no index \"_id_\": E11000 duplicate key error collection: test.x index: _id_ dup key: { _id: 2 }");
	CU_ASSERT_EQUAL(count_of(&o), 4);
	close_opened(&o);
	bytes_clear(&file);
}

static void test_document_over_the_limit(void)
{
	struct bytes file = documents(2);
	struct opened o;
	struct sizes *sizes;
	bool at_least;

	add_document(&file, 7, LIMIT_INTERNAL_BYTES);
	o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least), "");
	sizes = measure(o.source, "test", "x", "_id", false);
	CU_ASSERT_EQUAL(sizes->max.value, LIMIT_INTERNAL_BYTES);
	CU_ASSERT_EQUAL(sizes->headroom.value, LIMIT_USER_BYTES - LIMIT_INTERNAL_BYTES);
	CU_ASSERT_EQUAL(sizes->over_limit, 1);
	sizes_destroy(sizes);
	close_opened(&o);

	add_document(&file, 8, LIMIT_INTERNAL_BYTES + 1);
	o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least),
	            "x.bson: offset 16793680: document length 16793601 is over the internal limit of 16793600");
	CU_ASSERT_EQUAL(count_of(&o), 3);
	close_opened(&o);
	bytes_clear(&file);
}

/* The pages behind the new end are gone: reading them would end the program (SIGBUS). */
static void test_truncation_while_open(void)
{
	struct bytes file = documents(100000);
	const char *path = dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), *text;
	struct opened o = open_path(path, NULL);
	struct sizes *sizes;
	bool at_least;
	int64_t found;

	CU_ASSERT_EQUAL(count_of(&o), 100000);
	CU_ASSERT_EQUAL_FATAL(truncate(path, 1000000), 0);
	text = remark(&o, "test", "x", &at_least);
	ASSERT_TEXT(text, "x.bson became shorter while it is open: 1000000 of 4000000 bytes are left, documents behind them are read as "
	            "empty");
	CU_ASSERT(at_least);
	found = data_number(o.source, "test", "x", "[{'$match': {'text': {'$exists': true}}}, {'$count': 'n'}]");
	CU_ASSERT(found >= 25000 && found < 26000);
	CU_ASSERT_EQUAL(data_number(o.source, "test", "x", "[{'$sort': {'text': 1, '_id': -1}}, {'$count': 'n'}]"), 100000);
	sizes = measure(o.source, "test", "x", "_id", false);
	CU_ASSERT(sizes->count.at_least && sizes->remark);
	sizes_destroy(sizes);
	CU_ASSERT_EQUAL_FATAL(truncate(path, 0), 0);
	found = data_number(o.source, "test", "x", "[{'$match': {'text': {'$exists': true}}}, {'$count': 'n'}]");
	CU_ASSERT_EQUAL(found, -1);
	close_opened(&o);
	bytes_clear(&file);
}

/* One that is still being written: what is there when it is opened, to its last whole document; the rest when it is opened anew. */
static void test_file_that_grows(void)
{
	struct bytes file = documents(12);
	const char *folder = dump_folder(), *path = dump_file_write(folder, "x.bson", file.data, 410, false);
	struct opened o = open_path(path, NULL);
	struct sizes *sizes;
	bool at_least;

	CU_ASSERT_EQUAL(count_of(&o), 10);
	path = dump_file_write(folder, "x.bson", file.data, file.size, false);
	ASSERT_TEXT(remark(&o, "test", "x", &at_least), "x.bson: offset 400: document length 40 is past the end of the file");
	sizes = measure(o.source, "test", "x", "_id", false);
	CU_ASSERT(sizes->count.value == 10 && sizes->count.at_least && sizes->bytes.value == 400);
	CU_ASSERT_EQUAL(data_number(o.source, "test", "x", "[{'$group': {'_id': null, 'n': {'$sum': '$_id'}}}]"), 45);
	sizes_destroy(sizes);
	close_opened(&o);
	o = open_path(path, NULL);
	sizes = measure(o.source, "test", "x", "_id", false);
	CU_ASSERT(sizes->count.value == 12 && !sizes->count.at_least && !sizes->remark);
	sizes_destroy(sizes);
	close_opened(&o);
	bytes_clear(&file);
}

/* What is loaded can be asked for at once, and what was stopped says so. */
static void test_use_while_reading(void)
{
	struct bytes file = documents(400000);
	const char *path = dump_file_write(dump_folder(), "x.bson", file.data, file.size, false);
	struct dump_files files;
	struct model *model = model_empty("none", "test");
	struct opened o = { .model = model };
	struct source_progress progress;
	bson_error_t error;
	int64_t before = 0, now = 0;
	bool at_least;

	CU_ASSERT_FATAL(dump_files_find(path, &files, &error));
	o.source = dump_open("x", &files, model, true);
	while (source_progress(o.source, &progress) && progress.reading) {
		now = count_of(&o);
		CU_ASSERT(now >= before && now <= 400000);
		before = now;
	}
	CU_ASSERT(source_wait(o.source, true, NULL));
	CU_ASSERT_EQUAL(count_of(&o), 400000);
	CU_ASSERT_EQUAL(data_number(o.source, "test", "x", "[{'$match': {'_id': 399999}}, {'$project': {'n': '$_id'}}]"), 399999);
	source_destroy(o.source);

	CU_ASSERT_FATAL(dump_files_find(path, &files, &error));
	o.source = dump_open("x", &files, model, true);
	source_stop(o.source);
	CU_ASSERT(source_wait(o.source, true, NULL));
	CU_ASSERT_PTR_NOT_NULL(strstr(remark(&o, "test", "x", &at_least), "stopped"));
	CU_ASSERT(count_of(&o) <= 400000);
	close_opened(&o);
	bytes_clear(&file);
}

static const char metadata[] =
	"{\"indexes\":[{\"v\":2,\"key\":{\"_id\":1},\"name\":\"_id_\",\"ns\":\"shop.x\"},"
	"{\"v\":2,\"key\":{\"text\":1},\"name\":\"by text\"},{\"v\":2,\"key\":{\"text\":\"text\"},\"name\":\"words\"}],"
	"\"options\":{\"capped\":true,\"size\":4096},\"collectionName\":\"x\"}";

static const char view[] = "{\"options\":{\"viewOn\":\"x\",\"pipeline\":[]}}";

static void test_metadata(void)
{
	struct bytes file = documents(3);
	const char *folder = dump_folder();
	struct opened o;
	struct sizes *sizes;
	bool at_least;

	dump_file_write(folder, "shop/x.bson", file.data, file.size, false);
	dump_file_write(folder, "shop/x.metadata.json", metadata, sizeof metadata - 1, false);
	dump_file_write(folder, "shop/cheap.metadata.json", view, sizeof view - 1, false);
	dump_file_write(folder, "shop/a%24b%2Fc.bson", file.data, file.size, false);
	dump_file_write(folder, "shop/lost.metadata.json", "{\"indexes\":[]}", 14, false);
	o = open_path(folder, NULL);
	ASSERT_TEXT(o.model->database, "shop");
	CU_ASSERT_PTR_NOT_NULL(strstr(remark(&o, "shop", "x", &at_least), "no index \"words\": "));
	CU_ASSERT(!at_least);
	ASSERT_TEXT(remark(&o, "shop", "lost", &at_least), "its file of documents is missing");
	CU_ASSERT_PTR_NOT_NULL(strstr(remark(&o, "shop", NULL, &at_least), "\"a$b/c\": Invalid collection name: a$b/c"));
	ASSERT_TEXT(harness_text(value_get(value_get(data_ask(o.source, "shop", "{'listIndexes': 'x'}"), "cursor"), "firstBatch")),
	            "[{\"v\": 2, \"key\": {\"_id\": 1}, \"name\": \"_id_\"}, {\"v\": 2, \"key\": {\"text\": 1}, \"name\": \"by text\"}]");
	sizes = measure(o.source, "shop", "x", "_id", false);
	ASSERT_TEXT(sizes->kind, "capped");
	sizes_destroy(sizes);
	close_opened(&o);
	bytes_clear(&file);
}

static void check_computed(struct opened *o, const char *name, const char *kind, const char *remark, const char *message)
{
	static const char *const commands[] = {
		"{'find': '%s'}", "{'count': '%s'}", "{'distinct': '%s', 'key': 'a'}", "{'insert': '%s', 'documents': [{}]}",
		"{'aggregate': '%s', 'pipeline': [], 'cursor': {}}", "{'explain': {'aggregate': '%s', 'pipeline': [], 'cursor': {}}}",
		"{'explain': {'find': '%s'}}", "{'collStats': '%s'}", "{'listIndexes': '%s'}",
		"{'createIndexes': '%s', 'indexes': [{'key': {'a': 1}, 'name': 'a'}]}",
		"{'aggregate': 'x', 'pipeline': [{'$lookup': {'from': '%s', 'localField': 'a', 'foreignField': 'a', 'as': 'b'}}], 'cursor': {}}",
		"{'aggregate': 'x', 'pipeline': [{'$out': '%s'}], 'cursor': {}}",
	};
	struct bytes command = BYTES_INIT;
	struct sizes *sizes = measure(o->source, "shop", name, "_id", false);

	ASSERT_TEXT(sizes->kind, kind);
	ASSERT_TEXT(sizes->remark, remark);
	CU_ASSERT(!figure_known(sizes->count) && !figure_known(sizes->bytes) && !figure_known(sizes->max) && !sizes->bin_count);
	sizes_destroy(sizes);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		bson_t request, reply;
		bson_error_t error = { .message = "it was answered" };

		bytes_reset(&command);
		bytes_format(&command, commands[i], name);
		CU_ASSERT_FATAL(value_to_bson(&request, harness_json(bytes_text(&command))));
		CU_ASSERT_FALSE(source_command(o->source, "shop", &request, &reply, NULL, &error));
		bson_destroy(&reply);
		if (!strstr(error.message, message))
			fprintf(stderr, "%s: %s\n", bytes_text(&command), error.message);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.message, message));
	}
	bytes_clear(&command);
}

/* What has no documents of its own is named as what it is, and never passes for an empty collection. */
static void test_views_and_time_series(void)
{
	static const char series[] = "{\"options\":{\"timeseries\":{\"timeField\":\"t\"}},\"type\":\"timeseries\",\"indexes\":[]}";
	struct bytes file = documents(3);
	const char *folder = dump_folder();
	struct opened o;

	dump_file_write(folder, "shop/x.bson", file.data, file.size, false);
	dump_file_write(folder, "shop/system.buckets.heat.bson", file.data, file.size, false);
	dump_file_write(folder, "shop/heat.metadata.json", series, sizeof series - 1, false);
	dump_file_write(folder, "shop/cheap.metadata.json", view, sizeof view - 1, false);
	o = open_path(folder, NULL);
	check_computed(&o, "cheap", "view", "a view: what it returns is not computed",
	               "'shop.cheap' is a view, which is not supported by this engine");
	check_computed(&o, "heat", "timeseries", "a time series: its documents are in the buckets of \"system.buckets.heat\"",
	               "'shop.heat' is a time series, which is not supported by this engine");
	CU_ASSERT_EQUAL(data_number(o.source, "shop", "system.buckets.heat", "[{'$count': 'n'}]"), 3);
	CU_ASSERT_EQUAL(data_number(o.source, "shop", "x", "[{'$count': 'n'}]"), 3);
	close_opened(&o);
	bytes_clear(&file);
}

static void check_refused(const char *source, const char *queries, const char *expected)
{
	struct origin_wish wish = { .source = source, .queries = queries };
	struct model *model;
	bson_error_t error = { .message = "it was opened" };

	CU_ASSERT_PTR_NULL(origin_open(&wish, &model, &error));
	if (!strstr(error.message, expected))
		fprintf(stderr, "got      %s\nexpected %s\n", error.message, expected);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.message, expected));
}

static void test_refusals(void)
{
	static const uint8_t archive[] = { 0x6d, 0xe2, 0x99, 0x81, 0 };
	const char *folder = dump_folder();
	const char *root = dump_folder();

	check_refused(folder, NULL, "no .bson and no .json files in");
	check_refused("/nonexistent/x.bson", NULL, "cannot read \"/nonexistent/x.bson\": No such file or directory");
	check_refused(dump_file_write(folder, "x.archive", archive, sizeof archive, false), NULL, "is an archive of mongodump");
	check_refused(dump_file_write(folder, "x.archive.gz", archive, sizeof archive, true), NULL, "is an archive of mongodump");
	check_refused(dump_file_write(folder, "x.txt", "a", 1, false), NULL, "cannot tell what");
	dump_file_write(root, "shop/x.bson", "", 0, false);
	check_refused(root, "queries/library.json", "is a model of database \"library\"; the dump has: shop");
	check_refused("nonsense", NULL, "unknown source \"nonsense\"; there are: ");
	dump_file_write(folder, "x.bson", "", 0, false);
	dump_file_write(folder, "x.json", "", 0, false);
	check_refused(folder, NULL, "two files for one collection");
}

/* Without keys in the way: sizes above the counters, ties by key, missing keys. */
static void test_sizes_both_ways(void)
{
	struct bytes file = BYTES_INIT;
	struct opened o;
	struct sizes *walked, *asked;
	struct writer w;

	for (int32_t i = 0; i < 3000; i++)
		add_document(&file, (i * 7919) % 3000, 30 + (size_t)(i % 37) * (size_t)(i % 11));
	for (int i = 0; i < 5; i++) {
		writer_begin(&w, &file);
		writer_text(&w, "a", "a text without a key that is among the largest, which are of four hundred bytes or so, so this one has to "
		            "be longer than that and goes on and on: there is nothing to read here, it is there for its length alone, and "
		            "there is more of it: one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen and so "
		            "on up to a hundred, when it is long enough for what it is needed for, and then it ends");
		writer_finish(&w);
	}
	o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
	walked = measure(o.source, "test", "x", "_id", false);
	asked = measure(o.source, "test", "x", "_id", true);
	check_same_sizes(walked, asked);
	sizes_destroy(walked);
	sizes_destroy(asked);
	close_opened(&o);
	bytes_clear(&file);
}

/* Whatever stands inside of documents whose lengths are right: commands answer, and nothing ends. */
static void test_damaged_insides(void)
{
	uint32_t seed = 7;

	for (int round = 0; round < 60; round++) {
		struct bytes file = documents(50);
		struct opened o;

		for (int i = 0; i < 80; i++) {
			size_t at;

			seed = seed * 1103515245u + 12345u;
			at = seed % file.size;
			if (at % 40 >= 4 && at % 40 < 39)
				file.data[at] = (uint8_t)(seed >> 24);
		}
		o = open_path(dump_file_write(dump_folder(), "x.bson", file.data, file.size, false), NULL);
		CU_ASSERT_EQUAL(count_of(&o), 50);
		data_ask(o.source, "test", "{'find': 'x', 'filter': {'text': {'$gt': 'a'}}, 'sort': {'text': 1, '_id': 1}}");
		data_ask(o.source, "test", "{'aggregate': 'x', 'pipeline': [{'$group': {'_id': '$text', 'n': {'$sum': '$_id'}}}], 'cursor': {}}");
		close_opened(&o);
		bytes_clear(&file);
	}
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "library", test_library },
		{ "library, gzipped", test_library_gzipped },
		{ "bookstore", test_bookstore },
		{ "bookstore, gzipped", test_bookstore_gzipped },
		{ "broken lengths", test_broken_lengths },
		{ "many windows", test_many_windows },
		{ "packed file cut short", test_packed_file_cut_short },
		{ "packing cut off", test_packing_cut_off },
		{ "json", test_json },
		{ "json that is unpacked", test_json_that_is_unpacked },
		{ "json appears while it is unpacked", test_json_appears_while_it_is_unpacked },
		{ "empty files", test_empty_files },
		{ "documents without _id", test_documents_without_id },
		{ "duplicate keys", test_duplicate_keys },
		{ "document over the limit", test_document_over_the_limit },
		{ "truncation while open", test_truncation_while_open },
		{ "a file that grows", test_file_that_grows },
		{ "use while reading", test_use_while_reading },
		{ "metadata", test_metadata },
		{ "views and time series", test_views_and_time_series },
		{ "refusals", test_refusals },
		{ "sizes both ways", test_sizes_both_ways },
		{ "damaged insides", test_damaged_insides },
		{ NULL, NULL },
	};

	return harness_run("dump", cases);
}
