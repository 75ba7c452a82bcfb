#include "ui/workload_view.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "plan/log_file.h"
#include "ui/app.h"

enum { PROGRESS_US = 100000 };

static const struct slot slot = { PANE_WORKLOAD, 0 };

struct workload_job {
	struct job job;
	char *path;      /* null: the text */
	struct bytes text;
	int64_t told_us; /* when progress was delivered last */
};

static void free_job(struct job *j)
{
	struct workload_job *w = (struct workload_job *)j;

	free(w->path);
	bytes_clear(&w->text);
	free(w);
}

static void free_snapshot(struct snapshot *s)
{
	struct workload_snapshot *w = (struct workload_snapshot *)s;

	log_workload_destroy(w->workload);
	free(w);
}

static struct workload_snapshot *snapshot_new(void)
{
	struct workload_snapshot *s = memory_allocate_zeroed(1, sizeof *s);

	snapshot_init(&s->snapshot, free_snapshot);
	s->snapshot.origin_writes = -1; /* says nothing of the origin */
	return s;
}

static void tell(void *context, int64_t done_bytes, int64_t of_bytes)
{
	struct workload_job *j = context;
	struct workload_snapshot *s;
	int64_t now = interrupt_now_us();

	if (now - j->told_us < PROGRESS_US)
		return;
	j->told_us = now;
	s = snapshot_new();
	s->done_bytes = done_bytes;
	s->of_bytes = of_bytes;
	worker_deliver(&j->job, &s->snapshot);
}

static void run(struct job *j)
{
	struct workload_job *w = (struct workload_job *)j;
	const struct log_watcher watcher = { tell, w };
	struct workload_snapshot *s = snapshot_new();
	struct log_workload *workload = log_workload_new();

	if (w->path) {
		s->failed = !log_file_read(workload, w->path, &j->interrupt, &watcher, &s->error);
	} else {
		log_workload_add(workload, bytes_text(&w->text), w->text.size);
		log_workload_finish(workload);
	}
	if (s->failed)
		log_workload_destroy(workload);
	else
		s->workload = workload;
	worker_deliver(j, &s->snapshot);
}

void workload_view_clear(struct workload_view *v)
{
	free(v->path);
	snapshot_release(v->found);
	*v = (struct workload_view){ NULL, NULL };
}

/* The job is posted when it has got what to read. */
static struct workload_job *begin(struct app *a, const char *name)
{
	struct workload_job *j = memory_allocate_zeroed(1, sizeof *j);

	workload_view_clear(&a->workload);
	a->workload.path = memory_duplicate_text(name);
	j->job = (struct job){ .run = run, .free = free_job };
	app_focus(a, PANE_WORKLOAD);
	return j;
}

void workload_view_open(struct app *a, const char *path)
{
	struct workload_job *j = begin(a, path);

	j->path = memory_duplicate_text(path);
	worker_post(a->files, slot, &j->job);
}

void workload_view_open_text(struct app *a, const char *name, const char *text, size_t size)
{
	struct workload_job *j = begin(a, name);

	bytes_append(&j->text, text, size);
	worker_post(a->files, slot, &j->job);
}

bool workload_view_is_read(const struct app *a)
{
	return a->workload.found && a->workload.found->workload;
}

bool workload_view_close(struct app *a)
{
	if (!a->workload.path)
		return false;
	worker_cancel(a->files, slot);
	workload_view_clear(&a->workload);
	if (a->focus == PANE_WORKLOAD)
		a->focus = a->came_from[PANE_WORKLOAD];
	return true;
}

void workload_view_accept(struct app *a, struct workload_snapshot *s)
{
	if (s->failed) {
		app_complain(a, s->error.message);
		workload_view_close(a);
		snapshot_release(s);
		return;
	}
	snapshot_release(a->workload.found);
	a->workload.found = s;
}

const struct log_row *workload_view_rows(const struct app *a, size_t *count)
{
	*count = 0;
	return workload_view_is_read(a) ? log_workload_rows(a->workload.found->workload, count) : NULL;
}

/* In the table they come behind the model's. */
static int64_t place_in_table(const struct app *a)
{
	return rows_selected(&a->lists[PANE_ACCESS]) - (int64_t)a->model->operation_count;
}

const struct log_row *workload_view_in_table(const struct app *a)
{
	int64_t place = place_in_table(a);
	size_t count;
	const struct log_row *rows = workload_view_rows(a, &count);

	return place >= 0 && (size_t)place < count ? &rows[place] : NULL;
}

void workload_view_enter(struct app *a)
{
	rows_set_filter(&a->lists[PANE_WORKLOAD], NULL);
	rows_select(&a->lists[PANE_WORKLOAD], place_in_table(a));
	app_focus(a, PANE_WORKLOAD);
}
