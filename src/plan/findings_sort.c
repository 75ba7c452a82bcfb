/* What is put in order in memory, and what did not fit there. */
#include <string.h>

#include "plan/findings_private.h"

static bool is_sort(const struct plan_node *n)
{
	static const char *const sorts[] = { "SORT", "$sort" };

	return STAGE_IS_ANY(n, sorts) || value_is_true(plan_get(n->source, "scanAndOrder"));
}

/* How many documents came in: a $cursor of some releases has no number, but the plan below it has one. */
static struct figure came_in(const struct plan_node *n)
{
	const struct plan_node *input = n->child_count ? n->children[0] : NULL;

	while (input && !figure_known(input->returned) && !strcmp(input->stage, "$cursor") && input->child_count)
		input = input->children[0];
	return input ? input->returned : figure_unknown();
}

static void append_spills(struct bytes *text, const struct plan_node *n)
{
	const struct {
		struct figure figure;
		const char *what;
	} parts[] = { { n->spills, "times" },
		      { n->spilled_records, "records" },
		      { n->spilled_bytes, "bytes" },
		      { n->spilled_disk_bytes, "bytes on disk" } };
	char number[32];

	bytes_append_text(text, "spilled to disk");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (figure_known(parts[i].figure) && parts[i].figure.value > 0)
			bytes_format(text, ", %s %s", finding_count(parts[i].figure, number), parts[i].what);
}

void judge_sort(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT, advice = BYTES_INIT;
	struct figure input = came_in(n);
	char number[32];

	if (!is_sort(n) || j->after_group)
		return;
	if (figure_known(input) ? input.value < 2 : figure_known(n->returned) && n->returned.value < 2)
		return; /* nothing was put in order */
	bytes_append_text(&text, "sort in memory");
	if (figure_known(input))
		bytes_format(&text, ": %s documents", finding_count(input, number));
	if (figure_known(n->memory_bytes) && n->memory_bytes.value > 0)
		bytes_format(&text, ", %s bytes", finding_count(n->memory_bytes, number));
	if (n->spilled) {
		bytes_append_text(&text, ", ");
		append_spills(&text, n);
	}
	bytes_append_text(&advice, "an index with the sort's fields behind those asked for by equality");
	if (j->index && !j->elsewhere)
		bytes_format(&advice, ": %s", j->index);
	finding_add(j, n->spilled ? FINDING_SPILL : FINDING_SORT, n, &text, bytes_text(&advice), COST_INDEX);
	bytes_clear(&advice);
}

void judge_spill(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;

	if (!n->spilled || (is_sort(n) && !j->after_group))
		return;
	append_spills(&text, n);
	finding_add(j, FINDING_STAGE_SPILL, n, &text, "fewer or smaller documents before this stage",
	            "a $match or $project before it may change what the command answers");
}
