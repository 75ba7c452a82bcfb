/*
 * What is worth a remark, each with the node and the numbers that prove it. Examined is held against what leaves the
 * access stage, not against the command's last result: a group returns few documents of many, and rightly.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/findings.h"
#include "plan/tree_private.h"

enum { FAR_MORE = 10 }; /* times as many examined as left the stage */

struct judging {
	struct plan_tree *tree;
	bool after_group; /* above a stage that makes new documents: its order is not an index's */
};

static const char *count(struct figure f, char buffer[32])
{
	return figure_format_count(f.value, buffer, 32);
}

/* Takes both texts. */
static void add(struct plan_tree *t, const char *code, const struct plan_node *n, struct bytes *evidence,
                const char *advice)
{
	t->findings = memory_resize(t->findings, t->finding_count + 1, sizeof *t->findings);
	t->findings[t->finding_count++] = (struct plan_finding){ code, memory_duplicate_text(n ? n->stage : ""),
		                                                 bytes_take_text(evidence),
		                                                 memory_duplicate_text(advice), memory_duplicate_text(""), n };
}

static void judge_scan(struct plan_tree *t, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	char docs[32], returned[32];
	bool counted = figure_known(n->docs) && figure_known(n->returned);

	/* one that hands on all that it read would gain nothing from an index */
	if (strcmp(n->stage, "COLLSCAN") || !n->filter || (counted && n->docs.value <= n->returned.value))
		return;
	if (counted)
		bytes_format(&text, "collection scan: examined %s, returned %s", count(n->docs, docs),
		             count(n->returned, returned));
	else
		bytes_append_text(&text, "collection scan with a filter");
	add(t, FINDING_COLLECTION_SCAN, n, &text, "an index on what the filter asks for");
}

static bool far_more(struct figure examined, struct figure returned)
{
	return figure_known(examined) && figure_known(returned) &&
	       examined.value >= FAR_MORE * (returned.value > 0 ? returned.value : 1);
}

static void judge_access(struct plan_tree *t, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	char examined[32], returned[32];

	if (!strcmp(n->stage, "COLLSCAN") || n->work_elsewhere)
		return;
	if (far_more(n->docs, n->returned)) {
		bytes_format(&text, "examined %s documents for %s that pass", count(n->docs, examined),
		             count(n->returned, returned));
		add(t, FINDING_EXAMINED, n, &text, "an index that holds the fields of this stage's filter too");
	} else if (far_more(n->keys, n->returned)) {
		bytes_format(&text, "examined %s keys for %s that pass", count(n->keys, examined),
		             count(n->returned, returned));
		add(t, FINDING_KEYS, n, &text, "an index whose first fields are asked for by equality");
	}
}

static void judge_sort(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	char number[32];
	const struct plan_node *input = n->child_count ? n->children[0] : NULL;

	if ((strcmp(n->stage, "SORT") && strcmp(n->stage, "$sort")) || j->after_group)
		return;
	if (figure_known(n->returned) && n->returned.value < 2 &&
	    !(input && figure_known(input->returned) && input->returned.value > 1))
		return; /* nothing was put in order */
	bytes_append_text(&text, "sort in memory");
	if (input && figure_known(input->returned))
		bytes_format(&text, ": %s documents", count(input->returned, number));
	if (figure_known(n->memory_bytes) && n->memory_bytes.value > 0)
		bytes_format(&text, ", %s bytes", count(n->memory_bytes, number));
	if (n->spilled)
		bytes_append_text(&text, ", spilled to disk");
	add(j->tree, n->spilled ? FINDING_SPILL : FINDING_SORT, n, &text,
	    "an index with the sort's fields behind those asked for by equality");
}

static void judge_lookup(struct plan_tree *t, const struct plan_lookup *l)
{
	struct bytes text = BYTES_INIT;
	char docs[32], scans[32], advice[200] = "an index on the foreign field";
	const char *by = l->node->detail ? strstr(l->node->detail, " by ") : NULL;

	if (!figure_known(l->collection_scans) || l->collection_scans.value < 1)
		return;
	bytes_format(&text, "no index for the join: %s collection scan%s of %s", count(l->collection_scans, scans),
	             l->collection_scans.value == 1 ? "" : "s", l->from);
	if (figure_known(l->docs))
		bytes_format(&text, ", %s documents examined", count(l->docs, docs));
	if (by)
		snprintf(advice, sizeof advice, "an index on %s of %s", by + 4, l->from);
	add(t, FINDING_LOOKUP_SCAN, l->node, &text, advice);
}

static bool makes_new_documents(const char *stage)
{
	static const char *const stages[] = { "$group",          "$unwind",      "$lookup", "$bucket",
		                              "$bucketAuto",     "$sortByCount", "$facet",  "GROUP",
		                              "$unionWith",      "$graphLookup", "UNWIND",  "EQ_LOOKUP",
		                              "EQ_LOOKUP_UNWIND" };

	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
		if (!strcmp(stage, stages[i]))
			return true;
	return false;
}

/* From the first stage to the last. */
static void judge_node(struct judging *j, const struct plan_node *n)
{
	for (size_t i = 0; i < n->child_count; i++)
		judge_node(j, n->children[i]);
	judge_scan(j->tree, n);
	judge_access(j->tree, n);
	judge_sort(j, n);
	for (size_t i = 0; i < j->tree->lookup_count; i++)
		if (j->tree->lookups[i].node == n)
			judge_lookup(j->tree, &j->tree->lookups[i]);
	j->after_group = j->after_group || makes_new_documents(n->stage);
}

void plan_findings(struct plan_tree *t)
{
	struct judging j = { .tree = t };
	struct bytes text = BYTES_INIT;

	if (t->failed) {
		bytes_append_text(&text, "the run failed: the figures end where it did");
		add(t, FINDING_FAILED, t->root, &text, "");
	}
	if (t->incomplete) {
		bytes_append_text(&text, "the text was cut off, or something was left out of it: what is missing here was there");
		add(t, FINDING_INCOMPLETE, NULL, &text, "the whole reply");
	}
	judge_node(&j, t->root);
	if (t->verbosity == PLAN_QUERY_PLANNER) {
		bytes_append_text(&text, "planned, not run: nothing was counted");
		add(t, FINDING_NOT_RUN, NULL, &text, "explain with executionStats");
	}
}

void plan_verdict(const struct plan_tree *t, struct bytes *out)
{
	char docs[32], returned[32];
	struct figure examined = t->total.docs;
	const char *marks = examined.at_least ? "at least " : "";

	if (t->finding_count)
		return;
	if (!figure_known(examined) || !figure_known(t->returned))
		bytes_append_text(out, "nothing to remark");
	else
		bytes_format(out, "examined %s%s, returned %s: nothing to remark", marks, count(examined, docs),
		             count(t->returned, returned));
}
