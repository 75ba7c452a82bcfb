#include "engine/match_private.h"

struct match_schema *match_schema_compile(struct value schema, bson_error_t *error)
{
	(void)schema;
	error_set(error, ERROR_SERVER, CODE_NotImplemented, "$jsonSchema is not supported by this engine");
	return NULL;
}

void match_schema_destroy(struct match_schema *s)
{
	(void)s;
}

bool match_schema_test(const struct match_schema *s, struct execution *x, struct value document)
{
	(void)s;
	(void)x;
	(void)document;
	return false;
}
