/* The plan as a grid: a line a stage, its figures in columns as wide as they need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/explain_faces.h"

enum { LEFT = 1, TEXT_SIZE = 96, ABOUT = 2, NARROWEST_STAGE = 22 };

struct grid {
	const struct app *app;
	const struct plan_tree *tree;
};

typedef void cell_function(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE]);

static void format_figure(const struct grid *g, struct figure f, char text[TEXT_SIZE])
{
	if (figure_known(f))
		figure_format(f, g->app->ascii, text, TEXT_SIZE);
}

static void cell_index(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE])
{
	(void)g;
	snprintf(text, TEXT_SIZE, "%s", n->index ? n->index : "");
}

static void cell_docs(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE]) { format_figure(g, n->docs, text); }
static void cell_keys(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE]) { format_figure(g, n->keys, text); }
static void cell_returned(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE]) { format_figure(g, n->returned, text); }
static void cell_works(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE]) { format_figure(g, n->works, text); }
static void cell_memory(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE]) { format_figure(g, n->memory_bytes, text); }

static void cell_own(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE])
{
	explain_format_time(g->app, n->own_millis, n->own_micros, text, TEXT_SIZE);
}

static void cell_share(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE])
{
	double share = plan_own_share(g->tree, n);

	if (share >= 0 && explain_shows_times(g->app))
		snprintf(text, TEXT_SIZE, "%.0f %%", share * 100);
}

static void cell_spills(const struct grid *g, const struct plan_node *n, char text[TEXT_SIZE])
{
	if (figure_known(n->spills))
		format_figure(g, n->spills, text);
	else if (n->spilled)
		snprintf(text, TEXT_SIZE, "yes");
}

/* heading, cell, how long it stays where there is no room: the highest goes first; whether it stands without a figure */
#define COLUMNS(X)                                   \
	X("index", cell_index, 3, false)             \
	X("docs", cell_docs, 0, true)                \
	X("keys", cell_keys, 0, true)                \
	X("returned", cell_returned, 0, true)        \
	X("works", cell_works, 7, false)             \
	X("own time", cell_own, 4, false)            \
	X("share", cell_share, 5, false)             \
	X("memory B", cell_memory, 6, false)         \
	X("spills", cell_spills, 2, false)

static const struct {
	const char *heading;
	cell_function *cell;
	int dispensable;
	bool always;
} columns[] = {
#define X(heading, cell, dispensable, always) { heading, cell, dispensable, always },
	COLUMNS(X)
#undef X
};
enum { COLUMN_COUNT = sizeof columns / sizeof *columns, INDEX = 0 };

struct row {
	const struct plan_node *node;
	int depth;
};

struct stages {
	struct row *rows;
	size_t count, capacity;
};

static void add_stage(void *context, const struct plan_node *n, int depth)
{
	struct stages *s = context;

	s->rows = memory_grow(s->rows, &s->capacity, s->count + 1, sizeof *s->rows);
	s->rows[s->count++] = (struct row){ n, depth };
}

static const struct plan_tree *tree_of(const struct app *a)
{
	const struct plan_page *page = explain_page(a);

	return page ? page->tree : NULL;
}

static struct stages stages_of(const struct app *a)
{
	struct stages s = { NULL, 0, 0 };

	if (tree_of(a))
		plan_tree_walk(tree_of(a), add_stage, &s);
	return s;
}

/* As wide as the widest cell; 0 for a column that nothing stands in. */
static void measure(const struct grid *g, const struct canvas *c, const struct stages *s, int widths[COLUMN_COUNT])
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		bool any = columns[i].always;

		widths[i] = canvas_width(c, columns[i].heading);
		for (size_t r = 0; r < s->count; r++) {
			char text[TEXT_SIZE] = "";
			int width;

			columns[i].cell(g, s->rows[r].node, text);
			width = canvas_width(c, text);
			any = any || width > 0;
			widths[i] = width > widths[i] ? width : widths[i];
		}
		if (i == INDEX && widths[i] > c->area.width / 5)
			widths[i] = c->area.width / 5; /* the whole name stands below */
		widths[i] = any ? widths[i] + 2 : 0;
	}
}

static int sum_of(const int widths[COLUMN_COUNT])
{
	int sum = 0;

	for (int i = 0; i < COLUMN_COUNT; i++)
		sum += widths[i];
	return sum;
}

/* Leaves columns out until the stages' names have room. */
static void make_room(int width, int widths[COLUMN_COUNT])
{
	while (width - sum_of(widths) < NARROWEST_STAGE) {
		int leaves = -1;

		for (int i = 0; i < COLUMN_COUNT; i++)
			if (widths[i] && columns[i].dispensable && (leaves < 0 || columns[i].dispensable > columns[leaves].dispensable))
				leaves = i;
		if (leaves < 0)
			return;
		widths[leaves] = 0;
	}
}

static void draw_cell(const struct canvas *c, int row, int start, int width, int column, enum style s, const char *text)
{
	if (column == INDEX)
		canvas_text(c, row, start + 2, width - 2, s, text);
	else
		canvas_right(c, row, start + width, width - 1, s, text);
}

static void draw_row(const struct grid *g, const struct canvas *c, int at, const struct row *r, bool selected,
                     int stage_width, const int widths[COLUMN_COUNT])
{
	struct bytes title = BYTES_INIT;
	int column = LEFT + stage_width;

	if (r->node->shard)
		bytes_format(&title, "%s: ", r->node->shard);
	bytes_format(&title, "%s%s%s", r->node->stage, r->node->detail ? " " : "", r->node->detail ? r->node->detail : "");
	if (selected)
		canvas_text(c, at, 0, 1, STYLE_CHOSEN, "▸");
	canvas_text(c, at, LEFT + r->depth, stage_width - r->depth, selected ? STYLE_CURSOR : STYLE_TITLE, bytes_text(&title));
	for (int i = 0; i < COLUMN_COUNT; i++) {
		char text[TEXT_SIZE] = "";

		if (!widths[i])
			continue;
		columns[i].cell(g, r->node, text);
		draw_cell(c, at, column, widths[i], i, STYLE_TEXT, text);
		column += widths[i];
	}
	bytes_clear(&title);
}

static void draw_about(const struct app *a, const struct canvas *c, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	const char *at;

	explain_describe(a, n, &text);
	at = bytes_text(&text);
	for (int i = 0; i < ABOUT && *at; i++) {
		size_t fit = i + 1 < ABOUT ? canvas_fit(c, at, c->area.width - 2) : strlen(at);
		char *line = strndup(at, fit);

		canvas_text(c, c->area.height - ABOUT + i, LEFT, c->area.width - 2, STYLE_NAME, line);
		free(line);
		at += fit;
	}
	bytes_clear(&text);
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct grid g = { a, tree_of(a) };
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	struct stages s = stages_of(a);
	int widths[COLUMN_COUNT], stage_width, column, width = pane_table_width(c) - LEFT - 1;

	if (!g.tree) {
		enum style style;
		const char *missing = explain_missing(a, &style);

		canvas_text(c, 0, LEFT, c->area.width - 2, style, missing);
		return;
	}
	measure(&g, c, &s, widths);
	make_room(width, widths);
	stage_width = width - sum_of(widths);
	column = LEFT + stage_width;
	canvas_text(c, 0, LEFT, stage_width, STYLE_HEADING, "stage");
	for (int i = 0; i < COLUMN_COUNT; i++) {
		draw_cell(c, 0, column, widths[i], i, STYLE_HEADING, widths[i] ? columns[i].heading : "");
		column += widths[i];
	}
	for (int i = 0; i < c->area.height - 1 - ABOUT && l->top + i < (int)s.count; i++)
		draw_row(&g, c, 1 + i, &s.rows[l->top + i], a->focus == PANE_EXPLAIN && l->position == (size_t)(l->top + i),
		         stage_width, widths);
	if (l->position < s.count)
		draw_about(a, c, s.rows[l->position].node);
	free(s.rows);
}

static void list(const struct app *a, struct rows *l)
{
	struct stages s = stages_of(a);

	for (size_t i = 0; i < s.count; i++)
		rows_add(l, (int64_t)i);
	free(s.rows);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1 + ABOUT;
}

const struct plan_node *explain_grid_stage(const struct app *a)
{
	struct stages s = stages_of(a);
	size_t position = a->lists[PANE_EXPLAIN].position;
	const struct plan_node *n = position < s.count ? s.rows[position].node : NULL;

	free(s.rows);
	return n;
}

static void enter(struct app *a)
{
	explain_show_raw(a, explain_grid_stage(a));
}

const struct pane_type explain_grid = { .draw = draw, .list = list, .heading_lines = heading_lines, .enter = enter };
