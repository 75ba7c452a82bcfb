#include "ui/path_details.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "bson/print.h"
#include "model/fields.h"
#include "model/path_text.h"

struct writing {
	struct path_details *details;
	const struct paths *paths;
	const struct path_node *node;
	const char *key;
	bool ascii;
};

enum { NUMBER = 48 };

const char *path_share(int64_t part, int64_t whole, char *buffer, size_t size)
{
	int percent = field_percent(part, whole);

	if (part > 0 && percent < 1)
		snprintf(buffer, size, "<1 %%");
	else if (percent > 99 && part < whole)
		snprintf(buffer, size, ">99 %%");
	else
		snprintf(buffer, size, "%d %%", percent);
	return buffer;
}

void path_mark_text(const struct path_mark *m, const char *key, struct bytes *out)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 120 };
	char number[NUMBER];

	if (!m->id.size) {
		bytes_format(out, "document %s, without %s", figure_format_count(m->position + 1, number, sizeof number), key);
		return;
	}
	print_text(out, key, strlen(key));
	bytes_append_byte(out, ' ');
	print_value(out, wrapped_value(&m->id), &shell);
}

static struct path_detail *add(struct writing *w, const char *label, struct bytes *text)
{
	struct path_details *d = w->details;

	d->list = memory_resize(d->list, d->count + 1, sizeof *d->list);
	d->list[d->count] = (struct path_detail){ memory_duplicate_text(label), bytes_take_text(text), -1, NULL };
	return &d->list[d->count++];
}

static void set_bar(struct writing *w, struct path_detail *d, int64_t bar)
{
	d->bar = bar;
	if (bar > w->details->most_bar)
		w->details->most_bar = bar;
}

static void add_marked(struct writing *w, const char *label, struct bytes *text, const struct path_mark *m)
{
	bytes_append_text(text, text->size ? "   " : "");
	path_mark_text(m, w->key, text);
	add(w, label, text)->mark = m;
}

/* A figure over all documents. */
static void append_figure(const struct writing *w, int64_t seen, struct bytes *text)
{
	char number[NUMBER];

	bytes_append_text(text, figure_format(paths_figure(w->paths, seen), w->ascii, number, sizeof number));
}

static int64_t mean(int64_t sum, int64_t count)
{
	return count ? (sum + count / 2) / count : 0;
}

static void add_sums(struct writing *w)
{
	const struct path_node *n = w->node, *root = w->paths->tree.root;
	struct bytes text = BYTES_INIT;
	char share[16], number[NUMBER];

	path_print(&text, n);
	add(w, "path", &text);
	append_figure(w, n->bytes, &text);
	bytes_format(&text, " B   %s of all", path_share(n->bytes, root->bytes, share, sizeof share));
	if (n->parent && n->parent->parent)
		bytes_format(&text, ", %s of what holds it", path_share(n->bytes, n->parent->bytes, share, sizeof share));
	add(w, "bytes", &text);
	append_figure(w, n->count, &text);
	bytes_format(&text, "   of %s B on average", figure_format_count(mean(n->bytes, n->count), number, sizeof number));
	add(w, "count", &text);
	if (n->documents < 0) {
		bytes_append_text(&text, w->ascii ? "-" : "—");
	} else {
		bytes_format(&text, "%s of ", figure_format_count(n->documents, number, sizeof number));
		bytes_format(&text, "%s documents   %s", figure_format_count(root->count, number, sizeof number),
		             path_share(n->documents, root->count, share, sizeof share));
	}
	add(w, "present in", &text);
	bytes_format(&text, "%s B", figure_format(paths_largest(w->paths, n->largest_bytes), w->ascii, number, sizeof number));
	add_marked(w, "largest", &text, &n->largest);
}

static void add_part(struct writing *w, const char *label, int64_t part)
{
	struct bytes text = BYTES_INIT;
	char share[16];

	if (!part)
		return;
	append_figure(w, part, &text);
	bytes_format(&text, " B   %s", path_share(part, w->node->bytes, share, sizeof share));
	set_bar(w, add(w, label, &text), mean(part * 1000, w->node->bytes));
}

static void add_types(struct writing *w)
{
	const struct path_node *n = w->node;
	char share[16];

	for (uint32_t i = 0; i < n->type_count; i++) {
		const struct path_type *t = &n->types[i];
		struct bytes text = BYTES_INIT;

		bytes_format(&text, "%s ", value_type_name(t->type));
		append_figure(w, t->count, &text);
		bytes_format(&text, "   %s", path_share(t->count, n->count, share, sizeof share));
		if (i == 0)
			add(w, "types", &text);
		else
			add_marked(w, "", &text, &t->first);
	}
}

static void add_lengths(struct writing *w)
{
	const struct path_lengths *l = w->node->lengths;
	const struct path_node *elements = w->node->elements;
	struct bytes text = BYTES_INIT;
	char number[NUMBER];

	append_figure(w, l->arrays, &text);
	bytes_append_text(&text, " with ");
	append_figure(w, l->elements, &text);
	bytes_append_text(&text, " elements");
	add(w, "arrays", &text);
	if (elements) {
		bytes_format(&text, "%s B on average, ",
		             figure_format_count(mean(elements->bytes, elements->count), number, sizeof number));
		bytes_format(&text, "at most %s B",
		             figure_format(paths_largest(w->paths, elements->largest_bytes), w->ascii, number, sizeof number));
		add_marked(w, "element", &text, &elements->largest);
	}
	for (int i = 0; i < PATH_LENGTH_BINS; i++) {
		int64_t from = i ? INT64_C(1) << (i - 1) : 0, to = i ? (INT64_C(1) << i) - 1 : 0;
		char label[64], other[NUMBER];

		if (!l->bins[i])
			continue;
		snprintf(label, sizeof label, from == to ? "%s long" : "%s%s%s", figure_format_count(from, number, sizeof number),
		         w->ascii ? "-" : "–", figure_format_count(to, other, sizeof other));
		if (from == to)
			snprintf(label, sizeof label, "%s long", number);
		append_figure(w, l->bins[i], &text);
		set_bar(w, add(w, label, &text), mean(l->bins[i] * 1000, l->arrays));
	}
	for (size_t i = 0; i < l->longest_count; i++) {
		bytes_format(&text, "%s elements", figure_format_count(l->longest[i].value, number, sizeof number));
		add_marked(w, i ? "" : "longest", &text, &l->longest[i]);
	}
}

static void add_keys(struct writing *w)
{
	struct bytes text = BYTES_INIT;
	char number[NUMBER];

	bytes_format(&text, "%s different, as \"", figure_format(distinct_figure(&w->node->keys), w->ascii, number, sizeof number));
	print_text(&text, (const char *)w->node->example.data, w->node->example.size);
	bytes_append_text(&text, "\"");
	add(w, "keys", &text);
}

static void add_values(struct writing *w)
{
	const struct path_values *v = w->node->values;
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 60 };
	struct bytes text = BYTES_INIT;

	for (size_t i = 0; i < v->count; i++) {
		print_value(&text, wrapped_value(&v->list[i].value), &shell);
		bytes_append_text(&text, "   ");
		append_figure(w, v->list[i].count, &text);
		add(w, i ? "" : "values are", &text);
	}
	if (v->others) {
		append_figure(w, v->others, &text);
		bytes_append_text(&text, " of other values");
		add(w, "", &text);
	}
}

struct path_details *path_details_new(const struct paths *p, const struct path_node *n, const char *key, bool ascii)
{
	struct writing w = { memory_allocate_zeroed(1, sizeof *w.details), p, n, key, ascii };

	w.details->most_bar = 1;
	add_sums(&w);
	add_part(&w, "values", n->parts.values);
	add_part(&w, "key names", n->parts.names);
	add_part(&w, "arrays", n->parts.arrays);
	add_part(&w, "overhead", n->parts.frames);
	add_types(&w);
	if (n->kind == PATH_FOLDED)
		add_keys(&w);
	if (n->lengths)
		add_lengths(&w);
	if (n->values)
		add_values(&w);
	return w.details;
}

void path_details_destroy(struct path_details *d)
{
	for (size_t i = 0; d && i < d->count; i++) {
		free(d->list[i].label);
		free(d->list[i].text);
	}
	free(d ? d->list : NULL);
	free(d);
}
