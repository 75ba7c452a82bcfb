/*
 * Parameters of an operation: the documents that its draw command returned, and their values put into commands where
 * {$draw: "field"} stands. Draws are immutable and counted by references: threads share them.
 */
#ifndef BSONSCOPE_MODEL_DRAW_H
#define BSONSCOPE_MODEL_DRAW_H

#include "base/bytes.h"
#include "bson/value.h"
#include "model/model.h"
#include "source.h"

struct draws;

/* Runs the command to its last batch and keeps what it returns. The caller owns one reference. Null on failure. */
struct draws *draws_run(struct source *s, const char *db, const struct bytes *command,
                        const struct interrupt *interrupt, bson_error_t *error);

/* One draw without fields: an operation without parameters. */
struct draws *draws_none(void);
struct draws *draws_share(struct draws *d);
void draws_release(struct draws *d);

size_t draws_count(const struct draws *d);
struct value draws_at(const struct draws *d, size_t i);

/*
 * Appends one of an operation's commands with the draw's values in it. Fails on a field that the draw has not, naming
 * the model's file and line (ERROR_INPUT).
 */
bool draw_fill(const struct model *m, const struct command_set *set, size_t index, struct value draw, struct bytes *out,
               bson_error_t *error);

#endif
