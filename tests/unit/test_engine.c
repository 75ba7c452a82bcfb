/* The engine's commands: what they answer, in MongoDB's words and layout. */
#include "harness/ask.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/writer.h"

static void insert_numbers(const char *collection, int from, int count)
{
	struct bytes command = BYTES_INIT;
	struct writer w;
	bson_error_t error;
	bson_t view, reply;

	writer_begin(&w, &command);
	writer_text(&w, "insert", collection);
	writer_begin_array(&w, key_of("documents"));
	for (int i = from; i < from + count; i++) {
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "_id", i);
		writer_int32(&w, "half", i / 2);
		writer_end(&w);
	}
	writer_end(&w);
	value_to_bson(&view, writer_finish(&w));
	CU_ASSERT(engine_command(ask_engine, "shop", &view, &reply, NULL, &error));
	bson_destroy(&reply);
	bytes_clear(&command);
}

static void inserts(void)
{
	struct value batch;
	struct walk w;
	struct field f;

	ask_begin();
	ASSERT_REPLY("{'insert': 'a', 'documents': [{'x': 1, '_id': 1}, {'_id': 2}]}", "{\"n\":2,\"ok\":1.0}");
	batch = ask_batch("{'find': 'a'}");
	ASSERT_TEXT(ask_text(batch), "[{\"_id\":1,\"x\":1},{\"_id\":2}]");
	ASSERT_REPLY("{'insert': 'a', 'documents': [{'_id': 3}, {'_id': 2}, {'_id': 4}]}",
	             "{\"n\":1,\"writeErrors\":[{\"index\":1,\"code\":11000,\"keyPattern\":{\"_id\":1},"
	             "\"keyValue\":{\"_id\":2},"
	             "\"errmsg\":\"E11000 duplicate key error collection: shop.a index: _id_ dup key: { _id: 2 }\"}],"
	             "\"ok\":1.0}");
	ASSERT_REPLY("{'insert': 'a', 'ordered': false, 'documents': [{'_id': 2}, {'_id': 5}, {'_id': [1]}]}",
	             "{\"n\":1,\"writeErrors\":[{\"index\":0,\"code\":11000,\"keyPattern\":{\"_id\":1},"
	             "\"keyValue\":{\"_id\":2},"
	             "\"errmsg\":\"E11000 duplicate key error collection: shop.a index: _id_ dup key: { _id: 2 }\"},"
	             "{\"index\":2,\"code\":53,\"errmsg\":\"The '_id' value cannot be of type array\"}],\"ok\":1.0}");
	ASSERT_REPLY("{'insert': 'b', 'documents': [{'x': 1}]}", "{\"n\":1,\"ok\":1.0}");
	batch = value_get(ask_batch("{'find': 'b'}"), "0");
	walk_begin(&w, batch);
	CU_ASSERT(walk_next(&w, &f) && key_is(f.key, "_id") && f.value.type == BSON_TYPE_OID);
	ASSERT_ERROR("{'insert': 'b', 'documents': []}", 16,
	             "Write batch sizes must be between 1 and 100000. Got 0 operations.");
	ASSERT_ERROR("{'insert': 'b', 'documents': [1]}", 14,
	             "BSON field 'insert.documents.0' is the wrong type 'int', expected type 'object'");
	ASSERT_REPLY("{'insert': 'b', 'documents': [{'_id': {'$a': 1}}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":52,\"errmsg\":\"_id fields may not contain "
	             "'$'-prefixed fields: "
	             "$a is not valid for storage.\"}],\"ok\":1.0}");
	ask_end();
}

static void updates(void)
{
	ask_begin();
	ask("{'insert': 'a', 'documents': [{'_id': 1, 'k': 1}, {'_id': 2, 'k': 1}, {'_id': 3, 'k': 2}]}");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'k': 1}, 'u': {'$set': {'k': 2}}}]}",
	             "{\"n\":1,\"nModified\":1,\"ok\":1.0}");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {}, 'u': {'$set': {'k': 2}}, 'multi': true}]}",
	             "{\"n\":3,\"nModified\":1,\"ok\":1.0}");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'_id': 9}, 'u': {'$set': {'k': 9}}, 'upsert': true},"
	             "{'q': {'_id': 1}, 'u': {'$inc': {'k': 1}}}]}",
	             "{\"n\":2,\"upserted\":[{\"index\":0,\"_id\":9}],\"nModified\":1,\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'a', 'sort': {'_id': 1}}")),
	            "[{\"_id\":1,\"k\":3},{\"_id\":2,\"k\":2},{\"_id\":3,\"k\":2},{\"_id\":9,\"k\":9}]");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$nope': {'a': 1}}}, {'q': {'_id': 2}, 'u': {'k': "
	             "0}}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":9,\"errmsg\":\"Unknown modifier: $nope. Expected a "
	             "valid update "
	             "modifier or pipeline-style update specified as an array\"}],\"nModified\":0,\"ok\":1.0}");
	ASSERT_REPLY("{'update': 'a', 'ordered': false, 'updates': [{'q': {}, 'u': {'k': 0}, 'multi': true},"
	             "{'q': {'_id': 2}, 'u': {'k': 0}}]}",
	             "{\"n\":1,\"writeErrors\":[{\"index\":0,\"code\":9,\"errmsg\":\"multi update is not supported for "
	             "replacement-style update\"}],\"nModified\":1,\"ok\":1.0}");
	ASSERT_REPLY("{'update': 'new', 'updates': [{'q': {'a': 1}, 'u': {'$set': {'b': 1}}}]}",
	             "{\"n\":0,\"nModified\":0,\"ok\":1.0}");
	CU_ASSERT_EQUAL(engine_write_counter(ask_engine, "shop", "new"), -1);
	ask("{'update': 'new', 'updates': [{'q': {'_id': 5, 'a': 1}, 'u': {'$set': {'b': 1}}, 'upsert': true}]}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'new'}")), "[{\"_id\":5,\"a\":1,\"b\":1}]");
	ASSERT_ERROR("{'update': 'a', 'updates': [{'q': {}, 'u': {}, 'nope': 1}]}", 40415,
	             "BSON field 'update.updates.nope' is an unknown field.");
	ASSERT_ERROR("{'update': 'a', 'updates': [{'q': {}}]}", 40414,
	             "BSON field 'update.updates.u' is missing but a required field");
	ask_end();
}

/* An update that moves documents along the index that finds them meets each of them once. */
static void updates_meet_each_document_once(void)
{
	ask_begin();
	insert_numbers("a", 0, 100);
	ask("{'createIndexes': 'a', 'indexes': [{'key': {'half': 1}, 'name': 'half_1'}]}");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'half': {'$gte': 0}}, 'u': {'$inc': {'half': 1000}}, 'multi': true,"
	             "'hint': 'half_1'}]}", "{\"n\":100,\"nModified\":100,\"ok\":1.0}");
	ASSERT_REPLY("{'count': 'a', 'query': {'half': {'$gte': 2000}}}", "{\"n\":0,\"ok\":1.0}");
	ask_end();
}

static void deletes(void)
{
	ask_begin();
	insert_numbers("a", 0, 10);
	ASSERT_REPLY("{'delete': 'a', 'deletes': [{'q': {'half': 1}, 'limit': 1}, {'q': {'half': {'$gt': 2}}, 'limit': 0}]}",
	             "{\"n\":5,\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'a', 'sort': {'_id': 1}, 'projection': {'_id': 1}}")),
	            "[{\"_id\":0},{\"_id\":1},{\"_id\":3},{\"_id\":4},{\"_id\":5}]");
	ASSERT_REPLY("{'delete': 'a', 'deletes': [{'q': {}, 'limit': 2}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":9,\"errmsg\":\"The limit field in delete objects must "
	             "be 0 or 1. "
	             "Got 2\"}],\"ok\":1.0}");
	ask_end();
}

static void modifies(void)
{
	ask_begin();
	insert_numbers("a", 0, 4);
	ASSERT_REPLY("{'findAndModify': 'a', 'query': {'half': 1}, 'sort': {'_id': -1}, 'update': {'$set': {'x': 1}}}",
	             "{\"lastErrorObject\":{\"n\":1,\"updatedExisting\":true},\"value\":{\"_id\":3,\"half\":1},\"ok\":1.0}");
	ASSERT_REPLY("{'findAndModify': 'a', 'query': {'x': 1}, 'update': {'$set': {'x': 2}}, 'new': true, 'fields': {'x': "
	             "1}}",
	             "{\"lastErrorObject\":{\"n\":1,\"updatedExisting\":true},\"value\":{\"_id\":3,\"x\":2},\"ok\":1.0}");
	ASSERT_REPLY("{'findandmodify': 'a', 'query': {'_id': 7}, 'update': {'$set': {'x': 2}}, 'upsert': true}",
	             "{\"lastErrorObject\":{\"n\":1,\"updatedExisting\":false,\"upserted\":7},\"value\":null,\"ok\":1.0}");
	ASSERT_REPLY("{'findAndModify': 'a', 'query': {'_id': 7}, 'remove': true}",
	             "{\"lastErrorObject\":{\"n\":1},\"value\":{\"_id\":7,\"x\":2},\"ok\":1.0}");
	ASSERT_ERROR("{'findAndModify': 'a'}", 9, "Either an update or remove=true must be specified");
	ask_end();
}

static int64_t cursor_id(struct value reply)
{
	return value_int64(value_get(value_get(reply, "cursor"), "id"));
}

static struct value get_more(int64_t id, const char *more)
{
	char json[256];

	snprintf(json, sizeof json, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'a'%s}", (long long)id, more);
	return ask(json);
}

static void cursors(void)
{
	struct value reply;
	int64_t id;
	char json[128], expected[128];

	ask_begin();
	insert_numbers("a", 0, 350);
	reply = ask("{'find': 'a'}");
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "firstBatch")), 101);
	id = cursor_id(reply);
	CU_ASSERT(id > 0);
	/* a document that comes while the cursor is parked is met, one that goes is not */
	insert_numbers("a", 1000, 1);
	ask("{'delete': 'a', 'deletes': [{'q': {'_id': 200}, 'limit': 1}]}");
	reply = get_more(id, ", 'batchSize': 100");
	ASSERT_TEXT(value_text(value_get(value_get(reply, "cursor"), "ns")).bytes, "shop.a");
	CU_ASSERT_EQUAL(cursor_id(reply), id);
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "nextBatch")), 100);
	reply = get_more(id, "");
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "nextBatch")), 149);
	CU_ASSERT_EQUAL(cursor_id(reply), 0);
	snprintf(expected, sizeof expected, "cursor id %lld not found", (long long)id);
	snprintf(json, sizeof json, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'a'}", (long long)id);
	ASSERT_ERROR(json, 43, expected);

	reply = ask("{'find': 'a', 'batchSize': 0}");
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "firstBatch")), 0);
	id = cursor_id(reply);
	CU_ASSERT(id > 0);
	snprintf(json, sizeof json, "{'killCursors': 'a', 'cursors': [{'$numberLong': '%lld'}, {'$numberLong': '12'}]}",
	         (long long)id);
	snprintf(expected, sizeof expected, "{\"cursorsKilled\":[%lld],\"cursorsNotFound\":[12],\"cursorsAlive\":[],"
	         "\"cursorsUnknown\":[],\"ok\":1.0}", (long long)id);
	ASSERT_REPLY(json, expected);

	CU_ASSERT_EQUAL(cursor_id(ask("{'find': 'a', 'limit': 5, 'batchSize': 5}")), 0);
	CU_ASSERT_EQUAL(cursor_id(ask("{'find': 'a', 'singleBatch': true}")), 0);
	CU_ASSERT_EQUAL(cursor_id(ask("{'find': 'a', 'filter': {'_id': 7}, 'batchSize': 1}")), 0);
	reply = ask("{'aggregate': 'a', 'pipeline': [{'$sort': {'_id': 1}}], 'cursor': {'batchSize': 300}}");
	reply = get_more(cursor_id(reply), "");
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "nextBatch")), 50);
	ask_end();
}

static void dropped_collections_end_their_cursors(void)
{
	int64_t find, aggregate, lookup;
	char json[128];

	ask_begin();
	insert_numbers("a", 0, 300);
	insert_numbers("b", 0, 300);
	find = cursor_id(ask("{'find': 'a'}"));
	aggregate = cursor_id(ask("{'aggregate': 'a', 'pipeline': [{'$match': {'half': {'$gte': 0}}}], 'cursor': {}}"));
	lookup = cursor_id(ask("{'aggregate': 'b', 'pipeline': [{'$lookup': {'from': 'a', 'localField': '_id', "
	                       "'foreignField': '_id',"
	                       "'as': 'x'}}], 'cursor': {}}"));
	CU_ASSERT(find > 0 && aggregate > 0 && lookup > 0);
	ask("{'drop': 'a'}");
	snprintf(json, sizeof json, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'a'}", (long long)find);
	ASSERT_ERROR(json, 175, "collection dropped: shop.a");
	ASSERT_TEXT(ask_text(value_get(get_more(aggregate, ""), "codeName")), "\"QueryPlanKilled\"");
	snprintf(json, sizeof json, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'b'}", (long long)lookup);
	ASSERT_ERROR(json, 175, "collection dropped: shop.b");
	ask_end();
}

/* A reply holds 16 MB of documents; what does not fit waits for the next. */
static void batches_hold_16_megabytes(void)
{
	struct bytes command = BYTES_INIT;
	struct value reply;
	struct writer w;
	bson_error_t error;
	bson_t view, answer;
	char *pad = calloc(1, 1000001);

	ask_begin();
	memset(pad, 'x', 1000000);
	for (int i = 0; i < 20; i++) {
		bytes_reset(&command);
		writer_begin(&w, &command);
		writer_text(&w, "insert", "a");
		writer_begin_array(&w, key_of("documents"));
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "_id", i);
		writer_text(&w, "pad", pad);
		writer_end(&w);
		writer_end(&w);
		value_to_bson(&view, writer_finish(&w));
		CU_ASSERT(engine_command(ask_engine, "shop", &view, &answer, NULL, &error));
		bson_destroy(&answer);
	}
	reply = ask("{'find': 'a'}");
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "firstBatch")), 16);
	reply = get_more(cursor_id(reply), "");
	CU_ASSERT_EQUAL(value_count(value_get(value_get(reply, "cursor"), "nextBatch")), 4);
	CU_ASSERT_EQUAL(cursor_id(reply), 0);
	ASSERT_ERROR("{'aggregate': 'a', 'pipeline': [{'$group': {'_id': 1, 'all': {'$push': '$$ROOT'}}}], 'cursor': {}}",
	             10334,
	             "PlanExecutor error during aggregation :: caused by :: BSONObj size: 20000574 (0x1312F3E) is invalid. "
	             "Size must be between 0 and 16793600(16MB) First element: _id: 1");
	free(pad);
	bytes_clear(&command);
	ask_end();
}

static void options_are_used_or_refused(void)
{
	ask_begin();
	insert_numbers("a", 0, 3);
	ASSERT_ERROR("{'find': 'a', 'foo': 1}", 40415, "BSON field 'find.foo' is an unknown field.");
	ASSERT_ERROR("{'find': 'a', 'limit': 'x'}", 14,
	             "BSON field 'find.limit' is the wrong type 'string', expected types '[long, int, decimal, double']");
	ASSERT_ERROR("{'find': 'a', 'filter': 1}", 14, "BSON field 'find.filter' is the wrong type 'int', expected type "
	                                               "'object'");
	ASSERT_ERROR("{'find': 'a', 'singleBatch': 'x'}", 14,
	             "BSON field 'find.singleBatch' is the wrong type 'string', expected types '[bool, long, int, decimal, "
	             "double']");
	ASSERT_ERROR("{'find': 'a', 'skip': -1}", 51024, "BSON field 'skip' value must be >= 0, actual value '-1'");
	ASSERT_ERROR("{'find': 'a', 'limit': 1, 'limit': 2}", 40413, "BSON field 'find.limit' is a duplicate field");
	ASSERT_ERROR("{'insert': 'a'}", 40414, "BSON field 'insert.documents' is missing but a required field");
	ASSERT_ERROR("{'find': 'a', 'min': {'a': 1}}", 238, "'find.min' is not supported by this engine");
	ASSERT_ERROR("{'find': 'a', 'tailable': true}", 238, "'find.tailable' is not supported by this engine");
	ASSERT_ERROR("{'find': 'a', 'collation': {'locale': 'tr'}}", 238, "'find.collation' is not supported by this engine");
	ASSERT_ERROR("{'find': 'a', 'readConcern': {'level': 'snapshot'}}", 123,
	             "node needs to be a replica set member to use readConcern: snapshot");
	ASSERT_ERROR("{'find': 'a', 'writeConcern': {'w': 1}}", 72, "Command does not support writeConcern");
	ASSERT_ERROR("{'insert': 'a', 'documents': [{}], 'writeConcern': {'w': 2}}", 2,
	             "cannot use 'w' > 1 when a host is not replicated");
	ASSERT_ERROR("{'find': 'a', 'apiVersion': '2'}", 322, "API version must be \"1\"");
	ASSERT_ERROR("{'distinct': 'a', 'key': 'half', 'apiVersion': '1', 'apiStrict': true}", 323,
	             "Provided apiStrict:true, but the command distinct is not in API Version 1");
	ASSERT_ERROR("{'find': 'a', 'txnNumber': {'$numberLong': '1'}}", 20,
	             "Transaction numbers are only allowed on a replica set member or mongos");
	ASSERT_ERROR("{'find': 'a', 'maxTimeMS': 'x'}", 2, "maxTimeMS must be a number");
	ASSERT_ERROR("{'find': 'a', 'hint': 5}", 9, "Hint must be either a string or a nested object");
	ASSERT_ERROR("{'aggregate': 'a', 'pipeline': []}", 9,
	             "The 'cursor' option is required, except for aggregate with the explain argument");
	ASSERT_ERROR("{'aggregate': 'a', 'pipeline': {}, 'cursor': {}}", 14,
	             "'pipeline' option must be specified as an array");
	ASSERT_ERROR("{'compact': 'a'}", 238, "command 'compact' is not supported by this engine");
	ASSERT_ERROR("{'nope': 1}", 59, "no such command: 'nope'");
	ASSERT_ERROR("{'listDatabases': 1}", 13, "listDatabases may only be run against the admin database.");
	ASSERT_REPLY("{'count': 'a', 'lsid': {'id': 1}, '$db': 'shop', '$readPreference': {'mode': 'primary'}, 'comment': 'x',"
	             "'readConcern': {'level': 'local'}, 'maxTimeMS': 1000, 'apiVersion': '1', '$clusterTime': {}}",
	             "{\"n\":3,\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'a', 'filter': {'$expr': {'$eq': ['$_id', '$$want']}}, 'let': {'want': 2}}")),
	            "[{\"_id\":2,\"half\":1}]");
	ask_end();
}

static void namespaces(void)
{
	ask_begin();
	ASSERT_ERROR("{'find': ''}", 73, "Invalid namespace specified 'shop.'");
	ASSERT_ERROR("{'find': 1}", 73, "collection name has invalid type int");
	ASSERT_ERROR("{'find': 'a\\u0000b'}", 73, "namespaces cannot have embedded null characters");
	ASSERT_ERROR("{'create': 'a$b'}", 73, "Invalid collection name: a$b");
	ASSERT_ERROR("{'insert': 'system.x', 'documents': [{}]}", 73, "Invalid system namespace: shop.system.x");
	ASSERT_TEXT(ask_text(value_get(ask_in("a.b", "{'ping': 1}"), "code")), "73");
	ASSERT_REPLY("{'find': 'missing'}",
	             "{\"cursor\":{\"firstBatch\":[],\"id\":0,\"ns\":\"shop.missing\"},\"ok\":1.0}");
	ASSERT_REPLY("{'count': 'missing'}", "{\"n\":0,\"ok\":1.0}");
	ASSERT_REPLY("{'distinct': 'missing', 'key': 'a'}", "{\"values\":[],\"ok\":1.0}");
	ASSERT_REPLY("{'aggregate': 'missing', 'pipeline': [{'$group': {'_id': 1}}], 'cursor': {}}",
	             "{\"cursor\":{\"firstBatch\":[],\"id\":0,\"ns\":\"shop.missing\"},\"ok\":1.0}");
	ASSERT_REPLY("{'aggregate': 1, 'pipeline': [{'$documents': [{'a': 1}]}], 'cursor': {}}",
	             "{\"cursor\":{\"firstBatch\":[{\"a\":1}],\"id\":0,\"ns\":\"shop.$cmd.aggregate\"},\"ok\":1.0}");
	ask_end();
}

static void catalog(void)
{
	ask_begin();
	ASSERT_REPLY("{'create': 'a'}", "{\"ok\":1.0}");
	ASSERT_ERROR("{'create': 'a'}", 48, "Collection shop.a already exists.");
	ASSERT_ERROR("{'create': 'v', 'viewOn': 'a', 'pipeline': []}", 238, "'create.viewOn' is not supported by this engine");
	ASSERT_ERROR("{'create': 'v', 'capped': true, 'size': 4096}", 238, "'create.capped' is not supported by this engine");
	ASSERT_REPLY("{'createIndexes': 'b', 'indexes': [{'key': {'x': 1}, 'name': 'x_1'}]}",
	             "{\"numIndexesBefore\":1,\"numIndexesAfter\":2,\"createdCollectionAutomatically\":true,\"ok\":1.0}");
	ASSERT_REPLY("{'createIndexes': 'b', 'indexes': [{'key': {'x': 1}, 'name': 'x_1'}]}",
	             "{\"numIndexesBefore\":2,\"numIndexesAfter\":2,\"note\":\"all indexes already exist\",\"ok\":1.0}");
	ASSERT_ERROR("{'createIndexes': 'b', 'indexes': [{'key': {'x': 1}, 'name': 'y'}]}", 85,
	             "Index already exists with a different name: x_1");
	ASSERT_ERROR("{'createIndexes': 'b', 'indexes': []}", 2, "Must specify at least one index to create");
	ASSERT_REPLY("{'listIndexes': 'b'}",
	             "{\"cursor\":{\"id\":0,\"ns\":\"shop.b\",\"firstBatch\":[{\"v\":2,\"key\":{\"_id\":1},\"name\":\"_id_\"},"
	             "{\"v\":2,\"key\":{\"x\":1},\"name\":\"x_1\"}]},\"ok\":1.0}");
	ASSERT_ERROR("{'listIndexes': 'c'}", 26, "ns does not exist: shop.c");
	ASSERT_REPLY("{'dropIndexes': 'b', 'index': 'x_1'}", "{\"nIndexesWas\":2,\"ok\":1.0}");
	ASSERT_ERROR("{'dropIndexes': 'b', 'index': 'x_1'}", 27, "index not found with name [x_1]");
	ASSERT_ERROR("{'dropIndexes': 'b', 'index': '_id_'}", 72, "cannot drop _id index");
	ASSERT_REPLY("{'listCollections': 1, 'nameOnly': true, 'filter': {'name': 'b'}}",
	             "{\"cursor\":{\"id\":0,\"ns\":\"shop.$cmd.listCollections\",\"firstBatch\":[{\"name\":\"b\","
	             "\"type\":\"collection\"}]},"
	             "\"ok\":1.0}");
	ASSERT_REPLY("{'listCollections': 1, 'filter': {'name': 'a'}}",
	             "{\"cursor\":{\"id\":0,\"ns\":\"shop.$cmd.listCollections\",\"firstBatch\":[{\"name\":\"a\","
	             "\"type\":\"collection\","
	             "\"options\":{},\"info\":{\"readOnly\":false},\"idIndex\":{\"v\":2,\"key\":{\"_id\":1},"
	             "\"name\":\"_id_\"}}]},\"ok\":1.0}");
	insert_numbers("a", 0, 3);
	ASSERT_TEXT(ask_text(ask_in("admin", "{'listDatabases': 1}")),
	            "{\"databases\":[{\"name\":\"shop\",\"sizeOnDisk\":72,\"empty\":false}],\"totalSize\":72,"
	            "\"totalSizeMb\":0,\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_in("admin", "{'listDatabases': 1, 'nameOnly': true}")),
	            "{\"databases\":[{\"name\":\"shop\"}],\"ok\":1.0}");
	ASSERT_REPLY("{'drop': 'a'}", "{\"nIndexesWas\":1,\"ns\":\"shop.a\",\"ok\":1.0}");
	ASSERT_ERROR("{'drop': 'a'}", 26, "ns not found");
	ASSERT_REPLY("{'dropDatabase': 1}", "{\"dropped\":\"shop\",\"ok\":1.0}");
	ASSERT_REPLY("{'dropDatabase': 1}", "{\"ok\":1.0}");
	ask_end();
}

static void server_questions(void)
{
	struct value reply;

	ask_begin();
	ASSERT_REPLY("{'ping': 1}", "{\"ok\":1.0}");
	reply = ask("{'hello': 1, 'helloOk': true, 'client': {}}");
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "maxWireVersion")), 21);
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "minWireVersion")), 0);
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "maxBsonObjectSize")), 16777216);
	CU_ASSERT(value_is_true(value_get(reply, "isWritablePrimary")) && value_is_true(value_get(reply, "helloOk")));
	CU_ASSERT(value_is_true(value_get(ask("{'ismaster': 1}"), "ismaster")));
	CU_ASSERT_EQUAL(value_count(value_get(ask("{'buildinfo': 1}"), "versionArray")), 4);
	ASSERT_ERROR("{'replSetGetStatus': 1}", 76, "not running with --replSet");
	ask_end();
}

static void interrupts(void)
{
	static const char *const command = "{'update': 'a', 'updates': [{'q': {}, 'u': {'$inc': {'half': 1}}, 'multi': "
	                                   "true}]}";
	struct interrupt interrupt;
	bson_t view, reply;
	bson_error_t error;
	int64_t counter;

	ask_begin();
	insert_numbers("a", 0, 1000);
	counter = engine_write_counter(ask_engine, "shop", "a");
	interrupt_init(&interrupt);
	interrupt_cancel(&interrupt);
	value_to_bson(&view, harness_json(command));
	CU_ASSERT_FALSE(engine_command(ask_engine, "shop", &view, &reply, &interrupt, &error));
	bson_destroy(&reply);
	CU_ASSERT_EQUAL(error.code, 11601);
	CU_ASSERT_EQUAL(engine_write_counter(ask_engine, "shop", "a"), counter);
	ASSERT_ERROR("{'aggregate': 'a', 'pipeline': [{'$lookup': {'from': 'a', 'pipeline': [{'$lookup': {'from': 'a', "
	             "'pipeline': [],"
	             "'as': 'y'}}], 'as': 'x'}}, {'$count': 'n'}], 'cursor': {}, 'maxTimeMS': 20}", 50,
	             "PlanExecutor error during aggregation :: caused by :: operation exceeded time limit");
	ask_end();
}

static void explains(void)
{
	struct value reply, stats;

	ask_begin();
	insert_numbers("a", 0, 10);
	reply = ask("{'explain': {'find': 'a', 'filter': {'half': 2}, 'comment': 'c'}, 'verbosity': 'executionStats'}");
	ASSERT_TEXT(ask_text(value_get(reply, "command")),
	            "{\"find\":\"a\",\"filter\":{\"half\":2},\"comment\":\"c\",\"$db\":\"shop\"}");
	stats = value_get(reply, "executionStats");
	CU_ASSERT_EQUAL(value_int32(value_get(stats, "nReturned")), 2);
	CU_ASSERT_EQUAL(value_int32(value_get(stats, "totalDocsExamined")), 10);
	CU_ASSERT(value_is_document(value_get(reply, "serverInfo")));
	reply = ask("{'explain': {'find': 'a'}, 'verbosity': 'queryPlanner'}");
	CU_ASSERT(value_is_missing(value_get(reply, "executionStats")) && value_is_document(value_get(reply, "queryPlanner")));
	reply = ask("{'explain': {'update': 'a', 'updates': [{'q': {}, 'u': {'$set': {'half': 0}}, 'multi': true}]},"
	            "'verbosity': 'executionStats'}");
	stats = value_get(value_get(reply, "executionStats"), "executionStages");
	CU_ASSERT_EQUAL(value_int32(value_get(stats, "nMatched")), 10);
	CU_ASSERT_EQUAL(value_int32(value_get(stats, "nWouldModify")), 10);
	reply = ask("{'explain': {'delete': 'a', 'deletes': [{'q': {'half': 1}, 'limit': 0}]}, 'verbosity': "
	            "'executionStats'}");
	stats = value_get(value_get(reply, "executionStats"), "executionStages");
	CU_ASSERT_EQUAL(value_int32(value_get(stats, "nWouldDelete")), 2);
	ASSERT_REPLY("{'count': 'a', 'query': {'half': 0}}", "{\"n\":2,\"ok\":1.0}");
	CU_ASSERT(value_is_array(value_get(ask("{'aggregate': 'a', 'pipeline': [{'$group': {'_id': '$half'}}], 'explain': "
	                                       "true}"),
	                                   "stages")));
	ASSERT_ERROR("{'explain': {'nope': 1}}", 59, "Explain failed due to unknown command: nope");
	ASSERT_ERROR("{'explain': {'ping': 1}}", 20, "Cannot explain cmd: ping");
	ASSERT_ERROR("{'explain': {'find': 'a', 'foo': 1}}", 40415, "BSON field 'find.foo' is an unknown field.");
	ASSERT_ERROR("{'explain': {'find': 'a'}, 'verbosity': 'x'}", 2,
	             "Enumeration value 'x' for field 'explain.verbosity' is not a valid value.");
	ask_end();
}

/* The published growth of a document: reviews pushed until the next thousand is refused. */
static void documents_have_a_limit(void)
{
	ask_begin();
	engine_set_document_limit(ask_engine, "shop", 200);
	CU_ASSERT_EQUAL(engine_document_limit(ask_engine, "shop"), 200);
	ask("{'insert': 'a', 'documents': [{'_id': 1, 'x': []}]}");
	ASSERT_REPLY("{'insert': 'a', 'documents': [{'_id': 2, 'x': '"
	             "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
	             "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
	             "'}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":2,\"errmsg\":\"object to insert too large. size in "
	             "bytes: 222, "
	             "max size: 200\"}],\"ok\":1.0}");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$push': {'x': {'$each': ["
	             "'0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789',"
	             "'0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789'"
	             "]}}}}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":10334,\"errmsg\":\"Plan executor error during update :: "
	             "caused by :: Resulting document after update is larger than 200\"}],\"nModified\":0,\"ok\":1.0}");
	ask_end();
}

static void renames(void)
{
	ask_begin();
	ask("{'insert': 'a', 'documents': [{'_id': 1}]}");
	ask("{'insert': 'b', 'documents': [{'_id': 2}]}");
	ask_in("admin", "{'renameCollection': 'shop.a', 'to': 'other.c.d'}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'a'}")), "[]");
	ASSERT_TEXT(ask_text(value_get(value_get(ask_in("other", "{'find': 'c.d'}"), "cursor"), "firstBatch")), "[{\"_id\":1}]");
	ASSERT_TEXT(ask_text(value_get(ask_in("admin", "{'renameCollection': 'other.c.d', 'to': 'shop.b'}"), "errmsg")),
	            "\"target namespace exists\"");
	ASSERT_TEXT(ask_text(ask_in("admin", "{'renameCollection': 'other.c.d', 'to': 'shop.b', 'dropTarget': true}")), "{\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'b'}")), "[{\"_id\":1}]");
	ASSERT_TEXT(ask_text(value_get(ask_in("admin", "{'renameCollection': 'shop.no', 'to': 'shop.x'}"), "code")), "26");
	ASSERT_TEXT(ask_text(value_get(ask_in("admin", "{'renameCollection': 'shop.b', 'to': 'shop.b'}"), "code")), "20");
	ASSERT_TEXT(ask_text(value_get(ask_in("admin", "{'renameCollection': 'shop.b', 'to': 'shop'}"), "code")), "73");
	ASSERT_ERROR("{'renameCollection': 'shop.b', 'to': 'shop.x'}", 13,
	             "renameCollection may only be run against the admin database.");
	ask_end();
}

static void shells_and_monitors_ask(void)
{
	ask_begin();
	ASSERT_TEXT(ask_text(ask_in("admin", "{'getParameter': 1, 'featureCompatibilityVersion': 1}")),
	            "{\"featureCompatibilityVersion\":{\"version\":\"9.0\"},\"ok\":1.0}");
	ASSERT_TEXT(ask_text(value_get(ask_in("admin", "{'getParameter': 1, 'nope': 1}"), "errmsg")), "\"no option found to get\"");
	CU_ASSERT(!value_is_missing(value_get(ask_in("admin", "{'getParameter': '*'}"), "maxBSONDepth")));
	ASSERT_TEXT(ask_text(ask_in("admin", "{'getLog': 'startupWarnings'}")), "{\"totalLinesWritten\":0,\"log\":[],\"ok\":1.0}");
	ASSERT_TEXT(ask_text(value_get(ask_in("admin", "{'getLog': 'nope'}"), "code")), "96");
	ASSERT_TEXT(ask_text(ask_in("admin", "{'getCmdLineOpts': 1}")), "{\"argv\":[\"bsonscope\"],\"parsed\":{},\"ok\":1.0}");
	CU_ASSERT(value_is_document(value_get(ask_in("admin", "{'hostInfo': 1}"), "system")));
	ask("{'insert': 'a', 'documents': [{}, {}, {}]}");
	ask("{'find': 'a', 'batchSize': 1}");
	ASSERT_TEXT(ask_text(value_get(ask("{'serverStatus': 1, 'repl': 0}"), "metrics")),
	            "{\"cursor\":{\"open\":{\"noTimeout\":0,\"total\":1}}}");
	ask_end();
}

static void one_document_by_sort(void)
{
	ask_begin();
	ask("{'insert': 'a', 'documents': [{'_id': 1, 'k': 1}, {'_id': 2, 'k': 3}, {'_id': 3, 'k': 2}]}");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {}, 'u': {'$set': {'x': 1}}, 'sort': {'k': -1}}]}",
	             "{\"n\":1,\"nModified\":1,\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'a', 'filter': {'x': 1}}")), "[{\"_id\":2,\"k\":3,\"x\":1}]");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {}, 'u': {'$set': {'x': 1}}, 'sort': {'k': -1}, 'multi': true}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":9,\"errmsg\":\"Cannot specify sort with multi=true\"}],"
	             "\"nModified\":0,\"ok\":1.0}");
	ask_end();
}

static void explains_of_modifications(void)
{
	struct value reply, stages;

	ask_begin();
	ask("{'insert': 'a', 'documents': [{'_id': 1, 'k': 1}, {'_id': 2, 'k': 3}]}");
	reply = ask("{'explain': {'findAndModify': 'a', 'query': {}, 'sort': {'k': -1}, 'update': {'$set': {'x': 1}}}, "
	            "'verbosity': 'executionStats'}");
	stages = value_get(value_get(reply, "executionStats"), "executionStages");
	ASSERT_TEXT(ask_text(value_get(stages, "stage")), "\"UPDATE\"");
	ASSERT_TEXT(ask_text(value_get(stages, "nReturned")), "1");
	ASSERT_TEXT(ask_text(value_get(stages, "nWouldModify")), "1");
	ASSERT_TEXT(ask_text(value_get(value_get(stages, "inputStage"), "limitAmount")), "1");
	reply = ask("{'explain': {'findAndModify': 'a', 'query': {'_id': 1}, 'remove': true}, 'verbosity': 'executionStats'}");
	stages = value_get(value_get(reply, "executionStats"), "executionStages");
	ASSERT_TEXT(ask_text(value_get(stages, "nWouldDelete")), "1");
	ASSERT_TEXT(ask_text(value_get(ask("{'explain': {'findAndModify': 'a'}}"), "code")), "9");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'a'}")), "[{\"_id\":1,\"k\":1},{\"_id\":2,\"k\":3}]");
	ask_end();
}

/* --emulate: version, words and codes together. */
static void versions_differ_together(void)
{
	ask_begin();
	ask("{'insert': 'a', 'documents': [{'_id': 1, 'x': 'text', 'k': 1}, {'_id': 2, 'k': 2}]}");
	ask("{'createIndexes': 'a', 'indexes': [{'key': {'k': 1}, 'name': 'k_1', 'unique': true}]}");
	ASSERT_TEXT(ask_text(value_get(ask("{'buildInfo': 1}"), "version")), "\"9.0.0\"");
	ASSERT_TEXT(ask_text(value_get(value_get(ask("{'explain': {'find': 'a'}}"), "serverInfo"), "version")), "\"9.0.0\"");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'_id': 2}, 'u': {'$set': {'k': 1}}}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":11000,\"keyPattern\":{\"k\":1},\"keyValue\":{\"k\":1},"
	             "\"errmsg\":\"Plan executor error during update :: caused by :: E11000 duplicate key error collection: "
	             "shop.a index: k_1 dup key: { k: 1 }\"}],\"nModified\":0,\"ok\":1.0}");
	/* what the statement itself says wrong was found before anything ran */
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'_id': 2}, 'u': {'$nope': {'k': 1}}}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":9,\"errmsg\":\"Unknown modifier: $nope. Expected a valid update "
	             "modifier or pipeline-style update specified as an array\"}],\"nModified\":0,\"ok\":1.0}");
	engine_emulate(ask_engine, emulation_find("8.0"));
	ASSERT_TEXT(ask_text(value_get(ask("{'buildInfo': 1}"), "versionArray")), "[8,0,0,0]");
	ASSERT_REPLY("{'update': 'a', 'updates': [{'q': {'_id': 1}, 'u': {'$inc': {'x': 1}}}]}",
	             "{\"n\":0,\"writeErrors\":[{\"index\":0,\"code\":14,\"errmsg\":\"Cannot apply $inc to a value of non-numeric "
	             "type. {_id: 1} has the field 'x' of non-numeric type string\"}],\"nModified\":0,\"ok\":1.0}");
	CU_ASSERT_PTR_NULL(emulation_find("7.0"));
	ask_end();
}

static bool no_documents(void *context, struct value *document, bson_error_t *error)
{
	(void)document;
	if (context)
		error_set(error, ERROR_INPUT, 1, "file is broken");
	return false;
}

struct number_feed {
	int at, count, modulo;
	struct bytes document;
};

static bool next_number(void *context, struct value *document, bson_error_t *error)
{
	struct number_feed *feed = context;
	struct writer w;

	(void)error;
	if (feed->at == feed->count)
		return false;
	bytes_reset(&feed->document);
	writer_begin(&w, &feed->document);
	writer_int32(&w, "_k", feed->at++ % feed->modulo);
	*document = writer_finish(&w);
	return true;
}

static bool load_numbers(int count, int modulo, bson_error_t *error)
{
	struct number_feed feed = { 0, count, modulo, BYTES_INIT };
	struct engine_loader loader = { next_number, &feed, false };
	bool ok = engine_load(ask_engine, "shop", "loaded", "_k", NULL, &loader, NULL, error);

	bytes_clear(&feed.document);
	return ok;
}

static void loads(void)
{
	struct engine_loader empty = { no_documents, NULL, false }, broken = { no_documents, "", false };
	struct value pipeline;
	bson_error_t error;
	bson_t view;
	int64_t counter;

	ask_begin();
	CU_ASSERT_FATAL(load_numbers(5000, 5000, &error));
	ASSERT_REPLY("{'count': 'loaded'}", "{\"n\":5000,\"ok\":1.0}");
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'loaded', 'filter': {'_k': 4999}}")), "[{\"_k\":4999}]");
	counter = engine_write_counter(ask_engine, "shop", "loaded");
	/* a load that fails leaves the old collection as it was, and its error speaks of it */
	CU_ASSERT_FALSE(load_numbers(5000, 4999, &error));
	ASSERT_TEXT(error.message, "E11000 duplicate key error collection: shop.loaded index: _k_1 dup key: { _k: 0 }");
	CU_ASSERT_FALSE(engine_load(ask_engine, "shop", "loaded", "_k", NULL, &broken, NULL, &error));
	ASSERT_TEXT(error.message, "file is broken");
	CU_ASSERT_EQUAL(engine_write_counter(ask_engine, "shop", "loaded"), counter);
	ASSERT_REPLY("{'count': 'loaded'}", "{\"n\":5000,\"ok\":1.0}");
	CU_ASSERT(load_numbers(10, 10, &error));
	CU_ASSERT(engine_write_counter(ask_engine, "shop", "loaded") > counter);
	ASSERT_REPLY("{'count': 'loaded'}", "{\"n\":10,\"ok\":1.0}");
	pipeline = value_get(harness_json("{'p': [{'$match': {'_k': {'$lt': 3}}}, {'$set': {'x': 1}}]}"), "p");
	pipeline.type = BSON_TYPE_DOCUMENT;
	value_to_bson(&view, pipeline);
	CU_ASSERT(engine_load_pipeline(ask_engine, "shop", "loaded", &view, ask_engine, "shop", "copy", "_k", NULL, NULL, &error));
	ASSERT_TEXT(ask_text(ask_batch("{'find': 'copy'}")), "[{\"_k\":0,\"x\":1},{\"_k\":1,\"x\":1},{\"_k\":2,\"x\":1}]");
	CU_ASSERT(engine_load(ask_engine, "shop", "copy", NULL, NULL, &empty, NULL, &error));
	ASSERT_REPLY("{'count': 'copy'}", "{\"n\":0,\"ok\":1.0}");
	ASSERT_REPLY("{'listCollections': 1, 'nameOnly': true}",
	             "{\"cursor\":{\"id\":0,\"ns\":\"shop.$cmd.listCollections\",\"firstBatch\":[{\"name\":\"loaded\","
	             "\"type\":\"collection\"},{\"name\":\"copy\",\"type\":\"collection\"}]},\"ok\":1.0}");
	CU_ASSERT(engine_memory_bytes(ask_engine) > 0);
	ask_end();
}

static void *load_in_background(void *context)
{
	bson_error_t error;

	(void)context;
	for (int i = 0; i < 5; i++)
		CU_ASSERT(load_numbers(20000, 20000, &error));
	return NULL;
}

/* While a collection is loaded others are answered, and nobody sees it in part. */
static void loads_let_commands_in_between(void)
{
	pthread_t thread;
	bson_error_t error;
	bool whole = true;

	ask_begin();
	CU_ASSERT(load_numbers(20000, 20000, &error));
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, load_in_background, NULL), 0);
	for (int i = 0; i < 200; i++) {
		bson_t view, reply;

		value_to_bson(&view, harness_json("{'count': 'loaded'}"));
		whole &= engine_command(ask_engine, "shop", &view, &reply, NULL, &error) &&
		         value_int32(value_get(value_from_bson(&reply), "n")) == 20000;
		bson_destroy(&reply);
	}
	pthread_join(thread, NULL);
	CU_ASSERT(whole);
	ask_end();
}

static void statistics(void)
{
	struct value reply;

	ask_begin();
	insert_numbers("a", 0, 4);
	reply = ask("{'collStats': 'a'}");
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "size")), 96);
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "avgObjSize")), 24);
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "nindexes")), 1);
	reply = ask("{'dbStats': 1}");
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "objects")), 4);
	CU_ASSERT_EQUAL(value_double(value_get(reply, "dataSize")), 96);
	ASSERT_ERROR("{'collStats': 'a', 'scale': 0}", 51024, "BSON field 'scale' value must be >= 1, actual value '0'");
	ASSERT_REPLY("{'distinct': 'a', 'key': 'half'}", "{\"values\":[0,1],\"ok\":1.0}");
	ask_end();
}

static void broken_commands(void)
{
	static const uint8_t broken[] = { 20, 0, 0, 0, 2, 'f', 0, 100, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 0 };
	bson_t view, reply;
	bson_error_t error;

	ask_begin();
	CU_ASSERT_FATAL(bson_init_static(&view, broken, sizeof broken));
	CU_ASSERT_FALSE(engine_command(ask_engine, "shop", &view, &reply, NULL, &error));
	CU_ASSERT_EQUAL(error.code, 22);
	bson_destroy(&reply);
	CU_ASSERT_EQUAL(value_int32(value_get(ask("{}"), "code")), 9);
	ask_end();
}

int main(void)
{
	static const struct test_case tests[] = {
		{ "inserts", inserts },
		{ "updates", updates },
		{ "updates meet each document once", updates_meet_each_document_once },
		{ "deletes", deletes },
		{ "findAndModify", modifies },
		{ "cursors", cursors },
		{ "dropped collections end their cursors", dropped_collections_end_their_cursors },
		{ "batches hold 16 MB", batches_hold_16_megabytes },
		{ "options are used or refused", options_are_used_or_refused },
		{ "namespaces", namespaces },
		{ "catalog", catalog },
		{ "server questions", server_questions },
		{ "interrupts", interrupts },
		{ "explains", explains },
		{ "documents have a limit", documents_have_a_limit },
		{ "renames", renames },
		{ "shells and monitors ask", shells_and_monitors_ask },
		{ "one document by sort", one_document_by_sort },
		{ "explains of modifications", explains_of_modifications },
		{ "versions differ together", versions_differ_together },
		{ "loads", loads },
		{ "loads let commands in between", loads_let_commands_in_between },
		{ "statistics", statistics },
		{ "broken commands", broken_commands },
		{ NULL, NULL }
	};

	return harness_run("engine", tests);
}
