/* {stages: [{$cursor: …}, {$group: …}, …]}: a pipeline, and the pipelines inside its stages. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/tree_private.h"

/* MongoDB allows 1,000 stages a pipeline. */
enum { CHAIN_LIMIT = 1000 };

static char *from_text(struct value lookup)
{
	struct value from = plan_get(lookup, "from");

	return plan_text(value_is_document(from) ? plan_get(from, "coll") : from);
}

/* What a stage of a pipeline says about itself, in a line. */
static char *describe(const char *name, struct value specification)
{
	struct bytes text = BYTES_INIT;
	char *from;

	if (!strcmp(name, "$lookup") && value_is_document(specification)) {
		char *field = plan_text(plan_get(specification, "foreignField"));

		from = from_text(specification);
		bytes_format(&text, field ? "from %s by %s" : "from %s", from ? from : "?", field);
		free(from);
		free(field);
	} else if (!value_is_missing(specification)) {
		print_value(&text, specification, &(struct print_options){ .form = PRINT_SHELL, .limit_bytes = 400 });
	}
	return bytes_take_text(&text);
}

/* $facet: a pipeline a field. $unionWith: one more. */
static void read_inner_pipelines(struct reading *r, struct plan_node *n, struct value specification)
{
	struct walk w;
	struct field f;

	if (!strcmp(n->stage, "$facet"))
		for (walk_begin(&w, specification); walk_next(&w, &f);) {
			struct plan_node *facet;

			if (!value_is_array(f.value) || !plan_enter(r))
				continue;
			facet = plan_read_chain(r, f.value);
			if (facet)
				facet->label = plan_key_text(f.key);
			plan_node_adopt(n, facet);
			r->depth--;
		}
	else if (!strcmp(n->stage, "$unionWith") && value_is_array(plan_get(specification, "pipeline")) && plan_enter(r)) {
		plan_node_adopt(n, plan_read_chain(r, plan_get(specification, "pipeline")));
		r->depth--;
	}
}

/* A $lookup inside the pipeline of one: of its own work nothing is said, it is part of the outer one's. */
static void read_nested_lookups(struct reading *r, struct plan_node *outer, struct value pipeline)
{
	struct walk w;
	struct field f;

	if (!value_is_array(pipeline) || !plan_enter(r))
		return;
	for (walk_begin(&w, pipeline); walk_next(&w, &f);) {
		struct value specification = plan_get(f.value, "$lookup");
		struct plan_node *n;
		struct plan_lookup *l;

		if (!value_is_document(specification))
			continue;
		n = plan_node_new("$lookup", f.value);
		n->detail = describe("$lookup", specification);
		n->work_elsewhere = true;
		l = plan_add_lookup(r->tree, n, from_text(specification));
		l->as = plan_text(plan_get(specification, "as"));
		l->counted = true;
		plan_node_adopt(outer, n);
		read_nested_lookups(r, n, plan_get(specification, "pipeline"));
	}
	r->depth--;
}

static void read_lookup(struct plan_tree *t, struct plan_node *n, struct value specification, struct value stage)
{
	struct plan_lookup *l = plan_add_lookup(t, n, from_text(specification));

	l->as = plan_text(plan_get(specification, "as"));
	plan_lookup_indexes(l, plan_get(stage, "indexesUsed"));
}

/* Documents that a search found are read by _id; releases from 8 on say in the stage's own document how many. */
static void read_search_reads(struct reading *r, struct plan_node *n, struct value specification)
{
	n->keys = plan_figure(plan_get(specification, "totalKeysExamined"));
	n->docs = plan_figure(plan_get(specification, "totalDocsExamined"));
	if (figure_known(n->docs))
		plan_add_examined(r, n->keys, n->docs);
}

static bool holds_plan(struct value specification)
{
	return value_is_document(plan_get(specification, "queryPlanner")) ||
	       !value_is_missing(plan_get(specification, "winningPlan"));
}

/* {stage: "$query", in: …, out: …, details: {…}}: Cosmos DB's. */
static struct plan_node *read_foreign_stage(struct reading *r, struct value stage)
{
	struct value details = plan_get(stage, "details");
	char *name = plan_text(plan_get(stage, "stage")), *collection = plan_text(plan_get(details, "collection"));
	struct plan_node *n = name ? plan_node_new(name, stage) : NULL;

	if (n) {
		plan_node_fill(n, stage);
		n->docs = plan_figure(plan_get(plan_get(details, "queryMetrics"), "retrievedDocumentCount"));
		if (figure_known(n->docs))
			plan_add_examined(r, figure_unknown(), n->docs);
		free(n->detail);
		n->detail = collection;
		collection = NULL;
	}
	free(collection);
	free(name);
	return n;
}

/* One element of `stages`: {$lookup: …, nReturned: …}; {$cursor: {queryPlanner: …}} has a plan below it. */
static struct plan_node *read_pipeline_stage(struct reading *r, struct value stage)
{
	struct plan_node *n = NULL;
	struct value specification;
	struct bytes name = BYTES_INIT;
	struct walk w;
	struct field f;

	walk_begin(&w, stage);
	do {
		if (!walk_next(&w, &f))
			return read_foreign_stage(r, stage);
	} while (!f.key.size_bytes || f.key.bytes[0] != '$');
	print_text(&name, f.key.bytes, f.key.size_bytes);
	specification = f.value;
	n = plan_node_new(bytes_text(&name), stage);
	plan_node_fill(n, stage);
	if (holds_plan(specification)) {
		plan_node_adopt(n, plan_read_body(r, specification));
	} else {
		char *detail = describe(bytes_text(&name), specification);

		free(n->detail);
		n->detail = detail;
	}
	if (!strcmp(bytes_text(&name), "$_internalSearchIdLookup") && value_is_document(specification))
		read_search_reads(r, n, specification);
	if (value_is_document(specification))
		read_inner_pipelines(r, n, specification);
	r->gap = r->gap || specification.type == BSON_TYPE_UNDEFINED;
	if (!strcmp(bytes_text(&name), "$lookup")) {
		n->work_elsewhere = true;
		read_lookup(r->tree, n, specification, stage);
		read_nested_lookups(r, n, plan_get(specification, "pipeline"));
	}
	bytes_clear(&name);
	return n;
}

/* What a paste left out of a pipeline is a stage of which nothing is known. */
static struct plan_node *read_gap(struct reading *r, struct value element)
{
	if (element.type != BSON_TYPE_UNDEFINED)
		return NULL;
	r->gap = true;
	return plan_node_new("?", element);
}

/* The last stage with the one before it below it, and so on. */
struct plan_node *plan_read_chain(struct reading *r, struct value stages)
{
	struct plan_node *last = NULL;
	size_t count = 0;
	struct walk w;
	struct field f;

	for (walk_begin(&w, stages); walk_next(&w, &f);) {
		struct plan_node *n;

		r->broken = r->broken || ++count > CHAIN_LIMIT || ++r->nodes > PLAN_NODE_LIMIT;
		if (r->broken)
			break;
		n = value_is_document(f.value) ? read_pipeline_stage(r, f.value) : read_gap(r, f.value);

		if (!n)
			continue;
		plan_node_set_input(n, last);
		last = n;
	}
	return last;
}

struct plan_node *plan_read_pipeline(struct reading *r, struct value body)
{
	return plan_read_chain(r, plan_get(body, "stages"));
}
