/* A level of the path tree as a table. */
#include "ui/paths_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/path_text.h"
#include "ui/path_details.h"

const struct paths *paths_shown(const struct app *a)
{
	const struct paths_snapshot *s = app_viewed_paths(a);

	return s ? s->paths : NULL;
}

const struct path_node *paths_place(const struct app *a)
{
	const struct paths *p = paths_shown(a);

	return p ? paths_view_place(&a->paths_view, &p->tree) : NULL;
}

const char *paths_id_key(const struct app *a)
{
	return model_key(a->model, paths_shown(a)->collection);
}

/* Columns. Each is as wide as its widest cell; they give way from the last on where there is no room. */

enum column { BYTES, SHARE, BAR, COUNT, AVERAGE, MAX, VALUES, NAMES, OVERHEAD, PRESENT, COLUMNS };
enum { GAP = 2, LEAST_NAME = 14, MOST_NAME = 40, LEAST_TYPES = 16, LEAST_BAR = 4, MOST_BAR = 20 };

static const struct {
	const char *heading;
	int sort; /* the order that it shows; -1: none */
} columns[COLUMNS] = {
	[BYTES] = { "bytes", 0 },      [SHARE] = { "share", -1 },      [BAR] = { "", -1 },
	[COUNT] = { "count", 1 },      [AVERAGE] = { "avg", -1 },      [MAX] = { "max", 2 },
	[VALUES] = { "values", -1 },   [NAMES] = { "key names", -1 },  [OVERHEAD] = { "overhead", -1 },
	[PRESENT] = { "present in", -1 },
};

/* In the order of the screen; the parts in the first only where there is room for everything else. */
static const struct {
	enum column list[COLUMNS];
	int count;
} sets[PATHS_COLUMN_SETS] = {
	[PATHS_BYTES] = { { BYTES, SHARE, BAR, COUNT, AVERAGE, MAX, VALUES, NAMES, OVERHEAD }, 9 },
	[PATHS_PARTS] = { { BYTES, SHARE, VALUES, NAMES, OVERHEAD }, 5 },
	[PATHS_SCHEMA] = { { COUNT, PRESENT }, 2 },
};

static struct field_parts parts_of(const struct app *a, const struct path_row *r)
{
	struct field_parts parts = r->node ? r->node->parts : paths_place(a)->parts;

	for (uint32_t i = 0; !r->node && i < paths_place(a)->child_count; i++) {
		const struct field_parts *child = &paths_place(a)->children[i]->parts;

		parts.values -= child->values;
		parts.names -= child->names;
		parts.arrays -= child->arrays;
		parts.frames -= child->frames;
	}
	return parts;
}

static void figure_text(const struct app *a, struct figure f, char *cell)
{
	figure_format(f, a->ascii, cell, PATHS_CELL);
}

/* Blank where it does not apply. */
static void cell_text(const struct app *a, const struct path_row *r, enum column column, char *cell)
{
	const struct paths *p = paths_shown(a);
	const struct path_node *n = r->node;
	struct field_parts parts = parts_of(a, r);
	struct figure average;

	cell[0] = 0;
	switch (column) {
	case BYTES: figure_text(a, paths_figure(p, r->bytes), cell); break;
	case SHARE: path_share(r->bytes, paths_place(a)->bytes, cell, PATHS_CELL); break;
	case VALUES: figure_text(a, paths_figure(p, parts.values), cell); break;
	case NAMES: figure_text(a, paths_figure(p, parts.names), cell); break;
	case OVERHEAD: figure_text(a, paths_figure(p, parts.arrays + parts.frames), cell); break;
	default: break;
	}
	if (!n)
		return;
	switch (column) {
	case COUNT: figure_text(a, paths_figure(p, n->count), cell); break;
	case MAX: figure_text(a, paths_largest(p, n->largest_bytes), cell); break;
	case AVERAGE:
		average = paths_figure(p, 0);
		average.value = n->count ? (n->bytes + n->count / 2) / n->count : 0;
		average.at_least = false; /* of those that were counted */
		figure_text(a, average, cell);
		break;
	case PRESENT:
		if (n->documents < 0)
			figure_text(a, figure_unknown(), cell);
		else
			path_share(n->documents, p->tree.root->count, cell, PATHS_CELL);
		break;
	default: break;
	}
}

void paths_name_text(const struct path_row *r, struct bytes *text)
{
	if (r->node)
		path_print_key(text, r->node);
	else
		bytes_append_text(text, "(itself)");
}

/* Types, and in the schema the document that is odd in them. */
static void types_text(const struct app *a, const struct path_row *r, struct bytes *text)
{
	const struct path_node *n = r->node;
	char number[PATHS_CELL];

	if (!n)
		return;
	if (a->paths_view.columns == PATHS_SCHEMA || n->type_count > 1) {
		path_print_types(text, n);
	} else if (n->type_count) {
		bytes_append_text(text, value_type_name(n->types[0].type));
	}
	if (n->kind == PATH_FOLDED)
		bytes_format(text, "%s%s keys", text->size ? " · " : "",
		             figure_format(distinct_figure(&n->keys), a->ascii, number, sizeof number));
	if (a->paths_view.columns == PATHS_SCHEMA && n->type_count > 1) {
		const struct path_type *odd = &n->types[n->type_count - 1];

		bytes_format(text, " · %s in ", value_type_name(odd->type));
		path_mark_text(&odd->first, paths_id_key(a), text);
	}
}

struct table {
	struct path_row *rows;
	size_t count;
	int64_t most_bytes;
	int widths[COLUMNS]; /* 0: not shown */
	int name, types;     /* widths */
};

static int widest(const struct app *a, const struct canvas *c, const struct table *t, enum column column)
{
	int width = canvas_width(c, columns[column].heading) + (columns[column].sort >= 0);
	char cell[PATHS_CELL];

	for (size_t i = 0; i < t->count; i++) {
		cell_text(a, &t->rows[i], column, cell);
		if (canvas_width(c, cell) > width)
			width = canvas_width(c, cell);
	}
	return width;
}

static int widest_name(const struct canvas *c, const struct table *t)
{
	int width = LEAST_NAME;

	for (size_t i = 0; i < t->count && width < MOST_NAME; i++) {
		struct bytes text = BYTES_INIT;

		paths_name_text(&t->rows[i], &text);
		if (canvas_width(c, bytes_text(&text)) > width)
			width = canvas_width(c, bytes_text(&text));
		bytes_clear(&text);
	}
	return width < MOST_NAME ? width : MOST_NAME;
}

/* The name and the first columns before all; then the types, then the name's full width, then the bar. */
static void lay_out(const struct app *a, const struct canvas *c, struct table *t)
{
	enum paths_columns set = a->paths_view.columns;
	int room = c->area.width - PATHS_INDENT - 1 - LEAST_NAME, more;

	for (int i = 0; i < sets[set].count; i++) {
		enum column column = sets[set].list[i];
		int width = column == BAR ? LEAST_BAR : widest(a, c, t, column);
		bool is_part = set == PATHS_BYTES && column >= VALUES;

		if (room < GAP + width + (is_part ? LEAST_TYPES + GAP : 0))
			break;
		t->widths[column] = width;
		room -= GAP + width;
	}
	more = widest_name(c, t) - LEAST_NAME;
	t->types = room >= GAP + LEAST_TYPES / 2 ? room - GAP : 0;
	t->name = LEAST_NAME;
	if (t->types > LEAST_TYPES || !t->types) {
		int spare = t->types ? t->types - LEAST_TYPES : room;
		int wider = more < spare ? more : spare;

		t->name += wider;
		t->types -= t->types ? wider : 0;
		spare -= wider;
		if (t->widths[BAR] && spare > 0 && set == PATHS_BYTES) {
			int bar = spare / 2 < MOST_BAR - LEAST_BAR ? spare / 2 : MOST_BAR - LEAST_BAR;

			t->widths[BAR] += bar;
			t->types -= t->types ? bar : 0;
		}
	}
}

static struct table table_new(const struct app *a, const struct canvas *c)
{
	const struct path_node *at = paths_place(a);
	struct table t = { .rows = NULL };

	t.rows = paths_view_rows(at, a->lists[PANE_PATHS].sort, &t.count);
	for (size_t i = 0; i < t.count; i++)
		if (t.rows[i].bytes > t.most_bytes)
			t.most_bytes = t.rows[i].bytes;
	lay_out(a, c, &t);
	return t;
}

static void draw_headings(const struct app *a, const struct canvas *c, const struct table *t)
{
	int end = PATHS_INDENT + t->name, sort = a->lists[PANE_PATHS].sort;
	char text[32];

	canvas_text(c, 1, PATHS_INDENT, t->name, STYLE_HEADING, sort == 3 ? "path↓" : "path");
	for (int i = 0; i < sets[a->paths_view.columns].count; i++) {
		enum column column = sets[a->paths_view.columns].list[i];

		if (!t->widths[column])
			break;
		end += GAP + t->widths[column];
		snprintf(text, sizeof text, "%s%s", columns[column].sort == sort ? "↓" : "", columns[column].heading);
		canvas_right(c, 1, end, t->widths[column], STYLE_HEADING, text);
	}
	canvas_text(c, 1, end + GAP, t->types, STYLE_HEADING, "types");
}

static void draw_row(const struct app *a, const struct canvas *c, int line, const struct table *t, size_t position)
{
	struct bytes text = BYTES_INIT;
	const struct path_row *r = NULL;
	int end = PATHS_INDENT + t->name;
	char cell[PATHS_CELL];

	for (size_t i = 0; i < t->count && !r; i++)
		if (t->rows[i].id == a->lists[PANE_PATHS].ids[position])
			r = &t->rows[i];
	if (!r)
		return;
	if (paths_view_enters(r->node))
		canvas_text(c, line, PATHS_INDENT - 2, 1, STYLE_KEY, "▸");
	paths_name_text(r, &text);
	canvas_text(c, line, PATHS_INDENT, t->name, pane_row_style(a, PANE_PATHS, position, r->node ? STYLE_TITLE : STYLE_FAINT),
	            bytes_text(&text));
	for (int i = 0; i < sets[a->paths_view.columns].count; i++) {
		enum column column = sets[a->paths_view.columns].list[i];
		int width = t->widths[column];

		if (!width)
			break;
		end += GAP + width;
		cell_text(a, r, column, cell);
		if (column == BAR)
			canvas_bar(c, line, end - width, width, (int64_t)((double)r->bytes / (double)t->most_bytes * width * 8 + 0.999),
			           STYLE_GAUGE);
		else
			canvas_right(c, line, end, width, STYLE_TEXT, cell);
	}
	bytes_reset(&text);
	types_text(a, r, &text);
	canvas_text(c, line, end + GAP, t->types, STYLE_FAINT, bytes_text(&text));
	bytes_clear(&text);
}

void paths_table_draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_PATHS];
	struct table t = table_new(a, c);

	draw_headings(a, c, &t);
	for (int i = 0; i < c->area.height - 2 && l->top + i < (int)l->count; i++)
		draw_row(a, c, 2 + i, &t, (size_t)(l->top + i));
	free(t.rows);
}
