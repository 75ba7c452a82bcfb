/* $collStats and $indexStats: what is known of a collection, as documents. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/collection_stats.h"
#include "engine/index.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

struct stats {
	struct stage stage;
	const struct pipeline *pipeline; /* that it is part of: names the collection */
	struct bytes specification;
	struct value storage, count; /* options of $collStats: missing when not asked for */
	int64_t scale;
	size_t given;
	struct arena arena;
	struct bytes out;
};

static const struct collection *collection_of(const struct stats *s)
{
	return store_collection(s->stage.execution->store, s->pipeline->db, s->pipeline->collection);
}

static void put_date(struct stats *s, struct writer *w, const char *name)
{
	arena_reset(&s->arena);
	writer_put(w, name, value_make_date(&s->arena, s->stage.execution->now_millis));
}

static enum stage_status coll_stats_next(struct stage *stage, struct row *row)
{
	struct stats *s = (struct stats *)stage;
	const struct collection *c = collection_of(s);
	struct writer w;

	if (s->given++)
		return STAGE_END;
	if (!c && !value_is_missing(s->count)) {
		execution_fail(stage->execution, CODE_NamespaceNotFound,
		               "Unable to retrieve count in $collStats stage :: "
		               "caused by :: Collection [%s] not found.",
		               s->pipeline->namespace_text);
		return STAGE_FAILED;
	}
	if (!c && !value_is_missing(s->storage)) {
		execution_fail(stage->execution, CODE_NamespaceNotFound,
		               "Unable to retrieve storageStats in $collStats stage "
		               ":: caused by :: Collection [%s] not found.",
		               s->pipeline->namespace_text);
		return STAGE_FAILED;
	}
	bytes_reset(&s->out);
	writer_begin(&w, &s->out);
	writer_text(&w, "ns", s->pipeline->namespace_text);
	writer_text(&w, "host", "embedded");
	put_date(s, &w, "localTime");
	if (!value_is_missing(s->storage)) {
		writer_begin_document(&w, key_of("storageStats"));
		collection_write_stats(&w, c, s->scale);
		writer_number(&w, "scaleFactor", s->scale);
		writer_end(&w);
	}
	if (!value_is_missing(s->count))
		writer_number(&w, "count", c->count);
	*row = (struct row){ writer_finish(&w), RECORD_NONE };
	return STAGE_ADVANCED;
}

static enum stage_status index_stats_next(struct stage *stage, struct row *row)
{
	struct stats *s = (struct stats *)stage;
	const struct collection *c = collection_of(s);
	const struct index *index;
	struct value specification;
	struct writer w;

	if (!c || s->given >= c->index_count)
		return STAGE_END;
	index = c->indexes[s->given++];
	bytes_reset(&s->out);
	writer_begin(&w, &s->out);
	writer_text(&w, "name", index->name);
	writer_put(&w, "key", index_key_pattern(index));
	writer_text(&w, "host", "embedded");
	writer_begin_document(&w, key_of("accesses"));
	writer_int64(&w, "ops", index->accesses);
	put_date(s, &w, "since");
	writer_end(&w);
	if (value_document(&specification, index->specification.data, index->specification.size))
		writer_put(&w, "spec", specification);
	*row = (struct row){ writer_finish(&w), RECORD_NONE };
	return STAGE_ADVANCED;
}

static void stats_reset(struct stage *stage)
{
	((struct stats *)stage)->given = 0;
}

static void stats_destroy(struct stage *stage)
{
	struct stats *s = (struct stats *)stage;

	bytes_clear(&s->specification);
	bytes_clear(&s->out);
	arena_clear(&s->arena);
}

static void stats_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct bytes *text = &((const struct stats *)stage)->specification;

	(void)verbosity;
	writer_put(w, stage->type->name, (struct value){ text->data, (uint32_t)text->size, BSON_TYPE_DOCUMENT });
}

static const struct pipeline_stage_type stage_coll_stats_type = {
	.stage = { .name = "$collStats", .next = coll_stats_next, .destroy = stats_destroy, .explain = stats_explain },
	.reset = stats_reset,
};

static const struct pipeline_stage_type stage_index_stats_type = {
	.stage = { .name = "$indexStats",
	           .next = index_stats_next,
	           .destroy = stats_destroy,
	           .explain = stats_explain },
	.reset = stats_reset,
};

static struct stats *add(struct pipeline_parser *p, const struct pipeline_stage_type *type, struct value specification)
{
	struct stats *s = pipeline_add_stage(p, type, sizeof *s);

	arena_init(&s->arena);
	s->pipeline = p->pipeline;
	s->scale = 1;
	bytes_append(&s->specification, specification.bytes, specification.size_bytes);
	s->storage = s->count = value_missing();
	return s;
}

static bool read_scale(struct stats *s, struct value storage, bson_error_t *error)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, storage); walk_next(&w, &f);) {
		if (!key_is(f.key, "scale"))
			return error_set(error, ERROR_SERVER, 40415,
			                 "BSON field '$collStats.storageStats.%s' is an unknown field.", f.key.bytes);
		if (!value_as_int64(f.value, &s->scale) || s->scale < 1)
			return error_set(error, ERROR_SERVER, 51024, "BSON field 'scale' value must be >= 1");
	}
	return true;
}

static bool read_coll_stats_option(struct stats *s, struct field f, bson_error_t *error)
{
	bool storage = key_is(f.key, "storageStats"), count = key_is(f.key, "count");

	if (key_is(f.key, "latencyStats") || key_is(f.key, "queryExecStats"))
		return error_set(error, ERROR_SERVER, CODE_NotImplemented, "$collStats does not support '%s'",
		                 f.key.bytes);
	if (!storage && !count)
		return error_set(error, ERROR_SERVER, 40415, "BSON field '$collStats.%s' is an unknown field.",
		                 f.key.bytes);
	if (!value_is_document(f.value))
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "BSON field '$collStats.%s' is the wrong type '%s', "
		                 "expected type 'object'",
		                 f.key.bytes, value_type_name(f.value.type));
	if (count && value_count(f.value))
		return error_set(error, ERROR_SERVER, 40415, "BSON field '$collStats.count' takes no fields");
	*(storage ? &s->storage : &s->count) = f.value;
	return !storage || read_scale(s, f.value, error);
}

bool stage_coll_stats_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct stats *s;
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return pipeline_refuse(p, 5447000, "%s must take a nested object but found: %s", name,
		                       value_type_name(specification.type));
	s = add(p, &stage_coll_stats_type, specification);
	for (walk_begin(&w, specification); walk_next(&w, &f);)
		if (!read_coll_stats_option(s, f, p->error))
			return false;
	return true;
}

bool stage_index_stats_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	(void)name;
	if (!value_is_document(specification) || value_count(specification))
		return pipeline_refuse(p, 28803, "The $indexStats stage specification must be an empty object");
	add(p, &stage_index_stats_type, specification);
	return true;
}
