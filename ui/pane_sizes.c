/*
 * Sizes of the selected collection's documents in the chosen shape: how many are how large, which fields hold the
 * bytes, and the largest ones, which open.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "bson/wrapped.h"
#include "ui/growing.h"
#include "ui/pane.h"

/* Lines that each part has; worked out from the pane's height and from what there is. */
struct plan {
	int histogram, figures, limits, where, fields, types, largest;
	bool airy; /* an empty line between parts */
};

enum { INDENT = 3, LABEL = 13, COUNT_WIDTH = 12, FROM_END = 12 };

static const struct sizes *subject(const struct app *a)
{
	return pane_collections_sizes(a, a->shape, pane_collections_name(a));
}

/* It has no documents of its own: what a command returns is computed, or lies elsewhere. */
const char *pane_sizes_why_nothing(const struct sizes *s)
{
	if (!strcmp(s->kind, "view"))
		return "a view: it holds no documents of its own";
	if (!strcmp(s->kind, "timeseries"))
		return "a time series: its documents lie in buckets";
	if (figure_known(s->count) && s->count.value == 0 && !s->count.at_least)
		return "empty: no documents";
	return NULL;
}

static const struct fields *fields_of(const struct app *a)
{
	const struct paths_snapshot *f = app_paths(a);

	return f ? f->fields : NULL;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int bins_a_line(int bins, int lines)
{
	return lines ? (bins + lines - 1) / lines : 1;
}

static int lines_of_bins(int bins, int together)
{
	return (bins + together - 1) / together;
}

/* The mean child of a relationship whose parents these are, in the shape that embeds them; unknown elsewhere. */
static struct figure next_child(const struct app *a, const struct sizes *s)
{
	const struct relationship *r = a->relationship;

	if (!r || !a->growth || a->shape != SHAPE_EMBED || strcmp(r->parent, s->collection))
		return figure_unknown();
	return a->growth->growth.element;
}

static bool next_child_fits(const struct app *a, const struct sizes *s)
{
	struct figure child = next_child(a, s);

	return !figure_known(child) || !figure_known(s->headroom) || child.value <= s->headroom.value;
}

/* "1 of 5 reach 16,777,217 B: over the user limit: …"; that another child does not fit is more to the point. */
static bool limits_text(const struct app *a, const struct sizes *s, char *text, size_t size)
{
	const struct threshold *t = figure_known(s->max) ? thresholds_reached(&s->thresholds, s->max.value) : NULL;
	char documents[40], of[40], bytes[40];
	size_t at = t ? (size_t)(t - s->thresholds.list) : 0;

	if (!next_child_fits(a, s)) {
		snprintf(text, size, "one more of %s (%s B) does not fit", a->relationship->name,
		         figure_format(next_child(a, s), a->ascii, bytes, sizeof bytes));
		return true;
	}
	if (!t)
		return false;
	snprintf(text, size, "%s of %s reach %s B%s%s", figure_format(s->reached[at], a->ascii, documents, sizeof documents),
	         figure_format(s->count, a->ascii, of, sizeof of), figure_format_count(t->bytes, bytes, sizeof bytes),
	         t->meaning ? ": " : "", t->meaning ? t->meaning : "");
	return true;
}

/* What is left over goes to the largest documents. */
static struct plan plan(const struct app *a, int height)
{
	const struct sizes *s = subject(a);
	const struct fields *f = fields_of(a);
	struct plan p = { .figures = 1 };
	int room = height - 1 - p.figures;
	char limits[300];

	if (!s || pane_sizes_why_nothing(s))
		return p;
	p.limits = limits_text(a, s, limits, sizeof limits) ? least(1, room) : 0;
	room -= p.limits;
	p.where = least(1, room);
	p.largest = least((int)s->largest_count, room > 10 ? 4 : 3);
	p.histogram = least((int)s->bin_count, (room - p.where - p.largest) / 2);
	if (p.histogram)
		p.histogram = lines_of_bins((int)s->bin_count, bins_a_line((int)s->bin_count, p.histogram));
	room -= p.where + p.largest + p.histogram;
	p.fields = f && room > 1 ? least((int)f->count + 1, room) : 0;
	p.types = room > p.fields; /* the table has them too, of the fields that it has room for */
	room -= p.types;
	p.airy = room - p.fields >= 2;
	p.largest += room - p.fields - (p.airy ? 2 : 0);
	return p;
}

/* Bins, several together where there are more than lines. */
static void draw_histogram(const struct app *a, const struct canvas *c, int row, int lines, const struct sizes *s)
{
	int together = bins_a_line((int)s->bin_count, lines), end = c->area.width - 2;
	int64_t counts[SIZES_BINS] = { 0 }, most = 1;
	int width = end - COUNT_WIDTH - FROM_END - 3;

	for (size_t i = 0; i < s->bin_count; i++) {
		int64_t *n = &counts[(int)i / together];

		*n += s->bins[i].count;
		most = *n > most ? *n : most;
	}
	for (int i = 0; i < lines && (size_t)(i * together) < s->bin_count; i++) {
		struct figure count = figure_of(counts[i], PROVENANCE_EXACT);
		int64_t eighths = (int64_t)((double)counts[i] / (double)most * width * 8);

		count.at_least = s->count.at_least;
		pane_draw_bytes(a, c, row + i, FROM_END, FROM_END - 1, STYLE_FAINT,
		                figure_of(s->bins[i * together].from_bytes, PROVENANCE_EXACT));
		canvas_bar(c, row + i, FROM_END + 2, width, counts[i] && !eighths ? 1 : eighths, STYLE_GAUGE);
		canvas_figure(c, row + i, end, COUNT_WIDTH, STYLE_TEXT, count);
	}
}

static bool is_lit(const struct app *a, struct figure mine, struct figure other)
{
	return a->lit && figure_known(mine) && (!figure_known(other) || mine.value != other.value);
}

enum { P50, P90, P99, MAX, HEADROOM, FIGURES };

/*
 * "p50 78   p90 83   p99 84   max 84   headroom 16,300 B". No number is cut: where there is no room for all, the
 * headroom goes up to the right end of the title, which reaches to `title_end`, and then the p90 is left out.
 */
static void draw_figures(const struct app *a, const struct canvas *c, int row, int title_end, const struct sizes *s)
{
	const struct sizes *other = s ? pane_collections_sizes(a, a->compared, s->collection) : NULL;
	struct figure unknown = figure_unknown();
	const struct {
		const char *label, *unit;
		struct figure figure, other;
	} figures[FIGURES] = {
		{ "p50", "", s ? s->p50 : unknown, other ? other->p50 : unknown },
		{ "p90", "", s ? s->p90 : unknown, other ? other->p90 : unknown },
		{ "p99", "", s ? s->p99 : unknown, other ? other->p99 : unknown },
		{ "max", "", s ? s->max : unknown, other ? other->max : unknown },
		{ "headroom", " B", s ? s->headroom : unknown, other ? other->headroom : unknown },
	};
	enum { SPACE = 3 };
	static const int dispensable[] = { HEADROOM, P90 };
	char texts[FIGURES][64], heading[80], number[40];
	bool left_out[FIGURES] = { false };
	int needed = INDENT, column = INDENT, space;

	for (int i = 0; i < FIGURES; i++) {
		snprintf(texts[i], sizeof texts[i], "%s%s", figure_format(figures[i].figure, a->ascii, number, sizeof number),
		         figure_known(figures[i].figure) ? figures[i].unit : "");
		needed += (int)strlen(figures[i].label) + 2 + canvas_width(c, texts[i]);
	}
	space = needed + FIGURES * (SPACE - 1) <= c->area.width ? SPACE : 1;
	for (int i = 0; i < 2 && needed > c->area.width; i++) {
		int which = dispensable[i];

		left_out[which] = true;
		needed -= (int)strlen(figures[which].label) + 2 + canvas_width(c, texts[which]);
	}
	snprintf(heading, sizeof heading, "headroom %s", texts[HEADROOM]);
	if (left_out[HEADROOM] && title_end + canvas_width(c, heading) + 4 < c->area.width)
		pane_draw_heading(c, 0, c->area.width - 2, NULL, heading);
	for (int i = 0; i < FIGURES; i++) {
		if (left_out[i])
			continue;
		column += canvas_text(c, row, column, c->area.width - column - 1, STYLE_FAINT, figures[i].label) + 1;
		column += canvas_text(c, row, column, c->area.width - column - 1,
		                      is_lit(a, figures[i].figure, figures[i].other) ? STYLE_LIT : STYLE_TEXT, texts[i]) + space;
	}
}

/* Rows: the collection itself, whose line says where its bytes are; then the largest documents. */
enum { ROW_OF_COLLECTION, ROWS_OF_LARGEST };

int64_t pane_sizes_selected(const struct app *a)
{
	return rows_selected(&a->lists[PANE_SIZES]) - ROWS_OF_LARGEST;
}

static void draw_labelled(const struct canvas *c, int row, const char *label, enum style s, const char *text)
{
	canvas_text(c, row, INDENT, LABEL - INDENT - 1, STYLE_FAINT, label);
	canvas_text(c, row, LABEL, c->area.width - LABEL - 1, s, text);
}

/* "values 63 %   key names 26 %   overhead 12 %"; arrays' own bytes apart where there are any. */
static void draw_where(const struct app *a, const struct canvas *c, int row)
{
	const struct paths_snapshot *snapshot = app_paths(a);
	const struct fields *f = fields_of(a);
	char texts[3][256], arrays[48] = "", sample[80] = "", so_far[64] = "", n[40];
	int tight;

	if (!f) {
		draw_labelled(c, row, "where", snapshot ? STYLE_ERROR : STYLE_FAINT,
		              snapshot ? snapshot->outcome.error.message : "—");
		return;
	}
	if (f->documents.provenance == PROVENANCE_SAMPLED)
		snprintf(sample, sizeof sample, "%s sampled: ", figure_format_count(f->documents.n, n, sizeof n));
	else if (f->documents.at_least)
		snprintf(so_far, sizeof so_far, "   of %s so far", figure_format_count(f->documents.value, n, sizeof n));
	for (tight = 0; tight < 3; tight++) {
		if (f->parts.arrays)
			snprintf(arrays, sizeof arrays, tight ? "arrays %d%%  " : "arrays %d %%   ",
			         field_percent(f->parts.arrays, f->bytes.value));
		snprintf(texts[tight], sizeof texts[tight],
		         tight ? "%svalues %d%%  names %d%%  %soverhead %d%%%s" : "%svalues %d %%   key names %d %%   %soverhead %d %%%s",
		         sample, field_percent(f->parts.values, f->bytes.value), field_percent(f->parts.names, f->bytes.value),
		         arrays, field_percent(f->parts.frames, f->bytes.value), tight == 2 ? "" : so_far);
		if (canvas_width(c, texts[tight]) < c->area.width - LABEL)
			break;
	}
	draw_labelled(c, row, "where ⏎", pane_row_style(a, PANE_SIZES, ROW_OF_COLLECTION, STYLE_TEXT), texts[tight < 3 ? tight : 2]);
	if (a->focus == PANE_SIZES && a->lists[PANE_SIZES].position == ROW_OF_COLLECTION)
		canvas_text(c, row, LABEL - 2, 1, STYLE_CHOSEN, "▸");
}

/* Columns of the table of fields, from the right. */
static const struct {
	const char *heading;
	int width;
	bool wide_only;
} columns[] = { { "bytes", 13, false }, { "share", 8, false },  { "values", 13, true },
	        { "names", 12, true },  { "arrays", 12, true }, { "largest", 11, true } };
enum { COLUMNS = sizeof columns / sizeof *columns, WIDE = 100, TYPES_WIDTH = 24 };

static struct figure column_figure(const struct fields *all, const struct field_bytes *f, int column)
{
	struct figure largest = figure_of(f->largest_bytes, PROVENANCE_EXACT);

	largest.at_least = all->bytes.at_least || all->documents.provenance == PROVENANCE_SAMPLED;
	switch (column) {
	case 0: return fields_figure(all, f->bytes);
	case 2: return fields_figure(all, f->parts.values);
	case 3: return fields_figure(all, f->parts.names);
	case 4: return fields_figure(all, f->parts.arrays);
	default: return largest;
	}
}

static bool is_shown(const struct canvas *c, int column)
{
	return !columns[column].wide_only || c->area.width >= WIDE;
}

static int figures_start(const struct canvas *c)
{
	int start = c->area.width - 2 - TYPES_WIDTH;

	for (int i = 0; i < COLUMNS; i++)
		start -= is_shown(c, i) ? columns[i].width : 0;
	return start;
}

static void draw_field_headings(const struct canvas *c, int row)
{
	int end = figures_start(c);

	canvas_text(c, row, INDENT, 20, STYLE_HEADING, "fields");
	for (int i = 0; i < COLUMNS; i++)
		if (is_shown(c, i))
			pane_draw_heading(c, row, end += columns[i].width, NULL, columns[i].heading);
	canvas_text(c, row, end + 3, TYPES_WIDTH - 3, STYLE_HEADING, "types");
}

static void draw_field(const struct app *a, const struct canvas *c, int row, const struct fields *all,
                       const struct field_bytes *f, const char *name)
{
	int end = figures_start(c), name_width = end - INDENT - 1;
	struct bytes types = BYTES_INIT;
	char share[24];

	canvas_text(c, row, INDENT, name_width > 8 ? name_width : 8, STYLE_NAME, name);
	for (int i = 0; i < COLUMNS; i++) {
		struct figure figure = column_figure(all, f, i);

		if (!is_shown(c, i))
			continue;
		end += columns[i].width;
		if (i != 1) {
			canvas_figure(c, row, end, columns[i].width - 1, STYLE_TEXT, figure);
			continue;
		}
		snprintf(share, sizeof share, "%d %%", field_percent(f->bytes, all->bytes.value));
		canvas_right(c, row, end, columns[i].width, STYLE_TEXT, share);
	}
	field_types_text(f, &types);
	canvas_text(c, row, end + 3, c->area.width - end - 4, STYLE_FAINT, bytes_text(&types));
	bytes_clear(&types);
	(void)a;
}

static void draw_fields(const struct app *a, const struct canvas *c, int row, int lines)
{
	const struct fields *f = fields_of(a);
	char more[64];

	if (lines < 1)
		return;
	draw_field_headings(c, row);
	for (int i = 1; f && i < lines && (size_t)i <= f->count; i++) {
		struct field_bytes rest = f->rest;
		size_t at = (size_t)i - 1;

		if (i < lines - 1 || f->count - at == 1) {
			draw_field(a, c, row + i, f, &f->list[at], f->list[at].name);
			continue;
		}
		for (size_t n = at; n < f->count; n++)
			field_bytes_add(&rest, &f->list[n]);
		memset(rest.types, 0, sizeof rest.types); /* of different fields: they say nothing together */
		snprintf(more, sizeof more, "%zu more", f->count - at);
		draw_field(a, c, row + i, f, &rest, more);
	}
}

static void draw_types(const struct app *a, const struct canvas *c, int row)
{
	const struct fields *f = fields_of(a);
	struct bytes text = BYTES_INIT;

	if (f)
		fields_types_text(f, &text);
	draw_labelled(c, row, "types", f ? STYLE_TEXT : STYLE_FAINT, f ? bytes_text(&text) : "—");
	bytes_clear(&text);
}

/* "'B0000080'"; documents without a key have only their size. */
static void format_id(const struct app *a, const struct sizes *s, size_t which, struct bytes *text)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 200 };
	const struct largest_document *l = &s->largest[which];

	if (l->id.size)
		print_value(text, wrapped_value(&l->id), &shell);
	else
		bytes_format(text, "without %s", model_key(a->model, s->collection));
}

static void draw_largest_labels(const struct app *a, const struct canvas *c, int row, int lines, const struct sizes *s)
{
	const char *const labels[] = { "largest", "by", "⏎ opens" };

	for (int i = 0; i < 3 && i < lines; i++)
		canvas_text(c, row + i, INDENT, LABEL - INDENT - 2, STYLE_FAINT, labels[i]);
	if (lines > 1)
		canvas_text(c, row + 1, INDENT + 3, LABEL - INDENT - 5, STYLE_FAINT, model_key(a->model, s->collection));
}

static void draw_largest(const struct app *a, const struct canvas *c, int row, int lines, const struct sizes *s)
{
	const struct rows *l = &a->lists[PANE_SIZES];
	int top = l->top > ROWS_OF_LARGEST ? l->top : ROWS_OF_LARGEST;

	draw_largest_labels(a, c, row, lines, s);
	for (int i = 0; i < lines && top + i < (int)l->count; i++) {
		size_t position = (size_t)(top + i), which = (size_t)(l->ids[position] - ROWS_OF_LARGEST);
		struct bytes id = BYTES_INIT;
		int end = c->area.width - 2, width;

		if (l->position == position && a->focus == PANE_SIZES)
			canvas_text(c, row + i, LABEL - 2, 1, STYLE_CHOSEN, "▸");
		format_id(a, s, which, &id);
		width = pane_draw_bytes(a, c, row + i, end, 14, STYLE_TEXT,
		                        figure_of(s->largest[which].size_bytes, PROVENANCE_EXACT));
		canvas_text(c, row + i, LABEL, end - LABEL - width - 1,
		            pane_row_style(a, PANE_SIZES, position, STYLE_TEXT), bytes_text(&id));
		bytes_clear(&id);
	}
}

static void format_title(const struct app *a, const struct sizes *s, char *title, size_t size)
{
	const char *name = pane_collections_name(a), *kind = s && strcmp(s->kind, "collection") ? s->kind : NULL;
	char n[40], of[40];

	snprintf(title, size, "Sizes%s%s%s%s", name ? " · " : "", name ? name : "", kind ? " · " : "", kind ? kind : "");
	if (!s || pane_sizes_why_nothing(s))
		return;
	if (s->count.at_least)
		snprintf(title + strlen(title), size - strlen(title), " · at least");
	else if (s->p50.provenance == PROVENANCE_SAMPLED)
		snprintf(title + strlen(title), size - strlen(title), " · sampled %s of %s",
		         figure_format_count(s->p50.n, n, sizeof n), figure_format_count(s->p50.of, of, sizeof of));
	else
		snprintf(title + strlen(title), size - strlen(title), " · %s", provenance_text(s->count.provenance));
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct sizes *s = subject(a);
	const struct plan p = plan(a, c->area.height);
	char title[300], limits[300];
	int row = 1, title_end;

	format_title(a, s, title, sizeof title);
	title_end = pane_draw_title(a, c, PANE_SIZES, title);
	if (!s || pane_sizes_why_nothing(s)) {
		const char *error = pane_collections_error(a, pane_collections_name(a));

		draw_figures(a, c, row, title_end, NULL);
		if (s || error)
			canvas_text(c, row + 2, INDENT, c->area.width - INDENT - 1, error ? STYLE_ERROR : STYLE_FAINT,
			            error ? error : pane_sizes_why_nothing(s));
		return;
	}
	draw_histogram(a, c, row, p.histogram, s);
	row += p.histogram;
	draw_figures(a, c, row + p.airy, title_end, s);
	row += p.figures + 2 * p.airy;
	if (p.limits && limits_text(a, s, limits, sizeof limits))
		draw_labelled(c, row, "limits", STYLE_MORE, limits);
	row += p.limits;
	draw_where(a, c, row);
	if (p.types)
		draw_types(a, c, row + p.where);
	row += p.where + p.types;
	draw_fields(a, c, row, p.fields);
	draw_largest(a, c, row + p.fields, p.largest, s);
}

static void list(const struct app *a, struct rows *l)
{
	const struct sizes *s = subject(a);
	struct bytes id = BYTES_INIT;

	if (s && !pane_sizes_why_nothing(s))
		rows_add(l, ROW_OF_COLLECTION);
	for (size_t i = 0; s && !pane_sizes_why_nothing(s) && i < s->largest_count; i++) {
		bytes_reset(&id);
		format_id(a, s, i, &id);
		if (rows_matches(l, bytes_text(&id)))
			rows_add(l, ROWS_OF_LARGEST + (int64_t)i);
	}
	bytes_clear(&id);
}

static int heading_lines(const struct app *a)
{
	int height = a->layout.panes[PANE_SIZES].height;

	return height - plan(a, height).largest;
}

static void enter(struct app *a)
{
	int64_t which = pane_sizes_selected(a);

	if (which >= 0)
		app_open_document(a, subject(a), (size_t)which, false);
	else
		app_open_paths(a);
}

/* The selected document, else the largest. */
static void open_fattest(struct app *a)
{
	const struct sizes *s = subject(a);
	int64_t which = pane_sizes_selected(a);

	if (s && !pane_sizes_why_nothing(s) && s->largest_count)
		app_open_document(a, s, which >= 0 ? (size_t)which : 0, true);
	else
		app_open_paths(a); /* says why there is nothing */
}

static void copy(const struct app *a, struct bytes *text)
{
	int64_t which = pane_sizes_selected(a);

	if (which >= 0)
		format_id(a, subject(a), (size_t)which, text);
}

static const struct pane_hint hints[] = {
	{ ACTION_ENTER, "paths, document" }, { ACTION_OPEN, "the largest" }, { ACTION_NONE, NULL },
};

const struct pane_type pane_sizes = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true, .enter = enter, .copy = copy,
	.open = open_fattest, .hints = hints,
};
