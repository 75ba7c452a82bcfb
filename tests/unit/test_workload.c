/*
 * The access patterns' costs as published, in both shapes, however often the shape changes; nothing is changed by
 * measuring.
 */
#include "harness/data.h"

#include <stdio.h>
#include <string.h>

#include "model/facts.h"
#include "model/sizes.h"
#include "model/workload.h"
#include "samples/samples.h"

static struct fixture {
	struct model *model;
	struct source *origin;
	struct lab *lab;
} library, bookstore;

static void open_sample(const char *name, struct fixture *f)
{
	bson_error_t error;

	if (f->lab)
		return;
	f->origin = sample_open(name, &f->model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f->origin);
	f->lab = lab_new(f->origin, f->model);
	for (size_t i = 0; i < f->model->relationship_count; i++) {
		const struct relationship *r = &f->model->relationships[i];

		if (!r->population &&
		    !lab_build(f->lab, r, r->origin == SHAPE_EMBED ? SHAPE_REFERENCE : SHAPE_EMBED, NULL, &error)) {
			fprintf(stderr, "%s: %s\n", r->name, error.message);
			CU_FAIL_FATAL("a shape is not built");
		}
	}
}

static void close_sample(struct fixture *f)
{
	if (!f->lab)
		return;
	lab_destroy(f->lab);
	source_destroy(f->origin);
	model_destroy(f->model);
}

static struct workload_row *measure(struct fixture *f, const char *relationship, enum shape_kind shape,
                                    const char *operation)
{
	const struct relationship *r = model_relationship(f->model, relationship, NULL);

	for (size_t i = 0; i < f->model->operation_count; i++) {
		struct workload_row *row;

		if (strcmp(f->model->operations[i].name, operation))
			continue;
		row = workload_measure(f->lab, r, shape, &f->model->operations[i], NULL);
		if (row->failed)
			fprintf(stderr, "%s, %s: %s\n", operation, shape_name(shape), row->error.message);
		CU_ASSERT_FALSE_FATAL(row->failed);
		return row;
	}
	CU_FAIL_FATAL("no such operation");
	return NULL;
}

/* -1: not looked at. */
static void expect(struct fixture *f, const char *relationship, enum shape_kind shape, const char *operation,
                   int64_t trips, int64_t docs, int64_t bytes_read, int64_t returned, int64_t written,
                   int64_t bytes_written, int64_t no_ops)
{
	struct workload_row *row = measure(f, relationship, shape, operation);
	const struct {
		const char *name;
		struct figure got;
		int64_t expected;
	} figures[] = {
		{ "trips", row->total.round_trips, trips },
		{ "docs", row->total.docs_examined, docs },
		{ "bytes read", row->total.bytes_read, bytes_read },
		{ "returned", row->total.docs_returned, returned },
		{ "docs written", row->total.docs_written, written },
		{ "bytes written", row->total.bytes_written, bytes_written },
		{ "no-ops", row->total.no_ops, no_ops },
	};

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		if (figures[i].expected < 0)
			continue;
		if (figures[i].got.value != figures[i].expected)
			fprintf(stderr, "%s, %s, %s: got %lld, expected %lld\n", operation, shape_name(shape),
			        figures[i].name, (long long)figures[i].got.value, (long long)figures[i].expected);
		CU_ASSERT_EQUAL(figures[i].got.value, figures[i].expected);
		CU_ASSERT_EQUAL(figures[i].got.provenance, PROVENANCE_MEASURED);
	}
	workload_row_destroy(row);
}

static void at_rest(enum shape_kind shape, int64_t documents, int64_t bytes, int64_t largest, int64_t headroom)
{
	struct shape_status status = lab_shape_status(library.lab, library.model->relationships, shape, NULL);

	CU_ASSERT_EQUAL(status.documents.value, documents);
	CU_ASSERT_EQUAL(status.bytes.value, bytes);
	CU_ASSERT_EQUAL(status.largest.value, largest);
	CU_ASSERT_EQUAL(status.headroom.value, headroom);
	CU_ASSERT_EQUAL(status.bytes.provenance, PROVENANCE_EXACT);
}

static void library_at_rest(void)
{
	open_sample("library", &library);
	at_rest(SHAPE_EMBED, 20000, 6149233, 461, 15923);
	at_rest(SHAPE_REFERENCE, 78595, 6612373, 103, 16281);
}

static void library_jobs(void)
{
	open_sample("library", &library);
	expect(&library, "copies", SHAPE_EMBED, "book page", 1, 1, 454, 1, 0, 0, 0);
	expect(&library, "copies", SHAPE_REFERENCE, "book page", 2, 6, 502, 6, 0, 0, 0);
	expect(&library, "copies", SHAPE_EMBED, "repairs of a branch", 1, 20000, 6149233, 2934, 0, 0, 0);
	expect(&library, "copies", SHAPE_REFERENCE, "repairs of a branch", 1, 10066, 781096, 3092, 0, 0, 0);
	expect(&library, "copies", SHAPE_EMBED, "status changes", 5000, 5000, -1, 0, 5000, 1541395, 1620);
	expect(&library, "copies", SHAPE_REFERENCE, "status changes", 5000, 5000, -1, 0, 5000, 381255, 1620);
}

/* 3,380 documents are really changed, 1,032,779 and 257,848 bytes: what is written less what the no-ops would write. */
static void library_means(void)
{
	struct workload_row *embedded, *referenced;
	double ratio;

	open_sample("library", &library);
	embedded = measure(&library, "copies", SHAPE_EMBED, "status changes");
	referenced = measure(&library, "copies", SHAPE_REFERENCE, "status changes");
	CU_ASSERT_EQUAL(embedded->calls, 5000);
	CU_ASSERT_EQUAL(workload_mean(embedded->total.bytes_written, embedded->calls).value, 308);
	CU_ASSERT_EQUAL(workload_mean(referenced->total.bytes_written, referenced->calls).value, 76);
	CU_ASSERT(workload_ratio(embedded->total.bytes_written, referenced->total.bytes_written, &ratio));
	CU_ASSERT_DOUBLE_EQUAL(ratio, 4.04, 0.005);
	CU_ASSERT_FALSE(workload_ratio(embedded->total.docs_written, figure_unknown(), &ratio));
	CU_ASSERT_FALSE(workload_ratio(embedded->total.docs_written, figure_measured(0), &ratio));
	workload_row_destroy(embedded);
	workload_row_destroy(referenced);
}

static void plan_of(struct fixture *f, const char *relationship, enum shape_kind shape, const char *operation,
                    size_t command, const char *expected)
{
	struct workload_row *row = measure(f, relationship, shape, operation);

	CU_ASSERT_FATAL(command < row->command_count);
	ASSERT_TEXT(row->commands[command].plan ? row->commands[command].plan : "(unknown)", expected);
	workload_row_destroy(row);
}

static void plans(void)
{
	open_sample("library", &library);
	open_sample("bookstore", &bookstore);
	plan_of(&library, "copies", SHAPE_REFERENCE, "book page", 0, "IXSCAN _k_1");
	plan_of(&library, "copies", SHAPE_REFERENCE, "book page", 1, "IXSCAN kitap_1");
	plan_of(&library, "copies", SHAPE_REFERENCE, "repairs of a branch", 0, "IXSCAN sube_1");
	plan_of(&library, "copies", SHAPE_EMBED, "repairs of a branch", 0, "COLLSCAN");
	plan_of(&library, "copies", SHAPE_REFERENCE, "status changes", 0, "IXSCAN _k_1");
	plan_of(&bookstore, "reviews", SHAPE_REFERENCE, "book page", 0, "IDHACK");
	plan_of(&bookstore, "reviews", SHAPE_REFERENCE, "book page", 1, "IXSCAN bookId_1_reviewedAt_-1");
	plan_of(&bookstore, "reviews", SHAPE_REFERENCE, "catalog and search list", 0,
	        "IXSCAN category.categoryId_1_title_1");
	plan_of(&bookstore, "reviews", SHAPE_REFERENCE, "placing an order", 0, "INSERT");
	plan_of(&bookstore, "items", SHAPE_EMBED, "my orders and order detail", 0,
	        "IXSCAN customer.customerId_1_orderedAt_-1");
	plan_of(&bookstore, "items", SHAPE_REFERENCE, "my orders and order detail", 1, "IDHACK");
	plan_of(&bookstore, "reviews", SHAPE_REFERENCE, "author page", 1, "IXSCAN authors.authorId_1");
}

/*
 * Each shape answers the same question: the newest three reviews, the nine reviews in two pages, the order and its
 * items.
 */
static void bookstore_operations(void)
{
	open_sample("bookstore", &bookstore);
	expect(&bookstore, "reviews", SHAPE_REFERENCE, "book page", 2, 4, -1, 4, 0, 0, 0);
	expect(&bookstore, "reviews", SHAPE_EMBED, "book page", 1, 1, -1, 1, 0, 0, 0);
	expect(&bookstore, "reviews", SHAPE_REFERENCE, "catalog and search list", 2, 9 + 77, -1, 9 + 2, 0, 0, 0);
	expect(&bookstore, "reviews", SHAPE_EMBED, "catalog and search list", 2, 9 + 77, -1, 9 + 2, 0, 0, 0);
	expect(&bookstore, "reviews", SHAPE_REFERENCE, "writing a review", 2, 1, 339, 0, 2, -1, 0);
	expect(&bookstore, "reviews", SHAPE_EMBED, "writing a review", 1, 1, -1, 0, 1, -1, 0);
	expect(&bookstore, "reviews", SHAPE_REFERENCE, "listing reviews page by page", 2, 9, -1, 9, 0, 0, 0);
	expect(&bookstore, "reviews", SHAPE_EMBED, "listing reviews page by page", 2, 2, -1, 2, 0, 0, 0);
	expect(&bookstore, "reviews", SHAPE_REFERENCE, "author page", 2, 3, -1, 3, 0, 0, 0);
	expect(&bookstore, "items", SHAPE_EMBED, "placing an order", 3, 2, -1, 0, 3, -1, 0);
	expect(&bookstore, "items", SHAPE_REFERENCE, "placing an order", 4, 2, -1, 0, 5, -1, 0);
	expect(&bookstore, "items", SHAPE_EMBED, "my orders and order detail", 2, 3 + 1, -1, 3 + 1, 0, 0, 0);
	expect(&bookstore, "items", SHAPE_REFERENCE, "my orders and order detail", 2, 3 + 1 + 2, -1, 3 + 1, 0, 0, 0);
}

/* An order has two indexes, an item and a review two; stock and summaries have none. */
static void index_keys_written(void)
{
	static const struct {
		const char *relationship, *operation;
		enum shape_kind shape;
		int64_t keys;
	} expected[] = {
		{ "items", "placing an order", SHAPE_EMBED, 2 },
		{ "items", "placing an order", SHAPE_REFERENCE, 2 + 2 * 2 },
		{ "reviews", "writing a review", SHAPE_REFERENCE, 2 },
		{ "reviews", "writing a review", SHAPE_EMBED, 0 },
	};

	open_sample("bookstore", &bookstore);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct workload_row *row = measure(&bookstore, expected[i].relationship, expected[i].shape,
		                                   expected[i].operation);

		CU_ASSERT_EQUAL(row->total.keys_written.value, expected[i].keys);
		workload_row_destroy(row);
	}
}

/* The reports' results do not depend on the shape. */
static void reports_agree(void)
{
	struct source *source;
	const char *db;
	const struct relationship *items;
	const struct operation *reports;
	const char *results[SHAPE_KINDS];

	open_sample("bookstore", &bookstore);
	items = model_relationship(bookstore.model, "items", NULL);
	reports = &bookstore.model->operations[7];
	for (size_t command = 0; command < 2; command++) {
		for (int shape = 0; shape < SHAPE_KINDS; shape++) {
			const struct command_set *set = operation_commands(reports, items, (enum shape_kind)shape);
			struct value v;

			CU_ASSERT_FATAL(lab_shape_source(bookstore.lab, items, (enum shape_kind)shape, &source, &db));
			value_document(&v, set->commands[command].data, set->commands[command].size);
			v = value_get(value_get(data_ask(source, db, harness_text(v)), "cursor"), "firstBatch");
			CU_ASSERT(value_count(v) > 5);
			results[shape] = harness_text(v);
		}
		ASSERT_TEXT(results[SHAPE_EMBED], results[SHAPE_REFERENCE]);
	}
}

static void toggling_repeats(struct fixture *f, const char *relationship, int times)
{
	const struct relationship *r = model_relationship(f->model, relationship, NULL);
	struct cost first[SHAPE_KINDS][16];

	CU_ASSERT_FATAL(f->model->operation_count <= 16);
	for (int time = 0; time < times; time++) {
		enum shape_kind shape = (enum shape_kind)(time % SHAPE_KINDS);
		bson_error_t error;

		CU_ASSERT_FATAL(lab_build(f->lab, r, shape, NULL, &error));
		for (size_t i = 0; i < f->model->operation_count; i++) {
			struct workload_row *row = workload_measure(f->lab, r, shape, &f->model->operations[i], NULL);

			CU_ASSERT_FALSE_FATAL(row->failed);
			if (time < SHAPE_KINDS)
				first[shape][i] = row->total;
			CU_ASSERT(cost_equal(&row->total, &first[shape][i]));
			workload_row_destroy(row);
		}
	}
}

/* Every byte of the origin and every index entry as it was. */
static struct bytes fingerprint(struct fixture *f)
{
	struct bytes all = BYTES_INIT;
	struct value batch = value_get(
	        value_get(data_ask(f->origin, f->model->database, "{'listCollections': 1}"), "cursor"), "firstBatch");
	struct walk w;
	struct field field;

	walk_begin(&w, batch);
	while (walk_next(&w, &field)) {
		const char *name = value_text(value_get(field.value, "name")).bytes;
		char *sort = bson_strdup_printf("{'%s': 1}", model_key(f->model, name));
		struct bytes documents = data_all(f->origin, f->model->database, name, sort);
		struct figure counter = source_write_counter(f->origin, f->model->database, name);

		bytes_append(&all, documents.data, documents.size);
		bytes_append(&all, &counter.value, sizeof counter.value);
		bytes_clear(&documents);
		bson_free(sort);
	}
	return all;
}

static void toggled_a_hundred_times(void)
{
	struct bytes before, after;

	open_sample("library", &library);
	open_sample("bookstore", &bookstore);
	before = fingerprint(&bookstore);
	toggling_repeats(&bookstore, "reviews", 100);
	toggling_repeats(&bookstore, "items", 100);
	after = fingerprint(&bookstore);
	CU_ASSERT_EQUAL_FATAL(before.size, after.size);
	CU_ASSERT_EQUAL(memcmp(before.data, after.data, before.size), 0);
	bytes_clear(&before);
	bytes_clear(&after);
	before = fingerprint(&library);
	toggling_repeats(&library, "copies", 100);
	after = fingerprint(&library);
	CU_ASSERT_EQUAL_FATAL(before.size, after.size);
	CU_ASSERT_EQUAL(memcmp(before.data, after.data, before.size), 0);
	bytes_clear(&before);
	bytes_clear(&after);
}

static void costs_without_a_shape(void)
{
	bson_error_t error;
	struct model *m;
	struct source *origin = sample_open("bookstore", &m, &error);
	struct lab *lab = lab_new(origin, m);
	struct workload_row *row = workload_measure(lab, m->relationships, SHAPE_EMBED, &m->operations[0], NULL);

	CU_ASSERT(row->failed);
	CU_ASSERT_FALSE(figure_known(row->total.docs_examined));
	ASSERT_TEXT(row->error.message, "shape \"embed\" of \"reviews\" is not built");
	workload_row_destroy(row);
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

static void interrupted_rows_fail(void)
{
	struct interrupt interrupt;
	struct workload_row *row;

	open_sample("library", &library);
	interrupt_init(&interrupt);
	interrupt_cancel(&interrupt);
	row = workload_measure(library.lab, library.model->relationships, SHAPE_REFERENCE,
	                       &library.model->operations[2], &interrupt);
	CU_ASSERT(row->failed);
	CU_ASSERT_EQUAL(row->error.code, CODE_Interrupted);
	CU_ASSERT_FALSE(figure_known(row->total.docs_written));
	workload_row_destroy(row);
}

static void facts_of(struct fixture *f, const char *relationship, int64_t parents, int64_t children, int64_t found,
                     int64_t least, int64_t most, enum provenance p)
{
	struct relationship_facts facts;
	bson_error_t error;

	CU_ASSERT_FATAL(
	        relationship_facts(f->lab, model_relationship(f->model, relationship, NULL), &facts, NULL, &error));
	CU_ASSERT_EQUAL(facts.parents.value, parents);
	CU_ASSERT_EQUAL(facts.children.value, children);
	CU_ASSERT_EQUAL(facts.least.value, least);
	CU_ASSERT_EQUAL(facts.most.value, most);
	CU_ASSERT_EQUAL(facts.most.provenance, p);
	if (found < 0)
		CU_ASSERT_FALSE(figure_known(facts.found));
	if (found >= 0)
		CU_ASSERT_EQUAL(facts.found.value, found);
}

static void facts(void)
{
	open_sample("library", &library);
	open_sample("bookstore", &bookstore);
	facts_of(&library, "copies", 20000, 58595, 58595, 1, 5, PROVENANCE_EXACT);
	facts_of(&library, "loans", 20000, 1406280, -1, 7, 134178, PROVENANCE_PREDICTED);
	facts_of(&bookstore, "reviews", 77, 181, 181, 0, 9, PROVENANCE_EXACT);
	facts_of(&bookstore, "items", 379, 680, 680, 1, 4, PROVENANCE_EXACT);
}

static void sizes(void)
{
	struct sizes *s;
	bson_error_t error;
	int64_t binned = 0;

	open_sample("library", &library);
	s = sizes_measure(library.origin, "library", "kopya", "_k", 16384, NULL, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	ASSERT_TEXT(s->kind, "collection");
	CU_ASSERT_EQUAL(s->count.value, 58595);
	CU_ASSERT_EQUAL(s->bytes.value, 4569029);
	CU_ASSERT_EQUAL(s->avg_millibytes.value, 77976);
	CU_ASSERT_EQUAL(s->p50.value, 78);
	CU_ASSERT_EQUAL(s->p90.value, 83);
	CU_ASSERT_EQUAL(s->p99.value, 84);
	CU_ASSERT_EQUAL(s->max.value, 84);
	CU_ASSERT_EQUAL(s->headroom.value, 16300);
	for (size_t i = 0; i < s->bin_count; i++) {
		CU_ASSERT_EQUAL(s->bins[i].to_bytes, 2 * s->bins[i].from_bytes);
		binned += s->bins[i].count;
	}
	CU_ASSERT_EQUAL(binned, 58595);
	CU_ASSERT_EQUAL(s->bins[0].from_bytes, 64);
	CU_ASSERT_EQUAL(s->largest_count, SIZES_LARGEST);
	CU_ASSERT_EQUAL(s->largest[0].size_bytes, 84);
	sizes_destroy(s);
	CU_ASSERT_PTR_NULL(sizes_measure(library.origin, "library", "nothing", NULL, 16384, NULL, &error));
	ASSERT_TEXT(error.message, "no collection \"nothing\" in \"library\"");
}

static void sizes_of_nothing(void)
{
	struct sizes *s;
	bson_error_t error;

	open_sample("bookstore", &bookstore);
	data_ask(bookstore.origin, "elsewhere", "{'create': 'empty'}");
	s = sizes_measure(bookstore.origin, "elsewhere", "empty", NULL, 100, NULL, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_EQUAL(s->count.value, 0);
	CU_ASSERT_FALSE(figure_known(s->max) || figure_known(s->p50) || figure_known(s->avg_millibytes) ||
	                figure_known(s->headroom));
	CU_ASSERT_EQUAL(s->bin_count, 0);
	sizes_destroy(s);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "library at rest", library_at_rest },
		{ "library: three jobs, two shapes", library_jobs },
		{ "library: means and ratios", library_means },
		{ "plans in a few words", plans },
		{ "bookstore: operations in both shapes", bookstore_operations },
		{ "bookstore: index keys written", index_keys_written },
		{ "bookstore: reports agree in both shapes", reports_agree },
		{ "toggled a hundred times: the same costs, the same bytes", toggled_a_hundred_times },
		{ "no costs without a shape", costs_without_a_shape },
		{ "an interrupted row fails", interrupted_rows_fail },
		{ "facts of relationships", facts },
		{ "sizes", sizes },
		{ "sizes of an empty collection", sizes_of_nothing },
		{ NULL, NULL },
	};
	int status = harness_run("workload", cases);

	close_sample(&library);
	close_sample(&bookstore);
	return status;
}
