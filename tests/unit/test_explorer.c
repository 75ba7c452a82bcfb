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
#include "harness/harness.h"
#include "model/why.h"
#include "samples/samples.h"
#include "ui/app.h"
#include "ui/pane.h"

struct opened {
	struct source *source;
	struct model *model;
	struct lab *lab;
	struct app *app;
};

static struct opened open_sample(const char *name)
{
	struct opened o = { NULL, NULL, NULL, NULL };
	struct explorer_options options = { .color = EXPLORER_COLOR_NEVER };
	bson_error_t error;

	o.source = sample_open(name, &o.model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.source);
	options.lab = o.lab = lab_new(o.source, o.model);
	o.app = app_new(&options, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app);
	app_measure(o.app);
	app_arrange(o.app, 120, 36);
	return o;
}

static void close_sample(struct opened *o)
{
	app_destroy(o->app);
	lab_destroy(o->lab);
	model_destroy(o->model);
	source_destroy(o->source);
}

static void settle(struct app *a)
{
	uint64_t generation;
	bool idle;

	do {
		generation = worker_generation(a->worker);
		idle = worker_busy(a->worker) == 0;
		if (!app_receive(a) && !idle)
			poll(&(struct pollfd){ worker_descriptor(a->worker), POLLIN, 0 }, 1, 100);
		app_arrange(a, 120, 36); /* may ask for more: what the Explain pane shows follows the rest */
	} while (!idle || worker_generation(a->worker) != generation); /* a job may have come and gone meanwhile */
}

/* Key names separated by spaces, or a text after ":" or "/" up to the end. */
static void type(struct app *a, const char *keys)
{
	struct key_press key;

	while (*keys) {
		size_t size = strcspn(keys, " ");
		bool line = size > 1 && (*keys == ':' || *keys == '/');

		if (line) {
			for (; *keys; keys++)
				app_key(a, (struct key_press){ (wint_t)*keys, false });
			app_key(a, (struct key_press){ L'\r', false });
			break;
		}
		CU_ASSERT_TRUE_FATAL(keymap_parse(keys, size, &key));
		app_key(a, key);
		app_arrange(a, 120, 36);
		keys += size + strspn(keys + size, " ");
	}
	app_arrange(a, 120, 36);
}

static size_t operation(const struct app *a, const char *name)
{
	for (size_t i = 0; i < a->model->operation_count; i++)
		if (!strcmp(a->model->operations[i].name, name))
			return i;
	CU_FAIL("no such operation");
	return 0;
}

static void expect_cost(const struct app *a, const char *name, int64_t trips, int64_t docs, int64_t bytes)
{
	const struct workload_row *row = app_row(a, a->shape, operation(a, name));

	CU_ASSERT_PTR_NOT_NULL_FATAL(row);
	CU_ASSERT_EQUAL(row->total.round_trips.value, trips);
	CU_ASSERT_EQUAL(row->total.docs_examined.value, docs);
	CU_ASSERT_EQUAL(row->total.bytes_read.value, bytes);
}

static void space_flips_and_every_cost_follows(void)
{
	struct opened o = open_sample("library");

	settle(o.app);
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	expect_cost(o.app, "book page", 1, 1, 454);
	CU_ASSERT_FALSE(o.app->lit);
	type(o.app, "Space");
	CU_ASSERT_TRUE(o.app->lit);
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	expect_cost(o.app, "book page", 2, 6, 502);
	CU_ASSERT_TRUE(figure_known(o.app->toggle_micros));
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->status.bytes.value, 6612373);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.bytes.value, 6149233);
	type(o.app, "Down");
	CU_ASSERT_FALSE(o.app->lit);
	type(o.app, "Space");
	settle(o.app);
	expect_cost(o.app, "book page", 1, 1, 454);
	close_sample(&o);
}

static void toggling_fast_ends_where_the_last_key_says(void)
{
	struct opened o = open_sample("bookstore");
	struct cost first;
	size_t of, page;

	settle(o.app);
	page = operation(o.app, "book page");
	first = app_row(o.app, o.app->shape, page)->total;
	for (int i = 0; i < 100; i++) {
		type(o.app, "Space");
		if (i % 10 == 0)
			settle(o.app);
		else if (i % 3 == 0)
			app_receive(o.app);
	}
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), of);
	CU_ASSERT_TRUE(cost_equal(&first, &app_row(o.app, SHAPE_EMBED, page)->total));
	CU_ASSERT_FALSE(o.app->toggling);
	close_sample(&o);
}

static void brackets_choose_and_stop_at_the_ends(void)
{
	struct opened o = open_sample("bookstore");

	/* the origin's shape stands first */
	CU_ASSERT_EQUAL(pane_shapes_at(o.app, 0), SHAPE_REFERENCE);
	type(o.app, "[");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	type(o.app, "[");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	type(o.app, "] ]");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	type(o.app, "5 Tab Up");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	close_sample(&o);
}

static void escape_stops_and_r_measures_again(void)
{
	struct opened o = open_sample("library");
	size_t of;

	type(o.app, "Esc");
	CU_ASSERT_EQUAL(worker_busy(o.app->worker), 0);
	CU_ASSERT_TRUE(o.app->stopped);
	settle(o.app);
	CU_ASSERT_TRUE(app_rows_done(o.app, &of) < of);
	CU_ASSERT_PTR_NULL(app_row(o.app, o.app->shape, of - 1));
	type(o.app, "r");
	CU_ASSERT_FALSE(o.app->stopped);
	settle(o.app);
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), of);
	expect_cost(o.app, "book page", 1, 1, 454);
	close_sample(&o);
}

static void escape_leads_back(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	type(o.app, "1 @");
	CU_ASSERT_EQUAL(o.app->focus, PANE_LOG);
	type(o.app, "?");
	CU_ASSERT_EQUAL(o.app->focus, PANE_HELP);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_LOG);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_COLLECTIONS);
	type(o.app, "3 Enter");
	CU_ASSERT_EQUAL(o.app->focus, PANE_EXPLAIN);
	type(o.app, "z");
	CU_ASSERT_TRUE(o.app->zoomed);
	type(o.app, "Esc");
	CU_ASSERT_FALSE(o.app->zoomed);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_ACCESS);
	type(o.app, "Tab Tab Tab Tab");
	CU_ASSERT_EQUAL(o.app->focus, PANE_COLLECTIONS);
	type(o.app, "Shift-Tab");
	CU_ASSERT_EQUAL(o.app->focus, PANE_SHAPES);
	CU_ASSERT_FALSE(o.app->quit);
	type(o.app, "q");
	CU_ASSERT_TRUE(o.app->quit);
	close_sample(&o);
}

/* The detail of order 1, items referenced: its plan with the index on orderId, without it and with it again. */
static void an_index_is_tried_in_the_lab(void)
{
	struct opened o = open_sample("bookstore");
	const struct explain_snapshot *found;

	type(o.app, ":relationship items");
	settle(o.app);
	type(o.app, ":shape reference");
	settle(o.app);
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)operation(o.app, "my orders and order detail"));
	type(o.app, "E ]");
	settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 2, 1308);
	found = explain_found(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL_FATAL(found->explanation->tree->lookup_count, 1);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].docs.value, 2);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].collection_scans.value, 0);
	ASSERT_TEXT(found->explanation->offers->offers[0].name, "orderId_1");
	CU_ASSERT_TRUE(found->explanation->offers->offers[0].exists && found->explanation->offers->offers[0].used);
	CU_ASSERT_EQUAL(found->explanation->offers->offers[0].entries.value, 680);

	type(o.app, "i Enter");
	settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 680, 89198);
	found = explain_found(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].docs.value, 680);
	CU_ASSERT_EQUAL(found->explanation->tree->lookups[0].collection_scans.value, 1);
	ASSERT_TEXT(found->explanation->offers->offers[0].name, "orderId_1");
	CU_ASSERT_FALSE(found->explanation->offers->offers[0].exists);
	CU_ASSERT_EQUAL(found->explanation->offers->offers[0].entries.value, 680);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->indexes_tried, 1);

	type(o.app, "Enter");
	settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 2, 1308);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->indexes_tried, 0);
	type(o.app, "Esc");
	CU_ASSERT_FALSE(o.app->explain.offering);
	CU_ASSERT_EQUAL(o.app->focus, PANE_EXPLAIN);
	close_sample(&o);
}

static size_t cells_lit(const struct app *a, const char *name)
{
	static const enum cost_field shown[] = { COST_round_trips, COST_docs_examined, COST_bytes_read, COST_bytes_written };
	size_t count = 0;

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		count += pane_access_is_lit(a, operation(a, name), shown[i]);
	return count;
}

static void an_index_lights_what_it_changes(void)
{
	struct opened o = open_sample("bookstore");
	const char *changed = "my orders and order detail";

	type(o.app, ":relationship items");
	settle(o.app);
	type(o.app, ":shape reference");
	settle(o.app);
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)operation(o.app, changed));
	type(o.app, "E ] i");
	settle(o.app);
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 0);
	type(o.app, "Enter");
	settle(o.app);
	/* the same round trips, and nothing is written: documents and bytes read */
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 2);
	CU_ASSERT_TRUE(pane_access_is_lit(o.app, operation(o.app, changed), COST_docs_examined));
	CU_ASSERT_TRUE(pane_access_is_lit(o.app, operation(o.app, changed), COST_bytes_read));
	CU_ASSERT_EQUAL(cells_lit(o.app, "book page"), 0);
	type(o.app, "Down");
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 0);
	type(o.app, "Up Enter");
	settle(o.app);
	CU_ASSERT_EQUAL(cells_lit(o.app, changed), 2);
	type(o.app, "Space");
	settle(o.app);
	CU_ASSERT_PTR_NULL(o.app->explain.before_index);
	CU_ASSERT_TRUE(o.app->lit);
	close_sample(&o);
}

/* Order detail with its items referenced, and the index on orderId dropped; nothing is received of it yet. */
static struct opened drop_index_of_items(size_t *operation_index)
{
	struct opened o = open_sample("bookstore");
	uint64_t before;

	type(o.app, ":relationship items");
	settle(o.app);
	type(o.app, ":shape reference");
	settle(o.app);
	*operation_index = operation(o.app, "my orders and order detail");
	rows_select(&o.app->lists[PANE_ACCESS], (int64_t)*operation_index);
	type(o.app, "E ] i");
	settle(o.app);
	before = lab_indexes_revision(o.lab, o.app->relationship, SHAPE_REFERENCE);
	type(o.app, "Enter");
	while (lab_indexes_revision(o.lab, o.app->relationship, SHAPE_REFERENCE) == before)
		poll(NULL, 0, 1);
	return o;
}

static void a_toggle_right_after_an_index_has_changed_measures_both_shapes(void)
{
	size_t detail;
	struct opened o = drop_index_of_items(&detail);

	type(o.app, "Space");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	CU_ASSERT_PTR_NULL(app_row(o.app, SHAPE_REFERENCE, detail)); /* what is known of it was before */
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(app_row(o.app, SHAPE_REFERENCE, detail));
	CU_ASSERT_EQUAL(app_row(o.app, SHAPE_REFERENCE, detail)->total.docs_examined.value, 3 + 1 + 680);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_REFERENCE].status->indexes_tried, 1);
	close_sample(&o);
}

static void what_an_index_changed_is_unknown_until_it_is_measured(void)
{
	size_t detail, of;
	struct opened o = drop_index_of_items(&detail);

	app_receive(o.app);
	type(o.app, "Esc"); /* before the rows have come */
	settle(o.app);
	CU_ASSERT_PTR_NULL(app_row(o.app, SHAPE_REFERENCE, detail));
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), 0);
	type(o.app, "r");
	settle(o.app);
	expect_cost(o.app, "my orders and order detail", 2, 3 + 1 + 680, 89198);
	CU_ASSERT_EQUAL(app_rows_done(o.app, &of), of);
	CU_ASSERT_FALSE(explain_is_outdated(o.app));
	close_sample(&o);
}

static void fields_are_shown_while_a_collection_is_read(void)
{
	struct opened o = open_sample("library");

	type(o.app, ":shape reference"); /* the origin's: no other is built before all is there */
	settle(o.app);
	o.app->reading.reading = true;
	app_forget_sizes(o.app);
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(app_fields(o.app));
	CU_ASSERT_EQUAL(app_fields(o.app)->fields->documents.value, FIELDS_FIRST);
	CU_ASSERT_TRUE(app_fields(o.app)->fields->documents.at_least);
	o.app->reading.reading = false;
	app_measure(o.app);
	settle(o.app);
	CU_ASSERT_TRUE(app_fields(o.app)->fields->documents.value > FIELDS_FIRST);
	CU_ASSERT_FALSE(app_fields(o.app)->fields->documents.at_least);
	close_sample(&o);
}

static void a_selected_collection_stays_selected(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	type(o.app, "1 Home Down Down"); /* embedded, reviews are none: the third is another than referenced */
	ASSERT_TEXT(pane_collections_name(o.app), "categories");
	type(o.app, "Space");
	settle(o.app);
	ASSERT_TEXT(pane_collections_name(o.app), "categories");
	type(o.app, ":relationship items"); /* embedded as they are found */
	ASSERT_TEXT(pane_collections_name(o.app), "order_items");
	settle(o.app);
	type(o.app, "Space");
	ASSERT_TEXT(pane_collections_name(o.app), "orders");
	close_sample(&o);
}

static void filter_hides_rows_and_escape_brings_them_back(void)
{
	struct opened o = open_sample("bookstore");
	struct rows *l = &o.app->lists[PANE_ACCESS];

	settle(o.app);
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	type(o.app, "/WRIT");
	CU_ASSERT_TRUE(l->count > 0 && l->count < o.model->operation_count);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	type(o.app, "/nothing has this");
	CU_ASSERT_EQUAL(l->count, 0);
	/* keys on a list without rows */
	type(o.app, "Up Down PageDown Home End Enter 3 + - y s");
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	/* the filter works while it is typed, and Esc in its line takes it back */
	type(o.app, "/ w r i t");
	CU_ASSERT_TRUE(l->count < o.model->operation_count);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(l->count, o.model->operation_count);
	CU_ASSERT_EQUAL(o.app->prompt.kind, PROMPT_NONE);
	close_sample(&o);
}

static void sorting_keeps_the_row_selected(void)
{
	struct opened o = open_sample("bookstore");
	struct rows *l = &o.app->lists[PANE_ACCESS];
	int64_t before;

	settle(o.app);
	type(o.app, "Down Down");
	before = rows_selected(l);
	type(o.app, "s s s");
	CU_ASSERT_EQUAL(rows_selected(l), before);
	for (size_t i = 1; i < l->count; i++) {
		const struct workload_row *x = app_row(o.app, o.app->shape, (size_t)l->ids[i - 1]);
		const struct workload_row *y = app_row(o.app, o.app->shape, (size_t)l->ids[i]);

		CU_ASSERT_TRUE(!y || (x && x->total.bytes_read.value >= y->total.bytes_read.value));
	}
	type(o.app, "s s");
	CU_ASSERT_EQUAL(l->ids[0], 0);
	CU_ASSERT_EQUAL(rows_selected(l), before);
	close_sample(&o);
}

static void rates_go_up_and_down_to_unknown(void)
{
	struct opened o = open_sample("bookstore");
	double *rate = o.app->per_second;

	CU_ASSERT_TRUE(rate[0] < 0);
	type(o.app, "+");
	CU_ASSERT_EQUAL(rate[0], 1);
	type(o.app, "+ +");
	CU_ASSERT_EQUAL(rate[0], 5);
	type(o.app, "- - -");
	CU_ASSERT_EQUAL(rate[0], 0.5);
	type(o.app, ":rate 12.5");
	CU_ASSERT_EQUAL(rate[0], 12.5);
	type(o.app, "-");
	CU_ASSERT_EQUAL(rate[0], 10);
	type(o.app, ":rate 0");
	CU_ASSERT_TRUE(rate[0] < 0);
	for (int i = 0; i < 40; i++)
		type(o.app, "+");
	CU_ASSERT_EQUAL(rate[0], 100000);
	for (int i = 0; i < 40; i++)
		type(o.app, "-");
	CU_ASSERT_TRUE(rate[0] < 0);
	close_sample(&o);
}

static void expect_complaint(struct app *a, const char *line, const char *message)
{
	type(a, line);
	ASSERT_TEXT(a->message, message);
	CU_ASSERT_TRUE(a->message_is_error);
}

static void commands_complain_in_one_line(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	expect_complaint(o.app, ":nonsense", "unknown command: \"nonsense\"; ? shows them");
	expect_complaint(o.app, ":shape bucket", "unknown shape: \"bucket\"; there are embed and reference");
	expect_complaint(o.app, ":shape", "shape needs an argument: NAME");
	expect_complaint(o.app, ":quit now", "quit takes no argument: \"now\"");
	expect_complaint(o.app, ":limit many", "no document limit: \"many\"; bytes from 5 to 16777216");
	expect_complaint(o.app, ":limit 99999999999999999999", "no document limit: \"99999999999999999999\"; bytes from 5 to 16777216");
	expect_complaint(o.app, ":rate fast", "no rate a second: \"fast\"");
	type(o.app, ":relationship nonsense");
	CU_ASSERT_TRUE(o.app->message_is_error && strstr(o.app->message, "nonsense") && strstr(o.app->message, "items"));
	type(o.app, "Down");
	ASSERT_TEXT(o.app->message, "");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_EMBED);
	type(o.app, ":shape reference");
	CU_ASSERT_EQUAL(o.app->shape, SHAPE_REFERENCE);
	type(o.app, ":quit");
	CU_ASSERT_TRUE(o.app->quit);
	close_sample(&o);
}

static void the_limit_moves_the_headroom(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.headroom.value, 16777216 - 1621);
	type(o.app, ":limit 4,096");
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.headroom.value, 4096 - 1621);
	close_sample(&o);
}

static void enter_explores_another_relationship(void)
{
	struct opened o = open_sample("bookstore");
	struct rows *l = &o.app->lists[PANE_COLLECTIONS];

	settle(o.app);
	ASSERT_TEXT(o.app->relationship->name, "reviews");
	type(o.app, "1");
	while (l->position + 1 < l->count && l->ids[l->position] != 1000001)
		type(o.app, "Down");
	type(o.app, "Enter");
	ASSERT_TEXT(o.app->relationship->name, "items");
	CU_ASSERT_PTR_NULL(app_row(o.app, o.app->shape, 0));
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL(o.app->findings[SHAPE_EMBED].status);
	CU_ASSERT_EQUAL(o.app->findings[SHAPE_EMBED].status->status.documents.value, 379);
	close_sample(&o);
}

static void expect_fields(const struct app *a, const char *collection, int64_t bytes)
{
	const struct fields_snapshot *f = app_fields(a);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	ASSERT_TEXT(f->collection, collection);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->fields);
	CU_ASSERT_EQUAL(f->fields->bytes.value, bytes);
	CU_ASSERT_EQUAL(field_parts_sum(&f->fields->parts), bytes);
	CU_ASSERT_EQUAL(f->fields->bytes.provenance, PROVENANCE_EXACT);
}

static void sizes_follow_the_selection_and_the_shape(void)
{
	struct opened o = open_sample("library");

	settle(o.app);
	expect_fields(o.app, "kitap", 6149233);
	type(o.app, "Space");
	settle(o.app);
	expect_fields(o.app, "kopya", 4569029);
	type(o.app, "1 Home");
	CU_ASSERT_PTR_NULL(app_fields(o.app)); /* nothing is shown as if it were the other's */
	settle(o.app);
	expect_fields(o.app, "kitap", 2043344);
	close_sample(&o);
}

static void enter_opens_one_of_the_largest_and_escape_leads_back(void)
{
	struct opened o = open_sample("library");

	settle(o.app);
	type(o.app, "2 Down Enter");
	CU_ASSERT_EQUAL(o.app->focus, PANE_DOCUMENT);
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->document);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->document->tree);
	CU_ASSERT_EQUAL(o.app->document->tree->document.size, 461);
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6);
	type(o.app, "*");
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6 + 5 * 4);
	type(o.app, "*");
	type(o.app, "End Right Down Right");
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6 + 5 + 3);
	type(o.app, "Left Left Left");
	CU_ASSERT_EQUAL(o.app->lists[PANE_DOCUMENT].count, 6);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_SIZES);
	CU_ASSERT_EQUAL(o.app->lists[PANE_SIZES].position, 1);
	close_sample(&o);
}

static void a_population_has_nothing_to_measure(void)
{
	struct opened o = open_sample("library");
	const struct facts_snapshot *facts;

	type(o.app, ":relationship loans");
	settle(o.app);
	CU_ASSERT_PTR_NULL(app_row(o.app, SHAPE_EMBED, 0));
	CU_ASSERT_PTR_NULL(o.app->findings[SHAPE_EMBED].status);
	CU_ASSERT_FALSE(o.app->toggling);
	facts = o.app->facts[app_relationship_index(o.app, o.app->relationship)];
	CU_ASSERT_PTR_NOT_NULL_FATAL(facts);
	CU_ASSERT_EQUAL(facts->facts.most.value, 134178);
	close_sample(&o);
}

/* More than a first batch of listCollections holds. */
static void every_collection_is_listed(void)
{
	enum { MORE = 150 };
	struct opened o = open_sample("bookstore");
	const struct collections_snapshot *c;
	size_t before;

	settle(o.app);
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
	type(o.app, "r");
	settle(o.app);
	c = o.app->findings[SHAPE_EMBED].collections;
	CU_ASSERT_FALSE(c->outcome.failed);
	CU_ASSERT_EQUAL_FATAL(c->count, before + MORE);
	for (size_t i = 0; i < c->count; i++)
		CU_ASSERT_PTR_NOT_NULL(c->entries[i].sizes);
	close_sample(&o);
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
	struct opened o = open_sample("bookstore");
	const struct shape_findings *embed = &o.app->findings[SHAPE_EMBED];

	settle(o.app);
	app_accept(o.app, status_of(SHAPE_EMBED, o.app->origin_writes + 2, 1));
	CU_ASSERT_EQUAL(embed->status->status.documents.value, 1);
	app_accept(o.app, status_of(SHAPE_EMBED, o.app->origin_writes - 1, 2));
	CU_ASSERT_EQUAL(embed->status->status.documents.value, 1);
	/* and what stands there from before is known to be stale */
	CU_ASSERT_TRUE(app_is_stale(o.app, &embed->rows[0]->outcome.snapshot));
	CU_ASSERT_FALSE(app_is_stale(o.app, &embed->status->outcome.snapshot));
	type(o.app, "r");
	settle(o.app);
	CU_ASSERT_FALSE(app_is_stale(o.app, &embed->rows[0]->outcome.snapshot));
	CU_ASSERT_EQUAL(embed->status->status.documents.value, 77);
	close_sample(&o);
}

static void the_log_has_what_one_can_paste(void)
{
	struct opened o = open_sample("bookstore");
	struct bytes text = BYTES_INIT;
	const struct log_entry *e;

	settle(o.app);
	type(o.app, "@");
	CU_ASSERT_TRUE(o.app->lists[PANE_LOG].count > 0);
	type(o.app, "/$slice");
	CU_ASSERT_TRUE_FATAL(o.app->lists[PANE_LOG].count > 0);
	e = command_log_entry(o.app->log, o.app->lists[PANE_LOG].ids[0]);
	command_log_text(e, &text);
	ASSERT_TEXT(bytes_text(&text), "db.getSiblingDB(\"bookstore_reviews_embed\").runCommand({explain: { find: 'books', filter: { _id: 26 }, "
	                               "projection: { reviews: { $slice: 3 } } }, verbosity: \"executionStats\"})");
	bytes_clear(&text);
	close_sample(&o);
}

static void commands_complete(void)
{
	struct opened o = open_sample("bookstore");
	char *text;

	type(o.app, ": r e l Tab");
	text = prompt_text(&o.app->prompt);
	ASSERT_TEXT(text, "relationship ");
	free(text);
	type(o.app, "i Tab");
	text = prompt_text(&o.app->prompt);
	ASSERT_TEXT(text, "relationship items");
	free(text);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->prompt.kind, PROMPT_NONE);
	close_sample(&o);
}

/* Every key, in every pane, at every size: nothing falls over. */
static void any_key_anywhere(void)
{
	struct opened o = open_sample("bookstore");
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
	settle(o.app);
	CU_PASS("survived");
	close_sample(&o);
}

/* e6: however little of a value is on the screen, y copies all of it. */
static void a_copied_value_is_whole(void)
{
	struct opened o = open_sample("bookstore");
	const struct sizes *sizes;
	struct bytes copied = BYTES_INIT;
	struct document_tree *t = NULL;
	size_t longest = 0;

	settle(o.app);
	type(o.app, "2");
	sizes = pane_collections_sizes(o.app, o.app->shape, pane_collections_name(o.app));
	CU_ASSERT_PTR_NOT_NULL_FATAL(sizes);
	app_open_document(o.app, sizes, 0);
	settle(o.app);
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
	close_sample(&o);
}

/* :why reads a text or the last error; y copies a whole line, however it is broken; Esc leads back. */
static void why_reads_an_error(void)
{
	struct opened o = open_sample("bookstore");
	struct bytes copied = BYTES_INIT;
	char deep[700];

	settle(o.app);
	type(o.app, ":limit none");
	CU_ASSERT(o.app->message_is_error);
	type(o.app, ":why");
	CU_ASSERT_EQUAL(o.app->focus, PANE_WHY);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->why);
	CU_ASSERT_EQUAL(o.app->why->finding_count, 0); /* one of ours: not known, and it says so */
	app_arrange(o.app, 120, 36);
	CU_ASSERT_EQUAL(o.app->lists[PANE_WHY].count, 1);
	type(o.app, "Esc");
	CU_ASSERT_EQUAL(o.app->focus, PANE_ACCESS);
	snprintf(deep, sizeof deep, ":why BSONObj size: 17096531 (0x104DF53) is invalid. Size must be between 0 and 16793600(16MB) First "
		 "element: aggregate: \"%0300d\"", 7); /* longer than a line of the screen */
	type(o.app, deep);
	app_arrange(o.app, 80, 24);
	CU_ASSERT_EQUAL_FATAL(o.app->why->finding_count, 1);
	ASSERT_TEXT(o.app->why->source, "sample:bookstore");
	type(o.app, "Down Down Down");
	pane_type(PANE_WHY)->copy(o.app, &copied);
	CU_ASSERT_EQUAL(copied.size, strlen("aggregate: \"\"") + 300);
	CU_ASSERT(!strncmp(bytes_text(&copied), "aggregate: \"000", 15));
	bytes_clear(&copied);
	close_sample(&o);
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
