/* Shapes: embed -> reference -> embed is the identity, byte for byte; what would be lost is counted or refused. */
#include "harness/data.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "model/workload.h"
#include "samples/samples.h"

static void build(const struct relationship *r, struct engine *from, const char *from_db, enum shape_kind to,
                  struct engine *target, const char *to_db, int64_t expected_orphans)
{
	int64_t orphans = -1;
	bson_error_t error;
	bool good = shape_build(r, from, from_db, to, target, to_db, &orphans, NULL, &error);

	if (!good)
		fprintf(stderr, "%s to %s: %s\n", r->name, shape_name(to), error.message);
	CU_ASSERT_FATAL(good);
	CU_ASSERT_EQUAL(orphans, expected_orphans);
}

static void expect_equal(struct source *a, const char *a_db, struct source *b, const char *b_db, const char *collection,
                         const char *sort, size_t count)
{
	struct bytes left = data_all(a, a_db, collection, sort), right = data_all(b, b_db, collection, sort);

	CU_ASSERT_EQUAL(data_count(&left), count);
	CU_ASSERT_EQUAL_FATAL(left.size, right.size);
	CU_ASSERT_EQUAL(memcmp(left.data, right.data, left.size), 0);
	bytes_clear(&left);
	bytes_clear(&right);
}

/* From the origin's shape to the other, back, and there again. */
static void goes_round(const char *sample, const char *relationship, size_t parents, size_t children)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open(sample, &m, &error);
	struct engine *e;
	struct source *lab;
	const struct relationship *r;
	struct bytes sort_parents = BYTES_INIT, sort_children = BYTES_INIT;
	enum shape_kind other;

	CU_ASSERT_PTR_NOT_NULL_FATAL(origin);
	e = engine_new();
	lab = source_from_engine("lab", e);
	r = model_relationship(m, relationship, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r);
	other = r->origin == SHAPE_EMBED ? SHAPE_REFERENCE : SHAPE_EMBED;
	build(r, source_engine(origin), m->database, other, e, "there", 0);
	build(r, e, "there", r->origin, e, "back", 0);
	build(r, e, "back", other, e, "again", 0);

	bytes_format(&sort_parents, "{'%s': 1}", r->parent_key);
	bytes_format(&sort_children, "{'%s': 1}", r->child_key);
	expect_equal(origin, m->database, lab, "back", r->parent, bytes_text(&sort_parents), parents);
	expect_equal(lab, "there", lab, "again", r->parent, bytes_text(&sort_parents), parents);
	if (r->origin == SHAPE_REFERENCE)
		expect_equal(origin, m->database, lab, "back", r->child, bytes_text(&sort_children), children);
	else
		expect_equal(lab, "there", lab, "again", r->child, bytes_text(&sort_children), children);
	bytes_clear(&sort_parents);
	bytes_clear(&sort_children);
	source_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

static void copies_go_round(void)
{
	goes_round("library", "copies", 20000, 58595);
}

static void reviews_go_round(void)
{
	goes_round("bookstore", "reviews", 77, 181);
}

static void items_go_round(void)
{
	goes_round("bookstore", "items", 379, 680);
}

/* A small shop with every kind of trouble; the model maps n <-> _id and keeps the rest. */
static const char model_text[] =
        "{\"database\": \"shop\", \"operations\": [], \"relationships\": [{\n"
        "\"name\": \"pages\", \"origin\": \"reference\",\n"
        "\"parent\": {\"collection\": \"books\", \"key\": \"_id\"},\n"
        "\"child\": {\"collection\": \"pages\", \"key\": \"_id\", \"parentKey\": \"book\"},\n"
        "\"array\": {\"path\": \"pages\", \"after\": [\"_id\", \"title\"], \"order\": {\"_id\": 1}},\n"
        "\"fields\": [[\"_id\", \"n\"], [\"book\", null], \"*\"]}]}";

struct shop {
	struct model *model;
	struct engine *engine;
	struct source *source;
	const struct relationship *pages;
};

static struct shop open_shop(const char *books, const char *pages)
{
	struct shop s;
	bson_error_t error;
	char *command;

	s.model = model_read("shop.json", model_text, strlen(model_text), &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s.model);
	s.pages = s.model->relationships;
	s.engine = engine_new();
	s.source = source_from_engine("shop", s.engine);
	command = bson_strdup_printf("{'insert': 'books', 'documents': %s}", books);
	data_ask(s.source, "shop", command);
	bson_free(command);
	if (pages) {
		command = bson_strdup_printf("{'insert': 'pages', 'documents': %s}", pages);
		data_ask(s.source, "shop", command);
		bson_free(command);
	}
	return s;
}

static void close_shop(struct shop s)
{
	source_destroy(s.source);
	model_destroy(s.model);
}

static void expect_document(struct shop s, const char *db, const char *collection, const char *filter,
                            const char *expected)
{
	char *command = bson_strdup_printf("{'find': '%s', 'filter': %s}", collection, filter);
	struct value batch = value_get(value_get(data_ask(s.source, db, command), "cursor"), "firstBatch");

	ASSERT_TEXT(harness_text(value_get(batch, "0")), expected);
	bson_free(command);
}

static void renames_keeps_and_places(void)
{
	struct shop s = open_shop(
	        "[{'_id': 1, 'title': 'one', 'price': 5}, {'_id': 2, 'title': 'two'}]",
	        "[{'_id': 'b', 'book': 1, 'text': 'B', 'x': {'y': null}}, {'_id': 'a', 'x': 7, 'book': 1}]");

	build(s.pages, s.engine, "shop", SHAPE_EMBED, s.engine, "embedded", 0);
	expect_document(s, "embedded", "books", "{'_id': 1}",
	                "{\"_id\": 1, \"title\": \"one\", \"pages\": [{\"n\": \"a\", \"x\": 7}, "
	                "{\"n\": \"b\", \"text\": \"B\", \"x\": {\"y\": null}}], \"price\": 5}");
	/* a parent without children has none, and says so */
	expect_document(s, "embedded", "books", "{'_id': 2}", "{\"_id\": 2, \"title\": \"two\", \"pages\": []}");
	build(s.pages, s.engine, "embedded", SHAPE_REFERENCE, s.engine, "referenced", 0);
	expect_document(s, "referenced", "books", "{'_id': 1}", "{\"_id\": 1, \"title\": \"one\", \"price\": 5}");
	expect_document(s, "referenced", "pages", "{'_id': 'b'}",
	                "{\"_id\": \"b\", \"book\": 1, \"text\": \"B\", \"x\": {\"y\": null}}");
	close_shop(s);
}

static void counts_orphans(void)
{
	struct shop s = open_shop("[{'_id': 1}]", "[{'_id': 1, 'book': 1}, {'_id': 2, 'book': 3}, {'_id': 3}]");

	build(s.pages, s.engine, "shop", SHAPE_EMBED, s.engine, "embedded", 2);
	close_shop(s);
}

static void refuses(struct shop s, enum shape_kind to, const char *message)
{
	bson_error_t error = { 0 };

	CU_ASSERT_FALSE(shape_build(s.pages, s.engine, "shop", to, s.engine, "built", NULL, NULL, &error));
	ASSERT_TEXT(error.message, message);
	close_shop(s);
}

static void refuses_to_lose(void)
{
	refuses(open_shop("[{'_id': 1, 'pages': 7}]", "[{'_id': 1, 'book': 1}]"), SHAPE_EMBED,
	        "1 documents of \"books\" have a field \"pages\" already: embedding \"pages\" would overwrite it");
	refuses(open_shop("[{'_id': 1, 'pages': [{'n': 1}, 5]}]", NULL), SHAPE_REFERENCE,
	        "1 documents of \"books\" have elements in \"pages\" that are no documents: they cannot become \"pages\"");
	refuses(open_shop("[{'_id': 1, 'pages': {'n': 1}}]", NULL), SHAPE_REFERENCE,
	        "0 elements of \"pages\" became 1 documents: it is not an array in every \"books\"");
}

/* The lab's limit is the database's: a document over it is named and nothing is built. */
static void refuses_what_is_too_large(void)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open("library", &m, &error), *source;
	const char *db;
	struct lab *lab = lab_new(origin, m);

	lab_set_limit_bytes(lab, 460);
	CU_ASSERT_FALSE(lab_build(lab, m->relationships, SHAPE_EMBED, NULL, &error));
	CU_ASSERT_EQUAL(error.domain, ERROR_SERVER);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "_k: \"K-"));
	CU_ASSERT_EQUAL(lab_shape_status(lab, m->relationships, SHAPE_EMBED, NULL).state, SHAPE_NOT_BUILT);
	CU_ASSERT_FALSE(lab_shape_source(lab, m->relationships, SHAPE_EMBED, &source, &db));
	lab_set_limit_bytes(lab, 461);
	CU_ASSERT(lab_build(lab, m->relationships, SHAPE_EMBED, NULL, &error));
	CU_ASSERT_EQUAL(lab_shape_status(lab, m->relationships, SHAPE_EMBED, NULL).headroom.value, 0);
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

static void says_when_it_is_stale(void)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open("bookstore", &m, &error);
	struct lab *lab = lab_new(origin, m);
	const struct relationship *r = m->relationships;
	struct shape_status status;

	CU_ASSERT_EQUAL(lab_shape_status(lab, r, SHAPE_REFERENCE, NULL).state, SHAPE_IS_ORIGIN);
	status = lab_shape_status(lab, r, SHAPE_EMBED, NULL);
	CU_ASSERT_EQUAL(status.state, SHAPE_NOT_BUILT);
	CU_ASSERT_FALSE(figure_known(status.bytes));
	CU_ASSERT_FATAL(lab_build(lab, r, SHAPE_EMBED, NULL, &error));
	status = lab_shape_status(lab, r, SHAPE_EMBED, NULL);
	CU_ASSERT_EQUAL(status.state, SHAPE_BUILT);
	CU_ASSERT_EQUAL(status.documents.value, 77);
	CU_ASSERT_EQUAL(lab_shape_status(lab, r, SHAPE_REFERENCE, NULL).documents.value, 77 + 181);
	data_ask(origin, "bookstore", "{'insert': 'reviews', 'documents': [{'_id': 1, 'bookId': 4711}]}");
	CU_ASSERT_EQUAL(lab_shape_status(lab, r, SHAPE_EMBED, NULL).state, SHAPE_STALE);
	CU_ASSERT_EQUAL(lab_shape_status(lab, r, SHAPE_REFERENCE, NULL).documents.value, 77 + 182);
	CU_ASSERT_FATAL(lab_build(lab, r, SHAPE_EMBED, NULL, &error));
	status = lab_shape_status(lab, r, SHAPE_EMBED, NULL);
	CU_ASSERT_EQUAL(status.state, SHAPE_BUILT);
	CU_ASSERT_EQUAL(status.orphans.value, 1);
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

static void stops_when_interrupted(void)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open("library", &m, &error);
	struct lab *lab = lab_new(origin, m);
	struct interrupt interrupt;

	interrupt_init(&interrupt);
	interrupt_cancel(&interrupt);
	CU_ASSERT_FALSE(lab_build(lab, m->relationships, SHAPE_EMBED, &interrupt, &error));
	CU_ASSERT_EQUAL(error.code, CODE_Interrupted);
	CU_ASSERT_EQUAL(lab_shape_status(lab, m->relationships, SHAPE_EMBED, NULL).state, SHAPE_NOT_BUILT);
	CU_ASSERT(lab_build(lab, m->relationships, SHAPE_EMBED, NULL, &error));
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

static void populations_are_not_built(void)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open("library", &m, &error);
	struct lab *lab = lab_new(origin, m);
	const struct relationship *loans = model_relationship(m, "loans", &error);

	CU_ASSERT_FALSE(lab_build(lab, loans, SHAPE_EMBED, NULL, &error));
	ASSERT_TEXT(error.message,
	            "relationship \"loans\" is a population without documents: it has no shapes to build");
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

/*
 * Three threads on one lab: what is measured belongs to a whole shape, before or after a build, never to half of one.
 */
struct busy {
	struct lab *lab;
	atomic_bool over;
	atomic_int rows, wrong;
};

static void *measure_on(void *context)
{
	struct busy *busy = context;
	const struct model *m = lab_model(busy->lab);

	while (!atomic_load(&busy->over)) {
		struct workload_row *row =
			workload_measure(busy->lab, m->relationships, SHAPE_EMBED, &m->operations[0], NULL);

		atomic_fetch_add(&busy->rows, 1);
		if (row->failed || row->total.docs_examined.value != 1 || row->total.round_trips.value != 1)
			atomic_fetch_add(&busy->wrong, 1);
		workload_row_destroy(row);
		if (lab_shape_status(busy->lab, m->relationships, SHAPE_REFERENCE, NULL).state != SHAPE_IS_ORIGIN)
			atomic_fetch_add(&busy->wrong, 1);
	}
	return NULL;
}

static void measures_while_building(void)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open("bookstore", &m, &error);
	struct busy busy = { .lab = lab_new(origin, m) };
	pthread_t threads[2];

	atomic_init(&busy.over, false);
	atomic_init(&busy.rows, 0);
	atomic_init(&busy.wrong, 0);
	CU_ASSERT_FATAL(lab_build(busy.lab, m->relationships, SHAPE_EMBED, NULL, &error));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, measure_on, &busy);
	for (int i = 0; i < 20; i++) {
		char *command = bson_strdup_printf("{'insert': 'reviews', 'documents': [{'_id': %d, 'bookId': 26}]}", i);

		data_ask(origin, "bookstore", command);
		CU_ASSERT(lab_build(busy.lab, m->relationships, SHAPE_EMBED, NULL, &error));
		bson_free(command);
	}
	atomic_store(&busy.over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CU_ASSERT(atomic_load(&busy.rows) > 0);
	CU_ASSERT_EQUAL(atomic_load(&busy.wrong), 0);
	lab_destroy(busy.lab);
	source_destroy(origin);
	model_destroy(m);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "copies: embed, reference, embed", copies_go_round },
		{ "reviews: reference, embed, reference", reviews_go_round },
		{ "items: embed, reference, embed", items_go_round },
		{ "the field map renames, keeps and places", renames_keeps_and_places },
		{ "children without a parent are counted", counts_orphans },
		{ "what would be lost is refused", refuses_to_lose },
		{ "a document over the limit is named", refuses_what_is_too_large },
		{ "a shape is stale once its origin changed", says_when_it_is_stale },
		{ "a build stops when interrupted", stops_when_interrupted },
		{ "a population is not built", populations_are_not_built },
		{ "measured while it is built", measures_while_building },
		{ NULL, NULL },
	};

	return harness_run("shapes", cases);
}
