#include "ui/document_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"

static size_t add(struct document_tree *t, struct key key, struct value v, size_t parent, int depth)
{
	struct tree_node *n;

	t->nodes = memory_grow(t->nodes, &t->capacity, t->count + 1, sizeof *t->nodes);
	n = &t->nodes[t->count];
	*n = (struct tree_node){ .key_offset = (uint32_t)((const uint8_t *)key.bytes - t->document.data),
		                 .key_size = key.size_bytes,
		                 .value_offset = (uint32_t)(v.bytes - t->document.data),
		                 .value_size = v.size_bytes,
		                 .parent = (uint32_t)parent,
		                 .type = v.type,
		                 .depth = (uint8_t)depth };
	return t->count++;
}

static bool is_container(uint8_t type)
{
	return type == BSON_TYPE_DOCUMENT || type == BSON_TYPE_ARRAY;
}

static void enter(struct document_tree *t, size_t node, struct value v, int depth)
{
	struct walk w = { 0 };
	struct field f;

	if (is_container(v.type) && depth < VALUE_DEPTH_LIMIT) {
		if (depth + 1 > t->depth)
			t->depth = depth + 1;
		walk_begin(&w, v);
		while (walk_next(&w, &f))
			enter(t, add(t, f.key, f.value, node, depth + 1), f.value, depth + 1);
	}
	if (w.broken)
		t->broken = w.broken;
	t->nodes[node].end = (uint32_t)t->count;
}

struct document_tree *document_tree_new(struct bytes *document)
{
	struct document_tree *t = memory_allocate_zeroed(1, sizeof *t);
	struct value root;

	t->document = *document;
	bytes_init(document);
	if (!value_document(&root, t->document.data, t->document.size)) {
		root = (struct value){ t->document.data, (uint32_t)t->document.size, BSON_TYPE_DOCUMENT };
		t->broken = "no document";
	}
	add(t, (struct key){ (const char *)t->document.data, 0 }, root, 0, 0);
	if (t->broken)
		t->nodes[0].end = 1;
	else
		enter(t, 0, root, 0);
	return t;
}

void document_tree_destroy(struct document_tree *t)
{
	if (!t)
		return;
	bytes_clear(&t->document);
	free(t->nodes);
	free(t);
}

struct value document_tree_value(const struct document_tree *t, size_t node)
{
	const struct tree_node *n = &t->nodes[node];

	return (struct value){ t->document.data + n->value_offset, n->value_size, n->type };
}

const char *document_tree_key(const struct document_tree *t, size_t node)
{
	return node ? (const char *)t->document.data + t->nodes[node].key_offset : "";
}

bool document_tree_holds(const struct document_tree *t, size_t node)
{
	return t->nodes[node].end > node + 1;
}

int64_t document_tree_bytes(const struct document_tree *t, size_t node)
{
	const struct tree_node *n = &t->nodes[node];

	return node ? 1 + (int64_t)n->key_size + 1 + n->value_size : n->value_size;
}

/* A dot, a quote, a blank or nothing in a name would be read as something else. */
static bool needs_quotes(const char *key, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (strchr(".'\" \\", key[i]))
			return true;
	return !size;
}

void document_tree_name(const struct document_tree *t, size_t node, struct bytes *out)
{
	const char *key = document_tree_key(t, node);
	size_t size = t->nodes[node].key_size;
	bool quoted = needs_quotes(key, size);

	bytes_append_text(out, quoted ? "\"" : "");
	for (size_t i = 0; quoted && i < size; i++) { /* a piece at a time: quotes and backslashes are ours to escape */
		size_t piece = i;

		while (piece < size && key[piece] != '"' && key[piece] != '\\')
			piece++;
		print_text(out, key + i, piece - i);
		i = piece;
		if (i < size)
			bytes_format(out, "\\%c", key[i]);
	}
	if (!quoted)
		print_text(out, key, size);
	bytes_append_text(out, quoted ? "\"" : "");
}

void document_tree_path(const struct document_tree *t, size_t node, struct bytes *out)
{
	if (!node)
		return;
	document_tree_path(t, t->nodes[node].parent, out);
	if (out->size)
		bytes_append_byte(out, '.');
	document_tree_name(t, node, out);
}
