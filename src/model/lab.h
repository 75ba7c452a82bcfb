/*
 * The origin and the lab. The origin is left as it is; the lab is a separate engine that holds the relationship in its
 * other shapes, each built from a pipeline through the bulk loader, remembered, and stale once the origin's write
 * counter moved.
 *
 * Thread-safe: measurements and builds may run in a worker while others ask; builds go one at a time.
 */
#ifndef BSONSCOPE_MODEL_LAB_H
#define BSONSCOPE_MODEL_LAB_H

#include "model/model.h"
#include "source.h"

struct lab;

/* Borrows source and model. */
struct lab *lab_new(struct source *origin, const struct model *model);
void lab_destroy(struct lab *lab);
struct source *lab_origin(struct lab *lab);
const struct model *lab_model(struct lab *lab);

/* Document limit for headroom and for what the lab's databases accept; the model's unless --limit set another. */
int64_t lab_limit_bytes(const struct lab *lab);
void lab_set_limit_bytes(struct lab *lab, int64_t limit_bytes);

/* The version that the lab's engine follows, and the origin's where it is one. */
struct emulation;
void lab_emulate(struct lab *lab, const struct emulation *m);

enum shape_state { SHAPE_NOT_BUILT, SHAPE_BUILT, SHAPE_STALE, SHAPE_IS_ORIGIN };

/* Exact when built or the origin; else unknown or predicted. */
struct shape_status {
	enum shape_state state;
	struct figure documents, bytes, largest, headroom;
	struct figure orphans; /* children without a parent, which an embedded shape has not; 0 of an origin */
};

/*
 * Remembered until the origin's write counter moves; the first call scans the collections: not for the drawing thread.
 */
struct shape_status lab_shape_status(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                     const struct interrupt *interrupt);

/*
 * Builds a shape when it is missing or stale. Fails on a population, on interrupt, on a document over the limit (which
 * is named).
 */
bool lab_build(struct lab *lab, const struct relationship *r, enum shape_kind shape, const struct interrupt *interrupt,
               bson_error_t *error);

/*
 * Adds or drops an index in a shape, as `specification` ({key, name, …}) has it, so that its costs can be measured with
 * and without. The origin stays as it is: an origin's own shape is copied into the lab first and lies there until
 * nothing is tried any more. A shape that is built again gets what is tried again.
 */
bool lab_try_index(struct lab *lab, const struct relationship *r, enum shape_kind shape, const char *collection,
                   struct value specification, bool drops, const struct interrupt *interrupt, bson_error_t *error);

/* How many indexes are tried in a shape, added or dropped. */
size_t lab_indexes_tried(struct lab *lab, const struct relationship *r, enum shape_kind shape);

/* Another number after every such change: what was measured under an earlier one does not hold any more. */
uint64_t lab_indexes_revision(struct lab *lab, const struct relationship *r, enum shape_kind shape);

/* Where a built shape lies: source and database to send its commands to. */
bool lab_shape_source(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct source **source,
                      const char **db);

/*
 * Over an origin that is not in this process nothing tells when the data change: what was pulled and built of it is
 * forgotten, and is pulled anew when it is wanted. Over an engine there is nothing to do. Never waits.
 */
void lab_forget(struct lab *lab);

/* A shape was built from so many of so many parents, drawn at random; false: from all of them. */
bool lab_shape_sampled(struct lab *lab, const struct relationship *r, enum shape_kind shape, int64_t *n, int64_t *of);

/* What of the origin's data a shape was built from, in one line; false: all of it, where it lies. */
bool lab_shape_remark(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct bytes *text);

/*
 * The pipeline, as data, that turns `from` into one collection of the other shape (parent or child): appended as a BSON
 * array document. For tests of the identity embed -> reference -> embed, and for showing.
 */
bool shape_pipeline(const struct relationship *r, enum shape_kind to, bool child_collection, struct bytes *pipeline,
                    bson_error_t *error);

/*
 * The same build between any two engine databases. *orphans (may be null) gets the number of children that no parent
 * took. Fails when anything else would be lost: an element that is no document, a parent that has a field of the
 * array's name already.
 */
bool shape_build(const struct relationship *r, struct engine *from, const char *from_db, enum shape_kind to,
                 struct engine *to_engine, const char *to_db, int64_t *orphans, const struct interrupt *interrupt,
                 bson_error_t *error);

#endif
