/*
 * Document validation: what a collection asks of the documents written to it. The options are kept as `create` and
 * `collMod` gave them (collection.options); this is their compiled form.
 * Source: https://www.mongodb.com/docs/manual/core/schema-validation/
 */
#ifndef BSONSCOPE_ENGINE_VALIDATION_H
#define BSONSCOPE_ENGINE_VALIDATION_H

#include "base/error.h"
#include "bson/value.h"
#include "engine/execution.h"

struct collection;
struct validation;

/*
 * From the options of a collection; null when there is no validator. A validator that does not compile, as a dump may
 * bring one, makes every write fail with its error.
 */
struct validation *validation_new(struct value options);
void validation_destroy(struct validation *v);

/*
 * Whether `document` may be written in place of `old` (missing: inserted). False: the execution failed with
 * DocumentValidationFailure, {errInfo} in its error_details; or with why x->bypass_validation is not allowed. What is
 * only warned of, or logged besides, goes to x->log.
 */
bool validation_check(const struct collection *c, struct execution *x, struct value old, struct value document);

/* Values of validationLevel and validationAction; the names that MongoDB uses. False: there is no such value. */
bool validation_is_level(struct key name, bool constraints);
bool validation_is_action(struct key name, bool constraints);

/*
 * Takes new values (missing: as it is) into the options of a collection, or into those of one that is to be created
 * (`options` empty). Fails with the server's rules about the constraint level. `out` gets the options.
 */
struct validation_change {
	struct value validator, level, action, prepare;
	bool creating;
};
bool validation_change(struct value options, const struct validation_change *change, struct bytes *out, bson_error_t *error);

#endif
