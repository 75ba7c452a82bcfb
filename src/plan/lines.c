#include "plan/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct making {
	struct plan_lines *lines;
	bool ascii;
};

static char *joined(const char *a, const char *b)
{
	struct bytes text = BYTES_INIT;

	bytes_append_text(&text, a);
	bytes_append_text(&text, b);
	return bytes_take_text(&text);
}

static void add(struct making *m, const struct plan_node *n, const char *outer, bool root, bool last)
{
	const char *branch = root ? "" : m->ascii ? (last ? "`-" : "|-") : last ? "└─" : "├─";
	const char *further = root || last ? "  " : m->ascii ? "| " : "│ ";
	char *before = joined(outer, branch), *below = root ? memory_duplicate_text("") : joined(outer, further);
	struct plan_lines *l = m->lines;

	l->lines = memory_room(l->lines, l->count, sizeof *l->lines);
	l->lines[l->count++] = (struct plan_line){ n, before, joined(below, "  ") };
	for (size_t i = 0; i < n->child_count; i++)
		add(m, n->children[i], below, false, i + 1 == n->child_count);
	free(below);
}

void plan_lines_make(const struct plan_tree *t, bool ascii, struct plan_lines *l)
{
	struct making m = { l, ascii };

	*l = (struct plan_lines){ NULL, 0 };
	add(&m, t->root, "", true, true);
}

void plan_lines_clear(struct plan_lines *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->lines[i].before);
		free(l->lines[i].hanging);
	}
	free(l->lines);
	*l = (struct plan_lines){ NULL, 0 };
}

void plan_line_title(const struct plan_node *n, struct bytes *out)
{
	if (n->shard)
		bytes_format(out, "shard %s: ", n->shard);
	bytes_append_text(out, n->stage);
	if (n->detail)
		bytes_format(out, " %s", n->detail);
	if (n->index)
		bytes_format(out, n->work_elsewhere ? " · %s" : " %s", n->index);
}

bool plan_line_further(const struct plan_node *n, int number, struct bytes *out)
{
	const char *texts[] = { n->bounds, n->filter }, *labels[] = { "", "filter " };

	for (int i = 0; i < 2; i++)
		if (texts[i] && number-- == 0) {
			bytes_format(out, "%s%s", labels[i], texts[i]);
			return true;
		}
	return false;
}
