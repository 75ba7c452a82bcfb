#include "engine/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "bson/writer.h"
#include "engine/collection.h"

struct store {
	struct database **databases;
	size_t database_count;
	/* above the write counters of dropped collections: a new one is not mistaken for an old one */
	int64_t dropped_counter;
	_Atomic(const struct emulation *) emulation; /* commands that hold no mutex ask for it too */
};

struct store *store_new(void)
{
	struct store *s = memory_allocate_zeroed(1, sizeof *s);

	s->emulation = emulation_default();
	return s;
}

const struct emulation *store_emulation(const struct store *s)
{
	return s->emulation;
}

void store_set_emulation(struct store *s, const struct emulation *m)
{
	s->emulation = m;
}

static void drop_collection_at(struct store *s, struct database *db, size_t i)
{
	struct collection *c = db->collections[i];

	if (c->write_counter >= s->dropped_counter)
		s->dropped_counter = c->write_counter + 1;
	collection_destroy(c);
	db->collection_count--;
	memmove(db->collections + i, db->collections + i + 1, (db->collection_count - i) * sizeof *db->collections);
}

static void destroy_database(struct store *s, struct database *db)
{
	while (db->collection_count)
		drop_collection_at(s, db, db->collection_count - 1);
	free(db->collections);
	free(db->name);
	free(db);
}

void store_destroy(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->database_count; i++)
		destroy_database(s, s->databases[i]);
	free(s->databases);
	free(s);
}

size_t store_database_count(const struct store *s)
{
	return s->database_count;
}

struct database *store_database_at(const struct store *s, size_t i)
{
	return s->databases[i];
}

struct database *store_database(const struct store *s, const char *name)
{
	for (size_t i = 0; i < s->database_count; i++)
		if (!strcmp(s->databases[i]->name, name))
			return s->databases[i];
	return NULL;
}

struct database *store_create_database(struct store *s, const char *name)
{
	struct database *db = store_database(s, name);

	if (db)
		return db;
	db = memory_allocate_zeroed(1, sizeof *db);
	db->name = memory_duplicate_text(name);
	db->store = s;
	db->document_limit_bytes = LIMIT_USER_BYTES;
	s->databases = memory_resize(s->databases, s->database_count + 1, sizeof *s->databases);
	s->databases[s->database_count++] = db;
	return db;
}

static bool find_collection(const struct database *db, const char *name, size_t *i)
{
	for (*i = 0; *i < db->collection_count; ++*i)
		if (!strcmp(db->collections[*i]->name, name))
			return true;
	return false;
}

struct collection *store_collection(const struct store *s, const char *db, const char *name)
{
	const struct database *database = store_database(s, db);
	size_t i;

	return database && find_collection(database, name, &i) ? database->collections[i] : NULL;
}

/* https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions */
static bool check_names(const char *db, const char *name, bson_error_t *error)
{
	enum { DATABASE_NAME_LIMIT = 63, NAMESPACE_LIMIT = 255 };

	if (!*db || strpbrk(db, "/\\. \"$"))
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid database name: '%.100s'", db);
	if (strlen(db) > DATABASE_NAME_LIMIT)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace,
		                 "db name must be at most 63 characters, found: %zu", strlen(db));
	if (!*name)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid namespace specified '%s.'", db);
	if (strchr(name, '$') || *name == '.')
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid collection name: %.300s", name);
	if (strlen(db) + 1 + strlen(name) > NAMESPACE_LIMIT)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace,
		                 "Fully qualified namespace is too long. Namespace: %s.%.300s Max: 255", db, name);
	return true;
}

struct collection *store_load_begin(struct store *s, const char *db, const char *name, bson_error_t *error)
{
	struct database *database;
	struct collection *c;

	if (!check_names(db, name, error))
		return NULL;
	if (store_collection(s, db, name)) {
		error_set(error, ERROR_SERVER, CODE_NamespaceExists, "Collection %s.%s already exists.", db, name);
		return NULL;
	}
	database = store_create_database(s, db);
	c = collection_new(database, name, s->dropped_counter);
	database->collections = memory_resize(database->collections, database->collection_count + 1,
	                                      sizeof *database->collections);
	database->collections[database->collection_count++] = c;
	return c;
}

static bool load(struct collection *c, struct value document, bool borrowed, bson_error_t *error)
{
	if (!value_is_document(document))
		return error_set(error, ERROR_INPUT, CODE_InvalidBSON,
		                 "'%s' is loaded with %s where a document is expected", c->name,
		                 value_type_name(document.type));
	collection_load(c, document, borrowed);
	return true;
}

bool store_load_borrow(struct collection *c, struct value document, bson_error_t *error)
{
	return load(c, document, true, error);
}

bool store_load_copy(struct collection *c, struct value document, bson_error_t *error)
{
	return load(c, document, false, error);
}

/* {key: {KEY: 1}, name: "KEY_1", unique: true}, or that of _id */
static bool create_key_index(struct collection *c, const char *key, bson_error_t *error)
{
	struct bytes specification = BYTES_INIT, name = BYTES_INIT;
	struct writer w;
	bool right;

	bytes_format(&name, strcmp(key, "_id") ? "%s_1" : "%s_", key);
	writer_begin(&w, &specification);
	writer_begin_document(&w, key_of("key"));
	writer_int32(&w, key, 1);
	writer_end(&w);
	writer_text(&w, "name", bytes_text(&name));
	if (strcmp(key, "_id"))
		writer_bool(&w, "unique", true);
	right = collection_create_index(c, writer_finish(&w), error);
	bytes_clear(&specification);
	bytes_clear(&name);
	return right;
}

bool store_load_end(struct store *s, struct collection *c, const char *key, bson_error_t *error)
{
	records_trim(&c->records);
	if (!key || create_key_index(c, key, error))
		return true;
	store_drop_collection(s, c->database->name, c->name);
	return false;
}

struct collection *store_create_collection(struct store *s, const char *db, const char *name, bson_error_t *error)
{
	struct collection *c;

	if (!strncmp(name, "system.", 7)) { /* a dump may hold some */
		error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid system namespace: %.100s.%.300s",
		          db, name);
		return NULL;
	}
	c = store_load_begin(s, db, name, error);
	return c && store_load_end(s, c, "_id", error) ? c : NULL;
}

void store_rename_collection(struct store *s, const char *db, const char *name, const char *new_db, const char *new_name)
{
	struct database *from = store_database(s, db), *to = store_create_database(s, new_db);
	struct collection *c;
	size_t i;

	if (!find_collection(from, name, &i))
		return;
	c = from->collections[i];
	/* a change to both names: whoever knew a counter of either sees another one */
	c->write_counter = s->dropped_counter = (c->write_counter > s->dropped_counter ? c->write_counter : s->dropped_counter) + 1;
	free(c->name);
	c->name = memory_duplicate_text(new_name);
	c->database = to;
	from->collection_count--;
	memmove(from->collections + i, from->collections + i + 1, (from->collection_count - i) * sizeof *from->collections);
	to->collections = memory_resize(to->collections, to->collection_count + 1, sizeof *to->collections);
	to->collections[to->collection_count++] = c;
}

bool store_drop_collection(struct store *s, const char *db, const char *name)
{
	struct database *database = store_database(s, db);
	size_t i;

	if (!database || !find_collection(database, name, &i))
		return false;
	drop_collection_at(s, database, i);
	return true;
}

bool store_drop_database(struct store *s, const char *db)
{
	for (size_t i = 0; i < s->database_count; i++) {
		if (strcmp(s->databases[i]->name, db))
			continue;
		destroy_database(s, s->databases[i]);
		s->database_count--;
		memmove(s->databases + i, s->databases + i + 1, (s->database_count - i) * sizeof *s->databases);
		return true;
	}
	return false;
}
