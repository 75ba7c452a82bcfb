/*
 * The Explain pane: the plan of one of the selected row's commands, or one that was opened, in the chosen face; with "i"
 * the indexes stand at the bottom.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan/lines.h"
#include "plan/words.h"
#include "ui/explain_faces.h"

static const struct pane_type *face(const struct app *a)
{
	static const struct pane_type *const faces[FACES] = {
		[FACE_TREE] = &explain_tree, [FACE_GRID] = &explain_grid, [FACE_RAW] = &explain_raw
	};

	if (a->explain.offering)
		return &explain_offers;
	return explain_compares(a) ? &explain_diff : faces[a->explain.face];
}

int explain_height(const struct app *a)
{
	return a->layout.panes[PANE_EXPLAIN].height - 1;
}

const char *explain_missing(const struct app *a, enum style *s)
{
	const struct explain_snapshot *found = explain_found(a);
	size_t index;

	*s = STYLE_FAINT;
	if (workload_view_in_table(a))
		return "what the server ran is in its log: Enter leads there";
	if (!explain_command_count(a))
		return app_operation(a, &index) ? "no commands in this shape" : "no row is selected";
	if (!found)
		return a->explain.pending ? "…" : "—";
	if (found->outcome.failed) {
		*s = STYLE_ERROR;
		return found->outcome.error.message;
	}
	return found->page.tree ? NULL : "an insert has no plan: it looks nothing up";
}

bool explain_shows_times(const struct app *a)
{
	return a->clock || a->explain.opened;
}

bool explain_format_time(const struct app *a, struct figure millis, struct figure micros, char *text, size_t size)
{
	bool known = figure_known(millis) || figure_known(micros);

	text[0] = 0;
	if (!known)
		return false;
	if (!explain_shows_times(a))
		pane_micros(a, figure_unknown(), text, size);
	else if (figure_known(micros))
		pane_micros(a, micros, text, size);
	else
		snprintf(text, size, millis.value ? "%" PRId64 " ms" : "< 1 ms", millis.value);
	return true;
}

static void add_part(struct bytes *text, const char *label, const char *part)
{
	bytes_format(text, "%s%s%s", text->size ? " · " : "", label, part);
}

void explain_describe(const struct app *a, const struct plan_node *n, struct bytes *text)
{
	const struct plan_tree *tree = explain_page(a)->tree;
	double share = plan_own_share(tree, n);
	const char *words = plan_stage_words(n->stage);
	struct bytes further = BYTES_INIT;
	char number[64];

	if (words)
		bytes_format(text, "%s %s", n->stage, words);
	if (n->detail)
		add_part(text, "", n->detail);
	if (n->index)
		add_part(text, "", n->index);
	if (explain_format_time(a, n->own_millis, n->own_micros, number, sizeof number) && explain_shows_times(a))
		add_part(text, "own time ", number);
	if (share >= 0 && explain_shows_times(a))
		bytes_format(text, ", %.0f %%", share * 100);
	for (int i = 0; plan_line_further(n, i, &further); i++) {
		add_part(text, "", bytes_text(&further));
		bytes_reset(&further);
	}
	bytes_clear(&further);
}

/* The title: with fewer words where there is less room. */

static void add_limits(const struct app *a, struct bytes *title)
{
	char number[32];

	bytes_format(title, " · %s", plan_verbosity_text(a->explain.verbosity));
	if (a->explain.max_time_millis)
		bytes_format(title, ", at most %s ms", figure_format_count(a->explain.max_time_millis, number, sizeof number));
}

/* Names of files come last: they are cut where there is no room. */
static void title_of_opened(const struct app *a, struct bytes *title)
{
	const struct explain_view *v = &a->explain;
	const struct opened_plan *p = &v->opened->plans[v->opened_at];

	if (explain_compares(a)) {
		bytes_format(title, "Explain · difference · %s and %s", v->opened->plans[0].name, v->opened->plans[1].name);
		return;
	}
	bytes_format(title, "Explain · opened · %s · ", plan_tree_verbosity(p->tree));
	if (v->opened->count > 1)
		bytes_format(title, "%zu of %zu, ", v->opened_at + 1, v->opened->count);
	bytes_append_text(title, p->name);
}

static void title_of_command(const struct app *a, const char *word, struct bytes *title)
{
	size_t index, count = explain_command_count(a);
	const struct operation *o = app_operation(a, &index);

	bytes_format(title, "Explain · %s", o->name);
	if (explain_compares(a))
		bytes_append_text(title, a->explain.against == AGAINST_SHAPE ? " · two shapes" : " · before and after an index");
	else
		bytes_format(title, ", %s%zu of %zu", word, (a->explain.command < count ? a->explain.command : count - 1) + 1, count);
	add_limits(a, title);
}

static void write_title(const struct app *a, const struct canvas *c, struct bytes *title)
{
	enum { FRAME = 8 };
	static const char *const words[] = { "command ", "" };
	size_t index, count = explain_command_count(a);

	if (a->explain.opened) {
		title_of_opened(a, title);
		return;
	}
	if (!app_operation(a, &index) || !count) {
		bytes_append_text(title, "Explain");
		return;
	}
	for (int i = 0; i < 2; i++) {
		bytes_reset(title);
		title_of_command(a, words[i], title);
		if (canvas_width(c, bytes_text(title)) + FRAME <= c->area.width)
			return;
	}
}

static void draw(const struct app *a, const struct canvas *c)
{
	struct canvas below = canvas_part(c, (struct rect){ 1, 0, c->area.height - 1, c->area.width });
	struct bytes title = BYTES_INIT;

	write_title(a, c, &title);
	pane_draw_title(a, c, PANE_EXPLAIN, bytes_text(&title));
	face(a)->draw(a, &below);
	bytes_clear(&title);
}

static void list(const struct app *a, struct rows *l)
{
	face(a)->list(a, l);
}

static int heading_lines(const struct app *a)
{
	return 1 + face(a)->heading_lines(a);
}

static void enter(struct app *a)
{
	if (face(a)->enter)
		face(a)->enter(a);
}

/* Where nothing unfolds, Left and Right lead to the command before and after, and from the first back to the table. */
static void fold(struct app *a)
{
	if (face(a)->fold)
		face(a)->fold(a);
	else if (!explain_step_command(a, -1))
		app_focus(a, PANE_ACCESS);
}

static void unfold(struct app *a)
{
	if (face(a)->unfold)
		face(a)->unfold(a);
	else
		explain_step_command(a, 1);
}

static void unfold_all(struct app *a)
{
	if (face(a)->unfold_all)
		face(a)->unfold_all(a);
	else
		app_say(a, "the raw reply unfolds: Enter shows it");
}

/* What is searched for is searched in the reply. */
static void go_to_hit(struct app *a, int step)
{
	explain_raw.go_to_hit(a, step);
}

static void begin_search(struct app *a)
{
	if (face(a) != &explain_raw && explain_page(a))
		explain_show_raw(a, NULL);
}

/* The whole reply, unless the face has something of its own. */
static void copy(const struct app *a, struct bytes *text)
{
	const struct plan_page *page = explain_page(a);

	if (face(a)->copy)
		face(a)->copy(a, text);
	else if (page)
		folded_text_value(&page->raw, 0, text);
}

static const struct pane_hint hints[] = {
	{ ACTION_FACE, "view" }, { ACTION_DIFFERENCE, "diff" }, { ACTION_VERBOSITY, "depth" }, { ACTION_INDEXES, "indexes" },
	{ ACTION_NONE, NULL },
};

const struct pane_type pane_explain = {
	.draw = draw,
	.list = list,
	.heading_lines = heading_lines,
	.filterable = true,
	.enter = enter,
	.fold = fold,
	.unfold = unfold,
	.unfold_all = unfold_all,
	.begin_search = begin_search,
	.go_to_hit = go_to_hit,
	.copy = copy,
	.hints = hints,
};
