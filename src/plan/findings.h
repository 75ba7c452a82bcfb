/* Remarks on a plan: plan_tree_read makes them. */
#ifndef BSONSCOPE_PLAN_FINDINGS_H
#define BSONSCOPE_PLAN_FINDINGS_H

#include "plan/tree.h"

/* Codes of struct plan_finding. */
#define FINDING_COLLECTION_SCAN "collection-scan" /* a COLLSCAN that drops documents by its filter */
#define FINDING_UNUSED "index-not-used"           /* why no index serves what a collection scan asks for */
#define FINDING_EXAMINED "examined-far-more"      /* ten times as many documents examined as leave the access stage */
#define FINDING_KEYS "keys-far-more"              /* the same of index keys */
#define FINDING_REGEX "regex-reads-index"         /* a regular expression without a prefix: all strings of an index */
#define FINDING_COLLATION "index-collation"       /* the index's collation is not the command's: its bounds are open */
#define FINDING_COVERED "fetch-almost-covered"    /* the key holds all but one of the fields asked for */
#define FINDING_SORT "sort-in-memory"
#define FINDING_SPILL "sort-spilled"
#define FINDING_STAGE_SPILL "stage-spilled"       /* any other stage */
#define FINDING_LOOKUP_SCAN "lookup-collection-scan"
#define FINDING_LOOKUP_EMPTY "lookup-found-nothing" /* several documents came in, none was found */
#define FINDING_LOOKUP_UNCOUNTED "lookup-not-counted" /* the reply does not say what the join examined */
#define FINDING_SHARDS "scatter-gather"           /* several shards were asked for a filter */
#define FINDING_NARROW "narrow-choice"            /* another plan did as well in the trial */
#define FINDING_STALE "stale-plan"                /* a cached plan that needs far more than when it was chosen */
#define FINDING_REPLANNED "replanned"             /* the cached plan was given up */
#define FINDING_INDEX_FILTER "index-filter"       /* the planner was told which indexes to take */
#define FINDING_FAILED "run-failed"
#define FINDING_INCOMPLETE "incomplete"           /* the text was cut off */
#define FINDING_NOT_RUN "not-run"                 /* no executionStats */

/* "examined 5, returned 5: nothing to remark"; appends nothing when there are findings. */
void plan_verdict(const struct plan_tree *t, struct bytes *out);

#endif
