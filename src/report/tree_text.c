/* The tree of paths as text: branches on the left, figures beside them, and what is worth a remark below. */
#include "report/tree_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "model/fields.h"
#include "model/path_remarks.h"
#include "model/path_text.h"
#include "report/figures.h"
#include "report/table.h"

enum { BAR = 10, NAMES_WORTH_PERCENT = 10, ID_BYTES = 60 };

enum { PATH, BYTES, SHARE, BARS, COUNT, AVERAGE, MAX, VALUES, NAMES, OVERHEAD, TYPES, COLUMNS };

int64_t tree_average(int64_t sum, int64_t count)
{
	return count ? (int64_t)((double)sum / (double)count + 0.5) : 0;
}

/* Branches from the root down to a child, the last of its siblings or not. */
static void append_branch(struct bytes *out, const char *above, bool last, bool ascii)
{
	bytes_append_text(out, above);
	bytes_append_text(out, ascii ? (last ? "`- " : "|- ") : last ? "└─ " : "├─ ");
}

static void table_bar(struct table *t, int64_t part, int64_t whole)
{
	struct bytes bar = BYTES_INIT;
	int64_t length = part ? 1 + (int64_t)((double)part / (double)whole * (BAR - 1)) : 0; /* something that is there is seen */

	while (length-- > 0)
		bytes_append_text(&bar, t->ascii ? "#" : "█");
	table_text(t, bytes_text(&bar));
	bytes_clear(&bar);
}

static void print_node(struct table *t, const struct paths *p, const struct path_node *n, const char *name)
{
	struct bytes text = BYTES_INIT;

	table_text(t, name);
	table_figure(t, paths_figure(p, n->bytes));
	bytes_format(&text, "%d %%", field_percent(n->bytes, p->tree.root->bytes));
	table_text(t, bytes_text(&text));
	table_bar(t, n->bytes, p->tree.root->bytes);
	table_figure(t, paths_figure(p, n->count));
	table_figure(t, n->count ? figure_of(tree_average(n->bytes, n->count), p->documents.of ? PROVENANCE_ESTIMATED : PROVENANCE_EXACT)
	                         : figure_unknown());
	table_figure(t, paths_largest(p, n->largest_bytes));
	table_figure(t, paths_figure(p, n->parts.values));
	table_figure(t, paths_figure(p, n->parts.names));
	table_figure(t, paths_figure(p, n->parts.arrays + n->parts.frames));
	bytes_reset(&text);
	path_print_types(&text, n);
	table_text(t, bytes_text(&text));
	bytes_clear(&text);
}

/* What is beyond the top is one line. */
static void print_rest(struct table *t, const struct paths *p, const struct path_node **list, uint32_t count, const char *above)
{
	struct path_node rest = { .kind = PATH_FIELD };
	struct bytes name = BYTES_INIT;
	char number[32];

	for (uint32_t i = 0; i < count; i++) {
		rest.bytes += list[i]->bytes;
		rest.count += list[i]->count;
		field_parts_add(&rest.parts, &list[i]->parts);
		if (list[i]->largest_bytes > rest.largest_bytes)
			rest.largest_bytes = list[i]->largest_bytes;
	}
	append_branch(&name, above, true, t->ascii);
	bytes_format(&name, "(%s more)", figure_format_count(count, number, sizeof number));
	print_node(t, p, &rest, bytes_text(&name));
	bytes_clear(&name);
}

/* "└─ days  (3 keys)" */
static void append_name(struct bytes *out, const struct path_node *n, bool ascii)
{
	char keys[48];

	path_print_key(out, n);
	if (n->kind == PATH_FOLDED)
		bytes_format(out, "  (%s keys)", figure_format(distinct_figure(&n->keys), ascii, keys, sizeof keys));
}

/* `above`: what stands before the branches of the children. */
static void print_below(struct table *t, const struct paths *p, const struct path_node *n, const struct tree_options *o, int64_t level,
                        const char *above)
{
	const struct path_node **list;
	uint32_t count = n->child_count < o->top ? n->child_count : o->top;
	struct bytes text = BYTES_INIT;

	if (o->depth && level > o->depth)
		return;
	list = path_sorted(n, o->order);
	for (uint32_t i = 0; i < count; i++) {
		bool last = i + 1 == n->child_count;

		bytes_reset(&text);
		append_branch(&text, above, last, o->ascii);
		append_name(&text, list[i], o->ascii);
		print_node(t, p, list[i], bytes_text(&text));
		bytes_reset(&text);
		bytes_append_text(&text, above);
		bytes_append_text(&text, last ? "   " : o->ascii ? "|  " : "│  ");
		print_below(t, p, list[i], o, level + 1, bytes_text(&text));
	}
	if (count < n->child_count)
		print_rest(t, p, list + count, n->child_count - count, above);
	free(list);
	bytes_clear(&text);
}

static void print_growing(const struct path_growing *g, const char *id_key, const struct tree_options *o, struct bytes *out)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = ID_BYTES };
	char most[48], bytes[32], more[48];
	double percent = (double)g->bytes * 100 / (double)o->limit_bytes;

	figure_format_count(g->bytes, bytes, sizeof bytes);
	figure_format(g->most, o->ascii, most, sizeof most);
	bytes_append_text(out, "can grow: ");
	if (g->node->parent)
		path_print(out, g->node);
	else
		bytes_append_text(out, "the document itself");
	if (g->by == GROWS_BY_BYTES)
		bytes_format(out, ", a value of %s B", most);
	else
		bytes_format(out, g->by == GROWS_BY_KEYS ? ", by keys that are data: %s in %s B" : ", an array: %s in %s B", most, bytes);
	bytes_format(out, ", %.*f %% of the limit", percent < 1 ? 2 : 0, percent);
	if (figure_known(g->more_fit))
		bytes_format(out, "; %s more fit", figure_format(g->more_fit, o->ascii, more, sizeof more));
	if (g->where->id.size) {
		bytes_append_text(out, "; in ");
		print_text(out, id_key, strlen(id_key));
		bytes_append_byte(out, ' ');
		print_value(out, wrapped_value(&g->where->id), &shell);
	}
	bytes_append_byte(out, '\n');
}

static void print_remarks(const struct paths *p, const struct tree_options *o, struct bytes *out)
{
	struct path_remarks r;
	char all[48], saved[48];
	int percent;

	path_remarks_make(p, o->limit_bytes, &r);
	for (size_t i = 0; i < r.growing_count; i++)
		print_growing(&r.growing[i], p->tree.id_key, o, out);
	if (r.growing_left_out)
		bytes_format(out, "can grow: %zu more\n", r.growing_left_out);
	percent = field_percent(r.names_saved.value, paths_figure(p, p->tree.root->bytes).value);
	if (percent >= NAMES_WORTH_PERCENT)
		bytes_format(out, "names take %s B; with one letter each it would be %s B less, %d %%\n",
		             figure_format(r.names, o->ascii, all, sizeof all),
		             figure_format(r.names_saved, o->ascii, saved, sizeof saved), percent);
}

void tree_print(const struct paths_entry *e, const struct tree_options *o, struct bytes *out)
{
	static const char *const headings[COLUMNS] = {
		[PATH] = "path", [BYTES] = "bytes", [SHARE] = "share", [BARS] = "", [COUNT] = "count", [AVERAGE] = "avg",
		[MAX] = "max", [VALUES] = "values", [NAMES] = "names", [OVERHEAD] = "overhead", [TYPES] = "types",
	};
	static const size_t expendable[] = { OVERHEAD, VALUES, NAMES, TYPES, AVERAGE, BARS };
	struct bytes name = BYTES_INIT;
	struct table t;

	bytes_append_byte(out, '\n');
	if (!e->paths) {
		paths_entry_print_refused(e, out);
		return;
	}
	print_text(&name, e->name, strlen(e->name));
	if (!e->paths->tree.root->count) {
		bytes_format(out, "%s  %s: no documents\n", bytes_text(&name), e->kind ? e->kind : "unknown");
		bytes_clear(&name);
		return;
	}
	if (e->kind && strcmp(e->kind, "collection") != 0)
		bytes_format(&name, "  (%s)", e->kind);
	table_init(&t, "lrrlrrrrrrl", o->ascii);
	for (size_t i = 0; i < COLUMNS; i++)
		table_text(&t, headings[i]);
	print_node(&t, e->paths, e->paths->tree.root, bytes_text(&name));
	print_below(&t, e->paths, e->paths->tree.root, o, 1, "");
	table_fit(&t, o->columns, PATH, expendable, sizeof expendable / sizeof *expendable);
	table_print(&t, 0, out);
	table_clear(&t);
	if (e->paths->tree.broken)
		bytes_format(out, "%lld cannot be read to the end: the remainder counts as values\n", (long long)e->paths->tree.broken);
	paths_print_method(e->paths, out);
	print_remarks(e->paths, o, out);
	bytes_clear(&name);
}
