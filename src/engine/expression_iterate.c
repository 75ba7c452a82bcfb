/* Operators that bind variables: $let, $map, $filter, $reduce. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/expression_internal.h"

static const struct key this_name = { "this", 4 };

/* Keeps the name and binds it in `scope`, whose parent is where `c` compiles. */
static bool bind(struct expression *e, struct key name, struct expression_scope *scope, struct compiler *c)
{
	if (!variable_name_check(name, c->shared->error))
		return false;
	expression_keep_name(e, name);
	*scope = (struct expression_scope){ c->scope, e->names[e->name_count - 1], expression_scope_next_slot(c->scope) };
	if (e->name_count == 1)
		e->slot = scope->slot;
	return true;
}

static bool compile_in_scope(struct expression **out, struct value specification, const struct expression_scope *scope,
                             struct compiler *c)
{
	struct compiler inner = { scope, c->shared };

	*out = compile_operand(specification, &inner);
	return *out != NULL;
}

/* Arguments of $let: what each variable is, then `in`. */
static bool compile_bindings(struct expression *e, struct value variables, struct value in, struct compiler *c)
{
	struct expression_scope *scopes = memory_allocate_zeroed(e->count, sizeof *scopes);
	struct compiler outer = *c, chain = *c;
	struct walk w;
	struct field f;
	size_t i = 0;
	bool ok = true;

	walk_begin(&w, variables);
	for (; ok && walk_next(&w, &f); i++) {
		ok = bind(e, f.key, &scopes[i], &chain) && (e->arguments[i] = compile_operand(f.value, &outer));
		chain.scope = &scopes[i];
	}
	ok = ok && compile_in_scope(&e->arguments[e->count - 1], in, chain.scope, c);
	free(scopes);
	return ok;
}

static bool compile_let(struct expression *e, struct value specification, struct compiler *c)
{
	struct value variables = value_missing(), in = value_missing();
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, 16874, "$let only supports an object as its argument");
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		if (key_is(f.key, "vars"))
			variables = f.value;
		else if (key_is(f.key, "in"))
			in = f.value;
		else
			return compile_fail(c, 16875, "Unrecognized parameter to $let: %.*s", (int)f.key.size_bytes, f.key.bytes);
	}
	if (value_is_missing(variables))
		return compile_fail(c, 16876, "Missing 'vars' parameter to $let");
	if (value_is_missing(in))
		return compile_fail(c, 16877, "Missing 'in' parameter to $let");
	if (!value_is_document(variables))
		return compile_fail(c, 10065, "invalid parameter: expected an object (vars)");
	e->count = value_count(variables) + 1;
	e->arguments = memory_allocate_zeroed(e->count, sizeof *e->arguments);
	return compile_bindings(e, variables, in, c);
}

static bool evaluate_let(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value *bound = arena_allocate(at->arena, e->count * sizeof *bound);

	/* all are evaluated before one is set: inner operators use the same slots */
	for (size_t i = 0; i + 1 < e->count; i++)
		if (!evaluate_argument(e, at, i, &bound[i]))
			return false;
	for (size_t i = 0; i + 1 < e->count; i++)
		execution_set_variable(at->x, e->slot + i, bound[i]);
	return evaluate_argument(e, at, e->count - 1, out);
}

static void write_let(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of("$let"));
	writer_begin_document(w, key_of("vars"));
	for (size_t i = 0; i + 1 < e->count; i++)
		expression_write(e->arguments[i], w, key_of(e->names[i]));
	writer_end(w);
	expression_write(e->arguments[e->count - 1], w, key_of("in"));
	writer_end(w);
	writer_end(w);
}

/* $map and $filter: {input, as, in or cond}; $filter takes a limit too. */
struct iteration {
	const char *body;
	uint32_t not_object_code, unknown_code, no_input_code, no_body_code, not_array_code;
	bool takes_limit;
};

static const struct iteration map_iteration = { "in", 16878, 16879, 16880, 16882, 16883, false };
static const struct iteration filter_iteration = { "cond", 28646, 28647, 28648, 28650, 28651, true };

enum { INPUT, BODY, LIMIT };

static const struct iteration *iteration_of(const struct operator *o)
{
	return o->parameter ? &filter_iteration : &map_iteration;
}

static bool compile_iteration(struct expression *e, struct value specification, struct compiler *c)
{
	const struct iteration *kind = iteration_of(e->operator);
	const char *name = e->operator->name;
	struct value input = value_missing(), body = value_missing(), limit = value_missing(), as = value_missing();
	struct expression_scope scope;
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, kind->not_object_code, "%s only supports an object as its argument", name);
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		struct value *place = key_is(f.key, "input")                          ? &input
		                      : key_is(f.key, "as")                           ? &as
		                      : key_is(f.key, kind->body)                     ? &body
		                      : kind->takes_limit && key_is(f.key, "limit") ? &limit
		                                                                      : NULL;

		if (!place)
			return compile_fail(c, kind->unknown_code, "Unrecognized parameter to %s: %.*s", name, (int)f.key.size_bytes,
			                    f.key.bytes);
		*place = f.value;
	}
	if (value_is_missing(input))
		return compile_fail(c, kind->no_input_code, "Missing 'input' parameter to %s", name);
	if (value_is_missing(body))
		return compile_fail(c, kind->no_body_code, "Missing '%s' parameter to %s", kind->body, name);
	e->count = value_is_missing(limit) ? 2 : 3;
	e->arguments = memory_allocate_zeroed(e->count, sizeof *e->arguments);
	e->arguments[INPUT] = compile_operand(input, c);
	if (!e->arguments[INPUT])
		return false;
	/* an `as` that is no text reads as an empty name */
	if (!bind(e, value_is_missing(as) ? this_name : as.type == BSON_TYPE_UTF8 ? value_text(as) : key_of(""), &scope, c))
		return false;
	if (!value_is_missing(limit) && !(e->arguments[LIMIT] = compile_operand(limit, c)))
		return false;
	return compile_in_scope(&e->arguments[BODY], body, &scope, c);
}

static bool evaluate_map(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value input, v;
	struct list results;
	struct walk w;
	struct field f;

	if (!evaluate_argument(e, at, INPUT, &input))
		return false;
	if (value_is_nullish(input)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(input))
		return execution_fail(at->x, 16883, "input to $map must be an array not %s", value_type_name(input.type));
	list_init(&results, at);
	walk_begin(&w, input);
	while (walk_next(&w, &f)) {
		execution_set_variable(at->x, e->slot, f.value);
		if (!execution_tick(at->x) || !evaluate_argument(e, at, BODY, &v))
			return false;
		list_push(&results, v);
	}
	return list_array(&results, at, out);
}

static bool filter_limit(const struct expression *e, struct evaluation *at, int64_t *limit)
{
	struct value v;

	*limit = INT64_MAX;
	if (e->count <= LIMIT)
		return true;
	if (!evaluate_argument(e, at, LIMIT, &v))
		return false;
	if (value_is_nullish(v))
		return true;
	if (!number_is_int(v))
		return execution_fail(at->x, 327391, "$filter: limit must be represented as a 32-bit integral value: %s",
		                      evaluation_text(at, v));
	value_as_int64(v, limit);
	return *limit > 0 ||
	       execution_fail(at->x, 327392, "$filter: limit must be greater than 0: %s", evaluation_text(at, v));
}

static bool evaluate_filter(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value input, v;
	struct list kept;
	struct walk w;
	struct field f;
	int64_t limit;

	if (!evaluate_argument(e, at, INPUT, &input))
		return false;
	if (value_is_nullish(input)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(input))
		return execution_fail(at->x, 28651, "input to $filter must be an array not %s", value_type_name(input.type));
	if (!filter_limit(e, at, &limit))
		return false;
	list_init(&kept, at);
	walk_begin(&w, input);
	while ((int64_t)kept.count < limit && walk_next(&w, &f)) {
		execution_set_variable(at->x, e->slot, f.value);
		if (!execution_tick(at->x) || !evaluate_argument(e, at, BODY, &v))
			return false;
		if (value_is_true(v))
			list_push(&kept, f.value);
	}
	return list_array(&kept, at, out);
}

static void write_iteration(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of(e->operator->name));
	expression_write(e->arguments[INPUT], w, key_of("input"));
	writer_text(w, "as", e->names[0]);
	expression_write(e->arguments[BODY], w, key_of(iteration_of(e->operator)->body));
	if (e->count > LIMIT)
		expression_write(e->arguments[LIMIT], w, key_of("limit"));
	writer_end(w);
	writer_end(w);
}

/* Arguments of $reduce: input, initialValue, in; `slot` is $$this, the next one $$value. */
static bool compile_reduce(struct expression *e, struct value specification, struct compiler *c)
{
	struct expression_scope this_scope, value_scope;
	struct compiler inner = *c;
	struct value in = value_missing();
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, 40075, "$reduce requires an object as an argument, found: %s",
		                    value_type_name(specification.type));
	e->count = 3;
	e->arguments = memory_allocate_zeroed(e->count, sizeof *e->arguments);
	if (!bind(e, this_name, &this_scope, c))
		return false;
	inner.scope = &this_scope;
	if (!bind(e, key_of("value"), &value_scope, &inner))
		return false;
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		size_t i = key_is(f.key, "input") ? 0 : key_is(f.key, "initialValue") ? 1 : key_is(f.key, "in") ? 2 : 3;

		if (i == 3)
			return compile_fail(c, 40076, "$reduce found an unknown argument: %.*s", (int)f.key.size_bytes, f.key.bytes);
		expression_destroy(e->arguments[i]);
		e->arguments[i] = NULL;
		if (!compile_in_scope(&e->arguments[i], f.value, i == 2 ? &value_scope : c->scope, c))
			return false;
		if (i == 2)
			in = f.value;
	}
	if (!e->arguments[0])
		return compile_fail(c, 40077, "$reduce requires 'input' to be specified");
	if (!e->arguments[1])
		return compile_fail(c, 40078, "$reduce requires 'initialValue' to be specified");
	return !value_is_missing(in) || compile_fail(c, 40079, "$reduce requires 'in' to be specified");
}

enum { REDUCE_SHORT = 64 };

/*
 * What a step leaves behind is forgotten by the step after the next: collecting an array one element a step would else
 * hold all its lengths. The value of the last step lies in one of the two arenas, the next is made in the other.
 */
static bool reduce(const struct expression *e, struct evaluation *at, struct value input, bool forgets,
                   struct arena spare[2], struct value *accumulated)
{
	struct evaluation step = *at;
	unsigned steps = 0;
	struct walk w;
	struct field f;

	walk_begin(&w, input);
	while (walk_next(&w, &f)) {
		if (forgets) {
			step.arena = &spare[steps++ % 2];
			arena_reset(step.arena);
		}
		execution_set_variable(at->x, e->slot, f.value);
		execution_set_variable(at->x, e->slot + 1, *accumulated);
		if (!execution_tick(at->x) || !evaluate_argument(e, &step, 2, accumulated))
			return false;
	}
	return true;
}

static bool evaluate_reduce(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct arena spare[2];
	struct value input;
	bool forgets, ok;

	if (!evaluate_argument(e, at, 0, &input))
		return false;
	if (value_is_nullish(input)) {
		*out = value_null();
		return true;
	}
	if (!value_is_array(input))
		return execution_fail(at->x, 40080, "$reduce requires that 'input' be an array, found: %s",
		                      evaluation_text(at, input));
	if (!evaluate_argument(e, at, 1, out))
		return false;
	forgets = value_count(input) > REDUCE_SHORT;
	arena_init(&spare[0]);
	arena_init(&spare[1]);
	ok = reduce(e, at, input, forgets, spare, out);
	if (ok && forgets)
		*out = value_make_copy(at->arena, *out);
	arena_clear(&spare[0]);
	arena_clear(&spare[1]);
	return ok;
}

static void write_reduce(const struct expression *e, struct writer *w, struct key key)
{
	static const char *const names[] = { "input", "initialValue", "in" };

	writer_begin_document(w, key);
	writer_begin_document(w, key_of("$reduce"));
	for (size_t i = 0; i < e->count; i++)
		expression_write(e->arguments[i], w, key_of(names[i]));
	writer_end(w);
	writer_end(w);
}

const struct operator expression_iterate_operators[] = {
	{ .name = "$filter", .compile = compile_iteration, .evaluate = evaluate_filter, .write = write_iteration,
	  .flags = OPERATOR_NOT_FOLDED, .parameter = true },
	{ .name = "$let", .compile = compile_let, .evaluate = evaluate_let, .write = write_let, .flags = OPERATOR_NOT_FOLDED },
	{ .name = "$map", .compile = compile_iteration, .evaluate = evaluate_map, .write = write_iteration,
	  .flags = OPERATOR_NOT_FOLDED, .parameter = false },
	{ .name = "$reduce", .compile = compile_reduce, .evaluate = evaluate_reduce, .write = write_reduce,
	  .flags = OPERATOR_NOT_FOLDED },
	{ .name = NULL },
};
