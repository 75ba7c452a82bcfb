/* One document as a tree: a row a field, with its type and its bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "ui/pane.h"

enum { TYPE_WIDTH = 10 };

static const struct document_tree *tree(const struct app *a)
{
	return a->document ? a->document->tree : NULL;
}

static size_t selected(const struct app *a)
{
	int64_t row = rows_selected(&a->lists[PANE_DOCUMENT]);

	return row < 0 ? 0 : document_view_node(row);
}

static void draw_name(const struct app *a, const struct canvas *c, int row, size_t position, size_t node)
{
	const struct document_view *v = a->document_view;
	const struct document_columns at = document_view_columns(v, node);
	bool found = v->searched && v->found[node] == 2;
	enum style s = pane_row_style(a, PANE_DOCUMENT, position, found ? STYLE_MATCH : STYLE_TITLE);

	if (document_view_opens(a->document_view, node))
		canvas_text(c, row, at.mark, 1, STYLE_KEY, v->open[node] ? "▾" : "▸");
	canvas_text(c, row, at.name, at.name_width, s, document_view_name(v, node));
}

static void draw_row(const struct app *a, const struct canvas *c, int row, size_t position)
{
	const struct document_view *v = a->document_view;
	int64_t id = a->lists[PANE_DOCUMENT].ids[position];
	size_t node = document_view_node(id);
	int line = document_view_line(id);
	const struct document_columns at = document_view_columns(v, node);
	bool opened = v->open[node] && document_tree_holds(v->tree, node);
	enum style s = pane_row_style(a, PANE_DOCUMENT, position, opened ? STYLE_FAINT : STYLE_TEXT);
	char *text;

	if (line == 0) {
		draw_name(a, c, row, position, node);
		canvas_text(c, row, at.type, TYPE_WIDTH, STYLE_FAINT, value_type_name(v->tree->nodes[node].type));
		canvas_figure(c, row, at.end, 11, STYLE_TEXT, figure_of(document_tree_bytes(v->tree, node), PROVENANCE_EXACT));
	}
	if (opened) {
		char count[64], number[40];
		bool array = v->tree->nodes[node].type == BSON_TYPE_ARRAY;
		int64_t fields = value_count(document_tree_value(v->tree, node));

		snprintf(count, sizeof count, "%s %s%s", figure_format_count(fields, number, sizeof number),
		         array ? "element" : "field", fields == 1 ? "" : "s");
		canvas_text(c, row, at.value, at.type - 1 - at.value, s, count);
		return;
	}
	text = document_view_text(v, node, line);
	canvas_text(c, row, at.value, at.type - 1 - at.value, s, text);
	free(text);
}

/* "16,785,000 B · over the user limit: … · headroom -7,784 B", from the first threshold on. */
static void append_limits(const struct app *a, const struct document_tree *t, char *title, size_t size)
{
	int64_t bytes = (int64_t)t->document.size;
	const struct threshold *reached = thresholds_reached(thresholds_default(), bytes);
	const char *meaning = reached ? reached->meaning : NULL;
	char number[40];

	if (!reached)
		return;
	snprintf(title + strlen(title), size - strlen(title), " · %.*s · headroom %s B", (int)strcspn(meaning, ":;"), meaning,
	         figure_format_count(a->limit_bytes - bytes, number, sizeof number));
}

/* Of a selected array: that one more of its largest elements would be too much. */
static void append_element(const struct app *a, const struct document_tree *t, char *title, size_t size)
{
	size_t node = selected(a);
	int64_t largest = 0;
	char number[40];

	if (t->nodes[node].type != BSON_TYPE_ARRAY)
		return;
	for (size_t i = node + 1; i < t->nodes[node].end; i = t->nodes[i].end)
		if (document_tree_bytes(t, i) > largest)
			largest = document_tree_bytes(t, i);
	if (largest && largest > a->limit_bytes - (int64_t)t->document.size)
		snprintf(title + strlen(title), size - strlen(title), " · one more of %s B does not fit",
		         figure_format_count(largest, number, sizeof number));
}

static void format_title(const struct app *a, char *title, size_t size)
{
	enum { DEEP = 100 }; /* drivers and shells say that they go no deeper */
	const struct document_tree *t = tree(a);
	struct bytes path = BYTES_INIT;
	char number[40], depth[64] = "";

	if (t && t->depth >= DEEP)
		snprintf(depth, sizeof depth, " · %d levels", t->depth);
	snprintf(title, size, "Document · %s", a->document_name ? a->document_name : "");
	if (t)
		snprintf(title + strlen(title), size - strlen(title), " · %s B%s%s%s",
		         figure_format_count((int64_t)t->document.size, number, sizeof number), depth, t->broken ? " · broken: " : "",
		         t->broken ? t->broken : "");
	if (t)
		append_limits(a, t, title, size);
	if (t && selected(a) > 0) {
		document_tree_path(t, selected(a), &path);
		snprintf(title + strlen(title), size - strlen(title), " · %s", bytes_text(&path));
		append_element(a, t, title, size);
	}
	bytes_clear(&path);
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_DOCUMENT];
	char title[2000];

	format_title(a, title, sizeof title);
	pane_draw_title(a, c, PANE_DOCUMENT, title);
	if (!a->document_view) {
		const char *what = a->document ? a->document->outcome.error.message : a->document_name ? "reading" : "none is open";

		canvas_text(c, 1, 3, c->area.width - 4, a->document ? STYLE_ERROR : STYLE_FAINT, what);
		return;
	}
	pane_draw_heading(c, 0, c->area.width - 2, NULL, "type        bytes");
	if (!l->count)
		canvas_text(c, 1, 3, c->area.width - 4, STYLE_FAINT, "no field contains the text");
	for (int i = 0; i + 1 < c->area.height && l->top + i < (int)l->count; i++)
		draw_row(a, c, 1 + i, (size_t)(l->top + i));
}

static void list(const struct app *a, struct rows *l)
{
	struct canvas window = { NULL, a->layout.panes[PANE_DOCUMENT], a->ascii };

	if (a->document_view)
		document_view_list(a->document_view, l, &window);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1;
}

static void unfold(struct app *a)
{
	if (a->document_view && document_view_opens(a->document_view, selected(a)))
		document_view_set_open(a->document_view, selected(a), true);
}

/* What is closed already leads to what holds it. */
static void fold(struct app *a)
{
	size_t node = selected(a);

	if (!a->document_view)
		return;
	if (!a->document_view->open[node] || !document_view_opens(a->document_view, node))
		node = tree(a)->nodes[node].parent;
	else
		document_view_set_open(a->document_view, node, false);
	rows_select(&a->lists[PANE_DOCUMENT], document_view_row(node));
}

static void unfold_all(struct app *a)
{
	if (a->document_view)
		document_view_open_all(a->document_view);
}

static void enter(struct app *a)
{
	if (!a->document_view || !document_view_opens(a->document_view, selected(a)))
		return;
	if (a->document_view->open[selected(a)])
		fold(a);
	else
		unfold(a);
}

/* A text as it is, everything else as mongosh writes it. */
static void copy(const struct app *a, struct bytes *text)
{
	struct value v;

	if (!a->document_view)
		return;
	v = document_tree_value(tree(a), selected(a));
	if (v.type == BSON_TYPE_UTF8)
		bytes_append(text, value_text(v).bytes, value_text(v).size_bytes);
	else
		print_line(text, v, PRINT_SHELL);
}

static const struct pane_hint hints[] = {
	{ ACTION_ENTER, "unfold" }, { ACTION_UNFOLD_ALL, "all" }, { ACTION_PATHS, "where its bytes are" }, { ACTION_NONE, NULL },
};

const struct pane_type pane_document = {
	.draw = draw,
	.list = list,
	.heading_lines = heading_lines,
	.filterable = true,
	.enter = enter,
	.copy = copy,
	.unfold = unfold,
	.fold = fold,
	.unfold_all = unfold_all,
	.hints = hints,
};
