#include "ui/document_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"

enum { LONG_TEXT = 2048, PREVIEW = 400, INDENT = 2, TYPE_WIDTH = 10, BYTES_WIDTH = 12, LEAST_VALUE = 16 };

struct wrapped_text {
	size_t node;
	char *text;
	size_t *starts; /* of lines, and the text's end */
	size_t count;
};

static void forget_wrapped(struct document_view *v)
{
	for (size_t i = 0; i < v->wrapped_count; i++) {
		free(v->wrapped[i].text);
		free(v->wrapped[i].starts);
	}
	free(v->wrapped);
	v->wrapped = NULL;
	v->wrapped_count = 0;
}

struct document_view *document_view_new(const struct document_tree *t)
{
	struct document_view *v = memory_allocate_zeroed(1, sizeof *v);

	v->tree = t;
	v->open = memory_allocate_zeroed(t->count, 1);
	v->found = memory_allocate_zeroed(t->count, 1);
	v->lines = memory_allocate_zeroed(t->count, sizeof *v->lines);
	v->open[0] = 1;
	for (size_t i = 1; i < t->count; i++)
		v->open[i] = !document_tree_holds(t, i) && t->nodes[i].value_size <= LONG_TEXT;
	return v;
}

void document_view_destroy(struct document_view *v)
{
	if (!v)
		return;
	forget_wrapped(v);
	free(v->open);
	free(v->found);
	free(v->lines);
	free(v->searched);
	free(v);
}

size_t document_view_node(int64_t row)
{
	return (size_t)(row >> 32);
}

int document_view_line(int64_t row)
{
	return (int)(row & INT32_MAX);
}

int64_t document_view_row(size_t node)
{
	return (int64_t)node << 32;
}

const char *document_view_name(const struct document_view *v, size_t node)
{
	const char *key = document_tree_key(v->tree, node);

	return *key || !node ? key : "\"\"";
}

/* Levels are indented while there is room; names take a third of it at most. */
struct document_columns document_view_columns(const struct document_view *v, size_t node)
{
	struct document_columns at = { .end = v->canvas.area.width - 1 };
	int depth = v->tree->nodes[node].depth, most = v->canvas.area.width / 4, indent = depth * INDENT;

	at.type = at.end - BYTES_WIDTH - TYPE_WIDTH;
	at.mark = 1 + (indent < most ? indent : most);
	at.name = at.mark + 2;
	at.name_width = canvas_width(&v->canvas, document_view_name(v, node));
	if (at.name_width > v->canvas.area.width / 4)
		at.name_width = v->canvas.area.width / 4;
	at.value = at.name + at.name_width + (node ? 2 : 0);
	at.value_width = at.type - 1 - at.value;
	if (at.value_width < LEAST_VALUE)
		at.value_width = LEAST_VALUE;
	return at;
}

/* Types whose text can be long. */
static bool may_wrap(const struct document_view *v, size_t node)
{
	switch (v->tree->nodes[node].type) {
	case BSON_TYPE_UTF8: case BSON_TYPE_CODE: case BSON_TYPE_SYMBOL: case BSON_TYPE_CODEWSCOPE: case BSON_TYPE_REGEX:
	case BSON_TYPE_BINARY: case BSON_TYPE_DBPOINTER:
		return (int)v->tree->nodes[node].value_size > LEAST_VALUE / 4;
	default:
		return false;
	}
}

static struct wrapped_text wrap(const struct document_view *v, size_t node)
{
	struct wrapped_text w = { .node = node };
	struct bytes text = BYTES_INIT;
	size_t capacity = 0, at = 0, size;
	int width = document_view_columns(v, node).value_width;

	print_line(&text, document_tree_value(v->tree, node), PRINT_SHELL);
	size = text.size;
	w.text = bytes_take_text(&text);
	do {
		w.starts = memory_grow(w.starts, &capacity, w.count + 2, sizeof *w.starts);
		w.starts[w.count++] = at;
		at += canvas_fit(&v->canvas, w.text + at, width);
	} while (at < size);
	w.starts[w.count] = size;
	return w;
}

static const struct wrapped_text *kept(const struct document_view *v, size_t node)
{
	for (size_t i = 0; i < v->wrapped_count; i++)
		if (v->wrapped[i].node == node)
			return &v->wrapped[i];
	return NULL;
}

static void free_wrapped(struct wrapped_text *w)
{
	free(w->text);
	free(w->starts);
}

/* Counted once a width; a long text's lines are kept. */
static uint32_t lines_of(struct document_view *v, size_t node)
{
	struct wrapped_text w;

	if (!may_wrap(v, node))
		return 1;
	if (v->lines[node])
		return v->lines[node];
	w = wrap(v, node);
	v->lines[node] = w.count < INT32_MAX ? (uint32_t)w.count : INT32_MAX;
	if (v->tree->nodes[node].value_size <= LONG_TEXT) {
		free_wrapped(&w);
		return v->lines[node];
	}
	v->wrapped = memory_resize(v->wrapped, v->wrapped_count + 1, sizeof *v->wrapped);
	v->wrapped[v->wrapped_count++] = w;
	return v->lines[node];
}

static char *line_of(const struct wrapped_text *w, int line)
{
	return (size_t)line < w->count ? strndup(w->text + w->starts[line], w->starts[line + 1] - w->starts[line])
	                               : memory_duplicate_text("");
}

char *document_view_text(const struct document_view *v, size_t node, int line)
{
	const struct print_options preview = { .form = PRINT_SHELL, .limit_bytes = PREVIEW };
	struct bytes text = BYTES_INIT;
	struct wrapped_text w;
	char *result;

	if (v->open[node] && kept(v, node))
		return line_of(kept(v, node), line);
	if (!v->open[node] || !may_wrap(v, node)) {
		print_value(&text, document_tree_value(v->tree, node), &preview);
		return bytes_take_text(&text);
	}
	w = wrap(v, node);
	result = line_of(&w, line);
	free_wrapped(&w);
	return result;
}

bool document_view_opens(struct document_view *v, size_t node)
{
	if (document_tree_holds(v->tree, node))
		return true;
	if (v->tree->nodes[node].value_size > LONG_TEXT)
		return may_wrap(v, node);
	return lines_of(v, node) > 1;
}

void document_view_set_open(struct document_view *v, size_t node, bool open)
{
	v->open[node] = open;
}

void document_view_open_all(struct document_view *v)
{
	bool all = true;

	for (size_t i = 0; i < v->tree->count; i++)
		all = all && (v->open[i] || !document_tree_holds(v->tree, i));
	for (size_t i = 1; i < v->tree->count; i++)
		if (document_tree_holds(v->tree, i))
			v->open[i] = !all;
}

static bool contains(const struct document_view *v, const struct rows *l, size_t node)
{
	const struct tree_node *n = &v->tree->nodes[node];
	struct value value = document_tree_value(v->tree, node);
	struct bytes text = BYTES_INIT;
	bool found;

	if (rows_matches(l, document_tree_key(v->tree, node)))
		return true;
	if (n->type == BSON_TYPE_DOCUMENT || n->type == BSON_TYPE_ARRAY)
		return false;
	/* as it lies: a text may be long; one with a zero byte in it goes on behind it */
	if (n->type == BSON_TYPE_UTF8 && !memchr(value_text(value).bytes, 0, value_text(value).size_bytes))
		return rows_matches(l, value_text(value).bytes);
	print_line(&text, value, PRINT_SHELL);
	found = rows_matches(l, bytes_text(&text));
	bytes_clear(&text);
	return found;
}

/* Marks what contains the filter's text with 2, and what holds it with 1. */
static void search(struct document_view *v, const struct rows *l)
{
	free(v->searched);
	v->searched = memory_duplicate_text(l->filter);
	memset(v->found, 0, v->tree->count);
	for (size_t i = 1; i < v->tree->count; i++) {
		if (!contains(v, l, i))
			continue;
		v->found[i] = 2;
		for (size_t up = v->tree->nodes[i].parent; !v->found[up]; up = v->tree->nodes[up].parent)
			v->found[up] = 1;
	}
}

void document_view_reveal(struct document_view *v, size_t node)
{
	while (node > 0 && node < v->tree->count) {
		node = v->tree->nodes[node].parent;
		v->open[node] = 1;
	}
}

static void add_lines(struct document_view *v, struct rows *l, size_t node)
{
	uint32_t lines = v->open[node] && !document_tree_holds(v->tree, node) ? lines_of(v, node) : 1;

	for (uint32_t i = 0; i < lines; i++)
		rows_add(l, document_view_row(node) + i);
}

void document_view_list(struct document_view *v, struct rows *l, const struct canvas *window)
{
	if (window->area.width != v->canvas.area.width || window->ascii != v->canvas.ascii) {
		forget_wrapped(v);
		memset(v->lines, 0, v->tree->count * sizeof *v->lines);
	}
	v->canvas = *window;
	if (l->filter && (!v->searched || strcmp(l->filter, v->searched)))
		search(v, l);
	if (!l->filter && v->searched) {
		free(v->searched);
		v->searched = NULL;
		document_view_reveal(v, document_view_node(l->selected));
	}
	for (size_t i = 0; i < v->tree->count;) {
		bool enters = v->open[i];

		if (v->searched && !v->found[i]) {
			i = v->tree->nodes[i].end;
			continue;
		}
		add_lines(v, l, i);
		i = enters || (v->searched && v->found[i] == 1) ? i + 1 : v->tree->nodes[i].end;
	}
}
