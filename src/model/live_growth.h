/*
 * A lab copy of one parent that grows: batches of children are pushed into it until the document limit refuses. The
 * children are copies of one template, so that what fits can be computed beforehand. The copy is dropped with the
 * struct.
 *
 * Which parent: the one asked for, else the model file's, else the one with most children (of a population: the first).
 * Which template: the first child that the model file's filter lets through, else that parent's first, as an element.
 */
#ifndef BSONSCOPE_MODEL_LIVE_GROWTH_H
#define BSONSCOPE_MODEL_LIVE_GROWTH_H

#include "engine/emulation.h"
#include "model/lab.h"

struct live_growth;

struct live_growth_state {
	struct bytes parent_key; /* document {"": key} */
	int64_t limit_bytes;
	int64_t base_bytes;       /* the parent with an empty array */
	int64_t element_bytes;    /* the template with what it costs at index 0 */
	int64_t fits;             /* elements in all */
	int64_t batch;            /* children a push: a power of ten, ten pushes or more until the limit */
	int64_t pushes, children; /* children: elements of the array */
	struct figure size;       /* of the document */
	struct figure page_bytes; /* read for a view of it: a find by its key */
	struct figure rewritten;  /* documents written by all pushes, whole */
	struct figure headroom;
	bool refused;             /* the last push; what follows is the engine's own reply */
	int64_t reach_bytes;      /* what that push would have made of the document */
	int64_t refused_children; /* how many it had */
	bson_error_t refusal;     /* code and message */
	const struct emulation *emulation; /* whose words they are */
};

/* `parent`: a document {"": key}, or null. Null with the error set on failure. Reads the origin: not for the drawing
 * thread. */
struct live_growth *live_growth_new(struct lab *lab, const struct relationship *r, int64_t limit_bytes,
                                    const struct bytes *parent, const struct interrupt *interrupt, bson_error_t *error);
void live_growth_destroy(struct live_growth *l);

/* Pushes that many. False: failed, which a refusal is not. */
bool live_growth_push(struct live_growth *l, int64_t children, const struct interrupt *interrupt, bson_error_t *error);

/* Borrowed; changes with each push. */
const struct live_growth_state *live_growth_state(const struct live_growth *l);

/*
 * How another version of the server refuses that push (`version`: "8.0"), code and words; null when nothing was.
 */
const char *live_growth_other_wording(const struct live_growth_state *s, const char **version, char *buffer,
                                      size_t size);

#endif
