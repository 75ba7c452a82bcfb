/*
 * What the files of the update room share. An update by operators is a tree over path components: inner nodes go to
 * fields or to array elements, leaves carry one operator each. It is applied in one walk over the old document.
 */
#ifndef BSONSCOPE_ENGINE_UPDATE_PRIVATE_H
#define BSONSCOPE_ENGINE_UPDATE_PRIVATE_H

#include "base/arena.h"
#include "engine/match.h"
#include "engine/update.h"

enum update_node_kind {
	UPDATE_FIELDS,   /* children by field name, array position or "$" */
	UPDATE_ELEMENTS, /* children by identifier of an array filter; "" for $[] */
	UPDATE_LEAF
};

struct update_child {
	struct key key;
	const struct update_node *node;
};

struct update_node {
	enum update_node_kind kind;
	struct update_child *children; /* in the order of their bytes */
	size_t child_count;
	bool positional;               /* one of the children is "$" */
	const struct update_operator *operator;
	struct key path;               /* of a leaf, dotted, as the update has it */
	struct value operand;          /* a view into the update's own copy */
	void *compiled;                /* what the operator made of it */
};

struct array_filter {
	struct key identifier; /* a view into the filter's path */
	struct match *match;
	bool used;
};

struct update {
	struct bytes source; /* the update's own copy of its text */
	struct value value;
	struct update_node *root; /* null: replacement or pipeline */
	struct array_filter *filters;
	size_t filter_count;
	bool needs_position;
	struct update_pipeline *pipeline;
};

/* One application. Keys of the path gone so far are kept for messages. */
struct update_run {
	const struct update *update;
	struct execution *x;
	struct value document;
	bool inserting;
	bool touched; /* changed in MongoDB's eyes although no byte may differ: NaN, an element of an array unset again */
	struct key position; /* of the positional operator, as text; size 0: no match */
	char position_text[24];
	struct arena arena;
	struct writer writer;
	struct key steps[VALUE_DEPTH_LIMIT + 8];
	size_t step_count;
	struct key array_above; /* the nearest array that the path goes through; bytes null: none */
};

/* A leaf at work: `old` is missing when there is nothing at its path. */
struct update_call {
	struct update_run *run;
	const struct update_node *leaf;
	struct key key;
	struct value old;
	bool in_array;
};

enum {
	UPDATE_CREATES = 1,         /* makes the path when it is missing */
	UPDATE_ANY_PATH = 2,        /* a path that could not exist is as good as a missing one */
	UPDATE_ON_INSERT_ONLY = 4,
};

struct update_operator {
	const char *name;
	unsigned flags;
	bool (*parse)(struct update_node *leaf, bson_error_t *error); /* may be null: any operand will do */
	bool (*apply)(struct update_call *c);                         /* writes the new value, or nothing */
	void (*destroy)(void *compiled);                              /* null: free() */
};

const struct update_operator *update_operator_find(struct key name);
extern const struct update_operator update_rename_source;

/* Operators of scalars (update_field.c) … */
bool update_apply_set(struct update_call *c);
bool update_apply_unset(struct update_call *c);
bool update_parse_number(struct update_node *leaf, bson_error_t *error);
bool update_apply_arithmetic(struct update_call *c);
bool update_apply_extreme(struct update_call *c);
bool update_parse_current_date(struct update_node *leaf, bson_error_t *error);
bool update_apply_current_date(struct update_call *c);
bool update_parse_bit(struct update_node *leaf, bson_error_t *error);
bool update_apply_bit(struct update_call *c);
bool update_parse_rename(struct update_node *leaf, bson_error_t *error);
bool update_apply_rename(struct update_call *c);
bool update_apply_rename_source(struct update_call *c);

/* Whether the source of a rename is there. Errors are those of a path through arrays or scalars. */
bool update_rename_source_value(struct update_call *c, struct value *source);

/* … and of arrays (update_array.c, update_push.c). */
bool update_parse_push(struct update_node *leaf, bson_error_t *error);
bool update_apply_push(struct update_call *c);
void update_destroy_push(void *compiled);
bool update_parse_add_to_set(struct update_node *leaf, bson_error_t *error);
bool update_apply_add_to_set(struct update_call *c);
bool update_parse_pop(struct update_node *leaf, bson_error_t *error);
bool update_apply_pop(struct update_call *c);
bool update_parse_pull(struct update_node *leaf, bson_error_t *error);
bool update_apply_pull(struct update_call *c);
void update_destroy_pull(void *compiled);
bool update_parse_pull_all(struct update_node *leaf, bson_error_t *error);
bool update_apply_pull_all(struct update_call *c);

/* Filters inside updates know neither $expr nor $jsonSchema: false with code 224. */
bool update_check_filter(const struct match *m, bson_error_t *error);

/* Writes the fields of `document`, and new ones, as the nodes of `group` have it, into the open document. */
bool update_walk(struct update_run *run, const struct update_child *group, size_t count, struct value document);

/* Keeps the old value, or nothing. Returns true. */
bool update_keep(struct update_call *c);

/* Writes an array's elements at once, as they lie, and leaves the array open for more. */
void update_begin_array_copy(struct update_call *c, uint32_t count);

/* All elements in order, in the run's arena. */
struct value *update_elements(struct update_run *run, struct value array, size_t *count);

/* "name: value" and "{name: value}" for messages, in the run's arena. */
const char *update_print_field(struct update_run *run, struct key key, struct value v, bool braces);

/* "_id: 1", or "no id". */
const char *update_print_id(struct update_run *run, bool braces);

/* The path gone so far and `key`, dotted. */
const char *update_path_text(struct update_run *run, struct key key);

/* The new document of a pipeline update. */
struct update_pipeline;
struct update_pipeline *update_pipeline_compile(struct value stages, const struct expression_scope *scope,
                                                bson_error_t *error);
void update_pipeline_destroy(struct update_pipeline *p);
bool update_pipeline_apply(struct update_pipeline *p, struct execution *x, struct value document, struct bytes *out);

#endif
