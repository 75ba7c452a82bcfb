/* A filter document becomes a tree. The tables name every operator; words and codes are MongoDB's. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/match_parser.h"

#include "base/memory.h"

enum { PATH_LENGTH_LIMIT = 200 };

bool match_bad_value(struct match_parser *p, const char *format, ...)
{
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return error_set(p->error, ERROR_SERVER, CODE_BadValue, "%s", message);
}

struct field match_first_field(struct value document)
{
	struct walk w;
	struct field f;

	walk_begin(&w, document);
	if (walk_next(&w, &f))
		return f;
	return (struct field){ key_of(""), value_missing() };
}

/* A reference to another document is a value, whatever its field names look like. */
static bool is_reference(struct value document, bool incomplete_too)
{
	bool ref = !value_is_missing(value_get(document, "$ref")), id = !value_is_missing(value_get(document, "$id"));

	return incomplete_too ? ref || id || !value_is_missing(value_get(document, "$db")) : ref && id;
}

bool match_is_operators(struct value v, bool incomplete_references)
{
	struct key first;

	if (v.type != BSON_TYPE_DOCUMENT)
		return false;
	first = match_first_field(v).key;
	return first.size_bytes && first.bytes[0] == '$' && !is_reference(v, incomplete_references);
}

static bool check_path(struct match_parser *p, struct key path)
{
	size_t components = 1;

	for (uint32_t i = 0; i < path.size_bytes; i++)
		components += path.bytes[i] == '.';
	if (components > PATH_LENGTH_LIMIT)
		return error_set(p->error, ERROR_SERVER, CODE_Overflow,
		                 "Field path has too many components; the limit is %d", PATH_LENGTH_LIMIT);
	return true;
}

/* Operators that stand where a field name would. */
struct tree_call {
	struct match_parser *p;
	struct match *into;
	const char *name;
	enum match_kind kind;
	struct value operand;
	bool top;
};

static bool parse_tree(struct tree_call *c)
{
	struct match *m;
	struct walk w;
	struct field f;

	if (c->operand.type != BSON_TYPE_ARRAY)
		return match_bad_value(c->p, "%s must be an array", c->name);
	if (!value_count(c->operand))
		return match_bad_value(c->p, "$and/$or/$nor must be a nonempty array");
	m = match_new(c->kind);
	match_add(c->into, m);
	walk_begin(&w, c->operand);
	while (walk_next(&w, &f)) {
		struct match *child;

		if (f.value.type != BSON_TYPE_DOCUMENT)
			return match_bad_value(c->p, "$or/$and/$nor entries need to be full objects");
		if (!match_parse_document(c->p, f.value, c->top, &child))
			return false;
		match_add(m, child);
	}
	return true;
}

static bool parse_comment(struct tree_call *c)
{
	(void)c;
	return true;
}

static bool parse_expression(struct tree_call *c)
{
	struct match_expression *e;
	struct expression *expression;
	struct match *m;

	if (!c->top)
		return match_bad_value(c->p, "$expr can only be applied to the top-level document");
	expression = expression_compile(c->operand, c->p->scope, c->p->error);
	if (!expression)
		return false;
	m = match_new(MATCH_EXPR);
	m->compiled = e = memory_allocate_zeroed(1, sizeof *e);
	e->expression = expression;
	arena_init(&e->scratch);
	match_add(c->into, m);
	return true;
}

static bool parse_schema(struct tree_call *c)
{
	struct match_schema *schema;
	struct match *m;

	if (c->operand.type != BSON_TYPE_DOCUMENT)
		return error_set(c->p->error, ERROR_SERVER, CODE_TypeMismatch, "$jsonSchema must be an object");
	m = match_new(MATCH_JSON_SCHEMA);
	match_set_operand(m, c->operand);
	schema = match_schema_compile(m->operand, c->p->error);
	m->compiled = schema;
	match_add(c->into, m);
	return schema;
}

static bool parse_always(struct tree_call *c)
{
	int64_t n;

	if (!match_parse_long(c->operand, c->name, &n, c->p->error))
		return false;
	if (n != 1)
		return error_set(c->p->error, ERROR_SERVER, CODE_FailedToParse, "%s must be an integer value of 1", c->name);
	match_add(c->into, match_new(c->kind));
	return true;
}

static bool parse_reference_part(struct tree_call *c)
{
	return match_add_comparison(c->p, c->into, MATCH_EQ, key_of(c->name), c->operand);
}

static bool refuse_tree(struct tree_call *c)
{
	if (!c->top)
		return match_bad_value(c->p, "%s can only be applied to the top-level document", c->name);
	return match_bad_value(c->p, "%s is not supported by this engine", c->name);
}

static const struct tree_operator {
	const char *name;
	bool (*parse)(struct tree_call *c);
	enum match_kind kind;
} tree_operators[] = {
	{ "$and", parse_tree, MATCH_AND },
	{ "$or", parse_tree, MATCH_OR },
	{ "$nor", parse_tree, MATCH_NOR },
	{ "$expr", parse_expression, MATCH_EXPR },
	{ "$jsonSchema", parse_schema, MATCH_JSON_SCHEMA },
	{ "$comment", parse_comment, MATCH_ALWAYS_TRUE },
	{ "$alwaysTrue", parse_always, MATCH_ALWAYS_TRUE },
	{ "$alwaysFalse", parse_always, MATCH_ALWAYS_FALSE },
	{ "$ref", parse_reference_part, MATCH_EQ },
	{ "$id", parse_reference_part, MATCH_EQ },
	{ "$db", parse_reference_part, MATCH_EQ },
	{ "$text", refuse_tree, MATCH_ALWAYS_FALSE },
	{ "$where", refuse_tree, MATCH_ALWAYS_FALSE },
	{ "$sampleRate", refuse_tree, MATCH_ALWAYS_FALSE },
};

static const struct tree_operator *find_tree_operator(struct key name)
{
	for (size_t i = 0; i < sizeof tree_operators / sizeof *tree_operators; i++)
		if (key_is(name, tree_operators[i].name))
			return &tree_operators[i];
	return NULL;
}

bool match_is_pathless(struct key name)
{
	return find_tree_operator(name) != NULL;
}

static bool parse_field(struct match_parser *p, struct field f, bool top, struct match *into)
{
	if (f.key.size_bytes && f.key.bytes[0] == '$') {
		const struct tree_operator *operator = find_tree_operator(f.key);
		struct tree_call call;

		if (!operator)
			return match_bad_value(p, "unknown top level operator: %.*s. If you have a field name that starts with a '$' "
			                 "symbol, consider using $getField or $setField.", (int)f.key.size_bytes, f.key.bytes);
		call = (struct tree_call){ p, into, operator->name, operator->kind, f.value, top };
		return operator->parse(&call);
	}
	if (!check_path(p, f.key))
		return false;
	if (match_is_operators(f.value, false))
		return match_parse_operators(p, f.key, f.value, into);
	if (f.value.type == BSON_TYPE_REGEX)
		return match_add_regex_value(p, into, f.key, f.value);
	return match_add_comparison(p, into, MATCH_EQ, f.key, f.value);
}

/* *out is null unless the whole document was understood. */
bool match_parse_document(struct match_parser *p, struct value filter, bool top, struct match **out)
{
	struct match *root = match_new(MATCH_AND);
	struct walk w;
	struct field f;

	*out = NULL;
	if (++p->depth > MATCH_TREE_DEPTH_LIMIT) {
		match_destroy(root);
		return match_bad_value(p, "exceeded maximum query tree depth of %d", MATCH_TREE_DEPTH_LIMIT);
	}
	walk_begin(&w, filter);
	while (walk_next(&w, &f)) {
		if (!parse_field(p, f, top, root)) {
			match_destroy(root);
			return false;
		}
	}
	p->depth--;
	if (root->child_count == 1) {
		*out = root->children[0];
		root->child_count = 0;
		match_destroy(root);
	} else {
		*out = root;
	}
	return true;
}

struct match *match_compile(struct value filter, const struct expression_scope *scope, bson_error_t *error)
{
	struct match_parser p = { scope, error, 0 };
	struct match *out;

	if (!match_parse_document(&p, filter, true, &out))
		return NULL;
	match_prepare_fields(out);
	return out;
}
