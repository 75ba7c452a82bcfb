/* $replaceRoot and its short form $replaceWith. */
#include <stdlib.h>

#include "engine/expression.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

struct replace_root {
	struct stage stage;
	struct expression *root;
	bool short_form; /* only for the error's words */
	struct arena arena;
};

static enum stage_status refuse(struct replace_root *r, struct value result, struct value document)
{
	char *value_text = value_text_of(result), *document_text = value_text_of(document);

	execution_fail(r->stage.execution, 40228,
	               "%s must evaluate to an object, but resulting value was: %s. Type of resulting value: '%s'. "
	               "Input document: %s",
	               r->short_form ? "'replacement document'" : "'newRoot' expression", value_text,
	               value_type_name(result.type), document_text);
	free(value_text);
	free(document_text);
	return STAGE_FAILED;
}

static enum stage_status replace_root_next(struct stage *s, struct row *row)
{
	struct replace_root *r = (struct replace_root *)s;
	enum stage_status status = stage_next(s->input, row);
	struct value result;

	if (status != STAGE_ADVANCED)
		return status;
	arena_reset(&r->arena);
	if (!expression_evaluate(r->root, s->execution, &r->arena, row->document, &result))
		return STAGE_FAILED;
	if (!value_is_document(result))
		return refuse(r, result, row->document);
	*row = (struct row){ result, RECORD_NONE };
	return STAGE_ADVANCED;
}

static void replace_root_destroy(struct stage *s)
{
	struct replace_root *r = (struct replace_root *)s;

	expression_destroy(r->root);
	arena_clear(&r->arena);
}

static void replace_root_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	writer_begin_document(w, key_of("$replaceRoot"));
	expression_write(((const struct replace_root *)s)->root, w, key_of("newRoot"));
	writer_end(w);
}

static enum stage_needs replace_root_needs(const struct stage *s, struct pipeline_fields *fields)
{
	if (!expression_dependencies(((const struct replace_root *)s)->root, pipeline_fields_add, fields))
		fields->whole = true;
	return NEEDS_ONLY;
}

static bool replace_root_is_one_to_one(const struct stage *s)
{
	(void)s;
	return true;
}

static const struct pipeline_stage_type stage_replace_root_type = {
	.stage = { .name = "$replaceRoot", .next = replace_root_next, .destroy = replace_root_destroy,
	           .explain = replace_root_explain },
	.needs = replace_root_needs,
	.one_to_one = replace_root_is_one_to_one,
};

static bool add(struct pipeline_parser *p, struct value root, bool short_form)
{
	struct replace_root *r = pipeline_add_stage(p, &stage_replace_root_type, sizeof *r);

	arena_init(&r->arena);
	r->short_form = short_form;
	r->root = pipeline_expression(p, root);
	return r->root != NULL;
}

bool stage_replace_root_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct value root = value_missing();
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return pipeline_refuse(p, 40229, "expected an object as specification for %s stage, got %s",
		                       name, value_type_name(specification.type));
	for (walk_begin(&w, specification); walk_next(&w, &f); root = f.value)
		if (!key_is(f.key, "newRoot"))
			return pipeline_refuse(p, 40415, "BSON field '%s.%.*s' is an unknown field.", name,
			                       (int)f.key.size_bytes, f.key.bytes);
	if (value_is_missing(root))
		return pipeline_refuse(p, 40414,
		                       "BSON field '%s.newRoot' is missing but a required field", name);
	return add(p, root, false);
}

bool stage_replace_with_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	(void)name;
	return add(p, specification, true);
}
