#include "engine/match_private.h"

struct dependency_walk {
	void (*visit)(void *context, const char *path);
	void *context;
};

/* "a.0.b" looks into the elements of `a`: all of `a` is needed. */
static void visit_path(const struct match *m, const struct dependency_walk *d)
{
	struct bytes path = BYTES_INIT;
	uint32_t index;

	for (size_t i = 0; i < m->path.count && !(i && path_key_is_index(m->path.keys[i], &index)); i++) {
		if (i)
			bytes_append_byte(&path, '.');
		bytes_append(&path, m->path.keys[i].bytes, m->path.keys[i].size_bytes);
	}
	if (path.size)
		d->visit(d->context, bytes_text(&path));
	bytes_clear(&path);
}

static bool visit_node(const struct match *m, const struct dependency_walk *d)
{
	switch (m->kind) {
	case MATCH_EXPR:
		return expression_dependencies(((const struct match_expression *)m->compiled)->expression, d->visit,
		                               d->context);
	case MATCH_JSON_SCHEMA:
		return false;
	case MATCH_AND: case MATCH_OR: case MATCH_NOR: case MATCH_NOT:
		for (size_t i = 0; i < m->child_count; i++)
			if (!visit_node(m->children[i], d))
				return false;
		return true;
	default:
		/* what $elemMatch asks of the elements is below its own path */
		visit_path(m, d);
		return true;
	}
}

bool match_dependencies(const struct match *m, void (*visit)(void *context, const char *path), void *context)
{
	return visit_node(m, &(struct dependency_walk){ visit, context });
}
