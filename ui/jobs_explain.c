/* Jobs of the Explain pane: plans of commands, and indexes tried in the lab. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/jobs_private.h"

struct explain_job {
	struct job job;
	struct subject subject;
	struct explain_wish wish;
};

struct index_job {
	struct job job;
	struct subject subject;
	char *collection, *name;
	struct bytes specification;
	bool drops;
};

void plan_page_make(struct plan_page *p, const struct plan_tree *tree)
{
	p->tree = tree;
	if (tree)
		folded_text_make(&p->raw, &tree->reply);
}

void plan_page_clear(struct plan_page *p)
{
	if (p->tree)
		folded_text_clear(&p->raw);
}

static void free_explain_job(struct job *j)
{
	free(j);
}

static void free_explanation(struct snapshot *s)
{
	struct explain_snapshot *e = (struct explain_snapshot *)s;

	plan_page_clear(&e->page);
	explanation_destroy(e->explanation);
	free(e);
}

static void run_explain(struct job *j)
{
	struct explain_job *e = (struct explain_job *)j;
	const struct subject *s = &e->subject;
	struct explain_snapshot *found = job_outcome_new(s, sizeof *found, free_explanation);
	struct source *source;
	const char *db;

	found->wish = e->wish;
	found->outcome.failed = !job_make_ready(s, &j->interrupt, &source, &db, &found->outcome.error);
	if (!found->outcome.failed) {
		found->explanation = explanation_find(s->lab, s->relationship, s->shape,
		                                      &lab_model(s->lab)->operations[e->wish.operation], e->wish.command,
		                                      (struct explaining_wish){ e->wish.verbosity, e->wish.max_time_millis },
		                                      &j->interrupt);
		found->outcome.failed = found->explanation->failed;
		found->outcome.error = found->explanation->error;
		plan_page_make(&found->page, found->explanation->tree);
	}
	worker_deliver(j, &found->outcome.snapshot);
}

struct job *job_explain(const struct subject *s, const struct explain_wish *wish)
{
	struct explain_job *e = memory_allocate_zeroed(1, sizeof *e);

	e->job.run = run_explain;
	e->job.free = free_explain_job;
	e->subject = *s;
	e->wish = *wish;
	return &e->job;
}

static void free_index_job(struct job *j)
{
	struct index_job *i = (struct index_job *)j;

	free(i->collection);
	free(i->name);
	bytes_clear(&i->specification);
	free(i);
}

static void free_index_snapshot(struct snapshot *s)
{
	struct index_snapshot *i = (struct index_snapshot *)s;

	free(i->collection);
	free(i->name);
	free(i);
}

static void run_index(struct job *j)
{
	struct index_job *i = (struct index_job *)j;
	const struct subject *s = &i->subject;
	struct index_snapshot *found = job_outcome_new(s, sizeof *found, free_index_snapshot);
	struct value specification;

	found->drops = i->drops;
	found->collection = memory_duplicate_text(i->collection);
	found->name = memory_duplicate_text(i->name);
	found->outcome.failed = !value_document(&specification, i->specification.data, i->specification.size) ||
	                        !lab_try_index(s->lab, s->relationship, s->shape, i->collection, specification, i->drops,
	                                       &j->interrupt, &found->outcome.error);
	worker_deliver(j, &found->outcome.snapshot);
}

struct job *job_index(const struct subject *s, const struct index_offer *offer)
{
	struct index_job *i = memory_allocate_zeroed(1, sizeof *i);

	i->job.run = run_index;
	i->job.free = free_index_job;
	i->subject = *s;
	i->collection = memory_duplicate_text(offer->collection);
	i->name = memory_duplicate_text(offer->name);
	bytes_append(&i->specification, offer->specification.data, offer->specification.size);
	i->drops = offer->exists;
	return &i->job;
}
