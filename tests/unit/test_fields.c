/* Which fields of a collection hold its bytes: over an engine, over other sources, and while it is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "harness/harness.h"
#include "model/fields.h"
#include "samples/samples.h"

/* Over a source */

static struct source *library(void)
{
	struct model *model;
	bson_error_t error;
	struct source *s = sample_open("library", &model, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	model_destroy(model);
	return s;
}

static void the_librarys_copies(void)
{
	struct source *s = library();
	bson_error_t error;
	struct fields *f = fields_measure(s, "library", "kopya", 0, NULL, NULL, NULL, &error);
	struct bytes types = BYTES_INIT;

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(f->bytes.value, 4569029);
	CU_ASSERT_EQUAL(f->documents.value, 58595);
	CU_ASSERT_EQUAL(f->bytes.provenance, PROVENANCE_EXACT);
	CU_ASSERT_EQUAL(field_percent(f->parts.values, f->bytes.value), 63);
	CU_ASSERT_EQUAL(field_percent(f->parts.names, f->bytes.value), 26);
	CU_ASSERT_EQUAL(field_percent(f->parts.frames, f->bytes.value), 12);
	/* 17 bytes a key: "_k" and nine of text */
	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->list[i].name, "_k"))
			CU_ASSERT_EQUAL(f->list[i].bytes, 58595 * 17);
	fields_types_text(f, &types);
	ASSERT_TEXT(bytes_text(&types), "kitap durum sube _k: string 100 %");
	bytes_clear(&types);
	fields_destroy(f);
	source_destroy(s);
}

/* What is not the engine is asked by commands. */

static bool forward(struct source *s, const char *db, const bson_t *command, bson_t *reply,
                    const struct interrupt *interrupt, bson_error_t *error)
{
	return source_command(s->context, db, command, reply, interrupt, error);
}

static void forget(struct source *s)
{
	source_destroy(s->context);
}

static const struct source_type elsewhere = { .name = "elsewhere", .command = forward, .destroy = forget };

static void other_sources_give_the_same_or_a_sample(void)
{
	struct source *s = source_new(&elsewhere, "elsewhere", library());
	bson_error_t error;
	struct fields *all = fields_measure(s, "library", "kopya", 0, NULL, NULL, NULL, &error);
	struct fields *some = fields_measure(s, "library", "kopya", 500, NULL, NULL, NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(all);
	CU_ASSERT_PTR_NOT_NULL_FATAL(some);
	CU_ASSERT_EQUAL(all->bytes.value, 4569029);
	CU_ASSERT_EQUAL(all->bytes.provenance, PROVENANCE_EXACT);
	CU_ASSERT_EQUAL(some->bytes.provenance, PROVENANCE_SAMPLED);
	CU_ASSERT_EQUAL(some->documents.value, 500);
	CU_ASSERT_EQUAL(some->documents.n, 500);
	CU_ASSERT_EQUAL(some->documents.of, 58595);
	fields_destroy(all);
	fields_destroy(some);
	source_destroy(s);
}

static void of_a_collection_that_is_read_the_first_documents(void)
{
	struct source *s = library();
	bson_error_t error;
	struct fields *copies = fields_measure_first(s, "library", "kopya", NULL, &error);
	struct fields *books;
	struct model *model;

	CU_ASSERT_PTR_NOT_NULL_FATAL(copies);
	CU_ASSERT_EQUAL(copies->documents.value, FIELDS_FIRST);
	CU_ASSERT_TRUE(copies->documents.at_least && copies->bytes.at_least);
	CU_ASSERT_TRUE(copies->bytes.value > FIELDS_FIRST * 70 && copies->bytes.value < FIELDS_FIRST * 85);
	fields_destroy(copies);
	source_destroy(s);
	s = sample_open("bookstore", &model, &error);
	model_destroy(model);
	books = fields_measure_first(s, "bookstore", "books", NULL, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(books);
	CU_ASSERT_EQUAL(books->documents.value, 77);
	CU_ASSERT_TRUE(books->documents.at_least); /* more may come */
	fields_destroy(books);
	source_destroy(s);
}

static void an_interrupt_ends_it(void)
{
	struct source *s = library();
	struct interrupt i;
	bson_error_t error;

	interrupt_init(&i);
	interrupt_cancel(&i);
	CU_ASSERT_PTR_NULL(fields_measure(s, "library", "kopya", 0, NULL, NULL, &i, &error));
	CU_ASSERT_EQUAL(error.code, CODE_Interrupted);
	CU_ASSERT_PTR_NULL(fields_measure(s, "library", "nothing", 0, NULL, NULL, NULL, &error));
	source_destroy(s);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "the library's copies", the_librarys_copies },
		{ "of a collection that is read the first documents", of_a_collection_that_is_read_the_first_documents },
		{ "other sources give the same or a sample", other_sources_give_the_same_or_a_sample },
		{ "an interrupt ends it", an_interrupt_ends_it },
		{ NULL, NULL },
	};

	return harness_run("fields", cases);
}
