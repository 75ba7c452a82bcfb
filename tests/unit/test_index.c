/* Indexes: the tree against a sorted array under random writes, multikey keys, specifications. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/index.h"
#include "harness/harness.h"
#include "harness/random.h"

struct pair {
	struct bytes key;
	record_id id;
};

/* What the tree should hold, in order. */
struct model {
	struct pair *pairs;
	size_t count, capacity;
};

static struct index *make_index(const char *specification)
{
	bson_error_t error = { 0 };
	struct index *i = index_new(harness_json(specification), &error);

	if (!i)
		fprintf(stderr, "%s\n", error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(i);
	return i;
}

static int compare_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	size_t common = a_size < b_size ? a_size : b_size;
	int difference = common ? memcmp(a, b, common) : 0;

	return difference ? difference : (a_size > b_size) - (a_size < b_size);
}

static int compare_pair(const struct pair *p, const struct bytes *key, record_id id)
{
	int difference = compare_bytes(p->key.data, p->key.size, key->data, key->size);

	return difference ? difference : (p->id > id) - (p->id < id);
}

static size_t model_lower_bound(const struct model *m, const struct bytes *key, record_id id)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_pair(&m->pairs[middle], key, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void model_insert(struct model *m, const struct bytes *key, record_id id)
{
	size_t at = model_lower_bound(m, key, id);
	struct pair fresh = { BYTES_INIT, id };

	if (at < m->count && !compare_pair(&m->pairs[at], key, id))
		return;
	m->pairs = memory_grow(m->pairs, &m->capacity, m->count + 1, sizeof *m->pairs);
	memmove(m->pairs + at + 1, m->pairs + at, (m->count - at) * sizeof *m->pairs);
	bytes_append(&fresh.key, key->data, key->size);
	m->pairs[at] = fresh;
	m->count++;
}

static void model_remove_at(struct model *m, size_t at)
{
	bytes_clear(&m->pairs[at].key);
	m->count--;
	memmove(m->pairs + at, m->pairs + at + 1, (m->count - at) * sizeof *m->pairs);
}

static void model_clear(struct model *m)
{
	while (m->count)
		model_remove_at(m, m->count - 1);
	free(m->pairs);
}

/* Mostly short keys, some that lie outside the page. */
static void random_key(struct random *r, struct bytes *key, uint32_t spread)
{
	uint32_t n = random_below(r, spread), size = 4 + n % 37 + (n % 50 == 0 ? 700 + n % 900 : 0);

	bytes_reset(key);
	for (uint32_t i = 0; i < size; i++)
		bytes_append_byte(key, (uint8_t)(i < 4 ? n * 2654435761u >> (24 - 8 * i) : n));
}

static bool cursor_is_at(const struct index_cursor *c, const struct pair *p)
{
	const uint8_t *key;
	size_t size;
	record_id id;

	index_cursor_get(c, &key, &size, &id);
	return id == p->id && !compare_bytes(key, size, p->key.data, p->key.size);
}

/* The whole index forwards and backwards is the model. */
static void check_scan(const struct index *i, const struct model *m)
{
	static const uint8_t top[] = { 255, 255, 255, 255, 255 };
	struct index_cursor *c = index_cursor_new(i);
	size_t wrong = 0, n = 0;

	for (bool more = index_cursor_seek(c, NULL, 0, false, false); more; more = index_cursor_next(c, false), n++)
		wrong += n >= m->count || !cursor_is_at(c, &m->pairs[n]);
	CU_ASSERT_EQUAL(n, m->count);
	for (bool more = index_cursor_seek(c, top, sizeof top, false, true); more; more = index_cursor_next(c, true), n--)
		wrong += !n || !cursor_is_at(c, &m->pairs[n - 1]);
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(i->entry_count, (int64_t)m->count);
	index_cursor_destroy(c);
}

/* One seek of each kind lands where the model says. */
static void check_seek(const struct index *i, const struct model *m, const struct bytes *key)
{
	struct index_cursor *c = index_cursor_new(i);

	for (int kind = 0; kind < 4; kind++) {
		bool after = kind & 1, backward = kind & 2;
		size_t at = model_lower_bound(m, key, after == backward ? INT64_MIN : INT64_MAX);
		bool there = backward ? at > 0 : at < m->count;

		CU_ASSERT_EQUAL(index_cursor_seek(c, key->data, key->size, after, backward), there);
		if (there) {
			CU_ASSERT(cursor_is_at(c, &m->pairs[backward ? at - 1 : at]));
		} else {
			CU_ASSERT_FALSE(index_cursor_next(c, backward));
		}
	}
	index_cursor_destroy(c);
}

/* The first half of the operations mostly inserts, the second mostly removes. */
static void run_random(uint64_t seed, uint32_t spread, int operations)
{
	struct index *i = make_index("{'key': {'a': 1}, 'name': 'a_1'}");
	struct model m = { NULL, 0, 0 };
	struct random r = { seed };
	struct bytes key = BYTES_INIT;

	for (int n = 0; n < operations; n++) {
		bool grow = n < operations / 2;

		if (random_below(&r, 100) < (grow ? 80u : 20u) || !m.count) {
			record_id id = random_below(&r, 5);

			random_key(&r, &key, spread);
			model_insert(&m, &key, id); /* a pair that is there stays one pair */
			index_insert(i, &key, id);
			CU_ASSERT_EQUAL(i->entry_count, (int64_t)m.count);
		} else {
			size_t at = random_below(&r, (uint32_t)m.count);
			record_id id = m.pairs[at].id;

			bytes_reset(&key);
			bytes_append(&key, m.pairs[at].key.data, m.pairs[at].key.size);
			model_remove_at(&m, at);
			CU_ASSERT(index_remove(i, &key, id));
			CU_ASSERT_FALSE(index_remove(i, &key, id));
		}
		if (n % 50 == 0) {
			random_key(&r, &key, spread);
			check_seek(i, &m, &key);
		}
		if (n % 1000 == 0)
			check_scan(i, &m);
	}
	while (m.count) {
		size_t at = random_below(&r, 3) ? 0 : m.count - 1;

		CU_ASSERT(index_remove(i, &m.pairs[at].key, m.pairs[at].id));
		model_remove_at(&m, at);
	}
	check_scan(i, &m);
	CU_ASSERT(index_memory_bytes(i) < 8192); /* an emptied tree gave its pages back */
	bytes_clear(&key);
	model_clear(&m);
	index_destroy(i);
}

static void test_random_writes(void)
{
	run_random(1, 1000000, 20000);
	run_random(2, 300, 10000);
	run_random(3, 20, 2000);
}

/* Keys that fill a page by sevens make a tree of many levels; whole ranges come and go in it. */
static void test_tall_tree(void)
{
	struct index *i = make_index("{'key': {'a': 1}, 'name': 'a_1'}");
	struct model m = { NULL, 0, 0 };
	struct random r = { 41 };
	struct bytes key = BYTES_INIT;

	for (int n = 0; n < 600; n++) {
		uint32_t start = random_below(&r, 4000), length = random_below(&r, 120);
		bool removes = n > 100 && random_below(&r, 2);

		for (uint32_t place = start; place < start + length; place++) {
			size_t at;

			bytes_reset(&key);
			bytes_append(&key, (uint8_t[]){ (uint8_t)(place >> 8), (uint8_t)place }, 2);
			while (key.size < 400 + place % 100)
				bytes_append_byte(&key, (uint8_t)place);
			at = model_lower_bound(&m, &key, 0);
			if (!removes) {
				model_insert(&m, &key, 0);
				index_insert(i, &key, 0);
			} else if (at < m.count && !compare_pair(&m.pairs[at], &key, 0)) {
				model_remove_at(&m, at);
				CU_ASSERT(index_remove(i, &key, 0));
			} else {
				CU_ASSERT_FALSE(index_remove(i, &key, 0));
			}
			CU_ASSERT_EQUAL(index_has_key(i, &key, 1), !removes);
			CU_ASSERT_FALSE(index_has_key(i, &key, 0));
		}
		check_seek(i, &m, &key);
		if (n % 20 == 0)
			check_scan(i, &m);
	}
	bytes_clear(&key);
	model_clear(&m);
	index_destroy(i);
}

/* A scan that deletes and inserts around itself sees every entry that was there all the time, once and in order. */
static void test_cursor_survives_writes(void)
{
	struct index *i = make_index("{'key': {'a': 1}, 'name': 'a_1'}");
	struct random r = { 5 };
	uint8_t place[4];
	struct bytes key = BYTES_INIT;
	struct index_cursor *c = index_cursor_new(i);
	int seen = 0, last = -1;
	enum { PLACES = 3000 };

	for (int n = 0; n < PLACES; n++) {
		bytes_reset(&key);
		bytes_append(&key, (uint8_t[]){ (uint8_t)(n >> 8), (uint8_t)n, 0, 0 }, 4);
		index_insert(i, &key, n % 2);
	}
	/* even places stay; odd ones come and go while the cursor walks */
	for (bool more = index_cursor_seek(c, NULL, 0, false, false); more; more = index_cursor_next(c, false)) {
		const uint8_t *at;
		size_t size;
		record_id id;
		int n;

		index_cursor_get(c, &at, &size, &id);
		memcpy(place, at, 4);
		n = place[0] << 8 | place[1];
		CU_ASSERT(n > last);
		last = n;
		seen += id == 0;
		for (int k = 0; k < 5; k++) {
			int other = (int)random_below(&r, PLACES) | 1;

			bytes_reset(&key);
			bytes_append(&key, (uint8_t[]){ (uint8_t)(other >> 8), (uint8_t)other, 0, 0 }, 4);
			if (!index_remove(i, &key, 1))
				index_insert(i, &key, 1);
		}
		if (id == 1) { /* the entry under the cursor itself */
			bytes_reset(&key);
			bytes_append(&key, place, 4);
			index_remove(i, &key, 1);
		}
	}
	CU_ASSERT_EQUAL(seen, PLACES / 2);
	index_cursor_destroy(c);
	bytes_clear(&key);
	index_destroy(i);
}

static int compare_bytes_structs(const void *a, const void *b)
{
	const struct bytes *x = a, *y = b;

	return compare_bytes(x->data, x->size, y->data, y->size);
}

/* Building at once gives the same index as inserting one by one. */
static void test_build_is_inserting(void)
{
	static const char *const specifications[] = {
		"{'key': {'a': 1}, 'name': 'i'}", "{'key': {'a': -1, 'b': 1}, 'name': 'i'}",
		"{'key': {'a.b': 1}, 'name': 'i', 'sparse': true}", "{'key': {'c': 1}, 'name': 'i'}",
	};
	struct bytes documents[800] = { BYTES_INIT };
	struct random r = { 17 };

	for (size_t d = 0; d < 800; d++) {
		struct writer w;

		bytes_init(&documents[d]);
		writer_begin(&w, &documents[d]);
		random_value(&r, &w, key_of("a"), 3);
		writer_text(&w, "c", d % 3 ? "of low cardinality" : "of low cardinality too");
		writer_finish(&w);
	}
	for (size_t s = 0; s < 4; s++) {
		struct index *built = make_index(specifications[s]), *inserted = make_index(specifications[s]);
		struct index_builder *builder = index_builder_new(built);
		struct index_cursor *a, *b;
		bool more_a, more_b;

		for (size_t d = 0; d < 800; d++) {
			struct value document = { documents[d].data, (uint32_t)documents[d].size, BSON_TYPE_DOCUMENT };
			struct index_keys keys;

			index_keys_init(&keys);
			CU_ASSERT(index_make_keys(inserted, document, &keys, NULL));
			for (size_t k = 0; k < keys.count; k++) {
				index_insert(inserted, &keys.keys[k], (record_id)d);
				CU_ASSERT(!k || compare_bytes_structs(&keys.keys[k - 1], &keys.keys[k]) < 0);
			}
			index_note_arrays(inserted, &keys);
			index_keys_clear(&keys);
			CU_ASSERT(index_builder_add(builder, document, (record_id)d, NULL));
		}
		index_builder_finish(builder);
		CU_ASSERT_EQUAL(built->entry_count, inserted->entry_count);
		CU_ASSERT_EQUAL(built->multikey, inserted->multikey);
		CU_ASSERT_EQUAL(built->fields[0].array_components, inserted->fields[0].array_components);
		a = index_cursor_new(built);
		b = index_cursor_new(inserted);
		more_a = index_cursor_seek(a, NULL, 0, false, false);
		more_b = index_cursor_seek(b, NULL, 0, false, false);
		while (more_a && more_b) {
			struct pair here = { BYTES_INIT, 0 };
			const uint8_t *key;

			index_cursor_get(a, &key, &here.key.size, &here.id);
			here.key.data = (uint8_t *)(uintptr_t)key;
			CU_ASSERT(cursor_is_at(b, &here));
			more_a = index_cursor_next(a, false);
			more_b = index_cursor_next(b, false);
		}
		CU_ASSERT(!more_a && !more_b);
		index_cursor_destroy(a);
		index_cursor_destroy(b);
		index_destroy(built);
		index_destroy(inserted);
	}
	for (size_t d = 0; d < 800; d++)
		bytes_clear(&documents[d]);
}

/* The values of each key, as the server would print them: what a path through arrays gives. */
static void test_multikey_values(void)
{
	static const struct {
		const char *pattern, *document, *values; /* keys in index order, separated by spaces; or the error */
		uint32_t arrays;                         /* of the first field */
	} cases[] = {
		{ "{'a': 1}", "{'a': 1}", "{ a: 1 }", 0 },
		{ "{'a': 1}", "{}", "{ a: null }", 0 },
		{ "{'a': 1}", "{'a': [2, 1, 2]}", "{ a: 1 } { a: 2 }", 1 },
		{ "{'a': -1}", "{'a': [2, 1]}", "{ a: 2 } { a: 1 }", 1 },
		{ "{'a': 1}", "{'a': [1, {'$numberDouble': '1.0'}]}", "{ a: 1 }", 1 },
		{ "{'a': 1}", "{'a': []}", "{ a: undefined }", 1 },
		{ "{'a': 1}", "{'a': [[1, 2], 3]}", "{ a: 3 } { a: [ 1, 2 ] }", 1 },
		{ "{'a': 1}", "{'a': [[]]}", "{ a: [] }", 1 },
		{ "{'a.b': 1}", "{'a': {'b': 5}}", "{ a.b: 5 }", 0 },
		{ "{'a.b': 1}", "{'a': 7}", "{ a.b: null }", 0 },
		{ "{'a.b': 1}", "{'a': [{'b': 1}, {'b': 2}, {}]}", "{ a.b: null } { a.b: 1 } { a.b: 2 }", 1 },
		{ "{'a.b': 1}", "{'a': []}", "{ a.b: null }", 1 },
		{ "{'a.b': 1}", "{'a': [1, 2]}", "{ a.b: null }", 1 },
		{ "{'a.b': 1}", "{'a': [{'b': [1, 2]}, {'b': 3}]}", "{ a.b: 1 } { a.b: 2 } { a.b: 3 }", 3 },
		{ "{'a.b': 1}", "{'a': [{'b': []}]}", "{ a.b: undefined }", 3 },
		{ "{'a.b': 1}", "{'a': {'b': [1]}}", "{ a.b: 1 }", 2 },
		{ "{'a.b': 1}", "{'a': [[{'b': 1}]]}", "{ a.b: null }", 1 },
		{ "{'a.0': 1}", "{'a': [5, 6]}", "{ a.0: 5 }", 0 },
		{ "{'a.0.b': 1}", "{'a': [{'b': 5}, {'b': 6}]}", "{ a.0.b: 5 }", 0 },
		{ "{'a.1': 1}", "{'a': [5]}", "{ a.1: null }", 1 },
		{ "{'a.0': 1}", "{'a': [[1, 2]]}", "{ a.0: [ 1, 2 ] }", 0 },
		{ "{'a.0': 1}", "{'a': {'0': 4}}", "{ a.0: 4 }", 0 },
		{ "{'a.0': 1}", "{'a': [{'0': 4}]}", "error 16746", 0 },
		{ "{'a': 1, 'b': 1}", "{'a': [1, 2], 'b': 3}", "{ a: 1, b: 3 } { a: 2, b: 3 }", 1 },
		{ "{'b': 1, 'a': -1}", "{'a': [1, 2], 'b': 3}", "{ b: 3, a: 2 } { b: 3, a: 1 }", 0 },
		{ "{'a': 1, 'b': 1}", "{'a': [1, 2], 'b': [3]}", "error 171", 0 },
		{ "{'a.b': 1, 'a.c': 1}", "{'a': [{'b': 1, 'c': 2}, {'b': 3}]}", "{ a.b: 1, a.c: 2 } { a.b: 3, a.c: null }", 1 },
		{ "{'a': 1, 'a.b': 1}", "{'a': [{'b': 1}]}", "{ a: { b: 1 }, a.b: 1 }", 1 },
		{ "{'a.b': 1, 'a.c': 1}", "{'a': [{'b': [1], 'c': [2]}]}", "error 171", 0 },
	};

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		struct bytes specification = BYTES_INIT, text = BYTES_INIT;
		struct index *i;
		struct index_keys keys;
		struct value document = harness_json(cases[n].document);
		bson_error_t error = { 0 };

		bytes_format(&specification, "{'key': %s, 'name': 'i'}", cases[n].pattern);
		i = make_index(bytes_text(&specification));
		index_keys_init(&keys);
		if (!index_make_keys(i, document, &keys, &error))
			bytes_format(&text, "error %u", error.code);
		for (size_t k = 0; k < keys.count; k++) {
			struct bytes value = BYTES_INIT;
			struct value shown;

			CU_ASSERT(index_key_value(i, document, &keys.keys[k], &value));
			CU_ASSERT_FATAL(value_document(&shown, value.data, value.size));
			bytes_append_text(&text, k ? " " : "");
			print_line(&text, shown, PRINT_SERVER);
			bytes_clear(&value);
		}
		ASSERT_TEXT(bytes_text(&text), cases[n].values);
		if (keys.count) {
			index_note_arrays(i, &keys);
			CU_ASSERT_EQUAL(i->fields[0].array_components, cases[n].arrays);
			if (i->fields[0].array_components != cases[n].arrays)
				fprintf(stderr, "case %zu\n", n);
		}
		index_keys_clear(&keys);
		index_destroy(i);
		bytes_clear(&specification);
		bytes_clear(&text);
	}
}

static void test_sparse(void)
{
	struct index *i = make_index("{'key': {'a': 1, 'b': 1}, 'name': 'i', 'sparse': true}");
	struct index_keys keys;

	index_keys_init(&keys);
	CU_ASSERT(index_make_keys(i, harness_json("{'c': 1}"), &keys, NULL));
	CU_ASSERT_EQUAL(keys.count, 0);
	CU_ASSERT(index_make_keys(i, harness_json("{'b': 1}"), &keys, NULL));
	CU_ASSERT_EQUAL(keys.count, 1);
	index_keys_clear(&keys);
	index_destroy(i);
}

static void test_parallel_arrays_message(void)
{
	struct index *i = make_index("{'key': {'a': 1, 'b': 1}, 'name': 'i'}");
	struct index_keys keys;
	bson_error_t error = { 0 };

	index_keys_init(&keys);
	CU_ASSERT_FALSE(index_make_keys(i, harness_json("{'a': [1], 'b': [2]}"), &keys, &error));
	ASSERT_TEXT(error.message, "cannot index parallel arrays [b] [a]");
	CU_ASSERT_EQUAL(error.code, 171);
	index_keys_clear(&keys);
	index_destroy(i);
}

static void test_specifications(void)
{
	static const struct {
		const char *specification;
		uint32_t code;        /* 0: accepted */
		const char *expected; /* what listIndexes shows, or the end of the message */
	} cases[] = {
		{ "{'key': {'a': 1}, 'name': 'a_1'}", 0, "{ v: 2, key: { a: 1 }, name: \"a_1\" }" },
		{ "{'unique': true, 'key': {'a': 1}, 'name': 'a_1', 'v': 2}", 0,
		  "{ v: 2, unique: true, key: { a: 1 }, name: \"a_1\" }" },
		{ "{'key': {'a': -1.5, 'b.c': 2}, 'name': 'n', 'sparse': 1, 'unique': false, 'hidden': false, 'ns': 'x.y', "
		  "'collation': {'locale': 'simple'}}", 0, "{ v: 2, key: { a: -1.5, b.c: 2 }, name: \"n\", sparse: 1 }" },
		{ "{'key': {'_id': 1}, 'name': 'other'}", 0, "{ v: 2, key: { _id: 1 }, name: \"_id_\" }" },
		{ "{'key': {'a': 1}}", 40414, "BSON field 'createIndexes.indexes.name' is missing but a required field" },
		{ "{'name': 'a'}", 40414, "BSON field 'createIndexes.indexes.key' is missing but a required field" },
		{ "{'key': 1, 'name': 'a'}", 14, "is the wrong type 'int', expected type 'object'" },
		{ "{'key': {'a': 1}, 'name': 1}", 14, "is the wrong type 'int', expected type 'string'" },
		{ "{'key': {}, 'name': 'a'}", 67, "Index keys cannot be empty." },
		{ "{'key': {'a': 0}, 'name': 'a'}", 67, "Values in the index key pattern cannot be 0." },
		{ "{'key': {'a': {'$numberDouble': 'NaN'}}, 'name': 'a'}", 67, "cannot be NaN." },
		{ "{'key': {'a': true}, 'name': 'a'}", 67,
		  "Values in v:2 index key pattern cannot be of type bool. Only numbers > 0, numbers < 0, and strings are allowed." },
		{ "{'key': {'a': 'text'}, 'name': 'a'}", 67, "index type 'text' is not supported by this engine" },
		{ "{'key': {'a': 'hashed'}, 'name': 'a'}", 67, "index type 'hashed' is not supported by this engine" },
		{ "{'key': {'a': 'x'}, 'name': 'a'}", 67, "Unknown index plugin 'x'" },
		{ "{'key': {'': 1}, 'name': 'a'}", 67, "Index keys cannot be an empty field." },
		{ "{'key': {'a..b': 1}, 'name': 'a'}", 67, "Index keys cannot contain an empty field." },
		{ "{'key': {'a.$b': 1}, 'name': 'a'}", 67, "field name starts with '$'." },
		{ "{'key': {'a.$**': 1}, 'name': 'a'}", 67, "wildcard indexes are not supported by this engine" },
		{ "{'key': {'a': 1}, 'name': ''}", 67, "index name cannot be empty" },
		{ "{'key': {'a': 1}, 'name': '*'}", 2, "The index name '*' is not valid." },
		{ "{'key': {'a': 1}, 'name': '_id_'}", 2,
		  "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, found key: { a: 1 }" },
		{ "{'key': {'a': 1}, 'name': 'a', 'x': 1}", 197,
		  "The field 'x' is not valid for an index specification. Specification: { key: { a: 1 }, name: \"a\", x: 1 }" },
		{ "{'key': {'_id': 1}, 'name': '_id_', 'unique': true}", 197, "is not valid for an _id index specification. "
		  "Specification: { key: { _id: 1 }, name: \"_id_\", unique: true }" },
		{ "{'key': {'a': 1}, 'name': 'a', 'unique': 'yes'}", 14,
		  "The field 'unique has value unique: \"yes\", which is not convertible to bool" },
		{ "{'key': {'a': 1}, 'name': 'a', 'expireAfterSeconds': 1}", 67,
		  "index option 'expireAfterSeconds' is not supported by this engine" },
		{ "{'key': {'a': 1}, 'name': 'a', 'hidden': true}", 0, "{ v: 2, key: { a: 1 }, name: \"a\", hidden: true }" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': {'b': {'$gt': 5}, 'c': null}, 'unique': true}", 0,
		  "{ v: 2, key: { a: 1 }, name: \"a\", partialFilterExpression: { b: { $gt: 5 }, c: null }, unique: true }" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': {'$or': [{'b': {'$in': [1, 2]}}, {'c': {'$type': 2}}]}}", 0,
		  "{ v: 2, key: { a: 1 }, name: \"a\", partialFilterExpression: { $or: [ { b: { $in: [ 1, 2 ] } }, { c: { $type: 2 } } ] } }" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': 1}", 14,
		  "The field 'partialFilterExpression' must be an object, but got int" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': {'b': {'$exists': false}}}", 67,
		  "Error in specification { key: { a: 1 }, name: \"a\", partialFilterExpression: { b: { $exists: false } } } :: caused by "
		  ":: Expression not supported in partial index: $not\n    b exists\n" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': {'$or': [{'b': {'$ne': 1}}, {'c': 1}]}}", 67,
		  "Expression not supported in partial index: $not\n    b $eq 1\n" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': {'b': {'$nope': 1}}}", 2, "unknown operator: $nope" },
		{ "{'key': {'a': 1}, 'name': 'a', 'partialFilterExpression': {'b': 1}, 'sparse': true}", 67,
		  "cannot mix \"partialFilterExpression\" and \"sparse\" options" },
		{ "{'key': {'_id': 1}, 'name': '_id_', 'partialFilterExpression': {'b': 1}}", 197,
		  "is not valid for an _id index specification. Specification: { key: { _id: 1 }, name: \"_id_\", "
		  "partialFilterExpression: { b: 1 } }" },
		{ "{'key': {'a': 1}, 'name': 'a', 'collation': {'locale': 'en'}}", 67, "is not supported by this engine" },
		{ "{'key': {'a': 1}, 'name': 'a', 'v': 3}", 67, "cannot create an index with v=3" },
	};

	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		bson_error_t error = { 0 };
		struct index *i = index_new(harness_json(cases[n].specification), &error);
		struct bytes text = BYTES_INIT;
		struct value shown;
		size_t size, expected_size = strlen(cases[n].expected);

		if (i && value_document(&shown, i->specification.data, i->specification.size))
			print_line(&text, shown, PRINT_SERVER);
		else
			bytes_append_text(&text, error.message);
		CU_ASSERT_EQUAL(error.code, cases[n].code);
		size = text.size;
		ASSERT_TEXT(bytes_text(&text) + (cases[n].code && size > expected_size ? size - expected_size : 0),
		            cases[n].expected);
		bytes_clear(&text);
		index_destroy(i);
	}
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "random writes and seeks against a sorted array", test_random_writes },
		{ "a tall tree whose ranges come and go", test_tall_tree },
		{ "a cursor survives writes around it", test_cursor_survives_writes },
		{ "building is inserting", test_build_is_inserting },
		{ "keys of paths through arrays", test_multikey_values },
		{ "sparse", test_sparse },
		{ "parallel arrays are refused in MongoDB's words", test_parallel_arrays_message },
		{ "specifications", test_specifications },
		{ NULL, NULL }
	};

	return harness_run("indexes", cases);
}
