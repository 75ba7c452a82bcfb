#include "ui/explain_view.h"

#include <stdlib.h>

#include "base/memory.h"
#include "ui/app.h"

enum { SUBJECT_PLAN, SUBJECT_INDEX };

void explain_view_init(struct explain_view *v)
{
	*v = (struct explain_view){ .verbosity = PLAN_EXECUTION_STATS };
}

void explain_view_clear(struct explain_view *v)
{
	snapshot_release(v->found);
	v->found = NULL;
	explain_unlight(v);
}

void explain_unlight(struct explain_view *v)
{
	free(v->before_index);
	v->before_index = NULL;
}

void explain_forget_wish(struct explain_view *v)
{
	v->wished = v->pending = false;
}

size_t explain_command_count(const struct app *a)
{
	size_t index;
	const struct operation *o = app_operation(a, &index);
	const struct command_set *set = o && a->relationship ? operation_commands(o, a->relationship, a->shape) : NULL;

	return set ? set->command_count : 0;
}

/* What the state asks for; false: for nothing. A row of fewer commands shows its last. */
static bool current_wish(const struct app *a, struct explain_wish *wish)
{
	size_t count = explain_command_count(a), operation;

	if (!count || a->relationship->population || !app_operation(a, &operation))
		return false;
	*wish = (struct explain_wish){ a->relationship, a->shape, operation,
		                       a->explain.command < count ? a->explain.command : count - 1,
		                       a->explain.verbosity };
	return true;
}

static bool same_wish(const struct explain_wish *a, const struct explain_wish *b)
{
	return a->relationship == b->relationship && a->shape == b->shape && a->operation == b->operation &&
	       a->command == b->command && a->verbosity == b->verbosity;
}

void explain_follow(struct app *a)
{
	struct explain_view *v = &a->explain;
	struct explain_wish wish;
	struct subject s;

	if (app_is_reading(a) || !current_wish(a, &wish) || (v->wished && same_wish(&v->wish, &wish)))
		return;
	v->wish = wish;
	v->wished = v->pending = true;
	s = app_subject(a);
	app_post_explain(a, SUBJECT_PLAN, job_explain(&s, &wish));
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

	if (s->slot.subject == SUBJECT_INDEX) {
		accept_index(a, (struct index_snapshot *)s);
		return;
	}
	v->pending = false;
	snapshot_release(v->found);
	v->found = (struct explain_snapshot *)s;
}

const struct explain_snapshot *explain_found(const struct app *a)
{
	struct explain_wish wish;
	const struct explain_snapshot *found = a->explain.found;

	return found && current_wish(a, &wish) && same_wish(&found->wish, &wish) ? found : NULL;
}

bool explain_step_command(struct app *a, int step)
{
	struct explain_wish wish;

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
	s = app_subject(a);
	app_post_explain(a, SUBJECT_INDEX, job_index(&s, offer));
}
