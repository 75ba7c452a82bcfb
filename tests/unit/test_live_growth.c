/* A lab copy that grows until the limit refuses: sizes, cost, the refusal in the server's words, and nothing left
 * behind. */
#include "harness/data.h"

#include <string.h>

#include "engine/engine.h"
#include "model/growth.h"
#include "model/lab_access.h"
#include "model/live_growth.h"
#include "samples/samples.h"

struct opened {
	struct source *origin;
	struct model *model;
	struct lab *lab;
};

static struct opened open_lab(const char *sample)
{
	struct opened o = { 0 };
	bson_error_t error;

	o.origin = sample_open(sample, &o.model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.origin);
	o.lab = lab_new(o.origin, o.model);
	return o;
}

static void close_lab(struct opened *o)
{
	lab_destroy(o->lab);
	source_destroy(o->origin);
	model_destroy(o->model);
}

static struct live_growth *grow(struct opened *o, const char *relationship, const struct bytes *parent)
{
	bson_error_t error;
	const struct relationship *r = model_relationship(o->model, relationship, &error);
	struct live_growth *l = live_growth_new(o->lab, r, lab_limit_bytes(o->lab), parent, NULL, &error);

	if (!l)
		fprintf(stderr, "%s: %s\n", relationship, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(l);
	return l;
}

static void push(struct live_growth *l, int64_t children)
{
	bson_error_t error;

	CU_ASSERT_TRUE_FATAL(live_growth_push(l, children, NULL, &error));
}

static const char *key_text(const struct live_growth_state *s)
{
	struct value key;

	value_document(&key, s->parent_key.data, s->parent_key.size);
	return harness_text(key);
}

static void dune_until_the_limit_refuses(void)
{
	static const int64_t sizes[] = { 2829243, 5669243, 8509243, 11349243, 14189243 };
	struct opened o = open_lab("bookstore");
	struct live_growth *l = grow(&o, "reviews", NULL);
	const struct live_growth_state *s = live_growth_state(l);
	const char *version = "";
	int64_t rewritten = 0;
	char text[128];

	ASSERT_TEXT(key_text(s), "{\"\": 26}");
	CU_ASSERT_EQUAL(s->size.value, 339);
	CU_ASSERT_EQUAL(s->base_bytes, 353);
	CU_ASSERT_EQUAL(s->element_bytes, 138);
	CU_ASSERT_EQUAL(s->fits, 118097);
	CU_ASSERT_EQUAL(s->batch, 10000);
	for (int i = 1; i <= 11; i++) {
		push(l, s->batch);
		CU_ASSERT_FALSE_FATAL(s->refused);
		CU_ASSERT_EQUAL(s->children, i * 10000);
		CU_ASSERT_EQUAL(s->pushes, i);
		if (i % 2 == 0)
			CU_ASSERT_EQUAL(s->size.value, sizes[i / 2 - 1]);
		CU_ASSERT_EQUAL(s->page_bytes.value, s->size.value);
		CU_ASSERT_EQUAL(s->headroom.value, 16777216 - s->size.value);
		rewritten += s->size.value;
		CU_ASSERT_EQUAL(s->rewritten.value, rewritten);
	}
	push(l, s->batch);
	CU_ASSERT_TRUE(s->refused);
	CU_ASSERT_EQUAL(s->children, 110000);
	CU_ASSERT_EQUAL(s->pushes, 11);
	CU_ASSERT_EQUAL(s->reach_bytes, 17049243);
	CU_ASSERT_EQUAL(s->refused_children, 10000);
	CU_ASSERT_EQUAL(s->refusal.code, 10334);
	ASSERT_TEXT(s->refusal.message, "Plan executor error during update :: caused by :: Resulting document after update "
	                                "is larger than 16777216");
	CU_ASSERT_PTR_NOT_NULL_FATAL(live_growth_other_wording(s, &version, text, sizeof text));
	ASSERT_TEXT(version, "8.0");
	ASSERT_TEXT(text, "code 10334, BSONObj size: 17049243 (0x104269B) is invalid. Size must be between 0 and 16793600(16MB)");
	CU_ASSERT_EQUAL(s->rewritten.value, rewritten);
	live_growth_destroy(l);
	close_lab(&o);
}

static void exactly_118097_fit(void)
{
	struct opened o = open_lab("bookstore");
	struct live_growth *l = grow(&o, "reviews", NULL);
	const struct live_growth_state *s = live_growth_state(l);
	const char *version;
	char text[128];

	push(l, 118090);
	for (int i = 0; i < 7; i++)
		push(l, 1);
	CU_ASSERT_FALSE(s->refused);
	CU_ASSERT_EQUAL(s->children, 118097);
	CU_ASSERT_EQUAL(s->size.value, 16777114);
	push(l, 1);
	CU_ASSERT_TRUE(s->refused);
	CU_ASSERT_EQUAL(s->children, 118097);
	/* 16,777,257: just over the limit, where the update itself refuses */
	CU_ASSERT_EQUAL(s->reach_bytes, 16777257);
	CU_ASSERT_EQUAL(s->refusal.code, 10334);
	CU_ASSERT_PTR_NOT_NULL_FATAL(live_growth_other_wording(s, &version, text, sizeof text));
	ASSERT_TEXT(text, "code 17419, Resulting document after update is larger than 16777216");
	live_growth_destroy(l);
	close_lab(&o);
}

/* {x: "…"} of that size, kept */
static bson_t *document_of(int64_t size)
{
	bson_t *d = BCON_NEW("_id", BCON_INT32(1));
	char *text = harness_keep(malloc((size_t)size));
	int length = (int)(size - 14 - 8);

	memset(text, 'x', (size_t)length);
	bson_append_utf8(d, "x", 1, text, length);
	CU_ASSERT_EQUAL(d->len, (uint32_t)size);
	return d;
}

static const char *first_error(struct engine *e, bson_t *command)
{
	bson_error_t error;
	bson_t reply;
	struct value errors;
	const char *text;

	engine_command(e, "shop", command, &reply, NULL, &error);
	errors = value_get(value_from_bson(&reply), "writeErrors");
	text = value_is_array(errors) ? harness_text(value_get(errors, "0")) : "";
	bson_destroy(&reply);
	bson_destroy(command);
	return text;
}

/* {$push: {list: "x…"}} that makes a document of exactly that size. */
static const char *push_to(struct engine *e, int64_t size)
{
	bson_t *drop = BCON_NEW("drop", "books"), *empty = BCON_NEW("_id", BCON_INT32(1), "list", "[", "]"), reply,
	       *insert;
	int length = (int)(size - empty->len - 3 - 4 - 1);
	char *text = harness_keep(malloc((size_t)length + 1));
	const char *refusal;

	memset(text, 'x', (size_t)length);
	text[length] = 0;
	engine_command(e, "shop", drop, &reply, NULL, NULL);
	bson_destroy(&reply);
	insert = BCON_NEW("insert", "books", "documents", "[", BCON_DOCUMENT(empty), "]");
	first_error(e, insert);
	refusal = first_error(e, BCON_NEW("update", "books", "updates", "[", "{", "q", "{", "_id", BCON_INT32(1), "}",
	                                  "u", "{", "$push", "{", "list", BCON_UTF8(text), "}", "}", "}", "]"));
	bson_destroy(drop);
	bson_destroy(empty);
	return refusal;
}

static void codes_over_the_limit(void)
{
	struct engine *e = engine_new();
	static const char just_over[] = "{\"index\": 0, \"code\": 17419, \"errmsg\": \"Resulting document after update "
	                                "is larger than 16777216\"}";
	bson_t *large = document_of(16777217);

	engine_emulate(e, emulation_find("8.0"));
	ASSERT_TEXT(push_to(e, 16777216), "");
	ASSERT_TEXT(push_to(e, 16777217), just_over);
	ASSERT_TEXT(push_to(e, 16793600), just_over);
	ASSERT_TEXT(push_to(e, 16793601), "{\"index\": 0, \"code\": 10334, \"errmsg\": \"BSONObj size: 16793601 "
	                                  "(0x1004001) is invalid. Size must be between 0 "
	                                  "and 16793600(16MB) First element: _id: 1\"}");
	ASSERT_TEXT(first_error(e, BCON_NEW("insert", "books", "documents", "[", BCON_DOCUMENT(large), "]")),
	            "{\"index\": 0, \"code\": 2, \"errmsg\": \"object to insert too large. size in bytes: 16777217, "
	            "max size: 16777216\"}");
	bson_destroy(large);
	engine_destroy(e);
}

/* Without the model's word: the parent with most children, and its own first child. */
static void the_parent_with_most_children(void)
{
	struct opened o = open_lab("bookstore");
	struct live_growth *l;
	const struct live_growth_state *s;
	struct bytes wish = BYTES_INIT;
	struct value key = harness_json("{'': 2}");
	int64_t before;

	bytes_append(&wish, key.bytes, key.size_bytes);
	l = grow(&o, "items", NULL);
	s = live_growth_state(l);
	CU_ASSERT_EQUAL(s->children, 4);
	before = s->size.value;
	push(l, 1);
	/* "4" has one digit as "0" has */
	CU_ASSERT_EQUAL(s->size.value - before, s->element_bytes);
	CU_ASSERT_EQUAL(s->children, 5);
	live_growth_destroy(l);

	l = grow(&o, "reviews", &wish);
	ASSERT_TEXT(key_text(live_growth_state(l)), "{\"\": 2}");
	live_growth_destroy(l);
	bytes_clear(&wish);
	close_lab(&o);
}

static void populations_and_their_limit(void)
{
	struct opened o = open_lab("library");
	struct live_growth *l = grow(&o, "loans", NULL);
	const struct live_growth_state *s = live_growth_state(l);
	struct value key;
	char pipeline[256];

	ASSERT_TEXT(key_text(s), "{\"\": \"K-00001\"}");
	CU_ASSERT_EQUAL(s->base_bytes, 108);
	CU_ASSERT_EQUAL(s->element_bytes, 53);
	CU_ASSERT_EQUAL(s->fits, 297);
	CU_ASSERT_EQUAL(s->batch, 10);
	for (int i = 0; i < 29; i++)
		push(l, s->batch);
	CU_ASSERT_FALSE(s->refused);
	push(l, 10);
	CU_ASSERT_TRUE(s->refused);
	CU_ASSERT_EQUAL(s->children, 290);
	ASSERT_TEXT(s->refusal.message, "Plan executor error during update :: caused by :: Resulting document after update "
	                                "is larger than 16384");
	push(l, 7);
	CU_ASSERT_FALSE(s->refused);
	CU_ASSERT_EQUAL(s->size.value, 16333);
	push(l, 1);
	CU_ASSERT_TRUE(s->refused);
	CU_ASSERT_EQUAL(s->reach_bytes, 16388);
	live_growth_destroy(l);

	l = grow(&o, "copies", NULL);
	s = live_growth_state(l);
	value_document(&key, s->parent_key.data, s->parent_key.size);
	snprintf(pipeline, sizeof pipeline,
	         "[{'$match': {'kitap': %s}}, {'$limit': 1}, {'$project': {'n': {'$bsonSize': {'barkod': '$_k', "
	         "'sube': '$sube', "
	         "'durum': '$durum'}}}}]",
	         harness_text(value_get(key, "")));
	CU_ASSERT_EQUAL(s->element_bytes, data_number(o.origin, "library", "kopya", pipeline) + 3);
	live_growth_destroy(l);
	close_lab(&o);
}

static void the_copy_is_dropped_and_the_origin_untouched(void)
{
	struct opened o = open_lab("bookstore");
	int64_t writes = source_write_counter(o.origin, "bookstore", "books").value;
	struct live_growth *l = grow(&o, "reviews", NULL);

	push(l, 10);
	CU_ASSERT_TRUE(engine_write_counter(lab_engine(o.lab), "bookstore_reviews_growth", "books") >= 0);
	live_growth_destroy(l);
	CU_ASSERT_EQUAL(engine_write_counter(lab_engine(o.lab), "bookstore_reviews_growth", "books"), -1);
	CU_ASSERT_EQUAL(source_write_counter(o.origin, "bookstore", "books").value, writes);
	close_lab(&o);
}

static void no_such_parent(void)
{
	struct opened o = open_lab("bookstore");
	struct bytes wish = BYTES_INIT;
	struct value key = harness_json("{'': 'nobody'}");
	bson_error_t error;

	bytes_append(&wish, key.bytes, key.size_bytes);
	CU_ASSERT_PTR_NULL(live_growth_new(o.lab, o.model->relationships, 16777216, &wish, NULL, &error));
	ASSERT_TEXT(error.message, "no document of \"books\" with _id: \"nobody\"");
	bytes_clear(&wish);
	close_lab(&o);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "Dune until the limit refuses", dune_until_the_limit_refuses },
		{ "exactly 118,097 fit", exactly_118097_fit },
		{ "codes over the limit", codes_over_the_limit },
		{ "the parent with most children", the_parent_with_most_children },
		{ "populations and their limit", populations_and_their_limit },
		{ "the copy is dropped and the origin untouched", the_copy_is_dropped_and_the_origin_untouched },
		{ "no such parent", no_such_parent },
		{ 0 },
	};

	return harness_run("live growth", cases);
}
