/* A filter document becomes a tree. The tables name every operator; words and codes are MongoDB's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match_private.h"

#include "base/memory.h"
#include "bson/decimal.h"
#include "bson/print.h"

enum { TREE_DEPTH_LIMIT = 100, PATH_LENGTH_LIMIT = 200 };

struct parser {
	const struct expression_scope *scope;
	bson_error_t *error;
	int depth;
};

static bool bad_value(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool bad_value(struct parser *p, const char *format, ...)
{
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return error_set(p->error, ERROR_SERVER, CODE_BadValue, "%s", message);
}

static bool parse_document(struct parser *p, struct value filter, bool top, struct match **out);
static bool parse_operators(struct parser *p, struct key path, struct value operators, struct match *into);

static struct field first_field(struct value document)
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

static bool is_operators(struct value v, bool incomplete_references)
{
	struct key first;

	if (v.type != BSON_TYPE_DOCUMENT)
		return false;
	first = first_field(v).key;
	return first.size_bytes && first.bytes[0] == '$' && !is_reference(v, incomplete_references);
}

static bool check_path(struct parser *p, struct key path)
{
	size_t components = 1;

	for (uint32_t i = 0; i < path.size_bytes; i++)
		components += path.bytes[i] == '.';
	if (components > PATH_LENGTH_LIMIT)
		return error_set(p->error, ERROR_SERVER, CODE_Overflow,
		                 "Field path has too many components; the limit is %d", PATH_LENGTH_LIMIT);
	return true;
}

static bool add_comparison(struct parser *p, struct match *into, enum match_kind kind, struct key path, struct value v)
{
	struct match *m;

	if (kind != MATCH_EQ && v.type == BSON_TYPE_REGEX)
		return bad_value(p, "Can't have RegEx as arg to predicate over field '%.*s'.", (int)path.size_bytes,
		                 path.bytes ? path.bytes : "");
	if (v.type == BSON_TYPE_UNDEFINED)
		return bad_value(p, "cannot compare to undefined");
	m = match_new_leaf(kind, path);
	match_set_operand(m, v);
	match_add(into, m);
	return true;
}

static bool add_regex(struct parser *p, struct match *into, struct key path, struct key pattern, struct key options)
{
	struct match *m = match_new_leaf(MATCH_REGEX, path);
	struct bytes operand = BYTES_INIT;

	match_add(into, m);
	bytes_append(&operand, pattern.bytes, pattern.size_bytes);
	bytes_append_byte(&operand, 0);
	bytes_append(&operand, options.bytes, options.size_bytes);
	bytes_append_byte(&operand, 0);
	match_set_operand(m, (struct value){ operand.data, (uint32_t)operand.size, BSON_TYPE_REGEX });
	bytes_clear(&operand);
	m->compiled = regex_compile(pattern, options, p->error);
	return m->compiled;
}

static bool add_regex_value(struct parser *p, struct match *into, struct key path, struct value v)
{
	struct key pattern, options;

	value_regex(v, &pattern, &options);
	return add_regex(p, into, path, pattern, options);
}

/* The last child of `into` is put below a $not. */
static void negate_last(struct match *into)
{
	struct match *not = match_new(MATCH_NOT);

	match_add(not, into->children[into->child_count - 1]);
	into->children[into->child_count - 1] = not;
}

/* What a parser of one operator gets: {path: {name: operand, …all}}. */
struct operator_call {
	struct parser *p;
	struct match *into;
	struct key path;
	const char *name;
	enum match_kind kind;
	struct value operand;
	struct value all;
};

static bool parse_comparison(struct operator_call *c)
{
	return add_comparison(c->p, c->into, c->kind, c->path, c->operand);
}

static bool parse_not_equal(struct operator_call *c)
{
	if (c->operand.type == BSON_TYPE_REGEX)
		return bad_value(c->p, "Can't have regex as arg to $ne.");
	if (!add_comparison(c->p, c->into, MATCH_EQ, c->path, c->operand))
		return false;
	negate_last(c->into);
	return true;
}

static bool parse_in(struct operator_call *c)
{
	struct match *m;
	struct walk w;
	struct field f;

	if (c->operand.type != BSON_TYPE_ARRAY)
		return bad_value(c->p, "%s needs an array", c->name);
	walk_begin(&w, c->operand);
	while (walk_next(&w, &f)) {
		if (is_operators(f.value, false))
			return bad_value(c->p, "cannot nest $ under %s", c->name);
		if (f.value.type == BSON_TYPE_UNDEFINED)
			return bad_value(c->p, "InMatchExpression equality cannot be undefined");
	}
	m = match_new_leaf(MATCH_IN, c->path);
	match_set_operand(m, c->operand);
	match_add(c->into, m);
	return match_in_prepare(m, c->p->error);
}

static bool parse_not_in(struct operator_call *c)
{
	if (!parse_in(c))
		return false;
	negate_last(c->into);
	return true;
}

static bool parse_exists(struct operator_call *c)
{
	match_add(c->into, match_new_leaf(MATCH_EXISTS, c->path));
	if (!value_is_true(c->operand))
		negate_last(c->into);
	return true;
}

static bool parse_type(struct operator_call *c)
{
	struct match_types types = { 0 };
	struct match *m;

	if (!match_types_parse(c->operand, "$type", &types.bits, c->p->error))
		return false;
	if (!types.bits)
		return error_set(c->p->error, ERROR_SERVER, CODE_FailedToParse, "%.*s must match at least one type",
		                 (int)c->path.size_bytes, c->path.bytes ? c->path.bytes : "");
	m = match_new_leaf(MATCH_TYPE, c->path);
	match_set_operand(m, c->operand);
	m->compiled = memory_duplicate(&types, sizeof types);
	match_add(c->into, m);
	return true;
}

static bool parse_size(struct operator_call *c)
{
	struct arena a;
	struct match *m;
	int64_t size;
	bson_error_t reason;

	if (!match_parse_non_negative(c->operand, c->name, &size, &reason))
		return bad_value(c->p, "Failed to parse $size. %s", reason.message);
	if (size > INT32_MAX) {
		char element[160];

		return bad_value(c->p, "Failed to parse $size. Cannot represent in an int: %s",
		                 match_print_element(c->name, c->operand, element, sizeof element));
	}
	arena_init(&a);
	m = match_new_leaf(MATCH_SIZE, c->path);
	match_set_operand(m, value_make_int64(&a, size));
	arena_clear(&a);
	match_add(c->into, m);
	return true;
}

static bool mod_part(struct operator_call *c, struct value v, const char *part, int64_t *out)
{
	if (match_coerce_long(v, out))
		return true;
	return bad_value(c->p, "malformed mod, %s value is invalid :: caused by :: %s", part,
	                 v.type == BSON_TYPE_DECIMAL128 || value_as_double(v) - value_as_double(v) != 0
	                 ? "Unable to coerce NaN/Inf to integral type" : "Out of bounds coercing to integral value");
}

static bool parse_mod(struct operator_call *c)
{
	struct match_mod mod;
	struct walk w;
	struct field divisor, remainder, extra;
	struct match *m;

	if (c->operand.type != BSON_TYPE_ARRAY)
		return bad_value(c->p, "malformed mod, needs to be an array");
	walk_begin(&w, c->operand);
	if (!walk_next(&w, &divisor))
		return bad_value(c->p, "malformed mod, not enough elements");
	if (!value_is_number(divisor.value))
		return bad_value(c->p, "malformed mod, divisor not a number");
	if (!walk_next(&w, &remainder))
		return bad_value(c->p, "malformed mod, not enough elements");
	if (!value_is_number(remainder.value))
		return bad_value(c->p, "malformed mod, remainder not a number");
	if (walk_next(&w, &extra))
		return bad_value(c->p, "malformed mod, too many elements");
	if (!mod_part(c, divisor.value, "divisor", &mod.divisor) || !mod_part(c, remainder.value, "remainder", &mod.remainder))
		return false;
	if (mod.divisor == 0)
		return bad_value(c->p, "divisor cannot be 0");
	m = match_new_leaf(MATCH_MOD, c->path);
	m->compiled = memory_duplicate(&mod, sizeof mod);
	match_add(c->into, m);
	return true;
}

/* {$regex: …, $options: …} in any order, and a regex literal may bring its own options. */
static bool parse_regex(struct operator_call *c)
{
	struct key pattern = key_of(""), options = key_of("");
	struct walk w;
	struct field f;

	walk_begin(&w, c->all);
	while (walk_next(&w, &f)) {
		if (key_is(f.key, "$regex")) {
			struct key own = key_of("");

			if (f.value.type == BSON_TYPE_UTF8)
				pattern = value_text(f.value);
			else if (f.value.type == BSON_TYPE_REGEX)
				value_regex(f.value, &pattern, &own);
			else
				return bad_value(c->p, "$regex has to be a string");
			if (own.size_bytes && options.size_bytes)
				return error_set(c->p->error, ERROR_SERVER, 51074,
				                 "options set in both $regex and $options");
			if (own.size_bytes)
				options = own;
		} else if (key_is(f.key, "$options")) {
			if (f.value.type != BSON_TYPE_UTF8)
				return bad_value(c->p, "$options has to be a string");
			if (options.size_bytes)
				return error_set(c->p->error, ERROR_SERVER, 51075,
				                 "options set in both $regex and $options");
			options = value_text(f.value);
		}
	}
	return add_regex(c->p, c->into, c->path, pattern, options);
}

static bool parse_options(struct operator_call *c)
{
	if (value_is_missing(value_get(c->all, "$regex")))
		return bad_value(c->p, "$options needs a $regex");
	return true;
}

static bool bit_position(struct parser *p, struct value v, uint32_t *position)
{
	char element[160];
	int64_t n;

	match_print_element("", v, element, sizeof element);
	if (!value_is_number(v))
		return bad_value(p, "bit positions must be an integer but got: %s", element + 2);
	if (value_as_double(v) != value_as_double(v))
		return bad_value(p, "bit positions cannot take a NaN: %s", element + 2);
	if (!match_coerce_long(v, &n) || n > INT32_MAX || n < INT32_MIN)
		return bad_value(p, "bit positions cannot be represented as a 32-bit signed integer: %s", element + 2);
	if (!value_as_int64(v, &n))
		return bad_value(p, "bit positions must be an integer but got: %s", element + 2);
	if (n < 0)
		return bad_value(p, "bit positions must be >= 0 but got: %s", element + 2);
	*position = (uint32_t)n;
	return true;
}

static bool bits_from_array(struct parser *p, struct value array, struct match_bits *bits)
{
	struct walk w;
	struct field f;

	walk_begin(&w, array);
	while (walk_next(&w, &f))
		if (!bit_position(p, f.value, &bits->positions[bits->count++]))
			return false;
	return true;
}

static bool parse_bits(struct operator_call *c)
{
	uint8_t mask[8], subtype;
	const uint8_t *bytes = mask;
	uint32_t size = sizeof mask;
	struct match_bits *bits;
	struct match *m;
	int64_t number;
	char element[160];

	if (value_is_number(c->operand)) {
		if (!match_parse_non_negative(c->operand, c->name, &number, c->p->error))
			return false;
		for (unsigned i = 0; i < 8; i++)
			mask[i] = (uint8_t)((uint64_t)number >> 8 * i);
	} else if (c->operand.type == BSON_TYPE_BINARY) {
		bytes = value_binary(c->operand, &subtype, &size);
	} else if (c->operand.type != BSON_TYPE_ARRAY) {
		return bad_value(c->p, "%.*s takes an Array, a number, or a BinData but received: %s",
		                 (int)c->path.size_bytes, c->path.bytes ? c->path.bytes : "",
		                 match_print_element(c->name, c->operand, element, sizeof element));
	}
	m = match_new_leaf(c->kind, c->path);
	match_add(c->into, m);
	m->compiled = bits = memory_allocate_zeroed(
		1, sizeof *bits + sizeof bits->positions[0] *
		   (c->operand.type == BSON_TYPE_ARRAY ? value_count(c->operand) : (size_t)size * 8));
	if (c->operand.type == BSON_TYPE_ARRAY)
		return bits_from_array(c->p, c->operand, bits);
	for (uint32_t i = 0; i < size * 8; i++)
		if (bytes[i / 8] >> i % 8 & 1)
			bits->positions[bits->count++] = i;
	return true;
}

static bool is_pathless(struct key name);
static bool is_path_operator(struct key name);

static bool parse_elem_match(struct operator_call *c)
{
	struct match *m;
	bool values;

	if (c->operand.type != BSON_TYPE_DOCUMENT)
		return bad_value(c->p, "$elemMatch needs an Object");
	values = is_operators(c->operand, true) && !is_pathless(first_field(c->operand).key);
	m = match_new_leaf(values ? MATCH_ELEM_MATCH_VALUE : MATCH_ELEM_MATCH_OBJECT, c->path);
	match_add(c->into, m);
	if (values)
		return parse_operators(c->p, (struct key){ NULL, 0 }, c->operand, m);
	m->children = memory_allocate_zeroed(1, sizeof *m->children);
	if (!parse_document(c->p, c->operand, false, &m->children[0]))
		return false;
	m->child_count = 1;
	return true;
}

/* All operands are {$elemMatch: …}, or none is an operator. */
static bool parse_all_part(struct operator_call *c, struct match *all, bool elem_match, struct value v)
{
	struct operator_call part = *c;
	struct field first;

	if (elem_match) {
		if (v.type != BSON_TYPE_DOCUMENT || !key_is(first_field(v).key, "$elemMatch"))
			return bad_value(c->p, "$all/$elemMatch has to be consistent");
		part.into = all;
		part.operand = first_field(v).value;
		return parse_elem_match(&part);
	}
	if (v.type == BSON_TYPE_REGEX)
		return add_regex_value(c->p, all, c->path, v);
	first = v.type == BSON_TYPE_DOCUMENT ? first_field(v) : (struct field){ key_of(""), value_missing() };
	if (is_path_operator(first.key))
		return bad_value(c->p, "no $ expressions in $all");
	return add_comparison(c->p, all, MATCH_EQ, c->path, v);
}

static bool parse_all(struct operator_call *c)
{
	struct match *all;
	struct walk w;
	struct field f;
	bool elem_match;

	if (c->operand.type != BSON_TYPE_ARRAY)
		return bad_value(c->p, "$all needs an array");
	f = first_field(c->operand);
	elem_match = f.value.type == BSON_TYPE_DOCUMENT && key_is(first_field(f.value).key, "$elemMatch");
	all = match_new(value_count(c->operand) ? MATCH_AND : MATCH_ALWAYS_FALSE);
	match_add(c->into, all);
	walk_begin(&w, c->operand);
	while (walk_next(&w, &f))
		if (!parse_all_part(c, all, elem_match, f.value))
			return false;
	return true;
}

static bool parse_not(struct operator_call *c)
{
	struct match *not = match_new(MATCH_NOT), *and;

	match_add(c->into, not);
	if (c->operand.type == BSON_TYPE_REGEX)
		return add_regex_value(c->p, not, c->path, c->operand);
	if (c->operand.type != BSON_TYPE_DOCUMENT)
		return bad_value(c->p, "$not needs a regex or a document");
	if (!value_count(c->operand))
		return bad_value(c->p, "$not cannot be empty");
	and = match_new(MATCH_AND);
	match_add(not, and);
	if (!parse_operators(c->p, c->path, c->operand, and))
		return false;
	if (and->child_count == 1) {
		not->children[0] = and->children[0];
		and->child_count = 0;
		match_destroy(and);
	}
	return true;
}

static bool refuse_unsupported(struct operator_call *c)
{
	return bad_value(c->p, "%s is not supported by this engine", c->name);
}

static bool refuse_near(struct operator_call *c)
{
	char all[160];

	if (key_equal(first_field(c->all).key, key_of(c->name)))
		return refuse_unsupported(c);
	return bad_value(c->p, "near must be first in%s", match_print_element("", c->all, all, sizeof all));
}

static bool refuse_where(struct operator_call *c)
{
	return bad_value(c->p, "$where cannot be applied to a field");
}

static const struct path_operator {
	const char *name;
	bool (*parse)(struct operator_call *c);
	enum match_kind kind;
} path_operators[] = {
	{ "$eq", parse_comparison, MATCH_EQ },
	{ "$lt", parse_comparison, MATCH_LT },
	{ "$lte", parse_comparison, MATCH_LTE },
	{ "$gt", parse_comparison, MATCH_GT },
	{ "$gte", parse_comparison, MATCH_GTE },
	{ "$ne", parse_not_equal, MATCH_EQ },
	{ "$in", parse_in, MATCH_IN },
	{ "$nin", parse_not_in, MATCH_IN },
	{ "$exists", parse_exists, MATCH_EXISTS },
	{ "$type", parse_type, MATCH_TYPE },
	{ "$size", parse_size, MATCH_SIZE },
	{ "$mod", parse_mod, MATCH_MOD },
	{ "$regex", parse_regex, MATCH_REGEX },
	{ "$options", parse_options, MATCH_REGEX },
	{ "$bitsAllSet", parse_bits, MATCH_BITS_ALL_SET },
	{ "$bitsAllClear", parse_bits, MATCH_BITS_ALL_CLEAR },
	{ "$bitsAnySet", parse_bits, MATCH_BITS_ANY_SET },
	{ "$bitsAnyClear", parse_bits, MATCH_BITS_ANY_CLEAR },
	{ "$elemMatch", parse_elem_match, MATCH_ELEM_MATCH_OBJECT },
	{ "$all", parse_all, MATCH_AND },
	{ "$not", parse_not, MATCH_NOT },
	{ "$geoWithin", refuse_unsupported, MATCH_ALWAYS_FALSE },
	{ "$geoIntersects", refuse_unsupported, MATCH_ALWAYS_FALSE },
	{ "$within", refuse_unsupported, MATCH_ALWAYS_FALSE },
	{ "$near", refuse_near, MATCH_ALWAYS_FALSE },
	{ "$nearSphere", refuse_near, MATCH_ALWAYS_FALSE },
	{ "$geoNear", refuse_near, MATCH_ALWAYS_FALSE },
	{ "$where", refuse_where, MATCH_ALWAYS_FALSE },
};

static const struct path_operator *find_path_operator(struct key name)
{
	for (size_t i = 0; i < sizeof path_operators / sizeof *path_operators; i++)
		if (key_is(name, path_operators[i].name))
			return &path_operators[i];
	return NULL;
}

/* $not and $where are no operators where MongoDB asks what a value looks like. */
static bool is_path_operator(struct key name)
{
	const struct path_operator *found = find_path_operator(name);

	return found && found->parse != parse_not && found->parse != refuse_where;
}

bool match_is_path_operator(struct key name)
{
	return is_path_operator(name);
}

static bool parse_operators(struct parser *p, struct key path, struct value operators, struct match *into)
{
	struct walk w;
	struct field f;

	if (++p->depth > TREE_DEPTH_LIMIT)
		return bad_value(p, "exceeded maximum query tree depth of %d", TREE_DEPTH_LIMIT);
	walk_begin(&w, operators);
	while (walk_next(&w, &f)) {
		const struct path_operator *operator = find_path_operator(f.key);
		struct operator_call call;

		if (!operator)
			return bad_value(p, "unknown operator: %.*s", (int)f.key.size_bytes, f.key.bytes);
		call = (struct operator_call){ p, into, path, operator->name, operator->kind, f.value, operators };
		if (!operator->parse(&call))
			return false;
	}
	p->depth--;
	return true;
}

/* Operators that stand where a field name would. */
struct tree_call {
	struct parser *p;
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
		return bad_value(c->p, "%s must be an array", c->name);
	if (!value_count(c->operand))
		return bad_value(c->p, "$and/$or/$nor must be a nonempty array");
	m = match_new(c->kind);
	match_add(c->into, m);
	walk_begin(&w, c->operand);
	while (walk_next(&w, &f)) {
		struct match *child;

		if (f.value.type != BSON_TYPE_DOCUMENT)
			return bad_value(c->p, "$or/$and/$nor entries need to be full objects");
		if (!parse_document(c->p, f.value, c->top, &child))
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
		return bad_value(c->p, "$expr can only be applied to the top-level document");
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
	return add_comparison(c->p, c->into, MATCH_EQ, key_of(c->name), c->operand);
}

static bool refuse_tree(struct tree_call *c)
{
	if (!c->top)
		return bad_value(c->p, "%s can only be applied to the top-level document", c->name);
	return bad_value(c->p, "%s is not supported by this engine", c->name);
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

static bool is_pathless(struct key name)
{
	return find_tree_operator(name) != NULL;
}

static bool parse_field(struct parser *p, struct field f, bool top, struct match *into)
{
	if (f.key.size_bytes && f.key.bytes[0] == '$') {
		const struct tree_operator *operator = find_tree_operator(f.key);
		struct tree_call call;

		if (!operator)
			return bad_value(p, "unknown top level operator: %.*s. If you have a field name that starts with a '$' "
			                 "symbol, consider using $getField or $setField.", (int)f.key.size_bytes, f.key.bytes);
		call = (struct tree_call){ p, into, operator->name, operator->kind, f.value, top };
		return operator->parse(&call);
	}
	if (!check_path(p, f.key))
		return false;
	if (is_operators(f.value, false))
		return parse_operators(p, f.key, f.value, into);
	if (f.value.type == BSON_TYPE_REGEX)
		return add_regex_value(p, into, f.key, f.value);
	return add_comparison(p, into, MATCH_EQ, f.key, f.value);
}

/* *out is null unless the whole document was understood. */
static bool parse_document(struct parser *p, struct value filter, bool top, struct match **out)
{
	struct match *root = match_new(MATCH_AND);
	struct walk w;
	struct field f;

	*out = NULL;
	if (++p->depth > TREE_DEPTH_LIMIT) {
		match_destroy(root);
		return bad_value(p, "exceeded maximum query tree depth of %d", TREE_DEPTH_LIMIT);
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
	struct parser p = { scope, error, 0 };
	struct match *out;

	if (!parse_document(&p, filter, true, &out))
		return NULL;
	match_prepare_fields(out);
	return out;
}
