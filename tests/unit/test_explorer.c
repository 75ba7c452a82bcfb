/*
 * The explorer's state under keys, over the real samples and without a screen: what a person types, and what stands
 * in the state when the worker has become idle.
 */
#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "harness/explored.h"
#include "harness/harness.h"
#include "model/why.h"
#include "ui/app.h"
#include "ui/pane.h"

static void expect_cost(const struct app *a, const char *name, int64_t trips, int64_t docs, int64_t bytes)
{
	const struct workload_row *row = app_row(a, a->shape, explored_operation(a, name));

	CU_ASSERT_PTR_NOT_NULL_FATAL(row);
	CU_ASSERT_EQUAL(row->total.round_trips.value, trips);
	CU_ASSERT_EQUAL(row->total.docs_examined.value, docs);
	CU_ASSERT_EQUAL(row->total.bytes_read.value, bytes);
}

static void space_flips_and_every_cost_follows(void)
{
	struct explored o = explored_open("library");

	explored_settle(o.app);
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	expect_cost(o.app, "book page", 1, 1, 454);
	CU_ASSERT_FALSE(o.app->lit);
	explored_type(o.app, "Space");
	CU_ASSERT_TRUE(o.app->lit);
	explored_settle(o.app);
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	expect_cost(o.app, "book page", 2, 6, 502);
	CU_ASSERT_TRUE(figure_known(o.app->toggle_micros));
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->status.bytes.value, 6612373);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.bytes.value, 6149233);
	explored_type(o.app, "Down");
	CU_ASSERT_FALSE(o.app->lit);
	explored_type(o.app, "Space");
	explored_settle(o.app);
	expect_cost(o.app, "book page", 1, 1, 454);
	explored_close(&o);
}

static void toggling_fast_ends_where_the_last_key_says(void)
{
	struct explored o = explored_open("bookstore");
	struct cost first;
	size_t of, page;

	explored_settle(o.app);
	page = explored_operation(o.app, "book page");
	first = app_row(o.app, o.app->shape, page)->total;
	for (int i = 0; i < 100; i++) {
		explored_type(o.app, "Space");
		if (i % 10 == 0)
			explored_settle(o.app);
		else if (i % 3 == 0)
			app_receive(o.app);
	}
	explored_settle(o.app);
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), of);
	CU_ASSERT_TRUE(cost_equal(&first, &app_row(o.app, SHAPE_EMBED, page)->total));
	CU_ASSERT_FALSE(o.app->toggling);
	explored_close(&o);
}

static void brackets_choose_and_stop_at_the_ends(void)
{
	struct explored o = explored_open("bookstore");

	/* the origin's shape stands first */
	CU_ASSERT_EQUAL(pane_shapes_at(o.app, 0), SHAPE_REFERENCE);
	explored_type(o.app, "[");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	explored_type(o.app, "[");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	explored_type(o.app, "] ]");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	explored_type(o.app, "5 Tab Up");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	explored_close(&o);
}

static void escape_stops_and_r_measures_again(void)
{
	struct explored o = explored_open("library");
	size_t of;

	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(app_busy(o.app), 0);
	CU_ASSERT_TRUE(o.app->stopped);
	explored_settle(o.app);
	CU_ASSERT_TRUE(app_rows_done(o.app, &of) < of);
	CU_ASSERT_PTR_NULL(app_row(o.app, o.app->shape, of - 1));
	explored_type(o.app, "r");
	CU_ASSERT_FALSE(o.app->stopped);
	explored_settle(o.app);
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), of);
	expect_cost(o.app, "book page", 1, 1, 454);
	explored_close(&o);
}

static void escape_leads_back(void)
{
	struct explored o = explored_open("bookstore");

	explored_settle(o.app);
	explored_type(o.app, "1 @");
	CU_ASSERT_EQUAL(o.app->focus, PANE_LOG);
	explored_type(o.app, "?");
	CU_ASSERT_EQUAL(o.app->focus, PANE_HELP);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_LOG);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_COLLECTIONS);
	explored_type(o.app, "3 Enter");
	CU_ASSERT_EQUAL(o.app->focus, PANE_EXPLAIN);
	explored_type(o.app, "z");
	CU_ASSERT_TRUE(o.app->zoomed);
	explored_type(o.app, "Esc");
	CU_ASSERT_FALSE(o.app->zoomed);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_ACCESS);
	explored_type(o.app, "Tab Tab Tab Tab");
	CU_ASSERT_EQUAL(o.app->focus, PANE_COLLECTIONS);
	explored_type(o.app, "Shift-Tab");
	CU_ASSERT_EQUAL(o.app->focus, PANE_SHAPES);
	CU_ASSERT_FALSE(o.app->quit);
	explored_type(o.app, "q");
	CU_ASSERT_TRUE(o.app->quit);
	explored_close(&o);
}

/* The detail of order 1, items referenced: its plan with the index on orderId, without it and with it again. */
static void an_index_is_tried_in_the_lab(void)
{
	struct explored o = explored_open("bookstore");
	const struct explain_snapshot *found;

	explored_type(o.app, ":relationship items");
	explored_settle(o.app);
	explored_type(o.app, ":shape reference");
	explored_settle(o.app);
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)explored_operation(o.app, "my orders and order detail"));
	explored_type(o.app, "E ]");
	explored_settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 2, 1308);
	found = explain_found(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL_FATAL(found->explanation->tree->lookup_count, 1);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].docs.value, 2);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].collection_scans.value, 0);
	ASSERT_TEXT(found->explanation->offers->offers[0].name, "orderId_1");
	CU_ASSERT_TRUE(found->explanation->offers->offers[0].exists && found->explanation->offers->offers[0].used);
	CU_ASSERT_EQUAL(found->explanation->offers->offers[0].entries.value, 680);

	explored_type(o.app, "i Enter");
	explored_settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 680, 89198);
	found = explain_found(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].docs.value, 680);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].collection_scans.value, 1);
	ASSERT_TEXT(found->explanation->offers->offers[0].name, "orderId_1");
	CU_ASSERT_FALSE(found->explanation->offers->offers[0].exists);
	CU_ASSERT_EQUAL(found->explanation->offers->offers[0].entries.value, 680);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->indexes_tried, 1);

	explored_type(o.app, "Enter");
	explored_settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 2, 1308);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->indexes_tried, 0);
	explored_type(o.app, "Esc");
	CU_ASSERT_FALSE(o.app->explain.offering);
	CU_ASSERT_EQUAL(o.app->focus, PANE_EXPLAIN);
	explored_close(&o);
}

static size_t cells_lit(const struct app *a, const char *name)
{
	static const enum cost_field shown[] = { COST_round_trips, COST_docs_examined, COST_bytes_read, COST_bytes_written };
	size_t count = 0;

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		count += pane_access_is_lit(a, explored_operation(a, name), shown[i]);
	return count;
}

static void an_index_lights_what_it_changes(void)
{
	struct explored o = explored_open("bookstore");
	const char *changed = "my orders and order detail";

	explored_type(o.app, ":relationship items");
	explored_settle(o.app);
	explored_type(o.app, ":shape reference");
	explored_settle(o.app);
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)explored_operation(o.app, changed));
	explored_type(o.app, "E ] i");
	explored_settle(o.app);
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 0);
	explored_type(o.app, "Enter");
	explored_settle(o.app);
	/* the same round trips, and nothing is written: documents and bytes read */
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 2);
	CU_ASSERT_TRUE(pane_access_is_lit(o.app, explored_operation(o.app, changed), COST_docs_examined));
	CU_ASSERT_TRUE(pane_access_is_lit(o.app, explored_operation(o.app, changed), COST_bytes_read));
	CU_ASSERT_EQUAL(cells_lit(o.app, "book page"), 0);
	explored_type(o.app, "Down");
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 0);
	explored_type(o.app, "Up Enter");
	explored_settle(o.app);
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 2);
	explored_type(o.app, "Space");
	explored_settle(o.app);
	CU_ASSERT_PTR_NULL(o.app->explain.before_index);
	CU_ASSERT_TRUE(o.app->lit);
	explored_close(&o);
}

/* Order detail with its items referenced, and the index on orderId dropped; nothing is received of it yet. */
static struct explored drop_index_of_items(size_t *operation_index)
{
	struct explored o = explored_open("bookstore");
	uint64_t before;

	explored_type(o.app, ":relationship items");
	explored_settle(o.app);
	explored_type(o.app, ":shape reference");
	explored_settle(o.app);
	*operation_index = explored_operation(o.app, "my orders and order detail");
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)*operation_index);
	explored_type(o.app, "E ] i");
	explored_settle(o.app);
	before = lab_indexes_revision(o.lab, o.app->relationship, SHAPE_REFERENCE);
	explored_type(o.app, "Enter");
	while (lab_indexes_revision(o.lab, o.app->relationship, SHAPE_REFERENCE) == before)
		poll(NULL, 0, 1);
	return o;
}

static void a_toggle_right_after_an_index_has_changed_measures_both_shapes(void)
{
	size_t detail;
	struct explored o = drop_index_of_items(&detail);

	explored_type(o.app, "Space");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	CU_ASSERT_PTR_NULL(app_row(o.app, SHAPE_REFERENCE, detail)); /* what is known of it was before */
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(app_row(o.app, SHAPE_REFERENCE, detail));
	CU_ASSERT_EQUAL(app_row(o.app, SHAPE_REFERENCE, detail)->total.docs_examined.value, 3 + 1 + 680);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->indexes_tried, 1);
	explored_close(&o);
}

static void what_an_index_changed_is_unknown_until_it_is_measured(void)
{
	size_t detail, of;
	struct explored o = drop_index_of_items(&detail);

	app_receive(o.app);
	explored_type(o.app, "Esc"); /* before the rows have come */
	explored_settle(o.app);
	CU_ASSERT_PTR_NULL(app_row(o.app, SHAPE_REFERENCE, detail));
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), 0);
	explored_type(o.app, "r");
	explored_settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 680, 89198);
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), of);
	CU_ASSERT_FALSE(explain_is_outdated(o.app));
	explored_close(&o);
}

static void fields_are_shown_while_a_collection_is_read(void)
{
	struct explored o = explored_open("library");

	explored_type(o.app, ":shape reference"); /* the origin's: no other is built before all is there */
	explored_settle(o.app);
	o.app->reading.reading = true;
	app_forget_sizes(o.app);
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(app_paths(o.app));
	CU_ASSERT_EQUAL(app_paths(o.app)->fields->documents.value, FIELDS_FIRST);
	CU_ASSERT_TRUE(app_paths(o.app)->fields->documents.at_least);
	o.app->reading.reading = false;
	app_measure(o.app);
	explored_settle(o.app);
	CU_ASSERT_TRUE(app_paths(o.app)->fields->documents.value > FIELDS_FIRST);
	CU_ASSERT_FALSE(app_paths(o.app)->fields->documents.at_least);
	explored_close(&o);
}

static void a_selected_collection_stays_selected(void)
{
	struct explored o = explored_open("bookstore");

	explored_settle(o.app);
	explored_type(o.app, "1 Home Down Down"); /* embedded, reviews are none: the third is another than referenced */
	ASSERT_TEXT(pane_collections_name(o.app), "categories");
	explored_type(o.app, "Space");
	explored_settle(o.app);
	ASSERT_TEXT(pane_collections_name(o.app), "categories");
	explored_type(o.app, ":relationship items"); /* embedded as they are found */
	ASSERT_TEXT(pane_collections_name(o.app), "order_items");
	explored_settle(o.app);
	explored_type(o.app, "Space");
	ASSERT_TEXT(pane_collections_name(o.app), "orders");
	explored_close(&o);
}

static void filter_hides_rows_and_escape_brings_them_back(void)
{
	struct explored o = explored_open("bookstore");
	struct rows *l = &o.app->lists[PANE_ACCESS];

	explored_settle(o.app);
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	explored_type(o.app, "/WRIT");
	CU_ASSERT_TRUE(l->count > 0 && l->count < o.model->operation_count);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	explored_type(o.app, "/nothing has this");
	CU_ASSERT_EQUAL(l->count, 0);
	/* keys on a list without rows */
	explored_type(o.app, "Up Down PageDown Home End Enter 3 + - y s");
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	/* the filter works while it is typed, and Esc in its line takes it back */
	explored_type(o.app, "/ w r i t");
	CU_ASSERT_TRUE(l->count < o.model->operation_count);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	CU_ASSERT_EQUAL(o.app->prompt.kind, PROMPT_NONE);
	explored_close(&o);
}

static void sorting_keeps_the_row_selected(void)
{
	struct explored o = explored_open("bookstore");
	struct rows *l = &o.app->lists[PANE_ACCESS];
	int64_t before;

	explored_settle(o.app);
	explored_type(o.app, "Down Down");
	before = rows_selected(l);
	explored_type(o.app, "s s s");
	CU_ASSERT_EQUAL(rows_selected(l), before);
	for (size_t i = 1; i < l->count; i++) {
		const struct workload_row *x = app_row(o.app, o.app->shape, (size_t)l->ids[i - 1]);
		const struct workload_row *y = app_row(o.app, o.app->shape, (size_t)l->ids[i]);

		CU_ASSERT_TRUE(!y || (x && x->total.bytes_read.value >= y->total.bytes_read.value));
	}
	explored_type(o.app, "s s");
	CU_ASSERT_EQUAL(l->ids[0], 0);
	CU_ASSERT_EQUAL(rows_selected(l), before);
	explored_close(&o);
}

static void rates_go_up_and_down_to_unknown(void)
{
	struct explored o = explored_open("bookstore");
	double *rate = o.app->per_second;

	CU_ASSERT_TRUE(rate[0] < 0);
	explored_type(o.app, "+");
	CU_ASSERT_EQUAL(rate[0], 1);
	explored_type(o.app, "+ +");
	CU_ASSERT_EQUAL(rate[0], 5);
	explored_type(o.app, "- - -");
	CU_ASSERT_EQUAL(rate[0], 0.5);
	explored_type(o.app, ":rate 12.5");
	CU_ASSERT_EQUAL(rate[0], 12.5);
	explored_type(o.app, "-");
	CU_ASSERT_EQUAL(rate[0], 10);
	explored_type(o.app, ":rate 0");
	CU_ASSERT_TRUE(rate[0] < 0);
	for (int i = 0; i < 40; i++)
		explored_type(o.app, "+");
	CU_ASSERT_EQUAL(rate[0], 100000);
	for (int i = 0; i < 40; i++)
		explored_type(o.app, "-");
	CU_ASSERT_TRUE(rate[0] < 0);
	explored_close(&o);
}

static void expect_complaint(struct app *a, const char *line, const char *message)
{
	explored_type(a, line);
	ASSERT_TEXT(a->message, message);
	CU_ASSERT_TRUE(a->message_is_error);
}

static void commands_complain_in_one_line(void)
{
	struct explored o = explored_open("bookstore");

	explored_settle(o.app);
	expect_complaint(o.app, ":nonsense", "unknown command: \"nonsense\"; ? shows them");
	expect_complaint(o.app, ":shape bucket", "unknown shape: \"bucket\"; there are embed and reference");
	expect_complaint(o.app, ":shape", "shape needs an argument: NAME");
	expect_complaint(o.app, ":quit now", "quit takes no argument: \"now\"");
	expect_complaint(o.app, ":limit many", "no document limit: \"many\"; bytes from 5 to 16777216");
	expect_complaint(o.app, ":limit 99999999999999999999", "no document limit: \"99999999999999999999\"; bytes from 5 to 16777216");
	expect_complaint(o.app, ":rate fast", "no rate a second: \"fast\"");
	explored_type(o.app, ":relationship nonsense");
	CU_ASSERT_TRUE(o.app->message_is_error && strstr(o.app->message, "nonsense") && strstr(o.app->message, "items"));
	explored_type(o.app, "Down");
	ASSERT_TEXT(o.app->message, "");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	explored_type(o.app, ":shape reference");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	explored_type(o.app, ":quit");
	CU_ASSERT_TRUE(o.app->quit);
	explored_close(&o);
}

static void the_limit_moves_the_headroom(void)
{
	struct explored o = explored_open("bookstore");

	explored_settle(o.app);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.headroom.value, 16777216 - 1621);
	explored_type(o.app, ":limit 4,096");
	explored_settle(o.app);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.headroom.value, 4096 - 1621);
	explored_close(&o);
}

static void enter_explores_another_relationship(void)
{
	struct explored o = explored_open("bookstore");
	struct rows *l = &o.app->lists[PANE_COLLECTIONS];

	explored_settle(o.app);
	ASSERT_TEXT(o.app->relationship->name, "reviews");
	explored_type(o.app, "1");
	while (l->position + 1 < l->count && l->ids[l->position] != 1000001)
		explored_type(o.app, "Down");
	explored_type(o.app, "Enter");
	ASSERT_TEXT(o.app->relationship->name, "items");
	CU_ASSERT_PTR_NULL(app_row(o.app, o.app->shape, 0));
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL(o.app->findings[SHAPE_EMBED].status);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.documents.value, 379);
	explored_close(&o);
}

static void expect_fields(const struct app *a, const char *collection, int64_t bytes)
{
	const struct paths_snapshot *f = app_paths(a);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	ASSERT_TEXT(f->collection, collection);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->fields);
	CU_ASSERT_EQUAL(f->fields->bytes.value, bytes);
	CU_ASSERT_EQUAL(field_parts_sum(&f->fields->parts), bytes);
	CU_ASSERT_EQUAL(f->fields->bytes.provenance, PROVENANCE_EXACT);
}

static void sizes_follow_the_selection_and_the_shape(void)
{
	struct explored o = explored_open("library");

	explored_settle(o.app);
	expect_fields(o.app, "kitap", 6149233);
	explored_type(o.app, "Space");
	explored_settle(o.app);
	expect_fields(o.app, "kopya", 4569029);
	explored_type(o.app, "1 Home");
	CU_ASSERT_PTR_NULL(app_paths(o.app)); /* nothing is shown as if it were the other's */
	explored_settle(o.app);
	expect_fields(o.app, "kitap", 2043344);
	explored_close(&o);
}

static void enter_opens_one_of_the_largest_and_escape_leads_back(void)
{
	struct explored o = explored_open("library");

	explored_settle(o.app);
	explored_type(o.app, "2 Down Enter");
	CU_ASSERT_EQUAL(o.app->focus, PANE_DOCUMENT);
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->document);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->document->tree);
	CU_ASSERT_EQUAL(o.app->document->tree->document.size, 461);
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6);
	explored_type(o.app, "*");
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6 + 5 * 4);
	explored_type(o.app, "*");
	explored_type(o.app, "End Right Down Right");
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6 + 5 + 3);
	explored_type(o.app, "Left Left Left");
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_SIZES);
	CU_ASSERT_EQUAL(o.app->lists[PANE_SIZES].position, 1);
	explored_close(&o);
}

static void a_population_has_nothing_to_measure(void)
{
	struct explored o = explored_open("library");
	const struct facts_snapshot *facts;

	explored_type(o.app, ":relationship loans");
	explored_settle(o.app);
	CU_ASSERT_PTR_NULL(app_row(o.app, SHAPE_EMBED, 0));
	CU_ASSERT_PTR_NULL(o.app->findings[SHAPE_EMBED].status);
	CU_ASSERT_FALSE(o.app->toggling);
	facts = o.app->facts[app_relationship_index(o.app, o.app->relationship)];
	CU_ASSERT_PTR_NOT_NULL_FATAL(facts);
	CU_ASSERT_EQUAL(facts->facts.most.value, 134178);
	explored_close(&o);
}

/* More than a first batch of listCollections holds. */
static void every_collection_is_listed(void)
{
	enum { MORE = 150 };
	struct explored o = explored_open("bookstore");
	const struct collections_snapshot *c;
	size_t before;

	explored_settle(o.app);
	before = o.app->findings[SHAPE_EMBED].collections->count;
	for (int i = 0; i < MORE; i++) {
		char name[16];
		bson_t *create, reply;
		bson_error_t error;

		snprintf(name, sizeof name, "more%03d", i);
		create = BCON_NEW("create", BCON_UTF8(name));
		CU_ASSERT_TRUE(source_command(o.source, o.model->database, create, &reply, NULL, &error));
		bson_destroy(&reply);
		bson_destroy(create);
	}
	explored_type(o.app, "r");
	explored_settle(o.app);
	c = o.app->findings[SHAPE_EMBED].collections;
	CU_ASSERT_FALSE(c->outcome.failed);
	CU_ASSERT_EQUAL_FATAL(c->count, before + MORE);
	for (size_t i = 0; i < c->count; i++)
		CU_ASSERT_PTR_NOT_NULL(c->entries[i].sizes);
	explored_close(&o);
}

static void free_nothing(struct snapshot *s)
{
	free(s);
}

static struct snapshot *status_of(enum shape_kind shape, int64_t origin_writes, int64_t documents)
{
	struct shape_snapshot *s = memory_allocate_zeroed(1, sizeof *s);

	snapshot_init(&s->outcome.snapshot, free_nothing);
	s->outcome.snapshot.slot = (struct slot){ PANE_SHAPES, shape * 4096 };
	s->outcome.snapshot.origin_writes = origin_writes;
	s->outcome.shape = shape;
	s->status.documents = figure_measured(documents);
	s->status.orphans = figure_unknown();
	return &s->outcome.snapshot;
}

static void what_was_measured_on_older_data_is_dropped(void)
{
	struct explored o = explored_open("bookstore");
	const struct shape_findings *embed = &o.app->findings[SHAPE_EMBED];

	explored_settle(o.app);
	app_accept(o.app, status_of(SHAPE_EMBED, o.app->origin_writes + 2, 1));
	CU_ASSERT_EQUAL(embed->status->status.documents.value, 1);
	app_accept(o.app, status_of(SHAPE_EMBED, o.app->origin_writes - 1, 2));
	CU_ASSERT_EQUAL(embed->status->status.documents.value, 1);
	/* and what stands there from before is known to be stale */
	CU_ASSERT_TRUE(app_is_stale(o.app, &embed->rows[0]->outcome.snapshot));
	CU_ASSERT_FALSE(app_is_stale(o.app, &embed->status->outcome.snapshot));
	explored_type(o.app, "r");
	explored_settle(o.app);
	CU_ASSERT_FALSE(app_is_stale(o.app, &embed->rows[0]->outcome.snapshot));
	CU_ASSERT_EQUAL(embed->status->status.documents.value, 77);
	explored_close(&o);
}

static void the_log_has_what_one_can_paste(void)
{
	struct explored o = explored_open("bookstore");
	struct bytes text = BYTES_INIT;
	const struct log_entry *e;

	explored_settle(o.app);
	explored_type(o.app, "@");
	CU_ASSERT_TRUE(o.app->lists[PANE_LOG].count > 0);
	explored_type(o.app, "/$slice");
	CU_ASSERT_TRUE_FATAL(o.app->lists[PANE_LOG].count > 0);
	e = command_log_entry(o.app->log, o.app->lists[PANE_LOG].ids[0]);
	command_log_text(e, &text);
	ASSERT_TEXT(bytes_text(&text), "db.getSiblingDB(\"bookstore_reviews_embed\").runCommand({explain: { find: 'books', filter: { _id: 26 }, "
	                               "projection: { reviews: { $slice: 3 } } }, verbosity: \"executionStats\"})");
	bytes_clear(&text);
	explored_close(&o);
}

static void commands_complete(void)
{
	struct explored o = explored_open("bookstore");
	char *text;

	explored_type(o.app, ": r e l Tab");
	text = prompt_text(&o.app->prompt);
	ASSERT_TEXT(text, "relationship ");
	free(text);
	explored_type(o.app, "i Tab");
	text = prompt_text(&o.app->prompt);
	ASSERT_TEXT(text, "relationship items");
	free(text);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->prompt.kind, PROMPT_NONE);
	explored_close(&o);
}

/* Every key, in every pane, at every size: nothing falls over. */
static void any_key_anywhere(void)
{
	struct explored o = explored_open("bookstore");
	static const int sizes[][2] = { { 120, 36 }, { 80, 24 }, { 10, 3 }, { 250, 70 }, { 80, 24 }, { 120, 24 } };
	uint32_t seed = 12345;

	for (int i = 0; i < 1500; i++) {
		const int *size = sizes[i / 40 % 6];
		struct key_press key;

		seed = seed * 1664525 + 1013904223;
		key.code = 1 + (seed >> 16) % 126;
		key.is_function = false;
		if ((seed >> 8) % 5 == 0)
			key = (struct key_press){ KEY_DOWN + (seed >> 16) % 100, true };
		if (o.app->prompt.kind == PROMPT_COMMAND)
			key.code = 27, key.is_function = false; /* no files from random names */
		app_key(o.app, key);
		o.app->quit = false;
		app_receive(o.app);
		app_arrange(o.app, size[0], size[1]);
	}
	explored_settle(o.app);
	CU_PASS("survived");
	explored_close(&o);
}

/* e6: however little of a value is on the screen, y copies all of it. */
static void a_copied_value_is_whole(void)
{
	struct explored o = explored_open("bookstore");
	const struct sizes *sizes;
	struct bytes copied = BYTES_INIT;
	struct document_tree *t = NULL;
	size_t longest = 0;

	explored_settle(o.app);
	explored_type(o.app, "2");
	sizes = pane_collections_sizes(o.app, o.app->shape, pane_collections_name(o.app));
	CU_ASSERT_PTR_NOT_NULL_FATAL(sizes);
	app_open_document(o.app, sizes, 0, false);
	explored_settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->document);
	t = o.app->document->tree;
	for (size_t i = 1; i < t->count; i++)
		if (t->nodes[i].type == BSON_TYPE_UTF8 && t->nodes[i].depth == 1 && /* what is in an array is folded away */
		    (!longest || t->nodes[i].value_size > t->nodes[longest].value_size))
			longest = i;
	rows_select(&o.app->lists[PANE_DOCUMENT], document_view_row(longest));
	app_arrange(o.app, 80, 24);
	pane_type(PANE_DOCUMENT)->copy(o.app, &copied);
	CU_ASSERT_EQUAL(copied.size + 5, t->nodes[longest].value_size); /* its length and its terminator are not text */
	CU_ASSERT(copied.size > 20);
	bytes_reset(&copied);
	rows_select(&o.app->lists[PANE_DOCUMENT], document_view_row(0));
	app_arrange(o.app, 80, 24);
	pane_type(PANE_DOCUMENT)->copy(o.app, &copied);
	CU_ASSERT(copied.size > 400); /* more than a row's preview */
	CU_ASSERT_PTR_NULL(strstr(bytes_text(&copied), "\u2026"));
	bytes_clear(&copied);
	explored_close(&o);
}

/* :why reads a text or the last error; y copies a whole line, however it is broken; Esc leads back. */
static void why_reads_an_error(void)
{
	struct explored o = explored_open("bookstore");
	struct bytes copied = BYTES_INIT;
	char deep[700];

	explored_settle(o.app);
	explored_type(o.app, ":limit none");
	CU_ASSERT(o.app->message_is_error);
	explored_type(o.app, ":why");
	CU_ASSERT_EQUAL(o.app->focus, PANE_WHY);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->why);
	CU_ASSERT_EQUAL(o.app->why->finding_count, 0); /* one of ours: not known, and it says so */
	app_arrange(o.app, 120, 36);
	CU_ASSERT_EQUAL(o.app->lists[PANE_WHY].count, 1);
	explored_type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_ACCESS);
	snprintf(deep, sizeof deep, ":why BSONObj size: 17096531 (0x104DF53) is invalid. Size must be between 0 and 16793600(16MB) First "
		 "element: aggregate: \"%0300d\"", 7); /* longer than a line of the screen */
	explored_type(o.app, deep);
	app_arrange(o.app, 80, 24);
	CU_ASSERT_EQUAL_FATAL(o.app->why->finding_count, 1);
	ASSERT_TEXT(o.app->why->source, "sample:bookstore");
	explored_type(o.app, "Down Down Down");
	pane_type(PANE_WHY)->copy(o.app, &copied);
	CU_ASSERT_EQUAL(copied.size, strlen("aggregate: \"\"") + 300);
	CU_ASSERT(!strncmp(bytes_text(&copied), "aggregate: \"000", 15));
	bytes_clear(&copied);
	explored_close(&o);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "Space flips and every cost follows", space_flips_and_every_cost_follows },
		{ "toggling fast ends where the last key says", toggling_fast_ends_where_the_last_key_says },
		{ "brackets choose and stop at the ends", brackets_choose_and_stop_at_the_ends },
		{ "Esc stops and r measures again", escape_stops_and_r_measures_again },
		{ "Esc leads back", escape_leads_back },
		{ ":why reads an error", why_reads_an_error },
		{ "e6: a copied value is whole", a_copied_value_is_whole },
		{ "an index is tried in the lab", an_index_is_tried_in_the_lab },
		{ "an index lights what it changes", an_index_lights_what_it_changes },
		{ "a toggle right after an index has changed measures both shapes",
		  a_toggle_right_after_an_index_has_changed_measures_both_shapes },
		{ "a selected collection stays selected", a_selected_collection_stays_selected },
		{ "fields are shown while a collection is read", fields_are_shown_while_a_collection_is_read },
		{ "what an index changed is unknown until it is measured",
		  what_an_index_changed_is_unknown_until_it_is_measured },
		{ "the filter hides rows and Esc brings them back", filter_hides_rows_and_escape_brings_them_back },
		{ "sorting keeps the row selected", sorting_keeps_the_row_selected },
		{ "rates go up and down to unknown", rates_go_up_and_down_to_unknown },
		{ "commands complain in one line", commands_complain_in_one_line },
		{ "the limit moves the headroom", the_limit_moves_the_headroom },
		{ "Enter explores another relationship", enter_explores_another_relationship },
		{ "sizes follow the selection and the shape", sizes_follow_the_selection_and_the_shape },
		{ "Enter opens one of the largest and Esc leads back", enter_opens_one_of_the_largest_and_escape_leads_back },
		{ "every collection is listed", every_collection_is_listed },
		{ "a population has nothing to measure", a_population_has_nothing_to_measure },
		{ "what was measured on older data is dropped", what_was_measured_on_older_data_is_dropped },
		{ "the log has what one can paste", the_log_has_what_one_can_paste },
		{ "commands complete", commands_complete },
		{ "any key anywhere", any_key_anywhere },
		{ NULL, NULL },
	};

	setlocale(LC_ALL, "C.UTF-8");
	return harness_run("explorer", cases);
}
