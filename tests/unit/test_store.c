/*
 * The store: writes that change everything or nothing, limits and duplicates in MongoDB's words, indexes that always
 * agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/index.h"
#include "engine/store.h"
#include "harness/harness.h"
#include "harness/random.h"

static struct collection *new_collection(struct store *s, const char *name)
{
	bson_error_t error = { 0 };
	struct collection *c = store_create_collection(s, "bookstore", name, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	return c;
}

static void create_index(struct collection *c, const char *specification)
{
	bson_error_t error = { 0 };

	if (!collection_create_index(c, harness_json(specification), &error)) {
		fprintf(stderr, "%s\n", error.message);
		CU_FAIL("index refused");
	}
}

static record_id insert(struct collection *c, const char *document)
{
	record_id id = RECORD_NONE;
	bson_error_t error = { 0 };

	if (!collection_insert(c, harness_json(document), &id, NULL, NULL, &error)) {
		fprintf(stderr, "%s\n", error.message);
		CU_FAIL("insert refused");
	}
	return id;
}

static void dump_index(struct bytes *out, const struct index *i)
{
	struct index_cursor *cursor = index_cursor_new(i);

	bytes_format(out, "index %s multikey %d arrays %u entries %lld\n", i->name, i->multikey, i->fields[0].array_components,
	             (long long)i->entry_count);
	for (bool more = index_cursor_seek(cursor, NULL, 0, false, false); more; more = index_cursor_next(cursor, false)) {
		const uint8_t *key;
		size_t size;
		record_id id;

		index_cursor_get(cursor, &key, &size, &id);
		bytes_append(out, key, size);
		bytes_format(out, " %lld\n", (long long)id);
	}
	index_cursor_destroy(cursor);
}

/* Every byte of a collection: what must not change, compared as one run. */
static struct bytes dump(const struct collection *c)
{
	struct bytes out = BYTES_INIT;

	bytes_format(&out, "count %lld bytes %lld writes %lld\n", (long long)c->count, (long long)c->bytes,
	             (long long)c->write_counter);
	for (record_id id = collection_next(c, 0); id != RECORD_NONE; id = collection_next(c, id + 1)) {
		struct value document;

		CU_ASSERT(collection_document(c, id, &document));
		bytes_format(&out, "%lld ", (long long)id);
		bytes_append(&out, document.bytes, document.size_bytes);
	}
	for (size_t i = 0; i < c->index_count; i++)
		dump_index(&out, c->indexes[i]);
	return out;
}

static bool same(const struct bytes *a, const struct bytes *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static void test_documents(void)
{
	struct store *s = store_new();
	struct collection *c = new_collection(s, "books");
	struct value document;
	int64_t keys = 0;
	record_id first = insert(c, "{'_id': 1, 'a': 'x'}"), second = insert(c, "{'_id': 2}");
	int64_t writes = c->write_counter;

	CU_ASSERT_EQUAL(first, 0);
	CU_ASSERT_EQUAL(second, 1);
	CU_ASSERT_EQUAL(c->count, 2);
	CU_ASSERT(collection_remove(c, first, &keys));
	CU_ASSERT_EQUAL(keys, 1);
	CU_ASSERT_FALSE(collection_remove(c, first, &keys));
	CU_ASSERT_FALSE(collection_document(c, first, &document));
	CU_ASSERT_FALSE(collection_document(c, RECORD_NONE, &document));
	CU_ASSERT_FALSE(collection_document(c, 2, &document));
	CU_ASSERT_EQUAL(collection_next(c, 0), second);
	CU_ASSERT_EQUAL(collection_next(c, second + 1), RECORD_NONE);
	CU_ASSERT_EQUAL(insert(c, "{'_id': 1}"), 2); /* ids are not used again */
	CU_ASSERT(collection_replace(c, second, harness_json("{'_id': 2, 'b': 5}"), &keys, NULL, NULL));
	CU_ASSERT_EQUAL(keys, 0); /* the key stays */
	CU_ASSERT(collection_document(c, second, &document));
	ASSERT_TEXT(harness_text(document), harness_text(harness_json("{'_id': 2, 'b': 5}")));
	CU_ASSERT_EQUAL(c->write_counter, writes + 3);
	CU_ASSERT_EQUAL(c->count, 2);
	CU_ASSERT_EQUAL(c->bytes, (int64_t)harness_json("{'_id': 2, 'b': 5}").size_bytes + harness_json("{'_id': 1}").size_bytes);
	store_destroy(s);
}

/* Only the entries that differ are written, one an element for arrays. */
static void test_keys_written(void)
{
	static const struct {
		const char *before, *after;
		int64_t keys;
	} cases[] = {
		{ "{'_id': 1, 'a': 1}", "{'_id': 1, 'a': 1, 'b': 1}", 0 },
		{ "{'_id': 1, 'a': 1}", "{'_id': 1, 'a': 2}", 2 },
		{ "{'_id': 1, 'a': 1}", "{'_id': 1, 'a': {'$numberDouble': '1.0'}}", 0 },
		{ "{'_id': 1, 'a': [1, 2, 3, 4]}", "{'_id': 1, 'a': [5, 4, 3, 2]}", 2 },
		{ "{'_id': 1, 'a': [1, 2, 3, 4]}", "{'_id': 1, 'a': [2, 4]}", 2 },
		{ "{'_id': 1, 'a': [1]}", "{'_id': 1, 'a': [1, 2, 3]}", 2 },
		{ "{'_id': 1}", "{'_id': 2, 'a': []}", 4 },
	};

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct store *s = store_new();
		struct collection *c = new_collection(s, "books");
		int64_t keys = -1;
		record_id id;

		create_index(c, "{'key': {'a': 1}, 'name': 'a'}");
		id = insert(c, cases[n].before);
		CU_ASSERT(collection_would_write(c, id, harness_json(cases[n].after), &keys, NULL, NULL));
		CU_ASSERT_EQUAL(keys, cases[n].keys);
		CU_ASSERT(collection_replace(c, id, harness_json(cases[n].after), &keys, NULL, NULL));
		CU_ASSERT_EQUAL(keys, cases[n].keys);
		store_destroy(s);
	}
}

static void test_duplicate(void)
{
	struct store *s = store_new();
	struct collection *c = new_collection(s, "books");
	struct bytes details = BYTES_INIT, before, after;
	struct value shown;
	bson_error_t error = { 0 };

	insert(c, "{'_id': 26, 'isbn': ['a', 'b'], 'x': {'y': 1}}");
	insert(c, "{'_id': 27, 'isbn': ['c'], 'x': {'y': 2}}");
	create_index(c, "{'key': {'isbn': 1, 'x.y': -1}, 'name': 'isbn', 'unique': true}");
	before = dump(c);
	CU_ASSERT_FALSE(collection_insert(c, harness_json("{'_id': {'$numberDouble': '26.0'}}"), NULL, NULL, &details, &error));
	CU_ASSERT_EQUAL(error.code, 11000);
	ASSERT_TEXT(error.message, "E11000 duplicate key error collection: bookstore.books index: _id_ dup key: { _id: 26.0 }");
	CU_ASSERT_FATAL(value_document(&shown, details.data, details.size));
	ASSERT_TEXT(harness_text(shown), harness_text(harness_json("{'keyPattern': {'_id': 1}, "
	                                                           "'keyValue': {'_id': {'$numberDouble': '26.0'}}}")));
	CU_ASSERT_FALSE(collection_insert(c, harness_json("{'_id': 26}"), NULL, NULL, &details, &error));
	ASSERT_TEXT(error.message, "E11000 duplicate key error collection: bookstore.books index: _id_ dup key: { _id: 26 }");

	/* one element of a multikey document */
	CU_ASSERT_FALSE(collection_replace(c, 1, harness_json("{'_id': 27, 'isbn': ['z', 'b'], 'x': {'y': 1}}"), NULL, &details,
	                                   &error));
	ASSERT_TEXT(error.message, "E11000 duplicate key error collection: bookstore.books index: isbn dup key: "
	            "{ isbn: \"b\", x.y: 1 }");
	CU_ASSERT_FATAL(value_document(&shown, details.data, details.size));
	ASSERT_TEXT(harness_text(shown), harness_text(harness_json("{'keyPattern': {'isbn': 1, 'x.y': -1}, "
	                                                           "'keyValue': {'isbn': 'b', 'x.y': 1}}")));
	after = dump(c);
	CU_ASSERT(same(&before, &after));
	/* a document is no duplicate of itself */
	CU_ASSERT(collection_replace(c, 0, harness_json("{'_id': 26, 'isbn': ['b', 'a'], 'x': {'y': 1}}"), NULL, NULL, &error));
	bytes_clear(&before);
	bytes_clear(&after);
	bytes_clear(&details);
	store_destroy(s);
}

/* {_id: 26, text: "…"} of exactly that size. */
static struct value document_of(struct bytes *out, uint32_t size)
{
	struct writer w;
	struct bytes text = BYTES_INIT;
	struct value v;

	bytes_reset(out);
	for (uint32_t i = 0; i < size - 25; i++)
		bytes_append_byte(&text, 'x');
	writer_begin(&w, out);
	writer_int32(&w, "_id", 26);
	writer_text(&w, "text", bytes_text(&text));
	v = writer_finish(&w);
	bytes_clear(&text);
	CU_ASSERT_EQUAL(v.size_bytes, size);
	return v;
}

static void test_limits(void)
{
	static const struct {
		const char *version;
		int64_t limit;
		uint32_t size, code;
		const char *message; /* of a replacement */
	} cases[] = {
		{ "9.0", 16777216, 16777216, 0, "" },
		{ "9.0", 16777216, 16777217, 10334, "Resulting document after update is larger than 16777216" },
		{ "9.0", 16777216, 17049243, 10334, "Resulting document after update is larger than 16777216" },
		{ "9.0", 16384, 32769, 10334, "Resulting document after update is larger than 16384" },
		{ "8.0", 16777216, 16777216, 0, "" },
		{ "8.0", 16777216, 16777217, 17419, "Resulting document after update is larger than 16777216" },
		{ "8.0", 16777216, 16793600, 17419, "Resulting document after update is larger than 16777216" },
		{ "8.0", 16777216, 16793601, 10334,
		  "BSONObj size: 16793601 (0x1004001) is invalid. Size must be between 0 and 16793600(16MB) First element: _id: 26" },
		{ "8.0", 16777216, 17049243, 10334,
		  "BSONObj size: 17049243 (0x104269B) is invalid. Size must be between 0 and 16793600(16MB) First element: _id: 26" },
		{ "8.0", 16384, 16384, 0, "" },
		{ "8.0", 16384, 16385, 17419, "Resulting document after update is larger than 16384" },
		{ "8.0", 16384, 32769, 10334,
		  "BSONObj size: 32769 (0x8001) is invalid. Size must be between 0 and 32768(0MB) First element: _id: 26" },
	};

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct store *s = store_new();
		struct collection *c = new_collection(s, "books");
		struct bytes bytes = BYTES_INIT;
		struct value big = document_of(&bytes, cases[n].size);
		record_id id = insert(c, "{'_id': 26}");
		bson_error_t error = { 0 }, dry = { 0 };
		char expected[128];

		store_set_emulation(s, emulation_find(cases[n].version));
		c->database->document_limit_bytes = cases[n].limit;
		CU_ASSERT_EQUAL(collection_would_write(c, id, big, NULL, NULL, &dry), !cases[n].code);
		CU_ASSERT_EQUAL(collection_replace(c, id, big, NULL, NULL, &error), !cases[n].code);
		CU_ASSERT_EQUAL(error.code, cases[n].code);
		ASSERT_TEXT(error.message, cases[n].message);
		ASSERT_TEXT(dry.message, cases[n].message);
		collection_remove(c, id, NULL);
		CU_ASSERT_EQUAL(collection_insert(c, big, NULL, NULL, NULL, &error), !cases[n].code);
		if (cases[n].code) {
			snprintf(expected, sizeof expected, "object to insert too large. size in bytes: %u, max size: %lld",
			         cases[n].size, (long long)cases[n].limit);
			CU_ASSERT_EQUAL(error.code, 2);
			ASSERT_TEXT(error.message, expected);
			CU_ASSERT_EQUAL(c->count, 0);
		}
		bytes_clear(&bytes);
		store_destroy(s);
	}
}

static const char *const INDEXES[] = {
	"{'key': {'a': 1}, 'name': 'a'}",
	"{'key': {'a': -1, 'b': 1}, 'name': 'ab'}",
	"{'key': {'a.b': 1}, 'name': 'a.b', 'sparse': true}",
	"{'key': {'c': 1}, 'name': 'c', 'unique': true, 'sparse': true}",
};

/* A document of few values, so that unique keys collide and arrays meet arrays. */
static struct value random_document(struct random *r, struct bytes *out, uint32_t key)
{
	struct writer w;

	bytes_reset(out);
	writer_begin(&w, out);
	writer_int32(&w, "_id", (int32_t)key);
	random_value(r, &w, key_of("a"), 2);
	if (random_below(r, 2))
		random_value(r, &w, key_of("b"), 1);
	if (random_below(r, 2))
		writer_int32(&w, "c", (int32_t)random_below(r, 60));
	return writer_finish(&w);
}

/* One random write, first as a dry run: that changes nothing and says what the write then does. */
static void write_once(struct collection *c, struct random *r)
{
	struct bytes bytes = BYTES_INIT, before = dump(c), between, after;
	struct value document = random_document(r, &bytes, random_below(r, 150)), old;
	record_id id = (record_id)random_below(r, (uint32_t)c->records.count + 1);
	int64_t dry_keys = -1, keys = -1, entries = 0;
	bson_error_t dry_error = { 0 }, error = { 0 };
	bool would, did, replaces = random_below(r, 2) && collection_document(c, id, &old);

	would = collection_would_write(c, replaces ? id : RECORD_NONE, document, &dry_keys, NULL, &dry_error);
	between = dump(c);
	CU_ASSERT(same(&before, &between));
	for (size_t i = 0; i < c->index_count; i++)
		entries -= c->indexes[i]->entry_count;
	did = replaces ? collection_replace(c, id, document, &keys, NULL, &error)
	               : collection_insert(c, document, NULL, &keys, NULL, &error);
	for (size_t i = 0; i < c->index_count; i++)
		entries += c->indexes[i]->entry_count;
	CU_ASSERT_EQUAL(would, did);
	ASSERT_TEXT(dry_error.message, error.message);
	after = dump(c);
	if (did) {
		CU_ASSERT_EQUAL(keys, dry_keys);
		CU_ASSERT(replaces || entries == keys);
	} else {
		CU_ASSERT(same(&before, &after));
	}
	if (random_below(r, 4) == 0)
		collection_remove(c, (record_id)random_below(r, (uint32_t)c->records.count), NULL);
	bytes_clear(&bytes);
	bytes_clear(&before);
	bytes_clear(&between);
	bytes_clear(&after);
}

/* After any writes the indexes hold what indexes built from the documents would. */
static void check_indexes(const struct collection *c)
{
	for (size_t i = 0; i < c->index_count; i++) {
		struct value specification;
		struct index *fresh;
		struct index_builder *builder;
		struct bytes kept = BYTES_INIT, built = BYTES_INIT;

		CU_ASSERT_FATAL(value_document(&specification, c->indexes[i]->specification.data,
		                               c->indexes[i]->specification.size));
		fresh = index_new(specification, NULL);
		builder = index_builder_new(fresh);
		for (record_id id = collection_next(c, 0); id != RECORD_NONE; id = collection_next(c, id + 1)) {
			struct value document;

			CU_ASSERT(collection_document(c, id, &document) && index_builder_add(builder, document, id, NULL));
		}
		index_builder_finish(builder);
		/* what was an array once stays noted */
		fresh->multikey = c->indexes[i]->multikey;
		fresh->fields[0].array_components = c->indexes[i]->fields[0].array_components;
		dump_index(&kept, c->indexes[i]);
		dump_index(&built, fresh);
		CU_ASSERT(same(&kept, &built));
		bytes_clear(&kept);
		bytes_clear(&built);
		index_destroy(fresh);
	}
}

static void test_random_writes(void)
{
	struct store *s = store_new();
	struct collection *c = new_collection(s, "random");
	struct random r = { 31 };

	for (size_t i = 0; i < sizeof INDEXES / sizeof *INDEXES; i++)
		create_index(c, INDEXES[i]);
	for (int n = 0; n < 1500; n++) {
		write_once(c, &r);
		if (n % 100 == 0)
			check_indexes(c);
	}
	CU_ASSERT(c->count > 50);
	CU_ASSERT(c->indexes[1]->multikey);
	check_indexes(c);
	store_destroy(s);
}

static void test_index_conflicts(void)
{
	static const struct {
		const char *specification;
		uint32_t code;
		const char *message;
	} cases[] = {
		{ "{'key': {'a': 1}, 'name': 'a_1'}", 0, "" },
		{ "{'key': {'a': {'$numberDouble': '1.0'}}, 'name': 'a_1', 'sparse': false}", 0, "" },
		{ "{'key': {'_id': 1}, 'name': '_id_1'}", 0, "" },
		{ "{'key': {'a': 1}, 'name': 'other'}", 85, "Index already exists with a different name: a_1" },
		{ "{'key': {'b': 1}, 'name': 'a_1'}", 86,
		  "An existing index has the same name as the requested index. When index names are not specified, they are auto "
		  "generated and can cause conflicts. Please refer to our documentation. Requested index: { v: 2, key: { b: 1 }, "
		  "name: \"a_1\" }, existing index: { v: 2, key: { a: 1 }, name: \"a_1\" }" },
		{ "{'key': {'a': 1}, 'name': 'a_1', 'unique': true}", 86, NULL },
	};
	struct store *s = store_new();
	struct collection *c = new_collection(s, "books");
	bson_error_t error = { 0 };

	create_index(c, "{'key': {'a': 1}, 'name': 'a_1'}");
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		memset(&error, 0, sizeof error);
		CU_ASSERT_EQUAL(collection_create_index(c, harness_json(cases[n].specification), &error), !cases[n].code);
		CU_ASSERT_EQUAL(error.code, cases[n].code);
		if (cases[n].message)
			ASSERT_TEXT(error.message, cases[n].message);
		CU_ASSERT_EQUAL(c->index_count, 2);
	}
	create_index(c, "{'key': {'a': 1}, 'name': 'unique', 'unique': true}"); /* another index, as MongoDB counts it */
	CU_ASSERT_FALSE(collection_drop_index(c, "none", &error));
	ASSERT_TEXT(error.message, "index not found with name [none]");
	CU_ASSERT_EQUAL(error.code, 27);
	CU_ASSERT_FALSE(collection_drop_index(c, "_id_", &error));
	ASSERT_TEXT(error.message, "cannot drop _id index");
	CU_ASSERT(collection_drop_index(c, "a_1", &error));
	CU_ASSERT_PTR_NULL(collection_index(c, "a_1"));
	CU_ASSERT_PTR_NOT_NULL(collection_index(c, "unique"));
	store_destroy(s);
}

static void test_index_build_fails(void)
{
	struct store *s = store_new();
	struct collection *c = new_collection(s, "books");
	bson_error_t error = { 0 };

	insert(c, "{'_id': 1, 'a': 5, 'b': [1], 'c': [1]}");
	insert(c, "{'_id': 2, 'a': {'$numberDouble': '5.0'}}");
	CU_ASSERT_FALSE(collection_create_index(c, harness_json("{'key': {'a': 1}, 'name': 'a', 'unique': true}"), &error));
	ASSERT_TEXT(error.message, "E11000 duplicate key error collection: bookstore.books index: a dup key: { a: 5.0 }");
	CU_ASSERT_FALSE(collection_create_index(c, harness_json("{'key': {'b': 1, 'c': 1}, 'name': 'bc'}"), &error));
	CU_ASSERT_EQUAL(error.code, 171);
	CU_ASSERT_EQUAL(c->index_count, 1);
	create_index(c, "{'key': {'b': 1}, 'name': 'b'}");
	CU_ASSERT_FALSE(collection_insert(c, harness_json("{'_id': 1, 'b': []}"), NULL, NULL, NULL, &error));
	CU_ASSERT_EQUAL(collection_index(c, "b")->entry_count, 2);
	store_destroy(s);
}

static void test_bulk_loading(void)
{
	struct store *s = store_new();
	bson_error_t error = { 0 };
	struct collection *c = store_load_begin(s, "library", "kitap", &error);
	struct value borrowed = harness_json("{'_k': 'K-2', 'kopyalar': []}"), document;
	int64_t first_counter;

	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	CU_ASSERT(store_load_borrow(c, borrowed, &error));
	CU_ASSERT(store_load_copy(c, harness_json("{'_k': 'K-1'}"), &error));
	CU_ASSERT(store_load_end(s, c, "_k", &error));
	CU_ASSERT_PTR_EQUAL(store_collection(s, "library", "kitap"), c);
	CU_ASSERT(collection_document(c, 0, &document));
	CU_ASSERT_PTR_EQUAL(document.bytes, borrowed.bytes); /* not copied, and no _id added */
	CU_ASSERT_EQUAL(c->index_count, 1);
	ASSERT_TEXT(c->indexes[0]->name, "_k_1");
	CU_ASSERT(c->indexes[0]->unique);
	CU_ASSERT_EQUAL(c->indexes[0]->entry_count, 2);
	CU_ASSERT_EQUAL(c->bytes, (int64_t)borrowed.size_bytes + harness_json("{'_k': 'K-1'}").size_bytes);
	CU_ASSERT_PTR_NULL(store_load_begin(s, "library", "kitap", &error));
	CU_ASSERT_EQUAL(error.code, 48);
	/* replacing what is borrowed leaves the lender's bytes alone */
	CU_ASSERT(collection_replace(c, 0, harness_json("{'_k': 'K-2', 'x': 1}"), NULL, NULL, &error));
	ASSERT_TEXT(harness_text(borrowed), harness_text(harness_json("{'_k': 'K-2', 'kopyalar': []}")));

	/* a duplicate key drops the collection */
	c = store_load_begin(s, "library", "kopya", &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	store_load_copy(c, harness_json("{'_k': 'A'}"), &error);
	store_load_copy(c, harness_json("{'_k': 'A'}"), &error);
	CU_ASSERT_FALSE(store_load_end(s, c, "_k", &error));
	ASSERT_TEXT(error.message, "E11000 duplicate key error collection: library.kopya index: _k_1 dup key: { _k: \"A\" }");
	CU_ASSERT_PTR_NULL(store_collection(s, "library", "kopya"));

	/* no key: no index */
	c = store_load_begin(s, "library", "kopya", &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	store_load_copy(c, harness_json("{}"), &error);
	store_load_copy(c, harness_json("{}"), &error);
	CU_ASSERT(store_load_end(s, c, NULL, &error));
	CU_ASSERT_EQUAL(c->index_count, 0);

	/* a collection that is made again is never mistaken for the old one */
	first_counter = c->write_counter;
	CU_ASSERT(store_drop_collection(s, "library", "kopya"));
	CU_ASSERT_FALSE(store_drop_collection(s, "library", "kopya"));
	c = store_load_begin(s, "library", "kopya", &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	CU_ASSERT(c->write_counter > first_counter);
	CU_ASSERT_FALSE(store_load_copy(c, value_null(), &error));
	CU_ASSERT(store_drop_database(s, "library"));
	CU_ASSERT_EQUAL(store_database_count(s), 0);
	store_destroy(s);
}

static void test_names(void)
{
	static const struct {
		const char *db, *name;
		uint32_t code;
	} cases[] = {
		{ "bookstore", "books", 0 }, { "bookstore", "books", 48 }, { "bookstore", "a.b", 0 }, { "bookstore", "", 73 },
		{ "bookstore", "a$b", 73 }, { "bookstore", ".a", 73 }, { "bookstore", "system.x", 73 }, { "", "a", 73 },
		{ "a.b", "a", 73 }, { "a b", "a", 73 }, { "a$b", "a", 73 },
	};
	struct store *s = store_new();
	char long_name[300];

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		bson_error_t error = { 0 };

		CU_ASSERT_EQUAL(store_create_collection(s, cases[n].db, cases[n].name, &error) != NULL, !cases[n].code);
		CU_ASSERT_EQUAL(error.code, cases[n].code);
	}
	memset(long_name, 'a', sizeof long_name);
	long_name[sizeof long_name - 1] = 0;
	CU_ASSERT_PTR_NULL(store_create_collection(s, "bookstore", long_name, NULL));
	long_name[64] = 0;
	CU_ASSERT_PTR_NULL(store_create_collection(s, long_name, "a", NULL));
	CU_ASSERT_PTR_NULL(store_database(s, long_name));
	store_destroy(s);
}

/*
 * 32 bytes a record (34 while the collection grows); an entry 64 bytes for keys up to 24 bytes, else 40 plus twice
 * the key.
 */
static void test_memory_rule(void)
{
	static const uint32_t sizes[] = { 4, 20, 60, 300, 1200 };
	enum { RECORDS = 4000 };

	for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
		struct store *s = store_new();
		struct collection *c = new_collection(s, "books");
		struct bytes bytes = BYTES_INIT;
		struct random r = { 3 };
		int64_t indexes = 0, records;
		const struct index *text;
		size_t key_size = sizes[n] + 2;

		create_index(c, "{'key': {'text': 1}, 'name': 'text'}");
		for (int32_t i = 0; i < RECORDS; i++) {
			struct writer w;
			char letters[2048] = "";

			for (uint32_t l = 0; l < sizes[n]; l++)
				letters[l] = (char)('a' + random_below(&r, 26));
			bytes_reset(&bytes);
			writer_begin(&w, &bytes);
			writer_int32(&w, "_id", i);
			writer_text(&w, "text", letters);
			CU_ASSERT(collection_insert(c, writer_finish(&w), NULL, NULL, NULL, NULL));
		}
		for (size_t i = 0; i < c->index_count; i++)
			indexes += index_memory_bytes(c->indexes[i]);
		text = collection_index(c, "text");
		records = collection_memory_bytes(c) - indexes - c->bytes;
		CU_ASSERT(records <= RECORDS * 34 + 2048);
		CU_ASSERT(index_memory_bytes(text) <= RECORDS * (int64_t)(key_size <= 24 ? 64 : 40 + 2 * key_size) + 8192);
		CU_ASSERT(index_memory_bytes(c->indexes[0]) <= RECORDS * 64 + 8192);
		bytes_clear(&bytes);
		store_destroy(s);
	}
}

/* The empty store, the empty collection, the empty document. */
static void test_nothing(void)
{
	struct store *s = store_new();
	struct collection *c;
	int64_t keys = -1;

	CU_ASSERT_EQUAL(store_database_count(s), 0);
	CU_ASSERT_PTR_NULL(store_collection(s, "bookstore", "books"));
	CU_ASSERT_FALSE(store_drop_database(s, "bookstore"));
	c = new_collection(s, "books");
	CU_ASSERT_EQUAL(collection_next(c, 0), RECORD_NONE);
	CU_ASSERT_EQUAL(collection_next(c, -5), RECORD_NONE);
	CU_ASSERT(collection_would_write(c, RECORD_NONE, harness_json("{}"), &keys, NULL, NULL));
	CU_ASSERT_EQUAL(keys, 1); /* _id: null */
	CU_ASSERT_EQUAL(insert(c, "{}"), 0);
	CU_ASSERT_FALSE(collection_insert(c, harness_json("{'_id': null}"), NULL, NULL, NULL, NULL));
	store_destroy(s);
	store_destroy(NULL);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "documents come, change and go", test_documents },
		{ "only the keys that differ are written", test_keys_written },
		{ "duplicates in MongoDB's words", test_duplicate },
		{ "document limits in MongoDB's words", test_limits },
		{ "random writes: dry runs change nothing, failures change nothing, indexes agree", test_random_writes },
		{ "conflicting indexes", test_index_conflicts },
		{ "indexes that cannot be built", test_index_build_fails },
		{ "bulk loading", test_bulk_loading },
		{ "names", test_names },
		{ "the memory rule", test_memory_rule },
		{ "nothing", test_nothing },
		{ NULL, NULL }
	};

	return harness_run("store", cases);
}
