/* What each action does to the state. */
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "ui/app.h"
#include "ui/growing.h"
#include "ui/pane.h"
#include "ui/terminal.h"

static struct rows *list(struct app *a)
{
	return &a->lists[a->focus];
}

static int page(const struct app *a)
{
	int rows = a->layout.panes[a->focus].height - pane_type(a->focus)->heading_lines(a) - 1;

	return rows > 1 ? rows : 1;
}

static void move_by(struct app *a, int64_t rows)
{
	struct rows *l = list(a);

	if (pane_type(a->focus)->step) {
		pane_type(a->focus)->step(a, rows < 0 ? -1 : 1);
		return;
	}
	rows_move(l, rows);
	l->follows_end = a->focus == PANE_LOG && l->count && l->position + 1 == l->count;
}

static void up(struct app *a) { move_by(a, -1); }
static void down(struct app *a) { move_by(a, 1); }
static void page_up(struct app *a) { move_by(a, -page(a)); }
static void page_down(struct app *a) { move_by(a, page(a)); }
static void first(struct app *a) { move_by(a, -(int64_t)list(a)->count); }
static void last(struct app *a) { move_by(a, (int64_t)list(a)->count); }

static void left(struct app *a)
{
	enum { STEP = 8 };

	if (pane_type(a->focus)->fold)
		pane_type(a->focus)->fold(a);
	else if (list(a)->left > 0)
		list(a)->left = list(a)->left > STEP ? list(a)->left - STEP : 0;
}

static void right(struct app *a)
{
	if (pane_type(a->focus)->unfold)
		pane_type(a->focus)->unfold(a);
	else if (a->focus == PANE_LOG)
		list(a)->left += 8;
	else if (a->focus == PANE_ACCESS)
		app_focus(a, PANE_EXPLAIN);
}

static void unfold_all(struct app *a)
{
	if (pane_type(a->focus)->unfold_all)
		pane_type(a->focus)->unfold_all(a);
	else
		app_say(a, "%s: nothing to unfold", pane_title(a->focus));
}

static void enter(struct app *a)
{
	if (pane_type(a->focus)->enter)
		pane_type(a->focus)->enter(a);
}

static void back(struct app *a)
{
	if (growing_stop(a)) {
		app_say(a, "growth stopped; the lab copy is dropped");
	} else if (app_stop_opening(a)) {
		app_say(a, "stopped: nothing was opened");
	} else if (app_stop(a)) {
		app_say(a, "stopped; r measures again");
	} else if (list(a)->filter) {
		rows_set_filter(list(a), NULL);
	} else if (pane_type(a->focus)->back && pane_type(a->focus)->back(a)) {
		return;
	} else if (a->focus == PANE_GROWTH && growing_close(a)) {
		app_say(a, "the relationship's growth");
	} else if (a->zoomed && !(a->focus == PANE_EXPLAIN && a->explain.opened && a->explain.opened_zooms)) {
		a->zoomed = false;
	} else if (a->focus > PANE_ROW) { /* what was gone to from elsewhere */
		a->focus = a->came_from[a->focus];
	} else if (a->focus == PANE_EXPLAIN && a->explain.offering) {
		a->explain.offering = false;
	} else if (a->focus == PANE_EXPLAIN && (explain_leave_face(a) || explain_close(a))) {
		rows_select(list(a), 0);
	} else if (a->focus == PANE_EXPLAIN) {
		a->focus = PANE_ACCESS;
	} else if (explain_stop(a)) {
		app_say(a, "stopped; r measures again");
	}
}

static void next_pane(struct app *a) { app_focus(a, a->focus + 1 < PANE_ROUND ? a->focus + 1 : 0); }
static void previous_pane(struct app *a) { app_focus(a, a->focus == 0 || a->focus >= PANE_ROUND ? PANE_ROUND - 1 : a->focus - 1); }
static void pane_1(struct app *a) { app_focus(a, PANE_COLLECTIONS); }
static void pane_2(struct app *a) { app_focus(a, PANE_SIZES); }
static void pane_3(struct app *a) { app_focus(a, PANE_ACCESS); }
static void pane_4(struct app *a) { app_focus(a, PANE_EXPLAIN); }
static void pane_5(struct app *a) { app_focus(a, PANE_GROWTH); }

/* A second time leads back. */
static void toggle_overlay(struct app *a, enum pane p)
{
	if (a->focus == p)
		a->focus = a->came_from[p];
	else
		app_focus(a, p);
}

static void log_pane(struct app *a) { toggle_overlay(a, PANE_LOG); }
static void help(struct app *a) { toggle_overlay(a, PANE_HELP); }

static void shape_flip(struct app *a) { app_choose_shape(a, a->compared); }

static void shape_step(struct app *a, int step)
{
	int shape = pane_shapes_row(a, a->shape) + step;

	if (shape >= 0 && shape < SHAPE_KINDS)
		app_choose_shape(a, pane_shapes_at(a, shape));
}

/* In the plan of a command: the command beside it. */
static void step_either(struct app *a, int step)
{
	if (a->focus == PANE_EXPLAIN)
		explain_step_command(a, step);
	else
		shape_step(a, step);
}

static void shape_previous(struct app *a) { step_either(a, -1); }
static void shape_next(struct app *a) { step_either(a, 1); }
static void verbosity(struct app *a) { explain_next_verbosity(a); }
static void difference(struct app *a) { explain_next_difference(a); }

static void next_face(struct app *a)
{
	if (pane_type(a->focus)->next_view)
		pane_type(a->focus)->next_view(a);
	else
		explain_next_face(a);
}

static void indexes(struct app *a)
{
	if (pane_type(a->focus)->details)
		pane_type(a->focus)->details(a);
	else
		explain_offer_indexes(a);
}

static void open_document(struct app *a)
{
	if (pane_type(a->focus)->open)
		pane_type(a->focus)->open(a);
	else
		app_say(a, "%s: no document to open", pane_title(a->focus));
}

/* Of the document where one is looked at, else of the collection. */
static void paths(struct app *a)
{
	if (a->focus == PANE_DOCUMENT)
		app_open_document_paths(a);
	else
		app_open_paths(a);
}

/* The operation whose rate is changed; false: it has none that could be. */
static bool rated(struct app *a, size_t *operation)
{
	if (workload_view_in_table(a))
		app_say(a, "the log says how often it came");
	return app_operation(a, operation) != NULL;
}

/* Rates go 1, 2, 5, 10 … and below the lowest to unknown. */
static const double rates[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000 };
enum { RATES = sizeof rates / sizeof *rates, RATE_OF_ONE = 6 };

static void rate_up(struct app *a)
{
	size_t operation;
	int i = 0;

	if (!rated(a, &operation))
		return;
	while (i < RATES - 1 && rates[i] <= a->per_second[operation])
		i++;
	a->per_second[operation] = a->per_second[operation] < 0 ? rates[RATE_OF_ONE] : rates[i];
}

static void rate_down(struct app *a)
{
	size_t operation;
	int i = RATES - 1;

	if (!rated(a, &operation))
		return;
	while (i >= 0 && rates[i] >= a->per_second[operation])
		i--;
	a->per_second[operation] = i < 0 ? -1 : rates[i];
}

static void open_filter(struct app *a)
{
	const char *text;

	if (!pane_type(a->focus)->filterable)
		app_focus(a, PANE_ACCESS);
	if (pane_type(a->focus)->begin_search)
		pane_type(a->focus)->begin_search(a);
	text = list(a)->filter;
	free(a->filter_before);
	a->filter_before = text ? strdup(text) : NULL;
	prompt_open(&a->prompt, PROMPT_FILTER, text ? text : "");
}

static void step_hit(struct app *a, int step)
{
	if (!pane_type(a->focus)->go_to_hit)
		app_say(a, "%s: / hides the rows without the text, there is no next one", pane_title(a->focus));
	else if (!list(a)->filter)
		app_say(a, "nothing is searched for; / searches");
	else
		pane_type(a->focus)->go_to_hit(a, step);
}

static void next_hit(struct app *a) { step_hit(a, 1); }
static void previous_hit(struct app *a) { step_hit(a, -1); }

static void sort(struct app *a)
{
	const char *const *sorts = pane_type(a->focus)->sorts;
	struct rows *l = list(a);

	if (!sorts) {
		app_say(a, "%s: there is only one order", pane_title(a->focus));
		return;
	}
	l->sort = sorts[l->sort + 1] ? l->sort + 1 : 0;
	app_say(a, "%s", sorts[l->sort]);
}

static void grow(struct app *a)
{
	growing_choose_selected(a);
	growing_start(a, 0);
}

static void zoom(struct app *a)
{
	a->zoomed = !a->zoomed;
	a->explain.opened_zooms = false; /* from now on it is the user's */
}

static void refresh_all(struct app *a) { app_refresh(a); }
static void command(struct app *a) { prompt_open(&a->prompt, PROMPT_COMMAND, ""); }
static void redraw_all(struct app *a) { a->redraw = true; }
static void quit(struct app *a) { a->quit = true; }

static void copy(struct app *a)
{
	struct bytes text = BYTES_INIT;

	if (pane_type(a->focus)->copy)
		pane_type(a->focus)->copy(a, &text);
	if (text.size) {
		terminal_copy((const char *)text.data, text.size);
		app_say(a, "copied %zu bytes", text.size);
	} else {
		app_say(a, "nothing to copy here");
	}
	bytes_clear(&text);
}

static void (*const handlers[ACTION_COUNT])(struct app *) = {
	[ACTION_SHAPE_FLIP] = shape_flip, [ACTION_SHAPE_PREVIOUS] = shape_previous, [ACTION_SHAPE_NEXT] = shape_next,
	[ACTION_UP] = up, [ACTION_DOWN] = down, [ACTION_LEFT] = left, [ACTION_RIGHT] = right,
	[ACTION_UNFOLD_ALL] = unfold_all, [ACTION_PAGE_UP] = page_up,
	[ACTION_PAGE_DOWN] = page_down, [ACTION_FIRST] = first, [ACTION_LAST] = last, [ACTION_ENTER] = enter, [ACTION_BACK] = back,
	[ACTION_NEXT_PANE] = next_pane, [ACTION_PREVIOUS_PANE] = previous_pane, [ACTION_PANE_1] = pane_1, [ACTION_PANE_2] = pane_2,
	[ACTION_PANE_3] = pane_3, [ACTION_PANE_4] = pane_4, [ACTION_PANE_5] = pane_5, [ACTION_RATE_UP] = rate_up,
	[ACTION_RATE_DOWN] = rate_down, [ACTION_FILTER] = open_filter, [ACTION_SORT] = sort, [ACTION_ZOOM] = zoom,
	[ACTION_REFRESH] = refresh_all, [ACTION_COPY] = copy, [ACTION_LOG] = log_pane, [ACTION_COMMAND] = command, [ACTION_HELP] = help,
	[ACTION_GROW] = grow,
	[ACTION_REDRAW] = redraw_all, [ACTION_VERBOSITY] = verbosity, [ACTION_INDEXES] = indexes,
	[ACTION_FACE] = next_face, [ACTION_DIFFERENCE] = difference, [ACTION_NEXT_HIT] = next_hit,
	[ACTION_PREVIOUS_HIT] = previous_hit, [ACTION_EXPLAIN] = pane_4, [ACTION_OPEN] = open_document, [ACTION_PATHS] = paths,
	[ACTION_QUIT] = quit,
};

/* The filter works while it is typed. */
static void filter_key(struct app *a, struct key_press key)
{
	enum prompt_result result = prompt_key(&a->prompt, key);
	char *text = prompt_text(&a->prompt);

	rows_set_filter(list(a), result == PROMPT_CANCELLED ? a->filter_before : text);
	free(text);
	if (result != PROMPT_GOES_ON)
		prompt_close(&a->prompt);
	if (result == PROMPT_DONE && list(a)->filter && pane_type(a->focus)->go_to_hit)
		pane_type(a->focus)->go_to_hit(a, 0);
}

static void command_key(struct app *a, struct key_press key)
{
	enum prompt_result result;
	char *text;

	if (!key.is_function && key.code == L'\t') {
		command_line_complete(a, &a->prompt);
		return;
	}
	result = prompt_key(&a->prompt, key);
	if (result == PROMPT_GOES_ON)
		return;
	text = prompt_text(&a->prompt);
	prompt_close(&a->prompt);
	if (result == PROMPT_DONE)
		command_line_run(a, text);
	free(text);
}

void app_key(struct app *a, struct key_press key)
{
	enum action action;

	a->message[0] = 0;
	if (a->prompt.kind == PROMPT_FILTER) {
		filter_key(a, key);
		return;
	}
	if (a->prompt.kind == PROMPT_COMMAND) {
		command_key(a, key);
		return;
	}
	a->lit = false;
	explain_unlight(&a->explain);
	action = keymap_action(key);
	if (action == ACTION_NONE)
		app_say(a, "no such key; ? shows them");
	else
		handlers[action](a);
}

/* Ends of lines and tabs become spaces; other control bytes and what is no UTF-8 are left out. */
static void paste_into_prompt(struct app *a, const char *text, size_t size)
{
	mbstate_t state = { 0 };
	size_t typed = 0;

	while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' '))
		size--;
	for (size_t i = 0; i < size && typed < PROMPT_SIZE;) {
		wchar_t c;
		size_t used = mbrtowc(&c, text + i, size - i, &state);

		if (used == 0 || used > size) {
			state = (mbstate_t){ 0 };
			i++;
			continue;
		}
		i += used;
		if (c == L'\n' || c == L'\t')
			c = L' ';
		if (!iswprint((wint_t)c))
			continue;
		app_key(a, (struct key_press){ (wint_t)c, false });
		typed++;
	}
}

void app_paste(struct app *a, const char *text, size_t size)
{
	if (a->prompt.kind != PROMPT_NONE)
		paste_into_prompt(a, text, size);
	else
		explain_open_text(a, "pasted text", text, size);
}
