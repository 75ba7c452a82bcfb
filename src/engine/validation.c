#include "engine/validation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/match.h"
#include "engine/store.h"
#include "engine/validation_error.h"

enum { ID_WOULD_FAIL = 20294, ID_FAILED = 7488700 }; /* of the server's log lines */

struct validation {
	struct bytes source; /* the validator */
	struct match *filter; /* null: it did not compile, `error` */
	bson_error_t error;
	bool off, moderate, constraint, prepared, warns, logs;
};

static bool is(struct value options, const char *name, const char *value)
{
	struct value v = value_get(options, name);

	return v.type == BSON_TYPE_UTF8 && key_is(value_text(v), value);
}

struct validation *validation_new(struct value options)
{
	struct value validator = value_get(options, "validator");
	struct validation *v;

	if (!value_is_document(validator) || !value_count(validator))
		return NULL;
	v = memory_allocate_zeroed(1, sizeof *v);
	bytes_append(&v->source, validator.bytes, validator.size_bytes);
	value_document(&validator, v->source.data, v->source.size);
	v->filter = match_compile(validator, NULL, &v->error);
	v->off = is(options, "validationLevel", "off");
	v->moderate = is(options, "validationLevel", "moderate");
	v->constraint = is(options, "validationLevel", "constraint");
	v->prepared = value_is_true(value_get(options, "prepareConstraintValidationLevel"));
	v->warns = is(options, "validationAction", "warn") && !v->constraint;
	v->logs = v->warns || is(options, "validationAction", "errorAndLog");
	return v;
}

void validation_destroy(struct validation *v)
{
	if (!v)
		return;
	if (v->filter)
		match_destroy(v->filter);
	bytes_clear(&v->source);
	free(v);
}

/* A validator that throws is one that does not hold. */
static bool holds(const struct validation *v, struct execution *x, struct value document)
{
	bool held = match_test(v->filter, x, document);

	if (x->failed) {
		x->failed = false;
		return false;
	}
	return held;
}

static bool check_bypass(const struct collection *c, struct execution *x)
{
	if (c->validation->prepared)
		return execution_fail(x, CODE_BadValue,
		                      "bypassDocumentValidation is not permitted while prepareConstraintValidationLevel is set. To "
		                      "allow bypassDocumentValidation, first run: db.runCommand({collMod: \"%.100s\", "
		                      "prepareConstraintValidationLevel: false})", c->name);
	if (c->validation->constraint)
		return execution_fail(x, CODE_BadValue,
		                      "bypassDocumentValidation is not permitted with 'constraint' validationLevel");
	return true;
}

/* As the server logs it: {s: "W", c: "STORAGE", id, msg, attr: {namespace, document, errInfo}}. */
static void log_failure(const struct collection *c, const struct execution *x, struct value document, struct value info)
{
	struct bytes line = BYTES_INIT, name = BYTES_INIT;
	struct writer w;

	if (!x->log)
		return;
	bytes_format(&name, "%s.%s", c->database->name, c->name);
	writer_begin(&w, &line);
	writer_text(&w, "s", "W");
	writer_text(&w, "c", "STORAGE");
	writer_int32(&w, "id", c->validation->warns ? ID_WOULD_FAIL : ID_FAILED);
	writer_text(&w, "msg", c->validation->warns ? "Document would fail validation" : "Document failed validation");
	writer_begin_document(&w, key_of("attr"));
	writer_text(&w, "namespace", bytes_text(&name));
	writer_put(&w, "document", document);
	writer_put(&w, "errInfo", info);
	writer_end(&w);
	x->log->write(x->log->context, writer_finish(&w));
	bytes_clear(&line);
	bytes_clear(&name);
}

static bool refuse(const struct collection *c, struct execution *x, struct value document)
{
	const struct validation *v = c->validation;
	struct bytes info = BYTES_INIT;
	struct value validator, explained;
	struct writer w;

	value_document(&validator, v->source.data, v->source.size);
	validation_explain(validator, x, document, &info);
	value_document(&explained, info.data, info.size);
	if (v->logs)
		log_failure(c, x, document, explained);
	if (!v->warns && x->error_details) {
		bytes_reset(x->error_details);
		writer_begin(&w, x->error_details);
		writer_put(&w, "errInfo", explained);
		writer_finish(&w);
	}
	bytes_clear(&info);
	return v->warns || execution_fail(x, CODE_DocumentValidationFailure, "Document failed validation");
}

bool validation_check(const struct collection *c, struct execution *x, struct value old, struct value document)
{
	const struct validation *v = c->validation;

	if (!v)
		return true;
	if (!v->filter)
		return execution_fail_with(x, &v->error);
	if (v->off)
		return true;
	if (x->bypass_validation)
		return check_bypass(c, x);
	if (holds(v, x, document))
		return true;
	/* moderate: what did not hold before need not hold now */
	if (v->moderate && !value_is_missing(old) && !holds(v, x, old))
		return true;
	return refuse(c, x, document);
}
