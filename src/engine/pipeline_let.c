#include "engine/pipeline_let.h"

#include <stdlib.h>

#include "base/memory.h"

/* The rules for names of variables are those of $let. */
static bool check_names(struct pipeline_parser *p, struct value definitions)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	struct expression *e;

	writer_begin(&w, &text);
	writer_begin_document(&w, key_of("$let"));
	writer_put(&w, "vars", definitions);
	writer_null(&w, "in");
	writer_end(&w);
	e = expression_compile(writer_finish(&w), p->pipeline->scope, p->error);
	bytes_clear(&text);
	expression_destroy(e);
	return e != NULL;
}

bool pipeline_let_parse(struct pipeline_let *let, struct pipeline_parser *p, struct value definitions)
{
	const struct expression_scope *parent = p->pipeline->scope;
	size_t count = value_is_missing(definitions) ? 0 : value_count(definitions);
	struct walk w;
	struct field f;

	if (!count)
		return true;
	if (!check_names(p, definitions))
		return false;
	let->variables = memory_allocate_zeroed(count, sizeof *let->variables);
	for (walk_begin(&w, definitions); walk_next(&w, &f);) {
		struct pipeline_variable *v = &let->variables[let->count++];

		v->name = memory_duplicate_text(f.key.bytes);
		v->scope = (struct expression_scope){ parent, v->name, expression_scope_next_slot(parent) };
		v->value = pipeline_expression(p, f.value);
		if (!v->value)
			return false;
		parent = &v->scope;
	}
	return true;
}

void pipeline_let_clear(struct pipeline_let *let)
{
	for (size_t i = 0; i < let->count; i++) {
		free(let->variables[i].name);
		expression_destroy(let->variables[i].value);
	}
	free(let->variables);
}

const struct expression_scope *pipeline_let_scope(const struct pipeline_let *let, const struct pipeline *p)
{
	return let->count ? &let->variables[let->count - 1].scope : p->scope;
}

bool pipeline_let_bind(const struct pipeline_let *let, struct execution *x, struct arena *arena, struct value document)
{
	struct value v;

	for (size_t i = 0; i < let->count; i++) {
		if (!expression_evaluate(let->variables[i].value, x, arena, document, &v))
			return false;
		execution_set_variable(x, let->variables[i].scope.slot, v);
	}
	return true;
}

void pipeline_let_explain(const struct pipeline_let *let, struct writer *w)
{
	writer_begin_document(w, key_of("let"));
	for (size_t i = 0; i < let->count; i++)
		expression_write(let->variables[i].value, w, key_of(let->variables[i].name));
	writer_end(w);
}
