/* $group. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/expression.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"
#include "engine/stage_group_table.h"

enum { MEMORY_LIMIT_BYTES = 104857600 };

struct group_field {
	char *name, *operator_name;
	const struct accumulator_type *type;
	struct expression *argument;
	int64_t held_bytes, most_bytes; /* over all groups: now, and at the worst */
};

struct group_stage {
	struct stage stage;
	struct expression *id;
	struct group_field *fields;
	size_t field_count, field_capacity;
	struct group_table table;
	int64_t held_bytes, output_bytes;
	size_t given;
	bool filled;
	struct arena arena;
	struct bytes out;
};

static bool hold(struct group_stage *g, int64_t bytes)
{
	g->held_bytes += bytes;
	if (g->held_bytes <= MEMORY_LIMIT_BYTES || g->stage.execution->allow_disk_use)
		return true;
	return execution_fail(g->stage.execution, CODE_QueryExceededMemoryLimitNoDiskUseAllowed,
	                      "Exceeded memory limit for $group, but didn't allow external sort. "
	                      "Pass allowDiskUse:true to opt in.");
}

/* Most values change what is accumulated, not how much is held for it. */
static bool hold_for_field(struct group_stage *g, struct group_field *f, int64_t bytes)
{
	if (!bytes)
		return true;
	f->held_bytes += bytes;
	if (f->held_bytes > f->most_bytes)
		f->most_bytes = f->held_bytes;
	return hold(g, bytes);
}

static bool accumulate(struct group_stage *g, struct group_field *f, struct accumulator *a, struct value document)
{
	struct execution *x = g->stage.execution;
	int64_t before = accumulator_memory_bytes(a);
	struct value v;

	return expression_evaluate(f->argument, x, &g->arena, document, &v) && accumulator_add(a, x, v) &&
	       hold_for_field(g, f, accumulator_memory_bytes(a) - before);
}

static bool begin_group(struct group_stage *g, struct group *group)
{
	for (size_t i = 0; i < g->field_count; i++) {
		group->accumulators[i] = accumulator_new(g->fields[i].type);
		if (!hold_for_field(g, &g->fields[i], accumulator_memory_bytes(group->accumulators[i])))
			return false;
	}
	return hold(g, group->id.size_bytes + (int64_t)sizeof *group);
}

static bool add_document(struct group_stage *g, struct value document)
{
	struct execution *x = g->stage.execution;
	struct group *group;
	struct value id;
	bool added;

	arena_reset(&g->arena);
	if (!expression_evaluate(g->id, x, &g->arena, document, &id))
		return false;
	if (value_is_missing(id))
		id = value_null();
	group = group_table_find(&g->table, id, &added);
	if (added && !begin_group(g, group))
		return false;
	for (size_t i = 0; i < g->field_count; i++)
		if (!accumulate(g, &g->fields[i], group->accumulators[i], document))
			return false;
	return true;
}

static enum stage_status fill(struct group_stage *g)
{
	enum stage_status status;
	struct row row;

	while ((status = stage_next(g->stage.input, &row)) == STAGE_ADVANCED)
		if (!execution_tick(g->stage.execution) || !add_document(g, row.document))
			return STAGE_FAILED;
	g->filled = status == STAGE_END;
	return status;
}

static enum stage_status group_next(struct stage *s, struct row *row)
{
	struct group_stage *g = (struct group_stage *)s;
	const struct group *group;
	struct writer w;
	struct value v;

	if (!g->filled && fill(g) == STAGE_FAILED)
		return STAGE_FAILED;
	if (g->given == g->table.count)
		return STAGE_END;
	group = &g->table.groups[g->given++];
	arena_reset(&g->arena);
	bytes_reset(&g->out);
	writer_begin(&w, &g->out);
	writer_put(&w, "_id", group->id);
	for (size_t i = 0; i < g->field_count; i++) {
		if (!accumulator_result(group->accumulators[i], s->execution, &g->arena, &v))
			return STAGE_FAILED;
		writer_put(&w, g->fields[i].name, value_is_missing(v) ? value_null() : v);
	}
	*row = (struct row){ writer_finish(&w), RECORD_NONE };
	g->output_bytes += row->document.size_bytes;
	return STAGE_ADVANCED;
}

static void group_reset(struct stage *s)
{
	struct group_stage *g = (struct group_stage *)s;

	group_table_reset(&g->table);
	for (size_t i = 0; i < g->field_count; i++)
		g->fields[i].held_bytes = 0;
	g->held_bytes = 0;
	g->given = 0;
	g->filled = false;
}

static void group_destroy(struct stage *s)
{
	struct group_stage *g = (struct group_stage *)s;

	group_table_clear(&g->table);
	for (size_t i = 0; i < g->field_count; i++) {
		free(g->fields[i].name);
		free(g->fields[i].operator_name);
		expression_destroy(g->fields[i].argument);
	}
	free(g->fields);
	expression_destroy(g->id);
	arena_clear(&g->arena);
	bytes_clear(&g->out);
}

static void group_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	const struct group_stage *g = (const struct group_stage *)s;

	writer_begin_document(w, key_of("$group"));
	expression_write(g->id, w, key_of("_id"));
	for (size_t i = 0; i < g->field_count; i++) {
		writer_begin_document(w, key_of(g->fields[i].name));
		expression_write(g->fields[i].argument, w, key_of(g->fields[i].operator_name));
		writer_end(w);
	}
	writer_end(w);
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_begin_document(w, key_of("maxAccumulatorMemoryUsageBytes"));
	for (size_t i = 0; i < g->field_count; i++)
		writer_int64(w, g->fields[i].name, g->fields[i].most_bytes);
	writer_end(w);
	writer_int64(w, "totalOutputDataSizeBytes", g->output_bytes);
	writer_bool(w, "usedDisk", false);
}

static enum stage_needs group_needs(const struct stage *s, struct pipeline_fields *fields)
{
	const struct group_stage *g = (const struct group_stage *)s;
	bool finite = expression_dependencies(g->id, pipeline_fields_add, fields);

	for (size_t i = 0; i < g->field_count; i++)
		finite = expression_dependencies(g->fields[i].argument, pipeline_fields_add, fields) && finite;
	if (!finite)
		fields->whole = true;
	return NEEDS_ONLY;
}

const struct pipeline_stage_type stage_group_type = {
	.stage = { .name = "$group", .next = group_next, .destroy = group_destroy, .explain = group_explain },
	.reset = group_reset,
	.needs = group_needs,
};

static bool parse_id(struct pipeline_parser *p, struct group_stage *g, struct value v)
{
	struct walk w;
	struct field f;

	if (g->id)
		return pipeline_refuse(p, 15948, "a group's _id may only be specified once");
	if (value_is_document(v)) {
		walk_begin(&w, v);
		while (walk_next(&w, &f) && !(f.key.size_bytes && f.key.bytes[0] == '$'))
			if (value_is_number(f.value) || f.value.type == BSON_TYPE_BOOL)
				return pipeline_refuse(p, 17390,
				                       "$group does not support inclusion-style expressions");
	}
	g->id = pipeline_expression(p, v);
	return g->id != NULL;
}

static bool parse_field(struct pipeline_parser *p, struct group_stage *g, struct field field)
{
	int length = (int)field.key.size_bytes;
	const char *name = field.key.bytes;
	struct group_field *f;
	struct field operator;
	struct walk w;

	if (value_is_document(field.value))
		walk_begin(&w, field.value);
	if (!value_is_document(field.value) || !walk_next(&w, &operator) || !operator.key.size_bytes ||
	    operator.key.bytes[0] != '$')
		return pipeline_refuse(p, 40234, "The field '%.*s' must be an accumulator object", length, name);
	if (memchr(name, '.', field.key.size_bytes))
		return pipeline_refuse(p, 40235, "The field name '%.*s' cannot contain '.'", length, name);
	if (length && name[0] == '$')
		return pipeline_refuse(p, 40236, "The field name '%.*s' cannot be an operator name", length,
		                       name);
	if (value_count(field.value) > 1)
		return pipeline_refuse(p, 40238, "The field '%.*s' must specify one accumulator", length, name);
	if (value_is_array(operator.value)) /* said of operators that do not exist, too */
		return pipeline_refuse(p, 40237, "The %.*s accumulator is a unary operator", (int)operator.key.size_bytes,
		                       operator.key.bytes);
	g->fields = memory_grow(g->fields, &g->field_capacity, g->field_count + 1, sizeof *g->fields);
	f = &g->fields[g->field_count++];
	*f = (struct group_field){ .name = memory_duplicate_text(name),
		                   .operator_name = memory_duplicate_text(operator.key.bytes) };
	f->type = accumulator_type_find(operator.key, p->error);
	if (f->type)
		f->argument = accumulator_compile_argument(f->type, operator.value, p->pipeline->scope, p->error);
	return f->argument && pipeline_check_constants(p, f->argument);
}

bool stage_group_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct group_stage *g;
	struct walk w;
	struct field f;

	(void)name;
	if (!value_is_document(specification))
		return pipeline_refuse(p, 15947, "a group's fields must be specified in an object");
	g = pipeline_add_stage(p, &stage_group_type, sizeof *g);
	arena_init(&g->arena);
	for (walk_begin(&w, specification); walk_next(&w, &f);)
		if (!(key_is(f.key, "_id") ? parse_id(p, g, f.value) : parse_field(p, g, f)))
			return false;
	if (!g->id)
		return pipeline_refuse(p, 15955, "a group specification must include an _id");
	group_table_init(&g->table, g->field_count);
	return true;
}
