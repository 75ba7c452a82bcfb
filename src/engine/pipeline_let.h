/* `let` of $lookup and $merge: variables whose values come anew from each document. */
#ifndef BSONSCOPE_ENGINE_PIPELINE_LET_H
#define BSONSCOPE_ENGINE_PIPELINE_LET_H

#include "engine/expression.h"
#include "engine/pipeline_stage.h"

struct pipeline_variable {
	char *name;
	struct expression *value;
	struct expression_scope scope;
};

struct pipeline_let {
	struct pipeline_variable *variables;
	size_t count;
};

/* `definitions`: a document, or missing. Does not move afterwards: scopes point into it. */
bool pipeline_let_parse(struct pipeline_let *let, struct pipeline_parser *p, struct value definitions);
void pipeline_let_clear(struct pipeline_let *let);

/* The scope with these variables in it, above that of `p`. */
const struct expression_scope *pipeline_let_scope(const struct pipeline_let *let, const struct pipeline *p);

/* Gives them their values, which live in `arena`. False: the execution failed. */
bool pipeline_let_bind(const struct pipeline_let *let, struct execution *x, struct arena *arena, struct value document);

/* {let: {…}} as explain prints it. */
void pipeline_let_explain(const struct pipeline_let *let, struct writer *w);

#endif
