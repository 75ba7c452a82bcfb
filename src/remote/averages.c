#include "remote/averages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/value.h"

void averages_init(struct averages *a)
{
	pthread_mutex_init(&a->lock, NULL);
	a->list = NULL;
	a->count = a->capacity = 0;
}

void averages_forget(struct averages *a)
{
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < a->count; i++) {
		free(a->list[i].db);
		free(a->list[i].collection);
	}
	a->count = 0;
	pthread_mutex_unlock(&a->lock);
}

void averages_clear(struct averages *a)
{
	averages_forget(a);
	free(a->list);
	pthread_mutex_destroy(&a->lock);
}

static bool find_known(struct averages *a, const char *db, const char *collection, struct figure *bytes)
{
	bool known = false;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < a->count && !known; i++) {
		known = !strcmp(a->list[i].db, db) && !strcmp(a->list[i].collection, collection);
		if (known)
			*bytes = a->list[i].bytes;
	}
	pthread_mutex_unlock(&a->lock);
	return known;
}

static void remember(struct averages *a, const char *db, const char *collection, struct figure bytes)
{
	pthread_mutex_lock(&a->lock);
	a->list = memory_grow(a->list, &a->capacity, a->count + 1, sizeof *a->list);
	a->list[a->count++] = (struct average){ memory_duplicate_text(db), memory_duplicate_text(collection), bytes };
	pthread_mutex_unlock(&a->lock);
}

/* Destroys the command. */
static bool ask(struct connection *c, const char *db, bson_t *command, bson_t *reply, const struct interrupt *interrupt)
{
	bson_error_t error;
	const struct permit *row = permit_check(command, PERMIT_SELF, &error);
	bool good = row && connection_command(c, row, db, command, reply, interrupt, &error);

	if (!row)
		bson_init(reply);
	bson_destroy(command);
	return good;
}

/* False: it could not be found out. */
static bool is_plain(struct connection *c, const char *db, const char *collection, bool *plain,
                     const struct interrupt *interrupt)
{
	bson_t reply;
	bool good = ask(c, db,
	                BCON_NEW("listCollections", BCON_INT32(1), "filter", "{", "name", BCON_UTF8(collection), "}"),
	                &reply, interrupt);
	struct value cursor = value_get(value_from_bson(&reply), "cursor"), batch, type;

	*plain = false;
	if (good && value_is_document(cursor)) {
		batch = value_get(cursor, "firstBatch");
		type = value_is_array(batch) && value_count(batch) ? value_get(value_get(batch, "0"), "type")
		                                                   : value_missing();
		*plain = type.type == BSON_TYPE_UTF8 && key_is(value_text(type), "collection");
	}
	bson_destroy(&reply);
	return good;
}

static bool ask_average(struct connection *c, const char *db, const char *collection, struct figure *bytes,
                        const struct interrupt *interrupt)
{
	bson_t reply;
	bool good = ask(c, db, BCON_NEW("collStats", BCON_UTF8(collection)), &reply, interrupt);
	int64_t average;

	/* no document has 0 bytes: a mongos says so of what it does not know */
	if (good && value_as_int64(value_get(value_from_bson(&reply), "avgObjSize"), &average) && average > 0)
		*bytes = figure_of(average, PROVENANCE_ESTIMATED);
	bson_destroy(&reply);
	return good;
}

struct figure averages_find(struct averages *a, struct connection *c, const char *db, const char *collection,
                            const struct interrupt *interrupt)
{
	struct figure bytes = figure_unknown();
	bool plain;

	if (find_known(a, db, collection, &bytes))
		return bytes;
	/* what was refused is not asked again; what was interrupted is */
	if (is_plain(c, db, collection, &plain, interrupt) && plain)
		ask_average(c, db, collection, &bytes, interrupt);
	if (interrupt_check(interrupt) == INTERRUPT_NONE)
		remember(a, db, collection, bytes);
	return bytes;
}
