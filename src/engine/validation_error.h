/*
 * Why a document was refused: errInfo in MongoDB's structure. The validator's own text is walked beside the document,
 * so that clauses keep their order and `specifiedAs` is what the user wrote.
 * Source: https://www.mongodb.com/docs/manual/core/schema-validation/ and the server's tests of its error details.
 */
#ifndef BSONSCOPE_ENGINE_VALIDATION_ERROR_H
#define BSONSCOPE_ENGINE_VALIDATION_ERROR_H

#include "base/bytes.h"
#include "bson/writer.h"
#include "engine/execution.h"

/* Appends {failingDocumentId, details} as one document. `x` lends store, database and time; it does not fail. */
void validation_explain(struct value validator, const struct execution *x, struct value document, struct bytes *out);

/* One explanation in the making. Errors are documents end to end in a `struct bytes`. Private to validation_error*.c. */
struct report {
	struct execution x; /* of single tests: one that fails says so and is forgotten */
	struct value root;  /* the document that was refused */
	bool brief;         /* what grows with validator and document is left out: specifiedAs, considered values */
};

/* The error of {$jsonSchema: schema} as one document at the end of `out`; `inverted`: it matched and should not have. */
void report_schema(struct report *r, struct value schema, bool inverted, struct bytes *out);

/* operatorName, and specifiedAs: {key: operand} unless the report is brief. */
void report_operator(const struct report *r, struct writer *w, const char *name, struct key key, struct value operand);

/* {code, codeName, errmsg} of an error, under `name`. */
void report_failure(struct writer *w, const char *name, const bson_error_t *error);

#endif
