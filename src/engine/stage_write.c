#include "engine/stage_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"

/* Where the server keeps its own things. */
static bool is_internal(const char *db)
{
	return !strcmp(db, "admin") || !strcmp(db, "local") || !strcmp(db, "config");
}

static bool check_target(const struct write_target *t, struct pipeline_parser *p, const char *name)
{
	bool merges = !strcmp(name, "$merge");

	if (!command_check_database(t->db, p->error))
		return false;
	if (!*t->collection || *t->collection == '.' || strchr(t->collection, '$'))
		return pipeline_refuse(p, CODE_InvalidNamespace, "Invalid %s target namespace: '%s'", name, t->namespace_text);
	if (!strncmp(t->collection, "system.", 7))
		return pipeline_refuse(p, merges ? 31319 : 17385, "%s to special collection: %s",
		                       merges ? "Cannot $merge" : "Can't $out", t->collection);
	if (is_internal(t->db))
		return pipeline_refuse(p, merges ? 31320 : 31321, "%s to internal database: %s",
		                       merges ? "Cannot $merge" : "Can't $out", t->db);
	return true;
}

static bool read_fields(struct pipeline_parser *p, const char *field, struct value specification, struct value *db,
                        struct value *collection)
{
	static const struct command_option options[] = {
		{ "db", OPTION_STRING, OPTION_USED },
		{ "coll", OPTION_STRING, OPTION_REQUIRED },
		{ "timeseries", OPTION_OBJECT, OPTION_REFUSED },
		{ NULL, OPTION_ANY, OPTION_USED }
	};

	if (!command_check_options(specification, field, options, 0, false, p->error))
		return false;
	*db = command_option(specification, "db");
	*collection = command_option(specification, "coll");
	return true;
}

bool write_target_parse(struct write_target *t, struct pipeline_parser *p, const char *name, const char *field,
                        struct value specification)
{
	struct value db = value_missing(), collection = specification;
	struct bytes text = BYTES_INIT;

	if (value_is_document(specification) && !read_fields(p, field, specification, &db, &collection))
		return false;
	t->db = memory_duplicate_text(value_is_missing(db) ? p->pipeline->db : value_text(db).bytes);
	t->collection = memory_duplicate_text(value_text(collection).bytes);
	bytes_format(&text, "%s.%s", t->db, t->collection);
	t->namespace_text = bytes_take_text(&text);
	return check_target(t, p, name);
}

void write_target_clear(struct write_target *t)
{
	free(t->db);
	free(t->collection);
	free(t->namespace_text);
}

void write_target_explain(const struct write_target *t, struct writer *w, const char *field)
{
	writer_begin_document(w, key_of(field));
	writer_text(w, "db", t->db);
	writer_text(w, "coll", t->collection);
	writer_end(w);
}

struct collection *write_target_open(const struct write_target *t, struct execution *x)
{
	struct collection *c = store_collection(x->store, t->db, t->collection);
	bson_error_t error;

	if (c && !collection_holds_documents(c, &error)) {
		execution_fail_with(x, &error);
		return NULL;
	}
	if (c || x->dry_run)
		return c;
	c = store_create_collection(x->store, t->db, t->collection, &error);
	if (!c)
		execution_fail_with(x, &error);
	return c;
}

bool write_take_input(struct stage *s, struct bytes *documents)
{
	enum stage_status status;
	struct row row;

	while ((status = stage_next(s->input, &row)) == STAGE_ADVANCED) {
		if (!execution_tick(s->execution))
			return false;
		if (!documents)
			continue;
		if (row.document.size_bytes > LIMIT_INTERNAL_BYTES)
			return command_fail_too_large(s->execution, row.document);
		bytes_append(documents, row.document.bytes, row.document.size_bytes);
	}
	return status == STAGE_END;
}
