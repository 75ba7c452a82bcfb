#include "ui/folded_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"

enum { INDENT = 2, PREVIEW_BYTES = 400 };

static bool opens(const char *text, size_t size)
{
	return size && (text[size - 1] == '{' || text[size - 1] == '[');
}

static bool closes(const char *text, size_t size)
{
	return size && (*text == '}' || *text == ']');
}

/* The printed lines follow the tree's nodes, but for those that close. */
static void split(struct folded_text *t, const char *text)
{
	size_t open[VALUE_DEPTH_LIMIT + 2], depth = 0, node = 0;

	for (const char *at = text; *at;) {
		size_t size = strcspn(at, "\n"), indent = strspn(at, " ");
		const char *content = at + indent;
		struct folded_line line = { .start = (uint32_t)(content - text), .size = (uint32_t)(size - indent), .end = (uint32_t)t->count + 1 };
		bool closing = closes(content, line.size) && depth > 0;

		if (closing)
			depth--;
		line.depth = (uint8_t)depth;
		line.node = closing ? t->lines[open[depth]].node : node < t->tree->count ? (uint32_t)node++ : (uint32_t)t->tree->count - 1;
		t->lines = memory_grow(t->lines, &t->capacity, t->count + 1, sizeof *t->lines);
		t->lines[t->count] = line;
		if (closing)
			t->lines[open[depth]].end = (uint32_t)t->count + 1;
		if (!closing && opens(content, line.size) && depth < sizeof open / sizeof *open)
			open[depth++] = t->count;
		t->count++;
		at += size + (at[size] == '\n');
	}
	while (depth > 0) /* cut off */
		t->lines[open[--depth]].end = (uint32_t)t->count;
}

void folded_text_make(struct folded_text *t, const struct bytes *document)
{
	struct bytes copy = BYTES_INIT, text = BYTES_INIT;

	*t = (struct folded_text){ 0 };
	bytes_append(&copy, document->data, document->size);
	t->tree = document_tree_new(&copy);
	print_value(&text, document_tree_value(t->tree, 0),
	            &(struct print_options){ .form = PRINT_SHELL, .indent = INDENT, .limit_bytes = FOLDED_TEXT_LIMIT_BYTES });
	t->text = bytes_take_text(&text);
	split(t, t->text);
}

void folded_text_clear(struct folded_text *t)
{
	document_tree_destroy(t->tree);
	free(t->text);
	free(t->lines);
	*t = (struct folded_text){ 0 };
}

bool folded_text_opens(const struct folded_text *t, size_t line)
{
	return t->lines[line].end > line + 1;
}

static void append_text(const struct folded_text *t, size_t line, struct bytes *out)
{
	bytes_append(out, t->text + t->lines[line].start, t->lines[line].size);
}

static bool has_comma(const struct folded_text *t, size_t line)
{
	return t->lines[line].size && t->text[t->lines[line].start + t->lines[line].size - 1] == ',';
}

/* "winningPlan: { stage: 'FETCH', inputStage: {…} }," */
void folded_text_line(const struct folded_text *t, size_t line, bool folded, struct bytes *out)
{
	size_t start = out->size, last;

	append_text(t, line, out);
	if (!folded || !folded_text_opens(t, line))
		return;
	last = t->lines[line].end - 1;
	for (size_t i = line + 1; i < last; i = t->lines[i].end) {
		bytes_append_byte(out, ' ');
		if (out->size - start > PREVIEW_BYTES) {
			bytes_append_text(out, "…");
			break;
		}
		append_text(t, i, out);
		if (folded_text_opens(t, i))
			bytes_format(out, "…%c%s", out->data[out->size - 1] == '{' ? '}' : ']', has_comma(t, t->lines[i].end - 1) ? "," : "");
	}
	bytes_append_byte(out, ' ');
	append_text(t, last, out);
}

/* The first of its lines: the one that closes it comes later. */
static size_t line_of_node(const struct folded_text *t, size_t node)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->lines[i].node == node)
			return i;
	return 0;
}

size_t folded_text_line_at(const struct folded_text *t, size_t offset)
{
	size_t low = 0, high = t->tree->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (t->tree->nodes[middle].value_offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return line_of_node(t, low);
}

void folded_text_value(const struct folded_text *t, size_t line, struct bytes *out)
{
	struct value v = document_tree_value(t->tree, t->lines[line].node);

	if (v.type == BSON_TYPE_UTF8)
		bytes_append(out, value_text(v).bytes, value_text(v).size_bytes);
	else
		print_value(out, v, &(struct print_options){ .form = PRINT_SHELL, .indent = INDENT });
}

void folds_clear(struct folds *f)
{
	free(f->open);
	*f = (struct folds){ 0 };
}

void folds_look_at(struct folds *f, const struct folded_text *t)
{
	enum { SHORT = 12 };

	if (f->text == t)
		return;
	folds_clear(f);
	f->text = t;
	if (!t)
		return;
	f->open = memory_allocate_zeroed(t->count + 1, 1);
	f->open[0] = 1;
	for (size_t i = 1; i + 1 < t->count; i = t->lines[i].end)
		f->open[i] = t->lines[i].end - i <= SHORT;
}

void folds_list(const struct folds *f, struct rows *l)
{
	size_t i = 0;

	while (f->text && i < f->text->count) {
		rows_add(l, (int64_t)i);
		i = f->open[i] ? i + 1 : f->text->lines[i].end;
	}
}

void folds_open_all(struct folds *f)
{
	bool all = true;

	for (size_t i = 0; f->text && i < f->text->count; i++)
		all = all && (f->open[i] || !folded_text_opens(f->text, i));
	if (f->text && f->text->count) {
		memset(f->open, !all, f->text->count);
		f->open[0] = 1;
	}
}

size_t folds_parent(const struct folds *f, size_t line)
{
	uint8_t depth = f->text->lines[line].depth;

	while (line > 0 && (f->text->lines[line].depth >= depth || !folded_text_opens(f->text, line)))
		line--;
	return line;
}

void folds_reveal(struct folds *f, size_t line)
{
	while (line > 0) {
		line = folds_parent(f, line);
		f->open[line] = 1;
	}
}

/* Lines are searched as they stand, one by one: a hit never spans two. */
static bool contains(const struct folds *f, const struct rows *l, size_t line, struct bytes *scratch)
{
	bytes_reset(scratch);
	append_text(f->text, line, scratch);
	return rows_matches(l, bytes_text(scratch));
}

int64_t folds_find(const struct folds *f, const struct rows *l, size_t from, bool backwards)
{
	size_t count = f->text ? f->text->count : 0;
	struct bytes scratch = BYTES_INIT;
	int64_t found = -1;

	for (size_t i = 1; l->filter && i <= count && found < 0; i++) {
		size_t line = (backwards ? from + count - i : from + i) % count;

		if (contains(f, l, line, &scratch))
			found = (int64_t)line;
	}
	bytes_clear(&scratch);
	return found;
}

size_t folds_open_hits(struct folds *f, const struct rows *l, size_t line, size_t *number)
{
	size_t above[VALUE_DEPTH_LIMIT + 2], depth = 0, hits = 0;
	struct bytes scratch = BYTES_INIT;

	*number = 0;
	for (size_t i = 0; i < f->text->count; i++) {
		while (depth > 0 && i >= f->text->lines[above[depth - 1]].end)
			depth--;
		if (contains(f, l, i, &scratch)) {
			hits++;
			if (i <= line)
				*number = hits;
			for (size_t d = 0; d < depth; d++)
				f->open[above[d]] = 1;
		}
		if (folded_text_opens(f->text, i) && depth < sizeof above / sizeof *above)
			above[depth++] = i;
	}
	bytes_clear(&scratch);
	return hits;
}
