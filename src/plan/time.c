/* Own times: what a stage spent without those below it. */
#include <string.h>

#include "plan/tree_private.h"

/* The children whose time is inside the node's: of a $lookup the stage before it only, what it runs itself is its own. */
static size_t inputs_of(const struct plan_node *n)
{
	return n->work_elsewhere ? (n->has_input ? 1 : 0) : n->child_count;
}

/* Its pipelines take turns at one input: which of them the input's time is in is not said. */
static bool shares_its_input(const struct plan_node *n)
{
	return !strcmp(n->stage, "$facet");
}

static struct figure own(const struct plan_node *n, struct figure (*time)(const struct plan_node *n))
{
	struct figure all = time(n), below = figure_measured(0), slowest = figure_measured(0);
	bool overlap;

	if (!figure_known(all) || shares_its_input(n))
		return figure_unknown();
	overlap = plan_node_joins_shards(n);
	for (size_t i = 0; i < inputs_of(n); i++) {
		struct figure f = time(n->children[i]);

		if (!figure_known(f))
			return figure_unknown();
		if (!overlap)
			below.value += f.value;
		else if (f.value > slowest.value)
			slowest = f;
	}
	if (all.value < below.value + slowest.value)
		return figure_unknown();
	return figure_measured(all.value - below.value - slowest.value);
}

static struct figure millis_of(const struct plan_node *n)
{
	return n->millis;
}

static struct figure micros_of(const struct plan_node *n)
{
	return n->micros;
}

void plan_own_times(struct plan_node *n)
{
	n->own_millis = own(n, millis_of);
	n->own_micros = own(n, micros_of);
	for (size_t i = 0; i < n->child_count; i++)
		plan_own_times(n->children[i]);
}

double plan_own_share(const struct plan_tree *t, const struct plan_node *n)
{
	if (figure_known(n->own_micros) && figure_known(t->root->micros) && t->root->micros.value > 0)
		return (double)n->own_micros.value / (double)t->root->micros.value;
	if (figure_known(n->own_millis) && figure_known(t->root->millis) && t->root->millis.value > 0)
		return (double)n->own_millis.value / (double)t->root->millis.value;
	return -1;
}
