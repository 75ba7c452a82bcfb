#include <stdlib.h>

#include "base/memory.h"
#include "engine/expression_internal.h"

static const struct named_arguments cond_arguments = {
	.not_object = "",
	.unknown_code = 17083,
	.unknown = "Unrecognized parameter to $cond: ",
	.items = { { "if", 17080, "Missing 'if' parameter to $cond" },
	           { "then", 17081, "Missing 'then' parameter to $cond" },
	           { "else", 17082, "Missing 'else' parameter to $cond" } },
};

/* {if:, then:, else:} or the same three in an array. */
static bool compile_cond(struct expression *e, struct value specification, struct compiler *c)
{
	if (value_is_document(specification))
		return compile_named(e, specification, &cond_arguments, c);
	return compile_positional(e, specification, c);
}

static bool evaluate_cond(const struct expression *e, struct evaluation *at, struct value *out)
{
	struct value condition;

	if (!evaluate_argument(e, at, 0, &condition))
		return false;
	return evaluate_argument(e, at, value_is_true(condition) ? 1 : 2, out);
}

static bool evaluate_if_null(const struct expression *e, struct evaluation *at, struct value *out)
{
	for (size_t i = 0; i < e->count; i++) {
		if (!evaluate_argument(e, at, i, out))
			return false;
		if (!value_is_nullish(*out))
			return true;
	}
	return true;
}

/* Arguments of $switch: case, then, case, then …, and the default (or null) last. */
static bool compile_branch(struct expression *e, size_t at, struct value branch, struct compiler *c)
{
	struct walk w;
	struct field f;

	if (!value_is_document(branch))
		return compile_fail(c, 40062, "$switch requires each branch to be an object, found: %s",
		                    value_type_name(branch.type));
	walk_begin(&w, branch);
	while (walk_next(&w, &f)) {
		bool is_case = key_is(f.key, "case");
		struct expression **place = &e->arguments[is_case ? at : at + 1];

		if (!is_case && !key_is(f.key, "then"))
			return compile_fail(c, 40063, "$switch found an unknown argument to a branch: %.*s", (int)f.key.size_bytes,
			                    f.key.bytes);
		expression_destroy(*place);
		*place = compile_operand(f.value, c);
		if (!*place)
			return false;
	}
	if (!e->arguments[at])
		return compile_fail(c, 40064, "$switch requires each branch have a 'case' expression");
	if (!e->arguments[at + 1])
		return compile_fail(c, 40065, "$switch requires each branch have a 'then' expression.");
	return true;
}

static bool compile_branches(struct expression *e, struct value branches, struct compiler *c)
{
	struct expression *fallback = e->arguments[e->count - 1];
	size_t count = value_is_array(branches) ? value_count(branches) : 0, at = 0;
	struct walk w;
	struct field f;

	if (!value_is_array(branches))
		return compile_fail(c, 40061, "$switch expected an array for 'branches', found: %s", value_type_name(branches.type));
	for (size_t i = 0; i + 1 < e->count; i++)
		expression_destroy(e->arguments[i]);
	free(e->arguments);
	e->count = count * 2 + 1;
	e->arguments = memory_allocate_zeroed(e->count, sizeof *e->arguments);
	e->arguments[e->count - 1] = fallback;
	walk_begin(&w, branches);
	for (; walk_next(&w, &f); at += 2)
		if (!compile_branch(e, at, f.value, c))
			return false;
	return true;
}

static bool compile_switch(struct expression *e, struct value specification, struct compiler *c)
{
	struct walk w;
	struct field f;

	if (!value_is_document(specification))
		return compile_fail(c, 40060, "$switch requires an object as an argument, found: %s",
		                    value_type_name(specification.type));
	e->count = 1;
	e->arguments = memory_allocate_zeroed(1, sizeof *e->arguments);
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		if (key_is(f.key, "branches")) {
			if (!compile_branches(e, f.value, c))
				return false;
		} else if (key_is(f.key, "default")) {
			if (e->arguments[e->count - 1])
				return compile_fail(c, 40068, "$switch found more than one 'default'");
			e->arguments[e->count - 1] = compile_operand(f.value, c);
			if (!e->arguments[e->count - 1])
				return false;
		} else {
			return compile_fail(c, 40067, "$switch found an unknown argument: %.*s", (int)f.key.size_bytes, f.key.bytes);
		}
	}
	return e->count > 1 || compile_fail(c, 40068, "$switch requires at least one branch.");
}

static bool evaluate_switch(const struct expression *e, struct evaluation *at, struct value *out)
{
	const struct expression *fallback = e->arguments[e->count - 1];
	struct value condition;

	for (size_t i = 0; i + 1 < e->count; i += 2) {
		if (!evaluate_argument(e, at, i, &condition))
			return false;
		if (value_is_true(condition))
			return evaluate_argument(e, at, i + 1, out);
	}
	if (!fallback)
		return execution_fail(
			at->x, 40066,
			"$switch could not find a matching branch for an input, and no default was specified.");
	return evaluate(fallback, at, out);
}

static void write_switch(const struct expression *e, struct writer *w, struct key key)
{
	writer_begin_document(w, key);
	writer_begin_document(w, key_of(e->operator->name));
	writer_begin_array(w, key_of("branches"));
	for (size_t i = 0; i + 1 < e->count; i += 2) {
		writer_begin_document(w, key);
		expression_write(e->arguments[i], w, key_of("case"));
		expression_write(e->arguments[i + 1], w, key_of("then"));
		writer_end(w);
	}
	writer_end(w);
	if (e->arguments[e->count - 1])
		expression_write(e->arguments[e->count - 1], w, key_of("default"));
	writer_end(w);
	writer_end(w);
}

const struct operator expression_conditional_operators[] = {
	{ .name = "$cond", .min = 3, .max = 3, .compile = compile_cond, .evaluate = evaluate_cond },
	{ .name = "$ifNull", .min = 2, .max = -1, .arity_code = 1257300, .arity_text = "needs at least two arguments, had: ",
	  .evaluate = evaluate_if_null },
	{ .name = "$switch", .compile = compile_switch, .evaluate = evaluate_switch, .write = write_switch,
	  .flags = OPERATOR_NOT_FOLDED },
	{ .name = NULL },
};
