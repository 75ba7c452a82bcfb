/* Explain outputs from files and pastes: read and laid out beside the screen. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/open.h"
#include "ui/jobs_private.h"

struct open_job {
	struct job job;
	struct subject subject;
	char *names[OPENED_MOST];
	size_t count;
	struct bytes text; /* of the one that was pasted */
	bool pasted;
};

static void free_open_job(struct job *j)
{
	struct open_job *o = (struct open_job *)j;

	for (size_t i = 0; i < o->count; i++)
		free(o->names[i]);
	bytes_clear(&o->text);
	free(o);
}

static void free_opened(struct snapshot *s)
{
	struct opened_snapshot *o = (struct opened_snapshot *)s;

	for (size_t i = 0; i < OPENED_MOST; i++) {
		plan_page_clear(&o->plans[i].page);
		plan_tree_destroy(o->plans[i].tree);
		free(o->plans[i].name);
	}
	free(o);
}

/* The last part of a path, safe to print. */
static char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct bytes text = BYTES_INIT;

	path = slash && slash[1] ? slash + 1 : path;
	print_text(&text, path, strlen(path));
	return bytes_take_text(&text);
}

static void run_open(struct job *j)
{
	struct open_job *o = (struct open_job *)j;
	struct opened_snapshot *found = job_outcome_new(&o->subject, sizeof *found, free_opened);

	found->outcome.snapshot.origin_writes = -1; /* writes to the data do not make it old */
	for (size_t i = 0; i < o->count && !found->outcome.failed; i++) {
		struct opened_plan *p = &found->plans[i];

		p->tree = o->pasted ? plan_from_text(o->names[i], bytes_text(&o->text), o->text.size, &found->outcome.error)
		                    : plan_open(o->names[i], &found->outcome.error);
		p->name = short_name(o->names[i]);
		plan_page_make(&p->page, p->tree);
		found->outcome.failed = !p->tree;
		found->count += p->tree != NULL;
	}
	worker_deliver(j, &found->outcome.snapshot);
}

static struct open_job *open_job_new(const struct subject *s)
{
	struct open_job *o = memory_allocate_zeroed(1, sizeof *o);

	o->job.run = run_open;
	o->job.free = free_open_job;
	o->subject = *s;
	return o;
}

struct job *job_open_files(const struct subject *s, const char *const *paths, size_t count)
{
	struct open_job *o = open_job_new(s);

	for (size_t i = 0; i < count && i < OPENED_MOST; i++)
		o->names[o->count++] = memory_duplicate_text(paths[i]);
	return &o->job;
}

struct job *job_open_text(const struct subject *s, const char *name, const struct bytes *text)
{
	struct open_job *o = open_job_new(s);

	o->names[o->count++] = memory_duplicate_text(name);
	bytes_append(&o->text, text->data, text->size);
	o->pasted = true;
	return &o->job;
}
