/* renameCollection: within a database or into another; both names are whole namespaces. */
#include <stdio.h>
#include <string.h>

#include "engine/command.h"

struct name {
	char db[300];
	const char *collection; /* a C string inside the command */
};

/* "db.collection", cut at the first dot. */
static bool split(struct command_call *call, struct value v, struct name *name)
{
	const char *text = value_text(v).bytes, *dot = strchr(text, '.');

	if (!dot || dot == text || !dot[1] || (size_t)(dot - text) >= sizeof name->db || strlen(text) != value_text(v).size_bytes)
		return command_fail(call, CODE_InvalidNamespace, "Invalid namespace specified '%.300s'", text);
	snprintf(name->db, sizeof name->db, "%.*s", (int)(dot - text), text);
	name->collection = dot + 1;
	return command_check_database(name->db, &call->error);
}

bool command_rename_collection(struct command_call *call)
{
	struct value source = value_get(call->command, "renameCollection");
	struct store *store = call->engine->store;
	struct name from, to;
	const struct collection *c;

	if (source.type != BSON_TYPE_UTF8)
		return command_fail(call, CODE_InvalidNamespace, "collection name has invalid type %s", value_type_name(source.type));
	if (!split(call, source, &from) || !split(call, value_get(call->command, "to"), &to))
		return false;
	if (!strcmp(from.db, to.db) && !strcmp(from.collection, to.collection))
		return command_fail(call, CODE_IllegalOperation, "Can't rename a collection to itself");
	if (!strncmp(from.collection, "system.", 7) || !strncmp(to.collection, "system.", 7))
		return command_fail(call, CODE_IllegalOperation, "renaming system collections is not allowed");
	if (!command_check_created_name(to.db, to.collection, &call->error))
		return false;
	c = store_collection(store, from.db, from.collection);
	if (!c || command_is_hidden(c))
		return command_fail(call, CODE_NamespaceNotFound, "Source collection %s.%.200s does not exist", from.db, from.collection);
	if (store_collection(store, to.db, to.collection)) {
		if (!command_option_bool(call->command, "dropTarget", false))
			return command_fail(call, CODE_NamespaceExists, "target namespace exists");
		cursor_kill_collection(&call->engine->cursors, to.db, to.collection);
		store_drop_collection(store, to.db, to.collection);
	}
	cursor_kill_collection(&call->engine->cursors, from.db, from.collection);
	store_rename_collection(store, from.db, from.collection, to.db, to.collection);
	return true;
}
