#include "engine/collection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "engine/index.h"
#include "engine/validation.h"

struct collection *collection_new(struct database *database, const char *name, int64_t write_counter)
{
	struct collection *c = memory_allocate_zeroed(1, sizeof *c);

	c->database = database;
	c->name = memory_duplicate_text(name);
	c->write_counter = write_counter;
	return c;
}

void collection_destroy(struct collection *c)
{
	records_clear(&c->records);
	for (size_t i = 0; i < c->index_count; i++)
		index_destroy(c->indexes[i]);
	bytes_clear(&c->options);
	validation_destroy(c->validation);
	free(c->indexes);
	free(c->name);
	free(c);
}

void collection_set_options(struct collection *c, struct value options)
{
	struct bytes copy = BYTES_INIT;

	if (value_is_document(options) && value_count(options))
		bytes_append(&copy, options.bytes, options.size_bytes);
	bytes_clear(&c->options);
	c->options = copy;
	validation_destroy(c->validation);
	c->validation = value_document(&options, copy.data, copy.size) ? validation_new(options) : NULL;
}

const char *collection_type(const struct collection *c)
{
	struct value options;

	if (!value_document(&options, c->options.data, c->options.size))
		return "collection";
	if (!value_is_missing(value_get(options, "viewOn")))
		return "view";
	return value_is_missing(value_get(options, "timeseries")) ? "collection" : "timeseries";
}

bool collection_holds_documents(const struct collection *c, bson_error_t *error)
{
	const char *type = collection_type(c);

	return !strcmp(type, "collection") ||
	       error_set(error, ERROR_SERVER, CODE_NotImplemented, "'%s.%s' is a %s, which is not supported by this engine",
	                 c->database->name, c->name, strcmp(type, "view") ? "time series" : type);
}

static void count_documents(struct collection *c, int64_t count, int64_t bytes)
{
	c->count += count;
	c->bytes += bytes;
	c->write_counter += count;
}

static const uint8_t *copy_of(struct value document)
{
	return memory_duplicate(document.bytes, document.size_bytes);
}

void collection_load(struct collection *c, struct value document, bool borrowed)
{
	records_append(&c->records, borrowed ? document.bytes : copy_of(document), document.size_bytes, !borrowed);
	count_documents(c, 1, document.size_bytes);
}

void collection_borrow_all(struct collection *c, const struct value *documents, size_t count)
{
	int64_t bytes = 0;

	records_borrow_all(&c->records, documents, count);
	for (size_t i = 0; i < count; i++)
		bytes += documents[i].size_bytes;
	count_documents(c, (int64_t)count, bytes);
}

bool collection_document(const struct collection *c, record_id id, struct value *document)
{
	return id >= 0 && records_document(&c->records, (size_t)id, document);
}

record_id collection_next(const struct collection *c, record_id from)
{
	size_t id;

	return records_next(&c->records, from < 0 ? 0 : (size_t)from, &id) ? (record_id)id : RECORD_NONE;
}

/* The keys that a write takes out of one index and puts into it. */
struct index_change {
	struct index_keys before, after;
};

struct change {
	struct index_change *indexes; /* one an index */
	size_t count;
};

static void change_clear(struct change *change)
{
	for (size_t i = 0; i < change->count; i++) {
		index_keys_clear(&change->indexes[i].before);
		index_keys_clear(&change->indexes[i].after);
	}
	free(change->indexes);
}

static int key_order(const struct bytes *a, const struct bytes *b)
{
	int difference = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);

	return difference ? difference : (a->size > b->size) - (a->size < b->size);
}

/* Drops the keys that stay: both lists are in order. A dropped key has size 0. */
static void drop_common_keys(struct index_change *x)
{
	size_t i = 0, j = 0;

	while (i < x->before.count && j < x->after.count) {
		int difference = key_order(&x->before.keys[i], &x->after.keys[j]);

		if (!difference) {
			bytes_reset(&x->before.keys[i]);
			bytes_reset(&x->after.keys[j]);
		}
		i += difference <= 0;
		j += difference >= 0;
	}
}

static int64_t count_keys(const struct index_keys *k)
{
	int64_t count = 0;

	for (size_t i = 0; i < k->count; i++)
		count += k->keys[i].size > 0;
	return count;
}

static int64_t change_size(const struct change *change)
{
	int64_t count = 0;

	for (size_t i = 0; i < change->count; i++)
		count += count_keys(&change->indexes[i].before) + count_keys(&change->indexes[i].after);
	return count;
}

/* "E11000 duplicate key error collection: bookstore.books index: _id_ dup key: { _id: 26 }" */
static bool fail_duplicate(const struct collection *c, const struct index *index, struct value document,
                           const struct bytes *key, struct bytes *details, bson_error_t *error)
{
	struct bytes text = BYTES_INIT, values = BYTES_INIT;
	struct value shown;

	if (!index_key_value(index, document, key, &values))
		assert(!"the key is one of the document's");
	shown = (struct value){ values.data, (uint32_t)values.size, BSON_TYPE_DOCUMENT };
	print_line(&text, shown, PRINT_SERVER);
	error_set(error, ERROR_SERVER, CODE_DuplicateKey,
	          "E11000 duplicate key error collection: %s.%s index: %s dup key: %s", c->database->name, c->name,
	          index->name, bytes_text(&text));
	if (details) {
		struct writer w;

		bytes_reset(details);
		writer_begin(&w, details);
		writer_put(&w, "keyPattern", index_key_pattern(index));
		writer_put(&w, "keyValue", shown);
		writer_finish(&w);
	}
	bytes_clear(&text);
	bytes_clear(&values);
	return false;
}

static bool change_index(const struct collection *c, const struct index *index, record_id id, struct value document,
                         struct index_change *x, struct bytes *details, bson_error_t *error)
{
	struct value old;
	bool replaces = collection_document(c, id, &old);

	index_keys_init(&x->before);
	index_keys_init(&x->after);
	if (replaces && index_sees_no_difference(index, old, document))
		return true;
	if (!index_make_keys(index, document, &x->after, error))
		return false;
	if (replaces) {
		index_make_keys(index, old, &x->before, NULL);
		drop_common_keys(x);
	}
	for (size_t i = 0; index->unique && i < x->after.count; i++)
		if (x->after.keys[i].size && index_has_key(index, &x->after.keys[i], id))
			return fail_duplicate(c, index, document, &x->after.keys[i], details, error);
	return true;
}

static bool check_insert_size(const struct collection *c, struct value document, bson_error_t *error)
{
	long long limit = c->database->document_limit_bytes;

	return document.size_bytes <= limit ||
	       error_set(error, ERROR_SERVER, CODE_BadValue,
	                 "object to insert too large. size in bytes: %u, max size: %lld", document.size_bytes, limit);
}

static bool check_replace_size(const struct collection *c, struct value document, bson_error_t *error)
{
	return emulation_check_update(store_emulation(c->database->store), document, document.size_bytes,
	                              c->database->document_limit_bytes, error);
}

/* Everything that can fail; nothing has changed after it. `id` RECORD_NONE: an insert. */
static bool change_prepare(const struct collection *c, record_id id, struct value document, struct change *change,
                           struct bytes *details, bson_error_t *error)
{
	bool right = id == RECORD_NONE ? check_insert_size(c, document, error) : check_replace_size(c, document, error);

	change->indexes = memory_allocate(c->index_count * sizeof *change->indexes);
	for (change->count = 0; right && change->count < c->index_count; change->count++) {
		size_t i = change->count;

		right = change_index(c, c->indexes[i], id, document, &change->indexes[i], details, error);
	}
	if (!right)
		change_clear(change);
	return right;
}

static void change_apply(struct collection *c, record_id id, const struct change *change)
{
	for (size_t i = 0; i < change->count; i++) {
		const struct index_change *x = &change->indexes[i];

		for (size_t k = 0; k < x->before.count; k++)
			if (x->before.keys[k].size)
				index_remove(c->indexes[i], &x->before.keys[k], id);
		for (size_t k = 0; k < x->after.count; k++)
			if (x->after.keys[k].size)
				index_insert(c->indexes[i], &x->after.keys[k], id);
		if (x->after.count)
			index_note_arrays(c->indexes[i], &x->after);
	}
}

static void report_keys(int64_t *keys_written, const struct change *change)
{
	if (keys_written)
		*keys_written = change_size(change);
}

bool collection_insert(struct collection *c, struct value document, record_id *id, int64_t *keys_written,
                       struct bytes *details, bson_error_t *error)
{
	struct change change;
	record_id new_id;

	if (!change_prepare(c, RECORD_NONE, document, &change, details, error))
		return false;
	new_id = (record_id)c->records.count;
	collection_load(c, document, false);
	change_apply(c, new_id, &change);
	report_keys(keys_written, &change);
	change_clear(&change);
	if (id)
		*id = new_id;
	return true;
}

bool collection_replace(struct collection *c, record_id id, struct value document, int64_t *keys_written,
                        struct bytes *details, bson_error_t *error)
{
	struct change change;
	struct value old;
	const uint8_t *bytes;

	if (!collection_document(c, id, &old))
		assert(!"a record that is replaced is there");
	if (!change_prepare(c, id, document, &change, details, error))
		return false;
	bytes = copy_of(document); /* before the old ones go: the new ones may be part of them */
	c->bytes += (int64_t)document.size_bytes - old.size_bytes;
	records_replace(&c->records, (size_t)id, bytes, document.size_bytes);
	c->write_counter++;
	change_apply(c, id, &change);
	report_keys(keys_written, &change);
	change_clear(&change);
	return true;
}

bool collection_remove(struct collection *c, record_id id, int64_t *keys_written)
{
	struct index_keys keys;
	struct value document;
	int64_t removed = 0;

	if (!collection_document(c, id, &document))
		return false;
	for (size_t i = 0; i < c->index_count; i++) {
		index_keys_init(&keys);
		index_make_keys(c->indexes[i], document, &keys, NULL);
		for (size_t k = 0; k < keys.count; k++)
			removed += index_remove(c->indexes[i], &keys.keys[k], id);
		index_keys_clear(&keys);
	}
	c->count--;
	c->bytes -= document.size_bytes;
	c->write_counter++;
	records_remove(&c->records, (size_t)id);
	if (keys_written)
		*keys_written = removed;
	return true;
}

bool collection_would_write(const struct collection *c, record_id id, struct value document, int64_t *keys_written,
                            struct bytes *details, bson_error_t *error)
{
	struct change change;

	if (!change_prepare(c, id, document, &change, details, error))
		return false;
	report_keys(keys_written, &change);
	change_clear(&change);
	return true;
}

struct index *collection_index(const struct collection *c, const char *name)
{
	for (size_t i = 0; i < c->index_count; i++)
		if (!strcmp(c->indexes[i]->name, name))
			return c->indexes[i];
	return NULL;
}

static struct value specification_of(const struct index *i)
{
	return (struct value){ i->specification.data, (uint32_t)i->specification.size, BSON_TYPE_DOCUMENT };
}

/* In MongoDB's words, with both specifications behind them. */
static bool fail_conflict(uint32_t code, const char *how, const struct index *wanted, const struct index *there,
                          bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	bytes_append_text(&text, how);
	bytes_append_text(&text, " Requested index: ");
	print_line(&text, specification_of(wanted), PRINT_SERVER);
	bytes_append_text(&text, ", existing index: ");
	print_line(&text, specification_of(there), PRINT_SERVER);
	error_set(error, ERROR_SERVER, code, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

/* True when the index is new; else *error says why not, or nothing when the very same one is there (*same). */
static bool check_conflicts(const struct collection *c, const struct index *wanted, bool *same, bson_error_t *error)
{
	const struct index *named = collection_index(c, wanted->name), *there = named;

	*same = false;
	if (named && !index_is_equivalent(named, wanted))
		return fail_conflict(CODE_IndexKeySpecsConflict,
		                     "An existing index has the same name as the requested index. When index names are not "
		                     "specified, they are auto generated and can cause conflicts. Please refer to our "
		                     "documentation.", wanted, named, error);
	for (size_t i = 0; !there && i < c->index_count; i++)
		if (index_is_equivalent(c->indexes[i], wanted))
			there = c->indexes[i];
	if (!there)
		return true;
	if (there->hidden != wanted->hidden)
		return fail_conflict(CODE_IndexOptionsConflict,
		                     named ? "An equivalent index already exists with the same name but different options."
		                           : "An equivalent index already exists with a different name and options.",
		                     wanted, there, error);
	if (!named)
		return error_set(error, ERROR_SERVER, CODE_IndexOptionsConflict,
		                 "Index already exists with a different name: %s", there->name);
	*same = true;
	return false;
}

static bool check_count(const struct collection *c, const struct index *wanted, bson_error_t *error)
{
	enum { INDEX_LIMIT = 64 };
	struct bytes text = BYTES_INIT;

	if (c->index_count < INDEX_LIMIT)
		return true;
	print_line(&text, index_key_pattern(wanted), PRINT_SERVER);
	error_set(error, ERROR_SERVER, CODE_CannotCreateIndex, "add index fails, too many indexes for %s.%s key:%s",
	          c->database->name, c->name, bytes_text(&text));
	bytes_clear(&text);
	return false;
}

bool collection_may_have_index(const struct collection *c, const struct index *wanted, bool *same, bson_error_t *error)
{
	return check_conflicts(c, wanted, same, error) && check_count(c, wanted, error);
}

bool collection_check_unique(const struct collection *c, const struct index *index, bson_error_t *error)
{
	struct bytes duplicate = BYTES_INIT;
	struct value document;
	record_id id;
	bool right = !index->unique || !index_first_duplicate(index, &duplicate, &id) || !collection_document(c, id, &document) ||
	             fail_duplicate(c, index, document, &duplicate, NULL, error);

	bytes_clear(&duplicate);
	return right;
}

void collection_adopt_index(struct collection *c, struct index *index)
{
	c->indexes = memory_resize(c->indexes, c->index_count + 1, sizeof *c->indexes);
	c->indexes[c->index_count++] = index;
}

static bool fill_index(const struct collection *c, struct index *index, bson_error_t *error)
{
	struct index_builder *builder = index_builder_new(index);
	struct value document;
	record_id id;
	bool right = true;

	for (id = collection_next(c, 0); right && id != RECORD_NONE; id = collection_next(c, id + 1))
		right = collection_document(c, id, &document) && index_builder_add(builder, document, id, error);
	index_builder_finish(builder);
	return right && collection_check_unique(c, index, error);
}

bool collection_create_index(struct collection *c, struct value specification, bson_error_t *error)
{
	struct index *index = index_new(specification, error);
	bool same = false;

	if (!index)
		return false;
	if (!collection_may_have_index(c, index, &same, error) || !fill_index(c, index, error)) {
		index_destroy(index);
		return same;
	}
	collection_adopt_index(c, index);
	return true;
}

bool collection_preview_index(const struct collection *c, struct value specification, int64_t *entries, int64_t *bytes)
{
	struct index *index = index_new(specification, NULL);
	bool good = index && fill_index(c, index, NULL);

	if (good) {
		*entries = index->entry_count;
		*bytes = index_memory_bytes(index);
	}
	if (index)
		index_destroy(index);
	return good;
}

bool collection_drop_index(struct collection *c, const char *name, bson_error_t *error)
{
	struct index *index = collection_index(c, name);
	size_t i = 0;

	if (!index)
		return error_set(error, ERROR_SERVER, CODE_IndexNotFound, "index not found with name [%s]", name);
	if (!strcmp(name, "_id_"))
		return error_set(error, ERROR_SERVER, CODE_InvalidOptions, "cannot drop _id index");
	while (c->indexes[i] != index)
		i++;
	c->index_count--;
	memmove(c->indexes + i, c->indexes + i + 1, (c->index_count - i) * sizeof *c->indexes);
	index_destroy(index);
	return true;
}

int64_t collection_memory_bytes(const struct collection *c)
{
	int64_t bytes = (int64_t)(sizeof *c + c->options.capacity) + records_memory_bytes(&c->records);

	for (size_t i = 0; i < c->index_count; i++)
		bytes += index_memory_bytes(c->indexes[i]);
	return bytes;
}
