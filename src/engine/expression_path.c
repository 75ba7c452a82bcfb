#include <string.h>

#include "engine/expression_internal.h"

enum { FIELD_PATH_LEVELS = 200 };

/* Names that begin with a dollar sign and still are fields: those of a DBRef. */
static bool is_reference_name(const char *at, size_t size)
{
	return (size == 3 && (!memcmp(at, "$id", 3) || !memcmp(at, "$db", 3))) || (size == 4 && !memcmp(at, "$ref", 4));
}

bool field_path_check(struct key dotted, bson_error_t *error)
{
	size_t start = 0, levels = 0;

	if (!dotted.size_bytes)
		return error_set(error, ERROR_SERVER, 40352, "FieldPath cannot be constructed with empty string");
	if (dotted.bytes[dotted.size_bytes - 1] == '.')
		return error_set(error, ERROR_SERVER, 40353, "FieldPath must not end with a '.'.");
	if (memchr(dotted.bytes, 0, dotted.size_bytes))
		return error_set(error, ERROR_SERVER, 16411, "FieldPath field names may not contain '\\0'.");
	for (size_t i = 0; i <= dotted.size_bytes; i++) {
		if (i < dotted.size_bytes && dotted.bytes[i] != '.')
			continue;
		if (i == start)
			return error_set(error, ERROR_SERVER, 15998, "FieldPath field names may not be empty strings.");
		if (dotted.bytes[start] == '$' && !is_reference_name(dotted.bytes + start, i - start))
			return error_set(error, ERROR_SERVER, 16410,
			                 "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
		levels++;
		start = i + 1;
	}
	if (levels > FIELD_PATH_LEVELS)
		return error_set(error, ERROR_SERVER, CODE_Overflow, "FieldPath is too long");
	return true;
}

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c & 0x80);
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool rest_of_name_check(struct key name, bson_error_t *error)
{
	for (uint32_t i = 1; i < name.size_bytes; i++) {
		char c = name.bytes[i];

		if (!is_lower(c) && !is_upper(c) && !(c >= '0' && c <= '9') && c != '_')
			return error_set(error, ERROR_SERVER, CODE_FailedToParse,
			                 "'%.*s' contains an invalid character for a variable name: '%c'", (int)name.size_bytes,
			                 name.bytes, c);
	}
	return true;
}

bool variable_name_check(struct key name, bson_error_t *error)
{
	if (!name.size_bytes)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "empty variable names are not allowed");
	if (key_is(name, "CURRENT"))
		return true;
	if (!is_lower(name.bytes[0]))
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "'%.*s' starts with an invalid character for a user variable name",
		                 (int)name.size_bytes, name.bytes);
	return rest_of_name_check(name, error);
}

static bool read_name_check(struct key name, bson_error_t *error)
{
	if (!name.size_bytes)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "empty variable names are not allowed");
	if (!is_lower(name.bytes[0]) && !is_upper(name.bytes[0]))
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "'%.*s' starts with an invalid character for a variable name", (int)name.size_bytes, name.bytes);
	return rest_of_name_check(name, error);
}

static const struct expression_scope *scope_find(const struct expression_scope *scope, struct key name)
{
	for (; scope; scope = scope->parent)
		if (scope->name && key_is(name, scope->name))
			return scope;
	return NULL;
}

size_t expression_scope_next_slot(const struct expression_scope *scope)
{
	size_t next = 0;

	for (; scope; scope = scope->parent)
		if (scope->name && scope->slot >= next)
			next = scope->slot + 1;
	return next;
}

static bool evaluate_now(const struct expression *e, struct evaluation *at, struct value *out)
{
	(void)e;
	*out = value_make_date(at->arena, at->x->now_millis);
	return true;
}

static void write_now(const struct expression *e, struct writer *w, struct key key)
{
	(void)e;
	writer_raw(w, key, BSON_TYPE_UTF8, "\6\0\0\0$$NOW", 10);
}

static const struct operator now_operator = { .evaluate = evaluate_now,
	                                      .write = write_now,
	                                      .flags = OPERATOR_NOT_FOLDED };

/* "$$name.rest" without the dollar signs. */
static struct expression *compile_variable(struct key text, struct compiler *c)
{
	bson_error_t *error = c->shared->error;
	const char *dot = memchr(text.bytes, '.', text.size_bytes);
	struct key name = { text.bytes, dot ? (uint32_t)(dot - text.bytes) : text.size_bytes };
	const struct expression_scope *scope;
	struct expression *e;

	if (!read_name_check(name, error) || !field_path_check(text, error))
		return NULL;
	scope = scope_find(c->scope, name);
	/* a path below a date leads nowhere */
	if (!scope && (key_is(name, "REMOVE") || (key_is(name, "NOW") && dot)))
		return expression_new_constant(value_missing());
	if (!scope && key_is(name, "CLUSTER_TIME")) {
		compile_fail(c, 51144, "Builtin variable '$$CLUSTER_TIME' is not available");
		return NULL;
	}
	if (!scope && key_is(name, "NOW"))
		return expression_new(&now_operator, 0);
	if (!scope && !key_is(name, "ROOT") && !key_is(name, "CURRENT")) {
		compile_fail(c, 17276, "Use of undefined variable: %.*s", (int)name.size_bytes, name.bytes);
		return NULL;
	}
	e = expression_new(scope ? &expression_variable_operator : &expression_path_operator, 0);
	e->slot = scope ? scope->slot : 0;
	e->names_root = !scope && (key_is(name, "ROOT") || !dot);
	expression_keep_name(e, name);
	if (dot)
		path_parse(&e->path, (struct key){ dot + 1, (uint32_t)(text.bytes + text.size_bytes - (dot + 1)) });
	return e;
}

struct expression *compile_path(struct key text, struct compiler *c)
{
	static const struct key current = { "CURRENT", 7 };
	const struct expression_scope *scope;
	struct expression *e;
	struct key rest = { text.bytes + 1, text.size_bytes - 1 };

	if (text.size_bytes < 2) {
		compile_fail(c, 16872, "'$' by itself is not a valid FieldPath");
		return NULL;
	}
	if (rest.bytes[0] == '$')
		return compile_variable((struct key){ rest.bytes + 1, rest.size_bytes - 1 }, c);
	if (!field_path_check(rest, c->shared->error))
		return NULL;
	scope = scope_find(c->scope, current);
	e = expression_new(scope ? &expression_variable_operator : &expression_path_operator, 0);
	e->slot = scope ? scope->slot : 0;
	expression_keep_name(e, current);
	path_parse(&e->path, rest);
	return e;
}

/* Of each document in the array what is at the path; what is not there leaves no trace, nor do arrays in arrays. */
static bool collect(struct evaluation *at, struct value array, const struct key *keys, size_t count, struct value *out)
{
	struct list found;
	struct walk w;
	struct field f;
	struct value v;

	list_init(&found, at);
	walk_begin(&w, array);
	while (walk_next(&w, &f)) {
		if (!value_is_document(f.value))
			continue;
		if (!field_path_get(at, f.value, keys, count, &v))
			return false;
		if (!value_is_missing(v))
			list_push(&found, v);
	}
	return list_array(&found, at, out);
}

bool field_path_get(struct evaluation *at, struct value document, const struct key *keys, size_t count,
                    struct value *out)
{
	struct value v = document;

	for (size_t i = 0; i < count; i++) {
		if (value_is_array(v))
			return collect(at, v, keys + i, count - i, out);
		if (!value_is_document(v)) {
			*out = value_missing();
			return true;
		}
		v = value_get_key(v, keys[i]);
	}
	*out = v;
	return true;
}

static bool evaluate_path(const struct expression *e, struct evaluation *at, struct value *out)
{
	return field_path_get(at, at->root, e->path.keys, e->path.count, out);
}

static bool evaluate_variable(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value v = e->slot < at->x->variable_capacity ? at->x->variables[e->slot] : value_missing();

	return field_path_get(at, v, e->path.keys, e->path.count, out);
}

/* "$a.b" below the current document; "$$ROOT", "$$var.a" else. */
static void write_path(const struct expression *e, struct writer *w, struct key key)
{
	struct bytes text = BYTES_INIT;
	static const uint8_t room[4] = { 0 };
	uint32_t size;

	bytes_append(&text, room, 4);
	if (!e->names_root && e->path.count && !strcmp(e->names[0], "CURRENT"))
		bytes_format(&text, "$%s", e->path.text);
	else
		bytes_format(&text, "$$%s%s%s", e->names[0], e->path.count ? "." : "", e->path.count ? e->path.text : "");
	bytes_append_byte(&text, 0);
	size = BSON_UINT32_TO_LE((uint32_t)(text.size - 4));
	memcpy(text.data, &size, 4);
	writer_raw(w, key, BSON_TYPE_UTF8, text.data, text.size);
	bytes_clear(&text);
}

const struct operator expression_path_operator = {
	.evaluate = evaluate_path, .write = write_path, .flags = OPERATOR_NOT_FOLDED
};
const struct operator expression_variable_operator = {
	.evaluate = evaluate_variable, .write = write_path, .flags = OPERATOR_NOT_FOLDED
};
