/* Every command with its options: what becomes of each. */
#include "engine/command.h"

#define END { NULL, OPTION_ANY, OPTION_USED }

static const struct command_option no_options[] = { END };

static const struct command_option find_options[] = {
	{ "filter", OPTION_OBJECT, OPTION_USED },
	{ "projection", OPTION_OBJECT, OPTION_USED },
	{ "sort", OPTION_OBJECT, OPTION_USED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "skip", OPTION_COUNT, OPTION_USED },
	{ "limit", OPTION_COUNT, OPTION_USED },
	{ "batchSize", OPTION_COUNT, OPTION_USED },
	{ "singleBatch", OPTION_BOOL, OPTION_USED },
	{ "noCursorTimeout", OPTION_BOOL, OPTION_USED },
	{ "let", OPTION_OBJECT, OPTION_USED },
	{ "min", OPTION_OBJECT, OPTION_REFUSED },
	{ "max", OPTION_OBJECT, OPTION_REFUSED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	{ "allowDiskUse", OPTION_BOOL, OPTION_USED },
	{ "allowPartialResults", OPTION_BOOL, OPTION_HARMLESS },
	{ "oplogReplay", OPTION_BOOL, OPTION_HARMLESS },
	{ "readOnce", OPTION_BOOL, OPTION_HARMLESS },
	{ "tailable", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "awaitData", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "returnKey", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "showRecordId", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "requestResumeToken", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "resumeAfter", OPTION_OBJECT, OPTION_REFUSED },
	END
};

static const struct command_option aggregate_options[] = {
	{ "pipeline", OPTION_ANY, OPTION_REQUIRED },
	{ "cursor", OPTION_ANY, OPTION_USED },
	{ "explain", OPTION_BOOL, OPTION_USED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "let", OPTION_OBJECT, OPTION_USED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	{ "allowDiskUse", OPTION_BOOL, OPTION_USED },
	{ "bypassDocumentValidation", OPTION_BOOL, OPTION_USED },
	END
};

static const struct command_option count_options[] = {
	{ "query", OPTION_OBJECT, OPTION_USED },
	{ "limit", OPTION_NUMBER, OPTION_USED },
	{ "skip", OPTION_COUNT, OPTION_USED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	{ "fields", OPTION_OBJECT, OPTION_HARMLESS },
	END
};

static const struct command_option distinct_options[] = {
	{ "key", OPTION_STRING, OPTION_REQUIRED },
	{ "query", OPTION_OBJECT, OPTION_USED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	END
};

static const struct command_option get_more_options[] = {
	{ "collection", OPTION_STRING, OPTION_REQUIRED },
	{ "batchSize", OPTION_COUNT, OPTION_USED },
	{ "term", OPTION_NUMBER, OPTION_REFUSED },
	END
};

static const struct command_option kill_cursors_options[] = {
	{ "cursors", OPTION_ARRAY, OPTION_REQUIRED },
	END
};

static const struct command_option explain_options[] = {
	{ "verbosity", OPTION_STRING, OPTION_USED },
	END
};

static const struct command_option insert_options[] = {
	{ "documents", OPTION_ARRAY, OPTION_REQUIRED },
	{ "ordered", OPTION_BOOL, OPTION_USED },
	{ "bypassDocumentValidation", OPTION_BOOL, OPTION_USED },
	END
};

static const struct command_option update_options[] = {
	{ "updates", OPTION_ARRAY, OPTION_REQUIRED },
	{ "ordered", OPTION_BOOL, OPTION_USED },
	{ "let", OPTION_OBJECT, OPTION_USED },
	{ "bypassDocumentValidation", OPTION_BOOL, OPTION_USED },
	END
};

const struct command_option command_update_options[] = {
	{ "q", OPTION_OBJECT, OPTION_REQUIRED },
	{ "u", OPTION_ANY, OPTION_REQUIRED },
	{ "c", OPTION_OBJECT, OPTION_REFUSED },
	{ "arrayFilters", OPTION_ARRAY, OPTION_USED },
	{ "multi", OPTION_BOOL, OPTION_USED },
	{ "upsert", OPTION_BOOL, OPTION_USED },
	{ "sort", OPTION_OBJECT, OPTION_USED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	END
};

static const struct command_option delete_options[] = {
	{ "deletes", OPTION_ARRAY, OPTION_REQUIRED },
	{ "ordered", OPTION_BOOL, OPTION_USED },
	{ "let", OPTION_OBJECT, OPTION_USED },
	END
};

const struct command_option command_delete_options[] = {
	{ "q", OPTION_OBJECT, OPTION_REQUIRED },
	{ "limit", OPTION_NUMBER, OPTION_REQUIRED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	END
};

static const struct command_option find_and_modify_options[] = {
	{ "query", OPTION_OBJECT, OPTION_USED },
	{ "sort", OPTION_OBJECT, OPTION_USED },
	{ "hint", OPTION_ANY, OPTION_USED },
	{ "fields", OPTION_OBJECT, OPTION_USED },
	{ "update", OPTION_ANY, OPTION_USED },
	{ "remove", OPTION_BOOL, OPTION_USED },
	{ "new", OPTION_BOOL, OPTION_USED },
	{ "upsert", OPTION_BOOL, OPTION_USED },
	{ "arrayFilters", OPTION_ARRAY, OPTION_USED },
	{ "let", OPTION_OBJECT, OPTION_USED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	{ "bypassDocumentValidation", OPTION_BOOL, OPTION_USED },
	END
};

static const struct command_option list_databases_options[] = {
	{ "nameOnly", OPTION_BOOL, OPTION_USED },
	{ "filter", OPTION_OBJECT, OPTION_USED },
	{ "authorizedDatabases", OPTION_BOOL, OPTION_HARMLESS },
	END
};

static const struct command_option list_collections_options[] = {
	{ "nameOnly", OPTION_BOOL, OPTION_USED },
	{ "filter", OPTION_OBJECT, OPTION_USED },
	{ "cursor", OPTION_OBJECT, OPTION_USED },
	{ "authorizedCollections", OPTION_BOOL, OPTION_HARMLESS },
	END
};

static const struct command_option list_indexes_options[] = {
	{ "cursor", OPTION_OBJECT, OPTION_USED },
	END
};

static const struct command_option create_options[] = {
	{ "capped", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "size", OPTION_NUMBER, OPTION_USED },
	{ "max", OPTION_NUMBER, OPTION_USED },
	{ "autoIndexId", OPTION_BOOL, OPTION_USED },
	{ "idIndex", OPTION_OBJECT, OPTION_REFUSED },
	{ "storageEngine", OPTION_OBJECT, OPTION_REFUSED },
	{ "validator", OPTION_OBJECT, OPTION_USED },
	{ "validationLevel", OPTION_STRING, OPTION_USED },
	{ "validationAction", OPTION_STRING, OPTION_USED },
	{ "indexOptionDefaults", OPTION_OBJECT, OPTION_REFUSED },
	{ "viewOn", OPTION_STRING, OPTION_REFUSED },
	{ "pipeline", OPTION_ARRAY, OPTION_REFUSED },
	{ "collation", OPTION_OBJECT, OPTION_SIMPLE_COLLATION },
	{ "recordPreImages", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	{ "changeStreamPreAndPostImages", OPTION_OBJECT, OPTION_REFUSED },
	{ "timeseries", OPTION_OBJECT, OPTION_REFUSED },
	{ "clusteredIndex", OPTION_ANY, OPTION_REFUSED },
	{ "expireAfterSeconds", OPTION_ANY, OPTION_REFUSED },
	{ "encryptedFields", OPTION_OBJECT, OPTION_REFUSED },
	END
};

static const struct command_option coll_mod_options[] = {
	{ "validator", OPTION_OBJECT, OPTION_USED },
	{ "validationLevel", OPTION_STRING, OPTION_USED },
	{ "validationAction", OPTION_STRING, OPTION_USED },
	{ "prepareConstraintValidationLevel", OPTION_BOOL, OPTION_USED },
	{ "index", OPTION_OBJECT, OPTION_USED },
	{ "viewOn", OPTION_STRING, OPTION_USED },
	{ "pipeline", OPTION_ARRAY, OPTION_USED },
	{ "expireAfterSeconds", OPTION_ANY, OPTION_USED },
	{ "timeseries", OPTION_OBJECT, OPTION_USED },
	{ "cappedSize", OPTION_NUMBER, OPTION_USED },
	{ "cappedMax", OPTION_NUMBER, OPTION_USED },
	{ "dryRun", OPTION_BOOL, OPTION_USED },
	{ "changeStreamPreAndPostImages", OPTION_OBJECT, OPTION_REFUSED },
	{ "collectionUUID", OPTION_ANY, OPTION_REFUSED },
	{ "recordIdsReplicated", OPTION_BOOL, OPTION_REFUSED },
	{ "timeseriesBucketsMayHaveMixedSchemaData", OPTION_BOOL, OPTION_REFUSED },
	END
};

static const struct command_option create_indexes_options[] = {
	{ "indexes", OPTION_ARRAY, OPTION_REQUIRED },
	{ "commitQuorum", OPTION_ANY, OPTION_USED },
	{ "ignoreUnknownIndexOptions", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	END
};

static const struct command_option drop_indexes_options[] = {
	{ "index", OPTION_ANY, OPTION_REQUIRED },
	END
};

static const struct command_option coll_stats_options[] = {
	{ "scale", OPTION_NUMBER, OPTION_USED },
	{ "verbose", OPTION_BOOL, OPTION_HARMLESS },
	{ "waitForLock", OPTION_BOOL, OPTION_HARMLESS },
	END
};

static const struct command_option db_stats_options[] = {
	{ "scale", OPTION_NUMBER, OPTION_USED },
	{ "freeStorage", OPTION_NUMBER, OPTION_HARMLESS },
	END
};

/* What a handshake may bring; the engine has nothing to add to any of it. */
static const struct command_option hello_options[] = {
	{ "helloOk", OPTION_BOOL, OPTION_USED },
	{ "client", OPTION_OBJECT, OPTION_HARMLESS },
	{ "compression", OPTION_ARRAY, OPTION_HARMLESS },
	{ "hostInfo", OPTION_STRING, OPTION_HARMLESS },
	{ "saslSupportedMechs", OPTION_STRING, OPTION_HARMLESS },
	{ "speculativeAuthenticate", OPTION_OBJECT, OPTION_HARMLESS },
	{ "topologyVersion", OPTION_OBJECT, OPTION_HARMLESS },
	{ "maxAwaitTimeMS", OPTION_NUMBER, OPTION_HARMLESS },
	{ "loadBalanced", OPTION_BOOL, OPTION_HARMLESS },
	{ "backpressure", OPTION_ANY, OPTION_HARMLESS },
	END
};

static const struct command_option connection_status_options[] = {
	{ "showPrivileges", OPTION_BOOL, OPTION_REFUSED_IF_TRUE },
	END
};

static const struct command_option rename_options[] = {
	{ "to", OPTION_STRING, OPTION_REQUIRED },
	{ "dropTarget", OPTION_BOOL, OPTION_USED },
	{ "stayTemp", OPTION_BOOL, OPTION_HARMLESS },
	END
};

static const struct command_type types[] = {
	{ "find", command_find, find_options, COMMAND_EXPLAINS | COMMAND_API_1, NULL },
	{ "aggregate", command_aggregate, aggregate_options,
	  COMMAND_EXPLAINS | COMMAND_API_1 | COMMAND_WRITES | COMMAND_TAKES_ANY, NULL },
	{ "getMore", command_get_more, get_more_options, COMMAND_API_1 | COMMAND_TAKES_ANY, NULL },
	{ "killCursors", command_kill_cursors, kill_cursors_options, COMMAND_API_1 | COMMAND_CATALOG, NULL },
	{ "count", command_count_documents, count_options, COMMAND_EXPLAINS | COMMAND_API_1, NULL },
	{ "distinct", command_distinct, distinct_options, COMMAND_EXPLAINS, NULL },
	{ "explain", command_explain, explain_options, COMMAND_API_1 | COMMAND_TAKES_ANY, NULL },
	{ "insert", command_insert, insert_options, COMMAND_API_1 | COMMAND_WRITES, NULL },
	{ "update", command_update, update_options, COMMAND_EXPLAINS | COMMAND_API_1 | COMMAND_WRITES, NULL },
	{ "delete", command_delete, delete_options, COMMAND_EXPLAINS | COMMAND_API_1 | COMMAND_WRITES, NULL },
	{ "findAndModify", command_find_and_modify, find_and_modify_options,
	  COMMAND_EXPLAINS | COMMAND_API_1 | COMMAND_WRITES, "findandmodify" },
	{ "listDatabases", command_list_databases, list_databases_options, COMMAND_API_1 | COMMAND_ADMIN | COMMAND_TAKES_ANY,
	 NULL },
	{ "listCollections", command_list_collections, list_collections_options, COMMAND_API_1 | COMMAND_TAKES_ANY, NULL },
	{ "listIndexes", command_list_indexes, list_indexes_options, COMMAND_API_1, NULL },
	{ "create", command_create, create_options, COMMAND_API_1 | COMMAND_WRITES | COMMAND_CATALOG, NULL },
	{ "collMod", command_coll_mod, coll_mod_options, COMMAND_API_1 | COMMAND_WRITES | COMMAND_CATALOG, NULL },
	{ "drop", command_drop, no_options, COMMAND_API_1 | COMMAND_WRITES | COMMAND_CATALOG, NULL },
	{ "dropDatabase", command_drop_database, no_options,
	  COMMAND_API_1 | COMMAND_WRITES | COMMAND_CATALOG | COMMAND_TAKES_ANY, NULL },
	{ "createIndexes", command_create_indexes, create_indexes_options, COMMAND_API_1 | COMMAND_WRITES | COMMAND_CATALOG,
	 NULL },
	{ "dropIndexes", command_drop_indexes, drop_indexes_options, COMMAND_API_1 | COMMAND_WRITES | COMMAND_CATALOG,
	  "deleteIndexes" },
	{ "collStats", command_coll_stats, coll_stats_options, 0, "collstats" },
	{ "dbStats", command_db_stats, db_stats_options, COMMAND_TAKES_ANY, "dbstats" },
	{ "ping", command_ping, no_options, COMMAND_API_1 | COMMAND_TAKES_ANY | COMMAND_UNLOCKED, NULL },
	{ "hello", command_hello, hello_options, COMMAND_API_1 | COMMAND_TAKES_ANY | COMMAND_UNLOCKED, NULL },
	{ "isMaster", command_is_master, hello_options, COMMAND_TAKES_ANY | COMMAND_UNLOCKED, "ismaster" },
	{ "buildInfo", command_build_info, no_options, COMMAND_TAKES_ANY | COMMAND_UNLOCKED, "buildinfo" },
	{ "endSessions", command_end_sessions, no_options, COMMAND_API_1 | COMMAND_TAKES_ANY, NULL },
	{ "connectionStatus", command_connection_status, connection_status_options, COMMAND_TAKES_ANY | COMMAND_UNLOCKED, NULL },
	{ "replSetGetStatus", command_replica_status, no_options, COMMAND_TAKES_ANY | COMMAND_UNLOCKED, NULL },

	{ "serverStatus", command_server_status, no_options, COMMAND_TAKES_ANY | COMMAND_OPEN, NULL },
	{ "getParameter", command_get_parameter, no_options, COMMAND_TAKES_ANY | COMMAND_ADMIN | COMMAND_OPEN, NULL },
	{ "getLog", command_get_log, no_options, COMMAND_TAKES_ANY | COMMAND_ADMIN, NULL },
	{ "hostInfo", command_host_info, no_options, COMMAND_TAKES_ANY, NULL },
	{ "getCmdLineOpts", command_get_command_line, no_options, COMMAND_TAKES_ANY | COMMAND_ADMIN, NULL },
	{ "renameCollection", command_rename_collection, rename_options,
	  COMMAND_TAKES_ANY | COMMAND_ADMIN | COMMAND_WRITES | COMMAND_CATALOG, NULL },

	{ "bulkWrite", NULL, NULL, 0, NULL },
	{ "compact", NULL, NULL, 0, NULL },
	{ "convertToCapped", NULL, NULL, 0, NULL },
	{ "currentOp", NULL, NULL, 0, NULL },
	{ "dataSize", NULL, NULL, 0, "datasize" },
	{ "killOp", NULL, NULL, 0, NULL },
	{ "killSessions", NULL, NULL, 0, NULL },
	{ "listCommands", NULL, NULL, 0, NULL },
	{ "mapReduce", NULL, NULL, 0, "mapreduce" },
	{ "profile", NULL, NULL, 0, NULL },
	{ "reIndex", NULL, NULL, 0, NULL },
	{ "refreshSessions", NULL, NULL, 0, NULL },
	{ "startSession", NULL, NULL, 0, NULL },
	{ "validate", NULL, NULL, 0, NULL },
	{ "commitTransaction", NULL, NULL, 0, NULL },
	{ "abortTransaction", NULL, NULL, 0, NULL },
};

const struct command_type *command_find_type(struct key name)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (key_is(name, types[i].name) || (types[i].alias && key_is(name, types[i].alias)))
			return &types[i];
	return NULL;
}
