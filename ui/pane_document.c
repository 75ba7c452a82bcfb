/* A document as a tree. */
#include "ui/pane.h"

static void draw(const struct app *a, const struct canvas *c)
{
	pane_draw_title(a, c, PANE_DOCUMENT, "Document");
	canvas_text(c, 1, 3, 4, STYLE_FAINT, "—");
}

static void list(const struct app *a, struct rows *l)
{
	(void)a, (void)l;
}

static int heading_lines(const struct app *a)
{
	(void)a;
	return 1;
}

const struct pane_type pane_document = { .draw = draw, .list = list, .heading_lines = heading_lines };
