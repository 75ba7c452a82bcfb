/* Keys, commands and marks, from the tables that the explorer itself uses. */
#include <stdio.h>
#include <string.h>

#include "ui/pane.h"

/* What is no key: commands and marks. */
static const struct {
	const char *left, *help;
} others[] = {
#define X(name, argument, function, help) { ":" name " " argument, help },
	COMMANDS(X)
#undef X
#define X(mark, meaning) { mark, meaning },
	MARKS(X)
#undef X
};
enum { OTHER_ROWS = sizeof others / sizeof *others, KEY_ROWS = ACTION_COUNT - 1 };

/* Row `id`: an action's, then the others. */
static void describe(int64_t id, char *left, size_t size, const char **help)
{
	if (id < KEY_ROWS) {
		const struct action_description *d = action_describe((enum action)(id + 1));

		snprintf(left, size, "%s", d->keys);
		*help = d->help;
	} else {
		snprintf(left, size, "%s", others[id - KEY_ROWS].left);
		*help = others[id - KEY_ROWS].help;
	}
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_HELP];

	pane_draw_title(a, c, PANE_HELP, "Help");
	pane_draw_heading(c, 0, c->area.width - 2, NULL, "/ searches  Esc leaves");
	for (int i = 0; i < c->area.height - 1 && l->top + i < (int)l->count; i++) {
		size_t position = (size_t)(l->top + i);
		const char *help;
		char left[64];

		describe(l->ids[position], left, sizeof left, &help);
		if (l->position == position)
			canvas_text(c, 1 + i, 1, 1, STYLE_CHOSEN, "▸");
		canvas_text(c, 1 + i, 3, 22, STYLE_KEY, left);
		canvas_text(c, 1 + i, 26, c->area.width - 27, pane_row_style(a, PANE_HELP, position, STYLE_TEXT), help);
	}
	if (!l->count)
		canvas_text(c, 1, 3, c->area.width - 4, STYLE_FAINT, "nothing here says that");
}

static void list(const struct app *a, struct rows *l)
{
	(void)a;
	for (int64_t id = 0; id < KEY_ROWS + OTHER_ROWS; id++) {
		const char *help;
		char left[64], all[256];

		describe(id, left, sizeof left, &help);
		snprintf(all, sizeof all, "%s %s", left, help);
		if (rows_matches(l, all))
			rows_add(l, id);
	}
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1;
}

const struct pane_type pane_help = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .filterable = true,
};
