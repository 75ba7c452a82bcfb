/*
 * What the two halves of the filter parser share: documents (match_parse.c) and operators below a path
 * (match_operators.c).
 */
#ifndef BSONSCOPE_ENGINE_MATCH_PARSER_H
#define BSONSCOPE_ENGINE_MATCH_PARSER_H

#include "engine/match_private.h"

enum { MATCH_TREE_DEPTH_LIMIT = 100 };

struct match_parser {
	const struct expression_scope *scope;
	bson_error_t *error;
	int depth;
};

/* Fails with BadValue. Returns false. */
bool match_bad_value(struct match_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first field of a document; an empty name and no value when there is none. */
struct field match_first_field(struct value document);

/* A document whose first name begins with a dollar, and which is no reference ($ref, $id, $db) to another document. */
bool match_is_operators(struct value v, bool incomplete_references);

/* $and, $expr …: an operator that stands where a field name would. */
bool match_is_pathless(struct key name);

/* `top`: not below $elemMatch. *out is null unless the whole document was understood. */
bool match_parse_document(struct match_parser *p, struct value filter, bool top, struct match **out);

/* Each adds to the children of `into`. A path without bytes: the test is on elements themselves. */
bool match_parse_operators(struct match_parser *p, struct key path, struct value operators, struct match *into);
bool match_add_comparison(struct match_parser *p, struct match *into, enum match_kind kind, struct key path,
                          struct value v);
bool match_add_regex_value(struct match_parser *p, struct match *into, struct key path, struct value v);

#endif
