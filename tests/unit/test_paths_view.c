/* A level of the path tree at a time: in and out, orders, odd keys; and where a document opens. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bson/writer.h"
#include "harness/explored.h"
#include "harness/harness.h"
#include "model/path_text.h"
#include "ui/document_place.h"
#include "ui/paths_view.h"

static void count(struct path_tree *t, struct value document)
{
	path_tree_init(t, NULL);
	path_tree_add(t, document, 0);
	path_tree_finish(t);
}

/* Names of a level's rows in that order, "-" for the bytes in none. */
static const char *level(const struct path_node *place, int sort)
{
	struct bytes text = BYTES_INIT;
	size_t n;
	struct path_row *rows = paths_view_rows(place, sort, &n);

	for (size_t i = 0; i < n; i++) {
		bytes_append_text(&text, i ? " " : "");
		if (rows[i].node)
			path_print_key(&text, rows[i].node);
		else
			bytes_append_byte(&text, '-');
	}
	free(rows);
	return harness_keep(bytes_take_text(&text));
}

static const char *place_text(const struct paths_view *v, const struct path_tree *t)
{
	struct bytes text = BYTES_INIT;

	path_print(&text, paths_view_place(v, t));
	return harness_keep(bytes_take_text(&text));
}

static void in_and_out_pass_through_arrays(void)
{
	struct paths_view v = { 0 };
	struct path_tree t;
	int64_t row = -1;

	count(&t, harness_json("{'_id': 1, 'a': [{'b': {'c': 'text'}}], 'd': [1, 2]}"));
	ASSERT_TEXT(level(t.root, 0), "a d _id -");
	paths_view_enter(&v, t.root->children[0]);
	ASSERT_TEXT(place_text(&v, &t), "a.[]");
	paths_view_enter(&v, paths_view_place(&v, &t)->children[0]);
	ASSERT_TEXT(place_text(&v, &t), "a.[].b");
	CU_ASSERT_TRUE(paths_view_leave(&v, &t, &row));
	ASSERT_TEXT(place_text(&v, &t), "a.[]");
	CU_ASSERT_TRUE(paths_view_leave(&v, &t, &row));
	CU_ASSERT_EQUAL(row, paths_view_row_id(t.root->children[0]));
	CU_ASSERT_FALSE(paths_view_leave(&v, &t, &row));
	/* an array of numbers is a level with its elements alone */
	paths_view_enter(&v, t.root->children[1]);
	ASSERT_TEXT(level(paths_view_place(&v, &t), 0), "[] -");
	paths_view_clear(&v);
	path_tree_clear(&t);
}

static void what_a_new_tree_lacks_leads_above(void)
{
	struct paths_view v = { 0 };
	struct path_tree t, without;

	count(&t, harness_json("{'a': {'b': {'c': 1}}}"));
	count(&without, harness_json("{'a': {'x': 1}}"));
	paths_view_enter(&v, t.root->children[0]->children[0]);
	ASSERT_TEXT(place_text(&v, &t), "a.b");
	ASSERT_TEXT(place_text(&v, &without), "a");
	paths_view_clear(&v);
	path_tree_clear(&t);
	path_tree_clear(&without);
}

static void orders(void)
{
	struct path_tree t;

	path_tree_init(&t, NULL);
	path_tree_add(&t, harness_json("{'big': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'small': 1}"), 0);
	path_tree_add(&t, harness_json("{'small': 2, 'a.b': 1}"), 1);
	path_tree_finish(&t);
	ASSERT_TEXT(level(t.root, 0), "big small - \"a.b\"");
	ASSERT_TEXT(level(t.root, 1), "small big \"a.b\" -");
	ASSERT_TEXT(level(t.root, 2), "big small \"a.b\" -");
	ASSERT_TEXT(level(t.root, 3), "\"a.b\" big small -");
	path_tree_clear(&t);
}

/* However many keys an object has, its level is short and adds up. */
static void many_keys_are_a_short_level(void)
{
	struct bytes document = BYTES_INIT;
	struct writer w;
	struct path_tree t;
	struct path_row *rows;
	size_t n;
	int64_t sum = 0;

	writer_begin(&w, &document);
	for (int i = 0; i < 200000; i++) {
		char key[24];

		snprintf(key, sizeof key, "key%d\x1b[31m", i);
		writer_int64(&w, key, i);
	}
	count(&t, writer_finish(&w));
	rows = paths_view_rows(t.root, 0, &n);
	CU_ASSERT_TRUE(n <= 2002);
	for (size_t i = 0; i < n; i++)
		sum += rows[i].bytes;
	CU_ASSERT_EQUAL(sum, (int64_t)document.size);
	CU_ASSERT_PTR_NULL(strchr(level(t.root, 3), 27));
	free(rows);
	path_tree_clear(&t);
	bytes_clear(&document);
}

static struct document_tree *tree_of(struct value document)
{
	struct bytes copy = BYTES_INIT;

	bytes_append(&copy, document.bytes, document.size_bytes);
	return document_tree_new(&copy);
}

static const char *opened_at(const struct document_tree *t, size_t node)
{
	struct bytes text = BYTES_INIT;

	document_tree_path(t, node, &text);
	return harness_keep(bytes_take_text(&text));
}

static void a_document_opens_where_half_of_it_lies(void)
{
	struct document_tree *t = tree_of(harness_json("{'_id': 1, 'a': {'b': [{'x': 1}, {'x': 1}, {'x': 1}, {'x': 1}]}}"));
	struct document_tree *flat = tree_of(harness_json("{'a': 1, 'b': 2, 'c': 3}"));

	ASSERT_TEXT(opened_at(t, document_place_fattest(t)), "a.b");
	CU_ASSERT_EQUAL(document_place_fattest(flat), 0);
	document_tree_destroy(t);
	document_tree_destroy(flat);
}

static void a_document_opens_at_the_largest_of_a_path(void)
{
	struct value document = harness_json("{'a': [{'x': 'short'}, {'x': 'a longer text'}, 7], 'b': {'x': 'outside of the path'}}");
	struct document_tree *d = tree_of(document), *other = tree_of(harness_json("{'b': 1}"));
	struct path_tree t;
	const struct path_node *x;

	count(&t, document);
	x = path_node_child(t.root, PATH_FIELD, key_of("a"))->elements->children[0];
	ASSERT_TEXT(opened_at(d, document_place_of(d, x)), "a.1.x");
	CU_ASSERT_EQUAL(document_place_of(other, x), 0);
	path_tree_clear(&t);
	document_tree_destroy(d);
	document_tree_destroy(other);
}

static void keys_lead_through_the_paths_of_a_collection(void)
{
	struct explored o = explored_open("library");
	struct app *a = o.app;

	explored_settle(a);
	explored_type(a, "2 Enter");
	CU_ASSERT_EQUAL(a->focus, PANE_PATHS);
	explored_settle(a);
	CU_ASSERT_EQUAL(a->lists[PANE_PATHS].count, 6);
	explored_type(a, "Enter");
	ASSERT_TEXT(place_text(&a->paths_view, &app_paths(a)->paths->tree), "kopya.[]");
	explored_type(a, "Down i");
	CU_ASSERT_TRUE(a->paths_view.details);
	explored_type(a, "Esc Left");
	CU_ASSERT_EQUAL(a->paths_view.depth, 0);
	explored_type(a, "o");
	CU_ASSERT_EQUAL(a->focus, PANE_DOCUMENT);
	explored_settle(a);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a->document_view);
	ASSERT_TEXT(opened_at(a->document->tree, document_view_node(rows_selected(&a->lists[PANE_DOCUMENT]))), "kopya");
	CU_ASSERT_EQUAL(a->document->tree->document.size, 458);
	explored_type(a, "p");
	explored_settle(a);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a->document_paths);
	CU_ASSERT_EQUAL(a->document_paths->paths->bytes.value, 458);
	explored_type(a, "Esc");
	CU_ASSERT_EQUAL(a->focus, PANE_DOCUMENT);
	explored_type(a, "Esc"); /* the way back ends */
	CU_ASSERT_EQUAL(a->focus, PANE_PATHS);
	CU_ASSERT_FALSE(a->paths_view.of_document);
	explored_type(a, "Esc");
	CU_ASSERT_EQUAL(a->focus, PANE_SIZES);
	explored_close(&o);
}

/* What is measured meanwhile may take as long as it likes. */

static void wait_for_what_is_looked_at(struct app *a)
{
	explored_wait_for(a, a->looker);
	app_arrange(a, 120, 36);
}

static void paths_and_documents_wait_for_no_measurement(void)
{
	struct explored o = explored_open("library");
	struct app *a = o.app;

	explored_settle(a);
	explored_post_endless(a->worker);
	explored_type(a, "1 Home Down p");
	wait_for_what_is_looked_at(a);
	CU_ASSERT_PTR_NOT_NULL_FATAL(app_paths(a));
	CU_ASSERT_TRUE(app_paths(a)->paths->whole);
	explored_type(a, "o");
	wait_for_what_is_looked_at(a);
	CU_ASSERT_PTR_NOT_NULL(a->document_view);
	CU_ASSERT_EQUAL(worker_busy(a->worker), 1);
	explored_close(&o);
}

static void escape_ends_the_counting_of_paths_and_r_begins_it_anew(void)
{
	struct explored o = explored_open("library");
	struct app *a = o.app;

	explored_settle(a);
	explored_type(a, "2 Enter");
	explored_post_endless(a->looker);
	explored_type(a, "Esc");
	CU_ASSERT_EQUAL(a->focus, PANE_PATHS);
	CU_ASSERT_EQUAL(app_busy(a), 0);
	explored_type(a, "r");
	CU_ASSERT_TRUE(app_counts_paths(a));
	explored_settle(a);
	CU_ASSERT_TRUE(app_paths(a)->paths->whole);
	explored_close(&o);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "in and out pass through arrays", in_and_out_pass_through_arrays },
		{ "what a new tree lacks leads above", what_a_new_tree_lacks_leads_above },
		{ "orders", orders },
		{ "many keys are a short level", many_keys_are_a_short_level },
		{ "a document opens where half of it lies", a_document_opens_where_half_of_it_lies },
		{ "a document opens at the largest of a path", a_document_opens_at_the_largest_of_a_path },
		{ "keys lead through the paths of a collection", keys_lead_through_the_paths_of_a_collection },
		{ "paths and documents wait for no measurement", paths_and_documents_wait_for_no_measurement },
		{ "Esc ends the counting of paths and r begins it anew", escape_ends_the_counting_of_paths_and_r_begins_it_anew },
		{ NULL, NULL },
	};

	setlocale(LC_ALL, "C.UTF-8");
	return harness_run("paths view", cases);
}
