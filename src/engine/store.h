/*
 * The store: databases of collections of documents that lie where they are (mapped, borrowed or owned bytes). A
 * stored document is never changed in place: an update puts new bytes in its record. Records are named by ids that
 * are never reused; index entries and cursors hold ids, never pointers. Not thread-safe: the engine's mutex is held.
 *
 * Memory: the documents' bytes (none for borrowed ones), what their records cost (records.h), and the indexes (index.h).
 */
#ifndef BSONSCOPE_ENGINE_STORE_H
#define BSONSCOPE_ENGINE_STORE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/limits.h"
#include "bson/path.h"
#include "bson/value.h"
#include "engine/emulation.h"
#include "engine/records.h"

typedef int64_t record_id; /* from 0, in order of insertion; a collection scan goes upwards */
#define RECORD_NONE ((record_id)-1)

struct index;
struct store;
struct validation;

struct collection {
	char *name;
	struct database *database;
	struct records records;
	int64_t count, bytes;                 /* live documents and the sum of their sizes */
	int64_t write_counter;                /* one more with every change; staleness is seen by it */
	struct index **indexes;               /* [0] is the unique key index: _id_, or the bulk loader's key */
	size_t index_count;
	struct bytes options;                 /* the `create` options as a BSON document; empty: {} */
	struct validation *validation;        /* what they ask of documents; null: nothing */
};

struct database {
	char *name;
	struct store *store;
	struct collection **collections;
	size_t collection_count;
	int64_t document_limit_bytes; /* LIMIT_USER_BYTES unless set */
};

struct store *store_new(void);
void store_destroy(struct store *s);

/* The version that the engine follows; emulation_default() until it is set. */
const struct emulation *store_emulation(const struct store *s);
void store_set_emulation(struct store *s, const struct emulation *m);

size_t store_database_count(const struct store *s);
struct database *store_database_at(const struct store *s, size_t i);

/* Null when there is none. */
struct database *store_database(const struct store *s, const char *name);
struct collection *store_collection(const struct store *s, const char *db, const char *name);
struct database *store_create_database(struct store *s, const char *name); /* or the one that is there */

/* With a unique index on _id. Fails with NamespaceExists, InvalidNamespace. */
struct collection *store_create_collection(struct store *s, const char *db, const char *name, bson_error_t *error);
/* Both names have been checked; there is one of the old and none of the new. Its write counter stays above all others'. */
void store_rename_collection(struct store *s, const char *db, const char *name, const char *new_db, const char *new_name);
bool store_drop_collection(struct store *s, const char *db, const char *name);
bool store_drop_database(struct store *s, const char *db);

/*
 * "collection", or, by its options, "view" or "timeseries": a dump may describe one. What these would return is not
 * computed here: collection_holds_documents refuses them (NotImplemented), so that none passes for an empty collection.
 */
const char *collection_type(const struct collection *c);
bool collection_holds_documents(const struct collection *c, bson_error_t *error);

/*
 * Bulk loading: documents as they are, never an _id added, indexes built at the end. `key` is the field of the
 * collection's unique index ("_id", "_k", or null for none). store_load_borrow keeps a pointer to the bytes, which
 * outlive the store; store_load_copy copies. store_load_end builds the key index; a duplicate key fails
 * (DuplicateKey) and drops the collection.
 */
struct collection *store_load_begin(struct store *s, const char *db, const char *name, bson_error_t *error);
bool store_load_borrow(struct collection *c, struct value document, bson_error_t *error);
bool store_load_copy(struct collection *c, struct value document, bson_error_t *error);
bool store_load_end(struct store *s, struct collection *c, const char *key, bson_error_t *error);

/* Takes the options (copied; missing: none) and what they ask of documents from now on. */
void collection_set_options(struct collection *c, struct value options);

/* Live document of a record; false when it was deleted or never was. The view is good until the next write. */
bool collection_document(const struct collection *c, record_id id, struct value *document);

/* First live record at or after `from`, in scan order; RECORD_NONE at the end. */
record_id collection_next(const struct collection *c, record_id from);

/*
 * Writes. Each checks the database's document limit, unique indexes first and changes either everything or nothing.
 * *keys_written gets the index entries removed and added. Duplicate: E11000 (code 11000) in MongoDB's words;
 * `details` (may be null) gets {keyPattern, keyValue}.
 */
bool collection_insert(struct collection *c, struct value document, record_id *id, int64_t *keys_written,
                       struct bytes *details, bson_error_t *error);
bool collection_replace(struct collection *c, record_id id, struct value document, int64_t *keys_written,
                        struct bytes *details, bson_error_t *error);
bool collection_remove(struct collection *c, record_id id, int64_t *keys_written);

/* The same checks and the same count, and nothing changes: what a dry run asks. `id` RECORD_NONE: as an insert. */
bool collection_would_write(const struct collection *c, record_id id, struct value document, int64_t *keys_written,
                            struct bytes *details, bson_error_t *error);

/* Indexes. `specification` is one element of createIndexes' `indexes` and is copied. Duplicates fail as above. */
struct index *collection_index(const struct collection *c, const char *name);
bool collection_create_index(struct collection *c, struct value specification, bson_error_t *error);
bool collection_drop_index(struct collection *c, const char *name, bson_error_t *error);

/* What an index would hold: built beside the collection and dropped again. False: it could not be built. */
bool collection_preview_index(const struct collection *c, struct value specification, int64_t *entries, int64_t *bytes);

/* Bytes that the engine holds for this collection, beyond borrowed documents. */
int64_t collection_memory_bytes(const struct collection *c);

#endif
