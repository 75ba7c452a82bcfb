/* How far the arrays of the relationship can grow; while a document grows, where it stands and what that costs. */
#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "ui/growing.h"
#include "ui/pane.h"

enum { INDENT = 1 };

static int text_width(const struct canvas *c)
{
	return c->area.width - 2 * INDENT;
}

static int line(const struct canvas *c, int row, enum style s, const char *text)
{
	return INDENT + canvas_text(c, row, INDENT, text_width(c), s, text);
}

/* Text over as many lines as it takes, not beyond `end`. Returns the row after it. */
static int paragraph(const struct canvas *c, int row, int end, enum style s, const char *text)
{
	char part[MESSAGE_SIZE];

	while (*text && row < end) {
		size_t size = canvas_fit(c, text, text_width(c));

		snprintf(part, sizeof part, "%.*s", (int)size, text);
		canvas_text(c, row, INDENT, text_width(c), s, row + 1 < end ? part : text);
		text += size;
		row++;
	}
	return row;
}

/* The ruler from an empty document to the limit */

/* "0 ├────┤ 16,384 B": where the line between its ends begins, and how long it is. */
struct ruler {
	int start, width;
	int64_t limit_bytes;
};

static struct ruler draw_ruler(const struct canvas *c, int row, int64_t limit_bytes)
{
	char number[40], limit[48];
	struct ruler r = { .start = INDENT + 3, .limit_bytes = limit_bytes };
	int end = c->area.width - INDENT;

	snprintf(limit, sizeof limit, "┤ %s B", figure_format_count(limit_bytes, number, sizeof number));
	end -= canvas_right(c, row, end, text_width(c), STYLE_FAINT, limit);
	canvas_text(c, row, INDENT, 3, STYLE_FAINT, "0 ├");
	r.width = end - r.start;
	canvas_line(c, row, r.start, r.width, STYLE_FRAME);
	return r;
}

/* Column of a document of that size; the last one for what does not fit. */
static int ruler_column(const struct ruler *r, int64_t bytes)
{
	int64_t column = bytes >= r->limit_bytes ? r->width - 1 : bytes * r->width / r->limit_bytes;

	return r->start + (int)(column < r->width ? column : r->width - 1);
}

struct mark {
	char text[64];
	int exact, start, width;
	bool beyond;
};

enum { MARKS = 3, GAP = 2 };

static struct mark mark_new(const struct app *a, const struct canvas *c, const struct ruler *r, const struct growth *g,
                            const char *name, struct figure children)
{
	int64_t bytes = growth_bytes(g->base.value, g->element.value, children.value);
	struct mark m = { .beyond = bytes > r->limit_bytes };
	char number[40];

	snprintf(m.text, sizeof m.text, "%s%s: %s%s", m.beyond ? "" : "▲ ", name,
	         figure_format(children, a->ascii, number, sizeof number), m.beyond ? " →" : "");
	m.width = canvas_width(c, m.text);
	m.exact = m.start = ruler_column(r, bytes);
	return m;
}

/* Below the ruler, each at its place or, where they would overlap, beside its neighbour. */
static void draw_marks(const struct app *a, const struct canvas *c, int row, const struct ruler *r,
                       const struct growth *g)
{
	const struct growth_population *p = &g->population;
	struct mark marks[MARKS] = {
		mark_new(a, c, r, g, "median", p->median),
		mark_new(a, c, r, g, "p99", p->p99),
		mark_new(a, c, r, g, "most", p->first_wants),
	};
	int end = c->area.width - INDENT, start = INDENT;

	for (int i = MARKS - 1; i >= 0; i--) {
		if (marks[i].start + marks[i].width > end)
			marks[i].start = end - marks[i].width;
		end = marks[i].start - GAP;
	}
	for (int i = 0; i < MARKS; i++) {
		if (marks[i].start < start)
			marks[i].start = start;
		start = marks[i].start + marks[i].width + GAP;
		canvas_text(c, row, marks[i].start, c->area.width - INDENT - marks[i].start,
		            marks[i].beyond ? STYLE_MORE : STYLE_TEXT, marks[i].text);
	}
}

/* The figures */

/* "53–55 B": what an element costs at the first index and at the last that fits. */
static void format_element(const struct growth *g, bool ascii, char *text, size_t size)
{
	int64_t fits = g->fits.value, last = g->element.value;
	char first[40], number[40];

	if (figure_known(g->fits) && fits > 0)
		last = growth_bytes(0, g->element.value, fits) - growth_bytes(0, g->element.value, fits - 1);
	figure_format(g->element, ascii, first, sizeof first);
	if (figure_known(g->element) && last != g->element.value)
		snprintf(text, size, "%s–%s B", first, figure_format_count(last, number, sizeof number));
	else
		snprintf(text, size, figure_known(g->element) ? "%s B" : "%s", first);
}

static const char *origin_text(enum growth_origin o, struct figure f)
{
	return o == GROWTH_MEAN && figure_known(f) ? "mean" : provenance_text(f.provenance);
}

static void draw_one(const struct app *a, const struct canvas *c, int row, const struct growth *g)
{
	char base[40], element[96], fits[40], bytes[40], naive[40], text[256];

	format_element(g, a->ascii, element, sizeof element);
	snprintf(text, sizeof text, "base %s B (%s)   element %s (%s)",
	         figure_format(g->base, a->ascii, base, sizeof base), origin_text(g->base_origin, g->base), element,
	         origin_text(g->element_origin, g->element));
	line(c, row, STYLE_TEXT, text);
	snprintf(text, sizeof text, "%s fit = %s B", figure_format(g->fits, a->ascii, fits, sizeof fits),
	         figure_format(g->bytes_at_fit, a->ascii, bytes, sizeof bytes));
	row++;
	snprintf(base, sizeof base, "   division says %s", figure_format(g->naive, a->ascii, naive, sizeof naive));
	canvas_text(c, row, line(c, row, STYLE_NAME, text), text_width(c), STYLE_FAINT, base);
}

static void format_range(const struct growth_bin *b, bool lowest_of_many, char *text, size_t size)
{
	char from[40], to[40];

	figure_format_count(b->to < 0 ? b->from - 1 : b->from, from, sizeof from);
	figure_format_count(b->to, to, sizeof to);
	if (b->to < 0)
		snprintf(text, size, "> %s", from);
	else if (lowest_of_many)
		snprintf(text, size, "≤ %s", to);
	else if (b->from == b->to)
		snprintf(text, size, "%s", from);
	else
		snprintf(text, size, "%s–%s", from, to);
}

/* Parents over children; the lowest bins become one when there is not room for all. Returns the row after it. */
static int draw_histogram(const struct app *a, const struct canvas *c, int row, int end,
                          const struct growth_population *p)
{
	enum { RANGE_END = 17, COUNT_END = 28, BAR = 29, BAR_WIDTH = 28 };
	int room = end - row - 1, skipped = p->bin_count > room ? p->bin_count - room : 0;
	int width = c->area.width - BAR - INDENT;
	int64_t most = 1, low = 0;
	char text[96];

	if (room < 1)
		return row;
	width = width < BAR_WIDTH ? width : BAR_WIDTH;
	for (int i = 0; i < p->bin_count; i++) {
		most = p->bins[i].parents > most ? p->bins[i].parents : most;
		low += i <= skipped ? p->bins[i].parents : 0;
	}
	most = skipped && low > most ? low : most;
	canvas_right(c, row, RANGE_END, RANGE_END - INDENT, STYLE_HEADING, a->relationship->name);
	canvas_right(c, row, COUNT_END, COUNT_END - RANGE_END - 1, STYLE_HEADING, a->relationship->parent);
	for (int i = skipped; i < p->bin_count; i++) {
		const struct growth_bin *b = &p->bins[i];
		int64_t parents = i == skipped ? (skipped ? low : b->parents) : b->parents;

		row++;
		format_range(b, skipped && i == skipped, text, sizeof text);
		canvas_right(c, row, RANGE_END, RANGE_END - INDENT, b->to < 0 ? STYLE_MORE : STYLE_TEXT, text);
		canvas_figure(c, row, COUNT_END, COUNT_END - RANGE_END - 1, STYLE_TEXT, figure_measured(parents));
		canvas_bar(c, row, BAR, width, (parents * width * 8 + most - 1) / most,
		           b->to < 0 ? STYLE_MORE : STYLE_GAUGE);
	}
	return row + 1;
}

/* Beside the last two bars, which are short when parents hit the limit; else on a line of their own. */
static int draw_losses(const struct app *a, const struct canvas *c, int row, const struct growth_population *p)
{
	char number[40], first[96], second[96], largest[40];
	int end = c->area.width - INDENT;

	figure_format(p->largest, a->ascii, largest, sizeof largest);
	if (!p->hit_limit.value) {
		snprintf(first, sizeof first, "none%s%s hits the limit; the largest has %s B",
		         p->parents.provenance == PROVENANCE_SAMPLED ? " of " : "",
		         p->parents.provenance == PROVENANCE_SAMPLED
		                 ? figure_format_count(p->parents.n, number, sizeof number)
		                 : "",
		         largest);
		line(c, row, STYLE_TEXT, first);
		return row + 1;
	}
	snprintf(first, sizeof first, "%s %s hit the limit",
	         figure_format(p->hit_limit, a->ascii, number, sizeof number), a->relationship->parent);
	snprintf(second, sizeof second, "%s %s do not fit",
	         figure_format(p->not_fitting, a->ascii, number, sizeof number), a->relationship->name);
	canvas_right(c, row - 2, end, canvas_width(c, first), STYLE_MORE, first);
	canvas_right(c, row - 1, end, canvas_width(c, second), STYLE_MORE, second);
	return row;
}

static void draw_subset(const struct app *a, const struct canvas *c, int row, const struct growth_population *p)
{
	char largest[40], headroom[40], left[40], text[256];
	int column;

	snprintf(text, sizeof text, "subset %lld: largest %s B, headroom %s B", (long long)p->subset.n,
	         figure_format(p->subset.largest, a->ascii, largest, sizeof largest),
	         figure_format(p->subset.headroom, a->ascii, headroom, sizeof headroom));
	column = line(c, row, STYLE_TEXT, text);
	figure_format(p->subset.children_left, a->ascii, left, sizeof left);
	snprintf(text, sizeof text, "; %s move out", left);
	if (column + canvas_width(c, text) >= c->area.width)
		snprintf(text, sizeof text, "; %s out", left);
	if (column + canvas_width(c, text) < c->area.width)
		canvas_text(c, row, column, c->area.width - column, STYLE_FAINT, text);
}

static void draw_figures(const struct app *a, const struct canvas *c, const struct growth *g)
{
	const struct growth_population *p = &g->population;
	int row = 1, end = c->area.height;
	struct ruler r;

	draw_one(a, c, row, g);
	row += 2;
	r = draw_ruler(c, row++, g->limit_bytes);
	if (!g->has_population)
		return;
	if (figure_known(g->fits))
		draw_marks(a, c, row++, &r, g);
	if (end - row > 12) /* room to breathe */
		row++;
	/* two lines are kept for what follows, one when the losses stand beside the bars */
	row = draw_histogram(a, c, row, end - (p->hit_limit.value ? 1 : 2), p);
	row = draw_losses(a, c, row, p);
	draw_subset(a, c, row, p);
}

/* A document that grows */

static int draw_pair(const struct app *a, const struct canvas *c, int row, const char *name, struct figure f,
                     const char *unit, const char *other_name, struct figure other)
{
	enum { NAME = 11, NUMBER = 14 };
	char number[40], text[64];
	int half = INDENT + NAME + NUMBER + 4;

	canvas_text(c, row, INDENT, NAME, STYLE_FAINT, name);
	snprintf(text, sizeof text, "%s%s", figure_format(f, a->ascii, number, sizeof number), unit);
	canvas_right(c, row, half - 4, NUMBER, STYLE_NAME, text);
	if (!other_name)
		return half;
	canvas_text(c, row, half, NAME, STYLE_FAINT, other_name);
	snprintf(text, sizeof text, "%s B", figure_format(other, a->ascii, number, sizeof number));
	canvas_right(c, row, half + NAME + NUMBER, NUMBER, STYLE_NAME, text);
	return half;
}

static void draw_refusal(const struct app *a, const struct canvas *c, int row, const struct live_growth_state *s)
{
	char more[40], reach[40], text[MESSAGE_SIZE + 64];
	const char *version, *other;
	int end = c->area.height;

	snprintf(text, sizeof text, "%s more refused: code %u, %s B in reach",
	         figure_format_count(s->refused_children, more, sizeof more), s->refusal.code,
	         figure_format_count(s->reach_bytes, reach, sizeof reach));
	line(c, row++, STYLE_ERROR, text);
	row = paragraph(c, row, end, STYLE_TEXT, s->refusal.message);
	other = live_growth_other_wording(s, &version, text, sizeof text);
	if (other) {
		char worded[MESSAGE_SIZE + 128];

		snprintf(worded, sizeof worded, "%s: %s", version, other);
		row = paragraph(c, row, end, STYLE_FAINT, worded);
	}
	if (row < end && !a->live->fine && s->batch > 1)
		line(c, row, STYLE_FAINT, "g goes on in smaller batches, Esc leads back");
}

static void draw_live(const struct app *a, const struct canvas *c, const struct live_growth_state *s)
{
	char base[40], element[40], fits[40], pushes[40], batch[40], text[256];
	int row = 1, filled, column;
	struct ruler r;

	snprintf(text, sizeof text,
	         "base %s B   element %s B   %s fit = ", figure_format_count(s->base_bytes, base, sizeof base),
	         figure_format_count(s->element_bytes, element, sizeof element),
	         figure_format_count(s->fits, fits, sizeof fits));
	column = line(c, row, STYLE_TEXT, text);
	snprintf(text, sizeof text, "%s B",
	         figure_format_count(growth_bytes(s->base_bytes, s->element_bytes, s->fits), fits, sizeof fits));
	canvas_text(c, row++, column, c->area.width - column - INDENT, STYLE_TEXT, text);
	r = draw_ruler(c, row, s->limit_bytes);
	filled = ruler_column(&r, s->size.value) - r.start + 1;
	canvas_bar(c, row++, r.start, filled, (int64_t)filled * 8, s->refused ? STYLE_MORE : STYLE_GAUGE);
	column = draw_pair(a, c, row, a->relationship->name, figure_measured(s->children), "", NULL, figure_unknown());
	snprintf(text, sizeof text, "%s push%s of %s", figure_format_count(s->pushes, pushes, sizeof pushes), s->pushes == 1 ? "" : "es",
	         figure_format_count(s->batch, batch, sizeof batch));
	canvas_text(c, row++, column, c->area.width - column - INDENT, STYLE_FAINT,
	            a->live->fine ? "in ever smaller batches" : text);
	draw_pair(a, c, row++, "size", s->size, " B", "distance", s->headroom);
	draw_pair(a, c, row++, "page view", s->page_bytes, " B", "rewritten", s->rewritten);
	if (s->refused)
		draw_refusal(a, c, row, s);
	else if (row < c->area.height)
		line(c, row, STYLE_FAINT,
		     a->growing ? "Esc stops" : "not refused yet; g grows it until it is, Esc leads back");
}

/* How the figures came to be known: " · sampled 1,000 of 20,000". */
static void format_provenance(const struct growth_snapshot *s, char *text, size_t size)
{
	const struct growth_population *p = s && s->growth.has_population ? &s->growth.population : NULL;
	char n[40], of[40];

	*text = 0;
	if (p && p->parents.provenance == PROVENANCE_SAMPLED)
		snprintf(text, size, " · sampled %s of %s", figure_format_count(p->parents.n, n, sizeof n),
		         figure_format_count(p->parents.of, of, sizeof of));
	else if (p)
		snprintf(text, size, " · %s", provenance_text(p->bytes.provenance));
}

static const char *title(const struct app *a, char *text, size_t size)
{
	const struct relationship *r = a->relationship;
	const struct live_growth_state *s = a->live ? &a->live->state : NULL;
	struct bytes key = BYTES_INIT;
	char provenance[128];
	struct value v;

	if (!r) {
		snprintf(text, size, "Growth");
	} else if (s && value_document(&v, s->parent_key.data, s->parent_key.size)) {
		print_line(&key, value_get(v, ""), PRINT_SHELL);
		snprintf(text, size, "Growth · %s %s takes %s · measured", r->parent, bytes_text(&key), r->name);
	} else {
		format_provenance(a->growth, provenance, sizeof provenance);
		snprintf(text, size, "Growth · %s %s%s%s", r->name, strstr(provenance, " of ") ? "in " : "embedded in ",
		         r->parent, provenance);
	}
	bytes_clear(&key);
	return text;
}

static void draw(const struct app *a, const struct canvas *c)
{
	char text[256];

	pane_draw_title(a, c, PANE_GROWTH, title(a, text, sizeof text));
	if (!a->relationship)
		pane_draw_nothing_known(a, c, 1, "no relationships");
	else if (a->live)
		draw_live(a, c, &a->live->state);
	else if (!a->growth)
		canvas_text(c, 1, 3, 4, STYLE_FAINT, a->growth_pending ? "…" : "—");
	else if (a->growth->outcome.failed)
		paragraph(c, 1, c->area.height, STYLE_ERROR, a->growth->outcome.error.message);
	else
		draw_figures(a, c, &a->growth->growth);
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

static void copy(const struct app *a, struct bytes *text)
{
	const struct growth *g = a->growth && !a->growth->outcome.failed ? &a->growth->growth : NULL;
	char fits[40], bytes[40], hit[40], lost[40];

	if (a->live && a->live->state.refused)
		bytes_append_text(text, a->live->state.refusal.message);
	else if (g)
		bytes_format(text, "%s in %s: %s fit, %s bytes then", a->relationship->name, a->relationship->parent,
		             figure_format(g->fits, true, fits, sizeof fits),
		             figure_format(g->bytes_at_fit, true, bytes, sizeof bytes));
	if (!a->live && g && g->has_population)
		bytes_format(text, "; %s hit the limit, %s do not fit",
		             figure_format(g->population.hit_limit, true, hit, sizeof hit),
		             figure_format(g->population.not_fitting, true, lost, sizeof lost));
}

const struct pane_type pane_growth = { .draw = draw, .list = list, .heading_lines = heading_lines, .copy = copy };
