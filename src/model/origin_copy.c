#include "model/origin_copy.h"

#include "engine/engine.h"
#include "model/cursor.h"
#include "model/index_edits.h"

struct copying {
	struct source *to;
	const char *db, *collection;
	const struct interrupt *interrupt;
};

/* One of listIndexes' documents. An index that is there already, as that of the key is, is no error. */
static bool copy_index(void *context, struct value specification, bson_error_t *error)
{
	const struct copying *c = context;

	return index_edit_send(c->to, c->db, c->collection, specification, false, c->interrupt, error);
}

static bool copy_indexes(struct source *origin, const char *origin_db, struct copying *c, bson_error_t *error)
{
	bson_t *command = BCON_NEW("listIndexes", BCON_UTF8(c->collection));
	bool good = cursor_run(origin, origin_db, command, copy_index, c, c->interrupt, error);

	bson_destroy(command);
	return good;
}

bool origin_copy(struct source *origin, const char *origin_db, const struct model *model,
                 const struct mentions *mentions, struct source *to, const char *db, const struct interrupt *interrupt,
                 bson_error_t *error)
{
	struct engine *from = source_engine(origin), *engine = source_engine(to);
	bson_t whole = BSON_INITIALIZER;
	bool good = true;

	if (!from || !engine)
		return error_set(error, ERROR_INPUT, 0,
		                 "copying \"%s\" into the lab is not possible: it is not in this process",
		                 origin->name);
	engine_drop_database(engine, db);
	engine_set_document_limit(engine, db, engine_document_limit(from, origin_db));
	for (size_t i = 0; i < mentions->count && good; i++) {
		struct copying c = { to, db, mentions->names[i], interrupt };

		if (engine_write_counter(from, origin_db, c.collection) < 0)
			continue;
		good = engine_load_pipeline(from, origin_db, c.collection, &whole, engine, db, c.collection,
		                            model_key(model, c.collection), NULL, interrupt, error) &&
		       copy_indexes(origin, origin_db, &c, error);
	}
	if (!good)
		engine_drop_database(engine, db);
	return good;
}
