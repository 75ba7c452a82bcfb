/* $match. */
#include <stdlib.h>

#include "engine/match.h"
#include "engine/pipeline_stage.h"

struct match_stage {
	struct stage stage;
	struct bytes filter; /* as it was written */
	struct match *match;
};

static enum stage_status match_next(struct stage *s, struct row *row)
{
	const struct match_stage *m = (const struct match_stage *)s;
	enum stage_status status;

	while ((status = stage_next(s->input, row)) == STAGE_ADVANCED) {
		if (match_test(m->match, s->execution, row->document))
			return STAGE_ADVANCED;
		if (!execution_tick(s->execution))
			return STAGE_FAILED;
	}
	return status;
}

static void match_stage_destroy(struct stage *s)
{
	struct match_stage *m = (struct match_stage *)s;

	match_destroy(m->match);
	bytes_clear(&m->filter);
}

static void match_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	match_write(((const struct match_stage *)s)->match, w, key_of("$match"));
}

static enum stage_needs match_needs(const struct stage *s, struct pipeline_fields *fields)
{
	if (!match_dependencies(((const struct match_stage *)s)->match, pipeline_fields_add, fields))
		fields->whole = true;
	return NEEDS_MORE;
}

const struct pipeline_stage_type stage_match_type = {
	.stage = { .name = "$match", .next = match_next, .destroy = match_stage_destroy, .explain = match_explain },
	.needs = match_needs,
};

struct value stage_match_filter(const struct stage *s)
{
	const struct bytes *filter = &((const struct match_stage *)s)->filter;

	return (struct value){ filter->data, (uint32_t)filter->size, BSON_TYPE_DOCUMENT };
}

bool stage_match_add(struct pipeline_parser *p, struct value filter)
{
	struct match_stage *m = pipeline_add_stage(p, &stage_match_type, sizeof *m);

	bytes_append(&m->filter, filter.bytes, filter.size_bytes);
	m->match = match_compile(stage_match_filter(&m->stage), p->pipeline->scope, p->error);
	if (!m->match)
		return false;
	match_canonicalize(&m->match);
	return true;
}

bool stage_match_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	(void)name;
	if (!value_is_document(specification))
		return pipeline_refuse(p, 15959, "the match filter must be an expression in an object");
	return stage_match_add(p, specification);
}
