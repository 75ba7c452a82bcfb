#include "base/limits.h"
#include "engine/command_write.h"

#include <string.h>
#include <time.h>

#include "engine/index.h"
#include "engine/validation.h"

enum { STORED_DEPTH_LIMIT = 180 };

static bool too_deep(struct value v, int depth)
{
	struct walk w;
	struct field f;

	if (!value_is_document(v) && !value_is_array(v))
		return false;
	if (depth > STORED_DEPTH_LIMIT)
		return true;
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (too_deep(f.value, depth + 1))
			return true;
	return false;
}

static bool check_id(struct value id, bson_error_t *error)
{
	struct walk w;
	struct field f;

	if (id.type == BSON_TYPE_ARRAY || id.type == BSON_TYPE_REGEX || id.type == BSON_TYPE_UNDEFINED)
		return error_set(error, ERROR_SERVER, CODE_InvalidIdField, "The '_id' value cannot be of type %s",
		                 value_type_name(id.type));
	if (!value_is_document(id))
		return true;
	walk_begin(&w, id);
	while (walk_next(&w, &f))
		if (f.key.size_bytes && f.key.bytes[0] == '$')
			return error_set(error, ERROR_SERVER, CODE_DollarPrefixedFieldName,
			                 "_id fields may not contain '$'-prefixed fields: %.*s is not valid for storage.",
			                 (int)f.key.size_bytes, f.key.bytes);
	return true;
}

static bool check_document(struct value document, struct value *id, bson_error_t *error)
{
	struct walk w;
	struct field f;
	int ids = 0;

	*id = value_missing();
	if (too_deep(document, 1))
		return error_set(error, ERROR_SERVER, CODE_Overflow, "cannot insert document because it exceeds %d levels of nesting",
		                 STORED_DEPTH_LIMIT);
	walk_begin(&w, document);
	while (walk_next(&w, &f)) {
		if (!key_is(f.key, "_id"))
			continue;
		if (ids++)
			return error_set(error, ERROR_SERVER, CODE_BadValue, "can't have multiple _id fields in one document");
		*id = f.value;
	}
	return check_id(*id, error);
}

/* Seconds and a count, as the server fills an empty timestamp at the top level. */
static void put_timestamp(struct writer *w, struct key key)
{
	uint64_t now = (uint64_t)time(NULL) << 32 | 1, little = BSON_UINT64_TO_LE(now);

	writer_raw(w, key, BSON_TYPE_TIMESTAMP, &little, 8);
}

bool write_prepare(struct value document, struct bytes *out, bson_error_t *error)
{
	struct writer w;
	struct walk walk;
	struct field f;
	struct value id;

	bytes_reset(out);
	if (!check_document(document, &id, error))
		return false;
	writer_begin(&w, out);
	if (value_is_missing(id)) {
		bson_oid_t oid;

		bson_oid_init(&oid, NULL);
		writer_raw(&w, key_of("_id"), BSON_TYPE_OID, oid.bytes, sizeof oid.bytes);
	} else {
		writer_value(&w, key_of("_id"), id);
	}
	walk_begin(&walk, document);
	while (walk_next(&walk, &f)) {
		if (key_is(f.key, "_id"))
			continue;
		if (f.value.type == BSON_TYPE_TIMESTAMP && value_int64(f.value) == 0)
			put_timestamp(&w, f.key);
		else
			writer_value(&w, f.key, f.value);
	}
	writer_finish(&w);
	return true;
}

static int64_t limit_of(const struct execution *x, const struct collection *collection)
{
	const struct database *database = collection ? collection->database : store_database(x->store, x->db);

	return database ? database->document_limit_bytes : LIMIT_USER_BYTES;
}

static void count(struct execution *x, struct value document, int64_t keys_written)
{
	x->counters.docs_written++;
	x->counters.bytes_written += document.size_bytes;
	x->counters.keys_written += keys_written;
}

/* An explained write is not validated: it changes nothing. */
static bool is_valid(struct execution *x, const struct collection *collection, struct value old, struct value document)
{
	return (x->dry_run && x->timed) || validation_check(collection, x, old, document);
}

bool write_insert(struct execution *x, struct collection *collection, struct value document)
{
	bson_error_t error;
	record_id id;
	int64_t keys_written = 1; /* the _id of a collection that would be made */
	bool ok = true;

	if (document.size_bytes > limit_of(x, collection))
		return execution_fail(x, CODE_BadValue, "object to insert too large. size in bytes: %u, max size: %lld",
		                      document.size_bytes, (long long)limit_of(x, collection));
	if (collection && !is_valid(x, collection, value_missing(), document))
		return false;
	if (collection && x->dry_run)
		ok = collection_would_write(collection, RECORD_NONE, document, &keys_written, x->error_details, &error);
	else if (collection)
		ok = collection_insert(collection, document, &id, &keys_written, x->error_details, &error);
	if (!ok)
		return execution_fail_with(x, &error);
	count(x, document, keys_written);
	return true;
}

bool write_replace(struct execution *x, struct collection *collection, record_id id, struct value document,
                   bool changed)
{
	bson_error_t error;
	struct value old;
	int64_t keys_written = 0;
	bool ok = true;

	if (!changed) {
		x->counters.no_ops++;
		count(x, document, 0);
		return true;
	}
	if (document.size_bytes <= limit_of(x, collection) && collection_document(collection, id, &old) &&
	    !is_valid(x, collection, old, document))
		return false; /* over the limit: that is what is said below */
	if (x->dry_run)
		ok = collection_would_write(collection, id, document, &keys_written, x->error_details, &error);
	else
		ok = collection_replace(collection, id, document, &keys_written, x->error_details, &error);
	if (!ok)
		return execution_fail_with(x, &error);
	count(x, document, keys_written);
	return true;
}

/* The entries that removing a document removes. */
static int64_t keys_of(const struct collection *collection, struct value document)
{
	struct index_keys keys;
	bson_error_t error;
	int64_t total = 0;

	for (size_t i = 0; i < collection->index_count; i++) {
		index_keys_init(&keys);
		if (index_make_keys(collection->indexes[i], document, &keys, &error))
			total += (int64_t)keys.count;
		index_keys_clear(&keys);
	}
	return total;
}

bool write_remove(struct execution *x, struct collection *collection, record_id id, struct value document)
{
	int64_t keys_written = 0;

	if (x->dry_run)
		keys_written = keys_of(collection, document);
	else if (!collection_remove(collection, id, &keys_written))
		return true;
	/* nothing of the document stands after it: no bytes are written */
	x->counters.docs_written++;
	x->counters.keys_written += keys_written;
	return true;
}

bool write_upsert_document(struct execution *x, const struct update *update, const struct match *filter,
                           struct bytes *out)
{
	struct bytes base = BYTES_INIT, updated = BYTES_INIT;
	struct value document;
	bson_error_t error;
	bool changed, ok;

	ok = update_upsert_base(filter, &base, &error) || execution_fail_with(x, &error);
	if (ok && value_document(&document, base.data, base.size))
		ok = update_apply(update, x, document, filter, true, &updated, &changed) &&
		     value_document(&document, updated.data, updated.size);
	if (ok)
		ok = write_prepare(document, out, &error) || execution_fail_with(x, &error);
	bytes_clear(&base);
	bytes_clear(&updated);
	return ok && !x->failed;
}
