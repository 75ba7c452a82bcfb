/* Updates that are pipelines; what an upsert starts from. */
#include <stdlib.h>
#include <string.h>

#include "engine/update_private.h"

#include "base/memory.h"
#include "engine/match_private.h"
#include "engine/pipeline.h"

/*
 * A pipeline runs on an execution that is known when it is compiled; an update meets its own only when it is applied.
 * So the pipeline has one of its own, which borrows time, variables and interrupt for each document.
 */
struct update_pipeline {
	struct execution x;
	struct pipeline *pipeline;
};

struct update_pipeline *update_pipeline_compile(struct value stages, const struct expression_scope *scope,
                                                bson_error_t *error)
{
	struct update_pipeline *p = memory_allocate_zeroed(1, sizeof *p);

	execution_init(&p->x, NULL, "", NULL);
	p->pipeline = pipeline_compile_update(stages, scope, &p->x, error);
	if (p->pipeline)
		return p;
	update_pipeline_destroy(p);
	return NULL;
}

void update_pipeline_destroy(struct update_pipeline *p)
{
	if (!p)
		return;
	pipeline_destroy(p->pipeline);
	execution_clear(&p->x);
	free(p);
}

bool update_pipeline_apply(struct update_pipeline *p, struct execution *x, struct value document, struct bytes *out)
{
	struct value *own_variables = p->x.variables;
	size_t own_capacity = p->x.variable_capacity;
	bool applied;

	p->x.now_millis = x->now_millis;
	p->x.interrupt = x->interrupt;
	p->x.store = x->store;
	p->x.db = x->db;
	p->x.variables = x->variables;
	p->x.variable_capacity = x->variable_capacity;
	p->x.failed = false;
	applied = pipeline_apply(p->pipeline, document, out) && !p->x.failed;
	/* variables may have grown */
	x->variables = p->x.variables;
	x->variable_capacity = p->x.variable_capacity;
	p->x.variables = own_variables;
	p->x.variable_capacity = own_capacity;
	return applied || execution_fail_with(x, &p->x.error);
}

/* Equalities that hold for every document the filter matches. */
struct equalities {
	const struct match **list;
	size_t count, capacity;
};

static void collect(const struct match *m, struct equalities *e)
{
	if (m->kind == MATCH_EQ && m->path.count) {
		e->list = memory_grow(e->list, &e->capacity, e->count + 1, sizeof *e->list);
		e->list[e->count++] = m;
	}
	if (m->kind == MATCH_AND || (m->kind == MATCH_OR && m->child_count == 1))
		for (size_t i = 0; i < m->child_count; i++)
			collect(m->children[i], e);
}

static bool is_prefix(const struct path *a, const struct path *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (i == b->count || !key_equal(a->keys[i], b->keys[i]))
			return false;
	return true;
}

static bool check_equalities(const struct equalities *e, bson_error_t *error)
{
	for (size_t i = 0; i < e->count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct path *a = &e->list[k]->path, *b = &e->list[i]->path;

			if (!is_prefix(a, b) && !is_prefix(b, a))
				continue;
			if (a->count == b->count)
				return error_set(error, ERROR_SERVER, 54, "cannot infer query fields to set, path '%s' is matched twice",
				                 a->text);
			return error_set(error, ERROR_SERVER, 54,
			                 "cannot infer query fields to set, both paths '%s' and '%s' are matched",
			                 a->count < b->count ? a->text : b->text, a->count < b->count ? b->text : a->text);
		}
	return true;
}

/* Fields at `depth` of all equalities whose paths begin like that of number `from`. */
static void write_level(const struct equalities *e, bool *written, size_t from, size_t depth, struct writer *w)
{
	struct path prefix = e->list[from]->path;

	prefix.count = depth;
	for (size_t i = from; i < e->count; i++) {
		const struct match *m = e->list[i];

		if (written[i] || !is_prefix(&prefix, &m->path))
			continue;
		if (m->path.count == depth + 1) {
			writer_value(w, m->path.keys[depth], m->operand);
			written[i] = true;
			continue;
		}
		writer_begin_document(w, m->path.keys[depth]);
		write_level(e, written, i, depth + 1, w);
		writer_end(w);
	}
}

bool update_upsert_base(const struct match *filter, struct bytes *out, bson_error_t *error)
{
	struct equalities e = { NULL, 0, 0 };
	struct writer w;
	bool *written, ok;

	if (filter)
		collect(filter, &e);
	ok = check_equalities(&e, error);
	written = memory_allocate_zeroed(e.count, 1);
	bytes_reset(out);
	writer_begin(&w, out);
	if (ok && e.count)
		write_level(&e, written, 0, 0, &w);
	writer_finish(&w);
	free(written);
	free(e.list);
	return ok;
}
