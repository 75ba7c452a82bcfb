/*
 * Replays what was recorded on a real server, setup steps included, and compares the replies field by field. What is to
 * come of each stands in tests/recorded.tsv, with the reason where it is not equal; anything else is a failure.
 */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "engine/engine.h"
#include "plan/lines.h"
#include "samples/samples.h"

/* Depends on the server, its storage or the clock. */
static const char *const volatile_fields[] = {
	"host", "port", "version", "gitVersion", "uuid", "queryHash", "planCacheKey", "storageSize", "totalIndexSize",
	"indexSizes", "wiredTiger", "localTime", "topologyVersion", "connectionId", "ts", "opid", "cpuNanos", "saveState",
	"restoreState", "needYield", "freeStorageSize", "totalSize", "indexDetails", "indexSize", "indexFreeStorageSize",
	"totalFreeStorageSize", "fsUsedSize", "fsTotalSize", "serverParameters", "operationMetrics", "since",
	/* memory of the server's own structures */
	"maxAccumulatorMemoryUsageBytes", "totalOutputDataSizeBytes", "totalDataSizeSortedBytesEstimate",
	"failingDocumentId", /* an ObjectId that the server made */
};

/* What became of a recording, as tests/recorded.tsv says. */
enum outcome { EQUAL, REFUSED, DIFFERS, READER, OUTCOME_COUNT };
static const char *const outcome_names[] = { "equal", "refused", "differs", "reader" };

static struct expected {
	char name[64];
	enum outcome outcome;
	char reason[160];
	bool seen;
} table[400];
static size_t table_count;

static int counts[OUTCOME_COUNT], trees;
static struct engine *engine;
static struct source *library;
static struct model *library_model;

static bool is_volatile(struct key key)
{
	if (key.size_bytes >= 15 && !memcmp(key.bytes, "executionTimeMi", 15)) /* Millis, MillisEstimate, Micros */
		return true;
	for (size_t i = 0; i < sizeof volatile_fields / sizeof *volatile_fields; i++)
		if (key_is(key, volatile_fields[i]))
			return true;
	return false;
}

static bool next_field(struct walk *w, struct field *f)
{
	while (walk_next(w, f))
		if (!is_volatile(f->key))
			return true;
	return false;
}

static bool differ(const char *path, struct key key, const char *got, const char *expected, struct bytes *why)
{
	bytes_format(why, "at %s.%.*s: got %.300s expected %.300s", path, (int)key.size_bytes, key.bytes, got, expected);
	return false;
}

/* False with the first difference: a field, its place or its value. */
static bool same(struct value got, struct value expected, const char *path, struct bytes *why)
{
	struct walk a, b;
	struct field f, g;
	bool more_a, more_b;

	walk_begin(&a, got);
	walk_begin(&b, expected);
	for (;;) {
		struct bytes below = BYTES_INIT;
		bool equal;

		more_a = next_field(&a, &f);
		more_b = next_field(&b, &g);
		if (!more_a && !more_b)
			return true;
		if (!more_a || !more_b)
			return differ(path, more_a ? f.key : g.key, more_a ? "a field too many" : "nothing",
			              more_a ? "nothing" : harness_text(g.value), why);
		if (!key_equal(f.key, g.key))
			return differ(path, g.key, "another field", harness_text(g.value), why);
		if (f.value.type == g.value.type && (value_is_document(f.value) || value_is_array(f.value))) {
			bytes_format(&below, "%s.%.*s", path, (int)f.key.size_bytes, f.key.bytes);
			equal = same(f.value, g.value, bytes_text(&below), why);
			bytes_clear(&below);
			if (!equal)
				return false;
			continue;
		}
		if (f.value.type != g.value.type || f.value.size_bytes != g.value.size_bytes ||
		    memcmp(f.value.bytes, g.value.bytes, f.value.size_bytes)) {
			struct bytes x = BYTES_INIT, y = BYTES_INIT;

			print_line(&x, f.value, PRINT_CANONICAL);
			print_line(&y, g.value, PRINT_CANONICAL);
			differ(path, f.key, bytes_text(&x), bytes_text(&y), why);
			bytes_clear(&x);
			bytes_clear(&y);
			return false;
		}
	}
}

static bool run(const char *db, struct value command, bson_t *reply, bson_error_t *error)
{
	bson_t view;

	value_to_bson(&view, command);
	return engine_command(engine, db, &view, reply, NULL, error);
}

/* Runs a step of the setup. Some are refused here: what follows from that is in the table. */
static void set_up(const char *db, const char *json)
{
	bson_error_t error;
	bson_t reply;

	if (!run(db, harness_json(json), &reply, &error))
		printf("  setup refused: %.200s: %s\n", json, error.message);
	bson_destroy(&reply);
}

static char *corpus_file(const char *name, const char *end, size_t *size)
{
	char path[512];
	char *text;

	snprintf(path, sizeof path, "%s/%s%s", harness_corpus(), name, end);
	text = harness_read_file(path, size);
	if (!text)
		fprintf(stderr, "%s: not there\n", path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	return text;
}

/* A recorded reply with its command, in `document`. */
static struct value read_recorded(const char *name, struct bytes *document)
{
	struct value recorded = value_missing();
	bson_error_t error;
	char path[256];
	size_t size;
	char *text;

	snprintf(path, sizeof path, "recorded/%s", name);
	text = corpus_file(path, ".json", &size);
	CU_ASSERT_FATAL(read_document(name, text, size, document, &error));
	free(text);
	value_document(&recorded, document->data, document->size);
	return recorded;
}

static void read_expected(void)
{
	size_t size;
	char *text = harness_read_file("tests/recorded.tsv", &size), *rest = text, *line;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, "\t"), *outcome = line ? strsep(&line, "\t") : NULL;
		struct expected *e = &table[table_count];

		for (int i = 0; outcome && line && i < OUTCOME_COUNT; i++) {
			if (strcmp(outcome, outcome_names[i]))
				continue;
			CU_ASSERT_FATAL(table_count < sizeof table / sizeof *table);
			snprintf(e->name, sizeof e->name, "%s", name);
			snprintf(e->reason, sizeof e->reason, "%s", line);
			e->outcome = (enum outcome)i;
			table_count++;
		}
	}
	free(text);
}

static struct expected *find_expected(const char *name)
{
	for (size_t i = 0; i < table_count; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	fprintf(stderr, "%s: no line in tests/recorded.tsv\n", name);
	CU_FAIL_FATAL("a recording that is not in the table");
	return NULL;
}

/* Counts what came of it, and holds it against the table; `why`: the first difference, or the refusal. */
static void note(struct expected *e, enum outcome outcome, const char *why)
{
	e->seen = true;
	counts[outcome]++;
	if (outcome != EQUAL)
		printf("  %-45s %s: %s\n", e->name, outcome_names[outcome], e->reason);
	if (outcome != e->outcome)
		fprintf(stderr, "%s: %s, and the table says %s: %s\n", e->name, outcome_names[outcome], outcome_names[e->outcome], why);
	CU_ASSERT_EQUAL(outcome, e->outcome);
	CU_ASSERT_TRUE(outcome == EQUAL || *e->reason);
}

/* Every file of the corpus has a line, and every line a file that was replayed or is for the reader. */
static void check_complete(void)
{
	for (size_t i = 0; i < table_count; i++) {
		struct bytes document = BYTES_INIT;

		counts[READER] += table[i].outcome == READER;
		CU_ASSERT_EQUAL(table[i].seen, table[i].outcome != READER);
		read_recorded(table[i].name, &document);
		bytes_clear(&document);
	}
}

struct document_feed {
	struct reader reader;
	struct bytes document;
};

static bool next_document(void *context, struct value *document, bson_error_t *error)
{
	struct document_feed *feed = context;

	bytes_reset(&feed->document);
	return !reader_at_end(&feed->reader) && reader_document(&feed->reader, &feed->document, error) &&
	       value_document(document, feed->document.data, feed->document.size);
}

static void load_bookstore(const char *file)
{
	struct document_feed feed = { .document = BYTES_INIT };
	struct engine_loader loader = { next_document, &feed, false };
	bson_error_t error;
	char name[64];
	size_t size;
	char *text = corpus_file(file, "", &size);

	sscanf(file, "bookstore/%63[a-z]", name);
	reader_init(&feed.reader, file, text, size);
	CU_ASSERT_FATAL(engine_load(engine, "bookstore", name, "_id", NULL, &loader, NULL, &error));
	bytes_clear(&feed.document);
	free(text);
}

/* The sample has `_k` where the recorded collections had `_id`; kitap_gomulu is its embedded shape. */
static void load_library(const char *name)
{
	static const char *const reference = "{'p': [{'$replaceRoot': {'newRoot': {'$mergeObjects': [{'_id': '$_k'}, "
	                                     "'$$ROOT']}}},"
	                                     "{'$unset': '_k'}]}";
	static const char *const embedded = "{'p': [{'$lookup': {'from': 'kopya', 'localField': '_k', 'foreignField': 'kitap',"
	                                    "'pipeline': [{'$sort': {'_k': 1}}, {'$replaceRoot': {'newRoot': {'barkod': '$_k',"
	                                    "'sube': '$sube', 'durum': '$durum'}}}], 'as': 'kopya'}},"
	                                    "{'$replaceRoot': {'newRoot': {'$mergeObjects': [{'_id': '$_k'}, '$$ROOT']}}},"
	                                    "{'$unset': '_k'}]}";
	bool embeds = !strcmp(name, "kitap_gomulu");
	struct value pipeline = value_get(harness_json(embeds ? embedded : reference), "p");
	bson_error_t error;
	bson_t view;
	bool ok;

	if (!library)
		library = sample_open("library", &library_model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(library);
	pipeline.type = BSON_TYPE_DOCUMENT;
	value_to_bson(&view, pipeline);
	ok = engine_load_pipeline(source_engine(library), "library", embeds ? "kitap" : name, &view, engine, "library", name,
	                          "_id", NULL, NULL, &error);
	if (!ok)
		fprintf(stderr, "%s: %s\n", name, error.message);
	CU_ASSERT_FATAL(ok);
}

static void load_by_pipeline(const char *from, const char *to, const char *pipeline_json)
{
	struct value pipeline = value_get(harness_json(pipeline_json), "p");
	bson_error_t error;
	bson_t view;

	pipeline.type = BSON_TYPE_DOCUMENT;
	value_to_bson(&view, pipeline);
	if (!engine_load_pipeline(engine, "bookstore", from, &view, engine, "bookstore", to, NULL, NULL, NULL, &error))
		fprintf(stderr, "%s: %s\n", to, error.message);
}

/* Inserted by a driver, which puts an ObjectId first. */
static void insert_results(const char *aggregate_json, const char *to)
{
	struct bytes insert = BYTES_INIT;
	struct writer w;
	bson_error_t error;
	bson_t reply, answer;

	CU_ASSERT_FATAL(run("bookstore", harness_json(aggregate_json), &reply, &error));
	writer_begin(&w, &insert);
	writer_text(&w, "insert", to);
	writer_put(&w, "documents", value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch"));
	CU_ASSERT(run("bookstore", writer_finish(&w), &answer, &error));
	bson_destroy(&reply);
	bson_destroy(&answer);
	bytes_clear(&insert);
}

static void make_flat_orders(void)
{
	load_by_pipeline("orders", "loading_orders_flat",
	                 "{'p': [{'$set': {'customerId': '$customer.customerId'}}, {'$unset': ['items', 'customer']}]}");
	insert_results("{'aggregate': 'loading_orders_flat', 'pipeline': [], 'cursor': {'batchSize': 100000}}", "orders_flat");
	insert_results("{'aggregate': 'orders', 'pipeline': [{'$sort': {'_id': 1}}, {'$unwind': '$items'}, {'$replaceRoot':"
	               "{'newRoot': {'$mergeObjects': [{'orderId': '$_id'}, '$items']}}}], 'cursor': {'batchSize': 100000}}",
	               "order_items_flat");
	set_up("bookstore", "{'drop': 'loading_orders_flat'}");
}

static void make_clustered(void)
{
	set_up("bookstore", "{'insert': 'clu', 'documents': [{'_id': 0, 'a': 0}, {'_id': 1, 'a': 1}, {'_id': 2, 'a': 2},"
	                    "{'_id': 3, 'a': 3}, {'_id': 4, 'a': 4}, {'_id': 5, 'a': 5}, {'_id': 6, 'a': 6}, {'_id': 7, 'a': "
	                    "7},"
	                    "{'_id': 8, 'a': 8}, {'_id': 9, 'a': 9}]}");
}

static void make_big(void)
{
	struct bytes insert = BYTES_INIT, pad = BYTES_INIT;
	struct writer w;
	bson_error_t error;
	bson_t reply;

	for (int i = 0; i < 1000000; i++)
		bytes_append_byte(&pad, 'x');
	for (int i = 0; i < 18; i++) {
		bytes_reset(&insert);
		writer_begin(&w, &insert);
		writer_text(&w, "insert", "big_children");
		writer_begin_array(&w, key_of("documents"));
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "p", 1);
		writer_text(&w, "pad", bytes_text(&pad));
		writer_end(&w);
		writer_end(&w);
		CU_ASSERT(run("bookstore", writer_finish(&w), &reply, &error));
		bson_destroy(&reply);
	}
	set_up("bookstore", "{'insert': 'big_parents', 'documents': [{'_id': 1}]}");
	bytes_clear(&insert);
	bytes_clear(&pad);
}

/* {update: "lab_books", updates: [{q: {_id: 26}, u: {$push: {reviews: {$each: [10,000 times the template]}}}}]} */
static void write_push(struct bytes *out, struct value review)
{
	struct writer w;

	writer_begin(&w, out);
	writer_text(&w, "update", "lab_books");
	writer_begin_array(&w, key_of("updates"));
	writer_begin_document(&w, key_of(""));
	writer_begin_document(&w, key_of("q"));
	writer_int32(&w, "_id", 26);
	writer_end(&w);
	writer_begin_document(&w, key_of("u"));
	writer_begin_document(&w, key_of("$push"));
	writer_begin_document(&w, key_of("reviews"));
	writer_begin_array(&w, key_of("$each"));
	for (int i = 0; i < 10000; i++)
		writer_value(&w, key_of(""), review);
	for (int i = 0; i < 6; i++)
		writer_end(&w);
	writer_finish(&w);
}

/* The published growth of one book, by tens of thousands of reviews until it is refused. */
static void replay_push(void)
{
	struct bytes document = BYTES_INIT, push = BYTES_INIT, why = BYTES_INIT;
	struct value template, command, recorded = read_recorded("error-16MB-push", &document);
	bson_error_t error;
	bson_t found, reply;
	int fitted = 0;

	load_by_pipeline("books", "lab_books", "{'p': [{'$match': {'_id': 26}}]}");
	CU_ASSERT_FATAL(run("bookstore", harness_json("{'find': 'reviews', 'filter': {'body': {'$exists': true}}, 'sort': "
	                                              "{'_id': 1},"
	                                              "'limit': 1, 'projection': {'_id': 0, 'bookId': 0}}"), &found, &error));
	template = value_get(value_get(value_get(value_from_bson(&found), "cursor"), "firstBatch"), "0");
	CU_ASSERT_EQUAL(template.size_bytes, 135);
	write_push(&push, template);
	CU_ASSERT_FATAL(value_document(&command, push.data, push.size));
	for (;; fitted += 10000) {
		CU_ASSERT_FATAL(run("bookstore", command, &reply, &error) && fitted < 200000);
		if (value_is_array(value_get(value_from_bson(&reply), "writeErrors")))
			break;
		bson_destroy(&reply);
	}
	CU_ASSERT_EQUAL(fitted, 110000);
	same(value_from_bson(&reply), value_get(recorded, "reply"), "", &why);
	note(find_expected("error-16MB-push"), why.size ? DIFFERS : EQUAL, bytes_text(&why));
	bson_destroy(&reply);
	bson_destroy(&found);
	bytes_clear(&document);
	bytes_clear(&why);
	bytes_clear(&push);
	set_up("bookstore", "{'drop': 'lab_books'}");
}

static void step_setup(const char *db, const char *what)
{
	if (!strncmp(what, "load bookstore/", 15)) {
		load_bookstore(what + 5);
	} else if (!strncmp(what, "load k", 6)) {
		char name[64];

		sscanf(what, "load %63[a-z_]", name);
		load_library(name);
	} else if (*what == '{') {
		set_up(db, what);
	} else if (!strncmp(what, "orders_flat", 11)) {
		make_flat_orders();
	} else if (!strncmp(what, "ts:", 3)) {
		make_clustered();
	} else if (!strncmp(what, "lab_books", 9)) {
		replay_push();
	} else if (!strncmp(what, "big_children", 12)) {
		make_big();
	} else if (!strncmp(what, "legacy review", 13)) {
		set_up(db, "{'insert': 'reviews', 'documents': [{'bookId': 26, 'customer': {'customerId': 39, 'name': 'Barbara "
		           "Liskov'},"
		           "'rating': '5', 'body': 'A classic.', 'reviewedAt': {'$date': '2024-05-05T10:00:00Z'}}]}");
	}
}

static void append_node(void *context, const struct plan_node *n, int depth)
{
	const struct figure figures[] = { n->docs, n->keys, n->returned, n->collection_scans, n->would_modify };
	struct bytes *out = context;
	char number[48];

	bytes_format(out, "%*s", depth, "");
	plan_line_title(n, out);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		bytes_format(out, " %s", figure_format(figures[i], true, number, sizeof number));
	bytes_format(out, " %s %s\n", n->bounds ? n->bounds : "", n->filter ? n->filter : "");
}

static void append_sum(struct bytes *out, struct figure f)
{
	char number[48];

	bytes_format(out, " %s", figure_format(f, true, number, sizeof number));
}

/* The plan's tree with its sums and remarks; times apart. */
static void append_tree(struct bytes *out, struct value reply)
{
	struct plan_tree *t = plan_tree_read(reply, NULL);

	if (!t)
		return;
	plan_tree_walk(t, append_node, out);
	append_sum(out, t->returned);
	append_sum(out, t->outer.docs);
	append_sum(out, t->outer.keys);
	append_sum(out, t->total.docs);
	append_sum(out, t->total.keys);
	for (size_t i = 0; i < t->finding_count; i++)
		bytes_format(out, " %s", t->findings[i].code);
	plan_tree_destroy(t);
}

/* A reply that is equal field by field gives the same tree as the server's. */
static void compare_trees(const char *name, struct value got, struct value expected)
{
	struct bytes ours = BYTES_INIT, theirs = BYTES_INIT;

	append_tree(&ours, got);
	append_tree(&theirs, expected);
	if (theirs.size) {
		trees++;
		if (strcmp(bytes_text(&ours), bytes_text(&theirs)))
			fprintf(stderr, "%s:\n%s\n", name, bytes_text(&ours));
		CU_ASSERT_STRING_EQUAL(bytes_text(&ours), bytes_text(&theirs));
	}
	bytes_clear(&ours);
	bytes_clear(&theirs);
}

static void step_recorded(const char *name)
{
	struct bytes document = BYTES_INIT, why = BYTES_INIT;
	struct value recorded = read_recorded(name, &document), command, db;
	bson_error_t error;
	bson_t reply;
	bool ok, equal;

	command = value_get(recorded, "command");
	db = value_get(recorded, "db");
	ok = run(value_text(db).bytes, command, &reply, &error);
	equal = same(value_from_bson(&reply), value_get(recorded, "reply"), "", &why);
	if (!equal && !ok)
		note(find_expected(name), REFUSED, error.message);
	else
		note(find_expected(name), equal ? EQUAL : DIFFERS, bytes_text(&why));
	if (equal)
		compare_trees(name, value_from_bson(&reply), value_get(recorded, "reply"));
	bson_destroy(&reply);
	bytes_clear(&why);
	bytes_clear(&document);
}

static void replay(void)
{
	size_t size;
	char *text = corpus_file("recorded/SEQUENCE.tsv", "", &size), *line, *rest = text;

	printf("\n");
	read_expected();
	engine = engine_new();
	engine_emulate(engine, emulation_find("8.0"));
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && *line) {
		char *kind, *db, *what = line;

		strsep(&what, "\t");
		kind = strsep(&what, "\t");
		db = strsep(&what, "\t");
		if (!strcmp(kind, "setup"))
			step_setup(db, what);
		else
			step_recorded(what);
	}
	engine_destroy(engine);
	if (library) {
		source_destroy(library);
		model_destroy(library_model);
	}
	free(text);
	check_complete();
	printf("summary: %d equal, %d refused here, %d differ, %d for the reader only\n", counts[EQUAL], counts[REFUSED],
	       counts[DIFFERS], counts[READER]);
	printf("summary: %d plan trees the same from the server and from the engine\n", trees);
	CU_ASSERT(trees > 0);
}

int main(void)
{
	static const struct test_case tests[] = { { "recorded replies", replay }, { NULL, NULL } };

	if (!harness_corpus())
		harness_skip("skipped: BSONSCOPE_CORPUS is not set");
	return harness_run("recorded", tests);
}
