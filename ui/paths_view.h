/*
 * Where one stands in a tree of paths, and what is shown of it: a level at a time. The place is a list of keys and not
 * a node: trees are replaced while they are counted, and what the new one has folded leads to the level above.
 */
#ifndef BSONSCOPE_UI_PATHS_VIEW_H
#define BSONSCOPE_UI_PATHS_VIEW_H

#include "model/paths.h"
#include "ui/rows.h"

/* name, what it is for */
#define PATHS_COLUMNS(X)                                          \
	X(BYTES, "bytes, count, average and largest")             \
	X(PARTS, "what the bytes are for")                        \
	X(SCHEMA, "types, presence and what is odd")

enum paths_columns {
#define X(name, text) PATHS_##name,
	PATHS_COLUMNS(X)
#undef X
	PATHS_COLUMN_SETS
};

struct paths_view {
	struct path_step {
		enum path_kind kind;
		char *key;
		uint32_t key_size;
	} *steps;
	size_t depth;
	enum paths_columns columns;
	bool of_document; /* the open document's paths, else the selected collection's */
	bool details;     /* of the path that was selected, in the place of the level */
	int64_t detailed; /* its row */
};

/* One line of a level: a path below the place, or the bytes that are in none of them. */
struct path_row {
	const struct path_node *node; /* null: the bytes in none */
	int64_t id;                   /* the same in every tree of the same data */
	int64_t bytes;
};

void paths_view_clear(struct paths_view *v);

/* The place in a tree. */
const struct path_node *paths_view_place(const struct paths_view *v, const struct path_tree *t);

/* To the top. */
void paths_view_leave_all(struct paths_view *v);

/* Makes the node's level the place. An array of documents is passed through: its elements' fields are the level. */
void paths_view_enter(struct paths_view *v, const struct path_node *n);

/* Whether there is a level below. */
bool paths_view_enters(const struct path_node *n);

/* To the level above; the row that led here. False: it is the top. */
bool paths_view_leave(struct paths_view *v, const struct path_tree *t, int64_t *row);

/* The orders: texts as pane_type.sorts has them. */
extern const char *const paths_view_sorts[];

/* The rows of a level in that order; free(). */
struct path_row *paths_view_rows(const struct path_node *place, int sort, size_t *count);
int64_t paths_view_row_id(const struct path_node *n);

#endif
