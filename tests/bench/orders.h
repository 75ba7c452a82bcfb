/*
 * Generated orders of a shop, about 260 bytes each, one behind the other as in a .bson file, and their customers (one
 * for a hundred orders). The same on every run.
 */
#ifndef BSONSCOPE_BENCH_ORDERS_H
#define BSONSCOPE_BENCH_ORDERS_H

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/writer.h"
#include "engine/engine.h"

struct orders {
	struct bytes all, customers;
	struct value *list; /* views of `all` */
	size_t count;
};

static inline uint32_t orders_draw(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)*state * below >> 32);
}

static inline void orders_add(struct bytes *all, int32_t id, uint32_t customers, uint32_t *state)
{
	static const char *const statuses[] = { "open", "paid", "packed", "sent", "delivered", "returned", "lost", "refunded" };
	static const char *const regions[] = { "north", "north-east", "east", "south-east", "south", "south-west",
		                               "west", "north-west", "centre", "islands" };
	static const char filler[] = "left at the door of the neighbours, who were told that it would come and said yes";
	struct bytes one = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &one);
	writer_int32(&w, "_id", id);
	writer_int32(&w, "customer", (int32_t)orders_draw(state, customers));
	writer_text(&w, "status", statuses[orders_draw(state, 8)]);
	writer_text(&w, "region", regions[orders_draw(state, 10)]);
	writer_double(&w, "total", orders_draw(state, 100000) / 100.0);
	writer_begin_array(&w, key_of("items"));
	for (int i = 0; i < 2; i++) {
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "sku", (int32_t)orders_draw(state, 5000));
		writer_int32(&w, "quantity", 1 + (int32_t)orders_draw(state, 4));
		writer_double(&w, "price", orders_draw(state, 20000) / 100.0);
		writer_end(&w);
	}
	writer_end(&w);
	writer_text(&w, "note", filler + orders_draw(state, 30));
	writer_finish(&w);
	bytes_append(all, one.data, one.size);
	bytes_clear(&one);
}

static inline void orders_make(struct orders *o, size_t count)
{
	uint32_t state = 1, customers = (uint32_t)(count / 100 ? count / 100 : 1);

	*o = (struct orders){ .count = count };
	for (size_t i = 0; i < count; i++)
		orders_add(&o->all, (int32_t)i, customers, &state);
	o->list = memory_allocate(count * sizeof *o->list);
	for (size_t i = 0, at = 0; i < count; at += o->list[i++].size_bytes)
		if (!value_document(&o->list[i], o->all.data + at, o->all.size - at))
			abort();
	for (uint32_t i = 0; i < customers; i++) {
		struct bytes one = BYTES_INIT;
		struct writer w;

		writer_begin(&w, &one);
		writer_int32(&w, "_id", (int32_t)i);
		writer_text(&w, "name", i % 2 ? "Ada" : "Grace");
		writer_finish(&w);
		bytes_append(&o->customers, one.data, one.size);
		bytes_clear(&one);
	}
}

static inline void orders_clear(struct orders *o)
{
	bytes_clear(&o->all);
	bytes_clear(&o->customers);
	free(o->list);
}

struct orders_cursor {
	const struct bytes *from;
	size_t at;
};

static inline bool orders_next(void *context, struct value *document, bson_error_t *error)
{
	struct orders_cursor *c = context;

	(void)error;
	if (!value_document(document, c->from->data + c->at, c->from->size - c->at))
		return false;
	c->at += document->size_bytes;
	return true;
}

/* Borrowed: `o` outlives the engine. orders has an index on customer. */
static inline bool orders_load(const struct orders *o, struct engine *e, const char *db, bson_error_t *error)
{
	bson_t *indexes = BCON_NEW("0", "{", "key", "{", "customer", BCON_INT32(1), "}", "name", "customer_1", "}");
	struct orders_cursor orders = { &o->all, 0 }, customers = { &o->customers, 0 };
	struct engine_loader load_orders = { orders_next, &orders, true }, load_customers = { orders_next, &customers, true };
	bool good;

	good = engine_load(e, db, "orders", "_id", indexes, &load_orders, NULL, error) &&
	       engine_load(e, db, "customers", "_id", NULL, &load_customers, NULL, error);
	bson_destroy(indexes);
	return good;
}

#endif
