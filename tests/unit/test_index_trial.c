/* Indexes tried in the lab: the origin stays as it is, whatever is measured. */
#include "harness/harness.h"

#include <string.h>

#include "harness/data.h"
#include "model/explanation.h"
#include "model/workload.h"
#include "samples/samples.h"

struct opened {
	struct source *source;
	struct model *model;
	struct lab *lab;
};

static struct opened open_sample(const char *name)
{
	struct opened o = { NULL, NULL, NULL };

	o.source = sample_open(name, &o.model, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o.source);
	o.lab = lab_new(o.source, o.model);
	return o;
}

static void close_sample(struct opened *o)
{
	lab_destroy(o->lab);
	source_destroy(o->source);
	model_destroy(o->model);
}

static const struct operation *operation(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->operation_count; i++)
		if (!strcmp(m->operations[i].name, name))
			return &m->operations[i];
	CU_FAIL_FATAL("no such operation");
	return NULL;
}

static struct cost cost(struct opened *o, const struct relationship *r, enum shape_kind shape, const char *name)
{
	struct workload_row *row;
	struct cost total;

	CU_ASSERT_TRUE_FATAL(lab_build(o->lab, r, shape, NULL, NULL));
	row = workload_measure(o->lab, r, shape, operation(o->model, name), NULL);
	CU_ASSERT_FALSE(row->failed);
	total = row->total;
	workload_row_destroy(row);
	return total;
}

/* Tries an index by key and name; single quotes. */
static bool try_index(struct opened *o, const struct relationship *r, enum shape_kind shape, const char *collection,
                      const char *specification, bool drops)
{
	return lab_try_index(o->lab, r, shape, collection, harness_json(specification), drops, NULL, NULL);
}

#define BOTH "{'key': {'sube': 1, 'durum': 1}, 'name': 'sube_1_durum_1'}"

/* 10,066 copies of a branch by one field, 3,092 that are under repair by both. */
static void the_origin_is_copied_first(void)
{
	struct opened o = open_sample("library");
	const struct relationship *r = model_relationship(o.model, "copies", NULL);
	struct source *where;
	const char *db;
	const char *before = harness_text(
		value_get(data_ask(o.source, "library", "{'listIndexes': 'kopya'}"), "cursor"));
	struct figure writes = source_write_counter(o.source, "library", "kopya");
	struct cost first = cost(&o, r, SHAPE_REFERENCE, "repairs of a branch");

	CU_ASSERT_EQUAL(first.docs_examined.value, 10066);
	CU_ASSERT_TRUE(try_index(&o, r, SHAPE_REFERENCE, "kopya", BOTH, false));
	CU_ASSERT_EQUAL(lab_indexes_tried(o.lab, r, SHAPE_REFERENCE), 1);
	CU_ASSERT_TRUE(lab_shape_source(o.lab, r, SHAPE_REFERENCE, &where, &db));
	CU_ASSERT_PTR_NOT_EQUAL(where, o.source);
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_REFERENCE, "repairs of a branch").docs_examined.value, 3092);
	/* what it costs a write: one key more where the field changes */
	CU_ASSERT_TRUE(cost(&o, r, SHAPE_REFERENCE, "status changes").keys_written.value > 0);
	ASSERT_TEXT(harness_text(value_get(data_ask(o.source, "library", "{'listIndexes': 'kopya'}"), "cursor")),
	            before);
	CU_ASSERT_EQUAL(source_write_counter(o.source, "library", "kopya").value, writes.value);

	/* nothing is tried any more: the origin again */
	CU_ASSERT_TRUE(try_index(&o, r, SHAPE_REFERENCE, "kopya", BOTH, true));
	CU_ASSERT_EQUAL(lab_indexes_tried(o.lab, r, SHAPE_REFERENCE), 0);
	CU_ASSERT_TRUE(lab_shape_source(o.lab, r, SHAPE_REFERENCE, &where, &db));
	CU_ASSERT_PTR_EQUAL(where, o.source);
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_REFERENCE, "repairs of a branch").docs_examined.value, 10066);
	close_sample(&o);
}

/* A dropped index makes the scan; the copy follows the origin when that changes. */
static void a_stale_copy_is_made_again_with_what_is_tried(void)
{
	struct opened o = open_sample("bookstore");
	const struct relationship *r = model_relationship(o.model, "items", NULL);
	const char *mine =
		"{'key': {'customer.customerId': 1, 'orderedAt': -1}, 'name': 'customer.customerId_1_orderedAt_-1'}";

	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_EMBED, "my orders and order detail").docs_examined.value, 3 + 1);
	CU_ASSERT_TRUE(try_index(&o, r, SHAPE_EMBED, "orders", mine, true));
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_EMBED, "my orders and order detail").docs_examined.value, 379 + 1);
	data_ask(o.source, "bookstore", "{'insert': 'orders', 'documents': [{'_id': 5000, 'items': []}]}");
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_EMBED, "my orders and order detail").docs_examined.value, 380 + 1);
	CU_ASSERT_EQUAL(lab_indexes_tried(o.lab, r, SHAPE_EMBED), 1);
	close_sample(&o);
}

static void a_built_shape_keeps_what_is_tried(void)
{
	struct opened o = open_sample("bookstore");
	const struct relationship *r = model_relationship(o.model, "items", NULL);
	const char *index = "{'key': {'orderId': 1}, 'name': 'orderId_1'}";

	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_REFERENCE, "my orders and order detail").docs_examined.value, 3 + 1 + 2);
	CU_ASSERT_TRUE(try_index(&o, r, SHAPE_REFERENCE, "order_items", index, true));
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_REFERENCE, "my orders and order detail").docs_examined.value, 3 + 1 + 680);
	lab_set_limit_bytes(o.lab, 1000000); /* all shapes are built anew */
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_REFERENCE, "my orders and order detail").docs_examined.value, 3 + 1 + 680);
	CU_ASSERT_TRUE(try_index(&o, r, SHAPE_REFERENCE, "order_items", index, false));
	CU_ASSERT_EQUAL(cost(&o, r, SHAPE_REFERENCE, "my orders and order detail").docs_examined.value, 3 + 1 + 2);
	close_sample(&o);
}

/* What cannot be is refused and leaves nothing behind. */
static void a_refused_index_is_not_tried(void)
{
	struct opened o = open_sample("bookstore");
	const struct relationship *r = model_relationship(o.model, "items", NULL);
	struct source *where;
	const char *db;

	CU_ASSERT_FALSE(try_index(&o, r, SHAPE_EMBED, "orders", "{'key': {'a': 'nonsense'}, 'name': 'a'}", false));
	CU_ASSERT_FALSE(try_index(&o, r, SHAPE_EMBED, "orders", "{'key': {'_id': 1}, 'name': '_id_'}", true));
	CU_ASSERT_FALSE(try_index(&o, r, SHAPE_REFERENCE, "order_items", "{'key': {'x': 1}, 'name': 'no_such'}", true));
	CU_ASSERT_EQUAL(lab_indexes_tried(o.lab, r, SHAPE_EMBED) + lab_indexes_tried(o.lab, r, SHAPE_REFERENCE), 0);
	CU_ASSERT_TRUE(lab_shape_source(o.lab, r, SHAPE_EMBED, &where, &db));
	CU_ASSERT_PTR_EQUAL(where, o.source);
	close_sample(&o);
}

/* An offer says beforehand what the index will hold. */
static void an_offer_is_kept(void)
{
	struct opened o = open_sample("library");
	const struct relationship *r = model_relationship(o.model, "copies", NULL);
	const struct operation *repairs = operation(o.model, "repairs of a branch");
	struct explanation *e = explanation_find(o.lab, r, SHAPE_REFERENCE, repairs, 0, (struct explaining_wish){ .verbosity = PLAN_EXECUTION_STATS }, NULL);
	struct figure entries, bytes;

	CU_ASSERT_FALSE(e->failed);
	CU_ASSERT_TRUE_FATAL(e->offers->count > 0);
	ASSERT_TEXT(e->offers->offers[0].name, "durum_1_sube_1");
	ASSERT_TEXT(e->offers->offers[0].why, "equality");
	CU_ASSERT_FALSE(e->offers->offers[0].exists);
	entries = e->offers->offers[0].entries;
	bytes = e->offers->offers[0].bytes;
	CU_ASSERT_EQUAL(entries.value, 58595);
	explanation_destroy(e);
	CU_ASSERT_TRUE(try_index(&o, r, SHAPE_REFERENCE, "kopya",
	                         "{'key': {'durum': 1, 'sube': 1}, 'name': 'durum_1_sube_1'}", false));
	e = explanation_find(o.lab, r, SHAPE_REFERENCE, repairs, 0, (struct explaining_wish){ .verbosity = PLAN_EXECUTION_STATS }, NULL);
	ASSERT_TEXT(e->offers->offers[0].name, "durum_1_sube_1");
	CU_ASSERT_TRUE(e->offers->offers[0].exists && e->offers->offers[0].used);
	CU_ASSERT_EQUAL(e->offers->offers[0].entries.value, entries.value);
	CU_ASSERT_EQUAL(e->offers->offers[0].bytes.value, bytes.value);
	explanation_destroy(e);
	close_sample(&o);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "the origin is copied first", the_origin_is_copied_first },
		{ "a stale copy is made again with what is tried", a_stale_copy_is_made_again_with_what_is_tried },
		{ "a built shape keeps what is tried", a_built_shape_keeps_what_is_tried },
		{ "a refused index is not tried", a_refused_index_is_not_tried },
		{ "an offer is kept", an_offer_is_kept },
		{ NULL, NULL },
	};

	return harness_run("index trial", cases);
}
