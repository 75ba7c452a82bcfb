/*
 * A document as a list of its fields, each after the one that holds it: made once, then read by number. Owns the
 * document's bytes.
 */
#ifndef BSONSCOPE_UI_DOCUMENT_TREE_H
#define BSONSCOPE_UI_DOCUMENT_TREE_H

#include "base/bytes.h"
#include "bson/value.h"

struct tree_node {
	uint32_t key_offset, key_size; /* in the document's bytes, which follow the key with a NUL */
	uint32_t value_offset, value_size;
	uint32_t parent, end;          /* nodes: the one that holds it; the first after what it holds */
	uint8_t type;
	uint8_t depth;                 /* the document itself: 0 */
};

struct document_tree {
	struct bytes document;
	struct tree_node *nodes;       /* [0] is the document */
	size_t count, capacity;
	int depth;                     /* levels: 1 for a flat document */
	const char *broken;            /* why a part could not be read; null when all could */
};

/* Takes the bytes of one document and leaves `document` empty. Levels beyond VALUE_DEPTH_LIMIT are not entered. */
struct document_tree *document_tree_new(struct bytes *document);
void document_tree_destroy(struct document_tree *t); /* null is allowed */

struct value document_tree_value(const struct document_tree *t, size_t node);
const char *document_tree_key(const struct document_tree *t, size_t node);

/* A document or array with something in it. */
bool document_tree_holds(const struct document_tree *t, size_t node);

/* Bytes of the whole field: type, name and value. */
int64_t document_tree_bytes(const struct document_tree *t, size_t node);

/* Appends a field's name, safe to show: in double quotes when it is empty or holds a dot, a quote or a blank. */
void document_tree_name(const struct document_tree *t, size_t node, struct bytes *out);

/* "kopya.0.barkod", "a.\"b.c\""; nothing for the document itself. */
void document_tree_path(const struct document_tree *t, size_t node, struct bytes *out);

#endif
