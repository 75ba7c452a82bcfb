/* A path is a list of keys; the dotted string exists only in commands. The struct owns its text. */
#ifndef BSONSCOPE_BSON_PATH_H
#define BSONSCOPE_BSON_PATH_H

#include "bson/value.h"

struct path {
	struct key *keys; /* point into `text` */
	size_t count;
	char *text;       /* the dotted form, NUL-terminated */
};

/* Splits at the dots: "a..b" has an empty key, which the caller may refuse. */
void path_parse(struct path *p, struct key dotted);
void path_clear(struct path *p);

/* One level after the other through embedded documents only; missing when a level is not a document. */
struct value path_get(const struct path *p, struct value document);

/* A key that is an array index: digits without leading zeros. */
bool path_key_is_index(struct key key, uint32_t *index);

#endif
