/* Builds a shape from another with its pipelines. What a build could lose is counted or refused. */
#include "model/lab.h"

#include "engine/engine.h"

struct build {
	const struct relationship *r;
	struct engine *from, *to;
	const char *from_db, *to_db;
	const struct interrupt *interrupt;
	bson_error_t *error;
};

static bool load(const struct build *b, enum shape_kind to, bool child)
{
	const struct relationship *r = b->r;
	const struct bytes *indexes = child ? &r->child_indexes : &r->parent_indexes;
	struct bytes pipeline = BYTES_INIT;
	bson_t stages, specifications;
	bool good, indexed = indexes->size && bson_init_static(&specifications, indexes->data, indexes->size);

	if (!shape_pipeline(r, to, child, &pipeline, b->error))
		return false;
	bson_init_static(&stages, pipeline.data, pipeline.size);
	/* the children come from the parents too: out of their arrays */
	good = engine_load_pipeline(b->from, b->from_db, r->parent, &stages, b->to, b->to_db,
	                            child ? r->child : r->parent, child ? r->child_key : r->parent_key,
	                            indexed ? &specifications : NULL, b->interrupt, b->error);
	bytes_clear(&pipeline);
	return good;
}

/* Takes the command. Its only result's field `n`; 0 when there is no result. */
static bool ask(const struct build *b, struct engine *e, const char *db, bson_t *command, int64_t *n)
{
	bson_t reply;
	bool good = engine_command(e, db, command, &reply, b->interrupt, b->error);

	*n = 0;
	if (good)
		value_as_int64(
		        value_get(value_get(value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch"), "0"),
		                  "n"),
		        n);
	bson_destroy(&reply);
	bson_destroy(command);
	return good;
}

#define COUNT_STAGE "{", "$group", "{", "_id", BCON_NULL, "n", "{", "$sum", BCON_INT32(1), "}", "}", "}"

static bool ask_count(const struct build *b, struct engine *e, const char *db, const char *collection, int64_t *n)
{
	return ask(b, e, db,
	           BCON_NEW("aggregate", BCON_UTF8(collection), "pipeline", "[", COUNT_STAGE, "]", "cursor", "{", "}"),
	           n);
}

/* Elements of all the arrays of an embedded shape. */
static bool ask_elements(const struct build *b, struct engine *e, const char *db, int64_t *n)
{
	char *path = bson_strdup_printf("$%s", b->r->path);
	bool good = ask(b, e, db,
	                BCON_NEW("aggregate", BCON_UTF8(b->r->parent), "pipeline", "[", "{", "$group", "{", "_id",
	                         BCON_NULL, "n", "{", "$sum", "{", "$cond", "[", "{", "$isArray", "[", BCON_UTF8(path),
	                         "]", "}", "{", "$size", BCON_UTF8(path), "}", BCON_INT32(0), "]", "}", "}", "}", "}",
	                         "]", "cursor", "{", "}"),
	                n);

	bson_free(path);
	return good;
}

/* $lookup would overwrite a field that stands where the array goes. */
static bool check_room(const struct build *b)
{
	int64_t taken;

	if (!ask(b, b->from, b->from_db,
	         BCON_NEW("aggregate", BCON_UTF8(b->r->parent), "pipeline", "[", "{", "$match", "{", b->r->path, "{",
	                  "$exists", BCON_BOOL(true), "}", "}", "}", COUNT_STAGE, "]", "cursor", "{", "}"),
	         &taken))
		return false;
	return !taken ||
	       error_set(b->error, ERROR_INPUT, 0,
	                 "%lld documents of \"%s\" have a field \"%s\" already: embedding \"%s\" would overwrite it",
	                 (long long)taken, b->r->parent, b->r->path, b->r->child);
}

/* An element that is no document has no fields to become a child's. */
static bool check_elements(const struct build *b)
{
	int64_t bare;

	if (!ask(b, b->from, b->from_db,
	         BCON_NEW("aggregate", BCON_UTF8(b->r->parent), "pipeline", "[", "{", "$match", "{", b->r->path, "{",
	                  "$elemMatch", "{", "$not", "{", "$type", BCON_UTF8("object"), "}", "}", "}", "}", "}",
	                  COUNT_STAGE, "]", "cursor", "{", "}"),
	         &bare))
		return false;
	return !bare ||
	       error_set(
	               b->error, ERROR_INPUT, 0,
	               "%lld documents of \"%s\" have elements in \"%s\" that are no documents: they cannot become \"%s\"",
	               (long long)bare, b->r->parent, b->r->path, b->r->child);
}

static bool embed(const struct build *b, int64_t *orphans)
{
	int64_t children, elements;

	if (!check_room(b) || !load(b, SHAPE_EMBED, false) ||
	    !ask_count(b, b->from, b->from_db, b->r->child, &children) || !ask_elements(b, b->to, b->to_db, &elements))
		return false;
	if (elements > children)
		return error_set(b->error, ERROR_INPUT, 0,
		                 "%lld documents of \"%s\" became %lld elements: \"%s\" is not unique in \"%s\"",
		                 (long long)children, b->r->child, (long long)elements, b->r->parent_key, b->r->parent);
	*orphans = children - elements;
	return true;
}

static bool reference(const struct build *b)
{
	int64_t children, elements;

	if (!check_elements(b) || !load(b, SHAPE_REFERENCE, false) || !load(b, SHAPE_REFERENCE, true) ||
	    !ask_count(b, b->to, b->to_db, b->r->child, &children) || !ask_elements(b, b->from, b->from_db, &elements))
		return false;
	return elements == children ||
	       error_set(b->error, ERROR_INPUT, 0,
	                 "%lld elements of \"%s\" became %lld documents: it is not an array in every \"%s\"",
	                 (long long)elements, b->r->path, (long long)children, b->r->parent);
}

bool shape_build(const struct relationship *r, struct engine *from, const char *from_db, enum shape_kind to,
                 struct engine *to_engine, const char *to_db, int64_t *orphans, const struct interrupt *interrupt,
                 bson_error_t *error)
{
	struct build b = { r, from, to_engine, from_db, to_db, interrupt, error };
	int64_t left_out = 0;
	bool good = to == SHAPE_EMBED ? embed(&b, &left_out) : reference(&b);

	if (good && orphans)
		*orphans = left_out;
	return good;
}
