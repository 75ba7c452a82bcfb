/*
 * What measuring needs of the lab: draws that are remembered, and shapes that are not rebuilt meanwhile. Private to
 * the room.
 */
#ifndef BSONSCOPE_MODEL_LAB_ACCESS_H
#define BSONSCOPE_MODEL_LAB_ACCESS_H

#include "model/draw.h"
#include "model/index_edits.h"
#include "model/lab.h"
#include "model/origin_pull.h"

/* Between these two no shape is built or dropped; several threads may measure. */
void lab_measuring_begin(struct lab *lab);
void lab_measuring_end(struct lab *lab);

/* The indexes tried in a shape, borrowed while measuring. */
const struct index_edits *lab_tried(struct lab *lab, const struct relationship *r, enum shape_kind shape);

/*
 * The operation's draws on the origin, remembered until the origin's write counters move; for a shape that was built
 * from a part of the origin's data they are drawn from that part. The caller's to release; null on failure.
 */
struct draws *lab_draws(struct lab *lab, const struct relationship *r, enum shape_kind shape, const struct operation *o,
                        const struct interrupt *interrupt, bson_error_t *error);

/* False: the shape is measured on the origin's own data. */
bool lab_shape_pulled(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct pulled *pulled);

/* The lab's engine, for a database of one's own. */
struct engine *lab_engine(struct lab *lab);

#endif
