/* Joins: without an index, without a match, without figures. */
#include <stdlib.h>
#include <string.h>

#include "plan/findings_private.h"

/* {$expr: …} in the first $match of the join's pipeline. */
static bool is_by_expression(const struct plan_lookup *l)
{
	struct value pipeline = plan_get(plan_lookup_specification(l), "pipeline");
	struct walk w;
	struct field f;

	if (!value_is_array(pipeline))
		return false;
	walk_begin(&w, pipeline);
	return walk_next(&w, &f) && !value_is_missing(plan_get(plan_get(f.value, "$match"), "$expr"));
}

/* The last collection scan below, whose documents the join runs through again and again; null: there is none. */
static const struct plan_node *inner_scan(const struct plan_node *n)
{
	if (!n->child_count)
		return strcmp(n->stage, "COLLSCAN") ? NULL : n;
	return inner_scan(n->children[n->child_count - 1]);
}

/* A nested loop is what the planner takes when no index serves the inner side and its sides are too large to hash. */
static bool reads_all_each_time(const struct plan_lookup *l)
{
	if (l->strategy)
		return !strcmp(l->strategy, "NestedLoopJoin");
	return !strcmp(l->node->stage, "NESTED_LOOP_JOIN_EMBEDDING") && l->node->child_count > 1 && inner_scan(l->node);
}

static void judge_nested_loop(struct judging *j, const struct plan_lookup *l)
{
	struct value predicates = plan_get(l->node->source, "joinPredicates");
	char docs[32], *predicate = plan_text(plan_get(predicates, "0"));
	const struct plan_node *scan = l->node->child_count > 1 ? inner_scan(l->node) : NULL;
	const struct figure examined = scan ? scan->docs : l->docs;
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "nested loop%s%s: a collection scan of %s for each document", predicate ? " by " : "",
	             predicate ? predicate : "", *l->from ? l->from : "the inner side");
	if (figure_known(examined))
		bytes_format(&text, ", %s documents examined", finding_count(examined, docs));
	finding_add(j, FINDING_LOOKUP_SCAN, l->node, &text, "an index on the field that it is joined by", COST_INDEX);
	free(predicate);
}

void judge_lookup_scan(struct judging *j, const struct plan_lookup *l)
{
	struct bytes text = BYTES_INIT, advice = BYTES_INIT;
	char docs[32], scans[32], *field = plan_text(plan_get(plan_lookup_specification(l), "foreignField"));

	if (figure_known(l->collection_scans) && l->collection_scans.value > 0) {
		bytes_format(&text, "no index for the join: %s collection scan%s of %s",
		             finding_count(l->collection_scans, scans), l->collection_scans.value == 1 ? "" : "s", l->from);
		if (figure_known(l->docs))
			bytes_format(&text, ", %s documents examined", finding_count(l->docs, docs));
		bytes_format(&advice, "an index on %s of %s", field ? field : "the foreign field", l->from);
		if (is_by_expression(l))
			bytes_append_text(&advice, "; one that is sparse, partial or over an array does not serve $expr, "
			                           "localField and foreignField use it");
		finding_add(j, FINDING_LOOKUP_SCAN, l->node, &text, bytes_text(&advice), COST_INDEX);
	} else if (reads_all_each_time(l))
		judge_nested_loop(j, l);
	bytes_clear(&advice);
	free(field);
}

void judge_lookup_empty(struct judging *j, const struct plan_lookup *l)
{
	const struct plan_node *input = l->node->has_input ? l->node->children[0] : NULL;
	struct bytes text = BYTES_INIT;
	char inputs[32], keys[32];

	/* of one document that has no partner nothing can be said */
	if (!input || !figure_known(input->returned) || input->returned.value < 2 || l->counted || !figure_known(l->docs) ||
	    l->docs.value > 0)
		return;
	bytes_format(&text, "the join found nothing for %s documents: 0 documents of %s", finding_count(input->returned, inputs),
	             *l->from ? l->from : "it");
	if (figure_known(l->keys))
		bytes_format(&text, ", %s keys", finding_count(l->keys, keys));
	finding_add(j, FINDING_LOOKUP_EMPTY, l->node, &text,
	            "look whether the collection is there and the fields of both sides are of one type",
	            "values of another type have to be rewritten");
}

void judge_lookup_uncounted(struct judging *j, const struct plan_lookup *l)
{
	struct bytes text = BYTES_INIT;
	struct figure own = l->node->own_millis, all = j->tree->root->millis;
	char first[32], second[32];

	if (j->tree->verbosity == PLAN_QUERY_PLANNER || l->counted || figure_known(l->docs))
		return;
	bytes_format(&text, "what the join examined in %s is not said", *l->from ? l->from : "its collection");
	if (figure_known(own) && figure_known(all) && all.value > 0)
		bytes_format(&text, "; %s of %s ms were spent in it", finding_count(own, first), finding_count(all, second));
	finding_add(j, FINDING_LOOKUP_UNCOUNTED, l->node, &text,
	            "explain on a release that counts it, or explain a find of what it looks up", COST_NOTHING);
}
