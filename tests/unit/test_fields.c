/* Where the bytes of documents are: counted by hand, and as a law over random and broken documents: the parts are the
 * whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "harness/harness.h"
#include "harness/random.h"
#include "model/fields.h"
#include "samples/samples.h"

static struct field_tally tally_of(const char *const *documents)
{
	struct field_tally t;

	field_tally_init(&t);
	for (; *documents; documents++)
		field_tally_add(&t, harness_json(*documents));
	return t;
}

static const char *parts_text(const struct field_parts *p)
{
	char text[160];

	snprintf(text, sizeof text, "values %d names %d arrays %d frames %d", (int)p->values, (int)p->names, (int)p->arrays,
	         (int)p->frames);
	return harness_keep(strdup(text));
}

static void flat_documents_by_hand(void)
{
	const char *const documents[] = { "{'_k': 'B0000080', 'kitap': 'K-00008'}", NULL };
	struct field_tally t = tally_of(documents);

	/* 5; 1 + 3 + (4 + 9); 1 + 6 + (4 + 8) */
	CU_ASSERT_EQUAL(t.bytes, 41);
	ASSERT_TEXT(parts_text(&t.parts), "values 25 names 9 arrays 0 frames 7");
	CU_ASSERT_EQUAL_FATAL(t.count, 2);
	ASSERT_TEXT(t.list[0].name, "_k");
	CU_ASSERT_EQUAL(t.list[0].bytes, 17);
	ASSERT_TEXT(parts_text(&t.list[0].parts), "values 13 names 3 arrays 0 frames 1");
	CU_ASSERT_EQUAL(t.list[1].bytes, 19);
	CU_ASSERT_EQUAL(t.depth, 1);
	field_tally_clear(&t);
}

static void nested_documents_by_hand(void)
{
	const char *const documents[] = { "{'a': {'b': 1}, 'c': [true, 2.5]}", NULL };
	struct field_tally t = tally_of(documents);

	CU_ASSERT_EQUAL(t.bytes, 43);
	CU_ASSERT_EQUAL_FATAL(t.count, 2);
	/* 1 + 2 + (5 + 1 + 2 + 4) */
	CU_ASSERT_EQUAL(t.list[0].bytes, 15);
	ASSERT_TEXT(parts_text(&t.list[0].parts), "values 4 names 4 arrays 0 frames 7");
	/* 1 + 2 + (5 + (1 + 2 + 1) + (1 + 2 + 8)) */
	CU_ASSERT_EQUAL(t.list[1].bytes, 23);
	ASSERT_TEXT(parts_text(&t.list[1].parts), "values 9 names 2 arrays 11 frames 1");
	CU_ASSERT_EQUAL(t.depth, 2);
	field_tally_clear(&t);
}

static void documents_add_up_and_types_are_counted(void)
{
	const char *const documents[] = { "{'a': 1, 'b': 'x'}", "{'b': 'xyz', 'a': 2.5}", "{'a': 7}", "{}", NULL };
	struct field_tally t = tally_of(documents);
	struct bytes text = BYTES_INIT;

	CU_ASSERT_EQUAL(t.documents, 4);
	CU_ASSERT_EQUAL_FATAL(t.count, 2);
	CU_ASSERT_EQUAL(t.list[0].count, 3);
	CU_ASSERT_EQUAL(t.list[1].count, 2);
	CU_ASSERT_EQUAL(t.list[1].largest_bytes, 1 + 2 + 4 + 4);
	field_types_text(&t.list[0], &text);
	ASSERT_TEXT(bytes_text(&text), "int 67 %, double 33 %");
	bytes_clear(&text);
	field_tally_clear(&t);
}

static void names_that_are_data_are_counted_together(void)
{
	enum { NAMES = FIELD_TALLY_NAMES + 200 };
	struct bytes document = BYTES_INIT;
	struct field_tally t;
	struct writer w;
	char name[16];

	writer_begin(&w, &document);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof name, "user%04d", i);
		writer_int32(&w, name, i);
	}
	field_tally_init(&t);
	field_tally_add(&t, writer_finish(&w));
	CU_ASSERT_EQUAL(t.count, FIELD_TALLY_NAMES);
	CU_ASSERT_EQUAL(t.rest.count, NAMES - FIELD_TALLY_NAMES);
	CU_ASSERT_EQUAL(t.rest.bytes, (NAMES - FIELD_TALLY_NAMES) * (1 + 9 + 4));
	CU_ASSERT_EQUAL(field_parts_sum(&t.parts), (int64_t)document.size);
	field_tally_clear(&t);
	bytes_clear(&document);
}

static void random_document(struct random *r, struct bytes *out)
{
	uint32_t fields = random_below(r, 9);
	struct writer w;
	char name[16];

	bytes_reset(out);
	writer_begin(&w, out);
	for (uint32_t i = 0; i < fields; i++) {
		snprintf(name, sizeof name, "f%u", random_below(r, 20));
		random_value(r, &w, key_of(name), 4);
	}
	writer_finish(&w);
}

/* Whatever is in them: all parts are all bytes, and so are all fields and what frames the documents. */
static void expect_law(const struct field_tally *t, int64_t bytes)
{
	int64_t of_fields = t->rest.bytes;

	for (size_t i = 0; i < t->count; i++) {
		CU_ASSERT_EQUAL(field_parts_sum(&t->list[i].parts), t->list[i].bytes);
		of_fields += t->list[i].bytes;
	}
	CU_ASSERT_EQUAL(t->bytes, bytes);
	CU_ASSERT_EQUAL(field_parts_sum(&t->parts), bytes);
	if (!t->broken)
		CU_ASSERT_EQUAL(of_fields + 5 * t->documents, bytes);
}

static void the_parts_are_the_whole(void)
{
	struct random r = { 20261130 };
	struct bytes document = BYTES_INIT;
	struct field_tally t;
	int64_t bytes = 0;

	field_tally_init(&t);
	for (int i = 0; i < 3000; i++) {
		struct value v;

		random_document(&r, &document);
		CU_ASSERT_TRUE_FATAL(value_document(&v, document.data, document.size));
		field_tally_add(&t, v);
		bytes += (int64_t)document.size;
	}
	CU_ASSERT_EQUAL(t.broken, 0);
	expect_law(&t, bytes);
	field_tally_clear(&t);
	bytes_clear(&document);
}

static void of_broken_documents_too(void)
{
	struct random r = { 7 };
	struct bytes document = BYTES_INIT;
	int64_t broken = 0;

	for (int i = 0; i < 3000; i++) {
		struct field_tally t;
		struct value v;

		random_document(&r, &document);
		for (uint32_t n = document.size > 6 ? 1 + random_below(&r, 3) : 0; n > 0; n--)
			document.data[4 + random_below(&r, (uint32_t)document.size - 5)] = (uint8_t)random_below(&r, 256);
		CU_ASSERT_TRUE_FATAL(value_document(&v, document.data, document.size));
		field_tally_init(&t);
		field_tally_add(&t, v);
		expect_law(&t, (int64_t)document.size);
		broken += t.broken;
		field_tally_clear(&t);
	}
	CU_ASSERT_TRUE(broken > 100);
	bytes_clear(&document);
}

/* 250 levels are entered, what is below them counts as a value. */
static void depth_ends_at_the_limit(void)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	struct field_tally t;

	writer_begin(&w, &text);
	for (int i = 0; i < VALUE_DEPTH_LIMIT + 2; i++)
		writer_begin_document(&w, key_of("a"));
	for (int i = 0; i < VALUE_DEPTH_LIMIT + 2; i++)
		writer_end(&w);
	field_tally_init(&t);
	field_tally_add(&t, writer_finish(&w));
	CU_ASSERT_EQUAL(t.depth, VALUE_DEPTH_LIMIT);
	CU_ASSERT_TRUE(t.parts.values > 0);
	expect_law(&t, (int64_t)text.size);
	field_tally_clear(&t);
	bytes_clear(&text);
}

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
		{ "flat documents by hand", flat_documents_by_hand },
		{ "nested documents by hand", nested_documents_by_hand },
		{ "documents add up and types are counted", documents_add_up_and_types_are_counted },
		{ "names that are data are counted together", names_that_are_data_are_counted_together },
		{ "the parts are the whole", the_parts_are_the_whole },
		{ "of broken documents too", of_broken_documents_too },
		{ "depth ends at the limit", depth_ends_at_the_limit },
		{ "the library's copies", the_librarys_copies },
		{ "of a collection that is read the first documents", of_a_collection_that_is_read_the_first_documents },
		{ "other sources give the same or a sample", other_sources_give_the_same_or_a_sample },
		{ "an interrupt ends it", an_interrupt_ends_it },
		{ NULL, NULL },
	};

	return harness_run("fields", cases);
}
