#include "model/count.h"

/* Destroys the command. */
static bool ask_number(struct source *s, const char *db, bson_t *command, const char *name, int64_t *n,
                       const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t reply;
	bool good = source_command(s, db, command, &reply, interrupt, error) &&
	            (value_as_int64(value_get(value_from_bson(&reply), name), n) ||
	             error_set(error, ERROR_INPUT, 0, "a count without a number"));

	bson_destroy(&reply);
	bson_destroy(command);
	return good;
}

bool count_documents(struct source *s, const char *db, const char *collection, int64_t *count,
                     const struct interrupt *interrupt, bson_error_t *error)
{
	bson_error_t reason;
	bson_t *command = BCON_NEW("count", BCON_UTF8(collection), "query", "{", "}");

	if (ask_number(s, db, command, "n", count, interrupt, &reason))
		return true;
	if (reason.domain == ERROR_SERVER && interrupt_check(interrupt) == INTERRUPT_NONE && !source_engine(s) &&
	    ask_number(s, db, BCON_NEW("collStats", BCON_UTF8(collection)), "count", count, interrupt, NULL))
		return true;
	if (error)
		*error = reason;
	return false;
}

/* Of the whole, or of each shard. */
static bool add_orphans(struct value stats, int64_t *orphans)
{
	struct value shards = value_get(stats, "shards");
	bool known = value_as_int64(value_get(stats, "numOrphanDocs"), orphans);
	struct walk w;
	struct field f;

	if (known || !value_is_document(shards))
		return known;
	walk_begin(&w, shards);
	while (walk_next(&w, &f)) {
		int64_t here;

		if (value_is_document(f.value) && value_as_int64(value_get(f.value, "numOrphanDocs"), &here)) {
			*orphans += here;
			known = true;
		}
	}
	return known;
}

bool count_orphans(struct source *s, const char *db, const char *collection, int64_t *orphans,
                   const struct interrupt *interrupt)
{
	bson_t *command = BCON_NEW("collStats", BCON_UTF8(collection)), reply;
	bool known;

	*orphans = 0;
	known = source_command(s, db, command, &reply, interrupt, NULL) && add_orphans(value_from_bson(&reply), orphans);
	bson_destroy(&reply);
	bson_destroy(command);
	return known;
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
