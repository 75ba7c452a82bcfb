#include "base/limits.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "bson/writer.h"
#include "model/growth_data.h"
#include "model/model.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/table.h"

enum { RULER_COLUMNS = 60, BAR_COLUMNS = 40 };

/* Of pushes and a rate that the user named; 0: none. */
struct pushing {
	struct growth_pushes pushes;
	int64_t per_day, days; /* full days until nothing more fits */
};

static struct pushing push(const struct growth *g, const struct options *o)
{
	struct pushing p = { .per_day = o->per_day };

	if (!figure_known(g->base) || !figure_known(g->element))
		return (struct pushing){ 0 };
	if (o->pushes)
		p.pushes = growth_push(g->base.value, g->element.value, g->limit_bytes, o->pushes);
	if (o->per_day)
		p.days = growth_fits(g->base.value, g->element.value, g->limit_bytes) / o->per_day;
	return p;
}

/* JSON */

static void write_pushing(struct writer *w, const struct pushing *p)
{
	if (p->pushes.count) {
		writer_begin_document(w, key_of("pushes"));
		writer_text(w, "model", "each push rewrites the whole document; the oplog's own frames are left out");
		writer_number(w, "count", p->pushes.count);
		writer_number(w, "bytes", p->pushes.bytes);
		writer_number(w, "rewritten", p->pushes.rewritten_bytes);
		writer_double(w, "ratio", (double)p->pushes.rewritten_bytes / (double)p->pushes.bytes);
		writer_number(w, "oplogPush", p->pushes.oplog_push_bytes);
		writer_number(w, "oplogSet", p->pushes.oplog_set_bytes);
		writer_end(w);
	}
	if (p->per_day) {
		writer_number(w, "perDay", p->per_day);
		writer_number(w, "daysToLimit", p->days);
	}
}

static void write_population(struct writer *w, const struct growth_population *p)
{
	char distribution[48];

	writer_begin_document(w, key_of("population"));
	figures_write(w, "parents", p->parents);
	figures_write(w, "children", p->children);
	writer_text(w, "distribution", growth_distribution(p, distribution, sizeof distribution));
	figures_write(w, "hitLimit", p->hit_limit);
	figures_write(w, "childrenNotFitting", p->not_fitting);
	figures_write(w, "firstWants", p->first_wants);
	figures_write(w, "median", p->median);
	figures_write(w, "p99", p->p99);
	figures_write(w, "bytes", p->bytes);
	figures_write(w, "largest", p->largest);
	writer_begin_array(w, key_of("histogram"));
	for (int i = 0; i < p->bin_count; i++) {
		writer_begin_document(w, key_of(""));
		writer_number(w, "from", p->bins[i].from);
		if (p->bins[i].to < 0)
			writer_null(w, "to");
		else
			writer_number(w, "to", p->bins[i].to);
		writer_number(w, "parents", p->bins[i].parents);
		writer_end(w);
	}
	writer_end(w);
	writer_begin_document(w, key_of("subset"));
	writer_number(w, "n", p->subset.n);
	figures_write(w, "bytes", p->subset.bytes);
	figures_write(w, "largest", p->subset.largest);
	figures_write(w, "headroom", p->subset.headroom);
	figures_write(w, "childrenLeft", p->subset.children_left);
	writer_end(w);
	writer_end(w);
}

static void write_provenance(struct writer *w, const struct growth *g)
{
	const struct growth_population *p = &g->population;
	const struct named_figure figures[] = {
		{ "base", g->base },
		{ "element", g->element },
		{ "fits", g->fits },
		{ "bytesAtFit", g->bytes_at_fit },
		{ "naive", g->naive },
		{ "population.parents", p->parents },
		{ "population.children", p->children },
		{ "population.hitLimit", p->hit_limit },
		{ "population.childrenNotFitting", p->not_fitting },
		{ "population.firstWants", p->first_wants },
		{ "population.median", p->median },
		{ "population.p99", p->p99 },
		{ "population.bytes", p->bytes },
		{ "population.largest", p->largest },
		{ "population.subset.bytes", p->subset.bytes },
		{ "population.subset.largest", p->subset.largest },
		{ "population.subset.headroom", p->subset.headroom },
		{ "population.subset.childrenLeft", p->subset.children_left },
	};
	enum { OF_ONE_PARENT = 5 };

	figures_write_provenance(w, figures, g->has_population ? sizeof figures / sizeof *figures : OF_ONE_PARENT);
}

static const char *origin_text(enum growth_origin o, bool base)
{
	switch (o) {
	case GROWTH_GIVEN: return "given";
	case GROWTH_FIRST: return base ? "the first parent" : "the model's example";
	default: return "mean";
	}
}

static void print_json(const struct source *source, const struct relationship *r, const struct growth *g,
                       const struct pushing *pushing, struct bytes *out)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	if (r) {
		writer_text(&w, "source", source->name);
		writer_text(&w, "relationship", r->name);
	}
	writer_number(&w, "limit", g->limit_bytes);
	figures_write(&w, "base", g->base);
	writer_text(&w, "baseFrom", origin_text(g->base_origin, true));
	figures_write(&w, "element", g->element);
	writer_text(&w, "elementFrom", origin_text(g->element_origin, false));
	figures_write(&w, "fits", g->fits);
	figures_write(&w, "bytesAtFit", g->bytes_at_fit);
	figures_write(&w, "naive", g->naive);
	write_pushing(&w, pushing);
	if (g->has_population)
		write_population(&w, &g->population);
	else
		writer_null(&w, "population");
	write_provenance(&w, g);
	json_print(&w, out);
}

/* Text */

static void add_row(struct table *t, const char *name, struct figure f, const char *unit, const char *more)
{
	table_text(t, name);
	table_figure(t, f);
	table_text(t, unit);
	table_text(t, more);
}

static void print_one(const struct growth *g, bool ascii, struct bytes *out)
{
	char a[48], b[48], text[160];
	struct table t;

	table_init(&t, "lrll", ascii);
	snprintf(text, sizeof text, "a parent with an empty array: %s", origin_text(g->base_origin, true));
	add_row(&t, "base", g->base, "B", text);
	snprintf(text, sizeof text, "a child with its overhead at index 0: %s", origin_text(g->element_origin, false));
	add_row(&t, "element", g->element, "B", text);
	snprintf(text, sizeof text, "%s B then; division alone says %s",
	         figure_format(g->bytes_at_fit, ascii, a, sizeof a), figure_format(g->naive, ascii, b, sizeof b));
	add_row(&t, "fits", g->fits, "", text);
	table_print(&t, 0, out);
	table_clear(&t);
}

static void print_pushing(const struct pushing *p, bool ascii, struct bytes *out)
{
	const struct growth_pushes *u = &p->pushes;
	char a[32], b[32];
	char text[160];
	struct table t;

	table_init(&t, "lrll", ascii);
	if (p->per_day) {
		snprintf(text, sizeof text, "until nothing more fits, at %s a day", figure_format_count(p->per_day, a, sizeof a));
		add_row(&t, "full in", figure_of(p->days, PROVENANCE_PREDICTED), "days", text);
	}
	if (u->count) {
		snprintf(text, sizeof text, "after %s pushes", figure_format_count(u->count, a, sizeof a));
		add_row(&t, "pushed", figure_of(u->bytes, PROVENANCE_PREDICTED), "B", text);
		snprintf(text, sizeof text, "%s%s its size: the model of a whole document rewritten a push", ascii ? "x" : "×",
		         figure_format_count((int64_t)((double)u->rewritten_bytes / (double)u->bytes + 0.5), b, sizeof b));
		add_row(&t, "rewritten", figure_of(u->rewritten_bytes, PROVENANCE_PREDICTED), "B", text);
		add_row(&t, "oplog, $push", figure_of(u->oplog_push_bytes, PROVENANCE_PREDICTED), "B", "the new elements alone");
		add_row(&t, "oplog, $set", figure_of(u->oplog_set_bytes, PROVENANCE_PREDICTED), "B", "when each update sets the whole array");
	}
	table_print(&t, 0, out);
	table_clear(&t);
}

static void repeat(struct bytes *out, const char *text, int64_t times)
{
	while (times-- > 0)
		bytes_append_text(out, text);
}

/* A parent with that many children, on the ruler: its column and whether it is beyond the end. */
static void print_mark(const struct growth *g, const char *name, struct figure children, bool ascii, struct bytes *out)
{
	int64_t bytes = growth_bytes(g->base.value, g->element.value, children.value), column;
	char number[48];

	column = bytes >= g->limit_bytes ? RULER_COLUMNS - 1 : bytes * RULER_COLUMNS / g->limit_bytes;
	repeat(out, " ", 2 + column);
	bytes_format(out, "%s %s: %s%s\n", ascii ? "^" : "▲", name,
	             figure_format(children, ascii, number, sizeof number),
	             bytes > g->limit_bytes ? (ascii ? " ->" : " →") : "");
}

static void print_ruler(const struct growth *g, bool ascii, struct bytes *out)
{
	const struct growth_population *p = &g->population;
	char limit[48];

	bytes_append_text(out, "\n0 ");
	repeat(out, ascii ? "-" : "─", RULER_COLUMNS);
	bytes_format(out, " %s B\n", figure_format_count(g->limit_bytes, limit, sizeof limit));
	if (!figure_known(g->base) || !figure_known(g->element))
		return;
	print_mark(g, "median parent", p->median, ascii, out);
	print_mark(g, "p99", p->p99, ascii, out);
	print_mark(g, "most", p->first_wants, ascii, out);
}

static void print_histogram(const struct growth_population *p, bool ascii, struct bytes *out)
{
	int64_t most = 1;
	struct table t;

	for (int i = 0; i < p->bin_count; i++)
		most = p->bins[i].parents > most ? p->bins[i].parents : most;
	table_init(&t, "rrl", ascii);
	table_text(&t, "children");
	table_text(&t, "parents");
	table_text(&t, "");
	for (int i = 0; i < p->bin_count; i++) {
		const struct growth_bin *b = &p->bins[i];
		struct bytes bar = BYTES_INIT;
		char range[64], from[32], to[32];

		figure_format_count(b->to < 0 ? b->from - 1 : b->from, from, sizeof from);
		if (b->to < 0)
			snprintf(range, sizeof range, "> %s", from);
		else if (b->to == b->from)
			snprintf(range, sizeof range, "%s", from);
		else
			snprintf(range, sizeof range, "%s%s%s", from, ascii ? "-" : "–",
			         figure_format_count(b->to, to, sizeof to));
		table_text(&t, range);
		table_figure(&t, figure_measured(b->parents));
		repeat(&bar, ascii ? "#" : "█", (b->parents * BAR_COLUMNS + most - 1) / most);
		table_text(&t, bytes_text(&bar));
		bytes_clear(&bar);
	}
	bytes_append_byte(out, '\n');
	table_print(&t, 0, out);
	table_clear(&t);
}

static void print_population(const struct growth *g, bool ascii, struct bytes *out)
{
	const struct growth_population *p = &g->population;
	char distribution[48], a[48], b[48], text[160];
	struct table t;

	print_ruler(g, ascii, out);
	print_histogram(p, ascii, out);
	bytes_format(out, "\n%s: %s parents, %s children\n", growth_distribution(p, distribution, sizeof distribution),
	             figure_format(p->parents, ascii, a, sizeof a), figure_format(p->children, ascii, b, sizeof b));
	if (p->parents.provenance == PROVENANCE_SAMPLED)
		bytes_format(out, "sampled: %s of %s parents, with all their children; what follows is of these\n",
		             figure_format_count(p->parents.n, a, sizeof a),
		             figure_format_count(p->parents.of, b, sizeof b));
	table_init(&t, "lrll", ascii);
	snprintf(text, sizeof text, "%s children do not fit; the first parent wants %s",
	         figure_format(p->not_fitting, ascii, a, sizeof a), figure_format(p->first_wants, ascii, b, sizeof b));
	add_row(&t, "hit the limit", p->hit_limit, "", text);
	snprintf(text, sizeof text, "largest %s B", figure_format(p->largest, ascii, a, sizeof a));
	add_row(&t, "all embedded", p->bytes, "B", text);
	snprintf(text, sizeof text, "largest %s B, headroom %s B", figure_format(p->subset.largest, ascii, a, sizeof a),
	         figure_format(p->subset.headroom, ascii, b, sizeof b));
	snprintf(distribution, sizeof distribution, "subset %lld", (long long)p->subset.n);
	add_row(&t, distribution, p->subset.bytes, "B", text);
	add_row(&t, "", p->subset.children_left, "", "children left to the other collection");
	table_print(&t, 0, out);
	table_clear(&t);
}

static void print_text_report(const struct source *source, const struct relationship *r, const struct growth *g,
                              const struct pushing *pushing, bool ascii, struct bytes *out)
{
	char limit[32];

	figure_format_count(g->limit_bytes, limit, sizeof limit);
	if (r)
		bytes_format(out, "%s  relationship %s: %s embedded in %s (array \"%s\")  limit %s bytes\n\n",
		             source->name, r->name, r->child, r->parent, r->path, limit);
	else
		bytes_format(out, "growth by arithmetic alone  limit %s bytes\n\n", limit);
	print_one(g, ascii, out);
	print_pushing(pushing, ascii, out);
	if (g->has_population)
		print_population(g, ascii, out);
	bytes_format(out, "\nbase: %s; element: %s", provenance_text(g->base.provenance),
	             provenance_text(g->element.provenance));
	if (g->has_population)
		bytes_format(out, "; parents and children: %s; the rest: %s",
		             provenance_text(g->population.parents.provenance),
		             provenance_text(g->population.bytes.provenance));
	bytes_append_byte(out, '\n');
}

static void assume(struct growth_input *in, const struct options *o)
{
	if (!o->parents)
		return;
	in->has_population = in->assumed = true;
	in->assumed_parents = o->parents;
	in->assumed_children = o->children;
	in->exponent = o->zipf;
}

static void finish(const struct source *source, const struct relationship *r, struct growth_input *in,
                   const struct options *o, struct bytes *out)
{
	struct pushing pushing;
	struct growth g;

	assume(in, o);
	growth_compute(in, &g, NULL);
	pushing = push(&g, o);
	if (o->json)
		print_json(source, r, &g, &pushing, out);
	else
		print_text_report(source, r, &g, &pushing, o->ascii, out);
}

bool report_growth(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error)
{
	const struct relationship *r = report_relationship(lab, o, error);
	int64_t subset = o->subset ? o->subset : GROWTH_SUBSET;
	struct growth_input in = { 0 };
	bool good;

	if (!r)
		return false;
	if (o->db && strcmp(o->db, lab_model(lab)->database))
		return error_set(error, ERROR_INPUT, 0, "the relationships are those of database \"%s\", not \"%s\"",
		                 lab_model(lab)->database, o->db);
	good = growth_data(lab, r, lab_limit_bytes(lab), subset, &in, NULL, error);
	if (good)
		finish(lab_origin(lab), r, &in, o, out);
	growth_input_clear(&in);
	return good;
}

void report_growth_alone(const struct options *o, struct bytes *out)
{
	struct growth_input in = {
		.limit_bytes = o->limit_bytes ? o->limit_bytes : LIMIT_USER_BYTES,
		.base = figure_of(o->base_bytes, PROVENANCE_ASSUMED),
		.element = figure_of(o->element_bytes, PROVENANCE_ASSUMED),
		.base_origin = GROWTH_GIVEN,
		.element_origin = GROWTH_GIVEN,
		.subset = o->subset ? o->subset : GROWTH_SUBSET,
	};

	finish(NULL, NULL, &in, o, out);
}
