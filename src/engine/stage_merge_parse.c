/* $merge's specification: https://www.mongodb.com/docs/manual/reference/operator/aggregation/merge/ */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/index.h"
#include "engine/stage_merge.h"

#define ANY_NOT_MATCHED (1u << NOT_MATCHED_INSERT | 1u << NOT_MATCHED_DISCARD | 1u << NOT_MATCHED_FAIL)

static const struct merge_mode modes[] = {
	{ "merge", "$set", false, ANY_NOT_MATCHED },
	{ "replace", NULL, false, ANY_NOT_MATCHED },
	{ "keepExisting", "$setOnInsert", false, 1u << NOT_MATCHED_INSERT },
	{ "fail", NULL, true, 1u << NOT_MATCHED_INSERT },
	{ "pipeline", NULL, false, ANY_NOT_MATCHED },
};

enum { MODES = sizeof modes / sizeof *modes, MODE_PIPELINE = MODES - 1 };

struct options {
	struct value into, on, let, when_matched, when_not_matched;
};

static bool read_options(struct pipeline_parser *p, struct value specification, struct options *o)
{
	static const struct command_option fields[] = {
		{ "into", OPTION_ANY, OPTION_REQUIRED },
		{ "on", OPTION_ANY, OPTION_USED },
		{ "let", OPTION_OBJECT, OPTION_USED },
		{ "whenMatched", OPTION_ANY, OPTION_USED },
		{ "whenNotMatched", OPTION_STRING, OPTION_USED },
		{ NULL, OPTION_ANY, OPTION_USED }
	};

	*o = (struct options){ specification, value_missing(), value_missing(), value_missing(), value_missing() };
	if (specification.type == BSON_TYPE_UTF8)
		return true;
	if (!command_check_options(specification, "$merge", fields, 0, false, p->error))
		return false;
	*o = (struct options){ value_get(specification, "into"), value_get(specification, "on"),
		               command_option(specification, "let"), value_get(specification, "whenMatched"),
		               command_option(specification, "whenNotMatched") };
	if (o->into.type == BSON_TYPE_UTF8 || value_is_document(o->into))
		return true;
	return pipeline_refuse(p, 51178, "$merge 'into' field  must be either a string or an object, but found %s",
	                       value_type_name(o->into.type));
}

static bool parse_matched(struct pipeline_parser *p, struct merge *m, struct value v)
{
	m->mode = &modes[0];
	if (value_is_missing(v))
		return true;
	if (value_is_array(v)) {
		m->mode = &modes[MODE_PIPELINE];
		bytes_append(&m->pipeline_text, v.bytes, v.size_bytes);
		return true;
	}
	if (v.type != BSON_TYPE_UTF8)
		return pipeline_refuse(p, 51191, "$merge 'whenMatched' field  must be either a string or an array, but found %s",
		                       value_type_name(v.type));
	for (size_t i = 0; i < MODE_PIPELINE; i++)
		if (key_is(value_text(v), modes[i].name)) {
			m->mode = &modes[i];
			return true;
		}
	return pipeline_refuse(p, CODE_BadValue, "Enumeration value '%s' for field 'whenMatched' is not a valid value.",
	                       value_text(v).bytes);
}

static bool parse_not_matched(struct pipeline_parser *p, struct merge *m, struct value v)
{
	static const char *const names[] = { "insert", "discard", "fail" };

	if (value_is_missing(v))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (key_is(value_text(v), names[i])) {
			m->not_matched = (enum merge_not_matched)i;
			if (m->mode->not_matched & 1u << i)
				return true;
			return pipeline_refuse(p, 51189,
			                       "Combination of $merge modes 'whenMatched: %s' and 'whenNotMatched: %s' is not supported",
			                       m->mode->name, names[i]);
		}
	return pipeline_refuse(p, CODE_BadValue, "Enumeration value '%s' for field '$merge.whenNotMatched' is not a valid value.",
	                       value_text(v).bytes);
}

static bool add_field(struct pipeline_parser *p, struct merge *m, struct key name)
{
	if (!field_path_check(name, p->error))
		return false;
	for (size_t i = 0; i < m->on_count; i++)
		if (key_is(name, m->on[i].text))
			return pipeline_refuse(p, 31465, "Found a duplicate field '%s'", name.bytes);
	m->on = memory_resize(m->on, m->on_count + 1, sizeof *m->on);
	path_parse(&m->on[m->on_count++], name);
	m->by_id |= key_is(name, "_id");
	return true;
}

static bool parse_on(struct pipeline_parser *p, struct merge *m, struct value v)
{
	struct walk w;
	struct field f;

	if (value_is_missing(v))
		return add_field(p, m, key_of("_id"));
	if (v.type == BSON_TYPE_UTF8)
		return add_field(p, m, value_text(v));
	if (!value_is_array(v))
		return pipeline_refuse(p, 51186, "$merge 'on' field  must be either a string or an array of strings, but found %s",
		                       value_type_name(v.type));
	if (!value_count(v))
		return pipeline_refuse(p, 51187, "If explicitly specifying $merge 'on', must include at least one field");
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		if (f.value.type != BSON_TYPE_UTF8)
			return pipeline_refuse(p, 51134, "$merge 'on' array elements must be strings, but found %s",
			                       value_type_name(f.value.type));
		if (!add_field(p, m, value_text(f.value)))
			return false;
	}
	return true;
}

/* A unique index on just these fields, in any order, that holds every document. */
static bool is_unique_on(const struct index *i, const struct merge *m)
{
	struct value specification;

	value_document(&specification, i->specification.data, i->specification.size);
	if ((!i->unique && strcmp(i->name, "_id_")) || i->sparse || i->field_count != m->on_count ||
	    !value_is_missing(value_get(specification, "partialFilterExpression")))
		return false;
	for (size_t k = 0; k < i->field_count; k++) {
		bool found = false;

		for (size_t n = 0; n < m->on_count; n++)
			found |= !strcmp(i->fields[k].path.text, m->on[n].text);
		if (!found)
			return false;
	}
	return true;
}

static bool check_unique(struct pipeline_parser *p, const struct merge *m)
{
	const struct collection *c = store_collection(p->pipeline->execution->store, m->target.db, m->target.collection);

	for (size_t i = 0; c && i < c->index_count; i++)
		if (is_unique_on(c->indexes[i], m))
			return true;
	if (m->on_count == 1 && m->by_id && !c)
		return true;
	return pipeline_refuse(p, 51183, "Cannot find index to verify that join fields will be unique");
}

/* `new` is the result itself unless something else defines it, which may say no other. */
static bool parse_let(struct pipeline_parser *p, struct merge *m, struct value let)
{
	struct value given = value_is_missing(let) ? value_missing() : value_get(let, "new");
	struct bytes text = BYTES_INIT;
	struct writer w;
	bool ok;

	if (!m->pipeline_text.size)
		return value_is_missing(let) ||
		       pipeline_refuse(p, 51199, "Cannot use 'let' variables with 'whenMatched: %s' mode", m->mode->name);
	if (!value_is_missing(given) && (given.type != BSON_TYPE_UTF8 || !key_is(value_text(given), "$$ROOT")))
		return pipeline_refuse(p, 51273, "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'");
	writer_begin(&w, &text);
	if (!value_is_missing(let))
		writer_fields(&w, let);
	if (value_is_missing(given))
		writer_text(&w, "new", "$$ROOT");
	ok = pipeline_let_parse(&m->let, p, writer_finish(&w));
	bytes_clear(&text);
	return ok;
}

static bool parse_pipeline(struct pipeline_parser *p, struct merge *m)
{
	struct value stages = { m->pipeline_text.data, (uint32_t)m->pipeline_text.size, BSON_TYPE_ARRAY };

	if (!m->pipeline_text.size)
		return true;
	m->pipeline = update_compile(stages, value_missing(), pipeline_let_scope(&m->let, p->pipeline), p->error);
	return m->pipeline != NULL;
}

bool stage_merge_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct options o;
	struct merge *m;

	if (specification.type != BSON_TYPE_UTF8 && !value_is_document(specification))
		return pipeline_refuse(p, 51182, "$merge only supports a string or object argument, not %s",
		                       value_type_name(specification.type));
	if (!read_options(p, specification, &o))
		return false;
	m = pipeline_add_stage(p, &stage_merge_type, sizeof *m);
	arena_init(&m->arena);
	return write_target_parse(&m->target, p, name, "$merge.into", o.into) && parse_matched(p, m, o.when_matched) &&
	       parse_not_matched(p, m, o.when_not_matched) && parse_on(p, m, o.on) && parse_let(p, m, o.let) &&
	       parse_pipeline(p, m) && check_unique(p, m);
}
