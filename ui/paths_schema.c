/* The schema's summary below the table of paths. */
#include "bson/print.h"
#include "model/path_text.h"
#include "ui/path_details.h"
#include "ui/paths_table.h"

static const struct path_node *longest_array(const struct path_node *n, const struct path_node *best)
{
	if (n->lengths && n->lengths->longest_count &&
	    (!best || n->lengths->longest[0].value > best->lengths->longest[0].value))
		best = n;
	for (uint32_t i = 0; i < n->child_count; i++)
		best = longest_array(n->children[i], best);
	return best;
}

static void draw_labelled(const struct canvas *c, int row, const char *label, struct bytes *text)
{
	enum { LABEL = 18 };

	canvas_text(c, row, PATHS_INDENT, LABEL - PATHS_INDENT, STYLE_FAINT, label);
	canvas_text(c, row, LABEL, c->area.width - LABEL - 1, STYLE_TEXT, bytes_text(text));
	bytes_reset(text);
}

static void versions_text(const struct app *a, struct bytes *text)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 40 };
	const struct path_node *root = paths_shown(a)->tree.root;
	char number[PATHS_CELL];

	for (uint32_t i = 0; i < root->child_count; i++) {
		const struct path_node *n = root->children[i];

		for (size_t v = 0; n->values && v < n->values->count; v++) {
			bytes_append_text(text, text->size ? ", " : "");
			print_value(text, wrapped_value(&n->values->list[v].value), &shell);
			bytes_format(text, ": %s", figure_format(paths_figure(paths_shown(a), n->values->list[v].count), a->ascii, number, sizeof number));
		}
		if (n->values && root->count > n->documents)
			bytes_format(text, ", none: %s",
			             figure_format(paths_figure(paths_shown(a), root->count - n->documents), a->ascii, number, sizeof number));
	}
	if (!text->size)
		bytes_append_text(text, "no schemaVersion");
}

void paths_schema_draw(const struct app *a, const struct canvas *c, int row)
{
	const struct path_tree *t = &paths_shown(a)->tree;
	const struct path_node *longest = longest_array(t->root, NULL);
	struct bytes text = BYTES_INIT;
	char number[PATHS_CELL];

	bytes_format(&text, "%s levels   ", figure_format(paths_largest(paths_shown(a), t->deepest.value), a->ascii, number, sizeof number));
	if (t->deepest.position >= 0)
		path_mark_text(&t->deepest, paths_id_key(a), &text);
	draw_labelled(c, row, "deepest", &text);
	if (longest) {
		const struct path_mark *m = &longest->lengths->longest[0];

		path_print(&text, longest);
		bytes_format(&text, "   %s elements   ", figure_format(paths_largest(paths_shown(a), m->value), a->ascii, number, sizeof number));
		path_mark_text(m, paths_id_key(a), &text);
	} else {
		bytes_append_text(&text, "no arrays");
	}
	draw_labelled(c, row + 1, "longest array", &text);
	versions_text(a, &text);
	draw_labelled(c, row + 2, "versions", &text);
	bytes_clear(&text);
}
