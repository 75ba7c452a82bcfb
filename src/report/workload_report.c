#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "model/workload.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/table.h"

/* A shape with its rows; the text report sets it against another. */
struct measured {
	enum shape_kind shape;
	struct shape_status status;
	struct workload_row **rows; /* one an operation */
	size_t count;
};

static void clear(struct measured *m)
{
	for (size_t i = 0; i < m->count; i++)
		workload_row_destroy(m->rows[i]);
	free(m->rows);
}

static bool measure(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct measured *m,
                    bson_error_t *error)
{
	const struct model *model = lab_model(lab);

	*m = (struct measured){ .shape = shape };
	if (!lab_build(lab, r, shape, NULL, error))
		return false;
	m->status = lab_shape_status(lab, r, shape, NULL);
	m->rows = memory_allocate_zeroed(model->operation_count, sizeof *m->rows);
	for (size_t i = 0; i < model->operation_count; i++) {
		struct workload_row *row = workload_measure(lab, r, shape, &model->operations[i], NULL);

		m->rows[m->count++] = row;
	}
	return true;
}

/* JSON */

static void write_cost(struct writer *w, const struct cost *cost)
{
	writer_begin_document(w, key_of("cost"));
#define X(field, json, heading)                                                                                        \
	if (&cost->field != &cost->micros)                                                                             \
		figures_write(w, json, cost->field);                                                                   \
	else if (figure_known(cost->field))                                                                            \
		writer_double(w, json, (double)cost->field.value / 1000);                                              \
	else                                                                                                           \
		writer_null(w, json);
	COST_FIELDS(X)
#undef X
	writer_end(w);
}

static void write_operation(struct writer *w, const struct workload_row *row)
{
	const struct operation *o = row->operation;
	const struct named_figure figures[] = {
#define X(field, json, heading) { json, row->total.field },
		COST_FIELDS(X)
#undef X
		        { "perSecond", figure_of(0, PROVENANCE_ASSUMED) },
	};
	size_t count = sizeof figures / sizeof *figures - (o->per_second < 0);

	writer_begin_document(w, key_of(""));
	writer_text(w, "name", o->name);
	writer_text(w, "type", o->type == OPERATION_READ ? "read" : "write");
	writer_text(w, "frequency", o->frequency);
	if (row->failed)
		writer_text(w, "error", row->error.message);
	if (o->per_second < 0)
		writer_null(w, "perSecond");
	else
		writer_double(w, "perSecond", o->per_second);
	writer_begin_array(w, key_of("commands"));
	for (size_t i = 0; i < row->command_count; i++) {
		struct value command;

		if (value_document(&command, row->commands[i].command.data, row->commands[i].command.size))
			writer_put(w, "", command);
	}
	writer_end(w);
	write_cost(w, &row->total);
	figures_write_provenance(w, figures, count);
	writer_end(w);
}

static void print_json(struct lab *lab, const struct relationship *r, const struct measured *m, struct bytes *out)
{
	struct bytes document = BYTES_INIT, remark = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	writer_text(&w, "source", lab_origin(lab)->name);
	writer_text(&w, "relationship", r->name);
	writer_text(&w, "shape", shape_name(m->shape));
	writer_number(&w, "limit", lab_limit_bytes(lab));
	writer_begin_document(&w, key_of("atRest"));
	figures_write(&w, "documents", m->status.documents);
	figures_write(&w, "bytes", m->status.bytes);
	figures_write(&w, "largest", m->status.largest);
	figures_write(&w, "headroom", m->status.headroom);
	writer_end(&w);
	if (lab_shape_remark(lab, r, m->shape, &remark))
		writer_text(&w, "remark", bytes_text(&remark));
	bytes_clear(&remark);
	writer_begin_array(&w, key_of("operations"));
	for (size_t i = 0; i < m->count; i++)
		write_operation(&w, m->rows[i]);
	writer_end(&w);
	json_print(&w, out);
}

/* Text */

static void print_head(struct lab *lab, const struct relationship *r, const struct measured *m,
                       const struct measured *other, bool ascii, struct bytes *out)
{
	char limit[32];

	bytes_format(out, "%s  relationship %s: %s %s %s (array \"%s\")  limit %s bytes\n", lab_origin(lab)->name,
	             r->name, r->parent, ascii ? "<-" : "⟵", r->child, r->path,
	             figure_format_count(lab_limit_bytes(lab), limit, sizeof limit));
	bytes_format(out, "shape %s; ratios against %s\n\n", shape_name(m->shape), shape_name(other->shape));
}

static void print_at_rest(const struct measured *m, const struct measured *other, bool ascii, struct bytes *out)
{
	const struct measured *const both[] = { m, other };
	struct table t;

	table_init(&t, "llrrrr", ascii);
	table_text(&t, "");
	table_text(&t, "at rest");
	table_text(&t, "docs");
	table_text(&t, "bytes");
	table_text(&t, "largest");
	table_text(&t, "headroom");
	for (size_t i = 0; i < 2; i++) {
		table_text(&t, i ? "" : ascii ? ">" : "▸");
		table_text(&t, shape_name(both[i]->shape));
		table_figure(&t, both[i]->status.documents);
		table_figure(&t, both[i]->status.bytes);
		table_figure(&t, both[i]->status.largest);
		table_figure(&t, both[i]->status.headroom);
	}
	table_print(&t, 0, out);
	table_clear(&t);
	for (size_t i = 0; i < 2; i++) {
		char count[32];

		if (figure_known(both[i]->status.orphans) && both[i]->status.orphans.value > 0)
			bytes_format(out, "  %s: %s children have no parent and are left out\n",
			             shape_name(both[i]->shape),
			             figure_format_count(both[i]->status.orphans.value, count, sizeof count));
	}
	bytes_append_byte(out, '\n');
}

/* Shapes that were built from a part of what a server has. */
static void print_pulled(struct lab *lab, const struct relationship *r, struct bytes *out)
{
	for (int shape = 0; shape < SHAPE_KINDS; shape++) {
		struct bytes remark = BYTES_INIT;

		if (lab_shape_remark(lab, r, (enum shape_kind)shape, &remark))
			bytes_format(out, "%s: %s\n\n", shape_name((enum shape_kind)shape), bytes_text(&remark));
		bytes_clear(&remark);
	}
}

/* Blank where an operation has none: reads write nothing, most writes return nothing. */
static void add_figure(struct table *t, struct figure f)
{
	if (figure_known(f) && f.value == 0)
		table_text(t, "");
	else
		table_figure(t, f);
}

static void print_operations(const struct measured *m, const struct measured *other, bool ascii, struct bytes *out)
{
	static const char *const headings[] = {
		"operation", "type",     "frequency",    "trips",         "", "docs",   "",  "keys", "bytes read",
		"",          "returned", "docs written", "bytes written", "", "no-ops", "ms"
	};
	struct table t;

	table_init(&t, "lllrrrrrrrrrrrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&t, headings[i]);
	for (size_t i = 0; i < m->count; i++) {
		const struct operation *o = m->rows[i]->operation;
		const struct cost *c = &m->rows[i]->total, *against = &other->rows[i]->total;
		char text[160], count[32];

		snprintf(text, sizeof text, "%s%s%s", o->name,
		         m->rows[i]->calls == 1 ? ""
		         : ascii                ? " *"
		                                : " ·",
		         m->rows[i]->calls == 1 ? "" : figure_format_count(m->rows[i]->calls, count, sizeof count));
		table_text(&t, text);
		table_text(&t, o->type == OPERATION_READ ? "read" : "write");
		table_text(&t, o->frequency);
		table_figure(&t, c->round_trips);
		table_ratio(&t, c->round_trips, against->round_trips);
		table_figure(&t, c->docs_examined);
		table_ratio(&t, c->docs_examined, against->docs_examined);
		table_figure(&t, c->keys_examined);
		table_figure(&t, c->bytes_read);
		table_ratio(&t, c->bytes_read, against->bytes_read);
		add_figure(&t, c->docs_returned);
		add_figure(&t, c->docs_written);
		add_figure(&t, c->bytes_written);
		table_ratio(&t, c->bytes_written, against->bytes_written);
		add_figure(&t, c->no_ops);
		snprintf(text, sizeof text, "%.3f", (double)c->micros.value / 1000);
		table_text(&t, figure_known(c->micros) ? text : ascii ? "-" : "—");
	}
	table_print(&t, 0, out);
	table_clear(&t);
}

/* Operations that could not be measured, and why. */
static void print_failures(const struct measured *m, struct bytes *out)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->rows[i]->failed)
			bytes_format(out, "not measured in shape %s: %s: %s\n", shape_name(m->shape),
			             m->rows[i]->operation->name, m->rows[i]->error.message);
}

/* True: all were measured. */
static bool check_rows(const struct measured *m, bson_error_t *error)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->rows[i]->failed)
			return error_set(error, m->rows[i]->error.domain, m->rows[i]->error.code,
			                 "operation \"%s\", shape \"%s\": %s", m->rows[i]->operation->name,
			                 shape_name(m->shape), m->rows[i]->error.message);
	return true;
}

static void add_command(const struct command_cost *c, size_t number, struct table *t)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 100 };
	struct bytes text = BYTES_INIT;
	struct value command;

	bytes_format(&text, "%zu", number);
	table_text(t, bytes_text(&text));
	table_text(t, c->plan ? c->plan : t->ascii ? "-" : "—");
	table_figure(t, c->cost.docs_examined);
	table_figure(t, c->cost.bytes_read);
	add_figure(t, c->cost.bytes_written);
	bytes_reset(&text);
	if (value_document(&command, c->command.data, c->command.size))
		print_value(&text, command, &shell);
	table_text(t, bytes_text(&text));
	bytes_clear(&text);
}

static void print_commands(const struct measured *m, bool ascii, struct bytes *out)
{
	static const char *const headings[] = { "", "", "plan", "docs", "bytes read", "bytes written", "command" };
	struct table t;

	bytes_format(out, "\ncommands in shape %s\n", shape_name(m->shape));
	table_init(&t, "lrlrrrl", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&t, headings[i]);
	for (size_t i = 0; i < m->count; i++) {
		const struct workload_row *row = m->rows[i];

		for (size_t c = 0; c < row->command_count; c++) {
			table_text(&t, c ? "" : row->operation->name);
			add_command(&row->commands[c], c + 1, &t);
		}
	}
	table_print(&t, 0, out);
	table_clear(&t);
}

/* True: all that is known of the cost, but the round trips, came to be known in that way. */
static bool is_all(const struct cost *c, enum provenance p)
{
	bool all = true;

#define X(field, json, heading) \
	all = all && (&c->field == &c->round_trips || !figure_known(c->field) || c->field.provenance == p);
	COST_FIELDS(X)
#undef X
	return all;
}

static void print_fields_provenance(const struct workload_row *row, struct bytes *out)
{
	const struct cost *c = &row->total;

#define X(field, json, heading)                                                                            \
	if (c->field.provenance != PROVENANCE_MEASURED)                                                    \
		bytes_format(out, "; %s, %s: %s", row->operation->name, heading, provenance_text(c->field.provenance));
	COST_FIELDS(X)
#undef X
}

/* Most figures have one provenance: it is said once, and the others by name. */
static void print_provenance(const struct measured *m, struct bytes *out)
{
	bytes_format(out, "\nat rest: %s; costs: measured", provenance_text(m->status.bytes.provenance));
	for (size_t i = 0; i < m->count; i++) {
		const struct workload_row *row = m->rows[i];

		if (row->failed)
			continue;
		if (is_all(&row->total, PROVENANCE_SAMPLED))
			bytes_format(out, "; %s: sampled", row->operation->name);
		else
			print_fields_provenance(row, out);
	}
	bytes_append_byte(out, '\n');
}

bool report_workload(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error)
{
	const struct relationship *r = report_relationship(lab, o, error);
	enum shape_kind shape = report_shape(o);
	struct measured mine = { 0 }, other = { 0 };
	bool good;

	if (!r)
		return false;
	if (o->db && strcmp(o->db, lab_model(lab)->database))
		return error_set(error, ERROR_INPUT, 0, "no workload for database \"%s\"; there is one for \"%s\"",
		                 o->db, lab_model(lab)->database);
	/* the shape that data may be pulled for goes first: if these are a sample, both are measured on it */
	good = (o->json || lab_build(lab, r, r->origin == SHAPE_EMBED ? SHAPE_REFERENCE : SHAPE_EMBED, NULL, error)) &&
	       measure(lab, r, shape, &mine, error);
	if (good && o->json) {
		print_json(lab, r, &mine, out);
	} else if (good) {
		good = measure(lab, r, shape == SHAPE_EMBED ? SHAPE_REFERENCE : SHAPE_EMBED, &other, error);
		if (good) {
			print_head(lab, r, &mine, &other, o->ascii, out);
			print_at_rest(&mine, &other, o->ascii, out);
			print_pulled(lab, r, out);
			print_operations(&mine, &other, o->ascii, out);
			print_failures(&mine, out);
			print_failures(&other, out);
			print_commands(&mine, o->ascii, out);
			print_provenance(&mine, out);
		}
	}
	good = good && check_rows(&mine, error) && check_rows(&other, error);
	clear(&mine);
	clear(&other);
	return good;
}
