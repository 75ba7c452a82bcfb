/* Two plans held against each other: of two shapes, of before and after an index, or of two files. */
#include <stdio.h>

#include "ui/explain_private.h"

bool explain_compares(const struct app *a)
{
	const struct explain_view *v = &a->explain;

	return v->opened ? v->opened->count > 1 && !v->opened_apart : v->against != AGAINST_NONE;
}

/* What was found in the shape compared with; null: not yet. */
static const struct explain_snapshot *found_in_other(const struct app *a)
{
	const struct explain_snapshot *other = a->explain.other;
	struct explain_wish wish;

	return other && explain_wish_in(a, a->compared, &wish) && explain_same_wish(&other->wish, &wish) ? other : NULL;
}

/* The plan of the same command under other indexes; null: there is none. */
static const struct explain_snapshot *found_before(const struct app *a)
{
	const struct explain_snapshot *before = a->explain.before, *found = explain_found(a);

	return before && found && explain_same_wish(&before->wish, &found->wish) &&
	       before->outcome.indexes_revision != found->outcome.indexes_revision ? before : NULL;
}

static bool other_shape_has_it(const struct app *a)
{
	struct explain_wish wish;

	return explain_wish_in(a, a->compared, &wish);
}

void explain_follow_other(struct app *a)
{
	struct explain_view *v = &a->explain;
	struct explain_wish wish;

	if (v->opened || v->against != AGAINST_SHAPE || !explain_wish_in(a, a->compared, &wish) ||
	    (v->other_wished && explain_same_wish(&v->other_wish, &wish)))
		return;
	v->other_wish = wish;
	v->other_wished = true;
	explain_post(a, SUBJECT_OTHER, &wish);
}

bool explain_waits_for_other(const struct app *a)
{
	return a->explain.against == AGAINST_SHAPE && worker_slot_busy(a->worker, (struct slot){ PANE_EXPLAIN, SUBJECT_OTHER });
}

static void take(struct explain_side *side, const struct explain_snapshot *s)
{
	side->tree = s ? s->page.tree : NULL;
}

static void sides_of_shapes(const struct app *a, struct explain_side sides[2])
{
	enum shape_kind shapes[] = { a->compared, a->shape };

	take(&sides[0], found_in_other(a));
	take(&sides[1], explain_found(a));
	for (int i = 0; i < 2; i++) {
		struct explain_wish wish;

		if (explain_wish_in(a, shapes[i], &wish))
			snprintf(sides[i].name, sizeof sides[i].name, "%s, command %zu", shape_name(shapes[i]), wish.command + 1);
	}
}

void explain_sides(const struct app *a, struct explain_side sides[2])
{
	const struct explain_view *v = &a->explain;

	sides[0] = sides[1] = (struct explain_side){ NULL, "" };
	if (v->opened) {
		for (int i = 0; i < 2; i++) {
			sides[i].tree = v->opened->plans[i].tree;
			snprintf(sides[i].name, sizeof sides[i].name, "%s", v->opened->plans[i].name);
		}
	} else if (v->against == AGAINST_SHAPE) {
		sides_of_shapes(a, sides);
	} else {
		take(&sides[0], found_before(a));
		take(&sides[1], explain_found(a));
		snprintf(sides[0].name, sizeof sides[0].name, "before");
		snprintf(sides[1].name, sizeof sides[1].name, "now");
	}
}

static bool can_compare(const struct app *a, enum explain_against against)
{
	return against == AGAINST_SHAPE ? other_shape_has_it(a) : against == AGAINST_INDEX ? found_before(a) != NULL : true;
}

void explain_next_difference(struct app *a)
{
	struct explain_view *v = &a->explain;
	enum explain_against before = v->against;

	if (a->focus != PANE_EXPLAIN)
		app_focus(a, PANE_EXPLAIN);
	explain_set_face(a, v->face);
	if (v->opened) {
		v->opened_apart = v->opened->count > 1 && !v->opened_apart;
		if (v->opened->count < 2)
			app_say(a, "one plan is open; :open FILE FILE shows the difference of two");
		return;
	}
	do
		v->against = (enum explain_against)((v->against + 1) % AGAINST_KINDS);
	while (!can_compare(a, v->against));
	if (v->against == AGAINST_NONE && before == AGAINST_NONE)
		app_say(a, "there is no other plan of this command");
}
