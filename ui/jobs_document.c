/* Jobs about one collection: which fields hold its bytes, and one of its documents. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document.h"
#include "ui/jobs_private.h"

struct collection_job {
	struct job job;
	struct subject subject;
	char *collection;
	bool first;
	struct bytes id; /* of a document: {"": key}, empty when it has none */
	int64_t size_bytes, skipped;
};

static void free_job(struct job *j)
{
	struct collection_job *c = (struct collection_job *)j;

	free(c->collection);
	bytes_clear(&c->id);
	free(c);
}

static struct collection_job *job_new(const struct subject *s, void (*run)(struct job *), const char *collection)
{
	struct collection_job *c = memory_allocate_zeroed(1, sizeof *c);

	c->job.run = run;
	c->job.free = free_job;
	c->subject = *s;
	c->collection = memory_duplicate_text(collection);
	return c;
}

bool job_collection_source(const struct subject *s, const char *collection, const struct interrupt *i,
                           struct source **source, const char **db, bson_error_t *error)
{
	const char *names[2];
	size_t count = job_own_collections(s, s->shape, names);

	for (size_t n = 0; n < count; n++)
		if (!strcmp(names[n], collection))
			return job_make_ready(s, i, source, db, error);
	*source = lab_origin(s->lab);
	*db = lab_model(s->lab)->database;
	return true;
}

/* Fields */

static void free_fields(struct snapshot *s)
{
	struct fields_snapshot *f = (struct fields_snapshot *)s;

	fields_destroy(f->fields);
	free(f->collection);
	free(f);
}

static struct fields_snapshot *fields_snapshot_new(const struct collection_job *c)
{
	struct fields_snapshot *found = job_outcome_new(&c->subject, sizeof *found, free_fields);

	found->collection = memory_duplicate_text(c->collection);
	return found;
}

static void deliver_partial(void *context, struct fields *so_far)
{
	struct collection_job *c = context;
	struct fields_snapshot *found = fields_snapshot_new(c);

	found->fields = so_far;
	worker_deliver(&c->job, &found->outcome.snapshot);
}

static void run_fields(struct job *j)
{
	struct collection_job *c = (struct collection_job *)j;
	struct fields_snapshot *found = fields_snapshot_new(c);
	bson_error_t *error = &found->outcome.error;
	struct source *source;
	const char *db;

	if (job_collection_source(&c->subject, c->collection, &j->interrupt, &source, &db, error))
		found->fields = c->first ? fields_measure_first(source, db, c->collection, &j->interrupt, error)
		                         : fields_measure(source, db, c->collection, FIELDS_SAMPLE, deliver_partial, c, &j->interrupt, error);
	found->outcome.failed = !found->fields;
	worker_deliver(j, &found->outcome.snapshot);
}

struct job *job_fields(const struct subject *s, const char *collection, bool first)
{
	struct collection_job *c = job_new(s, run_fields, collection);

	c->first = first;
	return &c->job;
}

/* A document */

static void free_document(struct snapshot *s)
{
	struct document_snapshot *d = (struct document_snapshot *)s;

	document_tree_destroy(d->tree);
	free(d);
}

static bool read_document(struct collection_job *c, struct document_snapshot *found, bson_error_t *error)
{
	struct document_wish wish = { .collection = c->collection, .key = model_key(lab_model(c->subject.lab), c->collection),
		                      .size_bytes = c->size_bytes, .skipped = c->skipped };
	struct bytes document = BYTES_INIT;
	struct source *source;
	struct value wrapper;
	bool good;

	wish.id = value_document(&wrapper, c->id.data, c->id.size) ? value_get(wrapper, "") : value_missing();
	good = job_collection_source(&c->subject, c->collection, &c->job.interrupt, &source, &wish.db, error) &&
	       document_read(source, &wish, &document, &c->job.interrupt, error);
	if (good && document.size)
		found->tree = document_tree_new(&document);
	else if (good)
		good = error_set(error, ERROR_INPUT, 0, "the document is no longer there");
	bytes_clear(&document);
	return good;
}

static void run_document(struct job *j)
{
	struct collection_job *c = (struct collection_job *)j;
	struct document_snapshot *found = job_outcome_new(&c->subject, sizeof *found, free_document);

	found->outcome.failed = !read_document(c, found, &found->outcome.error);
	worker_deliver(j, &found->outcome.snapshot);
}

struct job *job_document(const struct subject *s, const struct sizes *sizes, size_t which)
{
	struct document_wish wish = document_of_largest(sizes, which, NULL);
	struct collection_job *c = job_new(s, run_document, sizes->collection);

	bytes_append(&c->id, sizes->largest[which].id.data, sizes->largest[which].id.size);
	c->size_bytes = wish.size_bytes;
	c->skipped = wish.skipped;
	return &c->job;
}
