/* A document as a tree: rows as text, opened and closed, searched, long texts broken into lines, anything that may lie
 * in a file. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/writer.h"
#include "harness/harness.h"
#include "harness/random.h"
#include "ui/document_view.h"

static struct document_tree *tree_of(struct value document)
{
	struct bytes copy = BYTES_INIT;

	bytes_append(&copy, document.bytes, document.size_bytes);
	return document_tree_new(&copy);
}

static const struct canvas window = { NULL, { 0, 0, 20, 60 }, false };

/* "name=text" a row, indented by its depth. */
static const char *rows_text(struct document_view *v, struct rows *l)
{
	struct bytes text = BYTES_INIT;

	rows_begin(l);
	document_view_list(v, l, &window);
	rows_settle(l);
	for (size_t i = 0; i < l->count; i++) {
		size_t node = document_view_node(l->ids[i]);
		char *line = document_view_text(v, node, document_view_line(l->ids[i]));
		bool opened = v->open[node] && document_tree_holds(v->tree, node);

		bytes_format(&text, "%*s%s=%s\n", v->tree->nodes[node].depth, "", document_tree_key(v->tree, node),
		             opened ? "..." : line);
		free(line);
	}
	return harness_keep(bytes_take_text(&text));
}

static void opens_and_closes(void)
{
	struct document_tree *t = tree_of(harness_json("{'_id': 1, 'a': {'b': [1, 2]}, 'c': {}}"));
	struct document_view *v = document_view_new(t);
	struct rows l;

	rows_init(&l);
	ASSERT_TEXT(rows_text(v, &l), "=...\n _id=1\n a={ b: [ 1, 2 ] }\n c={}\n");
	document_view_set_open(v, 2, true);
	ASSERT_TEXT(rows_text(v, &l), "=...\n _id=1\n a=...\n  b=[ 1, 2 ]\n c={}\n");
	document_view_open_all(v);
	ASSERT_TEXT(rows_text(v, &l), "=...\n _id=1\n a=...\n  b=...\n   0=1\n   1=2\n c={}\n");
	document_view_open_all(v);
	ASSERT_TEXT(rows_text(v, &l), "=...\n _id=1\n a={ b: [ 1, 2 ] }\n c={}\n");
	CU_ASSERT_FALSE(document_view_opens(v, 1));
	rows_clear(&l);
	document_view_destroy(v);
	document_tree_destroy(t);
}

/* Every field's bytes: those of what it holds, its own type and name, and 5 of a document. */
static void bytes_of_fields_add_up(void)
{
	struct document_tree *t = tree_of(harness_json("{'_id': 1, 'a': {'b': [1, 'xyz']}, 'c': null}"));

	for (size_t i = 0; i < t->count; i++) {
		int64_t sum = (i ? 1 + t->nodes[i].key_size + 1 : 0) + 5;

		if (!document_tree_holds(t, i))
			continue;
		for (size_t n = i + 1; n < t->nodes[i].end; n = t->nodes[n].end)
			sum += document_tree_bytes(t, n);
		CU_ASSERT_EQUAL(document_tree_bytes(t, i), sum);
	}
	CU_ASSERT_EQUAL(t->depth, 3);
	document_tree_destroy(t);
}

static void search_shows_what_holds_it_and_leads_there(void)
{
	struct document_tree *t = tree_of(
	        harness_json("{'a': {'b': {'needle': 1}}, 'c': 'a NEEDLE', 'd': 'hay', 'e': {'f': 5}}"));
	struct document_view *v = document_view_new(t);
	struct rows l;

	rows_init(&l);
	rows_text(v, &l);
	rows_set_filter(&l, "needle");
	ASSERT_TEXT(rows_text(v, &l), "=...\n a={ b: { needle: 1 } }\n  b={ needle: 1 }\n   needle=1\n c='a NEEDLE'\n");
	rows_select(&l, document_view_row(3));
	rows_set_filter(&l, NULL);
	ASSERT_TEXT(rows_text(v, &l), "=...\n a=...\n  b=...\n   needle=1\n c='a NEEDLE'\n d='hay'\n e={ f: 5 }\n");
	CU_ASSERT_EQUAL(rows_selected(&l), document_view_row(3));
	rows_set_filter(&l, "no such thing");
	ASSERT_TEXT(rows_text(v, &l), "");
	rows_clear(&l);
	document_view_destroy(v);
	document_tree_destroy(t);
}

static void long_texts_take_lines(void)
{
	struct document_tree *t = tree_of(
	        harness_json("{'t': 'one two three four five six seven eight nine ten eleven twelve', 'n': 1}"));
	struct document_view *v = document_view_new(t);
	struct bytes joined = BYTES_INIT;
	struct rows l;

	rows_init(&l);
	rows_begin(&l);
	document_view_list(v, &l, &window);
	CU_ASSERT_TRUE(l.count > 3);
	for (size_t i = 1; i + 1 < l.count; i++) {
		char *line = document_view_text(v, 1, document_view_line(l.ids[i]));

		CU_ASSERT_TRUE(canvas_width(&window, line) <= document_view_columns(v, 1).value_width);
		bytes_append_text(&joined, line);
		free(line);
	}
	ASSERT_TEXT(bytes_text(&joined), "'one two three four five six seven eight nine ten eleven twelve'");
	CU_ASSERT_TRUE(document_view_opens(v, 1));
	document_view_set_open(v, 1, false);
	rows_begin(&l);
	document_view_list(v, &l, &window);
	CU_ASSERT_EQUAL(l.count, 3);
	rows_clear(&l);
	bytes_clear(&joined);
	document_view_destroy(v);
	document_tree_destroy(t);
}

/* A text of a megabyte is closed at first; open, its lines hold all of it. */
static void very_long_texts_are_opened(void)
{
	enum { SIZE = 1 << 20 };
	struct bytes document = BYTES_INIT;
	struct document_tree *t;
	struct document_view *v;
	char *text = malloc(SIZE + 1);
	struct writer w;
	struct rows l;
	size_t size = 0;

	memset(text, 'x', SIZE);
	text[SIZE] = 0;
	writer_begin(&w, &document);
	writer_text(&w, "t", text);
	writer_finish(&w);
	t = document_tree_new(&document);
	v = document_view_new(t);
	rows_init(&l);
	rows_begin(&l);
	document_view_list(v, &l, &window);
	CU_ASSERT_EQUAL(l.count, 2);
	CU_ASSERT_TRUE(document_view_opens(v, 1));
	document_view_set_open(v, 1, true);
	rows_begin(&l);
	document_view_list(v, &l, &window);
	CU_ASSERT_TRUE(l.count > SIZE / 60);
	for (size_t i = 1; i < l.count; i++) {
		char *line = document_view_text(v, 1, document_view_line(l.ids[i]));

		size += strlen(line);
		free(line);
	}
	CU_ASSERT_EQUAL(size, SIZE + 2);
	free(text);
	rows_clear(&l);
	document_view_destroy(v);
	document_tree_destroy(t);
}

static void expect_250_levels(void)
{
	struct bytes document = BYTES_INIT, path = BYTES_INIT;
	struct document_tree *t;
	struct document_view *v;
	struct writer w;
	struct rows l;

	writer_begin(&w, &document);
	for (int i = 1; i < VALUE_DEPTH_LIMIT + 3; i++)
		writer_begin_document(&w, key_of("a"));
	for (int i = 1; i < VALUE_DEPTH_LIMIT + 3; i++)
		writer_end(&w);
	writer_finish(&w);
	t = document_tree_new(&document);
	CU_ASSERT_EQUAL(t->depth, VALUE_DEPTH_LIMIT);
	CU_ASSERT_EQUAL(t->count, VALUE_DEPTH_LIMIT + 1);
	v = document_view_new(t);
	document_view_open_all(v);
	rows_init(&l);
	rows_text(v, &l);
	CU_ASSERT_EQUAL(l.count, VALUE_DEPTH_LIMIT + 1);
	document_tree_path(t, t->count - 1, &path);
	CU_ASSERT_EQUAL(path.size, 2 * VALUE_DEPTH_LIMIT - 1);
	bytes_clear(&path);
	rows_clear(&l);
	document_view_destroy(v);
	document_tree_destroy(t);
}

/* Whatever lies in a file: no crash, and nothing unsafe in the text. */
static void broken_documents_are_shown(void)
{
	struct random r = { 99 };
	int broken = 0;

	for (int i = 0; i < 2000; i++) {
		struct bytes document = BYTES_INIT;
		struct document_tree *t;
		struct document_view *v;
		struct writer w;
		struct rows l;
		const char *text;

		writer_begin(&w, &document);
		for (uint32_t n = random_below(&r, 6); n > 0; n--)
			random_value(&r, &w, key_of("f"), 4);
		writer_finish(&w);
		for (uint32_t n = random_below(&r, 4); n > 0; n--)
			document.data[random_below(&r, (uint32_t)document.size)] = (uint8_t)random_below(&r, 256);
		t = document_tree_new(&document);
		v = document_view_new(t);
		rows_init(&l);
		document_view_open_all(v);
		text = rows_text(v, &l);
		rows_set_filter(&l, "1");
		rows_text(v, &l);
		CU_ASSERT_TRUE(*text == '=');
		broken += t->broken != NULL;
		rows_clear(&l);
		document_view_destroy(v);
		document_tree_destroy(t);
	}
	CU_ASSERT_TRUE(broken > 100);
}

/* Names as they are: twice the same, empty, with dots and dollars, an array's that are no indexes; a path says which. */
static void odd_names_are_told_apart(void)
{
	static const uint8_t array[] = { 26, 0, 0, 0, BSON_TYPE_INT32, '7', 0, 1, 0, 0, 0, BSON_TYPE_INT32, 'x', 0, 2, 0, 0, 0,
		                         BSON_TYPE_INT32, '7', 0, 3, 0, 0, 0, 0 };
	struct bytes out = BYTES_INIT, path = BYTES_INIT;
	struct document_tree *t;
	struct document_view *v;
	struct writer w;
	struct rows l;

	writer_begin(&w, &out);
	writer_int32(&w, "same", 1);
	writer_int32(&w, "same", 2);
	writer_int32(&w, "", 3);
	writer_begin_document(&w, key_of("a.b"));
	writer_int32(&w, "$set", 4);
	writer_int32(&w, "say \"\\\"\x1b", 5);
	writer_end(&w);
	writer_raw(&w, key_of("array"), BSON_TYPE_ARRAY, array, sizeof array);
	writer_finish(&w);
	t = document_tree_new(&out);
	v = document_view_new(t);
	rows_init(&l);
	document_view_open_all(v);
	CU_ASSERT_PTR_NULL(t->broken);
	ASSERT_TEXT(rows_text(v, &l), "=...\n same=1\n same=2\n =3\n a.b=...\n  $set=4\n  say \"\\\"\x1b=5\n array=...\n  7=1\n  x=2\n  7=3\n");
	ASSERT_TEXT(document_view_name(v, 3), "\"\"");
	CU_ASSERT_EQUAL(document_view_columns(v, 3).name_width, 2);
	document_tree_path(t, 3, &path);
	ASSERT_TEXT(bytes_text(&path), "\"\"");
	bytes_reset(&path);
	document_tree_path(t, 5, &path);
	ASSERT_TEXT(bytes_text(&path), "\"a.b\".$set");
	bytes_reset(&path);
	document_tree_path(t, 6, &path);
	ASSERT_TEXT(bytes_text(&path), "\"a.b\".\"say \\\"\\\\\\\"\\u001b\"");
	bytes_reset(&path);
	document_tree_path(t, 9, &path);
	ASSERT_TEXT(bytes_text(&path), "array.x");
	bytes_clear(&path);
	rows_clear(&l);
	document_view_destroy(v);
	document_tree_destroy(t);
}

/* A zero byte does not end a text. */
static void texts_go_on_behind_a_zero_byte(void)
{
	struct bytes out = BYTES_INIT;
	struct document_tree *t;
	struct document_view *v;
	struct writer w;
	struct rows l;

	writer_begin(&w, &out);
	writer_key_text(&w, "t", (struct key){ "before\0needle", 13 });
	writer_finish(&w);
	t = document_tree_new(&out);
	v = document_view_new(t);
	rows_init(&l);
	ASSERT_TEXT(rows_text(v, &l), "=...\n t='before\\u0000needle'\n");
	rows_set_filter(&l, "needle");
	ASSERT_TEXT(rows_text(v, &l), "=...\n t='before\\u0000needle'\n");
	rows_clear(&l);
	document_view_destroy(v);
	document_tree_destroy(t);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "opens and closes", opens_and_closes },
		{ "bytes of fields add up", bytes_of_fields_add_up },
		{ "search shows what holds it and leads there", search_shows_what_holds_it_and_leads_there },
		{ "long texts take lines", long_texts_take_lines },
		{ "very long texts are opened", very_long_texts_are_opened },
		{ "250 levels", expect_250_levels },
		{ "broken documents are shown", broken_documents_are_shown },
		{ "odd names are told apart", odd_names_are_told_apart },
		{ "texts go on behind a zero byte", texts_go_on_behind_a_zero_byte },
		{ NULL, NULL },
	};

	setlocale(LC_ALL, "C.UTF-8");
	return harness_run("document view", cases);
}
