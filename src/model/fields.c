#include "model/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/engine.h"
#include "model/count.h"
#include "model/cursor.h"

enum { REPORT_US = 100000 };

struct gathering {
	struct source *source;
	const char *db, *collection;
	struct field_tally tally;
	int64_t of; /* documents that a sample was drawn from; 0: no sample */
	bool at_least;
	int64_t first; /* the walk ends after so many; 0: at the end */
	fields_report report;
	void *context;
	int64_t reported_us;
};

static int most_bytes_first(const void *a, const void *b)
{
	const struct field_bytes *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct figure total(const struct gathering *g, int64_t value)
{
	struct figure f = figure_of(value, g->of ? PROVENANCE_SAMPLED : PROVENANCE_EXACT);

	f.at_least = g->at_least;
	if (g->of) {
		f.n = g->tally.documents;
		f.of = g->of;
	}
	return f;
}

static struct fields *fields_of(const struct gathering *g)
{
	const struct field_tally *t = &g->tally;
	struct fields *f = memory_allocate_zeroed(1, sizeof *f);

	f->db = memory_duplicate_text(g->db);
	f->collection = memory_duplicate_text(g->collection);
	f->documents = total(g, t->documents);
	f->bytes = total(g, t->bytes);
	f->parts = t->parts;
	f->list = memory_allocate_zeroed(t->count, sizeof *f->list);
	f->count = t->count;
	for (size_t i = 0; i < t->count; i++) {
		f->list[i] = t->list[i];
		f->list[i].name = memory_duplicate_text(t->list[i].name);
	}
	if (f->count)
		qsort(f->list, f->count, sizeof *f->list, most_bytes_first);
	f->rest = t->rest;
	f->broken = t->broken;
	f->depth = t->depth;
	return f;
}

static void tell(struct gathering *g)
{
	int64_t now_us = interrupt_now_us();
	bool at_least = g->at_least;

	if (!g->report || now_us - g->reported_us < REPORT_US)
		return;
	g->reported_us = now_us;
	g->at_least = true;
	g->report(g->context, fields_of(g));
	g->at_least = at_least;
}

static void take(void *context, struct value document)
{
	field_tally_add(&((struct gathering *)context)->tally, document);
}

static bool has_enough(const struct gathering *g)
{
	return g->first && g->tally.documents >= g->first;
}

static bool pause_walk(void *context, bson_error_t *error)
{
	(void)error;
	tell(context);
	return !has_enough(context);
}

static bool take_result(void *context, struct value document, bson_error_t *error)
{
	(void)error;
	take(context, document);
	tell(context);
	return true;
}

/* All when they are few enough, else a sample. */
static bool gather_by_commands(struct gathering *g, int64_t sample, const struct interrupt *interrupt,
                               bson_error_t *error)
{
	bson_t *command;
	int64_t count = 0;
	bool good;

	if (sample && !count_documents(g->source, g->db, g->collection, &count, interrupt, error))
		return false;
	if (count > sample) {
		g->of = count;
		command = BCON_NEW("aggregate", BCON_UTF8(g->collection), "pipeline", "[", "{", "$sample", "{", "size",
		                   BCON_INT64(sample), "}", "}", "]", "cursor", "{", "}");
	} else {
		command = BCON_NEW("find", BCON_UTF8(g->collection), "filter", "{", "}");
	}
	good = cursor_run(g->source, g->db, command, take_result, g, interrupt, error);
	bson_destroy(command);
	return good;
}

static bool gather(struct gathering *g, int64_t sample, const struct interrupt *interrupt, bson_error_t *error)
{
	const struct engine_document_walk walk = { .take = take, .pause = pause_walk, .context = g };
	struct engine *e = source_engine(g->source);

	return e ? engine_walk_documents(e, g->db, g->collection, &walk, interrupt, error) || has_enough(g)
	         : gather_by_commands(g, sample, interrupt, error);
}

struct fields *fields_measure(struct source *s, const char *db, const char *collection, int64_t sample,
                              fields_report report, void *context, const struct interrupt *interrupt,
                              bson_error_t *error)
{
	struct gathering g = { .source = s, .db = db, .collection = collection, .report = report, .context = context,
		               .reported_us = interrupt_now_us() };
	struct bytes remark = BYTES_INIT;
	struct fields *result;

	field_tally_init(&g.tally);
	source_remark(s, db, collection, &remark, &g.at_least);
	bytes_clear(&remark);
	result = gather(&g, sample, interrupt, error) ? fields_of(&g) : NULL;
	field_tally_clear(&g.tally);
	return result;
}

struct fields *fields_measure_first(struct source *s, const char *db, const char *collection,
                                    const struct interrupt *interrupt, bson_error_t *error)
{
	struct gathering g = { .source = s, .db = db, .collection = collection, .at_least = true, .first = FIELDS_FIRST };
	struct fields *result;

	field_tally_init(&g.tally);
	result = gather(&g, FIELDS_SAMPLE, interrupt, error) ? fields_of(&g) : NULL;
	field_tally_clear(&g.tally);
	return result;
}

void fields_destroy(struct fields *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++)
		free(f->list[i].name);
	free(f->list);
	free(f->db);
	free(f->collection);
	free(f);
}

struct figure fields_figure(const struct fields *f, int64_t part_bytes)
{
	struct figure bytes = figure_of(part_bytes, PROVENANCE_EXACT);

	bytes.at_least = f->bytes.at_least;
	if (f->documents.provenance != PROVENANCE_SAMPLED || f->documents.n <= 0)
		return bytes;
	bytes.value = (int64_t)((double)part_bytes / (double)f->documents.n * (double)f->documents.of + 0.5);
	bytes.provenance = PROVENANCE_ESTIMATED;
	return bytes;
}

int field_percent(int64_t part, int64_t whole)
{
	return whole ? (int)((double)part / (double)whole * 100 + 0.5) : 0;
}

void field_types_text(const struct field_bytes *f, struct bytes *out)
{
	int64_t left[FIELD_TYPES];

	memcpy(left, f->types, sizeof left);
	for (bool first = true;; first = false) {
		size_t most = 0;
		int percent;

		for (size_t i = 1; i < FIELD_TYPES; i++)
			if (left[i] > left[most])
				most = i;
		if (!left[most])
			return;
		percent = field_percent(left[most], f->count);
		percent = percent < 1 ? 1 : percent > 99 && left[most] < f->count ? 99 : percent;
		bytes_format(out, "%s%s %d %%", first ? "" : ", ", value_type_name(field_type_at(most)), percent);
		left[most] = 0;
	}
}

void fields_types_text(const struct fields *f, struct bytes *out)
{
	char **types = memory_allocate_zeroed(f->count, sizeof *types);

	for (size_t i = 0; i < f->count; i++) {
		struct bytes text = BYTES_INIT;

		field_types_text(&f->list[i], &text);
		types[i] = bytes_take_text(&text);
	}
	for (size_t i = 0; i < f->count; i++) {
		if (!types[i])
			continue;
		bytes_append_text(out, out->size ? "; " : "");
		print_text(out, f->list[i].name, strlen(f->list[i].name));
		for (size_t n = i + 1; n < f->count; n++) {
			if (!types[n] || strcmp(types[n], types[i]))
				continue;
			bytes_append_text(out, " ");
			print_text(out, f->list[n].name, strlen(f->list[n].name));
			free(types[n]);
			types[n] = NULL;
		}
		bytes_format(out, ": %s", types[i]);
		free(types[i]);
		types[i] = NULL;
	}
	free(types);
}
