/* The tree of a collection: the same however many threads count it, of any source; told while it is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "harness/harness.h"
#include "model/document.h"
#include "model/paths.h"
#include "samples/samples.h"

static struct source *library(void)
{
	struct model *model;
	bson_error_t error;
	struct source *s = sample_open("library", &model, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	model_destroy(model);
	return s;
}

static bool same_marks(const struct path_mark *a, const struct path_mark *b)
{
	return a->value == b->value && a->position == b->position && a->id.size == b->id.size &&
	       (!a->id.size || !memcmp(a->id.data, b->id.data, a->id.size));
}

static bool same(const struct path_node *a, const struct path_node *b)
{
	bool equal = a->kind == b->kind && a->key_size == b->key_size && !memcmp(a->key, b->key, a->key_size) &&
	             a->count == b->count && a->documents == b->documents && a->bytes == b->bytes &&
	             !memcmp(&a->parts, &b->parts, sizeof a->parts) && same_marks(&a->largest, &b->largest) &&
	             a->type_count == b->type_count && a->child_count == b->child_count;

	for (uint32_t i = 0; equal && i < a->type_count; i++)
		equal = a->types[i].type == b->types[i].type && a->types[i].count == b->types[i].count &&
		        same_marks(&a->types[i].first, &b->types[i].first);
	for (uint32_t i = 0; equal && i < a->child_count; i++)
		equal = same(a->children[i], b->children[i]);
	return equal;
}

static struct paths *measure(struct source *s, const char *collection, int threads)
{
	struct paths_wish wish = { .db = "library", .collection = collection, .key = "_k", .threads = threads };
	bson_error_t error;
	struct paths *p = paths_measure(s, &wish, NULL, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

/* Often, because a thread may find the end while another still counts. */
static void however_many_threads_count(void)
{
	struct source *s = library();
	struct paths *one = measure(s, "kopya", 1);

	CU_ASSERT_EQUAL(one->documents.value, 58595);
	CU_ASSERT_EQUAL(one->bytes.value, 4569029);
	CU_ASSERT_TRUE(one->whole);
	for (int i = 0; i < 40; i++) {
		struct paths *more = measure(s, "kopya", 2 + i % 4);

		CU_ASSERT_EQUAL(more->documents.value, 58595);
		CU_ASSERT_TRUE(same(one->tree.root, more->tree.root));
		paths_destroy(more);
	}
	paths_destroy(one);
	source_destroy(s);
}

struct told {
	int times;
	int64_t documents;
	bool grew, whole;
};

static void hear(void *context, struct paths *so_far)
{
	struct told *t = context;

	t->times++;
	t->grew = t->grew && so_far->documents.value >= t->documents;
	t->documents = so_far->documents.value;
	t->whole = t->whole || so_far->whole || !so_far->documents.at_least;
	CU_ASSERT_EQUAL(so_far->progress.of_documents, 400000);
	paths_destroy(so_far);
}

static bool next(void *context, struct value *document, bson_error_t *error)
{
	static const uint8_t bytes[] = "\x16\0\0\0\x10" "a\0\1\0\0\0\x02" "b\0\3\0\0\0xy\0\0";
	int *left = context;

	(void)error;
	return (*left)-- > 0 && value_document(document, bytes, sizeof bytes - 1);
}

/* What is told is a part, never less than before, and says so. */
static void told_while_it_is_counted(void)
{
	struct engine *e = engine_new();
	struct source *s = source_from_engine("many", e);
	int left = 400000;
	struct engine_loader loader = { next, &left, true };
	struct told told = { .grew = true };
	struct paths_wish wish = { .db = "test", .collection = "many", .threads = 2, .report = hear, .context = &told };
	bson_error_t error;
	struct paths *p;

	CU_ASSERT_TRUE_FATAL(engine_load(e, "test", "many", NULL, NULL, &loader, NULL, &error));
	p = paths_measure(s, &wish, NULL, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(p->bytes.value, 400000 * 22);
	CU_ASSERT_TRUE(told.grew && !told.whole);
	CU_ASSERT_EQUAL(paths_left_us(&p->progress), 0);
	paths_destroy(p);
	source_destroy(s);
}

static void one_document(void)
{
	struct source *s = library();
	struct bytes document = BYTES_INIT;
	struct document_wish wish = { .db = "library", .collection = "kopya", .key = "_k" };
	struct paths_wish of = { .db = "library", .collection = "kopya", .key = "_k" };
	struct value v;
	struct paths *p;
	bson_error_t error;

	wish.id = value_get(harness_json("{'id': 'B0000080'}"), "id");
	CU_ASSERT_TRUE_FATAL(document_read(s, &wish, &document, NULL, &error));
	CU_ASSERT_TRUE_FATAL(value_document(&v, document.data, document.size));
	p = paths_of_document(&of, v);
	CU_ASSERT_EQUAL(p->bytes.value, (int64_t)document.size);
	ASSERT_TEXT(harness_text(wrapped_value(&p->tree.root->largest.id)), "\"B0000080\"");
	paths_destroy(p);
	bytes_reset(&document);
	wish.id = value_get(harness_json("{'id': 'no'}"), "id");
	CU_ASSERT_TRUE(document_read(s, &wish, &document, NULL, &error));
	CU_ASSERT_EQUAL(document.size, 0);
	bytes_clear(&document);
	source_destroy(s);
}

static void an_interrupt_ends_it(void)
{
	struct source *s = library();
	struct paths_wish wish = { .db = "library", .collection = "kopya", .threads = 2 };
	struct interrupt i;
	bson_error_t error;

	interrupt_init(&i);
	interrupt_cancel(&i);
	CU_ASSERT_PTR_NULL(paths_measure(s, &wish, &i, &error));
	CU_ASSERT_EQUAL(error.code, CODE_Interrupted);
	source_destroy(s);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "however many threads count", however_many_threads_count },
		{ "told while it is counted", told_while_it_is_counted },
		{ "one document", one_document },
		{ "an interrupt ends it", an_interrupt_ends_it },
		{ NULL, NULL },
	};

	return harness_run("paths", cases);
}
