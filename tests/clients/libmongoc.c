/* libmongoc: connecting, writes, cursors, bulk errors, explain. libmongoc URI. Only what 1.23 and 2.x share. */
#include <mongoc/mongoc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

#define CHECK(condition) ((condition) ? (void)0 : complain(__LINE__, #condition))

static void complain(int line, const char *condition)
{
	printf("FAILED libmongoc.c:%d: %s\n", line, condition);
	failed++;
}

/* Extended JSON with single quotes for double ones. */
static bson_t *json(const char *text)
{
	bson_error_t error;
	char *copy = bson_strdup(text);
	bson_t *document;

	for (char *at = copy; *at; at++)
		if (*at == '\'')
			*at = '"';
	document = bson_new_from_json((const uint8_t *)copy, -1, &error);
	if (!document) {
		printf("FAILED %s: %s\n", text, error.message);
		exit(1);
	}
	bson_free(copy);
	return document;
}

static int64_t number(const bson_t *document, const char *path)
{
	bson_iter_t at, found;

	return bson_iter_init(&at, document) && bson_iter_find_descendant(&at, path, &found) ? bson_iter_as_int64(&found) : -1;
}

static bool command(mongoc_client_t *client, const char *db, const char *text, bson_t *reply, bson_error_t *error)
{
	bson_t *document = json(text);
	bool good = mongoc_client_command_simple(client, db, document, NULL, reply, error);

	bson_destroy(document);
	return good;
}

static void connect_and_ask(mongoc_client_t *client)
{
	bson_t reply;
	bson_error_t error;

	CHECK(command(client, "admin", "{'ping': 1}", &reply, &error));
	bson_destroy(&reply);
	CHECK(!command(client, "admin", "{'nothingOfThisName': 1}", &reply, &error) && error.code == 59);
	bson_destroy(&reply);
}

static void write_documents(mongoc_collection_t *c)
{
	bson_t *all = json("{}"), *set = json("{'$set': {'a': 1}}"), *upsert = json("{'upsert': true}"), *new = json("{'_id': 'new'}"), reply;
	bson_error_t error;

	for (int i = 0; i < 450; i++) {
		bson_t *document = BCON_NEW("_id", BCON_INT32(i));

		CHECK(mongoc_collection_insert_one(c, document, NULL, NULL, &error));
		bson_destroy(document);
	}
	CHECK(mongoc_collection_count_documents(c, all, NULL, NULL, NULL, &error) == 450);
	CHECK(mongoc_collection_update_many(c, all, set, NULL, &reply, &error) && number(&reply, "modifiedCount") == 450);
	bson_destroy(&reply);
	CHECK(mongoc_collection_update_one(c, new, set, upsert, &reply, &error) && number(&reply, "matchedCount") == 0);
	bson_destroy(&reply);
	CHECK(mongoc_collection_delete_one(c, new, NULL, &reply, &error) && number(&reply, "deletedCount") == 1);
	bson_destroy(&reply);
	bson_destroy(all);
	bson_destroy(set);
	bson_destroy(upsert);
	bson_destroy(new);
}

static void read_by_cursor(mongoc_collection_t *c)
{
	static const char *const options[] = { "{}", "{'batchSize': 7}", "{'batchSize': 450}", "{'batchSize': 1000}", "{'limit': 450}" };
	bson_t *all = json("{}");
	const bson_t *document;
	bson_error_t error;

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		bson_t *how = json(options[i]);
		mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(c, all, how, NULL);
		int count = 0;

		while (mongoc_cursor_next(cursor, &document))
			CHECK(number(document, "_id") == count++);
		CHECK(!mongoc_cursor_error(cursor, &error) && count == 450);
		mongoc_cursor_destroy(cursor);
		bson_destroy(how);
	}
	bson_destroy(all);
}

static void tell_bulk_errors(mongoc_collection_t *c)
{
	static const int ids[] = { 1001, 1002, 1002, 1003, 1003, 1004 };

	for (int ordered = 0; ordered < 2; ordered++) {
		bson_t *how = BCON_NEW("ordered", BCON_BOOL(ordered)), *all = json("{'_id': {'$gt': 1000}}"), reply;
		mongoc_bulk_operation_t *bulk = mongoc_collection_create_bulk_operation_with_opts(c, how);
		bson_error_t error;

		for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
			bson_t *document = BCON_NEW("_id", BCON_INT32(ids[i]));

			CHECK(mongoc_bulk_operation_insert_with_opts(bulk, document, NULL, &error));
			bson_destroy(document);
		}
		CHECK(!mongoc_bulk_operation_execute(bulk, &reply, &error) && error.code == 11000);
		CHECK(number(&reply, "nInserted") == (ordered ? 2 : 4));
		CHECK(number(&reply, "writeErrors.0.index") == 2);
		CHECK(number(&reply, "writeErrors.1.index") == (ordered ? -1 : 4));
		bson_destroy(&reply);
		CHECK(mongoc_collection_delete_many(c, all, NULL, NULL, &error));
		mongoc_bulk_operation_destroy(bulk);
		bson_destroy(how);
		bson_destroy(all);
	}
}

static void explain(mongoc_client_t *client)
{
	bson_t reply;
	bson_error_t error;

	CHECK(command(client, "bookstore",
	              "{'explain': {'find': 'books', 'filter': {'_id': 26}}, 'verbosity': 'executionStats'}", &reply, &error));
	CHECK(number(&reply, "executionStats.totalDocsExamined") == 1 && number(&reply, "executionStats.totalKeysExamined") == 1);
	bson_destroy(&reply);
}

int main(int count, char **arguments)
{
	mongoc_client_t *client;
	mongoc_collection_t *c;

	if (count != 2)
		return 2;
	mongoc_init();
	client = mongoc_client_new(arguments[1]);
	if (!client)
		return 2;
	mongoc_client_set_error_api(client, 2);
	c = mongoc_client_get_collection(client, "c", "documents");
	connect_and_ask(client);
	write_documents(c);
	read_by_cursor(c);
	tell_bulk_errors(c);
	explain(client);
	mongoc_collection_destroy(c);
	mongoc_client_destroy(client);
	mongoc_cleanup();
	printf("summary: %d checks failed\n", failed);
	return failed > 0;
}
