/* A job that reads one document of a collection. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document.h"
#include "ui/jobs_private.h"

struct document_job {
	struct job job;
	struct subject subject;
	char *collection;
	struct bytes id; /* as in the wish: a value's payload and its type */
	uint8_t id_type;
	int64_t size_bytes, skipped;
};

static void free_job(struct job *j)
{
	struct document_job *c = (struct document_job *)j;

	free(c->collection);
	bytes_clear(&c->id);
	free(c);
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

static void free_document(struct snapshot *s)
{
	struct document_snapshot *d = (struct document_snapshot *)s;

	document_tree_destroy(d->tree);
	free(d);
}

static bool read_document(struct document_job *c, struct document_snapshot *found, bson_error_t *error)
{
	struct document_wish wish = { .collection = c->collection, .key = model_key(lab_model(c->subject.lab), c->collection),
		                      .size_bytes = c->size_bytes, .skipped = c->skipped };
	struct bytes document = BYTES_INIT;
	struct source *source;
	bool good;

	wish.id = (struct value){ c->id.data, (uint32_t)c->id.size, c->id_type };
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
	struct document_job *c = (struct document_job *)j;
	struct document_snapshot *found = job_outcome_new(&c->subject, sizeof *found, free_document);

	found->outcome.failed = !read_document(c, found, &found->outcome.error);
	worker_deliver(j, &found->outcome.snapshot);
}

struct job *job_document(const struct subject *s, const struct document_wish *wish)
{
	struct document_job *d = memory_allocate_zeroed(1, sizeof *d);

	d->job.run = run_document;
	d->job.free = free_job;
	d->subject = *s;
	d->collection = memory_duplicate_text(wish->collection);
	bytes_append(&d->id, wish->id.bytes, wish->id.size_bytes);
	d->id_type = wish->id.type;
	d->size_bytes = wish->size_bytes;
	d->skipped = wish->skipped;
	return &d->job;
}
