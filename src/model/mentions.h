/* Which collections a model speaks of: its relationships' and those that its commands name, $lookup's too. */
#ifndef BSONSCOPE_MODEL_MENTIONS_H
#define BSONSCOPE_MODEL_MENTIONS_H

#include "model/model.h"

struct mentions {
	char **names; /* each once */
	size_t count, capacity;
};

void mentions_collect(struct mentions *m, const struct model *model);
void mentions_clear(struct mentions *m);

#endif
