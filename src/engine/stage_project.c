/* $project, $addFields and its alias $set, $unset: projections. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/pipeline_stage.h"
#include "engine/projection.h"

struct project {
	struct stage stage;
	struct projection *projection;
	bool inclusion;
	struct pipeline_fields changed; /* of $addFields and exclusions: the paths set or removed */
	struct bytes out;
	struct arena arena;
};

static enum stage_status project_next(struct stage *s, struct row *row)
{
	struct project *p = (struct project *)s;
	enum stage_status status = stage_next(s->input, row);

	if (status != STAGE_ADVANCED)
		return status;
	arena_reset(&p->arena);
	if (!projection_apply(p->projection, s->execution, &p->arena, row->document, NULL, &p->out))
		return STAGE_FAILED;
	*row = (struct row){ { p->out.data, (uint32_t)p->out.size, BSON_TYPE_DOCUMENT }, RECORD_NONE };
	return STAGE_ADVANCED;
}

static void project_destroy(struct stage *s)
{
	struct project *p = (struct project *)s;

	projection_destroy(p->projection);
	pipeline_fields_clear(&p->changed);
	bytes_clear(&p->out);
	arena_clear(&p->arena);
}

static void project_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	projection_write(((const struct project *)s)->projection, w, key_of(s->type->name));
}

static enum stage_needs project_needs(const struct stage *s, struct pipeline_fields *fields)
{
	const struct project *p = (const struct project *)s;
	if (!projection_reads(p->projection, pipeline_fields_add, fields))
		fields->whole = true;
	return p->inclusion ? NEEDS_ONLY : NEEDS_MORE;
}

static bool project_keeps(const struct stage *s, const char *path)
{
	const struct project *p = (const struct project *)s;

	return path && !p->inclusion && !pipeline_fields_overlap(&p->changed, path);
}

static bool always(const struct stage *s)
{
	(void)s;
	return true;
}

const struct pipeline_stage_type stage_project_type = {
	.stage = { .name = "$project", .next = project_next, .destroy = project_destroy, .explain = project_explain },
	.needs = project_needs,
	.keeps = project_keeps,
	.one_to_one = always,
};

static const struct pipeline_stage_type stage_add_fields_type = {
	.stage = { .name = "$addFields", .next = project_next, .destroy = project_destroy, .explain = project_explain },
	.needs = project_needs,
	.keeps = project_keeps,
	.one_to_one = always,
};

struct projection *stage_project_take_inclusion(struct stage *s)
{
	struct project *p = (struct project *)s;
	struct projection *taken = p->inclusion ? p->projection : NULL;

	if (taken)
		p->projection = NULL;
	return taken;
}

/* {a: {b: …}} names a.b; what begins with an operator names only its field. */
static void note_changed(struct pipeline_fields *changed, struct value specification, const char *prefix, int depth)
{
	struct walk w;
	struct field f, inner;
	struct bytes path = BYTES_INIT;

	for (walk_begin(&w, specification); walk_next(&w, &f);) {
		struct walk below;

		bytes_reset(&path);
		bytes_format(&path, "%s%s%.*s", prefix, *prefix ? "." : "", (int)f.key.size_bytes, f.key.bytes);
		if (value_is_document(f.value))
			walk_begin(&below, f.value);
		if (depth < VALUE_DEPTH_LIMIT && value_is_document(f.value) && walk_next(&below, &inner) &&
		    !(inner.key.size_bytes && inner.key.bytes[0] == '$'))
			note_changed(changed, f.value, bytes_text(&path), depth + 1);
		else
			pipeline_fields_add(changed, bytes_text(&path));
	}
	bytes_clear(&path);
}

/* The error of a projection says in which stage it is. */
static bool add(struct pipeline_parser *p, const struct pipeline_stage_type *type, const char *name,
                struct value specification, enum projection_use use)
{
	struct project *project = pipeline_add_stage(p, type, sizeof *project);
	bson_error_t cause;

	arena_init(&project->arena);
	project->projection = projection_compile(specification, use, p->pipeline->scope, &cause);
	if (!project->projection)
		return pipeline_refuse(p, cause.code, "Invalid %s :: caused by :: %s", name, cause.message);
	if (!projection_check_constants(project->projection, &cause))
		return pipeline_optimize_failed(p, &cause);
	project->inclusion = use == PROJECTION_PROJECT && projection_drops_others(project->projection);
	if (!project->inclusion)
		note_changed(&project->changed, specification, "", 0);
	return true;
}

bool stage_project_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	if (!value_is_document(specification))
		return pipeline_refuse(p, 15969, "%s specification must be an object", name);
	return add(p, &stage_project_type, name, specification, PROJECTION_PROJECT);
}

bool stage_add_fields_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	if (!value_is_document(specification))
		return pipeline_refuse(p, 40272, "%s specification stage must be an object, got %s", name,
		                       value_type_name(specification.type));
	return add(p, &stage_add_fields_type, name, specification, PROJECTION_ADD_FIELDS);
}

bool stage_unset_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct bytes projection = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;
	bool ok = true;

	if (specification.type != BSON_TYPE_UTF8 && !value_is_array(specification))
		return pipeline_refuse(p, 31002, "$unset specification must be a string or an array");
	if (value_is_array(specification) && !value_count(specification))
		return pipeline_refuse(p, 31119,
		                       "$unset specification must be a string or an array with at least one field");
	writer_begin(&w, &projection);
	if (value_is_array(specification)) {
		for (walk_begin(&walk, specification); ok && walk_next(&walk, &f);) {
			ok = f.value.type == BSON_TYPE_UTF8;
			if (ok)
				writer_value(&w, value_text(f.value), value_make_bool(false));
		}
	} else {
		writer_value(&w, value_text(specification), value_make_bool(false));
	}
	if (ok)
		ok = add(p, &stage_project_type, name, writer_finish(&w), PROJECTION_PROJECT);
	else
		pipeline_refuse(p, 31120,
		                "$unset specification must be a string or an array containing only string values");
	bytes_clear(&projection);
	return ok;
}
