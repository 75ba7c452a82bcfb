/* How documents are reached: all of them, too many of them, or by a key that nearly held what was asked for. */
#include <string.h>

#include "plan/findings_private.h"

enum { USEFUL_SHARE = 3 }; /* an index is worth it where at most one document of so many passes */

static const char *const scans[] = { "COLLSCAN", "BasicCursor", "ForwardCappedCursor", "ReverseCappedCursor" };

static void index_advice(const struct judging *j, struct bytes *advice)
{
	bytes_append_text(advice, "an index on what the filter asks for");
	if (j->index && !j->elsewhere)
		bytes_format(advice, ": %s", j->index);
}

/* Most of what is read passes: by an index the same documents would be read in a worse order. */
static bool mostly_passes(const struct plan_node *n)
{
	return figure_known(n->docs) && figure_known(n->returned) && n->returned.value > n->docs.value / USEFUL_SHARE;
}

static void judge_why(struct judging *j, const struct plan_node *n)
{
	const char *why = finding_why_unused(j, plan_get(n->source, "filter"));
	struct bytes text = BYTES_INIT;
	char docs[32];

	if (!why)
		return;
	bytes_append_text(&text, why);
	if (figure_known(n->docs))
		bytes_format(&text, ": %s documents examined", finding_count(n->docs, docs));
	finding_add(j, FINDING_UNUSED, n, &text, "", COST_NOTHING);
}

void judge_scan(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT, advice = BYTES_INIT;
	char docs[32], returned[32];
	bool counted = figure_known(n->docs) && figure_known(n->returned);

	/* one that hands on all that it read would gain nothing from an index */
	if (!STAGE_IS_ANY(n, scans) || plan_node_joins_shards(n) || (!n->filter && strcmp(n->stage, "BasicCursor")))
		return;
	if (counted ? n->docs.value - n->returned.value < (n->docs.value + 9) / 10 || !n->docs.value : !n->filter)
		return;
	if (counted)
		bytes_format(&text, "collection scan: examined %s, returned %s", finding_count(n->docs, docs),
		             finding_count(n->returned, returned));
	else
		bytes_append_text(&text, "collection scan with a filter");
	if (mostly_passes(n))
		bytes_append_text(&advice, "so much of it passes that an index would hardly help: ask for less");
	else
		index_advice(j, &advice);
	finding_add(j, FINDING_COLLECTION_SCAN, n, &text, bytes_text(&advice), mostly_passes(n) ? COST_NOTHING : COST_INDEX);
	bytes_clear(&advice);
	judge_why(j, n);
}

void judge_examined(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	char examined[32], returned[32];

	if (!finding_far_more(n->docs, n->returned) || n->work_elsewhere || STAGE_IS_ANY(n, scans) || plan_node_joins_shards(n))
		return;
	bytes_format(&text, "examined %s documents for %s that pass", finding_count(n->docs, examined),
	             finding_count(n->returned, returned));
	finding_add(j, FINDING_EXAMINED, n, &text, "an index that holds the fields of this stage's filter too", COST_INDEX);
}

/* Keys of places and words are not asked for by equality. */
static bool is_plain_key(struct value pattern)
{
	struct walk w;
	struct field f;

	if (!value_is_document(pattern))
		return true;
	for (walk_begin(&w, pattern); walk_next(&w, &f);)
		if (!value_is_number(f.value))
			return false;
	return true;
}

void judge_keys(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	char examined[32], returned[32];

	if (finding_far_more(n->docs, n->returned) || !finding_far_more(n->keys, n->returned) || n->work_elsewhere ||
	    STAGE_IS_ANY(n, scans) || plan_node_joins_shards(n))
		return;
	if (!is_plain_key(plan_get(n->source, "keyPattern")) || finding_reads_all_strings(n))
		return;
	bytes_format(&text, "examined %s keys for %s that pass", finding_count(n->keys, examined),
	             finding_count(n->returned, returned));
	finding_add(j, FINDING_KEYS, n, &text, "an index whose first fields are asked for by equality", COST_INDEX);
}
