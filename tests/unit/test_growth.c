/* Growth of embedded arrays: the published figures, and the arithmetic against documents that are really written. */
#include "harness/data.h"

#include <stdlib.h>
#include <string.h>

#include "bson/writer.h"
#include "model/growth_data.h"
#include "samples/samples.h"

/* {x: "…", list: [child, …]} as it is written. */
static int64_t written_bytes(int pad, struct value child, int children)
{
	struct bytes out = BYTES_INIT;
	struct writer w;
	char text[64];
	int64_t size;

	memset(text, 'x', sizeof text);
	text[pad] = 0;
	writer_begin(&w, &out);
	writer_text(&w, "x", text);
	writer_begin_array(&w, key_of("list"));
	for (int i = 0; i < children; i++)
		writer_value(&w, key_of(""), child);
	writer_end(&w);
	size = writer_finish(&w).size_bytes;
	bytes_clear(&out);
	return size;
}

static void bytes_are_those_of_real_documents(void)
{
	static const int counts[] = {
		0, 1, 2, 9, 10, 11, 99, 100, 101, 297, 999, 1000, 1001, 9999, 10000, 10001, 100001
	};
	struct value child = harness_json("{'a': 1, 'b': 'xyz'}");

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (int pad = 0; pad < 40; pad += 13)
			CU_ASSERT_EQUAL(growth_bytes(written_bytes(pad, child, 0),
			                             child.size_bytes + GROWTH_ELEMENT_OVERHEAD, counts[i]),
			                written_bytes(pad, child, counts[i]));
	CU_ASSERT_EQUAL(written_bytes(0, child, 1) - written_bytes(0, child, 0),
	                child.size_bytes + GROWTH_ELEMENT_OVERHEAD);
	CU_ASSERT_EQUAL(growth_empty_array_bytes("odunc"), 12);
}

/* What fits is the last number whose bytes do not pass the limit. */
static void fits_is_the_inverse_of_bytes(void)
{
	for (int64_t base = 5; base < 400; base += 37)
		for (int64_t element = 3; element < 200; element += 7)
			for (int64_t limit = base - 3; limit < 30000; limit = limit * 5 / 4 + 1) {
				int64_t fits = growth_fits(base, element, limit);

				CU_ASSERT_TRUE(fits == 0 || growth_bytes(base, element, fits) <= limit);
				CU_ASSERT_TRUE(growth_bytes(base, element, fits + 1) > limit);
			}
	/* to the byte */
	CU_ASSERT_EQUAL(growth_fits(108, 53, 16333), 297);
	CU_ASSERT_EQUAL(growth_fits(108, 53, 16332), 296);
	CU_ASSERT_EQUAL(growth_fits(108, 53, 161), 1);
	CU_ASSERT_EQUAL(growth_fits(108, 53, 160), 0);
	CU_ASSERT_EQUAL(growth_fits(108, 53, 108), 0);
	CU_ASSERT_EQUAL(growth_fits(108, 53, 5), 0);
	CU_ASSERT_EQUAL(growth_naive(108, 53, 5), 0);
}

static void one_book_by_arithmetic(void)
{
	CU_ASSERT_EQUAL(growth_naive(108, 53, 16384), 307);
	CU_ASSERT_EQUAL(growth_fits(108, 53, 16384), 297);
	CU_ASSERT_EQUAL(growth_bytes(108, 53, 297), 16333);
}

static void dune_by_arithmetic(void)
{
	static const int64_t sizes[] = { 2829243, 5669243, 8509243, 11349243, 14189243 };
	int64_t base = 339 + growth_empty_array_bytes("reviews"), element = 135 + GROWTH_ELEMENT_OVERHEAD;

	for (int i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(growth_bytes(base, element, 20000 * (i + 1)), sizes[i]);
	CU_ASSERT_EQUAL(growth_bytes(base, element, 120000), 17049243);
	CU_ASSERT_EQUAL(growth_fits(base, element, 16777216), 118097);
	CU_ASSERT_EQUAL(growth_bytes(base, element, 118097), 16777114);
}

static struct growth of_sample(const char *sample, const char *relationship, int64_t subset)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open(sample, &m, &error);
	struct lab *lab = lab_new(origin, m);
	const struct relationship *r = model_relationship(m, relationship, &error);
	struct growth_input in;
	struct growth g;

	CU_ASSERT_TRUE_FATAL(growth_data(lab, r, lab_limit_bytes(lab), subset, &in, NULL, &error));
	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	growth_input_clear(&in);
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
	return g;
}

static void is(struct figure f, int64_t value, enum provenance p)
{
	if (f.value != value || f.provenance != p)
		fprintf(stderr, "got %lld (%s), expected %lld (%s)\n", (long long)f.value,
		        provenance_text(f.provenance), (long long)value, provenance_text(p));
	CU_ASSERT_EQUAL(f.value, value);
	CU_ASSERT_EQUAL(f.provenance, p);
}

static void expect_bins(const struct growth_population *p, const char *expected)
{
	struct bytes text = BYTES_INIT;

	for (int i = 0; i < p->bin_count; i++)
		bytes_format(&text, "%s%lld-%lld: %lld", i ? ", " : "", (long long)p->bins[i].from,
		             (long long)p->bins[i].to, (long long)p->bins[i].parents);
	ASSERT_TEXT(bytes_text(&text), expected);
	bytes_clear(&text);
}

static void loans_of_the_library(void)
{
	struct growth g = of_sample("library", "loans", 20);
	const struct growth_population *p = &g.population;
	char text[32];

	CU_ASSERT_EQUAL(g.limit_bytes, 16384);
	is(g.base, 108, PROVENANCE_EXACT);
	is(g.element, 53, PROVENANCE_ASSUMED);
	is(g.fits, 297, PROVENANCE_PREDICTED);
	is(g.bytes_at_fit, 16333, PROVENANCE_PREDICTED);
	is(g.naive, 307, PROVENANCE_PREDICTED);
	CU_ASSERT_TRUE_FATAL(g.has_population);
	ASSERT_TEXT(growth_distribution(p, text, sizeof text), "zipf 1");
	is(p->parents, 20000, PROVENANCE_ASSUMED);
	is(p->children, 1406280, PROVENANCE_ASSUMED);
	is(p->hit_limit, 451, PROVENANCE_PREDICTED);
	is(p->not_fitting, 763673, PROVENANCE_PREDICTED);
	is(p->first_wants, 134178, PROVENANCE_PREDICTED);
	is(p->bytes, 36942774, PROVENANCE_PREDICTED);
	is(p->median, 13, PROVENANCE_PREDICTED);
	is(p->p99, 668, PROVENANCE_PREDICTED);
	CU_ASSERT_EQUAL(p->subset.n, 20);
	is(p->subset.bytes, 17256316, PROVENANCE_PREDICTED);
	is(p->subset.largest, 1184, PROVENANCE_PREDICTED);
	is(p->subset.headroom, 15200, PROVENANCE_PREDICTED);
	is(p->subset.children_left, 1125534, PROVENANCE_PREDICTED);
	expect_bins(p, "4-7: 2110, 8-15: 9234, 16-31: 4397, 32-63: 2146, 64-127: 1061, 128-255: 527, 256-297: 74, "
	               "298--1: 451");
}

static struct growth_input loans(void)
{
	return (struct growth_input){ .limit_bytes = 16384,
		                      .base = figure_of(108, PROVENANCE_ASSUMED),
		                      .element = figure_of(53, PROVENANCE_ASSUMED),
		                      .has_population = true,
		                      .assumed = true,
		                      .assumed_parents = 20000,
		                      .assumed_children = 1406280,
		                      .exponent = 1,
		                      .subset = 20 };
}

static void one_base_for_all(void)
{
	struct growth_input in = loans();
	struct growth g;

	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_EQUAL(g.population.bytes.value, 36819430);
	CU_ASSERT_EQUAL(g.population.subset.bytes.value, 17132972);
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 451);
	CU_ASSERT_EQUAL(g.population.not_fitting.value, 763673);
	CU_ASSERT_EQUAL(g.population.largest.value, 16333);
	CU_ASSERT_EQUAL(g.population.subset.children_left.value, 1125534);
	CU_ASSERT_EQUAL(g.population.subset.largest.value, 1178);
}

/* Of an assumed population no parent gets more than the first, and none more than it can hold. */
static void parents_with_larger_bases_take_less(void)
{
	struct growth_parent bases[] = { { .base_bytes = 100 }, { .base_bytes = 40 }, { .base_bytes = 190 } };
	struct growth_input in = { .limit_bytes = 200,
		                   .base = figure_of(100, PROVENANCE_EXACT),
		                   .element = figure_of(10, PROVENANCE_ASSUMED),
		                   .has_population = true,
		                   .assumed = true,
		                   .assumed_parents = 3,
		                   .assumed_children = 60,
		                   .exponent = 0,
		                   .parents = bases,
		                   .parent_count = 3,
		                   .subset = 5 };
	struct growth g;

	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_EQUAL(g.fits.value, 10);
	CU_ASSERT_EQUAL(g.population.first_wants.value, 20);
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 3);
	CU_ASSERT_EQUAL(g.population.not_fitting.value, 10 + 10 + 19);
	CU_ASSERT_EQUAL(g.population.bytes.value, 200 + 140 + 200);
	CU_ASSERT_EQUAL(g.population.subset.largest.value, 240);
	CU_ASSERT_EQUAL(g.population.subset.headroom.value, -40);
	CU_ASSERT_EQUAL(g.population.subset.children_left.value, 45);
}

/* Each parent with its own sizes: the second holds three of its four, by their mean of 30. */
static void observed_parents_that_do_not_fit(void)
{
	struct growth_parent parents[] = { { 50, 1, 20 }, { 60, 4, 120 }, { 70, 0, 0 } };
	struct growth_input in = { .limit_bytes = 170,
		                   .base = figure_of(60, PROVENANCE_EXACT),
		                   .element = figure_of(31, PROVENANCE_EXACT),
		                   .has_population = true,
		                   .parents = parents,
		                   .parent_count = 3,
		                   .subset = 2 };
	struct growth g;

	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_EQUAL(g.population.children.value, 5);
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 1);
	CU_ASSERT_EQUAL(g.population.not_fitting.value, 1);
	CU_ASSERT_EQUAL(g.population.bytes.value, (50 + 23) + (60 + 3 * 33) + 70);
	CU_ASSERT_EQUAL(g.population.largest.value, 159);
	CU_ASSERT_EQUAL(g.population.median.value, 1);
	CU_ASSERT_EQUAL(g.population.p99.value, 4);
	CU_ASSERT_EQUAL(g.population.subset.bytes.value, 73 + (60 + 2 * 33) + 70);
	CU_ASSERT_EQUAL(g.population.subset.children_left.value, 2);
	expect_bins(&g.population, "0-0: 1, 1-1: 1, 4--1: 1");
}

/* A parent of exactly the limit's size fits; what is cut is cut by the mean, rounded up: rather too few than many. */
static void observed_parents_at_the_limit(void)
{
	struct growth_parent parents[] = { { 50, 2, 41 }, { 5, 3, 31 } };
	struct growth_input in = { .limit_bytes = 97,
		                   .base = figure_of(50, PROVENANCE_EXACT),
		                   .element = figure_of(23, PROVENANCE_EXACT),
		                   .has_population = true,
		                   .parents = parents,
		                   .parent_count = 2,
		                   .subset = 2 };
	struct growth g;

	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 0);
	in.limit_bytes = 96;
	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 1);
	in.limit_bytes = 32;
	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 2);
	CU_ASSERT_EQUAL(g.population.not_fitting.value, 2 + 2);
}

/* What is computed for the embedded shape is what the built shape has. */
static void observed_is_what_a_build_gives(const char *sample, const char *relationship)
{
	struct model *m;
	bson_error_t error;
	struct source *origin = sample_open(sample, &m, &error), *source;
	struct lab *lab = lab_new(origin, m);
	const struct relationship *r = model_relationship(m, relationship, &error);
	struct growth_input in;
	struct growth g;
	const char *db;
	char pipeline[256];

	CU_ASSERT_TRUE_FATAL(growth_data(lab, r, lab_limit_bytes(lab), 20, &in, NULL, &error));
	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_TRUE_FATAL(lab_build(lab, r, SHAPE_EMBED, NULL, &error));
	CU_ASSERT_TRUE_FATAL(lab_shape_source(lab, r, SHAPE_EMBED, &source, &db));
	CU_ASSERT_EQUAL(g.population.bytes.value,
	                data_number(source, db, r->parent,
	                            "[{'$group': {'_id': null, 'n': {'$sum': {'$bsonSize': '$$ROOT'}}}}]"));
	CU_ASSERT_EQUAL(g.population.largest.value,
	                data_number(source, db, r->parent,
	                            "[{'$group': {'_id': null, 'n': {'$max': {'$bsonSize': '$$ROOT'}}}}]"));
	snprintf(pipeline, sizeof pipeline, "[{'$group': {'_id': null, 'n': {'$sum': {'$size': '$%s'}}}}]", r->path);
	CU_ASSERT_EQUAL(g.population.children.value, data_number(source, db, r->parent, pipeline));
	CU_ASSERT_EQUAL(g.population.hit_limit.value, 0);
	CU_ASSERT_EQUAL(g.population.not_fitting.value, 0);
	CU_ASSERT_EQUAL(g.element_origin, GROWTH_MEAN);
	growth_input_clear(&in);
	lab_destroy(lab);
	source_destroy(origin);
	model_destroy(m);
}

static void reviews_copies_and_items(void)
{
	observed_is_what_a_build_gives("bookstore", "reviews");
	observed_is_what_a_build_gives("bookstore", "items");
	observed_is_what_a_build_gives("library", "copies");
}

static void reviews_of_the_bookstore(void)
{
	struct growth g = of_sample("bookstore", "reviews", 3);
	const struct growth_population *p = &g.population;

	is(p->parents, 77, PROVENANCE_EXACT);
	is(p->children, 181, PROVENANCE_EXACT);
	is(p->first_wants, 9, PROVENANCE_EXACT);
	is(p->hit_limit, 0, PROVENANCE_PREDICTED);
	is(p->largest, 1621, PROVENANCE_PREDICTED);
	is(p->bytes, 51651, PROVENANCE_PREDICTED);
	is(g.element, 133, PROVENANCE_EXACT);
	CU_ASSERT_EQUAL(p->bins[0].from, 0);
	CU_ASSERT_EQUAL(p->bins[0].parents, 77 - 58);
	CU_ASSERT_FALSE(p->assumed);
	/* 357.9 and 65.98: rounded, not cut */
	is(g.base, 358, PROVENANCE_EXACT);
	g = of_sample("library", "copies", 3);
	is(g.element, 66, PROVENANCE_EXACT);
	g = of_sample("bookstore", "items", 3);
	is(g.population.largest, 696, PROVENANCE_EXACT);
	is(g.population.first_wants, 4, PROVENANCE_EXACT);
}

static void nothing_there(void)
{
	struct growth_input in = {
		.limit_bytes = 1000, .base = figure_unknown(), .element = figure_unknown(), .has_population = true
	};
	struct growth g;

	CU_ASSERT_TRUE(growth_compute(&in, &g, NULL));
	CU_ASSERT_FALSE(g.has_population);
	CU_ASSERT_FALSE(figure_known(g.fits));
}

static void stops_when_told_to(void)
{
	struct growth_input in = loans();
	struct interrupt stop;
	struct growth g;

	interrupt_init(&stop);
	interrupt_cancel(&stop);
	CU_ASSERT_FALSE(growth_compute(&in, &g, &stop));
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "bytes are those of real documents", bytes_are_those_of_real_documents },
		{ "what fits is the inverse of bytes", fits_is_the_inverse_of_bytes },
		{ "one book by arithmetic", one_book_by_arithmetic },
		{ "Dune by arithmetic", dune_by_arithmetic },
		{ "loans of the library", loans_of_the_library },
		{ "one base for all", one_base_for_all },
		{ "parents with larger bases take less", parents_with_larger_bases_take_less },
		{ "observed parents that do not fit", observed_parents_that_do_not_fit },
		{ "observed parents at the limit", observed_parents_at_the_limit },
		{ "reviews, copies and items as built", reviews_copies_and_items },
		{ "reviews of the bookstore", reviews_of_the_bookstore },
		{ "nothing there", nothing_there },
		{ "stops when told to", stops_when_told_to },
		{ 0 },
	};

	return harness_run("growth", cases);
}
