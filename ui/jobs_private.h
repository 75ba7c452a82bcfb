/* What kinds of jobs share. */
#ifndef BSONSCOPE_UI_JOBS_PRIVATE_H
#define BSONSCOPE_UI_JOBS_PRIVATE_H

#include "ui/jobs.h"

/* A snapshot that begins with an outcome, zeroed. Made before anything is measured: a write that comes meanwhile makes
 * it old. */
void *job_outcome_new(const struct subject *s, size_t size_bytes, void (*free_it)(struct snapshot *));

/* Builds the shape when it is missing or stale; where it lies then. */
bool job_make_ready(const struct subject *s, const struct interrupt *i, struct source **source, const char **db,
                    bson_error_t *error);

/* The relationship's collections in a shape; a population has none that are built. */
size_t job_own_collections(const struct subject *s, enum shape_kind shape, const char *names[2]);

/* Where a collection lies in the subject's shape: with the shape when it is one of its own, else in the origin. */
bool job_collection_source(const struct subject *s, const char *collection, const struct interrupt *i,
                           struct source **source, const char **db, bson_error_t *error);

/* Lays the tree's reply out; null: an empty page. The tree outlives the page. */
void plan_page_make(struct plan_page *p, const struct plan_tree *tree);
void plan_page_clear(struct plan_page *p);

#endif
