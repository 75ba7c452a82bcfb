#include "engine/index_specification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bson/path.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "engine/key_paths.h"

enum {
	CODE_MissingField = 40414,
	CODE_TooManyFields = 13103,
	KEY_PATTERN_LIMIT_BYTES = 2048
};

enum option_kind {
	OPTION_PLAIN,       /* key, name, v: checked on their own */
	OPTION_FLAG,        /* true or false; false is left out */
	OPTION_NOT_TRUE,    /* only false is understood */
	OPTION_WITHOUT_USE, /* MongoDB accepts and ignores it */
	OPTION_COLLATION,
	OPTION_PARTIAL,
	OPTION_UNSUPPORTED
};

static const struct option {
	const char *name;
	enum option_kind kind;
} OPTIONS[] = {
	{ "key", OPTION_PLAIN },
	{ "name", OPTION_PLAIN },
	{ "v", OPTION_PLAIN },
	{ "unique", OPTION_FLAG },
	{ "sparse", OPTION_FLAG },
	{ "background", OPTION_FLAG },
	{ "hidden", OPTION_FLAG },
	{ "dropDups", OPTION_NOT_TRUE },
	{ "prepareUnique", OPTION_NOT_TRUE },
	{ "clustered", OPTION_NOT_TRUE },
	{ "ns", OPTION_WITHOUT_USE },
	{ "collation", OPTION_COLLATION },
	{ "partialFilterExpression", OPTION_PARTIAL },
	{ "expireAfterSeconds", OPTION_UNSUPPORTED },
	{ "storageEngine", OPTION_UNSUPPORTED },
	{ "weights", OPTION_UNSUPPORTED },
	{ "default_language", OPTION_UNSUPPORTED },
	{ "language_override", OPTION_UNSUPPORTED },
	{ "textIndexVersion", OPTION_UNSUPPORTED },
	{ "2dsphereIndexVersion", OPTION_UNSUPPORTED },
	{ "bits", OPTION_UNSUPPORTED },
	{ "min", OPTION_UNSUPPORTED },
	{ "max", OPTION_UNSUPPORTED },
	{ "bucketSize", OPTION_UNSUPPORTED },
	{ "coarsestIndexedLevel", OPTION_UNSUPPORTED },
	{ "finestIndexedLevel", OPTION_UNSUPPORTED },
	{ "wildcardProjection", OPTION_UNSUPPORTED },
	{ "columnstoreProjection", OPTION_UNSUPPORTED },
};

static const char *const PLUGINS[] = { "2d", "2dsphere", "2dsphere_bucket", "text",
	                                    "hashed", "wildcard", "columnstore", "geoHaystack" };

static const struct option *find_option(struct key name)
{
	for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++)
		if (key_is(name, OPTIONS[i].name))
			return &OPTIONS[i];
	return NULL;
}

/* "Error in specification {…} :: caused by :: REASON" */
static bool refuse(struct value specification, uint32_t code, bson_error_t *error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static bool refuse(struct value specification, uint32_t code, bson_error_t *error, const char *format, ...)
{
	struct bytes text = BYTES_INIT;
	va_list arguments;

	bytes_append_text(&text, "Error in specification ");
	print_line(&text, specification, PRINT_SERVER);
	bytes_append_text(&text, " :: caused by :: ");
	va_start(arguments, format);
	bytes_format_v(&text, format, arguments);
	va_end(arguments);
	error_set(error, ERROR_SERVER, code, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

static bool check_direction(struct value specification, struct value v, bson_error_t *error)
{
	struct key plugin;
	double n;

	if (value_is_number(v)) {
		n = value_as_double(v);
		if (isnan(n))
			return refuse(specification, CODE_CannotCreateIndex, error,
			              "Values in the index key pattern cannot be NaN.");
		if (n == 0)
			return refuse(specification, CODE_CannotCreateIndex, error,
			              "Values in the index key pattern cannot be 0.");
		return true;
	}
	if (v.type != BSON_TYPE_UTF8)
		return refuse(specification, CODE_CannotCreateIndex, error,
		              "Values in v:2 index key pattern cannot be of type %s. Only numbers > 0, numbers < 0, and "
		              "strings are allowed.", value_type_name(v.type));
	plugin = value_text(v);
	for (size_t i = 0; i < sizeof PLUGINS / sizeof *PLUGINS; i++)
		if (key_is(plugin, PLUGINS[i]))
			return refuse(specification, CODE_CannotCreateIndex, error,
			              "index type '%s' is not supported by this engine", PLUGINS[i]);
	return refuse(specification, CODE_CannotCreateIndex, error, "Unknown index plugin '%.*s'",
	              (int)plugin.size_bytes, plugin.bytes);
}

/* Only the fields of a DBRef may begin with a dollar sign. */
static bool is_reference_field(struct key part)
{
	return key_is(part, "$id") || key_is(part, "$db") || key_is(part, "$ref");
}

static bool check_field_name(struct value specification, struct key name, bson_error_t *error)
{
	struct path path;
	bool right = true;

	if (!name.size_bytes)
		return refuse(specification, CODE_CannotCreateIndex, error, "Index keys cannot be an empty field.");
	if (key_is(name, "$**") || (name.size_bytes > 4 && !memcmp(name.bytes + name.size_bytes - 4, ".$**", 4)))
		return refuse(specification, CODE_CannotCreateIndex, error,
		              "wildcard indexes are not supported by this engine");
	path_parse(&path, name);
	if (path.count > KEY_PATH_COMPONENTS_LIMIT)
		right = refuse(specification, CODE_Overflow, error,
		               "Index key pattern has a path of more than %d components", KEY_PATH_COMPONENTS_LIMIT);
	for (size_t i = 0; right && i < path.count; i++) {
		struct key part = path.keys[i];

		if (!part.size_bytes)
			right = refuse(specification, CODE_CannotCreateIndex, error,
			               "Index keys cannot contain an empty field.");
		else if (part.bytes[0] == '$' && !(i > 0 && is_reference_field(part)))
			right = refuse(specification, CODE_CannotCreateIndex, error,
			               "Index key contains an illegal field name: field name starts with '$'.");
	}
	path_clear(&path);
	return right;
}

static bool check_key_pattern(struct value specification, struct value pattern, bson_error_t *error)
{
	struct walk w;
	struct field f;
	size_t count = 0;

	if (value_is_missing(pattern))
		return error_set(error, ERROR_SERVER, CODE_MissingField,
		                 "BSON field 'createIndexes.indexes.key' is missing but a required field");
	if (!value_is_document(pattern))
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "BSON field 'createIndexes.indexes.key' is the wrong type '%s', expected type 'object'",
		                 value_type_name(pattern.type));
	if (pattern.size_bytes > KEY_PATTERN_LIMIT_BYTES)
		return refuse(specification, CODE_CannotCreateIndex, error, "Index key pattern too large.");
	walk_begin(&w, pattern);
	while (walk_next(&w, &f)) {
		if (++count > KEY_PATHS_LIMIT)
			return error_set(error, ERROR_SERVER, CODE_TooManyFields, "too many compound keys");
		if (!check_direction(specification, f.value, error) || !check_field_name(specification, f.key, error))
			return false;
	}
	return count || refuse(specification, CODE_CannotCreateIndex, error, "Index keys cannot be empty.");
}

static bool is_id_pattern(struct value pattern)
{
	struct value direction = value_get(pattern, "_id");
	int64_t n;

	return value_count(pattern) == 1 && value_as_int64(direction, &n) && n == 1;
}

static bool check_name(struct value specification, struct value pattern, struct value name, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct key k;

	if (value_is_missing(name))
		return error_set(error, ERROR_SERVER, CODE_MissingField,
		                 "BSON field 'createIndexes.indexes.name' is missing but a required field");
	if (name.type != BSON_TYPE_UTF8)
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "BSON field 'createIndexes.indexes.name' is the wrong type '%s', expected type 'string'",
		                 value_type_name(name.type));
	k = value_text(name);
	if (!k.size_bytes)
		return refuse(specification, CODE_CannotCreateIndex, error, "index name cannot be empty");
	if (memchr(k.bytes, 0, k.size_bytes))
		return refuse(specification, CODE_CannotCreateIndex, error, "index name cannot contain NUL bytes");
	if (key_is(k, "*"))
		return error_set(error, ERROR_SERVER, CODE_BadValue, "The index name '*' is not valid.");
	if (key_is(k, "_id_") && !is_id_pattern(pattern)) {
		print_line(&text, pattern, PRINT_SERVER);
		error_set(error, ERROR_SERVER, CODE_BadValue,
		          "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, "
		          "found key: %s", bytes_text(&text));
		bytes_clear(&text);
		return false;
	}
	return true;
}

static bool check_version(struct value specification, struct value version, bson_error_t *error)
{
	int64_t n;

	if (value_is_missing(version))
		return true;
	if (!value_is_number(version))
		return refuse(specification, CODE_TypeMismatch, error, "The field 'v' must be a number, but got %s",
		              value_type_name(version.type));
	if (!value_as_int64(version, &n) || (n != 1 && n != 2)) {
		struct bytes text = BYTES_INIT;

		print_line(&text, version, PRINT_SERVER);
		refuse(specification, CODE_CannotCreateIndex, error,
		       "Invalid index specification; cannot create an index with v=%s", bytes_text(&text));
		bytes_clear(&text);
		return false;
	}
	return true;
}

/* What may stand in a partial filter: what an index can be asked for by its form. */
static const struct match *first_not_allowed(const struct match *m, int depth)
{
	switch (m->kind) {
	case MATCH_EQ: case MATCH_LT: case MATCH_LTE: case MATCH_GT: case MATCH_GTE: case MATCH_IN:
	case MATCH_EXISTS: case MATCH_TYPE: case MATCH_ALWAYS_FALSE: case MATCH_ALWAYS_TRUE:
		return NULL;
	case MATCH_AND: case MATCH_OR:
		for (size_t i = 0; i < m->child_count && depth <= VALUE_DEPTH_LIMIT; i++) {
			const struct match *bad = first_not_allowed(m->children[i], depth + 1);

			if (bad)
				return bad;
		}
		return depth <= VALUE_DEPTH_LIMIT ? NULL : m;
	default:
		return m;
	}
}

struct match *index_specification_filter(struct value specification, bson_error_t *error)
{
	struct value filter = value_get(specification, "partialFilterExpression");
	const struct match *bad;
	struct match *m;

	if (value_is_missing(filter))
		return NULL;
	m = match_compile(filter, NULL, error);
	if (!m)
		return NULL;
	bad = first_not_allowed(m, 0);
	if (bad) {
		struct bytes text = BYTES_INIT;

		match_draw(bad, &text);
		refuse(specification, CODE_CannotCreateIndex, error, "Expression not supported in partial index: %s",
		       bytes_text(&text));
		bytes_clear(&text);
		match_destroy(m);
		return NULL;
	}
	match_canonicalize(&m);
	return m;
}

static bool check_partial(struct value specification, struct value filter, bson_error_t *error)
{
	struct match *m;

	if (!value_is_document(filter))
		return refuse(specification, CODE_TypeMismatch, error,
		              "The field 'partialFilterExpression' must be an object, but got %s", value_type_name(filter.type));
	if (value_is_true(value_get(specification, "sparse")))
		return refuse(specification, CODE_CannotCreateIndex, error,
		              "cannot mix \"partialFilterExpression\" and \"sparse\" options");
	m = index_specification_filter(specification, error);
	match_destroy(m);
	return m != NULL;
}

static bool check_option(struct value specification, const struct option *option, struct value v, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct value locale;

	switch (option->kind) {
	case OPTION_FLAG:
	case OPTION_NOT_TRUE:
		if (v.type != BSON_TYPE_BOOL && !value_is_number(v)) {
			print_line(&text, v, PRINT_SERVER);
			refuse(specification, CODE_TypeMismatch, error,
			       "The field '%s has value %s: %s, which is not convertible to bool", option->name,
			       option->name, bytes_text(&text));
			bytes_clear(&text);
			return false;
		}
		if (option->kind == OPTION_FLAG || !value_is_true(v))
			return true;
		break;
	case OPTION_COLLATION:
		locale = value_is_document(v) ? value_get(v, "locale") : value_missing();
		if (locale.type == BSON_TYPE_UTF8 && key_is(value_text(locale), "simple") && value_count(v) == 1)
			return true;
		break;
	case OPTION_PARTIAL:
		return check_partial(specification, v, error);
	case OPTION_UNSUPPORTED:
		break;
	default:
		return true;
	}
	return refuse(specification, CODE_CannotCreateIndex, error, "index option '%s' is not supported by this engine",
	              option->name);
}

static bool check_options(struct value specification, bool is_id, bson_error_t *error)
{
	struct walk w;
	struct field f;

	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		const struct option *option = find_option(f.key);
		bool on_id = option && (option->kind == OPTION_PLAIN || option->kind == OPTION_WITHOUT_USE ||
		                        option->kind == OPTION_COLLATION);
		struct bytes text = BYTES_INIT;

		if (option && (on_id || !is_id)) {
			if (!check_option(specification, option, f.value, error))
				return false;
			continue;
		}
		print_line(&text, specification, PRINT_SERVER);
		refuse(specification, CODE_InvalidIndexSpecificationOption, error,
		       "The field '%.*s' is not valid for an%s index specification. Specification: %s",
		       (int)f.key.size_bytes, f.key.bytes, option ? " _id" : "", bytes_text(&text));
		bytes_clear(&text);
		return false;
	}
	return true;
}

static bool is_kept(const struct option *option, struct value v)
{
	if (option->kind == OPTION_PLAIN)
		return strcmp(option->name, "v") != 0;
	return option->kind == OPTION_PARTIAL || (option->kind == OPTION_FLAG && value_is_true(v));
}

bool index_specification_normalize(struct value specification, struct bytes *out, bson_error_t *error)
{
	struct value pattern = value_get(specification, "key"), version = value_get(specification, "v");
	struct writer w;
	struct walk walk;
	struct field f;

	if (!check_key_pattern(specification, pattern, error) ||
	    !check_name(specification, pattern, value_get(specification, "name"), error) ||
	    !check_version(specification, version, error) ||
	    !check_options(specification, is_id_pattern(pattern), error))
		return false;
	writer_begin(&w, out);
	if (value_is_missing(version))
		writer_int32(&w, "v", 2);
	else
		writer_put(&w, "v", version);
	walk_begin(&walk, specification);
	while (walk_next(&walk, &f)) {
		if (!is_kept(find_option(f.key), f.value))
			continue;
		if (key_is(f.key, "name") && is_id_pattern(pattern))
			writer_text(&w, "name", "_id_");
		else
			writer_value(&w, f.key, f.value);
	}
	writer_finish(&w);
	return true;
}
