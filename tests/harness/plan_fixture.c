#include "harness/plan_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "bson/read.h"
#include "harness/harness.h"

static void must(bool good, const bson_error_t *error)
{
	if (good)
		return;
	fprintf(stderr, "fixture: %s\n", error->message);
	abort();
}

struct store *fixture_store(void)
{
	return store_new();
}

static void load(struct store *s, const char *name)
{
	char file[80];
	size_t size;
	struct bytes document = BYTES_INIT;
	struct reader r;
	struct value v;
	bson_error_t error;
	struct collection *c = store_load_begin(s, "bookstore", name, &error);
	const char *text;

	must(c, &error);
	snprintf(file, sizeof file, "src/samples/bookstore/%s.json", name);
	text = embedded_find(file, &size);
	reader_init(&r, file, text, size);
	while (!reader_at_end(&r)) {
		bytes_reset(&document);
		must(reader_document(&r, &document, &error), &error);
		value_document(&v, document.data, document.size);
		must(store_load_copy(c, v, &error), &error);
	}
	must(store_load_end(s, c, "_id", &error), &error);
	bytes_clear(&document);
}

void fixture_load_bookstore(struct store *s)
{
	static const char *const names[] = { "authors", "categories", "books", "customers", "orders", "reviews" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		load(s, names[i]);
}

struct collection *fixture_collection(struct store *s, const char *db, const char *name)
{
	struct collection *c = store_collection(s, db, name);
	bson_error_t error;

	if (!c) {
		c = store_create_collection(s, db, name, &error);
		must(c, &error);
	}
	return c;
}

void fixture_insert(struct collection *c, struct value document)
{
	bson_error_t error;
	record_id id;
	int64_t keys;

	must(collection_insert(c, document, &id, &keys, NULL, &error), &error);
}

/* {a: 1, b: -1} is called a_1_b_-1. */
static void name_index(struct bytes *name, struct value pattern)
{
	struct walk w;
	struct field f;

	walk_begin(&w, pattern);
	while (walk_next(&w, &f)) {
		if (name->size)
			bytes_append_byte(name, '_');
		bytes_append(name, f.key.bytes, f.key.size_bytes);
		bytes_format(name, "_%d", (int)value_as_double(f.value));
	}
}

void fixture_index(struct collection *c, const char *key_pattern)
{
	struct value pattern = harness_json(key_pattern), specification;
	struct bytes name = BYTES_INIT, document = BYTES_INIT;
	struct writer w;
	bson_error_t error;

	name_index(&name, pattern);
	writer_begin(&w, &document);
	writer_put(&w, "key", pattern);
	writer_text(&w, "name", bytes_text(&name));
	specification = writer_finish(&w);
	must(collection_create_index(c, specification, &error), &error);
	bytes_clear(&name);
	bytes_clear(&document);
}

static int64_t number(struct value query, const char *name)
{
	struct value v = value_get(query, name);

	return value_is_missing(v) ? 0 : (int64_t)value_as_double(v);
}

static int64_t bytes_of(const struct stage *s)
{
	int64_t bytes = s->bytes;

	for (s = s->input; s; s = s->next_input)
		bytes += bytes_of(s);
	return bytes;
}

static void pull(struct fixture_run *run, const struct plan *p)
{
	struct row row;

	while (stage_next(p->root, &row) == STAGE_ADVANCED) {
		run->ids = memory_grow(run->ids, &run->id_capacity, run->id_count + 1, sizeof *run->ids);
		run->ids[run->id_count++] = row.id;
		bytes_append(&run->rows, row.document.bytes, row.document.size_bytes);
	}
	run->counted = plan_counted(p);
	plan_totals(p, &run->total_keys, &run->total_docs);
	run->sum_bytes = bytes_of(p->root);
}

static void explain(struct fixture_run *run, const struct plan *p, const struct plan_request *r,
                    enum verbosity verbosity)
{
	struct writer w;

	writer_begin(&w, &run->explain);
	plan_explain_planner(p, r, &w);
	if (verbosity != VERBOSITY_QUERY_PLANNER)
		plan_explain_execution(p, &w, verbosity, 0);
	writer_finish(&w);
}

void fixture_run(struct fixture_run *run, struct store *s, const char *db, const char *name, struct value query,
                 enum verbosity verbosity)
{
	struct value filter = value_get(query, "filter"), projection = value_get(query, "projection");
	struct plan_request r = {
		.collection = store_collection(s, db, name),
		.sort = value_get(query, "sort"),
		.hint = value_get(query, "hint"),
		.min = value_missing(),
		.max = value_missing(),
		.skip = number(query, "skip"),
		.limit = number(query, "limit"),
		.counts = !value_is_missing(value_get(query, "count")),
	};
	struct projection *compiled_projection = NULL;
	struct match *compiled_filter;
	struct execution x;
	struct plan *p;
	char namespace_text[120];

	memset(run, 0, sizeof *run);
	snprintf(namespace_text, sizeof namespace_text, "%s.%s", db, name);
	r.namespace_text = namespace_text;
	execution_init(&x, s, db, NULL);
	compiled_filter = match_compile(value_is_missing(filter) ? harness_json("{}") : filter, NULL, &run->error);
	if (!compiled_filter) {
		run->failed = true;
		execution_clear(&x);
		return;
	}
	match_canonicalize(&compiled_filter);
	r.filter = compiled_filter;
	if (!value_is_missing(projection)) {
		compiled_projection = projection_compile(projection, PROJECTION_FIND, NULL, &run->error);
		must(compiled_projection, &run->error);
		r.projection = compiled_projection;
	}
	p = plan_make(&r, &x, &run->error);
	if (p) {
		pull(run, p);
		explain(run, p, &r, verbosity);
		run->failed = x.failed;
		if (x.failed)
			run->error = x.error;
		run->counters = x.counters;
	} else {
		run->failed = true;
	}
	plan_destroy(p);
	match_destroy(compiled_filter);
	projection_destroy(compiled_projection);
	execution_clear(&x);
}

void fixture_run_clear(struct fixture_run *run)
{
	bytes_clear(&run->explain);
	bytes_clear(&run->rows);
	free(run->ids);
}

static void copy_fields(struct writer *w, struct value document, const char *const *names)
{
	struct walk walk;
	struct field f;

	walk_begin(&walk, document);
	while (walk_next(&walk, &f)) {
		bool drop = false;

		for (const char *const *name = names; *name && !drop; name++)
			drop = key_is(f.key, *name);
		if (drop)
			continue;
		if (value_is_document(f.value)) {
			writer_begin_document(w, f.key);
			copy_fields(w, f.value, names);
			writer_end(w);
		} else if (value_is_array(f.value)) {
			writer_begin_array(w, f.key);
			copy_fields(w, f.value, names);
			writer_end(w);
		} else {
			writer_value(w, f.key, f.value);
		}
	}
}

struct value fixture_without(struct value document, const char *const *names)
{
	struct bytes out = BYTES_INIT;
	struct writer w;
	struct value v;

	writer_begin(&w, &out);
	copy_fields(&w, document, names);
	writer_finish(&w);
	harness_keep(out.data);
	value_document(&v, out.data, out.size);
	return v;
}
