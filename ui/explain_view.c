#include "ui/explain_view.h"

#include <stdlib.h>

#include "base/memory.h"
#include "ui/explain_private.h"

void explain_view_init(struct explain_view *v)
{
	*v = (struct explain_view){ .verbosity = PLAN_EXECUTION_STATS };
	v->folds = memory_allocate_zeroed(1, sizeof *v->folds);
}

void explain_view_clear(struct explain_view *v)
{
	snapshot_release(v->found);
	snapshot_release(v->before);
	snapshot_release(v->other);
	snapshot_release(v->opened);
	v->found = v->before = v->other = NULL;
	v->opened = NULL;
	folds_clear(v->folds);
	free(v->folds);
	v->folds = NULL;
	explain_forget_opening(v);
	explain_unlight(v);
}

void explain_unlight(struct explain_view *v)
{
	free(v->before_index);
	v->before_index = NULL;
}

void explain_forget_wish(struct explain_view *v)
{
	v->wished = v->pending = v->other_wished = false;
}

static size_t command_count(const struct app *a, enum shape_kind shape)
{
	size_t index;
	const struct operation *o = app_operation(a, &index);
	const struct command_set *set = o && a->relationship ? operation_commands(o, a->relationship, shape) : NULL;

	return set ? set->command_count : 0;
}

size_t explain_command_count(const struct app *a)
{
	return command_count(a, a->shape);
}

bool explain_wish_in(const struct app *a, enum shape_kind shape, struct explain_wish *wish)
{
	size_t count = command_count(a, shape), operation;

	if (!count || a->relationship->population || !app_operation(a, &operation))
		return false;
	*wish = (struct explain_wish){ a->relationship, shape, operation,
		                       a->explain.command < count ? a->explain.command : count - 1,
		                       a->explain.verbosity, a->explain.max_time_millis };
	return true;
}

static bool current_wish(const struct app *a, struct explain_wish *wish)
{
	return explain_wish_in(a, a->shape, wish);
}

bool explain_same_wish(const struct explain_wish *a, const struct explain_wish *b)
{
	return a->relationship == b->relationship && a->shape == b->shape && a->operation == b->operation &&
	       a->command == b->command && a->verbosity == b->verbosity && a->max_time_millis == b->max_time_millis;
}

void explain_post(struct app *a, int subject, const struct explain_wish *wish)
{
	struct subject s = app_subject(a);

	s.shape = wish->shape;
	app_post_explain(a, subject, job_explain(&s, wish));
}

void explain_follow(struct app *a)
{
	struct explain_view *v = &a->explain;
	struct explain_wish wish;

	if (app_is_reading(a) || !current_wish(a, &wish))
		return;
	if (!v->wished || !explain_same_wish(&v->wish, &wish)) {
		v->wish = wish;
		v->wished = v->pending = true;
		explain_post(a, SUBJECT_PLAN, &wish);
	}
	explain_follow_other(a);
}

bool explain_stop(struct app *a)
{
	bool pending = a->explain.pending;

	a->explain.pending = false;
	if (pending)
		worker_cancel(a->worker, (struct slot){ PANE_EXPLAIN, SUBJECT_PLAN });
	return pending;
}

bool explain_look_at_indexes(struct app *a, enum shape_kind shape)
{
	uint64_t *seen = &a->findings[shape].indexes_revision, before = *seen;

	if (a->relationship)
		*seen = lab_indexes_revision(a->lab, a->relationship, shape);
	return *seen != before;
}

bool explain_follow_indexes(struct app *a)
{
	bool any = false;

	for (int s = 0; s < SHAPE_KINDS; s++)
		if (explain_look_at_indexes(a, (enum shape_kind)s)) {
			app_measure_shape(a, (enum shape_kind)s);
			any = true;
		}
	return any;
}

bool explain_is_outdated(const struct app *a)
{
	const struct explain_snapshot *found = explain_found(a);

	return found && found->outcome.indexes_revision != a->findings[a->shape].indexes_revision;
}

/* Before the rows measured anew arrive: those from before are still kept. */
static void light_what_changes(struct app *a)
{
	size_t count = a->model->operation_count;
	struct cost *before = memory_allocate_zeroed(count, sizeof *before);

	for (size_t i = 0; i < count; i++) {
		const struct row_snapshot *r = a->findings[a->shape].rows[i];

		before[i] = r && !r->outcome.failed ? r->row->total : cost_unknown();
	}
	explain_unlight(&a->explain);
	a->explain.before_index = before;
}

static void accept_index(struct app *a, struct index_snapshot *i)
{
	if (i->outcome.failed) {
		app_complain(a, i->outcome.error.message);
	} else {
		app_say(a, "%s %s of %s in the lab", i->drops ? "dropped" : "added", i->name, i->collection);
		if (i->outcome.shape == a->shape)
			light_what_changes(a);
	}
	snapshot_release(i);
}

void explain_accept(struct app *a, struct snapshot *s)
{
	struct explain_view *v = &a->explain;

	switch (s->slot.subject) {
	case SUBJECT_INDEX: accept_index(a, (struct index_snapshot *)s); return;
	case SUBJECT_OPENED: explain_accept_opened(a, (struct opened_snapshot *)s); return;
	case SUBJECT_OTHER:
		snapshot_release(v->other);
		v->other = (struct explain_snapshot *)s;
		return;
	default:
		v->pending = false;
		if (!v->opened)
			folds_clear(v->folds); /* of a reply that is about to go */
		snapshot_release(v->found);
		v->found = (struct explain_snapshot *)s;
	}
}

const struct explain_snapshot *explain_found(const struct app *a)
{
	struct explain_wish wish;
	const struct explain_snapshot *found = a->explain.found;

	return found && current_wish(a, &wish) && explain_same_wish(&found->wish, &wish) ? found : NULL;
}

const struct plan_page *explain_page(const struct app *a)
{
	const struct explain_view *v = &a->explain;
	const struct explain_snapshot *found = explain_found(a);

	if (v->opened)
		return &v->opened->plans[v->opened_at].page;
	return found && found->page.tree ? &found->page : NULL;
}

void explain_set_face(struct app *a, enum explain_face face)
{
	struct rows *l = &a->lists[PANE_EXPLAIN];

	rows_set_filter(l, NULL);
	rows_select(l, 0);
	l->left = 0;
	a->explain.offering = false;
	if (face == FACE_RAW && a->explain.face != FACE_RAW)
		a->explain.left_face = a->explain.face;
	a->explain.face = face;
}

bool explain_leave_face(struct app *a)
{
	struct explain_view *v = &a->explain;

	if (!v->opened && v->against != AGAINST_NONE) {
		explain_set_face(a, v->face);
		v->against = AGAINST_NONE;
		return true;
	}
	if (v->face != FACE_RAW || explain_compares(a))
		return false;
	explain_set_face(a, v->left_face);
	return true;
}

void explain_next_face(struct app *a)
{
	if (a->focus != PANE_EXPLAIN)
		app_focus(a, PANE_EXPLAIN);
	if (explain_compares(a)) { /* the key leads out of it first */
		a->explain.against = AGAINST_NONE;
		a->explain.opened_apart = a->explain.opened != NULL;
		explain_set_face(a, a->explain.face);
		return;
	}
	explain_set_face(a, (enum explain_face)((a->explain.face + 1) % FACES));
}

void explain_set_max_time(struct app *a, int64_t millis)
{
	a->explain.max_time_millis = millis;
}

static bool step_opened(struct app *a, int step)
{
	struct explain_view *v = &a->explain;
	size_t count = v->opened->count;

	if (explain_compares(a) || (step < 0 && v->opened_at == 0) || (step > 0 && v->opened_at + 1 >= count))
		return false;
	v->opened_at = step < 0 ? v->opened_at - 1 : v->opened_at + 1;
	return true;
}

bool explain_step_command(struct app *a, int step)
{
	struct explain_wish wish;

	if (a->explain.opened)
		return step_opened(a, step);
	if (!current_wish(a, &wish) || (step < 0 && wish.command == 0) ||
	    (step > 0 && wish.command + 1 >= explain_command_count(a)))
		return false;
	a->explain.command = step < 0 ? wish.command - 1 : wish.command + 1;
	rows_select(&a->lists[PANE_EXPLAIN], 0);
	return true;
}

void explain_next_verbosity(struct app *a)
{
	a->explain.verbosity = (enum plan_verbosity)((a->explain.verbosity + 1) % PLAN_VERBOSITY_COUNT);
	app_say(a, "explain: %s", plan_verbosity_text(a->explain.verbosity));
}

void explain_offer_indexes(struct app *a)
{
	struct explain_view *v = &a->explain;

	if (v->opened) {
		app_say(a, "what is open was planned elsewhere; :close leads to the row's plan and its indexes");
		return;
	}
	v->against = AGAINST_NONE;
	v->offering = !v->offering || a->focus != PANE_EXPLAIN;
	if (a->focus != PANE_EXPLAIN)
		app_focus(a, PANE_EXPLAIN);
	rows_select(&a->lists[PANE_EXPLAIN], 0);
}

void explain_change_index(struct app *a)
{
	const struct explain_snapshot *found = explain_found(a);
	int64_t chosen = rows_selected(&a->lists[PANE_EXPLAIN]);
	const struct index_offer *offer;
	struct subject s;

	if (!found || !found->explanation || chosen < 0 || (size_t)chosen >= found->explanation->offers->count)
		return;
	offer = &found->explanation->offers->offers[chosen];
	if (offer->fixed) {
		app_say(a, "%s stays: it is the index of the documents' key", offer->name);
		return;
	}
	snapshot_release(a->explain.before);
	a->explain.before = snapshot_hold((void *)found);
	s = app_subject(a);
	app_post_explain(a, SUBJECT_INDEX, job_index(&s, offer));
}
