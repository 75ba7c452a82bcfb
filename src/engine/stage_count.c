/* $count, $sortByCount and $bucket: names for a $group and a stage after it. */
#include <stdlib.h>
#include <string.h>

#include "bson/compare.h"
#include "engine/expression.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

/* {name: {$sum: 1}} */
static void write_sum_of_ones(struct writer *w, struct key name)
{
	writer_begin_document(w, name);
	writer_int32(w, "$sum", 1);
	writer_end(w);
}

/* {name: n} as stage `stage_name`. */
static bool parse_single(struct pipeline_parser *p, const char *stage_name, const char *name, int32_t n)
{
	struct bytes specification = BYTES_INIT;
	struct writer w;
	bool ok;

	writer_begin(&w, &specification);
	writer_int32(&w, name, n);
	ok = pipeline_parse_stage(p, stage_name, writer_finish(&w));
	bytes_clear(&specification);
	return ok;
}

static bool finish_group(struct pipeline_parser *p, struct writer *w)
{
	bool ok = pipeline_parse_stage(p, "$group", writer_finish(w));

	bytes_clear(w->out);
	return ok;
}

bool stage_count_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct key field = specification.type == BSON_TYPE_UTF8 ? value_text(specification) : key_of("");
	struct bytes group = BYTES_INIT;
	struct writer w;

	(void)name;
	if (specification.type != BSON_TYPE_UTF8)
		return pipeline_refuse(p, 40156, "the count field must be a non-empty string");
	if (!field.size_bytes)
		return pipeline_refuse(p, 40157, "the count field must be a non-empty string");
	if (field.bytes[0] == '$')
		return pipeline_refuse(p, 40158, "the count field cannot be a $-prefixed path");
	if (memchr(field.bytes, 0, field.size_bytes))
		return pipeline_refuse(p, 40159, "the count field cannot contain a null byte");
	if (memchr(field.bytes, '.', field.size_bytes))
		return pipeline_refuse(p, 40160, "the count field cannot contain '.'");
	writer_begin(&w, &group);
	writer_null(&w, "_id");
	write_sum_of_ones(&w, field);
	return finish_group(p, &w) && parse_single(p, "$project", "_id", 0);
}

bool stage_sort_by_count_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct bytes group = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;

	(void)name;
	if (value_is_document(specification)) {
		walk_begin(&walk, specification);
		if (!walk_next(&walk, &f) || f.key.bytes[0] != '$')
			return pipeline_refuse(p, 40147, "the sortByCount field must be defined as a "
			                       "$-prefixed path or an expression inside an object");
	} else if (specification.type == BSON_TYPE_UTF8) {
		if (value_text(specification).size_bytes < 2 || value_text(specification).bytes[0] != '$')
			return pipeline_refuse(p, 40148, "the sortByCount field must be defined as a "
			                       "$-prefixed path or an expression inside an object");
	} else {
		return pipeline_refuse(p, 40149,
		                       "the sortByCount field must be specified as a string or as an object");
	}
	writer_begin(&w, &group);
	writer_put(&w, "_id", specification);
	write_sum_of_ones(&w, key_of("count"));
	return finish_group(p, &w) && parse_single(p, "$sort", "count", -1);
}

/* The constant that `v` comes to, appended under `key`; false when it is no constant. */
static bool write_constant(struct pipeline_parser *p, struct writer *w, const char *key, struct value v, bool *constant)
{
	struct expression *e = pipeline_expression(p, v);
	struct value result;

	if (!e)
		return false;
	*constant = expression_is_constant(e, &result);
	if (*constant)
		writer_put(w, key, result);
	expression_destroy(e);
	return true;
}

static bool refuse_element(struct pipeline_parser *p, uint32_t code, const char *what, struct value v)
{
	char *text = value_text_of(v);

	pipeline_refuse(p, code, "%s: %s.", what, text);
	free(text);
	return false;
}

static bool check_order(struct pipeline_parser *p, struct value boundaries)
{
	struct walk w;
	struct field before, f;
	char *low, *high;

	walk_begin(&w, boundaries);
	walk_next(&w, &before);
	for (uint32_t i = 0; walk_next(&w, &f); i++, before = f) {
		if (value_canonical_type(before.value.type) != value_canonical_type(f.value.type))
			return pipeline_refuse(p, 40193, "All values in the the 'boundaries' option to $bucket "
			                       "must have the same type. Found conflicting types %s and %s.",
			                       value_type_name(before.value.type), value_type_name(f.value.type));
		if (value_compare(before.value, f.value) < 0)
			continue;
		low = value_text_of(before.value);
		high = value_text_of(f.value);
		pipeline_refuse(p, 40194, "The 'boundaries' option to $bucket must be sorted, but elements %u "
		                "and %u are not in ascending order (%s is not less than %s).", i, i + 1, low, high);
		free(low);
		free(high);
		return false;
	}
	return true;
}

static bool read_boundaries(struct pipeline_parser *p, struct value v, struct bytes *out, struct value *boundaries)
{
	struct writer w;
	struct walk walk;
	struct field f;
	bool constant;

	if (!value_is_array(v))
		return pipeline_refuse(p, 40200, "The $bucket 'boundaries' field must be an array, but found type: %s.",
		                       value_type_name(v.type));
	writer_begin(&w, out);
	for (walk_begin(&walk, v); walk_next(&walk, &f);) {
		if (!write_constant(p, &w, f.key.bytes, f.value, &constant))
			return false;
		if (!constant)
			return refuse_element(p, 40191,
			                      "The $bucket 'boundaries' field must be an array of constant values, "
			                      "but found value",
			                      f.value);
	}
	*boundaries = writer_finish(&w);
	if (value_count(*boundaries) < 2)
		return pipeline_refuse(p, 40192, "The $bucket 'boundaries' field must have at least 2 values, "
		                       "but found %u value(s).", value_count(*boundaries));
	return check_order(p, *boundaries);
}

static bool is_expression(struct value v)
{
	struct walk w;
	struct field f;

	if (v.type == BSON_TYPE_UTF8)
		return value_text(v).size_bytes && value_text(v).bytes[0] == '$';
	if (!value_is_document(v))
		return false;
	walk_begin(&w, v);
	return walk_next(&w, &f) && f.key.bytes[0] == '$';
}

struct bucket_options {
	struct value group_by, boundaries, standard, output;
	struct bytes boundary_bytes, standard_bytes;
};

static bool read_bucket_option(struct pipeline_parser *p, struct bucket_options *o, struct field f)
{
	struct writer w;
	bool constant;

	if (key_is(f.key, "groupBy")) {
		o->group_by = f.value;
		return is_expression(f.value) ||
		       refuse_element(p, 40202,
		                      "The $bucket 'groupBy' field must be defined as a $-prefixed path or an "
		                      "expression, but found",
		                      f.value);
	}
	if (key_is(f.key, "boundaries")) {
		bytes_reset(&o->boundary_bytes);
		return read_boundaries(p, f.value, &o->boundary_bytes, &o->boundaries);
	}
	if (key_is(f.key, "default")) {
		bytes_reset(&o->standard_bytes);
		writer_begin(&w, &o->standard_bytes);
		if (!write_constant(p, &w, "default", f.value, &constant))
			return false;
		if (!constant)
			return refuse_element(p, 40195,
			                      "The $bucket 'default' field must be a constant expression, but found",
			                      f.value);
		o->standard = value_get(writer_finish(&w), "default");
		return true;
	}
	if (key_is(f.key, "output")) {
		o->output = f.value;
		return value_is_document(f.value) ||
		       pipeline_refuse(p, 40196,
		                       "The $bucket 'output' field must be an object, but found type: %s.",
		                       value_type_name(f.value.type));
	}
	return pipeline_refuse(p, 40197, "Unrecognized option to $bucket: %.*s.", (int)f.key.size_bytes,
	                       f.key.bytes);
}

static bool check_bucket(struct pipeline_parser *p, const struct bucket_options *o)
{
	struct walk w;
	struct field f;
	struct value low, high;

	if (value_is_missing(o->group_by) || value_is_missing(o->boundaries))
		return pipeline_refuse(p, 40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
	walk_begin(&w, o->boundaries);
	walk_next(&w, &f);
	low = high = f.value;
	while (walk_next(&w, &f))
		high = f.value;
	if (value_is_missing(o->standard) || value_canonical_type(o->standard.type) != value_canonical_type(low.type) ||
	    value_compare(o->standard, low) < 0 || value_compare(o->standard, high) >= 0)
		return true;
	return pipeline_refuse(p, 40199, "The $bucket 'default' field must be less than the lowest boundary or "
	                       "greater than or equal to the highest boundary.");
}

/* {$operator: [groupBy, {$literal: boundary}]} as an element of the open array. */
static void write_comparison(struct writer *w, const char *operator, struct value group_by, struct value boundary)
{
	writer_begin_document(w, key_of(""));
	writer_begin_array(w, key_of(operator));
	writer_value(w, key_of(""), group_by);
	writer_begin_document(w, key_of(""));
	writer_put(w, "$literal", boundary);
	writer_end(w);
	writer_end(w);
	writer_end(w);
}

static void write_branch(struct writer *w, struct value group_by, struct value low, struct value high)
{
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("case"));
	writer_begin_array(w, key_of("$and"));
	write_comparison(w, "$gte", group_by, low);
	write_comparison(w, "$lt", group_by, high);
	writer_end(w);
	writer_end(w);
	writer_begin_document(w, key_of("then"));
	writer_put(w, "$literal", low);
	writer_end(w);
	writer_end(w);
}

static void write_switch(struct writer *w, const struct bucket_options *o)
{
	struct walk walk;
	struct field low, high;

	writer_begin_document(w, key_of("_id"));
	writer_begin_document(w, key_of("$switch"));
	writer_begin_array(w, key_of("branches"));
	walk_begin(&walk, o->boundaries);
	for (walk_next(&walk, &low); walk_next(&walk, &high); low = high)
		write_branch(w, o->group_by, low.value, high.value);
	writer_end(w);
	if (!value_is_missing(o->standard)) {
		writer_begin_document(w, key_of("default"));
		writer_put(w, "$literal", o->standard);
		writer_end(w);
	}
	writer_end(w);
	writer_end(w);
}

bool stage_bucket_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct bucket_options o = { value_missing(), value_missing(), value_missing(),
		                    value_missing(), BYTES_INIT,      BYTES_INIT };
	struct bytes group = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;
	bool ok = true;

	(void)name;
	if (!value_is_document(specification))
		return pipeline_refuse(p, 40201,
		                       "Argument to $bucket stage must be an object, but found type: %s.",
		                       value_type_name(specification.type));
	for (walk_begin(&walk, specification); ok && walk_next(&walk, &f);)
		ok = read_bucket_option(p, &o, f);
	if (ok && (ok = check_bucket(p, &o))) {
		writer_begin(&w, &group);
		if (value_is_missing(o.output))
			write_sum_of_ones(&w, key_of("count"));
		else
			writer_fields(&w, o.output);
		write_switch(&w, &o);
		ok = finish_group(p, &w) && parse_single(p, "$sort", "_id", 1);
	}
	bytes_clear(&o.boundary_bytes);
	bytes_clear(&o.standard_bytes);
	return ok;
}
