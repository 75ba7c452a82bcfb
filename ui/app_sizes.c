/* The state behind the sizes and the document: what is asked for, and what was found. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "ui/pane.h"

static const struct slot fields_slot = { PANE_SIZES, 0 }, document_slot = { PANE_DOCUMENT, 0 };

static bool is_wished(const struct app *a, const char *collection, uint64_t generation)
{
	const struct fields_wish *w = &a->fields_wish;

	return w->collection && !strcmp(w->collection, collection) && w->shape == a->shape &&
	       w->collections_generation == generation;
}

/* Enough was looked at of a collection that is still being read; the rest follows when it is there. */
static bool first_are_known(const struct app *a)
{
	const struct fields_snapshot *f = app_fields(a);

	return f && f->fields && f->fields->documents.value >= FIELDS_FIRST;
}

void app_follow_collection(struct app *a)
{
	const struct collections_snapshot *c = a->findings[a->shape].collections;
	const char *name = pane_collections_name(a);
	const struct sizes *sizes = name ? pane_collections_sizes(a, a->shape, name) : NULL;
	bool reading = app_is_reading(a), elsewhere = a->relationship && a->shape != a->relationship->origin;
	struct subject s = app_subject(a);

	if (!sizes || is_wished(a, name, c->outcome.snapshot.generation))
		return;
	if (reading ? elsewhere || first_are_known(a) || worker_slot_busy(a->worker, fields_slot) : c->partial)
		return;
	free(a->fields_wish.collection);
	a->fields_wish = (struct fields_wish){ memory_duplicate_text(name), a->shape, c->outcome.snapshot.generation };
	worker_post(a->worker, fields_slot, job_fields(&s, name, reading));
}

void app_accept_fields(struct app *a, struct fields_snapshot *s)
{
	snapshot_release(a->fields);
	a->fields = s;
}

const struct fields_snapshot *app_fields(const struct app *a)
{
	const char *name = pane_collections_name(a);

	return name && a->fields && a->fields->outcome.shape == a->shape && !strcmp(a->fields->collection, name)
	               ? a->fields
	               : NULL;
}

static void forget_document(struct app *a)
{
	document_view_destroy(a->document_view);
	snapshot_release(a->document);
	free(a->document_name);
	a->document_view = NULL;
	a->document = NULL;
	a->document_name = NULL;
}

static char *name_of(const struct app *a, const struct sizes *sizes, size_t which)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 120 };
	const struct largest_document *l = &sizes->largest[which];
	struct bytes text = BYTES_INIT;
	struct value id;

	print_text(&text, sizes->collection, strlen(sizes->collection));
	if (value_document(&id, l->id.data, l->id.size)) {
		bytes_format(&text, " · %s ", model_key(a->model, sizes->collection));
		print_value(&text, value_get(id, ""), &shell);
	}
	return bytes_take_text(&text);
}

void app_open_document(struct app *a, const struct sizes *sizes, size_t which)
{
	struct subject s = app_subject(a);
	struct rows *l = &a->lists[PANE_DOCUMENT];

	forget_document(a);
	rows_clear(l);
	a->document_name = name_of(a, sizes, which);
	worker_post(a->worker, document_slot, job_document(&s, sizes, which));
	app_focus(a, PANE_DOCUMENT);
}

void app_accept_document(struct app *a, struct document_snapshot *s)
{
	snapshot_release(a->document);
	document_view_destroy(a->document_view);
	a->document = s;
	a->document_view = s->tree ? document_view_new(s->tree) : NULL;
}

void app_forget_sizes(struct app *a)
{
	forget_document(a);
	snapshot_release(a->fields);
	a->fields = NULL;
	free(a->fields_wish.collection);
	a->fields_wish.collection = NULL;
}
