/* The indexes that a command would want and those that there are, below its plan; Enter adds or drops one. */
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "ui/explain_faces.h"

static const struct index_offers *offers(const struct app *a)
{
	const struct explain_snapshot *found = explain_found(a);

	return found && found->explanation ? found->explanation->offers : NULL;
}

static struct value as_document(const struct bytes *b)
{
	struct value v = value_missing();

	value_document(&v, b->data, b->size);
	return v;
}

/* Lines at the bottom: a heading, the indexes that fit, and a line about the chosen one. */
static int offered_lines(const struct app *a, int height)
{
	const struct index_offers *o = offers(a);
	int wanted = 2 + (o && o->count ? (int)o->count : 1), most = height * 3 / 5;

	return wanted <= most ? wanted : most > 3 ? most : 3;
}

enum { ENTRIES = 11, REST = 13, A_WRITE = 14 };

static void draw_offer_headings(const struct canvas *c)
{
	int end = pane_table_width(c) - 2;

	canvas_line(c, 0, 0, c->area.width, STYLE_FRAME);
	canvas_text(c, 0, 1, c->area.width - 2, STYLE_TITLE_FOCUS, " indexes ");
	pane_draw_heading(c, 0, end, NULL, "keys/insert");
	pane_draw_heading(c, 0, end - A_WRITE, NULL, "at rest");
	pane_draw_heading(c, 0, end - A_WRITE - REST, NULL, "entries");
}

static void format_keys_a_write(const struct app *a, const struct index_offer *o, char *text, size_t size)
{
	if (!figure_known(o->entries) || !figure_known(o->documents) || !o->documents.value)
		snprintf(text, size, "%s", a->ascii ? "-" : "—");
	else
		snprintf(text, size, o->entries.value % o->documents.value ? "%s%.2f" : "%s%.0f",
		         o->entries.at_least ? a->ascii ? ">=" : "≥" : "",
		         (double)o->entries.value / (double)o->documents.value);
}

static void draw_offer(const struct app *a, const struct canvas *c, int at, const struct index_offer *o, bool chosen)
{
	int end = pane_table_width(c) - 2, width = end - A_WRITE - REST - ENTRIES - 4;
	struct bytes text = BYTES_INIT;
	struct value specification = as_document(&o->specification);
	enum style s = chosen ? STYLE_CURSOR : o->exists ? STYLE_TEXT : STYLE_FAINT;
	char keys[32];

	bytes_format(&text, "%s ", o->collection);
	print_line(&text, value_get(specification, "key"), PRINT_SHELL);
	canvas_text(c, at, 1, 1, STYLE_CHOSEN, chosen ? "▸" : " ");
	canvas_text(c, at, 2, 1, o->exists ? STYLE_LESS : STYLE_MORE, o->exists ? "✓" : "+");
	canvas_text(c, at, 4, width, s, bytes_text(&text));
	canvas_figure(c, at, end - A_WRITE - REST, ENTRIES - 1, STYLE_TEXT, o->entries);
	pane_draw_bytes(a, c, at, end - A_WRITE, REST - 1, STYLE_TEXT, o->bytes);
	format_keys_a_write(a, o, keys, sizeof keys);
	canvas_right(c, at, end, A_WRITE - 1, STYLE_TEXT, keys);
	bytes_clear(&text);
}

static const char *why_offered(const struct index_offer *o)
{
	if (o->why)
		return "wanted: ";
	if (!o->exists)
		return "dropped to try it";
	return o->used ? "used" : "not used here";
}

/* What Enter does with it, and why one would. */
static void draw_about(const struct canvas *c, int at, const struct index_offer *o)
{
	char text[300];

	if (o->fixed)
		snprintf(text, sizeof text, "%s · of the documents' key: it stays", o->name);
	else
		snprintf(text, sizeof text, "%s · %s%s%s · ⏎ %s in the lab", o->name, why_offered(o),
		         o->why ? o->why : "", o->why && o->used ? ", used" : "", o->exists ? "drops it" : "adds it");
	canvas_text(c, at, 1, c->area.width - 2, STYLE_FAINT, text);
}

static void draw_offers(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_EXPLAIN];
	const struct index_offers *o = offers(a);
	int rows = c->area.height - 2;

	draw_offer_headings(c);
	if (!o || !o->count) {
		canvas_text(c, 1, 1, c->area.width - 2, STYLE_FAINT, a->explain.pending ? "…" : "none is known");
		return;
	}
	for (int i = 0; i < rows && l->top + i < (int)l->count; i++)
		draw_offer(a, c, 1 + i, &o->offers[l->ids[l->top + i]], (size_t)(l->top + i) == l->position);
	if (rows_selected(l) >= 0)
		draw_about(c, c->area.height - 1, &o->offers[rows_selected(l)]);
}

static void draw(const struct app *a, const struct canvas *c)
{
	int lines = offered_lines(a, c->area.height), height = c->area.height - lines;
	struct canvas plan = canvas_part(c, (struct rect){ 0, 0, height, c->area.width });
	struct canvas bottom = canvas_part(c, (struct rect){ height, 0, lines, c->area.width });

	explain_tree.draw(a, &plan);
	draw_offers(a, &bottom);
}

static void list(const struct app *a, struct rows *l)
{
	const struct index_offers *o = offers(a);

	for (size_t i = 0; o && i < o->count; i++)
		rows_add(l, (int64_t)i);
}

/* All but the rows: the plan above, the rule and the line about the chosen one. */
static int heading_lines(const struct app *a)
{
	int height = explain_height(a);

	return height - (offered_lines(a, height) - 2);
}

const struct pane_type explain_offers = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .enter = explain_change_index
};
