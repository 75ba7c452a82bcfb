#include "model/relationship.h"

#include <string.h>

static const char *const names[SHAPE_KINDS] = { [SHAPE_EMBED] = "embed", [SHAPE_REFERENCE] = "reference" };

const char *shape_name(enum shape_kind shape)
{
	return names[shape];
}

bool shape_from_name(const char *name, enum shape_kind *shape)
{
	for (size_t i = 0; i < SHAPE_KINDS; i++) {
		if (!strcmp(names[i], name)) {
			*shape = (enum shape_kind)i;
			return true;
		}
	}
	return false;
}

size_t relationship_collections(const struct relationship *r, enum shape_kind shape, const char *collections[2])
{
	collections[0] = r->parent;
	if (shape == SHAPE_EMBED)
		return 1;
	collections[1] = r->child;
	return 2;
}
