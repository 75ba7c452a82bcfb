/* Remarks on a plan: plan_tree_read makes them. */
#ifndef BSONSCOPE_PLAN_FINDINGS_H
#define BSONSCOPE_PLAN_FINDINGS_H

#include "plan/tree.h"

/* Codes of struct plan_finding. */
#define FINDING_COLLECTION_SCAN "collection-scan" /* a COLLSCAN that drops documents by its filter */
#define FINDING_EXAMINED "examined-far-more"      /* ten times as many documents examined as leave the access stage */
#define FINDING_KEYS "keys-far-more"              /* the same of index keys */
#define FINDING_SORT "sort-in-memory"
#define FINDING_SPILL "sort-spilled"
#define FINDING_LOOKUP_SCAN "lookup-collection-scan"
#define FINDING_FAILED "run-failed"
#define FINDING_INCOMPLETE "incomplete"           /* the text was cut off */
#define FINDING_NOT_RUN "not-run"                 /* no executionStats */

/* "examined 5, returned 5: nothing to remark"; appends nothing when there are findings. */
void plan_verdict(const struct plan_tree *t, struct bytes *out);

#endif
