/* What an error says: the text of `why`, broken into the pane's width. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/why.h"
#include "ui/pane.h"

enum { MARGIN = 3, HANGING = 12 };

/* One line of the screen: a piece of the text, the first of its line or a further one. */
struct piece {
	size_t start, size;
	bool further;
};

struct pieces {
	struct bytes text;
	struct piece *list;
	size_t count, capacity;
};

static int columns(const struct canvas *c)
{
	return c->area.width - MARGIN - 1;
}

static void lay_out(const struct app *a, const struct canvas *c, struct pieces *p)
{
	const char *text;
	size_t at = 0;

	*p = (struct pieces){ .text = BYTES_INIT };
	if (a->why)
		why_print(a->why, columns(c), &p->text);
	text = bytes_text(&p->text);
	while (at < p->text.size) {
		size_t end = at + strcspn(text + at, "\n");
		bool further = false;

		do {
			char *rest = strndup(text + at, end - at);
			size_t fit = canvas_fit(c, rest, columns(c) - (further ? HANGING : 0));

			p->list = memory_grow(p->list, &p->capacity, p->count + 1, sizeof *p->list);
			p->list[p->count++] = (struct piece){ at, fit, further };
			free(rest);
			at += fit;
			further = true;
		} while (at < end);
		at = end + 1;
	}
}

static void forget(struct pieces *p)
{
	bytes_clear(&p->text);
	free(p->list);
}

static void draw(const struct app *a, const struct canvas *c)
{
	const struct rows *l = &a->lists[PANE_WHY];
	struct pieces p;

	pane_draw_title(a, c, PANE_WHY, "Why · what an error says");
	pane_draw_heading(c, 0, c->area.width - 2, NULL, "y copies a line  Esc leaves");
	lay_out(a, c, &p);
	for (int i = 0; i + 1 < c->area.height && l->top + i < (int)l->count; i++) {
		size_t position = (size_t)(l->top + i);
		const struct piece *piece = (size_t)l->ids[position] < p.count ? &p.list[l->ids[position]] : NULL;
		char *line = piece ? strndup(bytes_text(&p.text) + piece->start, piece->size) : memory_duplicate_text("");

		canvas_text(c, 1 + i, MARGIN + (piece && piece->further ? HANGING : 0), columns(c),
		            pane_row_style(a, PANE_WHY, position, STYLE_TEXT), line);
		free(line);
	}
	forget(&p);
}

static void list(const struct app *a, struct rows *l)
{
	struct canvas window = { NULL, a->layout.panes[PANE_WHY], a->ascii };
	struct pieces p;

	if (window.area.width <= MARGIN + HANGING)
		return;
	lay_out(a, &window, &p);
	for (size_t i = 0; i < p.count; i++)
		rows_add(l, (int64_t)i);
	forget(&p);
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1;
}

/* The whole line that the selected one is a piece of, without its label: a command is ready to be pasted. */
static void copy(const struct app *a, struct bytes *text)
{
	struct canvas window = { NULL, a->layout.panes[PANE_WHY], a->ascii };
	int64_t selected = rows_selected(&a->lists[PANE_WHY]);
	struct pieces p;
	size_t from;

	if (selected < 0)
		return;
	lay_out(a, &window, &p);
	for (from = (size_t)selected; from > 0 && p.list[from].further;)
		from--;
	from = p.list[from].start;
	if (p.text.data[from] == ' ' && p.text.size - from > HANGING)
		from += HANGING;
	bytes_append(text, p.text.data + from, strcspn(bytes_text(&p.text) + from, "\n"));
	forget(&p);
}

const struct pane_type pane_why = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .copy = copy,
};
