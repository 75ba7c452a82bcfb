/* validator, validationLevel, validationAction and prepareConstraintValidationLevel: which values may follow which. */
#include "engine/validation.h"

#include <string.h>

#include "bson/writer.h"

/* The last one of each came with the constraint level. */
static bool is_one(struct key name, const char *const *names, size_t count, bool constraints)
{
	for (size_t i = 0; i < (constraints ? count : count - 1); i++)
		if (key_is(name, names[i]))
			return true;
	return false;
}

bool validation_is_level(struct key name, bool constraints)
{
	static const char *const levels[] = { "off", "strict", "moderate", "constraint" };

	return is_one(name, levels, sizeof levels / sizeof *levels, constraints);
}

bool validation_is_action(struct key name, bool constraints)
{
	static const char *const actions[] = { "error", "warn", "errorAndLog" };

	return is_one(name, actions, sizeof actions / sizeof *actions, constraints);
}

static bool is(struct value v, const char *text)
{
	return v.type == BSON_TYPE_UTF8 && key_is(value_text(v), text);
}

static bool refuse(bson_error_t *error, const char *why)
{
	return error_set(error, ERROR_SERVER, CODE_BadValue, "%s", why);
}

static bool check_constraint(struct value options, const struct validation_change *change, bson_error_t *error)
{
	struct value current = value_get(options, "validationLevel"), action = change->action;
	bool prepared = value_is_true(value_get(options, "prepareConstraintValidationLevel"));
	bool validator = !value_is_missing(change->validator);

	if (prepared && validator)
		return refuse(error, "Validator cannot be changed while prepareConstraintValidationLevel is set. To make validator "
		              "changes, first run: db.runCommand({collMod: \"<collection>\", prepareConstraintValidationLevel: "
		              "false})");
	if (!is(value_is_missing(change->level) ? current : change->level, "constraint"))
		return true;
	if (is(value_is_missing(action) ? value_get(options, "validationAction") : action, "warn"))
		return refuse(error, "Validation action of 'warn' is not allowed when Validation level is 'constraint'");
	if (change->creating)
		return true;
	if (is(current, "constraint"))
		return !validator || refuse(error, "Validator cannot be changed when Validation level is 'constraint'");
	if (!is(current, "strict"))
		return refuse(error, "validationLevel can only be changed to 'constraint' from 'strict'");
	if (validator)
		return refuse(error, "Cannot change the validator in the same collMod that upgrades validationLevel to 'constraint'");
	return prepared || refuse(error, "Cannot upgrade validationLevel to 'constraint' without first setting "
	                          "prepareConstraintValidationLevel to true");
}

static bool is_ours(struct key name)
{
	return key_is(name, "validator") || key_is(name, "validationLevel") || key_is(name, "validationAction") ||
	       key_is(name, "prepareConstraintValidationLevel");
}

static void put(struct writer *w, const char *name, struct value changed, struct value current, const char *otherwise)
{
	if (!value_is_missing(changed))
		writer_put(w, name, changed);
	else if (!value_is_missing(current))
		writer_put(w, name, current);
	else if (otherwise)
		writer_text(w, name, otherwise);
}

/* What was not said is written out by the first change, as the server does; `create` leaves it open. */
bool validation_change(struct value options, const struct validation_change *change, struct bytes *out, bson_error_t *error)
{
	struct value validator = change->validator, level = change->level;
	struct value prepare = value_is_missing(change->prepare) ? value_get(options, "prepareConstraintValidationLevel")
	                                                         : change->prepare;
	struct writer w;
	struct walk walk;
	struct field f;

	if (!check_constraint(options, change, error))
		return false;
	if (value_is_missing(validator))
		validator = value_get(options, "validator");
	bytes_reset(out);
	writer_begin(&w, out);
	walk_begin(&walk, options);
	while (walk_next(&walk, &f))
		if (!is_ours(f.key))
			writer_value(&w, f.key, f.value);
	if (value_is_document(validator) && value_count(validator))
		writer_put(&w, "validator", validator);
	put(&w, "validationLevel", level, value_get(options, "validationLevel"), change->creating ? NULL : "strict");
	put(&w, "validationAction", change->action, value_get(options, "validationAction"), change->creating ? NULL : "error");
	if (value_is_true(prepare) && !is(value_is_missing(level) ? value_get(options, "validationLevel") : level, "constraint"))
		writer_bool(&w, "prepareConstraintValidationLevel", true);
	writer_finish(&w);
	return true;
}
