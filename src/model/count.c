#include "model/count.h"

bool count_documents(struct source *s, const char *db, const char *collection, int64_t *count,
                     const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *command = BCON_NEW("count", BCON_UTF8(collection), "query", "{", "}"), reply;
	bool good = source_command(s, db, command, &reply, interrupt, error) &&
	            (value_as_int64(value_get(value_from_bson(&reply), "n"), count) ||
	             error_set(error, ERROR_INPUT, 0, "a count without a number"));

	bson_destroy(&reply);
	bson_destroy(command);
	return good;
}

bool count_to_sample(struct source *s, const char *db, const char *collection, int64_t *of,
                     const struct interrupt *interrupt, bson_error_t *error)
{
	int64_t count = 0;
	bool asks = !source_engine(s) && s->exact_documents;

	*of = 0;
	if (asks && !count_documents(s, db, collection, &count, interrupt, error))
		return false;
	if (asks && count > s->exact_documents)
		*of = count;
	return true;
}
