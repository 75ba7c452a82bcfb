#include "ui/growing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "model/growth_data.h"
#include "ui/jobs_private.h"
#include "ui/pane.h"

enum { SUBJECT_FIGURES, SUBJECT_LIVE };

struct growth_job {
	struct job job;
	struct subject subject;
	int64_t subset;

	/* of a document that grows */
	struct bytes parent; /* {"": key}; empty: the model's choice */
	int64_t pushes;      /* 0: no end */
	bool fine;
	bool watched; /* slow enough to be seen */
};

static struct slot slot_of(int subject)
{
	return (struct slot){ PANE_GROWTH, subject };
}

static void free_job(struct job *j)
{
	bytes_clear(&((struct growth_job *)j)->parent);
	free(j);
}

static struct growth_job *job_new(const struct app *a, void (*run)(struct job *))
{
	struct growth_job *g = memory_allocate_zeroed(1, sizeof *g);

	g->job.run = run;
	g->job.free = free_job;
	g->subject = (struct subject){ a->lab, a->relationship, a->shape, a->limit_bytes, a->log };
	g->subset = a->subset;
	return g;
}

static void free_plain(struct snapshot *s)
{
	free(s);
}

static void run_figures(struct job *j)
{
	const struct growth_job *g = (struct growth_job *)j;
	struct growth_snapshot *found = job_outcome_new(&g->subject, sizeof *found, free_plain);
	struct growth_input in;

	found->outcome.failed = !growth_data(g->subject.lab, g->subject.relationship, g->subject.limit_bytes, g->subset,
	                                     &in, &j->interrupt, &found->outcome.error);
	if (!found->outcome.failed && !growth_compute(&in, &found->growth, &j->interrupt))
		found->outcome.failed = !error_set(&found->outcome.error, ERROR_INPUT, 0, "stopped; r computes again");
	growth_input_clear(&in);
	worker_deliver(j, &found->outcome.snapshot);
}

static void free_live(struct snapshot *s)
{
	bytes_clear(&((struct live_snapshot *)s)->state.parent_key);
	free(s);
}

static struct live_snapshot *live_snapshot_new(const struct growth_job *g, const struct live_growth_state *state)
{
	struct live_snapshot *s = job_outcome_new(&g->subject, sizeof *s, free_live);
	const struct bytes *key = state ? &state->parent_key : NULL;

	s->fine = g->fine;
	if (!state)
		return s;
	s->state = *state;
	bytes_init(&s->state.parent_key);
	bytes_append(&s->state.parent_key, key->data, key->size);
	return s;
}

/* So long that the pushes to the limit take about two seconds together, and no key waits for them. */
static void pause_between(const struct growth_job *g, const struct live_growth_state *s)
{
	enum { TOGETHER_US = 2000000, LONGEST_US = 120000, STEP_US = 10000 };
	int64_t pushes = s->batch ? s->fits / s->batch + 1 : 1, left_us = TOGETHER_US / pushes;

	left_us = left_us < LONGEST_US ? left_us : LONGEST_US;
	for (; g->watched && left_us > 0 && interrupt_check(&g->job.interrupt) == INTERRUPT_NONE; left_us -= STEP_US)
		nanosleep(&(struct timespec){ 0, STEP_US * 1000L }, NULL);
}

/* After a refusal a finer run goes on with a tenth. False: failed. */
static bool push_all(struct growth_job *g, struct live_growth *l, bson_error_t *error)
{
	const struct live_growth_state *s = live_growth_state(l);
	int64_t batch = s->batch;

	for (int64_t done = 0; g->pushes == 0 || done < g->pushes; done++) {
		if (!live_growth_push(l, batch, &g->job.interrupt, error))
			return false;
		if (s->refused && (!g->fine || batch == 1))
			return true;
		worker_deliver(&g->job, &live_snapshot_new(g, s)->outcome.snapshot);
		if (s->refused)
			batch /= 10;
		pause_between(g, s);
		if (interrupt_check(&g->job.interrupt) != INTERRUPT_NONE)
			return error_set(error, ERROR_SERVER, CODE_Interrupted, "stopped");
	}
	return true;
}

static void run_live(struct job *j)
{
	struct growth_job *g = (struct growth_job *)j;
	const struct subject *s = &g->subject;
	bson_error_t error;
	struct live_growth *l = live_growth_new(s->lab, s->relationship, s->limit_bytes, &g->parent, &j->interrupt,
	                                        &error);
	struct live_snapshot *last;
	bool good = l != NULL;

	if (good) {
		worker_deliver(j, &live_snapshot_new(g, live_growth_state(l))->outcome.snapshot);
		good = push_all(g, l, &error);
	}
	last = live_snapshot_new(g, l ? live_growth_state(l) : NULL);
	live_growth_destroy(l); /* whoever sees the last snapshot may rely on it */
	last->finished = true;
	last->outcome.failed = !good;
	if (!good)
		last->outcome.error = error;
	worker_deliver(j, &last->outcome.snapshot);
}

void growing_post(struct app *a, bool anew)
{
	if (!a->relationship || !(anew || !a->growth || a->growth_pending))
		return;
	a->growth_pending = true;
	worker_post(a->worker, slot_of(SUBJECT_FIGURES), &job_new(a, run_figures)->job);
}

/* In the sizes' list, of the relationship's parents; null: another collection's, without a key, or none. */
static const struct bytes *selected_parent(const struct app *a)
{
	const char *name = pane_collections_name(a);
	const struct sizes *s = name ? pane_collections_sizes(a, a->shape, name) : NULL;
	int64_t which = pane_sizes_selected(a);

	if (!a->relationship || !s || strcmp(name, a->relationship->parent) ||
	    strcmp(model_key(a->model, name), a->relationship->parent_key) || which < 0 ||
	    (size_t)which >= s->largest_count || !s->largest[which].id.size)
		return NULL;
	return &s->largest[which].id;
}

void growing_choose_selected(struct app *a)
{
	const struct bytes *key = a->focus == PANE_SIZES ? selected_parent(a) : NULL;

	if (!key)
		return;
	bytes_reset(&a->growth_parent);
	bytes_append(&a->growth_parent, key->data, key->size);
}

/* What grew last is what would grow now. */
static bool grew_last(const struct app *a)
{
	const struct bytes *wished = &a->growth_parent, *last = &a->live->state.parent_key;

	return !wished->size || (wished->size == last->size && !memcmp(wished->data, last->data, last->size));
}

void growing_start(struct app *a, int64_t pushes)
{
	struct growth_job *g;
	bool again = a->live && a->live->finished && a->live->state.refused && !a->live->fine &&
	             a->live->state.batch > 1 && grew_last(a);

	if (!a->relationship || app_is_reading(a)) {
		app_say(a, "nothing that could grow is known yet");
		return;
	}
	g = job_new(a, run_live);
	bytes_append(&g->parent, a->growth_parent.data, a->growth_parent.size);
	g->pushes = pushes;
	g->fine = again && !pushes;
	g->watched = a->clock != NULL;
	a->growing = true;
	app_focus(a, PANE_GROWTH);
	worker_post(a->worker, slot_of(SUBJECT_LIVE), &g->job);
}

bool growing_stop(struct app *a)
{
	bool grew = a->growing;

	worker_cancel(a->worker, slot_of(SUBJECT_LIVE));
	a->growing = false;
	return grew;
}

void growing_cancelled(struct app *a)
{
	a->growing = false;
}

bool growing_close(struct app *a)
{
	bool shown = a->live != NULL;

	snapshot_release(a->live);
	a->live = NULL;
	return shown;
}

void growing_forget(struct app *a)
{
	growing_close(a);
	snapshot_release(a->growth);
	a->growth = NULL;
	bytes_reset(&a->growth_parent);
}

void growing_accept(struct app *a, struct snapshot *s)
{
	if (s->slot.subject == SUBJECT_FIGURES) {
		snapshot_release(a->growth);
		a->growth = (struct growth_snapshot *)s;
		a->growth_pending = false;
		return;
	}
	snapshot_release(a->live);
	a->live = (struct live_snapshot *)s;
	if (!a->live->finished)
		return;
	a->growing = false;
	if (a->live->outcome.failed) {
		app_complain(a, a->live->outcome.error.message);
		growing_close(a);
	}
}
