/*
 * Where the bytes of documents are: a tree of paths, counted document by document. A path is a list of keys (any
 * bytes), never a dotted text. Elements of arrays are one child of their array; keys that are data (ids, dates, numbers,
 * and simply too many) are one child of their document.
 *
 * The tree is a function of the set of documents: their order makes no difference, nor how they were shared out among
 * trees that were merged afterwards. Its memory is bounded whatever the data: see FOLDING in path_tree.c.
 *
 * Not thread-safe: a thread has a tree of its own.
 */
#ifndef BSONSCOPE_MODEL_PATH_TREE_H
#define BSONSCOPE_MODEL_PATH_TREE_H

#include "base/bytes.h"
#include "base/distinct.h"
#include "bson/wrapped.h"
#include "model/field_parts.h"

enum path_kind {
	PATH_DOCUMENTS, /* the root: whole documents */
	PATH_FIELD,     /* `key` is a field's name */
	PATH_ELEMENTS,  /* all elements of the arrays above; `key` is "[]" */
	PATH_FOLDED     /* many keys of the documents above; `key` is "*" */
};

/* A figure of one document, and which: of equal figures that of the first document. */
struct path_mark {
	int64_t value;
	int64_t position; /* of the document, as path_tree_add was told */
	struct bytes id;  /* {"": key} as BSON; empty: the document has none */
};

struct path_type {
	uint8_t type;
	int64_t count;
	struct path_mark first; /* the first document that has one */
};

enum { PATH_LENGTH_BINS = 33, PATH_LONGEST = 5, PATH_VALUES = 100 };

struct path_lengths {
	int64_t arrays, elements;
	int64_t bins[PATH_LENGTH_BINS]; /* of no element; of 1; of 2 and 3; of 4 to 7; … */
	struct path_mark longest[PATH_LONGEST];
	size_t longest_count;
};

/* The values of a version field, the smallest in the order of their bytes; others are counted only. */
struct path_values {
	struct path_counted {
		struct bytes value; /* {"": value} */
		int64_t count;
	} list[PATH_VALUES];
	size_t count;
	int64_t others;
};

struct path_node {
	/* What the walk looks at first; private. */
	uint64_t word, mask;         /* the first eight bytes of key and terminator, and which of them count */
	struct path_node *follower;  /* the field that came next last time */
	struct path_node *first;     /* the child that a document began with last time */
	struct path_type *types;     /* in no order until the tree is finished; then the most frequent first */
	uint32_t type_count, key_size;
	int64_t count;               /* occurrences; of the root: documents */
	int64_t largest_bytes;       /* of one occurrence */
	struct field_parts parts;    /* of what is not in a child; in a finished tree of `bytes` */
	uint64_t seen_in;            /* private: the document that was counted last */
	int64_t documents;           /* that have the path; finished: -1 where folding came too late to know */
	char *key;                   /* NUL-terminated: no key holds a NUL */

	enum path_kind kind;
	bool watched;                /* `values` are kept */
	uint8_t folded;              /* private: which classes of keys are */
	uint32_t distinct[2];        /* private: children that are fields, by class */
	uint64_t hash;               /* private: of the path */
	struct path_node *parent, **children;
	uint32_t child_count, child_capacity;
	uint32_t *slots, slot_count; /* private: hash table over the children that are fields; index + 1 */
	struct path_node *elements, *star; /* those of `children` that are no field, or null */

	int64_t bytes;               /* of a finished tree: all occurrences, with type bytes and names */
	struct path_mark largest;    /* value: largest_bytes */
	struct path_lengths *lengths;  /* null: no value is an array */
	struct distinct keys;        /* PATH_FOLDED: how many there are */
	struct bytes example;        /* and the least of them, in the order of bytes */
	struct path_values *values;
};

struct path_tree {
	struct path_node *root;
	char *id_key;              /* the field that names documents */
	int64_t broken;            /* documents whose inside cannot be read to the end: the remainder counts as values */
	struct path_mark deepest;  /* levels: 1 for a flat document */
	struct distinct paths;     /* private: what the memory is bounded by */
	uint64_t serial, lookups;  /* private */
	int strictness;            /* private */
	size_t node_count;
	bool finished;
};

/* `id_key` null: _id. */
void path_tree_init(struct path_tree *t, const char *id_key);
void path_tree_clear(struct path_tree *t);

/* Positions ascend within a tree, and are different in trees that are to be merged. */
void path_tree_add(struct path_tree *t, struct value document, int64_t position);

/* Adds all of `more`, which stays as it is. Neither is finished. */
void path_tree_merge(struct path_tree *t, const struct path_tree *more);

/* Sums up: bytes and parts of each node hold its children's; children by bytes, the most first. Nothing is added after. */
void path_tree_finish(struct path_tree *t);

/* The child of that kind; `key` is of fields only. Null: there is none. */
const struct path_node *path_node_child(const struct path_node *n, enum path_kind kind, struct key key);

struct key path_node_key(const struct path_node *n);

#endif
