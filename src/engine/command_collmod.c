/* collMod: a collection's validation and hidden indexes changed; what else it may change is refused, each with the server's words. */
#include "engine/command.h"

#include <string.h>

#include "bson/compare.h"
#include "bson/print.h"
#include "engine/index.h"
#include "engine/validation.h"

enum {
	CODE_DocumentsViolate = 12370902, /* of the server's scan before an upgrade to the constraint level */
	MOST_VALIDATOR_TEXT = 10 * 1024
};

static bool check_enumeration(struct command_call *call, const char *name, bool (*is_one)(struct key name, bool constraints),
                              struct value *v)
{
	*v = command_option(call->command, name);
	if (value_is_missing(*v) || is_one(value_text(*v), store_emulation(call->engine->store)->validation_constraints))
		return true;
	return command_fail(call, CODE_BadValue, "Enumeration value '%.*s' for field '%s.%s' is not a valid value.",
	                    (int)value_text(*v).size_bytes, value_text(*v).bytes, call->type->name, name);
}

/* The server's own databases and collections have no validators. */
static bool check_place(struct command_call *call, const char *collection)
{
	static const char *const own[] = { "admin", "local", "config" };

	if (!strncmp(collection, "system.", 7))
		return command_fail(call, CODE_InvalidOptions, "Document validators not allowed on system collection %s.%s", call->db,
		                    collection);
	for (int i = 0; i < 3; i++)
		if (!strcmp(call->db, own[i]))
			return command_fail(call, CODE_InvalidOptions,
			                    "Document validators are not allowed on collection %s.%s in the %s internal database",
			                    call->db, collection, own[i]);
	return true;
}

static bool check_validator(struct command_call *call, struct value validator, const char *collection, const char *context)
{
	bson_error_t error;
	struct match *m;

	if (value_is_missing(validator) || !value_count(validator))
		return true;
	if (!check_place(call, collection))
		return false;
	m = match_compile(validator, NULL, &error);
	if (!m)
		return command_fail(call, error.code, "%s%s", context, error.message);
	match_destroy(m);
	return true;
}

bool command_read_validation(struct command_call *call, struct validation_change *change)
{
	change->validator = command_option(call->command, "validator");
	change->prepare = value_missing();
	return check_enumeration(call, "validationLevel", validation_is_level, &change->level) &&
	       check_enumeration(call, "validationAction", validation_is_action, &change->action) &&
	       (!change->creating || check_validator(call, change->validator, command_collection(call), ""));
}

static struct value options_of(const struct collection *c)
{
	struct value options;

	return value_document(&options, c->options.data, c->options.size) ? options : value_empty_document();
}

/* The scan that the server makes: {$nor: [validator]}, the first document in the order of the collection. */
static bool find_violation(struct command_call *call, const struct collection *c, struct value validator, struct value *document)
{
	struct bytes filter = BYTES_INIT;
	struct execution x;
	struct match *m;
	struct writer w;
	bool found = false;

	writer_begin(&w, &filter);
	writer_begin_array(&w, key_of("$nor"));
	writer_value(&w, key_of(""), validator);
	writer_end(&w);
	m = match_compile(writer_finish(&w), NULL, &call->error);
	bytes_clear(&filter);
	if (!m)
		return false;
	execution_init(&x, call->engine->store, call->db, call->interrupt);
	for (record_id id = collection_next(c, 0); !found && id != RECORD_NONE && execution_tick(&x); id = collection_next(c, id + 1))
		found = collection_document(c, id, document) && match_test(m, &x, *document) && !x.failed;
	match_destroy(m);
	if (!found)
		*document = value_missing();
	found = !x.failed || command_fail_execution(call, &x, "PlanExecutor error during aggregation");
	execution_clear(&x);
	return found;
}

/* The message names the validator, which an error may be too short for. */
static bool fail_violated(struct command_call *call, const struct collection *c, struct value validator, struct value document)
{
	struct bytes *text = &call->long_message, printed = BYTES_INIT;

	print_line(&printed, validator, PRINT_SERVER);
	bytes_append_text(text, "Cannot upgrade validationLevel to 'constraint': the collection contains documents that do not "
	                        "satisfy the validator.");
	if (!value_is_missing(value_get(document, "_id"))) {
		bytes_append_text(text, " First offending document _id: ");
		print_line(text, value_get(document, "_id"), PRINT_SERVER);
	}
	bytes_format(text, " Run db.%s.find({\"$nor\": [%s]}) to find non-compliant documents.", c->name,
	             printed.size < MOST_VALIDATOR_TEXT ? bytes_text(&printed) : "<your collection's validator>");
	bytes_clear(&printed);
	return command_fail(call, CODE_DocumentsViolate, "%s", bytes_text(text));
}

/* Whether all documents hold already, when the level is to become `constraint`. Comes before all other checks. */
static bool check_documents(struct command_call *call, const struct collection *c, const struct validation_change *change)
{
	struct value options = options_of(c), validator = value_get(options, "validator");
	struct value current = value_get(options, "validationLevel"), document;

	if (value_is_missing(change->level) || !key_is(value_text(change->level), "constraint") || value_is_missing(validator))
		return true;
	if (current.type == BSON_TYPE_UTF8 && key_is(value_text(current), "constraint"))
		return true;
	if (!find_violation(call, c, validator, &document))
		return false;
	return value_is_missing(document) || fail_violated(call, c, validator, document);
}

static struct index *find_index(struct command_call *call, const struct collection *c, struct value name, struct value pattern)
{
	struct bytes text = BYTES_INIT;
	struct index *found = NULL;

	for (size_t i = 0; i < c->index_count && !found; i++)
		if (value_is_missing(name) ? value_equal(index_key_pattern(c->indexes[i]), pattern)
		                           : key_is(value_text(name), c->indexes[i]->name))
			found = c->indexes[i];
	if (!found) {
		if (value_is_missing(name))
			print_line(&text, pattern, PRINT_SERVER);
		else
			bytes_append(&text, value_text(name).bytes, value_text(name).size_bytes);
		command_fail(call, CODE_IndexNotFound, "cannot find index %.300s for ns %s.%s", bytes_text(&text), call->db, c->name);
		bytes_clear(&text);
	}
	return found;
}

static bool refuse_index(struct command_call *call, const char *what)
{
	return command_fail(call, CODE_NotImplemented, "'collMod.index.%s' is not supported by this engine", what);
}

static bool check_expiry(struct command_call *call, const struct index *index, bool is_id)
{
	if (is_id)
		return command_fail(call, CODE_InvalidOptions, "the _id field does not support TTL indexes");
	if (value_count(index_key_pattern(index)) != 1)
		return command_fail(call, CODE_InvalidOptions,
		                    "TTL indexes are single-field indexes, compound indexes do not support TTL");
	return refuse_index(call, "expireAfterSeconds");
}

/* No index here expires or is being prepared to be unique: asking for what is there already changes nothing. */
static bool check_index_change(struct command_call *call, const struct index *index, struct value change)
{
	bool is_id = !strcmp(index->name, "_id_");
	struct value unique = command_option(change, "unique"), hidden = command_option(change, "hidden");
	struct value prepare = command_option(change, "prepareUnique"), force = command_option(change, "forceNonUnique");

	if (!value_is_missing(command_option(change, "expireAfterSeconds")))
		return check_expiry(call, index, is_id);
	if (!value_is_missing(unique) && !value_is_true(unique))
		return command_fail(call, CODE_BadValue, "Cannot make index non-unique");
	if (!value_is_missing(unique) && !index->unique)
		return command_fail(call, CODE_InvalidOptions,
		                    "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.");
	if (!value_is_missing(hidden) && is_id)
		return command_fail(call, CODE_BadValue, "can't hide _id index");
	if (!value_is_missing(prepare) && value_is_true(prepare) && !index->unique)
		return refuse_index(call, "prepareUnique");
	if (!value_is_missing(force) && !value_is_true(force))
		return command_fail(call, CODE_BadValue, "'forceNonUnique: false' is not supported");
	if (!value_is_missing(force) && index->unique)
		return refuse_index(call, "forceNonUnique");
	return true;
}

/* The only change that an index takes here. */
static void change_hidden(struct command_call *call, struct index *index, struct value hidden)
{
	if (value_is_missing(hidden) || value_is_true(hidden) == index->hidden)
		return;
	writer_bool(call->reply, "hidden_old", index->hidden);
	index_set_hidden(index, value_is_true(hidden));
	writer_bool(call->reply, "hidden_new", index->hidden);
}

/* *index is the one to change, or null. */
static bool check_index(struct command_call *call, const struct collection *c, struct index **index)
{
	static const struct command_option options[] = {
		{ "name", OPTION_STRING, OPTION_USED },
		{ "keyPattern", OPTION_OBJECT, OPTION_USED },
		{ "expireAfterSeconds", OPTION_NUMBER, OPTION_USED },
		{ "hidden", OPTION_BOOL, OPTION_USED },
		{ "unique", OPTION_BOOL, OPTION_USED },
		{ "prepareUnique", OPTION_BOOL, OPTION_USED },
		{ "forceNonUnique", OPTION_BOOL, OPTION_USED },
		{ NULL, OPTION_ANY, OPTION_USED }
	};
	struct value change = command_option(call->command, "index"), name, pattern;
	bool changes = false;

	*index = NULL;
	if (value_is_missing(change))
		return true;
	if (!command_check_options(change, "collMod.index", options, 0, false, &call->error))
		return false;
	name = command_option(change, "name");
	pattern = command_option(change, "keyPattern");
	if (value_is_missing(name) == value_is_missing(pattern))
		return command_fail(call, CODE_InvalidOptions, "%s",
		                    value_is_missing(name) ? "Must specify either index name or key pattern."
		                                           : "Cannot specify both key pattern and name.");
	for (int i = 2; options[i].name; i++)
		changes |= !value_is_missing(command_option(change, options[i].name));
	if (!changes)
		return command_fail(call, CODE_InvalidOptions, "no expireAfterSeconds, hidden, unique, or prepareUnique field");
	if (value_is_true(command_option(change, "unique")) && value_is_true(command_option(change, "forceNonUnique")))
		return command_fail(call, CODE_InvalidOptions,
		                    "collMod does not support 'unique' and 'forceNonUnique' options at the same time");
	*index = find_index(call, c, name, pattern);
	return *index && check_index_change(call, *index, change);
}

/* Of views, time series, capped and clustered collections, of which there are none. */
static bool check_other_kinds(struct command_call *call)
{
	static const struct { const char *option, *why; } others[] = {
		{ "cappedSize", "Collection must be capped." },
		{ "cappedMax", "Collection must be capped." },
		{ "pipeline", "option only supported on a view: pipeline" },
		{ "viewOn", "option only supported on a view: viewOn" },
		{ "expireAfterSeconds", "'expireAfterSeconds' option is only supported on collections clustered by _id" },
		{ "timeseries", "option only supported on a time-series collection: timeseries" },
	};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!value_is_missing(command_option(call->command, others[i].option)))
			return command_fail(call, CODE_InvalidOptions, "%s", others[i].why);
	if (!command_option_bool(call->command, "dryRun", false))
		return true;
	if (value_is_missing(command_option(call->command, "index")))
		return command_fail(call, CODE_InvalidOptions, "dry run mode requires an valid index modification.");
	return command_fail(call, CODE_NotImplemented, "'collMod.dryRun' is not supported by this engine");
}

static bool change_validation(struct command_call *call, struct collection *c, const struct validation_change *change)
{
	struct bytes options = BYTES_INIT;
	bson_error_t error;
	struct value v;
	bool ok;

	if (value_is_missing(change->validator) && value_is_missing(change->level) && value_is_missing(change->action) &&
	    value_is_missing(change->prepare))
		return true;
	ok = validation_change(options_of(c), change, &options, &error) ||
	     command_fail(call, error.code, "Failed to set validation options :: caused by :: %s", error.message);
	if (ok && value_document(&v, options.data, options.size))
		collection_set_options(c, v);
	bytes_clear(&options);
	return ok;
}

bool command_coll_mod(struct command_call *call)
{
	const char *name = command_collection(call);
	struct collection *c = store_collection(call->engine->store, call->db, name);
	struct value prepare = command_option(call->command, "prepareConstraintValidationLevel");
	struct validation_change change = { .creating = false };
	struct index *index;

	if (!value_is_missing(prepare) && !store_emulation(call->engine->store)->validation_constraints)
		return command_fail(call, 40415, "BSON field 'collMod.prepareConstraintValidationLevel' is an unknown field.");
	if (!command_read_validation(call, &change))
		return false;
	if (!c || command_is_hidden(c))
		return command_fail(call, CODE_NamespaceNotFound, "ns does not exist");
	change.prepare = prepare;
	if (!check_documents(call, c, &change) || !check_other_kinds(call) || !check_index(call, c, &index) ||
	    !check_validator(call, change.validator, name, "Parsing of collection validator failed :: caused by :: ") ||
	    !change_validation(call, c, &change))
		return false;
	if (index)
		change_hidden(call, index, command_option(command_option(call->command, "index"), "hidden"));
	return true;
}
