#include "engine/expression_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"

static bool evaluate_constant(const struct expression *e, struct evaluation *at, struct value *out)
{
	(void)at;
	*out = e->constant;
	return true;
}

static void write_constant(const struct expression *e, struct writer *w, struct key key)
{
	if (value_is_missing(e->constant)) {
		writer_raw(w, key, BSON_TYPE_UTF8, "\11\0\0\0$$REMOVE", 13);
		return;
	}
	writer_begin_document(w, key);
	writer_put(w, "$const", e->constant);
	writer_end(w);
}

static bool evaluate_array(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct list items;
	struct value v;

	list_init(&items, at);
	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		list_push(&items, v);
	}
	return list_array(&items, at, out);
}

static void write_array(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_array(w, key);
	for (size_t i = 0; i < e->count; i++)
		expression_write(e->arguments[i], w, key);
	writer_end(w);
}

static bool evaluate_object(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct fields fields;
	struct value v;

	fields_init(&fields, at);
	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, &v))
			return false;
		fields_append(&fields, key_of(e->names[i]), v);
	}
	return fields_document(&fields, at, out);
}

static void write_object(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	for (size_t i = 0; i < e->count; i++)
		expression_write(e->arguments[i], w, key_of(e->names[i]));
	writer_end(w);
}

static const struct operator constant_operator = { .evaluate = evaluate_constant, .write = write_constant };
static const struct operator array_operator = { .evaluate = evaluate_array, .write = write_array };
static const struct operator object_operator = { .evaluate = evaluate_object, .write = write_object };

const struct operator *expression_operator_find(struct key name)
{
	static const struct operator *const tables[] = {
		expression_arithmetic_operators, expression_array_operators, expression_boolean_operators,
		expression_comparison_operators, expression_conditional_operators, expression_convert_operators,
		expression_date_operators, expression_date_arithmetic_operators, expression_fold_operators,
		expression_iterate_operators, expression_object_operators, expression_pick_operators, expression_regex_operators,
		expression_set_operators, expression_string_operators,
	};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct operator *o = tables[i]; o->name; o++)
			if (key_is(name, o->name))
				return o;
	return NULL;
}

struct expression *expression_new(const struct operator *o, size_t argument_count)
{
	struct expression *e = memory_allocate_zeroed(1, sizeof *e);

	e->operator = o;
	e->count = argument_count;
	e->arguments = argument_count ? memory_allocate_zeroed(argument_count, sizeof *e->arguments) : NULL;
	return e;
}

struct expression *expression_new_constant(struct value v)
{
	struct expression *e = expression_new(&constant_operator, 0);

	expression_become_constant(e, v);
	return e;
}

void expression_keep_name(struct expression *e, struct key name)
{
	char *copy = memory_allocate((size_t)name.size_bytes + 1);

	if (name.size_bytes)
		memcpy(copy, name.bytes, name.size_bytes);
	copy[name.size_bytes] = 0;
	e->names = memory_resize(e->names, e->name_count + 1, sizeof *e->names);
	e->names[e->name_count++] = copy;
}

static void destroy_arguments(struct expression *e)
{
	for (size_t i = 0; i < e->count; i++)
		expression_destroy(e->arguments[i]);
	for (size_t i = 0; i < e->name_count; i++)
		free(e->names[i]);
	free(e->arguments);
	free(e->names);
	e->arguments = NULL;
	e->names = NULL;
	e->count = e->name_count = 0;
}

void expression_become_constant(struct expression *e, struct value v)
{
	uint8_t *storage = memory_duplicate(v.bytes, v.size_bytes);

	destroy_arguments(e);
	free(e->storage);
	e->operator = &constant_operator;
	e->storage = storage;
	e->constant = (struct value){ storage, v.size_bytes, v.type };
}

void expression_destroy(struct expression *e)
{
	if (!e)
		return;
	destroy_arguments(e);
	path_clear(&e->path);
	if (e->regex)
		regex_destroy(e->regex);
	if (e->sort)
		sort_pattern_destroy(e->sort);
	free(e->storage);
	free(e->constant_error);
	free(e);
}

bool expression_is_literal(const struct expression *e)
{
	return e->operator == &constant_operator;
}

bool compile_fail(struct compiler *c, uint32_t code, const char *format, ...)
{
	struct bytes text = BYTES_INIT;
	va_list arguments;

	va_start(arguments, format);
	bytes_format_v(&text, format, arguments);
	va_end(arguments);
	error_set(c->shared->error, ERROR_SERVER, code, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

/* Replaces a node whose arguments are all constant by its value; a failure is remembered and the node stays. */
static void fold(struct expression *e, struct compiler *c)
{
	struct execution x;
	struct evaluation at = { .x = &x, .root = value_missing() };
	struct value v;

	if (e->operator == &constant_operator || e->operator->flags & OPERATOR_NOT_FOLDED)
		return;
	for (size_t i = 0; i < e->count; i++)
		if (e->arguments[i] && !expression_is_literal(e->arguments[i]))
			return;
	execution_init(&x, NULL, "", NULL);
	at.arena = &x.scratch;
	if (evaluate(e, &at, &v))
		expression_become_constant(e, v);
	else if (!c->shared->constant_error)
		c->shared->constant_error = memory_duplicate(&x.error, sizeof x.error);
	execution_clear(&x);
}

bool compile_arguments(struct expression *e, struct value specification, struct compiler *c)
{
	bool many = value_is_array(specification);
	size_t end = e->count + (many ? value_count(specification) : 1);
	struct field f = { .value = specification };
	struct walk w;

	e->arguments = memory_resize(e->arguments, end, sizeof *e->arguments);
	if (many)
		walk_begin(&w, specification);
	while (e->count < end && (!many || walk_next(&w, &f))) {
		e->arguments[e->count] = compile_operand(f.value, c);
		if (!e->arguments[e->count++])
			return false;
	}
	return true;
}

static bool arity_check(const struct expression *e, struct compiler *c)
{
	const struct operator *o = e->operator;
	int given = (int)e->count;

	if (given >= o->min && (o->max < 0 || given <= o->max))
		return true;
	if (o->arity_code)
		return compile_fail(c, o->arity_code, "%s %s%d", o->name, o->arity_text, given);
	if (o->min == o->max)
		return compile_fail(c, 16020, "Expression %s takes exactly %d arguments. %d were passed in.", o->name, o->min, given);
	return compile_fail(c, 28667,
	                    "Expression %s takes at least %d arguments, and at most %d, but %d were passed in.",
	                    o->name, o->min, o->max, given);
}

bool compile_positional(struct expression *e, struct value specification, struct compiler *c)
{
	return compile_arguments(e, specification, c) && arity_check(e, c);
}

static size_t named_index(const struct named_arguments *named, struct key name)
{
	size_t i = 0;

	while (named->items[i].name && !key_is(name, named->items[i].name))
		i++;
	return i;
}

bool compile_named(struct expression *e, struct value specification, const struct named_arguments *named,
                   struct compiler *c)
{
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, named->not_object_code, "%s%s", named->not_object,
		                    named->not_object[strlen(named->not_object) - 1] == ' ' ? value_type_name(specification.type)
		                                                                            : "");
	e->count = named_index(named, key_of(""));
	e->arguments = memory_allocate_zeroed(e->count, sizeof *e->arguments);
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		size_t i = named_index(named, f.key);

		if (i == e->count)
			return compile_fail(c, named->unknown_code, "%s%.*s", named->unknown, (int)f.key.size_bytes, f.key.bytes);
		expression_destroy(e->arguments[i]);
		e->arguments[i] = compile_operand(f.value, c);
		if (!e->arguments[i])
			return false;
	}
	for (size_t i = 0; i < e->count; i++)
		if (!e->arguments[i] && named->items[i].missing_code)
			return compile_fail(c, named->items[i].missing_code, "%s", named->items[i].missing);
	return true;
}

static struct expression *compile_operator(struct value specification, struct field first, struct compiler *c)
{
	const struct operator *o;
	struct expression *e;
	bool compiled;

	if (value_count(specification) != 1) {
		struct bytes text = BYTES_INIT;

		print_line(&text, specification, PRINT_SERVER);
		compile_fail(c, 15983, "An object representing an expression must have exactly one field: %s", bytes_text(&text));
		bytes_clear(&text);
		return NULL;
	}
	o = expression_operator_find(first.key);
	if (!o) {
		compile_fail(c, 168, "Unrecognized expression '%.*s'", (int)first.key.size_bytes, first.key.bytes);
		return NULL;
	}
	e = expression_new(o, 0);
	if (o->compile)
		compiled = o->compile(e, first.value, c);
	else if (o->named)
		compiled = compile_named(e, first.value, o->named, c);
	else
		compiled = compile_positional(e, first.value, c);
	if (!compiled) {
		expression_destroy(e);
		return NULL;
	}
	return e;
}

static bool object_field_check(const struct expression *e, struct key name, struct compiler *c)
{
	if (name.size_bytes && name.bytes[0] == '$')
		return compile_fail(c, 15983, "An object representing an expression must have exactly one field");
	if (memchr(name.bytes, '.', name.size_bytes))
		return compile_fail(c, 16412, "FieldPath field names may not contain '.'.");
	for (size_t i = 0; i < e->name_count; i++)
		if (key_is(name, e->names[i]))
			return compile_fail(c, 16406, "duplicate field name specified in object literal: %s", e->names[i]);
	return true;
}

static struct expression *compile_object(struct value specification, struct compiler *c)
{
	struct expression *e = expression_new(&object_operator, value_count(specification));
	struct walk w;
	struct field f;
	size_t i = 0;

	walk_begin(&w, specification);
	while (i < e->count && walk_next(&w, &f)) {
		if (!object_field_check(e, f.key, c) || !(e->arguments[i] = compile_operand(f.value, c))) {
			expression_destroy(e);
			return NULL;
		}
		expression_keep_name(e, f.key);
		i++;
	}
	return e;
}

static struct expression *compile_document(struct value specification, struct compiler *c)
{
	struct walk w;
	struct field first;

	walk_begin(&w, specification);
	if (walk_next(&w, &first) && first.key.size_bytes && first.key.bytes[0] == '$')
		return compile_operator(specification, first, c);
	return compile_object(specification, c);
}

static struct expression *compile_array(struct value specification, struct compiler *c)
{
	struct expression *e = expression_new(&array_operator, 0);

	if (compile_arguments(e, specification, c))
		return e;
	expression_destroy(e);
	return NULL;
}

static bool is_path(struct value v)
{
	struct key text;

	if (v.type != BSON_TYPE_UTF8)
		return false;
	text = value_text(v);
	return text.size_bytes && text.bytes[0] == '$';
}

struct expression *compile_operand(struct value specification, struct compiler *c)
{
	struct expression *e;

	if (++c->shared->depth > VALUE_DEPTH_LIMIT) {
		compile_fail(c, CODE_Overflow, "expression is nested deeper than %d levels", (int)VALUE_DEPTH_LIMIT);
		return NULL;
	}
	if (value_is_document(specification))
		e = compile_document(specification, c);
	else if (value_is_array(specification))
		e = compile_array(specification, c);
	else if (is_path(specification))
		e = compile_path(value_text(specification), c);
	else
		e = expression_new_constant(specification);
	c->shared->depth--;
	if (e)
		fold(e, c);
	return e;
}

struct expression *expression_compile(struct value specification, const struct expression_scope *scope,
                                      bson_error_t *error)
{
	struct compilation shared = { .error = error };
	struct compiler c = { scope, &shared };
	struct expression *e = compile_operand(specification, &c);

	if (e)
		e->constant_error = shared.constant_error;
	else
		free(shared.constant_error);
	return e;
}

bool expression_check_constants(const struct expression *e, bson_error_t *error)
{
	if (!e->constant_error)
		return true;
	if (error)
		*error = *e->constant_error;
	return false;
}

bool expression_evaluate(const struct expression *e, struct execution *x, struct arena *arena, struct value root,
                         struct value *out)
{
	struct evaluation at = { x, arena, root };

	return evaluate(e, &at, out);
}

bool expression_is_constant(const struct expression *e, struct value *constant)
{
	if (!expression_is_literal(e))
		return false;
	if (constant)
		*constant = e->constant;
	return true;
}

const char *expression_field_path(const struct expression *e)
{
	return e->operator == &expression_path_operator && e->path.count ? e->path.text : NULL;
}

bool expression_dependencies(const struct expression *e, void (*visit)(void *context, const char *path), void *context)
{
	if (e->operator == &expression_path_operator) {
		if (!e->path.count)
			return false;
		visit(context, e->path.text);
		return true;
	}
	for (size_t i = 0; i < e->count; i++)
		if (e->arguments[i] && !expression_dependencies(e->arguments[i], visit, context))
			return false;
	return true;
}

static void write_named(const struct expression *e, struct writer *w)
{
	writer_begin_document(w, key_of(e->operator->name));
	for (size_t i = 0; i < e->count; i++)
		if (e->arguments[i])
			expression_write(e->arguments[i], w, key_of(e->operator->named->items[i].name));
	writer_end(w);
}

void expression_write(const struct expression *e, struct writer *w, struct key key)
{
	if (e->operator->write) {
		e->operator->write(e, w, key);
		return;
	}
	writer_begin_document(w, key);
	if (e->operator->named)
		write_named(e, w);
	else
		write_array(e, w, key_of(e->operator->name));
	writer_end(w);
}
