#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "model/explanation.h"
#include "plan/findings.h"
#include "plan/lines.h"
#include "report/figures.h"
#include "report/table.h"

/* JSON */

static void write_text(struct writer *w, const char *name, const char *text)
{
	if (text)
		writer_text(w, name, text);
	else
		writer_null(w, name);
}

static void write_work(struct writer *w, const char *name, const struct plan_work *work, bool total)
{
	writer_begin_document(w, key_of(name));
	figures_write(w, "keysExamined", work->keys);
	figures_write(w, "docsExamined", work->docs);
	if (total)
		writer_bool(w, "atLeast", work->keys.at_least || work->docs.at_least);
	writer_end(w);
}

static void write_lookup(struct writer *w, const struct plan_lookup *l)
{
	writer_begin_document(w, key_of(""));
	writer_text(w, "from", l->from);
	figures_write(w, "keysExamined", l->keys);
	figures_write(w, "docsExamined", l->docs);
	figures_write(w, "collectionScans", l->collection_scans);
	if (l->indexes_known) {
		writer_begin_array(w, key_of("indexesUsed"));
		for (size_t i = 0; i < l->index_count; i++)
			writer_text(w, "", l->indexes[i]);
		writer_end(w);
	} else {
		writer_null(w, "indexesUsed");
	}
	writer_end(w);
}

static void write_node_fields(struct writer *w, const struct plan_node *n)
{
	writer_text(w, "stage", n->stage);
	write_text(w, "index", n->index);
	figures_write(w, "keysExamined", n->keys);
	figures_write(w, "docsExamined", n->docs);
	figures_write(w, "returned", n->returned);
	figures_write(w, "millis", n->millis);
	write_text(w, "shard", n->shard);
	writer_begin_array(w, key_of("children"));
}

/* The tree is deeper in JSON than in the reply: what the writer cannot nest is left out. */
static void write_node(struct writer *w, const char *name, const struct plan_node *n, int levels)
{
	writer_begin_document(w, key_of(name));
	write_node_fields(w, n);
	for (size_t i = 0; i < n->child_count && levels > 0; i++)
		write_node(w, "", n->children[i], levels - 1);
	writer_end(w);
	writer_end(w);
}

static void write_finding(struct writer *w, const struct plan_finding *f)
{
	writer_begin_document(w, key_of(""));
	writer_text(w, "code", f->code);
	writer_text(w, "stage", f->stage);
	writer_text(w, "evidence", f->evidence);
	writer_text(w, "advice", f->advice);
	writer_end(w);
}

static void write_json(struct bytes *out, const struct plan_tree *t)
{
	enum { LEVELS = VALUE_DEPTH_LIMIT / 2 - 2 };
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	writer_text(&w, "rootForm", t->root_form);
	write_text(&w, "serverVersion", t->server_version);
	write_text(&w, "engine", t->engine);
	writer_text(&w, "verbosity", plan_verbosity_text(t->verbosity));
	writer_bool(&w, "sharded", t->sharded);
	figures_write(&w, "returned", t->returned);
	figures_write(&w, "millis", t->millis);
	write_work(&w, "outer", &t->outer, false);
	writer_begin_array(&w, key_of("lookups"));
	for (size_t i = 0; i < t->lookup_count; i++)
		write_lookup(&w, &t->lookups[i]);
	writer_end(&w);
	write_work(&w, "total", &t->total, true);
	write_node(&w, "plan", t->root, LEVELS);
	writer_begin_array(&w, key_of("findings"));
	for (size_t i = 0; i < t->finding_count; i++)
		write_finding(&w, &t->findings[i]);
	writer_end(&w);
	print_value(out, writer_finish(&w), &(struct print_options){ .form = PRINT_RELAXED, .indent = 2 });
	bytes_append_byte(out, '\n');
	bytes_clear(&document);
}

/* Text */

static void add_figure(struct table *t, struct figure f)
{
	if (figure_known(f))
		table_figure(t, f);
	else
		table_text(t, ""); /* a stage that has no such counter */
}

static void add_time(struct table *t, const struct plan_node *n)
{
	char text[48] = "";

	if (figure_known(n->micros))
		snprintf(text, sizeof text, "%.3f ms", (double)n->micros.value / 1000);
	else if (figure_known(n->millis))
		snprintf(text, sizeof text, "%lld ms", (long long)n->millis.value);
	table_text(t, text);
}

static void print_further(struct bytes *out, const struct plan_line *line)
{
	struct bytes text = BYTES_INIT;

	for (int i = 0; plan_line_further(line->node, i, &text); i++) {
		bytes_format(out, "  %s%s\n", line->hanging, bytes_text(&text));
		bytes_reset(&text);
	}
	bytes_clear(&text);
}

/* A table's rows with further lines between them: what those say is as wide as it is. */
static void print_plan(struct bytes *out, const struct plan_tree *t, bool ascii)
{
	static const char *const headings[] = { "", "docs", "keys", "returned", "bytes read", "time" };
	struct bytes rows = BYTES_INIT;
	struct plan_lines lines;
	struct table table;
	const char *at;

	plan_lines_make(t, ascii, &lines);
	table_init(&table, "lrrrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&table, headings[i]);
	for (size_t i = 0; i < lines.count; i++) {
		const struct plan_node *n = lines.lines[i].node;
		struct bytes title = BYTES_INIT;

		bytes_append_text(&title, lines.lines[i].before);
		plan_line_title(n, &title);
		table_text(&table, bytes_text(&title));
		add_figure(&table, n->docs);
		add_figure(&table, n->keys);
		add_figure(&table, n->returned);
		add_figure(&table, n->bytes);
		add_time(&table, n);
		bytes_clear(&title);
	}
	table_print(&table, 2, &rows);
	at = bytes_text(&rows);
	for (size_t i = 0; i <= lines.count; i++) { /* the headings, then a row a stage */
		size_t length = strcspn(at, "\n") + 1;

		bytes_append(out, at, length);
		at += length;
		if (i > 0)
			print_further(out, &lines.lines[i - 1]);
	}
	table_clear(&table);
	bytes_clear(&rows);
	plan_lines_clear(&lines);
}

static void add_work(struct table *t, const char *name, const struct plan_work *work, const char *more)
{
	table_text(t, name);
	table_figure(t, work->docs);
	table_text(t, "docs");
	table_figure(t, work->keys);
	table_text(t, "keys");
	table_text(t, more);
}

static void print_work(struct bytes *out, const struct plan_tree *t, bool ascii)
{
	struct table table;

	table_init(&table, "lrlrll", ascii);
	add_work(&table, "outer", &t->outer, "");
	for (size_t i = 0; i < t->lookup_count; i++) {
		const struct plan_lookup *l = &t->lookups[i];
		struct plan_work inner = { l->keys, l->docs };
		struct bytes name = BYTES_INIT, more = BYTES_INIT;
		char scans[48];

		bytes_format(&name, "$lookup %s", l->from);
		bytes_format(&more, "%s collection scan%s",
		             figure_format(l->collection_scans, ascii, scans, sizeof scans),
		             figure_known(l->collection_scans) && l->collection_scans.value == 1 ? "" : "s");
		for (size_t k = 0; k < l->index_count; k++)
			bytes_format(&more, "%s%s", k ? ", " : ", by ", l->indexes[k]);
		add_work(&table, bytes_text(&name), &inner, bytes_text(&more));
		bytes_clear(&name);
		bytes_clear(&more);
	}
	if (t->lookup_count)
		add_work(&table, "all", &t->total, "");
	table_print(&table, 2, out);
	table_clear(&table);
}

static void print_report(struct bytes *out, const struct plan_tree *t, struct value command, bool ascii)
{
	struct bytes verdict = BYTES_INIT;
	char returned[48];

	print_value(out, command, &(struct print_options){ .form = PRINT_SHELL, .limit_bytes = 2000 });
	bytes_format(out, "\n%s%s%s: returned %s\n\n", t->engine ? t->engine : "", t->engine ? " engine, " : "",
	             plan_verbosity_text(t->verbosity), figure_format(t->returned, ascii, returned, sizeof returned));
	print_plan(out, t, ascii);
	bytes_append_byte(out, '\n');
	print_work(out, t, ascii);
	bytes_append_byte(out, '\n');
	for (size_t i = 0; i < t->finding_count; i++) {
		const struct plan_finding *f = &t->findings[i];

		bytes_format(out, "  ! %s%s%s%s%s\n", f->stage, *f->stage ? ": " : "", f->evidence,
		             *f->advice ? "; " : "", f->advice);
	}
	plan_verdict(t, &verdict);
	if (verdict.size)
		bytes_format(out, "  %s\n", bytes_text(&verdict));
	bytes_clear(&verdict);
}

/* Where it runs: the origin, or the shape that the options name. */
static bool choose_source(struct lab *lab, const struct options *o, struct source **source, const char **db,
                          bson_error_t *error)
{
	const struct relationship *r;

	*source = lab_origin(lab);
	*db = o->db ? o->db : lab_model(lab)->database;
	if (!o->relationship && !o->shape)
		return true;
	if (o->db)
		return error_set(error, ERROR_USAGE, 0,
		                 "a shape has a database of its own: give either --db or --shape");
	r = report_relationship(lab, o, error);
	return r && lab_build(lab, r, report_shape(o), NULL, error) &&
	       (lab_shape_source(lab, r, report_shape(o), source, db) ||
	        error_set(error, ERROR_INPUT, 0, "shape \"%s\" of \"%s\" is not built", shape_name(report_shape(o)),
	                  r->name));
}

static struct plan_tree *explain(struct source *source, const char *db, struct value command,
                                 enum plan_verbosity verbosity, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct plan_tree *t = NULL;
	bson_t explain, reply;

	explanation_command(command, explanation_verbosity(source, command, verbosity), &text);
	bson_init_static(&explain, text.data, text.size);
	if (source_command(source, db, &explain, &reply, NULL, error))
		t = plan_tree_read(value_from_bson(&reply), error);
	bson_destroy(&reply);
	bytes_clear(&text);
	return t;
}

bool report_explain(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error)
{
	enum plan_verbosity verbosity = PLAN_EXECUTION_STATS;
	struct bytes document = BYTES_INIT;
	struct plan_tree *t = NULL;
	struct source *source;
	struct value command;
	const char *db;

	if (o->verbosity)
		plan_verbosity_from_text(o->verbosity, &verbosity);
	if (choose_source(lab, o, &source, &db, error) &&
	    read_document("command", o->commands[0], strlen(o->commands[0]), &document, error) &&
	    value_document(&command, document.data, document.size))
		t = explain(source, db, command, verbosity, error);
	if (t && o->json)
		write_json(out, t);
	else if (t)
		print_report(out, t, command, o->ascii);
	plan_tree_destroy(t);
	bytes_clear(&document);
	return t != NULL;
}
