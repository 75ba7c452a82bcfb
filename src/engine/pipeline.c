#include "engine/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/pipeline_stage.h"
#include "engine/projection.h"

enum { STAGE_LIMIT = 1000, DEPTH_LIMIT = 20 };

enum {
	IN_UPDATE = 1,        /* may be part of an update */
	ONLY_FIRST = 2,
	ONLY_LAST = 4,
	OWN_DOCUMENTS = 8,    /* makes its documents: no cursor below it */
	NO_COLLECTION = 16,   /* runs with {aggregate: 1} and nowhere else */
	NOT_IN_FACET = 32,
	NOT_IN_LOOKUP = 64
};

struct stage_entry {
	const char *name;
	stage_parse *parse;
	unsigned flags;
};

static const struct stage_entry entries[] = {
	{ "$addFields", stage_add_fields_parse, IN_UPDATE },
	{ "$bucket", stage_bucket_parse, 0 },
	{ "$collStats", stage_coll_stats_parse, ONLY_FIRST | OWN_DOCUMENTS | NOT_IN_FACET },
	{ "$count", stage_count_parse, 0 },
	{ "$documents", stage_documents_parse, ONLY_FIRST | OWN_DOCUMENTS | NO_COLLECTION | NOT_IN_FACET },
	{ "$facet", stage_facet_parse, NOT_IN_FACET },
	{ "$group", stage_group_parse, 0 },
	{ "$indexStats", stage_index_stats_parse, ONLY_FIRST | OWN_DOCUMENTS | NOT_IN_FACET },
	{ "$limit", stage_limit_parse, 0 },
	{ "$lookup", stage_lookup_parse, 0 },
	{ "$match", stage_match_parse, 0 },
	{ "$merge", stage_merge_parse, ONLY_LAST | NOT_IN_FACET | NOT_IN_LOOKUP },
	{ "$out", stage_out_parse, ONLY_LAST | NOT_IN_FACET | NOT_IN_LOOKUP },
	{ "$project", stage_project_parse, IN_UPDATE },
	{ "$replaceRoot", stage_replace_root_parse, IN_UPDATE },
	{ "$replaceWith", stage_replace_with_parse, IN_UPDATE },
	{ "$sample", stage_sample_parse, 0 },
	{ "$set", stage_add_fields_parse, IN_UPDATE },
	{ "$skip", stage_skip_parse, 0 },
	{ "$sort", stage_sort_parse, 0 },
	{ "$sortByCount", stage_sort_by_count_parse, 0 },
	{ "$unset", stage_unset_parse, IN_UPDATE },
	{ "$unwind", stage_unwind_parse, 0 },
};

static const struct stage_entry *find_entry(struct key name)
{
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		if (key_is(name, entries[i].name))
			return &entries[i];
	return NULL;
}

/* The list of stages. */

const struct pipeline_stage_type *pipeline_stage_type(const struct stage *s)
{
	return (const struct pipeline_stage_type *)s->type;
}

bool pipeline_stage_is(const struct stage *s, const struct pipeline_stage_type *type)
{
	return s->type == &type->stage;
}

void pipeline_insert_stage(struct pipeline *p, size_t at, struct stage *s)
{
	p->stages = memory_grow(p->stages, &p->stage_capacity, p->stage_count + 1, sizeof *p->stages);
	memmove(&p->stages[at + 1], &p->stages[at], (p->stage_count - at) * sizeof *p->stages);
	p->stages[at] = s;
	p->stage_count++;
}

void *pipeline_add_stage(struct pipeline_parser *p, const struct pipeline_stage_type *type, size_t size_bytes)
{
	struct stage *s = memory_allocate_zeroed(1, size_bytes);

	s->type = &type->stage;
	s->execution = p->pipeline->execution;
	pipeline_insert_stage(p->pipeline, p->pipeline->stage_count, s);
	return s;
}

void pipeline_stage_destroy(struct stage *s)
{
	if (s->type->destroy)
		s->type->destroy(s);
	free(s);
}

void pipeline_remove_stage(struct pipeline *p, size_t at)
{
	pipeline_stage_destroy(p->stages[at]);
	p->stage_count--;
	memmove(&p->stages[at], &p->stages[at + 1], (p->stage_count - at) * sizeof *p->stages);
}

/* Parsing. */

bool pipeline_optimize_failed(struct pipeline_parser *p, const bson_error_t *cause)
{
	return pipeline_refuse(p, cause->code, "Failed to optimize pipeline :: caused by :: %s", cause->message);
}

bool pipeline_check_constants(struct pipeline_parser *p, const struct expression *e)
{
	bson_error_t cause;

	return expression_check_constants(e, &cause) || pipeline_optimize_failed(p, &cause);
}

struct expression *pipeline_expression(struct pipeline_parser *p, struct value specification)
{
	struct expression *e = expression_compile(specification, p->pipeline->scope, p->error);

	if (!e || pipeline_check_constants(p, e))
		return e;
	expression_destroy(e);
	return NULL;
}

bool pipeline_depth_is_legal(const struct pipeline *outer, bson_error_t *error)
{
	return outer->depth + 1 <= DEPTH_LIMIT ||
	       error_set(error, ERROR_SERVER, 232, "Maximum number of nested sub-pipelines exceeded. Limit is %d",
	                 DEPTH_LIMIT);
}

bool pipeline_parse_stage(struct pipeline_parser *p, const char *name, struct value specification)
{
	return find_entry(key_of(name))->parse(p, name, specification);
}

static bool check_position(const struct pipeline *p, const struct stage_entry *entry, size_t position, size_t count,
                           bson_error_t *error)
{
	if (entry->flags & ONLY_FIRST && position)
		return error_set(error, ERROR_SERVER, 40602, "%s is only valid as the first stage in a pipeline",
		                 entry->name);
	if (entry->flags & ONLY_LAST && position + 1 != count)
		return error_set(error, ERROR_SERVER, 40601, "%s can only be the final stage in the pipeline",
		                 entry->name);
	if (entry->flags & NOT_IN_FACET && p->place == PIPELINE_IN_FACET)
		return error_set(error, ERROR_SERVER, 40600, "%s is not allowed to be used within a $facet stage",
		                 entry->name);
	if (entry->flags & NOT_IN_LOOKUP && p->place == PIPELINE_IN_LOOKUP)
		return error_set(error, ERROR_SERVER, 51047, "%s is not allowed within a $lookup's sub-pipeline",
		                 entry->name);
	if (!(entry->flags & IN_UPDATE) && p->place == PIPELINE_IN_UPDATE)
		return error_set(error, ERROR_SERVER, CODE_InvalidOptions,
		                 "%s is not allowed to be used within an update", entry->name);
	return true;
}

static bool parse_element(struct pipeline_parser *parser, struct value element, size_t count)
{
	struct pipeline *p = parser->pipeline;
	const struct stage_entry *entry;
	struct walk w;
	struct field f, second;

	if (!value_is_document(element))
		return pipeline_refuse(parser, CODE_TypeMismatch,
		                       "Each element of the 'pipeline' array must be an object");
	walk_begin(&w, element);
	if (!walk_next(&w, &f) || walk_next(&w, &second))
		return pipeline_refuse(parser, 40323,
		                       "A pipeline stage specification object must contain exactly one field.");
	entry = find_entry(f.key);
	if (!entry)
		return pipeline_refuse(parser, 40324, "Unrecognized pipeline stage name: '%.*s'",
		                       (int)f.key.size_bytes, f.key.bytes);
	if (!check_position(p, entry, parser->position, count, parser->error))
		return false;
	if (!parser->position)
		p->first = entry;
	return entry->parse(parser, entry->name, f.value);
}

static bool parse_stages(struct pipeline *p, struct value stages, bson_error_t *error)
{
	struct pipeline_parser parser = { p, error, 0 };
	size_t count = value_count(stages);
	struct walk w;
	struct field f;

	if (count > STAGE_LIMIT)
		return error_set(error, ERROR_SERVER, 7749501, "Pipeline length must be no longer than %d stages.",
		                 STAGE_LIMIT);
	for (walk_begin(&w, stages); walk_next(&w, &f); parser.position++)
		if (!parse_element(&parser, f.value, count))
			return false;
	return true;
}

/* A collection for those that read one, none for those that do not. */
static bool check_source(struct pipeline *p, bson_error_t *error)
{
	bool alone = p->first && p->first->flags & NO_COLLECTION;

	p->has_cursor = !(p->first && p->first->flags & OWN_DOCUMENTS);
	if (p->place == PIPELINE_IN_LOOKUP)
		return true;
	if (!p->collection && !p->first)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace,
		                 "{aggregate: 1} is not valid for an empty pipeline.");
	if (!p->collection && !alone)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace,
		                 "{aggregate: 1} is not valid for '%s'; a collection is required.", p->first->name);
	if (p->collection && alone)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "'%s' can only be run with {aggregate: 1}",
		                 p->first->name);
	return true;
}

/* Making and running. */

static struct pipeline *pipeline_new(const char *db, const char *collection, const struct expression_scope *scope,
                                     struct execution *x)
{
	struct pipeline *p = memory_allocate_zeroed(1, sizeof *p);
	struct bytes namespace_text = BYTES_INIT;

	p->execution = x;
	p->scope = scope;
	p->db = memory_duplicate_text(db);
	p->collection = collection ? memory_duplicate_text(collection) : NULL;
	bytes_format(&namespace_text, "%s.%s", db, collection ? collection : "$cmd.aggregate");
	p->namespace_text = bytes_take_text(&namespace_text);
	p->request.hint = p->request.sort = p->request.min = p->request.max = value_missing();
	return p;
}

void pipeline_destroy(struct pipeline *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->stage_count; i++)
		pipeline_stage_destroy(p->stages[i]);
	free(p->stages);
	if (p->plan)
		plan_destroy(p->plan);
	match_destroy(p->filter);
	pipeline_joins_clear(p);
	projection_destroy(p->projection);
	bytes_clear(&p->filter_text);
	bytes_clear(&p->bound_filter_text);
	bytes_clear(&p->sort);
	bytes_clear(&p->hint);
	free(p->namespace_text);
	free(p->db);
	free(p->collection);
	free(p);
}

static void chain(struct pipeline *p)
{
	for (size_t i = 0; i < p->stage_count; i++)
		p->stages[i]->input = i ? p->stages[i - 1] : p->source;
}

void pipeline_set_source(struct pipeline *p, struct stage *source)
{
	p->source = source;
	chain(p);
}

struct stage *pipeline_root(struct pipeline *p)
{
	return p->stage_count ? p->stages[p->stage_count - 1] : p->source;
}

static bool compile_filter(struct pipeline *p, const struct bytes *text, bson_error_t *error)
{
	struct value filter;

	match_destroy(p->filter);
	p->filter = NULL;
	if (!text->size)
		return true;
	value_document(&filter, text->data, text->size);
	p->filter = match_compile(filter, p->scope, error);
	if (p->filter)
		match_canonicalize(&p->filter);
	return p->filter != NULL;
}

static bool make_plan(struct pipeline *p, bson_error_t *error)
{
	if (p->plan)
		plan_destroy(p->plan);
	p->request.collection = p->collection ? store_collection(p->execution->store, p->db, p->collection) : NULL;
	if (p->request.collection && !collection_holds_documents(p->request.collection, error))
		return false;
	p->request.namespace_text = p->namespace_text;
	p->request.filter = p->filter;
	p->request.projection = p->projection;
	p->request.optimized_pipeline = !p->stage_count;
	if (p->sort.size)
		value_document(&p->request.sort, p->sort.data, p->sort.size);
	p->plan = plan_make(&p->request, p->execution, error);
	pipeline_set_source(p, p->plan ? p->plan->root : NULL);
	return p->plan != NULL;
}

static void keep_hint(struct pipeline *p, struct value hint)
{
	bytes_append(&p->hint, hint.bytes, hint.size_bytes);
	p->request.hint = (struct value){ p->hint.data, hint.size_bytes, hint.type };
}

static bool prepare(struct pipeline *p, struct value stages, bson_error_t *error)
{
	if (!parse_stages(p, stages, error) || !check_source(p, error) || !pipeline_rearrange(p, error))
		return false;
	if (!p->has_cursor) {
		chain(p);
		return true;
	}
	return pipeline_push_down(p, error);
}

static struct pipeline *or_null(struct pipeline *p, bool good)
{
	if (good)
		return p;
	pipeline_destroy(p);
	return NULL;
}

struct pipeline *pipeline_compile(struct value stages, const char *db, const char *collection, struct value hint,
                                  const struct expression_scope *scope, struct execution *x, bson_error_t *error)
{
	struct pipeline *p = pipeline_new(db, collection, scope, x);

	if (!value_is_missing(hint))
		keep_hint(p, hint);
	return or_null(p, prepare(p, stages, error) &&
	                  (!p->has_cursor || (compile_filter(p, &p->filter_text, error) && make_plan(p, error))));
}

/* Inside stages. */

struct pipeline *pipeline_compile_inner(struct value stages, const struct pipeline *outer, const char *collection,
                                        const struct expression_scope *scope, bson_error_t *error)
{
	struct pipeline *p = pipeline_new(outer->db, collection, scope, outer->execution);

	p->depth = outer->depth + 1;
	p->place = PIPELINE_IN_LOOKUP;
	return or_null(p, prepare(p, stages, error) && pipeline_joins_find(p, error));
}

struct pipeline *pipeline_compile_over(struct value stages, const struct pipeline *outer, struct stage *source,
                                       bson_error_t *error)
{
	struct pipeline *p = pipeline_new(outer->db, outer->collection, outer->scope, outer->execution);
	bool good;

	p->depth = outer->depth + 1;
	p->place = PIPELINE_IN_FACET;
	good = parse_stages(p, stages, error) && pipeline_rearrange(p, error);
	pipeline_set_source(p, source);
	return or_null(p, good);
}

void pipeline_reset(struct pipeline *p)
{
	for (size_t i = 0; i < p->stage_count; i++) {
		p->stages[i]->at_end = false;
		if (pipeline_stage_type(p->stages[i])->reset)
			pipeline_stage_type(p->stages[i])->reset(p->stages[i]);
	}
}

void pipeline_prefer_index(struct pipeline *p, const char *name)
{
	struct arena arena;

	arena_init(&arena);
	bytes_reset(&p->hint);
	keep_hint(p, value_make_text(&arena, name, strlen(name)));
	arena_clear(&arena);
}

static void drop_stale_preference(struct pipeline *p)
{
	const struct collection *c = store_collection(p->execution->store, p->db, p->collection);

	if (p->hint.size && (!c || !collection_index(c, value_text(p->request.hint).bytes)))
		p->request.hint = value_missing();
}

bool pipeline_restart(struct pipeline *p, struct value predicate)
{
	struct execution *x = p->execution;
	bson_error_t error;

	pipeline_reset(p);
	if (!p->has_cursor)
		return true;
	drop_stale_preference(p);
	if (!pipeline_joins_bind(p, predicate))
		return false;
	if ((p->bound_filter_text.size && !compile_filter(p, &p->bound_filter_text, &error)) || !make_plan(p, &error))
		return execution_fail_with(x, &error);
	return true;
}

/* Updates. */

struct single_document {
	struct stage stage;
	struct value document;
	bool given;
};

static enum stage_status single_document_next(struct stage *s, struct row *row)
{
	struct single_document *single = (struct single_document *)s;

	if (single->given)
		return STAGE_END;
	single->given = true;
	*row = (struct row){ single->document, RECORD_NONE };
	return STAGE_ADVANCED;
}

static const struct stage_type single_document_type = { .name = "$queue", .next = single_document_next };

struct pipeline *pipeline_compile_update(struct value stages, const struct expression_scope *scope, struct execution *x,
                                         bson_error_t *error)
{
	struct pipeline *p = pipeline_new(x->db, "$update", scope, x);

	p->place = PIPELINE_IN_UPDATE;
	return or_null(p, parse_stages(p, stages, error));
}

bool pipeline_apply(struct pipeline *p, struct value document, struct bytes *out)
{
	struct single_document single = { .stage = { .type = &single_document_type, .execution = p->execution },
		                          .document = document };
	enum stage_status status;
	struct row row;

	pipeline_reset(p);
	pipeline_set_source(p, &single.stage);
	status = stage_next(pipeline_root(p), &row);
	if (status == STAGE_ADVANCED) {
		bytes_reset(out);
		bytes_append(out, row.document.bytes, row.document.size_bytes);
	}
	pipeline_set_source(p, NULL);
	return status == STAGE_ADVANCED;
}
