#include "model/growth_data.h"

#include <stdlib.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/writer.h"
#include "model/count.h"
#include "model/cursor.h"
#include "model/element.h"

enum { GROWTH_SAMPLE = 1000 }; /* parents */

/* Parents in the order of their keys, and a walk of them beside children in the same order. */
struct reading {
	const struct relationship *r;
	struct growth_input *in;
	size_t capacity;
	struct bytes keys; /* the parents', each as a document {"": key} */
	size_t at_bytes;   /* of the key of in->parents[at] */
	int64_t at;
};

static int64_t number(struct value document, const char *name)
{
	int64_t n = 0;

	value_as_int64(value_get(document, name), &n);
	return n;
}

static void add_key(struct bytes *keys, struct value key)
{
	struct writer w;

	writer_begin(&w, keys);
	writer_put(&w, "", value_is_missing(key) ? value_null() : key);
	writer_finish(&w);
}

/* {k: key, b: size, n: children, a: bytes of {a: the array}} */
static bool take_parent(void *context, struct value document, bson_error_t *error)
{
	enum { WRAPPING_BYTES = 5 + 1 + 2, EMPTY_ARRAY_BYTES = 5 };
	struct reading *reading = context;
	struct growth_input *in = reading->in;
	struct growth_parent p = { .base_bytes = number(document, "b"), .children = number(document, "n") };
	int64_t array_bytes = number(document, "a") - WRAPPING_BYTES;

	(void)error;
	if (array_bytes >= EMPTY_ARRAY_BYTES) {
		p.base_bytes -= array_bytes - EMPTY_ARRAY_BYTES;
		p.payload_bytes = array_bytes - growth_bytes(EMPTY_ARRAY_BYTES, GROWTH_ELEMENT_OVERHEAD, p.children);
	} else {
		p.base_bytes += growth_empty_array_bytes(reading->r->path);
	}
	in->parents = memory_grow(in->parents, &reading->capacity, (size_t)in->parent_count + 1, sizeof *in->parents);
	in->parents[in->parent_count++] = p;
	add_key(&reading->keys, value_get(document, "k"));
	return true;
}

/* {_id: a parent's key, n: children, b: bytes of their elements}; children whose parent is not there count nowhere. */
static bool take_children(void *context, struct value document, bson_error_t *error)
{
	struct reading *reading = context;
	struct growth_input *in = reading->in;
	struct value key = value_get(document, "_id"), parent;

	(void)error;
	for (; reading->at < in->parent_count; reading->at++) {
		int order;

		value_document(&parent, reading->keys.data + reading->at_bytes, reading->keys.size - reading->at_bytes);
		order = value_compare(value_get(parent, ""), key);
		if (order > 0)
			break;
		if (order == 0) {
			in->parents[reading->at].children = number(document, "n");
			in->parents[reading->at].payload_bytes = number(document, "b");
		}
		reading->at_bytes += parent.size_bytes;
	}
	return true;
}

static void write_sort(struct writer *w, const char *field)
{
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$sort"));
	writer_int32(w, field, 1);
	writer_end(w);
	writer_end(w);
}

static void write_size(struct writer *w, const char *name, const char *path)
{
	writer_begin_document(w, key_of(name));
	writer_text(w, "$bsonSize", path);
	writer_end(w);
}

/* n: elements of the array, 0 of what is none; a: bytes of {a: the array}, an empty document's when it is not there. */
static void write_array_sizes(struct writer *w, const char *array)
{
	writer_begin_document(w, key_of("n"));
	writer_begin_array(w, key_of("$cond"));
	writer_begin_document(w, key_of(""));
	writer_begin_array(w, key_of("$isArray"));
	writer_text(w, "", array);
	writer_end(w);
	writer_end(w);
	writer_begin_document(w, key_of(""));
	writer_text(w, "$size", array);
	writer_end(w);
	writer_int32(w, "", 0);
	writer_end(w);
	writer_end(w);
	writer_begin_document(w, key_of("a"));
	writer_begin_document(w, key_of("$bsonSize"));
	writer_text(w, "a", array);
	writer_end(w);
	writer_end(w);
}

static void write_sample(struct writer *w)
{
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$sample"));
	writer_int32(w, "size", GROWTH_SAMPLE);
	writer_end(w);
	writer_end(w);
}

/* The children of the parents that were drawn. */
static void write_match(struct writer *w, const struct reading *reading)
{
	struct value parent;

	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$match"));
	writer_begin_document(w, key_of(reading->r->child_parent_key));
	writer_begin_array(w, key_of("$in"));
	for (size_t at = 0; at < reading->keys.size; at += parent.size_bytes) {
		value_document(&parent, reading->keys.data + at, reading->keys.size - at);
		writer_value(w, key_of(""), value_get(parent, ""));
	}
	writer_end(w);
	writer_end(w);
	writer_end(w);
	writer_end(w);
}

static void write_parents(struct writer *w, const struct reading *reading)
{
	const struct relationship *r = reading->r;
	char *key = bson_strdup_printf("$%s", r->parent_key), *array = bson_strdup_printf("$%s", r->path);

	if (reading->in->of)
		write_sample(w);
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$project"));
	writer_int32(w, "_id", 0);
	writer_text(w, "k", key);
	write_size(w, "b", "$$ROOT");
	if (r->origin == SHAPE_EMBED && !r->population)
		write_array_sizes(w, array);
	writer_end(w);
	writer_end(w);
	write_sort(w, "k");
	bson_free(key);
	bson_free(array);
}

/* Sizes in a stage of their own before $group: servers from 5.2 on may take them of the whole document otherwise. */
static void write_children(struct writer *w, const struct reading *reading)
{
	if (reading->in->of)
		write_match(w, reading);
	element_stages(w, reading->r);
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$project"));
	writer_int32(w, "k", 1);
	write_size(w, "b", "$e");
	writer_end(w);
	writer_end(w);
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$group"));
	writer_text(w, "_id", "$k");
	writer_begin_document(w, key_of("n"));
	writer_int32(w, "$sum", 1);
	writer_end(w);
	writer_begin_document(w, key_of("b"));
	writer_text(w, "$sum", "$b");
	writer_end(w);
	writer_end(w);
	writer_end(w);
	write_sort(w, "_id");
}

static bool run(struct lab *lab, const char *collection,
                void (*write_stages)(struct writer *, const struct reading *), cursor_each each,
                struct reading *reading, const struct interrupt *interrupt, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	bson_t command;
	bool good;

	writer_begin(&w, &text);
	writer_text(&w, "aggregate", collection);
	writer_begin_array(&w, key_of("pipeline"));
	write_stages(&w, reading);
	writer_end(&w);
	writer_begin_document(&w, key_of("cursor"));
	writer_end(&w);
	writer_finish(&w);
	bson_init_static(&command, text.data, text.size);
	good = cursor_run(lab_origin(lab), lab_model(lab)->database, &command, each, reading, interrupt, error);
	bytes_clear(&text);
	return good;
}

static struct figure mean(const struct growth_input *in, int64_t sum, int64_t count, int64_t more)
{
	struct figure f = figure_of(count ? (sum + count / 2) / count + more : 0, PROVENANCE_EXACT);

	return count ? growth_seen(in, f) : figure_unknown();
}

static void observe(struct growth_input *in)
{
	int64_t bases = 0, payload = 0, children = 0;

	for (int64_t i = 0; i < in->parent_count; i++) {
		bases += in->parents[i].base_bytes;
		payload += in->parents[i].payload_bytes;
		children += in->parents[i].children;
	}
	in->base_origin = in->element_origin = GROWTH_MEAN;
	in->base = mean(in, bases, in->parent_count, 0);
	in->element = mean(in, payload, children, GROWTH_ELEMENT_OVERHEAD);
}

static void assume(struct growth_input *in, const struct relationship *r)
{
	in->assumed = true;
	in->assumed_parents = r->population_parents;
	in->assumed_children = r->population_children;
	in->exponent = r->zipf_exponent;
	in->base_origin = in->element_origin = GROWTH_FIRST;
	in->base = in->parent_count ? figure_of(in->parents[0].base_bytes, PROVENANCE_EXACT) : figure_unknown();
	in->element = figure_of((int64_t)r->element_example.size + GROWTH_ELEMENT_OVERHEAD, PROVENANCE_ASSUMED);
}

/* Over a server: how many parents there are, when one of the collections is too large to be read. */
static bool find_extent(struct lab *lab, const struct relationship *r, int64_t *of, const struct interrupt *interrupt,
                        bson_error_t *error)
{
	struct source *origin = lab_origin(lab);
	const char *db = lab_model(lab)->database;
	int64_t children = 0;
	bool good = count_to_sample(origin, db, r->parent, of, interrupt, error);

	if (good && !*of && r->origin == SHAPE_REFERENCE && !r->population)
		good = count_to_sample(origin, db, r->child, &children, interrupt, error) &&
		       (!children || count_documents(origin, db, r->parent, of, interrupt, error));
	return good;
}

bool growth_data(struct lab *lab, const struct relationship *r, int64_t limit_bytes, int64_t subset,
                 struct growth_input *in, const struct interrupt *interrupt, bson_error_t *error)
{
	struct reading reading = { .r = r, .in = in };
	bool good;

	*in = (struct growth_input){ .limit_bytes = limit_bytes,
		                     .subset = subset,
		                     .has_population = true,
		                     .base = figure_unknown(),
		                     .element = figure_unknown(),
		                     .embedded = r->origin == SHAPE_EMBED };
	good = find_extent(lab, r, &in->of, interrupt, error) &&
	       run(lab, r->parent, write_parents, take_parent, &reading, interrupt, error);
	if (good && r->origin == SHAPE_REFERENCE && !r->population)
		good = run(lab, r->child, write_children, take_children, &reading, interrupt, error);
	if (good && r->population)
		assume(in, r);
	else if (good)
		observe(in);
	bytes_clear(&reading.keys);
	return good;
}
