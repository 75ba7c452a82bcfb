/* Plans that were opened from files or pasted, in the place of the operation's. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/explain_private.h"

/* What is being opened. */
struct explain_opening {
	char *names[OPENED_MOST];
	size_t count;
	bool pasted;
	struct bytes text;
};

static const struct slot slot = { PANE_EXPLAIN, SUBJECT_OPENED };

void explain_forget_opening(struct explain_view *v)
{
	struct explain_opening *o = v->opening;

	for (size_t i = 0; o && i < o->count; i++)
		free(o->names[i]);
	if (o)
		bytes_clear(&o->text);
	free(o);
	v->opening = NULL;
}

static struct explain_opening *begin(struct app *a, const char *const *names, size_t count)
{
	struct explain_opening *o = memory_allocate_zeroed(1, sizeof *o);

	explain_forget_opening(&a->explain);
	for (size_t i = 0; i < count && i < OPENED_MOST; i++)
		o->names[o->count++] = memory_duplicate_text(names[i]);
	a->explain.opening = o;
	return o;
}

void explain_open_files(struct app *a, const char *const *paths, size_t count)
{
	begin(a, paths, count);
	worker_post(a->files, slot, job_open_files(paths, count));
}

void explain_open_text(struct app *a, const char *name, const char *text, size_t size)
{
	struct explain_opening *o = begin(a, &name, 1);

	bytes_append(&o->text, text, size);
	o->pasted = true;
	worker_post(a->files, slot, job_open_text(name, &o->text));
}

/* What a server wrote down is no plan but a workload. */
static void open_records(struct app *a)
{
	struct explain_opening *o = a->explain.opening;

	if (o && o->pasted)
		workload_view_open_text(a, o->names[0], bytes_text(&o->text), o->text.size);
	else if (o)
		workload_view_open(a, o->names[0]);
}

/* Those that lead back themselves are not what one comes back to. */
static enum pane pane_before(const struct app *a)
{
	return a->focus < PANE_ROUND ? a->focus : PANE_EXPLAIN;
}

void explain_accept_opened(struct app *a, struct opened_snapshot *s)
{
	struct explain_view *v = &a->explain;
	bool reopened = v->opened != NULL;

	if (s->records)
		open_records(a);
	else if (s->outcome.failed)
		app_complain(a, s->outcome.error.message);
	explain_forget_opening(v);
	if (s->records || s->outcome.failed) {
		snapshot_release(s);
		return;
	}
	explain_set_face(a, FACE_TREE);
	folds_clear(v->folds);
	snapshot_release(v->opened);
	v->opened = s;
	v->opened_at = 0;
	v->opened_apart = false;
	if (!reopened) {
		v->opened_from = pane_before(a);
		v->opened_zooms = !a->zoomed && a->layout.wide; /* what stands around it is not about this plan */
		a->zoomed = a->zoomed || v->opened_zooms;
	}
	app_focus(a, PANE_EXPLAIN);
}

bool explain_close(struct app *a)
{
	struct explain_view *v = &a->explain;

	if (!v->opened)
		return false;
	explain_set_face(a, v->face);
	folds_clear(v->folds);
	snapshot_release(v->opened);
	v->opened = NULL;
	a->zoomed = a->zoomed && !v->opened_zooms;
	if (a->focus == PANE_EXPLAIN)
		a->focus = v->opened_from;
	return true;
}
