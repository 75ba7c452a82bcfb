/*
 * What the files expression_*.c share and nobody else includes: the compiled node, the table row of an operator, and
 * the helpers to compile arguments, to evaluate them and to build results in the arena.
 */
#ifndef BSONSCOPE_ENGINE_EXPRESSION_INTERNAL_H
#define BSONSCOPE_ENGINE_EXPRESSION_INTERNAL_H

#include "bson/path.h"
#include "engine/expression.h"
#include "engine/regex.h"
#include "engine/sort_key.h"

struct operator;

/* One evaluation: everything an operator may look at. */
struct evaluation {
	struct execution *x;
	struct arena *arena;
	struct value root;
};

struct expression {
	const struct operator *operator;
	struct expression **arguments; /* owned; null where an optional named argument is absent */
	size_t count;
	struct value constant;         /* of a constant: in `storage` */
	uint8_t *storage;              /* owned: a constant's bytes */
	char **names;                  /* owned: fields of an object, variables of $let, $map …; `name_count` of them */
	size_t name_count;
	struct path path;              /* below the root or a variable */
	size_t slot;                   /* of a variable that is read, or the first that is bound */
	struct regex *regex;           /* owned: a constant pattern */
	struct sort_pattern *sort;     /* owned: of $sortArray */
	bool names_root;               /* a path written "$$ROOT…", which explain keeps */
	bson_error_t *constant_error;  /* at the top of a tree: see expression_check_constants */
};

struct compiler {
	const struct expression_scope *scope;
	struct compilation *shared;
};

/* Of one call of expression_compile. */
struct compilation {
	int depth;
	bson_error_t *error;          /* where a failure goes */
	bson_error_t *constant_error; /* the first of a constant part; null: none so far */
};

struct named_argument {
	const char *name;
	uint32_t missing_code; /* 0: optional */
	const char *missing;   /* the whole message */
};

/* Operators whose argument is an object: {input: …, cond: …}. */
struct named_arguments {
	uint32_t not_object_code;
	const char *not_object;
	uint32_t unknown_code;
	const char *unknown; /* followed by the unknown name */
	struct named_argument items[10];
};

enum operator_flag {
	OPERATOR_NOT_FOLDED = 1 /* reads the document or variables, or differs from call to call */
};

struct operator {
	const char *name;
	int min, max;               /* positional arguments; max -1: any number */
	uint32_t arity_code;        /* when not MongoDB's general one (16020, 28667) */
	const char *arity_text;     /* "$name TEXT" followed by the number */
	const struct named_arguments *named;
	bool (*compile)(struct expression *e, struct value specification, struct compiler *c); /* null: by the fields above */
	bool (*evaluate)(const struct expression *e, struct evaluation *at, struct value *out);
	void (*write)(const struct expression *e, struct writer *w, struct key key);           /* null: as arguments */
	unsigned flags;
	int parameter;              /* lets rows share one function */
};

/* Tables end with a row without a name. */
extern const struct operator expression_arithmetic_operators[];
extern const struct operator expression_array_operators[];
extern const struct operator expression_boolean_operators[];
extern const struct operator expression_comparison_operators[];
extern const struct operator expression_conditional_operators[];
extern const struct operator expression_convert_operators[];
extern const struct operator expression_date_operators[];
extern const struct operator expression_date_arithmetic_operators[];
extern const struct operator expression_fold_operators[];
extern const struct operator expression_iterate_operators[];
extern const struct operator expression_object_operators[];
extern const struct operator expression_pick_operators[];
extern const struct operator expression_regex_operators[];
extern const struct operator expression_set_operators[];
extern const struct operator expression_string_operators[];

/* Null when there is none of that name. */
const struct operator *expression_operator_find(struct key name);

/* expression.c: compiling. Each fails with the error of the compilation set. */
bool compile_fail(struct compiler *c, uint32_t code, const char *format, ...) __attribute__((format(printf, 3, 4)));
struct expression *compile_operand(struct value specification, struct compiler *c);

/* Appends: every element of an array, or the one that is none. */
bool compile_arguments(struct expression *e, struct value specification, struct compiler *c);
bool compile_positional(struct expression *e, struct value specification, struct compiler *c);
bool compile_named(struct expression *e, struct value specification, const struct named_arguments *named,
                   struct compiler *c);
struct expression *expression_new(const struct operator *o, size_t argument_count);
struct expression *expression_new_constant(struct value v);

/* The node forgets its operator and arguments. */
void expression_become_constant(struct expression *e, struct value v);
void expression_keep_name(struct expression *e, struct key name);
bool expression_is_literal(const struct expression *e);

/* expression_path.c: field paths and variables. */
struct expression *compile_path(struct key text, struct compiler *c);

/* Whether a user may bind that name. */
bool variable_name_check(struct key name, bson_error_t *error);

/* The value at keys[0] … through documents and, collecting, through arrays. */
bool field_path_get(struct evaluation *at, struct value document, const struct key *keys, size_t count,
                    struct value *out);
extern const struct operator expression_path_operator, expression_variable_operator;

/* Evaluating. */
static inline bool evaluate(const struct expression *e, struct evaluation *at, struct value *out)
{
	return e->operator->evaluate(e, at, out);
}

static inline bool evaluate_argument(const struct expression *e, struct evaluation *at, size_t i, struct value *out)
{
	return evaluate(e->arguments[i], at, out);
}

/* expression_build.c: results. Values in arrays that are missing become null; fields that are missing are left out. */
struct list {
	struct arena *arena;
	struct value *items;
	size_t count, capacity;
};

struct fields {
	struct arena *arena;
	struct field *items;
	size_t count, capacity;
};

void list_init(struct list *l, struct evaluation *at);
void list_push(struct list *l, struct value v);
void list_push_all(struct list *l, struct value array);

/* Fails above 64 MB, as MongoDB's buffers do. */
bool list_array(const struct list *l, struct evaluation *at, struct value *out);
void fields_init(struct fields *f, struct evaluation *at);

/* Replaces the value of a field of that name, or appends. */
void fields_set(struct fields *f, struct key key, struct value v);
void fields_append(struct fields *f, struct key key, struct value v);
bool fields_document(const struct fields *f, struct evaluation *at, struct value *out);

/* Text, number or date as text; false for other types and, with the execution failed, for dates that cannot be written. */
bool convert_scalar_text(struct evaluation *at, struct value v, struct value *out);

/* The text of a value for a message, as the server prints it. */
const char *evaluation_text(struct evaluation *at, struct value v);

/* Int32 when it fits, else int64. */
struct value make_int_or_long(struct arena *a, int64_t n);

/* A number of any type as a Decimal128, doubles by 15 digits. */
bson_decimal128_t number_to_decimal(struct value v);

/* Truncates to an integer as the server coerces: 16004 for what is no number, 31109 out of range. */
bool coerce_to_long(struct evaluation *at, struct value v, int64_t *out);
bool coerce_to_int(struct evaluation *at, struct value v, int32_t *out);

/* Whole and in the range of an int32. */
bool number_is_int(struct value v);

/* Which of the two numeric types carries more. */
uint8_t number_wider(uint8_t a, uint8_t b);

#endif
