#include "model/draw.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "model/cursor.h"

struct draws {
	atomic_int references;
	struct bytes documents; /* one after the other */
	size_t *offsets;
	size_t count, capacity;
};

static bool keep(void *context, struct value document, bson_error_t *error)
{
	struct draws *d = context;

	(void)error;
	d->offsets = memory_grow(d->offsets, &d->capacity, d->count + 1, sizeof *d->offsets);
	d->offsets[d->count++] = d->documents.size;
	bytes_append(&d->documents, document.bytes, document.size_bytes);
	return true;
}

static struct draws *draws_new(void)
{
	struct draws *d = memory_allocate_zeroed(1, sizeof *d);

	atomic_init(&d->references, 1);
	return d;
}

struct draws *draws_run(struct source *s, const char *db, const struct bytes *command,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	struct draws *d = draws_new();
	bson_t request;

	if (!bson_init_static(&request, command->data, command->size) ||
	    !cursor_run(s, db, &request, keep, d, interrupt, error)) {
		draws_release(d);
		return NULL;
	}
	return d;
}

struct draws *draws_none(void)
{
	struct draws *d = draws_new();
	static const uint8_t empty[5] = { 5 };

	keep(d, (struct value){ empty, sizeof empty, BSON_TYPE_DOCUMENT }, NULL);
	return d;
}

struct draws *draws_share(struct draws *d)
{
	atomic_fetch_add(&d->references, 1);
	return d;
}

void draws_release(struct draws *d)
{
	if (!d || atomic_fetch_sub(&d->references, 1) > 1)
		return;
	bytes_clear(&d->documents);
	free(d->offsets);
	free(d);
}

size_t draws_count(const struct draws *d)
{
	return d->count;
}

struct value draws_at(const struct draws *d, size_t i)
{
	struct value v;

	value_document(&v, d->documents.data + d->offsets[i], d->documents.size - d->offsets[i]);
	return v;
}

/* {$draw: "field"} and nothing else. */
static bool is_marker(struct value v, struct key *field)
{
	struct walk w;
	struct field f, more;

	if (!value_is_document(v))
		return false;
	walk_begin(&w, v);
	if (!walk_next(&w, &f) || !key_is(f.key, "$draw") || f.value.type != BSON_TYPE_UTF8 || walk_next(&w, &more))
		return false;
	*field = value_text(f.value);
	return true;
}

/* False: the draw has no field `missing`. A command is as deep as the file it was read from: at most 250 levels. */
static bool fill(struct writer *w, struct value document, struct value draw, struct key *missing)
{
	struct walk walk;
	struct field f;

	walk_begin(&walk, document);
	while (walk_next(&walk, &f)) {
		if (is_marker(f.value, missing)) {
			struct value drawn = value_get_key(draw, *missing);

			if (value_is_missing(drawn))
				return false;
			writer_value(w, f.key, drawn);
		} else if (value_is_document(f.value) || value_is_array(f.value)) {
			if (value_is_array(f.value))
				writer_begin_array(w, f.key);
			else
				writer_begin_document(w, f.key);
			if (!fill(w, f.value, draw, missing))
				return false;
			writer_end(w);
		} else {
			writer_value(w, f.key, f.value);
		}
	}
	return true;
}

static bool fail_missing(const struct model *m, unsigned line, struct key name, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, name.bytes, name.size_bytes);
	error_set(error, ERROR_INPUT, 0, "%s:%u: a draw has no field \"%s\"", m->name, line, bytes_text(&text));
	bytes_clear(&text);
	return false;
}

bool draw_fill(const struct model *m, const struct command_set *set, size_t index, struct value draw, struct bytes *out,
               bson_error_t *error)
{
	struct value command;
	struct writer w;
	struct key missing;
	size_t before = out->size;

	value_document(&command, set->commands[index].data, set->commands[index].size);
	writer_begin(&w, out);
	if (!fill(&w, command, draw, &missing)) {
		out->size = before;
		return fail_missing(m, set->lines[index], missing, error);
	}
	writer_finish(&w);
	return true;
}
