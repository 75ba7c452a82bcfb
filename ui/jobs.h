/*
 * What the explorer has measured for it: the jobs of the worker and the snapshots that they deliver. All figures come
 * from the model.
 */
#ifndef BSONSCOPE_UI_JOBS_H
#define BSONSCOPE_UI_JOBS_H

#include "model/document.h"
#include "model/explanation.h"
#include "model/facts.h"
#include "model/fields.h"
#include "model/lab.h"
#include "model/sizes.h"
#include "model/workload.h"
#include "ui/command_log.h"
#include "ui/document_tree.h"
#include "ui/folded_text.h"
#include "ui/worker.h"

/* What every job knows; copied into it. The pointers outlive the worker. */
struct subject {
	struct lab *lab;
	const struct relationship *relationship;
	enum shape_kind shape;
	int64_t limit_bytes;      /* the lab's document limit, set before anything is measured */
	struct command_log *log;
};

/* The write counter of the relationship's collections; -1: not known, as over a server. */
int64_t job_origin_writes(const struct subject *s);

/* Every kind of snapshot says whether it failed, and why in one line. */
struct outcome {
	struct snapshot snapshot;
	enum shape_kind shape;
	uint64_t indexes_revision; /* of the shape when it was measured: see lab_indexes_revision */
	bool failed;
	bson_error_t error;
};

struct shape_snapshot {
	struct outcome outcome;
	struct shape_status status;
	size_t indexes_tried; /* in this shape */
};

struct row_snapshot {
	struct outcome outcome;
	struct workload_row *row;
};

/*
 * A collection of the database as it stands in a shape; `sizes` null: not measured yet, or not to be measured, and
 * why.
 */
struct collection_entry {
	char *name;
	int64_t id; /* the same for a name in all snapshots: given when it is accepted */
	struct sizes *sizes;
	bson_error_t error; /* without a message: none */
};

struct collections_snapshot {
	struct outcome outcome;
	struct collection_entry *entries;
	size_t count;
	bool partial; /* more is being found out */
};

struct facts_snapshot {
	struct outcome outcome;
	struct relationship_facts facts;
};

/* Both null: they could not be read. Delivered several times while they are counted. */
struct paths_snapshot {
	struct outcome outcome;
	char *collection;
	struct paths *paths;
	struct fields *fields; /* its top level */
};

struct document_snapshot {
	struct outcome outcome;
	struct document_tree *tree; /* null when it failed */
};

/* Which command of which row, and how much is asked about it. */
struct explain_wish {
	const struct relationship *relationship;
	enum shape_kind shape;
	size_t operation, command;
	enum plan_verbosity verbosity;
	int64_t max_time_millis; /* 0: the source's own limit */
};

/* A plan as the Explain pane looks at it; made on the worker. */
struct plan_page {
	const struct plan_tree *tree; /* the snapshot's; null: there is none */
	struct folded_text raw;       /* the reply; without a tree it has no lines */
};

struct explain_snapshot {
	struct outcome outcome;
	struct explain_wish wish;
	struct explanation *explanation; /* null when the outcome failed before */
	struct plan_page page;
};

/* Explain outputs from files, or one that was pasted; or that it is no plan but what a server wrote down of its operations. */
enum { OPENED_MOST = 2 };

struct opened_snapshot {
	struct outcome outcome;
	struct opened_plan {
		char *name; /* safe to print */
		struct plan_tree *tree;
		struct plan_page page;
	} plans[OPENED_MOST];
	size_t count;
	bool records; /* then there is nothing else */
};

/* An index that was added or dropped. */
struct index_snapshot {
	struct outcome outcome;
	bool drops;
	char *collection, *name;
};

/* Builds the shape when it is missing or stale, then reads its figures. */
struct job *job_shape(const struct subject *s);
struct job *job_row(const struct subject *s, const struct operation *o);
struct job *job_collections(const struct subject *s);
struct job *job_facts(const struct subject *s);

/* `first`: the collection is still being read, and what is there of it is looked at. `sample`: see paths_wish. */
struct job *job_paths(const struct subject *s, const char *collection, bool first, int64_t sample);

/* Of the document alone; holds the snapshot meanwhile. */
struct job *job_document_paths(const struct subject *s, const char *collection, struct document_snapshot *document);

/* Copies the wish, but for its database and key: those follow from the collection. */
struct job *job_document(const struct subject *s, const struct document_wish *wish);
struct job *job_explain(const struct subject *s, const struct explain_wish *wish);

/* Nothing of the data is touched: it may run beside other jobs. Copies the paths; one or two. */
struct job *job_open_files(const char *const *paths, size_t count);

/* Copies the text. */
struct job *job_open_text(const char *name, const struct bytes *text);

/* Copies the offer: what is there is dropped, what is not is added. */
struct job *job_index(const struct subject *s, const struct index_offer *offer);

#endif
