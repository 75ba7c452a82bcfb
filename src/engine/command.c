#include "engine/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "bson/print.h"

enum { NAMESPACE_LIMIT_BYTES = 255, DATABASE_NAME_LIMIT_BYTES = 63 };

bool command_fail(struct command_call *call, uint32_t code, const char *format, ...)
{
	va_list arguments;

	call->error.domain = ERROR_SERVER;
	call->error.code = code;
	va_start(arguments, format);
	vsnprintf(call->error.message, sizeof call->error.message, format, arguments);
	va_end(arguments);
	return false;
}

bool command_fail_execution(struct command_call *call, const struct execution *x, const char *context)
{
	if (!context) {
		call->error = x->error;
		return false;
	}
	return command_fail(call, x->error.code, "%s :: caused by :: %s", context, x->error.message);
}

void command_lend(struct command_call *call, struct execution *x)
{
	x->interrupt = call->interrupt;
	x->error_details = &call->details;
	x->dry_run = call->dry_run;
	x->log = !call->dry_run && call->engine->log.write ? &call->engine->log : NULL;
}

void command_count(struct command_call *call, const struct counters *counters)
{
#define X(name) call->counters.name += counters->name;
	COUNTERS(X)
#undef X
}

bool command_fail_too_large(struct execution *x, struct value document)
{
	struct print_options options = { PRINT_SERVER, 0, 100 };
	struct bytes first = BYTES_INIT;
	struct walk w;
	struct field f;

	walk_begin(&w, document);
	if (walk_next(&w, &f)) {
		print_text(&first, f.key.bytes, f.key.size_bytes);
		bytes_append_text(&first, ": ");
		print_value(&first, f.value, &options);
	}
	execution_fail(x, CODE_BSONObjectTooLarge,
	               "BSONObj size: %u (0x%X) is invalid. Size must be between 0 and %d(16MB) First element: %s",
	               document.size_bytes, document.size_bytes, LIMIT_INTERNAL_BYTES, bytes_text(&first));
	bytes_clear(&first);
	return false;
}

bool command_check_database(const char *db, bson_error_t *error)
{
	size_t size = strlen(db);

	if (!size || size > DATABASE_NAME_LIMIT_BYTES || strpbrk(db, "/\\. \"$"))
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid database name: '%.100s'", db);
	return true;
}

const char *command_collection(struct command_call *call)
{
	struct walk w;
	struct field f;
	struct key name;

	walk_begin(&w, call->command);
	if (!walk_next(&w, &f) || f.value.type != BSON_TYPE_UTF8) {
		command_fail(call, CODE_InvalidNamespace, "collection name has invalid type %s", value_type_name(f.value.type));
		return NULL;
	}
	name = value_text(f.value);
	if (memchr(name.bytes, 0, name.size_bytes)) {
		command_fail(call, CODE_InvalidNamespace, "namespaces cannot have embedded null characters");
		return NULL;
	}
	if (!name.size_bytes || name.bytes[0] == '.') {
		command_fail(call, CODE_InvalidNamespace, "Invalid namespace specified '%s.%.*s'", call->db, (int)name.size_bytes,
		             name.bytes);
		return NULL;
	}
	return name.bytes;
}

bool command_check_created_name(const char *db, const char *name, bson_error_t *error)
{
	if (strlen(db) + 1 + strlen(name) > NAMESPACE_LIMIT_BYTES)
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace,
		                 "Fully qualified namespace is too long. Namespace: %.150s… Max: %d", name, NAMESPACE_LIMIT_BYTES);
	if (strchr(name, '$') || !*name || *name == '.')
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid collection name: %s", name);
	if (!strncmp(name, "system.", 7))
		return error_set(error, ERROR_SERVER, CODE_InvalidNamespace, "Invalid system namespace: %s.%s", db, name);
	return true;
}

bool command_collection_to_write(struct command_call *call, const char *name, struct collection **collection)
{
	*collection = store_collection(call->engine->store, call->db, name);
	if (*collection)
		return true;
	if (!command_check_created_name(call->db, name, &call->error))
		return false;
	if (call->dry_run)
		return true;
	*collection = store_create_collection(call->engine->store, call->db, name, &call->error);
	return *collection != NULL;
}

bool command_is_hidden(const struct collection *c)
{
	return !strncmp(c->name, LOADING_PREFIX, strlen(LOADING_PREFIX));
}

/* Only the catalog knows of what is no plain collection. */
static bool check_target(struct command_call *call)
{
	const char *name = call->type->flags & COMMAND_TAKES_ANY ? "" : command_collection(call);
	const struct collection *c = name ? store_collection(call->engine->store, call->db, name) : NULL;

	return name && (!c || !strcmp(call->type->name, "drop") || collection_holds_documents(c, &call->error));
}

bool command_check(struct command_call *call)
{
	struct walk w;
	struct field f;

	walk_begin(&w, call->command);
	if (!walk_next(&w, &f))
		return command_fail(call, CODE_FailedToParse, "command has no name: the document is empty");
	call->type = command_find_type(f.key);
	if (!call->type)
		return command_fail(call, CODE_CommandNotFound, "no such command: '%.*s'", (int)f.key.size_bytes, f.key.bytes);
	if (!call->type->run)
		return command_fail(call, CODE_NotImplemented, "command '%s' is not supported by this engine", call->type->name);
	if (!command_check_database(call->db, &call->error))
		return false;
	if ((call->type->flags & COMMAND_ADMIN) && strcmp(call->db, "admin"))
		return command_fail(call, CODE_Unauthorized, "%s may only be run against the admin database.", call->type->name);
	if (!check_target(call))
		return false;
	return ((call->type->flags & COMMAND_OPEN) ||
	        command_check_options(call->command, call->type->name, call->type->options, 1, true, &call->error)) &&
	       command_check_generic(call->command, call->type, &call->error);
}

bool command_run(struct command_call *call)
{
	struct interrupt own;
	int64_t millis;

	if (!command_check(call) || !command_max_time(call->command, &millis, &call->error))
		return false;
	if (call->dry_run && (call->type->flags & COMMAND_CATALOG))
		return true;
	if (millis) {
		bool ok;

		interrupt_init(&own);
		own.parent = call->interrupt;
		atomic_store(&own.deadline_us, interrupt_now_us() + millis * 1000);
		call->interrupt = &own;
		ok = call->type->run(call);
		call->interrupt = own.parent;
		return ok;
	}
	return call->type->run(call);
}
