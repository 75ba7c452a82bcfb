/* The scoreboard: a line a shape, the origin's first, and what all operations cost together at their rates. */
#include <math.h>
#include <stdio.h>

#include "ui/cost_view.h"
#include "ui/pane.h"

enum shape_kind pane_shapes_at(const struct app *a, int row)
{
	enum shape_kind origin = a->relationship ? a->relationship->origin : SHAPE_EMBED;

	if (row == 0)
		return origin;
	return (enum shape_kind)(row <= (int)origin ? row - 1 : row);
}

int pane_shapes_row(const struct app *a, enum shape_kind shape)
{
	int row = 0;

	while (pane_shapes_at(a, row) != shape)
		row++;
	return row;
}

/* A second's worth of a cost: the rows with a rate. Others happen too, so the sum is at least that. */
static struct figure total_a_second(const struct app *a, enum shape_kind shape, enum cost_field field)
{
	struct figure sum = figure_unknown();
	bool missing = false;

	for (size_t i = 0; i < a->model->operation_count; i++) {
		const struct workload_row *row = app_row(a, shape, i);
		struct figure f;

		if (!cost_applies(&a->model->operations[i], field))
			continue;
		if (a->per_second[i] < 0) {
			missing = true;
			continue;
		}
		f = row ? cost_get(&row->total, field) : figure_unknown();
		if (!figure_known(f))
			return figure_unknown();
		f.value = (int64_t)llround((double)f.value / (double)row->calls * a->per_second[i]);
		f.provenance = PROVENANCE_ASSUMED;
		sum = figure_known(sum) ? figure_add(sum, f) : f;
	}
	sum.at_least = figure_known(sum) && missing;
	return sum;
}

struct columns {
	int documents, bytes, largest, headroom, trips, read, written; /* where each ends; 0: left out */
};

static struct columns columns(const struct app *a, const struct canvas *c)
{
	int width = pane_table_width(c);

	if (!a->layout.wide)
		return (struct columns){ 35, 49, 61, 75, 0, 0, 0 };
	return (struct columns){ 35, 48, 58, 71, width - 28, width - 14, width - 2 };
}

static void draw_headings(const struct app *a, const struct canvas *c, const struct columns *at, int row)
{
	pane_draw_heading(c, row, at->documents, NULL, "docs");
	pane_draw_heading(c, row, at->bytes, NULL, "at rest");
	pane_draw_heading(c, row, at->largest, NULL, "largest");
	pane_draw_heading(c, row, at->headroom, NULL, "headroom");
	if (!a->layout.wide)
		return;
	pane_draw_heading(c, row, at->trips, NULL, "totals/s: trips");
	pane_draw_heading(c, row, at->read, NULL, "bytes read");
	pane_draw_heading(c, row, at->written, NULL, "written");
}

static const char *state_text(const struct app *a, enum shape_kind shape, const struct shape_findings *f)
{
	if (a->relationship->population)
		return "";
	if (f->status && f->status->indexes_tried)
		return f->status->indexes_tried == 1 ? "1 tried" : "some tried";
	if (f->status && f->status->status.documents.provenance == PROVENANCE_SAMPLED)
		return "sampled";
	if (shape == a->relationship->origin)
		return "as found";
	if (!f->status)
		return f->status_pending ? "building" : "not built";
	if (app_is_stale(a, &f->status->outcome.snapshot))
		return "stale";
	switch (f->status->status.state) {
	case SHAPE_STALE: return "stale";
	case SHAPE_NOT_BUILT: return "not built";
	default: return "built";
	}
}

static void draw_row(const struct app *a, const struct canvas *c, const struct columns *at, int row, enum shape_kind shape)
{
	const struct shape_findings *f = &a->findings[shape];
	struct shape_status unknown = { .documents = figure_unknown(), .bytes = figure_unknown(), .largest = figure_unknown(),
		                        .headroom = figure_unknown() };
	const struct shape_status *status = f->status ? &f->status->status : &unknown;
	bool chosen = shape == a->shape;
	enum style s = chosen ? STYLE_CHOSEN : STYLE_TEXT;

	if (chosen)
		canvas_text(c, row, 1, 1, STYLE_CHOSEN, "▸");
	canvas_text(c, row, 3, 12, s, shape_name(shape));
	canvas_text(c, row, 14, 10, STYLE_FAINT, state_text(a, shape, f));
	if (f->status && f->status->outcome.failed) {
		canvas_text(c, row, 25, c->area.width - 26, STYLE_ERROR, f->status->outcome.error.message);
		return;
	}
	if (!f->status && !f->status_pending && !app_has_data(a) && !a->relationship->population) {
		canvas_text(c, row, 25, c->area.width - 26, STYLE_FAINT,
		            shape == a->relationship->origin ? "" : "␣ pulls data into the lab and builds it there");
		return;
	}
	s = chosen ? STYLE_NAME : STYLE_TEXT;
	canvas_figure(c, row, at->documents, 11, s, status->documents);
	pane_draw_bytes(a, c, row, at->bytes, 14, s, status->bytes);
	pane_draw_bytes(a, c, row, at->largest, 12, s, status->largest);
	pane_draw_bytes(a, c, row, at->headroom, 13, s, status->headroom);
	if (!a->layout.wide)
		return;
	canvas_figure(c, row, at->trips, 12, s, total_a_second(a, shape, COST_round_trips));
	pane_draw_bytes(a, c, row, at->read, 13, s, total_a_second(a, shape, COST_bytes_read));
	pane_draw_bytes(a, c, row, at->written, 13, s, total_a_second(a, shape, COST_bytes_written));
}

static void draw(const struct app *a, const struct canvas *c)
{
	struct columns at = columns(a, c);
	int row = a->layout.wide ? 0 : 1;

	pane_draw_title(a, c, PANE_SHAPES, a->relationship ? "Shapes · ␣ switches" : "Shapes");
	if (!a->relationship) {
		pane_draw_nothing_known(a, c, 1, "no relationships");
		return;
	}
	draw_headings(a, c, &at, row);
	for (int i = 0; i < SHAPE_KINDS; i++)
		draw_row(a, c, &at, row + 1 + i, pane_shapes_at(a, i));
}

static void list(const struct app *a, struct rows *l)
{
	for (int i = 0; i < SHAPE_KINDS && a->relationship; i++)
		rows_add(l, pane_shapes_at(a, i));
	rows_select(l, a->shape);
}

static int heading_lines(const struct app *a)
{
	return a->layout.wide ? 1 : 2;
}

static void step(struct app *a, int rows)
{
	int row = pane_shapes_row(a, a->shape) + rows;

	if (row >= 0 && row < SHAPE_KINDS)
		app_choose_shape(a, pane_shapes_at(a, row));
}

static void copy(const struct app *a, struct bytes *text)
{
	const struct shape_snapshot *s = a->findings[a->shape].status;
	char documents[40], bytes[40], largest[40], headroom[40];

	if (!s || s->outcome.failed)
		return;
	bytes_format(text, "%s: documents %s, bytes %s, largest %s, headroom %s", shape_name(a->shape),
	             figure_format(s->status.documents, true, documents, sizeof documents),
	             figure_format(s->status.bytes, true, bytes, sizeof bytes),
	             figure_format(s->status.largest, true, largest, sizeof largest),
	             figure_format(s->status.headroom, true, headroom, sizeof headroom));
}

const struct pane_type pane_shapes = {
	.draw = draw, .list = list, .heading_lines = heading_lines, .step = step, .copy = copy,
};
