/* Which documents of a collection its own validator would refuse, whatever its level and action. */
#ifndef BSONSCOPE_MODEL_VIOLATIONS_H
#define BSONSCOPE_MODEL_VIOLATIONS_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/figure.h"
#include "model/paths.h"
#include "source.h"

enum { VIOLATIONS_LISTED = 10 };

struct violations {
	bool validated;       /* there is a validator; else nothing below */
	struct bytes validator;
	struct figure count;  /* of a sample: those in it */
	enum sampling method; /* which documents are looked at; those of a random sample are drawn anew */
	/* The first of them, end to end: {KEY: value, path, keyword, …} (violation_reason.h), or {KEY: value} alone. */
	struct bytes found;
};

/* Of as many documents as `of` has looked at, chosen as those. `key` null: _id. The result is the caller's to clear. */
bool violations_find(struct source *s, const struct paths *of, const char *key, struct violations *v,
                     const struct interrupt *interrupt, bson_error_t *error);
void violations_clear(struct violations *v);

#endif
