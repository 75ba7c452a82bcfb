#include "remote/permit.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "bson/print.h"
#include "bson/value.h"
#include "plan/only_planned.h"

static const struct permit permits[] = {
	{ "hello", PERMIT_CALLER | PERMIT_SELF | PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "isMaster", PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "ismaster", PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "saslStart", PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "saslContinue", PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "authenticate", PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "endSessions", PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "ping", PERMIT_CALLER | PERMIT_DRIVER, PERMIT_LISTING, true },
	{ "buildInfo", PERMIT_CALLER | PERMIT_SELF, PERMIT_LISTING, true },
	{ "listDatabases", PERMIT_CALLER, PERMIT_LISTING, true },
	{ "listCollections", PERMIT_CALLER | PERMIT_SELF, PERMIT_LISTING, true },
	{ "listIndexes", PERMIT_CALLER, PERMIT_LISTING, true },
	{ "collStats", PERMIT_CALLER | PERMIT_SELF, PERMIT_LISTING, true },
	{ "dbStats", PERMIT_CALLER, PERMIT_LISTING, true },
	{ "count", PERMIT_CALLER, PERMIT_SCAN, true },
	{ "distinct", PERMIT_CALLER, PERMIT_SCAN, true },
	{ "find", PERMIT_CALLER, PERMIT_SCAN, true },
	{ "aggregate", PERMIT_CALLER | PERMIT_SELF, PERMIT_SCAN, true },
	{ "explain", PERMIT_CALLER | PERMIT_SELF, PERMIT_SCAN, true },
	{ "getMore", PERMIT_CALLER, PERMIT_SCAN, false },
	{ "killCursors", PERMIT_CALLER | PERMIT_SELF, PERMIT_SCAN, true },
	{ "killSessions", PERMIT_SELF, PERMIT_LISTING, true },
	{ "killOp", PERMIT_SELF, PERMIT_LISTING, true },
};

enum { PERMITS = sizeof permits / sizeof *permits };

/* What explain may be asked about; writes are planned, never run. */
static const struct explained {
	const char *name;
	bool writes;
} explained[] = {
	{ "find", false },  { "aggregate", false }, { "count", false },        { "distinct", false },
	{ "update", true }, { "delete", true },     { "findAndModify", true }, { "findandmodify", true },
};

enum { EXPLAINED = sizeof explained / sizeof *explained };

const struct permit *permit_at(size_t i)
{
	return i < PERMITS ? &permits[i] : NULL;
}

static bool first_field(struct value document, struct field *first)
{
	struct walk w;

	walk_begin(&w, document);
	return walk_next(&w, first);
}

static const struct explained *find_explained(struct value command)
{
	struct field first;

	for (size_t i = 0; first_field(command, &first) && i < EXPLAINED; i++)
		if (key_is(first.key, explained[i].name))
			return &explained[i];
	return NULL;
}

static bool only_planned(struct value command)
{
	const struct explained *row = find_explained(command);

	return !row || row->writes || plan_only_planned(command);
}

bool permit_writes(const bson_t *command)
{
	return only_planned(value_from_bson(command));
}

static const struct permit *refuse(struct key name, const char *format, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, name.bytes, name.size_bytes < 64 ? name.size_bytes : 64);
	error_set(error, ERROR_INPUT, CODE_IllegalOperation, format, bytes_text(&text));
	bytes_clear(&text);
	return NULL;
}

/* Without a verbosity explain runs the command. */
static bool is_planner_only(struct value explain)
{
	struct value verbosity = value_get(explain, "verbosity");

	return verbosity.type == BSON_TYPE_UTF8 && key_is(value_text(verbosity), "queryPlanner");
}

/* Fields that the driver adds; a second one could say something else. */
static bool names_driver_field(struct value command, struct key *name)
{
	static const char *const fields[] = { "lsid", "txnNumber", "autocommit", "startTransaction", "writeConcern" };
	struct walk w;
	struct field f;

	walk_begin(&w, command);
	while (walk_next(&w, &f)) {
		*name = f.key;
		if (f.key.size_bytes && f.key.bytes[0] == '$')
			return true;
		for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
			if (key_is(f.key, fields[i]))
				return true;
	}
	return false;
}

/* The first field says what the command is: a repeated one must not say it again. */
static bool is_repeated(struct value command, struct key name)
{
	struct walk w;
	struct field f;
	int times = 0;

	walk_begin(&w, command);
	while (walk_next(&w, &f))
		times += key_equal(f.key, name);
	return times > 1 || w.broken;
}

static const struct permit *check_explain(const struct permit *row, struct value command, bson_error_t *error)
{
	struct value inner = value_get(command, "explain");
	struct field first;

	if (!value_is_document(inner) || !first_field(inner, &first))
		return refuse(key_of("explain"), "\"%s\" needs a command to be explained", error);
	if (!find_explained(inner) || is_repeated(inner, first.key))
		return refuse(first.key, "an explain of \"%s\" is not sent: a server is only read from", error);
	if (is_repeated(command, key_of("verbosity")) || (only_planned(inner) && !is_planner_only(command)))
		return refuse(first.key,
		              "an explain of \"%s\" that writes is sent with verbosity \"queryPlanner\" only", error);
	return row;
}

const struct permit *permit_check(const bson_t *command, enum permit_sender sender, bson_error_t *error)
{
	struct value v = value_from_bson(command);
	const struct permit *row = NULL;
	struct field first;
	struct key name;

	if (!first_field(v, &first))
		return refuse(key_of(""), "expected a command, found an empty document%s", error);
	for (size_t i = 0; i < PERMITS && !row; i++)
		if ((permits[i].senders & (int)sender) && key_is(first.key, permits[i].name))
			row = &permits[i];
	if (!row || is_repeated(v, first.key))
		return refuse(first.key, "\"%s\" is not sent: a server is only read from", error);
	if (names_driver_field(v, &name))
		return refuse(name, "a command with \"%s\" is not sent: the driver sets that", error);
	if (key_is(first.key, "explain"))
		return check_explain(row, v, error);
	if (plan_only_planned(v))
		return refuse(first.key, "\"%s\" with $out, $merge or $mergeCursors is not sent: a server is only read from", error);
	return row;
}
