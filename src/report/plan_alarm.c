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

static bool has_any(const struct plan_tree *t)
{
	return t->finding_count > 0;
}

static const char *const scan[] = { NULL };
static const char *const sort[] = { FINDING_SORT, FINDING_SPILL, NULL };
static const char *const spill[] = { FINDING_SPILL, FINDING_STAGE_SPILL, NULL };
static const char *const lookup[] = { FINDING_LOOKUP_SCAN, FINDING_LOOKUP_EMPTY, NULL };
static const char *const examined[] = { FINDING_EXAMINED, FINDING_KEYS, FINDING_REGEX, NULL };
static const char *const fetch[] = { FINDING_COVERED, NULL };
static const char *const unused[] = { FINDING_UNUSED, FINDING_COLLATION, FINDING_REGEX, NULL };
static const char *const scatter[] = { FINDING_SHARDS, NULL };
static const char *const choice[] = { FINDING_NARROW, FINDING_INDEX_FILTER, NULL };
static const char *const cache[] = { FINDING_STALE, FINDING_REPLANNED, NULL };
static const char *const failed[] = { FINDING_FAILED, FINDING_INCOMPLETE, NULL };
static const char *const not_run[] = { FINDING_NOT_RUN, NULL };

/* What a name stands for: findings of these codes, and what more a function looks for. */
static const struct alarm {
	const char *name, *const *codes;
	bool (*is)(const struct plan_tree *t);
} alarms[] = {
	{ "scan", scan, has_scan },  { "sort", sort, NULL },     { "spill", spill, NULL },   { "lookup", lookup, NULL },
	{ "examined", examined, NULL }, { "fetch", fetch, NULL },   { "index", unused, NULL },  { "scatter", scatter, NULL },
	{ "choice", choice, NULL },  { "cache", cache, NULL },   { "failed", failed, NULL }, { "not-run", not_run, NULL },
	{ "any", scan, has_any },
};

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

static bool rings(const struct alarm *a, const struct plan_tree *t)
{
	if (a->is && a->is(t))
		return true;
	for (const char *const *code = a->codes; *code; code++)
		if (has_finding(t, *code))
			return true;
	return false;
}

bool plan_report_alarm(const struct plan_tree *t, const char *names)
{
	while (names && *names) {
		size_t size = strcspn(names, ",");
		const struct alarm *a = find(names, size);

		if (a && rings(a, t))
			return true;
		names += size + (names[size] == ',');
	}
	return false;
}
