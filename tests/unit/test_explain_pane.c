/*
 * The Explain pane under keys: a plan as tree, grid and raw reply, two plans side by side, and plans that were opened or
 * pasted.
 */
#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bson/print.h"
#include "harness/explored.h"
#include "harness/harness.h"
#include "ui/folded_text.h"
#include "ui/pane.h"
#include "ui/pasting.h"
#include "ui/file_names.h"
#include "ui/terminal.h"

static const char scan[] =
	"{queryPlanner: {namespace: 'shop.orders', winningPlan: {stage: 'COLLSCAN', filter: {a: 1}}},\n"
	" executionStats: {nReturned: 1, executionTimeMillis: 5, totalKeysExamined: 0, totalDocsExamined: 900,\n"
	"  executionStages: {stage: 'COLLSCAN', nReturned: 1, works: 902, docsExamined: 900}}, ok: 1}";

static const char fetch[] =
	"{queryPlanner: {namespace: 'shop.orders', winningPlan: {stage: 'FETCH', inputStage: {stage: 'IXSCAN',\n"
	"  indexName: 'a_1', keyPattern: {a: 1}, indexBounds: {a: ['[1, 1]']}}}},\n"
	" executionStats: {nReturned: 1, executionTimeMillis: 0, totalKeysExamined: 1, totalDocsExamined: 1,\n"
	"  executionStages: {stage: 'FETCH', nReturned: 1, works: 2, docsExamined: 1,\n"
	"   inputStage: {stage: 'IXSCAN', indexName: 'a_1', nReturned: 1, works: 2, keysExamined: 1}}}, ok: 1}";

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(text, f);
	fclose(f);
}

/* A file of the test's folder, which is the current one. */
static void write_plans(void)
{
	write_file("scan plan.txt", scan);
	write_file("fetch.txt", fetch);
	write_file("broken.txt", "{queryPlanner: {\n  winningPlan: }");
}

static bool shows(struct app *a, const char *text)
{
	char *screen = explored_screen(a);
	bool found = strstr(screen, text) != NULL;

	if (!found)
		fprintf(stderr, "not on the screen: %s\n%s\n", text, screen);
	free(screen);
	return found;
}

static bool hides(struct app *a, const char *text)
{
	char *screen = explored_screen(a);
	bool found = strstr(screen, text) != NULL;

	free(screen);
	return !found;
}

static struct explored open_library_explain(void)
{
	struct explored o = explored_open("library");

	explored_type(o.app, "Space E z");
	explored_settle(o.app);
	return o;
}

/* Text */

static struct folded_text folded(const char *json)
{
	struct value v = harness_json(json);
	struct bytes document = BYTES_INIT;
	struct folded_text t;

	bytes_append(&document, v.bytes, v.size_bytes);
	folded_text_make(&t, &document);
	bytes_clear(&document);
	return t;
}

static void expect_line(const struct folded_text *t, size_t line, bool folded, const char *expected)
{
	struct bytes text = BYTES_INIT;

	folded_text_line(t, line, folded, &text);
	ASSERT_TEXT(bytes_text(&text), expected);
	bytes_clear(&text);
}

static void expect_value(const struct folded_text *t, size_t line, const char *expected)
{
	struct bytes text = BYTES_INIT;

	folded_text_value(t, line, &text);
	ASSERT_TEXT(bytes_text(&text), expected);
	bytes_clear(&text);
}

static void a_text_has_a_line_a_field(void)
{
	struct folded_text t = folded("{'a': 1, 'b': {'c': [1, {'d': 'x } {'}], 'e': {}}, 'f': '['}");

	/* { a b{ c[ 1 {  d } ] e } f } */
	CU_ASSERT_EQUAL_FATAL(t.count, 13);
	expect_line(&t, 0, false, "{");
	expect_line(&t, 2, false, "b: {");
	expect_line(&t, 2, true, "b: { c: […], e: {} },");
	expect_line(&t, 3, true, "c: [ 1, {…} ],");
	expect_line(&t, 9, false, "e: {}");
	CU_ASSERT_EQUAL(t.lines[2].end, 11);
	CU_ASSERT_EQUAL(t.lines[3].end, 9);
	CU_ASSERT_FALSE(folded_text_opens(&t, 9));
	CU_ASSERT_FALSE(folded_text_opens(&t, 11));
	expect_value(&t, 6, "x } {");
	expect_value(&t, 5, "{\n  d: 'x } {'\n}");
	expect_value(&t, 7, "{\n  d: 'x } {'\n}"); /* the line that closes it */
	expect_value(&t, 11, "[");
	folded_text_clear(&t);
}

static void every_value_is_found_on_its_line(void)
{
	struct folded_text t = folded("{'a': {'b': {'c': 1}}, 'd': [{'e': 2}, {'e': 3}]}");

	for (size_t n = 0; n < t.tree->count; n++) {
		size_t line = folded_text_line_at(&t, t.tree->nodes[n].value_offset);

		CU_ASSERT_EQUAL(t.lines[line].node, n);
	}
	folded_text_clear(&t);
}

static void folds_open_and_close(void)
{
	struct folded_text t = folded("{'a': {'b': {'needle': 1}}, 'c': {'d': {'e': 'Needle'}}}");
	struct folds f = { 0 };
	struct rows l;
	size_t number;

	rows_init(&l);
	folds_look_at(&f, &t);
	memset(f.open, 0, t.count);
	f.open[0] = 1;
	folds_list(&f, &l);
	CU_ASSERT_EQUAL(l.count, 4); /* { a c } */
	rows_set_filter(&l, "needle");
	CU_ASSERT_EQUAL(folds_find(&f, &l, 0, false), 3);
	CU_ASSERT_EQUAL(folds_find(&f, &l, 3, false), 8);
	CU_ASSERT_EQUAL(folds_find(&f, &l, 8, false), 3); /* round the end */
	CU_ASSERT_EQUAL(folds_find(&f, &l, 3, true), 8);
	CU_ASSERT_EQUAL(folds_open_hits(&f, &l, 8, &number), 2);
	CU_ASSERT_EQUAL(number, 2);
	rows_begin(&l);
	folds_list(&f, &l);
	CU_ASSERT_EQUAL(l.count, t.count);
	folds_open_all(&f);
	rows_begin(&l);
	folds_list(&f, &l);
	CU_ASSERT_EQUAL(l.count, 4);
	rows_set_filter(&l, "nowhere");
	CU_ASSERT_EQUAL(folds_find(&f, &l, 0, false), -1);
	CU_ASSERT_EQUAL(folds_parent(&f, 3), 2);
	CU_ASSERT_EQUAL(folds_parent(&f, 1), 0);
	rows_clear(&l);
	folds_clear(&f);
	folded_text_clear(&t);
}

/* The deepest that can be stored has every level on a line of its own; what is deeper ends with a mark. */
static void the_deepest_reply_is_laid_out(void)
{
	struct bytes text = BYTES_INIT;
	struct folded_text t;

	for (int i = 0; i < 249; i++)
		bytes_append_text(&text, "{'a': ");
	bytes_append_text(&text, "1");
	for (int i = 0; i < 249; i++)
		bytes_append_text(&text, "}");
	t = folded(bytes_text(&text));
	CU_ASSERT_EQUAL(t.count, 249 + 1 + 249);
	CU_ASSERT_EQUAL(t.lines[249].depth, 249);
	folded_text_clear(&t);
	bytes_clear(&text);
}

/* Faces */

static void t_shows_tree_grid_and_reply(void)
{
	struct explored o = open_library_explain();

	CU_ASSERT_TRUE(shows(o.app, "└─IXSCAN _k_1"));
	CU_ASSERT_TRUE(shows(o.app, "cost of the row"));
	explored_type(o.app, "t");
	CU_ASSERT_EQUAL(o.app->explain.face, FACE_GRID);
	CU_ASSERT_TRUE(shows(o.app, "works"));
	CU_ASSERT_TRUE(shows(o.app, "FETCH reads"));
	explored_type(o.app, "Down");
	CU_ASSERT_TRUE(shows(o.app, "IXSCAN reads"));
	explored_type(o.app, "t");
	CU_ASSERT_EQUAL(o.app->explain.face, FACE_RAW);
	CU_ASSERT_TRUE(shows(o.app, "▸ queryPlanner: { namespace: 'library.kitap'"));
	explored_type(o.app, "t");
	CU_ASSERT_EQUAL(o.app->explain.face, FACE_TREE);
	explored_close(&o);
}

/* Enter on a stage leads to it, of several with its name to the right one. */
static void enter_leads_to_the_stage_in_the_reply(void)
{
	struct explored o = open_library_explain();
	const struct folds *f = o.app->explain.folds;
	size_t line;

	explored_type(o.app, "t Down Enter");
	CU_ASSERT_EQUAL(o.app->explain.face, FACE_RAW);
	line = (size_t)rows_selected(&o.app->lists[PANE_EXPLAIN]);
	expect_line(f->text, line, false, "inputStage: {");
	expect_line(f->text, line + 1, false, "stage: 'IXSCAN',");
	explored_type(o.app, "Enter");
	CU_ASSERT_FALSE(f->open[line]);
	explored_type(o.app, "z Esc");
	CU_ASSERT_EQUAL(o.app->explain.face, FACE_GRID);
	CU_ASSERT_EQUAL(o.app->focus, PANE_EXPLAIN);
	explored_close(&o);
}

static void search_opens_what_hides_a_hit(void)
{
	struct explored o = open_library_explain();
	struct rows *l = &o.app->lists[PANE_EXPLAIN];
	int64_t first;

	explored_type(o.app, "/IXSCAN");
	CU_ASSERT_EQUAL(o.app->explain.face, FACE_RAW);
	CU_ASSERT_TRUE(shows(o.app, "line 1 of 2 with \"ixscan\""));
	first = rows_selected(l);
	expect_line(o.app->explain.folds->text, (size_t)first, false, "stage: 'IXSCAN',");
	explored_type(o.app, "n");
	CU_ASSERT_NOT_EQUAL(rows_selected(l), first);
	CU_ASSERT_TRUE(shows(o.app, "line 2 of 2"));
	explored_type(o.app, "n");
	CU_ASSERT_EQUAL(rows_selected(l), first);
	explored_type(o.app, "N");
	CU_ASSERT_NOT_EQUAL(rows_selected(l), first);
	explored_type(o.app, "/no such thing");
	CU_ASSERT_TRUE(shows(o.app, "not in the reply"));
	explored_type(o.app, "Esc");
	CU_ASSERT_PTR_NULL(l->filter);
	explored_type(o.app, "n");
	CU_ASSERT_TRUE(shows(o.app, "nothing is searched for"));
	explored_close(&o);
}

static void what_is_copied_is_whole(void)
{
	struct explored o = open_library_explain();
	struct bytes text = BYTES_INIT;

	pane_type(PANE_EXPLAIN)->copy(o.app, &text);
	CU_ASSERT_PTR_NOT_NULL(strstr(bytes_text(&text), "serverInfo: {"));
	bytes_reset(&text);
	explored_type(o.app, "/namespace");
	pane_type(PANE_EXPLAIN)->copy(o.app, &text);
	ASSERT_TEXT(bytes_text(&text), "library.kitap");
	bytes_clear(&text);
	explored_close(&o);
}

/* Opened */

static void a_file_takes_the_place_of_the_plan(void)
{
	struct explored o = open_library_explain();

	write_plans();
	explored_type(o.app, "t");
	explored_type(o.app, ":open scan\\ plan.txt");
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->explain.opened);
	CU_ASSERT_TRUE(shows(o.app, "opened · executionStats · scan plan.txt"));
	CU_ASSERT_TRUE(shows(o.app, "shop.orders"));
	CU_ASSERT_TRUE(shows(o.app, "returned 1, docs examined 900, keys examined 0, 5 ms"));
	CU_ASSERT_TRUE(hides(o.app, "cost of the row"));
	/* the row's own plan cannot be asked for meanwhile */
	explored_type(o.app, "i");
	CU_ASSERT_FALSE(o.app->explain.offering);
	explored_type(o.app, ":close");
	CU_ASSERT_PTR_NULL(o.app->explain.opened);
	CU_ASSERT_TRUE(shows(o.app, "book page"));
	explored_type(o.app, ":close");
	CU_ASSERT_TRUE(o.app->message_is_error);
	explored_close(&o);
}

static void what_cannot_be_read_is_one_line(void)
{
	struct explored o = open_library_explain();

	write_plans();
	explored_type(o.app, ":open broken.txt");
	explored_settle(o.app);
	CU_ASSERT_TRUE(o.app->message_is_error);
	CU_ASSERT_PTR_NOT_NULL(strstr(o.app->message, "broken.txt:2:16: expected a value"));
	CU_ASSERT_PTR_NULL(o.app->explain.opened);
	explored_type(o.app, ":open nowhere.txt");
	explored_settle(o.app);
	ASSERT_TEXT(o.app->message, "nowhere.txt: No such file or directory");
	explored_type(o.app, ":open a b c");
	CU_ASSERT_TRUE(o.app->message_is_error);
	explored_close(&o);
}

static void two_files_stand_side_by_side(void)
{
	struct explored o = open_library_explain();

	write_plans();
	explored_type(o.app, ":open 'scan plan.txt' fetch.txt");
	explored_settle(o.app);
	CU_ASSERT_TRUE(explain_compares(o.app));
	CU_ASSERT_TRUE(shows(o.app, "~ COLLSCAN"));
	CU_ASSERT_TRUE(shows(o.app, "docs examined 900 -> 1; keys examined 0 -> 1; returned 1 in both"));
	explored_type(o.app, "d");
	CU_ASSERT_TRUE(shows(o.app, "1 of 2, scan plan.txt"));
	explored_type(o.app, "]");
	CU_ASSERT_TRUE(shows(o.app, "2 of 2, fetch.txt"));
	explored_type(o.app, "d");
	CU_ASSERT_TRUE(explain_compares(o.app));
	explored_type(o.app, "z Esc");
	CU_ASSERT_PTR_NULL(o.app->explain.opened);
	explored_close(&o);
}

static const char slow_line[] =
	"{\"t\":{\"$date\":\"2026-01-01T00:00:00.000+00:00\"},\"s\":\"I\",\"c\":\"COMMAND\",\"id\":51803,\"ctx\":\"conn1\",\"msg\":\"Slow query\","
	"\"attr\":{\"type\":\"command\",\"ns\":\"shop.items\",\"command\":{\"find\":\"items\",\"filter\":{\"order\":1}},"
	"\"planSummary\":\"COLLSCAN\",\"docsExamined\":680,\"nreturned\":2,\"durationMillis\":104}}\n";

static const char profiled[] =
	"{ op: 'query', ns: 'shop.items', command: { find: 'items', filter: { order: 1 } }, keysExamined: 0, docsExamined: 680,\n"
	"  nreturned: 2, millis: 12, planSummary: 'COLLSCAN', ts: ISODate('2026-01-01T00:00:00Z'),\n"
	"  execStats: { stage: 'COLLSCAN', nReturned: 2, docsExamined: 680 } }\n";

static const char other_line[] =
	"{\"t\":{\"$date\":\"2026-01-01T00:00:00.000+00:00\"},\"s\":\"I\",\"c\":\"NETWORK\",\"id\":22943,\"ctx\":\"listener\","
	"\"msg\":\"Connection accepted\",\"attr\":{}}\n";

/* `before` lines that are no operations, then a text so many times. */
static void write_log(const char *path, size_t before, const char *text, size_t times)
{
	struct bytes all = BYTES_INIT;

	while (before--)
		bytes_append_text(&all, other_line);
	while (times--)
		bytes_append_text(&all, text);
	write_file(path, bytes_text(&all));
	bytes_clear(&all);
}

static void expect_rows(struct explored *o, const char *count)
{
	explored_settle(o->app);
	CU_ASSERT_EQUAL(o->app->focus, PANE_WORKLOAD);
	CU_ASSERT_PTR_NULL(o->app->explain.opened);
	CU_ASSERT_PTR_NULL(o->app->explain.opening);
	CU_ASSERT_TRUE(shows(o->app, count));
	CU_ASSERT_TRUE(shows(o->app, "find shop.items {filter: {order: ?}}"));
	explored_type(o->app, "Esc");
	CU_ASSERT_EQUAL(o->app->focus, PANE_EXPLAIN);
	explored_type(o->app, ":close");
	CU_ASSERT_PTR_NULL(o->app->workload.path);
}

/* :open and a paste look what it is. */
static void what_a_server_wrote_down_opens_as_rows(void)
{
	struct explored o = open_library_explain();

	explored_type(o.app, "z");
	write_log("slow.log", 1, slow_line, 3);
	explored_type(o.app, ":open slow.log");
	expect_rows(&o, "slow.log · 3 records");
	write_log("one.log", 0, slow_line, 1);
	explored_type(o.app, ":open one.log");
	expect_rows(&o, "one.log · 1 record ");
	write_log("late.log", 10000, slow_line, 2); /* nothing in the part that is looked at first */
	explored_type(o.app, ":open late.log");
	expect_rows(&o, "late.log · 2 records");
	write_log("profile.txt", 0, profiled, 2); /* each holds a plan */
	explored_type(o.app, ":open profile.txt");
	expect_rows(&o, "profile.txt · 2 records");
	app_paste(o.app, slow_line, sizeof slow_line - 1);
	expect_rows(&o, "pasted text · 1 record ");
	explored_close(&o);
}

static void one_record_with_a_plan_opens_as_that(void)
{
	struct explored o = open_library_explain();

	write_log("record.txt", 0, profiled, 1);
	explored_type(o.app, ":open record.txt");
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->explain.opened);
	CU_ASSERT_TRUE(shows(o.app, "record.txt"));
	explored_close(&o);
}

/* Opening waits for no measurement, and Esc ends either. */

static void wait_for_file(struct app *a)
{
	explored_wait_for(a, a->files);
}

static void a_file_waits_for_no_measurement(void)
{
	struct explored o = open_library_explain();

	write_plans();
	explored_post_endless(o.app->worker);
	explored_type(o.app, ":open fetch.txt");
	wait_for_file(o.app);
	CU_ASSERT_PTR_NOT_NULL(o.app->explain.opened);
	CU_ASSERT_EQUAL(worker_busy(o.app->worker), 1);
	explored_close(&o);
}

static void escape_ends_what_is_being_opened(void)
{
	struct explored o = open_library_explain();

	write_plans();
	explored_post_endless(o.app->files);
	explored_type(o.app, ":open fetch.txt");
	explored_type(o.app, "Esc");
	explored_settle(o.app);
	CU_ASSERT_PTR_NULL(o.app->explain.opened);
	CU_ASSERT_PTR_NULL(o.app->explain.opening);
	explored_post_endless(o.app->files);
	explored_type(o.app, ":workload fetch.txt");
	CU_ASSERT_EQUAL(o.app->focus, PANE_WORKLOAD);
	explored_type(o.app, "Esc");
	explored_settle(o.app);
	CU_ASSERT_PTR_NULL(o.app->workload.path);
	CU_ASSERT_EQUAL(o.app->focus, PANE_EXPLAIN);
	explored_close(&o);
}

static void one_escape_leads_back_from_an_opened_plan(void)
{
	struct explored o = explored_open("library");

	explored_settle(o.app);
	write_plans();
	explored_type(o.app, ":open fetch.txt");
	explored_settle(o.app);
	CU_ASSERT_TRUE(o.app->zoomed);
	explored_type(o.app, ":open fetch.txt");
	explored_settle(o.app);
	explored_type(o.app, "Esc");
	CU_ASSERT_PTR_NULL(o.app->explain.opened);
	CU_ASSERT_FALSE(o.app->zoomed);
	CU_ASSERT_EQUAL(o.app->focus, PANE_ACCESS);
	/* who has zoomed stays so */
	explored_type(o.app, "z");
	explored_type(o.app, ":open fetch.txt");
	explored_settle(o.app);
	explored_type(o.app, ":close");
	CU_ASSERT_TRUE(o.app->zoomed);
	CU_ASSERT_EQUAL(o.app->focus, PANE_ACCESS);
	explored_close(&o);
}

static void only_files_are_opened(void)
{
	struct explored o = open_library_explain();

	CU_ASSERT_EQUAL(mkfifo("pipe", 0600), 0);
	explored_type(o.app, ":open pipe");
	ASSERT_TEXT(o.app->message, "\"pipe\" is no file");
	explored_type(o.app, ":open -");
	ASSERT_TEXT(o.app->message, "\"-\" is no file: here standard input is the keyboard");
	explored_type(o.app, ":workload .");
	ASSERT_TEXT(o.app->message, "\".\" is no file");
	CU_ASSERT_EQUAL(worker_busy(o.app->files), 0);
	explored_close(&o);
}

/* A toggle cancels the worker's jobs: the file is opened all the same. */
static void a_toggle_does_not_lose_what_is_to_be_opened(void)
{
	struct explored o = open_library_explain();

	write_plans();
	explored_type(o.app, ":open fetch.txt");
	explored_type(o.app, "Space");
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL(o.app->explain.opened);
	write_log("toggled.log", 0, slow_line, 1);
	explored_type(o.app, ":workload toggled.log");
	explored_type(o.app, "Space");
	explored_settle(o.app);
	CU_ASSERT_TRUE(workload_view_is_read(o.app));
	explored_close(&o);
}

/* Two plans of one command */

static void the_other_shape_stands_beside(void)
{
	struct explored o = explored_open("library");

	explored_type(o.app, "Space E z d");
	explored_settle(o.app);
	CU_ASSERT_TRUE(explain_compares(o.app));
	CU_ASSERT_TRUE(shows(o.app, "embed, command 1"));
	CU_ASSERT_TRUE(shows(o.app, "reference, command 1"));
	CU_ASSERT_TRUE(shows(o.app, "docs examined 1 in both"));
	explored_type(o.app, "]");
	explored_settle(o.app);
	CU_ASSERT_TRUE(shows(o.app, "reference, command 2"));
	CU_ASSERT_TRUE(shows(o.app, "docs examined 1 -> 5"));
	explored_type(o.app, "d");
	CU_ASSERT_FALSE(explain_compares(o.app));
	explored_close(&o);
}

static void the_plan_before_an_index_stands_beside(void)
{
	struct explored o = explored_open("bookstore");

	explored_type(o.app, ":relationship items");
	explored_settle(o.app);
	explored_type(o.app, ":shape reference");
	explored_settle(o.app);
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)explored_operation(o.app, "my orders and order detail"));
	explored_type(o.app, "E ] i");
	explored_settle(o.app);
	explored_type(o.app, "Enter");
	explored_settle(o.app);
	explored_type(o.app, "i z d d");
	CU_ASSERT_EQUAL(o.app->explain.against, AGAINST_INDEX);
	CU_ASSERT_TRUE(shows(o.app, "before and after an index"));
	CU_ASSERT_TRUE(shows(o.app, "docs examined 3 -> 681"));
	explored_type(o.app, "d");
	CU_ASSERT_EQUAL(o.app->explain.against, AGAINST_NONE);
	explored_close(&o);
}

/* How much may be asked */

static void the_time_limit_is_sent_and_shown(void)
{
	struct explored o = open_library_explain();
	struct bytes text = BYTES_INIT;
	bool sent = false;

	explored_type(o.app, ":max-time 2,500");
	explored_settle(o.app);
	CU_ASSERT_TRUE(shows(o.app, "executionStats, at most 2,500 ms"));
	for (int64_t n = command_log_first(o.app->log); n < command_log_end(o.app->log); n++) {
		bytes_reset(&text);
		command_log_text(command_log_entry(o.app->log, n), &text);
		sent = sent || strstr(bytes_text(&text), "maxTimeMS: 2500");
	}
	CU_ASSERT_TRUE(sent);
	explored_type(o.app, ":max-time never");
	CU_ASSERT_TRUE(o.app->message_is_error);
	CU_ASSERT_EQUAL(o.app->explain.max_time_millis, 2500);
	explored_type(o.app, ":max-time 0");
	CU_ASSERT_EQUAL(o.app->explain.max_time_millis, 0);
	bytes_clear(&text);
	explored_close(&o);
}

/* Pasted */

/* The mark that ends it may come in any pieces. */
static int64_t count_of(const bson_t *reply)
{
	int64_t n = -1;

	value_as_int64(value_get(value_from_bson(reply), "n"), &n);
	return n;
}

/* What a stage would write is never written, whatever depth the plan is asked for: field report c10. */
static void what_writes_is_only_planned(void)
{
	static const struct {
		const char *stage, *names;
	} writers[] = { { "{\"$out\": \"made\"}", "$out" }, { "{\"$merge\": {\"into\": \"made\"}}", "$merge" } };

	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
		struct bytes queries = BYTES_INIT;
		struct explored o;
		bson_t *count = BCON_NEW("count", BCON_UTF8("made")), reply;
		bson_error_t error;

		bytes_format(&queries,
		             "{\"database\": \"library\", \"documentLimit\": 16384, \"indexes\": [{\"collection\": \"kopya\", "
		             "\"key\": {\"kitap\": 1}, \"for\": \"embedding\"}], \"relationships\": [{\"name\": \"copies\", "
		             "\"origin\": \"reference\", \"parent\": {\"collection\": \"kitap\", \"key\": \"_k\"}, \"child\": "
		             "{\"collection\": \"kopya\", \"key\": \"_k\", \"parentKey\": \"kitap\"}, \"array\": {\"path\": "
		             "\"kopya\"}, \"fields\": [[\"kitap\", null], \"*\"]}], \"operations\": [{\"name\": \"nightly\", "
		             "\"type\": \"read\", \"frequency\": \"low\", \"together\": \"a copy\", \"commands\": [{\"run\": [{\"aggregate\": \"kitap\", "
		             "\"pipeline\": [{\"$match\": {\"_k\": \"K-04242\"}}, %s], \"cursor\": {}}]}]}]}",
		             writers[i].stage);
		o = explored_open_with("library", bytes_text(&queries));
		explored_settle(o.app);
		explored_type(o.app, "E");
		explored_settle(o.app);
		CU_ASSERT_TRUE(shows(o.app, "only planned, not run"));
		CU_ASSERT_TRUE(shows(o.app, writers[i].names));
		CU_ASSERT_TRUE(source_command(o.source, "library", count, &reply, NULL, &error));
		CU_ASSERT_EQUAL(count_of(&reply), 0);
		bson_destroy(&reply);
		bson_destroy(count);
		bytes_clear(&queries);
		explored_close(&o);
	}
}

static void a_paste_ends_at_its_mark(void)
{
	static const char sent[] = "find\r\n{a: 1}\r\033[A\tb\033[201~jk";
	size_t size = sizeof sent - 1, rest;

	for (size_t piece = 1; piece <= size; piece++) {
		struct pasting p = { 0 };
		bool ended = false;

		pasting_begin(&p);
		for (size_t at = 0; at < size && !ended; at += piece) {
			size_t here = size - at < piece ? size - at : piece;

			ended = pasting_add(&p, sent + at, here, &rest);
			if (ended)
				CU_ASSERT_EQUAL(at + here - rest, size - 2);
		}
		CU_ASSERT_TRUE(ended);
		CU_ASSERT_FALSE(p.under_way);
		ASSERT_TEXT(bytes_text(&p.text), "find\n{a: 1}\n\033[A\tb");
		pasting_clear(&p);
	}
}

static void a_pasted_explain_is_opened(void)
{
	struct explored o = open_library_explain();

	app_paste(o.app, scan, sizeof scan - 1);
	explored_settle(o.app);
	CU_ASSERT_TRUE(shows(o.app, "pasted text"));
	CU_ASSERT_TRUE(shows(o.app, "returned 1, docs examined 900, keys examined 0, 5 ms"));
	app_paste(o.app, "no plan at all", 14);
	explored_settle(o.app);
	CU_ASSERT_TRUE(o.app->message_is_error);
	CU_ASSERT_PTR_NOT_NULL(o.app->explain.opened); /* what was there stays */
	explored_close(&o);
}

static void a_paste_into_the_prompt_is_harmless(void)
{
	static const char pasted[] = "fetch.txt\033[A\tx\xff\ny\n";
	struct explored o = explored_open("library");
	char *line;

	explored_type(o.app, ": o p e n Space");
	app_paste(o.app, pasted, sizeof pasted - 1);
	CU_ASSERT_EQUAL(o.app->prompt.kind, PROMPT_COMMAND);
	line = prompt_text(&o.app->prompt);
	ASSERT_TEXT(line, "open fetch.txt[A x y");
	free(line);
	CU_ASSERT_PTR_NULL(o.app->explain.opening);
	explored_close(&o);
}

/* File names */

static void expect_paths(const char *line, size_t count, const char *first, const char *second)
{
	struct file_names p;

	file_names_split(line, &p);
	CU_ASSERT_EQUAL_FATAL(p.count, count);
	if (count > 0)
		ASSERT_TEXT(p.names[0], first);
	if (count > 1)
		ASSERT_TEXT(p.names[1], second);
	file_names_clear(&p);
}

static void file_names_are_words(void)
{
	setenv("HOME", "/home/ada", 1);
	expect_paths("", 0, NULL, NULL);
	expect_paths(" a.txt  b.txt ", 2, "a.txt", "b.txt");
	expect_paths("a\\ b 'c d'", 2, "a b", "c d");
	expect_paths("\"it's\" x", 2, "it's", "x");
	expect_paths("~/slow.txt ~", 2, "/home/ada/slow.txt", "/home/ada");
	expect_paths("~bob/x a~", 2, "~bob/x", "a~");
	expect_paths("'~/x'", 1, "~/x", NULL);
	expect_paths("a b c d e f g h i j", 10, "a", "b");
	ASSERT_TEXT(file_names_last_word("a\\ b c"), "c");
	ASSERT_TEXT(file_names_last_word("a\\ b"), "a\\ b");
	ASSERT_TEXT(file_names_last_word("a "), "");
}

static void names_of_files_complete(void)
{
	struct explored o = explored_open("library");
	char *line;

	write_plans();
	prompt_open(&o.app->prompt, PROMPT_COMMAND, "open fet");
	command_line_complete(o.app, &o.app->prompt);
	line = prompt_text(&o.app->prompt);
	ASSERT_TEXT(line, "open fetch.txt");
	free(line);
	prompt_set_text(&o.app->prompt, "open fetch.txt sc");
	command_line_complete(o.app, &o.app->prompt);
	line = prompt_text(&o.app->prompt);
	ASSERT_TEXT(line, "open fetch.txt scan\\ plan.txt");
	free(line);
	prompt_set_text(&o.app->prompt, "workload sc");
	command_line_complete(o.app, &o.app->prompt);
	line = prompt_text(&o.app->prompt);
	ASSERT_TEXT(line, "workload scan\\ plan.txt");
	free(line);
	prompt_set_text(&o.app->prompt, "open ./fe");
	command_line_complete(o.app, &o.app->prompt);
	line = prompt_text(&o.app->prompt);
	ASSERT_TEXT(line, "open ./fetch.txt");
	free(line);
	explored_close(&o);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "a text has a line a field", a_text_has_a_line_a_field },
		{ "every value is found on its line", every_value_is_found_on_its_line },
		{ "folds open and close", folds_open_and_close },
		{ "the deepest reply is laid out", the_deepest_reply_is_laid_out },
		{ "t shows tree, grid and reply", t_shows_tree_grid_and_reply },
		{ "Enter leads to the stage in the reply", enter_leads_to_the_stage_in_the_reply },
		{ "search opens what hides a hit", search_opens_what_hides_a_hit },
		{ "what is copied is whole", what_is_copied_is_whole },
		{ "a file takes the place of the plan", a_file_takes_the_place_of_the_plan },
		{ "what cannot be read is one line", what_cannot_be_read_is_one_line },
		{ "two files stand side by side", two_files_stand_side_by_side },
		{ "what a server wrote down opens as rows", what_a_server_wrote_down_opens_as_rows },
		{ "one record with a plan opens as that", one_record_with_a_plan_opens_as_that },
		{ "a file waits for no measurement", a_file_waits_for_no_measurement },
		{ "Esc ends what is being opened", escape_ends_what_is_being_opened },
		{ "one Esc leads back from an opened plan", one_escape_leads_back_from_an_opened_plan },
		{ "only files are opened", only_files_are_opened },
		{ "a toggle does not lose what is to be opened", a_toggle_does_not_lose_what_is_to_be_opened },
		{ "the other shape stands beside", the_other_shape_stands_beside },
		{ "the plan before an index stands beside", the_plan_before_an_index_stands_beside },
		{ "the time limit is sent and shown", the_time_limit_is_sent_and_shown },
		{ "what writes is only planned", what_writes_is_only_planned },
		{ "a paste ends at its mark", a_paste_ends_at_its_mark },
		{ "a pasted explain is opened", a_pasted_explain_is_opened },
		{ "a paste into the prompt is harmless", a_paste_into_the_prompt_is_harmless },
		{ "file names are words", file_names_are_words },
		{ "file names complete", names_of_files_complete },
		{ NULL, NULL },
	};
	char folder[] = "/tmp/bsonscope-explain-XXXXXX";
	int status;

	setlocale(LC_ALL, "C.UTF-8");
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	status = harness_run("explain pane", cases);
	terminal_close();
	unlink("scan plan.txt");
	unlink("fetch.txt");
	unlink("broken.txt");
	rmdir(folder);
	return status;
}
