/* The growth pane's state under keys: figures that follow, a document that grows, is refused, is stopped and leaves
 * nothing. */
#include <poll.h>
#include <string.h>

#include "engine/engine.h"
#include "harness/harness.h"
#include "model/lab_access.h"
#include "samples/samples.h"
#include "ui/growing.h"
#include "ui/pane.h"

struct opened {
	struct source *source;
	struct model *model;
	struct lab *lab;
	struct app *app;
};

static struct opened open_sample(const char *name)
{
	struct opened o = { 0 };
	struct explorer_options options = { .color = EXPLORER_COLOR_NEVER };
	bson_error_t error;

	o.source = sample_open(name, &o.model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.source);
	options.lab = o.lab = lab_new(o.source, o.model);
	o.app = app_new(&options, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app);
	o.app->clock = NULL; /* no pauses */
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

static void wait_a_little(struct app *a)
{
	poll(&(struct pollfd){ worker_descriptor(a->worker), POLLIN, 0 }, 1, 100);
}

static void settle(struct app *a)
{
	bool idle;

	do {
		idle = app_busy(a) == 0;
		if (!app_receive(a) && !idle)
			wait_a_little(a);
	} while (!idle);
	app_arrange(a, 120, 36);
}

static void key(struct app *a, const char *name)
{
	struct key_press k;

	CU_ASSERT_TRUE_FATAL(keymap_parse(name, strlen(name), &k));
	app_key(a, k);
	app_arrange(a, 120, 36);
}

static bool copy_is_there(const struct opened *o, const char *db, const char *collection)
{
	return engine_write_counter(lab_engine(o->lab), db, collection) >= 0;
}

static bool bytes_are(const struct bytes *a, const struct bytes *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, b->size);
}

static void figures_follow_relationship_limit_and_subset(void)
{
	struct opened o = open_sample("library");

	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->growth);
	CU_ASSERT_EQUAL(o.app->growth->growth.population.children.value, 58595);
	command_line_run(o.app, "relationship loans");
	CU_ASSERT_PTR_NULL(o.app->growth);
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->growth);
	CU_ASSERT_EQUAL(o.app->growth->growth.fits.value, 297);
	CU_ASSERT_EQUAL(o.app->growth->growth.population.hit_limit.value, 451);
	command_line_run(o.app, "subset 5");
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->growth->growth.population.subset.n, 5);
	command_line_run(o.app, "limit 4,096");
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->growth->growth.fits.value, 74);
	command_line_run(o.app, "subset none");
	CU_ASSERT_TRUE(o.app->message_is_error);
	CU_ASSERT_EQUAL(o.app->subset, 5);
	close_sample(&o);
}

/* A toggle that comes before the figures are there does not lose them. */
static void toggling_keeps_the_figures(void)
{
	struct opened o = open_sample("library");

	key(o.app, "Space");
	key(o.app, "Space");
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->growth);
	CU_ASSERT_FALSE(o.app->growth_pending);
	close_sample(&o);
}

static void g_grows_until_the_limit_refuses_and_then_finer(void)
{
	struct opened o = open_sample("bookstore");
	const struct live_growth_state *s;

	settle(o.app);
	key(o.app, "g");
	CU_ASSERT_EQUAL(o.app->focus, PANE_GROWTH);
	CU_ASSERT_TRUE(o.app->growing);
	settle(o.app);
	CU_ASSERT_FALSE(o.app->growing);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->live);
	s = &o.app->live->state;
	CU_ASSERT_TRUE(o.app->live->finished);
	CU_ASSERT_TRUE(s->refused);
	CU_ASSERT_EQUAL(s->children, 110000);
	CU_ASSERT_EQUAL(s->refusal.code, 10334);
	CU_ASSERT_EQUAL(s->reach_bytes, 17049243);
	CU_ASSERT_FALSE(copy_is_there(&o, "bookstore_reviews_growth", "books"));
	key(o.app, "g");
	settle(o.app);
	s = &o.app->live->state;
	CU_ASSERT_TRUE(s->refused);
	CU_ASSERT_EQUAL(s->children, 118097);
	CU_ASSERT_EQUAL(s->size.value, 16777114);
	CU_ASSERT_EQUAL(s->refusal.code, 10334);
	CU_ASSERT_FALSE(copy_is_there(&o, "bookstore_reviews_growth", "books"));
	key(o.app, "Esc");
	CU_ASSERT_PTR_NULL(o.app->live);
	close_sample(&o);
}

/* Each push arrives on its own, and keys are served between them. */
static void steps_arrive_one_by_one(void)
{
	struct opened o = open_sample("bookstore");
	struct snapshot *s;
	int64_t children = 0, expected, steps = 0;
	bool finished = false, growth;

	settle(o.app);
	key(o.app, "g");
	while (!finished) {
		while (!(s = worker_take(o.app->worker)))
			wait_a_little(o.app);
		growth = s->slot.pane == PANE_GROWTH;
		app_accept(o.app, s);
		if (!growth)
			continue;
		CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->live);
		finished = o.app->live->finished;
		expected = steps == 0 ? 0 : finished ? children : children + 10000;
		children = o.app->live->state.children;
		CU_ASSERT_EQUAL(children, expected);
		steps++;
		key(o.app, "Down");
	}
	CU_ASSERT_EQUAL(steps, 1 + 11 + 1);
	close_sample(&o);
}

static void by_so_many_pushes(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	command_line_run(o.app, "grow 2");
	settle(o.app);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.app->live);
	CU_ASSERT_FALSE(o.app->live->state.refused);
	CU_ASSERT_EQUAL(o.app->live->state.size.value, 2829243);
	command_line_run(o.app, "parent 2");
	command_line_run(o.app, "grow 1");
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->live->state.children, 10000);
	command_line_run(o.app, "parent \"nobody\"");
	command_line_run(o.app, "grow");
	settle(o.app);
	CU_ASSERT_TRUE(o.app->message_is_error);
	ASSERT_TEXT(o.app->message, "no document of \"books\" with _id: \"nobody\"");
	CU_ASSERT_PTR_NULL(o.app->live);
	command_line_run(o.app, "parent {");
	CU_ASSERT_TRUE(o.app->message_is_error);
	command_line_run(o.app, "grow 0");
	CU_ASSERT_TRUE(o.app->message_is_error);
	close_sample(&o);
}

/* Of the relationship's parents; the children's list chooses none, and ":grow" asks ":parent" alone. */
static void the_document_selected_among_the_sizes_grows(void)
{
	struct opened o = open_sample("bookstore");
	const struct sizes *sizes;
	struct bytes first = BYTES_INIT;

	settle(o.app);
	ASSERT_TEXT(pane_collections_name(o.app), "books");
	key(o.app, "2");
	key(o.app, "Down");
	key(o.app, "Down");
	CU_ASSERT_EQUAL(rows_selected(&o.app->lists[PANE_SIZES]), 2);
	command_line_run(o.app, "grow 1");
	settle(o.app);
	bytes_append(&first, o.app->live->state.parent_key.data, o.app->live->state.parent_key.size);
	sizes = pane_collections_sizes(o.app, SHAPE_EMBED, "books");
	CU_ASSERT_PTR_NOT_NULL_FATAL(sizes);
	CU_ASSERT_FALSE(bytes_are(&first, &sizes->largest[1].id));
	key(o.app, "2");
	key(o.app, "g");
	settle(o.app);
	CU_ASSERT_EQUAL(o.app->focus, PANE_GROWTH);
	CU_ASSERT_TRUE(bytes_are(&o.app->live->state.parent_key, &sizes->largest[1].id));
	CU_ASSERT_TRUE(o.app->live->state.refused);
	key(o.app, "g"); /* on with the same one */
	settle(o.app);
	CU_ASSERT_TRUE(o.app->live->fine);
	CU_ASSERT_TRUE(bytes_are(&o.app->live->state.parent_key, &sizes->largest[1].id));
	key(o.app, "2");
	key(o.app, "Down");
	key(o.app, "g"); /* another: from the beginning */
	settle(o.app);
	CU_ASSERT_FALSE(o.app->live->fine);
	CU_ASSERT_TRUE(bytes_are(&o.app->live->state.parent_key, &sizes->largest[2].id));

	command_line_run(o.app, "parent null");
	key(o.app, "Space");
	settle(o.app);
	ASSERT_TEXT(pane_collections_name(o.app), "reviews");
	key(o.app, "2");
	key(o.app, "g");
	settle(o.app);
	CU_ASSERT_TRUE(bytes_are(&o.app->live->state.parent_key, &first));
	bytes_clear(&first);
	close_sample(&o);
}

static void escape_stops_and_the_copy_is_dropped(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	o.app->clock = interrupt_now_us; /* pauses: it would take two seconds */
	key(o.app, "g");
	while (!o.app->live) {
		wait_a_little(o.app);
		app_receive(o.app);
	}
	key(o.app, "Esc");
	CU_ASSERT_FALSE(o.app->growing);
	ASSERT_TEXT(o.app->message, "growth stopped; the lab copy is dropped");
	/* a second press of Esc leads back; a toggle meanwhile finds nothing in its way */
	key(o.app, "Esc");
	CU_ASSERT_PTR_NULL(o.app->live);
	key(o.app, "Space");
	settle(o.app);
	CU_ASSERT_FALSE(copy_is_there(&o, "bookstore_reviews_growth", "books"));
	CU_ASSERT_PTR_NULL(o.app->live);
	close_sample(&o);
}

static void quitting_while_it_grows(void)
{
	struct opened o = open_sample("bookstore");

	settle(o.app);
	o.app->clock = interrupt_now_us;
	key(o.app, "g");
	close_sample(&o);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "figures follow relationship, limit and subset", figures_follow_relationship_limit_and_subset },
		{ "toggling keeps the figures", toggling_keeps_the_figures },
		{ "g grows until the limit refuses, and then finer", g_grows_until_the_limit_refuses_and_then_finer },
		{ "steps arrive one by one", steps_arrive_one_by_one },
		{ "by so many pushes", by_so_many_pushes },
		{ "the document selected among the sizes grows", the_document_selected_among_the_sizes_grows },
		{ "Esc stops and the copy is dropped", escape_stops_and_the_copy_is_dropped },
		{ "quitting while it grows", quitting_while_it_grows },
		{ 0 },
	};

	return harness_run("growing", cases);
}
