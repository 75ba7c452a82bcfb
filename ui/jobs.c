#include "ui/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/listing.h"
#include "ui/jobs_private.h"

struct measurement {
	struct job job;
	struct subject subject;
	const struct operation *operation;
};

static void free_measurement(struct job *j)
{
	free(j);
}

static struct job *measurement_new(const struct subject *s, void (*run)(struct job *), const struct operation *o)
{
	struct measurement *m = memory_allocate_zeroed(1, sizeof *m);

	m->job.run = run;
	m->job.free = free_measurement;
	m->subject = *s;
	m->operation = o;
	return &m->job;
}

int64_t job_origin_writes(const struct subject *s)
{
	struct source *origin = lab_origin(s->lab);
	struct figure sum = figure_measured(0);
	const char *names[2];
	size_t count = s->relationship ? relationship_collections(s->relationship, s->relationship->origin, names) : 0;

	if (!s->relationship)
		return -1;
	for (size_t i = 0; i < count; i++)
		sum = figure_add(sum, source_write_counter(origin, lab_model(s->lab)->database, names[i]));
	return figure_known(sum) ? sum.value : -1;
}

/* Before the snapshot is measured: a write that comes meanwhile makes it old, never the other way round. */
void *job_outcome_new(const struct subject *s, size_t size_bytes, void (*free_it)(struct snapshot *))
{
	struct outcome *o = memory_allocate_zeroed(1, size_bytes);

	snapshot_init(&o->snapshot, free_it);
	o->snapshot.origin_writes = job_origin_writes(s);
	o->shape = s->shape;
	if (s->relationship)
		o->indexes_revision = lab_indexes_revision(s->lab, s->relationship, s->shape);
	if (lab_limit_bytes(s->lab) != s->limit_bytes)
		lab_set_limit_bytes(s->lab, s->limit_bytes);
	return o;
}

/* Builds what is missing. The commands that the shape's source will be sent go to the log too. */
bool job_make_ready(const struct subject *s, const struct interrupt *i, struct source **source, const char **db, bson_error_t *error)
{
	if (!lab_build(s->lab, s->relationship, s->shape, i, error))
		return false;
	if (!lab_shape_source(s->lab, s->relationship, s->shape, source, db))
		return error_set(error, ERROR_INPUT, 0, "the shape is not built: \"%s\"", shape_name(s->shape));
	command_log_attach(s->log, *source);
	return true;
}

static void free_plain(struct snapshot *s)
{
	free(s);
}

static void run_shape(struct job *j)
{
	struct measurement *m = (struct measurement *)j;
	struct shape_snapshot *found = job_outcome_new(&m->subject, sizeof *found, free_plain);
	struct source *source;
	const char *db;

	found->outcome.failed = !job_make_ready(&m->subject, &j->interrupt, &source, &db, &found->outcome.error);
	found->status = lab_shape_status(m->subject.lab, m->subject.relationship, m->subject.shape,
	                                 &j->interrupt);
	found->indexes_tried = lab_indexes_tried(m->subject.lab, m->subject.relationship, m->subject.shape);
	worker_deliver(j, &found->outcome.snapshot);
}

static void free_row(struct snapshot *s)
{
	struct row_snapshot *r = (struct row_snapshot *)s;

	if (r->row)
		workload_row_destroy(r->row);
	free(r);
}

static void run_row(struct job *j)
{
	struct measurement *m = (struct measurement *)j;
	struct row_snapshot *found = job_outcome_new(&m->subject, sizeof *found, free_row);
	struct source *source;
	const char *db;

	if (job_make_ready(&m->subject, &j->interrupt, &source, &db, &found->outcome.error)) {
		found->row = workload_measure(m->subject.lab, m->subject.relationship, m->subject.shape, m->operation, &j->interrupt);
		found->outcome.failed = found->row->failed;
		found->outcome.error = found->row->error;
	} else {
		found->outcome.failed = true;
	}
	worker_deliver(j, &found->outcome.snapshot);
}

static void run_facts(struct job *j)
{
	struct measurement *m = (struct measurement *)j;
	struct facts_snapshot *found = job_outcome_new(&m->subject, sizeof *found, free_plain);

	found->outcome.failed = !relationship_facts(m->subject.lab, m->subject.relationship, &found->facts, &j->interrupt,
	                                            &found->outcome.error);
	worker_deliver(j, &found->outcome.snapshot);
}

static void free_collections(struct snapshot *s)
{
	struct collections_snapshot *c = (struct collections_snapshot *)s;

	for (size_t i = 0; i < c->count; i++) {
		free(c->entries[i].name);
		if (c->entries[i].sizes)
			sizes_destroy(c->entries[i].sizes);
	}
	free(c->entries);
	free(c);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void add_entry(struct collections_snapshot *c, const char *name)
{
	c->entries = memory_resize(c->entries, c->count + 1, sizeof *c->entries);
	c->entries[c->count++] = (struct collection_entry){ .name = memory_duplicate_text(name) };
}

/* The relationship's collections in a shape; a population has none that are built. */
size_t job_own_collections(const struct subject *s, enum shape_kind shape, const char *names[2])
{
	return !s->relationship || s->relationship->population ? 0 : relationship_collections(s->relationship, shape, names);
}

/* Names of the database in the shape: the origin's with the relationship's own replaced. */
struct listing {
	struct collections_snapshot *found;
	const char *of_origin[2], *of_shape[2];
	size_t origin_count, shape_count;
};

static bool add_listed(void *context, struct value collection, bson_error_t *error)
{
	const struct listing *l = context;
	const char *text = value_text(value_get(collection, "name")).bytes;
	/* the documents of a time series are there */
	bool hidden = !strncmp(text, "system.", 7) && strncmp(text, "system.buckets.", 15);

	(void)error;
	if (*text && !hidden && !is_one_of(text, l->of_origin, l->origin_count) &&
	    !is_one_of(text, l->of_shape, l->shape_count))
		add_entry(l->found, text);
	return true;
}

static bool list_collections(struct collections_snapshot *c, const struct subject *s, const struct interrupt *i,
                             bson_error_t *error)
{
	struct listing l = { .found = c };

	l.origin_count = s->relationship ? job_own_collections(s, s->relationship->origin, l.of_origin) : 0;
	l.shape_count = job_own_collections(s, s->shape, l.of_shape);
	for (size_t n = 0; n < l.shape_count; n++)
		add_entry(c, l.of_shape[n]);
	return listing_collections(lab_origin(s->lab), lab_model(s->lab)->database, NULL, add_listed, &l, i, error);
}

/* While the largest documents of a large collection are looked for. */
struct telling {
	struct measurement *measurement;
	const struct collections_snapshot *found;
	size_t current;
};

static void tell_collections(void *context, const struct sizes *so_far)
{
	const struct telling *t = context;
	struct collections_snapshot *partial = job_outcome_new(&t->measurement->subject, sizeof *partial, free_collections);

	partial->partial = true;
	for (size_t i = 0; i < t->found->count; i++) {
		const struct sizes *sizes = i == t->current ? so_far : t->found->entries[i].sizes;

		add_entry(partial, t->found->entries[i].name);
		partial->entries[i].sizes = sizes ? sizes_copy(sizes) : NULL;
	}
	worker_deliver(&t->measurement->job, &partial->outcome.snapshot);
}

static void run_collections(struct job *j)
{
	struct measurement *m = (struct measurement *)j;
	const struct subject *s = &m->subject;
	struct collections_snapshot *found = job_outcome_new(s, sizeof *found, free_collections);
	struct telling telling = { .measurement = m, .found = found };
	struct source *origin = lab_origin(s->lab), *source;
	const struct model *model = lab_model(s->lab);
	const char *db, *of_shape[2];
	size_t shape_count = job_own_collections(s, s->shape, of_shape);
	int64_t n, of;

	found->outcome.failed = !list_collections(found, s, &j->interrupt, &found->outcome.error);
	if (!shape_count || !job_make_ready(s, &j->interrupt, &source, &db, &found->outcome.error))
		source = NULL;
	for (size_t i = 0; i < found->count && interrupt_check(&j->interrupt) == INTERRUPT_NONE; i++) {
		struct collection_entry *e = &found->entries[i];
		bool built = is_one_of(e->name, of_shape, shape_count);

		telling.current = i;
		/* over a wire each may take its time: names are there before figures, and each figure before the next */
		if (!source_engine(origin))
			tell_collections(&telling, NULL);
		if (built && !source) {
			e->error = found->outcome.error;
			continue;
		}
		e->sizes = sizes_measure_reporting(built ? source : origin, built ? db : model->database, e->name,
		                                   model_key(model, e->name), s->limit_bytes, tell_collections, &telling,
		                                   &j->interrupt, &e->error);
		if (e->sizes && built && lab_shape_sampled(s->lab, s->relationship, s->shape, &n, &of))
			sizes_mark_sampled(e->sizes, n, of);
	}
	worker_deliver(j, &found->outcome.snapshot);
}

struct job *job_shape(const struct subject *s)
{
	return measurement_new(s, run_shape, NULL);
}

struct job *job_row(const struct subject *s, const struct operation *o)
{
	return measurement_new(s, run_row, o);
}

struct job *job_collections(const struct subject *s)
{
	return measurement_new(s, run_collections, NULL);
}

struct job *job_facts(const struct subject *s)
{
	return measurement_new(s, run_facts, NULL);
}
