#include "remote/cost.h"

#include <string.h>

#include "plan/tree.h"

/* A find or aggregate without a batch size: documents at first, then bytes a batch. */
enum { FIRST_BATCH = 101, BATCH_BYTES = 16777216 };

static struct figure estimate(struct figure documents, struct figure average)
{
	struct figure bytes = documents;

	if (!figure_known(documents))
		return figure_unknown();
	if (!documents.value)
		return documents;
	if (!figure_known(average))
		return figure_unknown();
	bytes.value = documents.value * average.value;
	bytes.provenance = PROVENANCE_ESTIMATED;
	return bytes;
}

static struct figure average_of(const struct cost_averages *a, const char *collection)
{
	return collection && *collection ? a->find(a->context, collection) : figure_unknown();
}

/* Counted by the server for all but the $lookups; these are estimated in the collection that they look into. */
static struct figure bytes_read(const struct plan_tree *t, const char *collection, const struct cost_averages *a)
{
	struct figure sum = figure_known(t->bytes) ? t->bytes : estimate(t->outer.docs, figure_unknown());

	if (!figure_known(sum))
		sum = estimate(t->outer.docs, average_of(a, collection));
	for (size_t i = 0; i < t->lookup_count; i++) {
		struct figure inner = t->lookups[i].docs;

		if (figure_known(inner) && inner.value)
			inner = estimate(inner, average_of(a, t->lookups[i].from));
		sum = figure_add(sum, inner);
	}
	return sum;
}

static bool is(struct value command, const char *name)
{
	struct walk w;
	struct field first;

	walk_begin(&w, command);
	return walk_next(&w, &first) && key_is(first.key, name);
}

static bool returns_documents(struct value command)
{
	return is(command, "find") || is(command, "aggregate");
}

/* Whole documents of the collection: a find without projection. */
static struct figure bytes_returned(struct value command, struct figure returned, const char *collection,
                                    const struct cost_averages *a)
{
	struct value projection = value_get(command, "projection");
	bool whole = is(command, "find") && (!value_is_document(projection) || !value_count(projection));

	if (figure_known(returned) && !returned.value)
		return returned;
	return whole ? estimate(returned, average_of(a, collection)) : figure_unknown();
}

static int64_t first_batch(struct value command)
{
	struct value options = is(command, "aggregate") ? value_get(command, "cursor") : command;
	int64_t documents;

	return value_is_document(options) && value_as_int64(value_get(options, "batchSize"), &documents) &&
	                       documents >= 0
	               ? documents
	               : FIRST_BATCH;
}

/* As a client needs that reads to the end. */
static struct figure get_mores(struct value command, struct figure returned, struct figure bytes)
{
	int64_t first = first_batch(command), limit = 0, rest_bytes;

	if (!figure_known(returned) || returned.at_least)
		return figure_unknown();
	if (returned.value < first || value_is_true(value_get(command, "singleBatch")))
		return figure_of(0, returned.provenance);
	value_as_int64(value_get(command, "limit"), &limit);
	if (returned.value == first && limit == first)
		return figure_of(0, returned.provenance);
	/* all may have come at first: whether the cursor was at its end then is not said */
	if (returned.value == first || !figure_known(bytes))
		return figure_unknown();
	rest_bytes = bytes.value / returned.value * (returned.value - first);
	return figure_of((rest_bytes + BATCH_BYTES - 1) / BATCH_BYTES, bytes.provenance);
}

static struct figure in_micros(struct figure millis)
{
	return figure_scale(millis, 1000);
}

bool cost_from_explain(struct cost *cost, struct value command, struct value explain,
                       const struct cost_averages *averages, bson_error_t *error)
{
	struct plan_tree *t = plan_tree_read(explain, error);
	const char *collection;

	*cost = cost_unknown();
	if (!t)
		return false;
	collection = plan_tree_collection(t);
	cost->round_trips = figure_measured(1);
	cost->docs_examined = t->total.docs;
	cost->keys_examined = t->total.keys;
	cost->bytes_read = bytes_read(t, collection, averages);
	cost->micros = in_micros(t->millis);
	cost->docs_written = cost->bytes_written = cost->keys_written = cost->no_ops = figure_measured(0);
	if (returns_documents(command)) {
		cost->docs_returned = t->returned;
		cost->bytes_returned = bytes_returned(command, t->returned, collection, averages);
		cost->get_mores = get_mores(command, t->returned, cost->bytes_returned);
	} else {
		cost->get_mores = figure_measured(0);
	}
	plan_tree_destroy(t);
	return true;
}

void cost_of_write(struct cost *cost, struct value command)
{
	struct value documents = value_get(command, "documents");
	int64_t bytes = 0;
	struct walk w;
	struct field f;

	*cost = cost_unknown();
	cost->round_trips = figure_measured(1);
	cost->get_mores = figure_measured(0);
	if (!is(command, "insert") || !value_is_array(documents))
		return;
	walk_begin(&w, documents);
	while (walk_next(&w, &f))
		bytes += f.value.size_bytes;
	cost->docs_written = figure_of(value_count(documents), PROVENANCE_PREDICTED);
	cost->bytes_written = figure_of(bytes, PROVENANCE_PREDICTED);
}
