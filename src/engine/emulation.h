/*
 * Which server the engine follows where versions differ: one row a version, nothing else in the engine asks for a
 * version. What they agree on (7.0 to 9.0) is not here.
 */
#ifndef BSONSCOPE_ENGINE_EMULATION_H
#define BSONSCOPE_ENGINE_EMULATION_H

#include "base/error.h"
#include "bson/value.h"

#define EMULATION_UPDATE_CONTEXT "Plan executor error during update"
#define EMULATION_DELETE_CONTEXT "Plan executor error during delete"

struct emulation {
	const char *name;    /* as --emulate has it */
	const char *version; /* announced by buildInfo and explain */
	int32_t version_numbers[4];

	/* What fails while an update or delete runs is said to have: "Plan executor error during update :: caused by :: …" */
	bool names_executor;
	/* An update's result over the limit is 10334 however large; before, 17419 up to 16 KB over it. */
	bool one_code_over_limit;
	/* validationLevel "constraint", prepareConstraintValidationLevel, validationAction "errorAndLog" */
	bool validation_constraints;
};

/* 9.0 */
const struct emulation *emulation_default(void);

/* Null: there is none of that name. */
const struct emulation *emulation_find(const char *name);

/* The versions; null after the last. */
const struct emulation *emulation_at(size_t i);

/*
 * Whether a document of an update is within the limit; fails as the version does, code and words (without what
 * names_executor adds). The first element is part of the words: `document` may be missing when only sizes are known.
 */
bool emulation_check_update(const struct emulation *m, struct value document, int64_t size_bytes, int64_t limit_bytes,
                            bson_error_t *error);

#endif
