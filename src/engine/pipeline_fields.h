/* A set of dotted paths: the fields of its input that a pipeline needs. */
#ifndef BSONSCOPE_ENGINE_PIPELINE_FIELDS_H
#define BSONSCOPE_ENGINE_PIPELINE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "bson/writer.h"

struct pipeline_fields {
	char **paths;
	size_t count, capacity;
	bool whole; /* all of the document */
};

void pipeline_fields_init(struct pipeline_fields *f);
void pipeline_fields_clear(struct pipeline_fields *f);

/* Has the signature of the visitors of expression_dependencies and projection_dependencies; `fields` is a
 * pipeline_fields. */
void pipeline_fields_add(void *fields, const char *path);

/* Equal, or one is an ancestor of the other. */
bool pipeline_paths_overlap(const char *a, const char *b);
bool pipeline_path_has_prefix(const char *path, const char *prefix);
bool pipeline_fields_overlap(const struct pipeline_fields *f, const char *path);

/*
 * The projection that fetches these fields: sorted, children of a listed path left out, `_id: 0` at the end when _id is
 * not among them. As MongoDB's dependency analysis writes it into a cursor.
 */
void pipeline_fields_write_projection(struct pipeline_fields *f, struct writer *w);

#endif
