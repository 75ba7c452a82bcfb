/* --fail-on: what of a plan is an error to whoever asked. */
#include <string.h>

#include "plan/findings.h"
#include "report/plan_report.h"

static bool has_finding(const struct plan_tree *t, const char *code)
{
	for (size_t i = 0; i < t->finding_count; i++)
		if (!strcmp(t->findings[i].code, code))
			return true;
	return false;
}

static void find_scan(void *context, const struct plan_node *n, int depth)
{
	bool *found = context;

	(void)depth;
	*found = *found || !strcmp(n->stage, "COLLSCAN") || !strcmp(n->stage, "BasicCursor") ||
	         (figure_known(n->collection_scans) && n->collection_scans.value > 0);
}

/* Any collection scan: a finding says only which of them an index would help. */
static bool has_scan(const struct plan_tree *t)
{
	bool found = false;

	plan_tree_walk(t, find_scan, &found);
	return found;
}

static bool has_sort(const struct plan_tree *t)
{
	return has_finding(t, FINDING_SORT) || has_finding(t, FINDING_SPILL);
}

static bool has_spill(const struct plan_tree *t)
{
	return has_finding(t, FINDING_SPILL);
}

static bool has_lookup_scan(const struct plan_tree *t)
{
	return has_finding(t, FINDING_LOOKUP_SCAN);
}

static bool has_far_more(const struct plan_tree *t)
{
	return has_finding(t, FINDING_EXAMINED) || has_finding(t, FINDING_KEYS);
}

static bool has_any(const struct plan_tree *t)
{
	return t->finding_count > 0;
}

static const struct alarm {
	const char *name;
	bool (*is)(const struct plan_tree *t);
} alarms[] = {
	{ "scan", has_scan },         { "sort", has_sort },         { "spill", has_spill },
	{ "lookup", has_lookup_scan }, { "examined", has_far_more }, { "any", has_any },
};

const char *plan_report_alarms(void)
{
	return "scan, sort, spill, lookup, examined, any";
}

static const struct alarm *find(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
		if (strlen(alarms[i].name) == size && !memcmp(alarms[i].name, name, size))
			return &alarms[i];
	return NULL;
}

bool plan_report_alarms_known(const char *names)
{
	for (;;) {
		size_t size = strcspn(names, ",");

		if (!find(names, size))
			return false;
		if (!names[size])
			return true;
		names += size + 1;
	}
}

bool plan_report_alarm(const struct plan_tree *t, const char *names)
{
	while (names && *names) {
		size_t size = strcspn(names, ",");
		const struct alarm *a = find(names, size);

		if (a && a->is(t))
			return true;
		names += size + (names[size] == ',');
	}
	return false;
}
