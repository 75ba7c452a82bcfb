#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/pipeline_document.h"
#include "engine/stage_lookup.h"

struct options {
	struct value from, as, local, foreign, let, pipeline;
};

static bool refuse_element(bson_error_t *error, struct field f, const char *before, const char *after)
{
	char *element = element_text(f.key.bytes, f.value);

	error_set(error, ERROR_SERVER, CODE_FailedToParse, "%s%s%s %s", before, element, after,
	          value_type_name(f.value.type));
	free(element);
	return false;
}

static bool read_option(struct options *o, struct field f, bson_error_t *error)
{
	struct { const char *name; struct value *value; } texts[] = {
		{ "as", &o->as }, { "localField", &o->local }, { "foreignField", &o->foreign } };

	if (key_is(f.key, "pipeline")) {
		o->pipeline = f.value;
		return value_is_array(f.value) || error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                                            "'pipeline' option must be specified as an array");
	}
	if (key_is(f.key, "let")) {
		o->let = f.value;
		return value_is_document(f.value) ||
		       refuse_element(error, f, "$lookup argument '", "' must be an object, is type");
	}
	if (key_is(f.key, "from")) {
		o->from = f.value;
		return f.value.type == BSON_TYPE_UTF8 ||
		       refuse_element(error, f, "$lookup argument '", "' must be a string, is type");
	}
	if (f.value.type != BSON_TYPE_UTF8) {
		char *element = element_text(f.key.bytes, f.value);

		error_set(error, ERROR_SERVER, CODE_FailedToParse,
		          "$lookup argument '%s' must be a string, found %s: %s", f.key.bytes, element,
		          value_type_name(f.value.type));
		free(element);
		return false;
	}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (key_is(f.key, texts[i].name)) {
			*texts[i].value = f.value;
			return true;
		}
	}
	return error_set(error, ERROR_SERVER, CODE_FailedToParse, "unknown argument to $lookup: %s", f.key.bytes);
}

static bool is_empty(struct value text)
{
	return value_is_missing(text) || !value_text(text).size_bytes;
}

static bool begins_with_documents(struct value pipeline)
{
	struct walk w;
	struct field f;

	walk_begin(&w, pipeline);
	return walk_next(&w, &f) && value_is_document(f.value) && !value_is_missing(value_get(f.value, "$documents"));
}

static bool check_options(const struct pipeline *p, const struct options *o, bson_error_t *error)
{
	bool joins = !is_empty(o->local) || !is_empty(o->foreign), piped = !value_is_missing(o->pipeline);

	if (value_is_missing(o->from) && !piped)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "must specify 'pipeline' when 'from' is empty");
	if (value_is_missing(o->from) && !begins_with_documents(o->pipeline))
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "$lookup stage without explicit collection must "
		                 "have a pipeline with $documents as first stage");
	if (!value_is_missing(o->from) && is_empty(o->from))
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid namespace specified '%s.'",
		                 p->db);
	if (!value_is_missing(o->from) && piped && begins_with_documents(o->pipeline))
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace,
		                 "'$documents' can only be run with {aggregate: 1}");
	if (is_empty(o->as))
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "must specify 'as' field for a $lookup");
	if (joins && (is_empty(o->local) || is_empty(o->foreign)))
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "$lookup requires %s",
		                 piped ? "both or neither of 'localField' and 'foreignField' to be specified"
		                       : "either 'pipeline' or both 'localField' and 'foreignField' to be specified");
	if (!joins && !piped)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "$lookup requires either 'pipeline' or both "
		                 "'localField' and 'foreignField' to be specified");
	if (!value_is_missing(o->let) && !piped)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "$lookup with a 'let' argument must also specify 'pipeline'");
	return true;
}

static bool names_variable(struct key text, const struct expression_scope *scope)
{
	const char *dot;
	struct key name;

	if (text.size_bytes < 3 || text.bytes[0] != '$' || text.bytes[1] != '$')
		return false;
	name = (struct key){ text.bytes + 2, text.size_bytes - 2 };
	dot = memchr(name.bytes, '.', name.size_bytes);
	if (dot)
		name.size_bytes = (uint32_t)(dot - name.bytes);
	for (; scope; scope = scope->parent)
		if (scope->name && key_is(name, scope->name))
			return true;
	return false;
}

/* What makes two runs of a pipeline differ: a variable of a $lookup around it, or chance. */
static bool varies(struct value v, const struct expression_scope *scope, int depth)
{
	struct walk w;
	struct field f;

	if (v.type == BSON_TYPE_UTF8)
		return names_variable(value_text(v), scope);
	if (!value_is_document(v) && !value_is_array(v))
		return false;
	if (depth > VALUE_DEPTH_LIMIT)
		return true;
	for (walk_begin(&w, v); walk_next(&w, &f);)
		if (key_is(f.key, "$sample") || key_is(f.key, "$rand") || key_is(f.key, "$sampleRate") ||
		    varies(f.value, scope, depth + 1))
			return true;
	return false;
}

static bool parse_inner(struct pipeline_parser *p, struct lookup *l, struct value pipeline)
{
	static const uint8_t nothing[5] = { 5, 0, 0, 0, 0 };
	const struct expression_scope *scope = pipeline_let_scope(&l->let, p->pipeline);

	if (value_is_missing(pipeline))
		pipeline = (struct value){ nothing, sizeof nothing, BSON_TYPE_ARRAY };
	else
		bytes_append(&l->pipeline_text, pipeline.bytes, pipeline.size_bytes);
	l->cache.allowed = !l->local.count && !varies(pipeline, scope, 0);
	if (!pipeline_depth_is_legal(p->pipeline, p->error))
		return false;
	l->inner = pipeline_compile_inner(pipeline, p->pipeline, l->from, scope, p->error);
	return l->inner != NULL;
}

static bool parse_paths(struct pipeline_parser *p, struct lookup *l, const struct options *o)
{
	if (!field_path_check(value_text(o->as), p->error))
		return false;
	path_parse(&l->as, value_text(o->as));
	if (is_empty(o->local))
		return true;
	if (!field_path_check(value_text(o->local), p->error) || !field_path_check(value_text(o->foreign), p->error))
		return false;
	path_parse(&l->local, value_text(o->local));
	l->foreign = memory_duplicate_text(value_text(o->foreign).bytes);
	return true;
}

bool stage_lookup_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct options o = { value_missing(), value_missing(), value_missing(), value_missing(), value_missing(),
	                     value_missing() };
	struct lookup *l;
	struct walk w;
	struct field f;

	(void)name;
	if (!value_is_document(specification))
		return pipeline_refuse(p, CODE_FailedToParse, "the $lookup stage specification must be an "
		                       "object, but found %s", value_type_name(specification.type));
	for (walk_begin(&w, specification); walk_next(&w, &f);)
		if (!read_option(&o, f, p->error))
			return false;
	if (!check_options(p->pipeline, &o, p->error))
		return false;
	l = pipeline_add_stage(p, &stage_lookup_type, sizeof *l);
	arena_init(&l->arena);
	if (!value_is_missing(o.from))
		l->from = memory_duplicate_text(value_text(o.from).bytes);
	return parse_paths(p, l, &o) && pipeline_let_parse(&l->let, p, o.let) &&
	       parse_inner(p, l, o.pipeline);
}
