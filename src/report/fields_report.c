#include "report/fields_report.h"

#include <string.h>

#include "bson/print.h"
#include "report/figures.h"
#include "report/table.h"

static void write_parts(struct writer *w, const struct field_parts *p)
{
	writer_number(w, "values", p->values);
	writer_number(w, "keyNames", p->names);
	writer_number(w, "arrays", p->arrays);
	writer_number(w, "frames", p->frames);
}

static void write_field(struct writer *w, const struct field_bytes *f, const char *name)
{
	writer_begin_document(w, key_of(""));
	if (name)
		writer_text(w, "name", name);
	else
		writer_null(w, "name"); /* of the rest */
	writer_number(w, "count", f->count);
	writer_number(w, "bytes", f->bytes);
	write_parts(w, &f->parts);
	writer_number(w, "largest", f->largest_bytes);
	writer_begin_document(w, key_of("types"));
	for (size_t i = 1; i < FIELD_TYPES; i++)
		if (f->types[i])
			writer_number(w, value_type_name(field_type_at(i)), f->types[i]);
	writer_end(w);
	writer_end(w);
}

void fields_write(struct writer *w, const struct fields *f)
{
	const struct named_figure figures[] = { { "documents", f->documents }, { "bytes", f->bytes } };

	writer_begin_document(w, key_of("where"));
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		figures_write(w, figures[i].name, figures[i].figure);
	write_parts(w, &f->parts);
	writer_number(w, "depth", f->depth);
	if (f->broken)
		writer_number(w, "broken", f->broken);
	figures_write_provenance(w, figures, sizeof figures / sizeof *figures);
	writer_end(w);
	writer_begin_array(w, key_of("fields"));
	for (size_t i = 0; i < f->count; i++)
		write_field(w, &f->list[i], f->list[i].name);
	if (f->rest.count)
		write_field(w, &f->rest, NULL);
	writer_end(w);
}

static void print_where(const struct fields *f, struct bytes *out)
{
	char n[32], of[32];

	bytes_format(out, "  where  values %d %%  key names %d %%  arrays %d %%  overhead %d %%",
	             field_percent(f->parts.values, f->bytes.value), field_percent(f->parts.names, f->bytes.value),
	             field_percent(f->parts.arrays, f->bytes.value), field_percent(f->parts.frames, f->bytes.value));
	if (f->documents.provenance == PROVENANCE_SAMPLED)
		bytes_format(out, "  sampled %s of %s", figure_format_count(f->documents.n, n, sizeof n),
		             figure_format_count(f->documents.of, of, sizeof of));
	bytes_append_text(out, "\n");
}

static void print_field(struct table *t, const struct fields *all, const struct field_bytes *f, const char *name)
{
	struct figure largest = figure_of(f->largest_bytes, PROVENANCE_EXACT);
	struct bytes text = BYTES_INIT;

	print_text(&text, name, strlen(name));
	table_text(t, bytes_text(&text));
	table_figure(t, fields_figure(all, f->bytes));
	bytes_reset(&text);
	bytes_format(&text, "%d %%", field_percent(f->bytes, all->bytes.value));
	table_text(t, bytes_text(&text));
	table_figure(t, fields_figure(all, f->parts.values));
	table_figure(t, fields_figure(all, f->parts.names));
	table_figure(t, fields_figure(all, f->parts.arrays));
	largest.at_least = all->bytes.at_least || all->documents.provenance == PROVENANCE_SAMPLED;
	table_figure(t, largest);
	bytes_reset(&text);
	field_types_text(f, &text);
	table_text(t, bytes_text(&text));
	bytes_clear(&text);
}

void fields_print(const struct fields *f, bool ascii, struct bytes *out)
{
	static const char *const headings[] = { "field", "bytes", "share", "values", "names", "arrays", "largest", "types" };
	enum { SHOWN = 20 };
	struct field_bytes more = f->rest;
	struct bytes name = BYTES_INIT;
	struct table t;

	print_where(f, out);
	table_init(&t, "lrrrrrrl", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&t, headings[i]);
	for (size_t i = 0; i < f->count && i < SHOWN; i++)
		print_field(&t, f, &f->list[i], f->list[i].name);
	for (size_t i = SHOWN; i < f->count; i++)
		field_bytes_add(&more, &f->list[i]);
	bytes_format(&name, "%zu more", f->count > SHOWN ? f->count - SHOWN : 0);
	if (f->rest.count)
		bytes_append_text(&name, " and the rest");
	memset(more.types, 0, sizeof more.types); /* of different fields: they say nothing together */
	if (more.count)
		print_field(&t, f, &more, bytes_text(&name));
	table_print(&t, 2, out);
	table_clear(&t);
	bytes_clear(&name);
}
