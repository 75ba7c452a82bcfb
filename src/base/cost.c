#include "base/cost.h"

struct cost cost_zero(void)
{
	struct cost c;

#define X(field, json, heading) c.field = figure_measured(0);
	COST_FIELDS(X)
#undef X
	return c;
}

struct cost cost_unknown(void)
{
	struct cost c;

#define X(field, json, heading) c.field = figure_unknown();
	COST_FIELDS(X)
#undef X
	return c;
}

void cost_add(struct cost *sum, const struct cost *more)
{
#define X(field, json, heading) sum->field = figure_add(sum->field, more->field);
	COST_FIELDS(X)
#undef X
}

static bool same(struct figure a, struct figure b)
{
	return a.provenance == b.provenance && (a.provenance == PROVENANCE_UNKNOWN || a.value == b.value) &&
	       a.at_least == b.at_least;
}

bool cost_equal(const struct cost *a, const struct cost *b)
{
	struct cost x = *a, y = *b;

	x.micros = y.micros = figure_unknown();
#define X(field, json, heading) if (!same(x.field, y.field)) return false;
	COST_FIELDS(X)
#undef X
	return true;
}
