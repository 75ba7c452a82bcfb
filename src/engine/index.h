/*
 * An ordered index: a B+-tree of (encoded key, record id) pairs, in the order of key, then id. Entries cost about 64
 * bytes for encoded keys up to 24 bytes, 40 plus twice the key above that.
 */
#ifndef BSONSCOPE_ENGINE_INDEX_H
#define BSONSCOPE_ENGINE_INDEX_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/path.h"
#include "bson/value.h"
#include "engine/store.h"

struct match;

struct index_field {
	struct path path;
	bool descending;
	/* Which components of the path were arrays in some document: multiKeyPaths of explain. Bit i: component i. */
	uint32_t array_components;
};

struct index {
	char *name;
	struct bytes specification; /* as listIndexes returns it: {v: 2, key: {…}, name: …, unique: …} */
	struct index_field *fields;
	size_t field_count;
	bool unique, sparse, multikey;
	bool hidden;          /* kept up like any other, and looked into by no plan */
	struct match *filter; /* partialFilterExpression: only what matches has entries; null: everything */
	struct index_tree *tree;
	int64_t entry_count;
	int64_t accesses; /* scans that used it: $indexStats */
};

/* `specification` as in createIndexes, checked: CannotCreateIndex, BadValue in MongoDB's words. */
struct index *index_new(struct value specification, bson_error_t *error);
void index_destroy(struct index *i);

/* Hides the index from plans, or shows it again; its specification says so. */
void index_set_hidden(struct index *i, bool hidden);

/* The key pattern: {bookId: 1}. */
struct value index_key_pattern(const struct index *i);

/*
 * Same fields, order and directions, unique, sparse and partial filter: what MongoDB holds to be the same index, by
 * whatever name. What else may be said of an index may still differ.
 */
bool index_is_equivalent(const struct index *a, const struct index *b);

/* The index has entries for the document: it is not partial, or its filter matches. */
bool index_holds(const struct index *i, struct value document);

/* The encoded keys of a document, each once: one for most, one an element for arrays (in parallel arrays: code 171). */
enum { INDEX_FIELD_LIMIT = 32 };

struct index_keys {
	struct bytes *keys;
	size_t count, capacity;
	uint32_t array_components[INDEX_FIELD_LIMIT]; /* a field each: which components were arrays in this document */
};
void index_keys_init(struct index_keys *k);
void index_keys_clear(struct index_keys *k);
bool index_make_keys(const struct index *i, struct value document, struct index_keys *keys, bson_error_t *error);

/*
 * Both documents have the same bytes in every field that the index looks at, so the same keys. Cheaper than making
 * them.
 */
bool index_sees_no_difference(const struct index *i, struct value a, struct value b);

/*
 * The values of one of the document's keys, as a document: {_id: 26}, keyValue of a duplicate. False: it has no such
 * key.
 */
bool index_key_value(const struct index *i, struct value document, const struct bytes *key, struct bytes *out);

/* No path of the index is the beginning of another, as a is of a.b: one document can hold them all. */
bool index_paths_are_apart(const struct index *i);

/*
 * The same with dotted paths as documents within documents, as a covered plan reads it: {a: {b: 1}}. For indexes whose
 * paths are apart.
 */
bool index_key_document(const struct index *i, struct value document, const uint8_t *key, size_t size, struct bytes *out);

void index_insert(struct index *i, const struct bytes *key, record_id id);
bool index_remove(struct index *i, const struct bytes *key, record_id id);

/* Marks paths that were arrays in the document these keys are of; called with every insert. */
void index_note_arrays(struct index *i, const struct index_keys *keys);

/* True when a key is there under another record than `except`. */
bool index_has_key(const struct index *i, const struct bytes *key, record_id except);

/* The first key (appended to `key`) that two records share, and the second record: what a unique index may not have. */
bool index_first_duplicate(const struct index *i, struct bytes *key, record_id *id);

/*
 * Builds an empty index from many documents at once, which is much faster than inserting. The builder takes documents
 * in ascending order of their ids, and is gone after index_builder_finish; the index may be used then.
 */
struct index_builder;
struct index_builder *index_builder_new(struct index *i);
bool index_builder_add(struct index_builder *b, struct value document, record_id id, bson_error_t *error);
void index_builder_finish(struct index_builder *b);
void index_builder_destroy(struct index_builder *b); /* instead of finishing */

/*
 * A position in the index. It stays good over writes: it remembers the key and finds its place again when the index
 * changed. Key views are good until the next call.
 */
struct index_cursor;
struct index_cursor *index_cursor_new(const struct index *i);
void index_cursor_destroy(struct index_cursor *c);

/*
 * To the first entry with key >= `key` (or > when `after`); backward: the last entry with key <= `key` (or <). False:
 * none.
 */
bool index_cursor_seek(struct index_cursor *c, const uint8_t *key, size_t size, bool after, bool backward);
bool index_cursor_next(struct index_cursor *c, bool backward);
void index_cursor_get(const struct index_cursor *c, const uint8_t **key, size_t *size, record_id *id);

int64_t index_memory_bytes(const struct index *i);

#endif
