#include "ui/app.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/why.h"
#include "ui/growing.h"
#include "ui/pane.h"

enum { SUBJECTS_A_SHAPE = 4096 };

static struct subject subject(const struct app *a, const struct relationship *r, enum shape_kind shape)
{
	return (struct subject){ a->lab, r, shape, a->limit_bytes, a->log };
}

bool app_has_data(const struct app *a)
{
	return source_engine(lab_origin(a->lab)) != NULL;
}

struct subject app_subject(const struct app *a)
{
	return subject(a, a->relationship, a->shape);
}

static struct slot slot(enum pane pane, enum shape_kind shape, size_t subject_index)
{
	return (struct slot){ (int)pane, (int)shape * SUBJECTS_A_SHAPE + (int)subject_index };
}

static enum shape_kind other_shape(enum shape_kind shape)
{
	return shape == SHAPE_EMBED ? SHAPE_REFERENCE : SHAPE_EMBED;
}

/* Over a server the one that is there: to build another one its data are pulled, which the user asks for by Space. */
static enum shape_kind first_shape(const struct app *a)
{
	return a->relationship && !app_has_data(a) ? a->relationship->origin : SHAPE_EMBED;
}

static bool choose_options(struct app *a, const struct explorer_options *options, bson_error_t *error)
{
	if (a->model->relationship_count)
		a->relationship = a->model->relationships;
	if (options->relationship)
		a->relationship = model_relationship(a->model, options->relationship, error);
	if (options->relationship && !a->relationship)
		return false;
	a->shape = first_shape(a);
	if (options->shape && !shape_from_name(options->shape, &a->shape))
		return error_set(error, ERROR_USAGE, 0, "unknown shape: \"%.60s\"", options->shape);
	a->compared = other_shape(a->shape);
	return true;
}

static void allocate_findings(struct app *a)
{
	for (int s = 0; s < SHAPE_KINDS; s++) {
		a->findings[s].rows = memory_allocate_zeroed(a->model->operation_count, sizeof *a->findings[s].rows);
		a->findings[s].row_pending = memory_allocate_zeroed(a->model->operation_count, sizeof(bool));
	}
	a->facts = memory_allocate_zeroed(a->model->relationship_count, sizeof *a->facts);
	a->per_second = memory_allocate_zeroed(a->model->operation_count, sizeof *a->per_second);
	for (size_t i = 0; i < a->model->operation_count; i++)
		a->per_second[i] = a->model->operations[i].per_second;
}

struct app *app_new(const struct explorer_options *options, bson_error_t *error)
{
	struct app *a = memory_allocate_zeroed(1, sizeof *a);

	a->lab = options->lab;
	a->model = lab_model(a->lab);
	if (!choose_options(a, options, error)) {
		free(a);
		return NULL;
	}
	a->limit_bytes = lab_limit_bytes(a->lab);
	a->clock = interrupt_now_us;
	a->origin_writes = -1;
	a->subset = GROWTH_SUBSET;
	a->toggle_micros = figure_unknown();
	a->focus = PANE_ACCESS;
	a->ascii = options->ascii;
	explain_view_init(&a->explain);
	for (int p = 0; p < PANE_COUNT; p++) {
		rows_init(&a->lists[p]);
		a->came_from[p] = PANE_ACCESS;
	}
	a->lists[PANE_LOG].follows_end = true;
	allocate_findings(a);
	a->log = command_log_new();
	command_log_attach(a->log, lab_origin(a->lab));
	a->worker = worker_new(1);
	a->files = worker_new(1);
	/* a server is asked for one thing after the other; in this process a document does not wait for a collection's paths */
	a->looker = app_has_data(a) ? worker_new(2) : a->worker;
	return a;
}

static void forget_findings(struct app *a)
{
	for (int s = 0; s < SHAPE_KINDS; s++) {
		struct shape_findings *f = &a->findings[s];

		snapshot_release(f->status);
		snapshot_release(f->collections);
		f->status = NULL;
		f->collections = NULL;
		for (size_t i = 0; i < a->model->operation_count; i++) {
			snapshot_release(f->rows[i]);
			f->rows[i] = NULL;
		}
	}
}

void app_destroy(struct app *a)
{
	struct worker *workers[APP_WORKERS];

	app_workers(a, workers);
	for (int i = 0; i < APP_WORKERS && workers[i]; i++)
		worker_destroy(workers[i]);
	command_log_detach(a->log, lab_origin(a->lab));
	command_log_destroy(a->log);
	forget_findings(a);
	workload_view_clear(&a->workload);
	app_forget_sizes(a);
	paths_view_clear(&a->paths_view);
	growing_forget(a);
	bytes_clear(&a->growth_parent);
	for (int s = 0; s < SHAPE_KINDS; s++) {
		free(a->findings[s].rows);
		free(a->findings[s].row_pending);
	}
	for (size_t i = 0; i < a->model->relationship_count; i++)
		snapshot_release(a->facts[i]);
	for (int p = 0; p < PANE_COUNT; p++)
		rows_clear(&a->lists[p]);
	for (size_t i = 0; i < a->collection_name_count; i++)
		free(a->collection_names[i]);
	free(a->collection_names);
	explain_view_clear(&a->explain);
	prompt_clear(&a->prompt);
	free(a->filter_before);
	app_forget_why(a);
	free(a->facts);
	free(a->per_second);
	free(a);
}

static void post_shape(struct app *a, enum shape_kind shape)
{
	struct subject s = subject(a, a->relationship, shape);
	struct shape_findings *f = &a->findings[shape];

	f->status_pending = true;
	worker_post(a->worker, slot(PANE_SHAPES, shape, 0), job_shape(&s));
	for (size_t i = 0; i < a->model->operation_count; i++) {
		f->row_pending[i] = true;
		worker_post(a->worker, slot(PANE_ACCESS, shape, i), job_row(&s, &a->model->operations[i]));
	}
}

static void post_collections(struct app *a)
{
	struct subject s = subject(a, a->relationship, a->shape);

	worker_post(a->worker, slot(PANE_COLLECTIONS, a->shape, 0), job_collections(&s));
}

static void post_missing_facts(struct app *a)
{
	for (size_t i = 0; i < a->model->relationship_count; i++) {
		struct subject s = subject(a, &a->model->relationships[i], a->shape);

		if (!a->facts[i])
			worker_post(a->worker, slot(PANE_COLLECTIONS, SHAPE_EMBED, 1 + i), job_facts(&s));
	}
}

static bool indexes_are_as_measured(const struct app *a, const struct row_snapshot *r)
{
	return r->outcome.indexes_revision == a->findings[r->outcome.shape].indexes_revision;
}

/* The compared shape is measured after everything else, and only once: its ratios wait for it. */
static bool is_complete(const struct app *a, enum shape_kind shape)
{
	const struct shape_findings *f = &a->findings[shape];

	for (size_t i = 0; i < a->model->operation_count; i++)
		if (!f->rows[i] || app_is_stale(a, &f->rows[i]->outcome.snapshot) || !indexes_are_as_measured(a, f->rows[i]))
			return false;
	return f->status != NULL;
}

/* Over a server the other shape is not built before it was looked at. */
static bool is_wanted(const struct app *a, enum shape_kind shape)
{
	return app_has_data(a) || shape == a->relationship->origin || a->findings[shape].status;
}

/* False: nothing was under way. */
static bool cancel(struct app *a)
{
	bool busy = app_measuring(a) > 0;

	worker_cancel_all(a->worker);
	worker_cancel_all(a->looker);
	growing_cancelled(a);
	for (int s = 0; s < SHAPE_KINDS; s++) {
		a->findings[s].status_pending = false;
		memset(a->findings[s].row_pending, 0, a->model->operation_count * sizeof(bool));
	}
	a->toggling = false;
	a->explain.pending = false;
	return busy;
}

static int64_t now(const struct app *a)
{
	return a->clock ? a->clock() : 0;
}

/* `compared`: that shape too, though it has been measured. */
static void post_all(struct app *a, bool compared)
{
	cancel(a);
	app_forget_paths_request(a);
	explain_forget_wish(&a->explain);
	for (int s = 0; s < SHAPE_KINDS; s++)
		explain_look_at_indexes(a, (enum shape_kind)s); /* rows that do not hold are not complete */
	a->stopped = false;
	a->toggled_us = a->building_us = now(a);
	a->toggle_micros = figure_unknown();
	if (app_is_reading(a)) {
		post_collections(a);
		return; /* the rest is measured when all is there */
	}
	if (a->relationship && !a->relationship->population) {
		a->toggling = true;
		post_shape(a, a->shape);
		post_collections(a);
		if (is_wanted(a, a->compared) && (compared || !is_complete(a, a->compared)))
			post_shape(a, a->compared);
	} else {
		post_collections(a);
	}
	post_missing_facts(a);
	growing_post(a, compared);
}

/*
 * What was found before stands until it is replaced. The counter may begin anew: a collection may have been made
 * again.
 */
void app_measure(struct app *a)
{
	a->origin_writes = -1;
	post_all(a, true);
}

void app_refresh(struct app *a)
{
	cancel(a);
	lab_forget(a->lab);
	app_measure(a);
}

void app_look_at_writes(struct app *a)
{
	struct subject s = app_subject(a);
	int64_t writes = job_origin_writes(&s);

	if (writes >= 0)
		a->origin_writes = writes;
}

void app_measure_shape(struct app *a, enum shape_kind shape)
{
	if (shape == a->shape) {
		explain_forget_wish(&a->explain);
		a->toggling = true;
		a->stopped = false;
		a->toggled_us = a->building_us = now(a);
	}
	post_shape(a, shape);
}

void app_post_explain(struct app *a, int subject_index, struct job *j)
{
	worker_post(a->worker, (struct slot){ PANE_EXPLAIN, subject_index }, j);
}

bool app_stop(struct app *a)
{
	bool busy = app_is_reading(a);

	/* a plan alone follows whatever is selected: one goes back past it, explain_stop ends it */
	if (app_measuring(a) > (a->explain.pending ? 1 : 0))
		busy = cancel(a) || busy;
	source_stop(lab_origin(a->lab));
	a->stopped = a->stopped || busy;
	return busy;
}

bool app_stop_opening(struct app *a)
{
	if (!worker_busy(a->files))
		return false;
	worker_cancel_all(a->files);
	explain_forget_opening(&a->explain);
	if (a->workload.path && !workload_view_is_read(a))
		workload_view_close(a);
	return true;
}

size_t app_busy(const struct app *a)
{
	return app_measuring(a) + worker_busy(a->files);
}

size_t app_measuring(const struct app *a)
{
	return worker_busy(a->worker) + (a->looker == a->worker ? 0 : worker_busy(a->looker));
}

void app_workers(const struct app *a, struct worker *workers[APP_WORKERS])
{
	workers[0] = a->worker;
	workers[1] = a->files;
	workers[2] = a->looker == a->worker ? NULL : a->looker;
}

uint64_t app_generation(const struct app *a)
{
	struct worker *workers[APP_WORKERS];
	uint64_t sum = 0;

	app_workers(a, workers);
	for (int i = 0; i < APP_WORKERS && workers[i]; i++)
		sum += worker_generation(workers[i]);
	return sum;
}

void app_choose_shape(struct app *a, enum shape_kind shape)
{
	bool first = !app_has_data(a) && !a->findings[shape].status; /* from then on both may be measured on a sample */

	if (shape == a->shape || !a->relationship)
		return;
	a->compared = a->shape;
	a->shape = shape;
	a->lit = true;
	explain_unlight(&a->explain);
	post_all(a, first);
}

void app_choose_relationship(struct app *a, const struct relationship *r)
{
	if (r == a->relationship)
		return;
	a->relationship = r;
	if (!app_has_data(a)) {
		a->shape = first_shape(a);
		a->compared = other_shape(a->shape);
	}
	pane_collections_select(a, r);
	a->lit = false;
	explain_unlight(&a->explain);
	forget_findings(a);
	growing_forget(a);
	app_measure(a);
}

void app_set_limit(struct app *a, int64_t limit_bytes)
{
	a->limit_bytes = limit_bytes;
	app_measure(a);
}

bool app_is_stale(const struct app *a, const struct snapshot *s)
{
	return s->origin_writes >= 0 && s->origin_writes < a->origin_writes;
}

static void replace(void *place, void *snapshot)
{
	void **at = place;

	snapshot_release(*at);
	*at = snapshot;
}

static void finish_toggle(struct app *a)
{
	size_t of;

	if (!a->toggling || app_rows_done(a, &of) < of)
		return;
	a->toggling = false;
	if (a->clock)
		a->toggle_micros = figure_measured(now(a) - a->toggled_us);
}

/* What the shape was built from, when that is not the whole origin. */
static void say_pulled(struct app *a, enum shape_kind shape)
{
	struct bytes text = BYTES_INIT;

	if (lab_shape_remark(a->lab, a->relationship, shape, &text))
		app_say(a, "%s", bytes_text(&text));
	bytes_clear(&text);
}

static void accept_shape(struct app *a, struct shape_snapshot *s)
{
	struct shape_findings *f = &a->findings[s->outcome.shape];

	f->status_pending = false;
	a->building_us = now(a);
	if (s->outcome.failed)
		app_complain(a, s->outcome.error.message);
	else if (figure_known(s->status.orphans) && s->status.orphans.value > 0)
		app_say(a, "%" PRId64 " children have no parent and are left out of %s", s->status.orphans.value, shape_name(s->outcome.shape));
	else
		say_pulled(a, s->outcome.shape);
	replace(&f->status, s);
}

static void accept_row(struct app *a, struct row_snapshot *r)
{
	size_t operation = (size_t)(r->outcome.snapshot.slot.subject % SUBJECTS_A_SHAPE);
	struct shape_findings *f = &a->findings[r->outcome.shape];

	f->row_pending[operation] = false;
	replace(&f->rows[operation], r);
	finish_toggle(a);
}

static int64_t collection_id(struct app *a, const char *name)
{
	size_t i = 0;

	while (i < a->collection_name_count && strcmp(a->collection_names[i], name))
		i++;
	if (i == a->collection_name_count) {
		a->collection_names = memory_resize(a->collection_names, i + 1, sizeof *a->collection_names);
		a->collection_names[a->collection_name_count++] = memory_duplicate_text(name);
	}
	return (int64_t)i;
}

/* What is whole is replaced by what is whole. */
static void accept_collections(struct app *a, struct collections_snapshot *s)
{
	struct shape_findings *f = &a->findings[s->outcome.shape];

	for (size_t i = 0; i < s->count; i++)
		s->entries[i].id = collection_id(a, s->entries[i].name);

	if (s->partial && f->collections && !f->collections->partial)
		snapshot_release(s);
	else
		replace(&f->collections, s);
}

void app_accept(struct app *a, struct snapshot *s)
{
	int index = s->slot.subject % SUBJECTS_A_SHAPE;

	if (s->slot.pane == PANE_COLLECTIONS && index > 0) {
		replace(&a->facts[index - 1], s);
		return;
	}
	if (app_is_stale(a, s)) {
		snapshot_release(s);
		return;
	}
	if (s->origin_writes > a->origin_writes)
		a->origin_writes = s->origin_writes;
	switch (s->slot.pane) {
	case PANE_SHAPES: accept_shape(a, (struct shape_snapshot *)s); break;
	case PANE_ACCESS: accept_row(a, (struct row_snapshot *)s); break;
	case PANE_PATHS: app_accept_paths(a, (struct paths_snapshot *)s); break;
	case PANE_DOCUMENT: app_accept_document(a, (struct document_snapshot *)s); break;
	case PANE_GROWTH: growing_accept(a, s); break;
	case PANE_WORKLOAD: workload_view_accept(a, (struct workload_snapshot *)s); break;
	case PANE_EXPLAIN: explain_accept(a, s); break;
	default: accept_collections(a, (struct collections_snapshot *)s); break;
	}
}

bool app_receive(struct app *a)
{
	bool any = command_log_take(a->log);
	struct worker *workers[APP_WORKERS];
	struct snapshot *s;

	app_workers(a, workers);
	for (int i = 0; i < APP_WORKERS && workers[i]; i++) {
		while ((s = worker_take(workers[i]))) {
			app_accept(a, s);
			any = true;
		}
	}
	return explain_follow_indexes(a) || any;
}

bool app_is_reading(const struct app *a)
{
	return a->reading.reading || a->reading.indexing;
}

bool app_follow_reading(struct app *a)
{
	struct source_progress before = a->reading;
	struct slot collections = slot(PANE_COLLECTIONS, a->shape, 0);
	bool was_reading = app_is_reading(a);

	if (!source_progress(lab_origin(a->lab), &a->reading))
		return false;
	if (was_reading && !app_is_reading(a)) {
		app_measure(a);
		return true;
	}
	if (before.done_bytes == a->reading.done_bytes && before.changes == a->reading.changes)
		return false;
	if (!worker_slot_busy(a->worker, collections))
		post_collections(a);
	return true;
}

size_t app_rows_done(const struct app *a, size_t *of)
{
	const struct shape_findings *f = &a->findings[a->shape];
	size_t done = 0;

	*of = a->model->operation_count;
	for (size_t i = 0; i < *of; i++)
		done += f->rows[i] != NULL && !f->row_pending[i] && indexes_are_as_measured(a, f->rows[i]);
	return done;
}

size_t app_relationship_index(const struct app *a, const struct relationship *r)
{
	return (size_t)(r - a->model->relationships);
}

const struct operation *app_operation(const struct app *a, size_t *index)
{
	int64_t id = rows_selected(&a->lists[PANE_ACCESS]);

	if (id < 0 || (size_t)id >= a->model->operation_count) /* none, or a log's */
		return NULL;
	*index = (size_t)id;
	return &a->model->operations[id];
}

const struct workload_row *app_row(const struct app *a, enum shape_kind shape, size_t operation)
{
	const struct row_snapshot *r = a->findings[shape].rows[operation];

	return r && !r->outcome.failed && indexes_are_as_measured(a, r) ? r->row : NULL;
}

void app_say(struct app *a, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(a->message, sizeof a->message, format, arguments);
	va_end(arguments);
	a->message_is_error = false;
}

void app_complain(struct app *a, const char *text)
{
	snprintf(a->message, sizeof a->message, "%s", text);
	a->message_is_error = true;
	snprintf(a->last_error, sizeof a->last_error, "%s", text);
}

void app_forget_why(struct app *a)
{
	if (a->why)
		why_clear(a->why);
	free(a->why);
	a->why = NULL;
}

void app_focus(struct app *a, enum pane p)
{
	enum pane from = a->focus == PANE_HELP ? a->came_from[PANE_HELP] : a->focus;

	if (from != p)
		a->came_from[p] = from;
	a->focus = p;
}

static void arrange_pane(struct app *a, enum pane p)
{
	const struct pane_type *type = pane_type(p);
	struct rows *l = &a->lists[p];

	rows_begin(l);
	type->list(a, l);
	rows_settle(l);
	rows_scroll(l, a->layout.panes[p].height - type->heading_lines(a));
}

void app_arrange(struct app *a, int columns, int lines)
{
	struct layout_wish wish = { .columns = columns, .lines = lines, .focus = a->focus, .zoomed = a->zoomed,
		                    .shapes = SHAPE_KINDS, .operations = pane_access_rows_wished(a) };

	a->columns = columns;
	a->lines = lines;
	a->frame_us = now(a);
	a->layout = layout_compute(&wish);
	for (int p = 0; p < PANE_COUNT; p++)
		if (a->layout.panes[p].height > 0 || p == PANE_ACCESS || p == PANE_COLLECTIONS)
			arrange_pane(a, (enum pane)p);
	app_follow_collection(a);
	if (a->layout.panes[PANE_EXPLAIN].height > 0)
		explain_follow(a);
}
