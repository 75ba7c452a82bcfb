/* What stands under a path: {path: {$gt: 5, …}}. */
#include <stdlib.h>
#include <string.h>

#include "engine/match_parser.h"

#include "base/memory.h"
#include "bson/decimal.h"

bool match_add_comparison(struct match_parser *p, struct match *into, enum match_kind kind, struct key path,
                          struct value v)
{
	struct match *m;

	if (kind != MATCH_EQ && v.type == BSON_TYPE_REGEX)
		return match_bad_value(p, "Can't have RegEx as arg to predicate over field '%.*s'.", (int)path.size_bytes,
		                 path.bytes ? path.bytes : "");
	if (v.type == BSON_TYPE_UNDEFINED)
		return match_bad_value(p, "cannot compare to undefined");
	m = match_new_leaf(kind, path);
	match_set_operand(m, v);
	match_add(into, m);
	return true;
}

static bool add_regex(struct match_parser *p, struct match *into, struct key path, struct key pattern,
                      struct key options)
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

bool match_add_regex_value(struct match_parser *p, struct match *into, struct key path, struct value v)
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
	struct match_parser *p;
	struct match *into;
	struct key path;
	const char *name;
	enum match_kind kind;
	struct value operand;
	struct value all;
};

static bool parse_comparison(struct operator_call *c)
{
	return match_add_comparison(c->p, c->into, c->kind, c->path, c->operand);
}

static bool parse_not_equal(struct operator_call *c)
{
	if (c->operand.type == BSON_TYPE_REGEX)
		return match_bad_value(c->p, "Can't have regex as arg to $ne.");
	if (!match_add_comparison(c->p, c->into, MATCH_EQ, c->path, c->operand))
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
		return match_bad_value(c->p, "%s needs an array", c->name);
	walk_begin(&w, c->operand);
	while (walk_next(&w, &f)) {
		if (match_is_operators(f.value, false))
			return match_bad_value(c->p, "cannot nest $ under %s", c->name);
		if (f.value.type == BSON_TYPE_UNDEFINED)
			return match_bad_value(c->p, "InMatchExpression equality cannot be undefined");
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
		return match_bad_value(c->p, "Failed to parse $size. %s", reason.message);
	if (size > INT32_MAX) {
		char element[160];

		return match_bad_value(c->p, "Failed to parse $size. Cannot represent in an int: %s",
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
	return match_bad_value(c->p, "malformed mod, %s value is invalid :: caused by :: %s", part,
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
		return match_bad_value(c->p, "malformed mod, needs to be an array");
	walk_begin(&w, c->operand);
	if (!walk_next(&w, &divisor))
		return match_bad_value(c->p, "malformed mod, not enough elements");
	if (!value_is_number(divisor.value))
		return match_bad_value(c->p, "malformed mod, divisor not a number");
	if (!walk_next(&w, &remainder))
		return match_bad_value(c->p, "malformed mod, not enough elements");
	if (!value_is_number(remainder.value))
		return match_bad_value(c->p, "malformed mod, remainder not a number");
	if (walk_next(&w, &extra))
		return match_bad_value(c->p, "malformed mod, too many elements");
	if (!mod_part(c, divisor.value, "divisor", &mod.divisor) || !mod_part(c, remainder.value, "remainder", &mod.remainder))
		return false;
	if (mod.divisor == 0)
		return match_bad_value(c->p, "divisor cannot be 0");
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
				return match_bad_value(c->p, "$regex has to be a string");
			if (own.size_bytes && options.size_bytes)
				return error_set(c->p->error, ERROR_SERVER, 51074,
				                 "options set in both $regex and $options");
			if (own.size_bytes)
				options = own;
		} else if (key_is(f.key, "$options")) {
			if (f.value.type != BSON_TYPE_UTF8)
				return match_bad_value(c->p, "$options has to be a string");
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
		return match_bad_value(c->p, "$options needs a $regex");
	return true;
}

static bool bit_position(struct match_parser *p, struct value v, uint32_t *position)
{
	char element[160];
	int64_t n;

	match_print_element("", v, element, sizeof element);
	if (!value_is_number(v))
		return match_bad_value(p, "bit positions must be an integer but got: %s", element + 2);
	if (value_as_double(v) != value_as_double(v))
		return match_bad_value(p, "bit positions cannot take a NaN: %s", element + 2);
	if (!match_coerce_long(v, &n) || n > INT32_MAX || n < INT32_MIN)
		return match_bad_value(p, "bit positions cannot be represented as a 32-bit signed integer: %s", element + 2);
	if (!value_as_int64(v, &n))
		return match_bad_value(p, "bit positions must be an integer but got: %s", element + 2);
	if (n < 0)
		return match_bad_value(p, "bit positions must be >= 0 but got: %s", element + 2);
	*position = (uint32_t)n;
	return true;
}

static bool bits_from_array(struct match_parser *p, struct value array, struct match_bits *bits)
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
		return match_bad_value(c->p, "%.*s takes an Array, a number, or a BinData but received: %s",
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

static bool is_path_operator(struct key name);

static bool parse_elem_match(struct operator_call *c)
{
	struct match *m;
	bool values;

	if (c->operand.type != BSON_TYPE_DOCUMENT)
		return match_bad_value(c->p, "$elemMatch needs an Object");
	values = match_is_operators(c->operand, true) && !match_is_pathless(match_first_field(c->operand).key);
	m = match_new_leaf(values ? MATCH_ELEM_MATCH_VALUE : MATCH_ELEM_MATCH_OBJECT, c->path);
	match_add(c->into, m);
	if (values)
		return match_parse_operators(c->p, (struct key){ NULL, 0 }, c->operand, m);
	m->children = memory_allocate_zeroed(1, sizeof *m->children);
	if (!match_parse_document(c->p, c->operand, false, &m->children[0]))
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
		if (v.type != BSON_TYPE_DOCUMENT || !key_is(match_first_field(v).key, "$elemMatch"))
			return match_bad_value(c->p, "$all/$elemMatch has to be consistent");
		part.into = all;
		part.operand = match_first_field(v).value;
		return parse_elem_match(&part);
	}
	if (v.type == BSON_TYPE_REGEX)
		return match_add_regex_value(c->p, all, c->path, v);
	first = v.type == BSON_TYPE_DOCUMENT ? match_first_field(v) : (struct field){ key_of(""), value_missing() };
	if (is_path_operator(first.key))
		return match_bad_value(c->p, "no $ expressions in $all");
	return match_add_comparison(c->p, all, MATCH_EQ, c->path, v);
}

static bool parse_all(struct operator_call *c)
{
	struct match *all;
	struct walk w;
	struct field f;
	bool elem_match;

	if (c->operand.type != BSON_TYPE_ARRAY)
		return match_bad_value(c->p, "$all needs an array");
	f = match_first_field(c->operand);
	elem_match = f.value.type == BSON_TYPE_DOCUMENT && key_is(match_first_field(f.value).key, "$elemMatch");
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
		return match_add_regex_value(c->p, not, c->path, c->operand);
	if (c->operand.type != BSON_TYPE_DOCUMENT)
		return match_bad_value(c->p, "$not needs a regex or a document");
	if (!value_count(c->operand))
		return match_bad_value(c->p, "$not cannot be empty");
	and = match_new(MATCH_AND);
	match_add(not, and);
	if (!match_parse_operators(c->p, c->path, c->operand, and))
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
	return match_bad_value(c->p, "%s is not supported by this engine", c->name);
}

static bool refuse_near(struct operator_call *c)
{
	char all[160];

	if (key_equal(match_first_field(c->all).key, key_of(c->name)))
		return refuse_unsupported(c);
	return match_bad_value(c->p, "near must be first in%s", match_print_element("", c->all, all, sizeof all));
}

static bool refuse_where(struct operator_call *c)
{
	return match_bad_value(c->p, "$where cannot be applied to a field");
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

bool match_parse_operators(struct match_parser *p, struct key path, struct value operators, struct match *into)
{
	struct walk w;
	struct field f;

	if (++p->depth > MATCH_TREE_DEPTH_LIMIT)
		return match_bad_value(p, "exceeded maximum query tree depth of %d", MATCH_TREE_DEPTH_LIMIT);
	walk_begin(&w, operators);
	while (walk_next(&w, &f)) {
		const struct path_operator *operator = find_path_operator(f.key);
		struct operator_call call;

		if (!operator)
			return match_bad_value(p, "unknown operator: %.*s", (int)f.key.size_bytes, f.key.bytes);
		call = (struct operator_call){ p, into, path, operator->name, operator->kind, f.value, operators };
		if (!operator->parse(&call))
			return false;
	}
	p->depth--;
	return true;
}

