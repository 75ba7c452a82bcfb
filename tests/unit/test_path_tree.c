/*
 * The tree of paths: counted by hand, and as laws over random documents, whole and broken. The parts are the whole; the
 * order of documents makes no difference, nor how they were shared out among trees that were merged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "harness/harness.h"
#include "harness/random.h"
#include "model/path_key.h"
#include "model/path_tree.h"

static struct path_tree tree_of(const char *const *documents)
{
	struct path_tree t;

	path_tree_init(&t, NULL);
	for (int64_t i = 0; documents[i]; i++)
		path_tree_add(&t, harness_json(documents[i]), i);
	path_tree_finish(&t);
	return t;
}

static const char *parts_text(const struct field_parts *p)
{
	char text[160];

	snprintf(text, sizeof text, "values %d names %d arrays %d frames %d", (int)p->values, (int)p->names, (int)p->arrays,
	         (int)p->frames);
	return harness_keep(strdup(text));
}

/* "" is the root, "a" its field, "a.[]" the elements there, "m.*" what is folded. */
static const struct path_node *at(const struct path_tree *t, const char *path)
{
	const struct path_node *n = t->root;

	while (n && *path) {
		uint32_t size = (uint32_t)strcspn(path, ".");
		enum path_kind kind = !strncmp(path, "[]", 2) ? PATH_ELEMENTS : !strncmp(path, "*", 1) ? PATH_FOLDED : PATH_FIELD;

		n = path_node_child(n, kind, (struct key){ path, size });
		path += size + (path[size] == '.');
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(n);
	return n;
}

/* All of a finished tree as text: two trees are the same when their texts are. */

static void draw_mark(struct bytes *out, const char *name, const struct path_mark *m)
{
	bytes_format(out, " %s %lld@%lld", name, (long long)m->value, (long long)m->position);
	print_line(out, wrapped_value(&m->id), PRINT_SHELL);
}

static void draw_node(struct bytes *out, const struct path_node *n, int depth)
{
	bytes_format(out, "%*s%d ", depth, "", (int)n->kind);
	print_text(out, n->key, n->key_size);
	bytes_format(out, " bytes %lld", (long long)n->bytes);
#define X(part) bytes_format(out, " " #part " %lld", (long long)n->parts.part);
	FIELD_PARTS(X)
#undef X
	bytes_format(out, " count %lld in %lld keys %lld ", (long long)n->count, (long long)n->documents, (long long)distinct_figure(&n->keys).value);
	print_text(out, (const char *)n->example.data, n->example.size);
	draw_mark(out, "largest", &n->largest);
	for (uint32_t i = 0; i < n->type_count; i++) {
		bytes_format(out, " type %d %lld", n->types[i].type, (long long)n->types[i].count);
		draw_mark(out, "first", &n->types[i].first);
	}
	if (n->lengths) {
		bytes_format(out, " arrays %lld elements %lld", (long long)n->lengths->arrays, (long long)n->lengths->elements);
		for (size_t i = 0; i < PATH_LENGTH_BINS; i++)
			bytes_format(out, " %lld", (long long)n->lengths->bins[i]);
		for (size_t i = 0; i < n->lengths->longest_count; i++)
			draw_mark(out, "longest", &n->lengths->longest[i]);
	}
	for (size_t i = 0; n->values && i < n->values->count; i++) {
		bytes_format(out, " value %lld ", (long long)n->values->list[i].count);
		print_line(out, wrapped_value(&n->values->list[i].value), PRINT_SHELL);
	}
	bytes_append_byte(out, '\n');
	for (uint32_t i = 0; i < n->child_count; i++)
		draw_node(out, n->children[i], depth + 1);
}

static const char *drawing(const struct path_tree *t)
{
	struct bytes out = BYTES_INIT;

	bytes_format(&out, "broken %lld strictness %d", (long long)t->broken, t->strictness);
	draw_mark(&out, "deepest", &t->deepest);
	bytes_append_byte(&out, '\n');
	draw_node(&out, t->root, 0);
	return harness_keep(bytes_take_text(&out));
}

/* By hand */

static void flat_documents_by_hand(void)
{
	const char *const documents[] = { "{'_k': 'B0000080', 'kitap': 'K-00008'}", NULL };
	struct path_tree t = tree_of(documents);

	/* 5; 1 + 3 + (4 + 9); 1 + 6 + (4 + 8) */
	CU_ASSERT_EQUAL(t.root->bytes, 41);
	ASSERT_TEXT(parts_text(&t.root->parts), "values 25 names 9 arrays 0 frames 7");
	CU_ASSERT_EQUAL(t.root->child_count, 2);
	CU_ASSERT_EQUAL(at(&t, "_k")->bytes, 17);
	ASSERT_TEXT(parts_text(&at(&t, "_k")->parts), "values 13 names 3 arrays 0 frames 1");
	CU_ASSERT_EQUAL(at(&t, "kitap")->bytes, 19);
	ASSERT_TEXT(t.root->children[0]->key, "kitap"); /* the most bytes first */
	CU_ASSERT_EQUAL(t.deepest.value, 1);
	path_tree_clear(&t);
}

static void nested_documents_by_hand(void)
{
	const char *const documents[] = { "{'a': {'b': 1}, 'c': [true, 2.5]}", NULL };
	struct path_tree t = tree_of(documents);

	CU_ASSERT_EQUAL(t.root->bytes, 43);
	/* 1 + 2 + (5 + 1 + 2 + 4) */
	CU_ASSERT_EQUAL(at(&t, "a")->bytes, 15);
	ASSERT_TEXT(parts_text(&at(&t, "a")->parts), "values 4 names 4 arrays 0 frames 7");
	CU_ASSERT_EQUAL(at(&t, "a.b")->bytes, 7);
	ASSERT_TEXT(parts_text(&at(&t, "a.b")->parts), "values 4 names 2 arrays 0 frames 1");
	/* 1 + 2 + (5 + (1 + 2 + 1) + (1 + 2 + 8)) */
	CU_ASSERT_EQUAL(at(&t, "c")->bytes, 23);
	ASSERT_TEXT(parts_text(&at(&t, "c")->parts), "values 9 names 2 arrays 11 frames 1");
	CU_ASSERT_EQUAL(at(&t, "c.[]")->bytes, 15);
	CU_ASSERT_EQUAL(at(&t, "c.[]")->count, 2);
	CU_ASSERT_EQUAL(at(&t, "c.[]")->largest_bytes, 11);
	CU_ASSERT_EQUAL(at(&t, "c.[]")->documents, 1);
	ASSERT_TEXT(parts_text(&at(&t, "c.[]")->parts), "values 9 names 0 arrays 6 frames 0");
	CU_ASSERT_EQUAL(t.deepest.value, 2);
	path_tree_clear(&t);
}

static void types_and_the_documents_that_have_them(void)
{
	const char *const documents[] = { "{'_id': 7, 'a': 1, 'b': 'x'}", "{'_id': 8, 'b': 'xyz', 'a': 2.5}",
		                          "{'_id': 9, 'a': 7, 'a': 'twice'}", "{'_id': 10}", NULL };
	struct path_tree t = tree_of(documents);
	const struct path_node *a = at(&t, "a");

	CU_ASSERT_EQUAL(t.root->count, 4);
	CU_ASSERT_EQUAL(a->count, 4);
	CU_ASSERT_EQUAL(a->documents, 3);
	CU_ASSERT_EQUAL_FATAL(a->type_count, 3);
	CU_ASSERT_EQUAL(a->types[0].type, BSON_TYPE_INT32);
	CU_ASSERT_EQUAL(a->types[0].count, 2);
	ASSERT_TEXT(harness_text(wrapped_value(&a->types[0].first.id)), "7");
	CU_ASSERT_EQUAL(a->types[1].type, BSON_TYPE_DOUBLE);
	ASSERT_TEXT(harness_text(wrapped_value(&a->types[1].first.id)), "8");
	CU_ASSERT_EQUAL(a->types[2].type, BSON_TYPE_UTF8);
	ASSERT_TEXT(harness_text(wrapped_value(&a->types[2].first.id)), "9");
	CU_ASSERT_EQUAL(at(&t, "b")->largest_bytes, 1 + 2 + 4 + 4);
	ASSERT_TEXT(harness_text(wrapped_value(&at(&t, "b")->largest.id)), "8");
	path_tree_clear(&t);
}

static void lengths_of_arrays(void)
{
	const char *const documents[] = { "{'_id': 1, 'a': []}", "{'_id': 2, 'a': [1, 2, 3]}", "{'_id': 3, 'a': [1, 2]}",
		                          "{'_id': 4, 'a': [[1, 2, 3, 4, 5], []]}", NULL };
	struct path_tree t = tree_of(documents);
	const struct path_lengths *l = at(&t, "a")->lengths, *inner = at(&t, "a.[]")->lengths;

	CU_ASSERT_EQUAL(l->arrays, 4);
	CU_ASSERT_EQUAL(l->elements, 7);
	CU_ASSERT_EQUAL(l->bins[0], 1);
	CU_ASSERT_EQUAL(l->bins[1], 0);
	CU_ASSERT_EQUAL(l->bins[2], 3);
	CU_ASSERT_EQUAL(l->longest[0].value, 3);
	ASSERT_TEXT(harness_text(wrapped_value(&l->longest[0].id)), "2");
	ASSERT_TEXT(harness_text(wrapped_value(&l->longest[1].id)), "3"); /* as long as that of 4, and before it */
	CU_ASSERT_EQUAL(inner->arrays, 2);
	CU_ASSERT_EQUAL(inner->longest[0].value, 5);
	CU_ASSERT_EQUAL(inner->bins[3], 1);
	CU_ASSERT_EQUAL(at(&t, "a.[].[]")->count, 5);
	path_tree_clear(&t);
}

static void versions_of_the_schema(void)
{
	const char *const documents[] = { "{'schemaVersion': 2}", "{'schemaVersion': 1}", "{'schemaVersion': 2}", "{}",
		                          "{'a': {'schemaVersion': 3}}", NULL };
	struct path_tree t = tree_of(documents);
	const struct path_values *v = at(&t, "schemaVersion")->values;

	CU_ASSERT_PTR_NOT_NULL_FATAL(v);
	CU_ASSERT_EQUAL_FATAL(v->count, 2);
	ASSERT_TEXT(harness_text(wrapped_value(&v->list[0].value)), "1");
	CU_ASSERT_EQUAL(v->list[1].count, 2);
	CU_ASSERT_PTR_NULL(at(&t, "a.schemaVersion")->values);
	path_tree_clear(&t);
}

/* Duplicate, empty, dotted and dollar keys are keys like any; arrays may have wrong ones. */
static void odd_keys_are_counted_as_they_are(void)
{
	/* {"": 1, "a.b": 1, "$x": 1, "\xff": 1, "arr": [with keys "0", "0", "x"]} */
	static const char document[] = "\x42\0\0\0" "\x10\0\1\0\0\0" "\x10" "a.b\0\1\0\0\0" "\x10$x\0\1\0\0\0" "\x10\xff\0\1\0\0\0"
	                               "\x04" "arr\0" "\x1a\0\0\0" "\x10" "0\0\1\0\0\0" "\x10" "0\0\1\0\0\0" "\x10x\0\1\0\0\0\0" "\0";
	struct value v;
	struct path_tree t;

	CU_ASSERT_TRUE_FATAL(value_document(&v, (const uint8_t *)document, sizeof document - 1));
	path_tree_init(&t, NULL);
	path_tree_add(&t, v, 0);
	path_tree_finish(&t);
	CU_ASSERT_EQUAL(t.broken, 0);
	CU_ASSERT_EQUAL(t.root->bytes, (int64_t)sizeof document - 1);
	CU_ASSERT_EQUAL(path_node_child(t.root, PATH_FIELD, key_of(""))->bytes, 6);
	CU_ASSERT_EQUAL(path_node_child(t.root, PATH_FIELD, key_of("a.b"))->bytes, 9);
	CU_ASSERT_EQUAL(path_node_child(t.root, PATH_FIELD, key_of("$x"))->bytes, 8);
	CU_ASSERT_EQUAL(path_node_child(t.root, PATH_FIELD, key_of("\xff"))->bytes, 7);
	CU_ASSERT_EQUAL(at(&t, "arr.[]")->count, 3);
	CU_ASSERT_EQUAL(at(&t, "arr.[]")->parts.arrays, 9);
	path_tree_clear(&t);
}

/* Folding */

static void keys_that_are_data(void)
{
	static const char *const data[] = { "5f1d7f3a9c1e4b0001a2b3c4", "123e4567-e89b-12d3-a456-426614174000", "0", "2024", "-17", "3.5",
		                            "2024-05", "2024-05-17", "2024/05/17", "2024-05-17T10:20:30.123Z",
		                            "da39a3ee5e6b4b0d3255bfef95601890afd80709", NULL };
	static const char *const names[] = { "", "a", "_id", "name", "address2", "v1", "24h", "-", ".", "deadbeef", "facade", "2024-x",
		                             "12-34", "effaced", "aaaaaaaaaaaaaaaaaaaaaaaa", NULL };

	for (const char *const *k = data; *k; k++)
		CU_ASSERT_TRUE(path_key_is_data(key_of(*k)) || (fprintf(stderr, "no data: %s\n", *k), false));
	for (const char *const *k = names; *k; k++)
		CU_ASSERT_TRUE(!path_key_is_data(key_of(*k)) || (fprintf(stderr, "data: %s\n", *k), false));
	CU_ASSERT_TRUE(path_key_is_word(key_of("averageRating")));
	CU_ASSERT_TRUE(path_key_is_word(key_of("b\xc3\xb6l\xc3\xbcm")));
	CU_ASSERT_FALSE(path_key_is_word(key_of("user0017")));
	CU_ASSERT_FALSE(path_key_is_word(key_of("aGkWlQzRtYpLmNbV")));
}

static void data_folds_and_a_lone_key_does_not(void)
{
	const char *const documents[] = { "{'days': {'2024-01-01': {'n': 1}, '2024-01-02': {'n': 2}}, 'years': {'2024': 1}}",
		                          "{'days': {'2024-01-02': {'n': 3, 'x': 1}}, 'years': {'2024': 2}}", NULL };
	struct path_tree t = tree_of(documents);
	const struct path_node *star = at(&t, "days.*");

	CU_ASSERT_EQUAL(star->count, 3);
	CU_ASSERT_EQUAL(star->documents, 2);
	CU_ASSERT_EQUAL(distinct_figure(&star->keys).value, 2);
	CU_ASSERT_EQUAL(star->parts.names, 3 * 11 + 4 * 2);
	ASSERT_TEXT((const char *)star->example.data, "2024-01-01");
	CU_ASSERT_EQUAL(at(&t, "days.*.n")->count, 3);
	CU_ASSERT_EQUAL(at(&t, "years.2024")->count, 2);
	path_tree_clear(&t);
}

/* One document with 200,000 fields: a field a user. Its own fields stay. */
static void many_keys_of_one_document(void)
{
	enum { KEYS = 200000 };
	struct bytes document = BYTES_INIT;
	struct path_tree t;
	struct writer w;
	char name[16];

	writer_begin(&w, &document);
	writer_text(&w, "_id", "fb:uid");
	for (int i = 0; i < KEYS; i++) {
		snprintf(name, sizeof name, "fb%06d", i);
		writer_int32(&w, name, i);
	}
	writer_text(&w, "version", "1");
	path_tree_init(&t, NULL);
	path_tree_add(&t, writer_finish(&w), 0);
	CU_ASSERT_TRUE(t.node_count < 10);
	path_tree_finish(&t);
	CU_ASSERT_EQUAL(t.root->bytes, (int64_t)document.size);
	CU_ASSERT_EQUAL(t.root->child_count, 3);
	CU_ASSERT_EQUAL(at(&t, "*")->count, KEYS);
	CU_ASSERT_EQUAL(at(&t, "*")->bytes, (int64_t)KEYS * (1 + 9 + 4));
	CU_ASSERT_EQUAL(at(&t, "*")->documents, -1);
	CU_ASSERT_EQUAL(distinct_figure(&at(&t, "*")->keys).provenance, PROVENANCE_ESTIMATED);
	CU_ASSERT_TRUE(llabs(distinct_figure(&at(&t, "*")->keys).value - KEYS) < KEYS / 10);
	CU_ASSERT_EQUAL(at(&t, "version")->count, 1);
	path_tree_clear(&t);
	bytes_clear(&document);
}

static void random_name(struct random *r, char name[8])
{
	for (int i = 0; i < 7; i++)
		name[i] = (char)('a' + random_below(r, 26));
	name[7] = 0;
}

/* 2,000 documents with 50 random keys each: 100,000 paths would be kept. */
static void random_keys_of_many_documents(void)
{
	struct random r = { 13 };
	struct bytes document = BYTES_INIT;
	struct path_tree t;

	path_tree_init(&t, NULL);
	for (int i = 0; i < 2000; i++) {
		struct writer w;
		char name[8];

		bytes_reset(&document);
		writer_begin(&w, &document);
		writer_int32(&w, "_id", i);
		writer_begin_document(&w, key_of("m"));
		for (int k = 0; k < 50; k++) {
			random_name(&r, name);
			writer_begin_document(&w, key_of(name));
			writer_int32(&w, "n", k);
			writer_end(&w);
		}
		writer_end(&w);
		path_tree_add(&t, writer_finish(&w), i);
		CU_ASSERT_TRUE(t.node_count < 4000);
	}
	path_tree_finish(&t);
	CU_ASSERT_EQUAL(at(&t, "m.*")->count, 100000);
	CU_ASSERT_EQUAL(at(&t, "m.*.n")->count, 100000);
	CU_ASSERT_EQUAL(at(&t, "m")->child_count, 1);
	CU_ASSERT_EQUAL(t.node_count, 5);
	path_tree_clear(&t);
	bytes_clear(&document);
}

/* Laws */

static const char *const shared_names[] = { "name", "a", "b", "", "a.b", "$c", "items", "x1", "2024", "5f1d7f3a9c1e4b0001a2b3c4" };

static void random_fields(struct random *r, struct writer *w, int depth, uint32_t variety)
{
	for (uint32_t n = random_below(r, 7); n > 0; n--) {
		char name[16];
		uint32_t kind = random_below(r, 10);

		if (random_below(r, 3))
			snprintf(name, sizeof name, "%s", shared_names[random_below(r, 10)]);
		else
			snprintf(name, sizeof name, "k%u", random_below(r, variety));
		if (kind > 6 || depth == 4) {
			random_value(r, w, key_of(name), 3);
			continue;
		}
		(kind > 4 ? writer_begin_array : writer_begin_document)(w, key_of(name));
		random_fields(r, w, depth + 1, variety);
		writer_end(w);
	}
}

/* `variety`: of how many the names are that are not always the same. */
static void random_document(struct random *r, struct bytes *out, uint32_t variety)
{
	struct writer w;

	writer_begin(&w, out);
	if (random_below(r, 20))
		writer_int32(&w, "_id", (int32_t)random_below(r, 1000000));
	random_fields(r, &w, 0, variety);
	writer_finish(&w);
}

static void break_it(struct random *r, uint8_t *document, size_t size)
{
	for (uint32_t n = size > 6 ? 1 + random_below(r, 3) : 0; n > 0; n--)
		document[4 + random_below(r, (uint32_t)size - 5)] = (uint8_t)random_below(r, 256);
}

/* How many nodes say of themselves and their children what is not consistent. */
static int wrong_sums(const struct path_node *n)
{
	int64_t below = 0, of_types = 0;
	int wrong = 0;

	for (uint32_t i = 0; i < n->child_count; i++) {
		below += n->children[i]->bytes;
		wrong += wrong_sums(n->children[i]) + (i && n->children[i - 1]->bytes < n->children[i]->bytes);
	}
	for (uint32_t i = 0; i < n->type_count; i++)
		of_types += n->types[i].count;
	return wrong + (field_parts_sum(&n->parts) != n->bytes || of_types != n->count || below > n->bytes ||
	                n->largest_bytes > n->bytes || n->documents > n->count);
}

static void the_parts_are_the_whole(void)
{
	struct random r = { 20261130 };
	struct bytes document = BYTES_INIT;

	for (int round = 0; round < 4; round++) {
		struct path_tree t;
		int64_t bytes = 0, broken = 0, fields = 0;

		path_tree_init(&t, NULL);
		for (int i = 0; i < 2000; i++) {
			struct value v;

			bytes_reset(&document);
			random_document(&r, &document, 30);
			if (round % 2)
				break_it(&r, document.data, document.size);
			CU_ASSERT_TRUE_FATAL(value_document(&v, document.data, document.size));
			path_tree_add(&t, v, i);
			bytes += (int64_t)document.size;
		}
		path_tree_finish(&t);
		CU_ASSERT_EQUAL(wrong_sums(t.root), 0);
		CU_ASSERT_EQUAL(t.root->bytes, bytes);
		broken = t.broken;
		CU_ASSERT_TRUE(round % 2 ? broken > 100 : !broken);
		for (uint32_t i = 0; i < t.root->child_count; i++)
			fields += t.root->children[i]->bytes;
		if (!broken)
			CU_ASSERT_EQUAL(fields + 5 * t.root->count, bytes);
		path_tree_clear(&t);
	}
	bytes_clear(&document);
}

enum { MANY = 3000 };

struct heap {
	struct bytes all;
	size_t at[MANY + 1];
};

static void add_from(struct path_tree *t, const struct heap *h, int which)
{
	struct value v;

	CU_ASSERT_TRUE_FATAL(value_document(&v, h->all.data + h->at[which], h->at[which + 1] - h->at[which]));
	path_tree_add(t, v, which);
}

/* In three trees, as chance has it, which are merged in any order, one of them before it is complete. */
static void expect_merged_is_whole(struct random *r, const struct heap *h)
{
	struct path_tree whole, parts[3], sum;
	int order = (int)random_below(r, 3);
	const char *expected, *found;

	path_tree_init(&whole, NULL);
	path_tree_init(&sum, NULL);
	for (int i = 0; i < 3; i++)
		path_tree_init(&parts[i], NULL);
	for (int i = 0; i < MANY; i++) {
		add_from(&whole, h, i);
		add_from(&parts[random_below(r, 3)], h, i);
	}
	for (int i = 0; i < 3; i++)
		path_tree_merge(&sum, &parts[(i + order) % 3]);
	path_tree_finish(&whole);
	path_tree_finish(&sum);
	expected = drawing(&whole);
	found = drawing(&sum);
	CU_ASSERT_EQUAL(strcmp(found, expected), 0);
	CU_ASSERT_EQUAL(wrong_sums(sum.root), 0);
	path_tree_clear(&whole);
	path_tree_clear(&sum);
	for (int i = 0; i < 3; i++)
		path_tree_clear(&parts[i]);
}

/* Varieties below, around and above what is folded. */
static void merged_trees_are_the_tree_of_all(void)
{
	static const uint32_t varieties[] = { 5, 900, 1100, 100000 };
	struct random r = { 4711 };
	struct heap *h = memory_allocate_zeroed(1, sizeof *h);

	for (size_t round = 0; round < sizeof varieties / sizeof *varieties; round++) {
		bytes_reset(&h->all);
		for (int i = 0; i < MANY; i++) {
			h->at[i] = h->all.size;
			random_document(&r, &h->all, varieties[round]);
			if (!random_below(&r, 50))
				break_it(&r, h->all.data + h->at[i], h->all.size - h->at[i]);
		}
		h->at[MANY] = h->all.size;
		expect_merged_is_whole(&r, h);
	}
	bytes_clear(&h->all);
	free(h);
}

/* 250 levels are entered, what is below them counts as a value. */
static void depth_ends_at_the_limit(void)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	struct path_tree t;

	writer_begin(&w, &text);
	for (int i = 0; i < VALUE_DEPTH_LIMIT + 2; i++)
		writer_begin_document(&w, key_of("a"));
	for (int i = 0; i < VALUE_DEPTH_LIMIT + 2; i++)
		writer_end(&w);
	path_tree_init(&t, NULL);
	path_tree_add(&t, writer_finish(&w), 0);
	path_tree_finish(&t);
	CU_ASSERT_EQUAL(t.deepest.value, VALUE_DEPTH_LIMIT);
	CU_ASSERT_TRUE(t.root->parts.values > 0);
	CU_ASSERT_EQUAL(t.root->bytes, (int64_t)text.size);
	CU_ASSERT_EQUAL(wrong_sums(t.root), 0);
	path_tree_clear(&t);
	bytes_clear(&text);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "flat documents by hand", flat_documents_by_hand },
		{ "nested documents by hand", nested_documents_by_hand },
		{ "types and the documents that have them", types_and_the_documents_that_have_them },
		{ "lengths of arrays", lengths_of_arrays },
		{ "versions of the schema", versions_of_the_schema },
		{ "odd keys are counted as they are", odd_keys_are_counted_as_they_are },
		{ "keys that are data", keys_that_are_data },
		{ "data folds and a lone key does not", data_folds_and_a_lone_key_does_not },
		{ "many keys of one document", many_keys_of_one_document },
		{ "random keys of many documents", random_keys_of_many_documents },
		{ "the parts are the whole", the_parts_are_the_whole },
		{ "merged trees are the tree of all", merged_trees_are_the_tree_of_all },
		{ "depth ends at the limit", depth_ends_at_the_limit },
		{ NULL, NULL },
	};

	return harness_run("path tree", cases);
}
