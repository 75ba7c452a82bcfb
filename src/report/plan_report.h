/* How a plan tree is reported. Private to the reports. */
#ifndef BSONSCOPE_REPORT_PLAN_REPORT_H
#define BSONSCOPE_REPORT_PLAN_REPORT_H

#include "base/bytes.h"
#include "plan/tree.h"

void plan_report_json(struct bytes *out, const struct plan_tree *t);

/* `command`: what was explained; missing for a reply that somebody kept. */
void plan_report_text(struct bytes *out, const struct plan_tree *t, struct value command, bool ascii);

/* Two plans side by side, with what differs marked and a line of sums. */
void plan_report_diff(struct bytes *out, const struct plan_tree *a, const struct plan_tree *b, bool ascii);
void plan_report_diff_json(struct bytes *out, const struct plan_tree *a, const struct plan_tree *b);

/* What --fail-on may name. */
#define PLAN_ALARMS "scan, sort, spill, lookup, examined, fetch, index, scatter, choice, cache, failed, not-run, any"

/* Whether all names of a list "scan,sort" are known. */
bool plan_report_alarms_known(const char *names);

/* Whether the plan has what the list names; null names nothing. */
bool plan_report_alarm(const struct plan_tree *t, const char *names);

#endif
