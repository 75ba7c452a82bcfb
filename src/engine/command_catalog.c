/* Databases and collections: listed, created, dropped. */
#include "engine/command.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engine/index.h"
#include "engine/validation.h"

/* Drops from the end of `documents` the one at `start` unless the filter (may be null) takes it. */
static bool keep_matching(struct bytes *documents, size_t start, const struct match *filter, struct execution *x)
{
	struct value v;

	if (filter && value_document(&v, documents->data + start, documents->size - start) && !match_test(filter, x, v))
		documents->size = start;
	return !x->failed;
}

static bool compile_filter(struct command_call *call, struct match **filter)
{
	struct value v = command_option(call->command, "filter");

	*filter = NULL;
	if (value_is_missing(v))
		return true;
	*filter = match_compile(v, NULL, &call->error);
	return *filter != NULL;
}

static int64_t visible_collections(const struct database *d, int64_t *bytes)
{
	int64_t count = 0;

	*bytes = 0;
	for (size_t i = 0; i < d->collection_count; i++) {
		if (command_is_hidden(d->collections[i]))
			continue;
		count++;
		*bytes += d->collections[i]->bytes;
	}
	return count;
}

static void put_database(struct bytes *out, const struct database *d, int64_t bytes)
{
	struct writer w;

	writer_begin(&w, out);
	writer_text(&w, "name", d->name);
	writer_int64(&w, "sizeOnDisk", bytes);
	writer_bool(&w, "empty", bytes == 0);
	writer_finish(&w);
}

bool command_list_databases(struct command_call *call)
{
	const struct store *store = call->engine->store;
	bool name_only = command_option_bool(call->command, "nameOnly", false), ok = true;
	struct bytes documents = BYTES_INIT;
	struct match *filter;
	struct execution x;
	struct value v;
	int64_t total = 0;

	if (!compile_filter(call, &filter))
		return false;
	execution_init(&x, call->engine->store, call->db, call->interrupt);
	for (size_t i = 0; ok && i < store_database_count(store); i++) {
		const struct database *d = store_database_at(store, i);
		size_t start = documents.size;
		int64_t bytes;

		if (!visible_collections(d, &bytes))
			continue;
		put_database(&documents, d, bytes);
		ok = keep_matching(&documents, start, filter, &x);
		total += documents.size > start ? bytes : 0;
	}
	writer_begin_array(call->reply, key_of("databases"));
	for (size_t at = 0; value_document(&v, documents.data + at, documents.size - at); at += v.size_bytes) {
		writer_begin_document(call->reply, key_of(""));
		writer_put(call->reply, "name", value_get(v, "name"));
		if (!name_only) {
			writer_put(call->reply, "sizeOnDisk", value_get(v, "sizeOnDisk"));
			writer_put(call->reply, "empty", value_get(v, "empty"));
		}
		writer_end(call->reply);
	}
	writer_end(call->reply);
	if (!name_only) {
		writer_int64(call->reply, "totalSize", total);
		writer_int64(call->reply, "totalSizeMb", total / (1024 * 1024));
	}
	if (filter)
		match_destroy(filter);
	bytes_clear(&documents);
	if (!ok)
		command_fail_execution(call, &x, NULL);
	execution_clear(&x);
	return ok;
}

static void put_collection(struct bytes *out, const struct collection *c)
{
	struct value options;
	struct index *key_index = c->index_count ? c->indexes[0] : NULL;
	struct writer w;

	writer_begin(&w, out);
	writer_text(&w, "name", c->name);
	writer_text(&w, "type", collection_type(c));
	writer_begin_document(&w, key_of("options"));
	if (value_document(&options, c->options.data, c->options.size))
		writer_fields(&w, options);
	writer_end(&w);
	writer_begin_document(&w, key_of("info"));
	writer_bool(&w, "readOnly", false);
	writer_end(&w);
	if (key_index && !strcmp(key_index->name, "_id_") &&
	    value_document(&options, key_index->specification.data, key_index->specification.size))
		writer_put(&w, "idIndex", options);
	writer_finish(&w);
}

/* Only {name, type}, where they lie. */
static void strip_to_names(struct bytes *documents)
{
	struct bytes names = BYTES_INIT;
	struct value v;
	struct writer w;

	for (size_t at = 0; value_document(&v, documents->data + at, documents->size - at); at += v.size_bytes) {
		writer_begin(&w, &names);
		writer_put(&w, "name", value_get(v, "name"));
		writer_put(&w, "type", value_get(v, "type"));
		writer_finish(&w);
	}
	bytes_clear(documents);
	*documents = names;
}

static bool check_list_cursor(struct command_call *call, struct value *cursor)
{
	static const struct command_option options[] = {
		{ "batchSize", OPTION_COUNT, OPTION_USED },
		{ NULL, OPTION_ANY, OPTION_USED }
	};
	char prefix[64];

	*cursor = command_option(call->command, "cursor");
	if (value_is_missing(*cursor))
		*cursor = value_empty_document();
	snprintf(prefix, sizeof prefix, "%s.cursor", call->type->name);
	return command_check_options(*cursor, prefix, options, 0, false, &call->error);
}

/* Lists come whole unless a batch size is asked for. */
static bool reply_list(struct command_call *call, const char *collection, struct bytes *documents, struct value cursor)
{
	struct query *q = query_for_list(call, collection, documents);

	if (call->dry_run) { /* listing reads no documents of a collection */
		query_destroy(q);
		return true;
	}
	return cursor_reply(call, cursor_new(q), cursor, CURSOR_NO_BATCH_SIZE, false, true);
}

bool command_list_collections(struct command_call *call)
{
	const struct database *d = store_database(call->engine->store, call->db);
	struct bytes documents = BYTES_INIT;
	struct match *filter;
	struct execution x;
	struct value cursor;
	bool ok = true;

	if (!check_list_cursor(call, &cursor) || !compile_filter(call, &filter))
		return false;
	execution_init(&x, call->engine->store, call->db, call->interrupt);
	for (size_t i = 0; ok && d && i < d->collection_count; i++) {
		size_t start = documents.size;

		if (command_is_hidden(d->collections[i]))
			continue;
		put_collection(&documents, d->collections[i]);
		ok = keep_matching(&documents, start, filter, &x);
	}
	if (filter)
		match_destroy(filter);
	if (!ok)
		command_fail_execution(call, &x, NULL);
	execution_clear(&x);
	if (!ok) {
		bytes_clear(&documents);
		return false;
	}
	if (command_option_bool(call->command, "nameOnly", false))
		strip_to_names(&documents);
	return reply_list(call, "$cmd.listCollections", &documents, cursor);
}

bool command_list_indexes(struct command_call *call)
{
	const char *name = command_collection(call);
	const struct collection *c = store_collection(call->engine->store, call->db, name);
	struct bytes documents = BYTES_INIT;
	struct value cursor;

	if (!check_list_cursor(call, &cursor))
		return false;
	if (!c)
		return command_fail(call, CODE_NamespaceNotFound, "ns does not exist: %s.%s", call->db, name);
	for (size_t i = 0; i < c->index_count; i++)
		bytes_append(&documents, c->indexes[i]->specification.data, c->indexes[i]->specification.size);
	return reply_list(call, name, &documents, cursor);
}

static bool create_with_options(struct command_call *call, const char *name)
{
	struct validation_change change = { .creating = true };
	struct bytes options = BYTES_INIT;
	struct collection *c = NULL;
	struct value v;

	if (command_read_validation(call, &change) && validation_change(value_empty_document(), &change, &options, &call->error))
		c = store_create_collection(call->engine->store, call->db, name, &call->error);
	if (c && value_document(&v, options.data, options.size))
		collection_set_options(c, v);
	bytes_clear(&options);
	return c != NULL;
}

bool command_create(struct command_call *call)
{
	const char *name = command_collection(call);
	struct value auto_index = command_option(call->command, "autoIndexId");

	if (!value_is_missing(command_option(call->command, "size")) || !value_is_missing(command_option(call->command,
	                                                                                                 "max")))
		return command_fail(call, CODE_InvalidOptions,
		                    "the 'capped' field needs to be true when either the 'size' or 'max' fields are present");
	if (!value_is_missing(auto_index) && !value_is_true(auto_index))
		return command_fail(call, CODE_InvalidOptions, "autoIndexId:false is not allowed for collection %s.%s",
		                    call->db, name);
	if (store_collection(call->engine->store, call->db, name))
		return command_fail(call, CODE_NamespaceExists, "Collection %s.%s already exists.", call->db, name);
	return command_check_created_name(call->db, name, &call->error) && create_with_options(call, name);
}

bool command_drop(struct command_call *call)
{
	const char *name = command_collection(call);
	const struct collection *c = store_collection(call->engine->store, call->db, name);
	struct bytes namespace_text = BYTES_INIT;

	if (!c)
		return command_fail(call, CODE_NamespaceNotFound, "ns not found");
	cursor_kill_collection(&call->engine->cursors, call->db, name);
	writer_number(call->reply, "nIndexesWas", (int64_t)c->index_count);
	bytes_format(&namespace_text, "%s.%s", call->db, name);
	writer_text(call->reply, "ns", bytes_text(&namespace_text));
	bytes_clear(&namespace_text);
	store_drop_collection(call->engine->store, call->db, name);
	return true;
}

bool command_drop_database(struct command_call *call)
{
	struct value one = value_get(call->command, "dropDatabase");
	int64_t n;

	if (!value_as_int64(one, &n) || n != 1)
		return command_fail(call, 5255100, "Invalid command format: the 'dropDatabase' field must be 1");
	cursor_kill_collection(&call->engine->cursors, call->db, NULL);
	if (store_drop_database(call->engine->store, call->db))
		writer_text(call->reply, "dropped", call->db);
	return true;
}
