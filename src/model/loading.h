/*
 * Reading an object of a model file by a table of its members: what they are called, how each is read, where it goes.
 * Every error is one line, "NAME:LINE: FIELD: what is wrong". Private to the model's reader.
 */
#ifndef BSONSCOPE_MODEL_LOADING_H
#define BSONSCOPE_MODEL_LOADING_H

#include "model/model.h"

enum { LOADING_DEPTH = 16 };

struct loading {
	const char *name, *text; /* the file */
	size_t size_bytes;
	struct model *model; /* what is being filled */
	bson_error_t *error;

	/* Where in the file: the keys down to the present value; array elements by their number. */
	const char *keys[LOADING_DEPTH];
	char key_texts[LOADING_DEPTH][64];
	size_t depth;
};

struct member {
	const char *name; /* null ends a table */
	bool (*read)(struct loading *l, struct value v, void *target);
	size_t offset; /* of the member in what is filled */
	bool required;
};

/* Always false. */
bool loading_fail(struct loading *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of the file, where the present value stands; what is missing has no line of its own: then its object's. */
unsigned loading_line(const struct loading *l);

void loading_enter(struct loading *l, const char *key);
void loading_enter_at(struct loading *l, size_t index);
void loading_leave(struct loading *l);

/* Unknown, repeated and missing members are errors. */
bool loading_members(struct loading *l, struct value v, const struct member *members, void *target);

/*
 * An array: *items becomes *count zeroed items of `item_size`, each filled by `read`. What was read so far stays owned
 * by *items.
 */
bool loading_list(struct loading *l, struct value v, size_t item_size,
                  bool (*read)(struct loading *, struct value, void *), void *items, size_t *count);

/* Members' readers. Text goes to a char *, never empty, never with a NUL inside. */
bool loading_text(struct loading *l, struct value v, void *target);
bool loading_collection(struct loading *l, struct value v, void *target); /* a legal collection name */
bool loading_field(struct loading *l, struct value v, void *target);      /* a top-level field's name */
bool loading_identifier(struct loading *l, struct value v, void *target); /* letters, digits, "_" and "-" */
bool loading_document(struct loading *l, struct value v, void *target);   /* struct bytes */
bool loading_flag(struct loading *l, struct value v, void *target);       /* bool */
bool loading_count(struct loading *l, struct value v, void *target);      /* int64_t, 1 or more */
bool loading_rate(struct loading *l, struct value v, void *target);       /* double, 0 or more, finite */
bool loading_shape(struct loading *l, struct value v, void *target);      /* enum shape_kind */

#endif
