/* What growth is computed from, read out of a relationship's data: its parents, and the children that are there. */
#ifndef BSONSCOPE_MODEL_GROWTH_DATA_H
#define BSONSCOPE_MODEL_GROWTH_DATA_H

#include "model/growth.h"
#include "model/lab.h"

/*
 * Of documents: each parent with its own base, its children and the sum of their sizes as elements; `base` and
 * `element` are the means, rounded half up. Of a population: its example as the element, its counts, the parents' own
 * bases in the order of their keys, and as `base` that of the first. Unknown where there is nothing. Scans the origin's
 * collections. Clear the input in any case.
 */
bool growth_data(struct lab *lab, const struct relationship *r, int64_t limit_bytes, int64_t subset,
                 struct growth_input *in, const struct interrupt *interrupt, bson_error_t *error);

#endif
