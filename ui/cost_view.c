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

bool cost_applies(const struct operation *o, enum cost_field field)
{
	bool writes = field == COST_docs_written || field == COST_bytes_written || field == COST_keys_written || field == COST_no_ops;

	return !writes || o->type == OPERATION_WRITE;
}
