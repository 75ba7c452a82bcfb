/* The whole screen: header, tabs, panes and footer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/listening.h"
#include "ui/pane.h"

static int add(const struct canvas *c, int column, enum style s, const char *text)
{
	return column + canvas_text(c, 0, column, c->area.width - column - 1, s, text);
}

static const char *building(const struct app *a)
{
	enum shape_kind shapes[] = { a->shape, a->compared };

	for (int i = 0; i < 2; i++)
		if (a->findings[shapes[i]].status_pending && (!a->relationship || shapes[i] != a->relationship->origin))
			return shape_name(shapes[i]);
	return NULL;
}

static double reading_percent(const struct app *a)
{
	return a->reading.total_bytes ? 100.0 * (double)a->reading.done_bytes / (double)a->reading.total_bytes : 0;
}

/* What is being done, and how far it is. */
static void format_progress(const struct app *a, char *text, size_t size)
{
	size_t of, done = app_rows_done(a, &of);
	const char *shape = building(a);
	char elapsed[32] = "", count[64];

	snprintf(count, sizeof count, a->layout.wide ? " · %zu of %zu done" : " %zu/%zu", done, of);

	if (a->clock && a->frame_us - a->building_us > 1000000)
		snprintf(elapsed, sizeof elapsed, " %.1f s", (double)(a->frame_us - a->building_us) / 1e6);
	if (a->reading.reading)
		snprintf(text, size, "reading, %.0f %%", reading_percent(a));
	else if (a->reading.indexing)
		snprintf(text, size, "building indexes");
	else if (!a->relationship)
		snprintf(text, size, app_measuring(a) ? "measuring" : "measured");
	else if (a->relationship->population)
		snprintf(text, size, "nothing to measure");
	else if (a->toggling && shape && !strcmp(shape, shape_name(a->shape)))
		snprintf(text, size, "building %s%s%s", shape, elapsed, count);
	else if (a->toggling)
		snprintf(text, size, "measuring%s%s", elapsed, count);
	else if (a->stopped)
		snprintf(text, size, "stopped%s", count);
	else if (shape)
		snprintf(text, size, "measured · building %s%s", shape, elapsed);
	else
		snprintf(text, size, "measured%s", count);
}

/* Where no scoreboard stands beside the panes the chosen shape too, rather than the collections when both have no room. */
static int add_relationship(const struct app *a, const struct canvas *c, int column)
{
	char text[320], shape[32] = "";

	if (!a->relationship)
		return column;
	if (a->layout.wide)
		pane_relationship_text(a, a->relationship, text, sizeof text);
	else
		snprintf(text, sizeof text, "%s ⟵ %s", a->relationship->parent, a->relationship->child);
	if (!a->layout.wide && !a->relationship->population)
		snprintf(shape, sizeof shape, "▸%s", shape_name(a->shape));
	if (!*shape || column + 2 + canvas_width(c, text) + 1 + canvas_width(c, shape) < c->area.width)
		column = add(c, column + 2, STYLE_BAR, text);
	return add(c, column + 1, STYLE_BAR_NAME, shape);
}

static void draw_header(const struct app *a, const struct canvas *c)
{
	const struct source *origin = lab_origin(a->lab);
	char text[320], limit[40], progress[192];
	int column, end = c->area.width - 1, wide = a->layout.wide;
	struct canvas left;

	canvas_fill(c, 0, 0, c->area.width, STYLE_BAR);
	format_progress(a, progress, sizeof progress);
	end -= canvas_right(c, 0, end, end, a->toggling ? STYLE_BAR_NAME : STYLE_BAR_FAINT, progress);
	left = canvas_part(c, (struct rect){ 0, 0, 1, end - 1 }); /* the rest gives way to the progress */
	column = add(&left, 1, STYLE_BAR_NAME, "bsonscope");
	snprintf(text, sizeof text, wide ? "  %s · %s" : "  %s", origin->name, origin->type->name);
	column = add(&left, column, STYLE_BAR, text);
	if (a->listening) {
		snprintf(text, sizeof text, "  %s %s%s", a->ascii ? "<->" : "⇄", listening_place(a->listening),
		         listening_follows(a) ? " followed" : "");
		column = add(&left, column, STYLE_BAR_NAME, text);
	}
	column = add(&left, column + (wide ? 3 : 2), STYLE_BAR_NAME, a->relationship ? a->relationship->name : a->model->database);
	column = add_relationship(a, &left, column);
	snprintf(text, sizeof text, "limit %s B", figure_format_count(a->limit_bytes, limit, sizeof limit));
	if (wide && column + canvas_width(c, text) + 6 < end)
		canvas_right(c, 0, end - 3, end - 3 - column, STYLE_BAR_FAINT, text);
}

static void draw_tabs(const struct app *a, const struct canvas *c)
{
	char text[64], limit[40];
	int column = 1;

	for (int p = 0; p < PANE_TABS; p++) {
		bool here = a->focus == (enum pane)p;

		snprintf(text, sizeof text, here ? "[%d %s]" : " %d %s ", p + 1, pane_title((enum pane)p));
		column = add(c, column, here ? STYLE_TITLE_FOCUS : STYLE_FAINT, text);
	}
	snprintf(text, sizeof text, "limit %s B", figure_format_count(a->limit_bytes, limit, sizeof limit));
	if (column + (int)strlen(text) + 2 < c->area.width)
		canvas_right(c, 0, c->area.width - 1, 24, STYLE_FAINT, text);
}

static int hint_width(const struct canvas *c, const struct pane_hint *h)
{
	char key[16];

	keymap_show(h->action, key, sizeof key);
	return canvas_width(c, key) + canvas_width(c, h->text) + 3;
}

static bool is_among(enum action action, const struct pane_hint *hints)
{
	for (; hints && hints->action != ACTION_NONE; hints++)
		if (hints->action == action)
			return true;
	return false;
}

static int draw_hint(const struct canvas *c, int column, const struct pane_hint *h)
{
	char key[16];

	keymap_show(h->action, key, sizeof key);
	column = add(c, column, STYLE_KEY, key);
	return add(c, column + 1, STYLE_FAINT, h->text) + 2;
}

static struct pane_hint hint_of(enum action action)
{
	return (struct pane_hint){ action, action_describe(action)->hint };
}

/*
 * Hints of the pane that has the keys, then those of the table in its order; the last two, help and quit, stay when there
 * is no room for the others.
 */
static void draw_hints(const struct app *a, const struct canvas *c, int width)
{
	const struct pane_hint *own = pane_type(a->focus)->hints, last[] = { hint_of(ACTION_HELP), hint_of(ACTION_QUIT) };
	int column = 1, kept = hint_width(c, &last[0]) + hint_width(c, &last[1]);

	for (const struct pane_hint *h = own; h && h->action != ACTION_NONE; h++)
		column = draw_hint(c, column, h);
	for (int i = 1; i < ACTION_COUNT; i++) {
		struct pane_hint h = hint_of((enum action)i);
		bool keeps = h.action == ACTION_HELP || h.action == ACTION_QUIT;

		if (!*h.text || is_among(h.action, own) || (!keeps && column + hint_width(c, &h) + kept > width))
			continue;
		column = draw_hint(c, column, &h);
	}
}

static void draw_prompt(const struct app *a, const struct canvas *c)
{
	char *text = prompt_text(&a->prompt);
	struct bytes hint = BYTES_INIT;
	struct prompt before = { .length = a->prompt.cursor };
	char *typed;
	int column = add(c, 1, STYLE_KEY, a->prompt.kind == PROMPT_COMMAND ? ":" : "/"), cursor, skip;

	wmemcpy(before.text, a->prompt.text, a->prompt.cursor);
	typed = prompt_text(&before);
	cursor = canvas_width(c, typed);
	skip = cursor > c->area.width - 6 ? cursor - (c->area.width - 6) : 0;
	canvas_text_from(c, 0, column, c->area.width - column - 1, skip, STYLE_TEXT, text);
	canvas_style(c, 0, column + cursor - skip, 1, STYLE_LIT);
	if (a->prompt.kind == PROMPT_COMMAND)
		command_line_hint(text, &hint);
	if (column + canvas_width(c, text) + canvas_width(c, bytes_text(&hint)) + 4 < c->area.width)
		canvas_right(c, 0, c->area.width - 1, c->area.width, STYLE_FAINT, bytes_text(&hint));
	bytes_clear(&hint);
	free(text);
	free(typed);
}

static void draw_footer(const struct app *a, const struct canvas *c)
{
	char text[32];
	int width = c->area.width;

	if (a->prompt.kind != PROMPT_NONE) {
		draw_prompt(a, c);
		return;
	}
	if (figure_known(a->toggle_micros)) {
		pane_micros(a, a->toggle_micros, text, sizeof text);
		width -= canvas_right(c, 0, c->area.width - 1, 10, STYLE_FAINT, text) + 2;
	}
	if (a->message[0])
		canvas_text(c, 0, 1, width - 2, a->message_is_error ? STYLE_ERROR : STYLE_NAME, a->message);
	else
		draw_hints(a, c, width);
}

static void draw_divider(const struct app *a, const struct canvas *c, const struct rect *d)
{
	if (d->height < 1)
		return;
	canvas_column(c, d->row + 1, d->column, d->height - 1, STYLE_FRAME);
	canvas_joint(c, d->row, d->column, JOINT_DOWN, STYLE_FRAME);
	if (d->row + d->height < a->layout.footer.row)
		canvas_joint(c, d->row + d->height, d->column, JOINT_UP, STYLE_FRAME);
}

static void draw_part(const struct app *a, const struct canvas *c, struct rect r, void (*draw)(const struct app *, const struct canvas *))
{
	struct canvas part = canvas_part(c, r);

	if (r.height > 0)
		draw(a, &part);
}

static void draw_too_small(const struct app *a, const struct canvas *c)
{
	char text[80];

	snprintf(text, sizeof text, "too small: %d×%d, 80×24 is needed", a->columns, a->lines);
	canvas_text(c, 0, 0, c->area.width, STYLE_TEXT, text);
	canvas_text(c, 1, 0, c->area.width, STYLE_TEXT, "q quits");
}

void frame_draw(const struct app *a, WINDOW *window)
{
	struct canvas c = canvas_new(window, a->ascii);

	werase(window);
	if (a->layout.too_small) {
		draw_too_small(a, &c);
		return;
	}
	draw_part(a, &c, a->layout.header, draw_header);
	draw_part(a, &c, a->layout.tabs, draw_tabs);
	for (int p = 0; p < PANE_COUNT; p++)
		draw_part(a, &c, a->layout.panes[p], pane_type((enum pane)p)->draw);
	for (int i = 0; i < LAYOUT_DIVIDERS; i++)
		draw_divider(a, &c, &a->layout.dividers[i]);
	draw_part(a, &c, a->layout.footer, draw_footer);
}

bool frame_save(const char *file, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	FILE *stream = fopen(file, "w");
	bool ok = stream != NULL;

	canvas_read(stdscr, &text);
	if (ok) {
		ok = fwrite(text.data, 1, text.size, stream) == text.size;
		ok = fclose(stream) == 0 && ok;
	}
	bytes_clear(&text);
	return ok || error_set(error, ERROR_SYSTEM, 0, "%s: \"%.200s\"", strerror(errno), file);
}
