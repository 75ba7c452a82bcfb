/* Which documents of a collection its own validator would refuse, whatever its level and action. */
#ifndef BSONSCOPE_MODEL_VIOLATIONS_H
#define BSONSCOPE_MODEL_VIOLATIONS_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/figure.h"
#include "source.h"

enum { VIOLATIONS_LISTED = 10 };

struct violations {
	bool validated;       /* there is a validator; else nothing below */
	struct bytes validator;
	struct figure count;  /* of a sample: those in it */
	struct bytes ids;     /* of the first of them: documents {KEY: value}, end to end */
};

/* `key` null: _id. `sample`: so many documents of a larger collection are looked at; 0: all. The result is the caller's to clear. */
bool violations_find(struct source *s, const char *db, const char *collection, const char *key, int64_t sample, int64_t of,
                     struct violations *v, const struct interrupt *interrupt, bson_error_t *error);
void violations_clear(struct violations *v);

#endif
