/*
 * A model file: relationships, the access-pattern table and the table of copies of one database, as data
 * (queries/NAME.json; the format: queries/README.md). The struct owns everything in it and does not change after
 * loading; threads share it.
 */
#ifndef BSONSCOPE_MODEL_MODEL_H
#define BSONSCOPE_MODEL_MODEL_H

#include "model/relationship.h"

enum operation_type { OPERATION_READ, OPERATION_WRITE };

/* The commands of an operation for one relationship and shape; `relationship` null: for all that are not named. */
struct command_set {
	char *relationship;
	enum shape_kind shape;
	struct bytes *commands; /* BSON documents, with {$draw: "field"} where a parameter goes */
	unsigned *lines;        /* of the file, where each begins */
	size_t command_count;
};

struct operation {
	char *name, *frequency, *together;
	enum operation_type type;
	double per_second; /* < 0: none stated */
	struct bytes draw; /* command whose results are the parameters, run on the origin; empty: one call without */
	struct command_set *sets;
	size_t set_count;
};

/* A copied field: what the copy is, where the truth is, what happens when it changes. */
struct copy_row {
	char *copy, *source, *on_change;
};

/* An index of a collection, in whatever shape that collection is. */
struct index_row {
	char *collection;
	struct bytes specification; /* as createIndexes takes it: {key, name, unique} */
	char *why;                  /* which operation needs it */
};

struct model {
	char *name; /* file name, for errors */
	char *database;
	int64_t document_limit_bytes;
	struct relationship *relationships;
	size_t relationship_count;
	struct operation *operations;
	size_t operation_count;
	struct copy_row *copies;
	size_t copy_count;
	struct index_row *indexes;
	size_t index_count;
};

/* Null with one line naming file, line and field (ERROR_INPUT). */
struct model *model_read(const char *name, const char *text, size_t size_bytes, bson_error_t *error);
void model_destroy(struct model *m);

/* A database of which nothing has been written down: no relationships, no operations. `name` says where it could be. */
struct model *model_empty(const char *name, const char *database);

/* Null: unknown name; the error lists those that there are. */
const struct relationship *model_relationship(const struct model *m, const char *name, bson_error_t *error);

/* Appends the specifications of a collection's indexes to `out` as one BSON array document (empty: none). */
void model_indexes(const struct model *m, const char *collection, struct bytes *out);

/* The field that names a collection's documents: a relationship's parent or child key, else "_id". */
const char *model_key(const struct model *m, const char *collection);

/*
 * The operation's commands for that relationship and shape; falls back to the set for all. Null: this operation has
 * none.
 */
const struct command_set *operation_commands(const struct operation *o, const struct relationship *r,
                                             enum shape_kind shape);

#endif
