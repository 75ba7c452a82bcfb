/*
 * Which fields hold a collection's bytes, at the top level: for each path its bytes, of which values, key names and
 * arrays' overhead apart, and the types of its values. Over an engine exact; over other sources a sample that says so.
 */
#ifndef BSONSCOPE_MODEL_FIELDS_H
#define BSONSCOPE_MODEL_FIELDS_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/figure.h"
#include "model/paths.h"
#include "source.h"

/* Slots of the types that BSON has; the last is for bytes that are no type. */
enum { FIELD_TYPES = 23 };
size_t field_type_slot(uint8_t type);
uint8_t field_type_at(size_t slot);

struct field_bytes {
	char *name;                  /* NUL-terminated: no key holds a NUL */
	int64_t count, bytes;        /* fields of that name and all of their bytes: type, name, value */
	int64_t largest_bytes;       /* of one field */
	struct field_parts parts;    /* of `bytes` */
	int64_t types[FIELD_TYPES];  /* how many values are of each type, by slot */
};

/* Counts the fields of another name with those of `sum`, whose name stays. */
void field_bytes_add(struct field_bytes *sum, const struct field_bytes *more);

struct fields {
	char *db, *collection;
	struct figure documents, bytes; /* those that were looked at */
	struct field_parts parts;       /* of `bytes`: their sum */
	struct field_bytes *list;       /* by bytes, the most first; equal ones by name */
	size_t count;
	struct field_bytes rest;        /* of names that are data, without a name; see path_tree.h */
	int64_t broken;                 /* documents that cannot be read to their end */
	int depth;                      /* levels of the deepest document; 1: flat */
};

/* Called about ten times a second with what is known so far, "at least"; takes it. */
typedef void (*fields_report)(void *context, struct fields *so_far);

enum { FIELDS_SAMPLE = 1000, FIELDS_FIRST = 10240 };

/*
 * `sample`: documents looked at at most where they come over a wire (0: all); an engine's are looked at where they lie.
 * `report` may be null. Null on failure.
 */
struct fields *fields_measure(struct source *s, const char *db, const char *collection, int64_t sample,
                              fields_report report, void *context, const struct interrupt *interrupt,
                              bson_error_t *error);

/* Of an engine's collection that is still being read: the first FIELDS_FIRST documents, "at least". */
struct fields *fields_measure_first(struct source *s, const char *db, const char *collection,
                                    const struct interrupt *interrupt, bson_error_t *error);
void fields_destroy(struct fields *f); /* null is allowed */

/* The top level of a tree of paths. */
struct fields *fields_of_paths(const struct paths *p);

/* Bytes of a part, over all documents: exact, or estimated from the sample. */
struct figure fields_figure(const struct fields *f, int64_t part_bytes);

/* A part of a whole in percent, rounded half up; 0 of nothing. */
int field_percent(int64_t part, int64_t whole);

/*
 * The types of a field's values, the most frequent first: "string 100 %", "int 98 %, double 2 %". A share that is there
 * is at least 1 %, one that is not all at most 99 %.
 */
void field_types_text(const struct field_bytes *f, struct bytes *out);

/* Into an empty `out`: every field with its types, those of the same types together: "_k kitap: string 100 %; yil: int
 * 100 %". */
void fields_types_text(const struct fields *f, struct bytes *out);

#endif
