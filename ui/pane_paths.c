/*
 * Where the bytes are, path by path and a level at a time: of the selected collection, or of the document that is
 * open. What is known of one path takes the level's place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/path_text.h"
#include "ui/pane.h"
#include "ui/path_details.h"
#include "ui/paths_table.h"

/* The row of an id: an empty one when there is none. */
static struct path_row row_of(const struct app *a, int64_t id)
{
	const struct path_node *at = paths_place(a);
	struct path_row found = { 0 };
	size_t count = 0;
	struct path_row *rows = at ? paths_view_rows(at, 0, &count) : NULL;

	for (size_t i = 0; i < count; i++)
		if (rows[i].id == id)
			found = rows[i];
	free(rows);
	return found;
}

static const struct path_node *selected(const struct app *a)
{
	return a->paths_view.details ? row_of(a, a->paths_view.detailed).node : row_of(a, rows_selected(&a->lists[PANE_PATHS])).node;
}

/* Details */

static struct path_details *details(const struct app *a)
{
	const struct path_node *n = selected(a);

	return n ? path_details_new(paths_shown(a), n, paths_id_key(a), a->ascii) : NULL;
}

static void draw_details(const struct app *a, const struct canvas *c)
{
	enum { TEXT = 18, BAR_WIDTH = 24 };
	const struct rows *l = &a->lists[PANE_PATHS];
	struct path_details *d = details(a);

	for (int i = 0; d && i + 2 < c->area.height && l->top + i < (int)l->count; i++) {
		size_t position = (size_t)(l->top + i);
		const struct path_detail *line = &d->list[l->ids[position]];
		int used, width = c->area.width - TEXT - 1;

		canvas_text(c, 2 + i, PATHS_INDENT, TEXT - PATHS_INDENT - 1, STYLE_FAINT, line->label);
		if (line->mark && l->position == position)
			canvas_text(c, 2 + i, TEXT - 2, 1, STYLE_KEY, "▸");
		used = canvas_text(c, 2 + i, TEXT, width, pane_row_style(a, PANE_PATHS, position, STYLE_TEXT), line->text);
		if (line->bar >= 0 && used < 26 && width > 26 + BAR_WIDTH)
			canvas_bar(c, 2 + i, TEXT + 26, BAR_WIDTH, line->bar * 8 * BAR_WIDTH / d->most_bar, STYLE_GAUGE);
	}
	path_details_destroy(d);
}

/* The whole */

static void format_progress(const struct app *a, char *text, size_t size)
{
	const struct paths_progress *g = &paths_shown(a)->progress;
	int64_t left_us = paths_left_us(g), rate = g->elapsed_us > 0 ? g->bytes / g->elapsed_us : 0;
	int64_t done = g->of_bytes ? g->bytes : g->documents, of = g->of_bytes ? g->of_bytes : g->of_documents;
	char number[PATHS_CELL];

	text[0] = 0;
	if (of > 0)
		snprintf(text, size, "%d %% · ", (int)(100.0 * (double)done / (double)of));
	if (a->clock) /* else times are not repeatable */
		snprintf(text + strlen(text), size - strlen(text), "%s MB/s · ", figure_format_count(rate, number, sizeof number));
	if (a->clock && left_us >= 0)
		snprintf(text + strlen(text), size - strlen(text), "%d s left · ", (int)((left_us + 999999) / 1000000));
	snprintf(text + strlen(text), size - strlen(text), "Esc stops");
}

static void format_title(const struct app *a, struct bytes *title)
{
	const struct paths *p = paths_shown(a);
	const struct path_node *at = paths_place(a), *shown = a->paths_view.details ? selected(a) : at;
	const char *subject_name = a->paths_view.of_document ? a->document_name : pane_collections_name(a);
	char number[PATHS_CELL], of[PATHS_CELL], share[16];

	bytes_format(title, "%s · %s", a->paths_view.columns == PATHS_SCHEMA ? "Schema" : "Paths", subject_name ? subject_name : "");
	if (!p)
		return;
	if (shown && shown->parent) {
		bytes_append_text(title, " · ");
		path_print(title, shown);
	}
	if (!a->paths_view.details)
		bytes_format(title, " · %s B", figure_format(paths_figure(p, at->bytes), a->ascii, number, sizeof number));
	if (!a->paths_view.details && at->parent)
		bytes_format(title, ", %s", path_share(at->bytes, p->tree.root->bytes, share, sizeof share));
	if (p->documents.provenance == PROVENANCE_SAMPLED)
		bytes_format(title, " · %s %s", p->method == SAMPLING_FIRST ? "first" : "sample",
		             figure_format_count(p->documents.n, number, sizeof number));
	if (p->documents.of)
		bytes_format(title, " of %s", figure_format_count(p->documents.of, of, sizeof of));
	if (!p->whole && !app_counts_paths(a))
		bytes_append_text(title, " · stopped: so far, at least");
	else if (p->documents.at_least)
		bytes_append_text(title, p->method == SAMPLING_FIRST ? " · at least" : " · so far, at least");
	else if (p->documents.provenance == PROVENANCE_EXACT)
		bytes_append_text(title, " · exact");
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct paths_snapshot *s = app_viewed_paths(a);
	const struct rows *l = &a->lists[PANE_PATHS];
	struct bytes title = BYTES_INIT;
	char progress[128];

	format_title(a, &title);
	pane_draw_title(a, c, PANE_PATHS, bytes_text(&title));
	bytes_clear(&title);
	if (!paths_shown(a)) {
		canvas_text(c, 1, PATHS_INDENT, c->area.width - PATHS_INDENT - 1, s ? STYLE_ERROR : STYLE_FAINT,
		            s ? s->outcome.error.message : "counting");
		return;
	}
	if (!paths_shown(a)->whole && app_counts_paths(a)) {
		format_progress(a, progress, sizeof progress);
		pane_draw_heading(c, 0, c->area.width - 2, NULL, progress);
	}
	if (a->paths_view.details) {
		draw_details(a, c);
		return;
	}
	paths_table_draw(a, c);
	if (!l->count)
		canvas_text(c, 2, PATHS_INDENT, c->area.width - PATHS_INDENT - 1, STYLE_FAINT,
		            l->filter ? "no path contains the text" : "empty: no fields");
	if (a->paths_view.columns == PATHS_SCHEMA)
		paths_schema_draw(a, c, c->area.height - PATHS_SCHEMA_LINES);
}

static void list_details(const struct app *a, struct rows *l)
{
	struct path_details *d = details(a);

	for (size_t i = 0; d && i < d->count; i++)
		if (rows_matches(l, d->list[i].label) || rows_matches(l, d->list[i].text))
			rows_add(l, (int64_t)i);
	path_details_destroy(d);
}

static void list(const struct app *a, struct rows *l)
{
	const struct path_node *at = paths_place(a);
	size_t count = 0;
	struct path_row *rows;

	if (at && a->paths_view.details) {
		list_details(a, l);
		return;
	}
	rows = at ? paths_view_rows(at, l->sort, &count) : NULL;
	for (size_t i = 0; i < count; i++) {
		struct bytes name = BYTES_INIT;

		paths_name_text(&rows[i], &name);
		if (rows_matches(l, bytes_text(&name)))
			rows_add(l, rows[i].id);
		bytes_clear(&name);
	}
	free(rows);
}

static int heading_lines(const struct app *a)
{
	return 2 + (a->paths_view.columns == PATHS_SCHEMA && !a->paths_view.details ? PATHS_SCHEMA_LINES : 0);
}

/* Other rows stand in the list from now on; `id` is selected: -1, the first. */
static void show_others(struct app *a, int64_t id)
{
	struct rows *l = &a->lists[PANE_PATHS];

	rows_set_filter(l, NULL);
	rows_begin(l);
	l->position = 0;
	l->top = 0;
	l->selected = id;
}

static void show_details(struct app *a)
{
	if (a->paths_view.details) {
		a->paths_view.details = false;
		show_others(a, a->paths_view.detailed);
	} else if (selected(a)) {
		a->paths_view.detailed = rows_selected(&a->lists[PANE_PATHS]);
		a->paths_view.details = true;
		show_others(a, -1);
	} else {
		app_say(a, "lengths and terminators of what holds the paths, and values that hold none");
	}
}

static bool back(struct app *a)
{
	int64_t row;

	if (a->paths_view.details) {
		show_details(a);
		return true;
	}
	if (!paths_place(a) || !paths_view_leave(&a->paths_view, &paths_shown(a)->tree, &row)) {
		if (a->paths_view.of_document)
			app_close_document_paths(a);
		return a->focus == PANE_DOCUMENT;
	}
	show_others(a, row);
	return true;
}

static void leave(struct app *a)
{
	if (!back(a))
		a->focus = a->came_from[PANE_PATHS];
}

static void go_in(struct app *a)
{
	if (a->paths_view.details || !paths_view_enters(selected(a)))
		return;
	paths_view_enter(&a->paths_view, selected(a));
	show_others(a, -1);
}

static void open_document(struct app *a)
{
	const struct path_node *n = selected(a);
	struct path_details *d = a->paths_view.details ? details(a) : NULL;
	int64_t line = rows_selected(&a->lists[PANE_PATHS]);
	const struct path_mark *mark = n ? &n->largest : NULL;

	if (d && line >= 0 && d->list[line].mark)
		mark = d->list[line].mark;
	path_details_destroy(d);
	if (mark)
		app_open_marked(a, mark, n);
	else
		app_say(a, "no document to open");
}

/* What holds nothing is looked at itself. */
static void enter(struct app *a)
{
	if (!paths_shown(a))
		return;
	if (a->paths_view.details)
		open_document(a);
	else if (paths_view_enters(selected(a)))
		go_in(a);
	else
		show_details(a);
}

static void next_view(struct app *a)
{
	static const char *const texts[] = {
#define X(name, text) text,
		PATHS_COLUMNS(X)
#undef X
	};

	if (a->paths_view.details)
		show_details(a);
	a->paths_view.columns = (a->paths_view.columns + 1) % PATHS_COLUMN_SETS;
	app_say(a, "%s", texts[a->paths_view.columns]);
}

static void copy(const struct app *a, struct bytes *text)
{
	if (selected(a))
		path_print(text, selected(a));
}

static const struct pane_hint hints[] = {
	{ ACTION_ENTER, "in" },    { ACTION_BACK, "back" },        { ACTION_INDEXES, "details" }, { ACTION_OPEN, "document" },
	{ ACTION_SORT, "sort" },   { ACTION_FACE, "columns" }, { ACTION_NONE, NULL },
};

const struct pane_type pane_paths = {
	.draw = draw,
	.list = list,
	.heading_lines = heading_lines,
	.filterable = true,
	.sorts = paths_view_sorts,
	.enter = enter,
	.copy = copy,
	.unfold = go_in,
	.fold = leave,
	.open = open_document,
	.details = show_details,
	.next_view = next_view,
	.back = back,
	.hints = hints,
};
