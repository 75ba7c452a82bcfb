/* $facet: several pipelines over the same documents, one document out. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/expression.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

enum { BUFFER_LIMIT_BYTES = 104857600, OUTPUT_LIMIT_BYTES = 104857600 };

/* The first stage of each pipeline: reads what the $facet holds. */
struct tee {
	struct stage stage;
	const struct bytes *documents; /* one after the other */
	size_t at;
};

struct facet {
	struct stage stage;
	struct facet_pipeline {
		char *name;
		struct tee tee;
		struct pipeline *pipeline;
	} *pipelines;
	size_t count;
	struct bytes documents, out;
	bool given;
};

static enum stage_status tee_next(struct stage *s, struct row *row)
{
	struct tee *t = (struct tee *)s;

	if (!value_document(&row->document, t->documents->data + t->at, t->documents->size - t->at))
		return STAGE_END;
	t->at += row->document.size_bytes;
	row->id = RECORD_NONE;
	return STAGE_ADVANCED;
}

static const struct stage_type tee_type = { .name = "$teeConsumer", .next = tee_next };

static enum stage_status hold_input(struct facet *f)
{
	struct execution *x = f->stage.execution;
	enum stage_status status;
	struct row row;

	bytes_reset(&f->documents);
	while ((status = stage_next(f->stage.input, &row)) == STAGE_ADVANCED) {
		bytes_append(&f->documents, row.document.bytes, row.document.size_bytes);
		if (!execution_tick(x))
			return STAGE_FAILED;
		if (f->documents.size > BUFFER_LIMIT_BYTES && !x->allow_disk_use) {
			execution_fail(x, CODE_QueryExceededMemoryLimitNoDiskUseAllowed,
			               "Exceeded memory limit for $facet: it holds at most %d bytes",
			               BUFFER_LIMIT_BYTES);
			return STAGE_FAILED;
		}
	}
	return status;
}

static bool write_pipeline(struct facet *f, struct facet_pipeline *p, struct writer *w)
{
	struct execution *x = f->stage.execution;
	enum stage_status status;
	struct row row;

	p->tee.at = 0;
	p->tee.stage.at_end = false;
	pipeline_reset(p->pipeline);
	writer_begin_array(w, key_of(p->name));
	while ((status = stage_next(pipeline_root(p->pipeline), &row)) == STAGE_ADVANCED) {
		writer_value(w, key_of(""), row.document);
		if (!execution_tick(x))
			return false;
		if (w->out->size > OUTPUT_LIMIT_BYTES)
			return execution_fail(x, 4031700,
			                      "document constructed by $facet is %zu bytes, which exceeds the "
			                      "limit of %d bytes",
			                      w->out->size, OUTPUT_LIMIT_BYTES);
	}
	writer_end(w);
	return status == STAGE_END;
}

static enum stage_status facet_next(struct stage *s, struct row *row)
{
	struct facet *f = (struct facet *)s;
	struct writer w;

	if (f->given)
		return STAGE_END;
	if (hold_input(f) == STAGE_FAILED)
		return STAGE_FAILED;
	bytes_reset(&f->out);
	writer_begin(&w, &f->out);
	for (size_t i = 0; i < f->count; i++)
		if (!write_pipeline(f, &f->pipelines[i], &w))
			return STAGE_FAILED;
	f->given = true;
	*row = (struct row){ writer_finish(&w), RECORD_NONE };
	return STAGE_ADVANCED;
}

static void facet_reset(struct stage *s)
{
	((struct facet *)s)->given = false;
}

static void facet_destroy(struct stage *s)
{
	struct facet *f = (struct facet *)s;

	for (size_t i = 0; i < f->count; i++) {
		pipeline_destroy(f->pipelines[i].pipeline);
		free(f->pipelines[i].name);
	}
	free(f->pipelines);
	bytes_clear(&f->documents);
	bytes_clear(&f->out);
}

static void facet_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	const struct facet *f = (const struct facet *)s;

	writer_begin_document(w, key_of("$facet"));
	for (size_t i = 0; i < f->count; i++) {
		const struct stage *tee = &f->pipelines[i].tee.stage;

		writer_begin_array(w, key_of(f->pipelines[i].name));
		writer_begin_document(w, key_of(""));
		writer_begin_document(w, key_of("$teeConsumer"));
		writer_end(w);
		if (verbosity != VERBOSITY_QUERY_PLANNER) {
			writer_int64(w, "nReturned", tee->advanced);
			writer_int64(w, "executionTimeMillisEstimate", tee->micros / 1000);
		}
		writer_end(w);
		pipeline_explain_stages(f->pipelines[i].pipeline, w, verbosity);
		writer_end(w);
	}
	writer_end(w);
}

static enum stage_needs facet_needs(const struct stage *s, struct pipeline_fields *fields)
{
	const struct facet *f = (const struct facet *)s;

	for (size_t i = 0; i < f->count; i++)
		pipeline_needs(f->pipelines[i].pipeline, 0, fields);
	return NEEDS_ONLY;
}

static const struct pipeline_stage_type stage_facet_type = {
	.stage = { .name = "$facet", .next = facet_next, .destroy = facet_destroy, .explain = facet_explain },
	.reset = facet_reset,
	.needs = facet_needs,
};

static bool check_stages(struct pipeline_parser *p, struct field facet)
{
	struct walk w;
	struct field f;
	char *element;

	if (!value_is_array(facet.value))
		return pipeline_refuse(p, 40170, "arguments to $facet must be arrays, %s is type %s",
		                       facet.key.bytes, value_type_name(facet.value.type));
	for (walk_begin(&w, facet.value); walk_next(&w, &f);) {
		if (value_is_document(f.value) && value_count(f.value))
			continue;
		element = element_text(f.key.bytes, f.value);
		pipeline_refuse(p, 40171,
		                "elements of arrays in $facet spec must be non-empty objects, %s "
		                "argument contained an element of type %s: %s",
		                facet.key.bytes, value_type_name(f.value.type), element);
		free(element);
		return false;
	}
	return true;
}

static bool parse_pipeline(struct pipeline_parser *p, struct facet *f, struct field facet)
{
	struct facet_pipeline *pipeline;

	if (!field_path_check(facet.key, p->error))
		return false;
	if (memchr(facet.key.bytes, '.', facet.key.size_bytes))
		return pipeline_refuse(p, 16412, "FieldPath field names may not contain '.'. Consider using "
		                       "$getField or $setField.");
	if (!check_stages(p, facet) || !pipeline_depth_is_legal(p->pipeline, p->error))
		return false;
	pipeline = &f->pipelines[f->count++];
	pipeline->name = memory_duplicate_text(facet.key.bytes);
	pipeline->tee = (struct tee){ { .type = &tee_type, .execution = f->stage.execution }, &f->documents, 0 };
	pipeline->pipeline = pipeline_compile_over(facet.value, p->pipeline, &pipeline->tee.stage, p->error);
	return pipeline->pipeline != NULL;
}

bool stage_facet_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct facet *f;
	struct walk w;
	struct field facet;
	char *element;

	if (!value_is_document(specification) || !value_count(specification)) {
		element = element_text(name, specification);
		pipeline_refuse(p, 40169, "the $facet specification must be a non-empty object, but found: %s",
		                element);
		free(element);
		return false;
	}
	f = pipeline_add_stage(p, &stage_facet_type, sizeof *f);
	f->pipelines = memory_allocate_zeroed(value_count(specification), sizeof *f->pipelines);
	for (walk_begin(&w, specification); walk_next(&w, &facet);)
		if (!parse_pipeline(p, f, facet))
			return false;
	return true;
}
