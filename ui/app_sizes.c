/* The state behind the sizes, the paths and the document: what is asked for, and what was found. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "ui/document_place.h"
#include "ui/pane.h"

enum { OF_COLLECTION, OF_DOCUMENT };
static const struct slot paths_slot = { PANE_PATHS, OF_COLLECTION }, document_paths_slot = { PANE_PATHS, OF_DOCUMENT },
                         document_slot = { PANE_DOCUMENT, 0 };

static bool is_wished(const struct app *a, const struct paths_request *r)
{
	const struct paths_request *w = &a->paths_request;

	return w->collection && !strcmp(w->collection, r->collection) && w->shape == r->shape && w->first <= r->first &&
	       w->posted >= r->posted && w->sample >= r->sample;
}

/* Enough was looked at of a collection that is still being read; the rest follows when it is there. */
static bool first_are_known(const struct app *a)
{
	const struct paths_snapshot *p = app_paths(a);

	return p && p->fields && p->fields->documents.value >= FIELDS_FIRST;
}

static bool are_looked_at(const struct app *a)
{
	return a->layout.panes[PANE_PATHS].height > 0 && !a->paths_view.of_document;
}

/* What is looked at comes at once, before its sizes are known; the sizes' summary when there is nothing else to do. */
static bool is_due(const struct app *a, const struct collections_snapshot *c, const struct sizes *sizes)
{
	if (sizes && pane_sizes_why_nothing(sizes))
		return false;
	if (are_looked_at(a))
		return app_has_data(a) || (sizes && !c->partial);
	return sizes && !worker_busy(a->worker);
}

void app_forget_paths_request(struct app *a)
{
	free(a->paths_request.collection);
	a->paths_request.collection = NULL;
}

void app_follow_collection(struct app *a)
{
	const struct collections_snapshot *c = a->findings[a->shape].collections;
	const char *name = pane_collections_name(a);
	const struct sizes *sizes = name ? pane_collections_sizes(a, a->shape, name) : NULL;
	bool reading = app_is_reading(a), elsewhere = a->relationship && a->shape != a->relationship->origin;
	/* of a server's documents few are enough for the sizes' summary */
	struct paths_request request = { .collection = (char *)name, .shape = a->shape, .first = reading,
		                         .sample = are_looked_at(a) ? SAMPLING_DOCUMENTS : FIELDS_SAMPLE };
	struct subject s = app_subject(a);

	if (!c || !name || !is_due(a, c, sizes))
		return;
	request.posted = c->outcome.snapshot.generation;
	if (is_wished(a, &request) || (reading && (elsewhere || first_are_known(a) || worker_slot_busy(a->looker, paths_slot))))
		return;
	app_forget_paths_request(a);
	request.collection = memory_duplicate_text(name);
	request.posted = worker_generation(a->worker);
	a->paths_request = request;
	worker_post(a->looker, paths_slot, job_paths(&s, name, reading, request.sample));
}

void app_accept_paths(struct app *a, struct paths_snapshot *s)
{
	struct paths_snapshot **place = s->outcome.snapshot.slot.subject == OF_DOCUMENT ? &a->document_paths : &a->paths;

	snapshot_release(*place);
	*place = s;
}

const struct paths_snapshot *app_paths(const struct app *a)
{
	const char *name = pane_collections_name(a);

	return name && a->paths && a->paths->outcome.shape == a->shape && !strcmp(a->paths->collection, name) ? a->paths : NULL;
}

const struct paths_snapshot *app_viewed_paths(const struct app *a)
{
	return a->paths_view.of_document ? a->document_paths : app_paths(a);
}

bool app_counts_paths(const struct app *a)
{
	return worker_slot_busy(a->looker, a->paths_view.of_document ? document_paths_slot : paths_slot);
}

static void show_paths(struct app *a, bool of_document)
{
	rows_clear(&a->lists[PANE_PATHS]);
	paths_view_leave_all(&a->paths_view);
	a->paths_view.of_document = of_document;
	app_focus(a, PANE_PATHS);
}

void app_open_paths(struct app *a)
{
	const char *name = pane_collections_name(a), *error = name ? pane_collections_error(a, name) : NULL;
	const struct sizes *sizes = name ? pane_collections_sizes(a, a->shape, name) : NULL;
	const char *why = sizes ? pane_sizes_why_nothing(sizes) : NULL;

	if (error)
		app_complain(a, error);
	else if (!name || why)
		app_say(a, "%s%s%s", name ? name : "no collection is selected", why ? ": " : "", why ? why : "");
	else
		show_paths(a, false);
}

void app_open_document_paths(struct app *a)
{
	struct subject s = app_subject(a);

	if (!a->document || !a->document->tree) {
		app_say(a, "no document is open");
		return;
	}
	if (!a->document_paths)
		worker_post(a->looker, document_paths_slot, job_document_paths(&s, a->document_collection, a->document));
	a->paths_came_from = a->came_from[PANE_PATHS];
	show_paths(a, true);
}

void app_close_document_paths(struct app *a)
{
	paths_view_leave_all(&a->paths_view);
	rows_clear(&a->lists[PANE_PATHS]);
	a->paths_view.of_document = false;
	a->came_from[PANE_PATHS] = a->paths_came_from; /* or the two would lead to each other for ever */
	a->focus = PANE_DOCUMENT;
}

static void set_goal(struct app *a, bool fattest, const struct paths_snapshot *paths, const struct path_node *node)
{
	snapshot_release(a->document_goal.paths);
	a->document_goal = (struct document_goal){ fattest, paths ? snapshot_hold((void *)paths) : NULL, node };
}

static void forget_document(struct app *a)
{
	document_view_destroy(a->document_view);
	snapshot_release(a->document);
	snapshot_release(a->document_paths);
	free(a->document_name);
	free(a->document_collection);
	set_goal(a, false, NULL, NULL);
	a->document_view = NULL;
	a->document = NULL;
	a->document_paths = NULL;
	a->document_name = a->document_collection = NULL;
}

static char *name_of(const struct app *a, const char *collection, struct value id)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 120 };
	struct bytes text = BYTES_INIT;

	print_text(&text, collection, strlen(collection));
	if (!value_is_missing(id)) {
		bytes_format(&text, " · %s ", model_key(a->model, collection));
		print_value(&text, id, &shell);
	}
	return bytes_take_text(&text);
}

static void read_document(struct app *a, const struct document_wish *wish)
{
	struct subject s = app_subject(a);

	worker_cancel(a->looker, document_paths_slot);
	forget_document(a);
	rows_clear(&a->lists[PANE_DOCUMENT]);
	a->document_name = name_of(a, wish->collection, wish->id);
	a->document_collection = memory_duplicate_text(wish->collection);
	worker_post(a->looker, document_slot, job_document(&s, wish));
	app_focus(a, PANE_DOCUMENT);
}

void app_open_document(struct app *a, const struct sizes *sizes, size_t which, bool at_fattest)
{
	struct document_wish wish = document_of_largest(sizes, which, NULL);

	read_document(a, &wish);
	set_goal(a, at_fattest, NULL, NULL);
}

static void go_to(struct app *a, size_t node)
{
	document_view_reveal(a->document_view, node);
	rows_select(&a->lists[PANE_DOCUMENT], document_view_row(node));
}

/* In the open document itself; another is read. */
void app_open_marked(struct app *a, const struct path_mark *mark, const struct path_node *node)
{
	const struct paths_snapshot *p = app_viewed_paths(a);
	struct document_wish wish = { .collection = p->collection, .id = wrapped_value(&mark->id), .size_bytes = -1 };

	if (a->paths_view.of_document) {
		size_t there = document_place_of(a->document->tree, node); /* the node goes with the view */

		app_close_document_paths(a);
		go_to(a, there);
	} else if (!mark->id.size && !app_has_data(a)) {
		app_say(a, "it has no %s to be found by", model_key(a->model, p->collection));
	} else {
		wish.skipped = mark->id.size ? 0 : mark->position;
		p = snapshot_hold((void *)p);
		read_document(a, &wish);
		set_goal(a, false, p, node);
		snapshot_release((void *)p);
	}
}

static void go_to_goal(struct app *a)
{
	const struct document_goal *g = &a->document_goal;

	if (g->fattest)
		go_to(a, document_place_fattest(a->document->tree));
	else if (g->paths)
		go_to(a, document_place_of(a->document->tree, g->node));
}

void app_accept_document(struct app *a, struct document_snapshot *s)
{
	snapshot_release(a->document);
	document_view_destroy(a->document_view);
	a->document = s;
	a->document_view = s->tree ? document_view_new(s->tree) : NULL;
	if (s->tree)
		go_to_goal(a);
	set_goal(a, false, NULL, NULL);
}

void app_forget_sizes(struct app *a)
{
	forget_document(a);
	snapshot_release(a->paths);
	a->paths = NULL;
	app_forget_paths_request(a);
}
