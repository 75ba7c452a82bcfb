/*
 * The model over a server: the same sizes and shapes as over the data in this process, samples of what is too much, and
 * what cannot be read beside what can.
 */
#include "remote/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "bson/read.h"
#include "harness/data.h"
#include "harness/driver_races.h"
#include "harness/harness.h"
#include "harness/served.h"
#include "model/facts.h"
#include "model/growth_data.h"
#include "model/lab.h"
#include "model/sizes.h"
#include "model/workload.h"
#include "samples/samples.h"

struct side {
	struct source *source;
	struct model *model;
	struct lab *lab;
};

static struct side bookstore, library;

static struct side open_sample(const char *name)
{
	struct side s;
	bson_error_t error;

	s.source = sample_open(name, &s.model, &error);
	s.lab = lab_new(s.source, s.model);
	return s;
}

static void close_side(struct side *s)
{
	lab_destroy(s->lab);
	source_destroy(s->source);
	model_destroy(s->model);
}

/* The same data behind a server. */
static struct side open_served(struct wire *w, const struct side *of)
{
	struct side s = { .model = of->model };
	bson_error_t error;

	if (!remote_open(wire_uri(w), NULL, &s.source, &error)) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	s.lab = lab_new(s.source, s.model);
	return s;
}

static void close_served(struct side *s)
{
	lab_destroy(s->lab);
	source_destroy(s->source);
}

static struct sizes *sizes_of(const struct side *s, const char *db, const char *collection)
{
	bson_error_t error = { 0 };
	struct sizes *sizes = sizes_measure(s->source, db, collection, NULL, 16777216, NULL, &error);

	ASSERT_TEXT(error.message, "");
	return sizes;
}

static void check_sizes(const struct side *served)
{
	static const char *const names[] = { "books", "reviews", "orders", "customers" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct sizes *a = sizes_of(served, "bookstore", names[i]),
		             *b = sizes_of(&bookstore, "bookstore", names[i]);

		if (a && b)
			data_same_sizes(a, b);
		sizes_destroy(a);
		sizes_destroy(b);
	}
}

static void test_sizes(void)
{
	struct wire *w = wire_start(served_answer, source_engine(bookstore.source), NULL);
	struct side served = open_served(w, &bookstore);

	check_sizes(&served);
	close_served(&served);
	wire_stop(w);
}

static bool names_size(struct value v)
{
	return strstr(harness_text(v), "$bsonSize") != NULL;
}

static enum wire_answer answer_as_old(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (names_size(command))
		return served_refuse(reply, 168, "InvalidPipelineOperator", "Unrecognized expression '$bsonSize'");
	return served_answer(engine, db, command, reply);
}

/* Before 4.4 a server cannot tell sizes: documents are taken whole. */
static void test_old_server(void)
{
	struct wire *w = wire_start(answer_as_old, source_engine(bookstore.source),
	                            &(struct wire_options){ .max_wire_version = 8 });
	struct side served = open_served(w, &bookstore);

	check_sizes(&served);
	close_served(&served);
	wire_stop(w);
}

static void test_sampled(void)
{
	struct wire *w = wire_start(served_answer, source_engine(library.source), NULL);
	struct side served = open_served(w, &library);
	struct sizes *s, *all = sizes_of(&library, "library", "kopya");
	struct thresholds thresholds;

	CU_ASSERT_EQUAL(served.source->exact_documents, 100000);
	served.source->exact_documents = 20000;
	CU_ASSERT_FATAL(thresholds_parse("10", &thresholds));
	served.source->size_wish = (struct size_wish){ .thresholds = &thresholds, .largest = 5, .alarm_bytes = 5000 };
	served.source->sample_documents = 2000;
	s = sizes_of(&served, "library", "kopya");
	served.source->size_wish = (struct size_wish){ 0 };
	if (s) {
		CU_ASSERT_EQUAL(s->count.value, 58595);
		CU_ASSERT_EQUAL(s->count.provenance, PROVENANCE_ESTIMATED);
		CU_ASSERT_EQUAL(s->bytes.provenance, PROVENANCE_ESTIMATED);
		CU_ASSERT(llabs(s->bytes.value - all->bytes.value) < all->bytes.value / 20);
		CU_ASSERT_EQUAL(s->p50.provenance, PROVENANCE_SAMPLED);
		CU_ASSERT_EQUAL(s->p50.n, 2000);
		CU_ASSERT_EQUAL(s->p50.of, 58595);
		CU_ASSERT_EQUAL(s->max.provenance, PROVENANCE_SAMPLED);
		CU_ASSERT(s->max.at_least);
		CU_ASSERT_EQUAL(s->largest_count, 5);
		/* every one that was seen has 10 bytes, and none 16,777,217: of all it is the least that there are */
		CU_ASSERT_EQUAL(s->reached[0].value, 2000);
		CU_ASSERT(s->reached[0].at_least);
		CU_ASSERT_EQUAL(s->alarming.value, 0);
		CU_ASSERT(s->alarming.at_least);
	}
	sizes_destroy(s);
	sizes_destroy(all);
	close_served(&served);
	wire_stop(w);
}

static enum wire_answer answer_without_reviews(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (key_is(served_name(command), "aggregate") &&
	    strstr(harness_text(value_get(command, "aggregate")), "reviews"))
		return served_refuse(reply, 13, "Unauthorized", "not authorized on bookstore to execute command");
	return served_answer(engine, db, command, reply);
}

static void test_not_authorized(void)
{
	struct wire *w = wire_start(answer_without_reviews, source_engine(bookstore.source), NULL);
	struct side served = open_served(w, &bookstore);
	struct sizes *s = sizes_of(&served, "bookstore", "reviews");

	if (s) {
		ASSERT_TEXT(s->kind, "collection");
		ASSERT_TEXT(s->remark, "not authorized on bookstore to execute command");
		CU_ASSERT(!figure_known(s->count));
		CU_ASSERT(!figure_known(s->max));
		CU_ASSERT_EQUAL(s->largest_count, 0);
	}
	sizes_destroy(s);
	s = sizes_of(&served, "bookstore", "books");
	CU_ASSERT(s && s->count.value == 77);
	sizes_destroy(s);
	close_served(&served);
	wire_stop(w);
}

static enum wire_answer answer_without_stats(void *engine, const char *db, struct value command, struct bytes *reply)
{
	if (key_is(served_name(command), "collStats") || key_is(served_name(command), "count"))
		return served_refuse(reply, 13, "Unauthorized", "not authorized on bookstore to execute command");
	return served_answer(engine, db, command, reply);
}

/* Without statistics what is counted is there all the same, and what would be estimated is not known. */
static void test_without_statistics(void)
{
	struct wire *w = wire_start(answer_without_stats, source_engine(bookstore.source), NULL);
	struct side served = open_served(w, &bookstore);
	const struct relationship *r = &served.model->relationships[0];
	const struct operation *reports = &served.model->operations[7];
	struct workload_row *row;

	check_sizes(&served);
	row = workload_measure(served.lab, r, r->origin, reports, NULL);
	ASSERT_TEXT(row->error.message, "");
	CU_ASSERT(figure_known(row->total.docs_examined));
	CU_ASSERT(!figure_known(row->total.bytes_read));
	workload_row_destroy(row);
	close_served(&served);
	wire_stop(w);
}

/* Dots, letters beyond ASCII, control bytes: whatever a collection may be called. */
static void test_names(void)
{
	static const char *const names[] = { "a.b.c", "sipari\xc5\x9f", "tab\there", "esc\x1b[31m", "quo\"te" };
	struct side own = open_sample("bookstore"), served;
	struct wire *w = wire_start(served_answer, source_engine(own.source), NULL);

	served = open_served(w, &own);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		bson_t *insert = BCON_NEW("insert", BCON_UTF8(names[i]), "documents", "[", "{", "_id", BCON_INT32(1), "}", "]"),
		       reply;
		struct sizes *s;

		CU_ASSERT(source_command(own.source, "bookstore", insert, &reply, NULL, NULL));
		s = sizes_of(&served, "bookstore", names[i]);
		CU_ASSERT(s && s->count.value == 1 && s->bytes.value == 14);
		sizes_destroy(s);
		bson_destroy(&reply);
		bson_destroy(insert);
	}
	close_served(&served);
	wire_stop(w);
	close_side(&own);
}

/* Shapes */

static enum shape_kind other_shape(const struct relationship *r)
{
	return r->origin == SHAPE_EMBED ? SHAPE_REFERENCE : SHAPE_EMBED;
}

static void same_rows(const struct side *a, const struct side *b, const struct relationship *r, enum shape_kind shape)
{
	for (size_t i = 0; i < a->model->operation_count; i++) {
		const struct operation *o = &a->model->operations[i];
		struct workload_row *x = workload_measure(a->lab, r, shape, o, NULL);
		struct workload_row *y = workload_measure(b->lab, r, shape, o, NULL);

		CU_ASSERT_EQUAL(x->failed, y->failed);
		CU_ASSERT_EQUAL(x->calls, y->calls);
		if (!cost_equal(&x->total, &y->total))
			fprintf(stderr, "%s: not the same cost\n", o->name);
		CU_ASSERT(cost_equal(&x->total, &y->total));
		workload_row_destroy(x);
		workload_row_destroy(y);
	}
}

/* What is small is pulled whole, and costs in the lab what it costs over the sample itself. */
static void test_toggle_whole(void)
{
	struct wire *w = wire_start(served_answer, source_engine(bookstore.source), NULL);
	struct side served = open_served(w, &bookstore);
	bson_error_t error = { 0 };

	for (size_t i = 0; i < served.model->relationship_count; i++) {
		const struct relationship *r = &served.model->relationships[i];
		struct bytes remark = BYTES_INIT;

		if (r->population)
			continue;
		CU_ASSERT(!lab_shape_remark(served.lab, r, other_shape(r), &remark));
		CU_ASSERT(lab_build(served.lab, r, other_shape(r), NULL, &error));
		ASSERT_TEXT(error.message, "");
		CU_ASSERT(lab_build(bookstore.lab, r, other_shape(r), NULL, &error));
		CU_ASSERT(lab_shape_remark(served.lab, r, other_shape(r), &remark));
		CU_ASSERT_PTR_NOT_NULL(strstr(bytes_text(&remark), "on all "));
		CU_ASSERT(!lab_shape_remark(served.lab, r, r->origin, &remark));
		same_rows(&served, &bookstore, r, other_shape(r));
		bytes_clear(&remark);
	}
	close_served(&served);
	wire_stop(w);
}

/* Both shapes on the same documents: their ratio is that of all, nearly; what no document was pulled of has no cost. */
static void check_sampled_rows(const struct side *served, const struct relationship *r)
{
	const struct operation *scan = &served->model->operations[1];
	struct workload_row *mine, *other, *all;
	double ratio = 0, expected = 0;

	CU_ASSERT(lab_build(served->lab, r, r->origin, NULL, NULL));
	CU_ASSERT(lab_build(library.lab, r, other_shape(r), NULL, NULL));
	CU_ASSERT_EQUAL(lab_shape_status(served->lab, r, r->origin, NULL).documents.provenance, PROVENANCE_SAMPLED);
	mine = workload_measure(served->lab, r, other_shape(r), scan, NULL);
	other = workload_measure(served->lab, r, r->origin, scan, NULL);
	ASSERT_TEXT(mine->error.message, "");
	CU_ASSERT_EQUAL(mine->total.docs_examined.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT_EQUAL(mine->total.docs_examined.n, 1000);
	CU_ASSERT_EQUAL(mine->total.round_trips.provenance, PROVENANCE_MEASURED);
	CU_ASSERT(workload_ratio(mine->total.bytes_read, other->total.bytes_read, &ratio));
	all = workload_measure(library.lab, r, r->origin, scan, NULL);
	CU_ASSERT(!workload_ratio(mine->total.bytes_read, all->total.bytes_read, &expected));
	workload_row_destroy(mine);
	mine = workload_measure(library.lab, r, other_shape(r), scan, NULL);
	CU_ASSERT(workload_ratio(mine->total.bytes_read, all->total.bytes_read, &expected));
	CU_ASSERT(ratio > expected * 0.7 && ratio < expected * 1.4);
	workload_row_destroy(mine);
	workload_row_destroy(other);
	workload_row_destroy(all);
	mine = workload_measure(served->lab, r, other_shape(r), &served->model->operations[0], NULL);
	if (mine->failed) {
		ASSERT_TEXT(mine->error.message, "none of its documents is among the 1,000 of \"kitap\" that were pulled");
		CU_ASSERT(!figure_known(mine->total.docs_examined));
	} else {
		CU_ASSERT_EQUAL(mine->total.docs_examined.value, 1);
	}
	workload_row_destroy(mine);
}

static void test_toggle_sampled(void)
{
	struct wire *w = wire_start(served_answer, source_engine(library.source), NULL);
	struct side served = open_served(w, &library);
	const struct relationship *r = &served.model->relationships[0];
	struct bytes remark = BYTES_INIT;
	struct shape_status status;
	bson_error_t error = { 0 };

	served.source->exact_documents = 10000;
	CU_ASSERT(lab_build(served.lab, r, other_shape(r), NULL, &error));
	ASSERT_TEXT(error.message, "");
	CU_ASSERT(lab_shape_remark(served.lab, r, other_shape(r), &remark));
	if (!strstr(bytes_text(&remark), "on 1,000 of 20,000 documents of \"kitap\", drawn at random, with "))
		fprintf(stderr, "%s\n", bytes_text(&remark));
	CU_ASSERT_PTR_NOT_NULL(
	        strstr(bytes_text(&remark), "on 1,000 of 20,000 documents of \"kitap\", drawn at random, with "));
	status = lab_shape_status(served.lab, r, other_shape(r), NULL);
	CU_ASSERT_EQUAL(status.state, SHAPE_BUILT);
	CU_ASSERT_EQUAL(status.documents.value, 1000);
	CU_ASSERT_EQUAL(status.documents.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT_EQUAL(status.documents.n, 1000);
	CU_ASSERT_EQUAL(status.documents.of, 20000);
	CU_ASSERT(!figure_known(status.orphans));
	check_sampled_rows(&served, r);
	bytes_clear(&remark);
	close_served(&served);
	wire_stop(w);
}

/* A refresh pulls what came meanwhile, and asks for averages again; without one what was pulled stands. */
static void test_refresh(void)
{
	struct side own = open_sample("bookstore"), served;
	struct wire *w = wire_start(served_answer, source_engine(own.source), NULL);
	const struct relationship *r = &own.model->relationships[0];
	enum shape_kind shape = other_shape(r);
	int pulls, asked;

	served = open_served(w, &own);
	CU_ASSERT(lab_build(served.lab, r, shape, NULL, NULL));
	CU_ASSERT_EQUAL(lab_shape_status(served.lab, r, shape, NULL).documents.value, 77);
	workload_row_destroy(workload_measure(served.lab, r, r->origin, &own.model->operations[0], NULL));
	data_ask(own.source, "bookstore", "{'insert': 'books', 'documents': [{'_id': 100, 'title': 'New'}]}");
	pulls = wire_count(w, "find");
	CU_ASSERT(lab_build(served.lab, r, shape, NULL, NULL));
	CU_ASSERT_EQUAL(wire_count(w, "find"), pulls);
	CU_ASSERT_EQUAL(lab_shape_status(served.lab, r, shape, NULL).documents.value, 77);
	asked = wire_count(w, "collStats");
	lab_forget(served.lab);
	CU_ASSERT_EQUAL(lab_shape_status(served.lab, r, shape, NULL).state, SHAPE_NOT_BUILT);
	CU_ASSERT(lab_build(served.lab, r, shape, NULL, NULL));
	CU_ASSERT(wire_count(w, "find") > pulls);
	CU_ASSERT_EQUAL(lab_shape_status(served.lab, r, shape, NULL).documents.value, 78);
	workload_row_destroy(workload_measure(served.lab, r, r->origin, &own.model->operations[7], NULL));
	CU_ASSERT(wire_count(w, "collStats") > asked);
	close_served(&served);
	wire_stop(w);
	close_side(&own);
}

/* Growth and facts of what is too much are a sample's, and say so. */
static void test_growth_sampled(void)
{
	struct wire *w = wire_start(served_answer, source_engine(library.source), NULL);
	struct side served = open_served(w, &library);
	const struct relationship *r = &served.model->relationships[0];
	struct growth_input in;
	struct growth g, all;
	struct relationship_facts facts;
	bson_error_t error = { 0 };

	CU_ASSERT(growth_data(library.lab, r, 16384, 20, &in, NULL, &error));
	CU_ASSERT(growth_compute(&in, &all, NULL));
	growth_input_clear(&in);
	/* within the bound: as over the data themselves */
	CU_ASSERT(growth_data(served.lab, r, 16384, 20, &in, NULL, &error));
	CU_ASSERT(growth_compute(&in, &g, NULL));
	CU_ASSERT(!memcmp(&g, &all, sizeof g));
	growth_input_clear(&in);
	served.source->exact_documents = 5000;
	CU_ASSERT(growth_data(served.lab, r, 16384, 20, &in, NULL, &error));
	CU_ASSERT(growth_compute(&in, &g, NULL));
	growth_input_clear(&in);
	ASSERT_TEXT(error.message, "");
	CU_ASSERT_EQUAL(g.population.parents.value, 1000);
	CU_ASSERT_EQUAL(g.population.parents.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT_EQUAL(g.population.parents.of, 20000);
	CU_ASSERT_EQUAL(g.fits.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT_EQUAL(g.fits.value, all.fits.value);
	CU_ASSERT(llabs(g.population.children.value - 2930) < 200);
	CU_ASSERT(relationship_facts(served.lab, r, &facts, NULL, &error));
	CU_ASSERT_EQUAL(facts.parents.provenance, PROVENANCE_ESTIMATED);
	CU_ASSERT_EQUAL(facts.parents.value, 20000);
	CU_ASSERT_EQUAL(facts.children.value, 58595);
	CU_ASSERT(!figure_known(facts.found));
	CU_ASSERT_EQUAL(facts.most.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT(facts.least.value >= 1 && facts.most.value <= 5);
	/* nothing was read whole */
	ASSERT_TEXT(harness_text(value_get(value_get(value_get(wire_last(w, "aggregate"), "pipeline"), "0"), "$sample")),
	            "{\"size\": 1000}");
	close_served(&served);
	wire_stop(w);
}

/* The origin's own shape is measured where it is, by explain. */
static void test_origin_rows(void)
{
	struct wire *w = wire_start(served_answer, source_engine(bookstore.source), NULL);
	struct side served = open_served(w, &bookstore);

	for (size_t k = 0; k < served.model->operation_count; k++) {
		const struct relationship *r = &served.model->relationships[0];
		const struct operation *o = &served.model->operations[k];
		struct workload_row *row = workload_measure(served.lab, r, r->origin, o, NULL);
		struct workload_row *own = workload_measure(bookstore.lab, r, r->origin, o, NULL);

		CU_ASSERT(!row->failed);
		ASSERT_TEXT(row->error.message, "");
		CU_ASSERT_EQUAL(row->total.round_trips.value, own->total.round_trips.value);
		if (o->type == OPERATION_READ) {
			CU_ASSERT_EQUAL(row->total.docs_examined.value, own->total.docs_examined.value);
			CU_ASSERT_EQUAL(row->total.keys_examined.value, own->total.keys_examined.value);
			CU_ASSERT_EQUAL(row->total.docs_returned.value, own->total.docs_returned.value);
		}
		workload_row_destroy(row);
		workload_row_destroy(own);
	}
	CU_ASSERT(!figure_known(source_write_counter(served.source, "bookstore", "books")));
	close_served(&served);
	wire_stop(w);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "sizes as over the data itself", test_sizes },
		{ "sizes of a server without $bsonSize", test_old_server },
		{ "sizes of what is too much are sampled", test_sampled },
		{ "a refused collection spoils no other", test_not_authorized },
		{ "no statistics", test_without_statistics },
		{ "odd names of collections", test_names },
		{ "the origin's shape by explain", test_origin_rows },
		{ "a toggle pulls what is small whole", test_toggle_whole },
		{ "a toggle pulls a sample of what is large", test_toggle_sampled },
		{ "a refresh pulls again", test_refresh },
		{ "growth of what is large is a sample's", test_growth_sampled },
		{ NULL, NULL },
	};
	int status;

	bookstore = open_sample("bookstore");
	library = open_sample("library");
	status = harness_run("remote model", cases);
	close_side(&bookstore);
	close_side(&library);
	return status;
}
