/* Jobs that find out where bytes are: in a collection, or in one document. */
#include <stdlib.h>

#include "base/memory.h"
#include "ui/jobs_private.h"

struct paths_job {
	struct job job;
	struct subject subject;
	char *collection;
	bool first;
	int64_t sample;
	struct document_snapshot *document; /* null: of the collection */
};

static void free_job(struct job *j)
{
	struct paths_job *p = (struct paths_job *)j;

	snapshot_release(p->document);
	free(p->collection);
	free(p);
}

static void free_paths(struct snapshot *s)
{
	struct paths_snapshot *p = (struct paths_snapshot *)s;

	paths_destroy(p->paths);
	fields_destroy(p->fields);
	free(p->collection);
	free(p);
}

static struct paths_snapshot *snapshot_new(const struct paths_job *j)
{
	struct paths_snapshot *found = job_outcome_new(&j->subject, sizeof *found, free_paths);

	found->collection = memory_duplicate_text(j->collection);
	return found;
}

static void deliver(struct paths_job *j, struct paths_snapshot *found, struct paths *paths)
{
	found->paths = paths;
	found->fields = paths ? fields_of_paths(paths) : NULL;
	found->outcome.failed = !paths;
	worker_deliver(&j->job, &found->outcome.snapshot);
}

static void deliver_partial(void *context, struct paths *so_far)
{
	deliver(context, snapshot_new(context), so_far);
}

static struct job *job_new(const struct subject *s, void (*run)(struct job *), const struct paths_job *like)
{
	struct paths_job *j = memory_allocate_zeroed(1, sizeof *j);

	*j = *like;
	j->job.run = run;
	j->job.free = free_job;
	j->subject = *s;
	j->collection = memory_duplicate_text(like->collection);
	return &j->job;
}

static void run_collection(struct job *job)
{
	struct paths_job *j = (struct paths_job *)job;
	struct paths_snapshot *found = snapshot_new(j);
	struct paths_wish wish = { .collection = j->collection, .sample = j->sample, .first = j->first ? FIELDS_FIRST : 0,
		                   .key = model_key(lab_model(j->subject.lab), j->collection),
		                   .report = deliver_partial, .context = j };
	struct paths *paths = NULL;
	struct source *source;

	if (job_collection_source(&j->subject, j->collection, &job->interrupt, &source, &wish.db, &found->outcome.error))
		paths = paths_measure(source, &wish, &job->interrupt, &found->outcome.error);
	deliver(j, found, paths);
}

struct job *job_paths(const struct subject *s, const char *collection, bool first, int64_t sample)
{
	struct paths_job like = { .collection = (char *)collection, .first = first, .sample = sample };

	return job_new(s, run_collection, &like);
}

static void run_document(struct job *job)
{
	struct paths_job *j = (struct paths_job *)job;
	struct paths_snapshot *found = snapshot_new(j);
	struct paths_wish wish = { .db = lab_model(j->subject.lab)->database, .collection = j->collection,
		                   .key = model_key(lab_model(j->subject.lab), j->collection) };

	deliver(j, found, paths_of_document(&wish, document_tree_value(j->document->tree, 0)));
}

struct job *job_document_paths(const struct subject *s, const char *collection, struct document_snapshot *document)
{
	struct paths_job like = { .collection = (char *)collection, .document = snapshot_hold(document) };

	return job_new(s, run_document, &like);
}
