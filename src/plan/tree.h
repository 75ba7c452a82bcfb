/*
 * Any explain reply as one tree of stages with figures. Nothing is invented: what the reply does not say is unknown,
 * and a sum of which a part is unknown is "at least".
 *
 * What a reply may look like is data: tables in tree.c name the fields that hold stages and the fields that hold
 * figures.
 */
#ifndef BSONSCOPE_PLAN_TREE_H
#define BSONSCOPE_PLAN_TREE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/figure.h"
#include "bson/value.h"

/* What the reply was asked for, as it shows. */
#define PLAN_VERBOSITIES(X)                                                                                            \
	X(QUERY_PLANNER, "queryPlanner")                                                                               \
	X(EXECUTION_STATS, "executionStats")                                                                           \
	X(ALL_PLANS, "allPlansExecution")

enum plan_verbosity {
#define X(name, text) PLAN_##name,
	PLAN_VERBOSITIES(X)
#undef X
		PLAN_VERBOSITY_COUNT
};

const char *plan_verbosity_text(enum plan_verbosity v);
bool plan_verbosity_from_text(const char *text, enum plan_verbosity *v);

struct plan_node {
	char *stage;         /* as the server calls it: "IXSCAN", "$lookup" */
	char *index;         /* its index's name; of a $lookup those that it used; null: none said */
	char *bounds;        /* "kitap: [\"K-1\", \"K-1\"]"; null: none */
	char *filter;        /* what is checked here, as mongosh shows it; null: nothing */
	char *detail;        /* what else tells the stage: a sort's pattern, "from order_items"; null: nothing */
	char *shard;         /* null: none named */
	char *label;         /* the field of a $facet whose pipeline ends here; null: none */
	bool has_input;      /* of a pipeline: its first child is the stage before it */
	bool work_elsewhere; /* a $lookup: its docs and keys are of another collection and not part of the outer work */

	struct figure docs, keys, returned, works;
	struct figure bytes;          /* sizes of the documents examined: known when one stage alone examined them */
	struct figure millis, micros; /* the stage with all below it; micros only where the server measured so finely */
	struct figure own_millis, own_micros; /* without what stands below it: plan_own_share */
	struct figure memory_bytes;   /* of a sort, group or window: the most that it held; "at least" where only a part is said */
	struct figure collection_scans; /* of a $lookup */
	struct figure would_modify;     /* of a write */
	bool spilled; /* to disk, where the reply says how often and how much: */
	struct figure spills, spilled_records, spilled_bytes, spilled_disk_bytes;

	struct value source; /* the stage's own document, inside the tree's reply */
	struct plan_node **children;
	size_t child_count;
};

/* The work of one $lookup, or of a join that the planner made of one, inside the collection that it joins. */
struct plan_lookup {
	char *from; /* empty: not said */
	char *as, *strategy; /* null: not said */
	bool counted;        /* its work is part of the outer work already */
	const struct plan_node *node;
	struct figure keys, docs, collection_scans;
	char **indexes; /* those that it used */
	size_t index_count;
	bool indexes_known;
};

struct plan_work {
	struct figure keys, docs;
};

/* What the planner said of one query of the reply: of the reply itself, of a $cursor, of a shard. */
struct plan_choice {
	struct value planner; /* {winningPlan, rejectedPlans, …} */
	struct value trials;  /* an array: how each plan did in the trial; missing: not said */
	const struct plan_node *node; /* the plan that won; null: another's part of it */
};

struct plan_finding {
	const char *code;                /* "collection-scan": findings.h */
	char *stage, *evidence, *advice; /* "COLLSCAN"; the numbers that prove it; what to try (may be empty) */
	char *cost;                      /* what the advice costs to keep; empty: nothing, or there is no advice */
	const struct plan_node *node;    /* null: the plan as a whole */
};

struct plan_tree {
	struct bytes reply;    /* what was read; the values below point into it */
	const char *root_form; /* "queryPlanner", "stages", "shards", "winningPlan", "stage", "legacy" */
	bool legacy;           /* from before 3.0 */
	char *server_version;  /* null: not said */
	const char *engine;    /* "classic", "sbe"; null: not said */
	char *namespace_text;  /* "library.kopya"; null: not said */
	enum plan_verbosity verbosity;
	bool sharded;
	bool incomplete; /* the text that it was read from was cut off, or something was left out of it */
	bool failed; /* the run ended early: figures are what was counted until then */

	struct figure returned; /* by the last stage */
	struct figure millis;
	struct figure bytes; /* read by all stages but the $lookups' inner work */
	struct plan_work outer, total; /* what the reply says of the whole; with what was joined and sent to shards */
	struct plan_lookup *lookups; /* in the order of the pipeline */
	size_t lookup_count;
	size_t rejected_count;     /* plans that lost, of all shards together */
	struct plan_choice *choices;
	size_t choice_count;
	struct value parsed_query; /* of the first planner; missing: not said */
	struct value command;      /* what was explained; missing: not said */

	struct plan_node *root; /* the last stage of all; its input below it */
	struct plan_finding *findings;
	size_t finding_count;
};

/*
 * Takes a copy of the reply. Null: it holds no plan (ERROR_INPUT, or ERROR_SERVER with the reply's own code when it is
 * a refusal). At most 250 levels deep.
 */
struct plan_tree *plan_tree_read(struct value reply, bson_error_t *error);

/* The same; the reply's bytes are the tree's from now on. Of an incomplete one something is missing. */
struct plan_tree *plan_tree_take(struct bytes *reply, bool incomplete, bson_error_t *error);
void plan_tree_destroy(struct plan_tree *t);

/* How much it says; of a reply from before 3.0 "verbose" or "legacy". */
const char *plan_tree_verbosity(const struct plan_tree *t);

/* Calls `visit` with every node, a node before its children, and how deep it stands. */
void plan_tree_walk(const struct plan_tree *t, void (*visit)(void *context, const struct plan_node *n, int depth),
                    void *context);

/*
 * The share of the last stage's time that a stage spent itself, from 0 to 1; negative: not known. Times are the server's,
 * often in whole milliseconds: the own time is the difference of two of those, and unknown where it would be below zero.
 * Shards work at the same time: of what joins them the slowest counts.
 */
double plan_own_share(const struct plan_tree *t, const struct plan_node *n);

/* The collection that a namespace "db.collection" names; "" when there is none. Borrowed from the tree. */
const char *plan_tree_collection(const struct plan_tree *t);

#endif
