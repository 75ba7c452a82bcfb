/* A cost's figures by number, in the one order that they have everywhere. */
#ifndef BSONSCOPE_UI_COST_VIEW_H
#define BSONSCOPE_UI_COST_VIEW_H

#include "base/cost.h"

enum cost_field {
#define X(field, json, heading) COST_##field,
	COST_FIELDS(X)
#undef X
	COST_FIELD_COUNT
};

struct figure cost_get(const struct cost *c, enum cost_field field);
const char *cost_heading(enum cost_field field);

#endif
