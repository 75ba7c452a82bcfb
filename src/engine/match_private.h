/* What the files of the match room share: how leaves keep their compiled operand, and how nodes are made. */
#ifndef BSONSCOPE_ENGINE_MATCH_PRIVATE_H
#define BSONSCOPE_ENGINE_MATCH_PRIVATE_H

#include "engine/expression.h"
#include "engine/match.h"
#include "engine/regex.h"

/* match.compiled by kind. Equalities are views into match.operand, in MongoDB's order, each once. */
struct match_in {
	struct value *equalities;
	size_t equality_count;
	struct regex **regexes; /* of the operand's last elements */
	struct value *regex_values;
	size_t regex_count;
};

struct match_bits {
	size_t count;
	uint32_t positions[];
};

struct match_mod {
	int64_t divisor, remainder;
};

struct match_types {
	uint32_t bits; /* match_type_bit of each */
};

/*
 * Of a conjunction: its leaves by the first component of their paths. Null when there are fewer than two, or too
 * many.
 */
struct match_fields {
	uint64_t wanted; /* a bit for each */
	size_t count;
	struct match_field {
		uint64_t head; /* first eight bytes of the name, filled up with zeros */
		struct key name;
		const struct match *child;
	} list[];
};

/* The arena holds what one evaluation makes and is forgotten with it. */
struct match_expression {
	struct expression *expression;
	struct arena scratch;
};

struct match_schema;

/* What one test carries down the tree. `position` is null when no array position is wanted. */
struct match_run {
	struct execution *x;
	int64_t *position;
};

/* A zeroed node; a leaf also takes its path (copied). */
struct match *match_new(enum match_kind kind);
struct match *match_new_leaf(enum match_kind kind, struct key path);
void match_add(struct match *parent, struct match *child);

/* Copies `v` into the node's storage and makes it the operand. */
void match_set_operand(struct match *m, struct value v);

/* Builds `compiled` of a MATCH_IN from its operand, which becomes sorted and free of duplicates, regexes last. */
bool match_in_prepare(struct match *m, bson_error_t *error);

/* $gt, $in, $regex …: an operator that stands under a path ($not is none). */
bool match_is_path_operator(struct key name);

/* Prepares conjunctions for match_test; again after each change of the tree. */
void match_prepare_fields(struct match *m);

/* One bit for each BSON type: 0 when there is no such type. */
uint32_t match_type_bit(int type_code);

/* Reads {$type: …}-like operands: an alias, a number or an array of them. */
bool match_types_parse(struct value v, const char *name, uint32_t *bits, bson_error_t *error);

/*
 * The value itself against a node without regard to arrays above or below it, as $elemMatch tests each element.
 * Logical nodes are looked through.
 */
bool match_test_single(const struct match *m, struct match_run *run, struct value v);
bool match_test_run(const struct match *m, struct match_run *run, struct value document);

/* An element against the array filter that names it: the first component of every path stands for the value itself. */
bool match_test_named(const struct match *m, struct execution *x, struct value v);

/* $jsonSchema. */
struct match_schema *match_schema_compile(struct value schema, bson_error_t *error);
void match_schema_destroy(struct match_schema *s);
bool match_schema_test(const struct match_schema *s, struct execution *x, struct value document);

/* Fails with FailedToParse or `code` in the words of MongoDB's integer parser. `what` names the field. */
bool match_parse_long(struct value v, const char *what, int64_t *out, bson_error_t *error);
bool match_parse_non_negative(struct value v, const char *what, int64_t *out, bson_error_t *error);

/* "name: value" as the server prints an element into its messages, into `buffer`. */
const char *match_print_element(const char *name, struct value v, char *buffer, size_t size);

/* Numbers as the server turns them into int64 by cutting; false for NaN, infinities and what does not fit. */
bool match_coerce_long(struct value v, int64_t *out);

#endif
