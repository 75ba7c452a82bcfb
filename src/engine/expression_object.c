#include <string.h>

#include "engine/expression_internal.h"

static bool compile_literal(struct expression *e, struct value specification, struct compiler *c)
{
	(void)c;
	expression_become_constant(e, specification);
	return true;
}

static bool evaluate_type(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;
	const char *name;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	name = value_type_name(v.type);
	*out = value_make_text(at->arena, name, strlen(name));
	return true;
}

static bool evaluate_bson_size(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	if (value_is_nullish(v)) {
		*out = value_null();
		return true;
	}
	if (!value_is_document(v))
		return execution_fail(at->x, 31393, "$bsonSize requires a document input, found: %s", value_type_name(v.type));
	*out = value_make_int32(at->arena, (int32_t)v.size_bytes);
	return true;
}

static bool evaluate_binary_size(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v;

	if (!evaluate_argument(e, at, 0, &v))
		return false;
	if (value_is_nullish(v)) {
		*out = value_null();
		return true;
	}
	if (v.type != BSON_TYPE_UTF8 && v.type != BSON_TYPE_BINARY)
		return execution_fail(at->x, 51276, "$binarySize requires a string or BinData argument, found: %s",
		                      value_type_name(v.type));
	*out = value_make_int32(at->arena, (int32_t)v.size_bytes - 5);
	return true;
}

static bool merge(struct fields *merged, struct evaluation *at, struct value v)
{
	struct walk w;
	struct field f;

	if (value_is_nullish(v))
		return true;
	if (!value_is_document(v))
		return execution_fail(at->x, 40400, "$mergeObjects requires object inputs, but input %s is of type %s",
		                      evaluation_text(at, v), value_type_name(v.type));
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		fields_set(merged, f.key, f.value);
	return true;
}

/* A single argument that is an array stands for its elements. */
static bool evaluate_merge(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct fields merged;
	struct value v;
	struct walk w;
	struct field f;

	fields_init(&merged, at);
	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		if (e->count > 1 || !value_is_array(v)) {
			if (!merge(&merged, at, v))
				return false;
			continue;
		}
		walk_begin(&w, v);
		while (walk_next(&w, &f))
			if (!merge(&merged, at, f.value))
				return false;
	}
	return fields_document(&merged, at, out);
}

static bool pair(struct evaluation *at, struct field field, struct value *out)
{
	struct fields k_and_v;

	fields_init(&k_and_v, at);
	fields_append(&k_and_v, key_of("k"), value_make_text(at->arena, field.key.bytes, field.key.size_bytes));
	fields_append(&k_and_v, key_of("v"), field.value);
	return fields_document(&k_and_v, at, out);
}

static bool evaluate_object_to_array(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value object, v;
	struct list pairs;
	struct walk w;
	struct field f;

	if (!evaluate_argument(e, at, 0, &object))
		return false;
	if (value_is_nullish(object)) {
		*out = value_null();
		return true;
	}
	if (!value_is_document(object))
		return execution_fail(at->x, 40390, "$objectToArray requires a document input, found: %s",
		                      value_type_name(object.type));
	list_init(&pairs, at);
	walk_begin(&w, object);
	while (walk_next(&w, &f)) {
		if (!pair(at, f, &v))
			return false;
		list_push(&pairs, v);
	}
	return list_array(&pairs, at, out);
}

static bool key_has_nul(struct evaluation *at, struct value name)
{
	struct key text = value_text(name);

	if (!memchr(text.bytes, 0, text.size_bytes))
		return false;
	execution_fail(at->x, 4940401, "Key field cannot contain an embedded null byte");
	return true;
}

/* [key, value] */
static bool field_of_pair(struct evaluation *at, struct value v, struct field *out)
{
	struct walk w;
	struct field name, value;

	if (!value_is_array(v))
		return execution_fail(
			at->x, 40396,
			"$arrayToObject requires a consistent input format. Elements must all be arrays or "
			"all be objects. Array was detected, now found: %s",
			value_type_name(v.type));
	if (value_count(v) != 2)
		return execution_fail(at->x, 40397, "$arrayToObject requires an array of size 2 arrays,found array of size: %u",
		                      value_count(v));
	walk_begin(&w, v);
	walk_next(&w, &name);
	walk_next(&w, &value);
	if (name.value.type != BSON_TYPE_UTF8)
		return execution_fail(
			at->x, 40395,
			"$arrayToObject requires an array of key-value pairs, where the key must be of type "
			"string. Found key type: %s",
			value_type_name(name.value.type));
	*out = (struct field){ value_text(name.value), value.value };
	return !key_has_nul(at, name.value);
}

/* {k: key, v: value} */
static bool field_of_object(struct evaluation *at, struct value v, struct field *out)
{
	struct value name, value;

	if (!value_is_document(v))
		return execution_fail(
			at->x, 40391,
			"$arrayToObject requires a consistent input format. Elements must all be arrays or "
			"all be objects. Object was detected, now found: %s",
			value_type_name(v.type));
	if (value_count(v) != 2)
		return execution_fail(
			at->x, 40392,
			"$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of "
			"keys:%u",
			value_count(v));
	name = value_get(v, "k");
	value = value_get(v, "v");
	if (value_is_missing(name) || value_is_missing(value))
		return execution_fail(
			at->x, 40393,
			"$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys "
			"from: %s",
			evaluation_text(at, v));
	if (name.type != BSON_TYPE_UTF8)
		return execution_fail(
			at->x, 40394,
			"$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must "
			"be of type string. Found type: %s",
			value_type_name(name.type));
	*out = (struct field){ value_text(name), value };
	return !key_has_nul(at, name);
}

static bool evaluate_array_to_object(const struct expression *e, struct evaluation *at, struct value *out)
{
	bool (*read)(struct evaluation *, struct value, struct field *) = NULL;
	struct value array;
	struct fields object;
	struct walk w;
	struct field f, made;

	if (!evaluate_argument(e, at, 0, &array))
		return false;
	if (value_is_nullish(array)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(array))
		return execution_fail(at->x, 40386, "$arrayToObject requires an array input, found: %s", value_type_name(array.type));
	fields_init(&object, at);
	walk_begin(&w, array);
	while (walk_next(&w, &f)) {
		if (!read && !value_is_array(f.value) && !value_is_document(f.value))
			return execution_fail(at->x, 40398, "Unrecognised input type format for $arrayToObject: %s",
			                      value_type_name(f.value.type));
		if (!read)
			read = value_is_array(f.value) ? field_of_pair : field_of_object;
		if (!read(at, f.value, &made))
			return false;
		fields_set(&object, made.key, made.value);
	}
	return fields_document(&object, at, out);
}

const struct operator expression_object_operators[] = {
	{ .name = "$arrayToObject", .min = 1, .max = 1, .evaluate = evaluate_array_to_object },
	{ .name = "$binarySize", .min = 1, .max = 1, .evaluate = evaluate_binary_size },
	{ .name = "$bsonSize", .min = 1, .max = 1, .evaluate = evaluate_bson_size },
	{ .name = "$const", .compile = compile_literal },
	{ .name = "$literal", .compile = compile_literal },
	{ .name = "$mergeObjects", .max = -1, .evaluate = evaluate_merge },
	{ .name = "$objectToArray", .min = 1, .max = 1, .evaluate = evaluate_object_to_array },
	{ .name = "$type", .min = 1, .max = 1, .evaluate = evaluate_type },
	{ .name = NULL },
};
