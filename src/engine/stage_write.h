/*
 * $out and $merge: what they share. Both take all of their input before they write, so that a pipeline never meets its
 * own results. Explained, they take it and write nothing, as MongoDB does; measured, they compute what they would write.
 */
#ifndef BSONSCOPE_ENGINE_STAGE_WRITE_H
#define BSONSCOPE_ENGINE_STAGE_WRITE_H

#include "engine/command_write.h"
#include "engine/pipeline_stage.h"

struct write_target {
	char *db, *collection;
	char *namespace_text;
};

/* "coll", or {db, coll} with nothing else in it; `field` is how errors name it. `name` is "$out" or "$merge". */
bool write_target_parse(struct write_target *t, struct pipeline_parser *p, const char *name, const char *field,
                        struct value specification);
void write_target_clear(struct write_target *t);

/* {db, coll} */
void write_target_explain(const struct write_target *t, struct writer *w, const char *field);

/* Made when it is missing and this is no dry run; null then, or with the execution failed. */
struct collection *write_target_open(const struct write_target *t, struct execution *x);

/* All of the input, end to end. With `documents` null it is pulled and dropped. */
bool write_take_input(struct stage *s, struct bytes *documents);

#endif
