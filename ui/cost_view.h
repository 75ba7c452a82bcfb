/* A cost's figures by number, in the one order that they have everywhere. */
#ifndef BSONSCOPE_UI_COST_VIEW_H
#define BSONSCOPE_UI_COST_VIEW_H

#include "base/cost.h"
#include "model/model.h"

enum cost_field {
#define X(field, json, heading) COST_##field,
	COST_FIELDS(X)
#undef X
	COST_FIELD_COUNT
};

struct figure cost_get(const struct cost *c, enum cost_field field);
const char *cost_heading(enum cost_field field);

/* A write reads what it looks for; a read writes nothing at all: that is blank, not zero. */
bool cost_applies(const struct operation *o, enum cost_field field);

#endif
