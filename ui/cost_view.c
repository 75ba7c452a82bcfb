#include "ui/cost_view.h"

struct figure cost_get(const struct cost *c, enum cost_field field)
{
	const struct figure figures[COST_FIELD_COUNT] = {
#define X(name, json, heading) c->name,
		COST_FIELDS(X)
#undef X
	};

	return figures[field];
}

const char *cost_heading(enum cost_field field)
{
	static const char *const headings[COST_FIELD_COUNT] = {
#define X(name, json, heading) heading,
		COST_FIELDS(X)
#undef X
	};

	return headings[field];
}
