/* Explain outputs from files and pastes: read and laid out beside the screen. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/log_file.h"
#include "plan/open.h"
#include "ui/jobs_private.h"

struct open_job {
	struct job job;
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

static int64_t count_records(struct open_job *o, int64_t most_bytes)
{
	if (o->pasted)
		return log_text_count_records(bytes_text(&o->text), o->text.size);
	return o->count == 1 ? log_file_count_records(o->names[0], most_bytes, &o->job.interrupt) : 0;
}

static void open_plans(struct open_job *o, struct opened_snapshot *found)
{
	for (size_t i = 0; i < o->count && !found->outcome.failed; i++) {
		struct opened_plan *p = &found->plans[i];

		p->tree = o->pasted ? plan_from_text(o->names[i], bytes_text(&o->text), o->text.size, &found->outcome.error)
		                    : plan_open(o->names[i], &found->outcome.error);
		p->name = short_name(o->names[i]);
		plan_page_make(&p->page, p->tree);
		found->outcome.failed = !p->tree;
		found->count += p->tree != NULL;
	}
}

/*
 * Several records of operations are a workload, though each may hold a plan; one that holds a plan is that. A log may say
 * much before its first operation: it is read on when there is no plan in it either.
 */
static void run_open(struct job *j)
{
	enum { LOOK_BYTES = 1 << 20 };
	struct open_job *o = (struct open_job *)j;
	struct opened_snapshot *found = memory_allocate_zeroed(1, sizeof *found);

	snapshot_init(&found->outcome.snapshot, free_opened); /* writes to the data do not make it old */
	found->records = count_records(o, LOOK_BYTES) > 1;
	if (!found->records)
		open_plans(o, found);
	if (found->outcome.failed)
		found->records = count_records(o, INT64_MAX) > 0;
	worker_deliver(j, &found->outcome.snapshot);
}

static struct open_job *open_job_new(void)
{
	struct open_job *o = memory_allocate_zeroed(1, sizeof *o);

	o->job.run = run_open;
	o->job.free = free_open_job;
	return o;
}

struct job *job_open_files(const char *const *paths, size_t count)
{
	struct open_job *o = open_job_new();

	for (size_t i = 0; i < count && i < OPENED_MOST; i++)
		o->names[o->count++] = memory_duplicate_text(paths[i]);
	return &o->job;
}

struct job *job_open_text(const char *name, const struct bytes *text)
{
	struct open_job *o = open_job_new();

	o->names[o->count++] = memory_duplicate_text(name);
	bytes_append(&o->text, text->data, text->size);
	o->pasted = true;
	return &o->job;
}
