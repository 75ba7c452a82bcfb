/* Plans that were opened from files or pasted, in the place of the operation's. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/explain_private.h"

/* What is to be opened, until it is: posted again when the worker's jobs were cancelled meanwhile. */
struct explain_opening {
	char *names[OPENED_MOST];
	size_t count;
	bool pasted, posted;
	struct bytes text;
};

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

void explain_repeat_opening(struct explain_view *v)
{
	if (v->opening)
		v->opening->posted = false;
}

void explain_follow_opening(struct app *a)
{
	struct explain_opening *o = a->explain.opening;
	struct subject s = app_subject(a);

	if (!o || o->posted)
		return;
	o->posted = true;
	app_post_explain(a, SUBJECT_OPENED,
	                 o->pasted ? job_open_text(&s, o->names[0], &o->text)
	                           : job_open_files(&s, (const char *const *)o->names, o->count));
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
	explain_follow_opening(a);
}

void explain_open_text(struct app *a, const char *name, const char *text, size_t size)
{
	struct explain_opening *o = begin(a, &name, 1);

	bytes_append(&o->text, text, size);
	o->pasted = true;
	explain_follow_opening(a);
}

void explain_accept_opened(struct app *a, struct opened_snapshot *s)
{
	struct explain_view *v = &a->explain;

	explain_forget_opening(v);
	if (s->outcome.failed) {
		app_complain(a, s->outcome.error.message);
		snapshot_release(s);
		return;
	}
	explain_set_face(a, FACE_TREE);
	folds_clear(v->folds);
	snapshot_release(v->opened);
	v->opened = s;
	v->opened_at = 0;
	v->opened_apart = false;
	app_focus(a, PANE_EXPLAIN);
	a->zoomed = a->zoomed || a->layout.wide; /* what stands around it is not about this plan */
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
	return true;
}
