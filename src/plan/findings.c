/*
 * What is worth a remark, each with the node and the numbers that prove it. Examined is held against what leaves the
 * access stage, not against the command's last result: a group returns few documents of many, and rightly. The judges
 * stand in files of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/findings_private.h"
#include "plan/wish.h"

enum { FAR_MORE = 10 }; /* times as many examined as left the stage */

static void (*const stage_judges[])(struct judging *j, const struct plan_node *n) = {
	judge_scan, judge_examined, judge_keys,  judge_regex,  judge_collation,
	judge_sort, judge_spill,    judge_covered, judge_shards, judge_cached,
};

static void (*const lookup_judges[])(struct judging *j, const struct plan_lookup *l) = {
	judge_lookup_scan,
	judge_lookup_empty,
	judge_lookup_uncounted,
};

const char *finding_count(struct figure f, char buffer[32])
{
	return figure_format_count(f.value, buffer, 32);
}

bool finding_far_more(struct figure examined, struct figure returned)
{
	return figure_known(examined) && figure_known(returned) &&
	       examined.value >= FAR_MORE * (returned.value > 0 ? returned.value : 1);
}

bool finding_stage_is_any(const struct plan_node *n, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(n->stage, names[i]))
			return true;
	return false;
}

void finding_add(struct judging *j, const char *code, const struct plan_node *n, struct bytes *evidence,
                 const char *advice, const char *cost)
{
	struct plan_tree *t = j->tree;

	t->findings = memory_room(t->findings, t->finding_count, sizeof *t->findings);
	t->findings[t->finding_count++] = (struct plan_finding){ .code = code,
		                                                 .stage = memory_duplicate_text(n ? n->stage : ""),
		                                                 .evidence = bytes_take_text(evidence),
		                                                 .advice = memory_duplicate_text(advice),
		                                                 .cost = memory_duplicate_text(cost),
		                                                 .node = n };
}

static bool makes_new_documents(const struct plan_node *n)
{
	static const char *const stages[] = { "$group",       "$unwind", "$lookup",    "$bucket", "$bucketAuto",
		                              "$sortByCount", "$facet",  "$unionWith", "GROUP",   "$graphLookup",
		                              "UNWIND",       "WINDOW",  "$_internalSetWindowFields" };

	return n->work_elsewhere || STAGE_IS_ANY(n, stages);
}

/* From the first stage to the last. */
static void judge_node(struct judging *j, const struct plan_node *n)
{
	bool elsewhere = j->elsewhere, joins = !strcmp(n->stage, "$unionWith") || strstr(n->stage, "JOIN_EMBEDDING");

	for (size_t i = 0; i < n->child_count; i++) {
		bool input = n->has_input && i == 0, after_group = j->after_group;

		j->elsewhere = elsewhere || (joins && !input);
		judge_node(j, n->children[i]);
		j->after_group = input || n->child_count == 1 ? j->after_group : after_group; /* branches are apart */
	}
	j->elsewhere = elsewhere;
	for (size_t i = 0; i < sizeof stage_judges / sizeof *stage_judges; i++)
		stage_judges[i](j, n);
	for (size_t i = 0; i < j->tree->lookup_count; i++)
		for (size_t k = 0; j->tree->lookups[i].node == n && k < sizeof lookup_judges / sizeof *lookup_judges; k++)
			lookup_judges[k](j, &j->tree->lookups[i]);
	j->after_group = j->after_group || makes_new_documents(n);
}

/* What the reply is worth as a whole. */
static void judge_reply(struct judging *j)
{
	struct plan_tree *t = j->tree;
	struct bytes text = BYTES_INIT;

	if (t->failed) {
		bytes_append_text(&text, "the run failed: the figures end where it did");
		finding_add(j, FINDING_FAILED, t->root, &text, "", COST_NOTHING);
	}
	if (t->incomplete) {
		bytes_append_text(&text, "the text was cut off, or something was left out of it: what is missing here was there");
		finding_add(j, FINDING_INCOMPLETE, NULL, &text, "the whole reply", COST_NOTHING);
	}
}

static void judge_verbosity(struct judging *j)
{
	struct bytes text = BYTES_INIT;

	if (j->tree->verbosity != PLAN_QUERY_PLANNER || j->tree->incomplete)
		return;
	bytes_append_text(&text, "planned, not run: nothing was counted");
	finding_add(j, FINDING_NOT_RUN, NULL, &text, "explain with executionStats", "it runs the command once");
}

/* The index that the command on the tree's own collection would want; of an $or one for each branch. */
static char *wished_index(const struct plan_tree *t)
{
	struct bytes text = BYTES_INIT;
	struct plan_wishes w;
	struct value key;

	plan_wishes_find(t, &w);
	for (size_t i = 0; i < w.count && (!text.size || w.wishes[i].branch); i++)
		if (!strcmp(w.wishes[i].collection, plan_tree_collection(t)) &&
		    value_document(&key, w.wishes[i].key.data, w.wishes[i].key.size)) {
			if (text.size)
				bytes_append_text(&text, " and ");
			print_line(&text, key, PRINT_SHELL);
		}
	plan_wishes_clear(&w);
	return text.size ? bytes_take_text(&text) : NULL;
}

void plan_findings(struct plan_tree *t)
{
	struct judging j = { .tree = t, .index = wished_index(t) };

	judge_reply(&j);
	judge_node(&j, t->root);
	for (size_t i = 0; i < t->choice_count; i++)
		judge_choice(&j, &t->choices[i]);
	judge_verbosity(&j);
	free(j.index);
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
		bytes_format(out, "examined %s%s, returned %s: nothing to remark", marks, finding_count(examined, docs),
		             finding_count(t->returned, returned));
}
