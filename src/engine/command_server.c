/* What clients ask a server about itself, and the sizes of collections and databases. */
#include "base/limits.h"
#include "engine/collection_stats.h"
#include "engine/command.h"

#include <string.h>
#include <time.h>

#include "engine/command_server.h"
#include "engine/index.h"

enum { MAX_WRITE_BATCH = 100000, MAX_WIRE_VERSION = 21 };

bool command_ping(struct command_call *call)
{
	(void)call;
	return true;
}

bool command_end_sessions(struct command_call *call)
{
	struct value sessions = value_get(call->command, "endSessions");
	struct walk w;
	struct field f;

	if (!value_is_array(sessions))
		return command_fail(call, CODE_TypeMismatch,
		                    "BSON field 'endSessions.endSessionsFromClient' is the wrong type '%s', expected type 'array'",
		                    value_type_name(sessions.type));
	walk_begin(&w, sessions);
	while (walk_next(&w, &f))
		cursor_end_session(&call->engine->cursors, session_of(f.value));
	return true;
}

static bool handshake(struct command_call *call, const char *primary)
{
	struct writer *w = call->reply;
	struct timespec now;
	uint64_t millis;

	clock_gettime(CLOCK_REALTIME, &now);
	millis = BSON_UINT64_TO_LE((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
	if (command_option_bool(call->command, "helloOk", false))
		writer_bool(w, "helloOk", true);
	writer_bool(w, primary, true);
	writer_int32(w, "maxBsonObjectSize", LIMIT_USER_BYTES);
	writer_int32(w, "maxMessageSizeBytes", LIMIT_MESSAGE_BYTES);
	writer_int32(w, "maxWriteBatchSize", MAX_WRITE_BATCH);
	writer_raw(w, key_of("localTime"), BSON_TYPE_DATE_TIME, &millis, sizeof millis);
	writer_int32(w, "logicalSessionTimeoutMinutes", SESSION_TIMEOUT_MILLIS / 60000);
	writer_int32(w, "minWireVersion", 0);
	writer_int32(w, "maxWireVersion", MAX_WIRE_VERSION);
	writer_bool(w, "readOnly", false);
	return true;
}

bool command_hello(struct command_call *call)
{
	return handshake(call, "isWritablePrimary");
}

bool command_is_master(struct command_call *call)
{
	return handshake(call, "ismaster");
}

bool command_build_info(struct command_call *call)
{
	const struct emulation *m = store_emulation(call->engine->store);
	struct writer *w = call->reply;

	writer_text(w, "version", m->version);
	writer_text(w, "gitVersion", SERVER_GIT_VERSION);
	writer_begin_array(w, key_of("modules"));
	writer_end(w);
	writer_begin_array(w, key_of("versionArray"));
	for (size_t i = 0; i < sizeof m->version_numbers / sizeof *m->version_numbers; i++)
		writer_int32(w, "", m->version_numbers[i]);
	writer_end(w);
	writer_int32(w, "bits", (int32_t)sizeof(void *) * 8);
	writer_bool(w, "debug", false);
	writer_int32(w, "maxBsonObjectSize", LIMIT_USER_BYTES);
	writer_begin_array(w, key_of("storageEngines"));
	writer_text(w, "", "bsonscope");
	writer_end(w);
	return true;
}

bool command_connection_status(struct command_call *call)
{
	struct writer *w = call->reply;

	writer_begin_document(w, key_of("authInfo"));
	writer_begin_array(w, key_of("authenticatedUsers"));
	writer_end(w);
	writer_begin_array(w, key_of("authenticatedUserRoles"));
	writer_end(w);
	writer_end(w);
	return true;
}

bool command_replica_status(struct command_call *call)
{
	return command_fail(call, CODE_NoReplicationEnabled, "not running with --replSet");
}

static bool scale_of(struct command_call *call, int64_t *scale)
{
	*scale = command_option_number(call->command, "scale", 1);
	if (*scale < 1)
		return command_fail(call, 51024, "BSON field 'scale' value must be >= 1, actual value '%lld'", (long long)*scale);
	return true;
}

/* A collection that does not exist has nothing of anything, as the server says. */
static void put_missing_stats(struct writer *w)
{
	static const char *const zeros[] = { "size", "count", "storageSize", "totalSize", "nindexes", "totalIndexSize" };

	for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
		writer_int32(w, zeros[i], 0);
	writer_begin_document(w, key_of("indexDetails"));
	writer_end(w);
	writer_begin_document(w, key_of("indexSizes"));
	writer_end(w);
}

bool command_coll_stats(struct command_call *call)
{
	const char *name = command_collection(call);
	const struct collection *c = store_collection(call->engine->store, call->db, name);
	struct bytes namespace_text = BYTES_INIT;
	int64_t scale;

	if (!scale_of(call, &scale))
		return false;
	bytes_format(&namespace_text, "%s.%s", call->db, name);
	writer_text(call->reply, "ns", bytes_text(&namespace_text));
	bytes_clear(&namespace_text);
	if (c)
		collection_write_stats(call->reply, c, scale);
	else
		put_missing_stats(call->reply);
	writer_number(call->reply, "scaleFactor", scale);
	return true;
}

bool command_db_stats(struct command_call *call)
{
	const struct database *d = store_database(call->engine->store, call->db);
	struct writer *w = call->reply;
	int64_t scale, collections = 0, objects = 0, bytes = 0, indexes = 0, index_size = 0;

	if (!scale_of(call, &scale))
		return false;
	for (size_t i = 0; d && i < d->collection_count; i++) {
		const struct collection *c = d->collections[i];

		if (command_is_hidden(c))
			continue;
		collections++;
		objects += c->count;
		bytes += c->bytes;
		indexes += (int64_t)c->index_count;
		index_size += collection_index_bytes(c);
	}
	writer_text(w, "db", call->db);
	writer_number(w, "collections", collections);
	writer_int32(w, "views", 0);
	writer_number(w, "objects", objects);
	writer_double(w, "avgObjSize", objects ? (double)bytes / (double)objects : 0);
	writer_double(w, "dataSize", (double)bytes / (double)scale);
	writer_number(w, "indexes", indexes);
	writer_double(w, "indexSize", (double)index_size / (double)scale);
	writer_double(w, "scaleFactor", (double)scale);
	return true;
}
