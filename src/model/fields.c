#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"

void field_bytes_add(struct field_bytes *sum, const struct field_bytes *more)
{
	sum->count += more->count;
	sum->bytes += more->bytes;
	if (more->largest_bytes > sum->largest_bytes)
		sum->largest_bytes = more->largest_bytes;
	field_parts_add(&sum->parts, &more->parts);
	for (size_t i = 0; i < FIELD_TYPES; i++)
		sum->types[i] += more->types[i];
}

/* The codes up to 0x13, then those of the greatest and the least key. */
size_t field_type_slot(uint8_t type)
{
	enum { REGULAR = 0x13, MAX_KEY_SLOT, MIN_KEY_SLOT, NO_TYPE };

	if (type && type <= REGULAR)
		return type;
	return type == BSON_TYPE_MAXKEY ? MAX_KEY_SLOT : type == BSON_TYPE_MINKEY ? MIN_KEY_SLOT : NO_TYPE;
}

uint8_t field_type_at(size_t slot)
{
	return slot == 0x14 ? BSON_TYPE_MAXKEY : slot == 0x15 ? BSON_TYPE_MINKEY : slot < 0x14 ? (uint8_t)slot : 0;
}

static int most_bytes_first(const void *a, const void *b)
{
	const struct field_bytes *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void fill(struct field_bytes *f, const struct path_node *n)
{
	f->count = n->count;
	f->bytes = n->bytes;
	f->largest_bytes = n->largest_bytes;
	f->parts = n->parts;
	for (size_t i = 0; i < n->type_count; i++)
		f->types[field_type_slot(n->types[i].type)] += n->types[i].count;
}

struct fields *fields_of_paths(const struct paths *p)
{
	const struct path_node *root = p->tree.root;
	struct fields *f = memory_allocate_zeroed(1, sizeof *f);

	f->db = memory_duplicate_text(p->db);
	f->collection = memory_duplicate_text(p->collection);
	f->documents = p->documents;
	f->bytes = p->bytes;
	f->parts = root->parts;
	f->broken = p->tree.broken;
	f->depth = (int)p->tree.deepest.value;
	f->list = memory_allocate_zeroed(root->child_count, sizeof *f->list);
	for (size_t i = 0; i < root->child_count; i++) {
		const struct path_node *n = root->children[i];

		fill(n->kind == PATH_FOLDED ? &f->rest : &f->list[f->count], n);
		if (n->kind != PATH_FOLDED)
			f->list[f->count++].name = memory_duplicate_text(n->key);
	}
	if (f->count)
		qsort(f->list, f->count, sizeof *f->list, most_bytes_first);
	return f;
}

struct reporting {
	fields_report report;
	void *context;
};

static void report_fields(void *context, struct paths *so_far)
{
	const struct reporting *r = context;
	struct fields *f = fields_of_paths(so_far);

	paths_destroy(so_far);
	r->report(r->context, f);
}

static struct fields *measure(struct source *s, const struct paths_wish *wish, const struct interrupt *interrupt, bson_error_t *error)
{
	struct paths *p = paths_measure(s, wish, interrupt, error);
	struct fields *f = p ? fields_of_paths(p) : NULL;

	paths_destroy(p);
	return f;
}

struct fields *fields_measure(struct source *s, const char *db, const char *collection, int64_t sample,
                              fields_report report, void *context, const struct interrupt *interrupt,
                              bson_error_t *error)
{
	struct reporting r = { report, context };
	struct paths_wish wish = { .db = db, .collection = collection, .sample = sample, .report = report ? report_fields : NULL, .context = &r };

	return measure(s, &wish, interrupt, error);
}

struct fields *fields_measure_first(struct source *s, const char *db, const char *collection,
                                    const struct interrupt *interrupt, bson_error_t *error)
{
	struct paths_wish wish = { .db = db, .collection = collection, .sample = FIELDS_SAMPLE, .first = FIELDS_FIRST };

	return measure(s, &wish, interrupt, error);
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
