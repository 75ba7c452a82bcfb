#include "model/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The least that is asked for last. */
static const struct attempt {
	bool name_only, authorized;
} attempts[] = { { true, false }, { true, true }, { false, false } };

enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static bool is_refused(const bson_error_t *error)
{
	return error->domain == ERROR_SERVER && error->code != CODE_Interrupted && error->code != CODE_MaxTimeMSExpired;
}

static bool each_database(struct value reply, cursor_each each, void *context, bson_error_t *error)
{
	struct value databases = value_get(reply, "databases");
	struct walk w;
	struct field f;

	if (!value_is_array(databases))
		return error_set(error, ERROR_INPUT, 0, "a list of databases without databases");
	walk_begin(&w, databases);
	while (walk_next(&w, &f))
		if (value_is_document(f.value) && value_get(f.value, "name").type == BSON_TYPE_UTF8 &&
		    !each(context, f.value, error))
			return false;
	return true;
}

static bool list_databases(struct source *s, const struct attempt *a, cursor_each each, void *context,
                           const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *command = BCON_NEW("listDatabases", BCON_INT32(1)), reply;
	bool good;

	if (a->name_only)
		BSON_APPEND_BOOL(command, "nameOnly", true);
	if (a->authorized)
		BSON_APPEND_BOOL(command, "authorizedDatabases", true);
	good = source_command(s, "admin", command, &reply, interrupt, error) &&
	       each_database(value_from_bson(&reply), each, context, error);
	bson_destroy(&reply);
	bson_destroy(command);
	return good;
}

bool listing_databases(struct source *s, cursor_each each, void *context, const struct interrupt *interrupt,
                       bson_error_t *error)
{
	bson_error_t first, next;

	if (list_databases(s, &attempts[0], each, context, interrupt, &first))
		return true;
	for (size_t i = 1; i < ATTEMPTS && is_refused(&first); i++)
		if (list_databases(s, &attempts[i], each, context, interrupt, &next))
			return true;
		else if (!is_refused(&next))
			break;
	*error = first;
	return false;
}

struct wanted {
	const char *name; /* null: every one */
	cursor_each each;
	void *context;
};

/* Some servers do not look at the filter. */
static bool take(void *context, struct value collection, bson_error_t *error)
{
	const struct wanted *w = context;
	struct value name = value_get(collection, "name");

	if (name.type != BSON_TYPE_UTF8)
		return error_set(error, ERROR_INPUT, 0, "a collection without a name");
	return (w->name && !key_is(value_text(name), w->name)) || w->each(w->context, collection, error);
}

static bool list_collections(struct source *s, const char *db, const struct attempt *a, struct wanted *w,
                             const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *command = BCON_NEW("listCollections", BCON_INT32(1)), filter;
	bool good;

	if (w->name && (a->name_only || a->authorized)) {
		bson_append_document_begin(command, "filter", -1, &filter);
		BSON_APPEND_UTF8(&filter, "name", w->name);
		bson_append_document_end(command, &filter);
	}
	/* the options are wanted of one: only who may not know them asks for its name alone */
	if (a->name_only && (!w->name || a->authorized))
		BSON_APPEND_BOOL(command, "nameOnly", true);
	if (a->authorized)
		BSON_APPEND_BOOL(command, "authorizedCollections", true);
	good = cursor_run(s, db, command, take, w, interrupt, error);
	bson_destroy(command);
	return good;
}

bool listing_collections(struct source *s, const char *db, const char *name, cursor_each each, void *context,
                         const struct interrupt *interrupt, bson_error_t *error)
{
	struct wanted w = { name, each, context };
	bson_error_t first, next;

	if (list_collections(s, db, &attempts[0], &w, interrupt, &first))
		return true;
	for (size_t i = 1; i < ATTEMPTS && is_refused(&first); i++)
		if (list_collections(s, db, &attempts[i], &w, interrupt, &next))
			return true;
		else if (!is_refused(&next))
			break;
	*error = first;
	return false;
}

struct kind {
	const char *name;
	char *kind;
};

static bool take_kind(void *context, struct value listed, bson_error_t *error)
{
	struct kind *k = context;
	struct value type = value_get(listed, "type"), options = value_get(listed, "options");
	const char *kind = "collection";

	(void)error;
	if (type.type == BSON_TYPE_UTF8 && value_text(type).size_bytes)
		kind = value_text(type).bytes;
	if (value_is_document(options) && value_is_true(value_get(options, "capped")))
		kind = "capped";
	if (!strncmp(k->name, "system.", 7))
		kind = strncmp(k->name, "system.buckets.", 15) ? "system" : "buckets";
	free(k->kind);
	k->kind = memory_duplicate_text(kind);
	return true;
}

bool listing_kind(struct source *s, const char *db, const char *name, char **kind, const struct interrupt *interrupt,
                  bson_error_t *error)
{
	struct kind k = { name, NULL };
	bool good = listing_collections(s, db, name, take_kind, &k, interrupt, error);

	*kind = k.kind;
	return good;
}
