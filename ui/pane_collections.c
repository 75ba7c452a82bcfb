/* The database's collections as they stand in the chosen shape, and the relationships that can be explored. */
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "ui/pane.h"

enum { FIRST_RELATIONSHIP = 1000000, FIRST_INDEX = 2000000 }; /* ids below are collections */

static const char *const sorts[] = {
	"the database's order", SORTED("docs"), SORTED("bytes"), SORTED("average"), SORTED("max"), NULL,
};

/* Average in bytes, rounded half up. */
static struct figure average(const struct sizes *s)
{
	struct figure f = s->avg_millibytes;

	f.value = (f.value + 500) / 1000;
	return f;
}

static struct figure column_figure(const struct sizes *s, int column)
{
	if (!s)
		return figure_unknown();
	switch (column) {
	case 0: return s->count;
	case 1: return s->bytes;
	case 2: return average(s);
	case 3: return s->max;
	case 4: return s->p50;
	case 5: return s->p99;
	default: return s->headroom;
	}
}

static const struct {
	const char *heading;
	int width;
} columns[] = { { "docs", 8 }, { "bytes", 11 }, { "avg", 6 }, { "max", 7 }, { "p50", 8 }, { "p99", 8 }, { "headroom", 13 } };
enum { COLUMNS = sizeof columns / sizeof *columns, NARROW_COLUMNS = 4, ALL_WIDTH = 80, ROOM_FOR_SHAPE = 100 };

static int shown_columns(const struct canvas *c)
{
	return c->area.width >= ALL_WIDTH ? COLUMNS : NARROW_COLUMNS;
}

static int figures_start(const struct canvas *c)
{
	int start = c->area.width - 1;

	for (int i = 0; i < shown_columns(c); i++)
		start -= columns[i].width;
	return start;
}

static const struct collections_snapshot *found(const struct app *a, enum shape_kind shape)
{
	return a->findings[shape].collections;
}

static const struct collection_entry *entry_of(const struct app *a, int64_t id)
{
	const struct collections_snapshot *s = found(a, a->shape);

	for (size_t i = 0; s && i < s->count; i++)
		if (s->entries[i].id == id)
			return &s->entries[i];
	return NULL;
}

static const struct collection_entry *entry(const struct app *a, enum shape_kind shape, const char *name)
{
	const struct collections_snapshot *s = found(a, shape);

	for (size_t i = 0; s && name && i < s->count; i++)
		if (!strcmp(s->entries[i].name, name))
			return &s->entries[i];
	return NULL;
}

const struct sizes *pane_collections_sizes(const struct app *a, enum shape_kind shape, const char *name)
{
	const struct collection_entry *e = entry(a, shape, name);

	return e ? e->sizes : NULL;
}

const char *pane_collections_error(const struct app *a, const char *name)
{
	const struct collection_entry *e = entry(a, a->shape, name);

	return e && !e->sizes && e->error.message[0] ? e->error.message : NULL;
}

static bool is_lit(const struct app *a, const struct collection_entry *e, int column)
{
	struct figure x, y;

	if (!a->lit || !found(a, a->compared))
		return false;
	x = column_figure(e->sizes, column);
	y = column_figure(pane_collections_sizes(a, a->compared, e->name), column);
	return figure_known(x) && (!figure_known(y) || x.value != y.value);
}

/* It stands on a line of its own. */
static bool has_remark(const struct collection_entry *e)
{
	return e && e->sizes && e->sizes->remark;
}

static void draw_collection(const struct app *a, const struct canvas *c, int row, size_t position, const struct collection_entry *e)
{
	enum style s = pane_row_style(a, PANE_COLLECTIONS, position, STYLE_TEXT);
	int end = figures_start(c), used;

	if (a->lists[PANE_COLLECTIONS].position == position)
		canvas_text(c, row, 1, 1, STYLE_CHOSEN, "▸");
	used = 3 + canvas_text(c, row, 3, end - 3, s, e->name);
	if (e->sizes && strcmp(e->sizes->kind, "collection"))
		canvas_text(c, row, used + 1, end - used - 1, STYLE_FAINT, e->sizes->kind);
	for (int i = 0; i < shown_columns(c); i++) {
		end += columns[i].width;
		canvas_figure(c, row, end, columns[i].width - 1, is_lit(a, e, i) ? STYLE_LIT : STYLE_TEXT, column_figure(e->sizes, i));
	}
	if (has_remark(e))
		canvas_text(c, row + 1, 5, c->area.width - 6, STYLE_FAINT, e->sizes->remark);
}

static void format_children(const struct app *a, const struct facts_snapshot *f, char *text, size_t size)
{
	char least[40], most[40];

	if (!f || f->outcome.failed || !figure_known(f->facts.most))
		snprintf(text, size, "1:%s", a->ascii ? "-" : "—");
	else
		snprintf(text, size, "1:%s%s%s", figure_format(f->facts.least, a->ascii, least, sizeof least), a->ascii ? "-" : "–",
		         figure_format_count(f->facts.most.value, most, sizeof most));
}

void pane_relationship_text(const struct app *a, const struct relationship *r, char *text, size_t size)
{
	char children[96];

	format_children(a, a->facts[app_relationship_index(a, r)], children, sizeof children);
	snprintf(text, size, "%s ⟵ %s  %s", r->parent, r->child, children);
}

static void draw_relationship(const struct app *a, const struct canvas *c, int row, size_t position, const struct relationship *r)
{
	enum { TEXT = 12 };
	const struct facts_snapshot *f = a->facts[app_relationship_index(a, r)];
	bool chosen = r == a->relationship;
	enum style s = pane_row_style(a, PANE_COLLECTIONS, position, chosen ? STYLE_CHOSEN : STYLE_TEXT);
	char text[MESSAGE_SIZE], keys[40], of[40];
	int width = c->area.width - TEXT - 1;

	canvas_text(c, row, 1, 1, STYLE_CHOSEN, chosen ? "▸" : " ");
	canvas_text(c, row, 3, TEXT - 4, s == STYLE_NAME && chosen ? STYLE_CHOSEN : s, r->name);
	pane_relationship_text(a, r, text, sizeof text);
	width -= canvas_text(c, row, TEXT, width, STYLE_TEXT, text);
	if (r->note && *r->note) /* on the line below when the first is full */
		canvas_right(c, row + (canvas_width(c, r->note) >= width), c->area.width - 1, canvas_width(c, r->note), STYLE_FAINT, r->note);
	text[0] = 0;
	if (r->population)
		snprintf(text, sizeof text, "a population: no documents");
	else if (f && f->outcome.failed)
		snprintf(text, sizeof text, "%s", f->outcome.error.message);
	else if (f && !figure_known(f->facts.found))
		snprintf(text, sizeof text, "%s children, not checked", figure_format(f->facts.children, a->ascii, of, sizeof of));
	else if (f)
		snprintf(text, sizeof text, "%s of %s keys found", figure_format(f->facts.found, a->ascii, keys, sizeof keys),
		         figure_format(f->facts.children, a->ascii, of, sizeof of));
	canvas_text(c, row + 1, TEXT, c->area.width - TEXT - 1, STYLE_FAINT, text);
}

/* In the title's line, right of `title_end`. */
static void draw_headings(const struct canvas *c, int title_end, int sort)
{
	int end = figures_start(c);

	for (int i = 0; i < shown_columns(c); i++) {
		end += columns[i].width;
		if (end - (int)strlen(columns[i].heading) >= title_end)
			pane_draw_heading(c, 0, end, sort == i + 1 ? "↓" : NULL, columns[i].heading);
	}
}

static void draw_index(const struct app *a, const struct canvas *c, int row, size_t position, const struct index_row *index)
{
	enum style s = pane_row_style(a, PANE_COLLECTIONS, position, STYLE_TEXT);
	struct bytes key = BYTES_INIT;
	struct value specification;
	int used;

	used = 3 + canvas_text(c, row, 3, c->area.width - 4, s, index->collection) + 1;
	if (index->specification.size && value_document(&specification, index->specification.data, index->specification.size))
		print_line(&key, value_get(specification, "key"), PRINT_SHELL);
	canvas_text(c, row, used, c->area.width - used - 1, STYLE_TEXT, bytes_text(&key));
	bytes_clear(&key);
	if (index->why)
		canvas_text(c, row + 1, 5, c->area.width - 6, STYLE_FAINT, index->why);
}

enum section { COLLECTION, RELATIONSHIP, INDEX };

static enum section section_of(int64_t id)
{
	return id >= FIRST_INDEX ? INDEX : id >= FIRST_RELATIONSHIP ? RELATIONSHIP : COLLECTION;
}

/* The line of the content that a row begins on: before each section stand an empty line and its heading. */
static int line_of(const struct app *a, const struct rows *l, size_t position)
{
	int line = 0;

	for (size_t i = 0; i <= position && i < l->count; i++) {
		enum section s = section_of(l->ids[i]);

		if (s != COLLECTION && (i == 0 || section_of(l->ids[i - 1]) != s))
			line += i > 0 ? 2 : 1;
		if (i < position)
			line += s == COLLECTION && !has_remark(entry_of(a, l->ids[i])) ? 1 : 2;
	}
	return line;
}

/* As far as the selected row needs. The header names the relationship: seen from elsewhere it gives way to the collections. */
static int scrolled_lines(const struct app *a, const struct rows *l, int height)
{
	int64_t id = rows_selected(l);
	int lines = line_of(a, l, l->position) + 2 - height;

	if (lines < 0 || (a->focus != PANE_COLLECTIONS && section_of(id) == RELATIONSHIP &&
	                  a->relationship == &a->model->relationships[id - FIRST_RELATIONSHIP]))
		return 0;
	return lines;
}

static void draw_rows(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_COLLECTIONS];
	int scrolled = scrolled_lines(a, l, c->area.height);

	for (size_t i = 0; i < l->count; i++) {
		enum section section = section_of(l->ids[i]);
		int row = line_of(a, l, i) - scrolled;

		if (section != COLLECTION && (i == 0 || section_of(l->ids[i - 1]) != section))
			canvas_text(c, row - 1, 3, 20, STYLE_HEADING, section == INDEX ? "indexes" : "relationships");
		switch (section) {
		case COLLECTION: draw_collection(a, c, row, i, entry_of(a, l->ids[i])); break;
		case RELATIONSHIP: draw_relationship(a, c, row, i, &a->model->relationships[l->ids[i] - FIRST_RELATIONSHIP]); break;
		case INDEX: draw_index(a, c, row, i, &a->model->indexes[l->ids[i] - FIRST_INDEX]); break;
		}
	}
}

static void draw(const struct app *a, const struct canvas *c)
{
	struct canvas inner = canvas_part(c, (struct rect){ 1, 0, c->area.height - 1, c->area.width });
	char title[128] = "Collections";
	int title_end;

	if (c->area.width >= ROOM_FOR_SHAPE)
		snprintf(title, sizeof title, "Collections · %s", a->relationship ? shape_name(a->shape) : a->model->database);
	title_end = pane_draw_title(a, c, PANE_COLLECTIONS, title);
	draw_headings(c, title_end, a->lists[PANE_COLLECTIONS].sort);
	draw_rows(a, &inner);
}

static const struct app *sorted_app(const void *context)
{
	return context;
}

static int64_t sort_value(const void *context, int64_t id)
{
	const struct app *a = sorted_app(context);
	struct figure f;

	if (id >= FIRST_RELATIONSHIP)
		return -id; /* after the collections, in the model's order */
	f = column_figure(entry_of(a, id)->sizes, a->lists[PANE_COLLECTIONS].sort - 1);
	return figure_known(f) ? f.value : -1;
}

/* An index is of interest while its collection is shown. */
static bool is_shown(const struct collections_snapshot *s, const char *collection)
{
	for (size_t i = 0; s && i < s->count; i++)
		if (!strcmp(s->entries[i].name, collection))
			return true;
	return false;
}

static void list(const struct app *a, struct rows *l)
{
	const struct collections_snapshot *s = found(a, a->shape);

	for (size_t i = 0; s && i < s->count; i++)
		if (rows_matches(l, s->entries[i].name))
			rows_add(l, s->entries[i].id);
	for (size_t i = 0; i < a->model->relationship_count; i++)
		if (rows_matches(l, a->model->relationships[i].name))
			rows_add(l, FIRST_RELATIONSHIP + (int64_t)i);
	for (size_t i = 0; i < a->model->index_count; i++)
		if (is_shown(s, a->model->indexes[i].collection) && rows_matches(l, a->model->indexes[i].collection))
			rows_add(l, FIRST_INDEX + (int64_t)i);
	if (l->sort)
		rows_sort(l, sort_value, a);
}

void pane_collections_select(struct app *a, const struct relationship *r)
{
	rows_select(&a->lists[PANE_COLLECTIONS], FIRST_RELATIONSHIP + (int64_t)app_relationship_index(a, r));
}

const char *pane_collections_name(const struct app *a)
{
	int64_t id = rows_selected(&a->lists[PANE_COLLECTIONS]);
	const struct relationship *r;
	const char *names[2];

	if (id < 0)
		return NULL;
	if (id >= FIRST_INDEX)
		return a->model->indexes[id - FIRST_INDEX].collection;
	if (id < FIRST_RELATIONSHIP)
		return a->collection_names[id];
	r = &a->model->relationships[id - FIRST_RELATIONSHIP];
	if (r->population)
		return r->parent;
	return names[relationship_collections(r, r == a->relationship ? a->shape : r->origin, names) - 1];
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1;
}

static void enter(struct app *a)
{
	int64_t id = rows_selected(&a->lists[PANE_COLLECTIONS]);

	if (section_of(id) == RELATIONSHIP)
		app_choose_relationship(a, &a->model->relationships[id - FIRST_RELATIONSHIP]);
}

static void copy(const struct app *a, struct bytes *text)
{
	int64_t id = rows_selected(&a->lists[PANE_COLLECTIONS]);
	const struct collection_entry *e;
	char relationship[256], number[40];

	if (id >= FIRST_INDEX) {
		const struct index_row *index = &a->model->indexes[id - FIRST_INDEX];
		struct value specification;

		bytes_format(text, "db.%s.createIndex", index->collection);
		if (index->specification.size && value_document(&specification, index->specification.data, index->specification.size)) {
			bytes_append_text(text, "(");
			print_line(text, value_get(specification, "key"), PRINT_SHELL);
			bytes_append_text(text, ")");
		}
	} else if (id >= FIRST_RELATIONSHIP) {
		pane_relationship_text(a, &a->model->relationships[id - FIRST_RELATIONSHIP], relationship, sizeof relationship);
		bytes_append_text(text, relationship);
	} else if (id >= 0) {
		e = entry_of(a, id);
		bytes_append_text(text, e->name);
		for (int i = 0; i < COLUMNS; i++)
			bytes_format(text, "%s %s %s", i ? "," : ":", columns[i].heading,
			             figure_format(column_figure(e->sizes, i), true, number, sizeof number));
		if (has_remark(e))
			bytes_format(text, "; %s", e->sizes->remark);
	}
}

const struct pane_type pane_collections = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true, .sorts = sorts, .enter = enter, .copy = copy,
};
