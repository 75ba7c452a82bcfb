/* Predicates as MongoDB's messages draw them. */
#include <string.h>

#include "bson/print.h"
#include "engine/match_private.h"

static const struct {
	enum match_kind kind;
	const char *name;
} names[] = {
	{ MATCH_AND, "$and" }, { MATCH_OR, "$or" }, { MATCH_NOR, "$nor" }, { MATCH_NOT, "$not" },
	{ MATCH_EQ, "$eq" }, { MATCH_LT, "$lt" }, { MATCH_LTE, "$lte" }, { MATCH_GT, "$gt" }, { MATCH_GTE, "$gte" },
	{ MATCH_IN, "$in" }, { MATCH_EXISTS, "exists" },
};

static const char *kind_name(enum match_kind kind)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].kind == kind)
			return names[i].name;
	return NULL;
}

/* A node of a kind without a name of its own is shown as the predicate it is. */
static void draw_as_predicate(struct bytes *out, const struct match *m)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	match_write(m, &w, key_of("q"));
	print_line(out, value_get(writer_finish(&w), "q"), PRINT_SERVER);
	bytes_append_text(out, "\n");
	bytes_clear(&document);
}

static void draw_node(struct bytes *out, const struct match *m, int depth)
{
	const char *name = kind_name(m->kind);

	for (int i = 0; i < depth; i++)
		bytes_append_text(out, "    ");
	if (!name || depth > 20) {
		draw_as_predicate(out, m);
	} else if (m->path.count) {
		bytes_format(out, "%s %s", m->path.text, name);
		if (m->kind != MATCH_EXISTS) {
			bytes_append_text(out, " ");
			print_line(out, m->operand, PRINT_SERVER);
		}
		bytes_append_text(out, "\n");
	} else {
		bytes_format(out, "%s\n", name);
		for (size_t i = 0; i < m->child_count; i++)
			draw_node(out, m->children[i], depth + 1);
	}
}

void match_draw(const struct match *m, struct bytes *out)
{
	draw_node(out, m, 0);
}
