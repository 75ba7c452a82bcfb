/* The fields of commands: which are known, of what type, and what every command may carry besides its own. */
#include "engine/command.h"

#include <math.h>
#include <string.h>

#include "bson/decimal.h"

enum { MAX_TIME_LIMIT_MILLIS = 2147483647 };

#define TYPE_BIT(type) (1u << (type))
#define NUMBER_BITS \
	(TYPE_BIT(BSON_TYPE_INT32) | TYPE_BIT(BSON_TYPE_INT64) | TYPE_BIT(BSON_TYPE_DOUBLE) | TYPE_BIT(BSON_TYPE_DECIMAL128))

/* The server closes its lists of types with the quote before the bracket. */
static const struct {
	uint32_t accepted;
	const char *expected;
} option_types[] = {
	[OPTION_ANY] = { ~0u, "" },
	[OPTION_OBJECT] = { TYPE_BIT(BSON_TYPE_DOCUMENT), "expected type 'object'" },
	[OPTION_ARRAY] = { TYPE_BIT(BSON_TYPE_ARRAY), "expected type 'array'" },
	[OPTION_STRING] = { TYPE_BIT(BSON_TYPE_UTF8), "expected type 'string'" },
	[OPTION_BOOL] = { TYPE_BIT(BSON_TYPE_BOOL) | NUMBER_BITS, "expected types '[bool, long, int, decimal, double']" },
	[OPTION_NUMBER] = { NUMBER_BITS, "expected types '[long, int, decimal, double']" },
	[OPTION_COUNT] = { NUMBER_BITS, "expected types '[long, int, decimal, double']" },
};

/* What a command may carry besides its own fields. Those without a use change nothing on a single engine. */
static const struct command_option generic_options[] = {
	{ "lsid", OPTION_OBJECT, OPTION_HARMLESS },
	{ "$db", OPTION_STRING, OPTION_HARMLESS },
	{ "$readPreference", OPTION_OBJECT, OPTION_HARMLESS },
	{ "$clusterTime", OPTION_OBJECT, OPTION_HARMLESS },
	{ "comment", OPTION_ANY, OPTION_HARMLESS },
	{ "maxTimeMS", OPTION_ANY, OPTION_USED },
	{ "readConcern", OPTION_OBJECT, OPTION_USED },
	{ "writeConcern", OPTION_OBJECT, OPTION_USED },
	{ "apiVersion", OPTION_ANY, OPTION_USED },
	{ "apiStrict", OPTION_BOOL, OPTION_USED },
	{ "apiDeprecationErrors", OPTION_BOOL, OPTION_USED },
	{ "txnNumber", OPTION_ANY, OPTION_USED },
	{ "startTransaction", OPTION_ANY, OPTION_USED },
	{ "autocommit", OPTION_ANY, OPTION_USED },
	{ NULL, OPTION_ANY, OPTION_USED }
};

static const struct command_option *find_option(const struct command_option *options, struct key name)
{
	for (; options && options->name; options++)
		if (key_is(name, options->name))
			return options;
	return NULL;
}

static int64_t clamp(double d)
{
	if (isnan(d))
		return 0;
	if (d <= (double)INT64_MIN)
		return INT64_MIN;
	return d >= 9223372036854775808.0 ? INT64_MAX : (int64_t)d;
}

int64_t command_number(struct value v)
{
	int64_t n;

	switch (v.type) {
	case BSON_TYPE_INT32: return value_int32(v);
	case BSON_TYPE_INT64: return value_int64(v);
	case BSON_TYPE_DOUBLE: return clamp(value_double(v));
	case BSON_TYPE_BOOL: return value_bool(v);
	case BSON_TYPE_DECIMAL128:
		if (decimal_to_int64(value_decimal(v), DECIMAL_TOWARD_ZERO, &n))
			return n;
		return clamp(value_as_double(v));
	default: return 0;
	}
}

struct value command_option(struct value document, const char *name)
{
	struct value v = value_get(document, name);

	return value_is_nullish(v) ? value_missing() : v;
}

int64_t command_option_number(struct value document, const char *name, int64_t otherwise)
{
	struct value v = command_option(document, name);

	return value_is_missing(v) ? otherwise : command_number(v);
}

bool command_option_bool(struct value document, const char *name, bool otherwise)
{
	struct value v = command_option(document, name);

	return value_is_missing(v) ? otherwise : value_is_true(v);
}

static bool is_simple_collation(struct value v)
{
	struct value locale = value_get(v, "locale");

	return value_count(v) == 0 || (locale.type == BSON_TYPE_UTF8 && key_is(value_text(locale), "simple"));
}

static bool refuse(const char *prefix, const char *name, bson_error_t *error)
{
	return error_set(error, ERROR_SERVER, CODE_NotImplemented, "'%s.%s' is not supported by this engine", prefix, name);
}

static bool check_option(const struct command_option *option, struct value v, const char *prefix, bson_error_t *error)
{
	if (value_is_nullish(v) && option->type != OPTION_ANY)
		return true; /* as MongoDB's parser: the same as leaving it out */
	if (v.type >= 32 ? option->type != OPTION_ANY : !(option_types[option->type].accepted & TYPE_BIT(v.type)))
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch, "BSON field '%s.%s' is the wrong type '%s', %s", prefix,
		                 option->name, value_type_name(v.type), option_types[option->type].expected);
	if (option->type == OPTION_COUNT && command_number(v) < 0)
		return error_set(error, ERROR_SERVER, 51024, "BSON field '%s' value must be >= 0, actual value '%lld'",
		                 option->name, (long long)command_number(v));
	switch (option->use) {
	case OPTION_REFUSED: return refuse(prefix, option->name, error);
	case OPTION_REFUSED_IF_TRUE: return value_is_true(v) ? refuse(prefix, option->name, error) : true;
	case OPTION_SIMPLE_COLLATION: return is_simple_collation(v) ? true : refuse(prefix, option->name, error);
	default: return true;
	}
}

static bool check_required(struct value document, const char *prefix, const struct command_option *options,
                           bson_error_t *error)
{
	for (; options && options->name; options++)
		if (options->use == OPTION_REQUIRED && value_is_missing(command_option(document, options->name)))
			return error_set(error, ERROR_SERVER, 40414, "BSON field '%s.%s' is missing but a required field", prefix,
			                 options->name);
	return true;
}

bool command_check_options(struct value document, const char *prefix, const struct command_option *options, int skip,
                           bool generic, bson_error_t *error)
{
	struct walk w, earlier;
	struct field f, g;

	walk_begin(&w, document);
	for (int i = 0; walk_next(&w, &f); i++) {
		const struct command_option *option;

		if (i < skip)
			continue;
		option = find_option(options, f.key);
		if (!option && generic)
			option = find_option(generic_options, f.key);
		if (!option)
			return error_set(error, ERROR_SERVER, 40415, "BSON field '%s.%.*s' is an unknown field.", prefix,
			                 (int)f.key.size_bytes, f.key.bytes);
		walk_begin(&earlier, document);
		while (walk_next(&earlier, &g) && g.key.bytes != f.key.bytes)
			if (key_equal(g.key, f.key))
				return error_set(error, ERROR_SERVER, 40413, "BSON field '%s.%s' is a duplicate field", prefix,
				                 option->name);
		if (!check_option(option, f.value, prefix, error))
			return false;
	}
	return check_required(document, prefix, options, error);
}

bool command_is_envelope(struct key name)
{
	return key_is(name, "lsid") || key_is(name, "$db") || key_is(name, "$readPreference") || key_is(name, "$clusterTime");
}

static bool check_read_concern(struct value concern, bson_error_t *error)
{
	static const struct command_option options[] = {
		{ "level", OPTION_STRING, OPTION_USED },
		{ "provenance", OPTION_STRING, OPTION_HARMLESS },
		{ NULL, OPTION_ANY, OPTION_USED }
	};
	static const char *const levels[] = { "local", "available", "majority" };
	struct value level = command_option(concern, "level");

	if (value_is_missing(concern))
		return true;
	if (!command_check_options(concern, "readConcern", options, 0, false, error))
		return false;
	if (value_is_missing(level))
		return true;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (key_is(value_text(level), levels[i]))
			return true;
	if (key_is(value_text(level), "linearizable"))
		return error_set(error, ERROR_SERVER, CODE_NotAReplicaSet,
		                 "node needs to be a replica set member to use read concern");
	if (key_is(value_text(level), "snapshot"))
		return error_set(error, ERROR_SERVER, CODE_NotAReplicaSet,
		                 "node needs to be a replica set member to use readConcern: snapshot");
	return error_set(error, ERROR_SERVER, CODE_BadValue,
	                 "Enumeration value '%.*s' for field 'readConcern.level' is not a valid value.",
	                 (int)value_text(level).size_bytes, value_text(level).bytes);
}

static bool check_write_concern(struct value concern, const struct command_type *type, bson_error_t *error)
{
	static const struct command_option options[] = {
		{ "w", OPTION_ANY, OPTION_USED },
		{ "j", OPTION_BOOL, OPTION_HARMLESS },
		{ "fsync", OPTION_BOOL, OPTION_HARMLESS },
		{ "wtimeout", OPTION_NUMBER, OPTION_HARMLESS },
		{ "provenance", OPTION_STRING, OPTION_HARMLESS },
		{ NULL, OPTION_ANY, OPTION_USED }
	};
	struct value w = command_option(concern, "w");

	if (value_is_missing(concern))
		return true;
	if (!(type->flags & COMMAND_WRITES))
		return error_set(error, ERROR_SERVER, CODE_InvalidOptions, "Command does not support writeConcern");
	if (!command_check_options(concern, "writeConcern", options, 0, false, error))
		return false;
	if (value_is_missing(w) || (w.type == BSON_TYPE_UTF8 && key_is(value_text(w), "majority")))
		return true;
	if (w.type == BSON_TYPE_UTF8)
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "cannot use non-majority 'w' mode %.*s when a host is not a member of a replica set",
		                 (int)value_text(w).size_bytes, value_text(w).bytes);
	if (!value_is_number(w))
		return error_set(error, ERROR_SERVER, CODE_FailedToParse, "w has to be a number, string, or object");
	if (command_number(w) < 0 || command_number(w) > 50)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "w has to be a non-negative number and not greater than 50");
	if (command_number(w) > 1)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "cannot use 'w' > 1 when a host is not replicated");
	return true;
}

static bool check_api(struct value command, const struct command_type *type, bson_error_t *error)
{
	struct value version = command_option(command, "apiVersion");

	if (value_is_missing(version)) {
		if (value_is_missing(command_option(command, "apiStrict")) &&
		    value_is_missing(command_option(command, "apiDeprecationErrors")))
			return true;
		return error_set(error, ERROR_SERVER, 4886600,
		                 "Provided apiStrict and/or apiDeprecationErrors without passing apiVersion");
	}
	if (version.type != BSON_TYPE_UTF8)
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "BSON field 'APIParametersFromClient.apiVersion' is the wrong type '%s', expected type 'string'",
		                 value_type_name(version.type));
	if (!key_is(value_text(version), "1"))
		return error_set(error, ERROR_SERVER, CODE_APIVersionError, "API version must be \"1\"");
	if (command_option_bool(command, "apiStrict", false) && !(type->flags & COMMAND_API_1))
		return error_set(error, ERROR_SERVER, CODE_APIStrictError,
		                 "Provided apiStrict:true, but the command %s is not in API Version 1", type->name);
	return true;
}

/* Most commands carry nothing but their own fields. */
static bool carries_generic(struct value command)
{
	struct walk w;
	struct field f;

	walk_begin(&w, command);
	while (walk_next(&w, &f))
		if (find_option(generic_options, f.key))
			return true;
	return false;
}

bool command_check_generic(struct value command, const struct command_type *type, bson_error_t *error)
{
	if (!carries_generic(command))
		return true;
	if (!value_is_missing(command_option(command, "txnNumber")) ||
	    !value_is_missing(command_option(command, "startTransaction")) ||
	    !value_is_missing(command_option(command, "autocommit")))
		return error_set(error, ERROR_SERVER, CODE_IllegalOperation,
		                 "Transaction numbers are only allowed on a replica set member or mongos");
	return check_api(command, type, error) && check_read_concern(command_option(command, "readConcern"), error) &&
	       check_write_concern(command_option(command, "writeConcern"), type, error);
}

bool command_max_time(struct value command, int64_t *millis, bson_error_t *error)
{
	struct value v = command_option(command, "maxTimeMS");
	int64_t n;

	*millis = 0;
	if (value_is_missing(v))
		return true;
	if (!value_is_number(v))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "maxTimeMS must be a number");
	if (!value_as_int64(v, &n))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "maxTimeMS has non-integral value");
	if (n < 0 || n > MAX_TIME_LIMIT_MILLIS)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "%lld value for maxTimeMS is out of range [0, %d]", (long long)n,
		                 MAX_TIME_LIMIT_MILLIS);
	*millis = n;
	return true;
}
